/* Fidelity against closed forms: laws whose distances and memories are known, and recordings scaled by a factor. The
 * second implementation is in tests/property/test_fidelity.c. */
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/random.h"
#include "sim/study/calibrate/rolling.h"

#define S FW_NS_PER_S
#define TICKS ((size_t)4000)

static const fw_time_ns windows[] = {S / 2, S, 10 * S, 30 * S, 300 * S};
#define WINDOWS (sizeof windows / sizeof windows[0])

/* AR(1) around 300 W with a deviation of 30 W: memory `a` from tick to tick. */
static void fill_ar1(int64_t *out, size_t count, double a, uint32_t entity) {
  fw_stream stream = fw_stream_make(7, FW_DRAW_TEST, entity);
  double z = fw_random_normal(stream, 0);
  for (size_t t = 0; t < count; t++) {
    out[t] = 300000 + (int64_t)(30000.0 * z);
    z = a * z + sqrt(1.0 - a * a) * fw_random_normal(stream, t + 1);
  }
}

static fw_fidelity score(const fw_power_mw *recorded, const fw_power_mw *simulated, size_t ticks) {
  fw_fidelity fidelity;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_fidelity_run run = {"made up", S / 2, ticks, 1, recorded, &simulated, 1};
  cr_assert_eq(fw_fidelity_score(&run, windows, WINDOWS, &fidelity, &diagnostics), FW_OK);
  cr_assert_eq(diagnostics.count, 0);
  return fidelity;
}

Test(fidelity, a_recording_repeats_itself) {
  static fw_power_mw recorded[TICKS];
  fill_ar1(recorded, TICKS, 0.8, 1);
  fw_fidelity same = score(recorded, recorded, TICKS);
  cr_assert_eq(same.signal_count, 1);
  for (size_t w = 0; w < WINDOWS; w++) {
    const fw_fidelity_window *at = &same.signals[0].windows[w];
    cr_expect_null(at->reason);
    for (int m = 0; m < FW_FIDELITY_METRICS; m++) {
      bool lagless = windows[w] > 60 * S && (m == FW_FIDELITY_ACF_R2 || m == FW_FIDELITY_ACF_MAE);
      if (lagless) {
        cr_expect(isnan(at->scores[m]), "no lag is as long as a window of 300 s");
      } else {
        cr_expect_eq(at->scores[m], m == FW_FIDELITY_ACF_R2 ? 1.0 : 0.0, "%s at window %zu: %g",
                     fw_fidelity_metric_names[m], w, at->scores[m]);
      }
    }
  }
  fw_fidelity_clear(&same);
}

/* All levels rise by a tenth, and what has no level stays. */
Test(fidelity, a_factor_shows_in_levels_only) {
  static fw_power_mw recorded[TICKS], scaled[TICKS];
  fill_ar1(recorded, TICKS, 0.5, 2);
  for (size_t t = 0; t < TICKS; t++) {
    recorded[t] -= recorded[t] % 10; /* so that a tenth is whole */
    scaled[t] = recorded[t] + recorded[t] / 10;
  }
  fw_fidelity up = score(recorded, scaled, TICKS);
  const double exact = 1e-12; /* sums of a few thousand integers below 2^53, and one division */
  for (size_t w = 0; w < WINDOWS; w++) {
    const double *scores = up.signals[0].windows[w].scores;
    cr_expect_float_eq(scores[FW_FIDELITY_ENERGY], 0.1, exact);
    cr_expect_float_eq(scores[FW_FIDELITY_BIAS], 0.1, exact);
    for (int m = FW_FIDELITY_P50; m <= FW_FIDELITY_P999; m++) {
      cr_expect_float_eq(scores[m], 0.1, exact);
    }
    if (windows[w] > 60 * S) continue;
    cr_expect_float_eq(scores[FW_FIDELITY_ACF_R2], 1.0, 1e-9); /* a correlation of rounding errors of 1e-12 */
    cr_expect_float_eq(scores[FW_FIDELITY_ACF_MAE], 0.0, 1e-9);
  }
  fw_fidelity_clear(&up);
}

/* 1000 different values: exactly 200, 100, 50 and 10 lie above the nearest ranks of P80, P90, P95 and P99. */
Test(fidelity, a_recording_is_above_its_own_percentiles_as_often_as_they_say) {
  enum { N = 1000 };
  static fw_power_mw recorded[N], low[N];
  for (size_t t = 0; t < N; t++) {
    recorded[t] = 100000 + (int64_t)(t * 377 % N) * 100;
    low[t] = 50000;
  }
  fw_fidelity fidelity = score(recorded, low, N);
  const double wanted[] = {0.20, 0.10, 0.05, 0.01};
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    const fw_fidelity_window *at = &fidelity.signals[0].windows[0];
    cr_expect_eq(at->recorded_rate[b], wanted[b]);
    cr_expect_eq(at->predicted_rate[b], 0.0);
    cr_expect_eq(at->scores[FW_FIDELITY_VIOLATION_P80 + b], wanted[b]);
    cr_expect_eq(at->budget[b], 100000 + (int64_t)((1.0 - wanted[b]) * N - 1.0 + 0.5) * 100);
  }
  const fw_fidelity_window *at = &fidelity.signals[0].windows[0];
  cr_expect_eq(at->scores[FW_FIDELITY_KS], 1.0);
  cr_expect_eq(at->scores[FW_FIDELITY_ACF_MAE] > 0.0, 1, "a simulation that does not vary has no memory");
  fw_fidelity_clear(&fidelity);
}

/* Two normal laws a distance m apart: the distribution functions are 2 Phi(m / 2) - 1 apart at most. With values at the
 * quantiles (i - 0.5) / n each empirical function is within 1 / (2 n) of its law. */
Test(fidelity, ks_of_shifted_normal_laws) {
  enum { N = 5000 };
  static int64_t a[N], b[N];
  for (double shift = 0.25; shift < 3.0; shift += 0.25) {
    for (size_t i = 0; i < N; i++) {
      double z = gsl_cdf_ugaussian_Pinv(((double)i + 0.5) / N);
      a[i] = (int64_t)(1e9 * (10.0 + z));
      b[i] = (int64_t)(1e9 * (10.0 + z + shift));
    }
    double wanted = 2.0 * gsl_cdf_ugaussian_P(shift / 2.0) - 1.0;
    cr_expect_float_eq(fwi_rolling_ks(a, N, b, N), wanted, 1.0 / N);
  }
}

/* A uniform law against the same stretched by s > 1 from 0: 1 - 1 / s. */
Test(fidelity, ks_of_a_stretched_uniform_law_with_unequal_counts) {
  enum { N = 3000, M = 2000 };
  static int64_t a[N], b[M];
  for (int64_t i = 0; i < N; i++)
    a[i] = i * 1000;
  for (int64_t i = 0; i < M; i++)
    b[i] = i * 1000 * 3;
  cr_expect_float_eq(fwi_rolling_ks(a, N, b, M), 1.0 - 1.0 / 2.0, 1.0 / M); /* 3 x M / N = 2 */
}

/* The autocorrelation of AR(1) is a^k and its integrated time (1 + a) / (1 - a). Bartlett: each estimate has a standard
 * error below sqrt((1 + a^2) / (1 - a^2) / n); five of them are allowed, the seeds being fixed. */
Test(fidelity, autocorrelation_of_ar1) {
  enum { N = 200000, LAGS = 20 };
  static int64_t series[N];
  const double memories[] = {0.0, 0.5, 0.9, -0.4};
  for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
    double a = memories[i], got[LAGS], error = sqrt((1.0 + a * a) / (1.0 - a * a) / N);
    fill_ar1(series, N, a, 10 + (uint32_t)i);
    cr_assert_eq(fwi_rolling_autocorrelation(series, N, 1, 1, LAGS, got), LAGS);
    for (size_t k = 0; k < LAGS; k++) {
      cr_expect_float_eq(got[k], pow(a, (double)(k + 1)), 5.0 * error);
    }
    double wanted = (1.0 + a) / (1.0 - a);
    if (wanted < 1.0) wanted = 1.0;
    /* Geyer's sum stops in the noise of the estimates: some tens of lags of an error each. */
    cr_expect_float_eq(fwi_rolling_correlation(series, N), wanted, 0.1 * wanted);
  }
}

/* Independent flags: the share is normal with variance p (1 - p) / n. In runs as long as the block there are n / block
 * independent ones. Of 1000 resamples the 2.5th percentile has a standard error of about 5 % of a deviation. */
Test(fidelity, interval_of_a_rate) {
  enum { N = 5000 };
  static bool flags[N];
  static size_t scratch[N + 1];
  fw_stream stream = fw_stream_make(7, FW_DRAW_TEST, 20);
  for (size_t run = 1; run <= 20; run += 19) {
    size_t set = 0;
    for (size_t i = 0; i < N; i++) {
      flags[i] = fw_random_uniform(stream, i / run, 0) < 0.3;
      set += flags[i] ? 1 : 0;
    }
    double lo, hi, p = (double)set / N;
    fwi_rolling_rate_interval(flags, N, 5 * run, 0, scratch, &lo, &hi);
    double deviation = sqrt(p * (1.0 - p) / N * (double)run);
    cr_expect(lo < p && p < hi);
    cr_expect_float_eq((hi - lo) / (2 * 1.96 * deviation), 1.0, 0.15); /* and blocks cut runs at their ends */
  }
}

/* A lag as long as the series has no pair, nor one that only a break lies between. */
Test(fidelity, lags_without_pairs_end_the_autocorrelation) {
  int64_t series[12] = {1, 5, 2, 8, 3, 1, 9, 4, 2, 7, 1, 6};
  double got[12];
  cr_expect_eq(fwi_rolling_autocorrelation(series, 12, 1, 1, 12, got), 11);
  series[6] = FW_FIDELITY_BREAK;
  cr_expect_eq(fwi_rolling_autocorrelation(series, 12, 1, 1, 12, got), 5);
  series[6] = FW_FIDELITY_UNKNOWN;
  cr_expect_eq(fwi_rolling_autocorrelation(series, 12, 1, 1, 12, got), 11);
  const int64_t even[4] = {3, 3, 3, 3};
  cr_expect_eq(fwi_rolling_autocorrelation(even, 4, 1, 1, 2, got), 0);
}

Test(fidelity, percentiles_are_nearest_ranks) {
  int64_t sorted[100];
  for (int64_t i = 0; i < 100; i++)
    sorted[i] = i + 1;
  cr_expect_eq(fwi_rolling_percentile(sorted, 100, 0.95), 95); /* case win-percentile: not 95.05, not 96 */
  cr_expect_eq(fwi_rolling_percentile(sorted, 100, 0.999), 100);
  cr_expect_eq(fwi_rolling_percentile(sorted, 100, 0.5), 50);
  cr_expect_eq(fwi_rolling_percentile(sorted, 10, 0.9), 9); /* 0.9 x 10 is 9 in doubles too */
  cr_expect_eq(fwi_rolling_percentile(sorted, 10, 0.7), 7); /* and 0.7 x 10 just above 7 */
  cr_expect_eq(fwi_rolling_percentile(sorted, 1, 0.5), 1);
}

Test(fidelity, equal_is_not_above) {
  cr_expect_not(fwi_rolling_above(1000000000, 1000000000));
  cr_expect_not(fwi_rolling_above(1000000001, 1000000000)); /* by the relative tolerance of 1e-9 */
  cr_expect(fwi_rolling_above(1000000002, 1000000000));
  cr_expect(fwi_rolling_above(1, 0));
}

Test(fidelity, windows_that_cannot_be_scored_say_why) {
  fw_power_mw recorded[40];
  fill_ar1(recorded, 40, 0.0, 30);
  recorded[20] = FW_FIDELITY_UNKNOWN;
  const fw_power_mw *simulated = recorded;
  fw_fidelity_run run = {"short", S / 2, 40, 1, recorded, &simulated, 1};
  const fw_time_ns asked[] = {S / 2, 7 * S / 10, 10 * S, 11 * S};
  fw_fidelity fidelity;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_fidelity_score(&run, asked, 4, &fidelity, &diagnostics), FW_OK);
  const fw_fidelity_window *at = fidelity.signals[0].windows;
  cr_expect_null(at[0].reason);
  cr_expect_eq(at[0].full, 39);
  cr_expect_eq(at[0].blocks, 39);
  cr_expect_str_eq(at[1].reason, "the window of 0.7 s is no multiple of the tick of 0.5 s");
  cr_expect_null(at[2].reason);
  cr_expect_eq(at[2].full, 1); /* 20 ticks before the unknown one, 19 after it */
  cr_expect_str_eq(at[3].reason, "no stretch of the recording without a gap is as long as the window of 11 s");
  for (int m = 0; m < FW_FIDELITY_METRICS; m++) {
    cr_expect(isnan(at[1].scores[m]) && isnan(at[3].scores[m]));
  }
  fw_fidelity_clear(&fidelity);
}

static void expect_refused(const fw_fidelity_run *run, const fw_time_ns *asked, size_t count, const char *words) {
  fw_fidelity fidelity;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_fidelity_score(run, asked, count, &fidelity, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, words), "%s", diagnostics.entries[0].message);
  cr_expect_null(fidelity.signals);
  fw_diagnostics_clear(&diagnostics);
}

Test(fidelity, input_that_makes_no_sense_is_refused) {
  const fw_power_mw recorded[2] = {1000, 2000}, unknown[2] = {1000, FW_FIDELITY_UNKNOWN}, negative[2] = {1000, -5};
  const fw_power_mw *simulated = recorded, *partly = unknown, *below = negative;
  const fw_time_ns window = S, none = 0;
  const fw_fidelity_run good = {"x", S, 2, 1, recorded, &simulated, 1};
  fw_fidelity_run bad = good;
  bad.seed_count = 0;
  expect_refused(&bad, &window, 1, "nothing to compare");
  expect_refused(&good, &window, 0, "nothing to compare");
  expect_refused(&good, &none, 1, "not longer than 0 s");
  bad = good;
  bad.simulated = &partly;
  expect_refused(&bad, &window, 1, "simulate all of it");
  bad.simulated = &below;
  expect_refused(&bad, &window, 1, "not within 0 to 10 MW");
  bad = good;
  bad.recorded = negative;
  expect_refused(&bad, &window, 1, "recorded power at tick 1 of GPU 0");
}

/* A window that a model is 30 % off at, in everything. */
static fw_fidelity_window made_window(fw_time_ns length, double score) {
  fw_fidelity_window window = {.window = length, .full = 2000, .blocks = 2000, .effective = 2000.0};
  for (int m = 0; m < FW_FIDELITY_METRICS; m++) {
    window.scores[m] = score;
  }
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    window.recorded_rate[b] = 0.2;
    window.predicted_rate[b] = 0.2 + score;
    window.own.rate_lo[b] = 0.2;
    window.own.rate_hi[b] = 0.2;
  }
  return window;
}

static fw_fidelity_bar judge(const fw_fidelity_window *window, fw_fidelity_metric metric) {
  return fw_fidelity_judge(window, metric, &fw_fidelity_default_limits);
}

Test(fidelity, limits_are_where_they_were_set) {
  const struct {
    fw_fidelity_metric metric;
    fw_time_ns window;
    double limit;
  } bars[] = {{FW_FIDELITY_ENERGY, S / 2, 0.02},         {FW_FIDELITY_P95, S / 2, 0.05},
              {FW_FIDELITY_P95, 30 * S, 0.03},           {FW_FIDELITY_P99, S / 2, 0.05},
              {FW_FIDELITY_P99, 30 * S, 0.03},           {FW_FIDELITY_KS, S / 2, 0.12},
              {FW_FIDELITY_ACF_MAE, S / 2, 0.05},        {FW_FIDELITY_VIOLATION_P80, S / 2, 0.02},
              {FW_FIDELITY_VIOLATION_P99, 300 * S, 0.02}};
  for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++) {
    fw_fidelity_window met = made_window(bars[i].window, bars[i].limit);
    fw_fidelity_window missed = made_window(bars[i].window, bars[i].limit + 1e-6);
    cr_expect_eq(judge(&met, bars[i].metric).verdict, FW_FIDELITY_MET);
    cr_expect_eq(judge(&missed, bars[i].metric).verdict, FW_FIDELITY_MISSED);
    cr_expect_eq(judge(&missed, bars[i].metric).limit, bars[i].limit);
  }
  fw_fidelity_window below = made_window(S / 2, -0.0501);
  cr_expect_eq(judge(&below, FW_FIDELITY_P95).verdict, FW_FIDELITY_MISSED, "an error below counts as one above");
  fw_fidelity_window free = made_window(10 * S, 0.3);
  cr_expect_eq(judge(&free, FW_FIDELITY_KS).verdict, FW_FIDELITY_NOT_BARRED);
  cr_expect_str_eq(judge(&free, FW_FIDELITY_KS).reason, "held to no limit at this window");
}

Test(fidelity, what_a_recording_does_not_know_of_itself_is_not_asked_of_a_model) {
  fw_fidelity_window window = made_window(S / 2, 0.15);
  window.own.halves_ks = 0.4;
  window.own.alternate_ks = 0.11;
  cr_expect_eq(judge(&window, FW_FIDELITY_KS).verdict, FW_FIDELITY_MET); /* 1.5 x 0.11, not 1.5 x 0.4 */
  cr_expect_float_eq(judge(&window, FW_FIDELITY_KS).limit, 0.165, 1e-15);
  window.own.halves_acf_mae = 0.2;
  cr_expect_eq(judge(&window, FW_FIDELITY_ACF_MAE).limit, 0.2);
  window.own.rate_lo[0] = 0.0;
  window.own.rate_hi[0] = 0.3;
  cr_expect_float_eq(judge(&window, FW_FIDELITY_VIOLATION_P80).limit, 0.1, 1e-15); /* too high: the upper side counts */
  window.predicted_rate[0] = 0.05;
  cr_expect_float_eq(judge(&window, FW_FIDELITY_VIOLATION_P80).limit, 0.2, 1e-15); /* too low: the lower one */
}

Test(fidelity, few_blocks_and_few_samples_are_not_barred) {
  fw_fidelity_window window = made_window(30 * S, 0.5);
  window.effective = 999.0;
  cr_expect_eq(judge(&window, FW_FIDELITY_P95).verdict, FW_FIDELITY_MISSED);
  fw_fidelity_bar tail = judge(&window, FW_FIDELITY_P99);
  cr_expect_eq(tail.verdict, FW_FIDELITY_NOT_BARRED);
  cr_expect(isnan(tail.limit));
  cr_expect_str_eq(tail.reason, "the recording holds 999 effective samples, and 1000 are needed for a P99");
  window.blocks = 29;
  fw_fidelity_bar few = judge(&window, FW_FIDELITY_P95);
  cr_expect_eq(few.verdict, FW_FIDELITY_NOT_BARRED);
  cr_expect_str_eq(few.reason, "the recording holds 29 such windows side by side, and 30 are needed");
}

/* Runs whose only window and signal is made up. */
typedef struct made_runs {
  fw_fidelity_window windows[4];
  fw_fidelity_signal signals[4];
  fw_fidelity runs[4];
} made_runs;

static void make_runs(made_runs *made, const double scores[4]) {
  for (size_t r = 0; r < 4; r++) {
    made->windows[r] = made_window(S / 2, scores[r]);
    made->signals[r] = (fw_fidelity_signal){.gpu = SIZE_MAX, .windows = &made->windows[r]};
    made->runs[r] = (fw_fidelity){.signals = &made->signals[r], .signal_count = 1, .window_count = 1};
  }
}

Test(fidelity, summaries_are_over_runs) {
  made_runs made;
  make_runs(&made, (const double[]){0.01, -0.04, 0.02, 0.03});
  made.windows[2].scores[FW_FIDELITY_P95] = (double)NAN;
  fw_fidelity_summary got[FW_FIDELITY_METRICS];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_fidelity_summarize(made.runs, 4, got, &diagnostics), FW_OK);
  cr_expect_float_eq(got[FW_FIDELITY_BIAS].median.mean, 0.015, 1e-15); /* of -0.04, 0.01, 0.02, 0.03 */
  cr_expect_eq(got[FW_FIDELITY_BIAS].worst, -0.04);
  cr_expect_eq(got[FW_FIDELITY_BIAS].worst_run, 1);
  cr_expect_eq(got[FW_FIDELITY_P95].run_count, 3);
  cr_expect_float_eq(got[FW_FIDELITY_P95].median.mean, 0.03, 1e-15); /* magnitudes 0.01, 0.04, 0.03 */
  cr_expect_eq(got[FW_FIDELITY_ACF_R2].worst_run, 1);                /* the smallest */
  /* Of 4 drawn of 4, all are the smallest once in 256 times, so 2.5 % lie above it: the median of four draws reaches
   * from below the second smallest to above the second largest. */
  cr_expect(got[FW_FIDELITY_BIAS].median.lo < 0.01 && got[FW_FIDELITY_BIAS].median.hi > 0.02);
  cr_expect(got[FW_FIDELITY_BIAS].median.lo >= -0.04 && got[FW_FIDELITY_BIAS].median.hi <= 0.03);
}

/* The median of two drawn from 1 and 3 is 1, 2 or 3 with chances of 1/4, 1/2 and 1/4. */
Test(fidelity, an_interval_over_two_runs_by_hand) {
  made_runs made;
  make_runs(&made, (const double[]){1.0, 3.0, 0.0, 0.0});
  fw_fidelity_summary got[FW_FIDELITY_METRICS];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_fidelity_summarize(made.runs, 2, got, &diagnostics), FW_OK);
  cr_expect(got[FW_FIDELITY_KS].median.lo == 1.0 && got[FW_FIDELITY_KS].median.hi == 3.0);
  cr_assert_eq(fw_fidelity_summarize(made.runs, 1, got, &diagnostics), FW_OK);
  cr_expect(got[FW_FIDELITY_KS].median.mean == 1.0 && isnan(got[FW_FIDELITY_KS].median.lo));
}

/* Limit 0.05: ratios 0.2, 1.4, 6 and 0.4. */
Test(fidelity, a_group_meets_a_bar_by_its_median) {
  made_runs made;
  make_runs(&made, (const double[]){0.01, -0.07, 0.30, 0.02});
  fw_fidelity_group all = fw_fidelity_judge_runs(made.runs, 4, 0, FW_FIDELITY_P95, &fw_fidelity_default_limits);
  cr_expect(all.verdict == FW_FIDELITY_MET && all.barred == 4 && all.met == 2 && all.worst_run == 2);
  cr_expect(all.worst_score == 0.30 && all.worst_limit == 0.05);
  cr_expect_float_eq(all.median_ratio, 0.9, 1e-12);
  made.windows[0].blocks = 3;
  fw_fidelity_group fewer = fw_fidelity_judge_runs(made.runs, 4, 0, FW_FIDELITY_P95, &fw_fidelity_default_limits);
  cr_expect(fewer.verdict == FW_FIDELITY_MISSED && fewer.barred == 3 && fewer.met == 1);
  cr_expect_float_eq(fewer.median_ratio, 1.4, 1e-12);
  fw_fidelity_group none = fw_fidelity_judge_runs(made.runs, 1, 0, FW_FIDELITY_P95, &fw_fidelity_default_limits);
  cr_expect(none.verdict == FW_FIDELITY_NOT_BARRED && none.worst_run == SIZE_MAX && isnan(none.median_ratio));
  cr_expect_str_eq(none.reason, "the recording holds 3 such windows side by side, and 30 are needed");
}

/* Equal ratios are as many runs. */
Test(fidelity, a_median_of_equal_runs) {
  made_runs made;
  make_runs(&made, (const double[]){0.05, 0.05, 0.05, 0.30});
  fw_fidelity_group group = fw_fidelity_judge_runs(made.runs, 4, 0, FW_FIDELITY_P95, &fw_fidelity_default_limits);
  cr_expect(group.median_ratio == 1.0 && group.verdict == FW_FIDELITY_MET && group.met == 3);
}

/* The fits recover what synthetic data was made from by independent formulas. Oracles: closed forms, brute force over
 * all pairs, libm, and lengths drawn one by one. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/fit.h"
#include "sim/base/sort.h"

#define TICK_S 0.5

/* --- lines, quantiles, roots --- */

Test(fit, a_line_through_points_on_it_is_exact) {
  const double x[] = {1.0, 2.0, 5.0, 9.0};
  double y[4];
  for (size_t i = 0; i < 4; i++)
    y[i] = 3.0 - 0.25 * x[i];
  const fw_line line = fw_fit_line(x, y, 4);
  cr_assert_float_eq(line.slope, -0.25, 1e-14);
  cr_assert_float_eq(line.intercept, 3.0, 1e-14);
  cr_assert_float_eq(line.rms, 0.0, 1e-14);
}

/* The normal equations of y = a + b x, solved by Cramer's rule. */
Test(fit, a_line_through_scattered_points_solves_the_normal_equations) {
  const double x[] = {0.0, 1.0, 2.0, 4.0, 7.0};
  const double y[] = {1.0, 0.5, 3.0, 2.0, 6.0};
  double s1 = 0.0, sx = 0.0, sxx = 0.0, sy = 0.0, sxy = 0.0;
  for (size_t i = 0; i < 5; i++) {
    s1 += 1.0;
    sx += x[i];
    sxx += x[i] * x[i];
    sy += y[i];
    sxy += x[i] * y[i];
  }
  const double determinant = s1 * sxx - sx * sx;
  const fw_line line = fw_fit_line(x, y, 5);
  cr_assert_float_eq(line.slope, (s1 * sxy - sx * sy) / determinant, 1e-13);
  cr_assert_float_eq(line.intercept, (sxx * sy - sx * sxy) / determinant, 1e-13);
  cr_assert_gt(line.rms, 0.1);
}

Test(fit, a_line_without_spread_in_x_is_flat) {
  const double x[] = {2.0, 2.0};
  const double y[] = {1.0, 3.0};
  const fw_line line = fw_fit_line(x, y, 2);
  cr_assert_eq(line.slope, 0.0);
  cr_assert_eq(line.intercept, 2.0);
  cr_assert_eq(line.rms, 1.0);
}

Test(fit, quantiles_lie_at_i_over_n_plus_one) {
  double values[] = {30.0, 10.0, 40.0, 20.0};
  fw_sort_numbers(values, 4);
  for (size_t i = 0; i < 4; i++)
    cr_expect_float_eq(fw_fit_quantile(values, 4, (double)(i + 1) / 5.0), 10.0 * (double)(i + 1), 1e-12);
  cr_expect_float_eq(fw_fit_quantile(values, 4, 0.5), 25.0, 1e-12);
  cr_expect_eq(fw_fit_quantile(values, 4, 0.01), 10.0);
  cr_expect_eq(fw_fit_quantile(values, 4, 0.99), 40.0);
  cr_expect_eq(fw_fit_quantile(values, 1, 0.5), 10.0, "one value is every quantile");
}

static double cubic(double x, const void *context) {
  return x * x * x - *(const double *)context;
}

Test(fit, a_root_is_found_to_its_last_digits) {
  const double of = 5.0;
  double root = 0.0;
  cr_assert_eq(fw_fit_root(cubic, &of, 0.0, 10.0, "x", &root, NULL), FW_OK);
  cr_assert_float_eq(root, cbrt(5.0), 1e-12);
}

Test(fit, a_root_outside_the_bracket_is_an_error_that_names_the_unknown) {
  const double of = 5.0;
  double root = 0.0;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_fit_root(cubic, &of, 2.0, 10.0, "the side", &root, &diagnostics), FW_ERROR_FAULT);
  cr_assert_eq(diagnostics.count, 1);
  cr_assert(strstr(diagnostics.entries[0].message, "the side") != NULL, "%s", diagnostics.entries[0].message);
  fw_diagnostics_clear(&diagnostics);
}

/* --- static arms --- */

static const fw_batch_facts facts = {
    .gpus = 4.0,
    .completion_tokens = 300.0,
    .prompt_tokens = 100.0,
    .prefill_per_token_s = 5e-4,
    .batch_gap_s = 0.8,
    .prefill_w = 150.0,
    .gap_w = 80.0,
};
static const fw_static_fit truth = {0.030, 0.0015, 100.0, 12.0};

/* An arm as the study would report it, from first principles. */
static fw_static_arm arm_of(double c) {
  const double read_s = c * 100.0 * 5e-4;
  const double write_s = 300.0 * (0.030 + 0.0015 * c);
  const double energy_j = 4.0 * (150.0 * read_s + (100.0 + 12.0 * log2(c)) * write_s + 80.0 * 0.8);
  const double tokens = 300.0 * c;
  return (fw_static_arm){c, tokens / (read_s + write_s + 0.8), energy_j / 3600.0 / (tokens / 1000.0)};
}

Test(fit, two_static_arms_give_back_time_and_level) {
  const fw_static_arm first = arm_of(8.0);
  const fw_static_arm second = arm_of(3.0);
  fw_static_fit fit;
  cr_assert_eq(fw_fit_static_arms(&facts, &first, &second, &fit, NULL), FW_OK);
  cr_assert_float_eq(fit.token_base_s, truth.token_base_s, 1e-12);
  cr_assert_float_eq(fit.token_per_sequence_s, truth.token_per_sequence_s, 1e-13);
  cr_assert_float_eq(fit.p1_w, truth.p1_w, 1e-9);
  cr_assert_float_eq(fit.k_w, truth.k_w, 1e-9);
}

Test(fit, arms_that_no_positive_numbers_explain_are_refused) {
  fw_static_arm first = arm_of(8.0);
  const fw_static_arm second = arm_of(3.0);
  first.tokens_per_s *= 10.0; /* more sequences would make each token faster */
  fw_static_fit fit;
  cr_assert_eq(fw_fit_static_arms(&facts, &first, &second, &fit, NULL), FW_ERROR_INPUT);
}

Test(fit, a_cycle_has_the_arms_tokens_and_energy) {
  const fw_static_arm arm = arm_of(5.0);
  const fw_cycle cycle = fw_static_cycle(&facts, &truth, 5.0, 1.0);
  const double tokens_per_s = cycle.tokens / fw_cycle_duration_s(&cycle);
  cr_assert_float_eq(tokens_per_s, arm.tokens_per_s, 1e-9);
  cr_assert_float_eq(fw_cycle_mean_w(&cycle) / tokens_per_s / 3.6, arm.wh_per_1k, 1e-9);
  double concurrency = 0.0;
  cr_assert_eq(fw_fit_concurrency(&facts, &truth, fw_cycle_mean_w(&cycle), 8.0, &concurrency, NULL), FW_OK);
  cr_assert_float_eq(concurrency, 5.0, 1e-9);
}

/* --- violation rates --- */

static double normal_tail(double distance) {
  return 0.5 * erfc(distance / sqrt(2.0));
}

Test(fit, without_gaps_the_rate_is_the_closed_form_of_an_ar1) {
  const fw_cycle flat = {
      .duration_s = {0.0, 10.0, 0.0}, .level_w = {0.0, 500.0, 0.0}, .sigma_w = {0.0, 40.0, 0.0}, .tokens = 1.0};
  const size_t ticks[] = {1, 2, 20, 60, 600};
  for (size_t i = 0; i < 5; i++) {
    const fw_window window = {TICK_S, ticks[i], 0.8};
    const double sigma_w = 40.0 * sqrt(fw_ar1_mean_variance(0.8, ticks[i]));
    cr_expect_float_eq(fw_cycle_violation(&flat, &window, 512.0), normal_tail(12.0 / sigma_w), 1e-12, "%zu ticks",
                       ticks[i]);
  }
}

/* Level, and sigma at a tick, by cutting the tick into a thousand pieces. */
static void brute_tick(const fw_cycle *cycle, double start_s, double *level_w, double *sigma_w) {
  enum { PIECES = 1000 };
  const double period_s = cycle->duration_s[0] + cycle->duration_s[1] + cycle->duration_s[2];
  *level_w = 0.0;
  *sigma_w = 0.0;
  for (int i = 0; i < PIECES; i++) {
    double t = fmod(start_s + TICK_S * (i + 0.5) / PIECES, period_s);
    size_t stretch = 0;
    while (stretch < 2 && t >= cycle->duration_s[stretch])
      t -= cycle->duration_s[stretch++];
    *level_w += cycle->level_w[stretch] / PIECES;
    *sigma_w += cycle->sigma_w[stretch] / PIECES;
  }
}

/* One window by the double sum over all pairs of its ticks. */
static double brute_window(const fw_cycle *cycle, double start_s, size_t ticks, double lag1, double budget_w) {
  double level_w[16];
  double sigma_w[16];
  double mean_w = 0.0;
  double variance = 0.0;
  for (size_t i = 0; i < ticks; i++) {
    brute_tick(cycle, start_s + TICK_S * (double)i, &level_w[i], &sigma_w[i]);
    mean_w += level_w[i] / (double)ticks;
  }
  for (size_t i = 0; i < ticks; i++) {
    for (size_t j = 0; j < ticks; j++)
      variance += sigma_w[i] * sigma_w[j] * pow(lag1, fabs((double)i - (double)j));
  }
  return normal_tail((budget_w - mean_w) / (sqrt(variance) / (double)ticks));
}

Test(fit, with_gaps_the_rate_is_that_of_brute_force) {
  enum { STARTS = 400 };
  const fw_cycle cycle = {
      .duration_s = {0.7, 3.6, 1.1}, .level_w = {600.0, 520.0, 340.0}, .sigma_w = {30.0, 40.0, 0.0}, .tokens = 1.0};
  const size_t ticks[] = {4, 12};
  for (size_t i = 0; i < 2; i++) {
    const fw_window window = {TICK_S, ticks[i], 0.7};
    double sum = 0.0;
    for (int start = 0; start < STARTS; start++)
      sum += brute_window(&cycle, 5.4 * (start + 0.5) / STARTS, ticks[i], 0.7, 515.0);
    /* Both average over a few hundred starts; halving either number moves the result by less than this. */
    cr_expect_float_eq(fw_cycle_violation(&cycle, &window, 515.0), sum / STARTS, 5e-4, "%zu ticks", ticks[i]);
  }
}

Test(fit, three_rates_give_back_budget_sigma_and_memory) {
  const fw_rate_fit made = {.budget_w = 556.0, .sigma_w = 35.0, .memory_s = 3.0};
  const double concurrency[] = {8.0, 4.0, 6.3};
  const size_t ticks[] = {60, 60, 1};
  fw_rate_figure figure[3];
  for (size_t i = 0; i < 3; i++) {
    const fw_window window = {TICK_S, ticks[i], exp(-TICK_S / made.memory_s)};
    const fw_cycle cycle = fw_static_cycle(&facts, &truth, concurrency[i], made.sigma_w);
    figure[i].unit_cycle = fw_static_cycle(&facts, &truth, concurrency[i], 1.0);
    figure[i].ticks = ticks[i];
    figure[i].rate = fw_cycle_violation(&cycle, &window, made.budget_w);
    cr_assert(figure[i].rate > 1e-7 && figure[i].rate < 0.9, "the example must be one that tells: %g", figure[i].rate);
  }
  fw_rate_fit fit;
  cr_assert_eq(fw_fit_rates(figure, TICK_S, &fit, NULL), FW_OK);
  /* Ten digits: the roots are nested, each found to thirteen. */
  cr_assert_float_eq(fit.budget_w, made.budget_w, 1e-7);
  cr_assert_float_eq(fit.sigma_w, made.sigma_w, 1e-7);
  cr_assert_float_eq(fit.memory_s, made.memory_s, 1e-7);
}

Test(fit, rates_that_no_memory_explains_are_an_error) {
  fw_rate_figure figure[3] = {
      {fw_static_cycle(&facts, &truth, 8.0, 1.0), 60, 0.2},
      {fw_static_cycle(&facts, &truth, 4.0, 1.0), 60, 0.001},
      {fw_static_cycle(&facts, &truth, 6.0, 1.0), 1, 0.9}, /* more often above than below: no sigma does that */
  };
  fw_rate_fit fit;
  cr_assert_eq(fw_fit_rates(figure, TICK_S, &fit, NULL), FW_ERROR_FAULT);
}

/* --- drawn lengths --- */

static const fw_workload drawn = {
    .prompts = 1,
    .group_size = 6,
    .concurrency = 6,
    .completion_limit = 120,
    .completion_mean = 60.0,
    .completion_cv = 0.6,
    .prompt_tokens = 10,
};

/* A batch drawn length by length: passes with b running lie between the order statistics of the lengths. */
static void count_passes(uint64_t prompt, double *passes) {
  for (uint32_t sample = 0; sample < 6; sample++) {
    for (int64_t token = 1; token <= fw_workload_completion(&drawn, 11, 0, prompt, sample, 120); token++) {
      size_t running = 0;
      for (uint32_t other = 0; other < 6; other++)
        running += fw_workload_completion(&drawn, 11, 0, prompt, other, 120) >= token ? 1 : 0;
      passes[running - 1] += 1.0 / (double)running; /* each running sequence sees the pass once */
    }
  }
}

Test(fit, expected_passes_are_the_means_of_drawn_batches) {
  enum { BATCHES = 3000 };
  double drawn_passes[6] = {0.0};
  for (uint64_t prompt = 0; prompt < BATCHES; prompt++)
    count_passes(prompt, drawn_passes);
  double passes[6];
  cr_assert_eq(fw_expected_passes(&drawn, 6, passes, NULL), FW_OK);
  for (size_t b = 0; b < 6; b++) {
    /* A count in one batch has a standard deviation below 25 tokens: 4 of the mean's are 1.8. */
    cr_expect_float_eq(passes[b], drawn_passes[b] / BATCHES, 1.8, "%zu running: %g, drawn %g", b + 1, passes[b],
                       drawn_passes[b] / BATCHES);
  }
}

Test(fit, passes_hold_every_token_once) {
  double passes[6];
  double tokens = 0.0;
  cr_assert_eq(fw_expected_passes(&drawn, 6, passes, NULL), FW_OK);
  for (size_t b = 0; b < 6; b++)
    tokens += (double)(b + 1) * passes[b];
  cr_assert_float_eq(tokens, 6.0 * fw_completion_mean(&drawn), 1e-9);
}

Test(fit, equal_lengths_run_together_to_the_end) {
  fw_workload equal = drawn;
  equal.completion_cv = 0.0;
  double passes[3];
  cr_assert_eq(fw_expected_passes(&equal, 3, passes, NULL), FW_OK);
  cr_assert_eq(passes[0], 0.0);
  cr_assert_eq(passes[1], 0.0);
  cr_assert_eq(passes[2], 60.0);
}

Test(fit, the_mean_before_the_cut_gives_the_mean_after_it) {
  double before_cut = 0.0;
  cr_assert_eq(fw_fit_completion_mean(&drawn, 70.0, &before_cut, NULL), FW_OK);
  cr_assert_gt(before_cut, 70.0, "a cut only takes away");
  fw_workload cut = drawn;
  cut.completion_mean = before_cut;
  double sum = 0.0;
  double square = 0.0;
  enum { DRAWS = 20000 };
  for (uint64_t prompt = 0; prompt < DRAWS; prompt++) {
    const double length = (double)fw_workload_completion(&cut, 5, 1, prompt, 0, 120);
    sum += length;
    square += length * length;
  }
  const double mean = sum / DRAWS;
  const double error = sqrt((square / DRAWS - mean * mean) / DRAWS);
  cr_assert_float_eq(mean, 70.0, 4.0 * error, "%g against 70, standard error %g", mean, error);
}

/* --- laws --- */

/* The quantiles of a sample spread evenly over a normal law are that law's. */
static fw_law normal_law(double sigma_w, size_t count) {
  double *values = calloc(count, sizeof *values);
  cr_assert_not_null(values);
  double low = -1.0;
  for (size_t i = 0; i < count; i++) {
    const double p = ((double)i + 0.5) / (double)count;
    double left = -8.0;
    double right = 8.0;
    for (int step = 0; step < 60; step++) { /* bisection on libm's erfc, not on the code under test */
      low = 0.5 * (left + right);
      if (normal_tail(-low) < p) {
        left = low;
      } else {
        right = low;
      }
    }
    values[i] = sigma_w * low;
  }
  const fw_law law = fw_fit_law(values, count);
  free(values);
  return law;
}

Test(fit, a_normal_sample_gives_a_normal_law) {
  const fw_law law = normal_law(20.0, 4000);
  cr_assert_float_eq(fw_law_sigma_w(&law), 20.0, 0.01, "%g", fw_law_sigma_w(&law));
  /* Quantiles at i / (n + 1) lie a little inside those at (i - 1/2) / n, and the scale makes up for it: 0.3 %. */
  for (double z = -2.5; z <= 2.5; z += 0.5)
    cr_expect_float_eq(fw_law_at(&law, z), 20.0 * z, 0.003 * 20.0 * fabs(z) + 0.05, "at %g: %g", z, fw_law_at(&law, z));
  for (double threshold_w = -30.0; threshold_w <= 30.0; threshold_w += 15.0) {
    /* The law is a line to within 0.1 W, which moves a share by at most 0.1 / 20 x 0.4. */
    cr_expect_float_eq(fw_law_exceedance(&law, 0.0, threshold_w), normal_tail(threshold_w / 20.0), 0.004);
    cr_expect_float_eq(fw_law_exceedance(&law, 15.0, threshold_w), normal_tail(threshold_w / 25.0), 0.002,
                       "errors add in squares");
  }
}

Test(fit, a_law_keeps_the_mean_and_sigma_of_a_skewed_sample) {
  double values[500];
  double sum = 0.0;
  double square = 0.0;
  for (size_t i = 0; i < 500; i++) {
    values[i] = -30.0 * log(1.0 - ((double)i + 0.5) / 500.0) + 7.0;
    sum += values[i] / 500.0;
    square += values[i] * values[i] / 500.0;
  }
  const fw_law law = fw_fit_law(values, 500);
  cr_assert_float_eq(fw_law_sigma_w(&law), sqrt(square - sum * sum), 1e-4);
  double mean = 0.0;
  for (double z = -6.0; z <= 6.0; z += 0.001)
    mean += 0.001 * fw_law_at(&law, z) * exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0));
  cr_assert_float_eq(mean, 0.0, 1e-3, "centred: %g", mean);
  cr_assert_gt(fw_law_at(&law, 2.0), -fw_law_at(&law, -2.0), "skewed to the right, as the sample");
}

Test(fit, a_line_keeps_a_lag_and_a_bend_costs_some_of_it) {
  const fw_law line = normal_law(20.0, 4000);
  cr_assert_float_eq(fw_fit_copula_lag1(&line, 0.5), 0.5, 1e-3);
  cr_assert_float_eq(fw_fit_copula_lag1(&line, -0.4), -0.4, 1e-3);
  cr_assert_float_eq(fw_fit_copula_lag1(&line, 1.0), 0.99, 1e-12, "kept inside");
  /* Two values, at p = 1/2: the sign of z. Its correlation is 2/pi asin(rho) (Sheppard 1899), so -0.25 needs
   * -sin(pi/8). The law's ramp around z = 0 makes it a little less sharp than a sign. */
  fw_law sign = {{0}};
  for (size_t i = 0; i < FW_LAW_POINTS; i++)
    sign.value_w[i] = fw_law_probabilities[i] < 0.5 ? -1.0 : (fw_law_probabilities[i] > 0.5 ? 1.0 : 0.0);
  const double rho = fw_fit_copula_lag1(&sign, -0.25);
  cr_assert(rho < -0.30 && rho > -sin(acos(-1.0) / 8.0), "%g", rho);
}

/* --- recordings --- */

enum { GPUS = 4, TICKS = 40000 };

/* Synthetic recording: sum of sigma 40 with lag 0.6, contrasts of sigma 30 before their mean is taken off with lag
 * -0.3, a level of 130 W, one GPU lasting 5 W above the rest. */
static void make_recording(double *power_w, size_t *segment) {
  fw_ar1 total = fw_ar1_start(fw_stream_make(3, FW_DRAW_TEST, 0), 0.6, 0);
  fw_ar1 own[GPUS];
  for (uint32_t g = 0; g < GPUS; g++)
    own[g] = fw_ar1_start(fw_stream_make(3, FW_DRAW_TEST, g + 1), -0.3, 0);
  for (size_t i = 0; i < TICKS; i++) {
    double z;
    double contrast[GPUS];
    double mean = 0.0;
    fw_ar1_next(&total, 1, &z);
    for (size_t g = 0; g < GPUS; g++) {
      fw_ar1_next(&own[g], 1, &contrast[g]);
      mean += contrast[g] / GPUS;
    }
    for (size_t g = 0; g < GPUS; g++)
      power_w[i * GPUS + g] = 130.0 + 40.0 * z / GPUS + 30.0 * (contrast[g] - mean) + (g == 2 ? 5.0 : 0.0);
    segment[i] = 0;
  }
}

static double power_of[TICKS * GPUS];
static size_t segment_of[TICKS];

Test(fit, a_recording_gives_back_its_residual) {
  make_recording(power_of, segment_of);
  const fw_recording recording = {GPUS, TICKS, power_of, segment_of, NULL};
  fw_residual_fit fit;
  cr_assert_eq(fw_fit_residual(&recording, &fit, NULL), FW_OK);
  /* Standard errors over 40,000 ticks: 1 % of a sigma with lag 0.6, 0.005 of a lag; four of each. */
  const double own_w = 30.0 * sqrt(0.75);
  cr_expect_float_eq(fit.total_sigma_w, 40.0, 1.2, "%g", fit.total_sigma_w);
  cr_expect_float_eq(fit.contrast_sigma_w, own_w, 0.5, "%g", fit.contrast_sigma_w);
  cr_expect_float_eq(fw_law_sigma_w(&fit.contrast), 30.0, 0.6, "%g", fw_law_sigma_w(&fit.contrast));
  cr_expect_float_eq(fit.total_lag1, 0.6, 0.02, "%g", fit.total_lag1);
  cr_expect_float_eq(fit.contrast_lag1, -0.3, 0.02, "%g", fit.contrast_lag1);
  const double shared = 100.0;
  const double own = own_w * own_w;
  cr_expect_float_eq(fit.correlation, (shared - own / 3.0) / (shared + own), 0.02, "%g", fit.correlation);
  cr_expect_float_eq(fit.gpu_lag1, (0.6 * shared - 0.3 * own) / (shared + own), 0.02, "%g", fit.gpu_lag1);
}

/* The mean over pairs, from the definition. */
Test(fit, the_correlation_is_the_mean_over_pairs) {
  make_recording(power_of, segment_of);
  const fw_recording recording = {GPUS, TICKS, power_of, segment_of, NULL};
  fw_residual_fit fit;
  cr_assert_eq(fw_fit_residual(&recording, &fit, NULL), FW_OK);
  double sum = 0.0;
  for (size_t a = 0; a < GPUS; a++) {
    for (size_t b = a + 1; b < GPUS; b++) {
      double ma = 0.0, mb = 0.0, saa = 0.0, sbb = 0.0, sab = 0.0;
      for (size_t i = 0; i < TICKS; i++) {
        ma += power_of[i * GPUS + a] / TICKS;
        mb += power_of[i * GPUS + b] / TICKS;
      }
      for (size_t i = 0; i < TICKS; i++) {
        const double da = power_of[i * GPUS + a] - ma;
        const double db = power_of[i * GPUS + b] - mb;
        saa += da * da;
        sbb += db * db;
        sab += da * db;
      }
      sum += sab / sqrt(saa * sbb) / 6.0;
    }
  }
  /* Exact for equal variances; those of four GPUs differ by a few per cent here. */
  cr_assert_float_eq(fit.correlation, sum, 2e-3, "%g against %g", fit.correlation, sum);
}

Test(fit, neighbours_in_different_segments_are_none) {
  /* Segments of two ticks, +1 then -1 around their mean: lag -1 inside, and +1 from one to the next. */
  double power_w[40];
  size_t segment[40];
  for (size_t i = 0; i < 40; i++) {
    const bool rising = (i / 2) % 2 == 0;
    power_w[i] = 100.0 + 50.0 * (double)(i / 2) + ((i % 2 == 0) == rising ? 1.0 : -1.0);
    segment[i] = i / 2;
  }
  const fw_recording recording = {1, 40, power_w, segment, NULL};
  fw_residual_fit fit;
  cr_assert_eq(fw_fit_residual(&recording, &fit, NULL), FW_OK);
  cr_expect_float_eq(fit.total_watt_lag1, -1.0, 1e-12);
  cr_expect_float_eq(fit.total_sigma_w, 1.0, 1e-12, "each segment has its own level");
  cr_expect_eq(fit.contrast_sigma_w, 0.0, "one GPU has no contrasts");
  cr_expect_eq(fit.correlation, 1.0);
}

Test(fit, one_tick_is_too_few) {
  const double power_w[] = {100.0};
  const size_t segment[] = {0};
  const fw_recording recording = {1, 1, power_w, segment, NULL};
  fw_residual_fit fit;
  cr_assert_eq(fw_fit_residual(&recording, &fit, NULL), FW_ERROR_INPUT);
}

/* Simulated from the fitted model, the recording's statistics come back. */
Test(fit, the_fitted_model_simulates_what_was_fitted) {
  make_recording(power_of, segment_of);
  const fw_recording recording = {GPUS, TICKS, power_of, segment_of, NULL};
  fw_residual_fit fit;
  fw_residual_model model;
  cr_assert_eq(fw_fit_residual(&recording, &fit, NULL), FW_OK);
  cr_assert_eq(fw_fit_residual_model(&fit, FW_PHASE_ROLLOUT, &model, NULL), FW_OK);
  fw_marginal_table total;
  fw_marginal_table contrast;
  fw_marginal_prepare(&model.phase[FW_PHASE_ROLLOUT].total, &total);
  fw_marginal_prepare(&model.phase[FW_PHASE_ROLLOUT].contrast, &contrast);
  cr_assert_null(model.phase[FW_PHASE_UPDATE].total.value, "only the phase that was asked for");
  double z[5][1000];
  double square = 0.0;
  double product = 0.0;
  for (uint32_t i = 0; i < 5; i++) {
    const double lag1 = i == 0 ? fw_residual_total_lag1(&model, TICK_S) : fw_residual_contrast_lag1(&model, TICK_S);
    fw_ar1 process = fw_ar1_start(fw_stream_make(8, FW_DRAW_TEST, i), lag1, 0);
    fw_ar1_next(&process, 1000, z[i]);
  }
  for (size_t i = 0; i < 1000; i++) {
    double watts[GPUS];
    double mean = 0.0;
    for (size_t g = 0; g < GPUS; g++)
      mean += fw_marginal_mw(&contrast, z[g + 1][i]) / 1000.0 / GPUS;
    for (size_t g = 0; g < GPUS; g++)
      watts[g] =
          fw_marginal_mw(&total, z[0][i]) / 1000.0 / GPUS + fw_marginal_mw(&contrast, z[g + 1][i]) / 1000.0 - mean;
    for (size_t g = 0; g < GPUS; g++) {
      square += watts[g] * watts[g];
      product += watts[g] * watts[(g + 1) % GPUS];
    }
  }
  /* 4,000 pairs, neighbours in a ring: a standard error near 0.02. */
  cr_expect_float_eq(product / square, fit.correlation, 0.08, "%g against %g", product / square, fit.correlation);
  cr_expect_float_eq(sqrt(square / 4000.0), sqrt(100.0 + 675.0), 1.5, "%g", sqrt(square / 4000.0));
  fw_record_clear(&fw_residual_record, &model);
}

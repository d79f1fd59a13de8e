/* Estimates against the formulas of any textbook with GSL's quantiles, and the metrics of a made-up result. */
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "sim/study/estimate.h"
#include "sim/study/metric.h"

/* Two correct evaluations differ by a few roundings of numbers near 10; quantiles agree to 1e-10. */
#define TOLERANCE 1e-9

static const double sample[] = {3.25, 1.5, 4.75, 2.0, 5.5, 3.0, 2.25, 4.0};
static const double other[] = {2.5, 1.75, 4.0, 1.0, 5.25, 2.0, 2.5, 3.25};

Test(estimate, means_have_students_interval) {
  for (size_t n = 2; n <= 8; n++) {
    const fw_estimate got = fw_estimate_mean(sample, n);
    const double mean = gsl_stats_mean(sample, 1, n);
    const double half = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) * gsl_stats_sd(sample, 1, n) / sqrt((double)n);
    cr_expect_float_eq(got.mean, mean, TOLERANCE);
    cr_expect_float_eq(got.lo, mean - half, TOLERANCE, "n = %zu: %g, wanted %g", n, got.lo, mean - half);
    cr_expect_float_eq(got.hi, mean + half, TOLERANCE);
  }
}

/* 1, 2, 3: mean 2, standard deviation 1, t(2) = 4.30265 (any table). */
Test(estimate, a_mean_by_hand) {
  const fw_estimate got = fw_estimate_mean((const double[]){1, 2, 3}, 3);
  cr_expect_eq(got.mean, 2.0);
  cr_expect_float_eq(got.hi - got.mean, 4.302652730 / sqrt(3.0), 1e-8); /* the table's digits */
}

Test(estimate, few_or_missing_values_give_no_interval) {
  const fw_estimate none = fw_estimate_mean(NULL, 0);
  cr_expect(isnan(none.mean) && isnan(none.lo) && isnan(none.hi));
  const fw_estimate one = fw_estimate_mean(sample, 1);
  cr_expect(one.mean == 3.25 && isnan(one.lo) && isnan(one.hi));
  const fw_estimate missing = fw_estimate_mean((const double[]){1.0, (double)NAN, 2.0}, 3);
  cr_expect(isnan(missing.mean) && isnan(missing.lo) && isnan(missing.hi));
  const fw_estimate rate = fw_estimate_rate((const double[]){0.0, (double)NAN}, 2);
  cr_expect(isnan(rate.mean) && isnan(rate.lo) && isnan(rate.hi));
}

/* None of n runs saw an event: a chance of p leaves that a probability of (1 - p)^n, which is 5 % at the bound. */
Test(estimate, rates_of_nothing_and_of_everything_are_bounded_on_one_side) {
  static const double zeros[30] = {0};
  double ones[30];
  for (size_t i = 0; i < 30; i++)
    ones[i] = 1.0;
  for (size_t n = 1; n <= 30; n++) {
    const fw_estimate none = fw_estimate_rate(zeros, n);
    cr_expect(none.mean == 0.0 && none.lo == 0.0);
    cr_expect_float_eq(pow(1.0 - none.hi, (double)n), 0.05, TOLERANCE);
    const fw_estimate all = fw_estimate_rate(ones, n);
    cr_expect(all.mean == 1.0 && all.hi == 1.0);
    cr_expect_float_eq(all.lo, 1.0 - none.hi, TOLERANCE);
  }
}

Test(estimate, rates_stay_between_0_and_1) {
  const fw_estimate low = fw_estimate_rate((const double[]){0.0, 0.0, 0.3}, 3);
  cr_expect(low.lo == 0.0 && low.hi > 0.3);
  const fw_estimate high = fw_estimate_rate((const double[]){1.0, 1.0, 0.7}, 3);
  cr_expect(high.hi == 1.0 && high.lo < 0.7);
  const fw_estimate inside = fw_estimate_rate((const double[]){0.4, 0.5, 0.45}, 3);
  const fw_estimate mean = fw_estimate_mean((const double[]){0.4, 0.5, 0.45}, 3);
  cr_expect(inside.lo == mean.lo && inside.hi == mean.hi);
}

Test(estimate, paired_differences_are_those_of_the_pairs) {
  double differences[8];
  for (size_t i = 0; i < 8; i++)
    differences[i] = sample[i] - other[i];
  for (size_t n = 2; n <= 8; n++) {
    const fw_paired_estimate got = fw_estimate_paired(sample, other, n);
    const fw_estimate wanted = fw_estimate_mean(differences, n);
    cr_expect_float_eq(got.difference.mean, wanted.mean, TOLERANCE);
    cr_expect_float_eq(got.difference.lo, wanted.lo, TOLERANCE);
    cr_expect_float_eq(got.difference.hi, wanted.hi, TOLERANCE);
    cr_expect_float_eq(got.correlation, gsl_stats_correlation(sample, 1, other, 1, n), TOLERANCE);
  }
}

/* The same shift in every pair: nothing is left of the spread, and no rounding may make it negative. */
Test(estimate, pairs_that_move_together_leave_no_width) {
  double shifted[8];
  for (size_t i = 0; i < 8; i++)
    shifted[i] = sample[i] + 1e6 / 3.0;
  const fw_paired_estimate got = fw_estimate_paired(shifted, sample, 8);
  cr_expect_float_eq(got.correlation, 1.0, TOLERANCE);
  cr_expect(got.difference.lo <= got.difference.mean && got.difference.mean <= got.difference.hi);
  /* Sums of squares near 1e1 about means near 3e5 keep 1e-10 of them. */
  cr_expect_float_eq(got.difference.hi - got.difference.lo, 0.0, 1e-3);
  const fw_paired_estimate still = fw_estimate_paired((const double[]){2, 2, 2}, sample, 3);
  cr_expect(isnan(still.correlation) && isfinite(still.difference.lo));
  const fw_paired_estimate none = fw_estimate_paired(sample, other, 0);
  cr_expect(isnan(none.difference.mean) && isnan(none.correlation));
}

/* ---- Metrics ---- */

static fw_result made_up(void) {
  fw_result result = {.energy = (fw_energy_pj)7200000 * FW_PJ_PER_J, /* 2 kWh */
                      .measured = 3600 * FW_NS_PER_S,
                      .tokens = 5000,
                      .cost = 0.25,
                      .carbon_kg = 0.5,
                      .window_count = 2};
  result.windows[0] = (fw_window_result){
      .violation_rate = 0.125, .episodes = 3, .longest_episode_s = 4, .excess_ws = 5, .peak_w = 2500, .p99_w = 2400};
  result.windows[1] = (fw_window_result){.violation_rate = (double)NAN, .peak_w = 2100, .p99_w = 2000};
  result.sensed[0].violation_rate = 0.25;
  result.sensed[1].violation_rate = (double)NAN;
  return result;
}

Test(estimate, metrics_of_a_run) {
  const fw_result result = made_up();
  double values[FW_METRIC_SLOTS];
  fw_metric_extract(&result, values);
  static const struct {
    fw_metric metric;
    size_t window;
    double value;
  } wanted[] = {
      {FW_METRIC_TOKENS, 0, 5000},
      {FW_METRIC_ENERGY_WH, 0, 2000},
      {FW_METRIC_TOKENS_PER_MWH, 0, 2.5e6},
      {FW_METRIC_WH_PER_1K_TOKENS, 0, 400},
      {FW_METRIC_COST, 0, 0.25},
      {FW_METRIC_CARBON_KG, 0, 0.5},
      {FW_METRIC_MEAN_W, 0, 2000},
      {FW_METRIC_PEAK_W, 0, 2500},
      {FW_METRIC_PEAK_W, 1, 2100},
      {FW_METRIC_P99_W, 1, 2000},
      {FW_METRIC_VIOLATION_RATE, 0, 0.125},
      {FW_METRIC_VIOLATION_RATE_SENSED, 0, 0.25},
      {FW_METRIC_EPISODES, 0, 3},
      {FW_METRIC_LONGEST_EPISODE_S, 0, 4},
      {FW_METRIC_EXCESS_WS, 0, 5},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    cr_expect_float_eq(values[fw_metric_slot(wanted[i].metric, wanted[i].window)], wanted[i].value,
                       1e-9 * wanted[i].value, "%s", fw_metric_table[wanted[i].metric].name);
  }
  /* A window that was not judged has no figures about judgement, and what is not windowed stands once. */
  static const fw_metric judged[] = {FW_METRIC_VIOLATION_RATE, FW_METRIC_EPISODES, FW_METRIC_LONGEST_EPISODE_S,
                                     FW_METRIC_EXCESS_WS};
  for (size_t i = 0; i < 4; i++)
    cr_expect(isnan(values[fw_metric_slot(judged[i], 1)]));
  cr_expect(isnan(values[fw_metric_slot(FW_METRIC_TOKENS, 1)]));
  cr_expect(isnan(values[fw_metric_slot(FW_METRIC_PEAK_W, 2)]));
}

Test(estimate, runs_without_tokens_have_no_efficiency) {
  fw_result result = made_up();
  result.tokens = 0;
  double values[FW_METRIC_SLOTS];
  fw_metric_extract(&result, values);
  cr_expect_eq(values[fw_metric_slot(FW_METRIC_TOKENS, 0)], 0.0);
  cr_expect(isnan(values[fw_metric_slot(FW_METRIC_TOKENS_PER_MWH, 0)]));
  cr_expect(isnan(values[fw_metric_slot(FW_METRIC_WH_PER_1K_TOKENS, 0)]));
}

/* Sequential evidence against closed forms, a second computation of the Bayes factor by numerical integration, and the
 * chance of error over many simulated sequences that are looked at after every run. */
#include <criterion/criterion.h>
#include <math.h>

#include "sim/base/random.h"
#include "sim/study/plan/sequential.h"

enum { MOST = 400 };

static fw_sequence shares(const double *values, size_t count) {
  return (fw_sequence){.kind = FW_SEQUENCE_SHARE, .values = values, .count = count};
}

/* Without an event the wealth is (1 - limit)^-n / 2 at least, and the other stakes add at most as much again: the
 * verdict comes between these two numbers of runs. */
Test(sequential, clean_runs_give_the_one_sided_bound) {
  static const double values[4000];
  static const double limits[] = {0.2, 0.05, 0.01};
  for (size_t i = 0; i < 3; i++) {
    const double alpha = 0.05;
    const double least = log(4.0 / alpha) / -log1p(-limits[i]);
    const double most = log(2.0 * 4.0 / alpha) / -log1p(-limits[i]);
    size_t n = 1;
    fw_sequence sequence = shares(values, n);
    while (fw_sequence_judge(&sequence, limits[i], alpha) == FW_VERDICT_OPEN) {
      sequence.count = ++n;
      cr_assert_lt(n, 4000);
    }
    cr_expect(fw_sequence_judge(&sequence, limits[i], alpha) == FW_VERDICT_BELOW);
    cr_expect((double)n >= least && (double)n <= most + 1.0, "limit %g: %zu runs, between %g and %g", limits[i], n,
              least, most);
    const fw_estimate interval = fw_sequence_interval(&sequence, alpha);
    cr_expect_eq(interval.lo, 0.0);
    cr_expect_leq(interval.hi, limits[i]);
    cr_expect_eq(fw_sequence_clean_runs(&sequence, limits[i], alpha), ceil(most));
  }
}

/* Counts: rate x exposure > log(2 x 4 / alpha) at most. */
Test(sequential, clean_counts_give_the_poisson_bound) {
  static const double values[100];
  const fw_sequence sequence = {.kind = FW_SEQUENCE_COUNT, .exposure = 2.0, .values = values, .count = 100};
  const fw_estimate interval = fw_sequence_interval(&sequence, 0.05);
  cr_expect_leq(interval.hi, log(2.0 * 4.0 / 0.05) / 200.0 * (1.0 + 1e-9)); /* halving */
  cr_expect_geq(interval.hi, log(4.0 / 0.05) / 200.0);
}

/* The Bayes factor at the end of the interval, by integrating the noncentral t density over the normal prior, itself
 * written as an integral over the deviation: the ratio of
 *   int int N(x; delta s, s) N(delta; 0, 1) d delta / s d s   and   int N(x; 0, s) / s d s
 * on a grid in log s and delta. */
static double factor_by_integration(const double *x, size_t n) {
  double with = 0.0;
  double without = 0.0;
  double sum = 0.0;
  double squares = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += x[i];
    squares += x[i] * x[i];
  }
  for (double log_s = -6.0; log_s < 6.0; log_s += 0.005) {
    const double s = exp(log_s);
    without += exp(-(double)n * log_s - squares / (2.0 * s * s));
    for (double delta = -8.0; delta < 8.0; delta += 0.02) {
      const double off = squares - 2.0 * delta * s * sum + (double)n * delta * delta * s * s;
      with += 0.02 / sqrt(8.0 * atan(1.0)) * exp(-0.5 * delta * delta - (double)n * log_s - off / (2.0 * s * s));
    }
  }
  return with / without;
}

Test(sequential, the_normal_interval_ends_where_the_bayes_factor_says) {
  const fw_stream stream = fw_stream_make(7, FW_DRAW_TEST, 0);
  double values[12];
  double shifted[12];
  for (size_t i = 0; i < 12; i++) {
    values[i] = 3.0 + 0.5 * fw_random_normal(stream, i);
  }
  const fw_sequence sequence = {.kind = FW_SEQUENCE_PLAIN, .values = values, .count = 12};
  const fw_estimate interval = fw_sequence_interval(&sequence, 0.05);
  for (size_t i = 0; i < 12; i++) {
    shifted[i] = values[i] - interval.hi;
  }
  /* Steps of the grids: errors below 1e-6; the factor there is 20. */
  cr_expect_float_eq(factor_by_integration(shifted, 12) * 0.05, 1.0, 1e-4);
}

/* The share of `trials` sequences in which a wrong verdict ever came, looked at after every run. */
static double error_rate(fw_sequence_kind kind, double (*draw)(fw_stream, uint64_t), double limit, double alpha,
                         size_t trials, size_t runs, double exposure, fw_verdict wrong) {
  size_t errors = 0;
  double values[MOST];
  for (size_t trial = 0; trial < trials; trial++) {
    const fw_stream stream = fw_stream_make(trial, FW_DRAW_TEST, 1);
    fw_sequence sequence = {.kind = kind, .exposure = exposure, .values = values};
    bool over = false;
    for (size_t i = 0; i < runs && !over; i++) {
      values[i] = draw(stream, i);
      sequence.count = i + 1;
      over = fw_sequence_judge(&sequence, limit, alpha) == wrong;
    }
    errors += over;
  }
  return (double)errors / (double)trials;
}

static double normal_draw(fw_stream stream, uint64_t i) {
  return 10.0 + fw_random_normal(stream, i);
}

/* Mean 0.02, nearly all of it from one run in fifty. */
static double rare_draw(fw_stream stream, uint64_t i) {
  return fw_random_uniform(stream, i, 0) < 0.02 ? 1.0 : 0.0;
}

/* Skewed: the fourth power of a uniform number, mean 1/5. */
static double skewed_draw(fw_stream stream, uint64_t i) {
  return pow(fw_random_uniform(stream, i, 0), 4.0);
}

/* Poisson of mean 0.3, by inversion. */
static double poisson_draw(fw_stream stream, uint64_t i) {
  const double u = fw_random_uniform(stream, i, 0);
  double total = exp(-0.3);
  double term = total;
  double k = 0.0;
  while (u > total) {
    k += 1.0;
    term *= 0.3 / k;
    total += term;
  }
  return k;
}

/* At the true mean itself both verdicts are wrong. Ville's bound holds for every number of runs, so the share of errors
 * among 1,000 sequences is below alpha but for chance: 0.1 + 3 sqrt(0.1 x 0.9 / 1000) = 0.128. */
Test(sequential, errors_stay_below_alpha_however_often_one_looks) {
  const double alpha = 0.1;
  const double most = alpha + 3.0 * sqrt(alpha * (1.0 - alpha) / 1000.0);
  const struct {
    fw_sequence_kind kind;
    double (*draw)(fw_stream, uint64_t);
    double mean;
  } laws[] = {{FW_SEQUENCE_PLAIN, normal_draw, 10.0},
              {FW_SEQUENCE_SHARE, rare_draw, 0.02},
              {FW_SEQUENCE_SHARE, skewed_draw, 0.2},
              {FW_SEQUENCE_COUNT, poisson_draw, 0.3}};
  for (size_t i = 0; i < 4; i++) {
    const double below = error_rate(laws[i].kind, laws[i].draw, laws[i].mean, alpha, 1000, 100, 1.0, FW_VERDICT_BELOW);
    const double above = error_rate(laws[i].kind, laws[i].draw, laws[i].mean, alpha, 1000, 100, 1.0, FW_VERDICT_ABOVE);
    cr_expect_leq(below + above, most, "law %zu: %g below, %g above", i, below, above);
  }
}

/* And where the limit is far enough off they come: no evidence would keep every error away. */
Test(sequential, what_is_clear_is_decided_within_a_few_runs) {
  double values[20];
  for (size_t i = 0; i < 20; i++) {
    values[i] = 0.005 + 0.001 * fw_random_normal(fw_stream_make(3, FW_DRAW_TEST, 2), i);
  }
  const fw_sequence sequence = shares(values, 10);
  cr_expect(fw_sequence_judge(&sequence, 0.01, 0.05) == FW_VERDICT_BELOW);
  cr_expect(fw_sequence_judge(&sequence, 0.002, 0.05) == FW_VERDICT_ABOVE);
  cr_expect(fw_sequence_judge(&sequence, 0.005, 0.05) == FW_VERDICT_OPEN);
}

/* A verdict is the interval on one side of the limit. */
Test(sequential, verdicts_and_intervals_agree) {
  double values[60];
  const fw_sequence_kind kinds[] = {FW_SEQUENCE_SHARE, FW_SEQUENCE_COUNT, FW_SEQUENCE_PLAIN};
  for (uint64_t trial = 0; trial < 300; trial++) {
    const fw_stream stream = fw_stream_make(trial, FW_DRAW_TEST, 3);
    const double share = fw_random_uniform(stream, 1000, 0);
    fw_sequence sequence = {.kind = kinds[trial % 3], .exposure = 1.0, .values = values};
    sequence.count = 1 + (size_t)fw_random_below(stream, 1001, 60);
    for (size_t i = 0; i < sequence.count; i++) {
      const double u = fw_random_uniform(stream, i, 0);
      values[i] = u < share ? 0.0 : (sequence.kind == FW_SEQUENCE_COUNT ? floor(5.0 * u) : u * u);
    }
    const double limit = fw_random_uniform(stream, 1002, 0);
    const fw_estimate interval = fw_sequence_interval(&sequence, 0.05);
    const fw_verdict verdict = fw_sequence_judge(&sequence, limit, 0.05);
    const fw_verdict expected =
        interval.hi < limit ? FW_VERDICT_BELOW : (interval.lo > limit ? FW_VERDICT_ABOVE : FW_VERDICT_OPEN);
    cr_expect_eq(verdict, expected, "trial %d: [%g, %g], limit %g, verdict %d", (int)trial, interval.lo, interval.hi,
                 limit, (int)verdict);
  }
}

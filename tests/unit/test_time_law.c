/* Laws of times against the distribution functions of GSL (Kolmogorov and Smirnov) and against their moments. */
#include "models/time_law.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define DRAWS 20000
#define MEAN_S 7.0

static const fw_stream luck = {.seed = 5, .entity = 3, .purpose = FW_DRAW_TEST};

static fw_time_law law_of(fw_time_law_kind kind, double cv) {
  return (fw_time_law){.kind = kind, .mean = (fw_time_ns)MEAN_S * FW_NS_PER_S, .cv = cv};
}

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

/* In units of the mean, rising. Caller frees. */
static double *draws_of(const fw_time_law *law) {
  double *times = malloc(DRAWS * sizeof *times);
  cr_assert_not_null(times);
  for (uint64_t i = 0; i < DRAWS; i++)
    times[i] = fw_time_to_seconds(fw_time_law_draw(law, luck, i, 0, NULL)) / MEAN_S;
  qsort(times, DRAWS, sizeof *times, compare);
  return times;
}

/* Distribution functions of laws of mean 1. */
static double exponential(double x, double cv) {
  (void)cv;
  return gsl_cdf_exponential_P(x, 1.0);
}

static double gamma_law(double x, double cv) {
  return gsl_cdf_gamma_P(x, 1.0 / (cv * cv), cv * cv);
}

static double lognormal(double x, double cv) {
  const double square = log(1.0 + cv * cv);
  return gsl_cdf_lognormal_P(x, -0.5 * square, sqrt(square));
}

static double normal(double x, double cv) {
  return gsl_cdf_gaussian_P(x - 1.0, cv);
}

static double hyperexponential(double x, double cv) {
  const double share = 0.5 * (1.0 + sqrt((cv * cv - 1.0) / (cv * cv + 1.0)));
  return share * gsl_cdf_exponential_P(x, 0.5 / share) + (1.0 - share) * gsl_cdf_exponential_P(x, 0.5 / (1.0 - share));
}

/* The largest distance between the two distribution functions, where the law is not cut. Above 1.95 / sqrt(n) in one
 * case of a thousand; the draws are always the same, so it is met or it is not. */
static void expect_law(fw_time_law_kind kind, double cv, double (*cdf)(double x, double cv)) {
  const fw_time_law law = law_of(kind, cv);
  double *times = draws_of(&law);
  double distance = 0.0;
  for (size_t i = 0; i < DRAWS; i++) {
    if (times[i] <= 0.0) continue;
    const double p = cdf(times[i], cv);
    distance = fmax(distance, fmax(fabs(p - (double)i / DRAWS), fabs(p - (double)(i + 1) / DRAWS)));
  }
  cr_expect_lt(distance, 1.95 / sqrt(DRAWS), "law %d, cv %g: %g", (int)kind, cv, distance);
  free(times);
}

Test(time_law, draws_are_of_their_laws) {
  expect_law(FW_TIME_EXPONENTIAL, 1.0, exponential);
  for (int i = 1; i <= 30; i++) {
    const double cv = 0.1 * i;
    expect_law(FW_TIME_GAMMA, cv, gamma_law);
    expect_law(FW_TIME_LOGNORMAL, cv, lognormal);
    expect_law(FW_TIME_NORMAL, cv, normal);
    if (cv >= 1.0) expect_law(FW_TIME_HYPEREXPONENTIAL, cv, hyperexponential);
  }
}

/* The hyperexponential has the mean and the coefficient that it is given. Four standard errors; that of the second
 * moment follows from the fourth, m4 = 24 (p / r^4 + q / s^4) with rates r = 2 p and s = 2 q. */
Test(time_law, the_hyperexponential_has_its_moments) {
  const double cv = 2.0;
  const fw_time_law law = law_of(FW_TIME_HYPEREXPONENTIAL, cv);
  double *times = draws_of(&law);
  double mean = 0.0;
  double square = 0.0;
  for (size_t i = 0; i < DRAWS; i++) {
    mean += times[i] / DRAWS;
    square += times[i] * times[i] / DRAWS;
  }
  const double p = 0.5 * (1.0 + sqrt((cv * cv - 1.0) / (cv * cv + 1.0)));
  const double fourth = 24.0 / 16.0 * (pow(p, -3.0) + pow(1.0 - p, -3.0));
  const double second = 1.0 + cv * cv;
  cr_expect_float_eq(mean, 1.0, 4.0 * cv / sqrt(DRAWS));
  cr_expect_float_eq(square, second, 4.0 * sqrt((fourth - second * second) / DRAWS));
  free(times);
}

Test(time_law, a_constant_is_one_and_draws_below_zero_are_cut_and_said) {
  const fw_time_law constant = law_of(FW_TIME_CONSTANT, 0.0);
  const fw_time_law wide = law_of(FW_TIME_NORMAL, 1.0);
  size_t cut = 0;
  for (uint64_t i = 0; i < 1000; i++) {
    bool below = true;
    cr_expect_eq(fw_time_law_draw(&constant, luck, i, 0, &below), 7 * FW_NS_PER_S);
    cr_expect_not(below);
    const fw_time_ns time = fw_time_law_draw(&wide, luck, i, 0, &below);
    cr_expect(time >= 0 && (!below || time == 0));
    cut += below;
  }
  /* 158.7 in the mean, 11.6 its deviation. */
  cr_expect(cut > 112 && cut < 206, "%zu", cut);
}

Test(time_law, a_draw_depends_on_its_number_alone) {
  const fw_time_law law = law_of(FW_TIME_GAMMA, 0.5);
  const fw_time_ns tenth = fw_time_law_draw(&law, luck, 10, 0, NULL);
  (void)fw_time_law_draw(&law, luck, 11, 0, NULL);
  cr_expect_eq(fw_time_law_draw(&law, luck, 10, 0, NULL), tenth);
  cr_expect_neq(fw_time_law_draw(&law, luck, 11, 0, NULL), tenth);
}

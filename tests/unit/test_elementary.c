/* The elementary functions and the two distributions, against libm in extended precision, GSL and closed forms.
 * Tolerances are the errors that sim/base/elementary.h states. */
#include <criterion/criterion.h>
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/elementary.h"

#define PI 3.14159265358979323846L

/* splitmix64 (Steele, Lea, Flood 2014), so that the tests draw the same inputs everywhere. */
static uint64_t draw(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* Uniform on [low, high). */
static double draw_between(uint64_t *state, double low, double high) {
  return low + (high - low) * ((double)(draw(state) >> 11) * 0x1p-53);
}

static double relative_error(double got, long double expected) {
  if (isnan(got)) return INFINITY; /* a NaN must not pass for a small error */
  if (got == (double)expected) return 0;
  return (double)fabsl((got - expected) / expected);
}

static double absolute_error(double got, long double expected) {
  return isnan(got) ? INFINITY : (double)fabsl(got - expected);
}

typedef double (*function)(double);
typedef long double (*oracle)(long double);

static void compare(function tested, oracle expected, double (*error)(double, long double), double low, double high,
                    double tolerance) {
  uint64_t state = 1;
  for (int i = 0; i < 100000; i++) {
    double x = draw_between(&state, low, high);
    double e = error(tested(x), expected(x));
    cr_assert_lt(e, tolerance, "error %.3g at %.17g (%a)", e, x, x);
  }
}

/* The same over exponents: x = 2^u. */
static void compare_wide(function tested, oracle expected, double low, double high, double tolerance) {
  uint64_t state = 2;
  for (int i = 0; i < 100000; i++) {
    double x = exp2(draw_between(&state, low, high));
    double e = relative_error(tested(x), expected(x));
    cr_assert_lt(e, tolerance, "error %.3g at %.17g (%a)", e, x, x);
  }
}

static void assert_nan(double x) {
  cr_assert(isnan(x), "got %g instead of NaN", x);
}

Test(elementary, exp_is_close) {
  compare(fw_exp, expl, relative_error, -708, 709.78, 2e-15);
  compare(fw_exp, expl, relative_error, -1, 1, 2e-15);
  compare(fw_exp, expl, relative_error, -1e-9, 1e-9, 2e-15);
}

Test(elementary, exp_ends_as_ieee_asks) {
  cr_assert_eq(fw_exp(0), 1);
  cr_assert_eq(fw_exp(-0.0), 1);
  cr_assert_eq(fw_exp(INFINITY), INFINITY);
  cr_assert_eq(fw_exp(-INFINITY), 0);
  cr_assert_eq(fw_exp(709.79), INFINITY);
  cr_assert_lt(fw_exp(709.78), INFINITY);
  cr_assert_eq(fw_exp(1e308), INFINITY);
  cr_assert_eq(fw_exp(-745.14), 0);
  cr_assert_eq(fw_exp(-1e308), 0);
  assert_nan(fw_exp(NAN));
  /* Denormal results: right to one unit of the smallest double, with one rounding. */
  uint64_t state = 3;
  for (int i = 0; i < 20000; i++) {
    double x = draw_between(&state, -745.1, -708);
    cr_assert_leq(absolute_error(fw_exp(x), expl(x)), 0x1p-1074 + 2e-15 * (double)expl(x), "at %a", x);
  }
}

Test(elementary, log_is_close) {
  compare_wide(fw_log, logl, -1074, 1024, 2e-15);
  compare(fw_log, logl, relative_error, 0.5, 2, 2e-15);
  compare(fw_log, logl, relative_error, 1 - 1e-6, 1 + 1e-6, 2e-15);
}

Test(elementary, log_ends_as_ieee_asks) {
  function logs[] = {fw_log, fw_log2};
  for (size_t i = 0; i < 2; i++) {
    cr_assert_eq(logs[i](0), -INFINITY);
    cr_assert_eq(logs[i](-0.0), -INFINITY);
    cr_assert_eq(logs[i](1), 0);
    cr_assert_eq(logs[i](INFINITY), INFINITY);
    assert_nan(logs[i](-1));
    assert_nan(logs[i](-INFINITY));
    assert_nan(logs[i](NAN));
  }
  cr_assert_lt(relative_error(fw_log(0x1p-1074), -1074 * logl(2)), 2e-15);
  cr_assert_lt(relative_error(fw_log(DBL_MAX), logl(DBL_MAX)), 2e-15);
}

Test(elementary, log2_is_close_and_exact_at_powers) {
  compare_wide(fw_log2, log2l, -1074, 1024, 2e-15);
  compare(fw_log2, log2l, relative_error, 0.5, 2, 2e-15);
  for (int n = -1074; n < 1024; n++)
    cr_assert_eq(fw_log2(ldexp(1, n)), n);
}

Test(elementary, pow_is_close) {
  uint64_t state = 4;
  for (int i = 0; i < 200000; i++) {
    double x = exp2(draw_between(&state, -100, 100));
    double y = draw_between(&state, -100, 100) / fabs(log(x));
    double e = relative_error(fw_pow(x, y), powl(x, y));
    cr_assert_lt(e, 1e-13, "error %.3g at %a ^ %a", e, x, y);
  }
}

Test(elementary, pow_ends_as_in_c) {
  static const double values[] = {0, 0x1p-1074, 0.5, 1, 2, DBL_MAX, INFINITY};
  static const double exponents[] = {-INFINITY, -1e300, -1, -0.0, 0, 1, 1e300, INFINITY};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    for (size_t j = 0; j < sizeof exponents / sizeof exponents[0]; j++) {
      double got = fw_pow(values[i], exponents[j]), expected = pow(values[i], exponents[j]);
      bool same = got == expected || relative_error(got, expected) < 1e-12; /* |y log x| is up to 745 here */
      cr_assert(same, "%g ^ %g gave %g, not %g", values[i], exponents[j], got, expected);
    }
  cr_assert_eq(fw_pow(NAN, 0), 1);
  cr_assert_eq(fw_pow(1, NAN), 1);
  assert_nan(fw_pow(NAN, 1));
  assert_nan(fw_pow(-2, 0.5));
}

Test(elementary, tanh_is_close_and_odd) {
  compare(fw_tanh, tanhl, relative_error, -0.3, 0.3, 2e-15);
  compare(fw_tanh, tanhl, relative_error, -25, 25, 2e-15);
  compare_wide(fw_tanh, tanhl, -1070, 4, 2e-15);
  uint64_t state = 5;
  for (int i = 0; i < 10000; i++) {
    double x = draw_between(&state, 0, 30);
    cr_assert_eq(fw_tanh(-x), -fw_tanh(x));
    cr_assert_leq(fw_tanh(x), 1);
  }
  cr_assert_eq(fw_tanh(INFINITY), 1);
  cr_assert_eq(fw_tanh(-1e308), -1);
  cr_assert(signbit(fw_tanh(-0.0)) && fw_tanh(-0.0) == 0);
  assert_nan(fw_tanh(NAN));
}

Test(elementary, lgamma_is_close) {
  compare(fw_lgamma, lgammal, relative_error, 1e-3, 0.95, 1e-12);
  compare(fw_lgamma, lgammal, absolute_error, 0.9, 2.1, 1e-14); /* around its zeros */
  compare(fw_lgamma, lgammal, relative_error, 2.05, 40, 1e-12);
  compare_wide(fw_lgamma, lgammal, 5, 1000, 1e-14);
  compare_wide(fw_lgamma, lgammal, -1070, -1, 1e-14);
}

Test(elementary, lgamma_is_the_logarithm_of_factorials) {
  long double factorial = 1;
  for (int n = 1; n < 170; factorial *= n++) {
    double e = absolute_error(fw_lgamma(n), logl(factorial));
    cr_assert_lt(e, 1e-14 + 1e-14 * (double)logl(factorial), "error %.3g at %d", e, n);
  }
  cr_assert_lt(relative_error(fw_lgamma(0.5), logl(PI) / 2), 1e-12);
}

Test(elementary, lgamma_ends) {
  cr_assert_eq(fw_lgamma(0), INFINITY);
  cr_assert_eq(fw_lgamma(INFINITY), INFINITY);
  cr_assert_eq(fw_lgamma(1e308), INFINITY);
  assert_nan(fw_lgamma(NAN));
  assert_nan(fw_lgamma(-0.5));
}

static long double exact_cdf(long double z) {
  return erfcl(-z / sqrtl(2)) / 2;
}

Test(elementary, normal_cdf_is_close_in_both_tails) {
  compare(fw_normal_cdf, exact_cdf, relative_error, -37.5, -5, 2e-15);
  compare(fw_normal_cdf, exact_cdf, relative_error, -6, 0, 2e-15);
  compare(fw_normal_cdf, exact_cdf, relative_error, 0, 10, 1e-15);
  compare(fw_normal_cdf, exact_cdf, relative_error, -0.67, 0.67, 1e-15);
  cr_assert_eq(fw_normal_cdf(0), 0.5);
  cr_assert_eq(fw_normal_cdf(-INFINITY), 0);
  cr_assert_eq(fw_normal_cdf(INFINITY), 1);
  cr_assert_eq(fw_normal_cdf(-1e200), 0);
  assert_nan(fw_normal_cdf(NAN));
}

Test(elementary, normal_quantile_agrees_with_gsl) {
  uint64_t state = 6;
  for (int i = 0; i < 200000; i++) {
    double p = i % 2 ? draw_between(&state, 0x1p-60, 1) : exp2(draw_between(&state, -1000, -1));
    double e = relative_error(fw_normal_quantile(p), gsl_cdf_ugaussian_Pinv(p));
    cr_assert_lt(e, 1e-14, "error %.3g at %a", e, p);
  }
}

/* GSL uses the same published coefficients, so this second oracle is the distribution function itself: an error
 * of dz moves log Phi by dz phi / Phi. */
Test(elementary, normal_quantile_inverts_the_exact_cdf) {
  uint64_t state = 7;
  for (int i = 0; i < 100000; i++) {
    double p = i % 2 ? draw_between(&state, 0x1p-60, 0.5) : exp2(draw_between(&state, -996, -1)); /* to 1e-300 */
    double z = fw_normal_quantile(p);
    long double density = expl(-(long double)z * z / 2) / sqrtl(2 * PI);
    double e = (double)fabsl((exact_cdf(z) - p) / density);
    cr_assert_lt(e, 1e-14 * (1e-2 + fabs(z)), "error %.3g at %a", e, p);
    if (p > 0x1p-30) { /* 1 - p is exact on a grid */
      double q = nearbyint(p * 0x1p53) * 0x1p-53;
      cr_assert_eq(fw_normal_quantile(1 - q), -fw_normal_quantile(q));
    }
  }
}

Test(elementary, normal_quantile_ends) {
  cr_assert_eq(fw_normal_quantile(0.5), 0);
  cr_assert_eq(fw_normal_quantile(0), -INFINITY);
  cr_assert_eq(fw_normal_quantile(1), INFINITY);
  assert_nan(fw_normal_quantile(-0.1));
  assert_nan(fw_normal_quantile(1.1));
  assert_nan(fw_normal_quantile(NAN));
  cr_assert(isfinite(fw_normal_quantile(0x1p-1074)));
}

/* Closed forms: degrees 1 (Cauchy), 2 and 4 (W. T. Shaw, "Sampling Student's t distribution", J. Comp.
 * Finance 9, 2006). `tail` is the smaller of p and 1 - p. */
static long double exact_student(double tail, int degrees) {
  long double alpha = 4 * (long double)tail * (1 - (long double)tail), root = sqrtl(alpha);
  if (degrees == 1) return 1 / tanl(PI * tail);
  if (degrees == 2) return (1 - 2 * (long double)tail) / sqrtl(alpha / 2);
  return 2 * sqrtl(cosl(acosl(root) / 3) / root - 1);
}

Test(elementary, student_quantile_has_its_closed_forms) {
  static const int degrees[] = {1, 2, 4};
  uint64_t state = 8;
  for (int i = 0; i < 30000; i++) {
    int v = degrees[i % 3];
    double tail = i % 2 ? draw_between(&state, 1e-9, 0.49) : exp2(draw_between(&state, -996, -1.1)); /* to 1e-300 */
    double t = fw_student_quantile(tail, v);
    double e = relative_error(-t, exact_student(tail, v));
    cr_assert_lt(e, 1e-10, "error %.3g at p = %a with %d degrees", e, tail, v);
    double exact_tail = nearbyint(tail * 0x1p53) * 0x1p-53;
    cr_assert_eq(fw_student_quantile(1 - exact_tail, v), -fw_student_quantile(exact_tail, v));
  }
}

/* Upper 0.975 points as printed in tables (Fisher and Yates), to three decimals. */
Test(elementary, student_quantile_has_its_table) {
  static const double table[][2] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {5, 2.571},  {10, 2.228},
                                    {20, 2.086}, {29, 2.045}, {60, 2.000}, {120, 1.980}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    cr_assert_float_eq(fw_student_quantile(0.975, table[i][0]), table[i][1], 5e-4);
}

Test(elementary, student_quantile_inverts_the_cdf_of_gsl) {
  /* The tolerance is GSL's: its incomplete beta function takes differences of log Gammas of v / 2, whose
   * rounding alone is about 1e-16 v log v. */
  static const double degrees[] = {1, 1.5, 2.7, 3, 7, 19, 64, 300, 5000};
  uint64_t state = 9;
  for (size_t k = 0; k < sizeof degrees / sizeof degrees[0]; k++)
    for (int i = 0; i < 1000; i++) {
      double v = degrees[k], p = i % 2 ? draw_between(&state, 1e-6, 0.499) : exp(draw_between(&state, -30, -1));
      double t = fw_student_quantile(p, v);
      double log_density = lgamma((v + 1) / 2) - lgamma(v / 2) - 0.5 * log((double)PI * v);
      double density = exp(log_density - (v + 1) / 2 * log1p(t * t / v));
      double e = fabs(gsl_cdf_tdist_P(t, v) - p) / density;
      cr_assert_lt(e, 1e-10 * fabs(t), "error %.3g at p = %a with %g degrees", e, p, v);
    }
}

/* Close to the median t = (p - 1/2) / density(0) up to a cubic term. */
Test(elementary, student_quantile_is_linear_at_the_median) {
  for (double v = 1; v < 2e6; v *= 3.7) {
    double offset = 0x1p-30;
    double density = exp(lgamma((v + 1) / 2) - lgamma(v / 2)) / sqrt((double)PI * v);
    double tolerance = 1e-10 + 1e-15 * v * log(v); /* of the oracle's log Gammas */
    cr_assert_lt(relative_error(fw_student_quantile(0.5 + offset, v), offset / density), tolerance, "%g degrees", v);
    cr_assert_eq(fw_student_quantile(0.5, v), 0);
  }
}

Test(elementary, student_quantile_tends_to_the_normal_without_a_seam) {
  uint64_t state = 10;
  for (int i = 0; i < 2000; i++) {
    double p = exp(draw_between(&state, -600, -0.7));
    double below = fw_student_quantile(p, 1e6), above = fw_student_quantile(p, 1e6 + 1e-3);
    cr_assert_lt(relative_error(below, above), 1e-10, "at %a", p);
    double z = fw_normal_quantile(p);
    /* t - z is (z^3 + z) / 4v to first order. */
    double e = relative_error(fw_student_quantile(p, 1e12), z + (z * z * z + z) / 4e12);
    cr_assert_lt(e, 1e-14, "at %a", p);
    cr_assert_eq(fw_student_quantile(p, INFINITY), z);
  }
}

Test(elementary, student_quantile_ends) {
  cr_assert_eq(fw_student_quantile(0, 5), -INFINITY);
  cr_assert_eq(fw_student_quantile(1, 5), INFINITY);
  assert_nan(fw_student_quantile(-1, 5));
  assert_nan(fw_student_quantile(NAN, 5));
  assert_nan(fw_student_quantile(0.5, 0.5));
  assert_nan(fw_student_quantile(0.3, NAN));
}

static uint64_t hash_bits(uint64_t hash, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (hash ^ bits) * UINT64_C(0x100000001b3); /* FNV-1a, by words */
}

/* One constant for gcc and clang, debug and release, with and without FMA. A change of a formula changes it and
 * with it every stored result: renew it only on purpose. */
Test(elementary, every_build_gives_the_same_bits) {
  uint64_t state = 11, hash = UINT64_C(0xcbf29ce484222325);
  for (int i = 0; i < 20000; i++) {
    double x = draw_between(&state, -50, 50), size = fabs(x);
    double p = draw_between(&state, 0x1p-53, 1);
    hash = hash_bits(hash, fw_exp(x));
    hash = hash_bits(hash, fw_log(size));
    hash = hash_bits(hash, fw_log2(size));
    hash = hash_bits(hash, fw_pow(size, 2 * p - 1));
    hash = hash_bits(hash, fw_tanh(x / 10));
    hash = hash_bits(hash, fw_lgamma(size));
    hash = hash_bits(hash, fw_normal_cdf(x / 2));
    hash = hash_bits(hash, fw_normal_quantile(p));
    if (i % 20 == 0) hash = hash_bits(hash, fw_student_quantile(p, 1 + size));
  }
  cr_assert_eq(hash, UINT64_C(0x59dc21e6703ff7e9), "the hash is 0x%llx", (unsigned long long)hash);
}

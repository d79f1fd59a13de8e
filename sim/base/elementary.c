/* exp, log, pow, tanh and log Gamma from classical series on reduced arguments.
 *
 * exp: Cody and Waite, "Software Manual for the Elementary Functions" (1980): x = n ln 2 + r with ln 2 in two
 * parts, then the Bernoulli series of r coth(r/2). log: x = 2^k m with m in [sqrt(1/2), sqrt(2)), then the
 * series of artanh. log Gamma: Stirling's series after a shift of the argument. Every coefficient is a
 * rational number with a name; the formulas are in Abramowitz and Stegun, "Handbook of Mathematical
 * Functions" (1964), quoted as A&S. */
#include "sim/base/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/polynomial.h"

/* ln 2 = LN2_HIGH + LN2_LOW; the high part ends in 21 zero bits, so n LN2_HIGH is exact for |n| < 2^21. */
static const double LN2_HIGH = 0x1.62e42feep-1;
static const double LN2_LOW = 0x1.a39ef35793c76p-33;
static const double INVERSE_LN2 = 0x1.71547652b82fep+0;
static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

enum { EXPONENT_BIAS = 1023, MANTISSA_BITS = 52 };
#define ONE_BITS UINT64_C(0x3ff0000000000000)
#define SQRT_HALF_BITS UINT64_C(0x3fe6a09e667f3bcd)

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* 2^n for a normal result. */
static double power_of_two(int n) {
  return from_bits((uint64_t)(n + EXPONENT_BIAS) << MANTISSA_BITS);
}

/* r coth(r/2) = sum over k of 2 B_2k r^2k / (2k)! (A&S 4.5.67 with z = r/2). For |r| <= ln(2)/2 the first
 * term left out is below 1e-17. */
static double r_coth_half(double r) {
  static const double series[] = {
      -1382.0 / 1307674368000.0, 10.0 / 239500800.0, -2.0 / 1209600.0, 2.0 / 30240.0, -2.0 / 720.0, 2.0 / 12.0, 2.0};
  return FWI_POLYNOMIAL(series, r * r);
}

double fw_exp(double x) {
  if (isnan(x)) return x;
  if (x > 710.0) return INFINITY; /* beyond these ends the exponent would leave the range of `int` scaling */
  if (x < -746.0) return 0.0;
  int n = (int)(x * INVERSE_LN2 + (x < 0 ? -0.5 : 0.5));
  double r = (x - n * LN2_HIGH) - n * LN2_LOW;
  double y = 1.0 + 2.0 * r / (r_coth_half(r) - r); /* since e^r = (r coth(r/2) + r) / (r coth(r/2) - r) */
  int half = n / 2; /* in two steps: 2^n itself may not be a normal number, and only the second can round */
  return y * power_of_two(half) * power_of_two(n - half);
}

/* Splits a positive finite x into 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); f is exact. */
static double split(double x, int *exponent) {
  int extra = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    extra = -54;
  }
  uint64_t bits = bits_of(x);
  int k = (int)((bits + (ONE_BITS - SQRT_HALF_BITS)) >> MANTISSA_BITS) - EXPONENT_BIAS;
  *exponent = k + extra;
  return from_bits(bits - ((uint64_t)k << MANTISSA_BITS)) - 1.0;
}

/* f - log(1 + f), for the f of `split`. With s = f / (2 + f), log(1 + f) = 2 artanh(s) = 2 s + s R (A&S 4.1.28)
 * and 2 s = f - s f, so the rounding errors of s only touch the small difference. The first term left out
 * is below 1e-17. */
static double log_deficit(double f) {
  static const double series[] = {2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                                  2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3,  0.0};
  double s = f / (2.0 + f);
  return s * (f - FWI_POLYNOMIAL(series, s * s));
}

static bool log_is_special(double x, double *value) {
  if (x > 0 && x < INFINITY) return false;
  *value = x == 0 ? -INFINITY : x > 0 || isnan(x) ? x : NAN;
  return true;
}

double fw_log(double x) {
  double special;
  if (log_is_special(x, &special)) return special;
  int k;
  double f = split(x, &k);
  return k * LN2_HIGH + (f - (log_deficit(f) - k * LN2_LOW));
}

double fw_log2(double x) {
  double special;
  if (log_is_special(x, &special)) return special;
  int k;
  double f = split(x, &k);
  return k + (f - log_deficit(f)) * INVERSE_LN2;
}

double fw_pow(double x, double y) {
  if (y == 0 || x == 1) return 1.0; /* as C's pow, even for infinity and NaN */
  return fw_exp(y * fw_log(x));
}

double fw_tanh(double x) {
  double doubled = 2.0 * fabs(x);
  double value;
  if (doubled < 0.34) {
    value = doubled / r_coth_half(doubled);
  } else if (doubled < 40.0) {
    double e = fw_exp(doubled);
    value = (e - 1.0) / (e + 1.0);
  } else {
    value = isnan(x) ? x : 1.0; /* 1 - tanh(20) is below half an ulp */
  }
  return copysign(value, x);
}

/* Stirling's series (A&S 6.1.41), for x >= 10, where its first term left out is below 1e-17. */
static double stirling(double x) {
  static const double series[] = {7.0 / 1092, -691.0 / 360360, 5.0 / 5940, -1.0 / 1680,
                                  1.0 / 1260, -1.0 / 360,      1.0 / 12};
  double reciprocal = 1.0 / x;
  double correction = reciprocal * FWI_POLYNOMIAL(series, reciprocal * reciprocal);
  return (x - 0.5) * (fw_log(x) - 1.0) + (HALF_LOG_TWO_PI - 0.5 + correction);
}

double fw_lgamma(double x) {
  if (isnan(x) || x == INFINITY) return x;
  if (x < 0) return NAN;
  double product = 1.0;
  while (x < 10.0) {
    product *= x;
    x += 1.0;
  }
  return product == 1.0 ? stirling(x) : stirling(x) - fw_log(product);
}

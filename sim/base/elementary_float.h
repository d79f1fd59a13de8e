/* tanh and exp in single precision for loops over many numbers: straight-line code without tables or branches, which
 * compilers turn into SIMD code. Each step is one IEEE rounding or an operation on bits, so the results are the same on
 * every compiler and processor, one number at a time or eight. What needs all digits takes elementary.h. */
#ifndef FW_BASE_ELEMENTARY_FLOAT_H
#define FW_BASE_ELEMENTARY_FLOAT_H

#include <stdint.h>
#include <string.h>

#define FWI_FLOAT_SIGN UINT32_C(0x80000000)
#define FWI_FLOAT_INFINITY UINT32_C(0x7f800000)

static inline uint32_t fwi_float_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float fwi_float_from(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* x, or `most` with the sign of x where |x| is larger; a NaN stays one. On bits, because comparisons of floats keep
 * compilers from using SIMD. */
static inline float fwi_float_cut(float x, float most) {
  uint32_t bits = fwi_float_bits(x);
  uint32_t sign = bits & FWI_FLOAT_SIGN, size = bits & ~FWI_FLOAT_SIGN, limit = fwi_float_bits(most);
  uint32_t least = size < limit ? size : limit;
  return fwi_float_from((size > FWI_FLOAT_INFINITY ? size : least) | sign);
}

/* tanh(x): a rational function of degree 9 over 8 up to |x| = 9, beyond which the nearest float is 1. The coefficients
 * are those of tanh_float.py. Absolute error < 4e-7, relative below |x| = 1 < 3e-7; odd; never above 1. */
static inline float fw_tanh_float(float x) {
  float cut = fwi_float_cut(x, 9.0f);
  float z = cut * cut;
  float above = (((1.33621881e-08f * z + 2.06436021e-05f) * z + 0.00349911661f) * z + 0.133845018f) * z + 1.0f;
  float below = (((7.78791309e-07f * z + 0.000329037034f) * z + 0.0258919721f) * z + 0.467178331f) * z + 1.0f;
  return fwi_float_cut(cut * above / below, 1.0f); /* rounding may have gone beyond */
}

/* exp(x): x = n ln 2 + r, |r| <= ln(2)/2 (ln 2 in two parts, as Cody and Waite do), the Taylor polynomial of degree 7
 * of e^r, and n added to the exponent. Relative error < 2e-7 for |x| <= 87; beyond, as for 87 or -87. */
static inline float fw_exp_float(float x) {
  float cut = fwi_float_cut(x, 87.0f);
  float shifted = cut * 0x1.715476p+0f + 0x1.8p+23f; /* rounds to the integer n, which the last bits hold */
  float n = shifted - 0x1.8p+23f;
  float r = (cut - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  float tail =
      (((((1.0f / 5040.0f) * r + 1.0f / 720.0f) * r + 1.0f / 120.0f) * r + 1.0f / 24.0f) * r + 1.0f / 6.0f) * r;
  float value = ((tail + 0.5f) * r + 1.0f) * r + 1.0f;
  return fwi_float_from(fwi_float_bits(value) + (fwi_float_bits(shifted) << 23));
}

#endif

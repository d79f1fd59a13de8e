/* tanh and exp in single precision against libm's in double, over all their range. */
#include <criterion/criterion.h>
#include <math.h>

#include "sim/base/elementary_float.h"

/* Every 37th float of either sign up to beyond the end where tanh is 1. */
Test(elementary_float, tanh) {
  for (uint32_t bits = 0; bits < fwi_float_bits(20.0f); bits += 37) {
    const float x = fwi_float_from(bits), y = fw_tanh_float(x);
    const double exact = tanh((double)x), error = fabs((double)y - exact);
    cr_assert_lt(error, 4e-7, "tanh(%g)", (double)x);
    if (x < 1.0f && x > 1e-30f) cr_assert_lt(error, 3e-7 * exact, "tanh(%g)", (double)x);
    cr_assert_leq(y, 1.0f);
    cr_assert_eq(fw_tanh_float(-x), -y);
  }
  cr_expect_eq(fw_tanh_float(INFINITY), 1.0f);
  cr_expect_eq(fw_tanh_float(-1e30f), -1.0f);
  cr_expect(isnan(fw_tanh_float(NAN)));
}

Test(elementary_float, exp) {
  for (uint32_t bits = 0; bits <= fwi_float_bits(87.0f); bits += 61) {
    const float x = fwi_float_from(bits);
    cr_assert_lt(fabs((double)fw_exp_float(x) / exp((double)x) - 1.0), 2e-7, "exp(%g)", (double)x);
    cr_assert_lt(fabs((double)fw_exp_float(-x) / exp(-(double)x) - 1.0), 2e-7, "exp(-%g)", (double)x);
  }
  cr_expect_eq(fw_exp_float(0.0f), 1.0f);
  cr_expect_eq(fw_exp_float(INFINITY), fw_exp_float(87.0f));
  cr_expect_eq(fw_exp_float(-1e30f), fw_exp_float(-87.0f));
}

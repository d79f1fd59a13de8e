/* Figures: fixed decimals against printf, and estimates against what one would write by hand. */
#include "sim/report/figure.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/random.h"

#define PM " \302\261 "

/* printf rounds the decimal expansion, fwi_figure_fixed a product; on multiples of 1/64 both are exact and halves go to
 * even. The tests run in the C locale. */
Test(figure, fixed_decimals_are_those_of_printf) {
  const fw_stream stream = fw_stream_make(7, FW_DRAW_POLICY, 0);
  for (uint64_t i = 0; i < 20000; i++) {
    const double value = floor((fw_random_uniform(stream, i, 0) - 0.5) * 1e6) / 64.0;
    for (int decimals = 0; decimals <= 6; decimals++) {
      char buffer[FW_NUMBER_TEXT_SIZE];
      char wanted[FW_NUMBER_TEXT_SIZE];
      (void)snprintf(wanted, sizeof wanted, "%.*f", decimals, value);
      if (strspn(wanted, "-0.") == strlen(wanted)) (void)snprintf(wanted, sizeof wanted, "%.*f", decimals, 0.0);
      cr_assert_str_eq(fwi_figure_fixed(value, decimals, buffer), wanted);
    }
  }
}

Test(figure, a_number_too_large_for_decimals_is_shown_as_it_is) {
  char buffer[FW_NUMBER_TEXT_SIZE];
  cr_expect_str_eq(fwi_figure_fixed(1e15, 0, buffer), "1e+15");
  cr_expect_str_eq(fwi_figure_fixed(-123456789012.0, 6, buffer), "-123456789012");
  cr_expect_str_eq(fwi_figure_fixed(99999999999999.0, 1, buffer), "99999999999999.0");
}

static const struct {
  fw_estimate value;
  double scale;
  const char *text;
} estimates[] = {
    {{0.00769, -0.00531, 0.02069}, 1.0, "0.008" PM "0.013"},
    {{12.3, 11.84, 12.76}, 1.0, "12.30" PM "0.46"},
    {{12.345, 9.345, 15.345}, 1.0, "12.3" PM "3.0"},
    {{1234.5, 1200.0, 1269.0}, 1.0, "1234" PM "34"}, /* halves to even */
    {{-0.4, -0.52, -0.28}, 100.0, "-40" PM "12"},
    {{5.0, 4.00401, 5.99599}, 1.0, "5.0" PM "1.0"}, /* 0.99599 has one decimal once it is 1.0 */
    {{5.0, 4.006, 5.994}, 1.0, "5.00" PM "0.99"},
    {{-0.001, -0.3, 0.298}, 1.0, "0.00" PM "0.30"}, /* no minus before a zero */
    {{222466.0, 222466.0, 222466.0}, 1e-6, "0.22247" PM "0"},
    {{1.0, 1.0 - 1e-12, 1.0 + 1e-12}, 1.0, "1" PM "0"}, /* rounding dust */
    {{3.25, NAN, NAN}, 2.0, "6.5"},
    {{NAN, NAN, NAN}, 1.0, "n/a"},
    {{1.0, 0.5, 1.5}, NAN, "n/a"},
};

Test(figure, digits_follow_the_interval) {
  for (size_t i = 0; i < sizeof estimates / sizeof estimates[0]; i++) {
    char buffer[FWI_FIGURE_SIZE];
    cr_expect_str_eq(fwi_figure_estimate(estimates[i].value, estimates[i].scale, 5, buffer), estimates[i].text);
  }
}

static const struct {
  fw_estimate share;
  const char *text;
} rates[] = {
    {{0.2966, 0.29, 0.3032}, "29.66" PM "0.66"},
    {{0.0000769, 0.0, 0.00021}, "0.008 (< 0.021)"}, /* not 0.008 +- 0.013, which would reach below 0 */
    {{0.0, 0.0, 0.527}, "0 (< 53)"},
    {{0.0, 0.0, 0.095}, "0 (< 9.5)"},
    {{0.992, 0.979, 1.0}, "99.2 (> 97.9)"},
    {{1.0, 0.473, 1.0}, "100 (> 47)"},
    {{0.5, 0.0, 1.0}, "50 (< 100)"},
    {{0.5, 0.5, 0.5}, "50" PM "0"},
    {{0.149, NAN, NAN}, "14.9"},
    {{NAN, NAN, NAN}, "n/a"},
};

Test(figure, rates_stay_between_0_and_100) {
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    char buffer[FWI_FIGURE_SIZE];
    cr_expect_str_eq(fwi_figure_rate(rates[i].share, buffer), rates[i].text);
  }
}

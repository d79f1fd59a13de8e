/* Levels against libm, limits of the forms, and the study's own figures. */
#include <float.h>
#include <math.h>

#include "models/level.h"
#include "tests/unit/model_text.h"

static const fw_timing timing = {.token_base_s = 0.028, .token_per_sequence_s = 0.0019};

/* A few roundings of values below 1000 W. */
static const double ROUNDING_W = 1000.0 * 8.0 * DBL_EPSILON;

static double level_w(const char *json, double concurrency) {
  fw_variant level = decode_law(fw_level_cases, json);
  const double watts = fw_level_w(&level, concurrency, &timing);
  fw_variant_clear(&level);
  return watts;
}

Test(level, constant_ignores_concurrency) {
  cr_assert_eq(level_w("{\"kind\": \"constant\", \"p_w\": 250.5}", 1), 250.5);
  cr_assert_eq(level_w("{\"kind\": \"constant\", \"p_w\": 250.5}", 4096), 250.5);
}

Test(level, log2_follows_the_logarithm) {
  const char *json = "{\"kind\": \"log2\", \"p1_w\": 102.25, \"k_w\": 10.52}";
  const double at[] = {1, 1.5, 2, 3, 7.25, 8, 100, 65536};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    cr_assert_float_eq(level_w(json, at[i]), 102.25 + 10.52 * log2(at[i]), ROUNDING_W, "at %g", at[i]);
  }
}

Test(level, log2_is_flat_from_saturation_on_and_below_one) {
  const char *json = "{\"kind\": \"log2\", \"p1_w\": 100, \"k_w\": 10, \"saturation\": 16}";
  cr_assert_eq(level_w(json, 8), 130.0); /* exact: powers of two */
  cr_assert_eq(level_w(json, 16), 140.0);
  cr_assert_eq(level_w(json, 17), 140.0);
  cr_assert_eq(level_w(json, 1e6), 140.0);
  cr_assert_eq(level_w(json, 0.25), 100.0);
  cr_assert_eq(level_w(json, 0), 100.0);
}

/* arXiv:2608.11226: swings of mean power that the two static arms of the 72B job predict, 23.6 % and 17.1 %. */
Test(level, log2_gives_the_predicted_swings) {
  const char *json = "{\"kind\": \"log2\", \"p1_w\": 102.25, \"k_w\": 10.52}";
  const double p1 = level_w(json, 1);
  const double p4 = level_w(json, 4);
  const double p8 = level_w(json, 8);
  cr_assert_float_eq((p8 - p1) / p8, 0.236, 0.0005); /* the figures have three digits */
  cr_assert_float_eq((p4 - p1) / p4, 0.171, 0.0005);
}

Test(level, logistic_rises_between_its_limits) {
  const char *json = "{\"kind\": \"logistic\", \"p0_w\": 340, \"dp_w\": 300, \"slope\": 1.5, \"midpoint\": 8.5}";
  cr_assert_float_eq(level_w(json, exp2(8.5)), 490.0, ROUNDING_W);
  const double at[] = {1, 9, 38, 154, 267, 541, 2134};
  double before = 0.0;
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    const double watts = level_w(json, at[i]);
    cr_assert_float_eq(watts, 340.0 + 300.0 / (1.0 + exp(-1.5 * (log2(at[i]) - 8.5))), ROUNDING_W);
    cr_assert_gt(watts, before);
    before = watts;
  }
}

Test(level, logistic_of_no_slope_is_half_way_up) {
  const char *json = "{\"kind\": \"logistic\", \"p0_w\": 300, \"dp_w\": 20, \"slope\": 0, \"midpoint\": 3}";
  cr_assert_eq(level_w(json, 1), 310.0);
  cr_assert_eq(level_w(json, 512), 310.0);
}

Test(level, logistic_survives_extreme_arguments) {
  const char *json = "{\"kind\": \"logistic\", \"p0_w\": 300, \"dp_w\": 20, \"slope\": 100, \"midpoint\": 30}";
  cr_assert_eq(level_w(json, 1), 300.0); /* exp(3000) is infinite */
  cr_assert_eq(level_w("{\"kind\": \"logistic\", \"p0_w\": 300, \"dp_w\": 20, \"slope\": 100, \"midpoint\": -30}", 1),
               320.0);
}

Test(level, roofline_adds_both_peaks) {
  const char *json = "{\"kind\": \"roofline\", \"p_base_w\": 163, \"p_compute_w\": 298, \"p_memory_w\": 251,"
                     " \"compute_s\": 0.0005, \"memory_s\": 0.009}";
  const double at[] = {1, 4, 16, 64};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    const double token_s = 0.028 + 0.0019 * at[i];
    const double expected = 163 + 298 * at[i] * 0.0005 / token_s + 251 * sqrt(0.009 / token_s);
    cr_assert_float_eq(level_w(json, at[i]), expected, ROUNDING_W);
  }
}

Test(level, roofline_stops_at_the_peaks) {
  const char *json = "{\"kind\": \"roofline\", \"p_base_w\": 100, \"p_compute_w\": 200, \"p_memory_w\": 50,"
                     " \"compute_s\": 1, \"memory_s\": 1}";
  cr_assert_eq(level_w(json, 8), 350.0);
}

/* Ratings, limits and losses against arithmetic by hand; integers against exact fractions. */
#include <criterion/criterion.h>
#include <math.h>

#include "models/electrical.h"
#include "sim/base/random.h"
#include "tests/unit/model_text.h"

/* A few roundings of numbers up to 1e5. */
#define ROUNDING 1e-9

static fw_feed feed_of(const char *json) {
  fw_feed feed;
  decode_text(&fw_feed_record, json, &feed);
  return feed;
}

Test(electrical, a_rating_is_volts_times_amps_and_the_root_of_three_for_three_phases) {
  const fw_feed three = feed_of("{\"amps\": 30, \"volts\": 208, \"phases\": 3, \"power_factor\": 1}");
  const fw_feed one = feed_of("{\"amps\": 16, \"volts\": 230}");
  const fw_feed rated = feed_of("{\"rating_kva\": 10, \"continuous_factor\": 1, \"power_factor\": 0.95}");
  cr_expect_float_eq(fw_feed_rating_va(&three), 30.0 * 208.0 * 1.7320508075688772, ROUNDING);
  cr_expect_float_eq(fw_feed_rating_va(&one), 3680.0, ROUNDING);
  cr_expect_float_eq(fw_feed_limit_w(&one), 2944.0, ROUNDING);
  cr_expect_float_eq(fw_feed_limit_w(&rated), 9500.0, ROUNDING);
  cr_expect_float_eq(fw_feed_rating_w(&rated), 9500.0, ROUNDING);
}

/* Three feeds of 10, 8 and 9 kW: equal shares are full when the weakest is. Lost the 10: 2 x 8; lost the 8: 2 x 9. */
Test(electrical, redundant_feeds_carry_what_is_left_after_the_worst_loss) {
  const fw_feed feeds[] = {
      {.rating_kva = 10, .continuous_factor = 1, .power_factor = 1},
      {.rating_kva = 8, .continuous_factor = 1, .power_factor = 1},
      {.rating_kva = 9, .continuous_factor = 1, .power_factor = 1},
  };
  cr_expect_eq(fw_feeds_limit_w(feeds, 3, FW_NO_FEED_LOST), 24000.0);
  cr_expect_eq(fw_feeds_limit_w(feeds, 3, 0), 16000.0);
  cr_expect_eq(fw_feeds_limit_w(feeds, 3, 1), 18000.0);
  cr_expect_eq(fw_feeds_limit_w(feeds, 3, 2), 16000.0);
  cr_expect_eq(fw_feeds_usable_limit_w(feeds, 3), 16000.0);
  cr_expect_eq(fw_feeds_usable_limit_w(feeds, 1), 10000.0);
  cr_expect_eq(fw_feeds_limit_w(feeds, 1, 0), 0.0);
}

static void expect_feed_fault(const char *json) {
  fw_json *document = NULL;
  fw_feed feed;
  cr_assert_eq(fw_json_parse(json, strlen(json), "snippet", &document, NULL), FW_OK);
  cr_assert_eq(fw_record_decode(&fw_feed_record, fw_json_root(document), &feed, NULL), FW_OK, "%s", json);
  cr_expect_eq(fw_feed_check(&feed, fw_json_root(document), NULL), FW_ERROR_INPUT, "%s", json);
  fw_record_clear(&fw_feed_record, &feed);
  fw_json_free(document);
}

Test(electrical, half_a_feed_two_ratings_and_two_phases_are_refused) {
  expect_feed_fault("{}");
  expect_feed_fault("{\"amps\": 16}");
  expect_feed_fault("{\"amps\": 16, \"volts\": 230, \"rating_kva\": 3}");
  expect_feed_fault("{\"rating_kva\": 3, \"phases\": 2}");
}

/* 8 GPUs at 400 W, 800 W of overhead, 96 %: (3200 + 800) / 0.96 = 4166.67 W. */
Test(electrical, overhead_and_loss_enter_once) {
  const fw_supply supply = {.node_overhead = 800000, .efficiency_ppm = 960000, .pue_ppm = 1300000};
  cr_expect_eq(fw_supply_input_power(&supply, 3200000, 1), 4166667);
  cr_expect_float_eq(fw_supply_output_w(&supply, 4166.6666666666667, 1), 3200.0, ROUNDING);
  cr_expect_eq(fw_supply_output_w(&supply, 100.0, 1), 0.0);
  cr_expect(fw_supply_facility(&supply, 1000) == 1300);
  const fw_supply none = {.efficiency_ppm = FW_MILLION, .pue_ppm = FW_MILLION};
  cr_expect(fw_supply_input(&none, 12345, 7, 1000) == 12345);
  cr_expect(fw_supply_facility(&none, 12345) == 12345);
}

/* Rounded to nearest: twice the remainder is at most the divisor. */
Test(electrical, energies_are_rounded_to_the_nearest_picojoule) {
  const fw_stream stream = fw_stream_make(1, FW_DRAW_TEST, 0);
  for (uint64_t i = 0; i < 1000; i++) {
    const fw_supply supply = {.efficiency_ppm = 500000 + (int64_t)fw_random_below(stream, 2 * i, 500000),
                              .pue_ppm = FW_MILLION};
    const fw_energy_pj gpu = (fw_energy_pj)fw_random_below(stream, 2 * i + 1, UINT64_MAX);
    const fw_energy_pj input = fw_supply_input(&supply, gpu, 1, 1);
    const fw_energy_pj off = 2 * (input * supply.efficiency_ppm - gpu * FW_MILLION);
    cr_expect(off <= supply.efficiency_ppm && off >= -supply.efficiency_ppm);
  }
}

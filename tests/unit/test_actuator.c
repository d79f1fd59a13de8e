#include <criterion/criterion.h>
#include <math.h>

#include "policies/policy.h"

static const fw_actuator_range levels = {.min = 1, .max = 8, .levels = {1, 2, 4, 8}, .level_count = 4};
static const fw_actuator_range open_range = {.min = 0, .max = 32};

Test(actuator, names_stand_in_the_order_of_the_enum_and_end) {
  cr_expect_str_eq(fw_actuator_names[FW_ACTUATOR_CONCURRENCY], "concurrency");
  cr_expect_str_eq(fw_actuator_names[FW_ACTUATOR_GROUP_SIZE], "group_size");
  cr_expect_str_eq(fw_actuator_names[FW_ACTUATOR_COMPLETION_TOKENS], "completion_tokens");
  cr_expect_str_eq(fw_actuator_names[FW_ACTUATOR_PAUSE_S], "pause_s");
  cr_expect_str_eq(fw_actuator_names[FW_ACTUATOR_POWER_CAP_W], "power_cap_w");
  cr_expect_str_eq(fw_actuator_names[FW_ACTUATOR_START_OFFSET_S], "start_offset_s");
  cr_expect_null(fw_actuator_names[FW_ACTUATOR_COUNT]);
}

Test(actuator, nearest_picks_a_level_and_ties_go_down) {
  static const double cases[][2] = {{-5, 1}, {1, 1}, {1.5, 1}, {1.51, 2}, {3, 2},        {3.01, 4},
                                    {6, 4},  {7, 8}, {8, 8},   {100, 8},  {INFINITY, 8}, {-INFINITY, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cr_expect_eq(fw_actuator_nearest(&levels, cases[i][0]), cases[i][1], "nearest to %g", cases[i][0]);
  }
}

Test(actuator, nearest_without_levels_only_limits) {
  cr_expect_eq(fw_actuator_nearest(&open_range, -1), 0);
  cr_expect_eq(fw_actuator_nearest(&open_range, 3.7), 3.7);
  cr_expect_eq(fw_actuator_nearest(&open_range, 33), 32);
}

Test(actuator, nearest_leaves_a_nan_visible) {
  cr_expect(isnan(fw_actuator_nearest(&levels, NAN)));
  cr_expect(isnan(fw_actuator_nearest(&open_range, NAN)));
}

Test(actuator, step_goes_to_the_neighbouring_level) {
  static const struct {
    double from;
    int direction;
    double to;
  } cases[] = {{1, 1, 2},  {2, 1, 4}, {4, 1, 8},  {8, 1, 8}, {8, -1, 4}, {4, -1, 2},  {2, -1, 1},
               {1, -1, 1}, {5, 1, 8}, {5, -1, 4}, {5, 0, 4}, {20, 1, 8}, {20, -1, 8}, {-3, -1, 1},
               {-3, 1, 1}, {4, 7, 8}, {4, -9, 2}, {0, 0, 1}, {2, 0, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cr_expect_eq(fw_actuator_step(&levels, cases[i].from, cases[i].direction), cases[i].to, "from %g by %d",
                 cases[i].from, cases[i].direction);
  }
}

Test(actuator, step_without_levels_is_a_sixteenth_of_the_range) {
  cr_expect_eq(fw_actuator_step(&open_range, 0, 1), 2);
  cr_expect_eq(fw_actuator_step(&open_range, 31, 1), 32);
  cr_expect_eq(fw_actuator_step(&open_range, 32, 1), 32);
  cr_expect_eq(fw_actuator_step(&open_range, 1, -1), 0);
  cr_expect_eq(fw_actuator_step(&open_range, 100, -1), 32);
  cr_expect_eq(fw_actuator_step(&open_range, 5, 0), 5);
}

Test(actuator, sixteen_steps_cross_any_range) {
  fw_actuator_range range = {.min = 0.1, .max = 0.7}; /* whose sixteenth is no binary fraction */
  double value = range.min;
  for (int i = 0; i < 16; i++)
    value = fw_actuator_step(&range, value, 1);
  cr_expect_float_eq(value, range.max, 1e-15, "16 roundings of numbers below 1, each below 2^-53");
  cr_expect_leq(value, range.max);
}

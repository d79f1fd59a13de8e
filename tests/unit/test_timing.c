/* Linear times, held against the study's figures. */
#include <criterion/criterion.h>

#include "models/timing.h"

static const fw_timing study = {
    .token_base_s = 0.02803,
    .token_per_sequence_s = 0.001890,
    .prefill_per_token_s = 0.0002,
    .update_base_s = 2.0,
    .update_per_token_s = 0.001,
};

static double throughput(double concurrency) {
  return concurrency / fw_timing_token_s(&study, concurrency);
}

/* arXiv:2608.11226: 5.55x from concurrency 1 to 8 and 3.36x from 1 to 4, derived from the two static arms. */
Test(timing, token_time_gives_the_predicted_throughput) {
  cr_assert_float_eq(throughput(8) / throughput(1), 5.55, 0.01); /* the figures have three digits */
  cr_assert_float_eq(throughput(4) / throughput(1), 3.36, 0.01);
  cr_assert_float_eq(throughput(8), 185.4, 0.1); /* tokens/s of the static arm of 8, and of 4 */
  cr_assert_float_eq(throughput(4), 112.4, 0.1);
}

Test(timing, prefill_and_update_are_linear) {
  cr_assert_eq(fw_timing_prefill_s(&study, 0), 0.0);
  cr_assert_float_eq(fw_timing_prefill_s(&study, 5000), 1.0, 1e-15); /* one rounding */
  cr_assert_eq(fw_timing_update_s(&study, 0), 2.0);
  cr_assert_float_eq(fw_timing_update_s(&study, 7000), 9.0, 1e-14);
}

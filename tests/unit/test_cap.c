/* Slowdown at and between the table's points, and the transient against numerical integration. */
#include <criterion/criterion.h>
#include <math.h>

#include "models/cap.h"

static double ratio[] = {1.0, 0.8, 0.6, 0.4};
static double update[] = {1.0, 1.06, 1.3, 2.3};
static double rollout[] = {1.0, 1.0, 1.05, 1.5};

static const fw_cap_response response = {
    .latency = 50 * FW_NS_PER_MS,
    .settling = 30 * FW_NS_PER_MS,
    .settled_share = 0.97,
    .ratio = {ratio, 4},
    .update_slowdown = {update, 4},
    .rollout_slowdown = {rollout, 4},
};

/* A few roundings of numbers near 1. */
static const double ROUNDING = 1e-14;

static double slowdown(fw_phase phase, double cap_w, double demand_w) {
  return fw_cap_slowdown(&response, phase, cap_w, demand_w, NULL);
}

Test(cap, points_and_lines_of_the_table) {
  cr_assert_float_eq(slowdown(FW_PHASE_UPDATE, 320, 400), 1.06, ROUNDING);
  cr_assert_float_eq(slowdown(FW_PHASE_UPDATE, 240, 400), 1.3, ROUNDING);
  cr_assert_float_eq(slowdown(FW_PHASE_UPDATE, 160, 400), 2.3, ROUNDING);
  cr_assert_float_eq(slowdown(FW_PHASE_UPDATE, 280, 400), 1.18, ROUNDING);
  cr_assert_float_eq(slowdown(FW_PHASE_UPDATE, 360, 400), 1.03, ROUNDING);
  cr_assert_float_eq(slowdown(FW_PHASE_ROLLOUT, 200, 400), 1.275, ROUNDING);
}

Test(cap, phases_use_their_own_table) {
  cr_assert_eq(slowdown(FW_PHASE_PREFILL, 240, 400), slowdown(FW_PHASE_UPDATE, 240, 400));
  cr_assert_lt(slowdown(FW_PHASE_ROLLOUT, 240, 400), slowdown(FW_PHASE_UPDATE, 240, 400));
  cr_assert_eq(slowdown(FW_PHASE_GAP, 100, 400), 1.0);
  cr_assert_eq(slowdown(FW_PHASE_LOAD, 100, 400), 1.0);
  cr_assert_eq(slowdown(FW_PHASE_IDLE, 100, 400), 1.0);
}

Test(cap, a_demand_below_the_cap_is_not_slowed) {
  cr_assert_eq(slowdown(FW_PHASE_UPDATE, 300, 300), 1.0);
  cr_assert_eq(slowdown(FW_PHASE_UPDATE, 300, 100), 1.0);
  cr_assert_eq(slowdown(FW_PHASE_UPDATE, 300, 0), 1.0);
}

Test(cap, below_the_table_the_last_slope_goes_on_and_is_told) {
  bool extrapolated = false;
  cr_assert_float_eq(fw_cap_slowdown(&response, FW_PHASE_UPDATE, 160, 400, &extrapolated), 2.3, ROUNDING);
  cr_assert_not(extrapolated);
  cr_assert_float_eq(fw_cap_slowdown(&response, FW_PHASE_UPDATE, 80, 400, &extrapolated), 3.3, ROUNDING);
  cr_assert(extrapolated);
  cr_assert_float_eq(slowdown(FW_PHASE_UPDATE, 0, 400), 4.3, ROUNDING);
}

Test(cap, a_lower_cap_never_makes_work_faster) {
  for (int phase = 0; phase < FW_PHASE_COUNT; phase++) {
    double before = 1.0;
    for (int cap_w = 500; cap_w >= 10; cap_w--) {
      const double now = slowdown((fw_phase)phase, cap_w, 410);
      cr_assert_geq(now, before - ROUNDING);
      before = now;
    }
  }
}

Test(cap, settled_power_lies_below_the_cap) {
  cr_assert_eq(fw_cap_settled(&response, 250000), 242500);
  cr_assert_eq(fw_cap_settled(&response, 150001), 145501); /* 145500.97 rounds up */
}

/* Simpson's rule over 2000 steps: exact to 1e-12 of the swing for stretches of up to ten settling times. */
static double mean_by_steps(double from_w, double to_w, double a_ms, double b_ms) {
  enum { STEPS = 2000 };
  double sum = 0.0;
  for (int i = 0; i <= STEPS; i++) {
    const double t = a_ms + (b_ms - a_ms) * i / STEPS;
    const double weight = i == 0 || i == STEPS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += weight * (to_w + (from_w - to_w) * exp(-t / 30.0));
  }
  return sum / (3.0 * STEPS);
}

Test(cap, transient_mean_is_the_integral) {
  const double stretches[][2] = {{0, 500}, {0, 1}, {0, 14.9}, {0, 15.1}, {10, 40}, {100, 101}, {250, 500}};
  for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
    const double a = stretches[i][0];
    const double b = stretches[i][1];
    const double mean =
        fw_cap_transient_mean_w(&response, 400, 250, (fw_time_ns)llround(a * 1e6), (fw_time_ns)llround(b * 1e6));
    cr_assert_float_eq(mean, mean_by_steps(400, 250, a, b), 1e-7, "[%g, %g)", a, b); /* 17 settling times at most */
  }
}

Test(cap, stretches_of_a_transient_add_up) {
  const fw_time_ns ms = FW_NS_PER_MS;
  const double whole = fw_cap_transient_mean_w(&response, 200, 380, 5 * ms, 95 * ms);
  const double first = fw_cap_transient_mean_w(&response, 200, 380, 5 * ms, 6 * ms);
  const double second = fw_cap_transient_mean_w(&response, 200, 380, 6 * ms, 95 * ms);
  cr_assert_float_eq(whole * 90.0, first + second * 89.0, 1e-9); /* roundings of sums near 3e4 */
}

Test(cap, limits_of_the_transient) {
  cr_assert_eq(fw_cap_transient_mean_w(&response, 400, 250, 0, 0), 400.0);
  cr_assert_float_eq(fw_cap_transient_mean_w(&response, 400, 250, 0, FW_TIME_MAX), 250.0, 1e-6);
  cr_assert_eq(fw_cap_transient_mean_w(&response, 400, 250, FW_TIME_MAX - 1, FW_TIME_MAX), 250.0);
  fw_cap_response instant = response;
  instant.settling = 0;
  cr_assert_eq(fw_cap_transient_mean_w(&instant, 400, 250, 0, FW_NS_PER_S), 250.0);
}

/* Power caps in a run: latency, settling, the settled level, slowdown and overshoot, against the formulas of
 * models/cap.h worked out here. The board of these tests: latency 0.25 s, settling time 0.1 s, settles at 0.9 of the
 * cap; work at a cap of x times the demand takes 1, 1.5, 3 times as long at x = 1, 1/2, 1/4 in a rollout, and
 * 1, 2, 4 times in compute-bound phases, linear between. */
#include <math.h>

#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

#define CAP(watts) ", 'policies': [{'name': 'cap', 'job': {'kind': 'static', 'power_cap_w': " watts "}}]"
#define SQUARE_PHASES_JOB "'jobs': [{'kind': 'cycle', 'class': 'square', " SQUARE_PHASES "}]"
#define ONCE "{'kind': 'cycle', 'class': 'once', 'loop': false, 'phases': [{'duration_s': 60, 'power_w': 400}]}"

/* A transient is cut off after eight settling times. Its segments are cut at whole seconds and each is rounded to
 * 1 mW, so what they sum to is exact to 1 mW x its second. */
#define CUT_OFF_S 0.8
#define ROUNDING_J 1e-3

/* Energy over the transient from `from` to `to`, W. */
static double transient_j(double from, double to) {
  return to * CUT_OFF_S + (from - to) * 0.1 * (1.0 - exp(-8.0));
}

static double energy_j(const fw_result *result) {
  return fw_energy_to_joules(result->energy);
}

Test(power_cap, is_enforced_late_settles_below_and_overshoots_until_then) {
  fw_result result = run_text(HEAD("20", "0.5", "'budget_w': 300") CAP("200") ", 'jobs': [" ONCE "]}");
  const double wanted = 0.25 * 400.0 + transient_j(400.0, 180.0) + (20.0 - 0.25 - CUT_OFF_S) * 180.0;
  cr_expect_float_eq(energy_j(&result), wanted, ROUNDING_J, "%.9f J, wanted %.9f", energy_j(&result), wanted);
  /* The first tick holds the latency and a quarter of a second of the transient. */
  const double first = 0.25 * 400.0 + 180.0 * 0.25 + 220.0 * 0.1 * (1.0 - exp(-2.5));
  cr_expect_float_eq(result.windows[0].peak_w, first / 0.5, 2e-3); /* 1 mW as above, and peaks are rounded up */
  fw_result_clear(&result);
}

Test(power_cap, slows_work_down_as_the_table_says) {
  static const struct {
    const char *text;
    double slowdown;
    bool extrapolated;
  } cases[] = {
      {HEAD("300", "0.5", "'budget_w': 300") CAP("400") ", 'jobs': [" ONCE "]}", 1.0, false},
      {HEAD("300", "0.5", "'budget_w': 300") CAP("300") ", 'jobs': [" ONCE "]}", 1.25, false},
      {HEAD("300", "0.5", "'budget_w': 300") CAP("200") ", 'jobs': [" ONCE "]}", 1.5, false},
      {HEAD("300", "0.5", "'budget_w': 300") CAP("100") ", 'jobs': [" ONCE "]}", 3.0, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fw_scenario *scenario = scenario_from(cases[i].text);
    recorder seen;
    recorder_start(&seen);
    fw_result result = run_observed(scenario, (fw_run_options){.seed = 1, .observer = &seen.observer});
    const double wanted = cases[i].slowdown == 1.0 ? 60.0 : 0.25 + 59.75 * cases[i].slowdown;
    const fw_sim_event *last = &seen.events[seen.event_count - 1];
    cr_assert_eq(last->kind, FW_SIM_JOB_END);
    /* Work is rounded to 1 ns once a second. */
    cr_expect_float_eq(fw_time_to_seconds(last->time), wanted, 1e-6, "%g s", fw_time_to_seconds(last->time));
    cr_expect_eq(result.jobs[0].extrapolated, cases[i].extrapolated);
    fw_result_clear(&result);
    recorder_free(&seen);
    fw_scenario_free(scenario);
  }
}

/* Each minute of 400 W becomes 75 s under 300 W and begins with an overshoot; 200 W are below the cap. */
Test(power_cap, every_rise_above_the_cap_overshoots) {
  fw_result result =
      run_text(HEAD("1350", "0.5", "'budget_w': 300") ", 'warmup_s': 135, " SQUARE_PHASES_JOB CAP("300") "}");
  const double cycle_j = transient_j(400.0, 270.0) + (75.0 - CUT_OFF_S) * 270.0 + 60.0 * 200.0;
  /* After the warm-up the run holds nine whole cycles of 135 s, wherever they begin. */
  cr_expect_float_eq(energy_j(&result), 9.0 * cycle_j, 9.0 * ROUNDING_J, "%.9f J, wanted %.9f", energy_j(&result),
                     9.0 * cycle_j);
  fw_result_clear(&result);
}

Test(power_cap, above_the_demand_changes_nothing) {
  fw_result free_run = run_text(HEAD("600", "0.5", "'budget_w': 300") ", " SQUARE_PHASES_JOB "}");
  fw_result capped = run_text(HEAD(
      "600", "0.5",
      "'budget_w': 300") ", 'jobs': [{'kind': 'cycle', 'class': 'a', 'phases': "
                         "[{'duration_s': 60, 'power_w': 300}, {'duration_s': 60, 'power_w': 200}]}]" CAP("399") "}");
  fw_result same = run_text(HEAD(
      "600", "0.5", "'budget_w': 300") ", 'jobs': [{'kind': 'cycle', 'class': 'a', 'phases': "
                                       "[{'duration_s': 60, 'power_w': 300}, {'duration_s': 60, 'power_w': 200}]}]}");
  expect_energy(capped.energy, same.energy, "a cap of 399 W on 300 W");
  expect_energy(free_run.energy, joules(600 * 300), "without a cap");
  cr_expect_eq(capped.clamps.capped, 0);
  fw_result_clear(&free_run);
  fw_result_clear(&capped);
  fw_result_clear(&same);
}

/* The same job with a cap of its own: the first prefill is at full speed until the cap is in force. */
Test(power_cap, a_job_may_start_with_one) {
  static const char *const jobs[] = {"", ", 'power_cap_w': 300"};
  double step_s[2];
  for (size_t i = 0; i < 2; i++) {
    char text[600];
    (void)snprintf(text, sizeof text,
                   HEAD("60", "0.5", "'budget_w': 300") ", 'jobs': [{'kind': 'grpo', 'class': 'a', 'model': "
                                                        "'plain-job', 'completion_cv': 0%s}]}",
                   jobs[i]);
    fw_scenario *scenario = scenario_from(text);
    recorder seen;
    recorder_start(&seen);
    fw_result result = run_observed(scenario, (fw_run_options){.seed = 1, .observer = &seen.observer});
    size_t at = 0;
    while (at < seen.event_count && seen.events[at].kind != FW_SIM_STEP_END)
      at++;
    cr_assert_lt(at, seen.event_count);
    step_s[i] = fw_time_to_seconds(seen.events[at].time);
    fw_result_clear(&result);
    recorder_free(&seen);
    fw_scenario_free(scenario);
  }
  /* Three batches of 0.4 + 4.2 + 0.25 s, 2 s between rollout and update, an update of 9 s. Only the prefill draws more
   * than 300 W: 350 W, a ratio of 6/7, so 9/7 of the time. */
  cr_expect_float_eq(step_s[0], 3 * 4.85 + 2 + 9, 1e-6);
  cr_expect_float_eq(step_s[1] - step_s[0], (0.15 + 0.4 + 0.4) * 2.0 / 7.0, 1e-6);
}

/* Jobs that draw the numbers of one: twins are equal to the milliwatt, and one that starts later is the same job later.
 */
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

/* Completions of scattered lengths, a residual and spikes: everything that a job draws. */
#define ENTRY(more) "'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'plain-job', 'completion_cv': 0.6" more "}]}"

static recorder record(const char *text, uint64_t seed) {
  fw_scenario *scenario = scenario_from(text);
  recorder series;
  recorder_start(&series);
  fw_result result = run_observed(scenario, (fw_run_options){.seed = seed, .observer = &series.observer});
  fw_result_clear(&result);
  fw_scenario_free(scenario);
  return series;
}

static fw_power_mw power_of(const recorder *series, size_t job, size_t tick) {
  return series->job_truth[tick * series->job_count + job];
}

/* Ticks at which job `b` of `right` at tick + `later` draws what job `a` of `left` draws. */
static size_t equal_ticks(const recorder *left, size_t a, const recorder *right, size_t b, size_t later) {
  size_t equal = 0;
  for (size_t tick = 0; tick + later < right->tick_count; tick++) {
    equal += power_of(left, a, tick) == power_of(right, b, tick + later);
  }
  return equal;
}

Test(copied_draws, twins_are_equal) {
  for (uint64_t seed = 0; seed < 5; seed++) {
    recorder series = record(HEAD("600", "1", "'budget_w': 100") ", " ENTRY(", 'count': 3, 'draws': 'copied'"), seed);
    cr_expect_eq(equal_ticks(&series, 0, &series, 1, 0), series.tick_count);
    cr_expect_eq(equal_ticks(&series, 0, &series, 2, 0), series.tick_count);
    recorder_free(&series);
  }
}

/* Without the key, a job is equal to another by chance only: in idle power and where boards hold both at a limit. */
Test(copied_draws, others_draw_their_own) {
  recorder series = record(HEAD("600", "1", "'budget_w': 100") ", " ENTRY(", 'count': 2"), 1);
  recorder own = record(HEAD("600", "1", "'budget_w': 100") ", " ENTRY(", 'count': 2, 'draws': 'own'"), 1);
  cr_expect_lt(equal_ticks(&series, 0, &series, 1, 0), series.tick_count / 2);
  cr_expect_eq(equal_ticks(&series, 0, &own, 0, 0), series.tick_count);
  cr_expect_eq(equal_ticks(&series, 1, &own, 1, 0), series.tick_count, "own is the default");
  recorder_free(&own);
  recorder_free(&series);
}

/* The first job of an entry is the same job whether others copy it or not. */
Test(copied_draws, the_first_is_who_it_was) {
  recorder alone = record(HEAD("600", "1", "'budget_w': 100") ", " ENTRY(""), 1);
  recorder copied = record(HEAD("600", "1", "'budget_w': 100") ", " ENTRY(", 'count': 2, 'draws': 'copied'"), 1);
  cr_expect_eq(equal_ticks(&alone, 0, &copied, 0, 0), alone.tick_count);
  recorder_free(&copied);
  recorder_free(&alone);
}

/* Later than a block of noise lasts, too. */
Test(copied_draws, a_later_start_is_the_same_job_later) {
  static const char *const offsets[] = {"'start_offset_s': 0.5", "'start_offset_s': 31.5", "'start_offset_s': 200"};
  static const size_t ticks[] = {1, 63, 400};
  recorder first = record(HEAD("600", "1", "'budget_w': 100") ", " ENTRY(", 'draws': 'copied'"), 3);
  for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
    char text[600];
    (void)snprintf(text, sizeof text, HEAD("600", "1", "'budget_w': 100") ", " ENTRY(", 'draws': 'copied', %s"),
                   offsets[i]);
    recorder later = record(text, 3);
    cr_expect_eq(equal_ticks(&first, 0, &later, 0, ticks[i]), later.tick_count - ticks[i], "%s", offsets[i]);
    recorder_free(&later);
  }
  recorder_free(&first);
}

/* When a job's steps end. */
static size_t step_ends(const recorder *series, uint32_t job, fw_time_ns *ends, size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < series->event_count && count < most; i++) {
    const fw_sim_event *event = &series->events[i];
    if (event->job == job && event->kind == FW_SIM_STEP_END) ends[count++] = event->time;
  }
  return count;
}

/* Half a cycle is no whole number of ticks, but what a job does is the same to the nanosecond. */
Test(copied_draws, staggered_copies_do_the_same_half_a_cycle_later) {
  recorder series = record(
      HEAD("600", "1", "'budget_w': 100") ", 'start': 'staggered', " ENTRY(", 'count': 2, 'draws': 'copied'"), 4);
  fw_time_ns first[100];
  fw_time_ns second[100];
  cr_assert_gt(step_ends(&series, 0, first, 100), 10);
  const size_t steps = step_ends(&series, 1, second, 100);
  cr_assert_gt(steps, 10);
  cr_expect_gt(second[0], first[0]);
  for (size_t i = 1; i < steps; i++) {
    cr_expect_eq(second[i] - first[i], second[0] - first[0], "step %zu", i);
  }
  recorder_free(&series);
}

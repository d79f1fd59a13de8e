/* Random fleets, watched tick by tick: what a result says of its windows is worked out again here from the series, by
 * summing each window afresh, and what must hold of any run is held against it. */
#include "tests/random_scenario.h"
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

#define SCENARIOS 60

/* ---- The oracle ---- */

typedef struct judged {
  fw_time_ns full;
  fw_time_ns above;
  uint64_t episodes;
  fw_time_ns longest;
  fw_energy_pj excess_by_time; /* sum of (energy - budget) x tick over the windows in violation */
  fw_energy_pj most;
} judged;

typedef fw_power_mw (*power_of)(const recorded_tick *tick);

static fw_power_mw truth_of(const recorded_tick *tick) {
  return tick->truth;
}

static fw_power_mw reading_of(const recorded_tick *tick) {
  return tick->reading;
}

/* Every window that ends after `from`, each summed from its newest tick back; powers are moved by `shift`. */
static judged judge(const recorder *series, power_of power, fw_time_ns tick, fw_time_ns window, fw_time_ns from,
                    fw_power_mw shift) {
  judged out = {0};
  fw_time_ns episode = 0;
  for (size_t i = 0; i < series->tick_count; i++) {
    if (series->ticks[i].end < window || series->ticks[i].end <= from) continue;
    fw_energy_pj energy = 0;
    fw_energy_pj budget = 0;
    fw_time_ns left = window;
    for (size_t k = i; left > 0; k--) {
      const fw_time_ns part = left < tick ? left : tick;
      energy += fw_energy_of(power(&series->ticks[k]) + shift, part);
      budget += fw_energy_of(series->ticks[k].budget, part);
      left -= part;
    }
    const bool above = (energy - budget) * 1000000000 > budget; /* the stated tolerance of 1e-9 */
    out.full += tick;
    out.above += above ? tick : 0;
    out.episodes += above && episode == 0;
    episode = above ? episode + tick : 0;
    out.longest = episode > out.longest ? episode : out.longest;
    out.excess_by_time += above ? (energy - budget) * tick : 0;
    out.most = energy > out.most ? energy : out.most;
  }
  return out;
}

static void expect_equal(const fw_window_result *got, const judged *wanted, const char *what) {
  if (wanted->full == 0) {
    cr_expect(isnan(got->violation_rate) && isnan(got->peak_w), "%s", what);
    return;
  }
  cr_expect_eq(got->violation_rate, (double)wanted->above / (double)wanted->full, "%s: %g", what, got->violation_rate);
  cr_expect_eq(got->episodes, wanted->episodes, "%s", what);
  cr_expect_eq(got->longest_episode_s, fw_time_to_seconds(wanted->longest), "%s", what);
  cr_expect_eq(got->excess_ws, fw_energy_to_joules(wanted->excess_by_time / got->window), "%s", what);
  /* Peaks are rounded up to whole milliwatts. */
  const fw_power_mw peak = (fw_power_mw)((wanted->most + got->window - 1) / got->window);
  cr_expect_eq(got->peak_w, fw_power_to_watts(peak), "%s: %g", what, got->peak_w);
}

/* The series shows a tick's power rounded to 1 mW, the result knows its energy: what lies within 1 mW of the budget may
 * be judged either way, and everything else may not. */
static void expect_within(const fw_window_result *got, const judged *low, const judged *high) {
  if (low->full == 0) return;
  const double above = got->violation_rate * (double)low->full;
  cr_expect(above > (double)low->above - 0.5 && above < (double)high->above + 0.5, "%g ns above, wanted %lld to %lld",
            above, (long long)low->above, (long long)high->above);
  cr_expect_float_eq(got->peak_w, fw_power_to_watts((fw_power_mw)(low->most / got->window)), 0.0031);
}

/* ---- Runs ---- */

static void expect_limits(const fw_scenario *scenario, const recorder *series) {
  for (size_t t = 0; t < series->tick_count; t++) {
    fw_power_mw sum = (fw_power_mw)scenario->topology.gpus * scenario->gpu.idle;
    for (size_t j = 0; j < series->job_count; j++) {
      const fw_power_mw gpus = (fw_power_mw)scenario->jobs[j].gpus;
      const fw_power_mw power = series->job_truth[t * series->job_count + j];
      cr_assert(power >= gpus * scenario->gpu.idle && power <= gpus * scenario->gpu.board_max, "tick %zu, job %zu", t,
                j);
      sum += power - gpus * scenario->gpu.idle;
    }
    /* Each job's power is rounded to 1 mW. */
    cr_assert_lt(llabs(sum - series->ticks[t].truth), (long long)series->job_count + 1);
  }
}

/* Tokens and time never go back; events of a tick come before it. */
static void expect_order(const fw_scenario *scenario, const recorder *series) {
  double tokens[64] = {0};
  fw_time_ns last = 0;
  cr_assert_lt(scenario->job_count, 64);
  for (size_t i = 0; i < series->event_count; i++) {
    const fw_sim_event *event = &series->events[i];
    cr_assert_geq(event->time, last);
    last = event->time;
    if (event->kind == FW_SIM_ACTUATOR || event->time <= scenario->warmup) continue;
    cr_assert_geq(event->value, tokens[event->job]);
    tokens[event->job] = event->value;
  }
}

/* Not after a warm-up: long windows reach back into it, short ones do not. */
static void expect_longer_windows_peak_lower(const fw_scenario *scenario, const fw_result *result) {
  if (scenario->warmup > 0) return;
  for (size_t a = 0; a < result->window_count; a++) {
    for (size_t b = 0; b < result->window_count; b++) {
      const fw_window_result *shorter = &result->windows[a];
      const fw_window_result *longer = &result->windows[b];
      if (longer->window % shorter->window != 0 || isnan(longer->peak_w)) continue;
      cr_expect_leq(longer->peak_w, shorter->peak_w);
    }
  }
}

static void expect_windows(const fw_scenario *scenario, const recorder *series, const fw_result *result, bool aligned) {
  for (size_t w = 0; w < scenario->window_count; w++) {
    const fw_time_ns window = scenario->windows[w];
    const judged sensed = judge(series, reading_of, scenario->tick, window, scenario->warmup, 0);
    expect_equal(&result->sensed[w], &sensed, "as read");
    if (aligned) {
      const judged truth = judge(series, truth_of, scenario->tick, window, scenario->warmup, 0);
      expect_equal(&result->windows[w], &truth, "true");
    } else {
      const judged low = judge(series, truth_of, scenario->tick, window, scenario->warmup, -1);
      const judged high = judge(series, truth_of, scenario->tick, window, scenario->warmup, 1);
      expect_within(&result->windows[w], &low, &high);
    }
  }
}

static void expect_energy_of_series(const fw_scenario *scenario, const recorder *series, const fw_result *result,
                                    bool aligned) {
  fw_energy_pj sum = 0;
  size_t ticks = 0;
  for (size_t t = 0; t < series->tick_count; t++) {
    if (series->ticks[t].end <= scenario->warmup) continue;
    sum += fw_energy_of(series->ticks[t].truth, scenario->tick);
    ticks++;
  }
  cr_expect_eq((fw_time_ns)ticks * scenario->tick, result->measured);
  const fw_energy_pj off = sum > result->energy ? sum - result->energy : result->energy - sum;
  cr_expect(off <= (aligned ? 0 : (fw_energy_pj)ticks * scenario->tick), "energy is off");
}

static void check_scenario(uint64_t number, bool aligned) {
  fw_text text = random_scenario(number, aligned);
  fw_scenario *scenario = scenario_from(text.data);
  recorder series;
  recorder_start(&series);
  fw_result result = run_observed(scenario, (fw_run_options){.seed = number, .observer = &series.observer});
  cr_assert_eq((fw_time_ns)series.tick_count * scenario->tick, scenario->duration);
  expect_windows(scenario, &series, &result, aligned);
  expect_energy_of_series(scenario, &series, &result, aligned);
  expect_limits(scenario, &series);
  expect_order(scenario, &series);
  expect_longer_windows_peak_lower(scenario, &result);
  fw_result_clear(&result);
  recorder_free(&series);
  fw_scenario_free(scenario);
  fw_text_clear(&text);
}

Test(fleet, windows_are_what_the_series_says_to_the_last_digit) {
  for (uint64_t number = 0; number < SCENARIOS; number++)
    check_scenario(number, true);
}

Test(fleet, controlled_fleets_with_residuals_are_what_the_series_says) {
  for (uint64_t number = 0; number < SCENARIOS; number++)
    check_scenario(number, false);
}

/* A longer run begins with the shorter one. */
Test(fleet, tokens_and_energy_never_fall_as_time_goes_on) {
  for (uint64_t number = 0; number < 10; number++) {
    fw_text text = random_scenario(number, false);
    int64_t tokens = -1;
    fw_energy_pj energy = 0;
    for (fw_time_ns seconds = 41; seconds < 150; seconds += 36) {
      const fw_scenario_overrides overrides = {.duration = seconds * FW_NS_PER_S};
      fw_scenario *scenario = scenario_with(text.data, &overrides);
      fw_result result = run_seed(scenario, number);
      cr_expect_geq(result.tokens, tokens);
      cr_expect(result.energy > energy);
      tokens = result.tokens;
      energy = result.energy;
      fw_result_clear(&result);
      fw_scenario_free(scenario);
    }
    fw_text_clear(&text);
  }
}

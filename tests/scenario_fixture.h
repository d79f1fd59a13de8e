/* Scenarios as text inside a test, and runs of them.
 *
 * The text stands for a file in tests/unit/data, so the parameter files there can be named, and is written with single
 * quotes, as JSON inside C would be all backslashes otherwise. */
#ifndef FW_TESTS_SCENARIO_FIXTURE_H
#define FW_TESTS_SCENARIO_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fleet/run.h"
#include "tests/unit/model_text.h"

#define SCENARIO_PATH FW_SOURCE_DIR "/tests/unit/data/scenario.json"

/* The head that most scenarios share: everything but jobs, and no comma at the end. */
#define HEAD(duration_s, windows_s, budget)                                                                            \
  "{'fleetwatt': 1, 'name': 'test', 'gpu': 'plain-gpu', 'duration_s': " duration_s ", 'windows_s': [" windows_s        \
  "], " budget

/* Two minutes of 400 and 200 W, without end. */
#define SQUARE_PHASES "'phases': [{'duration_s': 60, 'power_w': 400}, {'duration_s': 60, 'power_w': 200}]"

/* A copy with double quotes. Free it. */
static inline char *with_quotes(const char *text) {
  const size_t length = strlen(text);
  char *copy = malloc(length + 1);
  cr_assert_not_null(copy);
  for (size_t i = 0; i <= length; i++) {
    copy[i] = text[i] == '\'' ? '"' : text[i];
  }
  return copy;
}

static inline fw_status scenario_try(const char *text, const fw_scenario_overrides *overrides, fw_scenario **out,
                                     fw_diagnostics *diagnostics) {
  char *json = with_quotes(text);
  *out = NULL;
  const fw_status status = fw_scenario_parse(json, strlen(json), SCENARIO_PATH, overrides, out, diagnostics);
  free(json);
  return status;
}

/* A sound scenario; free with fw_scenario_free. */
static inline fw_scenario *scenario_with(const char *text, const fw_scenario_overrides *overrides) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  const fw_status status = scenario_try(text, overrides, &scenario, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s\n%s", text, all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return scenario;
}

static inline fw_scenario *scenario_from(const char *text) {
  return scenario_with(text, NULL);
}

/* Runs one arm; clear the result with fw_result_clear. */
static inline fw_result run_observed(const fw_scenario *scenario, fw_run_options options) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_result result = {0};
  char buffer[2000];
  const fw_status status = fw_run(scenario, &options, &result, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return result;
}

static inline fw_result run_seed(const fw_scenario *scenario, uint64_t seed) {
  return run_observed(scenario, (fw_run_options){.seed = seed});
}

/* Parses, runs the first arm with the scenario's seed, and frees the scenario. */
static inline fw_result run_text(const char *text) {
  fw_scenario *scenario = scenario_from(text);
  const fw_result result = run_seed(scenario, scenario->seed);
  fw_scenario_free(scenario);
  return result;
}

/* Energies are 128 bits wide, which neither Criterion nor printf can show: compared here, shown in joules. */
static inline void expect_energy(fw_energy_pj got, fw_energy_pj wanted, const char *what) {
  char left[FW_UNITS_TEXT_SIZE];
  char right[FW_UNITS_TEXT_SIZE];
  cr_expect(got == wanted, "%s: %s J, expected %s J", what, fw_energy_format(got, left),
            fw_energy_format(wanted, right));
}

static inline fw_energy_pj joules(int64_t whole) {
  return (fw_energy_pj)whole * FW_PJ_PER_J;
}

#endif

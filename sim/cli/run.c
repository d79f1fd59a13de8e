/* fleetwatt run */
#include <stdio.h>

#include "sim/cli/scenario_flags.h"
#include "sim/cli/series.h"

static int run(int argc, char **argv);

const fwi_command fwi_run_command = {"run", "one run of one policy, with its details", "SCENARIO",
                                     "fleetwatt run scenarios/job72b-live.json --policies static-4 --series out.csv",
                                     run};

typedef struct run_flags {
  fwi_scenario_flags scenario;
  uint64_t seed;
  const char *series;
} run_flags;

/* Runs with the series written along when one is asked for. */
static fw_status simulate(const fw_scenario *scenario, const run_flags *flags, uint64_t seed, fw_result *result,
                          fw_diagnostics *diagnostics) {
  fw_run_options options = {.seed = seed, .all_domains = true, .threads = (unsigned)flags->scenario.threads};
  if (flags->series == NULL) {
    return fw_run(scenario, &options, result, diagnostics);
  }
  fwi_series_writer writer = {0};
  fw_status status = fwi_series_open(&writer, flags->series, scenario, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  options.observer = &writer.observer;
  status = fw_run(scenario, &options, result, diagnostics);
  return fwi_series_close(&writer, status, diagnostics);
}

static void as_text(const void *report, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_run_text(report, diagnostics, out);
}

static void as_json(const void *report, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_run_json(report, diagnostics, out);
}

static fw_status run_scenario(const char *path, const void *values, fw_diagnostics *diagnostics) {
  const run_flags *flags = values;
  fw_scenario *scenario = NULL;
  fw_status status = fwi_read_scenario(path, &flags->scenario, &scenario, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  fw_result result = {0};
  const uint64_t seed = flags->seed != UINT64_MAX ? flags->seed : scenario->seed;
  status = fw_authority_warn(scenario, 1, FW_AUTHORITY_THRESHOLD, diagnostics);
  status = status == FW_OK ? simulate(scenario, flags, seed, &result, diagnostics) : status;
  if (status == FW_OK) {
    const fw_report_run report = {scenario, 0, 0, seed, &result};
    status = fwi_deliver(&flags->scenario, as_text, as_json, &report, diagnostics);
    fw_result_clear(&result);
  }
  fw_scenario_free(scenario);
  return status;
}

static int run(int argc, char **argv) {
  run_flags values = {.seed = UINT64_MAX};
  const fwi_flag flags[] = {
      {"--policies", FWI_FLAG_WORDS, &values.scenario.policies, "NAME", "the policy to run (default: the first)"},
      {"--oversubscription", FWI_FLAG_NUMBERS, &values.scenario.oversubscription, "X",
       "this ratio instead of the file's first budget"},
      {"--seed", FWI_FLAG_UNSIGNED, &values.seed, "N", "seed instead of the file's"},
      FWI_HOURS_FLAG(values.scenario),
      {"--series", FWI_FLAG_TEXT, &values.series, "FILE", "write power as CSV, and events and actuators beside it"},
      FWI_TRACE_FLAG(values.scenario),
      {"--threads", FWI_FLAG_UNSIGNED, &values.scenario.threads, "N",
       "threads for the jobs of a large fleet; results do not depend on it (default: 1)"},
      FWI_JSON_FLAG(values.scenario),
      FWI_OUTPUT_FLAG(values.scenario),
      FWI_SAVE_FLAG(values.scenario),
  };
  const fwi_invocation invocation = {&fwi_run_command, flags, sizeof flags / sizeof flags[0], run_scenario, &values};
  const int exit_status = fwi_invoke(&invocation, argc, argv);
  fwi_words_clear(&values.scenario.policies);
  return exit_status;
}

/* fleetwatt compare */
#include <stdio.h>

#include "sim/cli/scenario_flags.h"

static int run(int argc, char **argv);

const fwi_command fwi_compare_command = {
    "compare", "all policies at all budgets of a scenario, on the same random numbers", "SCENARIO",
    "fleetwatt compare scenarios/fleet16-staggered.json --seeds 30 --hours 24", run};

static void as_text(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_compare_text(result, diagnostics, out);
}

static void as_json(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_compare_json(result, diagnostics, out);
}

static fw_status compare(const char *path, const void *values, fw_diagnostics *diagnostics) {
  const fwi_scenario_flags *flags = values;
  fw_scenario *scenario = NULL;
  fw_status status = fwi_read_scenario(path, flags, &scenario, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  fwi_progress progress = fwi_progress_start("compare");
  const fw_compare_options options = {.threads = (unsigned)flags->threads,
                                      .progress = fwi_progress_show,
                                      .progress_context = &progress,
                                      .cancel = fwi_watch_interrupt()};
  fw_compare_result result;
  status = fw_authority_warn(scenario, scenario->policy_count, FW_AUTHORITY_THRESHOLD, diagnostics);
  status = status == FW_OK ? fw_compare(scenario, &options, &result, diagnostics) : status;
  fwi_progress_end(&progress);
  if (status == FW_OK) {
    status = fwi_deliver(flags, as_text, as_json, &result, diagnostics);
    fw_compare_clear(&result);
  }
  fw_scenario_free(scenario);
  return status;
}

static int run(int argc, char **argv) {
  fwi_scenario_flags values = {0};
  const fwi_flag flags[] = {
      FWI_HOURS_FLAG(values),
      {"--seeds", FWI_FLAG_UNSIGNED, &values.seeds, "N", "replications of each arm instead of the file's"},
      {"--policies", FWI_FLAG_WORDS, &values.policies, "A,B", "only these of the file's policies"},
      {"--oversubscription", FWI_FLAG_NUMBERS, &values.oversubscription, "X,Y",
       "these ratios instead of the file's budgets"},
      FWI_TRACE_FLAG(values),
      FWI_THREADS_FLAG(values),
      FWI_JSON_FLAG(values),
      FWI_OUTPUT_FLAG(values),
      FWI_SAVE_FLAG(values),
  };
  const fwi_invocation invocation = {&fwi_compare_command, flags, sizeof flags / sizeof flags[0], compare, &values};
  const int exit_status = fwi_invoke(&invocation, argc, argv);
  fwi_words_clear(&values.policies);
  return exit_status;
}

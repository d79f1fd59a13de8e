/* fleetwatt compare */
#include <stdio.h>

#include "sim/cli/scenario_flags.h"

static int run(int argc, char **argv);

static const fwi_rule rules[] = {{"--window", FWI_NEEDS, "--equal-rate", "it says at which window that is"}, {0}};

const fwi_command fwi_compare_command = {
    "compare", "all policies at all budgets of a scenario, on the same random numbers",    "SCENARIO",
    rules,     "fleetwatt compare scenarios/fleet16-staggered.json --seeds 30 --hours 24", run};

typedef struct compare_flags {
  fwi_scenario_flags scenario;
  double equal_percent;
  double window_s;
} compare_flags;

static void as_text(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_compare_text(result, diagnostics, out);
}

static void as_json(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_compare_json(result, diagnostics, out);
}

static fw_status check_rate(const compare_flags *flags, fw_diagnostics *diagnostics) {
  return flags->equal_percent < 100.0
             ? FW_OK
             : fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                        "--equal-rate %g: expected a share of time below 100 percent", flags->equal_percent);
}

/* Which window --equal-rate is about, as an index. */
static fw_status find_window(const fw_scenario *scenario, double window_s, size_t *window,
                             fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < scenario->window_count; i++) {
    if (fw_time_to_seconds(scenario->windows[i]) == window_s) {
      *window = i;
      return FW_OK;
    }
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "--window: the scenario has no window of %g s; give one of its windows_s", window_s);
}

static fw_status compare(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  const compare_flags *own = values;
  const fwi_scenario_flags *flags = &own->scenario;
  fw_scenario *scenario = NULL;
  size_t window = 0;
  fw_status status = check_rate(own, diagnostics);
  status = status == FW_OK ? fwi_read_scenario(operands->values[0], flags, &scenario, diagnostics) : status;
  if (status == FW_OK && own->equal_percent > 0.0) {
    status = find_window(scenario, own->window_s, &window, diagnostics);
  }
  if (status != FW_OK) {
    fw_scenario_free(scenario);
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
    result.equal_rate = own->equal_percent / 100.0;
    result.equal_window = window;
    status = fwi_deliver(flags, as_text, as_json, &result, diagnostics);
    fw_compare_clear(&result);
  }
  fw_scenario_free(scenario);
  return status;
}

static int run(int argc, char **argv) {
  compare_flags values = {.window_s = 30.0};
  const fwi_flag flags[] = {
      FWI_HOURS_FLAG(values.scenario),
      {"--seeds", FWI_FLAG_COUNT, &values.scenario.seeds, "N", "replications of each arm instead of the file's"},
      {"--policies", FWI_FLAG_WORDS, &values.scenario.policies, "A,B", "only these of the file's policies"},
      {"--oversubscription", FWI_FLAG_NUMBERS, &values.scenario.oversubscription, "X,Y",
       "these ratios instead of the file's budgets"},
      {"--equal-rate", FWI_FLAG_NUMBER, &values.equal_percent, "P",
       "also give tokens at P percent of time above the budget, between the arms of each kind of policy"},
      {"--window", FWI_FLAG_NUMBER, &values.window_s, "S", "window of --equal-rate in seconds (default 30)"},
      FWI_TRACE_FLAG(values.scenario),
      FWI_THREADS_FLAG(values.scenario),
      FWI_JSON_FLAG(values.scenario),
      FWI_OUTPUT_FLAG(values.scenario),
      FWI_SAVE_FLAG(values.scenario),
  };
  const fwi_invocation invocation = {
      &fwi_compare_command, flags, sizeof flags / sizeof flags[0], compare, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

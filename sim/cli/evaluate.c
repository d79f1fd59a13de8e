/* fleetwatt evaluate */
#include "sim/cli/scenario_flags.h"
#include "sim/report/trained_report.h"

static int run(int argc, char **argv);

const fwi_command fwi_evaluate_command = {
    "evaluate", "trained policies on held-out runs: how many pass, and the interquartile mean",   "SCENARIO WEIGHTS...",
    NULL,       "fleetwatt evaluate scenarios/job72b-live.json --seeds 100 job72b-*.safetensors", run};

typedef struct evaluate_flags {
  fwi_scenario_flags scenario;
  fwi_words classes;
  double window_s;
  double limit_percent;
} evaluate_flags;

static void as_text(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_evaluate_text(result, diagnostics, out);
}

static void as_json(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_evaluate_json(result, diagnostics, out);
}

static fw_status evaluate(const fw_scenario *scenario, const fwi_operands *operands, const evaluate_flags *flags,
                          fw_diagnostics *diagnostics) {
  fwi_progress progress = fwi_progress_start("evaluate");
  fw_evaluate_options options = {.scenario = scenario,
                                 .weights = operands->values + 1,
                                 .weight_count = operands->count - 1,
                                 .classes = flags->classes.values,
                                 .class_count = flags->classes.count,
                                 .limit = flags->limit_percent / 100.0,
                                 .study = {.threads = (unsigned)flags->scenario.threads,
                                           .progress = fwi_progress_show,
                                           .progress_context = &progress,
                                           .cancel = fwi_watch_interrupt()}};
  fw_evaluate_result result = {0};
  if (!fw_time_from_seconds(flags->window_s, &options.window)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--window: expected at most 292 years, in s");
  }
  fw_status status = fw_evaluate(&options, &result, diagnostics);
  fwi_progress_end(&progress);
  if (status == FW_OK) {
    status = fwi_deliver(&flags->scenario, as_text, as_json, &result, diagnostics);
    fw_evaluate_clear(&result);
  }
  return status;
}

static fw_status act(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  const evaluate_flags *flags = values;
  fw_scenario *scenario = NULL;
  fw_status status = fwi_read_scenario(operands->values[0], &flags->scenario, &scenario, diagnostics);
  status = status == FW_OK ? evaluate(scenario, operands, flags, diagnostics) : status;
  fw_scenario_free(scenario);
  return status;
}

static int run(int argc, char **argv) {
  evaluate_flags values = {.window_s = 30.0, .limit_percent = 2.5};
  const fwi_flag flags[] = {
      {"--classes", FWI_FLAG_WORDS, &values.classes, "A,B", "job classes that the policies control (default all)"},
      {"--window", FWI_FLAG_NUMBER, &values.window_s, "S", "window at which a policy passes, in seconds (default 30)"},
      {"--limit", FWI_FLAG_NUMBER, &values.limit_percent, "P",
       "percent of time above the budget with which it passes (default 2.5)"},
      {"--seeds", FWI_FLAG_COUNT, &values.scenario.seeds, "N", "held-out runs instead of the file's seeds"},
      {"--policies", FWI_FLAG_WORDS, &values.scenario.policies, "A,B", "arms of the scenario to read (default all)"},
      FWI_HOURS_FLAG(values.scenario),
      FWI_THREADS_FLAG(values.scenario),
      FWI_JSON_FLAG(values.scenario),
      FWI_OUTPUT_FLAG(values.scenario),
      FWI_SAVE_FLAG(values.scenario),
  };
  const fwi_invocation invocation = {&fwi_evaluate_command, flags, sizeof flags / sizeof flags[0], act, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

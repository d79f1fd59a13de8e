/* fleetwatt authority */
#include <stdio.h>

#include "sim/cli/scenario_flags.h"

static int run(int argc, char **argv);

const fwi_command fwi_authority_command = {
    "authority", "what each actuator does to power and throughput, one by one", "SCENARIO",
    NULL,        "fleetwatt authority scenarios/job72b-live.json --seeds 30",   run};

typedef struct authority_flags {
  fwi_scenario_flags scenario;
  double window_s;
  double threshold_percent;
} authority_flags;

static fw_status sweep(const fw_scenario *scenario, const authority_flags *flags, fw_authority_result *result,
                       fw_diagnostics *diagnostics) {
  fwi_progress progress = fwi_progress_start("authority");
  fw_authority_options options = {.threshold = flags->threshold_percent / 100.0,
                                  .study = {.threads = (unsigned)flags->scenario.threads,
                                            .progress = fwi_progress_show,
                                            .progress_context = &progress,
                                            .cancel = fwi_watch_interrupt()}};
  if (!fw_time_from_seconds(flags->window_s, &options.window) || options.window == 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--window: expected between 1 ns and 292 years, in s");
  }
  const fw_status status = fw_authority(scenario, &options, result, diagnostics);
  fwi_progress_end(&progress);
  return status;
}

static void as_text(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_authority_text(result, diagnostics, out);
}

static void as_json(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_authority_json(result, diagnostics, out);
}

static fw_status authority(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  const authority_flags *flags = values;
  fw_scenario *scenario = NULL;
  fw_authority_result result = {0};
  fw_status status = fwi_read_scenario(operands->values[0], &flags->scenario, &scenario, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  status = sweep(scenario, flags, &result, diagnostics);
  if (status == FW_OK) {
    status = fwi_deliver(&flags->scenario, as_text, as_json, &result, diagnostics);
    fw_authority_clear(&result);
  }
  fw_scenario_free(scenario);
  return status;
}

static int run(int argc, char **argv) {
  authority_flags values = {.window_s = fw_time_to_seconds(FW_AUTHORITY_WINDOW),
                            .threshold_percent = 100.0 * FW_AUTHORITY_THRESHOLD};
  const fwi_flag flags[] = {
      FWI_HOURS_FLAG(values.scenario),
      {"--seeds", FWI_FLAG_COUNT, &values.scenario.seeds, "N", "runs at each setting instead of the file's"},
      {"--window", FWI_FLAG_NUMBER, &values.window_s, "S", "window of the peak swing in seconds (default 30)"},
      {"--threshold", FWI_FLAG_NUMBER, &values.threshold_percent, "P",
       "swing in percent from which on an actuator moves something (default 2)"},
      FWI_TRACE_FLAG(values.scenario),
      FWI_THREADS_FLAG(values.scenario),
      FWI_JSON_FLAG(values.scenario),
      FWI_OUTPUT_FLAG(values.scenario),
      FWI_SAVE_FLAG(values.scenario),
  };
  const fwi_invocation invocation = {
      &fwi_authority_command, flags, sizeof flags / sizeof flags[0], authority, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

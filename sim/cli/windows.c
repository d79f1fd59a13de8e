/* fleetwatt windows */
#include <stdio.h>

#include "sim/cli/recording_flags.h"

static int run(int argc, char **argv);

const fwi_command fwi_windows_command = {"windows",
                                         "judge a recorded power CSV at every window",
                                         "RECORDING",
                                         NULL,
                                         "fleetwatt windows power.csv --budget 549 --windows 0.5,10,30,300",
                                         run};

typedef struct windows_flags {
  double budget_w;
  fwi_numbers windows_s;
  const char *kind;
  bool json;
  const char *output;
} windows_flags;

static fw_status judge(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  const windows_flags *flags = values;
  fw_time_ns windows[FWI_LIST_LIMIT];
  fw_windows_options options = {.path = operands->values[0],
                                .kind_if_unstated = FW_SERIES_INSTANT,
                                .has_budget = flags->budget_w > 0.0,
                                .windows = windows,
                                .window_count = flags->windows_s.count};
  fw_status status = fwi_read_series_kind(flags->kind, &options.kind_if_unstated, diagnostics);
  if (!fw_power_from_watts(flags->budget_w, &options.budget)) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--budget is too large");
  }
  for (size_t i = 0; i < flags->windows_s.count; i++) {
    if (!fw_time_from_seconds(flags->windows_s.values[i], &windows[i])) {
      status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--windows: %g s is too long",
                        flags->windows_s.values[i]);
    }
  }
  fw_windows_result result = {0};
  status = status == FW_OK ? fw_windows_study(&options, &result, diagnostics) : status;
  if (status == FW_OK) {
    fw_text text = FW_TEXT_INIT;
    if (flags->json) {
      fw_report_windows_json(&result, diagnostics, &text);
    } else {
      fw_report_windows_text(&result, &text);
    }
    status = fwi_output(&text, flags->output, diagnostics);
    fw_text_clear(&text);
    fw_windows_clear(&result);
  }
  return status;
}

static int run(int argc, char **argv) {
  windows_flags values = {.windows_s = {{0.5, 10.0, 30.0, 300.0}, 4}, .kind = "instant"};
  const fwi_flag flags[] = {
      {"--budget", FWI_FLAG_NUMBER, &values.budget_w, "W", "budget of all GPUs together, in watts"},
      {"--windows", FWI_FLAG_NUMBERS, &values.windows_s, "S,S", "windows in seconds (default 0.5,10,30,300)"},
      {"--kind", FWI_FLAG_TEXT, &values.kind, "KIND",
       "instant, mean_from or mean_to, where the file does not say (default instant)"},
      {"--json", FWI_FLAG_SWITCH, &values.json, NULL, "print JSON instead of tables"},
      {"--output", FWI_FLAG_OUTPUT, &values.output, "FILE", "write to FILE instead of standard output"},
  };
  const fwi_invocation invocation = {&fwi_windows_command, flags, sizeof flags / sizeof flags[0], judge, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

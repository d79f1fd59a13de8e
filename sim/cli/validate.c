/* fleetwatt validate */
#include <string.h>

#include "sim/cli/recording_flags.h"
#include "sim/report/fidelity_report.h"
#include "sim/study/calibrate/validate.h"

static int run(int argc, char **argv);

static const fwi_rule rules[] = {FWI_RECORDING_RULES, {0}};

const fwi_command fwi_validate_command = {
    "validate",
    "hold a job model against recordings, by simulating what the job did in them",
    "MODEL RECORDING...",
    rules,
    "fleetwatt validate my-job.json wednesday.csv\n"
    "  fleetwatt validate my-job.json power.csv --counters engine.csv --windows 0.5,30 --json",
    run};

typedef struct validate_flags {
  fwi_recording_flags recording;
  fwi_numbers windows_s;
  uint64_t seeds;
  uint64_t threads;
  bool strict;
  bool json;
  const char *output;
  bool failed; /* a bar was missed, and --strict asks for all */
} validate_flags;

static fw_status read_windows(const fwi_numbers *seconds, fw_time_ns *out, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < seconds->count; i++) {
    if (fw_time_from_seconds(seconds->values[i], &out[i])) continue;
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--windows: %g s is too long", seconds->values[i]);
  }
  return FW_OK;
}

static fw_status print(const validate_flags *flags, const fw_validation *validation, fw_diagnostics *diagnostics) {
  const fw_report_fidelity report = {.model = validation->model,
                                     .runs = validation->runs,
                                     .run_count = validation->run_count,
                                     .summaries = validation->summaries,
                                     .limits = &fw_fidelity_default_limits};
  fw_text text = FW_TEXT_INIT;
  if (flags->json) {
    fw_report_fidelity_json(&report, diagnostics, &text);
  } else {
    fw_report_fidelity_text(&report, diagnostics, &text);
  }
  const fw_status status = fwi_output(&text, flags->output, diagnostics);
  fw_text_clear(&text);
  return status;
}

/* What a reader of the scores has to know of the simulations. */
static void warn(const fw_validation *validation, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < validation->run_count; i++) {
    const fw_place place = {.file = validation->runs[i].name};
    char number[FW_NUMBER_TEXT_SIZE];
    if (validation->about[i].extrapolated) {
      fw_warning(diagnostics, place, "the job left the range that the model was fitted in");
    }
    if (validation->about[i].clamp_bias_w > 1.0 || validation->about[i].clamp_bias_w < -1.0) {
      fw_warning(diagnostics, place,
                 "limits of the board moved the mean by %s W a GPU: is it the GPU that was recorded?",
                 fw_number_format(validation->about[i].clamp_bias_w, 3, number));
    }
  }
}

/* Whether a run misses a bar that it is held to. */
static bool misses(const fw_validation *validation, size_t windows) {
  for (size_t r = 0; r < validation->run_count; r++) {
    for (size_t i = 0; i < windows * FW_FIDELITY_METRICS; i++) {
      const fw_fidelity_window *window = &validation->runs[r].signals[0].windows[i / FW_FIDELITY_METRICS];
      const fw_fidelity_metric metric = (fw_fidelity_metric)(i % FW_FIDELITY_METRICS);
      if (fw_fidelity_judge(window, metric, &fw_fidelity_default_limits).verdict == FW_FIDELITY_MISSED) return true;
    }
  }
  return false;
}

static fw_status validate(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  validate_flags *flags = values;
  if (flags->seeds > 10000) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--seeds: expected 1 to 10000");
  }
  fwi_operands traces = {.count = operands->count - 1};
  for (size_t i = 0; i < traces.count; i++)
    traces.values[i] = operands->values[i + 1];
  fw_occupancy_options runs[FWI_LIST_LIMIT];
  fw_time_ns windows[FWI_LIST_LIMIT];
  fw_status status = fwi_read_recording_flags(&flags->recording, &traces, runs, diagnostics);
  if (status == FW_OK) status = read_windows(&flags->windows_s, windows, diagnostics);
  if (status != FW_OK) return status;
  fwi_progress progress = fwi_progress_start("validate");
  const fw_study_options study = {.threads = (unsigned)flags->threads,
                                  .progress = fwi_progress_show,
                                  .progress_context = &progress,
                                  .cancel = fwi_watch_interrupt()};
  const fw_validate_options options = {.model = operands->values[0],
                                       .runs = runs,
                                       .run_count = traces.count,
                                       .seeds = (size_t)flags->seeds,
                                       .windows = windows,
                                       .window_count = flags->windows_s.count,
                                       .share = fwi_share_folder()};
  fw_validation validation = {0};
  status = fw_validate(&options, &study, &validation, diagnostics);
  fwi_progress_end(&progress);
  if (status == FW_OK) {
    warn(&validation, diagnostics);
    status = print(flags, &validation, diagnostics);
    flags->failed = flags->strict && misses(&validation, flags->windows_s.count);
  }
  fw_validation_clear(&validation);
  return status;
}

static int run(int argc, char **argv) {
  validate_flags values = {
      .recording = FWI_RECORDING_DEFAULTS, .windows_s = {{0.5, 1.0, 10.0, 30.0, 300.0}, 5}, .seeds = 20};
  const fwi_flag flags[] = {
      FWI_RECORDING_FLAGS(values.recording),
      {"--windows", FWI_FLAG_NUMBERS, &values.windows_s, "S,S", "windows in seconds (default 0.5,1,10,30,300)"},
      {"--seeds", FWI_FLAG_COUNT, &values.seeds, "N", "simulations of each recording (default 20)"},
      {"--strict", FWI_FLAG_SWITCH, &values.strict, NULL, "end with status 1 where a bar is missed"},
      {"--threads", FWI_FLAG_COUNT, &values.threads, "N", "threads; results do not depend on it (default: all)"},
      {"--json", FWI_FLAG_SWITCH, &values.json, NULL, "print JSON instead of tables"},
      {"--output", FWI_FLAG_OUTPUT, &values.output, "FILE", "write to FILE instead of standard output"},
  };
  const fwi_invocation invocation = {&fwi_validate_command, flags, sizeof flags / sizeof flags[0], validate, &values,
                                     &values.failed};
  return fwi_invoke(&invocation, argc, argv);
}

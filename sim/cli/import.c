/* fleetwatt import */
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/report/import_report.h"
#include "traces/import.h"

static int run(int argc, char **argv);

static const fwi_rule rules[] = {{"--gpus", FWI_EXCLUDES, "--id-column", "that says which GPU a row is of"},
                                 {"--split-on-header", FWI_EXCLUDES, "--join", "one takes apart, one puts together"},
                                 {0}};

const fwi_command fwi_import_command = {"import",
                                        "turn telemetry logs into one clean recording, with a quality report",
                                        "LOG...",
                                        rules,
                                        "fleetwatt import nvidia-smi.csv -o trace.csv",
                                        run};

typedef struct import_flags {
  const char *output;
  const char *format;
  fw_import_options options;
  uint64_t gpus;
  double interval_s;
  const char *start;
  fwi_words zones;
  fwi_words only;
  double max_power_w;
  double span_s;
  bool bridged;
  bool json;
} import_flags;

static fw_status bad_flag(fw_diagnostics *diagnostics, const char *flag, const char *value, const char *wanted) {
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s %s: expected %s", flag, value, wanted);
}

static fw_status read_format(const char *name, fw_import_format *out, fw_diagnostics *diagnostics) {
  size_t count = 0;
  for (; fw_import_format_names[count] != NULL; count++) {
    if (strcmp(fw_import_format_names[count], name) != 0) continue;
    *out = (fw_import_format)count;
    return FW_OK;
  }
  const char *nearest = fw_nearest_word(name, fw_import_format_names, count);
  return bad_flag(diagnostics, "--format", name,
                  nearest != NULL ? nearest : "auto, smi, dmon, dcgmi, prometheus, range-json, grafana or csv");
}

static fw_status bad_number(fw_diagnostics *diagnostics, const char *flag, double value, const char *wanted) {
  char number[FW_NUMBER_TEXT_SIZE];
  return bad_flag(diagnostics, flag, fw_number_format(value, 6, number), wanted);
}

/* 0: the flag was not given. What is given is above 0, and must not round to it. */
static fw_status read_seconds(const char *flag, double seconds, fw_time_ns *out, fw_diagnostics *diagnostics) {
  const bool fits = fw_time_from_seconds(seconds, out) && (seconds == 0.0 || *out > 0);
  return fits ? FW_OK : bad_number(diagnostics, flag, seconds, "between 1 ns and 292 years, in s");
}

static fw_status read_max_power(double watts, fw_power_mw *out, fw_diagnostics *diagnostics) {
  const bool fits = fw_power_from_watts(watts, out) && (watts == 0.0 || *out > 0);
  return fits ? FW_OK : bad_number(diagnostics, "--max-power", watts, "watts, from 0.001 on");
}

static fw_status read_zones(const fwi_words *words, fw_time_ns *offsets, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < words->count; i++) {
    if (fw_import_zone_parse(words->values[i], &offsets[i])) continue;
    return bad_flag(diagnostics, "--tz", words->values[i], "offsets such as +02:00, -0330 or UTC, separated by commas");
  }
  return FW_OK;
}

/* What the flags say in other units than the options. */
static fw_status complete_options(import_flags *flags, fw_time_ns *offsets, fw_diagnostics *diagnostics) {
  fw_import_options *options = &flags->options;
  fw_status status = read_format(flags->format, &options->format, diagnostics);
  if (status == FW_OK) status = read_seconds("--interval", flags->interval_s, &options->interval, diagnostics);
  if (status == FW_OK) status = read_seconds("--span", flags->span_s, &options->span, diagnostics);
  if (status == FW_OK && flags->start != NULL && !fw_import_time_parse(flags->start, &options->start)) {
    status = bad_flag(diagnostics, "--start", flags->start, "seconds, or a time such as 2024-05-06T10:00:00Z");
  }
  if (status == FW_OK) status = read_max_power(flags->max_power_w, &options->max_power, diagnostics);
  if (status == FW_OK && flags->gpus > 100000) {
    status = bad_number(diagnostics, "--gpus", (double)flags->gpus, "at most 100000");
  }
  if (status == FW_OK) status = read_zones(&flags->zones, offsets, diagnostics);
  options->gpu_count = (size_t)flags->gpus;
  options->only = flags->only.values;
  options->only_count = flags->only.count;
  options->zone_offsets = offsets;
  options->zone_count = flags->zones.count;
  return status;
}

static fw_status print_report(const fw_import_report *report, const import_flags *flags, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  if (flags->json) {
    fw_report_import_json(report, flags->bridged, diagnostics, &text);
  } else {
    fw_report_import_text(report, flags->bridged, &text);
  }
  fw_status status = fwi_output(&text, NULL, diagnostics);
  fw_text_clear(&text);
  return status;
}

static fw_status import_logs(const fwi_operands *logs, const import_flags *flags, fw_diagnostics *diagnostics) {
  fw_import_input inputs[FWI_LIST_LIMIT] = {{0}};
  fw_import_writer *writer = NULL;
  fw_import_sink sink = {0};
  fw_import_report report = {0};
  for (size_t i = 0; i < logs->count; i++)
    inputs[i].name = logs->values[i];
  fw_status status = FW_OK;
  if (flags->output != NULL) {
    status = fw_import_writer_open(&writer, flags->output, diagnostics);
    if (status != FW_OK) return status;
    sink = fw_import_writer_sink(writer);
  }
  status = fw_import_run(inputs, logs->count, &flags->options, writer != NULL ? &sink : NULL, &report, diagnostics);
  if (status == FW_OK && writer != NULL) {
    status = fw_import_writer_commit(writer, diagnostics);
    writer = NULL;
  }
  fw_import_writer_abandon(writer);
  if (status == FW_OK) status = print_report(&report, flags, diagnostics);
  fw_import_report_clear(&report);
  return status;
}

static fw_status act(const fwi_operands *logs, void *values, fw_diagnostics *diagnostics) {
  import_flags *flags = values;
  fw_time_ns offsets[FWI_LIST_LIMIT];
  const fw_status status = complete_options(flags, offsets, diagnostics);
  return status == FW_OK ? import_logs(logs, flags, diagnostics) : status;
}

static int run(int argc, char **argv) {
  import_flags values = {.format = "auto"};
  fw_import_options *options = &values.options;
  const fwi_flag flags[] = {
      {"-o", FWI_FLAG_OUTPUT, &values.output, "FILE", "write the recording to FILE; without, only the report is made"},
      {"--json", FWI_FLAG_SWITCH, &values.json, NULL, "print the report as JSON"},
      {"--format", FWI_FLAG_TEXT, &values.format, "NAME",
       "auto, smi, dmon, dcgmi, prometheus, range-json, grafana or csv (default auto)"},
      {"--columns", FWI_FLAG_TEXT, &options->columns, "A,B,-",
       "what the columns of a CSV are, such as timestamp,index,power_w; - passes one over"},
      {"--power-column", FWI_FLAG_TEXT, &options->power_column, "NAME", "take power from this column or metric"},
      {"--id-column", FWI_FLAG_TEXT, &options->id_column, "NAME", "this column tells the GPUs apart"},
      {"--unit", FWI_FLAG_TEXT, &options->unit, "U", "W, mW or kW, for power without a unit"},
      {"--decimal-comma", FWI_FLAG_SWITCH, &options->decimal_comma, NULL, "numbers are written as 253,12"},
      {"--gpu-model", FWI_FLAG_TEXT, &options->gpu_model, "NAME", "such as A100: says what power.draw means"},
      {"--gpus", FWI_FLAG_COUNT, &values.gpus, "N", "rows go round N GPUs, where no column says which"},
      {"--only", FWI_FLAG_WORDS, &values.only, "ID,ID", "take these GPUs alone, named as in the report"},
      {"--interval", FWI_FLAG_NUMBER, &values.interval_s, "S", "seconds between samples, where there are no stamps"},
      {"--start", FWI_FLAG_TEXT, &values.start, "TIME", "time of the first sample, where there are no stamps"},
      {"--tz", FWI_FLAG_WORDS, &values.zones, "Z,Z", "zone of stamps without one: for all logs, or one for each"},
      {"--split-on-header", FWI_FLAG_SWITCH, &options->split_on_header, NULL,
       "a repeated header begins another node's log"},
      {"--join", FWI_FLAG_SWITCH, &options->join, NULL, "the logs are parts of one, not of several nodes"},
      {"--max-power", FWI_FLAG_NUMBER, &values.max_power_w, "W",
       "exclude readings above (default 2 x the power limit, else 2000)"},
      {"--span", FWI_FLAG_NUMBER, &values.span_s, "S", "seconds that the log should cover"},
      {"--bridged", FWI_FLAG_SWITCH, &values.bridged, NULL, "also say the energy with readings held across gaps"},
  };
  const fwi_invocation invocation = {&fwi_import_command, flags, sizeof flags / sizeof flags[0], act, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

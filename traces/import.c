/* An import: each input is opened, its format found and its reader run into one set of rules. */
#include "traces/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "traces/reader.h"

bool fw_import_zone_parse(const char *text, fw_time_ns *out) {
  return fwi_zone_parse(text, strlen(text), out);
}

bool fw_import_time_parse(const char *text, fw_time_ns *out) {
  size_t length = strlen(text);
  fwi_stamper seconds = {.unit = FWI_TIME_S}, date = {.unit = FWI_TIME_TEXT};
  return fwi_stamp_parse(&seconds, text, length, out) == FWI_STAMP_GOOD ||
         fwi_stamp_parse(&date, text, length, out) == FWI_STAMP_GOOD;
}

void fw_import_report_clear(fw_import_report *report) {
  for (size_t i = 0; i < report->source_count; i++) {
    free(report->sources[i].file);
    free(report->sources[i].name);
    free(report->sources[i].power_column);
  }
  for (size_t i = 0; i < report->gpu_count; i++)
    free(report->gpus[i].gpu);
  for (size_t i = 0; i < report->missing_kinds; i++)
    free(report->missing[i].spelling);
  free(report->sources);
  free(report->gpus);
  free(report->missing);
  free(report->events);
  *report = (fw_import_report){0};
}

/* --- the names of sources --- */

/* "logs/node_a.csv.gz" gives "node_a". */
static void stem_of(const char *path, fw_text *out) {
  const char *base = fw_path_name(path);
  size_t length = strcspn(base, ".");
  if (length > 0 && strcmp(base, "-") != 0) fw_text_add_bytes(out, base, length);
}

static bool is_taken(const fw_import_report *report, const char *name) {
  for (size_t i = 0; i < report->source_count; i++) {
    if (strcmp(report->sources[i].name, name) == 0) return true;
  }
  return false;
}

/* What stands before the '/' of the GPUs of an input; empty where there is no need. */
static fw_status name_source(const fwi_rules *rules, const fw_import_input *input, size_t index, fw_text *out) {
  fw_text_add(out, "");
  if (rules->prefixed) {
    stem_of(input->name, out);
    if (out->length == 0) fw_text_add_format(out, "input%zu", index + 1);
    if (!out->failed && is_taken(rules->report, out->data)) fw_text_add_format(out, "-%zu", index + 1);
  } else if (rules->options->split_on_header) {
    fw_text_add(out, "part1");
  }
  return out->failed ? fw_error_memory(rules->diagnostics, "the name of a source") : FW_OK;
}

/* --- options --- */

static fw_status refuse(fw_diagnostics *diagnostics, const char *message) {
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "%s", message);
}

static fw_status check_options(const fw_import_options *options, size_t input_count, fw_diagnostics *diagnostics) {
  if (input_count == 0) return refuse(diagnostics, "no log is given");
  if (options->zone_count > 1 && options->zone_count != input_count) {
    return refuse(diagnostics, "time zones: give one for all logs, or one for each");
  }
  if (options->split_on_header && input_count > 1) {
    return refuse(diagnostics, "splitting on headers works on one log: import the logs one by one");
  }
  if (options->join && input_count < 2) {
    return refuse(diagnostics, "--join makes several files one log: name all of them, or leave it out");
  }
  if (options->interval < 0 || options->span < 0 || options->max_power < 0) {
    return refuse(diagnostics, "interval, span and largest power must not be negative");
  }
  if (options->unit != NULL && fwi_scale_find(FWI_POWER_READING, options->unit, strlen(options->unit)) == NULL) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "unit \"%s\": it is W, mW or kW", options->unit);
  }
  return FW_OK;
}

static fw_time_ns offset_of(const fw_import_options *options, size_t index) {
  if (options->zone_count == 0) return 0;
  return options->zone_offsets[options->zone_count == 1 ? 0 : index];
}

/* --- one input --- */

static fw_status (*reader_of(fw_import_format format))(fwi_reader *) {
  switch (format) {
  case FW_IMPORT_SMI_DMON:
  case FW_IMPORT_DCGMI_DMON:
    return fwi_read_table;
  case FW_IMPORT_PROMETHEUS:
    return fwi_read_scrapes;
  case FW_IMPORT_RANGE_JSON:
    return fwi_read_range;
  case FW_IMPORT_GRAFANA:
    return fwi_read_wide;
  default:
    return fwi_read_csv;
  }
}

static fw_status find_format(fwi_reader *reader, fw_import_format *out) {
  *out = reader->options->format;
  if (*out != FW_IMPORT_AUTO) return FW_OK;
  *out = FW_IMPORT_CSV;
  if (reader->options->columns != NULL) return FW_OK;
  const fw_status status = fwi_detect_format(reader->source, out, reader->diagnostics);
  const bool named = reader->options->power_column != NULL || reader->options->id_column != NULL;
  if (*out == FW_IMPORT_GRAFANA && named) *out = FW_IMPORT_CSV; /* a panel's columns are all power */
  return status;
}

/* An option that a log has no use for is a mistake about the log. Here, those that its format has none for. */
static fw_status check_fit(const fwi_reader *reader, const char *name, fw_import_format format) {
  const fw_import_options *options = reader->options;
  const bool table = format == FW_IMPORT_SMI_CSV || format == FW_IMPORT_CSV;
  const char *option = NULL;
  if (!table && options->columns != NULL) {
    option = "--columns";
  } else if (!table && options->id_column != NULL) {
    option = "--id-column";
  } else if (!table && options->gpu_count > 0) {
    option = "--gpus";
  } else if (format == FW_IMPORT_GRAFANA && options->power_column != NULL) {
    option = "--power-column";
  }
  if (option == NULL) return FW_OK;
  return fw_error(reader->diagnostics, FW_ERROR_INPUT, (fw_place){.file = name},
                  "a log of format %s says itself what is what: leave out %s", fw_import_format_names[format], option);
}

static fw_status read_opened(fwi_reader *reader, const fw_import_input *input, size_t index) {
  fw_import_format format;
  fw_text name = FW_TEXT_INIT;
  fw_status status = find_format(reader, &format);
  if (status == FW_OK) status = check_fit(reader, input->name, format);
  if (status == FW_OK) status = name_source(reader->rules, input, index, &name);
  if (status == FW_OK) status = fwi_rules_source(reader->rules, input->name, name.data, format);
  if (status == FW_OK) status = reader_of(format)(reader);
  if (status == FW_OK) status = fwi_reader_check(reader);
  fw_text_clear(&name);
  if (status != FW_OK) return status;
  if (reader->source->bytes.cut) {
    fw_warning(
        reader->diagnostics, (fw_place){.file = input->name},
        "the file ends within its gzip data or within a UTF-16 character: it was cut; what came before was read");
  }
  reader->rules->needs_zone = reader->rules->needs_zone || reader->stamper.zone_missing;
  if (reader->stamper.zone_missing && reader->options->zone_count == 0) reader->rules->report->zone_assumed = true;
  return FW_OK;
}

static fw_status read_input(fwi_rules *rules, const fw_import_input *input, size_t index) {
  fwi_source source;
  const fw_import_options *options = rules->options;
  fwi_reader reader = {
      .source = &source,
      .rules = rules,
      .options = options,
      .diagnostics = rules->diagnostics,
      .unit = options->unit == NULL ? NULL : fwi_scale_find(FWI_POWER_READING, options->unit, strlen(options->unit)),
      .stamper = {.offset = offset_of(options, index)}};
  fw_status status = fwi_source_open(&source, input->name, input->text, input->length, rules->diagnostics);
  if (status == FW_OK) status = read_opened(&reader, input, index);
  fwi_cells_clear(&reader.cells);
  fwi_source_close(&source);
  return status;
}

/* And those that none of the logs had one for, as they say it themselves. */
static fw_status check_needed(const fwi_rules *rules, fw_diagnostics *diagnostics) {
  const fw_import_options *options = rules->options;
  if (options->unit != NULL && !rules->needs_unit) {
    return refuse(diagnostics, "--unit: all power in the log has one; leave it out");
  }
  if (options->zone_count > 0 && !rules->needs_zone) {
    return refuse(diagnostics, "--tz: no stamp lacks its zone; leave it out");
  }
  if (options->start != 0 && !rules->report->time_is_relative) {
    return refuse(diagnostics, "--start: the log has stamps; leave it out");
  }
  if (options->decimal_comma && !rules->needs_comma) {
    return refuse(diagnostics, "--decimal-comma: no number in the log has a comma; leave it out");
  }
  if (options->gpu_model != NULL && !rules->needs_model) {
    return refuse(diagnostics, "--gpu-model: nothing in the log hangs on it; leave it out");
  }
  return FW_OK;
}

fw_status fw_import_run(const fw_import_input *inputs, size_t input_count, const fw_import_options *options,
                        const fw_import_sink *sink, fw_import_report *report, fw_diagnostics *diagnostics) {
  *report = (fw_import_report){0};
  fw_status status = check_options(options, input_count, diagnostics);
  if (status != FW_OK) return status;
  fwi_rules rules;
  fwi_rules_begin(&rules, options, sink, report, diagnostics);
  rules.prefixed = input_count > 1 && !options->join;
  for (size_t i = 0; i < input_count && status == FW_OK; i++)
    status = read_input(&rules, &inputs[i], i);
  if (status == FW_OK) status = fwi_rules_end(&rules);
  if (status == FW_OK) status = check_needed(&rules, diagnostics);
  fwi_rules_clear(&rules);
  if (status != FW_OK) fw_import_report_clear(report);
  return status;
}

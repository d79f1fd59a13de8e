/* Answers of Prometheus' HTTP API to query_range and query, one or several after each other: numbers as strings, NaN
 * where there is none, steps that are simply absent. Values are placed by their time, never by their position. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "traces/builder.h"
#include "traces/json_pull.h"
#include "traces/labels.h"
#include "traces/reader.h"
#include "traces/steps.h"

typedef struct range_log {
  fwi_reader *reader;
  fwi_json_pull pull;
  fwi_identity identity;
  fw_text metric; /* __name__ of the present series; empty: none */
  fw_text labels; /* all of them, to tell series of one GPU apart */
  fw_text id;
  fw_text chosen; /* the metric that power comes from */
  bool has_chosen;
  bool has_labels; /* the present series' metric was read */
  fwi_steps steps;

} range_log;

static fw_place place_of(const range_log *log) {
  return (fw_place){log->reader->source->bytes.file, log->pull.line, 0, NULL};
}

static void set_status(range_log *log, fw_status status) {
  if (log->pull.status == FW_OK) log->pull.status = status;
}

static void copy_text(fw_text *to, const fw_text *from) {
  to->length = 0;
  fw_text_add_bytes(to, from->length > 0 ? from->data : "", from->length);
}

/* {"__name__":"...","gpu":"0",...} */
static void read_metric(range_log *log) {
  fw_text key = FW_TEXT_INIT;
  bool first = true;
  log->has_labels = true;
  log->metric.length = log->labels.length = 0;
  fwi_identity_reset(&log->identity);
  if (!fwi_json_expect(&log->pull, '{')) return;
  while (fwi_json_member(&log->pull, &first)) {
    copy_text(&key, &log->pull.text);
    if (!fwi_json_read_string(&log->pull)) break;
    const fw_text *value = &log->pull.text;
    if (key.length == 8 && memcmp(key.data, "__name__", 8) == 0) {
      copy_text(&log->metric, value);
    } else {
      fwi_identity_add(&log->identity, key.data, key.length, value->data, value->length);
    }
    if (log->labels.length > FWI_JSON_STRING_LIMIT) continue;
    fw_text_add_bytes(&log->labels, key.data, key.length);
    fw_text_add(&log->labels, "=");
    fw_text_add_bytes(&log->labels, value->data, value->length);
    fw_text_add(&log->labels, "\n");
  }
  if (key.failed || log->labels.failed || log->metric.failed) {
    set_status(log, fw_error_memory(log->reader->diagnostics, "the labels of a series"));
  }
  fw_text_clear(&key);
}

static fwi_field field_of(const range_log *log) {
  if (log->metric.length == 0) return (fwi_field){.role = FWI_ROLE_POWER, .scale = fwi_reader_unit(log->reader)};
  fwi_field field = fwi_field_of_name(log->metric.data, log->metric.length);
  const char *named = log->reader->options->power_column;
  if (named != NULL && fwi_same_name(named, strlen(named), log->metric.data, log->metric.length) &&
      field.role != FWI_ROLE_COUNTER) {
    field.role = FWI_ROLE_POWER;
  }
  if (field.scale == NULL && field.role != FWI_ROLE_COUNTER) field.scale = fwi_reader_unit(log->reader);
  return field;
}

static bool is_power(fwi_role role) {
  return role == FWI_ROLE_POWER || role == FWI_ROLE_INSTANT || role == FWI_ROLE_AVERAGE || role == FWI_ROLE_COUNTER;
}

/* The first metric that is power, or an energy counter, is the one; or the one that was asked for. */
static bool choose(range_log *log, fwi_field field) {
  const char *named = log->reader->options->power_column;
  if (log->has_chosen) {
    return log->chosen.length == log->metric.length &&
           (log->metric.length == 0 || memcmp(log->chosen.data, log->metric.data, log->metric.length) == 0);
  }
  if (!is_power(field.role)) return false;
  if (named != NULL &&
      !fwi_same_name(named, strlen(named), log->metric.length > 0 ? log->metric.data : "", log->metric.length)) {
    return false;
  }
  log->has_chosen = true;
  copy_text(&log->chosen, &log->metric);
  static const char nameless[] = "query result";
  bool derived = field.role == FWI_ROLE_COUNTER;
  fwi_shape shape = {.power_column = log->metric.length > 0 ? log->metric.data : nameless,
                     .power_column_length = log->metric.length > 0 ? log->metric.length : sizeof nameless - 1,
                     .derived = derived,
                     .kind = derived ? FW_SERIES_MEAN_TO : FW_SERIES_INSTANT};
  set_status(log, fwi_rules_shape(log->reader->rules, &shape));
  return true;
}

static void read_reading(range_log *log, fwi_field field, fwi_record *record, bool *good) {
  fwi_cell cell = {log->pull.text.data, log->pull.text.length};
  fwi_reading reading = fwi_reading_parse(fwi_role_quantity(field.role), field.scale, cell.text, cell.length);
  *good = reading.state != FWI_READING_BAD && reading.state != FWI_READING_NO_UNIT;
  if (reading.state == FWI_READING_NO_UNIT) {
    set_status(log, fwi_reader_no_unit(log->reader, log->metric.length > 0 ? log->metric.data : "the query's result",
                                       log->metric.length > 0 ? log->metric.length : 18, cell));
  } else if (!*good) {
    set_status(log, fwi_reader_unreadable(log->reader, "a value that is no number: dropped"));
  }
  if (field.role == FWI_ROLE_COUNTER) {
    record->counter = reading;
    record->has_counter = reading.state == FWI_READING_VALUE && reading.value >= 0;
  } else {
    record->has_power = true;
    record->power = reading;
  }
}

/* [1717000000,"300.5"] */
static void read_pair(range_log *log, fwi_field field) {
  fwi_json_pull *pull = &log->pull;
  fwi_record record = fwi_reader_record(log->reader);
  bool good, known;
  if (!fwi_json_expect(pull, '[') || !fwi_json_read_number(pull)) return;
  log->reader->source->line_number = pull->line;
  log->reader->stamper.unit = FWI_TIME_S;
  set_status(log, fwi_reader_time(log->reader, (fwi_cell){pull->text.data, pull->text.length}, &record.time, &good));
  if (!fwi_json_expect(pull, ',') || !fwi_json_read_string(pull)) return;
  log->reader->line_count++;
  record.line = pull->line;
  record.id = log->id.data;
  record.id_length = log->id.length;
  record.global_id = true;
  record.logger = log->labels.data;
  record.logger_length = log->labels.length;
  if (good) {
    read_reading(log, field, &record, &known);
    if (known && pull->status == FW_OK) set_status(log, fwi_rules_accept(log->reader->rules, &record));
  }
  if (record.sampled && !fwi_steps_add(&log->steps, record.time, record.power.value)) {
    set_status(log, fw_error_memory(log->reader->diagnostics, "the steps of a query"));
  }
  (void)fwi_json_expect(pull, ']');
}

static bool begin_series(range_log *log, fwi_field *field) {
  if (!log->has_labels) {
    fwi_json_fail(&log->pull, "a series whose values stand before its metric: this is no answer of Prometheus");
    return false;
  }
  *field = field_of(log);
  log->id.length = 0;
  (void)fwi_identity_write(&log->identity, &log->id);
  if (log->id.length == 0) fw_text_add(&log->id, "0");
  if (log->id.failed) set_status(log, fw_error_memory(log->reader->diagnostics, "the labels of a series"));
  bool wanted = choose(log, *field);
  if (!wanted) {
    log->reader->source->line_number = log->pull.line;
    set_status(log, fwi_rules_note(log->reader->rules, FW_IMPORT_OTHER_ENTITY, log->pull.line,
                                   "a series of another metric: passed over (--power-column chooses)"));
  }
  return wanted;
}

/* "values": [[t,"v"],...], or "value": [t,"v"] of an instant query. */
static void read_values(range_log *log, bool many) {
  fwi_field field;
  bool first = true;
  if (!begin_series(log, &field)) {
    if (log->pull.status == FW_OK) (void)fwi_json_skip(&log->pull);
    return;
  }
  if (!many) {
    read_pair(log, field);
    return;
  }
  if (!fwi_json_expect(&log->pull, '[')) return;
  while (fwi_json_element(&log->pull, &first))
    read_pair(log, field);
}

static void read_series(range_log *log) {
  bool first = true;
  log->has_labels = false;
  if (!fwi_json_expect(&log->pull, '{')) return;
  while (fwi_json_member(&log->pull, &first)) {
    if (fwi_json_text_is(&log->pull, "metric")) {
      read_metric(log);
    } else if (fwi_json_text_is(&log->pull, "values") || fwi_json_text_is(&log->pull, "value")) {
      read_values(log, log->pull.text.length == 6);
    } else {
      (void)fwi_json_skip(&log->pull);
    }
  }
}

static void read_data(range_log *log) {
  bool first = true, none = true;
  if (fwi_json_peek(&log->pull) != '{') {
    (void)fwi_json_skip(&log->pull);
    return;
  }
  (void)fwi_json_take(&log->pull, '{');
  while (fwi_json_member(&log->pull, &first)) {
    if (!fwi_json_text_is(&log->pull, "result")) {
      (void)fwi_json_skip(&log->pull);
      continue;
    }
    if (!fwi_json_expect(&log->pull, '[')) return;
    while (fwi_json_element(&log->pull, &none))
      read_series(log);
  }
}

static void refuse_error(range_log *log) {
  char shown[FW_SHOWN_SIZE];
  if (!fwi_json_read_string(&log->pull)) return;
  set_status(log, fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
                           "the server answered with an error: \"%s\": ask again",
                           fw_shown(log->pull.text.data, log->pull.text.length, shown)));
}

static void read_answer(range_log *log) {
  bool first = true;
  if (!fwi_json_expect(&log->pull, '{')) return;
  while (fwi_json_member(&log->pull, &first)) {
    if (fwi_json_text_is(&log->pull, "data")) {
      read_data(log);
    } else if (fwi_json_text_is(&log->pull, "error")) {
      refuse_error(log);
    } else {
      (void)fwi_json_skip(&log->pull);
    }
  }
}

static void report_steps(range_log *log, size_t gpus_before) {
  size_t expected = log->reader->rules->report->gpu_count - gpus_before;
  for (size_t i = 0; i < log->steps.count && !log->steps.full; i++) {
    fwi_rules_step(log->reader->rules, log->steps.data[i].count, expected, log->steps.data[i].sum);
  }
}

fw_status fwi_read_range(fwi_reader *reader) {
  range_log log = {.reader = reader};
  size_t gpus_before = reader->rules->report->gpu_count;
  fwi_json_pull_begin(&log.pull, reader->source, reader->diagnostics);
  do {
    read_answer(&log);
  } while (log.pull.status == FW_OK && fwi_json_peek(&log.pull) >= 0);
  fw_status status = log.pull.status;
  if (status == FW_OK) report_steps(&log, gpus_before);
  fwi_steps_clear(&log.steps);
  fwi_json_pull_clear(&log.pull);
  fwi_identity_clear(&log.identity);
  fw_text_clear(&log.metric);
  fw_text_clear(&log.labels);
  fw_text_clear(&log.id);
  fw_text_clear(&log.chosen);
  return status;
}

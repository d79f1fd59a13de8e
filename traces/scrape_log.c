/* Scrapes of an exporter: Prometheus text format and OpenMetrics, one scrape or several after each other.
 *
 * A scrape gives one row per GPU. Power and energy are those of the whole GPU: where a GPU is cut into MIG instances an
 * exporter repeats them for each, so of several lines of one GPU the largest counts and the others are noted. A scrape
 * ends at "# EOF", where its first family is announced again, or where its first series comes again. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "traces/builder.h"
#include "traces/labels.h"
#include "traces/reader.h"

#define SPELLING_SIZE ((size_t)32) /* a longer one is cut */

/* One GPU within the present scrape. Its readings are spelled in lines that are gone when the scrape ends, so the
 * spellings are kept here. */
typedef struct scraped_gpu {
  fw_text id;
  fwi_reading readings[FWI_ROLE_COUNT];
  char spellings[FWI_ROLE_COUNT][SPELLING_SIZE];
  bool has[FWI_ROLE_COUNT];
  bool stamped;
  fw_time_ns time;
  size_t line;
} scraped_gpu;

typedef struct scrape_log {
  fwi_reader *reader;
  scraped_gpu *gpus; /* all that were ever seen */
  size_t count;
  size_t capacity;
  size_t latest;
  size_t sample_count; /* in the present scrape */
  size_t scrape_count;
  fw_text first_family;
  fw_text first_series;
  fw_text power_name;
  fwi_identity identity;
  fw_text id;
  bool shaped;
  fwi_role power_role; /* FWI_ROLE_COUNTER: derived */
} scrape_log;

static fw_place place_of(const scrape_log *log) {
  return fwi_source_place(log->reader->source, 0);
}

static fw_status short_of_memory(const scrape_log *log) {
  return fw_error_memory(log->reader->diagnostics, "the series of a scrape");
}

/* --- the end of a scrape --- */

static bool any_has(const scrape_log *log, fwi_role role) {
  for (size_t i = 0; i < log->count; i++) {
    if (log->gpus[i].has[role]) return true;
  }
  return false;
}

static fw_status say_shape(scrape_log *log) {
  static const fwi_role order[] = {FWI_ROLE_POWER, FWI_ROLE_INSTANT, FWI_ROLE_AVERAGE, FWI_ROLE_COUNTER};
  static const char *const names[] = {"power usage", "power usage, instant", "power usage, average", "energy counter"};
  size_t chosen = 0;
  while (chosen < 3 && !any_has(log, order[chosen]))
    chosen++;
  log->power_role = order[chosen];
  bool derived = log->power_role == FWI_ROLE_COUNTER;
  const char *name = log->power_name.length > 0 && chosen == 0 ? log->power_name.data : names[chosen];
  fwi_shape shape = {.power_column = name,
                     .power_column_length = strlen(name),
                     .derived = derived,
                     .kind = derived ? FW_SERIES_MEAN_TO : FW_SERIES_INSTANT};
  shape.present[FW_IMPORT_INSTANT] = any_has(log, FWI_ROLE_INSTANT);
  shape.present[FW_IMPORT_LIMIT] = any_has(log, FWI_ROLE_LIMIT);
  shape.present[FW_IMPORT_UTILISATION] = any_has(log, FWI_ROLE_UTILISATION);
  shape.present[FW_IMPORT_TEMPERATURE] = any_has(log, FWI_ROLE_TEMPERATURE);
  log->shaped = true;
  return fwi_rules_shape(log->reader->rules, &shape);
}

static fw_status count_time(const scrape_log *log, fw_time_ns *out) {
  const fw_import_options *options = log->reader->options;
  log->reader->rules->report->time_is_relative = true;
  if (log->scrape_count > 0 && options->interval == 0) {
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
                    "several scrapes without time stamps: say how far they are apart with --interval S");
  }
  if (!__builtin_mul_overflow((fw_time_ns)log->scrape_count, options->interval, out) &&
      fw_time_add(*out, options->start, out) && *out <= FWI_TIME_LIMIT) {
    return FW_OK;
  }
  return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log), "scrapes x --interval is beyond 73 years");
}

static void take_value(const scraped_gpu *gpu, fwi_role role, int64_t *out) {
  if (gpu->has[role] && gpu->readings[role].state == FWI_READING_VALUE) *out = gpu->readings[role].value;
}

static fw_status hand_on(scrape_log *log, scraped_gpu *gpu, size_t *present, fw_power_mw *sum) {
  fwi_record record = fwi_reader_record(log->reader);
  record.id = gpu->id.data;
  record.id_length = gpu->id.length;
  record.global_id = true; /* it carries its host, or is a UUID */
  record.line = gpu->line;
  record.time = gpu->time;
  fw_status status = gpu->stamped ? FW_OK : count_time(log, &record.time);
  record.has_power = log->power_role != FWI_ROLE_COUNTER && gpu->has[log->power_role];
  if (record.has_power) {
    record.power = gpu->readings[log->power_role];
    record.power.spelling = gpu->spellings[log->power_role];
  }
  record.counter = gpu->readings[FWI_ROLE_COUNTER];
  record.has_counter = gpu->has[FWI_ROLE_COUNTER] && record.counter.value >= 0;
  take_value(gpu, FWI_ROLE_INSTANT, &record.values[FW_IMPORT_INSTANT]);
  take_value(gpu, FWI_ROLE_LIMIT, &record.values[FW_IMPORT_LIMIT]);
  take_value(gpu, FWI_ROLE_UTILISATION, &record.values[FW_IMPORT_UTILISATION]);
  take_value(gpu, FWI_ROLE_TEMPERATURE, &record.values[FW_IMPORT_TEMPERATURE]);
  log->reader->line_count++;
  if (status == FW_OK && (record.has_power || log->power_role == FWI_ROLE_COUNTER)) {
    status = fwi_rules_accept(log->reader->rules, &record);
  }
  if (!record.sampled) return status;
  ++*present;
  *sum += record.power.value;
  return status;
}

static fw_status end_scrape(scrape_log *log) {
  if (log->sample_count == 0) return FW_OK;
  fw_status status = log->shaped ? FW_OK : say_shape(log);
  size_t present = 0;
  fw_power_mw sum = 0;
  for (size_t i = 0; i < log->count; i++) {
    scraped_gpu *gpu = &log->gpus[i];
    if (status == FW_OK && gpu->line > 0) status = hand_on(log, gpu, &present, &sum);
    memset(gpu->has, 0, sizeof gpu->has);
    gpu->stamped = false;
    gpu->line = 0;
  }
  fwi_rules_step(log->reader->rules, present, log->count, sum);
  log->scrape_count++;
  log->sample_count = 0;
  log->first_family.length = log->first_series.length = 0;
  return status;
}

/* --- lines --- */

static bool same_text(const fw_text *text, const char *bytes, size_t length) {
  return text->length == length && length > 0 && memcmp(text->data, bytes, length) == 0;
}

/* "# TYPE name kind", "# HELP name words", "# EOF" */
static fw_status read_comment(scrape_log *log, const char *line, size_t length) {
  if (fwi_split_blanks(line, length, &log->reader->cells) != FWI_SPLIT_GOOD) return short_of_memory(log);
  const fwi_cells *cells = &log->reader->cells;
  if (cells->count >= 2 && fwi_cell_is(cells->data[1], "EOF")) return end_scrape(log);
  bool family = cells->count >= 3 && (fwi_cell_is(cells->data[1], "TYPE") || fwi_cell_is(cells->data[1], "HELP"));
  if (!family) return FW_OK;
  fwi_cell name = cells->data[2];
  if (log->sample_count > 0 && same_text(&log->first_family, name.text, name.length)) {
    fw_status status = end_scrape(log);
    if (status != FW_OK) return status;
  }
  if (log->first_family.length == 0) fw_text_add_bytes(&log->first_family, name.text, name.length);
  return log->first_family.failed ? short_of_memory(log) : FW_OK;
}

/* The GPU whose identity is in `id`; NULL when memory is short. */
static scraped_gpu *find_gpu(scrape_log *log) {
  for (size_t i = 0; i < log->count; i++) {
    size_t index = (log->latest + i) % log->count;
    if (!same_text(&log->gpus[index].id, log->id.data, log->id.length)) continue;
    log->latest = index;
    return &log->gpus[index];
  }
  if (!fw_grow(&log->gpus, &log->capacity, log->count + 1, sizeof *log->gpus)) return NULL;
  scraped_gpu *gpu = &log->gpus[log->count];
  *gpu = (scraped_gpu){.id = FW_TEXT_INIT};
  log->latest = log->count++;
  fw_text_add_bytes(&gpu->id, log->id.data, log->id.length);
  return gpu->id.failed ? NULL : gpu;
}

static fw_status note_instance(scrape_log *log) {
  return fwi_rules_note(log->reader->rules, FW_IMPORT_INSTANCE, log->reader->source->line_number,
                        "another line of the same GPU (a MIG instance?): its power is the whole GPU's and is counted "
                        "once, by the largest");
}

/* The pointer into `spelling` is set when the reading is handed on: until then the list of GPUs may move. */
static void keep_spelling(fwi_reading *reading, char spelling[SPELLING_SIZE]) {
  if (reading->state == FWI_READING_VALUE) return;
  if (reading->spelling_length > SPELLING_SIZE) reading->spelling_length = SPELLING_SIZE;
  memcpy(spelling, reading->spelling, reading->spelling_length);
}

static fw_status keep_reading(scrape_log *log, scraped_gpu *gpu, fwi_role role, fwi_reading reading) {
  bool whole_gpu = fwi_role_quantity(role) != FWI_PLAIN_READING && role != FWI_ROLE_LIMIT;
  bool again = gpu->has[role];
  bool larger = !again || (reading.state == FWI_READING_VALUE && (gpu->readings[role].state != FWI_READING_VALUE ||
                                                                  reading.value > gpu->readings[role].value));
  if (larger) {
    gpu->readings[role] = reading;
    keep_spelling(&gpu->readings[role], gpu->spellings[role]);
  }
  gpu->has[role] = true;
  if (gpu->line == 0 || role == FWI_ROLE_POWER) gpu->line = log->reader->source->line_number;
  return again && whole_gpu ? note_instance(log) : FW_OK;
}

static bool is_wanted(const scrape_log *log, const char *name, size_t length, fwi_role *role) {
  const char *chosen = log->reader->options->power_column;
  bool power = *role == FWI_ROLE_POWER || *role == FWI_ROLE_INSTANT || *role == FWI_ROLE_AVERAGE;
  bool named = chosen != NULL && fwi_same_name(chosen, strlen(chosen), name, length);
  if (named) *role = FWI_ROLE_POWER;
  if (chosen != NULL && power && !named) return false;
  return *role >= FWI_ROLE_POWER && *role <= FWI_ROLE_COUNTER && *role != FWI_ROLE_OCCUPANCY;
}

static fw_status read_stamp(scrape_log *log, scraped_gpu *gpu, size_t word) {
  const fwi_cells *cells = &log->reader->cells;
  if (cells->count <= word || cells->data[word].text[0] == '#') return FW_OK;
  bool good;
  fw_time_ns time;
  fw_status status = fwi_reader_time(log->reader, cells->data[word], &time, &good);
  if (status != FW_OK || !good) return status;
  gpu->time = time;
  gpu->stamped = true;
  return FW_OK;
}

/* What stands behind the series: value, stamp. */
static fw_status read_sample(scrape_log *log, const char *name, size_t name_length, fwi_field field, const char *rest,
                             size_t length) {
  if (fwi_split_blanks(rest, length, &log->reader->cells) != FWI_SPLIT_GOOD) return short_of_memory(log);
  if (log->reader->cells.count == 0) return fwi_reader_unreadable(log->reader, "a series without a value: dropped");
  fwi_cell cell = log->reader->cells.data[0];
  if (field.scale == NULL && fwi_role_quantity(field.role) == FWI_POWER_READING) {
    field.scale = fwi_reader_unit(log->reader);
  }
  fwi_reading reading = fwi_reading_parse(fwi_role_quantity(field.role), field.scale, cell.text, cell.length);
  if (reading.state == FWI_READING_NO_UNIT && fwi_role_quantity(field.role) == FWI_POWER_READING) {
    return fwi_reader_no_unit(log->reader, name, name_length, cell);
  }
  if (reading.state == FWI_READING_BAD || reading.state == FWI_READING_NO_UNIT) {
    return fwi_reader_unreadable(log->reader, "a value that is no number: dropped");
  }
  scraped_gpu *gpu = find_gpu(log);
  if (gpu == NULL) return short_of_memory(log);
  fw_status status = keep_reading(log, gpu, field.role, reading);
  if (field.role == FWI_ROLE_POWER && log->power_name.length == 0)
    fw_text_add_bytes(&log->power_name, name, name_length);
  log->sample_count++;
  return status == FW_OK ? read_stamp(log, gpu, 1) : status;
}

static fw_status begin_series(scrape_log *log, const char *series, size_t length) {
  if (log->sample_count > 0 && same_text(&log->first_series, series, length)) {
    fw_status status = end_scrape(log);
    if (status != FW_OK) return status;
  }
  if (log->first_series.length == 0) fw_text_add_bytes(&log->first_series, series, length);
  return log->first_series.failed ? short_of_memory(log) : FW_OK;
}

static fw_status pass_over(scrape_log *log) {
  return fwi_rules_note(log->reader->rules, FW_IMPORT_OTHER_ENTITY, log->reader->source->line_number,
                        "a power series whose labels name no GPU: passed over");
}

static void note_model(scrape_log *log) {
  char *model = log->reader->rules->model;
  size_t room = sizeof log->reader->rules->model - 1;
  if (model[0] != '\0' || log->identity.model.length == 0) return;
  size_t length = log->identity.model.length < room ? log->identity.model.length : room;
  memcpy(model, log->identity.model.data, length);
  model[length] = '\0';
}

static fw_status read_series(scrape_log *log, const char *line, size_t length) {
  size_t name = 0, labels = 0;
  while (name < length && line[name] != '{' && line[name] != ' ')
    name++;
  fwi_identity_reset(&log->identity);
  if (name < length && line[name] == '{') {
    labels = fwi_labels_read(line + name, length - name, &log->identity);
    if (labels == 0) return fwi_reader_unreadable(log->reader, "labels that are not well formed: dropped");
  }
  fwi_field field = fwi_field_of_name(line, name);
  if (!is_wanted(log, line, name, &field.role)) return FW_OK;
  log->id.length = 0;
  bool named = fwi_identity_write(&log->identity, &log->id);
  if (log->id.failed) return short_of_memory(log);
  if (!named) return pass_over(log);
  note_model(log);
  fw_status status = begin_series(log, line, name + labels);
  if (status != FW_OK) return status;
  return read_sample(log, line, name, field, line + name + labels, length - name - labels);
}

static fw_status read_line(scrape_log *log) {
  const fwi_source *source = log->reader->source;
  const char *line = source->line;
  size_t length = source->length;
  while (length > 0 && (line[0] == ' ' || line[0] == '\t')) {
    line++;
    length--;
  }
  if (length == 0) return FW_OK;
  if (line[0] == '#') return read_comment(log, line, length);
  if (!source->line_ended) {
    return fwi_rules_note(log->reader->rules, FW_IMPORT_CUT_LINE, source->line_number,
                          "the last line has no line end and may be cut: dropped");
  }
  return read_series(log, line, length);
}

fw_status fwi_read_scrapes(fwi_reader *reader) {
  scrape_log log = {.reader = reader};
  bool found = true;
  fw_status status = FW_OK;
  while (status == FW_OK && found) {
    status = fwi_source_line(reader->source, &found, reader->diagnostics);
    if (status == FW_OK && found) status = read_line(&log);
  }
  if (status == FW_OK) status = end_scrape(&log);
  for (size_t i = 0; i < log.count; i++)
    fw_text_clear(&log.gpus[i].id);
  free(log.gpus);
  fw_text_clear(&log.first_family);
  fw_text_clear(&log.first_series);
  fw_text_clear(&log.power_name);
  fw_text_clear(&log.id);
  fwi_identity_clear(&log.identity);
  return status;
}

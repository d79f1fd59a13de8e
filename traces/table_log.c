/* The tables that nvidia-smi dmon and dcgmi dmon print: columns by blanks, a head of two lines (names, units) that is
 * repeated, "-" or "N/A" where there is no reading. dcgmi names the row's entity in two words, "GPU 0".
 *
 * Mostly there are no stamps; then a tick begins where a GPU's turn comes again, and ticks are an interval apart. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "traces/builder.h"
#include "traces/reader.h"

#define COLUMN_LIMIT ((size_t)128)
#define NO_COLUMN SIZE_MAX

typedef struct table_column {
  fwi_field field;
  size_t position; /* of the name in its line: dcgmi's units stand below it */
} table_column;

typedef struct table_log {
  fwi_reader *reader;
  bool entity; /* rows begin with "GPU 0" */
  bool bound;
  bool shaped;
  table_column columns[COLUMN_LIMIT];
  size_t count;
  size_t head_line; /* of the names; the units are on the next one */
  size_t power;
  fw_text power_name;
  fw_text *seen; /* the GPUs of the present tick */
  size_t seen_count;
  size_t seen_capacity;
  uint64_t tick;
} table_log;

static fw_place place_of(const table_log *log) {
  return fwi_source_place(log->reader->source, 0);
}

static size_t find_role(const table_log *log, fwi_role role) {
  for (size_t i = 0; i < log->count; i++) {
    if (log->columns[i].field.role == role) return i;
  }
  return NO_COLUMN;
}

/* --- heads --- */

/* The names behind '#'. The entity or index column comes first; in dcgmi's rows it takes two words. */
static fw_status bind_names(table_log *log) {
  fwi_source *source = log->reader->source;
  source->line[0] = ' ';
  if (fwi_split_blanks(source->line, source->length, &log->reader->cells) != FWI_SPLIT_GOOD) {
    return fw_error_memory(log->reader->diagnostics, "the cells of a line");
  }
  const fwi_cells *cells = &log->reader->cells;
  if (cells->count == 0) return FW_OK;
  log->entity = fwi_cell_is(cells->data[0], "Entity");
  log->count = cells->count < COLUMN_LIMIT ? cells->count : COLUMN_LIMIT;
  log->head_line = source->line_number;
  log->power = NO_COLUMN;
  for (size_t i = 0; i < log->count; i++) {
    fwi_cell cell = cells->data[i];
    log->columns[i].field = fwi_field_of_name(cell.text, cell.length);
    log->columns[i].position = (size_t)(cell.text - source->line);
    bool wanted = log->reader->options->power_column == NULL
                      ? log->columns[i].field.role == FWI_ROLE_POWER
                      : fwi_same_name(log->reader->options->power_column, strlen(log->reader->options->power_column),
                                      cell.text, cell.length);
    if (!wanted || log->power != NO_COLUMN) continue;
    log->power = i;
    log->power_name.length = 0;
    fw_text_add_bytes(&log->power_name, cell.text, cell.length);
  }
  log->bound = true;
  return log->power_name.failed ? fw_error_memory(log->reader->diagnostics, "the head of a table") : FW_OK;
}

/* In nvidia-smi's head every column has a unit; in dcgmi's some have none, so there a unit belongs to the column that
 * begins above it or to its left. */
static size_t column_of_unit(const table_log *log, size_t index, size_t position) {
  if (!log->entity) return index < log->count ? index : NO_COLUMN;
  size_t column = NO_COLUMN;
  for (size_t c = 0; c < log->count && log->columns[c].position <= position; c++)
    column = c;
  return column;
}

static void bind_units(table_log *log) {
  const fwi_cells *cells = &log->reader->cells;
  for (size_t i = 0; i < cells->count; i++) {
    const fwi_cell *cell = &cells->data[i];
    size_t column = column_of_unit(log, i, (size_t)(cell->text - log->reader->source->line));
    if (column == NO_COLUMN) continue;
    fwi_field *field = &log->columns[column].field;
    bool quantity = field->role >= FWI_ROLE_POWER && field->role <= FWI_ROLE_COUNTER;
    if (quantity) field->scale = fwi_scale_find(fwi_role_quantity(field->role), cell->text, cell->length);
  }
}

static fw_status say_shape(table_log *log) {
  size_t counter = find_role(log, FWI_ROLE_COUNTER);
  static const char counter_name[] = "energy counter";
  if (log->power == NO_COLUMN && counter == NO_COLUMN) {
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
                    "the table has no power column: log it with nvidia-smi dmon -s p or dcgmi dmon -e 155");
  }
  bool derived = log->power == NO_COLUMN;
  fwi_shape shape = {.power_column = derived ? counter_name : log->power_name.data,
                     .power_column_length = derived ? sizeof counter_name - 1 : log->power_name.length,
                     .derived = derived,
                     .kind = derived ? FW_SERIES_MEAN_TO : FW_SERIES_INSTANT};
  shape.present[FW_IMPORT_LIMIT] = find_role(log, FWI_ROLE_LIMIT) != NO_COLUMN;
  shape.present[FW_IMPORT_UTILISATION] = find_role(log, FWI_ROLE_UTILISATION) != NO_COLUMN;
  shape.present[FW_IMPORT_TEMPERATURE] = find_role(log, FWI_ROLE_TEMPERATURE) != NO_COLUMN;
  log->shaped = true;
  return fwi_rules_shape(log->reader->rules, &shape);
}

/* --- rows --- */

static void clear_seen(table_log *log) {
  for (size_t i = 0; i < log->seen_count; i++)
    fw_text_clear(&log->seen[i]);
  log->seen_count = 0;
}

/* Begins a new tick where the GPU had its turn in the present one. */
static fw_status take_turn(table_log *log, fwi_cell gpu) {
  for (size_t i = 0; i < log->seen_count; i++) {
    if (log->seen[i].length != gpu.length || memcmp(log->seen[i].data, gpu.text, gpu.length) != 0) continue;
    clear_seen(log);
    log->tick++;
    break;
  }
  if (!fw_grow(&log->seen, &log->seen_capacity, log->seen_count + 1, sizeof *log->seen)) {
    return fw_error_memory(log->reader->diagnostics, "the GPUs of a table");
  }
  log->seen[log->seen_count] = (fw_text)FW_TEXT_INIT;
  fw_text_add_bytes(&log->seen[log->seen_count++], gpu.text, gpu.length);
  return log->seen[log->seen_count - 1].failed ? fw_error_memory(log->reader->diagnostics, "the GPUs of a table")
                                               : FW_OK;
}

static fw_status count_time(table_log *log, fwi_cell gpu, fw_time_ns *out) {
  const fw_import_options *options = log->reader->options;
  fw_time_ns interval = options->interval > 0 ? options->interval : FW_NS_PER_S;
  fw_import_report *report = log->reader->rules->report;
  if (!report->time_is_relative && options->interval == 0) {
    fw_warning(log->reader->diagnostics, place_of(log),
               "the table has no time stamps: time counts from 0 in steps of 1 s, the tool's default; say --interval S "
               "where it was called with another -d");
  }
  report->time_is_relative = true;
  fw_status status = take_turn(log, gpu);
  bool fits = log->tick <= INT64_MAX && !__builtin_mul_overflow((fw_time_ns)log->tick, interval, out) &&
              fw_time_add(*out, options->start, out) && *out <= FWI_TIME_LIMIT;
  if (status != FW_OK || fits) return status;
  return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log), "ticks x --interval is beyond 73 years");
}

/* The cells of a row stand one further right than their heads where the entity takes two words. */
static fwi_cell cell_of(const table_log *log, size_t column) {
  return log->reader->cells.data[column + (log->entity ? 1 : 0)];
}

static fw_status read_time(table_log *log, fwi_cell gpu, fwi_record *record, bool *good) {
  size_t time = find_role(log, FWI_ROLE_TIME), date = find_role(log, FWI_ROLE_DATE);
  *good = true;
  if (time == NO_COLUMN || date == NO_COLUMN) return count_time(log, gpu, &record->time);
  fwi_cell day = cell_of(log, date), clock = cell_of(log, time);
  record->coarse_stamp = true;
  fwi_stamp_fault fault =
      fwi_stamp_parse_parts(&log->reader->stamper, day.text, day.length, clock.text, clock.length, &record->time);
  *good = fault == FWI_STAMP_GOOD;
  return *good ? FW_OK : fwi_reader_time_fault(log->reader, clock, fault);
}

static fwi_reading read_quantity(const table_log *log, size_t column) {
  const fwi_field *field = &log->columns[column].field;
  fwi_cell cell = cell_of(log, column);
  return fwi_reading_parse(fwi_role_quantity(field->role == FWI_ROLE_NONE ? FWI_ROLE_POWER : field->role), field->scale,
                           cell.text, cell.length);
}

static void read_value(const table_log *log, fwi_role role, int64_t *out) {
  size_t column = find_role(log, role);
  if (column == NO_COLUMN) return;
  fwi_reading reading = read_quantity(log, column);
  if (reading.state == FWI_READING_VALUE) *out = reading.value;
}

static fw_status read_readings(table_log *log, fwi_record *record, bool *good) {
  size_t counter = find_role(log, FWI_ROLE_COUNTER);
  *good = true;
  if (log->power != NO_COLUMN) {
    record->has_power = true;
    record->power = read_quantity(log, log->power);
    if (record->power.state == FWI_READING_NO_UNIT) {
      return fwi_reader_no_unit(log->reader, log->power_name.data, log->power_name.length, cell_of(log, log->power));
    }
    *good = record->power.state != FWI_READING_BAD;
  }
  if (counter != NO_COLUMN) {
    record->counter = read_quantity(log, counter);
    record->has_counter = record->counter.state == FWI_READING_VALUE && record->counter.value >= 0;
  }
  read_value(log, FWI_ROLE_LIMIT, &record->values[FW_IMPORT_LIMIT]);
  read_value(log, FWI_ROLE_UTILISATION, &record->values[FW_IMPORT_UTILISATION]);
  read_value(log, FWI_ROLE_TEMPERATURE, &record->values[FW_IMPORT_TEMPERATURE]);
  return *good ? FW_OK : fwi_reader_unreadable(log->reader, "a power that is no number: row dropped");
}

static fw_status read_record(table_log *log, fwi_cell gpu) {
  fwi_record record = fwi_reader_record(log->reader);
  record.id = gpu.text;
  record.id_length = gpu.length;
  bool good;
  fw_status status = read_time(log, gpu, &record, &good);
  if (status == FW_OK && good) status = read_readings(log, &record, &good);
  return status == FW_OK && good ? fwi_rules_accept(log->reader->rules, &record) : status;
}

static fw_status wrong_cells(table_log *log) {
  if (!log->reader->source->line_ended) {
    return fwi_rules_note(log->reader->rules, FW_IMPORT_CUT_LINE, log->reader->source->line_number,
                          "the last line is incomplete: dropped");
  }
  return fwi_reader_unreadable(log->reader, "%zu words where the head has %zu columns: row dropped",
                               log->reader->cells.count, log->count);
}

/* A number at the very end of a file may be the half of one. */
static bool may_be_cut(const table_log *log) {
  return !log->reader->source->line_ended && log->power + 1 == log->count;
}

static fw_status read_row(table_log *log) {
  const fwi_cells *cells = &log->reader->cells;
  log->reader->line_count++;
  if (log->entity && cells->count > 1 && !fwi_cell_is(cells->data[0], "GPU")) {
    return fwi_rules_note(log->reader->rules, FW_IMPORT_OTHER_ENTITY, log->reader->source->line_number,
                          "a row of something else than a GPU: passed over");
  }
  if (cells->count != log->count + (log->entity ? 1 : 0) || may_be_cut(log)) return wrong_cells(log);
  size_t index = find_role(log, FWI_ROLE_INDEX);
  if (!log->entity && index == NO_COLUMN) {
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log), "the head of the table has no gpu column");
  }
  return read_record(log, log->entity ? cells->data[1] : cells->data[index]);
}

static fw_status read_line(table_log *log) {
  fwi_source *source = log->reader->source;
  if (source->length == 0) return FW_OK;
  bool marked = source->line[0] == '#';
  bool below_names = log->bound && source->line_number == log->head_line + 1;
  if (marked && !below_names) return bind_names(log);
  if (marked) source->line[0] = ' ';
  if (fwi_split_blanks(source->line, source->length, &log->reader->cells) != FWI_SPLIT_GOOD) {
    return fw_error_memory(log->reader->diagnostics, "the cells of a line");
  }
  if (log->reader->cells.count == 0) return FW_OK;
  bool units = below_names && (marked || fwi_cell_is(log->reader->cells.data[0], "ID"));
  if (units) bind_units(log);
  if (units) return FW_OK;
  if (!log->bound) {
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
                    "a dmon table begins with a head such as \"# gpu pwr\" or \"#Entity POWER\"");
  }
  fw_status status = log->shaped ? FW_OK : say_shape(log);
  return status == FW_OK ? read_row(log) : status;
}

fw_status fwi_read_table(fwi_reader *reader) {
  table_log log = {.reader = reader};
  bool found = true;
  fw_status status = FW_OK;
  while (status == FW_OK && found) {
    status = fwi_source_line(reader->source, &found, reader->diagnostics);
    if (status == FW_OK && found) status = read_line(&log);
  }
  clear_seen(&log);
  free(log.seen);
  fw_text_clear(&log.power_name);
  return status;
}

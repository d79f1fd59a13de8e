/* CSV logs with a row per GPU and stamp: nvidia-smi's, our own, and any other whose columns are known by name or given.
 *
 * The header binds columns to what they stand for; a line in mid-file that reads as a header binds them anew. A row is
 * taken as the common case first, and only where its stamp or power does not read is it looked at as anything else. */
#include <stdio.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "traces/builder.h"
#include "traces/reader.h"

#define NO_COLUMN SIZE_MAX
#define TAIL_SIZE ((size_t)32)

typedef struct csv_log {
  fwi_reader *reader;
  char separator;
  bool bound;
  bool given; /* the columns came with the options */
  fw_series_kind kind;
  size_t column_count;
  size_t column[FWI_ROLE_COUNT];
  const fwi_scale *scale[FWI_ROLE_COUNT];
  size_t power; /* the column that was chosen */
  const fwi_scale *power_scale;
  size_t id;
  fwi_role id_role;
  fw_text header; /* as written */
  fw_text power_name;
  char tail[TAIL_SIZE]; /* the last cell of the row before, to know a cut line by */
  size_t tail_length;
  size_t row; /* of the data, for logs without identity or stamps */
} csv_log;

static const fwi_role value_roles[FW_IMPORT_VALUE_COUNT] = {[FW_IMPORT_AVERAGE] = FWI_ROLE_AVERAGE,
                                                            [FW_IMPORT_INSTANT] = FWI_ROLE_INSTANT,
                                                            [FW_IMPORT_LIMIT] = FWI_ROLE_LIMIT,
                                                            [FW_IMPORT_UTILISATION] = FWI_ROLE_UTILISATION,
                                                            [FW_IMPORT_TEMPERATURE] = FWI_ROLE_TEMPERATURE,
                                                            [FW_IMPORT_OCCUPANCY] = FWI_ROLE_OCCUPANCY};

static fw_place place_of(const csv_log *log) {
  return fwi_source_place(log->reader->source, 0);
}

/* --- headers --- */

static bool looks_like_header(const fwi_cells *cells) {
  size_t known = 0;
  for (size_t i = 0; i < cells->count; i++) {
    const fwi_cell *cell = &cells->data[i];
    if (fwi_looks_numeric(cell->text, cell->length)) return false;
    if (fwi_field_of_name(cell->text, cell->length).role != FWI_ROLE_NONE) known++;
  }
  return known > 0;
}

static bool has_no_number(const fwi_cells *cells) {
  for (size_t i = 0; i < cells->count; i++) {
    const fwi_cell *cell = &cells->data[i];
    if (cell->length > 0 && ((cell->text[0] >= '0' && cell->text[0] <= '9') || cell->text[0] == '-')) return false;
  }
  return true;
}

static bool is_named(const char *option, const fwi_cell *cell) {
  return option != NULL && fwi_same_name(option, strlen(option), cell->text, cell->length);
}

static fw_status bind_column(csv_log *log, size_t index) {
  const fwi_cell *cell = &log->reader->cells.data[index];
  const fw_import_options *options = log->reader->options;
  fwi_field field = fwi_field_of_name(cell->text, cell->length);
  if (is_named(options->id_column, cell)) log->id = index;
  if (is_named(options->power_column, cell)) {
    log->power = index;
    log->power_scale = field.role == FWI_ROLE_NONE ? fwi_bracket_scale(cell->text, cell->length) : field.scale;
  }
  if (field.role == FWI_ROLE_NONE) return FW_OK;
  if (log->column[field.role] != NO_COLUMN) {
    if (field.role != FWI_ROLE_POWER || options->power_column != NULL) return FW_OK;
    const fwi_cell *before = &log->reader->cells.data[log->column[field.role]];
    char first[FW_SHOWN_SIZE], second[FW_SHOWN_SIZE];
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
                    "columns \"%s\" and \"%s\" both say power: choose one with --power-column",
                    fw_shown(before->text, before->length, first), fw_shown(cell->text, cell->length, second));
  }
  log->column[field.role] = index;
  log->scale[field.role] = field.scale;
  if (field.role == FWI_ROLE_TIME) log->reader->stamper.unit = field.time_unit;
  return FW_OK;
}

/* power.draw before the others; a mean before nothing. */
static fw_status choose_power(csv_log *log) {
  static const fwi_role order[] = {FWI_ROLE_POWER, FWI_ROLE_INSTANT, FWI_ROLE_AVERAGE};
  for (size_t i = 0; i < sizeof order / sizeof *order && log->power == NO_COLUMN; i++) {
    if (log->reader->options->power_column != NULL) break;
    log->power = log->column[order[i]];
    log->power_scale = log->scale[order[i]];
  }
  if (log->power_scale == NULL) log->power_scale = fwi_reader_unit(log->reader);
  if (log->power != NO_COLUMN) return FW_OK;
  char shown[FW_SHOWN_SIZE];
  fw_shown(log->header.data, log->header.length, shown);
  if (log->reader->options->power_column != NULL) {
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log), "no column \"%s\" in the header \"%s\"",
                    log->reader->options->power_column, shown);
  }
  if (log->column[FWI_ROLE_COUNTER] != NO_COLUMN) return FW_OK;
  return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
                  "no power column in the header \"%s\": name it power_w, or say which it is with --power-column",
                  shown);
}

/* The kind of identity stays what it was at the first header as long as it is there: a GPU keeps its name. */
static void choose_id(csv_log *log) {
  static const fwi_role order[] = {FWI_ROLE_UUID, FWI_ROLE_SERIAL, FWI_ROLE_BUS, FWI_ROLE_INDEX};
  if (log->id != NO_COLUMN || log->reader->options->id_column != NULL) return;
  if (log->id_role != FWI_ROLE_NONE) log->id = log->column[log->id_role];
  for (size_t i = 0; i < sizeof order / sizeof *order && log->id == NO_COLUMN; i++) {
    log->id = log->column[order[i]];
    log->id_role = order[i];
  }
}

static fw_status check_needed(const csv_log *log) {
  const fw_import_options *options = log->reader->options;
  char shown[FW_SHOWN_SIZE];
  fw_shown(log->header.data, log->header.length, shown);
  if (options->id_column != NULL && log->id == NO_COLUMN) {
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log), "no column \"%s\" in \"%s\"",
                    options->id_column, shown);
  }
  if (log->column[FWI_ROLE_TIME] != NO_COLUMN) {
    if (options->gpu_count == 0 || log->id == NO_COLUMN) return FW_OK;
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
                    "\"%s\" says when and of which GPU a row is: leave out --gpus", shown);
  }
  if (options->interval > 0 && (options->gpu_count > 0 || log->id != NO_COLUMN)) return FW_OK;
  return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
                  "no time column in \"%s\": name one (timestamp, t_s, t_ms, t_ns), or say --interval S and, where no "
                  "column tells the GPUs apart, --gpus N",
                  shown);
}

/* The name of the power column must not change in mid-file: another one is another quantity. */
static fw_status note_power_name(csv_log *log) {
  const fwi_cell *cell = &log->reader->cells.data[log->power != NO_COLUMN ? log->power : log->column[FWI_ROLE_COUNTER]];
  if (log->power_name.length == 0) {
    fw_text_add_bytes(&log->power_name, cell->text, cell->length);
    return log->power_name.failed ? fw_error_memory(log->reader->diagnostics, "the header of a log") : FW_OK;
  }
  if (fwi_same_name(log->power_name.data, log->power_name.length, cell->text, cell->length)) return FW_OK;
  char before[FW_SHOWN_SIZE], now[FW_SHOWN_SIZE];
  return fw_error(
      log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
      "power was in column \"%s\" so far and is in \"%s\" from here on: choose a column that both parts have "
      "with --power-column, or import the parts one by one",
      fw_shown(log->power_name.data, log->power_name.length, before), fw_shown(cell->text, cell->length, now));
}

static fw_status say_shape(const csv_log *log) {
  fwi_shape shape = {.power_column = log->power_name.data,
                     .power_column_length = log->power_name.length,
                     .derived = log->power == NO_COLUMN,
                     .kind = log->power == NO_COLUMN ? FW_SERIES_MEAN_TO : log->kind};
  for (size_t i = 0; i < FW_IMPORT_VALUE_COUNT; i++)
    shape.present[i] = log->column[value_roles[i]] != NO_COLUMN;
  return fwi_rules_shape(log->reader->rules, &shape);
}

/* Binds the cells that were split last. */
static fw_status bind(csv_log *log) {
  for (size_t i = 0; i < FWI_ROLE_COUNT; i++) {
    log->column[i] = NO_COLUMN;
    log->scale[i] = NULL;
  }
  log->power = log->id = NO_COLUMN;
  log->power_scale = NULL;
  log->column_count = log->reader->cells.count;
  log->tail_length = 0;
  fw_status status = FW_OK;
  for (size_t i = 0; i < log->column_count && status == FW_OK; i++)
    status = bind_column(log, i);
  if (status == FW_OK) status = choose_power(log);
  choose_id(log);
  if (status == FW_OK) status = check_needed(log);
  if (status == FW_OK) status = note_power_name(log);
  log->bound = status == FW_OK;
  return status == FW_OK ? say_shape(log) : status;
}

static fw_status keep_header(csv_log *log, const char *text, size_t length) {
  log->header.length = 0;
  fw_text_add_bytes(&log->header, text, length);
  return log->header.failed ? fw_error_memory(log->reader->diagnostics, "the header of a log") : FW_OK;
}

static fw_status bind_given(csv_log *log) {
  const char *columns = log->reader->options->columns;
  fw_status status = keep_header(log, columns, strlen(columns));
  if (status != FW_OK) return status;
  if (fwi_split_line(log->header.data, log->header.length, ',', &log->reader->cells) != FWI_SPLIT_GOOD) {
    return fw_error_memory(log->reader->diagnostics, "the columns of a log");
  }
  log->given = true;
  return bind(log);
}

static fw_status refuse_headless(const csv_log *log, const char *line, size_t length) {
  char shown[FW_SHOWN_SIZE];
  bool single = log->reader->cells.count <= 1;
  return fw_error(
      log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
      "no header that is known; the first line is \"%s\": say what its columns are, such as --columns %s (\"-\" "
      "for one to pass over)%s",
      fw_shown(line, length, shown), single ? "power_w" : "timestamp,index,power_w,...",
      single ? " with --gpus N and --interval S" : "");
}

/* The separator that a line without commas seems to have. */
static char separator_of(const char *line, size_t length) {
  if (memchr(line, ',', length) != NULL) return ',';
  if (memchr(line, ';', length) != NULL) return ';';
  return memchr(line, '\t', length) != NULL ? '\t' : ',';
}

/* "# kind: mean_to"; other comments are passed over. */
static void read_comment(csv_log *log) {
  static const char key[] = "kind:";
  const char *text = log->reader->source->line;
  size_t length = log->reader->source->length, at = 0;
  while (at < length && (text[at] == '#' || text[at] == ' '))
    at++;
  if (length - at < sizeof key - 1 || memcmp(text + at, key, sizeof key - 1) != 0) return;
  at += sizeof key - 1;
  while (at < length && text[at] == ' ')
    at++;
  for (int kind = 0; fw_series_kind_names[kind] != NULL; kind++) {
    if (fwi_cell_is((fwi_cell){text + at, length - at}, fw_series_kind_names[kind])) log->kind = (fw_series_kind)kind;
  }
}

/* The first line that is no comment: "sep=;", or the header. */
static fw_status read_first_line(csv_log *log) {
  fwi_source *source = log->reader->source;
  if (source->length == 5 && memcmp(source->line, "sep=", 4) == 0) {
    log->separator = source->line[4];
    return FW_OK;
  }
  if (log->separator == '\0') log->separator = separator_of(source->line, source->length);
  fw_text line = FW_TEXT_INIT;
  fw_text_add_bytes(&line, source->line, source->length);
  if (line.failed) return fw_error_memory(log->reader->diagnostics, "the header of a log");
  bool good;
  fw_status status = fwi_reader_split(log->reader, log->separator, &good);
  if (status == FW_OK && (!good || !looks_like_header(&log->reader->cells))) {
    status = refuse_headless(log, line.data, line.length);
  }
  if (status == FW_OK) status = keep_header(log, line.data, line.length);
  fw_text_clear(&line);
  return status == FW_OK ? bind(log) : status;
}

/* --- rows --- */

static fwi_cell cell_at(const csv_log *log, size_t column) {
  return log->reader->cells.data[column];
}

static bool has(const csv_log *log, fwi_role role) {
  return log->column[role] != NO_COLUMN;
}

/* A line that does not read as a row: a header, or nothing. `header` is then true and the columns are bound anew. */
static fw_status try_header(csv_log *log, bool *header) {
  *header =
      looks_like_header(&log->reader->cells) || (log->given && log->row == 0 && has_no_number(&log->reader->cells));
  if (!*header || log->given) return FW_OK; /* what the options say holds for the whole file */
  fw_text joined = FW_TEXT_INIT;
  for (size_t i = 0; i < log->reader->cells.count; i++) {
    if (i > 0) fw_text_add_bytes(&joined, &log->separator, 1);
    fw_text_add_bytes(&joined, cell_at(log, i).text, cell_at(log, i).length);
  }
  if (joined.failed) return fw_error_memory(log->reader->diagnostics, "the header of a log");
  fwi_cells old = {0};
  bool same = fwi_split_line(log->header.data, log->header.length, log->separator, &old) == FWI_SPLIT_GOOD &&
              old.count == log->reader->cells.count;
  for (size_t i = 0; same && i < old.count; i++) {
    same = old.data[i].length == cell_at(log, i).length &&
           memcmp(old.data[i].text, cell_at(log, i).text, old.data[i].length) == 0;
  }
  fwi_cells_clear(&old);
  fw_status status = keep_header(log, joined.data, joined.length);
  fw_text_clear(&joined);
  if (status == FW_OK) status = fwi_rules_header(log->reader->rules, log->reader->source->line_number, !same);
  return status == FW_OK ? bind(log) : status;
}

static size_t decimals_of(const char *text, size_t length) {
  const char *point = length == 0 ? NULL : memchr(text, '.', length);
  size_t count = 0;
  for (const char *at = point; at != NULL && at + 1 < text + length && at[1] >= '0' && at[1] <= '9'; at++)
    count++;
  return count;
}

static bool ends_in_digit(const char *text, size_t length) {
  return length > 0 && text[length - 1] >= '0' && text[length - 1] <= '9';
}

/* Whether the last cell of a file that ends without a line end has another shape than the one above it. With nothing
 * above it to compare with, it is not trusted. */
static bool is_cut(const csv_log *log) {
  fwi_cell last = cell_at(log, log->reader->cells.count - 1);
  if (log->reader->source->line_ended) return false;
  if (log->tail_length == 0) return last.length > 0;
  bool missing = fwi_reading_parse(FWI_PLAIN_READING, NULL, last.text, last.length).state == FWI_READING_MISSING;
  if (missing && last.length > 0) return false; /* "[N/A]" is whole */
  if (ends_in_digit(log->tail, log->tail_length) != ends_in_digit(last.text, last.length)) return true;
  if (decimals_of(last.text, last.length) < decimals_of(log->tail, log->tail_length)) return true;
  if (!ends_in_digit(last.text, last.length) || decimals_of(last.text, last.length) > 0) {
    return last.length < log->tail_length && memcmp(log->tail, last.text, last.length) == 0;
  }
  return last.length < log->tail_length;
}

static void keep_tail(csv_log *log) {
  fwi_cell last = cell_at(log, log->reader->cells.count - 1);
  log->tail_length = last.length < TAIL_SIZE ? last.length : TAIL_SIZE;
  memcpy(log->tail, last.text, log->tail_length);
}

static fw_status drop_cut_line(const csv_log *log) {
  size_t line = log->reader->source->line_number;
  char message[128];
  (void)snprintf(message, sizeof message,
                 "the last line %zu is incomplete (no line end, and not of the shape of those above): dropped", line);
  return fwi_rules_note(log->reader->rules, FW_IMPORT_CUT_LINE, line, message);
}

/* The number of cells; a comma at the end of each line is forgiven. */
static bool has_all_cells(const csv_log *log) {
  const fwi_cells *cells = &log->reader->cells;
  return cells->count == log->column_count ||
         (cells->count == log->column_count + 1 && cells->data[cells->count - 1].length == 0);
}

static fw_status wrong_cells(csv_log *log, bool *header) {
  fw_status status = try_header(log, header);
  if (status != FW_OK || *header) return status;
  if (!log->reader->source->line_ended) return drop_cut_line(log);
  return fwi_reader_unreadable(log->reader, "%zu cells where the header has %zu: row dropped", log->reader->cells.count,
                               log->column_count);
}

/* Without stamps, rows go round the GPUs once per interval. */
static fw_status count_time(csv_log *log, fwi_record *record) {
  const fw_import_options *options = log->reader->options;
  size_t round = log->row / (options->gpu_count > 0 ? options->gpu_count : 1);
  log->reader->rules->report->time_is_relative = true;
  if (round <= (size_t)INT64_MAX && !__builtin_mul_overflow((fw_time_ns)round, options->interval, &record->time) &&
      fw_time_add(record->time, options->start, &record->time) && record->time <= FWI_TIME_LIMIT) {
    return FW_OK;
  }
  return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place_of(log), "rows x --interval is beyond 73 years");
}

static fw_status read_time(csv_log *log, fwi_record *record, bool *good, bool *header) {
  *good = true;
  *header = false;
  if (!has(log, FWI_ROLE_TIME)) return count_time(log, record);
  fwi_cell cell = cell_at(log, log->column[FWI_ROLE_TIME]);
  fwi_stamp_fault fault;
  if (has(log, FWI_ROLE_DATE)) {
    fwi_cell date = cell_at(log, log->column[FWI_ROLE_DATE]);
    fault = fwi_stamp_parse_parts(&log->reader->stamper, date.text, date.length, cell.text, cell.length, &record->time);
  } else {
    fault = fwi_stamp_parse(&log->reader->stamper, cell.text, cell.length, &record->time);
  }
  *good = fault == FWI_STAMP_GOOD;
  if (*good) return FW_OK;
  fw_status status = try_header(log, header);
  if (status != FW_OK || *header) return status;
  return fwi_reader_time_fault(log->reader, cell, fault);
}

static fw_status read_identity(csv_log *log, fwi_record *record, char number[FW_NUMBER_TEXT_SIZE], bool *good) {
  const fw_import_options *options = log->reader->options;
  *good = true;
  if (has(log, FWI_ROLE_HOST)) {
    record->host = cell_at(log, log->column[FWI_ROLE_HOST]).text;
    record->host_length = cell_at(log, log->column[FWI_ROLE_HOST]).length;
  }
  if (has(log, FWI_ROLE_LOGGER)) {
    record->logger = cell_at(log, log->column[FWI_ROLE_LOGGER]).text;
    record->logger_length = cell_at(log, log->column[FWI_ROLE_LOGGER]).length;
  }
  if (log->id != NO_COLUMN) {
    record->id = cell_at(log, log->id).text;
    record->id_length = cell_at(log, log->id).length;
    record->global_id = log->id_role == FWI_ROLE_UUID || log->id_role == FWI_ROLE_SERIAL;
    *good = record->id_length > 0 && record->id_length < 256;
    return *good ? FW_OK : fwi_reader_unreadable(log->reader, "the row does not say which GPU it is of: dropped");
  }
  if (options->gpu_count > 0) {
    record->id = number;
    record->id_length = (size_t)snprintf(number, FW_NUMBER_TEXT_SIZE, "%zu", log->row % options->gpu_count);
  }
  return FW_OK;
}

static fw_status bad_power(csv_log *log, fwi_cell cell, bool *header) {
  char shown[FW_SHOWN_SIZE];
  fw_status status = has(log, FWI_ROLE_TIME) ? FW_OK : try_header(log, header);
  if (status != FW_OK || *header) return status;
  return fwi_reader_unreadable(
      log->reader, "\"%s\" is no power reading: row dropped%s", fw_shown(cell.text, cell.length, shown),
      memchr(cell.text, ',', cell.length) != NULL ? " (with a decimal comma: --decimal-comma)" : "");
}

static fw_status read_power(csv_log *log, fwi_record *record, bool *good, bool *header) {
  *good = true;
  if (log->power == NO_COLUMN) return FW_OK;
  fwi_cell cell = cell_at(log, log->power);
  record->has_power = true;
  record->power = fwi_reading_parse(FWI_POWER_READING, log->power_scale, cell.text, cell.length);
  fwi_reading_state state = record->power.state;
  if (state == FWI_READING_NO_UNIT) {
    return fwi_reader_no_unit(log->reader, log->power_name.data, log->power_name.length, cell);
  }
  *good = state != FWI_READING_BAD && !(state == FWI_READING_UNKNOWN && !has(log, FWI_ROLE_TIME));
  return *good ? FW_OK : bad_power(log, cell, header);
}

static fw_status read_counter(csv_log *log, fwi_record *record) {
  if (!has(log, FWI_ROLE_COUNTER)) return FW_OK;
  fwi_cell cell = cell_at(log, log->column[FWI_ROLE_COUNTER]);
  record->counter = fwi_reading_parse(FWI_ENERGY_READING, log->scale[FWI_ROLE_COUNTER], cell.text, cell.length);
  record->has_counter = record->counter.state == FWI_READING_VALUE && record->counter.value >= 0;
  if (record->counter.state != FWI_READING_NO_UNIT || log->power != NO_COLUMN) return FW_OK;
  return fw_error(
      log->reader->diagnostics, FW_ERROR_INPUT, place_of(log),
      "the energy counter has no unit: name its column energy_mj or energy_j in the header or with --columns");
}

/* What is beside power never costs a row. */
static void read_values(const csv_log *log, fwi_record *record) {
  for (size_t i = 0; i < FW_IMPORT_VALUE_COUNT; i++) {
    fwi_role role = value_roles[i];
    if (!has(log, role)) continue;
    fwi_cell cell = cell_at(log, log->column[role]);
    fwi_reading reading = fwi_reading_parse(fwi_role_quantity(role), log->scale[role], cell.text, cell.length);
    if (reading.state == FWI_READING_VALUE) record->values[i] = reading.value;
  }
}

static void note_model(const csv_log *log) {
  char *model = log->reader->rules->model;
  if (!has(log, FWI_ROLE_MODEL) || model[0] != '\0') return;
  fwi_cell cell = cell_at(log, log->column[FWI_ROLE_MODEL]);
  size_t room = sizeof log->reader->rules->model - 1;
  size_t length = cell.length < room ? cell.length : room;
  memcpy(model, cell.text, length);
  model[length] = '\0';
}

static fw_status read_record(csv_log *log) {
  fwi_record record = fwi_reader_record(log->reader);
  char number[FW_NUMBER_TEXT_SIZE];
  bool good, header = false;
  fw_status status = read_time(log, &record, &good, &header);
  if (status == FW_OK && good && !header && is_cut(log)) return drop_cut_line(log);
  if (status == FW_OK && good) status = read_power(log, &record, &good, &header);
  if (header) return status;
  if (status == FW_OK && good) status = read_identity(log, &record, number, &good);
  log->row++;
  log->reader->line_count++;
  if (status != FW_OK || !good) return status;
  status = read_counter(log, &record);
  if (status != FW_OK) return status;
  read_values(log, &record);
  note_model(log);
  keep_tail(log);
  return fwi_rules_accept(log->reader->rules, &record);
}

static fw_status read_row(csv_log *log) {
  bool good, header = false;
  fw_status status = fwi_reader_split(log->reader, log->separator, &good);
  if (status == FW_OK && good && has_all_cells(log)) return read_record(log);
  if (status == FW_OK && good) status = wrong_cells(log, &header);
  if (header) return status;
  log->row++;
  log->reader->line_count++;
  return status;
}

static bool is_blank_line(const fwi_source *source) {
  for (size_t i = 0; i < source->length; i++) {
    if (source->line[i] != ' ' && source->line[i] != '\t') return false;
  }
  return true;
}

static fw_status read_line(csv_log *log) {
  fwi_source *source = log->reader->source;
  if (is_blank_line(source)) return FW_OK;
  if (source->line[0] == '#') {
    if (!log->bound) read_comment(log);
    return FW_OK;
  }
  if (!log->bound && log->reader->options->columns != NULL) {
    log->separator = separator_of(source->line, source->length);
    fw_status status = bind_given(log);
    if (status != FW_OK) return status;
  }
  return log->bound ? read_row(log) : read_first_line(log);
}

static fw_status read_lines(csv_log *log) {
  for (;;) {
    bool found;
    fw_status status = fwi_source_line(log->reader->source, &found, log->reader->diagnostics);
    if (status == FW_OK && found) status = read_line(log);
    if (status != FW_OK || !found) return status;
  }
}

fw_status fwi_read_csv(fwi_reader *reader) {
  csv_log log = {.reader = reader, .kind = FW_SERIES_INSTANT};
  fw_status status = read_lines(&log);
  if (status == FW_OK && !log.bound) {
    status = fw_error(reader->diagnostics, FW_ERROR_INPUT, place_of(&log), "the file is empty: nothing was recorded");
  }
  fw_text_clear(&log.header);
  fw_text_clear(&log.power_name);
  return status;
}

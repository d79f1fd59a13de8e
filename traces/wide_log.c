/* Wide CSV, as Grafana exports a panel: a time column and one column per series, units in the cells.
 *
 * A column's name is its GPU's; a name with labels, such as power{gpu="0",Hostname="n"}, gives the GPU from them. A
 * column whose name says that it is a total is kept apart: it must not be added to its parts. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "traces/builder.h"
#include "traces/labels.h"
#include "traces/reader.h"

typedef struct wide_column {
  fw_text name; /* the identity */
  bool total;
  const fwi_scale *scale; /* of the unit in the name */
} wide_column;

typedef struct wide_log {
  fwi_reader *reader;
  char separator;
  wide_column *columns; /* the time column first */
  size_t count;
} wide_log;

static void clear_columns(wide_log *log) {
  for (size_t i = 0; i < log->count; i++)
    fw_text_clear(&log->columns[i].name);
  free(log->columns);
  log->columns = NULL;
  log->count = 0;
}

static void name_column(wide_column *column, fwi_cell cell) {
  const char *labels = cell.length == 0 ? NULL : memchr(cell.text, '{', cell.length);
  if (labels != NULL) {
    fwi_labels_identity(labels, cell.length - (size_t)(labels - cell.text), &column->name, NULL);
  }
  if (column->name.length == 0) fw_text_add_bytes(&column->name, cell.text, cell.length);
  column->total = fwi_is_total_name(cell.text, cell.length);
  column->scale = fwi_bracket_scale(cell.text, cell.length);
}

static fw_status say_shape(const wide_log *log) {
  static const char name[] = "one column per series";
  fwi_shape shape = {.power_column = name, .power_column_length = sizeof name - 1, .kind = FW_SERIES_INSTANT};
  return fwi_rules_shape(log->reader->rules, &shape);
}

static fw_status bind(wide_log *log) {
  const fwi_cells *cells = &log->reader->cells;
  const fw_place place = fwi_source_place(log->reader->source, 0);
  clear_columns(log);
  if (cells->count < 2 || fwi_field_of_name(cells->data[0].text, cells->data[0].length).role != FWI_ROLE_TIME) {
    return fw_error(log->reader->diagnostics, FW_ERROR_INPUT, place,
                    "the header of a wide table begins with Time and names a series in each other column");
  }
  log->columns = fw_allocate(cells->count, sizeof *log->columns);
  if (log->columns == NULL) return fw_error_memory(log->reader->diagnostics, "the columns of a log");
  log->count = cells->count;
  bool failed = false;
  for (size_t i = 1; i < log->count; i++) {
    name_column(&log->columns[i], cells->data[i]);
    failed = failed || log->columns[i].name.failed;
  }
  if (failed) return fw_error_memory(log->reader->diagnostics, "the columns of a log");
  fwi_field time = fwi_field_of_name(cells->data[0].text, cells->data[0].length);
  log->reader->stamper.unit = time.time_unit;
  return say_shape(log);
}

/* "1.20 kW": two decimals of a kilowatt are steps of 10 W. */
static bool is_coarse(const fwi_reading *reading, fwi_cell cell) {
  if (reading->state != FWI_READING_VALUE || reading->scale == NULL || reading->scale->decimals < 6) return false;
  const char *point = memchr(cell.text, '.', cell.length);
  size_t digits = 0;
  for (const char *at = point; at != NULL && at + 1 < cell.text + cell.length && at[1] >= '0' && at[1] <= '9'; at++)
    digits++;
  return digits <= 2;
}

static fw_status note_coarse(wide_log *log, fwi_cell cell) {
  char message[160], shown[FW_SHOWN_SIZE];
  (void)snprintf(message, sizeof message, "\"%s\" carries a resolution of 10 W or less: export unformatted values",
                 fw_shown(cell.text, cell.length, shown));
  return fwi_rules_note(log->reader->rules, FW_IMPORT_COARSE, log->reader->source->line_number, message);
}

static fw_status read_cell(wide_log *log, size_t index, fw_time_ns time, fw_power_mw *sum, size_t *present) {
  const wide_column *column = &log->columns[index];
  fwi_cell cell = log->reader->cells.data[index];
  fwi_record record = fwi_reader_record(log->reader);
  record.id = column->name.data == NULL ? "" : column->name.data;
  record.id_length = column->name.length;
  record.total = column->total;
  record.time = time;
  record.has_power = true;
  record.power = fwi_reading_parse(
      FWI_POWER_READING, column->scale != NULL ? column->scale : fwi_reader_unit(log->reader), cell.text, cell.length);
  if (record.power.state == FWI_READING_NO_UNIT) {
    return fwi_reader_no_unit(log->reader, record.id, record.id_length, cell);
  }
  if (record.power.state == FWI_READING_BAD) {
    char shown[FW_SHOWN_SIZE];
    return fwi_reader_unreadable(log->reader, "\"%s\" is no power reading: cell dropped",
                                 fw_shown(cell.text, cell.length, shown));
  }
  fw_status status = is_coarse(&record.power, cell) ? note_coarse(log, cell) : FW_OK;
  if (status == FW_OK) status = fwi_rules_accept(log->reader->rules, &record);
  if (status != FW_OK || !record.sampled || record.total) return status;
  *sum += record.power.value;
  ++*present;
  return FW_OK;
}

static fw_status read_cells(wide_log *log) {
  fw_time_ns time;
  bool good;
  fw_status status = fwi_reader_time(log->reader, log->reader->cells.data[0], &time, &good);
  if (status != FW_OK || !good) return status;
  fw_power_mw sum = 0;
  size_t present = 0, expected = 0;
  for (size_t i = 1; i < log->count && status == FW_OK; i++) {
    if (!log->columns[i].total) expected++;
    status = read_cell(log, i, time, &sum, &present);
  }
  fwi_rules_step(log->reader->rules, present, expected, sum);
  return status;
}

static bool is_header(const fwi_cells *cells) {
  return cells->count > 0 && fwi_field_of_name(cells->data[0].text, cells->data[0].length).role == FWI_ROLE_TIME;
}

static fw_status drop_cut_line(wide_log *log) {
  return fwi_rules_note(log->reader->rules, FW_IMPORT_CUT_LINE, log->reader->source->line_number,
                        "the last line is incomplete: dropped");
}

/* A file that ends without a line end may end within a number. */
static bool may_be_cut(const wide_log *log) {
  const fwi_cells *cells = &log->reader->cells;
  fwi_cell last = cells->data[cells->count - 1];
  return !log->reader->source->line_ended && last.length > 0 && last.text[last.length - 1] >= '0' &&
         last.text[last.length - 1] <= '9';
}

static fw_status read_row(wide_log *log) {
  bool good;
  fw_status status = fwi_reader_split(log->reader, log->separator, &good);
  if (status != FW_OK || !good) return status;
  if (is_header(&log->reader->cells)) {
    bool again = log->columns != NULL;
    if (again) status = fwi_rules_header(log->reader->rules, log->reader->source->line_number, true);
    return status == FW_OK ? bind(log) : status;
  }
  if (log->columns == NULL) return bind(log);
  log->reader->line_count++;
  if (log->reader->cells.count == log->count && !may_be_cut(log)) return read_cells(log);
  if (!log->reader->source->line_ended) return drop_cut_line(log);
  return fwi_reader_unreadable(log->reader, "%zu cells where the header has %zu: row dropped", log->reader->cells.count,
                               log->count);
}

static fw_status read_line(wide_log *log) {
  const fwi_source *source = log->reader->source;
  if (source->length == 0) return FW_OK;
  if (source->length == 5 && memcmp(source->line, "sep=", 4) == 0) {
    log->separator = source->line[4];
    return FW_OK;
  }
  return read_row(log);
}

fw_status fwi_read_wide(fwi_reader *reader) {
  wide_log log = {.reader = reader, .separator = ','};
  bool found = true;
  fw_status status = FW_OK;
  while (status == FW_OK && found) {
    status = fwi_source_line(reader->source, &found, reader->diagnostics);
    if (status == FW_OK && found) status = read_line(&log);
  }
  clear_columns(&log);
  return status;
}

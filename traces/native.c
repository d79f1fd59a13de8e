/* The reader of fleetwatt's own CSV: comment lines, a header whose names carry the units, one row per reading. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "traces/builder.h"
#include "traces/columns.h"
#include "traces/fixed.h"

/* A read ends after so many faulty rows: the rest are most likely the same fault. */
#define FAULT_LIMIT ((size_t)20)

typedef struct native_reader {
  fwi_csv csv;
  fwi_columns columns;
  fwi_builder builder;
  fw_series_kind kind;
  fw_diagnostics *diagnostics;
} native_reader;

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* "# kind: mean_to"; any other comment is passed over. */
static fw_status read_comment(native_reader *reader) {
  static const char key[] = "kind:";
  static const char blanks[] = " \t";
  char *text = reader->csv.line.data + strspn(reader->csv.line.data, "# \t");
  if (!starts_with(text, key)) return FW_OK;
  text += strlen(key);
  text += strspn(text, blanks);
  text[strcspn(text, " \t\r")] = '\0';
  for (int kind = 0; fw_series_kind_names[kind] != NULL; kind++) {
    if (strcmp(text, fw_series_kind_names[kind]) != 0) continue;
    reader->kind = (fw_series_kind)kind;
    return FW_OK;
  }
  char shown[FWI_CSV_EXCERPT_SIZE];
  return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader->csv, 0),
                  "unknown kind \"%s\": it is instant, mean_from or mean_to",
                  fwi_csv_excerpt(text, strlen(text), shown));
}

/* Leaves the header, unsplit, as the line read last. */
static fw_status read_preamble(native_reader *reader) {
  for (;;) {
    bool found;
    fw_status status = fwi_csv_read_line(&reader->csv, &found, reader->diagnostics);
    if (status != FW_OK) return status;
    if (!found) {
      return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader->csv, 0),
                      "the file is empty: it needs a header such as t_s,gpu,power_w, and rows");
    }
    if (!fwi_csv_is_comment(&reader->csv)) return FW_OK;
    status = read_comment(reader);
    if (status != FW_OK) return status;
  }
}

static fw_status read_header(native_reader *reader) {
  fwi_csv *csv = &reader->csv;
  const char *line = csv->line.data + strspn(csv->line.data, " \t");
  if (starts_with(line, "sep=")) {
    return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, 0),
                    "a \"sep=\" line, which only spreadsheets understand: delete it; cells are separated by commas");
  }
  char *header = fw_copy_text(line);
  if (header == NULL) return fw_error_memory(reader->diagnostics, "the header of a trace");
  fw_status status = fwi_csv_split(csv, reader->diagnostics);
  if (status == FW_OK) status = fwi_columns_bind(csv, header, &reader->columns, reader->diagnostics);
  free(header);
  return status;
}

static fw_status number_fault(const native_reader *reader, fwi_part part) {
  const fwi_column *column = &reader->columns.part[part];
  return fwi_csv_number_fault(&reader->csv, &reader->csv.cells[column->index], column->name, part != FWI_PART_TIME,
                              reader->diagnostics);
}

static const fwi_csv_cell *cell_of(const native_reader *reader, fwi_part part) {
  return &reader->csv.cells[reader->columns.part[part].index];
}

static fw_status read_fixed(const native_reader *reader, fwi_part part, int64_t *out) {
  const fwi_csv_cell *cell = cell_of(reader, part);
  bool good = fwi_fixed_parse(cell->text, cell->length, reader->columns.part[part].decimals, out);
  return good ? FW_OK : number_fault(reader, part);
}

static fw_status read_power(const native_reader *reader, fwi_row *row) {
  row->has_power = cell_of(reader, FWI_PART_POWER)->length > 0;
  return row->has_power ? read_fixed(reader, FWI_PART_POWER, &row->power) : FW_OK;
}

static fw_status read_gpu(const native_reader *reader, fwi_row *row) {
  static const char only_gpu[] = "0";
  row->gpu = only_gpu;
  row->gpu_length = strlen(only_gpu);
  if (reader->columns.part[FWI_PART_GPU].name == NULL) return FW_OK;
  const fwi_csv_cell *cell = cell_of(reader, FWI_PART_GPU);
  row->gpu = cell->text;
  row->gpu_length = cell->length;
  if (cell->length > 0) return FW_OK;
  return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader->csv, cell->column),
                  "empty gpu cell: every row must say which GPU it is of");
}

static fw_status read_occupancy(const native_reader *reader, fwi_row *row) {
  row->occupancy = (double)NAN;
  if (reader->columns.part[FWI_PART_OCCUPANCY].name == NULL) return FW_OK;
  const fwi_csv_cell *cell = cell_of(reader, FWI_PART_OCCUPANCY);
  if (cell->length == 0) return FW_OK;
  bool good = fw_number_parse(cell->text, cell->length, &row->occupancy) && row->occupancy >= 0;
  return good ? FW_OK : number_fault(reader, FWI_PART_OCCUPANCY);
}

/* All faults of a row are reported, so none of the cell readers stops the others. */
static fw_status read_row(native_reader *reader) {
  fw_status status = fwi_csv_split(&reader->csv, reader->diagnostics);
  if (status == FW_OK) status = fwi_csv_check_shape(&reader->csv, reader->columns.count, reader->diagnostics);
  if (status != FW_OK) return status;
  fwi_row row = {.line = reader->csv.line_number,
                 .time_column = cell_of(reader, FWI_PART_TIME)->column,
                 .power_column = cell_of(reader, FWI_PART_POWER)->column};
  fw_status cells[] = {read_fixed(reader, FWI_PART_TIME, &row.time), read_gpu(reader, &row), read_power(reader, &row),
                       read_occupancy(reader, &row)};
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    if (cells[i] != FW_OK) return cells[i];
  }
  return fwi_builder_add(&reader->builder, &row, reader->diagnostics);
}

static fw_status read_rows(native_reader *reader) {
  fw_status first = FW_OK;
  size_t faults = 0;
  while (faults < FAULT_LIMIT) {
    bool found;
    fw_status status = fwi_csv_read_line(&reader->csv, &found, reader->diagnostics);
    if (status != FW_OK) return status;
    if (!found) return first;
    status = read_row(reader);
    if (status != FW_OK && status != FW_ERROR_INPUT) return status;
    if (status != FW_OK) faults++;
    if (first == FW_OK) first = status;
  }
  return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader->csv, 0),
                  "%zu faulty rows: reading stopped here", faults);
}

static fw_status read_all(native_reader *reader, fw_trace *out) {
  fw_status status = read_preamble(reader);
  if (status == FW_OK) status = read_header(reader);
  if (status != FW_OK) return status;
  bool with_occupancy = reader->columns.part[FWI_PART_OCCUPANCY].name != NULL;
  status =
      fwi_builder_begin(&reader->builder, out, reader->csv.file, reader->kind, with_occupancy, reader->diagnostics);
  if (status == FW_OK) status = read_rows(reader);
  fwi_builder_end(&reader->builder);
  if (status == FW_OK) status = fwi_builder_check(&reader->builder, reader->diagnostics);
  return status;
}

/* Takes over the opened `csv`. On failure `out` is empty. */
static fw_status read_opened(fwi_csv csv, fw_series_kind kind, fw_trace *out, fw_diagnostics *diagnostics) {
  native_reader reader = {.csv = csv, .kind = kind, .diagnostics = diagnostics};
  fw_status status = read_all(&reader, out);
  fwi_builder_clear(&reader.builder);
  fwi_csv_close(&reader.csv);
  if (status != FW_OK) fw_trace_clear(out);
  return status;
}

fw_status fw_trace_read(const char *path, fw_series_kind kind_if_unstated, fw_trace *out, fw_diagnostics *diagnostics) {
  *out = (fw_trace){0};
  fwi_csv csv;
  fw_status status = fwi_csv_open(&csv, path, diagnostics);
  if (status == FW_OK) return read_opened(csv, kind_if_unstated, out, diagnostics);
  fwi_csv_close(&csv);
  return status;
}

fw_status fw_trace_parse(const char *text, size_t length, const char *file, fw_series_kind kind_if_unstated,
                         fw_trace *out, fw_diagnostics *diagnostics) {
  *out = (fw_trace){0};
  fwi_csv csv;
  fwi_csv_open_text(&csv, text, length, file);
  return read_opened(csv, kind_if_unstated, out, diagnostics);
}

/* Columns of numbers by name, over the CSV lines of traces/csv.h. */
#include "models/fit_a100/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "traces/csv.h"

enum { COLUMNS_MAX = 8 };

typedef struct table_reader {
  fwi_csv csv;
  size_t index[COLUMNS_MAX]; /* in the file, of each column asked for */
  size_t filter_index;
  fwi_filter filter;
  fwi_table *out;
  fw_diagnostics *diagnostics;
} table_reader;

static bool cell_is(const fwi_csv_cell *cell, const char *text) {
  return strlen(text) == cell->length && memcmp(cell->text, text, cell->length) == 0;
}

static fw_status find_column(const table_reader *reader, const char *name, size_t *index) {
  for (size_t i = 0; i < reader->csv.cell_count; i++) {
    *index = i;
    if (cell_is(&reader->csv.cells[i], name)) return FW_OK;
  }
  return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader->csv, 0), "has no column \"%s\"", name);
}

static fw_status read_header(table_reader *reader, const char *const *names) {
  bool found = false;
  fw_status status = fwi_csv_read_line(&reader->csv, &found, reader->diagnostics);
  if (status == FW_OK && found) status = fwi_csv_split(&reader->csv, reader->diagnostics);
  if (status == FW_OK && !found) {
    status = fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader->csv, 0), "has no header line");
  }
  for (size_t i = 0; status == FW_OK && i < reader->out->columns; i++)
    status = find_column(reader, names[i], &reader->index[i]);
  if (status == FW_OK && reader->filter.name != NULL) {
    status = find_column(reader, reader->filter.name, &reader->filter_index);
  }
  return status;
}

static fw_status read_cell(const table_reader *reader, size_t index, double *out) {
  *out = NAN;
  if (index >= reader->csv.cell_count) {
    return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader->csv, 0),
                    "has fewer cells than the header");
  }
  const fwi_csv_cell *cell = &reader->csv.cells[index];
  if (cell->length == 0 || fw_number_parse(cell->text, cell->length, out)) return FW_OK;
  return fw_error(reader->diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader->csv, cell->column), "is not a number");
}

static fw_status read_row(table_reader *reader) {
  fwi_table *table = reader->out;
  if (reader->filter.name != NULL && (reader->filter_index >= reader->csv.cell_count ||
                                      !cell_is(&reader->csv.cells[reader->filter_index], reader->filter.value))) {
    return FW_OK;
  }
  size_t needed = 0;
  if (!fw_size_multiply(table->rows + 1, table->columns, &needed) ||
      !fw_grow(&table->cell, &table->capacity, needed, sizeof *table->cell)) {
    return fw_error_memory(reader->diagnostics, "a table");
  }
  fw_status status = FW_OK;
  for (size_t i = 0; status == FW_OK && i < table->columns; i++)
    status = read_cell(reader, reader->index[i], &table->cell[table->rows * table->columns + i]);
  table->rows++;
  return status;
}

static fw_status read_rows(table_reader *reader) {
  for (;;) {
    bool found = false;
    fw_status status = fwi_csv_read_line(&reader->csv, &found, reader->diagnostics);
    if (status != FW_OK || !found) return status;
    status = fwi_csv_split(&reader->csv, reader->diagnostics);
    if (status == FW_OK) status = read_row(reader);
    if (status != FW_OK) return status;
  }
}

fw_status fwi_table_read(const char *path, const char *const *names, size_t count, fwi_filter filter, fwi_table *out,
                         fw_diagnostics *diagnostics) {
  *out = (fwi_table){.columns = count};
  if (count > COLUMNS_MAX) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "a table has at most %d columns", (int)COLUMNS_MAX);
  }
  table_reader reader = {.filter = filter, .out = out, .diagnostics = diagnostics};
  fw_status status = fwi_csv_open(&reader.csv, path, diagnostics);
  if (status == FW_OK) status = read_header(&reader, names);
  if (status == FW_OK) status = read_rows(&reader);
  if (status == FW_OK && out->rows == 0) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&reader.csv, 0), "has no row that is asked for");
  }
  fwi_csv_close(&reader.csv);
  if (status != FW_OK) fwi_table_free(out);
  return status;
}

void fwi_table_free(fwi_table *table) {
  free(table->cell);
  *table = (fwi_table){0};
}

/* Columns by name and cells as numbers. */
#include "traces/rows.h"

#include <math.h>

#include "traces/builder.h"
#include "traces/fixed.h"

static fw_status bind(fwi_rows *rows, fw_diagnostics *diagnostics) {
  const fwi_csv *csv = &rows->csv;
  rows->width = csv->cell_count;
  for (size_t i = 0; i < rows->count; i++)
    rows->index[i] = SIZE_MAX;
  for (size_t cell = 0; cell < csv->cell_count; cell++) {
    for (size_t i = 0; i < rows->count; i++) {
      if (!fwi_csv_cell_is(&csv->cells[cell], rows->names[i])) continue;
      if (rows->index[i] != SIZE_MAX) {
        return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, csv->cells[cell].column),
                        "two columns are named %s: keep one of them", rows->names[i]);
      }
      rows->index[i] = cell;
    }
  }
  return FW_OK;
}

fw_status fwi_rows_open(fwi_rows *rows, const char *path, const char *const *names, size_t count,
                        fw_diagnostics *diagnostics) {
  *rows = (fwi_rows){.names = names, .count = count};
  bool found = false;
  fw_status status = fwi_csv_open(&rows->csv, path, diagnostics);
  do {
    if (status == FW_OK) status = fwi_csv_read_line(&rows->csv, &found, diagnostics);
  } while (status == FW_OK && found && fwi_csv_is_comment(&rows->csv));
  if (status == FW_OK && !found) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path}, "the file is empty: it needs a header");
  }
  if (status == FW_OK) status = fwi_csv_split(&rows->csv, diagnostics);
  return status == FW_OK ? bind(rows, diagnostics) : status;
}

void fwi_rows_close(fwi_rows *rows) {
  fwi_csv_close(&rows->csv);
}

bool fwi_rows_has(const fwi_rows *rows, size_t column) {
  return rows->index[column] != SIZE_MAX;
}

fw_status fwi_rows_need(const fwi_rows *rows, size_t column, fw_diagnostics *diagnostics) {
  if (fwi_rows_has(rows, column)) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&rows->csv, 0), "no column %s in the header",
                  rows->names[column]);
}

fw_status fwi_rows_need_stamp(fwi_rows *rows, fw_diagnostics *diagnostics) {
  for (rows->stamp = 0; rows->stamp < FWI_ROWS_STAMP_COUNT; rows->stamp++) {
    if (fwi_rows_has(rows, rows->stamp)) return FW_OK;
  }
  return fwi_rows_need(rows, 0, diagnostics);
}

fw_status fwi_rows_next(fwi_rows *rows, bool *found, fw_diagnostics *diagnostics) {
  fw_status status = fwi_csv_read_line(&rows->csv, found, diagnostics);
  if (status != FW_OK || !*found) return status;
  status = fwi_csv_split(&rows->csv, diagnostics);
  return status == FW_OK ? fwi_csv_check_shape(&rows->csv, rows->width, diagnostics) : status;
}

const fwi_csv_cell *fwi_rows_cell(const fwi_rows *rows, size_t column) {
  return &rows->csv.cells[rows->index[column]];
}

bool fwi_rows_is(const fwi_rows *rows, size_t column, const char *text) {
  return fwi_csv_cell_is(fwi_rows_cell(rows, column), text);
}

fw_status fwi_rows_number(const fwi_rows *rows, size_t column, double *out, fw_diagnostics *diagnostics) {
  *out = (double)NAN;
  if (!fwi_rows_has(rows, column)) return FW_OK;
  const fwi_csv_cell *cell = fwi_rows_cell(rows, column);
  if (cell->length == 0) return FW_OK;
  if (fw_number_parse(cell->text, cell->length, out) && *out >= 0.0) return FW_OK;
  return fwi_csv_number_fault(&rows->csv, cell, rows->names[column], true, diagnostics);
}

fw_status fwi_rows_time(const fwi_rows *rows, size_t column, int decimals, fw_time_ns *out,
                        fw_diagnostics *diagnostics) {
  const fwi_csv_cell *cell = fwi_rows_cell(rows, column);
  const bool good = fwi_fixed_parse(cell->text, cell->length, decimals, out);
  if (!good) return fwi_csv_number_fault(&rows->csv, cell, rows->names[column], false, diagnostics);
  if (*out >= -FWI_TIME_LIMIT && *out <= FWI_TIME_LIMIT) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&rows->csv, cell->column),
                  "the time is more than 73 years from 0: check its unit");
}

fw_status fwi_rows_stamp(const fwi_rows *rows, fw_time_ns *out, fw_diagnostics *diagnostics) {
  static const int decimals[FWI_ROWS_STAMP_COUNT] = {9, 6, 0};
  return fwi_rows_time(rows, rows->stamp, decimals[rows->stamp], out, diagnostics);
}

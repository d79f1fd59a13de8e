/* Rows of a CSV by the names of its columns, for the readers of what a job did. Comment lines above the header
 * are passed over, as in a trace, which may be the same file. */
#ifndef FWI_TRACES_ROWS_H
#define FWI_TRACES_ROWS_H

#include "traces/csv.h"
#include "traces/trace.h"

#define FWI_ROWS_COLUMNS ((size_t)12)

/* The names of a reader of rows with one stamp begin with the columns that may hold it. */
#define FWI_ROWS_STAMPS "t_s", "t_ms", "t_ns"
enum { FWI_ROWS_STAMP_COUNT = 3 };

typedef struct fwi_rows {
  fwi_csv csv;
  const char *const *names; /* of the columns asked for */
  size_t count;
  size_t index[FWI_ROWS_COLUMNS]; /* in the file; SIZE_MAX: it has none */
  size_t width;                   /* columns of the file */
  size_t stamp;                   /* fwi_rows_need_stamp: which column holds it */
} fwi_rows;

/* Reads the header; `count` <= FWI_ROWS_COLUMNS. Close even after a failure. */
fw_status fwi_rows_open(fwi_rows *rows, const char *path, const char *const *names, size_t count,
                        fw_diagnostics *diagnostics);
void fwi_rows_close(fwi_rows *rows);

bool fwi_rows_has(const fwi_rows *rows, size_t column);

/* FW_ERROR_INPUT, naming the column, where the file has it not. */
fw_status fwi_rows_need(const fwi_rows *rows, size_t column, fw_diagnostics *diagnostics);

/* FW_ERROR_INPUT where the file has none of FWI_ROWS_STAMPS; of several the first holds the stamp. */
fw_status fwi_rows_need_stamp(fwi_rows *rows, fw_diagnostics *diagnostics);

/* The next row; `found` is false at the end. Every row has a cell for each column of the header. */
fw_status fwi_rows_next(fwi_rows *rows, bool *found, fw_diagnostics *diagnostics);

/* The cell of a column that the file has. */
const fwi_csv_cell *fwi_rows_cell(const fwi_rows *rows, size_t column);
bool fwi_rows_is(const fwi_rows *rows, size_t column, const char *text);

/* A number of at least 0; NaN where the cell is empty or the file has no such column. */
fw_status fwi_rows_number(const fwi_rows *rows, size_t column, double *out, fw_diagnostics *diagnostics);

/* A stamp in s, ms or ns, by `decimals` (9, 6, 0) of the column's unit over ns. */
fw_status fwi_rows_time(const fwi_rows *rows, size_t column, int decimals, fw_time_ns *out,
                        fw_diagnostics *diagnostics);

/* The row's stamp, after fwi_rows_need_stamp. */
fw_status fwi_rows_stamp(const fwi_rows *rows, fw_time_ns *out, fw_diagnostics *diagnostics);

#endif

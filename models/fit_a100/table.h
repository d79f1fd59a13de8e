/* Columns of numbers out of a CSV file, by their names. */
#ifndef FWI_FIT_A100_TABLE_H
#define FWI_FIT_A100_TABLE_H

#include "sim/base/diagnostics.h"

typedef struct fwi_table {
  size_t rows;
  size_t columns;
  double *cell; /* [row * columns + column]; NaN where the file has an empty cell */
  size_t capacity;
} fwi_table;

/* Which rows: those with `value` in the column `name`; all where `name` is NULL. */
typedef struct fwi_filter {
  const char *name;
  const char *value;
} fwi_filter;

/* Reads the `count` columns called `names`. No row at all is an error. Free with fwi_table_free. */
fw_status fwi_table_read(const char *path, const char *const *names, size_t count, fwi_filter filter, fwi_table *out,
                         fw_diagnostics *diagnostics);
void fwi_table_free(fwi_table *table);

static inline double fwi_cell(const fwi_table *table, size_t row, size_t column) {
  return table->cell[row * table->columns + column];
}

#endif

/* Plain text tables: columns as wide as they must be, the first flush left, the others flush right, with the decimal
 * points and the intervals of figures below each other. */
#ifndef FW_REPORT_TABLE_H
#define FW_REPORT_TABLE_H

#include "sim/base/text.h"
#include "sim/study/estimate.h"

#define FWI_TABLE_COLUMNS ((size_t)24)

typedef struct fwi_table {
  char **cells; /* owned; row by row */
  size_t cell_count;
  size_t capacity;
  size_t columns;
  bool failed;
} fwi_table;

/* `columns` <= FWI_TABLE_COLUMNS. */
fwi_table fwi_table_start(size_t columns);
void fwi_table_add(fwi_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As fwi_figure_estimate writes it. */
void fwi_table_add_estimate(fwi_table *table, fw_estimate value, double scale, int digits);

/* Adds the table to `out`, each line after `indent`, and frees it. Marks `out` as failed when memory was short. */
void fwi_table_finish(fwi_table *table, const char *indent, fw_text *out);

#endif

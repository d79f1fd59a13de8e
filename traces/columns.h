/* The header of fleetwatt's own CSV: which column plays which part, and in what unit. */
#ifndef FWI_TRACES_COLUMNS_H
#define FWI_TRACES_COLUMNS_H

#include "traces/csv.h"

typedef enum fwi_part { FWI_PART_TIME, FWI_PART_POWER, FWI_PART_GPU, FWI_PART_OCCUPANCY, FWI_PART_COUNT } fwi_part;

/* The column that plays one part. */
typedef struct fwi_column {
  const char *name; /* NULL: the file has none */
  size_t index;
  int decimals; /* of its unit over ns or mW: 9 for t_s, 3 for power_w */
} fwi_column;

typedef struct fwi_columns {
  fwi_column part[FWI_PART_COUNT];
  size_t count; /* of all columns, those passed over included */
} fwi_columns;

/* Binds the cells of the header line that `csv` has just split; `header` is that line as written. Reports a part that
 * is missing (time, power) or played twice. */
fw_status fwi_columns_bind(const fwi_csv *csv, const char *header, fwi_columns *out, fw_diagnostics *diagnostics);

#endif

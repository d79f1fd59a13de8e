/* One row of a ledger as people read it, the same in text and in Markdown. */
#ifndef FW_REPORT_LEDGER_CELLS_H
#define FW_REPORT_LEDGER_CELLS_H

#include "sim/report/figure.h"
#include "sim/study/reproduce/reproduce.h"

enum { FWI_LEDGER_COLUMNS = 7 };

extern const char *const fwi_ledger_head[FWI_LEDGER_COLUMNS];

typedef struct fwi_ledger_cells {
  char figure[2 * FWI_FIGURE_SIZE]; /* with its unit */
  char published[FWI_FIGURE_SIZE];
  char simulated[FWI_FIGURE_SIZE];
  char off[FWI_FIGURE_SIZE];
  char tolerance[FWI_FIGURE_SIZE];
  const char *kind;
  const char *verdict;
} fwi_ledger_cells;

void fwi_ledger_cells_make(const fw_ledger_row *row, const fw_reproduce_row *found, fwi_ledger_cells *out);

/* The cells in the order of the head. */
void fwi_ledger_cells_list(const fwi_ledger_cells *cells, const char *list[FWI_LEDGER_COLUMNS]);

/* "lower_above 0.97, raise_below 0.93, dwell 0": what a search found. */
void fwi_ledger_add_found(const fw_ledger_search *search, const fw_reproduce_search *found, fw_text *out);

#endif

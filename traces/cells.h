/* A line of a log as cells, in place. */
#ifndef FWI_TRACES_CELLS_H
#define FWI_TRACES_CELLS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fwi_cell {
  const char *text; /* inside the line; blanks around it are off */
  size_t length;
} fwi_cell;

typedef struct fwi_cells {
  fwi_cell *data;
  size_t count;
  size_t capacity;
} fwi_cells;

typedef enum fwi_split { FWI_SPLIT_GOOD, FWI_SPLIT_QUOTE, FWI_SPLIT_MEMORY } fwi_split;

/* Splits at `separator`. Quoted cells with doubled quotes (RFC 4180) are decoded in place, so the line is spoilt.
 * FWI_SPLIT_QUOTE: a quote that is not closed, or text behind it. */
fwi_split fwi_split_line(char *line, size_t length, char separator, fwi_cells *out);

/* Writes the only comma of a cell, where digits stand on both sides of it, as a point. `line` is what was split.
 * Returns whether there was any. */
bool fwi_cells_point(const fwi_cells *cells, char *line);

/* Splits at runs of blanks. */
fwi_split fwi_split_blanks(const char *line, size_t length, fwi_cells *out);

void fwi_cells_clear(fwi_cells *cells);

static inline bool fwi_cell_is(fwi_cell cell, const char *word) {
  size_t i = 0;
  while (i < cell.length && word[i] == cell.text[i])
    i++;
  return i == cell.length && word[i] == '\0';
}

#endif

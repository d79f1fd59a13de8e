/* CSV text as lines of cells, for the readers of this folder.
 *
 * Streams: memory is that of the longest line. Accepts LF and CRLF line ends, a UTF-8 byte order mark, blanks around
 * cells, quoted cells with doubled quotes (RFC 4180; a quoted cell may not run over a line end). Blank lines are passed
 * over. What a line means is the reader's business. */
#ifndef FWI_TRACES_CSV_H
#define FWI_TRACES_CSV_H

#include <stdio.h>

#include "sim/base/diagnostics.h"
#include "sim/base/text.h"

#define FWI_CSV_LINE_LIMIT ((size_t)1024 * 1024)

typedef struct fwi_csv_cell {
  const char *text; /* inside the line: valid until the next line is read; not terminated */
  size_t length;
  size_t column; /* in bytes from 1 */
} fwi_csv_cell;

typedef struct fwi_csv {
  const char *file; /* for messages; the caller's */
  FILE *stream;     /* NULL when the text lies in memory */
  char *chunk;      /* the read buffer of `stream` */
  const char *at;   /* unread bytes */
  size_t left;
  fw_text line; /* without its line end */
  size_t line_number;
  bool line_ended; /* false: the file stops without a line end */
  fwi_csv_cell *cells;
  size_t cell_count;
  size_t cell_capacity;
  bool has_decimals;      /* rows were checked */
  size_t fewest_decimals; /* in the last cell of one */
} fwi_csv;

/* Opens a file ("-" is standard input), or text that stays the caller's. After either, even a failed one, close. */
fw_status fwi_csv_open(fwi_csv *csv, const char *path, fw_diagnostics *diagnostics);
void fwi_csv_open_text(fwi_csv *csv, const char *text, size_t length, const char *file);
void fwi_csv_close(fwi_csv *csv);

/* Reads the next line that is not blank into `line`; `found` is false at the end. */
fw_status fwi_csv_read_line(fwi_csv *csv, bool *found, fw_diagnostics *diagnostics);

/* Whether `line`, not yet split, is a comment: it begins with # behind blanks. Its reader decides where one may stand.
 */
bool fwi_csv_is_comment(const fwi_csv *csv);

/* Splits `line` into `cells`. Quoted cells are decoded in place, so `line` is spoilt afterwards. */
fw_status fwi_csv_split(fwi_csv *csv, fw_diagnostics *diagnostics);

/* The place of a column (0: none) of the present line. */
fw_place fwi_csv_place(const fwi_csv *csv, size_t column);

bool fwi_csv_cell_is(const fwi_csv_cell *cell, const char *text);

/* FW_ERROR_INPUT: the cell of the column `name` is no number, or too large. `or_empty`: it may also be left empty. */
fw_status fwi_csv_number_fault(const fwi_csv *csv, const fwi_csv_cell *cell, const char *name, bool or_empty,
                               fw_diagnostics *diagnostics);

/* FW_ERROR_INPUT where the line, split, has another number of cells than the header, which has `wanted`, or where it is
 * the last one, has no line end, and its last cell has fewer decimals than that of any row checked before: it may be
 * cut. */
fw_status fwi_csv_check_shape(fwi_csv *csv, size_t wanted, fw_diagnostics *diagnostics);

/* The start of foreign text, fit for a message: control characters become '?'. Returns `buffer`. */
#define FWI_CSV_EXCERPT_SIZE 64
const char *fwi_csv_excerpt(const char *text, size_t length, char buffer[FWI_CSV_EXCERPT_SIZE]);

#endif

/* Text in a moving buffer: whole lines without a copy, or single characters for readers of formats without lines. */
#ifndef FWI_TRACES_SOURCE_H
#define FWI_TRACES_SOURCE_H

#include "traces/bytes.h"

#define FWI_LINE_LIMIT ((size_t)1024 * 1024)

typedef struct fwi_source {
  fwi_bytes bytes;
  char *buffer;
  size_t capacity;
  size_t start; /* of the unread text */
  size_t end;
  bool at_end; /* no more bytes come */
  char *line;  /* the present line, without its end; may be changed in place; valid until the next one */
  size_t length;
  size_t line_number;
  bool line_ended; /* false: the file stops without a line end */
} fwi_source;

/* `text` NULL: opens the file `name`. After either, even a failed one, close. */
fw_status fwi_source_open(fwi_source *source, const char *name, const void *text, size_t length,
                          fw_diagnostics *diagnostics);
void fwi_source_close(fwi_source *source);

/* Reads more text behind what is unread. Room for it is made as far as `limit` bytes of unread text. */
fw_status fwi_source_fill(fwi_source *source, size_t limit, fw_diagnostics *diagnostics);

/* The next line, blank ones included. `found` is false at the end. A line above FWI_LINE_LIMIT or with a zero byte is
 * an error. */
fw_status fwi_source_line(fwi_source *source, bool *found, fw_diagnostics *diagnostics);

/* The place of a column (0: none) of the present line. */
fw_place fwi_source_place(const fwi_source *source, size_t column);

#endif

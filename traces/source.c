/* Lines in place: the buffer is read in large chunks and what is left of the last line moves to its front. */
#include "traces/source.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

#define CHUNK_SIZE ((size_t)256 * 1024)

fw_place fwi_source_place(const fwi_source *source, size_t column) {
  return (fw_place){source->bytes.file, source->line_number, column, NULL};
}

fw_status fwi_source_open(fwi_source *source, const char *name, const void *text, size_t length,
                          fw_diagnostics *diagnostics) {
  *source = (fwi_source){.line_ended = true};
  if (text != NULL) return fwi_bytes_open_memory(&source->bytes, text, length, name, diagnostics);
  return fwi_bytes_open(&source->bytes, name, diagnostics);
}

void fwi_source_close(fwi_source *source) {
  fwi_bytes_close(&source->bytes);
  free(source->buffer);
  *source = (fwi_source){0};
}

/* Moves the unread text to the front and makes room for a chunk behind it. */
static bool make_room(fwi_source *source) {
  size_t unread = source->end - source->start;
  if (source->buffer != NULL && source->start > 0) {
    memmove(source->buffer, source->buffer + source->start, unread);
    source->start = 0;
    source->end = unread;
  }
  return fw_grow(&source->buffer, &source->capacity, unread + CHUNK_SIZE, 1);
}

fw_status fwi_source_fill(fwi_source *source, size_t limit, fw_diagnostics *diagnostics) {
  size_t unread = source->end - source->start;
  if (unread > limit) {
    return fw_error(diagnostics, FW_ERROR_INPUT, fwi_source_place(source, 0),
                    "the line is longer than 1 MiB: is this a telemetry log?");
  }
  if (!make_room(source)) return fw_error_memory(diagnostics, "the text of a log");
  size_t count;
  fw_status status = fwi_bytes_read(&source->bytes, source->buffer + source->end, CHUNK_SIZE, &count, diagnostics);
  source->end += count;
  source->at_end = status == FW_OK && count == 0;
  return status;
}

static fw_status refuse_zero(const fwi_source *source, size_t column, fw_diagnostics *diagnostics) {
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_source_place(source, column),
                  "a zero byte: the file is no text, or it is UTF-16 or UTF-32 in part; save it as UTF-8");
}

/* Takes `length` bytes as the line, and the line end behind them if there is one. */
static fw_status take_line(fwi_source *source, size_t length, fw_diagnostics *diagnostics) {
  source->line = source->buffer + source->start;
  source->length = length;
  source->start += length + (source->line_ended ? 1 : 0);
  source->line_number++;
  if (length > 0 && source->line[length - 1] == '\r') source->length--;
  const char *zero = source->length == 0 ? NULL : memchr(source->line, 0, source->length);
  if (zero != NULL) return refuse_zero(source, (size_t)(zero - source->line) + 1, diagnostics);
  return FW_OK;
}

fw_status fwi_source_line(fwi_source *source, bool *found, fw_diagnostics *diagnostics) {
  size_t searched = 0;
  for (;;) {
    size_t unread = source->end - source->start;
    const char *text = unread > 0 ? source->buffer + source->start : NULL;
    const char *end = text != NULL && unread > searched ? memchr(text + searched, '\n', unread - searched) : NULL;
    *found = text != NULL && (end != NULL || source->at_end);
    if (*found) {
      source->line_ended = end != NULL;
      return take_line(source, end == NULL ? unread : (size_t)(end - text), diagnostics);
    }
    if (source->at_end) return FW_OK;
    searched = unread;
    fw_status status = fwi_source_fill(source, FWI_LINE_LIMIT, diagnostics);
    if (status != FW_OK) return status;
  }
}

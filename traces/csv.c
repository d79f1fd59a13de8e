/* CSV text as lines of cells (RFC 4180, one record per line), read in chunks. */
#include "traces/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "traces/fixed.h"

#define CHUNK_SIZE ((size_t)64 * 1024)

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

fw_place fwi_csv_place(const fwi_csv *csv, size_t column) {
  return (fw_place){csv->file, csv->line_number, column, NULL};
}

const char *fwi_csv_excerpt(const char *text, size_t length, char buffer[FWI_CSV_EXCERPT_SIZE]) {
  static const char more[] = "...";
  size_t room = FWI_CSV_EXCERPT_SIZE - sizeof more;
  size_t shown = length < room ? length : room;
  for (size_t i = 0; i < shown; i++) {
    unsigned char byte = (unsigned char)text[i];
    buffer[i] = text[i];
    if (byte < 0x20 || byte == 0x7F) buffer[i] = '?';
  }
  memcpy(buffer + shown, length > shown ? more : "", length > shown ? sizeof more : 1);
  return buffer;
}

static fw_status read_failure(const fwi_csv *csv, fw_diagnostics *diagnostics) {
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, 0), "cannot read the file: %s", strerror(errno));
}

fw_status fwi_csv_open(fwi_csv *csv, const char *path, fw_diagnostics *diagnostics) {
  *csv = (fwi_csv){.file = path, .line_ended = true};
  csv->chunk = fw_allocate(CHUNK_SIZE, 1);
  if (csv->chunk == NULL) return fw_error_memory(diagnostics, "the read buffer");
  csv->stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  return csv->stream == NULL ? read_failure(csv, diagnostics) : FW_OK;
}

void fwi_csv_open_text(fwi_csv *csv, const char *text, size_t length, const char *file) {
  *csv = (fwi_csv){.file = file, .at = text, .left = length, .line_ended = true};
}

void fwi_csv_close(fwi_csv *csv) {
  if (csv->stream != NULL && csv->stream != stdin) fclose(csv->stream);
  free(csv->chunk);
  free(csv->cells);
  fw_text_clear(&csv->line);
  *csv = (fwi_csv){0};
}

/* Makes at least one unread byte available; `left` stays 0 at the end. */
static fw_status refill(fwi_csv *csv, fw_diagnostics *diagnostics) {
  if (csv->left > 0 || csv->stream == NULL) return FW_OK;
  csv->left = fread(csv->chunk, 1, CHUNK_SIZE, csv->stream);
  csv->at = csv->chunk;
  return csv->left == 0 && ferror(csv->stream) ? read_failure(csv, diagnostics) : FW_OK;
}

static void take(fwi_csv *csv, size_t length) {
  csv->at += length;
  csv->left -= length;
}

/* Collects the bytes up to the next line end, which is consumed but not kept. */
static fw_status collect_line(fwi_csv *csv, bool *found, fw_diagnostics *diagnostics) {
  csv->line.length = 0;
  csv->line_ended = false;
  *found = false;
  while (!csv->line_ended) {
    fw_status status = refill(csv, diagnostics);
    if (status != FW_OK) return status;
    if (csv->left == 0) return FW_OK;
    if (!*found) csv->line_number++;
    *found = true;
    const char *end = memchr(csv->at, '\n', csv->left);
    size_t length = end == NULL ? csv->left : (size_t)(end - csv->at);
    if (length > FWI_CSV_LINE_LIMIT - csv->line.length) {
      return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, 0),
                      "the line is longer than 1 MiB: is this a CSV text file?");
    }
    fw_text_add_bytes(&csv->line, csv->at, length);
    if (csv->line.failed) return fw_error_memory(diagnostics, "a line of the file");
    csv->line_ended = end != NULL;
    take(csv, length + (end != NULL ? 1 : 0));
  }
  return FW_OK;
}

static fw_status check_text(const fwi_csv *csv, fw_diagnostics *diagnostics) {
  const char *data = csv->line.data;
  const char *zero = csv->line.length == 0 ? NULL : memchr(data, 0, csv->line.length);
  if (zero == NULL) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, (size_t)(zero - data) + 1),
                  "the file holds a zero byte: save it as plain UTF-8 text (a UTF-16 file can be turned with iconv, a "
                  "compressed one with gunzip)");
}

static void strip_ends(fwi_csv *csv) {
  fw_text *line = &csv->line;
  size_t mark = sizeof byte_order_mark - 1;
  if (csv->line_number == 1 && line->length >= mark && memcmp(line->data, byte_order_mark, mark) == 0) {
    memset(line->data, ' ', mark); /* a blank, so that columns stay true */
  }
  if (line->length > 0 && line->data[line->length - 1] == '\r') line->data[--line->length] = '\0';
}

static bool line_is_blank(const fw_text *line) {
  for (size_t i = 0; i < line->length; i++) {
    if (!is_blank(line->data[i])) return false;
  }
  return true;
}

fw_status fwi_csv_read_line(fwi_csv *csv, bool *found, fw_diagnostics *diagnostics) {
  csv->cell_count = 0;
  do {
    fw_status status = collect_line(csv, found, diagnostics);
    if (status == FW_OK && *found) status = check_text(csv, diagnostics);
    if (status != FW_OK) return status;
    strip_ends(csv);
  } while (*found && line_is_blank(&csv->line));
  return FW_OK;
}

bool fwi_csv_is_comment(const fwi_csv *csv) {
  size_t at = 0;
  while (at < csv->line.length && is_blank(csv->line.data[at]))
    at++;
  return at < csv->line.length && csv->line.data[at] == '#';
}

/* Decodes the quoted cell whose opening quote stands at *at, in place: decoding never lengthens. Leaves *at behind the
 * closing quote and the blanks that follow it. */
static fw_status quoted_cell(fwi_csv *csv, size_t *at, fwi_csv_cell *cell, fw_diagnostics *diagnostics) {
  char *data = csv->line.data;
  size_t opening = *at;
  size_t read = opening + 1, write = read;
  while (read < csv->line.length && (data[read] != '"' || (read + 1 < csv->line.length && data[read + 1] == '"'))) {
    if (data[read] == '"') read++;
    data[write++] = data[read++];
  }
  if (read >= csv->line.length) {
    return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, opening + 1),
                    "the quote that opens here is not closed on its line: close it, or delete the line if it is cut");
  }
  *cell = (fwi_csv_cell){data + opening + 1, write - opening - 1, opening + 1};
  read++;
  while (read < csv->line.length && is_blank(data[read]))
    read++;
  *at = read;
  if (read == csv->line.length || data[read] == ',') return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, read + 1),
                  "text after a closing quote: a quote inside a quoted cell must be doubled");
}

static void plain_cell(const fwi_csv *csv, size_t *at, fwi_csv_cell *cell) {
  const char *data = csv->line.data;
  const char *comma = memchr(data + *at, ',', csv->line.length - *at);
  size_t next = comma == NULL ? csv->line.length : (size_t)(comma - data);
  size_t end = next;
  while (end > *at && is_blank(data[end - 1]))
    end--;
  *cell = (fwi_csv_cell){data + *at, end - *at, *at + 1};
  *at = next;
}

fw_status fwi_csv_split(fwi_csv *csv, fw_diagnostics *diagnostics) {
  size_t at = 0;
  csv->cell_count = 0;
  for (;;) {
    if (!fw_grow(&csv->cells, &csv->cell_capacity, csv->cell_count + 1, sizeof *csv->cells)) {
      return fw_error_memory(diagnostics, "the cells of a line");
    }
    fwi_csv_cell *cell = &csv->cells[csv->cell_count++];
    while (at < csv->line.length && is_blank(csv->line.data[at]))
      at++;
    if (at < csv->line.length && csv->line.data[at] == '"') {
      fw_status status = quoted_cell(csv, &at, cell, diagnostics);
      if (status != FW_OK) return status;
    } else {
      plain_cell(csv, &at, cell);
    }
    if (at == csv->line.length) return FW_OK;
    at++;
  }
}

bool fwi_csv_cell_is(const fwi_csv_cell *cell, const char *text) {
  return strlen(text) == cell->length && memcmp(text, cell->text, cell->length) == 0;
}

fw_status fwi_csv_number_fault(const fwi_csv *csv, const fwi_csv_cell *cell, const char *name, bool or_empty,
                               fw_diagnostics *diagnostics) {
  char shown[FWI_CSV_EXCERPT_SIZE];
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, cell->column),
                  "%s: \"%s\" is not a number in range: write plain digits with a decimal point%s", name,
                  fwi_csv_excerpt(cell->text, cell->length, shown),
                  or_empty ? ", or leave the cell empty where nothing was measured" : "");
}

/* A file copied while it was written ends inside a row, maybe inside a number that still parses. */
static fw_status check_last_cell(const fwi_csv *csv, size_t decimals, fw_diagnostics *diagnostics) {
  if (csv->line_ended || !csv->has_decimals || decimals >= csv->fewest_decimals) return FW_OK;
  const fwi_csv_cell *last = &csv->cells[csv->cell_count - 1];
  char shown[FWI_CSV_EXCERPT_SIZE];
  return fw_error(
      diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, last->column),
      "the file ends without a line end and \"%s\" has fewer decimals than any row above, so it may be cut: "
      "add a line end if it is whole, else delete the line",
      fwi_csv_excerpt(last->text, last->length, shown));
}

static fw_status count_fault(const fwi_csv *csv, size_t wanted, fw_diagnostics *diagnostics) {
  if (!csv->line_ended) {
    return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, 0),
                    "the last line is cut: %zu of %zu cells and no line end: delete the line", csv->cell_count, wanted);
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, 0),
                  "%zu cells where the header has %zu: give every row one cell per column", csv->cell_count, wanted);
}

fw_status fwi_csv_check_shape(fwi_csv *csv, size_t wanted, fw_diagnostics *diagnostics) {
  if (csv->cell_count != wanted) return count_fault(csv, wanted, diagnostics);
  const fwi_csv_cell *last = &csv->cells[csv->cell_count - 1];
  const size_t decimals = fwi_fixed_decimals(last->text, last->length);
  const fw_status status = check_last_cell(csv, decimals, diagnostics);
  if (!csv->has_decimals || decimals < csv->fewest_decimals) csv->fewest_decimals = decimals;
  csv->has_decimals = true;
  return status;
}

/* Lines into cells: separators are found by memchr, and a quoted cell is the only one that is looked at twice. */
#include "traces/cells.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

void fwi_cells_clear(fwi_cells *cells) {
  free(cells->data);
  *cells = (fwi_cells){0};
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

static bool add_cell(fwi_cells *cells, const char *text, size_t length) {
  if (!fw_grow(&cells->data, &cells->capacity, cells->count + 1, sizeof *cells->data)) return false;
  cells->data[cells->count++] = (fwi_cell){text, length};
  return true;
}

/* Decodes the quoted cell whose opening quote stands at *at: decoding never lengthens. Leaves *at on the separator
 * behind it, or at the end. */
static fwi_split quoted_cell(char *line, size_t length, char separator, size_t *at, fwi_cells *out) {
  size_t start = *at + 1, read = start, write = start;
  while (read < length && (line[read] != '"' || (read + 1 < length && line[read + 1] == '"'))) {
    if (line[read] == '"') read++;
    line[write++] = line[read++];
  }
  if (read == length) return FWI_SPLIT_QUOTE;
  read++;
  while (read < length && line[read] != separator && is_blank(line[read]))
    read++;
  if (read < length && line[read] != separator) return FWI_SPLIT_QUOTE;
  *at = read;
  while (start < write && is_blank(line[start]))
    start++;
  while (write > start && is_blank(line[write - 1]))
    write--;
  return add_cell(out, line + start, write - start) ? FWI_SPLIT_GOOD : FWI_SPLIT_MEMORY;
}

static fwi_split plain_cell(const char *line, size_t length, char separator, size_t *at, fwi_cells *out) {
  const char *found = *at < length ? memchr(line + *at, separator, length - *at) : NULL;
  size_t start = *at, next = found == NULL ? length : (size_t)(found - line), end = next;
  while (end > start && is_blank(line[end - 1]))
    end--;
  *at = next;
  return add_cell(out, line + start, end - start) ? FWI_SPLIT_GOOD : FWI_SPLIT_MEMORY;
}

fwi_split fwi_split_line(char *line, size_t length, char separator, fwi_cells *out) {
  out->count = 0;
  for (size_t at = 0;; at++) {
    while (at < length && is_blank(line[at]) && line[at] != separator)
      at++;
    bool quoted = at < length && line[at] == '"';
    fwi_split split =
        quoted ? quoted_cell(line, length, separator, &at, out) : plain_cell(line, length, separator, &at, out);
    if (split != FWI_SPLIT_GOOD) return split;
    if (at >= length) return FWI_SPLIT_GOOD;
  }
}

bool fwi_cells_point(const fwi_cells *cells, char *line) {
  bool any = false;
  for (size_t i = 0; i < cells->count; i++) {
    const fwi_cell *cell = &cells->data[i];
    const char *comma = memchr(cell->text, ',', cell->length);
    const char *end = cell->text + cell->length;
    if (comma == NULL || comma == cell->text || comma + 1 == end || memchr(comma + 1, ',', (size_t)(end - comma) - 1))
      continue;
    if (!is_digit(comma[-1]) || !is_digit(comma[1])) continue;
    line[comma - line] = '.';
    any = true;
  }
  return any;
}

fwi_split fwi_split_blanks(const char *line, size_t length, fwi_cells *out) {
  out->count = 0;
  for (size_t at = 0; at < length;) {
    while (at < length && is_blank(line[at]))
      at++;
    size_t start = at;
    while (at < length && !is_blank(line[at]))
      at++;
    if (at > start && !add_cell(out, line + start, at - start)) return FWI_SPLIT_MEMORY;
  }
  return FWI_SPLIT_GOOD;
}

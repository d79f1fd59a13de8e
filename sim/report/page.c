/* Blocks with an empty line between them. Markdown's tables need no alignment, so cells stand as they are. */
#include "sim/report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH ((size_t)120)

fwi_page fwi_page_start(fw_text *out, bool markdown) {
  return (fwi_page){.out = out, .markdown = markdown};
}

static void begin_block(fwi_page *page) {
  fw_text_add(page->out, page->begun ? "\n" : "");
  page->begun = true;
}

/* Characters, not bytes. */
static size_t width_of(const char *text, size_t length) {
  size_t width = 0;
  for (size_t i = 0; i < length; i++) {
    width += ((unsigned char)text[i] & 0xC0u) != 0x80u;
  }
  return width;
}

/* Breaks at blanks; a word longer than a line gets one of its own. */
static void add_wrapped(const char *text, fw_text *out) {
  size_t column = 0;
  while (*text != '\0') {
    const size_t length = strcspn(text, " ");
    const size_t width = width_of(text, length);
    if (column > 0) {
      const bool fits = column + 1 + width <= LINE_WIDTH;
      fw_text_add(out, fits ? " " : "\n");
      column = fits ? column + 1 : 0;
    }
    fw_text_add_bytes(out, text, length);
    column += width;
    text += length;
    text += strspn(text, " ");
  }
  fw_text_add(out, "\n");
}

static void add_format(fw_text *out, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (text == NULL) {
    out->failed = true;
    return;
  }
  (void)vsnprintf(text, (size_t)length + 1, format, arguments);
  add_wrapped(text, out);
  free(text);
}

void fwi_page_heading(fwi_page *page, int level, const char *format, ...) {
  va_list arguments;
  begin_block(page);
  for (int i = 0; page->markdown && i < level; i++) {
    fw_text_add(page->out, i + 1 < level ? "#" : "# ");
  }
  va_start(arguments, format);
  add_format(page->out, format, arguments);
  va_end(arguments);
}

void fwi_page_paragraph(fwi_page *page, const char *format, ...) {
  va_list arguments;
  begin_block(page);
  va_start(arguments, format);
  add_format(page->out, format, arguments);
  va_end(arguments);
}

static void add_rule(size_t columns, fw_text *out) {
  fw_text_add(out, "|");
  for (size_t i = 0; i < columns; i++) {
    fw_text_add(out, i == 0 ? "---|" : "---:|");
  }
  fw_text_add(out, "\n");
}

static void add_rows(const fwi_table *table, fw_text *out) {
  for (size_t i = 0; i < table->cell_count; i++) {
    const bool last = i % table->columns + 1 == table->columns;
    fw_text_add_format(out, "%s %s %s", i % table->columns == 0 ? "|" : "", table->cells[i], last ? "|\n" : "|");
    if (i + 1 == table->columns) {
      add_rule(table->columns, out);
    }
  }
}

void fwi_page_table(fwi_page *page, fwi_table *table) {
  fw_text unused = FW_TEXT_INIT;
  begin_block(page);
  if (page->markdown && !table->failed) {
    add_rows(table, page->out);
  }
  fwi_table_finish(table, "  ", page->markdown ? &unused : page->out);
  page->out->failed = page->out->failed || unused.failed;
  fw_text_clear(&unused);
}

/* Two passes over the cells: widths, then text. A cell's width is its count of characters, not of bytes. */
#include "sim/report/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/memory.h"

fwi_table fwi_table_start(size_t columns) {
  return (fwi_table){.columns = columns};
}

void fwi_table_add(fwi_table *table, const char *format, ...) {
  char buffer[128];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  char *cell = fw_copy_text(buffer);
  if (cell == NULL || !fw_grow(&table->cells, &table->capacity, table->cell_count + 1, sizeof *table->cells)) {
    free(cell);
    table->failed = true;
    return;
  }
  table->cells[table->cell_count++] = cell;
}

static size_t width_of(const char *cell) {
  size_t width = 0;
  for (; *cell != '\0'; cell++) {
    width += ((unsigned char)*cell & 0xC0u) != 0x80u;
  }
  return width;
}

static void pad(size_t count, fw_text *out) {
  for (size_t i = 0; i < count; i++) {
    fw_text_add(out, " ");
  }
}

static void add_row(const fwi_table *table, size_t row, const size_t *widths, const char *indent, fw_text *out) {
  fw_text_add(out, indent);
  for (size_t column = 0; column < table->columns; column++) {
    const char *cell = table->cells[row * table->columns + column];
    const size_t padding = widths[column] - width_of(cell);
    const bool last = column + 1 == table->columns;
    if (column > 0) {
      pad(2 + padding, out);
    }
    fw_text_add(out, cell);
    if (column == 0 && !last) {
      pad(padding, out);
    }
  }
  fw_text_add(out, "\n");
}

void fwi_table_finish(fwi_table *table, const char *indent, fw_text *out) {
  size_t widths[FWI_TABLE_COLUMNS] = {0};
  for (size_t i = 0; i < table->cell_count; i++) {
    const size_t width = width_of(table->cells[i]);
    widths[i % table->columns] = width > widths[i % table->columns] ? width : widths[i % table->columns];
  }
  for (size_t row = 0; !table->failed && row < table->cell_count / table->columns; row++) {
    add_row(table, row, widths, indent, out);
  }
  out->failed = out->failed || table->failed;
  for (size_t i = 0; i < table->cell_count; i++) {
    free(table->cells[i]);
  }
  free(table->cells);
  *table = (fwi_table){0};
}

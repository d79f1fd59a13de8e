/* Two passes over the cells: widths, then text. A cell's width is its count of characters, not of bytes. */
#include "sim/report/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/report/figure.h"

#define COLUMN_GAP ((size_t)2)

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

void fwi_table_add_estimate(fwi_table *table, fw_estimate value, double scale, int digits) {
  char text[FWI_FIGURE_SIZE];
  fwi_table_add(table, "%s", fwi_figure_estimate(value, scale, digits, text));
}

static size_t width_of(const char *cell) {
  size_t width = 0;
  for (; *cell != '\0'; cell++) {
    width += ((unsigned char)*cell & 0xC0u) != 0x80u;
  }
  return width;
}

/* A figure begins with a number and may go on with its interval: "12.3", "12.3 Â± 0.4", "0 (< 9.5)". */
typedef struct cell_parts {
  bool figure;
  size_t number_bytes;
  size_t whole; /* characters before the point */
  size_t fraction;
  size_t tail;
} cell_parts;

static cell_parts parts_of(const char *cell) {
  const char *fault;
  const size_t span = fw_number_span(cell, strlen(cell), &fault);
  const char *tail = cell + span;
  const bool interval = strncmp(tail, " \302\261 ", 4) == 0 || strncmp(tail, " (", 2) == 0;
  if (span == 0 || (*tail != '\0' && !interval)) {
    return (cell_parts){.figure = false};
  }
  const char *point = memchr(cell, '.', span);
  const size_t whole = point != NULL ? (size_t)(point - cell) : span;
  return (cell_parts){true, span, whole, span - whole, width_of(tail)};
}

/* The widest of each part over the figures of a column, and of all its cells. */
typedef struct column_layout {
  size_t whole;
  size_t fraction;
  size_t tail;
  size_t width;
} column_layout;

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static column_layout layout_of(const fwi_table *table, size_t column) {
  column_layout layout = {0};
  for (size_t i = column; i < table->cell_count; i += table->columns) {
    const cell_parts parts = parts_of(table->cells[i]);
    layout.whole = larger(layout.whole, parts.whole);
    layout.fraction = larger(layout.fraction, parts.fraction);
    layout.tail = larger(layout.tail, parts.tail);
    layout.width = larger(layout.width, width_of(table->cells[i]));
  }
  layout.width = larger(layout.width, layout.whole + layout.fraction + layout.tail);
  return layout;
}

static void pad(size_t count, fw_text *out) {
  for (size_t i = 0; i < count; i++) {
    fw_text_add(out, " ");
  }
}

/* Adds a cell after `before` blanks; returns how many belong behind it. */
static size_t add_figure(const column_layout *layout, const char *cell, cell_parts parts, size_t before, fw_text *out) {
  const size_t block = layout->whole + layout->fraction + layout->tail;
  const size_t point = layout->fraction - parts.fraction;
  pad(before + layout->width - block + layout->whole - parts.whole, out);
  fw_text_add_bytes(out, cell, parts.number_bytes);
  if (parts.tail == 0) {
    return point + layout->tail;
  }
  pad(point, out);
  fw_text_add(out, cell + parts.number_bytes);
  return layout->tail - parts.tail;
}

static void add_row(const fwi_table *table, size_t row, const column_layout *layouts, const char *indent,
                    fw_text *out) {
  size_t blanks = 0;
  fw_text_add(out, indent);
  for (size_t column = 0; column < table->columns; column++) {
    const char *cell = table->cells[row * table->columns + column];
    const cell_parts parts = parts_of(cell);
    const size_t slack = layouts[column].width - width_of(cell);
    if (column == 0) {
      fw_text_add(out, cell);
      blanks = slack;
    } else if (parts.figure) {
      blanks = add_figure(&layouts[column], cell, parts, blanks + COLUMN_GAP, out);
    } else {
      pad(blanks + COLUMN_GAP + slack, out);
      fw_text_add(out, cell);
      blanks = 0;
    }
  }
  fw_text_add(out, "\n");
}

void fwi_table_finish(fwi_table *table, const char *indent, fw_text *out) {
  column_layout layouts[FWI_TABLE_COLUMNS] = {{0}};
  for (size_t column = 0; column < table->columns; column++) {
    layouts[column] = layout_of(table, column);
  }
  const size_t rows = table->columns > 0 ? table->cell_count / table->columns : 0;
  for (size_t row = 0; !table->failed && row < rows; row++) {
    add_row(table, row, layouts, indent, out);
  }
  out->failed = out->failed || table->failed;
  for (size_t i = 0; i < table->cell_count; i++) {
    free(table->cells[i]);
  }
  free(table->cells);
  *table = (fwi_table){0};
}

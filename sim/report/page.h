/* A page of headings, paragraphs and tables, as plain text or as Markdown. Lines of prose are wrapped. */
#ifndef FW_REPORT_PAGE_H
#define FW_REPORT_PAGE_H

#include "sim/report/table.h"

typedef struct fwi_page {
  fw_text *out;
  bool markdown;
  bool begun;
} fwi_page;

fwi_page fwi_page_start(fw_text *out, bool markdown);

/* `level` 1 is the page's title. */
void fwi_page_heading(fwi_page *page, int level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Not for floating point, as fw_text_add_format. */
void fwi_page_paragraph(fwi_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first row of the table is its head. Frees the table, as fwi_table_finish does. */
void fwi_page_table(fwi_page *page, fwi_table *table);

#endif

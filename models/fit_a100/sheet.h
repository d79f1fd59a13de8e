/* A sheet: every number of one job with where it comes from. The parameter file, its provenance and the tables for
 * readers are all written from it, so they cannot disagree. */
#ifndef FWI_FIT_A100_SHEET_H
#define FWI_FIT_A100_SHEET_H

#include "sim/base/diagnostics.h"
#include "sim/base/text.h"

typedef enum fwi_kind {
  FWI_NAME,      /* what the file is about: no provenance */
  FWI_PUBLISHED, /* a fact of the study */
  FWI_FITTED,    /* solved from published figures or by least squares */
  FWI_MEASURED,  /* a statistic of measured data */
  FWI_ASSUMED,   /* a choice of ours, or a figure carried over from elsewhere */
  FWI_DERIVED,   /* stands beside the parameters, not among them: follows from the fit */
  FWI_PREDICTED  /* the same: a figure that was not fitted, to hold against a published one */
} fwi_kind;

typedef struct fwi_entry {
  const char *key; /* dotted place in the file: "timing.token_base_s" */
  fw_text value;   /* JSON */
  fwi_kind kind;
  const char *source; /* "arXiv:2608.11226", "S2", ... */
  const char *basis;  /* what the number rests on */
  fw_text quality;    /* how well it fits, in words and numbers */
} fwi_entry;

typedef struct fwi_sheet {
  const char *id; /* of the job */
  fwi_entry *entries;
  size_t count;
  size_t capacity;
  bool failed;      /* an entry could not be kept: checked once, at the end */
  fw_text appendix; /* Markdown below the table; not in the file */
} fwi_sheet;

/* Each adds an entry. The texts are the caller's and live as long as the sheet. */
void fwi_sheet_number(fwi_sheet *sheet, const char *key, double value, fwi_kind kind, const char *source,
                      const char *basis);
void fwi_sheet_numbers(fwi_sheet *sheet, const char *key, const double *values, size_t count, fwi_kind kind,
                       const char *source, const char *basis);
void fwi_sheet_name(fwi_sheet *sheet, const char *key, const char *value, fwi_kind kind, const char *source,
                    const char *basis);

/* Adds to the quality of the last entry: "LABEL VALUE UNIT". */
void fwi_sheet_quality(fwi_sheet *sheet, const char *label, double value, const char *unit);

/* The parameter file; the entries of a nested object must follow each other. */
void fwi_sheet_json(const fwi_sheet *sheet, fw_text *out);

/* For a terminal and for docs/parameters.md: one row a number. */
void fwi_sheet_table(const fwi_sheet *sheet, fw_text *out);
void fwi_sheet_markdown(const fwi_sheet *sheet, fw_text *out);

void fwi_sheet_clear(fwi_sheet *sheet);

#endif

/* A cell of a log as a number in a fixed unit, or as one of the many ways to say that there is none. */
#ifndef FWI_TRACES_READING_H
#define FWI_TRACES_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fwi_quantity_kind {
  FWI_POWER_READING,  /* thousandths: mW */
  FWI_ENERGY_READING, /* uJ */
  FWI_PLAIN_READING   /* thousandths of per cent, degrees, requests: the unit is decoration */
} fwi_quantity_kind;

/* value in the fixed unit = number x 10^decimals x factor */
typedef struct fwi_scale {
  const char *symbol;
  int decimals;
  int factor;
} fwi_scale;

/* The scale of a unit written as text[0 .. length-1]; NULL: not known for this quantity. Capitals matter: mW and MW. */
const fwi_scale *fwi_scale_find(fwi_quantity_kind kind, const char *text, size_t length);

typedef enum fwi_reading_state {
  FWI_READING_VALUE,
  FWI_READING_MISSING, /* `spelling` says so in a known way */
  FWI_READING_UNKNOWN, /* text that is no number and no known spelling, without a digit: taken as missing */
  FWI_READING_NO_UNIT, /* a number without a unit, and none was given */
  FWI_READING_BAD      /* garbage, or a unit of something else */
} fwi_reading_state;

typedef struct fwi_reading {
  fwi_reading_state state;
  int64_t value;
  const char *spelling; /* the cell, or the name of a sentinel */
  size_t spelling_length;
  const fwi_scale *scale; /* that the number was read with */
} fwi_reading;

/* `scale` is that of the header or the option, NULL: none; a unit in the cell goes before it. */
fwi_reading fwi_reading_parse(fwi_quantity_kind kind, const fwi_scale *scale, const char *text, size_t length);

/* Whether the text is a number, with or without a unit. */
bool fwi_looks_numeric(const char *text, size_t length);

/* Digits at the start of text[0 .. length-1], with a sign and a point, as a number x 10^decimals, rounded to nearest;
 * the length that was read, 0 where the text is of another shape (exponents, very many digits). */
size_t fwi_scan_fixed(const char *text, size_t length, int decimals, int64_t *out);

#endif

/* Inside sim/base: quantities of power and time and the units that people write them in. */
#ifndef FW_BASE_QUANTITY_H
#define FW_BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

/* value in W or s = number * multiply / divide: both factors are exact, so that 500 ms is 0.5 s to the last bit. */
typedef struct fwi_unit {
  const char *symbol; /* in a value: "kW" */
  const char *suffix; /* of a key: "_kw" */
  double multiply;
  double divide;
} fwi_unit;

typedef struct fwi_quantity {
  const char *name;      /* "power" */
  const char *symbols;   /* for people: "W, kW or MW" */
  const char *pattern;   /* for a regular expression: "W|kW|MW" */
  const fwi_unit *units; /* the first is the base unit */
  size_t unit_count;
} fwi_quantity;

extern const fwi_quantity fwi_power;
extern const fwi_quantity fwi_time;

double fwi_unit_to_base(const fwi_unit *unit, double number);
double fwi_unit_from_base(const fwi_unit *unit, double value);

/* Reads "0.5 kW" (a JSON number, blanks, a unit's symbol with its capitals) as W or s. False when `text` is something
 * else, and `fault` of FWI_FAULT_SIZE bytes says what is wrong and how to mend it. */
#define FWI_FAULT_SIZE ((size_t)400)
bool fwi_quantity_parse(const fwi_quantity *quantity, const char *text, double *out, char *fault);

#endif

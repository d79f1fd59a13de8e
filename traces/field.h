/* What a column, metric or table head stands for, by its name, and the unit that the name carries. */
#ifndef FWI_TRACES_FIELD_H
#define FWI_TRACES_FIELD_H

#include "traces/reading.h"
#include "traces/stamp.h"

typedef enum fwi_role {
  FWI_ROLE_NONE,
  FWI_ROLE_TIME,
  FWI_ROLE_DATE, /* of a stamp whose time of day is in the time column */
  FWI_ROLE_POWER,
  FWI_ROLE_AVERAGE,
  FWI_ROLE_INSTANT,
  FWI_ROLE_LIMIT,
  FWI_ROLE_UTILISATION,
  FWI_ROLE_TEMPERATURE,
  FWI_ROLE_OCCUPANCY,
  FWI_ROLE_COUNTER, /* energy since some start */
  FWI_ROLE_UUID,    /* identities, the most telling first */
  FWI_ROLE_SERIAL,
  FWI_ROLE_BUS,
  FWI_ROLE_INDEX,
  FWI_ROLE_HOST,
  FWI_ROLE_LOGGER, /* rank or process that wrote the row */
  FWI_ROLE_MODEL,
  FWI_ROLE_COUNT
} fwi_role;

typedef struct fwi_field {
  fwi_role role;
  const fwi_scale *scale; /* of the unit in the name; NULL: none */
  fwi_time_unit time_unit;
} fwi_field;

/* `name` may end in a unit: "power.draw [W]", "power (W)", "power_mw". Case and the signs between words do not count.
 */
fwi_field fwi_field_of_name(const char *name, size_t length);

/* The unit of power in brackets at the end of any name; NULL: none. */
const fwi_scale *fwi_bracket_scale(const char *name, size_t length);

/* Whether two names are the same but for case, the signs between words and a unit in brackets. */
bool fwi_same_name(const char *a, size_t a_length, const char *b, size_t b_length);

/* Whether the name says that the column sums others. */
bool fwi_is_total_name(const char *name, size_t length);

fwi_quantity_kind fwi_role_quantity(fwi_role role);

#endif

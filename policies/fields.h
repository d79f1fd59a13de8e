/* Shorthand for the settings tables of this folder, whose keys are the names of the struct's members. */
#ifndef FW_POLICIES_FIELDS_H
#define FW_POLICIES_FIELDS_H

#include <stddef.h>

#include "sim/base/record.h"

#define FWI_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* An optional member. `low` and `high` both belong to the range and stand in W, s or the number's own unit. */
#define FWI_SETTING(type, member, field_kind, low, high, text)                                                         \
  {                                                                                                                    \
    .name = #member, .kind = (field_kind), .offset = offsetof(type, member), .min = (low), .max = (high),              \
    .doc = (text)                                                                                                      \
  }

/* The same for a value that must be above `low`. */
#define FWI_SETTING_ABOVE(type, member, field_kind, low, high, text)                                                   \
  {                                                                                                                    \
    .name = #member, .kind = (field_kind), .offset = offsetof(type, member), .exclusive_min = true, .min = (low),      \
    .max = (high), .doc = (text)                                                                                       \
  }

/* Ceilings that several tables share: generous, to catch a wrong unit and not an unusual wish. */
#define FWI_MOST_SHARE 2.0 /* of a budget */
#define FWI_MOST_CAP_W 10000.0
#define FWI_MOST_S 86400.0

#endif

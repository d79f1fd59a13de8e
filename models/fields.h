/* Shorthand for the record tables of this folder, whose keys are the names of the struct's members. */
#ifndef FW_MODELS_FIELDS_H
#define FW_MODELS_FIELDS_H

#include <stddef.h>

#include "sim/base/record.h"

#define FWI_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A member of any kind without bounds, or with bounds that both ends belong to. `low` and `high` stand in W, s or
 * the number's own unit. The ceilings in this folder are generous: they catch a wrong unit, not an unusual device. */
#define FWI_FIELD(type, member, field_kind, is_required, low, high, text)                                              \
  {                                                                                                                    \
    .name = #member, .kind = (field_kind), .offset = offsetof(type, member), .required = (is_required), .min = (low),  \
    .max = (high), .doc = (text)                                                                                       \
  }

/* The same for a value that must be above `low`. */
#define FWI_FIELD_ABOVE(type, member, field_kind, is_required, low, high, text)                                        \
  {                                                                                                                    \
    .name = #member, .kind = (field_kind), .offset = offsetof(type, member), .required = (is_required),                \
    .exclusive_min = true, .min = (low), .max = (high), .doc = (text)                                                  \
  }

#define FWI_RECORD(type, member, table, is_required, text)                                                             \
  {                                                                                                                    \
    .name = #member, .kind = FW_FIELD_RECORD, .offset = offsetof(type, member), .required = (is_required),             \
    .record = (table), .doc = (text)                                                                                   \
  }

#define FWI_VARIANT(type, member, alternatives, is_required, text)                                                     \
  {                                                                                                                    \
    .name = #member, .kind = FW_FIELD_VARIANT, .offset = offsetof(type, member), .required = (is_required),            \
    .cases = (alternatives), .doc = (text)                                                                             \
  }

#define FWI_NUMBERS(type, member, least_count, low, high, text)                                                        \
  {                                                                                                                    \
    .name = #member, .kind = FW_FIELD_NUMBERS, .offset = offsetof(type, member), .required = true, .min = (low),       \
    .max = (high), .min_count = (least_count), .doc = (text)                                                           \
  }

/* Free text for readers of the file: sources, what was fitted to what, goodness of fit. */
#define FWI_PROVENANCE                                                                                                 \
  { .name = "provenance", .kind = FW_FIELD_FREE, .doc = "sources, what was fitted to what, goodness of fit" }

/* Ceilings that several tables share. */
#define FWI_MOST_W 10000.0
#define FWI_MOST_S 86400.0
#define FWI_MOST_COUNT 1e9

#endif

/* Shorthand for record tables whose keys are the names of the struct's members. What is rarer (a key of another name, a
 * member of a nested struct, `present_offset`) is written out. */
#ifndef FW_BASE_FIELDS_H
#define FW_BASE_FIELDS_H

#include <stddef.h>

#include "sim/base/record.h"

#define FW_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define FW_REQUIRED true
#define FW_OPTIONAL false

/* A member of any kind without bounds (both 0), or with bounds that both ends belong to. `low` and `high` stand in W, s
 * or the number's own unit. */
#define FW_FIELD(type, member, field_kind, is_required, low, high, text)                                               \
  {                                                                                                                    \
    .name = #member, .kind = (field_kind), .offset = offsetof(type, member), .required = (is_required), .min = (low),  \
    .max = (high), .doc = (text)                                                                                       \
  }

/* The same for a value that must be above `low`. */
#define FW_FIELD_ABOVE(type, member, field_kind, is_required, low, high, text)                                         \
  {                                                                                                                    \
    .name = #member, .kind = (field_kind), .offset = offsetof(type, member), .required = (is_required),                \
    .exclusive_min = true, .min = (low), .max = (high), .doc = (text)                                                  \
  }

/* A list of numbers that must be there. */
#define FW_NUMBERS(type, member, least_count, low, high, text)                                                         \
  {                                                                                                                    \
    .name = #member, .kind = FW_FIELD_NUMBERS, .offset = offsetof(type, member), .required = true, .min = (low),       \
    .max = (high), .min_count = (least_count), .doc = (text)                                                           \
  }

/* One of `choices`. */
#define FW_ENUM(type, member, choices, is_required, text)                                                              \
  {                                                                                                                    \
    .name = #member, .kind = FW_FIELD_ENUM, .offset = offsetof(type, member), .required = (is_required),               \
    .names = (choices), .doc = (text)                                                                                  \
  }

#define FW_RECORD(type, member, table, is_required, text)                                                              \
  {                                                                                                                    \
    .name = #member, .kind = FW_FIELD_RECORD, .offset = offsetof(type, member), .required = (is_required),             \
    .record = (table), .doc = (text)                                                                                   \
  }

/* A list of records: at least one where it is required. */
#define FW_RECORDS(type, member, table, is_required, text)                                                             \
  {                                                                                                                    \
    .name = #member, .kind = FW_FIELD_RECORDS, .offset = offsetof(type, member), .required = (is_required),            \
    .min_count = (is_required), .record = (table), .doc = (text)                                                       \
  }

#define FW_VARIANT(type, member, alternatives, is_required, text)                                                      \
  {                                                                                                                    \
    .name = #member, .kind = FW_FIELD_VARIANT, .offset = offsetof(type, member), .required = (is_required),            \
    .cases = (alternatives), .doc = (text)                                                                             \
  }

/* The first key of every file says what it is and in which version of its format: {"fleetwatt": 1, ...}. */
#define FW_FORMAT(type, member, key)                                                                                   \
  {                                                                                                                    \
    .name = (key), .kind = FW_FIELD_FORMAT, .offset = offsetof(type, member), .required = true, .min = 1.0,            \
    .max = 1.0, .doc = "version of the format"                                                                         \
  }

/* Free text for readers of the file. */
#define FW_PROVENANCE                                                                                                  \
  { .name = "provenance", .kind = FW_FIELD_FREE, .doc = "sources, what was fitted to what, goodness of fit" }

#endif

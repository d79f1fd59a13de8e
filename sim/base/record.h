/* Records: a C struct, the JSON object it is read from and the JSON Schema that describes it, from one table.
 *
 * Scenario files, parameter files and policy settings are all read through such tables, so that every
 * unknown key, wrong unit, type or range is reported the same way (file, line, column, path, nearest valid key)
 * and the published schema cannot drift from the code.
 *
 * Units stand in the key or in the value, never in neither: a field "budget" of kind FW_FIELD_POWER is read
 * from "budget_w": 3200, "budget_kw": 3.2, "budget_mw": 0.0032 (megawatts) or "budget": "3.2 kW"; "period" of kind
 * FW_FIELD_TIME from "period_s", "period_ms", "period_min", "period_h", "period_d" or "period": "500 ms". Giving two of
 * them is an error. Keys that begin with "x_" and a key "notes" are free in every object. */
#ifndef FW_BASE_RECORD_H
#define FW_BASE_RECORD_H

#include "sim/base/json.h"
#include "sim/base/text.h"
#include "sim/base/units.h"

typedef enum fw_field_kind {
  FW_FIELD_BOOL,     /* bool */
  FW_FIELD_INTEGER,  /* int64_t, exact */
  FW_FIELD_UNSIGNED, /* uint64_t, exact */
  FW_FIELD_NUMBER,   /* double */
  FW_FIELD_STRING,   /* char *, owned */
  FW_FIELD_ENUM,     /* int: index into `names` */
  FW_FIELD_FORMAT,   /* int64_t: the version of a file's format; one above `max` is told from a wrong value */
  FW_FIELD_POWER,    /* fw_power_mw */
  FW_FIELD_TIME,     /* fw_time_ns */
  FW_FIELD_NUMBERS,  /* fw_array of double */
  FW_FIELD_POWERS,   /* fw_array of fw_power_mw: "levels_w": [..] */
  FW_FIELD_TIMES,    /* fw_array of fw_time_ns: "windows_s": [..] */
  FW_FIELD_STRINGS,  /* fw_array of char *, each owned */
  FW_FIELD_RECORD,   /* a nested struct, in place */
  FW_FIELD_RECORDS,  /* fw_array of nested structs */
  FW_FIELD_VARIANT,  /* fw_variant: an object whose "kind" selects the record */
  FW_FIELD_VARIANTS, /* fw_array of fw_variant */
  FW_FIELD_FREE      /* any value; checked by nobody, not kept (provenance and the like) */
} fw_field_kind;

typedef struct fw_record fw_record;

/* An owned array; `data` is NULL when `count` is 0. */
typedef struct fw_array {
  void *data;
  size_t count;
} fw_array;

/* One alternative of a variant: `tag` is the value of "kind". */
typedef struct fw_variant_case {
  const char *tag;
  const fw_record *record;
} fw_variant_case;

/* A decoded variant. `value` is an owned struct of `which->record`; both NULL when the key was left out. */
typedef struct fw_variant {
  const fw_variant_case *which;
  void *value;
} fw_variant;

/* One member. `name` is the key, without the unit for quantities. Bounds apply to numbers and quantities (in W
 * and s, after rounding to mW and ns) and to every element of an array of them. Both 0 means unbounded, but for a `min`
 * that is exclusive; else a `max` below `min` means no upper bound, and one equal to it allows this value alone. */
typedef struct fw_field {
  const char *name;
  fw_field_kind kind;
  size_t offset; /* offsetof in the struct */
  bool required;
  bool exclusive_min; /* the value must be above `min`, not equal to it */
  double min;
  double max;
  size_t min_count;             /* arrays: fewest elements */
  const char *const *names;     /* FW_FIELD_ENUM: NULL-terminated */
  const fw_record *record;      /* RECORD, RECORDS */
  const fw_variant_case *cases; /* VARIANT, VARIANTS: ended by a case with NULL tag */
  const char *doc;              /* one line for the schema and the reference */
  size_t present_offset;        /* where to store a bool "was given"; 0: nowhere */
} fw_field;

/* `defaults` points to a struct holding the value of every field that is left out (no owned pointers in
 * it), or is NULL for all zero. A nested record that is left out takes the defaults of its own record, as "{}" would.
 */
struct fw_record {
  const char *name; /* for the schema: "job", "hysteresis" */
  const char *doc;
  size_t size;
  const void *defaults;
  const fw_field *fields;
  size_t field_count;
};

/* Reads `value` into `out` (of record->size bytes, uninitialised). Reports every fault in it and in what is nested (up
 * to FW_JSON_FAULT_LIMIT), then returns the first status. On failure `out` is still safe to pass to fw_record_clear. */
fw_status fw_record_decode(const fw_record *record, const fw_json_value *value, void *out, fw_diagnostics *diagnostics);

/* Where a field of a struct stands in the object that it was read from, for messages about it: the member that gives
 * `name`, whatever unit its key carries ("latency" finds "latency_ms"), and element `index` of the array there. What is
 * not there is the object itself, or the array, so that a message always has a place; no object has none: NULL. */
const fw_json_value *fw_record_member(const fw_json_value *object, const char *name);
const fw_json_value *fw_record_element(const fw_json_value *object, const char *name, size_t index);

/* Frees what the struct owns (not the struct) and zeroes it. */
void fw_record_clear(const fw_record *record, void *out);

/* Frees a variant's value. */
void fw_variant_clear(fw_variant *variant);

/* Adds the JSON Schema (2020-12) of `record` to `text`, as the document named `id`; every nested record becomes a
 * definition. */
void fw_record_schema(const fw_record *record, const char *id, fw_text *text);

#endif

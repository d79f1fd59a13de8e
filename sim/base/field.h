/* Inside sim/base: what the decoder and the schema both know of a field. */
#ifndef FW_BASE_FIELD_H
#define FW_BASE_FIELD_H

#include "sim/base/quantity.h"
#include "sim/base/record.h"

/* Longest key in a table, with its unit and end. */
#define FWI_KEY_SIZE ((size_t)64)

/* The kind of one element of an array; any other kind itself. */
fw_field_kind fwi_element_kind(fw_field_kind kind);
bool fwi_is_array(const fw_field *field);

/* Bytes of one value, or of one element of an array. */
size_t fwi_element_size(const fw_field *field);

/* &fwi_power, &fwi_time or NULL. */
const fwi_quantity *fwi_field_quantity(const fw_field *field);

/* The `n`-th key that the field may be read from, the preferred one first; NULL past the last. Quantities have one
 * with each unit, then the one without. */
const char *fwi_field_spelling(const fw_field *field, size_t n, char buffer[FWI_KEY_SIZE]);

/* Whether `key` is a spelling of the field; `unit` is then the unit in the key, or NULL. */
bool fwi_field_matches(const fw_field *field, const char *key, const fwi_unit **unit);

/* Adds the value that the field has when it is left out, as JSON: in `unit`, or with its unit as a string where that is
 * NULL. False, and nothing added, where there is none: the key is required, or what it means to leave it out is not a
 * value (then the struct holds one outside the bounds, or says that none was given). */
bool fwi_field_default(const fw_record *record, const fw_field *field, const fwi_unit *unit, fw_text *json);

bool fwi_field_has_min(const fw_field *field);
bool fwi_field_has_max(const fw_field *field);

#endif

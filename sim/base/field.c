/* Fields: their kinds, keys and bounds. */
#include "sim/base/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

fw_field_kind fwi_element_kind(fw_field_kind kind) {
  switch (kind) {
  case FW_FIELD_NUMBERS:
    return FW_FIELD_NUMBER;
  case FW_FIELD_POWERS:
    return FW_FIELD_POWER;
  case FW_FIELD_TIMES:
    return FW_FIELD_TIME;
  case FW_FIELD_STRINGS:
    return FW_FIELD_STRING;
  case FW_FIELD_RECORDS:
    return FW_FIELD_RECORD;
  case FW_FIELD_VARIANTS:
    return FW_FIELD_VARIANT;
  default:
    return kind;
  }
}

bool fwi_is_array(const fw_field *field) {
  return fwi_element_kind(field->kind) != field->kind;
}

size_t fwi_element_size(const fw_field *field) {
  switch (fwi_element_kind(field->kind)) {
  case FW_FIELD_BOOL:
    return sizeof(bool);
  case FW_FIELD_INTEGER:
  case FW_FIELD_UNSIGNED:
  case FW_FIELD_FORMAT:
    return sizeof(int64_t);
  case FW_FIELD_NUMBER:
    return sizeof(double);
  case FW_FIELD_STRING:
    return sizeof(char *);
  case FW_FIELD_ENUM:
    return sizeof(int);
  case FW_FIELD_POWER:
    return sizeof(fw_power_mw);
  case FW_FIELD_TIME:
    return sizeof(fw_time_ns);
  case FW_FIELD_RECORD:
    return field->record->size;
  case FW_FIELD_VARIANT:
    return sizeof(fw_variant);
  default:
    return 0;
  }
}

const fwi_quantity *fwi_field_quantity(const fw_field *field) {
  fw_field_kind kind = fwi_element_kind(field->kind);
  return kind == FW_FIELD_POWER ? &fwi_power : kind == FW_FIELD_TIME ? &fwi_time : NULL;
}

const char *fwi_field_spelling(const fw_field *field, size_t n, char buffer[FWI_KEY_SIZE]) {
  const fwi_quantity *quantity = fwi_field_quantity(field);
  size_t unit_count = quantity == NULL ? 0 : quantity->unit_count;
  if (n > unit_count) return NULL;
  (void)snprintf(buffer, FWI_KEY_SIZE, "%s%s", field->name, n < unit_count ? quantity->units[n].suffix : "");
  return buffer;
}

bool fwi_field_matches(const fw_field *field, const char *key, const fwi_unit **unit) {
  const fwi_quantity *quantity = fwi_field_quantity(field);
  size_t length = strlen(field->name);
  *unit = NULL;
  if (strncmp(key, field->name, length) != 0) return false;
  if (key[length] == '\0') return true;
  for (size_t i = 0; quantity != NULL && i < quantity->unit_count; i++) {
    if (strcmp(key + length, quantity->units[i].suffix) != 0) continue;
    *unit = &quantity->units[i];
    return true;
  }
  return false;
}

bool fwi_field_has_min(const fw_field *field) {
  return isfinite(field->min) && (field->exclusive_min || field->min != 0 || field->max != 0);
}

bool fwi_field_has_max(const fw_field *field) {
  const bool alone = field->max == field->min && field->max != 0 && !field->exclusive_min;
  return isfinite(field->max) && (field->max > field->min || alone);
}

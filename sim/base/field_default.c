/* What a field is when it is left out: its member of the record's struct of defaults, read back as JSON. */
#include <inttypes.h>

#include "sim/base/field.h"

static bool inside(const fw_field *field, double value) {
  const bool low = fwi_field_has_min(field) && (field->exclusive_min ? value <= field->min : value < field->min);
  const bool high = fwi_field_has_max(field) && value > field->max;
  return !low && !high;
}

static void add_number(double value, fw_text *json) {
  char text[FW_NUMBER_TEXT_SIZE];
  fw_text_add(json, fw_number_format_exact(value, text));
}

static bool add_quantity(const fw_field *field, const fwi_unit *unit, int64_t kept, fw_text *json) {
  const fwi_quantity *quantity = fwi_field_quantity(field);
  const double value = quantity == &fwi_power ? fw_power_to_watts(kept) : fw_time_to_seconds(kept);
  if (!inside(field, value)) return false;
  if (unit != NULL) {
    add_number(fwi_unit_from_base(unit, value), json);
  } else {
    fw_text_add(json, "\"");
    add_number(value, json);
    fw_text_add_format(json, " %s\"", quantity->units[0].symbol);
  }
  return true;
}

static bool add_scalar(const fw_field *field, const fwi_unit *unit, const char *member, fw_text *json) {
  const void *value = member;
  switch (field->kind) {
  case FW_FIELD_BOOL:
    fw_text_add(json, *(const bool *)value ? "true" : "false");
    return true;
  case FW_FIELD_INTEGER:
    if (!inside(field, (double)*(const int64_t *)value)) return false;
    fw_text_add_format(json, "%" PRId64, *(const int64_t *)value);
    return true;
  case FW_FIELD_UNSIGNED:
    if (!inside(field, (double)*(const uint64_t *)value)) return false;
    fw_text_add_format(json, "%" PRIu64, *(const uint64_t *)value);
    return true;
  case FW_FIELD_NUMBER:
    if (!inside(field, *(const double *)value)) return false;
    add_number(*(const double *)value, json);
    return true;
  case FW_FIELD_ENUM:
    fw_text_add_json_string(json, field->names[*(const int *)value]);
    return true;
  case FW_FIELD_POWER:
  case FW_FIELD_TIME:
    return add_quantity(field, unit, *(const int64_t *)value, json);
  default: /* a string, an array or an object: none, or its own affair */
    return false;
  }
}

bool fwi_field_default(const fw_record *record, const fw_field *field, const fwi_unit *unit, fw_text *json) {
  static const int64_t zero = 0; /* of every kind above, all of whose bytes are then zero */
  if (field->required || field->present_offset > 0) return false;
  const char *defaults = record->defaults;
  return add_scalar(field, unit, defaults != NULL ? defaults + field->offset : (const char *)&zero, json);
}

/* Decoding of the values that hold no others: type, unit and range, each fault with its remedy. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/decode.h"
#include "sim/base/memory.h"

bool fwi_decoder_gave_up(const fwi_decoder *d) {
  return d->faults >= FW_JSON_FAULT_LIMIT || d->status == FW_ERROR_MEMORY;
}

void fwi_refuse(fwi_decoder *d, const fw_json_value *value, const char *format, ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fw_status status = fw_json_error(value, d->diagnostics, "%s", message);
  if (d->status == FW_OK) d->status = status;
  if (++d->faults < FW_JSON_FAULT_LIMIT) return;
  fw_json_error(value, d->diagnostics, "%zu faults so far: the check ends here", FW_JSON_FAULT_LIMIT);
}

void fwi_note_memory(fwi_decoder *d) {
  fw_error_memory(d->diagnostics, "a record");
  d->status = FW_ERROR_MEMORY;
}

bool fwi_expect(fwi_decoder *d, const fw_json_value *value, fw_json_type type, const char *what) {
  fw_json_type found = fw_json_type_of(value);
  if (found == type) return true;
  const char *remedy = type == FW_JSON_ARRAY ? "; a list of one element needs its brackets too" : "";
  fwi_refuse(d, value, "expected %s, found %s%s", what == NULL ? fw_json_type_name(type) : what,
             fw_json_type_name(found), remedy);
  return false;
}

/* The value as the user wrote it: a number's own text, or the string. */
static const char *as_written(const fw_json_value *value, char buffer[FW_SHOWN_SIZE]) {
  bool string = fw_json_type_of(value) == FW_JSON_STRING;
  const char *text = string ? fw_json_string(value) : fw_json_number_text(value);
  return fw_shown(text, strlen(text), buffer);
}

/* `number` is the value in the unit of the bounds, `symbol` that unit with a blank before it, or "". */
static bool check_bounds(fwi_decoder *d, const fw_field *field, const fw_json_value *value, double number,
                         const char *symbol, const char *key_symbol) {
  bool has_min = fwi_field_has_min(field);
  bool has_max = fwi_field_has_max(field);
  bool low = has_min && (field->exclusive_min ? number <= field->min : number < field->min);
  bool high = has_max && number > field->max;
  if (!low && !high) return true;
  char min[FW_NUMBER_TEXT_SIZE];
  char max[FW_NUMBER_TEXT_SIZE];
  char written[FW_SHOWN_SIZE];
  char lower[FW_NUMBER_TEXT_SIZE + 32] = "";
  char upper[FW_NUMBER_TEXT_SIZE + 32] = "";
  fw_number_format_exact(field->min, min);
  fw_number_format_exact(field->max, max);
  const bool alone = has_min && has_max && field->min == field->max;
  const char *least = alone ? "" : field->exclusive_min ? "above " : "at least ";
  if (has_min) (void)snprintf(lower, sizeof lower, "%s%s%s", least, min, symbol);
  if (has_max && !alone) (void)snprintf(upper, sizeof upper, "%sat most %s%s", has_min ? " and " : "", max, symbol);
  fwi_refuse(d, value, "must be %s%s, is %s%s", lower, upper, as_written(value, written), key_symbol);
  return false;
}

static void decode_bool(fwi_decoder *d, const fw_json_value *value, bool *out) {
  if (fwi_expect(d, value, FW_JSON_BOOL, "true or false")) *out = fw_json_bool(value);
}

static void decode_number(fwi_decoder *d, const fw_field *field, const fw_json_value *value, double *out) {
  if (!fwi_expect(d, value, FW_JSON_NUMBER, NULL)) return;
  double number = fw_json_number(value);
  if (check_bounds(d, field, value, number, "", "")) *out = number;
}

/* An integer is taken from its digits: a double would round it above 2^53. */
static void refuse_integer(fwi_decoder *d, const fw_json_value *value, const char *range) {
  char written[FW_SHOWN_SIZE];
  const char *text = fw_json_number_text(value);
  as_written(value, written);
  if (strpbrk(text, ".eE") != NULL) {
    fwi_refuse(d, value, "expected a whole number, written without point and exponent, found %s", written);
  } else {
    fwi_refuse(d, value, "must be %s (64 bits), is %s", range, written);
  }
}

static void decode_integer(fwi_decoder *d, const fw_field *field, const fw_json_value *value, int64_t *out) {
  if (!fwi_expect(d, value, FW_JSON_NUMBER, "a whole number")) return;
  const char *text = fw_json_number_text(value);
  int64_t number;
  if (!fw_int64_parse(text, strlen(text), &number)) {
    refuse_integer(d, value, "from -9223372036854775808 to 9223372036854775807");
  } else if (check_bounds(d, field, value, (double)number, "", "")) {
    *out = number;
  }
}

static void decode_unsigned(fwi_decoder *d, const fw_field *field, const fw_json_value *value, uint64_t *out) {
  if (!fwi_expect(d, value, FW_JSON_NUMBER, "a whole number")) return;
  const char *text = fw_json_number_text(value);
  uint64_t number;
  if (!fw_uint64_parse(text, strlen(text), &number)) {
    refuse_integer(d, value, "from 0 to 18446744073709551615");
  } else if (check_bounds(d, field, value, (double)number, "", "")) {
    *out = number;
  }
}

/* A file of a later format is no mistake of its writer. */
static void decode_format(fwi_decoder *d, const fw_field *field, const fw_json_value *value, int64_t *out) {
  const bool newer = fw_json_type_of(value) == FW_JSON_NUMBER && fw_json_number(value) >= field->max + 1;
  char written[FW_SHOWN_SIZE];
  char known[FW_NUMBER_TEXT_SIZE];
  if (!newer) {
    decode_integer(d, field, value, out);
    return;
  }
  fwi_refuse(d, value, "format %s is newer than this fleetwatt, which reads format %s; use a newer fleetwatt",
             as_written(value, written), fw_number_format_exact(field->max, known));
}

static void decode_string(fwi_decoder *d, const fw_json_value *value, char **out) {
  if (!fwi_expect(d, value, FW_JSON_STRING, NULL)) return;
  *out = fw_copy_text(fw_json_string(value));
  if (*out == NULL) fwi_note_memory(d);
}

const char *fwi_describe_choices(const char *word, const char *const *choices, size_t count, char *buffer) {
  const char *nearest = fw_nearest_word(word, choices, count);
  size_t used = 0;
  buffer[0] = '\0';
  if (nearest != NULL) {
    (void)snprintf(buffer, FWI_CHOICES_SIZE, "did you mean \"%s\"?", nearest);
    return buffer;
  }
  for (size_t i = 0; i < count && used < FWI_CHOICES_SIZE; i++) {
    const char *lead = i == 0 ? "it is one of" : ",";
    used += (size_t)snprintf(buffer + used, FWI_CHOICES_SIZE - used, "%s \"%s\"", lead, choices[i]);
  }
  return buffer;
}

size_t fwi_find_choice(fwi_decoder *d, const fw_json_value *value, const char *what, const char *const *choices,
                       size_t count) {
  char text[FWI_CHOICES_SIZE];
  char shown[FW_SHOWN_SIZE];
  if (!fwi_expect(d, value, FW_JSON_STRING, NULL)) return count;
  const char *word = fw_json_string(value);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(word, choices[i]) == 0) return i;
  }
  fwi_refuse(d, value, "unknown %s \"%s\"; %s", what, fw_shown(word, strlen(word), shown),
             fwi_describe_choices(word, choices, count, text));
  return count;
}

static void decode_enum(fwi_decoder *d, const fw_field *field, const fw_json_value *value, int *out) {
  size_t count = 0;
  while (field->names[count] != NULL)
    count++;
  size_t choice = fwi_find_choice(d, value, "value", field->names, count);
  if (choice < count) *out = (int)choice;
}

/* "budget_w": 500 or "budget": "500 W" */
static void refuse_bare_number(fwi_decoder *d, const fw_field *field, const fw_json_value *value) {
  const fwi_unit *base = fwi_field_quantity(field)->units;
  const char *opened = fwi_is_array(field) ? "[" : "";
  const char *closed = fwi_is_array(field) ? ", ...]" : "";
  char number[FW_SHOWN_SIZE];
  as_written(value, number);
  fwi_refuse(d, value, "%s has no unit: write \"%s%s\": %s%s%s or \"%s\": %s\"%s %s\"%s", number, field->name,
             base->suffix, opened, number, closed, field->name, opened, number, base->symbol, closed);
}

static bool read_unit_string(fwi_decoder *d, const fw_field *field, const fwi_unit *unit, const fw_json_value *value,
                             double *base) {
  char fault[FWI_FAULT_SIZE];
  char written[FW_SHOWN_SIZE];
  if (unit != NULL) {
    fwi_refuse(d, value, "expected a number in %s, found the string \"%s\"; with a unit in the value the key is \"%s\"",
               unit->symbol, as_written(value, written), field->name);
    return false;
  }
  if (fwi_quantity_parse(fwi_field_quantity(field), fw_json_string(value), base, fault)) return true;
  fwi_refuse(d, value, "%s", fault);
  return false;
}

/* Reads a quantity in W or s, whichever side its unit stands on. */
static bool read_quantity(fwi_decoder *d, const fw_field *field, const fwi_unit *unit, const fw_json_value *value,
                          double *base) {
  fw_json_type type = fw_json_type_of(value);
  if (type == FW_JSON_STRING) return read_unit_string(d, field, unit, value, base);
  char expected[64];
  if (unit != NULL) {
    (void)snprintf(expected, sizeof expected, "a number in %s", unit->symbol);
  } else {
    const fwi_quantity *quantity = fwi_field_quantity(field);
    (void)snprintf(expected, sizeof expected, "a %s with its unit such as \"500 %s\"", quantity->name,
                   quantity->units[0].symbol);
  }
  if (!fwi_expect(d, value, FW_JSON_NUMBER, expected)) return false;
  if (unit == NULL) {
    refuse_bare_number(d, field, value);
    return false;
  }
  *base = fwi_unit_to_base(unit, fw_json_number(value));
  return true;
}

/* Bounds are checked on what is kept: 1e-12 s is above 0 and yet 0 ns. */
static void decode_quantity(fwi_decoder *d, const fw_field *field, const fwi_unit *unit, const fw_json_value *value,
                            int64_t *out) {
  const fwi_quantity *quantity = fwi_field_quantity(field);
  bool power = quantity == &fwi_power;
  char symbol[8];
  char key_symbol[8] = "";
  char written[FW_SHOWN_SIZE];
  double base;
  int64_t kept;
  if (!read_quantity(d, field, unit, value, &base)) return;
  (void)snprintf(symbol, sizeof symbol, " %s", quantity->units[0].symbol);
  if (unit != NULL) (void)snprintf(key_symbol, sizeof key_symbol, " %s", unit->symbol);
  if (!(power ? fw_power_from_watts(base, &kept) : fw_time_from_seconds(base, &kept))) {
    fwi_refuse(d, value, "%s%s is too large for a %s (64 bits of %s)", as_written(value, written), key_symbol,
               quantity->name, power ? "mW" : "ns");
    return;
  }
  double rounded = power ? fw_power_to_watts(kept) : fw_time_to_seconds(kept);
  if (check_bounds(d, field, value, rounded, symbol, key_symbol)) *out = kept;
}

void fwi_decode_scalar(fwi_decoder *d, const fw_field *field, const fwi_unit *unit, const fw_json_value *value,
                       void *out) {
  switch (fwi_element_kind(field->kind)) {
  case FW_FIELD_BOOL:
    decode_bool(d, value, out);
    break;
  case FW_FIELD_INTEGER:
    decode_integer(d, field, value, out);
    break;
  case FW_FIELD_UNSIGNED:
    decode_unsigned(d, field, value, out);
    break;
  case FW_FIELD_FORMAT:
    decode_format(d, field, value, out);
    break;
  case FW_FIELD_NUMBER:
    decode_number(d, field, value, out);
    break;
  case FW_FIELD_STRING:
    decode_string(d, value, out);
    break;
  case FW_FIELD_ENUM:
    decode_enum(d, field, value, out);
    break;
  case FW_FIELD_POWER:
  case FW_FIELD_TIME:
    decode_quantity(d, field, unit, value, out);
    break;
  default: /* FW_FIELD_FREE: any value, not kept */
    break;
  }
}

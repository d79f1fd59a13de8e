/* JSON Schema (draft 2020-12) of a record table.
 *
 * Every record is a definition, found by walking the tables breadth first, so tables may refer to themselves. A
 * quantity becomes one property for each spelling of its key; that a required one is given exactly once is a "oneOf"
 * over them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/definitions.h"
#include "sim/base/field.h"

/* The text under way. `fresh` is true where the next item needs no comma before it. */
typedef struct emitter {
  fw_text *text;
  size_t depth;
  bool fresh;
  fwi_definitions definitions;
} emitter;

static void begin_item(emitter *e, const char *key) {
  if (!e->fresh) fw_text_add(e->text, ",");
  if (e->depth > 0) fw_text_add(e->text, "\n");
  for (size_t i = 0; i < e->depth; i++)
    fw_text_add(e->text, "  ");
  if (key != NULL) {
    fw_text_add_json_string(e->text, key);
    fw_text_add(e->text, ": ");
  }
  e->fresh = false;
}

static void open_item(emitter *e, const char *key, const char *bracket) {
  begin_item(e, key);
  fw_text_add(e->text, bracket);
  e->depth++;
  e->fresh = true;
}

static void close_item(emitter *e, const char *bracket) {
  e->depth--;
  if (!e->fresh) {
    fw_text_add(e->text, "\n");
    for (size_t i = 0; i < e->depth; i++)
      fw_text_add(e->text, "  ");
  }
  fw_text_add(e->text, bracket);
  e->fresh = false;
}

static void add_string(emitter *e, const char *key, const char *value) {
  begin_item(e, key);
  fw_text_add_json_string(e->text, value);
}

/* The same from a text of its own, which is freed. */
static void add_built_string(emitter *e, const char *key, fw_text *value) {
  if (value->failed) {
    e->text->failed = true;
  } else {
    add_string(e, key, value->data);
  }
  fw_text_clear(value);
}

/* A value that is JSON text already. */
static void add_raw(emitter *e, const char *key, const char *json) {
  begin_item(e, key);
  fw_text_add(e->text, json);
}

static void add_number(emitter *e, const char *key, double value) {
  char buffer[FW_NUMBER_TEXT_SIZE];
  add_raw(e, key, fw_number_format_exact(value, buffer));
}

static void add_description(emitter *e, const char *doc) {
  if (doc != NULL) add_string(e, "description", doc);
}

static void add_reference(emitter *e, const fw_record *record, const char *tag) {
  fw_text path = FW_TEXT_INIT;
  size_t index;
  fw_text_add(&path, "#/$defs/");
  if (fwi_definitions_intern(&e->definitions, record, tag, &index)) {
    fwi_definitions_name(&e->definitions, index, &path);
  } else {
    path.failed = true;
  }
  add_built_string(e, "$ref", &path);
}

static void add_bounds(emitter *e, const fw_field *field, const fwi_unit *unit) {
  double min = unit == NULL ? field->min : fwi_unit_from_base(unit, field->min);
  double max = unit == NULL ? field->max : fwi_unit_from_base(unit, field->max);
  if (fwi_field_has_min(field)) add_number(e, field->exclusive_min ? "exclusiveMinimum" : "minimum", min);
  if (fwi_field_has_max(field)) add_number(e, "maximum", max);
}

static void add_quantity(emitter *e, const fw_field *field, const fwi_unit *unit) {
  if (unit != NULL) {
    add_string(e, "type", "number");
    add_bounds(e, field, unit);
    return;
  }
  fw_text pattern = FW_TEXT_INIT;
  add_string(e, "type", "string");
  fw_text_add_format(&pattern, "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)? *(%s)$",
                     fwi_field_quantity(field)->pattern);
  add_built_string(e, "pattern", &pattern);
}

static void add_integer(emitter *e, const fw_field *field) {
  add_string(e, "type", "integer");
  add_bounds(e, field, NULL);
  if (field->kind == FW_FIELD_UNSIGNED && !fwi_field_has_min(field)) add_number(e, "minimum", 0);
}

static void add_enum(emitter *e, const fw_field *field) {
  open_item(e, "enum", "[");
  for (size_t i = 0; field->names[i] != NULL; i++)
    add_string(e, NULL, field->names[i]);
  close_item(e, "]");
}

static void add_variant(emitter *e, const fw_field *field) {
  open_item(e, "oneOf", "[");
  for (const fw_variant_case *one = field->cases; one->tag != NULL; one++) {
    open_item(e, NULL, "{");
    add_reference(e, one->record, one->tag);
    close_item(e, "}");
  }
  close_item(e, "]");
}

/* What holds for one value, or for one element of an array. */
static void add_value(emitter *e, const fw_field *field, const fwi_unit *unit) {
  switch (fwi_element_kind(field->kind)) {
  case FW_FIELD_BOOL:
    add_string(e, "type", "boolean");
    break;
  case FW_FIELD_INTEGER:
  case FW_FIELD_UNSIGNED:
  case FW_FIELD_FORMAT:
    add_integer(e, field);
    break;
  case FW_FIELD_NUMBER:
    add_string(e, "type", "number");
    add_bounds(e, field, NULL);
    break;
  case FW_FIELD_STRING:
    add_string(e, "type", "string");
    break;
  case FW_FIELD_ENUM:
    add_enum(e, field);
    break;
  case FW_FIELD_POWER:
  case FW_FIELD_TIME:
    add_quantity(e, field, unit);
    break;
  case FW_FIELD_RECORD:
    add_reference(e, field->record, NULL);
    break;
  case FW_FIELD_VARIANT:
    add_variant(e, field);
    break;
  default: /* FW_FIELD_FREE: nothing is asked of it */
    break;
  }
}

static void add_default(emitter *e, const fw_record *record, const fw_field *field, const fwi_unit *unit) {
  fw_text value = FW_TEXT_INIT;
  if (fwi_field_default(record, field, unit, &value)) add_raw(e, "default", value.failed ? "" : value.data);
  e->text->failed |= value.failed;
  fw_text_clear(&value);
}

static void add_property(emitter *e, const fw_record *record, const fw_field *field, const char *key,
                         const fwi_unit *unit) {
  open_item(e, key, "{");
  add_description(e, field->doc);
  add_default(e, record, field, unit);
  if (fwi_is_array(field)) {
    add_string(e, "type", "array");
    if (field->min_count > 0) add_number(e, "minItems", (double)field->min_count);
    open_item(e, "items", "{");
    add_value(e, field, unit);
    close_item(e, "}");
  } else {
    add_value(e, field, unit);
  }
  close_item(e, "}");
}

static void add_properties(emitter *e, const fwi_definition *of) {
  char key[FWI_KEY_SIZE];
  open_item(e, "properties", "{");
  if (of->tag != NULL) {
    open_item(e, "kind", "{");
    add_string(e, "const", of->tag);
    close_item(e, "}");
  }
  for (size_t i = 0; i < of->record->field_count; i++) {
    const fw_field *field = &of->record->fields[i];
    const fwi_unit *unit;
    for (size_t n = 0; fwi_field_spelling(field, n, key) != NULL; n++) {
      (void)fwi_field_matches(field, key, &unit);
      add_property(e, of->record, field, key, unit);
    }
  }
  add_raw(e, "notes", "{}");
  close_item(e, "}");
}

/* Keys that must be there as they are. */
static void add_required(emitter *e, const fwi_definition *of) {
  open_item(e, "required", "[");
  if (of->tag != NULL) add_string(e, NULL, "kind");
  for (size_t i = 0; i < of->record->field_count; i++) {
    const fw_field *field = &of->record->fields[i];
    if (field->required && fwi_field_quantity(field) == NULL) add_string(e, NULL, field->name);
  }
  close_item(e, "]");
}

/* Quantities that must be there in one of their spellings. */
static void add_required_quantities(emitter *e, const fw_record *record) {
  char key[FWI_KEY_SIZE];
  bool any = false;
  for (size_t i = 0; i < record->field_count; i++) {
    const fw_field *field = &record->fields[i];
    if (!field->required || fwi_field_quantity(field) == NULL) continue;
    if (!any) open_item(e, "allOf", "[");
    any = true;
    open_item(e, NULL, "{");
    open_item(e, "oneOf", "[");
    for (size_t n = 0; fwi_field_spelling(field, n, key) != NULL; n++) {
      open_item(e, NULL, "{");
      open_item(e, "required", "[");
      add_string(e, NULL, key);
      close_item(e, "]");
      close_item(e, "}");
    }
    close_item(e, "]");
    close_item(e, "}");
  }
  if (any) close_item(e, "]");
}

static void add_definition(emitter *e, size_t index) {
  fwi_definition own = e->definitions.data[index]; /* a copy: the array grows while references are added */
  fw_text name = FW_TEXT_INIT;
  fwi_definitions_name(&e->definitions, index, &name);
  if (name.failed) e->text->failed = true;
  open_item(e, name.failed ? NULL : name.data, "{");
  fw_text_clear(&name);
  add_description(e, own.record->doc);
  add_string(e, "type", "object");
  add_properties(e, &own);
  add_required(e, &own);
  add_required_quantities(e, own.record);
  open_item(e, "patternProperties", "{");
  add_raw(e, "^x_", "{}");
  close_item(e, "}");
  add_raw(e, "additionalProperties", "false");
  close_item(e, "}");
}

void fw_record_schema(const fw_record *record, const char *id, fw_text *text) {
  emitter e = {.text = text, .fresh = true};
  open_item(&e, NULL, "{");
  add_string(&e, "$schema", "https://json-schema.org/draft/2020-12/schema");
  add_string(&e, "$id", id);
  add_string(&e, "title", record->name);
  add_reference(&e, record, NULL);
  open_item(&e, "$defs", "{");
  for (size_t i = 0; i < e.definitions.count && !text->failed; i++)
    add_definition(&e, i);
  close_item(&e, "}");
  close_item(&e, "}");
  fw_text_add(text, "\n");
  free(e.definitions.data);
}

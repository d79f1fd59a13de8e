/* Markdown reference of a record table: one section for each object, in the order in which the tables lead to them.
 *
 * A section is named as the schema names its definition, so links are the anchors that Markdown makes of headings. */
#include "sim/base/reference.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/definitions.h"
#include "sim/base/field.h"

typedef struct writer {
  fw_text *text;
  fwi_definitions definitions;
} writer;

static const char preamble[] =
    "A quantity is a number under a key that names its unit, or a text with its unit under the key without one:\n"
    "`\"budget_kw\": 3.2` is `\"budget\": \"3.2 kW\"`. Below, `budget_w`, `_kw`, `_mw` stands for `budget_w`, "
    "`budget_kw`\n"
    "and `budget_mw`, which is megawatts. Bounds and defaults of quantities are in W and s. A key without a default "
    "may\n"
    "be left out all the same unless it is required. Every object also takes the key `notes` and keys that begin with\n"
    "`x_`; nothing reads them.\n";

static void add(writer *w, const char *string) {
  fw_text_add(w->text, string);
}

/* Free text inside a table, where a bar would end the cell. */
static void add_in_cell(writer *w, const char *string) {
  for (; *string != '\0'; string++) {
    if (*string == '|') add(w, "\\");
    fw_text_add_bytes(w->text, string, 1);
  }
}

/* "a, b or c": what stands before item `index` of `count`. */
static const char *separator(size_t index, size_t count) {
  return index == 0 ? "" : index + 1 == count ? " or " : ", ";
}

/* `label`, or the section's own name where it is NULL, as a link to the section. */
static void add_link(writer *w, const char *label, const fw_record *record, const char *tag) {
  fw_text name = FW_TEXT_INIT;
  size_t index;
  if (fwi_definitions_intern(&w->definitions, record, tag, &index)) {
    fwi_definitions_name(&w->definitions, index, &name);
  } else {
    name.failed = true;
  }
  w->text->failed |= name.failed;
  if (!name.failed) fw_text_add_format(w->text, "[%s](#%s)", label != NULL ? label : name.data, name.data);
  fw_text_clear(&name);
}

static void add_key(writer *w, const fw_field *field) {
  const fwi_quantity *quantity = fwi_field_quantity(field);
  fw_text_add_format(w->text, "`%s%s`", field->name, quantity != NULL ? quantity->units[0].suffix : "");
  for (size_t i = 1; quantity != NULL && i < quantity->unit_count; i++)
    fw_text_add_format(w->text, ", `%s`", quantity->units[i].suffix);
}

static void add_names(writer *w, const char *const *names) {
  size_t count = 0;
  while (names[count] != NULL)
    count++;
  for (size_t i = 0; i < count; i++)
    fw_text_add_format(w->text, "%s`\"%s\"`", separator(i, count), names[i]);
}

static void add_cases(writer *w, const fw_variant_case *cases) {
  size_t count = 0;
  while (cases[count].tag != NULL)
    count++;
  for (size_t i = 0; i < count; i++) {
    add(w, separator(i, count));
    add_link(w, cases[i].tag, cases[i].record, cases[i].tag);
  }
}

/* The type of one value, or of one element of an array. */
static void add_element_type(writer *w, const fw_field *field) {
  const bool several = fwi_is_array(field);
  switch (fwi_element_kind(field->kind)) {
  case FW_FIELD_BOOL:
    add(w, "`true` or `false`");
    break;
  case FW_FIELD_INTEGER:
  case FW_FIELD_UNSIGNED:
  case FW_FIELD_FORMAT:
    add(w, "whole number");
    break;
  case FW_FIELD_NUMBER:
    add(w, several ? "numbers" : "number");
    break;
  case FW_FIELD_STRING:
    add(w, several ? "texts" : "text");
    break;
  case FW_FIELD_ENUM:
    add_names(w, field->names);
    break;
  case FW_FIELD_POWER:
    add(w, several ? "powers" : "power");
    break;
  case FW_FIELD_TIME:
    add(w, several ? "times" : "time");
    break;
  case FW_FIELD_RECORD:
    add_link(w, NULL, field->record, NULL);
    break;
  case FW_FIELD_VARIANT:
    add_cases(w, field->cases);
    break;
  default: /* FW_FIELD_FREE */
    add(w, "anything");
    break;
  }
}

static void add_type(writer *w, const fw_field *field) {
  if (fwi_is_array(field)) add(w, "list of ");
  add_element_type(w, field);
  if (field->min_count > 0) fw_text_add_format(w->text, ", at least %zu", field->min_count);
}

/* As short as it reads back: 10000000000 is "1e10". */
static void add_bound(writer *w, double value) {
  enum { SHORT_DIGITS = 6 };
  char text[FW_NUMBER_TEXT_SIZE];
  double read = 0;
  fw_number_format(value, SHORT_DIGITS, text);
  if (!fw_number_parse(text, strlen(text), &read) || read != value) fw_number_format_exact(value, text);
  const char *exponent = strstr(text, "e+");
  if (exponent == NULL) {
    add(w, text);
  } else {
    fw_text_add_bytes(w->text, text, (size_t)(exponent - text) + 1);
    exponent += 2;
    add(w, exponent + strspn(exponent, "0"));
  }
}

static void add_range(writer *w, const fw_field *field) {
  const bool has_min = fwi_field_has_min(field);
  const bool has_max = fwi_field_has_max(field);
  const fwi_quantity *quantity = fwi_field_quantity(field);
  if (field->kind == FW_FIELD_UNSIGNED && !has_min) {
    add(w, "0 to 2^64 - 1");
    return;
  }
  if (has_min) {
    add(w, field->exclusive_min ? "above " : has_max ? "" : "at least ");
    add_bound(w, field->min);
  }
  if (has_max && !(has_min && field->min == field->max)) {
    add(w, has_min ? " to " : "at most ");
    add_bound(w, field->max);
  }
  if ((has_min || has_max) && quantity != NULL) fw_text_add_format(w->text, " %s", quantity->units[0].symbol);
}

static bool has_required_fields(const fw_record *record) {
  for (size_t i = 0; i < record->field_count; i++) {
    if (record->fields[i].required) return true;
  }
  return false;
}

/* Quantities without the quotes that their JSON has: 5 s. */
static void add_default(writer *w, const fw_record *record, const fw_field *field) {
  if (field->required) {
    add(w, "required");
    return;
  }
  if (field->kind == FW_FIELD_RECORD) {
    /* Where it is told apart whether it was given, leaving it out is not the same as "{}". */
    if (field->present_offset == 0 && !has_required_fields(field->record)) add(w, "`{}`");
    return;
  }
  fw_text value = FW_TEXT_INIT;
  const bool found = fwi_field_default(record, field, NULL, &value);
  w->text->failed |= value.failed;
  if (found && !value.failed) {
    if (fwi_field_quantity(field) != NULL) {
      fw_text_add_bytes(w->text, value.data + 1, value.length - 2);
    } else {
      fw_text_add_format(w->text, "`%s`", value.data);
    }
  }
  fw_text_clear(&value);
}

/* `start` is where the cell's text began. */
static void end_cell(writer *w, size_t start) {
  add(w, w->text->length > start ? " | " : "| ");
}

static void add_row(writer *w, const fw_record *record, const fw_field *field) {
  add(w, "| ");
  add_key(w, field);
  add(w, " | ");
  add_type(w, field);
  add(w, " | ");
  size_t start = w->text->length;
  add_range(w, field);
  end_cell(w, start);
  start = w->text->length;
  add_default(w, record, field);
  end_cell(w, start);
  start = w->text->length;
  if (field->doc != NULL) add_in_cell(w, field->doc);
  add(w, w->text->length > start ? " |\n" : "|\n");
}

/* The record's line of documentation as a sentence. */
static void add_sentence(writer *w, const char *doc) {
  if (doc == NULL) return;
  const char first = (char)toupper((unsigned char)doc[0]);
  fw_text_add_bytes(w->text, &first, 1);
  fw_text_add_format(w->text, "%s.\n\n", doc + 1);
}

static void add_section(writer *w, size_t index) {
  const fwi_definition own = w->definitions.data[index]; /* a copy: the list grows while links are added */
  add(w, "\n### ");
  fwi_definitions_name(&w->definitions, index, w->text);
  add(w, "\n\n");
  add_sentence(w, own.record->doc);
  if (own.record->field_count == 0 && own.tag == NULL) {
    add(w, "It has no keys.\n");
    return;
  }
  add(w, "| key | type | range | default | meaning |\n|---|---|---|---|---|\n");
  if (own.tag != NULL) fw_text_add_format(w->text, "| `kind` | `\"%s\"` | | required | selects this form |\n", own.tag);
  for (size_t i = 0; i < own.record->field_count; i++)
    add_row(w, own.record, &own.record->fields[i]);
}

void fw_record_reference(const fw_record *record, fw_text *text) {
  writer w = {.text = text};
  size_t index;
  add(&w, preamble);
  if (!fwi_definitions_intern(&w.definitions, record, NULL, &index)) text->failed = true;
  for (size_t i = 0; i < w.definitions.count && !text->failed; i++)
    add_section(&w, i);
  free(w.definitions.data);
}

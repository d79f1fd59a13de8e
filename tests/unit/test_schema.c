/* The schema: a small validator of JSON Schema, written here from the specification (draft 2020-12, validation
 * vocabulary), must accept and refuse the same documents as the decoder. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/sample_record.h"

static const fw_json_value *schema_root;

static bool validates(const fw_json_value *schema, const fw_json_value *value);

static bool has_type(const fw_json_value *value, const char *type) {
  switch (fw_json_type_of(value)) {
  case FW_JSON_NULL:
    return strcmp(type, "null") == 0;
  case FW_JSON_BOOL:
    return strcmp(type, "boolean") == 0;
  case FW_JSON_STRING:
    return strcmp(type, "string") == 0;
  case FW_JSON_ARRAY:
    return strcmp(type, "array") == 0;
  case FW_JSON_OBJECT:
    return strcmp(type, "object") == 0;
  default: {
    double number = fw_json_number(value);
    bool whole = number >= -1e15 && number <= 1e15 && number == (double)(long long)number;
    return strcmp(type, "number") == 0 || (whole && strcmp(type, "integer") == 0);
  }
  }
}

static bool same_string(const fw_json_value *a, const fw_json_value *b) {
  return fw_json_type_of(a) == FW_JSON_STRING && fw_json_type_of(b) == FW_JSON_STRING &&
         strcmp(fw_json_string(a), fw_json_string(b)) == 0;
}

static bool in_bounds(const fw_json_value *schema, const fw_json_value *value) {
  if (fw_json_type_of(value) != FW_JSON_NUMBER) return true;
  double number = fw_json_number(value);
  const fw_json_value *bound = fw_json_get(schema, "minimum");
  if (bound != NULL && number < fw_json_number(bound)) return false;
  bound = fw_json_get(schema, "exclusiveMinimum");
  if (bound != NULL && number <= fw_json_number(bound)) return false;
  bound = fw_json_get(schema, "maximum");
  return bound == NULL || number <= fw_json_number(bound);
}

static bool in_enum(const fw_json_value *schema, const fw_json_value *value) {
  const fw_json_value *constant = fw_json_get(schema, "const");
  const fw_json_value *names = fw_json_get(schema, "enum");
  if (constant != NULL && !same_string(constant, value)) return false;
  if (names == NULL) return true;
  for (const fw_json_value *name = fw_json_first(names); name != NULL; name = fw_json_next(name)) {
    if (same_string(name, value)) return true;
  }
  return false;
}

/* The only patterns in use: a number with a unit, told apart here by the unit alone. */
static bool matches_pattern(const char *pattern, const char *text) {
  const char *unit = text + strcspn(text, "WkMsmhd");
  bool power = strcmp(unit, "W") == 0 || strcmp(unit, "kW") == 0 || strcmp(unit, "MW") == 0;
  bool time = strcmp(unit, "s") == 0 || strcmp(unit, "ms") == 0 || strcmp(unit, "min") == 0 || strcmp(unit, "h") == 0 ||
              strcmp(unit, "d") == 0;
  return strstr(pattern, "kW") != NULL ? power : time;
}

static bool members_validate(const fw_json_value *schema, const fw_json_value *value) {
  const fw_json_value *properties = fw_json_get(schema, "properties");
  const fw_json_value *additional = fw_json_get(schema, "additionalProperties");
  const fw_json_value *required = fw_json_get(schema, "required");
  if (fw_json_type_of(value) != FW_JSON_OBJECT) return true;
  if (required != NULL) {
    for (const fw_json_value *key = fw_json_first(required); key != NULL; key = fw_json_next(key)) {
      if (fw_json_get(value, fw_json_string(key)) == NULL) return false;
    }
  }
  if (properties == NULL) return true;
  cr_assert_not_null(fw_json_get(fw_json_get(schema, "patternProperties"), "^x_"));
  for (const fw_json_value *member = fw_json_first(value); member != NULL; member = fw_json_next(member)) {
    const fw_json_value *property = fw_json_get(properties, fw_json_key(member));
    if (property != NULL && !validates(property, member)) return false;
    bool free_key = strncmp(fw_json_key(member), "x_", 2) == 0;
    if (property == NULL && !free_key && !fw_json_bool(additional)) return false;
  }
  return true;
}

static bool elements_validate(const fw_json_value *schema, const fw_json_value *value) {
  const fw_json_value *fewest = fw_json_get(schema, "minItems");
  const fw_json_value *items = fw_json_get(schema, "items");
  if (fw_json_type_of(value) != FW_JSON_ARRAY) return true;
  if (fewest != NULL && (double)fw_json_count(value) < fw_json_number(fewest)) return false;
  if (items == NULL) return true;
  for (const fw_json_value *element = fw_json_first(value); element != NULL; element = fw_json_next(element)) {
    if (!validates(items, element)) return false;
  }
  return true;
}

static bool combinations_validate(const fw_json_value *schema, const fw_json_value *value) {
  const fw_json_value *all = fw_json_get(schema, "allOf");
  const fw_json_value *one = fw_json_get(schema, "oneOf");
  if (all != NULL) {
    for (const fw_json_value *each = fw_json_first(all); each != NULL; each = fw_json_next(each)) {
      if (!validates(each, value)) return false;
    }
  }
  if (one == NULL) return true;
  size_t count = 0;
  for (const fw_json_value *each = fw_json_first(one); each != NULL; each = fw_json_next(each)) {
    count += validates(each, value);
  }
  return count == 1;
}

static bool validates(const fw_json_value *schema, const fw_json_value *value) {
  const fw_json_value *reference = fw_json_get(schema, "$ref");
  if (reference != NULL) {
    const char *name = fw_json_string(reference);
    cr_assert_eq(strncmp(name, "#/$defs/", 8), 0);
    const fw_json_value *target = fw_json_get(fw_json_get(schema_root, "$defs"), name + 8);
    cr_assert_not_null(target, "%s leads nowhere", name);
    if (!validates(target, value)) return false;
  }
  const fw_json_value *type = fw_json_get(schema, "type");
  const fw_json_value *pattern = fw_json_get(schema, "pattern");
  if (type != NULL && !has_type(value, fw_json_string(type))) return false;
  if (pattern != NULL && !matches_pattern(fw_json_string(pattern), fw_json_string(value))) return false;
  return in_bounds(schema, value) && in_enum(schema, value) && members_validate(schema, value) &&
         elements_validate(schema, value) && combinations_validate(schema, value);
}

static fw_json *parse(const char *text) {
  fw_json *document;
  cr_assert_eq(fw_json_parse(text, strlen(text), NULL, &document, NULL), FW_OK, "%s", text);
  return document;
}

static fw_json *parse_schema(void) {
  fw_text text = FW_TEXT_INIT;
  fw_record_schema(&top_record, "https://example.org/top.json", &text);
  cr_assert_not(text.failed);
  fw_json *document = parse(text.data);
  fw_text_clear(&text);
  schema_root = fw_json_root(document);
  return document;
}

static const struct {
  bool valid;
  const char *text;
} documents[] = {
    {true, "{\"budget_w\": 1}"},
    {true, "{\"budget\": \"1 kW\", \"notes\": [1], \"x_y\": 2}"},
    {false, "{}"},
    {false, "[]"},
    {false, "{\"budget_w\": 1, \"budget_kw\": 1}"},
    {false, "{\"budget_w\": 0}"},
    {false, "{\"budget_w\": \"1 W\"}"},
    {false, "{\"budget\": 1}"},
    {false, "{\"budget\": \"1 kVA\"}"},
    {false, "{\"buget_w\": 1}"},
    {true, "{\"budget_w\": 1, \"on\": false}"},
    {false, "{\"budget_w\": 1, \"on\": 0}"},
    {true, "{\"budget_w\": 1, \"seed\": 7}"},
    {false, "{\"budget_w\": 1, \"seed\": -7}"},
    {false, "{\"budget_w\": 1, \"seed\": 0.5}"},
    {false, "{\"budget_w\": 1, \"share\": 1.5}"},
    {true, "{\"budget_w\": 1, \"version\": 1}"},
    {false, "{\"budget_w\": 1, \"version\": 0}"},
    {false, "{\"budget_w\": 1, \"version\": 2}"},
    {true, "{\"budget_w\": 1, \"shape\": \"log2\"}"},
    {false, "{\"budget_w\": 1, \"shape\": \"log3\"}"},
    {false, "{\"budget_w\": 1, \"shape\": 2}"},
    {true, "{\"budget_w\": 1, \"period\": \"5 min\"}"},
    {false, "{\"budget_w\": 1, \"period_ms\": 1e13}"},
    {true, "{\"budget_w\": 1, \"period_ms\": 1e12}"},
    {false, "{\"budget_w\": 1, \"gains\": [1]}"},
    {true, "{\"budget_w\": 1, \"gains\": [1, 2]}"},
    {false, "{\"budget_w\": 1, \"gains\": [1, 3]}"},
    {true, "{\"budget_w\": 1, \"tags\": [\"a\"]}"},
    {false, "{\"budget_w\": 1, \"tags\": [\"a\", 1]}"},
    {false, "{\"budget_w\": 1, \"leaf\": {}}"},
    {true, "{\"budget_w\": 1, \"leaf\": {\"gain\": 1, \"level\": \"2 W\"}}"},
    {false, "{\"budget_w\": 1, \"leaf\": {\"gain\": 1, \"kind\": \"leaf\"}}"},
    {true, "{\"budget_w\": 1, \"policy\": {\"gain\": 1, \"kind\": \"leaf\"}}"},
    {false, "{\"budget_w\": 1, \"policy\": {\"gain\": 1, \"kind\": \"node\"}}"},
    {false, "{\"budget_w\": 1, \"policy\": {\"gain\": 1}}"},
    {true, "{\"budget_w\": 1, \"policies\": [{\"name\": \"n\", \"kind\": \"node\", \"children\": []}]}"},
    {true, "{\"budget_w\": 1, \"tree\": [{\"name\": \"n\", \"children\": [{\"name\": \"m\"}]}]}"},
    {false, "{\"budget_w\": 1, \"tree\": [{\"name\": \"n\", \"children\": [{\"nam\": \"m\"}]}]}"},
    {true, "{\"budget_w\": 1, \"provenance\": [null]}"},
};

Test(schema, agrees_with_the_decoder) {
  fw_json *schema = parse_schema();
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
    fw_json *document = parse(documents[i].text);
    top out;
    fw_status status = fw_record_decode(&top_record, fw_json_root(document), &out, NULL);
    fw_record_clear(&top_record, &out);
    cr_expect_eq(status == FW_OK, documents[i].valid, "decoder: %s", documents[i].text);
    cr_expect_eq(validates(schema_root, fw_json_root(document)), documents[i].valid, "schema: %s", documents[i].text);
    fw_json_free(document);
  }
  fw_json_free(schema);
}

Test(schema, names_itself_and_documents_its_keys) {
  fw_json *schema = parse_schema();
  cr_expect_str_eq(fw_json_string(fw_json_get(schema_root, "$id")), "https://example.org/top.json");
  cr_expect_str_eq(fw_json_string(fw_json_get(schema_root, "$schema")), "https://json-schema.org/draft/2020-12/schema");
  const fw_json_value *definitions = fw_json_get(schema_root, "$defs");
  cr_expect_eq(fw_json_count(definitions), 5, "top, and leaf and node each plain and as a variant");
  const fw_json_value *definition = fw_json_get(definitions, "top");
  cr_expect_str_eq(fw_json_string(fw_json_get(definition, "description")), "the whole");
  const fw_json_value *budget = fw_json_get(fw_json_get(definition, "properties"), "budget_mw");
  cr_expect_str_eq(fw_json_string(fw_json_get(budget, "description")), "power that the feed carries");
  fw_json_free(schema);
}

Test(schema, bounds_are_converted_to_the_unit_of_the_key) {
  fw_json *schema = parse_schema();
  const fw_json_value *properties = fw_json_get(fw_json_get(fw_json_get(schema_root, "$defs"), "top"), "properties");
  cr_expect_str_eq(fw_json_number_text(fw_json_get(fw_json_get(properties, "period_ms"), "maximum")), "1000000000000");
  cr_expect_eq(fw_json_number(fw_json_get(fw_json_get(properties, "period_d"), "maximum")), 1e9 / 86400);
  fw_json_free(schema);
}

/* Defaults stand in the unit of their key, and only where leaving a key out means a value. */
Test(schema, defaults_are_stated) {
  static const struct {
    const char *key;
    const char *value; /* NULL: none */
  } cases[] = {{"on", "false"},       {"share", "0.5"},   {"seed", "0"},  {"period_s", "5"},
               {"period_ms", "5000"}, {"budget_w", NULL}, {"name", NULL}, {"version", NULL},
               {"gains", NULL},       {"levels_w", NULL}, {"leaf", NULL}, {"policy", NULL}};
  fw_json *schema = parse_schema();
  const fw_json_value *properties = fw_json_get(fw_json_get(fw_json_get(schema_root, "$defs"), "top"), "properties");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const fw_json_value *found = fw_json_get(fw_json_get(properties, cases[i].key), "default");
    cr_assert_eq(found != NULL, cases[i].value != NULL, "%s", cases[i].key);
    if (found == NULL) continue;
    if (fw_json_type_of(found) == FW_JSON_BOOL) {
      cr_expect_eq(fw_json_bool(found), strcmp(cases[i].value, "true") == 0);
    } else {
      cr_expect_str_eq(fw_json_number_text(found), cases[i].value);
    }
  }
  cr_expect_str_eq(fw_json_string(fw_json_get(fw_json_get(properties, "shape"), "default")), "log2");
  cr_expect_str_eq(fw_json_string(fw_json_get(fw_json_get(properties, "period"), "default")), "5 s");
  fw_json_free(schema);
}

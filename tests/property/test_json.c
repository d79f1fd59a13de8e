/* Random documents round-trip, and random damage is never worse than a refusal; the oracle is cJSON, in the C locale.
 */
#include "sim/base/json.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 (Steele, Lea, Flood 2014): the tests' own, for the product's generator is not under test here. */
static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned bound) {
  return (unsigned)(next(state) % bound);
}

static void add_space(fw_text *text, uint64_t *state) {
  static const char *const spaces[] = {"", "", "", " ", "\n", "\t", "\r\n", "  "};
  fw_text_add(text, spaces[below(state, 8)]);
}

static void add_number(fw_text *text, uint64_t *state) {
  static const char *const numbers[] = {"0",    "-0",    "5e-324", "1.7976931348623157e308", "9007199254740993",
                                        "1E+2", "1e-999"};
  if (below(state, 4) == 0) {
    fw_text_add(text, numbers[below(state, sizeof numbers / sizeof *numbers)]);
    return;
  }
  fw_text_add_format(text, "%s%u", below(state, 2) ? "-" : "", below(state, 100000));
  if (below(state, 2)) fw_text_add_format(text, ".%05u", below(state, 100000));
  if (below(state, 2))
    fw_text_add_format(text, "%c%s%u", "eE"[below(state, 2)], below(state, 2) ? "-" : "", below(state, 300));
}

static void add_string(fw_text *text, uint64_t *state) {
  static const char *const pieces[] = {"a",
                                       "Zz",
                                       "\\\"",
                                       "\\\\",
                                       "\\/",
                                       "\\n",
                                       "\\u0041",
                                       "\\u00e9",
                                       "\\ud83d\\ude00",
                                       "\xC3\xA9",
                                       "\xE2\x82\xAC",
                                       "\xF0\x9F\x98\x80",
                                       "{",
                                       "]",
                                       ",",
                                       ":",
                                       "1",
                                       "\x7f"};
  fw_text_add(text, "\"");
  for (unsigned n = below(state, 6); n > 0; n--)
    fw_text_add(text, pieces[below(state, sizeof pieces / sizeof *pieces)]);
  fw_text_add(text, "\"");
}

static void add_value(fw_text *text, uint64_t *state, unsigned depth) {
  static const char *const literals[] = {"true", "false", "null"};
  unsigned kind = below(state, depth > 5 ? 3 : 6);
  add_space(text, state);
  if (kind == 0) fw_text_add(text, literals[below(state, 3)]);
  if (kind == 1) add_number(text, state);
  if (kind == 2) add_string(text, state);
  if (kind == 3 || kind == 4) {
    fw_text_add(text, "{");
    for (unsigned i = 0, n = below(state, 5); i < n; i++) {
      fw_text_add(text, i > 0 ? "," : "");
      add_space(text, state);
      fw_text_add_format(text, "\"%u\\u00%02x", i, 0x20 + below(state, 0x5F)); /* distinct by its first character */
      fw_text_add(text, "\"");
      add_space(text, state);
      fw_text_add(text, ":");
      add_value(text, state, depth + 1);
    }
    add_space(text, state);
    fw_text_add(text, "}");
  }
  if (kind == 5) {
    fw_text_add(text, "[");
    for (unsigned i = 0, n = below(state, 5); i < n; i++) {
      fw_text_add(text, i > 0 ? "," : "");
      add_value(text, state, depth + 1);
    }
    fw_text_add(text, "]");
  }
  add_space(text, state);
}

static bool same_scalar(const fw_json_value *value, const cJSON *item) {
  switch (fw_json_type_of(value)) {
  case FW_JSON_NULL:
    return cJSON_IsNull(item);
  case FW_JSON_BOOL:
    return cJSON_IsBool(item) && cJSON_IsTrue(item) == fw_json_bool(value);
  case FW_JSON_NUMBER: {
    double number = fw_json_number(value);
    return cJSON_IsNumber(item) && memcmp(&number, &item->valuedouble, sizeof number) == 0;
  }
  case FW_JSON_STRING:
    return cJSON_IsString(item) && strcmp(fw_json_string(value), item->valuestring) == 0;
  case FW_JSON_ARRAY:
    return cJSON_IsArray(item);
  default:
    return cJSON_IsObject(item);
  }
}

static bool same(const fw_json_value *value, const cJSON *item) {
  const char *key = fw_json_key(value);
  if (!same_scalar(value, item) || (key == NULL) != (item->string == NULL)) return false;
  if (key != NULL && strcmp(key, item->string) != 0) return false;
  const fw_json_value *child = fw_json_first(value);
  const cJSON *other = item->child;
  size_t count = 0;
  for (; child != NULL && other != NULL; child = fw_json_next(child), other = other->next, count++) {
    if (!same(child, other)) return false;
  }
  return child == NULL && other == NULL && count == fw_json_count(value);
}

/* Whether the text parses; if so it must be what cJSON makes of it. */
static bool agrees(const char *text, size_t length) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  fw_status status = fw_json_parse(text, length, "t.json", &document, &diagnostics);
  cr_assert_eq(status == FW_OK, document != NULL);
  cr_assert_eq(status == FW_OK, diagnostics.error_count == 0);
  cr_assert_neq(status, FW_ERROR_MEMORY, "cJSON refused what the scanner let pass: %s", text);
  fw_diagnostics_clear(&diagnostics);
  if (document == NULL) return false;
  cJSON *tree = cJSON_ParseWithLength(text, length);
  cr_assert(tree != NULL && same(fw_json_root(document), tree), "not what cJSON reads: %s", text);
  cJSON_Delete(tree);
  fw_json_free(document);
  return true;
}

/* Prints a document as JSON, numbers in their own text. */
static void print(const fw_json_value *value, fw_text *out) {
  fw_json_type type = fw_json_type_of(value);
  if (type == FW_JSON_NULL) fw_text_add(out, "null");
  if (type == FW_JSON_BOOL) fw_text_add(out, fw_json_bool(value) ? "true" : "false");
  if (type == FW_JSON_NUMBER) fw_text_add(out, fw_json_number_text(value));
  if (type == FW_JSON_STRING) fw_text_add_json_string(out, fw_json_string(value));
  if (type < FW_JSON_ARRAY) return;
  fw_text_add(out, type == FW_JSON_ARRAY ? "[" : "{");
  for (const fw_json_value *child = fw_json_first(value); child != NULL; child = fw_json_next(child)) {
    if (child != fw_json_first(value)) fw_text_add(out, ",");
    if (type == FW_JSON_OBJECT) fw_text_add_json_string(out, fw_json_key(child));
    if (type == FW_JSON_OBJECT) fw_text_add(out, ":");
    print(child, out);
  }
  fw_text_add(out, type == FW_JSON_ARRAY ? "]" : "}");
}

static void expect_round_trip(const char *text, size_t length) {
  fw_json *document;
  fw_text once = FW_TEXT_INIT;
  fw_text twice = FW_TEXT_INIT;
  cr_assert_eq(fw_json_parse(text, length, NULL, &document, NULL), FW_OK);
  print(fw_json_root(document), &once);
  fw_json_free(document);
  cr_assert_eq(fw_json_parse(once.data, once.length, NULL, &document, NULL), FW_OK);
  print(fw_json_root(document), &twice);
  fw_json_free(document);
  cr_assert_str_eq(once.data, twice.data);
  fw_text_clear(&once);
  fw_text_clear(&twice);
}

Test(json_property, random_documents_are_what_cjson_reads) {
  for (uint64_t seed = 0; seed < 3000; seed++) {
    uint64_t state = seed;
    fw_text text = FW_TEXT_INIT;
    add_value(&text, &state, 0);
    cr_assert(agrees(text.data, text.length), "refused: %s", text.data);
    expect_round_trip(text.data, text.length);
    fw_text_clear(&text);
  }
}

/* Overwrites, drops, doubles or swaps bytes, preferring those that mean something. */
static void damage(fw_text *text, uint64_t *state) {
  static const char bytes[] = "{}[],:\"\\eE+-.0123456789tfnu \n\x01\x80\xC3\xFF";
  for (unsigned n = 1 + below(state, 3); n > 0 && text->length > 1; n--) {
    size_t at = below(state, (unsigned)text->length);
    size_t other = below(state, (unsigned)text->length);
    char kept = text->data[at];
    switch (below(state, 4)) {
    case 0:
      text->data[at] = bytes[below(state, sizeof bytes)];
      break;
    case 1:
      memmove(text->data + at, text->data + at + 1, text->length - at);
      text->length--;
      break;
    case 2:
      fw_text_add_bytes(text, &kept, 1);
      break;
    default:
      text->data[at] = text->data[other];
      text->data[other] = kept;
      break;
    }
  }
}

Test(json_property, damaged_documents_are_refused_or_what_cjson_reads) {
  size_t accepted = 0;
  size_t total = 60000;
  for (uint64_t seed = 0; seed < total; seed++) {
    uint64_t state = ~seed;
    fw_text text = FW_TEXT_INIT;
    add_value(&text, &state, 2);
    damage(&text, &state);
    accepted += agrees(text.data, text.length);
    fw_text_clear(&text);
  }
  cr_expect_gt(accepted, total / 20, "damage that is always refused tests only half");
  cr_expect_lt(accepted, total - total / 20);
}

Test(json_property, every_prefix_of_a_document_is_refused) {
  for (uint64_t seed = 0; seed < 200; seed++) {
    uint64_t state = seed;
    fw_text text = FW_TEXT_INIT;
    fw_text_add(&text, "[");
    add_value(&text, &state, 1);
    fw_text_add(&text, "]");
    for (size_t length = 0; length < text.length; length++)
      cr_assert_not(agrees(text.data, length));
    fw_text_clear(&text);
  }
}

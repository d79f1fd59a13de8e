/* JSON text: the oracle is RFC 8259 itself; each fault is placed by counting bytes. */
#include "sim/base/json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/comma_locale.h"

static fw_json *parse(const char *text) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  fw_status status = fw_json_parse(text, strlen(text), "t.json", &document, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s: %s", text, diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  cr_assert_eq(diagnostics.count, 0);
  return document;
}

/* Refuses `text` and checks the first fault. */
static void refuse_bytes(const char *text, size_t length, size_t line, size_t column, const char *words) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  fw_status status = fw_json_parse(text, length, "t.json", &document, &diagnostics);
  cr_assert_eq(status, FW_ERROR_INPUT, "accepted: %s", text);
  cr_assert_null(document);
  cr_assert_geq(diagnostics.count, 1);
  const fw_diagnostic *entry = &diagnostics.entries[0];
  cr_expect_str_eq(entry->file, "t.json");
  cr_expect_eq(entry->line, line, "%s: line %zu", text, entry->line);
  cr_expect_eq(entry->column, column, "%s: column %zu (%s)", text, entry->column, entry->message);
  cr_expect_not_null(strstr(entry->message, words), "%s: \"%s\" lacks \"%s\"", text, entry->message, words);
  fw_diagnostics_clear(&diagnostics);
}

static void refuse(const char *text, size_t line, size_t column, const char *words) {
  refuse_bytes(text, strlen(text), line, column, words);
}

Test(json, a_document_keeps_order_types_and_values) {
  fw_json *document = parse("{\"b\": [1, -2.5e3, true, false, null], \"a\": {\"x\": \"y\"}, \"e\": {}, \"l\": []}");
  const fw_json_value *root = fw_json_root(document);
  cr_assert_eq(fw_json_type_of(root), FW_JSON_OBJECT);
  cr_assert_eq(fw_json_count(root), 4);
  cr_expect_null(fw_json_key(root));
  cr_expect_null(fw_json_next(root));
  const fw_json_value *b = fw_json_first(root);
  cr_expect_str_eq(fw_json_key(b), "b");
  const fw_json_value *item = fw_json_first(b);
  cr_expect_eq(fw_json_number(item), 1);
  cr_expect_null(fw_json_key(item));
  item = fw_json_next(item);
  cr_expect_eq(fw_json_number(item), -2500);
  cr_expect_str_eq(fw_json_number_text(item), "-2.5e3");
  item = fw_json_next(item);
  cr_expect(fw_json_type_of(item) == FW_JSON_BOOL && fw_json_bool(item));
  item = fw_json_next(item);
  cr_expect(fw_json_type_of(item) == FW_JSON_BOOL && !fw_json_bool(item));
  item = fw_json_next(item);
  cr_expect_eq(fw_json_type_of(item), FW_JSON_NULL);
  cr_expect_null(fw_json_next(item));
  cr_expect_str_eq(fw_json_key(fw_json_next(b)), "a");
  cr_expect_str_eq(fw_json_string(fw_json_get(fw_json_get(root, "a"), "x")), "y");
  cr_expect_null(fw_json_first(fw_json_get(root, "e")));
  cr_expect_eq(fw_json_count(fw_json_get(root, "l")), 0);
  cr_expect_str_eq(fw_json_file(document), "t.json");
  fw_json_free(document);
}

Test(json, keys_are_compared_byte_for_byte) {
  fw_json *document = parse("{\"Budget_W\": 1, \"budget_w\": 2}");
  const fw_json_value *root = fw_json_root(document);
  cr_expect_eq(fw_json_number(fw_json_get(root, "budget_w")), 2);
  cr_expect_eq(fw_json_number(fw_json_get(root, "Budget_W")), 1);
  cr_expect_null(fw_json_get(root, "BUDGET_W"));
  cr_expect_null(fw_json_get(fw_json_first(root), "budget_w"), "a number has no members");
  fw_json_free(document);
}

Test(json, any_value_may_be_the_root) {
  fw_json *document = parse(" \t\r\n-0 ");
  cr_expect_str_eq(fw_json_number_text(fw_json_root(document)), "-0");
  fw_json_free(document);
  document = parse("7");
  cr_expect_eq(fw_json_number(fw_json_root(document)), 7);
  fw_json_free(document);
  document = parse("\"\"");
  cr_expect_str_eq(fw_json_string(fw_json_root(document)), "");
  fw_json_free(document);
}

Test(json, number_text_is_kept_to_the_digit) {
  fw_json *document =
      parse("[9007199254740993,1.000000000000000000000000000000000000000000000000000000000000000000001]");
  const fw_json_value *item = fw_json_first(fw_json_root(document));
  cr_expect_str_eq(fw_json_number_text(item), "9007199254740993");
  item = fw_json_next(item);
  cr_expect_eq(strlen(fw_json_number_text(item)), 71, "longer than cJSON's own buffer");
  cr_expect_eq(fw_json_number(item), 1);
  fw_json_free(document);
}

Test(json, numbers_do_not_follow_the_locale) {
  enter_comma_locale();
  fw_json *document = parse("[314.6,0.08,[1,2]]");
  const fw_json_value *item = fw_json_first(fw_json_root(document));
  cr_expect_eq(fw_json_number(item), 314.6);
  item = fw_json_next(item);
  cr_expect_eq(fw_json_number(item), 0.08);
  cr_expect_eq(fw_json_count(fw_json_next(item)), 2);
  fw_json_free(document);
}

Test(json, strings_are_decoded) {
  fw_json *document = parse("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\u20AC\\ud83d\\ude00\", \"\xC3\xA9\"]");
  const fw_json_value *item = fw_json_first(fw_json_root(document));
  cr_expect_str_eq(fw_json_string(item), "\"\\/\b\f\n\r\t");
  item = fw_json_next(item);
  cr_expect_str_eq(fw_json_string(item), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  item = fw_json_next(item);
  cr_expect_str_eq(fw_json_string(item), "\xC3\xA9");
  fw_json_free(document);
}

Test(json, every_value_knows_its_text) {
  static const char text[] = "\xEF\xBB\xBF {\"a\" : [ -1.5e3,\"]\\\"}\\\\\", {} ],\"b\":null , \"c\": true} ";
  static const char *const wanted[] = {"{\"a\" : [ -1.5e3,\"]\\\"}\\\\\", {} ],\"b\":null , \"c\": true}",
                                       "[ -1.5e3,\"]\\\"}\\\\\", {} ]",
                                       "-1.5e3",
                                       "\"]\\\"}\\\\\"",
                                       "{}",
                                       "null",
                                       "true"};
  fw_json *document = parse(text);
  const fw_json_value *root = fw_json_root(document);
  const fw_json_value *a = fw_json_first(root);
  const fw_json_value *number = fw_json_first(a);
  const fw_json_value *string = fw_json_next(number);
  const fw_json_value *b = fw_json_next(a);
  const fw_json_value *values[] = {root, a, number, string, fw_json_next(string), b, fw_json_next(b)};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    size_t offset = 0;
    size_t length = 0;
    fw_json_extent(values[i], &offset, &length);
    cr_assert_eq(length, strlen(wanted[i]), "%s", wanted[i]);
    cr_expect_arr_eq(text + offset, wanted[i], length, "%s", wanted[i]);
  }
  fw_json_free(document);
}

Test(json, a_byte_order_mark_is_not_counted) {
  fw_json *document = parse("\xEF\xBB\xBF{}");
  char path[FW_JSON_PATH_SIZE];
  cr_expect_eq(fw_json_place(fw_json_root(document), path).column, 1);
  fw_json_free(document);
  refuse("{}\xEF\xBB\xBF", 1, 3, "expected the end");
  refuse("\xEF\xBB\xBF\xEF\xBB\xBF{}", 1, 1, "expected a value");
}

Test(json, places_name_line_column_and_path) {
  fw_json *document = parse("{\n  \"jobs\": [\n    {},\n    {\"model\": \"m\"}\n  ]}");
  char path[FW_JSON_PATH_SIZE];
  const fw_json_value *jobs = fw_json_get(fw_json_root(document), "jobs");
  const fw_json_value *second = fw_json_next(fw_json_first(jobs));
  fw_place place = fw_json_place(fw_json_get(second, "model"), path);
  cr_expect_str_eq(place.file, "t.json");
  cr_expect_eq(place.line, 4);
  cr_expect_eq(place.column, 15);
  cr_expect_str_eq(place.path, "jobs[1].model");
  cr_expect_str_eq(fw_json_place(second, path).path, "jobs[1]");
  cr_expect_null(fw_json_place(fw_json_root(document), path).path);
  fw_json_free(document);
}

Test(json, long_and_strange_paths_stay_in_their_buffer) {
  fw_text text = FW_TEXT_INIT;
  for (int i = 0; i < 60; i++)
    fw_text_add(&text, "{\"a\\u001bkey of some length\":");
  fw_text_add(&text, "1");
  for (int i = 0; i < 60; i++)
    fw_text_add(&text, "}");
  fw_json *document = parse(text.data);
  const fw_json_value *value = fw_json_root(document);
  while (fw_json_first(value) != NULL)
    value = fw_json_first(value);
  char path[FW_JSON_PATH_SIZE];
  fw_place place = fw_json_place(value, path);
  cr_expect_lt(strlen(place.path), FW_JSON_PATH_SIZE);
  cr_expect_str_eq(path + strlen(path) - 3, "...");
  cr_expect_null(strchr(path, '\x1b'));
  fw_json_free(document);
  fw_text_clear(&text);
}

Test(json, errors_carry_the_place) {
  fw_json *document = parse("[1]");
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char line[256];
  const fw_json_value *one = fw_json_first(fw_json_root(document));
  cr_expect_eq(fw_json_error(one, &diagnostics, "expected %d", 2), FW_ERROR_INPUT);
  fw_diagnostic_format(&diagnostics.entries[0], line, sizeof line);
  cr_expect_str_eq(line, "t.json:1:2: error: [0]: expected 2");
  fw_diagnostics_clear(&diagnostics);
  fw_json_free(document);
}

Test(json, structure_is_checked) {
  refuse("", 1, 1, "expected a value, found the end of the text");
  refuse("\n\n ", 3, 2, "found the end of the text");
  refuse("{", 1, 2, "expected a key in double quotes, found the end");
  refuse("{\"a\"", 1, 5, "expected ':' after a key, found the end");
  refuse("{\"a\": 1 \"b\": 2}", 1, 9, "expected ',' or '}' after a member, found '\"'");
  refuse("{\"a\": 1x}", 1, 8, "expected ',' or '}' after a member, found 'x'");
  refuse("[1 2]", 1, 4, "expected ',' or ']' after an element, found '2'");
  refuse("[1}", 1, 3, "expected ',' or ']' after an element, found '}'");
  refuse("{a: 1}", 1, 2, "expected a key in double quotes, found 'a'");
  refuse("{1: 1}", 1, 2, "expected a key in double quotes, found '1'");
  refuse("{\"a\": 1,}", 1, 9, "no comma may stand before it");
  refuse("[1,\n]", 2, 1, "no comma may stand before it");
  refuse("[,1]", 1, 2, "expected a value, found ','");
  refuse("{} {}", 1, 4, "expected the end of the text");
  refuse("1 2", 1, 3, "expected the end of the text");
  refuse("]", 1, 1, "expected a value, found ']'");
  refuse("\x01", 1, 1, "found byte 0x01");
  refuse("\xC2\xA0[]", 1, 1, "found byte 0xC2");
  refuse_bytes("[1]\0", 4, 1, 4, "found byte 0x00");
  refuse_bytes("[1,\0 2]", 7, 1, 4, "found byte 0x00");
}

Test(json, relaxations_of_other_tools_are_refused_with_the_remedy) {
  refuse("{\n // note\n \"a\": 1}", 2, 2, "JSON has no comments");
  refuse("[1 /* one */]", 1, 4, "JSON has no comments");
  refuse("['a']", 1, 2, "double quotes");
  refuse("{'a': 1}", 1, 2, "double quotes");
  refuse("[NaN]", 1, 2, "no NaN");
  refuse("[Infinity]", 1, 2, "no Infinity");
  refuse("[-Infinity]", 1, 2, "a digit must follow '-'");
  refuse("[True]", 1, 2, "did you mean true?");
  refuse("[nul]", 1, 2, "did you mean null?");
  refuse("[true1]", 1, 2, "did you mean true?");
  refuse("[undefined]", 1, 2, "found 'undefined'");
}

Test(json, numbers_follow_the_grammar) {
  refuse("[007]", 1, 2, "'007': a number has no leading zeros");
  refuse("[-01]", 1, 2, "leading zeros");
  refuse("[+1]", 1, 2, "'+1': a number begins with a digit");
  refuse("[.5]", 1, 2, "'.5'");
  refuse("[1.]", 1, 2, "a digit must follow the decimal point");
  refuse("[1e]", 1, 2, "a digit must follow the 'e'");
  refuse("[0x10]", 1, 3, "found 'x10'");
  refuse("[1e999]", 1, 2, "1e999 is not finite");
  refuse("[-1e999]", 1, 2, "-1e999 is not finite");
  refuse("[1,5e308]", 1, 4, "not finite");
}

Test(json, a_number_of_megabytes_is_refused) {
  size_t length = (size_t)4 << 20;
  char *text = malloc(length + 1);
  cr_assert_not_null(text);
  memset(text, '1', length);
  text[length] = '\0';
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  cr_expect_eq(fw_json_parse(text, length, NULL, &document, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "a number of 4194304 characters; at most 2048"));
  fw_diagnostics_clear(&diagnostics);
  free(text);
}

Test(json, strings_are_checked) {
  refuse("[\"a", 1, 2, "without an end");
  refuse("[\"a\nb\"]", 1, 2, "without an end");
  refuse("[\"a\\\"]", 1, 2, "without an end");
  refuse("[\"a\tb\"]", 1, 4, "control character");
  refuse_bytes("[\"a\0b\"]", 7, 1, 4, "control character");
  refuse("[\"\\x41\"]", 1, 3, "an escape is one of");
  refuse("[\"\\u12g4\"]", 1, 3, "four hexadecimal digits");
  refuse("[\"\\u12\"]", 1, 3, "four hexadecimal digits");
  refuse("[\"\\u0000\"]", 1, 3, "U+0000");
  refuse("{\"\\u0000\": 1}", 1, 3, "U+0000");
  refuse("[\"\\ud83d\"]", 1, 3, "surrogate pair");
  refuse("[\"\\ude00\"]", 1, 3, "surrogate pair");
  refuse("[\"\\ud83d\\u0041\"]", 1, 3, "surrogate pair");
  refuse("[\"\xFF\"]", 1, 3, "not UTF-8");
  refuse("[\"\xC0\x80\"]", 1, 3, "not UTF-8");
  refuse("[\"\xED\xA0\x80\"]", 1, 3, "not UTF-8");
}

static void check_all_faults(const char *text, size_t count, const size_t lines[]) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  cr_expect_eq(fw_json_parse(text, strlen(text), "t.json", &document, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, count, "%zu faults", diagnostics.count);
  for (size_t i = 0; i < count; i++)
    cr_expect_eq(diagnostics.entries[i].line, lines[i]);
  fw_diagnostics_clear(&diagnostics);
}

Test(json, all_faults_are_reported_in_one_pass) {
  check_all_faults("[\"\\q\",\n\"\\u0000\",\n1e999,\n\"\xFF\",\n1 2]", 5, (const size_t[]){1, 2, 3, 4, 5});
  check_all_faults("{\"a\": 1e999,\n\"b\": 1,\n\"b\": 2}", 2, (const size_t[]){1, 3});
}

Test(json, the_number_of_reports_is_bounded) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "[1e999");
  for (int i = 0; i < 1000; i++)
    fw_text_add(&text, ",1e999");
  fw_text_add(&text, "]");
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  cr_expect_eq(fw_json_parse(text.data, text.length, "t.json", &document, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, FW_JSON_FAULT_LIMIT + 1);
  cr_expect_not_null(strstr(diagnostics.entries[FW_JSON_FAULT_LIMIT].message, "the check ends here"));
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&text);
}

Test(json, duplicate_keys_name_both_lines) {
  refuse("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", 3, 6, "the key \"a\" stands in line 1 and again in line 3");
  refuse("{\"x\": {\"a\": 1, \"\\u0061\": 2}}", 1, 26, "the key \"a\" stands in line 1");
  fw_json *document = parse("{\"a\": {\"a\": 1}, \"b\": [{\"a\": 1}, {\"a\": 1}], \"A\": 1}");
  fw_json_free(document);
  check_all_faults("{\"a\":1,\n\"a\":1,\n\"b\":1,\n\"a\":1,\n\"b\":1}", 3, (const size_t[]){2, 4, 5});
}

Test(json, depth_is_bounded) {
  fw_text text = FW_TEXT_INIT;
  for (size_t i = 0; i < FW_JSON_DEPTH_LIMIT; i++)
    fw_text_add(&text, "[");
  for (size_t i = 0; i < FW_JSON_DEPTH_LIMIT; i++)
    fw_text_add(&text, "]");
  fw_json_free(parse(text.data));
  fw_text_clear(&text);
  for (size_t i = 0; i <= FW_JSON_DEPTH_LIMIT; i++)
    fw_text_add(&text, "[");
  refuse(text.data, 1, FW_JSON_DEPTH_LIMIT + 1, "nested deeper than 64 levels");
  fw_text_clear(&text);
}

Test(json, size_and_number_of_values_are_bounded) {
  size_t length = FW_JSON_SIZE_LIMIT + 1;
  char *text = malloc(length);
  cr_assert_not_null(text);
  memset(text, ' ', length);
  refuse_bytes(text, length, 0, 0, "at most 67108864 are read");
  for (size_t i = 0; i + 1 < length; i += 2)
    memcpy(text + i, i == 0 ? "[1" : ",1", 2);
  refuse_bytes(text, FW_JSON_SIZE_LIMIT, 1, 2 * FW_JSON_VALUE_LIMIT, "more than 4194304 values");
  free(text);
}

Test(json, a_huge_object_is_checked_for_duplicates_in_seconds, .timeout = 60) {
  /* All keys alike in their first bytes, the last one a duplicate of the first: pairs would need 3e11 steps. */
  enum { MEMBERS = 800000 };
  fw_text text = FW_TEXT_INIT;
  for (int i = 0; i < MEMBERS; i++)
    fw_text_add_format(&text, "%c\"key%07d\":1", i == 0 ? '{' : ',', i * 7 % MEMBERS);
  fw_text_add(&text, ",\n\"key0000000\":2}");
  cr_assert_not(text.failed);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  cr_expect_eq(fw_json_parse(text.data, text.length, "t.json", &document, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_str_eq(diagnostics.entries[0].message,
                   "the key \"key0000000\" stands in line 1 and again in line 2; keep one");
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&text);
}

Test(json, a_file_that_is_not_there_is_reported) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  cr_expect_eq(fw_json_read("/nonexistent/x.json", &document, &diagnostics), FW_ERROR_INPUT);
  cr_expect_null(document);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_str_eq(diagnostics.entries[0].file, "/nonexistent/x.json");
  fw_diagnostics_clear(&diagnostics);
  fw_json_free(NULL);
}

Test(json, types_have_names) {
  cr_expect_str_eq(fw_json_type_name(FW_JSON_OBJECT), "an object");
  cr_expect_str_eq(fw_json_type_name(FW_JSON_NULL), "null");
  cr_expect_str_eq(fw_json_type_name(FW_JSON_BOOL), "a boolean");
}

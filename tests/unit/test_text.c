/* Text: oracles are printf and strtod in the C locale, a recursive edit distance, and the Unicode code charts. */
#include "sim/base/text.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/comma_locale.h"

static const double samples[] = {0.0,
                                 1.0,
                                 -1.0,
                                 314.6,
                                 0.1,
                                 1.0 / 3.0,
                                 1e22,
                                 1e23,
                                 123456789.125,
                                 5e-324,
                                 DBL_MIN,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 0.0005,
                                 9007199254740993.0,
                                 1234567890123460.0,
                                 2.5e-7,
                                 1e15};

enum { SAMPLE_COUNT = sizeof samples / sizeof *samples };

static void check_formats(char expected[SAMPLE_COUNT][18][FW_NUMBER_TEXT_SIZE]) {
  for (size_t i = 0; i < SAMPLE_COUNT; i++) {
    for (int digits = 1; digits <= 17; digits++) {
      char buffer[FW_NUMBER_TEXT_SIZE];
      cr_expect_str_eq(fw_number_format(samples[i], digits, buffer), expected[i][digits]);
    }
  }
}

static void check_round_trips(void) {
  for (size_t i = 0; i < SAMPLE_COUNT; i++) {
    char buffer[FW_NUMBER_TEXT_SIZE];
    double again = NAN;
    fw_number_format_exact(samples[i], buffer);
    cr_expect(fw_number_parse(buffer, strlen(buffer), &again), "%s", buffer);
    cr_expect_eq(memcmp(&again, &samples[i], sizeof again), 0, "%s", buffer);
  }
}

Test(text, numbers_print_as_printf_does_under_any_locale) {
  static char expected[SAMPLE_COUNT][18][FW_NUMBER_TEXT_SIZE];
  for (size_t i = 0; i < SAMPLE_COUNT; i++) {
    for (int digits = 1; digits <= 17; digits++) {
      (void)snprintf(expected[i][digits], FW_NUMBER_TEXT_SIZE, "%.*g", digits, samples[i]);
    }
  }
  check_formats(expected);
  check_round_trips();
  enter_comma_locale();
  check_formats(expected);
  check_round_trips();
}

Test(text, exact_text_is_short_where_it_can_be) {
  char buffer[FW_NUMBER_TEXT_SIZE];
  cr_expect_str_eq(fw_number_format_exact(0.1, buffer), "0.1");
  cr_expect_str_eq(fw_number_format_exact(-0.0, buffer), "-0");
  cr_expect_str_eq(fw_number_format_exact(1.0 / 3.0, buffer), "0.3333333333333333");
  cr_expect_str_eq(fw_number_format_exact(0.1 + 0.2, buffer), "0.30000000000000004");
}

Test(text, what_is_not_finite_prints_as_null) {
  char buffer[FW_NUMBER_TEXT_SIZE];
  cr_expect_str_eq(fw_number_format(NAN, 9, buffer), "null");
  cr_expect_str_eq(fw_number_format(-INFINITY, 9, buffer), "null");
  cr_expect_str_eq(fw_number_format_exact(INFINITY, buffer), "null");
}

Test(text, digits_are_kept_between_1_and_17) {
  char buffer[FW_NUMBER_TEXT_SIZE];
  cr_expect_str_eq(fw_number_format(1.0 / 3.0, 0, buffer), "0.3");
  cr_expect_str_eq(fw_number_format(0.1, 40, buffer), "0.10000000000000001");
}

Test(text, parse_is_correctly_rounded_under_any_locale) {
  /* Ties and near ties of the literature (Clinger 1990; Paxson 1991); strtod in the C locale is the oracle. */
  static const char *const texts[] = {"9007199254740993",
                                      "9007199254740992.99999999999999999",
                                      "2.2250738585072011e-308",
                                      "5e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062329e-324",
                                      "1.7976931348623158e308",
                                      "8.5e22",
                                      "-0.5e-3",
                                      "314.6",
                                      "1e-999",
                                      "-0",
                                      "0.1000000000000000055511151231257827021181583404541015625001"};
  enum { COUNT = sizeof texts / sizeof *texts };
  double expected[COUNT];
  double value;
  for (size_t i = 0; i < COUNT; i++)
    expected[i] = strtod(texts[i], NULL);
  enter_comma_locale();
  for (size_t i = 0; i < COUNT; i++) {
    cr_expect(fw_number_parse(texts[i], strlen(texts[i]), &value), "%s", texts[i]);
    cr_expect_eq(memcmp(&value, &expected[i], sizeof value), 0, "%s", texts[i]);
  }
  cr_expect(fw_number_parse("314.65", 5, &value) && value == 314.6, "only the length given is read");
  cr_expect_not(fw_number_parse("314,6", 5, &value));
}

Test(text, parse_refuses_what_is_not_json) {
  static const char *const texts[] = {"",     "-",   "+1",  ".5",   "1.",    "1.e5",  "1e",  "1e+",
                                      "01",   "-01", "00",  " 1",   "1 ",    "0x10",  "nan", "Infinity",
                                      "1e5x", "1,5", "--1", "1..2", "1e999", "-1e999"};
  double value = 42;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    cr_expect_not(fw_number_parse(texts[i], strlen(texts[i]), &value), "%s", texts[i]);
  }
  cr_expect_eq(value, 42, "a refused text leaves the value alone");
  cr_expect_not(fw_number_parse("1\0002", 3, &value));
}

Test(text, parse_bounds_the_length) {
  char digits[FW_NUMBER_LENGTH_LIMIT + 2];
  double value;
  memset(digits, '1', sizeof digits);
  digits[1] = '.';
  cr_expect(fw_number_parse(digits, FW_NUMBER_LENGTH_LIMIT, &value));
  cr_expect_eq(value, 10.0 / 9.0, "1.111... is 10/9 to the last bit");
  cr_expect_not(fw_number_parse(digits, FW_NUMBER_LENGTH_LIMIT + 1, &value));
}

Test(text, a_number_ends_where_its_grammar_does) {
  const char *fault;
  cr_expect_eq(fw_number_span("12.5e3 kW", 9, &fault), 6);
  cr_expect_null(fault);
  cr_expect_eq(fw_number_span("12kVA", 5, &fault), 2);
  cr_expect_eq(fw_number_span("1e", 2, &fault), 0);
  cr_expect_str_eq(fault, "a digit must follow the 'e' of an exponent");
  cr_expect_eq(fw_number_span("007", 3, &fault), 0);
  cr_expect_str_eq(fault, "a number has no leading zeros");
  cr_expect_eq(fw_number_span("", 0, &fault), 0);
  cr_expect_not_null(fault);
}

Test(text, signed_integers_are_exact_to_the_ends) {
  int64_t value = 7;
  cr_expect(fw_int64_parse("9007199254740993", 16, &value) && value == INT64_C(9007199254740993));
  cr_expect(fw_int64_parse("9223372036854775807", 19, &value) && value == INT64_MAX);
  cr_expect(fw_int64_parse("-9223372036854775808", 20, &value) && value == INT64_MIN);
  cr_expect(fw_int64_parse("0", 1, &value) && value == 0);
  cr_expect(fw_int64_parse("-0", 2, &value) && value == 0);
  static const char *const refused[] = {"9223372036854775808",
                                        "-9223372036854775809",
                                        "1.0",
                                        "1e3",
                                        "+1",
                                        "01",
                                        "",
                                        "-",
                                        "99999999999999999999",
                                        " 1",
                                        "1 "};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    cr_expect_not(fw_int64_parse(refused[i], strlen(refused[i]), &value), "%s", refused[i]);
  }
}

Test(text, unsigned_integers_are_exact_to_the_ends) {
  uint64_t value = 7;
  cr_expect(fw_uint64_parse("18446744073709551615", 20, &value) && value == UINT64_MAX);
  cr_expect_not(fw_uint64_parse("18446744073709551616", 20, &value));
  cr_expect_not(fw_uint64_parse("28446744073709551615", 20, &value));
  cr_expect_not(fw_uint64_parse("-1", 2, &value));
  cr_expect_not(fw_uint64_parse("1.5", 3, &value));
}

/* The definition of optimal string alignment, by recursion: slow, and nothing like the rows of the code. */
static size_t distance_by_definition(const char *a, size_t i, const char *b, size_t j) {
  if (i == 0 || j == 0) return i + j;
  size_t best = distance_by_definition(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
  size_t removed = distance_by_definition(a, i - 1, b, j) + 1;
  size_t added = distance_by_definition(a, i, b, j - 1) + 1;
  if (removed < best) best = removed;
  if (added < best) best = added;
  if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
    size_t swapped = distance_by_definition(a, i - 2, b, j - 2) + 1;
    if (swapped < best) best = swapped;
  }
  return best;
}

/* The n-th word of up to five letters of "abc". */
static void make_word(unsigned n, char word[6]) {
  size_t length = 1 + n % 5;
  for (size_t i = 0; i < length; i++, n /= 3)
    word[i] = (char)('a' + n % 3);
  word[length] = '\0';
}

Test(text, nearest_word_agrees_with_the_definition) {
  for (unsigned n = 0; n < 400; n++) {
    char words[4][6];
    const char *candidates[3];
    for (unsigned k = 0; k < 4; k++)
      make_word(n * 37 + k * 101 + n * k, words[k]);
    size_t best = SIZE_MAX;
    const char *expected = NULL;
    for (size_t k = 0; k < 3; k++) {
      candidates[k] = words[k + 1];
      size_t distance = distance_by_definition(words[0], strlen(words[0]), candidates[k], strlen(candidates[k]));
      if (2 * distance < strlen(words[0]) && distance < best) {
        best = distance;
        expected = candidates[k];
      }
    }
    cr_expect_eq(fw_nearest_word(words[0], candidates, 3), expected, "%s", words[0]);
  }
}

Test(text, nearest_word_by_example) {
  static const char *const keys[] = {"budget_w", "budget_kw", "stagger_s", "gpus", "kVA"};
  cr_expect_str_eq(fw_nearest_word("buget_w", keys, 5), "budget_w");
  cr_expect_str_eq(fw_nearest_word("Budget_W", keys, 5), "budget_w");
  cr_expect_str_eq(fw_nearest_word("stager_s", keys, 5), "stagger_s");
  cr_expect_str_eq(fw_nearest_word("gpsu", keys, 5), "gpus");
  cr_expect_str_eq(fw_nearest_word("KVA", keys, 5), "kVA");
  cr_expect_null(fw_nearest_word("horizon", keys, 5));
  cr_expect_null(fw_nearest_word("", keys, 5));
  cr_expect_null(fw_nearest_word("gpus", keys, 0));
}

Test(text, a_word_of_megabytes_is_nobodys_neighbour) {
  static const char *const keys[] = {"budget_w"};
  size_t length = (size_t)8 << 20;
  char *word = malloc(length + 1);
  cr_assert_not_null(word);
  memset(word, 'b', length);
  word[length] = '\0';
  cr_expect_null(fw_nearest_word(word, keys, 1));
  free(word);
}

Test(text, buffer_grows_and_stays_terminated) {
  fw_text text = FW_TEXT_INIT;
  for (int i = 0; i < 1000; i++)
    fw_text_add_format(&text, "%d,", i);
  fw_text_add_bytes(&text, "", 0);
  cr_expect_eq(text.length, 10 * 2 + 90 * 3 + 900 * 4);
  cr_expect_eq(strlen(text.data), text.length);
  cr_expect_str_eq(text.data + text.length - 4, "999,");
  fw_text_add(&text, "end");
  fw_text_add_number(&text, 0.25, 9);
  cr_expect_str_eq(text.data + text.length - 7, "end0.25");
  cr_expect_not(text.failed);
  fw_text_clear(&text);
  cr_expect_null(text.data);
}

Test(text, a_failed_buffer_takes_no_more) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "a");
  fw_text_add_bytes(&text, "b", SIZE_MAX);
  cr_expect(text.failed);
  fw_text_add(&text, "c");
  cr_expect_str_eq(text.data, "a");
  fw_text_clear(&text);
}

Test(text, json_strings_are_escaped) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_json_string(&text, "a\"b\\c/\b\f\n\r\t\x01\x1f\x7f \xC3\xA9 \xF0\x9F\x98\x80");
  cr_expect_str_eq(text.data, "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f \xC3\xA9 \xF0\x9F\x98\x80\"");
  fw_text_clear(&text);
  fw_text_add_json_string(&text, "a\xFF\xC3");
  cr_expect_str_eq(text.data, "\"a\\ufffd\\ufffd\"");
  fw_text_clear(&text);
}

/* Encodes by the definition of UTF-8 (RFC 3629, section 3), to test the validator on every code point. */
static size_t encode(unsigned code, char out[4]) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = size - 1; i > 0; i--, code >>= 6)
    out[i] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)((0xF00 >> size & 0xFF) | code);
  return size;
}

Test(text, utf8_is_valid_for_scalar_values_only) {
  char bytes[4];
  unsigned wrong = 0;
  for (unsigned code = 0; code < 0x120000; code++) {
    bool scalar = code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    size_t size = encode(code, bytes);
    wrong += fw_utf8_span(bytes, size) != (scalar ? size : 0);
    wrong += fw_utf8_span(bytes, size - 1) != 0; /* cut */
  }
  cr_expect_eq(wrong, 0);
  cr_expect_eq(fw_utf8_span("\xC0\x80", 2), 0, "overlong");
  cr_expect_eq(fw_utf8_span("\xE0\x80\x80", 3), 0, "overlong");
  cr_expect_eq(fw_utf8_span("\xF0\x80\x80\x80", 4), 0, "overlong");
  cr_expect_eq(fw_utf8_span("\x80", 1), 0, "continuation");
  cr_expect_eq(fw_utf8_span("\xC3(", 2), 0);
}

Test(text, messages_show_no_control_characters_and_stay_short) {
  char buffer[FW_SHOWN_SIZE];
  cr_expect_str_eq(fw_shown("a\x1b[31m\n\xff\xC3\xA9", 10, buffer), "a?[31m??\xC3\xA9");
  char *word = malloc(200);
  cr_assert_not_null(word);
  for (size_t i = 0; i < 200; i += 2)
    memcpy(word + i, "\xC3\xA9", 2);
  fw_shown(word, 200, buffer);
  free(word);
  size_t length = strlen(buffer);
  cr_expect_lt(length, FW_SHOWN_SIZE);
  cr_expect_str_eq(buffer + length - 3, "...");
  cr_expect_eq((length - 3) % 2, 0, "no character is cut in two");
}

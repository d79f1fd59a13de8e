/* Numbers as text, independent of the locale, and text for people. */
#ifndef FW_BASE_TEXT_H
#define FW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_NUMBER_TEXT_SIZE 40

/* `value` with `digits` significant digits (1 to 17), as "%.{digits}g" prints it in the C locale; a value
 * that is not finite gives "null", as JSON wants. `buffer` holds FW_NUMBER_TEXT_SIZE bytes. Returns it. */
const char *fw_number_format(double value, int digits, char *buffer);

/* With as many of 15, 16 or 17 digits as it takes to read back the same double. */
const char *fw_number_format_exact(double value, char *buffer);

/* The exact decimal expansion of any double is shorter; so is every number that people write. */
#define FW_NUMBER_LENGTH_LIMIT ((size_t)2048)

/* The length of the number (JSON's grammar) that begins `text[0 .. length-1]`; more text may follow it. 0 where none
 * does, and `fault` says why; NULL else. */
size_t fw_number_span(const char *text, size_t length, const char **fault);

/* Reads a decimal number that fills all of `text[0 .. length-1]` (JSON's grammar, with leading zeros and a
 * leading '+' refused). False when it does not, has more than FW_NUMBER_LENGTH_LIMIT bytes or does not fit a finite
 * double. Correctly rounded. */
bool fw_number_parse(const char *text, size_t length, double *out);

/* Integers, from the digits themselves: exact above 2^53, false on overflow, fraction or exponent. */
bool fw_int64_parse(const char *text, size_t length, int64_t *out);
bool fw_uint64_parse(const char *text, size_t length, uint64_t *out);

/* The candidate nearest to `word` (edit distance with transpositions, case folded), or NULL when none is
 * nearer than half its length. `candidates` holds `count` strings. Ties go to the earlier one. */
const char *fw_nearest_word(const char *word, const char *const *candidates, size_t count);

/* The length of the UTF-8 sequence that begins `text[0 .. length-1]`, 1 to 4; 0 where it is not valid UTF-8. */
size_t fw_utf8_span(const char *text, size_t length);

/* What a message shows of a user's text `string[0 .. length-1]`: cut to a readable length, control characters and
 * invalid bytes replaced, so that a hostile file cannot write to a terminal. `buffer` holds FW_SHOWN_SIZE bytes. */
#define FW_SHOWN_SIZE ((size_t)72)
const char *fw_shown(const char *string, size_t length, char *buffer);

/* A growing text buffer. Initialise with FW_TEXT_INIT; `data` is NULL or terminated; free with fw_text_clear.
 * After a failed allocation `failed` is set and later calls do nothing, so it may be checked once at the end. */
typedef struct fw_text {
  char *data;
  size_t length;
  size_t capacity;
  bool failed;
} fw_text;

#define FW_TEXT_INIT                                                                                                   \
  { NULL, 0, 0, false }

void fw_text_add(fw_text *text, const char *string);
void fw_text_add_bytes(fw_text *text, const char *bytes, size_t length);

/* As printf; not for floating point, whose text depends on the locale: that is fw_text_add_number. */
void fw_text_add_format(fw_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Quoted and escaped; a byte that is not UTF-8 becomes U+FFFD. */
void fw_text_add_json_string(fw_text *text, const char *string);
void fw_text_add_number(fw_text *text, double value, int digits);
void fw_text_clear(fw_text *text);

#endif

/* A recursive-descent scanner of RFC 8259, its depth bounded by FW_JSON_DEPTH_LIMIT.
 *
 * A fault after which the structure is in doubt ends the scan; one inside a string or a number is noted and the
 * scan goes on. Each function returns whether to go on. */
#include "sim/base/json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/memory.h"

typedef struct scanner {
  fw_json *document;
  const char *text;
  size_t length;
  size_t at;
  size_t line;
  size_t line_start; /* offset of the first byte of the line */
  size_t depth;
  size_t faults;
  bool strings_sound; /* cJSON can decode every string seen so far */
  fw_status status;
  fw_diagnostics *diagnostics;
} scanner;

/* Reports a fault at offset `at` of the current line. Returns false, for the faults that end the scan. */
static bool report(scanner *s, size_t at, const char *format, ...) FW_PRINTF(3, 4);

static bool report(scanner *s, size_t at, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fw_place place = {s->document->file, s->line, at - s->line_start + 1, NULL};
  fw_status status = fw_error(s->diagnostics, FW_ERROR_INPUT, place, "%s", message);
  if (s->status == FW_OK) s->status = status;
  s->faults++;
  return false;
}

/* After a fault that lets the scan go on. */
static bool tolerable(scanner *s) {
  if (s->faults < FW_JSON_FAULT_LIMIT) return true;
  return report(s, s->at, "%zu faults so far: the check ends here", FW_JSON_FAULT_LIMIT);
}

static bool at_end(const scanner *s) {
  return s->at >= s->length;
}

/* The byte at hand; 0, which stands for nothing in JSON, at the end. */
static char peek(const scanner *s) {
  if (at_end(s)) return '\0';
  return s->text[s->at];
}

static void skip_space(scanner *s) {
  for (; !at_end(s); s->at++) {
    char c = s->text[s->at];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return;
    if (c == '\n') {
      s->line++;
      s->line_start = s->at + 1;
    }
  }
}

static bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+' ||
         c == '-' || c == '.';
}

/* The length of the run of letters, digits and signs at hand: what a person reads as one word. */
static size_t word_length(const scanner *s) {
  size_t end = s->at;
  while (end < s->length && is_word_character(s->text[end]))
    end++;
  return end - s->at;
}

#define FOUND_SIZE (FW_SHOWN_SIZE + 8)

/* What stands at hand, in words. */
static const char *found(const scanner *s, char buffer[FOUND_SIZE]) {
  char word[FW_SHOWN_SIZE];
  size_t length = word_length(s);
  if (at_end(s)) {
    (void)snprintf(buffer, FOUND_SIZE, "the end of the text");
  } else if (length > 0) {
    (void)snprintf(buffer, FOUND_SIZE, "'%s'", fw_shown(s->text + s->at, length, word));
  } else if (peek(s) > ' ' && peek(s) < 0x7F) {
    (void)snprintf(buffer, FOUND_SIZE, "'%c'", peek(s));
  } else {
    (void)snprintf(buffer, FOUND_SIZE, "byte 0x%02X", (unsigned)(unsigned char)peek(s));
  }
  return buffer;
}

/* How to mend what other tools accept and JSON does not. */
static const char *remedy(char c) {
  if (c == '/' || c == '#') return "; JSON has no comments: use a key \"notes\"";
  if (c == '\'') return "; strings stand in double quotes";
  return "";
}

static bool refuse_token(scanner *s, const char *expected) {
  char buffer[FOUND_SIZE];
  return report(s, s->at, "expected %s, found %s%s", expected, found(s, buffer), remedy(peek(s)));
}

static bool add_value(scanner *s, uint32_t parent, fw_json_type type, uint32_t *index) {
  fw_json *document = s->document;
  if (document->value_count >= FW_JSON_VALUE_LIMIT) {
    return report(s, s->at, "more than %zu values in one text", FW_JSON_VALUE_LIMIT);
  }
  if (!fw_grow(&document->values, &document->value_capacity, document->value_count + 1, sizeof *document->values)) {
    fw_error_memory(s->diagnostics, "the values of a JSON text");
    s->status = FW_ERROR_MEMORY;
    return false;
  }
  *index = (uint32_t)document->value_count++;
  document->values[*index] = (fw_json_value){
      .document = document,
      .offset = (uint32_t)s->at,
      .line = (uint32_t)s->line,
      .column = (uint32_t)(s->at - s->line_start + 1),
      .parent = parent,
      .span = 1,
      .type = type,
  };
  if (*index != parent) document->values[parent].count++;
  return true;
}

static bool scan_number(scanner *s, uint32_t parent) {
  uint32_t self = 0;
  if (!add_value(s, parent, FW_JSON_NUMBER, &self)) return false;
  const char *fault;
  const char *start = s->text + s->at;
  char shown[FW_SHOWN_SIZE];
  size_t length = fw_number_span(start, s->length - s->at, &fault);
  if (fault != NULL) return report(s, s->at, "'%s': %s", fw_shown(start, word_length(s), shown), fault);
  double value;
  bool parsed = fw_number_parse(start, length, &value);
  if (!parsed && length > FW_NUMBER_LENGTH_LIMIT) {
    report(s, s->at, "a number of %zu characters; at most %zu are read", length, FW_NUMBER_LENGTH_LIMIT);
  } else if (!parsed) {
    report(s, s->at, "%s is not finite: a number is at most 1.7976931348623157e308", fw_shown(start, length, shown));
  }
  s->at += length;
  return parsed || tolerable(s);
}

/* Reads four hexadecimal digits at `at`; false where they are not there. */
static bool read_hex4(const scanner *s, size_t at, unsigned *out) {
  if (s->length - at < 4) return false;
  unsigned code = 0;
  for (size_t i = at; i < at + 4; i++) {
    char c = s->text[i];
    bool digit = c >= '0' && c <= '9';
    bool small = c >= 'a' && c <= 'f';
    if (!digit && !small && !(c >= 'A' && c <= 'F')) return false;
    code = code * 16 + (unsigned)(digit ? c - '0' : small ? c - 'a' + 10 : c - 'A' + 10);
  }
  *out = code;
  return true;
}

/* Notes a fault in a string and goes on behind it. */
static bool spoil_string(scanner *s, size_t skip, const char *what) {
  s->strings_sound = false;
  report(s, s->at, "%s", what);
  s->at += skip;
  return tolerable(s);
}

/* "\uXXXX" or a pair of them at hand (RFC 8259, section 7). */
static bool scan_unicode_escape(scanner *s) {
  unsigned code;
  unsigned second;
  if (!read_hex4(s, s->at + 2, &code)) return spoil_string(s, 2, "four hexadecimal digits must follow '\\u'");
  if (code == 0) return spoil_string(s, 6, "the character U+0000 is not allowed in a string");
  size_t end = s->at + 6;
  bool high = code >= 0xD800 && code <= 0xDBFF;
  bool low = code >= 0xDC00 && code <= 0xDFFF;
  bool paired = high && s->length - end >= 6 && s->text[end] == '\\' && s->text[end + 1] == 'u' &&
                read_hex4(s, end + 2, &second) && second >= 0xDC00 && second <= 0xDFFF;
  if (low || (high && !paired)) {
    return spoil_string(s, 6, "half of a surrogate pair: write the character itself, or both halves");
  }
  s->at = paired ? end + 6 : end;
  return true;
}

static bool scan_escape(scanner *s) {
  char letter = '\0';
  if (s->at + 1 < s->length) letter = s->text[s->at + 1];
  if (letter == 'u') return scan_unicode_escape(s);
  if (letter == '\0' || strchr("\"\\/bfnrt", letter) == NULL) {
    return spoil_string(s, 1,
                        "an escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX; a backslash itself is \\\\");
  }
  s->at += 2;
  return true;
}

static bool scan_character(scanner *s) {
  unsigned char c = (unsigned char)s->text[s->at];
  if (c == '\\') return scan_escape(s);
  if (c < 0x20)
    return spoil_string(s, 1, "a control character in a string must be written as an escape (\\t, \\u001f)");
  size_t span = fw_utf8_span(s->text + s->at, s->length - s->at);
  if (span == 0) return spoil_string(s, 1, "a byte that is not UTF-8: save the file as UTF-8");
  s->at += span;
  return true;
}

/* A string at hand, its quotes included. */
static bool scan_string(scanner *s) {
  size_t start = s->at++;
  while (peek(s) != '"') {
    if (at_end(s) || peek(s) == '\n' || peek(s) == '\r') {
      return report(s, start, "a string without an end on its line: close it with '\"', write line ends as \\n");
    }
    if (!scan_character(s)) return false;
  }
  s->at++;
  return true;
}

static bool scan_string_value(scanner *s, uint32_t parent) {
  uint32_t self = 0;
  return add_value(s, parent, FW_JSON_STRING, &self) && scan_string(s);
}

static bool refuse_word(scanner *s, size_t length) {
  static const char *const literals[] = {"true", "false", "null"};
  char word[FW_SHOWN_SIZE];
  fw_shown(s->text + s->at, length, word);
  bool like_number = strcmp(word, "NaN") == 0 || strcmp(word, "Infinity") == 0;
  const char *meant = fw_nearest_word(word, literals, sizeof literals / sizeof *literals);
  if (like_number) return report(s, s->at, "expected a value, found '%s'; JSON has no NaN and no Infinity", word);
  if (meant != NULL) return report(s, s->at, "expected a value, found '%s'; did you mean %s?", word, meant);
  return report(s, s->at, "expected a value, found '%s'; strings stand in double quotes", word);
}

static bool scan_literal(scanner *s, uint32_t parent) {
  static const struct {
    const char *word;
    fw_json_type type;
    bool boolean;
  } literals[] = {{"true", FW_JSON_BOOL, true}, {"false", FW_JSON_BOOL, false}, {"null", FW_JSON_NULL, false}};
  size_t length = word_length(s);
  for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
    if (strlen(literals[i].word) != length || memcmp(s->text + s->at, literals[i].word, length) != 0) continue;
    uint32_t self = 0;
    if (!add_value(s, parent, literals[i].type, &self)) return false;
    s->document->values[self].boolean = literals[i].boolean;
    s->at += length;
    return true;
  }
  return length > 0 ? refuse_word(s, length) : refuse_token(s, "a value");
}

static bool scan_value(scanner *s, uint32_t parent);

/* "key": value */
static bool scan_member(scanner *s, uint32_t object) {
  if (peek(s) != '"') return refuse_token(s, "a key in double quotes");
  if (!scan_string(s)) return false;
  skip_space(s);
  if (peek(s) != ':') return refuse_token(s, "':' after a key");
  s->at++;
  skip_space(s);
  return scan_value(s, object);
}

/* Goes past a comma to what must follow it. */
static bool skip_comma(scanner *s) {
  s->at++;
  skip_space(s);
  bool trailing = peek(s) == '}' || peek(s) == ']';
  return !trailing || report(s, s->at, "expected a value after ',', found '%c'; no comma may stand before it", peek(s));
}

static bool scan_members(scanner *s, uint32_t object) {
  while (scan_member(s, object)) {
    skip_space(s);
    if (peek(s) == '}') return true;
    if (peek(s) != ',') return refuse_token(s, "',' or '}' after a member");
    if (!skip_comma(s)) return false;
  }
  return false;
}

static bool scan_elements(scanner *s, uint32_t array) {
  while (scan_value(s, array)) {
    skip_space(s);
    if (peek(s) == ']') return true;
    if (peek(s) != ',') return refuse_token(s, "',' or ']' after an element");
    if (!skip_comma(s)) return false;
  }
  return false;
}

static bool scan_container(scanner *s, uint32_t parent, fw_json_type type) {
  uint32_t self = 0;
  if (s->depth >= FW_JSON_DEPTH_LIMIT) {
    return report(s, s->at, "nested deeper than %zu levels", FW_JSON_DEPTH_LIMIT);
  }
  if (!add_value(s, parent, type, &self)) return false;
  s->depth++;
  s->at++;
  skip_space(s);
  bool empty = peek(s) == (type == FW_JSON_OBJECT ? '}' : ']');
  if (!empty && !(type == FW_JSON_OBJECT ? scan_members(s, self) : scan_elements(s, self))) return false;
  s->at++;
  s->depth--;
  s->document->values[self].span = (uint32_t)(s->document->value_count - self);
  return true;
}

static bool scan_kind(scanner *s, uint32_t parent) {
  char c = peek(s);
  if (c == '{') return scan_container(s, parent, FW_JSON_OBJECT);
  if (c == '[') return scan_container(s, parent, FW_JSON_ARRAY);
  if (c == '"') return scan_string_value(s, parent);
  if (c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9')) return scan_number(s, parent);
  return scan_literal(s, parent);
}

static bool scan_value(scanner *s, uint32_t parent) {
  const size_t self = s->document->value_count;
  const size_t start = s->at;
  if (!scan_kind(s, parent)) return false;
  s->document->values[self].length = (uint32_t)(s->at - start);
  return true;
}

static bool scan_document(scanner *s) {
  skip_space(s);
  if (!scan_value(s, 0)) return false;
  skip_space(s);
  if (at_end(s)) return true;
  return refuse_token(s, "the end of the text after its one value");
}

fw_status fwi_json_scan(fw_json *document, bool *decodable, fw_diagnostics *diagnostics) {
  scanner s = {
      .document = document,
      .text = document->text,
      .length = document->length,
      .line = 1,
      .strings_sound = true,
      .status = FW_OK,
      .diagnostics = diagnostics,
  };
  bool complete = scan_document(&s);
  *decodable = complete && s.strings_sound;
  return s.status;
}

/* A text buffer that grows, and text made fit for JSON and for messages. */
#include "sim/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

/* Room for `more` bytes and the terminating zero. */
static bool reserve(fw_text *text, size_t more) {
  size_t needed;
  if (text->failed) return false;
  if (!fw_size_add(text->length, more, &needed) || !fw_size_add(needed, 1, &needed) ||
      !fw_grow(&text->data, &text->capacity, needed, 1)) {
    text->failed = true;
    return false;
  }
  return true;
}

void fw_text_add_bytes(fw_text *text, const char *bytes, size_t length) {
  if (!reserve(text, length)) return;
  if (length > 0) memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void fw_text_add(fw_text *text, const char *string) {
  fw_text_add_bytes(text, string, strlen(string));
}

void fw_text_add_format(fw_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0) text->failed = true;
  if (length < 0 || !reserve(text, (size_t)length)) return;
  va_start(arguments, format);
  (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
  va_end(arguments);
  text->length += (size_t)length;
}

void fw_text_add_number(fw_text *text, double value, int digits) {
  char buffer[FW_NUMBER_TEXT_SIZE];
  fw_text_add(text, fw_number_format(value, digits, buffer));
}

/* Unicode 15, table 3-7: the second byte's range depends on the first, the others are 80..BF. */
size_t fw_utf8_span(const char *text, size_t length) {
  const unsigned char *bytes = (const unsigned char *)text;
  if (length == 0) return 0;
  unsigned char first = bytes[0];
  if (first < 0x80) return 1;
  size_t span = first >= 0xC2 && first <= 0xDF   ? 2
                : first >= 0xE0 && first <= 0xEF ? 3
                : first >= 0xF0 && first <= 0xF4 ? 4
                                                 : 0;
  if (span == 0 || span > length) return 0;
  unsigned char lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned char highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (bytes[1] < lowest || bytes[1] > highest) return 0;
  for (size_t i = 2; i < span; i++) {
    if (bytes[i] < 0x80 || bytes[i] > 0xBF) return 0;
  }
  return span;
}

/* The letter of a two-letter escape, or 0. */
static char escape_letter(char c) {
  static const char codes[] = "\"\\\b\f\n\r\t";
  static const char letters[] = "\"\\bfnrt";
  if (c == '\0') return c;
  const char *found = strchr(codes, c);
  if (found == NULL) return '\0';
  return letters[found - codes];
}

void fw_text_add_json_string(fw_text *text, const char *string) {
  size_t length = strlen(string);
  fw_text_add_bytes(text, "\"", 1);
  for (size_t at = 0; at < length;) {
    size_t span = fw_utf8_span(string + at, length - at);
    char letter = escape_letter(string[at]);
    if (span == 0) {
      fw_text_add(text, "\\ufffd"); /* bytes that are no UTF-8 (a file's name) would make the text no JSON */
      span = 1;
    } else if (letter != '\0') {
      char escape[2] = {'\\', letter};
      fw_text_add_bytes(text, escape, sizeof escape);
    } else if ((unsigned char)string[at] < 0x20) {
      fw_text_add_format(text, "\\u%04x", (unsigned)(unsigned char)string[at]);
    } else {
      fw_text_add_bytes(text, string + at, span);
    }
    at += span;
  }
  fw_text_add_bytes(text, "\"", 1);
}

void fw_text_clear(fw_text *text) {
  free(text->data);
  *text = (fw_text)FW_TEXT_INIT;
}

const char *fw_shown(const char *string, size_t length, char *buffer) {
  static const char ellipsis[] = "...";
  size_t room = FW_SHOWN_SIZE - sizeof ellipsis;
  size_t used = 0;
  size_t at = 0;
  while (at < length) {
    size_t span = fw_utf8_span(string + at, length - at);
    bool printable = span > 1 || (span == 1 && (unsigned char)string[at] >= 0x20 && string[at] != 0x7F);
    size_t size = printable ? span : 1;
    if (used + size > room) break;
    if (printable) {
      memcpy(buffer + used, string + at, span);
    } else {
      buffer[used] = '?';
    }
    used += size;
    at += size;
  }
  memcpy(buffer + used, at < length ? ellipsis : "", at < length ? sizeof ellipsis : 1);
  return buffer;
}

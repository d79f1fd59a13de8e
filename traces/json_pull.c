/* A pull reader of RFC 8259. Nesting is counted when a value is skipped, never recursed into. */
#include "traces/json_pull.h"

#include <string.h>

void fwi_json_pull_begin(fwi_json_pull *pull, fwi_source *source, fw_diagnostics *diagnostics) {
  *pull = (fwi_json_pull){.source = source, .diagnostics = diagnostics, .line = 1};
}

void fwi_json_pull_clear(fwi_json_pull *pull) {
  fw_text_clear(&pull->text);
}

void fwi_json_fail(fwi_json_pull *pull, const char *message) {
  if (pull->status != FW_OK) return;
  fw_place place = {pull->source->bytes.file, pull->line, 0, NULL};
  pull->status = fw_error(pull->diagnostics, FW_ERROR_INPUT, place, "%s", message);
}

/* The next byte, not taken; -1 at the end or after a fault. */
static int look(fwi_json_pull *pull) {
  fwi_source *source = pull->source;
  while (pull->status == FW_OK && source->start == source->end && !source->at_end)
    pull->status = fwi_source_fill(source, FWI_LINE_LIMIT, pull->diagnostics);
  if (pull->status != FW_OK || source->start == source->end) return -1;
  return (unsigned char)source->buffer[source->start];
}

static int next(fwi_json_pull *pull) {
  int c = look(pull);
  if (c < 0) return c;
  pull->source->start++;
  if (c == '\n') pull->line++;
  return c;
}

int fwi_json_peek(fwi_json_pull *pull) {
  int c = look(pull);
  while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
    (void)next(pull);
    c = look(pull);
  }
  return c;
}

bool fwi_json_take(fwi_json_pull *pull, char c) {
  if (fwi_json_peek(pull) != (unsigned char)c) return false;
  (void)next(pull);
  return true;
}

bool fwi_json_expect(fwi_json_pull *pull, char c) {
  if (fwi_json_take(pull, c)) return true;
  char message[96];
  int found = fwi_json_peek(pull);
  if (found < 0) {
    fwi_json_fail(pull, "the JSON text is cut: fetch the answer again");
  } else {
    (void)snprintf(message, sizeof message, "no answer of a range query: expected '%c', found '%c'", c,
                   found >= 0x20 && found < 0x7F ? found : '?');
    fwi_json_fail(pull, message);
  }
  return false;
}

static bool next_in(fwi_json_pull *pull, bool *first, char close) {
  if (pull->status != FW_OK) return false;
  if (fwi_json_take(pull, close)) return false;
  if (!*first && !fwi_json_expect(pull, ',')) return false;
  *first = false;
  return true;
}

bool fwi_json_element(fwi_json_pull *pull, bool *first) {
  return next_in(pull, first, ']');
}

bool fwi_json_member(fwi_json_pull *pull, bool *first) {
  return next_in(pull, first, '}') && fwi_json_read_string(pull) && fwi_json_expect(pull, ':');
}

static void add(fwi_json_pull *pull, char c) {
  if (pull->text.length >= FWI_JSON_STRING_LIMIT) {
    fwi_json_fail(pull, "a string or number of more than 64 KiB");
    return;
  }
  fw_text_add_bytes(&pull->text, &c, 1);
  if (pull->text.failed && pull->status == FW_OK) pull->status = fw_error_memory(pull->diagnostics, "a JSON string");
}

static int hex_digit(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* \uXXXX: labels beyond ASCII are written in UTF-8 by all exporters, so what is escaped is a control character or
 * belongs to no identity; it becomes '?'. */
static void add_unicode(fwi_json_pull *pull) {
  int code = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(next(pull));
    if (digit < 0) {
      fwi_json_fail(pull, "four hexadecimal digits must follow \\u");
      return;
    }
    code = 16 * code + digit;
  }
  add(pull, code >= 0x20 && code < 0x7F ? (char)code : '?');
}

static void add_escape(fwi_json_pull *pull) {
  int c = next(pull);
  switch (c) {
  case '"':
  case '\\':
  case '/':
    add(pull, (char)c);
    break;
  case 'b':
  case 'f':
  case 'n':
  case 'r':
  case 't':
    add(pull, ' ');
    break;
  case 'u':
    add_unicode(pull);
    break;
  default:
    fwi_json_fail(pull, "an unknown escape in a string");
  }
}

bool fwi_json_read_string(fwi_json_pull *pull) {
  pull->text.length = 0;
  fw_text_add(&pull->text, "");
  if (!fwi_json_expect(pull, '"')) return false;
  while (pull->status == FW_OK) {
    int c = next(pull);
    if (c == '"') return true;
    if (c < 0) {
      fwi_json_fail(pull, "the JSON text is cut: fetch the answer again");
    } else if (c == '\\') {
      add_escape(pull);
    } else {
      add(pull, (char)c);
    }
  }
  return false;
}

bool fwi_json_read_number(fwi_json_pull *pull) {
  pull->text.length = 0;
  fw_text_add(&pull->text, "");
  for (int c = fwi_json_peek(pull); c >= 0; c = look(pull)) {
    bool part = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    if (!part) break;
    add(pull, (char)c);
    (void)next(pull);
  }
  if (pull->text.length == 0) fwi_json_fail(pull, "expected a number");
  return pull->status == FW_OK;
}

/* A word or number: everything up to what ends one. */
static void skip_word(fwi_json_pull *pull) {
  bool any = false;
  for (int c = look(pull); c >= 0; c = look(pull)) {
    if (c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':') break;
    any = true;
    (void)next(pull);
  }
  if (!any) fwi_json_fail(pull, "expected a value");
}

bool fwi_json_skip(fwi_json_pull *pull) {
  size_t depth = 0;
  do {
    int c = fwi_json_peek(pull);
    if (c == '{' || c == '[') {
      (void)next(pull);
      depth++;
    } else if ((c == '}' || c == ']') && depth > 0) {
      (void)next(pull);
      depth--;
    } else if ((c == ',' || c == ':') && depth > 0) {
      (void)next(pull);
    } else if (c == '"') {
      (void)fwi_json_read_string(pull);
    } else if (c < 0) {
      fwi_json_fail(pull, "the JSON text is cut: fetch the answer again");
    } else {
      skip_word(pull);
    }
  } while (depth > 0 && pull->status == FW_OK);
  return pull->status == FW_OK;
}

bool fwi_json_text_is(const fwi_json_pull *pull, const char *word) {
  return pull->text.length == strlen(word) && memcmp(pull->text.data, word, pull->text.length) == 0;
}

/* Numbers in JSON's notation, whatever the locale.
 *
 * The C library converts both ways with correct rounding (IEEE 754-2008, 5.12.2) but with the decimal point of the
 * locale, so the point is translated on a copy. nl_langinfo is read, not localeconv: that one fills a static
 * structure and so is no function for threads. */
#include "sim/base/text.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for the decimal point of any locale; the longest of glibc has three bytes. */
#define POINT_SIZE ((size_t)16)

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t skip_digits(const char *text, size_t length, size_t at) {
  while (at < length && is_digit(text[at]))
    at++;
  return at;
}

/* RFC 8259, section 6: [ "-" ] int [ frac ] [ exp ]. */
size_t fw_number_span(const char *text, size_t length, const char **fault) {
  *fault = NULL;
  size_t start = length > 0 && text[0] == '-' ? 1 : 0;
  size_t at = skip_digits(text, length, start);
  if (at == start) {
    *fault = start == 0 ? "a number begins with a digit or '-'" : "a digit must follow '-'";
    return 0;
  }
  if (text[start] == '0' && at > start + 1) {
    *fault = "a number has no leading zeros";
    return 0;
  }
  if (at < length && text[at] == '.') {
    size_t fraction = at + 1;
    at = skip_digits(text, length, fraction);
    if (at == fraction) {
      *fault = "a digit must follow the decimal point";
      return 0;
    }
  }
  if (at < length && (text[at] == 'e' || text[at] == 'E')) {
    size_t exponent = at + 1;
    if (exponent < length && (text[exponent] == '+' || text[exponent] == '-')) exponent++;
    at = skip_digits(text, length, exponent);
    if (at == exponent) {
      *fault = "a digit must follow the 'e' of an exponent";
      return 0;
    }
  }
  return at;
}

static bool fills(const char *text, size_t length) {
  const char *fault;
  return length > 0 && fw_number_span(text, length, &fault) == length;
}

bool fw_number_parse(const char *text, size_t length, double *out) {
  if (length > FW_NUMBER_LENGTH_LIMIT || !fills(text, length)) return false;
  char copy[FW_NUMBER_LENGTH_LIMIT + POINT_SIZE];
  const char *point = memchr(text, '.', length);
  size_t whole = point == NULL ? length : (size_t)(point - text);
  memcpy(copy, text, whole);
  size_t end = whole;
  if (point != NULL) {
    const char *local_point = nl_langinfo(RADIXCHAR);
    size_t local_size = strlen(local_point);
    if (local_size >= POINT_SIZE) return false;
    memcpy(copy + end, local_point, local_size);
    end += local_size;
    memcpy(copy + end, point + 1, length - whole - 1);
    end += length - whole - 1;
  }
  copy[end] = '\0';
  char *stop;
  double value = strtod(copy, &stop);
  if (stop != copy + end || !isfinite(value)) return false;
  *out = value;
  return true;
}

const char *fw_number_format(double value, int digits, char *buffer) {
  if (!isfinite(value)) {
    memcpy(buffer, "null", sizeof "null");
    return buffer;
  }
  int precision = digits < 1 ? 1 : digits > 17 ? 17 : digits;
  char local[FW_NUMBER_TEXT_SIZE + POINT_SIZE];
  (void)snprintf(local, sizeof local, "%.*g", precision, value); /* "-1.2345678901234567e-308": 24 bytes at most */
  const char *local_point = nl_langinfo(RADIXCHAR);
  char *point = strstr(local, local_point);
  if (point != NULL) {
    const char *fraction = point + strlen(local_point);
    *point = '.';
    memmove(point + 1, fraction, strlen(fraction) + 1);
  }
  memcpy(buffer, local, strnlen(local, FW_NUMBER_TEXT_SIZE - 1) + 1);
  return buffer;
}

/* 15 digits survive a trip through a double, 17 carry a double through text (Goldberg 1991, section 4.1). */
const char *fw_number_format_exact(double value, char *buffer) {
  for (int digits = 15; digits < 17; digits++) {
    double again;
    fw_number_format(value, digits, buffer);
    if (fw_number_parse(buffer, strlen(buffer), &again) && again == value) return buffer;
  }
  return fw_number_format(value, 17, buffer);
}

/* The digits text[0 .. length-1], no sign and no leading zero, as an integer up to `limit`. */
static bool parse_digits(const char *text, size_t length, uint64_t limit, uint64_t *out) {
  if (length == 0 || (text[0] == '0' && length > 1)) return false;
  uint64_t value = 0;
  for (size_t i = 0; i < length; i++) {
    if (!is_digit(text[i])) return false;
    uint64_t digit = (uint64_t)(text[i] - '0');
    if (value > (limit - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = value;
  return true;
}

bool fw_int64_parse(const char *text, size_t length, int64_t *out) {
  bool negative = length > 0 && text[0] == '-';
  uint64_t magnitude;
  uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
  if (!parse_digits(text + negative, length - negative, limit, &magnitude)) return false;
  if (!negative) {
    *out = (int64_t)magnitude;
  } else {
    *out = magnitude == limit ? INT64_MIN : -(int64_t)magnitude;
  }
  return true;
}

bool fw_uint64_parse(const char *text, size_t length, uint64_t *out) {
  return parse_digits(text, length, UINT64_MAX, out);
}

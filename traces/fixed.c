/* Decimal text to a scaled integer, digit by digit. A time stamp of today in seconds, read through a double, is off by
 * up to 0.1 us; read so, it is not. */
#include "traces/fixed.h"

#include <string.h>

#include "sim/base/text.h"

/* No text within the readers' line limit has an exponent beyond this that its digits could make up for. */
#define EXPONENT_LIMIT 100000000

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int64_t exponent_of(const char *text, size_t length) {
  size_t at = 0;
  bool negative = at < length && text[at] == '-';
  if (at < length && (text[at] == '-' || text[at] == '+')) at++;
  int64_t exponent = 0;
  for (; at < length; at++) {
    if (exponent < EXPONENT_LIMIT) exponent = 10 * exponent + (text[at] - '0');
  }
  return negative ? -exponent : exponent;
}

static bool append_digit(int64_t *magnitude, int digit) {
  return !__builtin_mul_overflow(*magnitude, 10, magnitude) && !__builtin_add_overflow(*magnitude, digit, magnitude);
}

/* Length of the part before the exponent. */
static size_t mantissa_length(const char *text, size_t length) {
  size_t at = 0;
  while (at < length && text[at] != 'e' && text[at] != 'E')
    at++;
  return at;
}

size_t fwi_fixed_decimals(const char *text, size_t length) {
  size_t end = mantissa_length(text, length);
  const char *point = end == 0 ? NULL : memchr(text, '.', end);
  return point == NULL ? 0 : end - (size_t)(point - text) - 1;
}

bool fwi_fixed_parse(const char *text, size_t length, int decimals, int64_t *out) {
  double unused;
  if (!fw_number_parse(text, length, &unused)) return false;
  bool negative = text[0] == '-';
  size_t end = mantissa_length(text, length);
  int64_t exponent = end < length ? exponent_of(text + end + 1, length - end - 1) : 0;
  size_t digits = end - (negative ? 1 : 0) - (memchr(text, '.', end) != NULL ? 1 : 0);
  /* `place` is the power of ten of the next digit in the smaller unit. */
  int64_t place = (int64_t)digits - (int64_t)fwi_fixed_decimals(text, length) - 1 + exponent + decimals;
  int64_t magnitude = 0;
  for (size_t i = negative ? 1 : 0; i < end && place >= -1; i++) {
    if (!is_digit(text[i])) continue;
    int digit = text[i] - '0';
    if (place >= 0 && !append_digit(&magnitude, digit)) return false;
    if (place == -1 && digit >= 5 && __builtin_add_overflow(magnitude, 1, &magnitude)) return false;
    place--;
  }
  for (; place >= 0 && magnitude != 0; place--) {
    if (!append_digit(&magnitude, 0)) return false;
  }
  *out = negative ? -magnitude : magnitude;
  return true;
}

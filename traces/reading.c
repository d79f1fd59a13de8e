/* Numbers with units, and missing readings.
 *
 * Common numbers are read by a scan over their digits; what it does not take (exponents, more than 18 digits) goes
 * through the exact parser of fixed.c. DCGM's blank values are those of dcgm_structs.h: 0x7ffffff0 and up for 32-bit
 * fields, 0x7ffffffffffffff0 and up for 64-bit ones, 2^47 and up for doubles; a 32-bit blank in an energy counter
 * would be a plausible 2 MJ, so there only the large ones count. */
#include "traces/reading.h"

#include <string.h>

#include "sim/base/text.h"
#include "traces/fixed.h"

static const fwi_scale power_scales[] = {{"W", 3, 1},   {"kW", 6, 1},         {"mW", 0, 1},   {"MW", 9, 1},
                                         {"uW", -3, 1}, {"\xC2\xB5W", -3, 1}, {"watt", 3, 1}, {"watts", 3, 1}};
static const fwi_scale energy_scales[] = {{"J", 6, 1},  {"mJ", 3, 1},    {"kJ", 9, 1},    {"MJ", 12, 1},
                                          {"uJ", 0, 1}, {"Wh", 6, 3600}, {"kWh", 9, 3600}};
static const fwi_scale plain_scales[] = {{"%", 3, 1},
                                         {"C", 3, 1},
                                         {"c", 3, 1},
                                         {"\xC2\xB0"
                                          "C",
                                          3, 1}};

const fwi_scale *fwi_scale_find(fwi_quantity_kind kind, const char *text, size_t length) {
  const fwi_scale *scales = kind == FWI_POWER_READING    ? power_scales
                            : kind == FWI_ENERGY_READING ? energy_scales
                                                         : plain_scales;
  size_t count = kind == FWI_POWER_READING    ? sizeof power_scales / sizeof *power_scales
                 : kind == FWI_ENERGY_READING ? sizeof energy_scales / sizeof *energy_scales
                                              : sizeof plain_scales / sizeof *plain_scales;
  for (size_t i = 0; i < count; i++) {
    if (strlen(scales[i].symbol) == length && memcmp(scales[i].symbol, text, length) == 0) return &scales[i];
  }
  return NULL;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equals_folded(const char *text, size_t length, const char *word) {
  if (strlen(word) != length) return false;
  for (size_t i = 0; i < length; i++) {
    if (lower(text[i]) != word[i]) return false;
  }
  return true;
}

static const int64_t powers_of_ten[] = {1,           10,           100,          1000,      10000,
                                        100000,      1000000,      10000000,     100000000, 1000000000,
                                        10000000000, 100000000000, 1000000000000};
#define POWER_LIMIT 12
#define DIGIT_LIMIT ((size_t)18)

/* magnitude x 10^shift, rounded to nearest, halves away from zero; false when it does not fit. */
static bool shift_decimal(int64_t magnitude, int shift, int64_t *out) {
  if (shift > POWER_LIMIT || shift < -POWER_LIMIT) return false;
  if (shift >= 0) return !__builtin_mul_overflow(magnitude, powers_of_ten[shift], out);
  int64_t divisor = powers_of_ten[-shift];
  *out = magnitude / divisor + (magnitude % divisor >= divisor - magnitude % divisor ? 1 : 0);
  return true;
}

size_t fwi_scan_fixed(const char *text, size_t length, int decimals, int64_t *out) {
  size_t at = length > 0 && text[0] == '-' ? 1 : 0;
  bool negative = at == 1;
  int64_t magnitude = 0;
  size_t start = at, point = 0;
  for (; at < length; at++) {
    unsigned digit = (unsigned)(unsigned char)text[at] - '0';
    if (digit <= 9) {
      if (at - start >= DIGIT_LIMIT + (point > 0 ? 1 : 0)) return 0;
      magnitude = magnitude * 10 + (int64_t)digit;
    } else if (text[at] == '.' && point == 0 && at > start) {
      point = at;
    } else {
      break;
    }
  }
  size_t digits = at - start - (point > 0 ? 1 : 0);
  if (digits == 0 || digits > DIGIT_LIMIT || point + 1 == at) return 0;
  if (at < length && (text[at] == 'e' || text[at] == 'E')) return 0;
  int fraction = point > 0 ? (int)(at - point - 1) : 0;
  int64_t value;
  if (!shift_decimal(magnitude, decimals - fraction, &value)) return 0;
  *out = negative ? -value : value;
  return at;
}

/* --- missing readings --- */

static const char *const missing_words[] = {"n/a",
                                            "[n/a]",
                                            "na",
                                            "nan",
                                            "+nan",
                                            "-nan",
                                            "inf",
                                            "+inf",
                                            "-inf",
                                            "null",
                                            "none",
                                            "-",
                                            "--",
                                            "undefined",
                                            "err!",
                                            "err",
                                            "error",
                                            "unknown",
                                            "no data",
                                            "not supported",
                                            "unknown error",
                                            "gpu requires reset",
                                            "not available",
                                            "insufficient permissions",
                                            "gpu is lost",
                                            "not found",
                                            "infinity"};

static bool is_missing_word(const char *text, size_t length) {
  if (length >= 2 && text[0] == '[' && text[length - 1] == ']') return true; /* nvidia-smi's way to say why */
  for (size_t i = 0; i < sizeof missing_words / sizeof *missing_words; i++) {
    if (equals_folded(text, length, missing_words[i])) return true;
  }
  return false;
}

static bool has_digit(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (is_digit(text[i])) return true;
  }
  return false;
}

static fwi_reading missing(fwi_reading_state state, const char *spelling, size_t length) {
  return (fwi_reading){.state = state, .spelling = spelling, .spelling_length = length};
}

/* The name of the blank value that a number is, or NULL. */
static const char *sentinel_name(fwi_quantity_kind kind, double number) {
  if (number >= 9223372036854774784.0) return "DCGM blank (64-bit integer)"; /* the double next below 2^63 */
  if (number >= 140737488355328.0 && number <= 140737488355344.0) return "DCGM blank (double)";
  if (kind == FWI_ENERGY_READING) return NULL;
  if (number >= 2147483632.0 && number <= 2147483647.0) return "DCGM blank (32-bit integer)";
  return number == 4294967295.0 ? "DCGM blank (unsigned)" : NULL;
}

/* --- the cell --- */

static size_t skip_blanks(const char *text, size_t length, size_t at) {
  while (at < length && (text[at] == ' ' || text[at] == '\t'))
    at++;
  return at;
}

static fwi_reading not_a_number(const char *text, size_t length) {
  static const char empty[] = "(empty)";
  if (length == 0) return missing(FWI_READING_MISSING, empty, sizeof empty - 1);
  if (is_missing_word(text, length)) return missing(FWI_READING_MISSING, text, length);
  if (has_digit(text, length)) return missing(FWI_READING_BAD, text, length);
  return missing(FWI_READING_UNKNOWN, text, length);
}

/* Numbers that the scan leaves: exponents, many digits, overflow. A sentinel is known by its size alone, unit or not.
 */
static fwi_reading long_number(fwi_quantity_kind kind, const fwi_scale *scale, const char *text, size_t span,
                               fwi_reading reading) {
  double number;
  if (!fw_number_parse(text, span, &number)) return missing(FWI_READING_BAD, text, span);
  const char *sentinel = sentinel_name(kind, number);
  if (sentinel != NULL) return missing(FWI_READING_MISSING, sentinel, strlen(sentinel));
  if (scale == NULL) return missing(FWI_READING_NO_UNIT, text, span);
  bool fits = fwi_fixed_parse(text, span, scale->decimals, &reading.value) &&
              !__builtin_mul_overflow(reading.value, scale->factor, &reading.value);
  reading.state = fits ? FWI_READING_VALUE : FWI_READING_BAD;
  return reading;
}

static const fwi_scale *scale_of_cell(fwi_quantity_kind kind, const fwi_scale *given, const char *unit, size_t length,
                                      bool *known) {
  *known = true;
  if (length == 0) return given;
  if (given != NULL && strlen(given->symbol) == length && memcmp(given->symbol, unit, length) == 0) return given;
  const fwi_scale *found = fwi_scale_find(kind, unit, length);
  *known = found != NULL;
  return found;
}

static bool begins_number(const char *text, size_t length) {
  if (length == 0) return false;
  return is_digit(text[0]) || (length > 1 && text[0] == '-' && is_digit(text[1]));
}

/* No number of a log is this large in mW, uJ or thousandths and yet below every sentinel. */
#define SMALLEST_SENTINEL INT64_C(2147483632)

fwi_reading fwi_reading_parse(fwi_quantity_kind kind, const fwi_scale *scale, const char *text, size_t length) {
  if (!begins_number(text, length)) {
    return not_a_number(text, length);
  }
  const char *fault;
  fwi_reading reading = {.state = FWI_READING_VALUE, .spelling = text, .spelling_length = length, .scale = scale};
  size_t span = fwi_scan_fixed(text, length, scale == NULL ? 0 : scale->decimals, &reading.value);
  bool scanned = span > 0;
  if (!scanned) span = fw_number_span(text, length, &fault);
  if (span == 0) return missing(FWI_READING_BAD, text, length);
  size_t unit = skip_blanks(text, length, span);
  bool known;
  reading.scale = scale_of_cell(kind, scale, text + unit, length - unit, &known);
  if (!known) return missing(FWI_READING_BAD, text, length);
  if (scanned && reading.scale != scale)
    scanned = fwi_scan_fixed(text, span, reading.scale->decimals, &reading.value) > 0;
  bool large = reading.value >= SMALLEST_SENTINEL || reading.value <= -SMALLEST_SENTINEL;
  if (!scanned || reading.scale == NULL || large) return long_number(kind, reading.scale, text, span, reading);
  reading.value *= reading.scale->factor;
  return reading;
}

bool fwi_looks_numeric(const char *text, size_t length) {
  fwi_reading reading = fwi_reading_parse(FWI_POWER_READING, NULL, text, length);
  return reading.state == FWI_READING_VALUE || reading.state == FWI_READING_NO_UNIT;
}

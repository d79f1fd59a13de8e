/* Dates to days by counting from 1 March, so that a leap day ends its year (H. Hinnant, "chrono-Compatible Low-Level
 * Date Algorithms", days_from_civil). Digits become integers, never doubles. */
#include "traces/stamp.h"

#include <string.h>

#include "traces/builder.h"
#include "traces/fixed.h"
#include "traces/reading.h"

#define NS_PER_MINUTE (60 * FW_NS_PER_S)
#define NS_PER_HOUR (60 * NS_PER_MINUTE)
#define NS_PER_DAY (24 * NS_PER_HOUR)

/* `count` digits as a number, or -1. */
static int digits(const char *text, size_t count) {
  int value = 0;
  for (size_t i = 0; i < count; i++) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = 10 * value + (text[i] - '0');
  }
  return value;
}

static int64_t days_from_civil(int year, int month, int day) {
  int shifted = month <= 2 ? year - 1 : year;
  int era = shifted / 400, year_of_era = shifted - 400 * era;
  int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return (int64_t)era * 146097 + day_of_era - 719468;
}

static int days_in_month(int year, int month) {
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return lengths[month - 1] + (month == 2 && leap ? 1 : 0);
}

static bool in_range(fw_time_ns time) {
  return time >= -FWI_TIME_LIMIT && time <= FWI_TIME_LIMIT;
}

static fwi_stamp_fault date_to_time(int year, int month, int day, fw_time_ns *out) {
  if (year < 0 || month < 0 || day < 0) return FWI_STAMP_SHAPE;
  if (year < 1900 || year > 2100 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
    return FWI_STAMP_RANGE;
  }
  *out = days_from_civil(year, month, day) * NS_PER_DAY;
  return FWI_STAMP_GOOD;
}

/* "HH:MM:" at the start of `text`; 60 in the seconds, which come apart, is a leap second. */
static fwi_stamp_fault clock_to_time(const char *text, fw_time_ns *out) {
  int hour = digits(text, 2), minute = digits(text + 3, 2);
  if (hour < 0 || minute < 0 || text[2] != ':' || text[5] != ':') return FWI_STAMP_SHAPE;
  if (hour > 23 || minute > 59) return FWI_STAMP_RANGE;
  *out = hour * NS_PER_HOUR + minute * NS_PER_MINUTE;
  return FWI_STAMP_GOOD;
}

/* "SS" or "SS.fff" at the start of `text`; the length of it is stored in `used`. */
static fwi_stamp_fault seconds_to_time(const char *text, size_t length, size_t *used, fw_time_ns *out) {
  if (length < 2 || digits(text, 2) < 0) return FWI_STAMP_SHAPE;
  *used = fwi_scan_fixed(text, length, 9, out);
  if (*used == 0) return FWI_STAMP_SHAPE;
  return *out < 61 * FW_NS_PER_S ? FWI_STAMP_GOOD : FWI_STAMP_RANGE;
}

bool fwi_zone_parse(const char *text, size_t length, fw_time_ns *out) {
  *out = 0;
  if ((length == 1 && (text[0] == 'Z' || text[0] == 'z')) || (length == 3 && memcmp(text, "UTC", 3) == 0)) return true;
  if (length < 3 || (text[0] != '+' && text[0] != '-')) return false;
  size_t colon = length > 3 && text[3] == ':' ? 1 : 0;
  if (length != 3 && length != 5 + colon) return false;
  int hours = digits(text + 1, 2), minutes = length == 3 ? 0 : digits(text + 3 + colon, 2);
  if (hours < 0 || minutes < 0 || hours > 14 || minutes > 59) return false;
  *out = hours * NS_PER_HOUR + minutes * NS_PER_MINUTE;
  if (text[0] == '-') *out = -*out;
  return true;
}

static fwi_stamp_fault apply_zone(fwi_stamper *stamper, const char *zone, size_t length, fw_time_ns *time) {
  while (length > 0 && zone[0] == ' ') {
    zone++;
    length--;
  }
  fw_time_ns offset = stamper->offset;
  if (length == 0) {
    stamper->zone_missing = true;
  } else if (!fwi_zone_parse(zone, length, &offset)) {
    return FWI_STAMP_SHAPE;
  }
  *time -= offset;
  return in_range(*time) ? FWI_STAMP_GOOD : FWI_STAMP_RANGE;
}

#define MINUTE_LENGTH (sizeof((fwi_stamper *)0)->minute)

/* "YYYY/MM/DD HH:MM:" to its time; the last such text is remembered. */
static fwi_stamp_fault minute_to_time(fwi_stamper *stamper, const char *text, fw_time_ns *out) {
  if (memcmp(stamper->minute, text, MINUTE_LENGTH) == 0) {
    *out = stamper->minute_time;
    return FWI_STAMP_GOOD;
  }
  bool separated = (text[4] == '/' || text[4] == '-') && text[7] == text[4] && (text[10] == ' ' || text[10] == 'T');
  if (!separated) return FWI_STAMP_SHAPE;
  fw_time_ns date, clock;
  fwi_stamp_fault fault = date_to_time(digits(text, 4), digits(text + 5, 2), digits(text + 8, 2), &date);
  if (fault == FWI_STAMP_GOOD) fault = clock_to_time(text + 11, &clock);
  if (fault != FWI_STAMP_GOOD) return fault;
  memcpy(stamper->minute, text, MINUTE_LENGTH);
  stamper->minute_time = date + clock;
  *out = stamper->minute_time;
  return FWI_STAMP_GOOD;
}

static fwi_stamp_fault parse_text(fwi_stamper *stamper, const char *text, size_t length, fw_time_ns *out) {
  if (length < MINUTE_LENGTH + 2) return FWI_STAMP_SHAPE;
  fw_time_ns minute, seconds;
  size_t used;
  fwi_stamp_fault fault = minute_to_time(stamper, text, &minute);
  if (fault == FWI_STAMP_GOOD) {
    fault = seconds_to_time(text + MINUTE_LENGTH, length - MINUTE_LENGTH, &used, &seconds);
  }
  if (fault != FWI_STAMP_GOOD) return fault;
  *out = minute + seconds;
  return apply_zone(stamper, text + MINUTE_LENGTH + used, length - MINUTE_LENGTH - used, out);
}

static int decimals_of(fwi_time_unit unit) {
  return unit == FWI_TIME_S ? 9 : unit == FWI_TIME_MS ? 6 : unit == FWI_TIME_US ? 3 : 0;
}

/* The unit in which a number is a time between 1973 and 2128; FWI_TIME_BY_SIZE: in none. */
static fwi_time_unit unit_by_size(const char *text, size_t length) {
  int64_t whole;
  if (fwi_scan_fixed(text, length, 0, &whole) != length && !fwi_fixed_parse(text, length, 0, &whole)) {
    return FWI_TIME_BY_SIZE;
  }
  if (whole < 100000000) return FWI_TIME_BY_SIZE;
  if (whole < INT64_C(5000000000)) return FWI_TIME_S;
  if (whole < INT64_C(100000000000)) return FWI_TIME_BY_SIZE;
  if (whole < INT64_C(5000000000000)) return FWI_TIME_MS;
  if (whole < INT64_C(100000000000000)) return FWI_TIME_BY_SIZE;
  if (whole < INT64_C(5000000000000000)) return FWI_TIME_US;
  return whole < INT64_C(100000000000000000) ? FWI_TIME_BY_SIZE : FWI_TIME_NS;
}

static fwi_stamp_fault parse_number(fwi_stamper *stamper, const char *text, size_t length, fw_time_ns *out) {
  if (stamper->unit == FWI_TIME_BY_SIZE) {
    stamper->unit = unit_by_size(text, length);
    if (stamper->unit == FWI_TIME_BY_SIZE) return FWI_STAMP_NO_UNIT;
  }
  int decimals = decimals_of(stamper->unit);
  if (fwi_scan_fixed(text, length, decimals, out) != length && !fwi_fixed_parse(text, length, decimals, out)) {
    return FWI_STAMP_SHAPE;
  }
  return in_range(*out) ? FWI_STAMP_GOOD : FWI_STAMP_RANGE;
}

static bool is_number(const char *text, size_t length) {
  size_t at = length > 0 && text[0] == '-' ? 1 : 0;
  if (at == length) return false;
  for (; at < length; at++) {
    if ((text[at] < '0' || text[at] > '9') && text[at] != '.' && text[at] != 'e' && text[at] != 'E' &&
        text[at] != '+') {
      return false;
    }
  }
  return true;
}

fwi_stamp_fault fwi_stamp_parse(fwi_stamper *stamper, const char *text, size_t length, fw_time_ns *out) {
  if (stamper->unit == FWI_TIME_TEXT) return parse_text(stamper, text, length, out);
  if (is_number(text, length)) return parse_number(stamper, text, length, out);
  if (stamper->unit != FWI_TIME_BY_SIZE) return FWI_STAMP_SHAPE;
  fwi_stamp_fault fault = parse_text(stamper, text, length, out);
  if (fault == FWI_STAMP_GOOD) stamper->unit = FWI_TIME_TEXT;
  return fault;
}

fwi_stamp_fault fwi_stamp_parse_parts(fwi_stamper *stamper, const char *date, size_t date_length, const char *clock,
                                      size_t clock_length, fw_time_ns *out) {
  char joined[64];
  bool packed = date_length == 8;
  if ((!packed && date_length != 10) || clock_length < 8 || clock_length > sizeof joined - 12) return FWI_STAMP_SHAPE;
  memcpy(joined, date, 4);
  memcpy(joined + 5, date + (packed ? 4 : 5), 2);
  memcpy(joined + 8, date + (packed ? 6 : 8), 2);
  joined[4] = joined[7] = '/';
  joined[10] = ' ';
  memcpy(joined + 11, clock, clock_length);
  return parse_text(stamper, joined, 11 + clock_length, out);
}

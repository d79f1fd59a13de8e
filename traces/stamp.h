/* Time stamps of logs as nanoseconds since 1970 UTC, exactly. */
#ifndef FWI_TRACES_STAMP_H
#define FWI_TRACES_STAMP_H

#include "sim/base/units.h"

/* Numbers of an unnamed unit are told apart by their size: 1e8 s is 1973, and 1e11 ms is too. */
typedef enum fwi_time_unit {
  FWI_TIME_BY_SIZE,
  FWI_TIME_S,
  FWI_TIME_MS,
  FWI_TIME_US,
  FWI_TIME_NS,
  FWI_TIME_TEXT /* "2024/05/06 10:00:00.000", "2024-05-06T10:00:00.5+02:00" */
} fwi_time_unit;

typedef enum fwi_stamp_fault {
  FWI_STAMP_GOOD,
  FWI_STAMP_SHAPE,  /* no time that we know */
  FWI_STAMP_RANGE,  /* month 13, or more than 73 years from 1970 */
  FWI_STAMP_NO_UNIT /* a small number without a unit */
} fwi_stamp_fault;

/* Reads stamps of one column; the minute of the last one is kept, because the next has mostly the same. */
typedef struct fwi_stamper {
  fwi_time_unit unit; /* FWI_TIME_BY_SIZE and FWI_TIME_TEXT: decided by the first stamp */
  fw_time_ns offset;  /* of local time over UTC */
  bool zone_missing;  /* some stamp carried no zone */
  char minute[17];    /* "2024/05/06 10:00:" */
  fw_time_ns minute_time;
} fwi_stamper;

fwi_stamp_fault fwi_stamp_parse(fwi_stamper *stamper, const char *text, size_t length, fw_time_ns *out);

/* Date and time of day in separate cells: "20240506" or "2024-05-06", and "10:00:00". */
fwi_stamp_fault fwi_stamp_parse_parts(fwi_stamper *stamper, const char *date, size_t date_length, const char *clock,
                                      size_t clock_length, fw_time_ns *out);

/* "+02:00", "-0330", "Z" or "UTC". */
bool fwi_zone_parse(const char *text, size_t length, fw_time_ns *out);

#endif

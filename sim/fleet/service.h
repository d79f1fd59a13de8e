/* What open programs share: the line of those who wait, and what is counted of all: who came, waited and was served,
 * and for how long. Counts do not grow with time. */
#ifndef FW_FLEET_SERVICE_H
#define FW_FLEET_SERVICE_H

#include "sim/base/units.h"
#include "sim/fleet/result.h"

/* Delays from 1 us to a hundred years in bins that grow by 1 %; the first holds those below 1 us. */
#define FWI_DELAY_BINS ((size_t)3600)

typedef struct fwi_delays {
  uint64_t count;
  double sum_s;
  fw_time_ns longest;
  uint64_t bins[FWI_DELAY_BINS];
} fwi_delays;

void fwi_delays_add(fwi_delays *delays, fw_time_ns delay);
fw_delay fwi_delays_result(const fwi_delays *delays);

/* A line of those that wait: `count` elements of an array, from element `first` on. */
typedef struct fwi_line {
  size_t first;
  size_t count;
  size_t capacity;
} fwi_line;

/* Makes room behind the last for one more, of `size` bytes; places that have come free in front are used again.
 * `array_pointer` as in fw_grow. False when memory is short. */
bool fwi_line_extend(void *array_pointer, fwi_line *line, size_t size);

/* Who is there now. */
typedef struct fwi_presence {
  uint64_t waiting;
  uint64_t in_service;
  uint64_t busy; /* places taken: GPUs, or requests in flight */
} fwi_presence;

typedef struct fwi_service_meter {
  uint64_t places;
  fw_time_ns from;  /* of what is counted */
  fw_time_ns since; /* integrated up to here */
  double waiting_ns;
  double in_service_ns;
  double busy_ns;
  uint64_t arrived;
  uint64_t finished;
  uint64_t killed;
  uint64_t most_waiting;
  uint64_t thrown_back;
  uint64_t cut;
  int64_t finished_tokens;
  double held_up_ns; /* what stragglers cost those in service */
  fwi_delays wait;
  fwi_delays latency;
  fwi_delays first_token;
} fwi_service_meter;

/* Integrates up to `now` with what was there since the last call. */
void fwi_service_pass(fwi_service_meter *meter, fw_time_ns now, fwi_presence present);

/* Somebody who came at `time`, between the last two passes, and waits since. */
void fwi_service_arrive(fwi_service_meter *meter, fw_time_ns time);

/* Counts anew from `now`; those who are there count as arrived. */
void fwi_service_restart(fwi_service_meter *meter, fw_time_ns now, fwi_presence present);

/* What was counted up to the last pass; `present` is who was there then. */
void fwi_service_report(const fwi_service_meter *meter, fwi_presence present, fw_service_result *out);

#endif

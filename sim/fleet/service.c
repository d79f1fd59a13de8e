/* Lines, counts, time integrals and histograms of delays. */
#include "sim/fleet/service.h"

#include <math.h>
#include <string.h>

#include "sim/base/elementary.h"
#include "sim/base/memory.h"

#define FIRST_EDGE_S 1e-6
static const double LOG_STEP = 0.00995033085316808285; /* log(1.01) */

static size_t bin_of(double seconds) {
  if (seconds < FIRST_EDGE_S) {
    return 0;
  }
  const double steps = fw_log(seconds / FIRST_EDGE_S) / LOG_STEP;
  return steps < (double)(FWI_DELAY_BINS - 2) ? (size_t)steps + 1 : FWI_DELAY_BINS - 1;
}

/* The upper edge of a bin. What is below 1 us counts as no delay. */
static double edge_of(size_t bin) {
  return bin == 0 ? 0.0 : FIRST_EDGE_S * fw_exp((double)bin * LOG_STEP);
}

void fwi_delays_add(fwi_delays *delays, fw_time_ns delay) {
  const double seconds = fw_time_to_seconds(delay);
  delays->count++;
  delays->sum_s += seconds;
  delays->longest = delay > delays->longest ? delay : delays->longest;
  delays->bins[bin_of(seconds)]++;
}

/* Nearest rank: the smallest value that at least a share of all does not exceed. */
static double percentile(const fwi_delays *delays, double share) {
  const double rank = ceil(share * (double)delays->count);
  const double longest = fw_time_to_seconds(delays->longest);
  uint64_t seen = 0;
  for (size_t bin = 0; bin < FWI_DELAY_BINS; bin++) {
    seen += delays->bins[bin];
    if ((double)seen >= rank) {
      return fmin(edge_of(bin), longest);
    }
  }
  return longest;
}

fw_delay fwi_delays_result(const fwi_delays *delays) {
  if (delays->count == 0) {
    const double nothing = (double)NAN;
    return (fw_delay){nothing, nothing, nothing, nothing, nothing};
  }
  return (fw_delay){.mean_s = delays->sum_s / (double)delays->count,
                    .p50_s = percentile(delays, 0.50),
                    .p95_s = percentile(delays, 0.95),
                    .p99_s = percentile(delays, 0.99),
                    .max_s = fw_time_to_seconds(delays->longest)};
}

/* Moved up where more places are free in front than are taken, so each element moves seldom. */
bool fwi_line_extend(void *array_pointer, fwi_line *line, size_t size) {
  if (line->first > line->count) {
    unsigned char *array = NULL;
    memcpy(&array, array_pointer, sizeof array);
    memmove(array, array + line->first * size, line->count * size);
    line->first = 0;
  }
  return fw_grow(array_pointer, &line->capacity, line->first + line->count + 1, size);
}

void fwi_service_pass(fwi_service_meter *meter, fw_time_ns now, fwi_presence present) {
  const double elapsed = (double)(now - meter->since);
  meter->waiting_ns += elapsed * (double)present.waiting;
  meter->in_service_ns += elapsed * (double)present.in_service;
  meter->busy_ns += elapsed * (double)present.busy;
  if (elapsed > 0.0 && present.waiting > meter->most_waiting) {
    meter->most_waiting = present.waiting;
  }
  meter->since = now;
}

void fwi_service_arrive(fwi_service_meter *meter, fw_time_ns time) {
  const fw_time_ns from = time > meter->from ? time : meter->from;
  meter->waiting_ns += (double)(meter->since - from);
  meter->arrived++;
}

void fwi_service_restart(fwi_service_meter *meter, fw_time_ns now, fwi_presence present) {
  *meter = (fwi_service_meter){
      .places = meter->places, .from = now, .since = now, .arrived = present.waiting + present.in_service};
}

void fwi_service_report(const fwi_service_meter *meter, fwi_presence present, fw_service_result *out) {
  const double length = (double)(meter->since - meter->from);
  *out = (fw_service_result){.arrived = meter->arrived,
                             .finished = meter->finished,
                             .killed = meter->killed,
                             .in_service = present.in_service,
                             .waiting = present.waiting,
                             .mean_in_service = meter->in_service_ns / length,
                             .mean_waiting = meter->waiting_ns / length,
                             .most_waiting = meter->most_waiting,
                             .utilisation = meter->busy_ns / (length * (double)meter->places),
                             .wait = fwi_delays_result(&meter->wait),
                             .latency = fwi_delays_result(&meter->latency),
                             .first_token = fwi_delays_result(&meter->first_token),
                             .finished_tokens = meter->finished_tokens,
                             .thrown_back = meter->thrown_back,
                             .cut = meter->cut};
}

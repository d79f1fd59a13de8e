/* The yardsticks: how far apart two parts of one recording are, and how surely it knows its violation rates. */
#include <math.h>

#include "sim/study/calibrate/fidelity_room.h"
#include "sim/study/calibrate/rolling.h"

size_t fwi_fidelity_acf(const int64_t *sums, size_t count, fwi_lags at, double *out) {
  return fwi_rolling_autocorrelation(sums, count, at.first, at.stride, at.count, out);
}

double fwi_fidelity_acf_mae(const double *predicted, const double *recorded, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += fabs(predicted[i] - recorded[i]);
  }
  return sum / (double)count;
}

/* Half of the known time lies before this tick. */
static size_t middle_of(const int64_t *series, size_t ticks, size_t known) {
  size_t seen = 0, t = 0;
  for (; t < ticks && 2 * seen < known; t++) {
    if (series[t] >= 0) seen++;
  }
  return t;
}

/* KS distance of the known values of two lists, which it sorts. */
static double distance_of(int64_t *a, size_t a_count, int64_t *b, size_t b_count) {
  if (a_count == 0 || b_count == 0) return (double)NAN;
  fwi_rolling_sort(a, a_count);
  fwi_rolling_sort(b, b_count);
  return fwi_rolling_ks(a, a_count, b, b_count);
}

/* Both halves through the whole mill: a window that reaches over the middle belongs to neither. */
static void measure_halves(fwi_fidelity_room *room, size_t ticks, size_t known, const fwi_window_facts *facts,
                           fw_fidelity_yardstick *own) {
  double first[FWI_LAG_SECONDS], second[FWI_LAG_SECONDS];
  size_t middle = middle_of(room->recorded, ticks, known);
  fwi_rolling_sums(room->recorded, middle, facts->n, room->part);
  fwi_rolling_sums(room->recorded + middle, ticks - middle, facts->n, room->other_part);
  size_t lags = fwi_fidelity_acf(room->part, middle, facts->at, first);
  size_t others = fwi_fidelity_acf(room->other_part, ticks - middle, facts->at, second);
  if (others < lags) lags = others;
  own->halves_acf_mae = lags > 0 ? fwi_fidelity_acf_mae(first, second, lags) : (double)NAN;
  size_t a = fwi_rolling_known(room->part, middle, room->part);
  size_t b = fwi_rolling_known(room->other_part, ticks - middle, room->other_part);
  own->halves_ks = distance_of(room->part, a, room->other_part, b);
}

/* Windows that lie within a block, dealt to two lists. */
static void measure_alternate(fwi_fidelity_room *room, size_t ticks, size_t block, const fwi_window_facts *facts,
                              fw_fidelity_yardstick *own) {
  size_t a = 0, b = 0;
  for (size_t t = 0; t < ticks; t++) {
    if (room->sums[t] < 0 || t % block + 1 < facts->n) continue;
    if (t / block % 2 == 0) {
      room->part[a++] = room->sums[t];
    } else {
      room->other_part[b++] = room->sums[t];
    }
  }
  own->alternate_ks = distance_of(room->part, a, room->other_part, b);
}

static void measure_rates(fwi_fidelity_room *room, size_t ticks, size_t block, const fwi_window_facts *facts,
                          fw_fidelity_window *out) {
  size_t block_of_windows = block < facts->full ? block : facts->full;
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    size_t count = 0;
    for (size_t t = 0; t < ticks; t++) {
      if (room->sums[t] >= 0) room->flags[count++] = fwi_rolling_above(room->sums[t], facts->budget[b]);
    }
    fwi_rolling_rate_interval(room->flags, count, block_of_windows, (uint32_t)b, room->scratch, &out->own.rate_lo[b],
                              &out->own.rate_hi[b]);
  }
}

void fwi_fidelity_measure_own(const fw_fidelity_run *run, const fw_fidelity_signal *signal, fwi_fidelity_room *room,
                              const fwi_window_facts *facts, fw_fidelity_window *out) {
  size_t block = (size_t)(signal->correlation_time / run->tick);
  block = block > facts->n ? block : facts->n;
  size_t tenth = signal->known / 10 > 0 ? signal->known / 10 : 1;
  if (block > tenth) block = tenth > facts->n ? tenth : facts->n;
  out->own.block = (fw_time_ns)block * run->tick;
  measure_halves(room, run->tick_count, signal->known, facts, &out->own);
  measure_alternate(room, run->tick_count, block, facts, &out->own);
  measure_rates(room, run->tick_count, block, facts, out);
}

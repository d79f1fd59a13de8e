/* The intervals of one series, in constant memory, and the one rule that says which of them are gaps. That is known
 * only when the median is, at the end, so the energy in them is kept per length of interval. Up to FWI_INTERVALS_EXACT
 * different lengths are told apart exactly; more, in buckets 1/128 of an octave wide. */
#ifndef FWI_TRACES_INTERVALS_H
#define FWI_TRACES_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/units.h"

#define FWI_INTERVALS_EXACT ((size_t)512)

typedef struct fwi_interval_bucket {
  uint64_t key;
  uint64_t row_count;
  uint64_t sample_count;
  fw_time_ns longest;
  fw_time_ns sample_time;
  fw_energy_pj held_last; /* the earlier reading over the interval */
  fw_energy_pj held_next; /* the later one */
} fwi_interval_bucket;

/* One long interval between samples. */
typedef struct fwi_long_interval {
  fw_time_ns from;
  fw_time_ns duration;
  size_t line; /* of the reading that ends it */
} fwi_long_interval;

#define FWI_LONG_LIMIT ((size_t)16)

typedef struct fwi_intervals {
  fwi_interval_bucket *data; /* by key */
  size_t count;
  size_t capacity;
  size_t latest;
  bool coarse;                               /* there were too many different lengths */
  fwi_long_interval longest[FWI_LONG_LIMIT]; /* in no order */
  size_t long_count;
  fw_time_ns long_bound; /* the shortest of a full list */
} fwi_intervals;

/* What comes of the intervals up to `bound`. */
typedef struct fwi_interval_sums {
  fw_time_ns time;
  fw_energy_pj held_last;
  fw_energy_pj held_next;
  uint64_t count;
} fwi_interval_sums;

/* An interval above 0 between two rows, with readings or without. False when memory is short. */
bool fwi_intervals_add_row(fwi_intervals *intervals, fw_time_ns interval);

/* An interval above 0 between two samples. */
bool fwi_intervals_add_sample(fwi_intervals *intervals, fw_time_ns from, fw_time_ns to, fw_power_mw before,
                              fw_power_mw after, size_t line);

/* Nearest rank ceil(share x count) of the intervals between rows: the longest of its bucket; 0 without any. */
fw_time_ns fwi_intervals_quantile(const fwi_intervals *intervals, unsigned per_cent);

/* The longest interval that is not a gap: 3 x the median interval between rows, or 3 x the upper quartile where a
 * quarter of 16 intervals or more are longer than that (trace.h says why). */
fw_time_ns fwi_intervals_longest_held(const fwi_intervals *intervals);

/* Sums over the intervals between samples whose bucket ends at or below `bound`. */
fwi_interval_sums fwi_intervals_sum(const fwi_intervals *intervals, fw_time_ns bound);

void fwi_intervals_clear(fwi_intervals *intervals);

#endif

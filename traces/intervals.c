/* A histogram of which only the buckets that are used exist. At first each length is a bucket of its own. When there
 * are too many, they have a constant relative width, 1/128 of an octave's start, as HdrHistogram's (G. Tene): the
 * highest bit of the interval and the seven bits below it are the key. */
#include "traces/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

enum { MANTISSA_BITS = 7, HABIT_LIMIT = 16 };

void fwi_intervals_clear(fwi_intervals *intervals) {
  free(intervals->data);
  *intervals = (fwi_intervals){0};
}

static uint64_t coarse_key(fw_time_ns interval) {
  uint64_t value = (uint64_t)interval;
  int top = 63 - __builtin_clzll(value);
  int shift = top > MANTISSA_BITS ? top - MANTISSA_BITS : 0;
  uint64_t mantissa = (value >> shift) & ((UINT64_C(1) << MANTISSA_BITS) - 1);
  return (uint64_t)top << MANTISSA_BITS | mantissa;
}

static uint64_t key_of(const fwi_intervals *intervals, fw_time_ns interval) {
  return intervals->coarse ? coarse_key(interval) : (uint64_t)interval;
}

/* The position of the first bucket whose key is not below. */
static size_t position_of(const fwi_intervals *intervals, uint64_t key) {
  size_t low = 0, high = intervals->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (intervals->data[middle].key < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Clock steps can make the pieces of a series sum to more than any recording: the sum then stays at its limit. */
static fw_time_ns add_saturating(fw_time_ns a, fw_time_ns b) {
  fw_time_ns sum;
  return fw_time_add(a, b, &sum) ? sum : FW_TIME_MAX;
}

static void merge(fwi_interval_bucket *into, const fwi_interval_bucket *from) {
  into->row_count += from->row_count;
  into->sample_count += from->sample_count;
  into->longest = from->longest; /* they come in order */
  into->sample_time = add_saturating(into->sample_time, from->sample_time);
  into->held_last += from->held_last;
  into->held_next += from->held_next;
}

static void coarsen(fwi_intervals *intervals) {
  size_t kept = 0;
  for (size_t i = 0; i < intervals->count; i++) {
    fwi_interval_bucket bucket = intervals->data[i];
    bucket.key = coarse_key(bucket.longest);
    if (kept > 0 && intervals->data[kept - 1].key == bucket.key) {
      merge(&intervals->data[kept - 1], &bucket);
    } else {
      intervals->data[kept++] = bucket;
    }
  }
  intervals->count = kept;
  intervals->coarse = true;
}

static bool is_bucket(const fwi_intervals *intervals, size_t position, uint64_t key) {
  return position < intervals->count && intervals->data[position].key == key;
}

static fwi_interval_bucket *insert_bucket(fwi_intervals *intervals, size_t position, uint64_t key) {
  if (!fw_grow(&intervals->data, &intervals->capacity, intervals->count + 1, sizeof *intervals->data)) return NULL;
  fwi_interval_bucket *bucket = &intervals->data[position];
  memmove(bucket + 1, bucket, (intervals->count - position) * sizeof *bucket);
  *bucket = (fwi_interval_bucket){.key = key};
  intervals->count++;
  return bucket;
}

static fwi_interval_bucket *bucket_of(fwi_intervals *intervals, fw_time_ns interval) {
  uint64_t key = key_of(intervals, interval);
  if (is_bucket(intervals, intervals->latest, key)) return &intervals->data[intervals->latest];
  size_t position = position_of(intervals, key);
  if (!is_bucket(intervals, position, key) && !intervals->coarse && intervals->count == FWI_INTERVALS_EXACT) {
    coarsen(intervals);
    key = key_of(intervals, interval);
    position = position_of(intervals, key);
  }
  intervals->latest = position;
  return is_bucket(intervals, position, key) ? &intervals->data[position] : insert_bucket(intervals, position, key);
}

static fwi_interval_bucket *note(fwi_intervals *intervals, fw_time_ns interval) {
  fwi_interval_bucket *bucket = bucket_of(intervals, interval);
  if (bucket != NULL && interval > bucket->longest) bucket->longest = interval;
  return bucket;
}

bool fwi_intervals_add_row(fwi_intervals *intervals, fw_time_ns interval) {
  fwi_interval_bucket *bucket = note(intervals, interval);
  if (bucket == NULL) return false;
  bucket->row_count++;
  return true;
}

static size_t shortest_of_long(const fwi_intervals *intervals) {
  size_t shortest = 0;
  for (size_t i = 1; i < FWI_LONG_LIMIT; i++) {
    if (intervals->longest[i].duration < intervals->longest[shortest].duration) shortest = i;
  }
  return shortest;
}

static void note_long(fwi_intervals *intervals, fwi_long_interval candidate) {
  if (intervals->long_count < FWI_LONG_LIMIT) {
    intervals->longest[intervals->long_count++] = candidate;
  } else {
    intervals->longest[shortest_of_long(intervals)] = candidate;
  }
  if (intervals->long_count == FWI_LONG_LIMIT) {
    intervals->long_bound = intervals->longest[shortest_of_long(intervals)].duration;
  }
}

bool fwi_intervals_add_sample(fwi_intervals *intervals, fw_time_ns from, fw_time_ns to, fw_power_mw before,
                              fw_power_mw after, size_t line) {
  fw_time_ns interval = to - from;
  fwi_interval_bucket *bucket = note(intervals, interval);
  if (bucket == NULL) return false;
  bucket->sample_count++;
  bucket->sample_time = add_saturating(bucket->sample_time, interval);
  bucket->held_last += fw_energy_of(before, interval);
  bucket->held_next += fw_energy_of(after, interval);
  if (interval > intervals->long_bound) note_long(intervals, (fwi_long_interval){from, interval, line});
  return true;
}

fw_time_ns fwi_intervals_quantile(const fwi_intervals *intervals, unsigned per_cent) {
  uint64_t total = 0, seen = 0;
  for (size_t i = 0; i < intervals->count; i++)
    total += intervals->data[i].row_count;
  if (total == 0) return 0;
  uint64_t rank = total / 100 * per_cent + (total % 100 * per_cent + 99) / 100;
  for (size_t i = 0; i < intervals->count; i++) {
    seen += intervals->data[i].row_count;
    if (seen >= rank && seen > 0) return intervals->data[i].longest;
  }
  return intervals->data[intervals->count - 1].longest;
}

static fw_time_ns three_times(fw_time_ns interval) {
  return interval > FW_TIME_MAX / 3 ? FW_TIME_MAX : 3 * interval;
}

fw_time_ns fwi_intervals_longest_held(const fwi_intervals *intervals) {
  uint64_t total = 0;
  for (size_t i = 0; i < intervals->count; i++)
    total += intervals->data[i].row_count;
  fw_time_ns bound = three_times(fwi_intervals_quantile(intervals, 50));
  fw_time_ns quartile = fwi_intervals_quantile(intervals, 75);
  return total >= HABIT_LIMIT && quartile > bound ? three_times(quartile) : bound;
}

fwi_interval_sums fwi_intervals_sum(const fwi_intervals *intervals, fw_time_ns bound) {
  fwi_interval_sums sums = {0};
  for (size_t i = 0; i < intervals->count; i++) {
    const fwi_interval_bucket *bucket = &intervals->data[i];
    if (bucket->longest > bound) continue;
    sums.time = add_saturating(sums.time, bucket->sample_time);
    sums.held_last += bucket->held_last;
    sums.held_next += bucket->held_next;
    sums.count += bucket->sample_count;
  }
  return sums;
}

/* Intervals in buckets against the sorted list of all of them. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "traces/intervals.h"

#define LIMIT ((size_t)3000)

static int compare(const void *a, const void *b) {
  fw_time_ns first = *(const fw_time_ns *)a, second = *(const fw_time_ns *)b;
  return (first > second) - (first < second);
}

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

Test(intervals, few_distinct_values_are_exact) {
  static const fw_time_ns list[] = {500, 520, 900, 550, 500, 880, 610, 500, 740}; /* of ms */
  fwi_intervals intervals = {0};
  for (size_t i = 0; i < 9; i++)
    cr_assert(fwi_intervals_add_row(&intervals, list[i] * FW_NS_PER_MS));
  cr_expect_eq(fwi_intervals_quantile(&intervals, 50), 550 * FW_NS_PER_MS);
  cr_expect_eq(fwi_intervals_quantile(&intervals, 95), 900 * FW_NS_PER_MS);
  cr_expect_eq(fwi_intervals_quantile(&intervals, 100), 900 * FW_NS_PER_MS);
  cr_expect_eq(fwi_intervals_longest_held(&intervals), 1650 * FW_NS_PER_MS);
  fwi_intervals_clear(&intervals);
}

/* So many different lengths are told apart, though 100 of them would fit into one bucket. */
Test(intervals, many_lengths_are_exact_and_more_are_not) {
  fwi_intervals intervals = {0};
  const fw_time_ns first = 20000;
  for (size_t i = FWI_INTERVALS_EXACT; i-- > 0;) /* from the longest down */
    cr_assert(fwi_intervals_add_sample(&intervals, 0, first + (fw_time_ns)i, 1000, 2000, 0) &&
              fwi_intervals_add_row(&intervals, first + (fw_time_ns)i));
  cr_expect_eq(fwi_intervals_quantile(&intervals, 50), first + (fw_time_ns)FWI_INTERVALS_EXACT / 2 - 1);
  cr_expect_eq(fwi_intervals_sum(&intervals, first + 9).count, 10);
  cr_expect_not(intervals.coarse);
  cr_assert(fwi_intervals_add_row(&intervals, 1));
  cr_expect(intervals.coarse);
  fw_time_ns found = fwi_intervals_quantile(&intervals, 50), exact = first + (fw_time_ns)FWI_INTERVALS_EXACT / 2 - 1;
  cr_expect(found > exact && found <= exact + exact / 128);
  fwi_interval_sums sums = fwi_intervals_sum(&intervals, FW_TIME_MAX);
  cr_expect_eq(sums.count, FWI_INTERVALS_EXACT);
  cr_expect(sums.held_next == 2 * sums.held_last, "energy is kept");
  fwi_intervals_clear(&intervals);
}

Test(intervals, none) {
  fwi_intervals intervals = {0};
  cr_expect_eq(fwi_intervals_quantile(&intervals, 50), 0);
  cr_expect_eq(fwi_intervals_longest_held(&intervals), 0);
  cr_expect_eq(fwi_intervals_sum(&intervals, FW_TIME_MAX).count, 0);
}

/* Intervals from 1 ns to days: a quantile is at most the width of a bucket, 1/128, above the sorted one; what lies
 * below a bound that no bucket straddles sums up exactly. */
Test(intervals, random_lists) {
  uint64_t state = 88172645463325252;
  for (int round = 0; round < 60; round++) {
    size_t count = 1 + next_random(&state) % LIMIT;
    unsigned bits = 1 + (unsigned)(next_random(&state) % 48);
    static fw_time_ns list[LIMIT];
    fwi_intervals intervals = {0};
    fw_energy_pj last = 0, next = 0;
    for (size_t i = 0; i < count; i++) {
      list[i] = 1 + (fw_time_ns)(next_random(&state) >> (64 - bits));
      fw_power_mw before = (fw_power_mw)(next_random(&state) % 700000), after = before / 2 + 3;
      last += fw_energy_of(before, list[i]);
      next += fw_energy_of(after, list[i]);
      cr_assert(fwi_intervals_add_row(&intervals, list[i]));
      cr_assert(fwi_intervals_add_sample(&intervals, 1000, 1000 + list[i], before, after, i));
    }
    qsort(list, count, sizeof *list, compare);
    const unsigned shares[] = {1, 50, 75, 95, 100};
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
      fw_time_ns exact = list[(count * shares[s] + 99) / 100 - 1];
      fw_time_ns found = fwi_intervals_quantile(&intervals, shares[s]);
      cr_assert(found >= exact && found <= exact + exact / 128, "P%u is %lld, exactly %lld", shares[s],
                (long long)found, (long long)exact);
    }
    fwi_interval_sums sums = fwi_intervals_sum(&intervals, FW_TIME_MAX);
    cr_assert_eq(sums.count, count);
    cr_assert(sums.held_last == last && sums.held_next == next);
    fwi_intervals_clear(&intervals);
  }
}

Test(intervals, the_longest_are_kept) {
  fwi_intervals intervals = {0};
  uint64_t state = 5;
  fw_time_ns longest[FWI_LONG_LIMIT] = {0};
  for (size_t i = 0; i < LIMIT; i++) {
    fw_time_ns interval = 1 + (fw_time_ns)(next_random(&state) % 1000000000);
    cr_assert(fwi_intervals_add_sample(&intervals, 0, interval, 1, 1, i));
    qsort(longest, FWI_LONG_LIMIT, sizeof *longest, compare);
    if (interval > longest[0]) longest[0] = interval;
  }
  qsort(longest, FWI_LONG_LIMIT, sizeof *longest, compare);
  fw_time_ns kept[FWI_LONG_LIMIT];
  cr_assert_eq(intervals.long_count, FWI_LONG_LIMIT);
  for (size_t i = 0; i < FWI_LONG_LIMIT; i++)
    kept[i] = intervals.longest[i].duration;
  qsort(kept, FWI_LONG_LIMIT, sizeof *kept, compare);
  for (size_t i = 0; i < FWI_LONG_LIMIT; i++)
    cr_expect_eq(kept[i], longest[i]);
  fwi_intervals_clear(&intervals);
}

/* A log that is written on change has long intervals by habit (trace.h). */
Test(intervals, written_on_change) {
  fwi_intervals intervals = {0};
  for (int i = 0; i < 30; i++)
    cr_assert(fwi_intervals_add_row(&intervals, i < 20 ? 100 * FW_NS_PER_MS : FW_NS_PER_S));
  cr_expect_eq(fwi_intervals_longest_held(&intervals), 3 * FW_NS_PER_S);
  fwi_intervals_clear(&intervals);
}

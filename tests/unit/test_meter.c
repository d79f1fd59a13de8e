/* The window meter on signals whose answer can be counted by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "sim/engine/meter.h"

#define SECOND FW_NS_PER_S
#define TICK (FW_NS_PER_S / 2)
#define WATT FW_MW_PER_W

static fw_meter *meter_of(size_t window_count, const fw_time_ns *windows, fw_power_mw histogram_max) {
  fw_meter_options options = {windows, window_count, histogram_max, 1000};
  fw_meter *meter;
  cr_assert(fw_meter_create(&options, &meter, NULL) == FW_OK);
  return meter;
}

static void push(fw_meter *meter, fw_time_ns duration, fw_power_mw power, fw_power_mw budget) {
  fw_energy_pj allowed = budget < 0 ? FW_METER_NO_BUDGET : fw_energy_of(budget, duration);
  cr_assert(fw_meter_push(meter, duration, fw_energy_of(power, duration), allowed, NULL) == FW_OK);
}

static void push_many(fw_meter *meter, size_t count, fw_time_ns duration, fw_power_mw power, fw_power_mw budget) {
  for (size_t i = 0; i < count; i++) {
    push(meter, duration, power, budget);
  }
}

Test(meter, only_full_windows_are_judged) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){30 * SECOND}, 0);
  push_many(meter, 20, TICK, 390 * WATT, 329 * WATT);
  push_many(meter, 180, TICK, 300 * WATT, 329 * WATT);
  fw_meter_window result = fw_meter_result(meter, 0);
  cr_assert_eq(result.full, 141 * TICK, "the 60th sample fills the first window");
  /* The first window holds 20 x 390 + 40 x 300 = 60 x 330; the next lacks one of the 390 and has a mean of 328.5. */
  cr_assert_eq(result.above, TICK);
  cr_assert_eq(result.episodes, 1);
  cr_assert_eq(result.longest_episode, TICK);
  cr_assert_eq(result.peak, 330 * WATT);
  cr_assert(result.excess == fw_energy_of(1 * WATT, TICK));
  cr_assert_float_eq(fw_meter_violation_rate(meter, 0), 1.0 / 141.0, 1e-15, "one rounded division");
  fw_meter_free(meter);
}

Test(meter, equal_to_the_budget_is_not_above) {
  /* 314.1 and 315.1 in turn have a mean of 314.6, which a sum of doubles misses. */
  fw_meter *meter = meter_of(1, (fw_time_ns[]){10 * SECOND}, 0);
  for (size_t i = 0; i < 300; i++) {
    push(meter, TICK, i % 2 ? 315100 : 314100, 314600);
  }
  cr_assert_eq(fw_meter_result(meter, 0).full, 281 * TICK);
  cr_assert_eq(fw_meter_result(meter, 0).above, 0);
  cr_assert_eq(fw_meter_violation_rate(meter, 0), 0.0);
  fw_meter_free(meter);
}

Test(meter, above_begins_beyond_a_billionth) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){SECOND}, 0);
  fw_energy_pj budget = fw_energy_of(5000 * WATT, SECOND);
  cr_assert(fw_meter_push(meter, SECOND, budget + budget / 1000000000, budget, NULL) == FW_OK);
  cr_assert_eq(fw_meter_result(meter, 0).above, 0);
  cr_assert(fw_meter_push(meter, SECOND, budget + budget / 1000000000 + 1, budget, NULL) == FW_OK);
  cr_assert_eq(fw_meter_result(meter, 0).above, SECOND);
  fw_meter_free(meter);
}

/* The largest power over the longest time: here a product too many would overflow. */
Test(meter, extreme_energies_are_judged) {
  fw_time_ns length = FW_TIME_MAX / 2;
  fw_meter *meter = meter_of(1, &length, 0);
  push(meter, length, INT64_MAX, INT64_MAX);
  cr_assert_eq(fw_meter_result(meter, 0).above, 0);
  push(meter, length, INT64_MAX, 0);
  fw_meter_window result = fw_meter_result(meter, 0);
  cr_assert_eq(result.above, length);
  cr_assert_eq(result.peak, INT64_MAX);
  cr_assert(result.excess == fw_energy_of(INT64_MAX, length));
  cr_assert(fw_meter_energy(meter) == 2 * fw_energy_of(INT64_MAX, length));
  fw_meter_free(meter);
}

/* The excess is near the limit of what can be multiplied: the verdict must still be that of a billionth. */
Test(meter, a_small_share_of_an_extreme_energy_is_not_above) {
  fw_time_ns length = FW_TIME_MAX / 2;
  fw_meter *meter = meter_of(1, &length, 0);
  fw_energy_pj energy = fw_energy_of(INT64_MAX, length);
  cr_assert(fw_meter_push(meter, length, energy, energy - energy / 2000000000, NULL) == FW_OK);
  cr_assert_eq(fw_meter_result(meter, 0).above, 0);
  cr_assert(fw_meter_push(meter, length, energy, energy - energy / 900000000, NULL) == FW_OK);
  cr_assert_eq(fw_meter_result(meter, 0).above, length);
  fw_meter_free(meter);
}

/* Sixteen windows that each hold 2^125 pJ: their sum takes more than 128 bits, their excess does not. */
Test(meter, excess_of_many_extreme_windows) {
  fw_time_ns length = FW_TIME_MAX / 2;
  fw_meter *meter = meter_of(1, &length, 0);
  push(meter, length, INT64_MAX, 0);
  push_many(meter, 16, 1, INT64_MAX, 0);
  cr_assert(fw_meter_result(meter, 0).excess == fw_energy_of(INT64_MAX, length + 16));
  fw_meter_free(meter);
}

Test(meter, a_drop_of_the_budget_does_not_condemn_the_past) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){10 * SECOND}, 0);
  push_many(meter, 40, TICK, 900 * WATT, 1000 * WATT);
  push_many(meter, 40, TICK, 500 * WATT, 500 * WATT);
  cr_assert_eq(fw_meter_result(meter, 0).above, 0);
  fw_meter_free(meter);
}

Test(meter, episodes_are_maximal_stretches) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){TICK}, 0);
  static const char pattern[] = "..###.#..##"; /* the last one has not ended yet */
  for (const char *c = pattern; *c; c++) {
    push(meter, TICK, *c == '#' ? 200 : 100, 150);
  }
  fw_meter_window result = fw_meter_result(meter, 0);
  cr_assert_eq(result.episodes, 3);
  cr_assert_eq(result.above, 6 * TICK);
  cr_assert_eq(result.longest_episode, 3 * TICK);
  cr_assert(result.excess == fw_energy_of(50, 6 * TICK));
  push(meter, 2 * TICK, 200, 150);
  cr_assert_eq(fw_meter_result(meter, 0).episodes, 3, "asking did not end the third");
  cr_assert_eq(fw_meter_result(meter, 0).longest_episode, 4 * TICK);
  fw_meter_free(meter);
}

Test(meter, a_window_without_budget_is_not_judged_but_measured) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){2 * SECOND}, 1000 * WATT);
  push_many(meter, 4, TICK, 200 * WATT, 100 * WATT);
  push(meter, TICK, 600 * WATT, -1);
  push_many(meter, 4, TICK, 200 * WATT, 100 * WATT);
  fw_meter_window result = fw_meter_result(meter, 0);
  cr_assert_eq(result.full, 2 * TICK, "the first full window, and the first without the bare sample");
  cr_assert_eq(result.above, 2 * TICK);
  cr_assert_eq(result.episodes, 2);
  cr_assert_eq(result.peak, 300 * WATT);
  cr_assert_eq(fw_meter_percentile(meter, 0, 1.0), 300 * WATT);
  cr_assert_eq(fw_meter_percentile(meter, 0, 1.0 / 3.0), 200 * WATT, "2 of 6 means are 200 W");
  cr_assert_eq(fw_meter_percentile(meter, 0, 0.34), 300 * WATT);
  fw_meter_free(meter);
}

Test(meter, no_window_crosses_a_gap) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){2 * SECOND}, 0);
  fw_power_mw mean;
  push_many(meter, 5, TICK, 200, 100);
  cr_assert(fw_meter_mean(meter, 0, &mean));
  fw_meter_gap(meter);
  cr_assert_not(fw_meter_mean(meter, 0, &mean));
  push_many(meter, 3, TICK, 200, 100);
  cr_assert_not(fw_meter_mean(meter, 0, &mean));
  cr_assert_eq(fw_meter_result(meter, 0).full, 2 * TICK);
  push(meter, TICK, 200, 100);
  fw_meter_window result = fw_meter_result(meter, 0);
  cr_assert_eq(result.full, 3 * TICK);
  cr_assert_eq(result.episodes, 2);
  cr_assert_eq(result.longest_episode, 2 * TICK);
  cr_assert_eq(fw_meter_covered(meter), 9 * TICK, "a gap is not covered");
  cr_assert(fw_meter_energy(meter) == fw_energy_of(200, 9 * TICK));
  fw_meter_free(meter);
}

Test(meter, a_restart_forgets_results_and_keeps_the_windows) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){2 * SECOND}, 1000);
  push_many(meter, 10, TICK, 400, 100);
  fw_meter_restart(meter);
  fw_meter_window result = fw_meter_result(meter, 0);
  cr_assert(result.full == 0 && result.above == 0 && result.episodes == 0 && result.longest_episode == 0);
  cr_assert(result.excess == 0 && result.peak == 0 && result.window == 2 * SECOND);
  cr_assert(isnan(fw_meter_violation_rate(meter, 0)));
  cr_assert(fw_meter_covered(meter) == 0 && fw_meter_energy(meter) == 0);
  cr_assert_eq(fw_meter_percentile(meter, 0, 0.5), 0);
  push(meter, TICK, 0, 100);
  result = fw_meter_result(meter, 0);
  cr_assert_eq(result.full, TICK, "full at once");
  cr_assert_eq(result.episodes, 1, "still above: an episode of the new count");
  cr_assert_eq(result.peak, 300);
  cr_assert(fw_meter_covered(meter) == TICK && fw_meter_energy(meter) == 0);
  fw_meter_free(meter);
}

Test(meter, a_window_shorter_than_a_sample_sees_the_sample) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){SECOND / 10}, 0);
  push(meter, TICK, 300, 200);
  push(meter, TICK, 100, 200);
  fw_meter_window result = fw_meter_result(meter, 0);
  cr_assert(result.full == 2 * TICK && result.above == TICK && result.peak == 300);
  cr_assert(result.excess == fw_energy_of(100, TICK));
  fw_meter_free(meter);
}

Test(meter, the_oldest_sample_counts_by_its_fraction) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){SECOND}, 0);
  fw_power_mw mean;
  push(meter, 4 * SECOND / 10, 1000, 0);
  push(meter, 4 * SECOND / 10, 500, 0);
  cr_assert_not(fw_meter_mean(meter, 0, &mean));
  push(meter, 4 * SECOND / 10, 100, 0);
  cr_assert(fw_meter_mean(meter, 0, &mean)); /* 0.2 s of 1000, 0.4 s of 500, 0.4 s of 100 */
  cr_assert_eq(mean, 440);
  cr_assert_eq(fw_meter_result(meter, 0).full, 4 * SECOND / 10);
  fw_meter_free(meter);
}

Test(meter, peaks_round_up_to_whole_milliwatts) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){3}, 0);
  cr_assert(fw_meter_push(meter, 3, 10, 0, NULL) == FW_OK);
  cr_assert_eq(fw_meter_result(meter, 0).peak, 4);
  cr_assert(fw_meter_push(meter, 3, 12, 0, NULL) == FW_OK);
  cr_assert_eq(fw_meter_result(meter, 0).peak, 4);
  cr_assert(fw_meter_push(meter, 3, 13, 0, NULL) == FW_OK);
  cr_assert_eq(fw_meter_result(meter, 0).peak, 5);
  fw_meter_free(meter);
}

Test(meter, a_window_longer_than_the_run_has_no_rate) {
  fw_meter *meter = meter_of(2, (fw_time_ns[]){FW_TIME_MAX, SECOND}, 1000);
  push_many(meter, 1000, TICK, 100, 50);
  cr_assert(isnan(fw_meter_violation_rate(meter, 0)));
  cr_assert_eq(fw_meter_percentile(meter, 0, 0.5), 0);
  cr_assert_eq(fw_meter_result(meter, 0).peak, 0);
  cr_assert_eq(fw_meter_violation_rate(meter, 1), 1.0);
  fw_meter_free(meter);
}

Test(meter, works_without_windows) {
  fw_meter *meter = meter_of(0, NULL, 0);
  push_many(meter, 1000, TICK, 100, -1);
  cr_assert(fw_meter_covered(meter) == 1000 * TICK && fw_meter_energy(meter) == fw_energy_of(100, 1000 * TICK));
  fw_meter_gap(meter);
  fw_meter_restart(meter);
  cr_assert(fw_meter_covered(meter) == 0);
  fw_meter_free(meter);
}

/* A minute at 1 s, then at 1 ms: the ring must grow in mid-run and lose nothing. */
Test(meter, samples_that_become_shorter_grow_the_ring) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){20 * SECOND}, 0);
  fw_power_mw mean;
  push_many(meter, 60, SECOND, 100, 1000);
  for (fw_time_ns i = 1; i <= 20000; i++) {
    push(meter, SECOND / 1000, 300, 1000);
    cr_assert(fw_meter_mean(meter, 0, &mean));
    cr_assert_eq(mean, (100 * (20000 - i) + 300 * i + 10000) / 20000); /* halves up */
  }
  cr_assert(fw_meter_energy(meter) == fw_energy_of(100, 60 * SECOND) + fw_energy_of(300, 20 * SECOND));
  fw_meter_free(meter);
}

/* Ten years: for 300 s of each day ticks of 0.5 s, and the rest of the day in one sample. */
Test(meter, ten_years_lose_nothing) {
  static const fw_time_ns windows[] = {TICK, 300 * SECOND};
  fw_meter *meter = meter_of(2, windows, 0);
  const fw_time_ns days = 3652;
  const fw_time_ns rest = 86100 * SECOND;
  for (fw_time_ns day = 0; day < days; day++) {
    push_many(meter, 599, TICK, 700001, 700000);
    push(meter, TICK, 700013, 700000);
    push(meter, rest, 333333, 700000);
  }
  cr_assert_eq(fw_meter_covered(meter), days * 86400 * SECOND);
  fw_energy_pj day_energy = fw_energy_of(700001, 599 * TICK) + fw_energy_of(700013, TICK) + fw_energy_of(333333, rest);
  cr_assert(fw_meter_energy(meter) == days * day_energy);
  fw_meter_window tick = fw_meter_result(meter, 0);
  cr_assert(tick.full == days * 86400 * SECOND && tick.above == days * 600 * TICK);
  cr_assert(tick.episodes == (uint64_t)days && tick.longest_episode == 600 * TICK);
  cr_assert(tick.excess == days * (fw_energy_of(1, 599 * TICK) + fw_energy_of(13, TICK)));
  /* Only the window over exactly the 600 ticks is above: by (599 + 13) / 600 mW, for one tick. */
  fw_meter_window five_minutes = fw_meter_result(meter, 1);
  cr_assert_eq(five_minutes.full, days * 86400 * SECOND - 599 * TICK);
  cr_assert(five_minutes.above == days * TICK && five_minutes.episodes == (uint64_t)days);
  cr_assert(five_minutes.excess == days * fw_energy_of(612, TICK) / 600);
  cr_assert_eq(five_minutes.peak, 700002);
  fw_meter_free(meter);
}

/* A site's power is split among 7 racks tick by tick, with a remainder that goes to the first. */
Test(meter, energy_of_the_parts_sums_to_the_whole) {
  fw_meter *site = meter_of(1, (fw_time_ns[]){10 * SECOND}, 0);
  fw_meter *racks[7];
  for (size_t r = 0; r < 7; r++) {
    racks[r] = meter_of(1, (fw_time_ns[]){10 * SECOND}, 0);
  }
  for (fw_power_mw i = 0; i < 10000; i++) {
    fw_power_mw power = 123456789 + i * i % 1000003;
    fw_time_ns duration = TICK + i % 3;
    push(site, duration, power, -1);
    for (size_t r = 0; r < 7; r++) {
      push(racks[r], duration, power / 7 + (r == 0 ? power % 7 : 0), -1);
    }
  }
  fw_energy_pj sum = 0;
  for (size_t r = 0; r < 7; r++) {
    sum += fw_meter_energy(racks[r]);
    fw_meter_free(racks[r]);
  }
  cr_assert(sum == fw_meter_energy(site));
  fw_meter_free(site);
}

static void expect_refused(fw_meter *meter, fw_time_ns duration, fw_energy_pj energy, fw_energy_pj budget) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_time_ns covered = fw_meter_covered(meter);
  fw_energy_pj before = fw_meter_energy(meter);
  cr_assert_eq(fw_meter_push(meter, duration, energy, budget, &diagnostics), FW_ERROR_FAULT);
  cr_assert_eq(diagnostics.error_count, 1);
  cr_assert(fw_meter_covered(meter) == covered && fw_meter_energy(meter) == before, "a refused sample leaves no trace");
  fw_diagnostics_clear(&diagnostics);
}

Test(meter, refuses_samples_that_cannot_be) {
  fw_meter *meter = meter_of(1, (fw_time_ns[]){SECOND}, 0);
  expect_refused(meter, 0, 0, 0);
  expect_refused(meter, -1, 0, 0);
  expect_refused(meter, 10, -1, 0);
  expect_refused(meter, 10, 0, -2);
  expect_refused(meter, 10, fw_energy_of(INT64_MAX, 10) + 1, 0);
  expect_refused(meter, 10, 0, fw_energy_of(INT64_MAX, 10) + 1);
  push(meter, FW_TIME_MAX - 5, 1, 1);
  expect_refused(meter, 6, 0, 0);
  push(meter, 5, 1, 1);
  cr_assert_eq(fw_meter_covered(meter), FW_TIME_MAX);
  fw_meter_free(meter);
}

static void expect_not_created(fw_meter_options options, const char *word) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_meter *meter;
  cr_assert_eq(fw_meter_create(&options, &meter, &diagnostics), FW_ERROR_INPUT);
  cr_assert_null(meter);
  cr_assert_not_null(strstr(diagnostics.entries[0].message, word));
  fw_diagnostics_clear(&diagnostics);
}

Test(meter, refuses_options_that_cannot_be) {
  static const fw_time_ns zero[] = {SECOND, 0};
  expect_not_created((fw_meter_options){zero, 2, 0, 0}, "window");
  expect_not_created((fw_meter_options){zero, 1, -1, 10}, "histogram");
  expect_not_created((fw_meter_options){zero, 1, 10, 0}, "histogram");
  fw_meter_free(NULL);
}

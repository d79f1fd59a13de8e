/* What one sample costs a meter: nanoseconds per push at 0.5 s samples, without and with percentiles, and at a sampling
 * period that divides no window. Best of many. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/engine/meter.h"

#define PUSHES ((size_t)200000)
#define TABLE_SIZE ((size_t)4096)
#define REPEATS 40

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Phases of 20 s on either side of a budget of 3200 W, so that every window is in violation for part of the time. */
static void fill_table(fw_power_mw *table) {
  uint64_t state = 88172645463325252;
  for (size_t i = 0; i < TABLE_SIZE; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    table[i] = (i / 40 % 2 ? 3500000 : 2500000) + (fw_power_mw)(state % 300000);
  }
}

static double push_all(fw_meter *meter, const fw_power_mw *table, fw_time_ns period) {
  fw_energy_pj budget = fw_energy_of(3200000, period);
  double start = seconds_now();
  for (size_t i = 0; i < PUSHES; i++) {
    fw_energy_pj energy = fw_energy_of(table[i % TABLE_SIZE], period);
    if (fw_meter_push(meter, period, energy, budget, NULL) != FW_OK) return INFINITY;
  }
  return seconds_now() - start;
}

static void report(const char *what, const fw_power_mw *table, fw_time_ns period, fw_power_mw histogram_max) {
  static const fw_time_ns windows[] = {FW_NS_PER_S / 2, 10 * FW_NS_PER_S, 30 * FW_NS_PER_S, 300 * FW_NS_PER_S};
  fw_meter_options options = {windows, sizeof windows / sizeof *windows, histogram_max, 4000};
  double best = INFINITY;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    fw_meter *meter;
    if (fw_meter_create(&options, &meter, NULL) != FW_OK) return;
    best = fmin(best, push_all(meter, table, period));
    fw_meter_free(meter);
  }
  printf("%-40s %6.1f ns per push\n", what, 1e9 * best / (double)PUSHES);
}

int main(void) {
  static fw_power_mw table[TABLE_SIZE];
  fill_table(table);
  report("4 windows, 0.5 s samples", table, FW_NS_PER_S / 2, 0);
  report("the same with percentiles", table, FW_NS_PER_S / 2, 4000000);
  report("4 windows, 0.3 s samples (cut windows)", table, 3 * FW_NS_PER_S / 10, 0);
  return 0;
}

/* Random recordings: every sum over pieces against brute force over the samples, one tick at a time. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "traces/trace.h"

/* Stamps are whole ticks of 50 us below the horizon, so the oracle can visit each of them, and the 1 ms within which a
 * series counts as regular is 20 ticks. */
#define TICK INT64_C(50000)
enum { HORIZON = 3000, GPUS_MAX = 5, SAMPLES_MAX = 60, TRIALS = 300 };

/* xorshift64 (Marsaglia 2003): only to vary inputs. */
static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static int64_t below(uint64_t *state, int64_t bound) {
  return (int64_t)(next_random(state) % (uint64_t)bound);
}

typedef struct recording {
  size_t gpus;
  size_t samples[GPUS_MAX];
  int64_t time[GPUS_MAX][SAMPLES_MAX];
  int64_t power_mw[GPUS_MAX][SAMPLES_MAX];
} recording;

/* Irregular series with holes and, now and then, a lattice, a single sample or a logger that writes on change. */
static void make_recording(recording *r, uint64_t *state) {
  memset(r, 0, sizeof *r);
  r->gpus = 1 + (size_t)below(state, GPUS_MAX);
  for (size_t g = 0; g < r->gpus; g++) {
    int64_t step = 5 + below(state, 60), jitter = below(state, 3) == 0 ? 0 : below(state, 2 * step);
    bool on_change = below(state, 4) == 0;
    int64_t time = 500 + below(state, 200);
    size_t wanted = 1 + (size_t)below(state, SAMPLES_MAX);
    while (r->samples[g] < wanted && time < HORIZON - 500) {
      size_t i = r->samples[g]++;
      r->time[g][i] = time;
      r->power_mw[g][i] = below(state, 500000);
      time += step + (jitter > 0 ? below(state, jitter) : 0) + (below(state, on_change ? 3 : 25) == 0 ? 6 * step : 0);
    }
  }
}

/* Rows of all GPUs, interleaved at random. */
static void write_rows(const recording *r, uint64_t *state, fw_text *text) {
  size_t written[GPUS_MAX] = {0}, left = 0;
  for (size_t g = 0; g < r->gpus; g++) {
    left += r->samples[g];
  }
  fw_text_add(text, "t_ns,gpu,power_mw\n");
  while (left > 0) {
    size_t g = (size_t)below(state, (int64_t)r->gpus);
    if (written[g] == r->samples[g]) continue;
    size_t i = written[g]++;
    fw_text_add_format(text, "%lld,gpu%zu,%lld\n", (long long)(r->time[g][i] * TICK), g, (long long)r->power_mw[g][i]);
    left--;
  }
}

static int compare_int64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Nearest rank of the intervals; 0 when there is none. */
static int64_t interval_at(const recording *r, size_t g, double share) {
  int64_t intervals[SAMPLES_MAX];
  size_t count = r->samples[g] - 1;
  if (count == 0) return 0;
  for (size_t i = 0; i < count; i++) {
    intervals[i] = r->time[g][i + 1] - r->time[g][i];
  }
  qsort(intervals, count, sizeof *intervals, compare_int64);
  return intervals[(size_t)ceil(share * (double)count) - 1];
}

static int64_t median_interval(const recording *r, size_t g) {
  return interval_at(r, g, 0.5);
}

static int64_t longest_held(const recording *r, size_t g) {
  int64_t median = interval_at(r, g, 0.5), quartile = interval_at(r, g, 0.75);
  return 3 * (r->samples[g] > 16 && quartile > 3 * median ? quartile : median);
}

/* 1 ms outweighs 1 % of every median here. */
static bool is_regular(const recording *r, size_t g, int64_t median, int64_t longest) {
  for (size_t i = 1; i < r->samples[g]; i++) {
    int64_t interval = r->time[g][i] - r->time[g][i - 1];
    if (interval > longest || llabs(interval - median) > 20) return false;
  }
  return true;
}

/* The power of GPU g over tick [u, u + 1); -1 where it is not covered. Asks each sample in turn. */
static int64_t power_at(const recording *r, size_t g, fw_series_kind kind, int64_t u) {
  int64_t median = median_interval(r, g), longest = longest_held(r, g);
  bool bins = kind == FW_SERIES_MEAN_FROM || is_regular(r, g, median, longest);
  for (size_t i = 0; i < r->samples[g]; i++) {
    const int64_t *time = r->time[g];
    int64_t from = time[i], to = time[i];
    if (kind == FW_SERIES_MEAN_TO) {
      from = i > 0 && time[i] - time[i - 1] <= longest ? time[i - 1] : time[i] - median;
    } else {
      bool followed = i + 1 < r->samples[g] && time[i + 1] - time[i] <= longest;
      to = followed ? time[i + 1] : time[i] + (bins ? median : 0);
    }
    if (from <= u && u < to) return r->power_mw[g][i];
  }
  return -1;
}

static int64_t total_at(const recording *r, fw_series_kind kind, int64_t u) {
  int64_t total = 0;
  for (size_t g = 0; g < r->gpus; g++) {
    int64_t power = power_at(r, g, kind, u);
    if (power < 0) return -1;
    total += power;
  }
  return total;
}

static void expect_energy(const fw_pieces *pieces, const int64_t *power_mw, int64_t from, int64_t to) {
  fw_energy_pj expected = 0;
  fw_time_ns expected_covered = 0;
  for (int64_t u = from; u < to; u++) {
    if (power_mw[u] < 0) continue;
    expected += (fw_energy_pj)power_mw[u] * TICK;
    expected_covered += TICK;
  }
  fw_time_ns covered;
  fw_energy_pj energy = fw_pieces_energy(pieces, from * TICK, to * TICK, &covered);
  cr_assert(energy == expected, "energy over [%lld, %lld) ticks", (long long)from, (long long)to);
  cr_assert_eq(covered, expected_covered);
}

static void expect_order_and_gaps(const fw_pieces *pieces) {
  size_t gaps = 0;
  fw_time_ns gap_time = 0;
  for (size_t i = 0; i < pieces->count; i++) {
    cr_assert_lt(pieces->data[i].from, pieces->data[i].to);
    if (i == 0) continue;
    fw_time_ns hole = pieces->data[i].from - pieces->data[i - 1].to;
    cr_assert_geq(hole, 0, "pieces overlap");
    gaps += hole > 0;
    gap_time += hole;
  }
  cr_assert_eq(pieces->gap_count, gaps);
  cr_assert_eq(pieces->gap_time, gap_time);
}

static void expect_pieces(const fw_pieces *pieces, const int64_t *power_mw, uint64_t *state) {
  expect_order_and_gaps(pieces);
  expect_energy(pieces, power_mw, 0, HORIZON);
  for (int i = 0; i < 10; i++) {
    int64_t from = below(state, HORIZON);
    expect_energy(pieces, power_mw, from, from + below(state, HORIZON - from));
  }
}

static size_t gpu_of(const fw_series *series) {
  return (size_t)(series->gpu[strlen("gpu")] - '0');
}

static void check_trial(const recording *r, fw_series_kind kind, uint64_t *state) {
  static int64_t power_mw[HORIZON];
  fw_text text = FW_TEXT_INIT;
  fw_trace trace;
  fw_pieces pieces;
  write_rows(r, state, &text);
  cr_assert_eq(fw_trace_parse(text.data, text.length, "random", kind, &trace, NULL), FW_OK);
  for (size_t s = 0; s < trace.series_count; s++) {
    size_t g = gpu_of(&trace.series[s]);
    cr_assert_eq(trace.series[s].interval, median_interval(r, g) * TICK);
    for (int64_t u = 0; u < HORIZON; u++) {
      power_mw[u] = power_at(r, g, kind, u);
    }
    cr_assert_eq(fw_series_pieces(&trace, s, &pieces, NULL), FW_OK);
    expect_pieces(&pieces, power_mw, state);
    fw_pieces_clear(&pieces);
  }
  for (int64_t u = 0; u < HORIZON; u++) {
    power_mw[u] = total_at(r, kind, u);
  }
  cr_assert_eq(fw_trace_total(&trace, &pieces, NULL), FW_OK);
  expect_pieces(&pieces, power_mw, state);
  fw_pieces_clear(&pieces);
  fw_trace_clear(&trace);
  fw_text_clear(&text);
}

Test(pieces, equal_brute_force_over_the_samples) {
  uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
  for (int trial = 0; trial < TRIALS; trial++) {
    recording r;
    make_recording(&r, &state);
    check_trial(&r, (fw_series_kind)(trial % 3), &state);
  }
}

/* Where the GPUs are covered, the energy of the whole is the sum of their energies, to the last picojoule. */
Test(pieces, total_is_the_sum_of_the_parts) {
  uint64_t state = UINT64_C(0xD1B54A32D192ED03);
  for (int trial = 0; trial < TRIALS; trial++) {
    recording r;
    make_recording(&r, &state);
    fw_text text = FW_TEXT_INIT;
    write_rows(&r, &state, &text);
    fw_trace trace;
    fw_pieces total;
    cr_assert_eq(fw_trace_parse(text.data, text.length, "random", FW_SERIES_MEAN_FROM, &trace, NULL), FW_OK);
    cr_assert_eq(fw_trace_total(&trace, &total, NULL), FW_OK);
    fw_energy_pj whole = 0, parts = 0;
    for (size_t i = 0; i < total.count; i++) {
      whole += fw_energy_of(total.data[i].power, total.data[i].to - total.data[i].from);
    }
    for (size_t s = 0; s < trace.series_count; s++) {
      fw_pieces pieces;
      cr_assert_eq(fw_series_pieces(&trace, s, &pieces, NULL), FW_OK);
      for (size_t i = 0; i < total.count; i++) {
        fw_time_ns covered;
        parts += fw_pieces_energy(&pieces, total.data[i].from, total.data[i].to, &covered);
        cr_assert_eq(covered, total.data[i].to - total.data[i].from, "the total covers what a GPU does not");
      }
      fw_pieces_clear(&pieces);
    }
    cr_assert(whole == parts);
    fw_pieces_clear(&total);
    fw_trace_clear(&trace);
    fw_text_clear(&text);
  }
}

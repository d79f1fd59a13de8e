/* Every measured power trace at hand: energy and violation rates against brute force.
 *
 * The oracle shares nothing with what it checks: it reads the text with sscanf, finds the power of each GPU by asking
 * all samples, and sums every window afresh. It knows the conventions (traces/trace.h) and no more. All is in integers,
 * so the comparison is exact. Needs FLEETWATT_DATA. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/meter.h"
#include "traces/trace.h"

enum { GPUS_MAX = 4, SAMPLES_MAX = 3000, CELLS_MAX = GPUS_MAX * SAMPLES_MAX * 2 };

static const fw_time_ns windows[] = {FW_NS_PER_S / 2, 10 * FW_NS_PER_S, 30 * FW_NS_PER_S, 300 * FW_NS_PER_S};
enum { WINDOW_COUNT = sizeof windows / sizeof *windows };

typedef struct oracle_series {
  size_t count;
  int64_t time[SAMPLES_MAX];
  int64_t power[SAMPLES_MAX];
  int64_t from[SAMPLES_MAX]; /* what the sample covers, under the kind in question */
  int64_t to[SAMPLES_MAX];
} oracle_series;

typedef struct oracle_cell {
  int64_t from;
  int64_t to;
  int64_t power;
} oracle_cell;

static oracle_series series[GPUS_MAX];
static size_t gpu_count;
static oracle_cell cells[CELLS_MAX]; /* the total, where all GPUs are covered */
static size_t cell_count;

/* All files begin t_s,gpu,power_w and have at most three decimals of a second and two of a watt. */
static void oracle_read(const char *path) {
  FILE *file = fopen(path, "r");
  cr_assert_not_null(file, "%s", path);
  char line[512];
  cr_assert_not_null(fgets(line, sizeof line, file));
  cr_assert_eq(strncmp(line, "t_s,gpu,power_w", 15), 0, "%s", path);
  memset(series, 0, sizeof series);
  gpu_count = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    double time, power;
    unsigned gpu;
    cr_assert_eq(sscanf(line, "%lf,%u,%lf", &time, &gpu, &power), 3, "%s: %s", path, line);
    cr_assert_lt(gpu, GPUS_MAX);
    oracle_series *one = &series[gpu];
    cr_assert_lt(one->count, SAMPLES_MAX);
    one->time[one->count] = llround(time * 1000) * 1000000;
    one->power[one->count++] = llround(power * 1000);
    if (gpu >= gpu_count) gpu_count = gpu + 1;
  }
  fclose(file);
}

static int compare_int64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int64_t nearest_rank(int64_t *values, size_t count, double share) {
  qsort(values, count, sizeof *values, compare_int64);
  return values[(size_t)ceil(share * (double)count) - 1];
}

static void oracle_cover(oracle_series *one, fw_series_kind kind) {
  static int64_t intervals[SAMPLES_MAX];
  size_t count = one->count - 1;
  for (size_t i = 0; i < count; i++) {
    intervals[i] = one->time[i + 1] - one->time[i];
  }
  int64_t median = nearest_rank(intervals, count, 0.5);
  bool regular = intervals[count - 1] <= 3 * median; /* sorted by now: the longest */
  for (size_t i = 0; i < count; i++) {
    regular = regular && (double)llabs(intervals[i] - median) <= fmax(0.01 * (double)median, 1e6);
  }
  bool last_counts = regular || kind == FW_SERIES_MEAN_FROM;
  for (size_t i = 0; i < one->count; i++) {
    bool held = i + 1 < one->count && one->time[i + 1] - one->time[i] <= 3 * median;
    bool preceded = i > 0 && one->time[i] - one->time[i - 1] <= 3 * median;
    bool back = kind == FW_SERIES_MEAN_TO;
    one->from[i] = !back ? one->time[i] : preceded ? one->time[i - 1] : one->time[i] - median;
    one->to[i] = back ? one->time[i] : held ? one->time[i + 1] : one->time[i] + (last_counts ? median : 0);
  }
}

/* -1 where some GPU is not covered. */
static int64_t oracle_total_at(int64_t time) {
  int64_t total = 0;
  for (size_t g = 0; g < gpu_count; g++) {
    int64_t power = -1;
    for (size_t i = 0; i < series[g].count; i++) {
      if (series[g].from[i] <= time && time < series[g].to[i]) power = series[g].power[i];
    }
    if (power < 0) return -1;
    total += power;
  }
  return total;
}

static void oracle_make_cells(fw_series_kind kind) {
  static int64_t bounds[CELLS_MAX];
  size_t bound_count = 0;
  for (size_t g = 0; g < gpu_count; g++) {
    oracle_cover(&series[g], kind);
    for (size_t i = 0; i < series[g].count; i++) {
      bounds[bound_count++] = series[g].from[i];
      bounds[bound_count++] = series[g].to[i];
    }
  }
  qsort(bounds, bound_count, sizeof *bounds, compare_int64);
  cell_count = 0;
  for (size_t i = 0; i + 1 < bound_count; i++) {
    int64_t power = bounds[i] < bounds[i + 1] ? oracle_total_at(bounds[i]) : -1;
    if (power >= 0) cells[cell_count++] = (oracle_cell){bounds[i], bounds[i + 1], power};
  }
}

static int64_t oracle_budget(double share) {
  static int64_t powers[CELLS_MAX];
  for (size_t i = 0; i < cell_count; i++) {
    powers[i] = cells[i].power;
  }
  return nearest_rank(powers, cell_count, share);
}

typedef struct oracle_verdict {
  int64_t full;
  int64_t above;
  uint64_t episodes;
} oracle_verdict;

/* The energy of the window that ends with cell `last`; false when it is not full. */
static bool oracle_window(size_t last, int64_t window, fw_energy_pj *energy) {
  int64_t start = cells[last].to - window;
  *energy = 0;
  for (size_t i = last;; i--) {
    int64_t from = cells[i].from > start ? cells[i].from : start;
    *energy += (fw_energy_pj)cells[i].power * (cells[i].to - from);
    if (cells[i].from <= start) return true;
    if (i == 0 || cells[i - 1].to < cells[i].from) return false;
  }
}

static oracle_verdict oracle_judge(int64_t window, int64_t budget) {
  oracle_verdict verdict = {0};
  bool before = false;
  for (size_t i = 0; i < cell_count; i++) {
    fw_energy_pj energy;
    bool full = oracle_window(i, window, &energy);
    bool above = full && energy * 1000000000 > (fw_energy_pj)budget * window * 1000000001;
    verdict.full += full ? cells[i].to - cells[i].from : 0;
    verdict.above += above ? cells[i].to - cells[i].from : 0;
    verdict.episodes += above && !before;
    before = above;
  }
  return verdict;
}

static fw_energy_pj oracle_energy(void) {
  fw_energy_pj energy = 0;
  for (size_t i = 0; i < cell_count; i++) {
    energy += (fw_energy_pj)cells[i].power * (cells[i].to - cells[i].from);
  }
  return energy;
}

static fw_meter *push_all(const fw_pieces *pieces, fw_power_mw budget) {
  fw_meter_options options = {windows, WINDOW_COUNT, 0, 0};
  fw_meter *meter;
  cr_assert_eq(fw_meter_create(&options, &meter, NULL), FW_OK);
  for (size_t i = 0; i < pieces->count; i++) {
    const fw_piece *piece = &pieces->data[i];
    fw_time_ns duration = piece->to - piece->from;
    if (i > 0 && piece->from > pieces->data[i - 1].to) fw_meter_gap(meter);
    fw_energy_pj allowed = fw_energy_of(budget, duration);
    cr_assert_eq(fw_meter_push(meter, duration, fw_energy_of(piece->power, duration), allowed, NULL), FW_OK);
  }
  return meter;
}

static void compare_windows(const char *name, const fw_pieces *pieces, double share) {
  fw_power_mw budget = oracle_budget(share);
  fw_meter *meter = push_all(pieces, budget);
  cr_expect(fw_meter_energy(meter) == oracle_energy(), "%s: energy", name);
  for (size_t w = 0; w < WINDOW_COUNT; w++) {
    oracle_verdict expected = oracle_judge(windows[w], budget);
    fw_meter_window found = fw_meter_result(meter, w);
    cr_expect_eq(found.full, expected.full, "%s, window %zu: full time", name, w);
    cr_expect_eq(found.above, expected.above, "%s, window %zu, P%g: time above", name, w, 100 * share);
    cr_expect_eq(found.episodes, expected.episodes, "%s, window %zu, P%g: episodes", name, w, 100 * share);
    double rate = fw_meter_violation_rate(meter, w);
    cr_expect(expected.full > 0 ? rate == (double)expected.above / (double)expected.full : isnan(rate));
  }
  fw_meter_free(meter);
}

static void check_kind(const char *name, fw_trace *trace, fw_series_kind kind) {
  fw_pieces pieces;
  trace->kind = kind;
  oracle_make_cells(kind);
  cr_assert_eq(fw_trace_total(trace, &pieces, NULL), FW_OK);
  fw_time_ns covered;
  cr_expect(fw_pieces_energy(&pieces, -FW_TIME_MAX, FW_TIME_MAX, &covered) == oracle_energy(), "%s: energy", name);
  compare_windows(name, &pieces, 0.80);
  compare_windows(name, &pieces, 0.95);
  fw_pieces_clear(&pieces);
}

static void check_file(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  fw_trace trace;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_status status = fw_trace_read(path, FW_SERIES_INSTANT, &trace, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s: %s", name, diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  oracle_read(path);
  cr_assert_eq(trace.series_count, gpu_count);
  check_kind(name, &trace, FW_SERIES_INSTANT);
  check_kind(name, &trace, FW_SERIES_MEAN_FROM);
  fw_trace_clear(&trace);
  fw_diagnostics_clear(&diagnostics);
}

static bool is_trace(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".csv") == 0 && strstr(name, ".phases.csv") == NULL;
}

static void check_folder(const char *name) {
  const char *data = getenv("FLEETWATT_DATA");
  if (data == NULL) {
    fprintf(stderr, "skipped: %s needs the measured data; set FLEETWATT_DATA to its folder\n", name);
    cr_skip("FLEETWATT_DATA is not set");
  }
  char folder[512];
  snprintf(folder, sizeof folder, "%s/%s", data, name);
  DIR *directory = opendir(folder);
  cr_assert_not_null(directory, "FLEETWATT_DATA holds no %s", name);
  size_t checked = 0;
  for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    if (!is_trace(entry->d_name)) continue;
    check_file(folder, entry->d_name);
    checked++;
  }
  closedir(directory);
  cr_expect_gt(checked, 0, "no traces in %s", folder);
}

Test(traces, inference_traces_equal_brute_force) {
  check_folder("a100_inference_traces");
}

Test(traces, serving_traces_equal_brute_force) {
  check_folder("a100_serving_traces");
}

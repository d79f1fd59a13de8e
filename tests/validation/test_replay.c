/* Every measured power trace, replayed as a job: energy, rates and peaks are those of the recording.
 *
 * Two oracles that know nothing of simulations: the study behind `fleetwatt windows`, where the file is sampled once a
 * tick, and for all files a meter that is fed the recording's pieces cut at the simulation's ticks. Needs
 * FLEETWATT_DATA. */
#include <dirent.h>
#include <unistd.h>

#include "sim/engine/meter.h"
#include "sim/study/windows.h"
#include "tests/scenario_fixture.h"

static const fw_time_ns windows[] = {FW_NS_PER_S / 2, 10 * FW_NS_PER_S, 30 * FW_NS_PER_S, 300 * FW_NS_PER_S};
enum { WINDOW_COUNT = sizeof windows / sizeof *windows };

/* A board whose limits no recording meets, so that nothing is clamped. */
static void write_wide_gpu(const char *path) {
  fw_text plain = source_text("tests/unit/data/plain-gpu.json");
  fw_text idle = replaced(&plain, "\"idle_w\": 60", "\"idle_w\": 1");
  fw_text wide = replaced(&idle, "\"board_max_w\": 500", "\"board_max_w\": 1000");
  cr_assert_eq(fw_file_write(path, wide.data, wide.length, NULL), FW_OK);
  fw_text_clear(&plain);
  fw_text_clear(&idle);
  fw_text_clear(&wide);
}

/* The recording's total cut at every tick and metered. */
static fw_meter *metered(const fw_pieces *total, fw_time_ns tick, fw_power_mw budget) {
  const fw_meter_options options = {.windows = windows, .window_count = WINDOW_COUNT};
  fw_meter *meter = NULL;
  cr_assert_eq(fw_meter_create(&options, &meter, NULL), FW_OK);
  const fw_time_ns end = total->data[total->count - 1].to;
  for (fw_time_ns from = total->data[0].from; from < end; from += tick) {
    fw_time_ns covered = 0;
    const fw_energy_pj energy = fw_pieces_energy(total, from, from + tick, &covered);
    cr_assert_eq(covered, tick);
    cr_assert_eq(fw_meter_push(meter, tick, energy, fw_energy_of(budget, tick), NULL), FW_OK);
  }
  return meter;
}

static void expect_windows(const fw_result *result, const fw_meter *meter, const char *path) {
  for (size_t w = 0; w < WINDOW_COUNT; w++) {
    const fw_meter_window wanted = fw_meter_result(meter, w);
    const fw_window_result *got = &result->windows[w];
    if (wanted.full == 0) {
      cr_expect(isnan(got->violation_rate) && isnan(got->peak_w), "%s", path);
      continue;
    }
    cr_expect_eq(got->violation_rate, (double)wanted.above / (double)wanted.full, "%s, window %zu", path, w);
    cr_expect_eq(got->episodes, wanted.episodes, "%s, window %zu", path, w);
    cr_expect_eq(got->peak_w, fw_power_to_watts(wanted.peak), "%s, window %zu", path, w);
    cr_expect_eq(got->excess_ws, fw_energy_to_joules(wanted.excess), "%s, window %zu", path, w);
  }
}

static void expect_study(const fw_result *result, const char *path, fw_power_mw budget) {
  const fw_windows_options options = {path, FW_SERIES_MEAN_FROM, true, budget, windows, WINDOW_COUNT};
  fw_windows_result study = {0};
  cr_assert_eq(fw_windows_study(&options, &study, NULL), FW_OK, "%s", path);
  expect_energy(result->energy, study.energy, path);
  for (size_t w = 0; w < WINDOW_COUNT; w++) {
    const double wanted = study.rows[w].violation_rate;
    const double got = result->windows[w].violation_rate;
    cr_expect(got == wanted || (isnan(got) && isnan(wanted)), "%s, window %zu: %g, wanted %g", path, w, got, wanted);
  }
  fw_windows_clear(&study);
}

static fw_result replay(const char *path, const char *gpu, fw_time_ns duration, fw_time_ns tick, fw_power_mw budget) {
  char text[1000];
  char length[FW_UNITS_TEXT_SIZE];
  (void)snprintf(text, sizeof text,
                 "{'fleetwatt': 1, 'name': 'replay', 'gpu': '%s', 'duration_s': %s, 'tick_ms': %d, 'windows_s': [0.5, "
                 "10, 30, 300], 'budget_w': %.3f, 'jobs': [{'kind': 'replay', 'class': 'r', 'trace': 'given'}]}",
                 gpu, fw_time_format(duration, length), (int)(tick / FW_NS_PER_MS), fw_power_to_watts(budget));
  const fw_scenario_overrides overrides = {.trace = path};
  fw_scenario *scenario = scenario_with(text, &overrides);
  const fw_result result = run_seed(scenario, 1);
  fw_scenario_free(scenario);
  return result;
}

/* All pieces one tick of 0.5 s long: then the study and a simulation cut the recording alike. */
static bool once_a_tick(const fw_pieces *total) {
  for (size_t i = 0; i < total->count; i++) {
    if (total->data[i].to - total->data[i].from != FW_NS_PER_S / 2) return false;
  }
  return true;
}

/* The budget is the recording's mean, so that every window has something to judge. */
static void check_trace(const char *path, const char *gpu) {
  fw_trace trace;
  fw_pieces total;
  cr_assert_eq(fw_trace_read(path, FW_SERIES_MEAN_FROM, &trace, NULL), FW_OK, "%s", path);
  cr_assert_eq(fw_trace_total(&trace, &total, NULL), FW_OK);
  cr_assert_eq(total.gap_count, 0, "%s has a gap", path);
  const fw_time_ns duration = total.data[total.count - 1].to - total.data[0].from;
  const bool regular = once_a_tick(&total);
  const fw_time_ns tick = regular ? FW_NS_PER_S / 2 : FW_NS_PER_MS; /* stamps are whole milliseconds */
  fw_time_ns covered = 0;
  const fw_energy_pj energy = fw_pieces_energy(&total, total.data[0].from, total.data[total.count - 1].to, &covered);
  const fw_power_mw budget = fw_energy_mean_power(energy, covered);
  fw_result result = replay(path, gpu, duration, tick, budget);
  fw_meter *meter = metered(&total, tick, budget);
  expect_energy(result.energy, energy, path);
  cr_expect_eq(result.clamps.floor + result.clamps.ceiling, 0, "%s", path);
  expect_windows(&result, meter, path);
  if (regular) expect_study(&result, path, budget);
  fw_meter_free(meter);
  fw_result_clear(&result);
  fw_pieces_clear(&total);
  fw_trace_clear(&trace);
}

static bool is_power_trace(const char *name) {
  const char *suffix = strrchr(name, '.');
  return suffix != NULL && strcmp(suffix, ".csv") == 0 && strstr(name, ".phases.") == NULL;
}

static size_t check_folder(const char *data, const char *name, const char *gpu) {
  char path[1024];
  size_t count = 0;
  (void)snprintf(path, sizeof path, "%s/%s", data, name);
  DIR *folder = opendir(path);
  cr_assert_not_null(folder, "%s", path);
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    if (!is_power_trace(entry->d_name)) continue;
    (void)snprintf(path, sizeof path, "%s/%s/%s", data, name, entry->d_name);
    check_trace(path, gpu);
    count++;
  }
  (void)closedir(folder);
  return count;
}

Test(replay, of_every_measured_trace_is_the_trace) {
  const char *data = getenv("FLEETWATT_DATA");
  if (data == NULL) {
    (void)fprintf(stderr, "skipped: replaying the measured traces needs them; set FLEETWATT_DATA to their folder\n");
    cr_skip("FLEETWATT_DATA is not set");
  }
  char folder[] = "/tmp/fleetwatt-wide-XXXXXX";
  char gpu[64];
  char file[64];
  cr_assert_not_null(mkdtemp(folder));
  (void)snprintf(gpu, sizeof gpu, "%s/gpu", folder);
  (void)snprintf(file, sizeof file, "%s/gpu.json", folder);
  write_wide_gpu(file);
  cr_expect_gt(check_folder(data, "a100_inference_traces", gpu), 0);
  cr_expect_gt(check_folder(data, "a100_serving_traces", gpu), 0);
  (void)unlink(file);
  (void)rmdir(folder);
}

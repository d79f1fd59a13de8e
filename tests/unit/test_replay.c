/* Replayed recordings: a run of one is the recording itself, and agrees with the study that judges the file. */
#include <unistd.h>

#include "sim/study/windows.h"
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

/* A CSV in a file of its own. */
typedef struct csv_file {
  char path[64];
} csv_file;

static csv_file csv_write(const char *text) {
  csv_file file = {"/tmp/fleetwatt-replay-XXXXXX"};
  const int descriptor = mkstemp(file.path);
  cr_assert_geq(descriptor, 0);
  cr_assert_eq(fw_file_write(file.path, text, strlen(text), NULL), FW_OK);
  (void)close(descriptor);
  return file;
}

/* A run of a recording; `more` adds keys to the job. Unlinks the file. */
static fw_result replay(csv_file file, const char *head, const char *more, recorder *seen) {
  char text[1000];
  (void)snprintf(text, sizeof text, "%s, 'jobs': [{'kind': 'replay', 'class': 'r', 'trace': 'given'%s}]}", head, more);
  const fw_scenario_overrides overrides = {.trace = file.path};
  fw_scenario *scenario = scenario_with(text, &overrides);
  const fw_result result =
      run_observed(scenario, (fw_run_options){.seed = 1, .observer = seen != NULL ? &seen->observer : NULL});
  fw_scenario_free(scenario);
  (void)unlink(file.path);
  return result;
}

static const char six_samples[] =
    "# kind: mean_from\nt_s,power_w\n0,150\n0.5,180\n1,220.5\n1.5,90\n2,310.25\n2.5,120\n";

Test(replay, repeats_its_recording_without_end) {
  fw_result result = replay(csv_write(six_samples), HEAD("30", "0.5, 3", "'budget_w': 179"), "", NULL);
  /* Three seconds of 535.375 J, ten times. */
  expect_energy(result.energy, joules(535375) / 100, "site");
  cr_expect_eq(result.windows[0].peak_w, 310.25);
  cr_expect_eq(result.windows[0].violation_rate, 0.5);
  cr_expect_eq(result.windows[1].violation_rate, 0.0); /* 178.458 W */
  cr_expect_eq(result.jobs[0].steps, 10);              /* the tenth ends with the run */
  fw_result_clear(&result);
}

Test(replay, several_of_one_recording_may_start_apart) {
  fw_result result =
      replay(csv_write(six_samples), HEAD("30", "0.5", "'budget_w': 900, 'start': 'staggered'"), ", 'count': 2", NULL);
  cr_assert_eq(result.job_count, 2);
  expect_energy(result.jobs[0].energy, joules(535375) / 100, "the first");
  /* 1.5 s of 60 W, nine times the recording and its first half, 275.25 J. */
  expect_energy(result.jobs[1].energy, joules(90) + joules(9 * 535375 + 275250) / 1000, "the second");
  fw_result_clear(&result);
}

/* Warnings about a recording of 3 s in a run of `duration` that leaves out `warmup`. */
static size_t warnings_of(const char *duration, const char *warmup, const char *start) {
  csv_file file = csv_write(six_samples);
  char text[1000];
  (void)snprintf(text, sizeof text,
                 "{'fleetwatt': 1, 'name': 't', 'gpu': 'plain-gpu', 'duration_s': %s, 'warmup_s': %s, 'windows_s': "
                 "[0.5], 'start': '%s', 'jobs': [{'kind': 'replay', 'class': 'r', 'trace': 'given', 'count': 2}]}",
                 duration, warmup, start);
  const fw_scenario_overrides overrides = {.trace = file.path};
  fw_scenario *scenario = NULL;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(scenario_try(text, &overrides, &scenario, &diagnostics), FW_OK);
  const size_t count = diagnostics.count;
  if (count > 0) cr_expect_not_null(strstr(diagnostics.entries[0].message, "start up to 3 s late"));
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
  (void)unlink(file.path);
  return count;
}

Test(replay, jobs_that_idle_before_a_late_start_are_warned_of) {
  cr_expect_eq(warnings_of("20", "0", "staggered"), 1);
  cr_expect_eq(warnings_of("20", "0", "random"), 1);
  cr_expect_eq(warnings_of("20", "0", "aligned"), 0);
  cr_expect_eq(warnings_of("20", "3", "random"), 0, "left out by the warm-up");
  cr_expect_eq(warnings_of("30", "0", "random"), 0, "no more than a tenth of the run");
}

Test(replay, ends_with_its_recording_where_it_is_not_to_repeat) {
  fw_result result = replay(csv_write(six_samples), HEAD("30", "0.5", "'budget_w': 179"),
                            ", 'loop': false, 'start_offset_s': 2", NULL);
  expect_energy(result.energy, joules(535375) / 1000 + joules(27 * 60), "site");
  cr_expect_eq(result.stop_reason, FW_STOP_JOBS_DONE);
  fw_result_clear(&result);
}

Test(replay, shows_each_sample_in_its_own_tick) {
  static const fw_power_mw samples[] = {150000, 180000, 220500, 90000, 310250, 120000};
  recorder seen;
  recorder_start(&seen);
  fw_result result = replay(csv_write(six_samples), HEAD("30", "0.5", "'budget_w': 179"), "", &seen);
  cr_assert_eq(seen.tick_count, 60);
  for (size_t t = 0; t < seen.tick_count; t++) {
    cr_expect_eq(seen.ticks[t].truth, samples[t % 6], "tick %zu", t);
    cr_expect_eq(seen.ticks[t].end, (fw_time_ns)(t + 1) * FW_NS_PER_S / 2);
  }
  recorder_free(&seen);
  fw_result_clear(&result);
}

/* The same file through the study behind `fleetwatt windows`. */
static void expect_study(const char *csv, const char *head, fw_time_ns duration, fw_power_mw budget,
                         const fw_time_ns *windows, size_t window_count) {
  csv_file file = csv_write(csv);
  const fw_windows_options options = {.path = file.path,
                                      .kind_if_unstated = FW_SERIES_MEAN_FROM,
                                      .has_budget = true,
                                      .budget = budget,
                                      .windows = windows,
                                      .window_count = window_count};
  fw_windows_result study = {0};
  cr_assert_eq(fw_windows_study(&options, &study, NULL), FW_OK);
  cr_assert_eq(study.covered, duration);
  fw_result result = replay(file, head, ", 'loop': false", NULL);
  expect_energy(result.energy, study.energy, "site");
  for (size_t w = 0; w < window_count; w++) {
    const fw_windows_row *row = &study.rows[w];
    const fw_window_result *window = &result.windows[w];
    cr_expect_eq(window->violation_rate, row->violation_rate, "window %zu", w);
    cr_expect_eq(window->episodes, row->seen.episodes);
    cr_expect_eq(window->peak_w, fw_power_to_watts(row->seen.peak));
    cr_expect_eq(window->longest_episode_s, fw_time_to_seconds(row->seen.longest_episode));
    cr_expect_eq(window->excess_ws, fw_energy_to_joules(row->seen.excess));
  }
  fw_result_clear(&result);
  fw_windows_clear(&study);
}

/* 600 samples of two GPUs from a small congruential generator, between 60 and 460 W. */
static fw_text pseudo_random_csv(void) {
  fw_text csv = FW_TEXT_INIT;
  uint32_t state = 12345;
  fw_text_add(&csv, "t_s,gpu,power_w\n");
  for (unsigned i = 0; i < 600; i++) {
    for (unsigned gpu = 0; gpu < 2; gpu++) {
      state = state * 1664525u + 1013904223u;
      fw_text_add_format(&csv, "%u.%u,%u,%u.%03u\n", i / 2, i % 2 * 5, gpu, 60 + (state >> 16) % 400,
                         (state >> 8) % 1000);
    }
  }
  cr_assert_not(csv.failed);
  return csv;
}

Test(replay, agrees_with_the_windows_study_of_its_file) {
  static const fw_time_ns windows[] = {FW_NS_PER_S / 2, 10 * FW_NS_PER_S, 30 * FW_NS_PER_S, 7 * FW_NS_PER_S / 10};
  fw_text csv = pseudo_random_csv();
  expect_study(csv.data, HEAD("300", "0.5, 10, 30, 0.7", "'budget_w': 520"), 300 * FW_NS_PER_S, 520000, windows, 4);
  fw_text_clear(&csv);
}

/* Two GPUs sampled at instants of their own, written on change: covered by both from 0.25 s to 6.25 s. */
static const char irregular[] =
    "# kind: instant\nt_s,gpu,power_w\n"
    "0,a,100\n0.25,b,200\n0.7,a,120\n1.1,b,180\n1.3,a,300\n2.05,b,210\n2.1,a,150\n2.9,b,190\n"
    "3.1,a,99\n3.8,b,260\n4.05,a,140\n4.9,b,222\n5.2,a,180.125\n5.8,b,150\n6.25,a,100\n6.8,b,90\n";

/* By hand: a holds 100, 120, 300, 150, 99, 140, 180.125 W; b holds 200, 180, 210, 190, 260, 222, 150 W. */
#define ENERGY_A_MJ (100 * 450 + 120 * 600 + 300 * 800 + 150 * 1000 + 99 * 950 + 140 * 1150 + 180125 * 1050 / 1000)
#define ENERGY_B_MJ (200 * 850 + 180 * 950 + 210 * 850 + 190 * 900 + 260 * 1100 + 222 * 900 + 150 * 450)

Test(replay, irregular_recordings_keep_their_energy) {
  /* In J x 1000; the last piece of a, 180.125 W x 1.05 s, is 189131.25 mJ. */
  const fw_energy_pj wanted = ((fw_energy_pj)(ENERGY_A_MJ + ENERGY_B_MJ) * 1000 + 250) * (FW_PJ_PER_J / 1000000);
  fw_result result = replay(csv_write(irregular), HEAD("6", "0.5", "'budget_w': 300"), ", 'loop': false", NULL);
  expect_energy(result.energy, wanted, "site");
  fw_result_clear(&result);
}

/* ---- Under a power cap ---- */

/* 100 s of a GPU that draws 300 W and one that draws 100 W, sampled `per_second` times a second. */
static fw_text two_levels(int per_second) {
  fw_text csv = FW_TEXT_INIT;
  fw_text_add(&csv, "t_s,gpu,power_w\n");
  for (int i = 0; i < 100 * per_second; i++) {
    const int ms = i % per_second * 1000 / per_second;
    fw_text_add_format(&csv, "%d.%03d,a,300\n%d.%03d,b,100\n", i / per_second, ms, i / per_second, ms);
  }
  cr_assert_not(csv.failed);
  return csv;
}

/* The one settles at 0.9 of the cap and stays there, the other is never touched, however finely they were sampled. */
Test(replay, a_cap_holds_each_gpu_whatever_the_sampling_period) {
  static const int rates[] = {1, 2, 10, 40};
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    fw_text csv = two_levels(rates[i]);
    fw_result result = replay(csv_write(csv.data),
                              HEAD("100", "0.5", "'budget_w': 300") ", 'warmup_s': 10, 'policies': [{'name': 'cap', "
                                                                    "'job': {'kind': 'static', 'power_cap_w': 200}}]",
                              "", NULL);
    expect_energy(result.energy, joules(90 * (180 + 100)), "site");
    cr_expect_eq(result.windows[0].peak_w, 280.0, "%d samples a second: %g W", rates[i], result.windows[0].peak_w);
    fw_result_clear(&result);
    fw_text_clear(&csv);
  }
}

/* Discrete-event simulation: what went wrong in other simulators, with the right figures, and the wrong ones that must
 * not appear. What went wrong, and where, stands above each test. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "sim/report/report.h"
#include "sim/study/compare.h"
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

static const char *case_path(const char *name, const char *file) {
  static char path[512];
  (void)snprintf(path, sizeof path, "%s/tests/cases/%s/%s", FW_SOURCE_DIR, name, file);
  return path;
}

static fw_scenario *scenario_of(const char *name, const char *file) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  const fw_status status = fw_scenario_read(case_path(name, file), NULL, &scenario, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return scenario;
}

/* A run of the case, watched from `observer` where one is given. */
static fw_result run_case(const char *name, const char *file, const fw_sim_observer *observer) {
  fw_scenario *scenario = scenario_of(name, file);
  const fw_result result = run_observed(scenario, (fw_run_options){.seed = scenario->seed, .observer = observer});
  fw_scenario_free(scenario);
  return result;
}

/* ---- 0.1 s ticks added up in a double reach 86400.00000054126 after a day (hash 8709, pathsim 249, ...). ---- */

typedef struct tick_count {
  fw_sim_observer observer;
  size_t ticks;
  fw_time_ns last_begin;
  fw_time_ns job_end;
  size_t ticks_at_job_end;
} tick_count;

static void count_tick(void *context, const fw_sim_tick *tick) {
  tick_count *seen = context;
  cr_assert_eq(tick->end, (fw_time_ns)(seen->ticks + 1) * (FW_NS_PER_S / 10)); /* n * 0.1 s, every one of them */
  seen->last_begin = tick->end - FW_NS_PER_S / 10;
  seen->ticks++;
}

static void note_end(void *context, const fw_sim_event *event) {
  tick_count *seen = context;
  if (event->kind == FW_SIM_JOB_END) {
    seen->job_end = event->time;
    seen->ticks_at_job_end = (size_t)(event->time / (FW_NS_PER_S / 10));
  }
}

Test(sim, float_clock) {
  tick_count seen = {.observer = {NULL, count_tick, note_end}};
  seen.observer.context = &seen;
  fw_result result = run_case("sim-float-clock", "one_day.json", &seen.observer);
  char text[FW_UNITS_TEXT_SIZE];
  cr_expect_eq(seen.ticks, 864000);
  cr_expect_str_eq(fw_time_format(seen.last_begin, text), "86399.9"); /* never 86399.90000054 */
  cr_expect_str_eq(fw_time_format(seen.job_end, text), "43200.3");
  cr_expect_eq(seen.ticks_at_job_end, 432003);
  expect_energy(result.energy, joules(19872102), "a day");
  fw_result_clear(&result);
}

/* ---- 60 days: 32-bit counters wrap at 24.9 d, 49.7 d and, in mJ, after three hours (picotcp 2, likwid 646). ---- */

typedef struct spell {
  fw_sim_observer observer;
  fw_time_ns first; /* end of the first and the last tick in which the last job drew power */
  fw_time_ns last;
  size_t ticks;
} spell;

static void note_power(void *context, const fw_sim_tick *tick) {
  spell *seen = context;
  seen->ticks++;
  if (tick->job_truth[1] > 0) {
    seen->first = seen->first == 0 ? tick->end : seen->first;
    seen->last = tick->end;
  }
}

static void pass_event(void *context, const fw_sim_event *event) {
  (void)context;
  (void)event;
}

Test(sim, long_horizon) {
  spell seen = {.observer = {NULL, note_power, pass_event}};
  seen.observer.context = &seen;
  fw_result result = run_case("sim-long-horizon", "sixty_days.json", &seen.observer);
  char text[FW_UNITS_TEXT_SIZE];
  cr_expect_str_eq(fw_time_format(seen.first - FW_NS_PER_S / 2, text), "4320000.5");
  cr_expect_str_eq(fw_time_format(seen.last, text), "4323600.5");
  cr_expect_eq(seen.ticks, 10368000);
  cr_expect_eq(result.gpu_ticks, 2 * UINT64_C(10368000));
  expect_energy(result.jobs[0].energy, joules(5760000), "early");
  expect_energy(result.jobs[1].energy, joules(1440000), "late");
  expect_energy(result.energy, joules(7200000), "all");
  cr_expect_eq(fw_energy_to_watt_hours(result.energy), 2000.0);
  fw_result_clear(&result);
}

/* ---- A million short jobs: all kept until the end, and the end of memory taken for the end (flux-sched 288). ---- */

typedef struct memory_watch {
  fw_sim_observer observer;
  size_t ticks;
  long early_kb; /* resident after 1 % of the run */
} memory_watch;

static long resident_kb(void) {
  struct rusage usage;
  (void)getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static void watch_memory(void *context, const fw_sim_tick *tick) {
  (void)tick;
  memory_watch *watch = context;
  if (++watch->ticks == 64000) watch->early_kb = resident_kb();
}

Test(sim, million_jobs) {
  memory_watch watch = {.observer = {NULL, watch_memory, pass_event}};
  watch.observer.context = &watch;
  fw_result result = run_case("sim-million-jobs", "million.json", &watch.observer);
  const fw_service_result *service = &result.jobs[0].service;
  cr_expect_eq(service->arrived, 1000000);
  cr_expect_eq(service->finished, 1000000);
  cr_expect_eq(service->killed + service->in_service + service->waiting, 0);
  cr_expect_eq(service->wait.max_s, 0.0);
  expect_energy(result.energy, joules(1212000000), "3 s of 400 W and 0.2 s of 60 W, a million times");
  cr_expect_eq(result.windows[0].peak_w, 400.0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  /* The kernel counts resident pages by the 64 of each thread, so the figure jumps by 256 kB now and then. Jobs that
   * were kept would show as 8 MB or more: a million pointers. */
  cr_expect_leq(resident_kb(), watch.early_kb + 1024, "%ld kB after 1 %%, %ld kB at the end", watch.early_kb,
                resident_kb());
  cr_expect_lt(resident_kb(), 200 * 1024);
#endif
  fw_result_clear(&result);
}

/* ---- A delay of -2.8e-17 aborts, or one of -5 is taken for 0 without a word (dslab 193, synthea 890). ---- */

Test(sim, negative_delay) {
  fw_result dust = run_case("sim-negative-delay", "dust.json", NULL);
  expect_energy(dust.energy, joules(1280), "2 s of 400 W, 8 s of 60 W");
  fw_result_clear(&dust);

  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_expect_eq(fw_scenario_read(case_path("sim-negative-delay", "literal.json"), NULL, &scenario, &diagnostics),
               FW_ERROR_INPUT);
  const char *said = all_entries(&diagnostics, buffer);
  cr_expect(strstr(said, "jobs[0].start_offset_s") != NULL && strstr(said, "-5") != NULL, "%s", said);
  fw_diagnostics_clear(&diagnostics);

  /* Draws below 0 are made 0, and counted: 158.7 of 1,000 in the mean, within 4 standard deviations of 11.6. */
  fw_result drawn = run_case("sim-negative-delay", "drawn.json", NULL);
  const fw_service_result *service = &drawn.jobs[0].service;
  cr_expect_eq(service->finished, 1000);
  cr_expect(service->cut > 112 && service->cut < 206, "%llu draws", (unsigned long long)service->cut);
  fw_result_clear(&drawn);
}

/* ---- Same seed, other thread count, other numbers (PRAS 3, PhysiCell 428, ...). ---- */

static fw_text sweep_with(const fw_scenario *scenario, unsigned threads) {
  const fw_compare_options options = {.threads = threads};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_compare_result result;
  fw_text text = FW_TEXT_INIT;
  cr_assert_eq(fw_compare(scenario, &options, &result, &diagnostics), FW_OK);
  cr_assert_eq(result.arm_count * result.seeds, scenario->budget_count * scenario->policy_count * 5);
  fw_report_compare_json(&result, &diagnostics, &text);
  cr_assert_not(text.failed);
  fw_compare_clear(&result);
  fw_diagnostics_clear(&diagnostics);
  return text;
}

/* The runs of the sweep one by one: budgets outermost, then policies, then seeds. */
static fw_text rows_of(const fw_scenario *scenario, unsigned threads) {
  fw_text rows = FW_TEXT_INIT;
  char energy[FW_UNITS_TEXT_SIZE];
  for (size_t budget = 0; budget < scenario->budget_count; budget++) {
    for (size_t policy = 0; policy < scenario->policy_count; policy++) {
      for (uint64_t seed = 0; seed < 5; seed++) {
        fw_result result = run_observed(
            scenario,
            (fw_run_options){.policy = policy, .budget = budget, .seed = scenario->seed + seed, .threads = threads});
        fw_text_add_format(&rows, "%zu,%zu,%llu,%s,%lld,%.17g,%.17g\n", budget, policy, (unsigned long long)seed,
                           fw_energy_format(result.energy, energy), (long long)result.tokens,
                           result.windows[0].violation_rate, result.windows[1].peak_w);
        fw_result_clear(&result);
      }
    }
  }
  cr_assert_not(rows.failed);
  return rows;
}

static size_t count_lines(const fw_text *text) {
  size_t lines = 0;
  for (size_t i = 0; i < text->length; i++)
    lines += text->data[i] == '\n';
  return lines;
}

Test(sim, threads_seed) {
  static const unsigned threads[] = {1, 2, 4, 16, 1};
  fw_scenario *scenario = scenario_of("sim-threads-seed", "sweep.json");
  fw_text first = sweep_with(scenario, 1);
  fw_text rows = rows_of(scenario, 1);
  cr_expect_eq(count_lines(&rows), 60);
  for (size_t i = 1; i < sizeof threads / sizeof threads[0]; i++) {
    fw_text again = sweep_with(scenario, threads[i]);
    fw_text same_rows = rows_of(scenario, threads[i]);
    cr_expect_str_eq(again.data, first.data, "%u threads", threads[i]);
    cr_expect_str_eq(same_rows.data, rows.data, "%u threads", threads[i]);
    fw_text_clear(&again);
    fw_text_clear(&same_rows);
  }
  /* A fifth budget adds its rows behind the others and leaves them as they were. */
  static const double ratios[] = {1.7777777777777777, 1.6, 1.4545454545454546, 1.3333333333333333, 1.2};
  const fw_scenario_overrides overrides = {.oversubscription = ratios, .oversubscription_count = 5};
  fw_scenario *larger = NULL;
  cr_assert_eq(fw_scenario_read(case_path("sim-threads-seed", "sweep.json"), &overrides, &larger, NULL), FW_OK);
  fw_text more = rows_of(larger, 2);
  cr_expect_eq(count_lines(&more), 75);
  cr_expect_eq(strncmp(more.data, rows.data, rows.length), 0);
  fw_text_clear(&more);
  fw_scenario_free(larger);
  fw_text_clear(&first);
  fw_text_clear(&rows);
  fw_scenario_free(scenario);
}

/* ---- End of one job and arrival of the next at one instant: a plain heap is not stable (tinyos-main 419). ---- */

Test(sim, tie_order) {
  static const char *const files[] = {"base.json", "with_marks.json", "jobs_reversed.json"};
  recorder first;
  for (size_t i = 0; i < 3; i++) {
    recorder series;
    recorder_start(&series);
    fw_result result = run_case("sim-tie-order", files[i], &series.observer);
    const fw_service_result *service = &result.jobs[0].service;
    cr_expect_eq(service->finished, 2, "%s", files[i]);
    cr_expect_eq(service->wait.max_s, 0.0, "%s", files[i]);
    cr_expect_eq(result.windows[0].peak_w, 400.0, "%s: never 800", files[i]);
    expect_energy(result.energy, joules(80000), files[i]);
    if (i == 0) {
      first = series;
      fw_result_clear(&result);
      continue;
    }
    cr_assert_eq(series.tick_count, first.tick_count);
    for (size_t t = 0; t < series.tick_count; t++)
      cr_expect_eq(memcmp(&series.ticks[t], &first.ticks[t], sizeof first.ticks[t]), 0, "%s, tick %zu", files[i], t);
    recorder_free(&series);
    fw_result_clear(&result);
  }
  recorder_free(&first);
}

/* ---- Killed at its limit: the energy of the other hosts was booked from an old state (batsim 51: 1059 J). ---- */

Test(sim, walltime_kill) {
  static const struct {
    const char *file;
    int64_t energy_j;
    bool killed;
  } runs[] = {{"kill.json", 1218, true}, {"one_host.json", 609, true}, {"finished.json", 1624, false}};
  for (size_t i = 0; i < 3; i++) {
    recorder series;
    recorder_start(&series);
    fw_result result = run_case("sim-walltime-kill", runs[i].file, &series.observer);
    expect_energy(result.energy, joules(runs[i].energy_j), runs[i].file);
    cr_expect_eq(result.jobs[0].service.killed, runs[i].killed, "%s", runs[i].file);
    cr_expect_eq(result.jobs[0].service.finished, !runs[i].killed, "%s", runs[i].file);
    fw_time_ns last = 0;
    for (size_t t = 0; t < series.tick_count; t++)
      last = series.ticks[t].truth > 0 ? series.ticks[t].end : last;
    cr_expect_eq(last, (runs[i].killed ? 3 : 4) * FW_NS_PER_S, "%s", runs[i].file);
    /* Each host by itself. */
    for (size_t d = 0; d + 1 < result.domain_count; d++)
      expect_energy(result.domains[d].energy, joules(runs[i].killed ? 609 : 812), "a host");
    recorder_free(&series);
    fw_result_clear(&result);
  }
}

/* ---- A loop of phases of no length: time never advances, and the message blames memory (OpenModelica 9752). ---- */

Test(sim, zero_duration) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_expect_eq(fw_scenario_read(case_path("sim-zero-duration", "zeno.json"), NULL, &scenario, &diagnostics),
               FW_ERROR_INPUT);
  const char *said = all_entries(&diagnostics, buffer);
  cr_expect(strstr(said, "\"loop\"") != NULL && strstr(said, "time would never advance") != NULL, "%s", said);
  fw_diagnostics_clear(&diagnostics);
  fw_result allowed = run_case("sim-zero-duration", "allowed.json", NULL);
  expect_energy(allowed.energy, joules(5 * 60 + 55 * 100), "one phase of no length among others");
  fw_result_clear(&allowed);
}

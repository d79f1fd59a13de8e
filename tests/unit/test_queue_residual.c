/* What the jobs of a queue do around their levels, against a second implementation from the generator up, closed forms
 * for sums of autoregressive processes under a load that comes and goes, and runs without it: when jobs begin and end
 * is none of its business. And their paces, each its own, by hand. */
#include <unistd.h>

#include "sim/base/random.h"
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

#define TICK_S 0.5
/* plain-job: two GPUs; what its residual is in rollout. */
#define TEAM 2
#define TOTAL_SIGMA_W 20.0
#define TOTAL_MEMORY_S 2.0
#define SPIKE_W 30.0
#define SPIKES_PER_TICK (60.0 * TICK_S / 3600.0)

#define MODEL "'model': 'plain-job', "

typedef struct series {
  double *power_w; /* of the site, tick by tick */
  size_t ticks;
  fw_result result;
} series;

static series run_series(const char *text, uint64_t seed) {
  fw_scenario *scenario = scenario_from(text);
  recorder all;
  recorder_start(&all);
  series out = {.result = run_observed(scenario, (fw_run_options){.seed = seed, .observer = &all.observer})};
  out.ticks = all.tick_count;
  out.power_w = calloc(out.ticks, sizeof(double));
  cr_assert_not_null(out.power_w);
  fw_energy_pj energy = 0;
  for (size_t t = 0; t < out.ticks; t++) {
    out.power_w[t] = fw_power_to_watts(all.ticks[t].truth);
    energy += fw_energy_of(all.ticks[t].truth, scenario->tick);
  }
  /* The truth of a tick is its energy over its length, rounded to the milliwatt: 0.25 mJ a tick at most. */
  const fw_energy_pj error = out.result.energy - energy;
  const fw_energy_pj most = (fw_energy_pj)out.ticks * (FW_PJ_PER_J / 4000 + 1);
  cr_expect(error <= most && error >= -most);
  recorder_free(&all);
  fw_scenario_free(scenario);
  return out;
}

static void free_series(series *one) {
  free(one->power_w);
  fw_result_clear(&one->result);
}

/* ---- From the generator up ---- */

static uint64_t seed_of_job(uint64_t seed, uint32_t queue, uint64_t number) {
  uint32_t words[4];
  fw_random_block(fw_stream_make(seed, FW_DRAW_TENANT, queue), number, 0, words);
  return (uint64_t)words[1] << 32 | words[0];
}

/* Ticks and heights of the spikes of one GPU, summed into `sum`. */
static void add_spikes(uint64_t seed, uint32_t gpu, size_t ticks, double *sum) {
  const fw_stream stream = fw_stream_make(seed, FW_DRAW_SPIKE, gpu);
  double at = 0.0;
  for (uint64_t n = 0;; n++) {
    const double wait = ceil(log(fw_random_uniform(stream, n, 0)) / log1p(-SPIKES_PER_TICK));
    at += wait < 1.0 ? 1.0 : wait;
    if (at >= (double)ticks) return;
    sum[(size_t)at] -= log(fw_random_uniform(stream, n, 1)) * SPIKE_W;
  }
}

/* The sum of a job's residual over its GPUs. */
static void job_residual(uint64_t seed, size_t gpus, bool together, size_t ticks, double *sum) {
  const double a = exp(-TICK_S / TOTAL_MEMORY_S);
  const size_t teams = gpus / TEAM;
  for (size_t t = 0; t < ticks; t++)
    sum[t] = 0.0;
  for (size_t team = 0; team < teams; team++) {
    const fw_stream stream = fw_stream_make(seed, FW_DRAW_RESIDUAL_TOTAL, together ? 0 : (uint32_t)team);
    double z = 0.0;
    for (size_t t = 0; t < ticks; t++) {
      const double e = fw_random_normal(stream, t);
      z = t == 0 ? e : a * z + sqrt(1.0 - a * a) * e;
      sum[t] += TOTAL_SIGMA_W * z;
    }
  }
  for (uint32_t gpu = 0; gpu < gpus; gpu++)
    add_spikes(seed, gpu, ticks, sum);
}

/* One job after the other, which begin and end somewhere within ticks; what is free idles at 60 W. */
static void check_jobs(bool together) {
  enum { POOL = 12, JOBS = 6, TICKS = 4000 };
  static const size_t gpus[JOBS] = {2, 12, 4, 2, 8, 6};
  static const int begin_ms[JOBS] = {0, 20000, 400100, 1500400, 1501000, 1700123};
  static const int end_ms[JOBS] = {15000, 370000, 1400000, 1500450, 1628777, 1960000};
  const char *path = FW_BINARY_DIR "/test_queue_residual_jobs.csv";
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  (void)fprintf(file, "submit_s,gpus,duration_s\n");
  for (size_t i = 0; i < JOBS; i++)
    (void)fprintf(file, "%.3f,%zu,%.3f\n", begin_ms[i] / 1e3, gpus[i], (end_ms[i] - begin_ms[i]) / 1e3);
  (void)fclose(file);
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     HEAD("2000", "0.5", "'budget_w': 9000") ", 'jobs': [{'kind': 'cycle', 'class': 'c', 'phases': "
                                                             "[{'duration_s': 1, 'power_w': 60}]}, {'kind': 'queue', "
                                                             "'class': 'q', 'gpus': %d, 'trace': '%s', " MODEL
                                                             "'residual': '%s', 'phases': "
                                                             "[{'duration_s': 100, 'power_w': 260}]}]}",
                     POOL, path, together ? "together" : "apart");
  series got = run_series(text.data, 11);
  double *wanted = malloc(TICKS * sizeof(double));
  double *residual = malloc(TICKS * sizeof(double));
  cr_assert(wanted != NULL && residual != NULL && got.ticks == TICKS);
  for (size_t t = 0; t < TICKS; t++)
    wanted[t] = 60.0 * (1 + POOL);
  for (size_t i = 0; i < JOBS; i++) {
    const size_t first = (size_t)begin_ms[i] / 500;
    job_residual(seed_of_job(11, 1, i), gpus[i], together, TICKS - first, residual);
    for (size_t t = first; (int)t * 500 < end_ms[i]; t++) {
      const int from = (int)t * 500 > begin_ms[i] ? (int)t * 500 : begin_ms[i];
      const int to = (int)t * 500 + 500 < end_ms[i] ? (int)t * 500 + 500 : end_ms[i];
      wanted[t] += (to - from) / 500.0 * (200.0 * (double)gpus[i] + residual[t - first]);
    }
  }
  /* A GPU's power is rounded to half a milliwatt, and the tick's once more. */
  for (size_t t = 0; t < TICKS; t++)
    cr_assert_float_eq(got.power_w[t], wanted[t], 0.0005 * (POOL + 1) + 1e-6, "tick %zu: %.6f W, expected %.6f", t,
                       got.power_w[t], wanted[t]);
  cr_expect_eq(got.result.clamps.ceiling + got.result.clamps.floor, 0);
  free(wanted);
  free(residual);
  free_series(&got);
  fw_text_clear(&text);
  (void)unlink(path);
}

Test(queue_residual, is_what_the_model_says_drawn_for_each_job) {
  check_jobs(true);
  check_jobs(false);
}

/* ---- Sums under a load that comes and goes ---- */

enum { SEEDS = 12, WINDOWS = 3, FIRST_TICK = 2 * 3600 };
static const size_t window_ticks[WINDOWS] = {1, 20, 120};

/* A queue of 24 GPUs that is busy for 70 %, and often has jobs that wait: M/M/k, with jobs of 2 or 6 GPUs. */
#define LOADED                                                                                                         \
  "{'fleetwatt': 1, 'name': 'q', 'gpu': 'plain-gpu', 'duration_h': 8, 'windows_s': [0.5], 'budget_kw': 12, 'jobs': "   \
  "[{'kind': 'queue', 'class': 'q', 'gpus': 24, 'sizes': [2, 6], 'discipline': '%s', 'interval': {'kind': "            \
  "'exponential', 'mean_s': 23.8095238095}, 'duration': {'kind': 'exponential', 'mean_s': 100}, " MODEL                \
  "'residual': '%s', 'phases': [{'duration_s': 1000, 'power_w': 250}]}]}"

static series run_loaded(const char *discipline, const char *residual, uint64_t seed) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, LOADED, discipline, residual);
  series out = run_series(text.data, seed);
  fw_text_clear(&text);
  return out;
}

static double square_of_window(const double *noise, size_t ticks, size_t window, double mean) {
  double sum = 0.0;
  size_t count = 0;
  for (size_t t = FIRST_TICK; t + window <= ticks; t += window, count++) {
    double total = 0.0;
    for (size_t k = 0; k < window; k++)
      total += noise[t + k] - mean;
    sum += total / (double)window * total / (double)window;
  }
  return sum / (double)count;
}

/* Jobs begin at rate r, whoever waits, and each lasts exponentially long whenever it begins. So r T exp(-k/T) of them
 * are there at both of two ticks that are k apart, and only those add to the covariance of the two: sigma^2 a^k each.
 * The product of the two decays is the decay of one process, whose mean has a known variance (models/residual.h). */
static double expected_variance(double totals, double gpus, size_t window) {
  const double life_s = 100.0;
  const double a = exp(-TICK_S / TOTAL_MEMORY_S) * exp(-TICK_S / life_s);
  const double present = life_s / 23.8095238095;
  double kept = 0.0;
  for (size_t i = 0; i < window; i++)
    for (size_t k = 0; k < window; k++)
      kept += pow(a, fabs((double)i - (double)k));
  const double n = (double)window;
  /* Spikes fall on ticks of their own: E h^2 p - (E h p)^2 for each GPU. */
  const double mark = 2.0 * SPIKE_W * SPIKE_W * SPIKES_PER_TICK - SPIKE_W * SPIKE_W * SPIKES_PER_TICK * SPIKES_PER_TICK;
  return present * (totals * TOTAL_SIGMA_W * TOTAL_SIGMA_W * kept / (n * n) + gpus * mark / n);
}

/* `totals`: the mean over jobs of what the square of the sum of its teams' totals is, in those of one. */
static void check_variance(const char *discipline, const char *residual, double totals) {
  double sum[WINDOWS] = {0};
  double squares[WINDOWS] = {0};
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    series with = run_loaded(discipline, residual, seed);
    series without = run_loaded(discipline, "none", seed);
    double busy = 0.0;
    for (size_t t = 0; t < with.ticks; t++) {
      busy += (without.power_w[t] - 24 * 60.0) / 190.0;
      with.power_w[t] -= without.power_w[t];
    }
    const double spikes_w = busy / (double)with.ticks * SPIKES_PER_TICK * SPIKE_W;
    for (size_t w = 0; w < WINDOWS; w++) {
      const double value = square_of_window(with.power_w, with.ticks, window_ticks[w], spikes_w);
      sum[w] += value / SEEDS;
      squares[w] += value * value / SEEDS;
    }
    free_series(&with);
    free_series(&without);
  }
  for (size_t w = 0; w < WINDOWS; w++) {
    const double wanted = expected_variance(totals, 4.0, window_ticks[w]);
    const double error = sqrt((squares[w] - sum[w] * sum[w]) / (SEEDS - 1));
    /* Five standard errors of 12 seeds (Student: 4 of 10,000 beyond), and 1 % for ticks that jobs begin or end in, of
     * which there is one in 200, and for the spikes' mean, which follows the load. */
    cr_expect_float_eq(sum[w], wanted, 5.0 * error + 0.01 * wanted,
                       "%s, %s, %zu ticks: %.1f +- %.1f W^2, expected %.1f", discipline, residual, window_ticks[w],
                       sum[w], error, wanted);
  }
}

Test(queue_residual, windows_vary_as_autoregressive_sums_do_under_the_load) {
  check_variance("fifo", "together", (1.0 + 9.0) / 2.0); /* one team or three */
  check_variance("fifo", "apart", (1.0 + 3.0) / 2.0);
  check_variance("easy", "apart", (1.0 + 3.0) / 2.0);
}

/* ---- When jobs begin and end is none of its business ---- */

static void expect_same_delay(fw_delay a, fw_delay b) {
  cr_expect_eq(a.mean_s, b.mean_s);
  cr_expect_eq(a.p95_s, b.p95_s);
  cr_expect_eq(a.max_s, b.max_s);
}

#define STRICKEN                                                                                                       \
  HEAD("9000", "0.5, 30", "'budget_w': 4000")                                                                          \
  ", 'jobs': [{'kind': 'queue', 'class': 'q', 'gpus': 8, 'discipline': 'easy', 'sizes': [2, 4, 6], 'interval': "       \
  "{'kind': 'exponential', 'mean_s': 40}, 'duration': {'kind': 'lognormal', 'mean_s': 60, 'cv': 1.2}, 'limit_s': "     \
  "300, "                                                                                                              \
  "'model': 'plain-job', 'residual': '%s', 'phases': [{'duration_s': 9, 'power_w': 300}, {'duration_s': 2.3, "         \
  "'power_w': 120, 'phase': 'gap'}]}], 'events': [{'kind': 'gpu_failures', 'mtbf_s': 1500, 'mttr_s': 40}, "            \
  "{'kind': 'restart', 'at_s': 3000.2, 'down_s': 20}, {'kind': 'restart', 'at_s': 5000.7, 'down_s': 30, "              \
  "'keeps_work': true}]}"

static series run_stricken(const char *residual, uint64_t seed) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, STRICKEN, residual);
  series out = run_series(text.data, seed);
  fw_text_clear(&text);
  return out;
}

Test(queue_residual, leaves_failures_and_backfill_as_they_were) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    series with = run_stricken("together", seed);
    series without = run_stricken("none", seed);
    const fw_service_result *a = &with.result.jobs[0].service;
    const fw_service_result *b = &without.result.jobs[0].service;
    cr_expect_gt(a->thrown_back, 0);
    cr_expect_eq(a->arrived, b->arrived);
    cr_expect_eq(a->finished, b->finished);
    cr_expect_eq(a->killed, b->killed);
    cr_expect_eq(a->thrown_back, b->thrown_back);
    cr_expect_eq(a->utilisation, b->utilisation);
    expect_same_delay(a->wait, b->wait);
    expect_same_delay(a->latency, b->latency);
    /* And nobody draws anything around a level where nobody is: idle and broken GPUs. */
    size_t idle = 0;
    for (size_t t = 0; t < with.ticks; t++) {
      const bool nobody = without.power_w[t] == 8 * 60.0;
      idle += nobody;
      cr_assert(!nobody || with.power_w[t] == 8 * 60.0, "seed %llu, tick %zu", (unsigned long long)seed, t);
    }
    cr_expect_gt(idle, 0);
    free_series(&with);
    free_series(&without);
  }
}

/* The second of two jobs has to wait for the first, for longer and longer: what it then does is always the same. */
Test(queue_residual, a_job_meets_the_same_noise_whenever_it_begins) {
  enum { LONG = 600 };
  const char *path = FW_BINARY_DIR "/test_queue_residual_two.csv";
  double first[LONG] = {0};
  for (size_t round = 0; round < 4; round++) {
    const size_t begins = 2 * (100 + 77 * round); /* ticks */
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    (void)fprintf(file, "submit_s,gpus,duration_s\n0,4,%zu\n1,4,300\n", begins / 2);
    (void)fclose(file);
    fw_text text = FW_TEXT_INIT;
    fw_text_add_format(&text,
                       HEAD("900", "0.5", "'budget_w': 4000") ", 'jobs': [{'kind': 'queue', 'class': 'q', 'gpus': 4, "
                                                              "'trace': '%s', " MODEL "'phases': [{'duration_s': 7, "
                                                              "'phase': 'update'}, {'duration_s': 11}]}]}",
                       path);
    series got = run_series(text.data, 5);
    double changed = 0.0;
    for (size_t t = 0; t < LONG; t++) {
      cr_assert(round == 0 || got.power_w[begins + t] == first[t], "round %zu, tick %zu", round, t);
      first[t] = got.power_w[begins + t];
      changed += fabs(first[t] - got.power_w[t]);
    }
    cr_expect_gt(changed, 0.0); /* the other job's is another */
    free_series(&got);
    fw_text_clear(&text);
  }
  (void)unlink(path);
}

/* ---- The same on many threads ---- */

/* Enough queues that a run shares them out (parallel_from of the scheduler). */
Test(queue_residual, threads_do_not_show) {
  enum { QUEUES = 1100 };
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, HEAD("120", "0.5, 30", "'budget_mw': 1") ", 'jobs': [");
  for (int i = 0; i < QUEUES; i++)
    fw_text_add_format(&text,
                       "%s{'kind': 'queue', 'class': 'q%d', 'gpus': 4, 'sizes': [2, 4], 'interval': {'kind': "
                       "'exponential', 'mean_s': 9}, 'duration': {'kind': 'exponential', 'mean_s': 12}, " MODEL
                       "'residual': '%s', 'phases': [{'duration_s': 3}, {'duration_s': 1, 'phase': 'update'}]}",
                       i > 0 ? ", " : "", i, i % 2 == 0 ? "together" : "apart");
  fw_text_add(&text, "]}");
  fw_scenario *scenario = scenario_from(text.data);
  recorder one;
  recorder four;
  recorder_start(&one);
  recorder_start(&four);
  fw_result a = run_observed(scenario, (fw_run_options){.seed = 2, .threads = 1, .observer = &one.observer});
  fw_result b = run_observed(scenario, (fw_run_options){.seed = 2, .threads = 4, .observer = &four.observer});
  cr_assert_eq(one.tick_count, four.tick_count);
  for (size_t t = 0; t < one.tick_count; t++)
    cr_assert(one.ticks[t].truth == four.ticks[t].truth && one.ticks[t].reading == four.ticks[t].reading, "tick %zu",
              t);
  expect_energy(a.energy, b.energy, "energy");
  fw_result_clear(&a);
  fw_result_clear(&b);
  recorder_free(&one);
  recorder_free(&four);
  fw_scenario_free(scenario);
  fw_text_clear(&text);
}

/* ---- Paces ---- */

static fw_result run_pair(const char *jobs, const char *more, const char *rest) {
  const char *path = FW_BINARY_DIR "/test_queue_residual_pair.csv";
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  (void)fputs(jobs, file);
  (void)fclose(file);
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     HEAD("1200", "0.5", "'budget_w': 4000") ", 'jobs': [{'kind': 'queue', 'class': 'q', 'gpus': 4, "
                                                             "'trace': '%s', 'residual': 'none', %s}]%s}",
                     path, more, rest);
  fw_result result = run_text(text.data);
  fw_text_clear(&text);
  (void)unlink(path);
  return result;
}

#define CAPPED ", 'policies': [{'name': 'capped', 'job': {'kind': 'static', 'power_cap_w': 200}}]"
#define TWO_POWERS "submit_s,gpus,duration_s,power_w\n0,2,100,400\n0,2,100,150\n"

/* A cap of 200 W is commanded at once and enforced 0.25 s later: half of what one job wants, which takes 1.5 times as
 * long in rollout; the other is below it. */
Test(queue_residual, a_cap_slows_each_job_by_its_own_phase_and_power) {
  fw_result result = run_pair(TWO_POWERS, MODEL "'phases': [{'duration_s': 30}]", CAPPED);
  const fw_delay *latency = &result.jobs[0].service.latency;
  const double begins_s = 0.25;
  const double slow_s = begins_s + 1.5 * (100.0 - begins_s);
  cr_expect_float_eq(latency->max_s, slow_s, 1e-8, "%.9f, expected %.9f", latency->max_s, slow_s);
  cr_expect_float_eq(latency->mean_s, 0.5 * (slow_s + 100.0), 1e-8);
  fw_result_clear(&result);
  /* In update twice as long, in a gap as long as ever. */
  result = run_pair(TWO_POWERS, MODEL "'phases': [{'duration_s': 30, 'phase': 'update'}]", CAPPED);
  cr_expect_float_eq(result.jobs[0].service.latency.max_s, begins_s + 2.0 * (100.0 - begins_s), 1e-8);
  fw_result_clear(&result);
}

/* Without a model nobody knows what the phases are: as the job that draws most, in rollout. */
Test(queue_residual, without_a_model_a_cap_slows_all_alike) {
  fw_result result = run_pair(TWO_POWERS, "'phases': [{'duration_s': 30, 'power_w': 300}]", CAPPED);
  cr_expect_float_eq(result.jobs[0].service.latency.mean_s, 0.25 + 1.5 * (100.0 - 0.25), 1e-7);
  fw_result_clear(&result);
}

#define FOUR_JOBS "submit_s,gpus,duration_s\n0,1,100\n0,2,100\n0,1,100\n150,4,100\n"

/* GPU 1 belongs to the second job and, from 150 s on, to the fourth; its straggling ends when that is half done. */
static void check_straggler(const char *more) {
  fw_result result =
      run_pair(FOUR_JOBS, more,
               ", 'events': [{'kind': 'straggler', 'gpu': 1, 'factor': 1.25, 'from_s': 20, 'duration_s': "
               "192.5}]");
  const fw_service_result *service = &result.jobs[0].service;
  /* 20 s as ever, 80 s of work at 1.25; then 62.5 s at 1.25 are 50 s of work, and 50 s are left. */
  cr_expect_eq(service->finished, 4);
  cr_expect_float_eq(service->latency.mean_s, (100.0 + 120.0 + 100.0 + 112.5) / 4.0, 1e-8);
  cr_expect_eq(service->wait.max_s, 0.0);
  cr_expect_float_eq(result.disturbance.held_up_s, 20.0 + 12.5, 1e-7);
  cr_expect_eq(result.disturbance.struck[FW_ADVERSITY_STRAGGLER], 1);
  fw_result_clear(&result);
}

Test(queue_residual, a_straggler_holds_up_the_job_that_is_on_it_and_no_other) {
  check_straggler("'phases': [{'duration_s': 30, 'power_w': 300}]");
  check_straggler(MODEL "'phases': [{'duration_s': 13}, {'duration_s': 5, 'phase': 'update', 'power_w': 200}]");
}

/* What waits for nobody is not held up: a gap of 10 in every 20 s. */
Test(queue_residual, a_straggler_holds_up_work_that_goes_in_step) {
  fw_result result = run_pair(
      "submit_s,gpus,duration_s\n0,2,100\n", MODEL "'phases': [{'duration_s': 10}, {'duration_s': 10, 'phase': 'gap'}]",
      ", 'events': [{'kind': 'straggler', 'gpu': 0, 'factor': 3}, {'kind': 'straggler', 'gpu': 1, 'factor': 2}]");
  cr_expect_float_eq(result.jobs[0].service.latency.mean_s, 50.0 + 3.0 * 50.0, 1e-8);
  fw_result_clear(&result);
}

/* ---- As written ---- */

#define QUEUE(more)                                                                                                    \
  HEAD("100", "1", "'budget_w': 900")                                                                                  \
  ", 'jobs': [{'kind': 'queue', 'class': 'night', 'gpus': 4, 'interval': {'kind': "                                    \
  "'constant', 'mean_s': 9}, 'duration': {'kind': 'constant', 'mean_s': 9}, " more "}]}"

static void expect_said(const char *text, fw_status wanted, const char *message) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_expect_eq(scenario_try(text, NULL, &scenario, &diagnostics), wanted, "%s", text);
  const char *said = all_entries(&diagnostics, buffer);
  if (message == NULL) {
    cr_expect_eq(diagnostics.count, 0, "%s: %s", text, said);
  } else {
    cr_expect_not_null(strstr(said, message), "%s: %s", text, said);
  }
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

#define PLAIN "'phases': [{'duration_s': 9, 'power_w': 100}]"

Test(queue_residual, a_queue_without_one_says_so) {
  expect_said(QUEUE(PLAIN), FW_OK, "the jobs of queue \"night\" have no residual, so peaks");
  expect_said(QUEUE(PLAIN ", 'residual': 'none'"), FW_OK, NULL);
  expect_said(QUEUE(PLAIN ", 'sizes': [2], 'model': 'plain-job'"), FW_OK, NULL);
  expect_said(QUEUE("'sizes': [2], 'model': 'plain-job', 'phases': [{'duration_s': 9, 'phase': 'gap'}]"), FW_OK, NULL);
  expect_said(QUEUE("'sizes': [2], 'model': 'plain-job', 'phases': [{'duration_s': 9, 'concurrency': 17}]"), FW_OK,
              "extrapolated");
}

Test(queue_residual, what_contradicts_itself_is_refused) {
  expect_said(QUEUE(PLAIN ", 'residual': 'apart'"), FW_ERROR_INPUT, "add \"model\"");
  expect_said(QUEUE(PLAIN ", 'model': 'plain-job'"), FW_ERROR_INPUT, "no whole number of jobs of model \"plain-job\"");
  expect_said(QUEUE(PLAIN ", 'model': 'plain-job', 'sizes': [2, 3]"), FW_ERROR_INPUT, "sizes[1]");
  expect_said(QUEUE(PLAIN ", 'model': 'plain-job', 'residual': 'none'"), FW_OK, NULL);
  expect_said(QUEUE(PLAIN ", 'model': 'no-such-job'"), FW_ERROR_INPUT, "no-such-job");
  expect_said(QUEUE("'phases': [{'duration_s': 9}]"), FW_ERROR_INPUT, "add \"power_w\"");
  expect_said(QUEUE("'phases': [{'duration_s': 9, 'power_w': 9, 'phase': 'gap'}]"), FW_ERROR_INPUT,
              "no effect without");
  expect_said(QUEUE("'sizes': [2], 'model': 'plain-job', 'phases': [{'duration_s': 9, 'power_w': 100, 'concurrency': "
                    "4}]"),
              FW_ERROR_INPUT, "has no effect");
}

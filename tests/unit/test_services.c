/* Queues and serving engines against queueing theory, against a second implementation that goes second by second, and
 * against what must hold of any of them: everybody is served once, and Little's law. */
#include <unistd.h>

#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

#include "sim/base/random.h"
#include "sim/study/metric.h"
#include "traces/workload.h"

#define SEEDS 16

/* Mean of a figure over seeds, and its standard error. */
typedef struct estimate {
  double mean;
  double error;
} estimate;

typedef double (*figure)(const fw_service_result *service);

static double mean_wait(const fw_service_result *service) {
  return service->wait.mean_s;
}
static double mean_waiting(const fw_service_result *service) {
  return service->mean_waiting;
}
static double utilisation(const fw_service_result *service) {
  return service->utilisation;
}

/* Every run is held against conservation and, over whole runs, Little's law on the way. */
static void estimate_all(const char *text, const figure *figures, size_t count, estimate *out) {
  double sum[4] = {0};
  double squares[4] = {0};
  fw_scenario *scenario = scenario_from(text);
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    fw_result result = run_seed(scenario, seed);
    const fw_service_result *service = &result.jobs[0].service;
    cr_expect_eq(service->arrived, service->finished + service->killed + service->in_service + service->waiting);
    for (size_t i = 0; i < count; i++) {
      const double value = figures[i](service);
      sum[i] += value;
      squares[i] += value * value;
    }
    fw_result_clear(&result);
  }
  for (size_t i = 0; i < count; i++) {
    out[i].mean = sum[i] / SEEDS;
    out[i].error = sqrt((squares[i] / SEEDS - out[i].mean * out[i].mean) / (SEEDS - 1));
  }
  fw_scenario_free(scenario);
}

/* Five standard errors of 16 seeds: a Student t of 15 degrees is beyond in 1.6 of 10,000 cases; and half a per cent for
 * the empty start, which the warm-up does not wholly take away. */
static void expect_near(estimate got, double wanted, const char *what) {
  cr_expect_float_eq(got.mean, wanted, 5.0 * got.error + 0.005 * wanted, "%s: %g +- %g, expected %g", what, got.mean,
                     got.error, wanted);
}

/* ---- Erlang C ---- */

/* Probability that an arrival waits, of c servers at a load of a = lambda / mu (Erlang, 1917). */
static double erlang_c(int c, double a) {
  double term = 1.0;
  double sum = 1.0;
  for (int k = 1; k < c; k++) {
    term *= a / k;
    sum += term;
  }
  const double last = term * a / c * c / (c - a);
  return last / (sum + last);
}

static void check_erlang(int servers, double load) {
  fw_text text = FW_TEXT_INIT;
  const double service_s = 8.0;
  fw_text_add_format(&text,
                     "{'fleetwatt': 1, 'name': 'q', 'gpu': 'plain-gpu', 'duration_h': 40, 'warmup_h': 2, 'tick_s': 10, "
                     "'windows_s': [10], 'jobs': [{'kind': 'queue', 'class': 'q', 'gpus': %d, 'interval': {'kind': "
                     "'exponential', 'mean_s': %.9g}, 'duration': {'kind': 'exponential', 'mean_s': %g}, 'phases': "
                     "[{'duration_s': 100, 'power_w': 300}]}]}",
                     servers, service_s / (servers * load), service_s);
  static const figure figures[] = {mean_wait, mean_waiting, utilisation};
  estimate got[3];
  estimate_all(text.data, figures, 3, got);
  const double waits = erlang_c(servers, servers * load);
  const double wait_s = waits * service_s / (servers * (1.0 - load));
  expect_near(got[0], wait_s, "mean wait");
  expect_near(got[1], wait_s * servers * load / service_s, "mean queue, by Little's law");
  expect_near(got[2], load, "utilisation");
  fw_text_clear(&text);
}

Test(services, queues_wait_as_erlang_says) {
  check_erlang(1, 0.5);
  check_erlang(1, 0.7);
  check_erlang(4, 0.7);
  check_erlang(16, 0.8);
}

/* ---- Pollaczek and Khinchine ---- */

/* An engine that answers one request at a time: prompts of 100 tokens at 0.5 ms, tokens at 21 ms, the first of an
 * answer with its prompt. */
static void check_single_server(double cv, double load) {
  const double fixed_s = 100 * 0.0005 - 0.021;
  const double tokens_s = 200 * 0.021;
  const double mean_s = fixed_s + tokens_s;
  const double square = mean_s * mean_s + cv * cv * tokens_s * tokens_s;
  const double rate = load / mean_s;
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     "{'fleetwatt': 1, 'name': 's', 'gpu': 'plain-gpu', 'duration_h': 12, 'warmup_h': 1, 'windows_s': "
                     "[10], 'jobs': [{'kind': 'serving', 'class': 's', 'model': 'plain-job', 'concurrency': 1, "
                     "'interval': {'kind': 'exponential', 'mean_s': %.9g}, 'context_mean': 100, 'output_mean': 200, "
                     "'output_cv': %g}]}",
                     1.0 / rate, cv);
  static const figure figures[] = {mean_wait, mean_waiting, utilisation};
  estimate got[3];
  estimate_all(text.data, figures, 3, got);
  /* Lengths are whole tokens: that moves the moments by less than a thousandth. */
  expect_near(got[0], rate * square / (2.0 * (1.0 - load)), "mean wait");
  expect_near(got[1], rate * rate * square / (2.0 * (1.0 - load)), "mean queue");
  expect_near(got[2], load, "utilisation");
  fw_text_clear(&text);
}

Test(services, an_engine_with_one_place_waits_as_pollaczek_and_khinchine_say) {
  check_single_server(0.0, 0.6); /* M/D/1 */
  check_single_server(0.5, 0.6);
  check_single_server(1.0, 0.5);
}

/* ---- A queue, second by second ---- */

typedef struct task {
  int submit, gpus, length, limit;
  int begun, end; /* -1: not yet */
} task;

#define TASKS 40
#define POOL 8

static int estimate_of(const task *one) {
  return one->limit > 0 ? one->limit : one->length;
}

static int free_at(const task *tasks, int now, int time) {
  int free_gpus = POOL;
  for (int i = 0; i < TASKS; i++) {
    const bool running = tasks[i].begun >= 0 && tasks[i].end < 0;
    if (running && (time == now || tasks[i].begun + estimate_of(&tasks[i]) > time)) free_gpus -= tasks[i].gpus;
  }
  return free_gpus;
}

/* When `head` could begin if nobody else did. */
static int earliest(const task *tasks, const task *head, int now) {
  int time = now;
  while (free_at(tasks, now, time) < head->gpus)
    time++;
  return time;
}

static bool may_pass(task *tasks, task *one, const task *head, int now) {
  if (free_at(tasks, now, now) < one->gpus) return false;
  const int before = earliest(tasks, head, now);
  one->begun = now;
  const bool harmless = earliest(tasks, head, now) <= before;
  one->begun = -1;
  return harmless;
}

static void begin_tasks(task *tasks, int now, bool easy) {
  const task *head = NULL;
  for (int i = 0; i < TASKS; i++) {
    task *one = &tasks[i];
    if (one->submit > now || one->begun >= 0) continue;
    const bool first = head == NULL;
    if (first ? free_at(tasks, now, now) >= one->gpus : easy && may_pass(tasks, one, head, now)) {
      one->begun = now;
    } else if (first) {
      head = one;
    }
  }
}

/* GPUs in use in each second. */
static void play(task *tasks, bool easy, int *busy, int seconds) {
  for (int now = 0; now < seconds; now++) {
    for (int i = 0; i < TASKS; i++) {
      const int ran = now - tasks[i].begun;
      const bool running = tasks[i].begun >= 0 && tasks[i].end < 0;
      if (running && (ran >= tasks[i].length || (tasks[i].limit > 0 && ran >= tasks[i].limit))) tasks[i].end = now;
    }
    begin_tasks(tasks, now, easy);
    busy[now] = POOL - free_at(tasks, now, now);
  }
}

static void draw_tasks(uint64_t number, task *tasks, const char *path) {
  const fw_stream luck = fw_stream_make(number, FW_DRAW_TEST, 0);
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  (void)fprintf(file, "submit_s,gpus,duration_s,limit_s\n");
  int submit = 0;
  for (uint64_t i = 0; i < TASKS; i++) {
    submit += (int)fw_random_below(luck, 4 * i, 12);
    tasks[i] = (task){.submit = submit,
                      .gpus = 1 + (int)fw_random_below(luck, 4 * i + 1, POOL),
                      .length = 1 + (int)fw_random_below(luck, 4 * i + 2, 30),
                      .begun = -1,
                      .end = -1};
    tasks[i].limit = (int)fw_random_below(luck, 4 * i + 3, 3) == 0 ? 1 + (int)fw_random_below(luck, 400 + i, 40) : 0;
    (void)fprintf(file, "%d,%d,%d,", tasks[i].submit, tasks[i].gpus, tasks[i].length);
    (void)fprintf(file, tasks[i].limit > 0 ? "%d\n" : "\n", tasks[i].limit);
  }
  (void)fclose(file);
}

static void check_replay(uint64_t number, bool easy) {
  enum { SECONDS = 2000 };
  task tasks[TASKS];
  int busy[SECONDS];
  const char *path = FW_BINARY_DIR "/test_services_jobs.csv";
  draw_tasks(number, tasks, path);
  play(tasks, easy, busy, SECONDS);
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     HEAD("2000", "1", "'budget_w': 700") ", 'jobs': [{'kind': 'queue', 'class': 'q', 'gpus': %d, "
                                                          "'discipline': '%s', 'trace': '%s', 'phases': "
                                                          "[{'duration_s': 7, 'power_w': 160}]}]}",
                     POOL, easy ? "easy" : "fifo", path);
  fw_scenario *scenario = scenario_from(text.data);
  recorder series;
  recorder_start(&series);
  fw_result result = run_observed(scenario, (fw_run_options){.seed = 1, .observer = &series.observer});
  for (size_t t = 0; t < series.tick_count; t++)
    cr_assert_eq(series.ticks[t].truth, (POOL * 60 + busy[t / 2] * 100) * FW_MW_PER_W, "trace %llu, second %zu",
                 (unsigned long long)number, t / 2);
  double wait = 0.0;
  double time = 0.0;
  uint64_t killed = 0;
  uint64_t finished = 0;
  for (int i = 0; i < TASKS; i++) {
    cr_assert(tasks[i].end >= 0);
    const bool done = tasks[i].end - tasks[i].begun == tasks[i].length;
    wait += tasks[i].begun - tasks[i].submit;
    time += done ? tasks[i].end - tasks[i].submit : 0;
    finished += done;
    killed += !done;
  }
  const fw_service_result *service = &result.jobs[0].service;
  cr_expect_eq(service->arrived, TASKS);
  cr_expect_eq(service->finished, finished);
  cr_expect_eq(service->killed, killed);
  /* Sums of whole seconds are exact; one division rounds. */
  cr_expect_float_eq(service->wait.mean_s, wait / TASKS, 1e-9);
  cr_expect_float_eq(service->latency.mean_s, time / (double)finished, 1e-9);
  fw_result_clear(&result);
  recorder_free(&series);
  fw_scenario_free(scenario);
  fw_text_clear(&text);
  (void)unlink(path);
}

Test(services, a_queue_is_what_it_is_second_by_second) {
  for (uint64_t number = 0; number < 60; number++) {
    check_replay(number, false);
    check_replay(number, true);
  }
}

/* ---- Requests, one by one ---- */

/* A batch of requests that arrive together: 8 prompts are read in one go, then tokens come in step; each departure
 * makes the others faster. */
Test(services, requests_that_arrive_together_are_decoded_in_step) {
  const char *path = FW_BINARY_DIR "/test_services_requests.csv";
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  (void)fprintf(file, "t_s,context_tokens,generated_tokens\n");
  for (int i = 0; i < 8; i++)
    (void)fprintf(file, "10.0,%d,%d\n", 100 + 10 * i, 50 * (i + 1));
  (void)fclose(file);
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     HEAD("100", "1", "'budget_w': 700") ", 'jobs': [{'kind': 'serving', 'class': 's', 'model': "
                                                         "'plain-job', 'concurrency': 8, 'trace': '%s'}]}",
                     path);
  fw_result result = run_text(text.data);
  const fw_service_result *service = &result.jobs[0].service;
  const double read_s = 0.0005 * (8 * 100 + 10 * 28);
  double now = read_s;
  double latency = 0.0;
  int tokens = 0;
  for (int left = 8; left >= 1; left--) {
    const int more = left == 8 ? 49 : 50;
    now += more * (0.020 + 0.001 * left);
    latency += now;
    tokens += 50 * (9 - left);
  }
  cr_expect_eq(service->finished, 8);
  cr_expect_eq(service->wait.max_s, 0.0);
  /* Blocks are whole nanoseconds. */
  cr_expect_float_eq(service->first_token.mean_s, read_s, 1e-8);
  cr_expect_float_eq(service->latency.mean_s, latency / 8.0, 1e-7);
  cr_expect_eq(service->finished_tokens, tokens);
  cr_expect_eq(result.tokens, tokens);
  fw_result_clear(&result);
  fw_text_clear(&text);
  (void)unlink(path);
}

/* What is decoded is counted once, whole: whatever arrives in the middle of a token, is cut by decisions or waits. */
Test(services, tokens_are_those_of_the_answers) {
  fw_result result = run_text(
      HEAD("4000", "1", "'budget_w': 700") ", 'jobs': [{'kind': 'serving', 'class': 's', 'model': 'plain-job', "
                                           "'concurrency': 8, 'requests': 400, 'interval': {'kind': 'gamma', 'mean_s': "
                                           "4, 'cv': 2}, 'context_mean': 300, 'context_cv': 1, 'output_mean': 120, "
                                           "'output_cv': 1, 'decision_s': 0.7}]}");
  const fw_service_result *service = &result.jobs[0].service;
  cr_expect_eq(service->finished, 400);
  cr_expect_eq(result.tokens, service->finished_tokens);
  /* Little's law over a run at whose ends nobody is there: the integral of those present is the sum of their times. */
  const double present = (service->mean_in_service + service->mean_waiting) * 4000.0;
  cr_expect_float_eq(present, service->latency.mean_s * 400.0, 1e-6);
  fw_result_clear(&result);
}

/* Half the speed under a cap: twice the time, and never more power than the cap leaves. */
Test(services, a_cap_slows_the_jobs_of_a_queue) {
#define CAPPED_QUEUE(policy)                                                                                           \
  HEAD("2000", "1", "'budget_w': 8000")                                                                                \
  ", 'jobs': [{'kind': 'queue', 'class': 'q', 'jobs': 4, 'interval': {'kind': 'constant', 'mean_s': 500}, "            \
  "'duration': "                                                                                                       \
  "{'kind': 'constant', 'mean_s': 100}, 'phases': [{'duration_s': 100, 'power_w': 400}]}], 'policies': [{'name': "     \
  "'p'" policy "}]}"
  fw_result free_run = run_text(CAPPED_QUEUE(""));
  fw_result capped = run_text(CAPPED_QUEUE(", 'job': {'kind': 'static', 'power_cap_w': 200}"));
  cr_expect_float_eq(free_run.jobs[0].service.latency.mean_s, 100.0, 1e-9);
  /* Rollout at a ratio of 0.5 takes 1.5 times as long (plain-gpu); the first quarter of a second passes uncapped. */
  cr_expect_float_eq(capped.jobs[0].service.latency.mean_s, 150.0, 0.2);
  fw_result_clear(&free_run);
  fw_result_clear(&capped);
}

/* A restart throws the running job back to its beginning: 40 s lost, 10 s down. */
Test(services, a_restart_begins_running_jobs_again) {
  fw_result result = run_text(HEAD(
      "1000", "1", "'budget_w': 8000") ", 'jobs': [{'kind': 'queue', 'class': 'q', 'jobs': 2, 'interval': {'kind': "
                                       "'constant', 'mean_s': 20}, 'duration': {'kind': 'constant', 'mean_s': "
                                       "100}, 'phases': [{'duration_s': 100, 'power_w': 400}]}], 'events': "
                                       "[{'kind': 'restart', 'at_s': 40, 'down_s': 10}]}");
  const fw_service_result *service = &result.jobs[0].service;
  cr_expect_eq(service->finished, 2);
  cr_expect_eq(service->latency.max_s, 230.0, "%g", service->latency.max_s); /* from 20 s to 250 s */
  expect_energy(result.energy, joules(40 * 400 + 200 * 400 + 760 * 60), "idle while down and after");
  fw_result_clear(&result);
}

/* Two jobs of 100 s on two GPUs each of a queue of four. GPU 0 fails after 40 s for 100 s: the first job begins again
 * on GPUs 1 and ... there is none beside it, so at 100 s, when the second has ended. */
Test(services, a_gpu_that_fails_throws_its_job_back) {
  fw_result result = run_text(
      HEAD("1000", "1", "'budget_w': 8000") ", 'jobs': [{'kind': 'queue', 'class': 'q', 'gpus': 4, 'jobs': 2, 'sizes': "
                                            "[2], 'interval': {'kind': 'constant', 'mean_s': 0}, 'duration': {'kind': "
                                            "'constant', 'mean_s': 100}, 'phases': [{'duration_s': 100, 'power_w': "
                                            "400}]}], 'events': [{'kind': 'gpu_failure', 'at_s': 40, 'gpu': 0, "
                                            "'repair_s': 100, 'down_power_w': 10}]}");
  const fw_service_result *service = &result.jobs[0].service;
  cr_expect_eq(service->finished, 2);
  cr_expect_eq(service->thrown_back, 1);
  cr_expect_eq(service->wait.max_s, 0.0);
  cr_expect_eq(service->latency.max_s, 200.0, "%g", service->latency.max_s);
  cr_expect_eq(result.jobs[0].disturbance.struck[FW_ADVERSITY_GPU_FAILURE], 1);
  /* 480 GPU seconds at 400 W, 100 at 10 W, the rest of 4,000 idle. */
  expect_energy(result.energy, joules(480 * 400 + 100 * 10 + (4000 - 580) * 60), "all of it");
  fw_result_clear(&result);
}

/* ---- Faults ---- */

static void expect_refused(const char *job, const char *message) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, HEAD("100", "1", "'budget_w': 400") ", 'jobs': [%s]}", job);
  fw_scenario *scenario = NULL;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_expect_neq(scenario_try(text.data, NULL, &scenario, &diagnostics), FW_OK, "%s", job);
  const char *said = all_entries(&diagnostics, buffer);
  cr_expect_not_null(strstr(said, message), "%s: %s", job, said);
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&text);
}

Test(services, faults_are_named) {
#define PHASES "'phases': [{'duration_s': 1, 'power_w': 100}]"
#define EVERY "'interval': {'kind': 'constant', 'mean_s': 1}"
#define LONG "'duration': {'kind': 'constant', 'mean_s': 1}"
  expect_refused("{'kind': 'queue', 'class': 'q', " PHASES "}", "\"interval\"");
  expect_refused("{'kind': 'queue', 'class': 'q', " EVERY ", " PHASES "}", "\"duration\"");
  expect_refused("{'kind': 'queue', 'class': 'q', " EVERY ", " LONG ", 'sizes': [2], " PHASES "}", "never fits");
  expect_refused("{'kind': 'queue', 'class': 'q', 'gpus': 4, " EVERY ", " LONG ", 'sizes': [2.5], " PHASES "}",
                 "whole number");
  expect_refused("{'kind': 'queue', 'class': 'q', 'gpus': 4, " EVERY ", " LONG
                 ", 'sizes': [2], 'weights': [1, 2], " PHASES "}",
                 "one weight for each");
  expect_refused("{'kind': 'queue', 'class': 'q', 'interval': {'kind': 'constant', 'mean_s': 0}, " LONG ", " PHASES "}",
                 "never let time advance");
  expect_refused("{'kind': 'queue', 'class': 'q', " EVERY ", " LONG ", 'phases': [{'duration_s': 0, 'power_w': 1}]}",
                 "less than 1 ms");
  expect_refused("{'kind': 'queue', 'class': 'q', 'trace': 'no-such.csv', " PHASES "}", "no-such.csv");
  expect_refused(
      "{'kind': 'queue', 'class': 'q', 'interval': {'kind': 'hyperexponential', 'mean_s': 1, 'cv': 0.5}, " LONG
      ", " PHASES "}",
      "cv");
  expect_refused("{'kind': 'serving', 'class': 's', 'model': 'plain-job', " EVERY "}", "\"context_mean\"");
  expect_refused("{'kind': 'serving', 'class': 's', 'model': 'plain-job', 'trace': 'x.csv', 'output_mean': 3}",
                 "a trace says itself");
}

static void expect_bad_file(const char *content, bool requests, const char *message) {
  const char *path = FW_BINARY_DIR "/test_services_bad.csv";
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  (void)fputs(content, file);
  (void)fclose(file);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_requests asked = {0};
  fw_submissions handed_in = {0};
  char buffer[2000];
  const fw_status status =
      requests ? fw_requests_read(path, &asked, &diagnostics) : fw_submissions_read(path, &handed_in, &diagnostics);
  cr_expect_eq(status, FW_ERROR_INPUT, "%s", content);
  const char *said = all_entries(&diagnostics, buffer);
  cr_expect_not_null(strstr(said, message), "%s: %s", content, said);
  fw_diagnostics_clear(&diagnostics);
  (void)unlink(path);
}

Test(services, faults_in_traces_are_named_with_their_line) {
  expect_bad_file("", true, "empty");
  expect_bad_file("t_s,context_tokens\n1,2\n", true, "generated_tokens");
  expect_bad_file("t_s,context_tokens,generated_tokens\n", true, "no rows");
  expect_bad_file("t_s,context_tokens,generated_tokens\n1,2,3\n0.5,2,3\n", true, ":3:");
  expect_bad_file("t_s,context_tokens,generated_tokens\n1,2,0\n", true, "generated_tokens");
  expect_bad_file("t_s,context_tokens,generated_tokens\n1,2.5,1\n", true, "context_tokens");
  expect_bad_file("t_s,context_tokens,generated_tokens\n-1,2,1\n", true, "below 0");
  expect_bad_file("t_s,context_tokens,generated_tokens\n1,,1\n", true, "context_tokens");
  expect_bad_file("submit_s,gpus\n1,2\n", false, "one of the two");
  expect_bad_file("submit_s,gpus,duration_s,steps\n1,2,3,4\n", false, "one of the two");
  expect_bad_file("submit_s,gpus,duration_s\n1,0,3\n", false, "gpus");
  expect_bad_file("submit_s,gpus,duration_s\n1,1,-3\n", false, "below 0");
  expect_bad_file("submit_s,gpus,duration_s,power_w\n1,1,3,0\n", false, "power_w");
}

/* ---- As metrics ---- */

Test(services, metrics_are_those_of_the_slowest_queue) {
  fw_result result = run_text(HEAD(
      "900", "1", "'budget_w': 8000") ", 'jobs': [{'kind': 'queue', 'class': 'q', 'jobs': 3, 'interval': {'kind': "
                                      "'constant', 'mean_s': 10}, 'duration': {'kind': 'constant', 'mean_s': 100}, "
                                      "'phases': [{'duration_s': 100, 'power_w': 400}]}, {'kind': 'queue', "
                                      "'class': 'r', 'jobs': 2, 'interval': {'kind': 'constant', 'mean_s': 300}, "
                                      "'duration': {'kind': 'constant', 'mean_s': 290}, 'phases': [{'duration_s': "
                                      "100, 'power_w': 400}]}]}");
  double values[FW_METRIC_SLOTS];
  fw_metric_extract(&result, values);
  cr_expect_eq(values[fw_metric_slot(FW_METRIC_SERVED, 0)], 5.0);
  cr_expect_eq(values[fw_metric_slot(FW_METRIC_WAIT_MEAN_S, 0)], 90.0); /* 0, 90 and 180 s in the first */
  cr_expect_eq(values[fw_metric_slot(FW_METRIC_WAIT_P95_S, 0)], 180.0);
  cr_expect_eq(values[fw_metric_slot(FW_METRIC_LATENCY_P95_S, 0)], 290.0); /* in the second */
  cr_expect(isnan(values[fw_metric_slot(FW_METRIC_FIRST_TOKEN_P95_S, 0)]));
  cr_expect_eq(values[fw_metric_slot(FW_METRIC_DOWN_S, 0)], 0.0);
  fw_result_clear(&result);
}

/* The simulated violation rate against its closed form.
 *
 * A job of constant level m whose residual is a Gaussian AR(1) of standard deviation s and memory t: the mean over a
 * window is Gaussian about m, with a variance that is a double sum over the autocorrelations of its ticks. So the share
 * of windows above a budget b is Phi((m - b) / s_W). The simulated rates of independent runs must scatter about it as
 * Student's t says. */
#include <gsl/gsl_cdf.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/random_scenario.h"
#include "tests/scenario_fixture.h"

#define SETS 20
#define RUNS 24 /* independent replications of each set */
#define WINDOWS 4
#define TICK_S 0.5
#define DURATION_S 6000

/* 0.75 s is one tick and a half. */
static const double windows_s[WINDOWS] = {0.5, 0.75, 4.0, 12.5};

typedef struct parameters {
  double mean_w; /* of one job */
  double sigma_w;
  double memory_s;
  unsigned gpus;
  unsigned jobs;
  double budget_w;
} parameters;

static double between(dice *d, double low, double high) {
  return low + (high - low) * (double)roll(d, 1000001) / 1e6;
}

/* Budgets within 0.6 standard deviations of one tick, so that no rate is near 0 or 1 at any window. */
static parameters draw(dice *d) {
  parameters p = {.gpus = 1 + roll(d, 4), .jobs = 1 + roll(d, 3)};
  p.mean_w = (double)p.gpus * between(d, 220.0, 300.0);
  p.sigma_w = (double)p.gpus * between(d, 5.0, 20.0); /* eight of them and more from the limits of the board */
  p.memory_s = between(d, 0.4, 5.0);
  p.budget_w = p.mean_w * p.jobs + between(d, -0.6, 0.6) * p.sigma_w * sqrt(p.jobs);
  return p;
}

/* Variance of the mean over a window of a standardised AR(1), by its definition: sum of w_i w_j a^|i - j|, where the
 * oldest tick weighs what the window holds of it. */
static double mean_variance(double window_s, double memory_s) {
  const double lag1 = exp(-TICK_S / memory_s);
  const int ticks = (int)ceil(window_s / TICK_S);
  double sum = 0.0;
  for (int i = 0; i < ticks; i++) {
    for (int j = 0; j < ticks; j++) {
      const double wi = (i == 0 ? window_s - TICK_S * (ticks - 1) : TICK_S) / window_s;
      const double wj = (j == 0 ? window_s - TICK_S * (ticks - 1) : TICK_S) / window_s;
      sum += wi * wj * pow(lag1, abs(i - j));
    }
  }
  return sum;
}

static double closed_form(const parameters *p, double window_s) {
  const double sigma_w = p->sigma_w * sqrt(p->jobs * mean_variance(window_s, p->memory_s));
  return gsl_cdf_ugaussian_P((p->mean_w * p->jobs - p->budget_w) / sigma_w);
}

/* A job without gaps, prefill or update, whose completions outlast the run: its level never moves. */
static void write_model(const parameters *p, const char *path) {
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "{'fleetwatt_job': 1, 'id': 'flat', 'gpu': 'plain-gpu', 'gpus': %u, 'sharding': '%s', "
                 "'batching': 'static', 'tick_s': 0.5, 'timing': {'token_base_s': 1, 'token_per_sequence_s': 0, "
                 "'prefill_per_token_s': 0, 'batch_gap_s': 0, 'step_gap_s': 0, 'update_base_s': 0, "
                 "'update_per_token_s': 0}, 'levels': {'rollout': {'kind': 'constant', 'p_w': %.9f}, 'prefill_w': 0, "
                 "'gap_w': 0, 'update_w': 0, 'load_w': 0}, 'residual': {'total_memory_s': %.9f, 'rollout': {'total': "
                 "{'kind': 'gaussian', 'sigma_w': %.9f}}}, 'workload': {'prompts': 1, 'group_size': 1, 'concurrency': "
                 "1, 'completion_limit': 1000000, 'completion_mean': 1000000, 'completion_cv': 0, 'prompt_tokens': 0}, "
                 "'support': {'concurrency_min': 1, 'concurrency_max': 1}, 'provenance': {'source': 'a test'}}",
                 p->gpus, p->gpus == 1 ? "single" : "tensor", p->mean_w / p->gpus, p->memory_s, p->sigma_w);
  char *json = with_quotes(text);
  cr_assert_eq(fw_file_write(path, json, strlen(json), NULL), FW_OK);
  free(json);
}

static fw_scenario *make_scenario(const parameters *p, const char *folder) {
  char path[128];
  char text[1000];
  (void)snprintf(path, sizeof path, "%s/flat.json", folder);
  write_model(p, path);
  (void)snprintf(
      text, sizeof text,
      "{'fleetwatt': 1, 'name': 'flat', 'gpu': 'plain-gpu', 'duration_s': %d, 'windows_s': [0.5, 0.75, 4, "
      "12.5], 'budget_w': %.9f, 'jobs': [{'kind': 'grpo', 'class': 'flat', 'model': '%s/flat', 'count': %u}]}",
      DURATION_S, p->budget_w, folder, p->jobs);
  fw_scenario *scenario = scenario_from(text);
  (void)unlink(path);
  return scenario;
}

/* (mean - wanted) in standard errors of the mean. */
static double score(const double *rates, double wanted) {
  double sum = 0.0;
  double squares = 0.0;
  for (size_t i = 0; i < RUNS; i++)
    sum += rates[i];
  const double mean = sum / RUNS;
  for (size_t i = 0; i < RUNS; i++)
    squares += (rates[i] - mean) * (rates[i] - mean);
  return (mean - wanted) / sqrt(squares / (RUNS - 1) / RUNS);
}

static void run_set(const fw_scenario *scenario, uint64_t set, double rates[WINDOWS][RUNS]) {
  for (uint64_t run = 0; run < RUNS; run++) {
    fw_result result = run_seed(scenario, set * 1000 + run);
    cr_assert_eq(result.clamps.floor + result.clamps.ceiling, 0);
    for (size_t w = 0; w < WINDOWS; w++) {
      rates[w][run] = result.windows[w].violation_rate;
      cr_assert_eq(result.sensed[w].violation_rate, rates[w][run]); /* this sensor reads the truth */
    }
    fw_result_clear(&result);
  }
}

/* Of 80 scores, Student's law puts 5 beyond 1.96, and one beyond 4 in 4 % of such tests; the seeds are fixed. */
Test(closed_form, violation_rates_of_a_gaussian_residual) {
  char folder[] = "/tmp/fleetwatt-closed-form-XXXXXX";
  cr_assert_not_null(mkdtemp(folder));
  dice d = {.state = 7};
  size_t near = 0;
  for (uint64_t set = 0; set < SETS; set++) {
    const parameters p = draw(&d);
    double rates[WINDOWS][RUNS];
    fw_scenario *scenario = make_scenario(&p, folder);
    run_set(scenario, set, rates);
    for (size_t w = 0; w < WINDOWS; w++) {
      const double wanted = closed_form(&p, windows_s[w]);
      const double z = score(rates[w], wanted);
      cr_expect_lt(fabs(z), 4.0, "set %d, window %g s: expected %g, off by %g standard errors", (int)set, windows_s[w],
                   wanted, z);
      near += fabs(z) < 1.96;
    }
    fw_scenario_free(scenario);
  }
  (void)rmdir(folder);
  cr_expect_geq(near, 70, "only %zu of %d within 1.96 standard errors", near, SETS * WINDOWS);
}

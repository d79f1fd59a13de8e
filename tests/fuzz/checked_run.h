/* What must hold of any run of any scenario, whatever befalls it. */
#ifndef FW_TESTS_FUZZ_CHECKED_RUN_H
#define FW_TESTS_FUZZ_CHECKED_RUN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/fleet/digest.h"
#include "sim/fleet/run.h"

typedef struct run_watch {
  const fw_scenario *scenario;
  fw_time_ns last_tick;
  fw_time_ns last_event;
  fw_energy_pj energy; /* of the ticks behind the warm-up */
  double *tokens;      /* of each job so far */
} run_watch;

#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                                   \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

static inline void watch_tick(void *context, const fw_sim_tick *tick) {
  run_watch *watch = context;
  fw_power_mw jobs = 0;
  REQUIRE(tick->end == watch->last_tick + watch->scenario->tick);
  REQUIRE(tick->truth >= 0 && tick->reading >= 0 && tick->budget >= 0);
  for (size_t j = 0; j < tick->job_count; j++) {
    REQUIRE(tick->job_truth[j] >= 0 && tick->job_reading[j] >= 0);
    jobs += tick->job_truth[j];
  }
  REQUIRE(jobs <= tick->truth + (fw_power_mw)tick->job_count + 1); /* each is rounded to 1 mW; the rest is idle */
  watch->last_tick = tick->end;
  watch->energy += tick->end > watch->scenario->warmup ? fw_energy_of(tick->truth, watch->scenario->tick) : 0;
}

/* Tokens never fall, but where an event of the scenario takes some back. */
static inline void watch_event(void *context, const fw_sim_event *event) {
  run_watch *watch = context;
  REQUIRE(event->time >= watch->last_event && event->time <= watch->scenario->duration);
  REQUIRE(event->job < watch->scenario->job_count);
  watch->last_event = event->time;
  if (event->kind == FW_SIM_ACTUATOR || event->time <= watch->scenario->warmup) return;
  REQUIRE(event->value >= watch->tokens[event->job] || watch->scenario->adversity_count > 0 ||
          watch->scenario->electrical.has_breaker);
  watch->tokens[event->job] = event->value;
}

/* Domains of a level that covers the fleet come to the site, to the last picojoule. */
static inline void check_domains(const fw_result *result) {
  fw_energy_pj sums[FW_DOMAIN_SITE + 1] = {0};
  size_t counts[FW_DOMAIN_SITE + 1] = {0};
  for (size_t i = 0; i < result->domain_count; i++) {
    const fw_domain_result *domain = &result->domains[i];
    REQUIRE(domain->energy >= 0);
    sums[domain->level] += domain->energy;
    counts[domain->level]++;
  }
  REQUIRE(counts[FW_DOMAIN_SITE] == 1);
  for (int level = FW_DOMAIN_NODE; level <= FW_DOMAIN_SITE; level++)
    REQUIRE(counts[level] == 0 || sums[level] == result->energy);
}

/* A mean over twice the time is never above the highest of its halves. Not after a warm-up: long windows reach back
 * into it, short ones do not. */
static inline void check_windows(const fw_scenario *scenario, const fw_result *result) {
  for (size_t a = 0; a < result->window_count; a++) {
    const fw_window_result *one = &result->windows[a];
    REQUIRE(isnan(one->violation_rate) || (one->violation_rate >= 0.0 && one->violation_rate <= 1.0));
    REQUIRE(isnan(one->peak_w) || (one->peak_w >= one->p50_w * (1.0 - 1e-9) && one->peak_w >= 0.0));
    for (size_t b = 0; b < result->window_count && scenario->warmup == 0; b++) {
      const fw_window_result *longer = &result->windows[b];
      REQUIRE(longer->window % one->window != 0 || isnan(longer->peak_w) || longer->peak_w <= one->peak_w);
    }
  }
}

static inline void check_result(const fw_scenario *scenario, const fw_result *result, const run_watch *watch) {
  REQUIRE(watch->last_tick == scenario->duration);
  REQUIRE(result->tokens >= 0 && result->energy >= 0 && result->measured == scenario->duration - scenario->warmup);
  const fw_energy_pj off =
      watch->energy > result->energy ? watch->energy - result->energy : result->energy - watch->energy;
  REQUIRE(off <= (fw_energy_pj)result->measured); /* each tick's power is rounded to 1 mW */
  check_domains(result);
  check_windows(scenario, result);
}

/* One run with everything watched; its digest. A scenario that was read runs: whatever can be wrong with it is refused
 * before. */
static inline uint64_t checked_run(const fw_scenario *scenario, size_t policy, unsigned threads) {
  run_watch watch = {.scenario = scenario, .tokens = calloc(scenario->job_count, sizeof(double))};
  if (watch.tokens == NULL) abort();
  const fw_sim_observer observer = {&watch, watch_tick, watch_event};
  fw_digest digest;
  fw_digest_start(&digest, &observer);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_result result = {0};
  const fw_run_options options = {
      .policy = policy, .seed = scenario->seed, .threads = threads, .observer = &digest.observer, .all_domains = true};
  const fw_status status = fw_run(scenario, &options, &result, &diagnostics);
  for (size_t i = 0; status != FW_OK && i < diagnostics.count; i++)
    fprintf(stderr, "%s\n", diagnostics.entries[i].message);
  REQUIRE(status == FW_OK && diagnostics.error_count == 0);
  check_result(scenario, &result, &watch);
  fw_result_clear(&result);
  fw_diagnostics_clear(&diagnostics);
  free(watch.tokens);
  return digest.hash;
}

#endif

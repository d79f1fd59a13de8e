/* Bytes as the dice that make a sound scenario, which then runs under every policy with all its invariants watched, on
 * one thread and on four. */
#ifndef FW_TESTS_FUZZ_RANDOM_RUNS_H
#define FW_TESTS_FUZZ_RANDOM_RUNS_H

#include "tests/fuzz/checked_run.h"
#include "tests/fuzz/table_scenario.h"

#define TICKS_MOST 4000
#define GPUS_MOST ((size_t)4000)
#define SEQUENCES_MOST 4000
#define CYCLE_LEAST (20 * FW_NS_PER_MS)

/* Whether arrivals are few enough: bursts of the other laws have no least interval. */
static inline bool is_slow(const fw_time_law *law) {
  return law->mean >= CYCLE_LEAST && law->cv <= 2.0;
}

static inline bool is_slow_queue(const fw_queue_spec *queue) {
  return queue == NULL || (queue->round >= CYCLE_LEAST && is_slow(&queue->interval));
}

/* What would take long is no fault, and is left out. */
static inline bool is_small_job(const fw_scenario_job *job) {
  fw_time_ns cycle = 0;
  for (size_t i = 0; i < job->cycle_count; i++)
    cycle += job->cycle[i].duration;
  const bool steps = job->kind == FW_JOB_GRPO;
  return (!steps || job->workload.prompts * job->workload.group_size <= SEQUENCES_MOST) &&
         (job->kind != FW_JOB_CYCLE || cycle >= CYCLE_LEAST) && is_slow_queue(job->queue) &&
         (job->serving == NULL || is_slow(&job->serving->interval));
}

static inline bool is_small(const fw_scenario *scenario) {
  bool small = scenario->duration / scenario->tick <= TICKS_MOST && scenario->topology.gpus <= GPUS_MOST;
  for (size_t j = 0; small && j < scenario->job_count; j++)
    small = is_small_job(&scenario->jobs[j]);
  return small;
}

static inline void check_random_runs(const uint8_t *data, size_t size) {
  dice d = {.state = size, .bytes = data, .left = size};
  fw_text shown = FW_TEXT_INIT;
  fw_scenario *scenario = table_scenario(&d, &shown);
  for (size_t policy = 0; policy < scenario->policy_count && is_small(scenario); policy++) {
    if (checked_run(scenario, policy, 1) != checked_run(scenario, policy, 4)) {
      fprintf(stderr, "threads show in:\n%s\n", shown.data);
      abort();
    }
  }
  fw_scenario_free(scenario);
  fw_text_clear(&shown);
}

#endif

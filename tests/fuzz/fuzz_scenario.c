/* Any bytes as a scenario file beside tests/unit/data, with the installed parameters. What is accepted must hold
 * together, and where it is small it must run, or say why not. */
#include <math.h>
#include <stdlib.h>

#include "sim/fleet/run.h"
#include "tests/fuzz/fuzz.h"

#define DIGITS_MOST 5
#define RUN_TICKS_MOST 2000
#define RUN_GPUS_MOST ((size_t)128)
#define RUN_SEQUENCES_MOST 2000
#define RUN_CYCLE_LEAST (10 * FW_NS_PER_MS)

static void require(bool condition) {
  if (!condition) abort();
}

/* Large numbers ask for much memory and time, which is no fault: they are left out. */
static bool is_modest(const uint8_t *data, size_t size) {
  size_t digits = 0;
  for (size_t i = 0; i < size; i++) {
    const bool digit = data[i] >= '0' && data[i] <= '9';
    if (digits > 0 && (data[i] == 'e' || data[i] == 'E')) return false;
    digits = digit ? digits + 1 : 0;
    if (digits > DIGITS_MOST) return false;
  }
  return true;
}

static void check_whole(const fw_scenario *scenario) {
  size_t next = 0;
  require(scenario->job_count > 0 && scenario->policy_count > 0 && scenario->budget_count > 0);
  require(scenario->window_count >= 1 && scenario->window_count <= FW_POLICY_WINDOWS);
  require(scenario->warmup >= 0 && scenario->warmup < scenario->duration);
  require(scenario->duration % scenario->tick == 0 && scenario->nameplate > 0);
  for (size_t j = 0; j < scenario->job_count; j++) {
    const fw_scenario_job *job = &scenario->jobs[j];
    require(job->gpus > 0 && job->first_gpu == next && job->member < job->class_size);
    next += job->gpus;
    for (int i = 0; i < FW_ACTUATOR_COUNT; i++)
      require(fw_actuator_nearest(&job->actuators[i], job->initial[i]) == job->initial[i]);
  }
  require(next <= scenario->topology.gpus);
}

/* Whether arrivals are few enough to run. */
static bool is_slow(const fw_time_law *law) {
  return law->mean >= RUN_CYCLE_LEAST && (law->kind == FW_TIME_CONSTANT || law->kind == FW_TIME_EXPONENTIAL);
}

static bool is_small_job(const fw_scenario_job *job) {
  fw_time_ns cycle = 0;
  for (size_t i = 0; i < job->cycle_count; i++)
    cycle += job->cycle[i].duration;
  switch (job->kind) {
  case FW_JOB_GRPO:
    return job->workload.prompts * job->workload.group_size <= RUN_SEQUENCES_MOST;
  case FW_JOB_CYCLE:
    return cycle >= RUN_CYCLE_LEAST;
  case FW_JOB_REPLAY:
  case FW_JOB_OCCUPANCY:
    break;
  case FW_JOB_QUEUE:
    return job->queue->trace == NULL && is_slow(&job->queue->interval) && job->queue->round >= RUN_CYCLE_LEAST;
  case FW_JOB_SERVING:
    return job->serving->trace == NULL && is_slow(&job->serving->interval);
  }
  return true;
}

static bool is_small(const fw_scenario *scenario) {
  bool small = scenario->duration / scenario->tick <= RUN_TICKS_MOST && scenario->topology.gpus <= RUN_GPUS_MOST;
  for (size_t i = 0; small && i < scenario->window_count; i++)
    small = scenario->windows[i] / scenario->tick <= RUN_TICKS_MOST;
  for (size_t j = 0; small && j < scenario->job_count; j++)
    small = is_small_job(&scenario->jobs[j]);
  return small;
}

static void check_run(const fw_scenario *scenario, size_t policy) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_result result = {0};
  const fw_run_options options = {.policy = policy, .seed = scenario->seed};
  const fw_status status = fw_run(scenario, &options, &result, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  if (status == FW_OK) {
    const fw_power_mw gpus = (fw_power_mw)scenario->topology.gpus;
    require(result.energy >= fw_energy_of(gpus * scenario->gpu.idle, result.measured));
    require(result.energy <= fw_energy_of(gpus * scenario->gpu.board_max, result.measured));
    require(result.tokens >= 0 && result.measured > 0);
    for (size_t w = 0; w < result.window_count; w++) {
      const double rate = result.windows[w].violation_rate;
      require(isnan(rate) || (rate >= 0.0 && rate <= 1.0));
    }
    fw_result_clear(&result);
  }
  fw_diagnostics_clear(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const fw_scenario_overrides overrides = {.share = FW_SOURCE_DIR,
                                                  .trace = FW_SOURCE_DIR "/tests/unit/data/recording.csv"};
  if (!is_modest(data, size)) return 0;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  const fw_status status = fw_scenario_parse((const char *)data, size, FW_SOURCE_DIR "/tests/unit/data/input.json",
                                             &overrides, &scenario, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0) && (status == FW_OK) == (scenario != NULL));
  if (status == FW_OK) {
    check_whole(scenario);
    for (size_t policy = 0; policy < scenario->policy_count && is_small(scenario); policy++)
      check_run(scenario, policy);
    fw_scenario_free(scenario);
  }
  fw_diagnostics_clear(&diagnostics);
  return 0;
}

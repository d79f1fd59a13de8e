/* The program of a job, block by block, with the settled power cap of job.c applied to each. */
#include "sim/fleet/profile.h"

#include <stdlib.h>

#include "sim/fleet/program.h"

#define PROFILE_STEPS 32
#define PROFILE_BLOCKS 200000
#define PROFILE_WORK ((size_t)20000000) /* blocks times GPUs */

typedef struct profiler {
  const fw_scenario_job *job;
  const fw_gpu_model *gpu;
  fw_power_mw cap;
  fw_time_ns horizon; /* of open programs */
  fw_energy_pj energy;
  fw_time_ns time;
  fw_time_ns worked; /* of the last open block */
  int64_t worked_tokens;
  uint64_t steps;
  uint64_t decisions;
  bool ended;
} profiler;

static fw_time_ns slowed(const profiler *profile, const fwi_block *block) {
  if (profile->cap >= profile->gpu->cap_max || block->phase == FW_PHASE_IDLE) {
    return block->work;
  }
  const double slowdown = fw_cap_slowdown(&profile->gpu->cap, block->phase, fw_power_to_watts(profile->cap),
                                          fw_power_to_watts(block->demand), NULL);
  return (fw_time_ns)((double)block->work * slowdown + 0.5);
}

static fw_power_mw drawn(const profiler *profile, const fwi_block *block, size_t gpu) {
  const fw_power_mw demand =
      block->gpu_demand != NULL ? (fw_power_mw)((double)block->gpu_demand[gpu] * block->scale + 0.5) : block->demand;
  if (profile->cap >= profile->gpu->cap_max) {
    return demand;
  }
  const fw_power_mw limit = fw_cap_settled(&profile->gpu->cap, profile->cap);
  return demand < limit ? demand : limit;
}

static void add_block(profiler *profile, const fwi_block *block) {
  fw_time_ns time = slowed(profile, block);
  if (block->until > 0) {
    const fw_time_ns left = block->until - profile->time;
    const double share = time > left ? (double)left / (double)time : 1.0;
    profile->worked = time > left ? (fw_time_ns)((double)block->work * share) : block->work;
    profile->worked_tokens = (int64_t)((double)block->tokens * share);
    time = time > left ? left : time;
  }
  for (size_t g = 0; g < profile->job->gpus; g++) {
    profile->energy += fw_energy_of(drawn(profile, block, g), time);
  }
  profile->time += time;
  profile->steps += (block->marks & FWI_MARK_STEP_END) != 0;
  profile->decisions += (block->marks & FWI_MARK_DECISION) != 0;
  profile->ended = (block->marks & FWI_MARK_JOB_END) != 0;
}

static bool goes_on(const profiler *profile, size_t blocks) {
  const bool open = profile->horizon < FW_TIME_MAX;
  const bool enough = open && (blocks >= PROFILE_WORK / profile->job->gpus || profile->time >= profile->horizon);
  return blocks < PROFILE_BLOCKS && profile->steps < PROFILE_STEPS && !enough && !profile->ended;
}

static fw_status run_program(profiler *profile, const fwi_program_type *program, void *state, const double *settings,
                             fw_diagnostics *diagnostics) {
  fwi_blocks blocks = {0};
  size_t next = 0;
  fw_status status = FW_OK;
  for (size_t i = 0; goes_on(profile, i); i++) {
    if (next == blocks.count) {
      const fwi_turn turn = {
          .settings = settings, .now = profile->time, .worked = profile->worked, .tokens = profile->worked_tokens};
      next = blocks.count = 0;
      profile->worked = profile->worked_tokens = 0;
      status = program->next(state, &turn, &blocks, diagnostics);
      if (status != FW_OK) {
        break;
      }
    }
    add_block(profile, &blocks.data[next++]);
  }
  free(blocks.data);
  return status;
}

fw_status fw_job_profile(const fw_scenario *scenario, size_t job, const double settings[FW_ACTUATOR_COUNT],
                         fw_profile *out, fw_diagnostics *diagnostics) {
  profiler profile = {.job = &scenario->jobs[job], .gpu = &scenario->gpu, .cap = scenario->gpu.cap_max};
  (void)fw_power_from_watts(settings[FW_ACTUATOR_POWER_CAP_W], &profile.cap);
  const fwi_program_type *program = fwi_program_find(profile.job->kind);
  void *state = NULL;
  profile.horizon = program->settle != NULL ? scenario->duration : FW_TIME_MAX;
  fw_status status = program->create(profile.job, (uint32_t)job, 0, scenario->gpu.idle, &state, diagnostics);
  if (status == FW_OK) {
    status = run_program(&profile, program, state, settings, diagnostics);
  }
  program->destroy(state);
  if (status == FW_OK && profile.time == 0 && !profile.ended) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "job %zu (class \"%s\") repeats phases of no length, so time would never advance; give one of "
                      "them a duration",
                      job, profile.job->job_class);
  }
  if (status == FW_OK) {
    out->mean_w = profile.time > 0 ? fw_energy_to_joules(profile.energy) / fw_time_to_seconds(profile.time) : 0.0;
    const fw_time_ns cycle = profile.time / (fw_time_ns)(profile.steps > 0 ? profile.steps : 1);
    out->decision = profile.decisions > 0 ? profile.time / (fw_time_ns)profile.decisions : 0;
    out->cycle = program->settle != NULL ? 0 : cycle; /* work from outside has its own times */
  }
  return status;
}

/* The occupancy program: what a job did while it was recorded, tick by tick, with the power of a model.
 *
 * A tick is the parts of it that the job idled, loaded, stood ready and worked. Work is reading prompts for as long as
 * its prompt tokens take and generating for the rest: an engine that refills interleaves the two. Ticks that the
 * recording does not know are not there, so the ones around them follow each other. */
#include "sim/base/memory.h"
#include "sim/fleet/program.h"

#include <math.h>
#include <stdlib.h>

typedef struct occupancy_state {
  const fw_scenario_job *job;
  double idle_w;
  double tokens_owed; /* part of a token that no block has had yet */
  fwi_walk walk;
} occupancy_state;

static fw_status create(const fw_scenario_job *job, uint32_t index, uint64_t seed, fw_power_mw idle, void **out,
                        fw_diagnostics *diagnostics) {
  (void)index;
  (void)seed;
  occupancy_state *state = fw_allocate(1, sizeof *state);
  if (state == NULL) {
    return fw_error_memory(diagnostics, "an occupancy job");
  }
  state->job = job;
  state->idle_w = fw_power_to_watts(idle);
  state->walk.count = job->occupancy->count;
  *out = state;
  return FW_OK;
}

/* Phases in the order in which a tick goes through them. */
enum { PARTS = 5 };
static const fw_phase part_phases[PARTS] = {FW_PHASE_IDLE, FW_PHASE_LOAD, FW_PHASE_GAP, FW_PHASE_PREFILL,
                                            FW_PHASE_ROLLOUT};

static void part_shares(const fw_occupancy_tick *tick, double prefill_per_token_s, double share[PARTS]) {
  const double prefill = fw_occupancy_prefill_share(tick, prefill_per_token_s);
  const double work = tick->share[FW_ACTIVITY_WORK];
  share[0] = tick->share[FW_ACTIVITY_IDLE];
  share[1] = tick->share[FW_ACTIVITY_LOAD];
  share[2] = tick->share[FW_ACTIVITY_READY];
  share[3] = work * prefill;
  share[4] = work - share[3];
}

/* Sequences in flight; where nobody counted them, those of the model. */
static double occupancy_of(const occupancy_state *state, const fw_occupancy_tick *tick) {
  return isnan(tick->in_flight) ? (double)state->job->model->workload.concurrency : tick->in_flight;
}

static int64_t whole_tokens(occupancy_state *state, const fw_occupancy_tick *tick) {
  if (!(tick->generated_per_s > 0.0)) {
    return 0;
  }
  const double seconds = tick->share[FW_ACTIVITY_WORK] * fw_time_to_seconds(state->job->occupancy->tick);
  const double owed = state->tokens_owed + tick->generated_per_s * seconds;
  state->tokens_owed = owed - floor(owed);
  return (int64_t)floor(owed);
}

static fwi_block block_of(const occupancy_state *state, const fw_occupancy_tick *tick, fw_phase phase) {
  const double occupancy = phase == FW_PHASE_ROLLOUT ? occupancy_of(state, tick) : 0.0;
  return (fwi_block){.phase = phase,
                     .demand = fwi_level(state->job->model, phase, occupancy, state->idle_w),
                     .scale = 1.0,
                     .occupancy = occupancy};
}

/* The parts end at whole nanoseconds; the last one ends with the tick and carries its tokens and marks. */
static fw_status next(void *pointer, const fwi_turn *turn, fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  (void)turn;
  occupancy_state *state = pointer;
  const fw_time_ns length = state->job->occupancy->tick;
  const fw_occupancy_tick *tick = &state->job->occupancy->data[state->walk.position];
  double share[PARTS];
  part_shares(tick, state->job->model->timing.prefill_per_token_s, share);
  size_t last = PARTS - 1;
  while (last > 0 && !(share[last] > 0.0)) {
    last--;
  }
  double reached = 0.0;
  fw_time_ns begun = 0;
  for (size_t i = 0; i < last; i++) {
    reached += share[i];
    const fw_time_ns end = (fw_time_ns)(reached * (double)length + 0.5);
    fwi_block block = block_of(state, tick, part_phases[i]);
    block.work = end - begun;
    begun = end;
    if (block.work == 0) {
      continue;
    }
    const fw_status status = fwi_blocks_add(blocks, block, diagnostics);
    if (status != FW_OK) {
      return status;
    }
  }
  fwi_block block = block_of(state, tick, part_phases[last]);
  block.work = length - begun;
  state->walk.since_decision += begun;
  block.tokens = whole_tokens(state, tick);
  return fwi_walk_add(&state->walk, state->job, block, blocks, diagnostics);
}

static double progress(const void *pointer) {
  const occupancy_state *state = pointer;
  return fwi_walk_progress(&state->walk);
}

/* Every step of a walk begins where the first did. */
static int64_t rewind_walk(void *pointer, uint64_t step) {
  (void)step;
  occupancy_state *state = pointer;
  fwi_walk_rewind(&state->walk);
  return 0;
}

const fwi_program_type fwi_occupancy_program = {
    .create = create, .destroy = free, .next = next, .progress = progress, .rewind = rewind_walk};

/* The cycle program: fixed phases of given power, once or for ever. Useful where the answer is known in closed form,
 * and for loads of which no more is known than a power and a rhythm. */
#include "sim/base/memory.h"
#include "sim/fleet/program.h"

#include <stdlib.h>

typedef struct cycle_state {
  const fw_scenario_job *job;
  size_t position;
  fw_time_ns since_decision;
} cycle_state;

static fw_status create(const fw_scenario_job *job, uint32_t index, uint64_t seed, fw_power_mw idle, void **out,
                        fw_diagnostics *diagnostics) {
  (void)index;
  (void)seed;
  (void)idle;
  cycle_state *state = fw_allocate(1, sizeof *state);
  if (state == NULL) {
    return fw_error_memory(diagnostics, "a cycle job");
  }
  state->job = job;
  *out = state;
  return FW_OK;
}

static fw_status next(void *pointer, const double settings[FW_ACTUATOR_COUNT], fwi_blocks *blocks,
                      fw_diagnostics *diagnostics) {
  (void)settings;
  cycle_state *state = pointer;
  const fw_cycle_phase *phase = &state->job->cycle[state->position];
  const bool last = state->position + 1 == state->job->cycle_count;
  fwi_block block = {.phase = FW_PHASE_ROLLOUT, .work = phase->duration, .demand = phase->power, .scale = 1.0};
  state->since_decision += phase->duration;
  if (state->since_decision >= state->job->decision) {
    block.marks |= FWI_MARK_DECISION;
    state->since_decision = 0;
  }
  if (last) {
    block.marks |= state->job->loop ? FWI_MARK_STEP_END : FWI_MARK_JOB_END;
  }
  state->position = last ? 0 : state->position + 1;
  return fwi_blocks_add(blocks, block, diagnostics);
}

static double progress(const void *pointer) {
  const cycle_state *state = pointer;
  return (double)state->position / (double)state->job->cycle_count;
}

const fwi_program_type fwi_cycle_program = {create, free, next, progress};

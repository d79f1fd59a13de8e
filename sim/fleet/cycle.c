/* The cycle program: fixed phases of given power, once or for ever. Useful where the answer is known in closed form,
 * and for loads of which no more is known than a power and a rhythm. */
#include "sim/base/memory.h"
#include "sim/fleet/program.h"

#include <stdlib.h>

typedef struct cycle_state {
  const fw_scenario_job *job;
  fwi_walk walk;
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
  state->walk.count = job->cycle_count;
  *out = state;
  return FW_OK;
}

static fw_status next(void *pointer, const fwi_turn *turn, fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  (void)turn;
  cycle_state *state = pointer;
  const fw_cycle_phase *phase = &state->job->cycle[state->walk.position];
  const fwi_block block = {.phase = FW_PHASE_ROLLOUT, .work = phase->duration, .demand = phase->power, .scale = 1.0};
  return fwi_walk_add(&state->walk, state->job, block, blocks, diagnostics);
}

static double progress(const void *pointer) {
  const cycle_state *state = pointer;
  return fwi_walk_progress(&state->walk);
}

/* Every step of a walk begins where the first did. */
static int64_t rewind_walk(void *pointer, uint64_t step) {
  (void)step;
  cycle_state *state = pointer;
  fwi_walk_rewind(&state->walk);
  return 0;
}

const fwi_program_type fwi_cycle_program = {
    .create = create, .destroy = free, .next = next, .progress = progress, .rewind = rewind_walk};

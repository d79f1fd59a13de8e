/* The replay program: a recorded power trace, GPU by GPU, piece by piece.
 *
 * The GPUs of a recording may be sampled at different instants, so the program works on the union of their stamps;
 * between two of them every GPU's power is constant. Where the job names a model, a changed concurrency rescales the
 * recording by the model's ratio of levels. */
#include "sim/base/memory.h"
#include "sim/fleet/program.h"

#include <stdlib.h>

typedef struct replay_state {
  const fw_scenario_job *job;
  double idle_w;
  fw_time_ns *duration; /* count */
  fw_power_mw *power;   /* count x gpus */
  fwi_walk walk;
} replay_state;

static void destroy(void *pointer) {
  replay_state *state = pointer;
  if (state != NULL) {
    free(state->duration);
    free(state->power);
    free(state);
  }
}

/* Cuts the common time of all GPUs at every stamp of any of them. With `duration` NULL it only counts. */
static size_t merge(const fw_scenario_job *job, size_t *cursor, fw_time_ns *duration, fw_power_mw *power) {
  fw_time_ns now = 0;
  for (size_t g = 0; g < job->gpus; g++) {
    now = job->replay[g].data[0].from > now ? job->replay[g].data[0].from : now;
    cursor[g] = 0;
  }
  for (size_t count = 0;; count++) {
    fw_time_ns next = FW_TIME_MAX;
    for (size_t g = 0; g < job->gpus; g++) {
      const fw_pieces *pieces = &job->replay[g];
      while (cursor[g] < pieces->count && pieces->data[cursor[g]].to <= now) {
        cursor[g]++;
      }
      if (cursor[g] == pieces->count) {
        return count;
      }
      const fw_piece *piece = &pieces->data[cursor[g]];
      next = piece->to < next ? piece->to : next;
      if (duration != NULL) {
        power[count * job->gpus + g] = piece->power;
      }
    }
    if (duration != NULL) {
      duration[count] = next - now;
    }
    now = next;
  }
}

static fw_status create(const fw_scenario_job *job, uint32_t index, uint64_t seed, fw_power_mw idle, void **out,
                        fw_diagnostics *diagnostics) {
  (void)index;
  (void)seed;
  replay_state *state = fw_allocate(1, sizeof *state);
  size_t *cursor = fw_allocate(job->gpus, sizeof *cursor);
  size_t cells = 0;
  if (state != NULL && cursor != NULL) {
    state->job = job;
    state->idle_w = fw_power_to_watts(idle);
    state->walk.count = merge(job, cursor, NULL, NULL);
    state->duration = fw_allocate(state->walk.count, sizeof *state->duration);
    if (fw_size_multiply(state->walk.count, job->gpus, &cells)) {
      state->power = fw_allocate(cells, sizeof *state->power);
    }
  }
  if (state == NULL || cursor == NULL || state->duration == NULL || state->power == NULL) {
    free(cursor);
    destroy(state);
    return fw_error_memory(diagnostics, "a replay job");
  }
  (void)merge(job, cursor, state->duration, state->power);
  free(cursor);
  *out = state;
  return FW_OK;
}

static double counterfactual_ratio(const replay_state *state, double concurrency) {
  const fw_job_model *model = state->job->model;
  if (model == NULL) {
    return 1.0;
  }
  return fw_job_level_w(model, FW_PHASE_ROLLOUT, concurrency, state->idle_w) /
         fw_job_level_w(model, FW_PHASE_ROLLOUT, state->job->initial[FW_ACTUATOR_CONCURRENCY], state->idle_w);
}

static fw_status next(void *pointer, const fwi_turn *turn, fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  replay_state *state = pointer;
  const size_t gpus = state->job->gpus;
  const fw_power_mw *power = state->power + state->walk.position * gpus;
  const double scale = counterfactual_ratio(state, turn->settings[FW_ACTUATOR_CONCURRENCY]);
  fw_power_mw highest = power[0];
  for (size_t g = 1; g < gpus; g++) {
    highest = power[g] > highest ? power[g] : highest;
  }
  const fwi_block block = {.phase = FW_PHASE_ROLLOUT,
                           .work = state->duration[state->walk.position],
                           .demand = (fw_power_mw)((double)highest * scale + 0.5),
                           .gpu_demand = power,
                           .scale = scale,
                           .occupancy = turn->settings[FW_ACTUATOR_CONCURRENCY]};
  return fwi_walk_add(&state->walk, state->job, block, blocks, diagnostics);
}

static double progress(const void *pointer) {
  const replay_state *state = pointer;
  return fwi_walk_progress(&state->walk);
}

/* Every step of a walk begins where the first did. */
static int64_t rewind_walk(void *pointer, uint64_t step) {
  (void)step;
  replay_state *state = pointer;
  fwi_walk_rewind(&state->walk);
  return 0;
}

const fwi_program_type fwi_replay_program = {
    .create = create, .destroy = destroy, .next = next, .progress = progress, .rewind = rewind_walk};

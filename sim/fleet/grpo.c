/* The GRPO program: each step rolls out prompts x group_size completions in generation batches, then updates.
 *
 * Sequences are numbered prompt by prompt. A batch takes the next min(concurrency, remaining) of them, so the sequences
 * in flight follow from the concurrency limit and from the volume of the step, whichever binds: where the limit binds,
 * a larger group only adds batches. Completion lengths are keyed by (job, prompt, sample), so every setting meets the
 * same prompts.
 *
 * Concurrency and completion limit hold from the next batch on, the group size from the next step; a pause is the one
 * that follows the decision. */
#include "sim/base/memory.h"
#include "sim/fleet/program.h"

#include <stdlib.h>

typedef enum grpo_stage { STAGE_BATCH, STAGE_GAP, STAGE_UPDATE } grpo_stage;

/* Rollout at one occupancy: the same few occupancies come back in every batch. */
typedef struct grpo_plateau {
  double token_s;
  fw_power_mw level; /* 0: not computed yet */
} grpo_plateau;

typedef struct grpo_state {
  const fw_scenario_job *job;
  uint32_t index;
  uint64_t seed;
  double idle_w;
  fw_length_law law;
  grpo_stage stage;
  uint64_t step;
  int64_t group_size;  /* of this step */
  int64_t sequences;   /* of this step */
  int64_t done;        /* sequences finished or in flight */
  int64_t step_tokens; /* completion tokens of this step so far */
  int64_t *lengths;
  size_t length_capacity;
  double *normals; /* of the completions of `drawn_prompt` */
  size_t normal_capacity;
  uint64_t drawn_prompt;
  grpo_plateau *plateaus; /* by occupancy */
  size_t plateau_count;
  size_t plateau_capacity;
} grpo_state;

static fw_status create(const fw_scenario_job *job, uint32_t index, uint64_t seed, fw_power_mw idle, void **out,
                        fw_diagnostics *diagnostics) {
  grpo_state *state = fw_allocate(1, sizeof *state);
  if (state == NULL) {
    return fw_error_memory(diagnostics, "a GRPO job");
  }
  state->job = job;
  state->index = index;
  state->seed = seed;
  state->idle_w = fw_power_to_watts(idle);
  state->law = fw_workload_law(&job->workload);
  *out = state;
  return FW_OK;
}

static void destroy(void *pointer) {
  grpo_state *state = pointer;
  if (state != NULL) {
    free(state->lengths);
    free(state->normals);
    free(state->plateaus);
    free(state);
  }
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static fw_status out_of_range(const grpo_state *state, double seconds, double level_w, fw_diagnostics *diagnostics) {
  return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                  "job %u: a phase of %g s at %g W per GPU is out of range; check the job's model", state->index,
                  seconds, level_w);
}

/* Appends one block of `seconds` in `phase`, which is not rollout. */
static fw_status add_block(const grpo_state *state, fw_phase phase, double seconds, int64_t occupancy,
                           fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  const double level_w = fw_job_level_w(state->job->model, phase, (double)occupancy, state->idle_w);
  fwi_block block = {.phase = phase, .scale = 1.0, .occupancy = (double)occupancy};
  if (!fw_time_from_seconds(seconds, &block.work) || !fw_power_from_watts(level_w, &block.demand)) {
    return out_of_range(state, seconds, level_w, diagnostics);
  }
  return fwi_blocks_add(blocks, block, diagnostics);
}

/* Makes room for `occupancy` and all below it. */
static fw_status reserve_plateaus(grpo_state *state, int64_t occupancy, fw_diagnostics *diagnostics) {
  const size_t needed = (size_t)occupancy + 1;
  if (needed <= state->plateau_count) {
    return FW_OK;
  }
  if (!fw_grow(&state->plateaus, &state->plateau_capacity, needed, sizeof *state->plateaus)) {
    return fw_error_memory(diagnostics, "the plateaus of a job");
  }
  for (size_t i = state->plateau_count; i < needed; i++) {
    state->plateaus[i] = (grpo_plateau){0};
  }
  state->plateau_count = needed;
  return FW_OK;
}

static fw_status compute_plateau(const grpo_state *state, int64_t occupancy, grpo_plateau *out,
                                 fw_diagnostics *diagnostics) {
  const fw_job_model *model = state->job->model;
  const double level_w = fw_job_level_w(model, FW_PHASE_ROLLOUT, (double)occupancy, state->idle_w);
  out->token_s = fw_timing_token_s(&model->timing, (double)occupancy);
  if (!fw_power_from_watts(level_w, &out->level) || out->level <= 0) {
    return out_of_range(state, out->token_s, level_w, diagnostics);
  }
  return FW_OK;
}

static double prefill_seconds(const grpo_state *state, int64_t sequences) {
  const double prompt_tokens = (double)sequences * (double)state->job->workload.prompt_tokens;
  return fw_timing_prefill_s(&state->job->model->timing, prompt_tokens);
}

/* `tokens_each` tokens for each of `active` sequences. */
static fw_status add_rollout(grpo_state *state, int64_t tokens_each, int64_t active, int64_t counted_tokens,
                             fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  grpo_plateau *plateau = &state->plateaus[active];
  if (plateau->level == 0) {
    const fw_status status = compute_plateau(state, active, plateau, diagnostics);
    if (status != FW_OK) {
      return status;
    }
  }
  fwi_block block = {.phase = FW_PHASE_ROLLOUT,
                     .demand = plateau->level,
                     .scale = 1.0,
                     .occupancy = (double)active,
                     .tokens = counted_tokens};
  const double seconds = (double)tokens_each * plateau->token_s;
  if (!fw_time_from_seconds(seconds, &block.work)) {
    return out_of_range(state, seconds, fw_power_to_watts(plateau->level), diagnostics);
  }
  return fwi_blocks_add(blocks, block, diagnostics);
}

/* The numbers of all completions of one prompt are drawn together: that is several times faster. */
static int64_t draw_length(grpo_state *state, int64_t sequence, int64_t limit) {
  const uint64_t prompt =
      state->step * (uint64_t)state->job->workload.prompts + (uint64_t)(sequence / state->group_size);
  if (!(state->law.sigma > 0.0)) {
    return fw_length_of(state->law, 0.0, limit);
  }
  if (prompt != state->drawn_prompt) {
    fw_length_normals(state->seed, state->index, prompt, (size_t)state->group_size, state->normals);
    state->drawn_prompt = prompt;
  }
  return fw_length_of(state->law, state->normals[sequence % state->group_size], limit);
}

static int compare_lengths(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Static batching: sequences leave as they finish; between two departures the occupancy is constant. */
static fw_status drain(grpo_state *state, int64_t *lengths, int64_t count, fwi_blocks *blocks,
                       fw_diagnostics *diagnostics) {
  qsort(lengths, (size_t)count, sizeof *lengths, compare_lengths);
  fw_status status = FW_OK;
  int64_t reached = 0;
  for (int64_t i = 0; i < count && status == FW_OK; i++) {
    const int64_t more = lengths[i] - reached;
    if (more > 0) {
      status = add_rollout(state, more, count - i, more * (count - i), blocks, diagnostics);
    }
    reached = lengths[i];
  }
  return status;
}

/* Padded batching: all are computed until the longest ends, only their own tokens count. */
static fw_status pad(grpo_state *state, const int64_t *lengths, int64_t count, fwi_blocks *blocks,
                     fw_diagnostics *diagnostics) {
  int64_t longest = 0;
  int64_t tokens = 0;
  for (int64_t i = 0; i < count; i++) {
    longest = lengths[i] > longest ? lengths[i] : longest;
    tokens += lengths[i];
  }
  return add_rollout(state, longest, count, tokens, blocks, diagnostics);
}

/* Full slots for `tokens_each` tokens each, in which `replaced` prompts are read: an engine that refills interleaves
 * their prefill with decoding, so it lengthens the stretch and lifts its level evenly. */
static fw_status add_refilled(grpo_state *state, int64_t tokens_each, int64_t active, int64_t replaced,
                              fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  const fw_status status = add_rollout(state, tokens_each, active, tokens_each * active, blocks, diagnostics);
  const double prefill_s = prefill_seconds(state, replaced);
  if (status != FW_OK || prefill_s == 0.0) {
    return status;
  }
  fwi_block *block = &blocks->data[blocks->count - 1];
  const double rollout_s = fw_time_to_seconds(block->work);
  const double rollout_w = fw_power_to_watts(block->demand);
  const double prefill_w = fw_job_level_w(state->job->model, FW_PHASE_PREFILL, (double)active, state->idle_w);
  const double seconds = rollout_s + prefill_s;
  const double level_w = (rollout_s * rollout_w + prefill_s * prefill_w) / seconds;
  return fw_time_from_seconds(seconds, &block->work) && fw_power_from_watts(level_w, &block->demand)
             ? FW_OK
             : out_of_range(state, seconds, level_w, diagnostics);
}

/* Continuous batching: a finished sequence is replaced at once, until the step has no more; then the batch drains. */
static fw_status refill(grpo_state *state, int64_t *slots, int64_t active, int64_t limit, fwi_blocks *blocks,
                        fw_diagnostics *diagnostics) {
  int64_t tokens_each = 0;
  int64_t replaced = 0;
  while (state->done < state->sequences) {
    int64_t shortest = slots[0];
    for (int64_t i = 1; i < active; i++) {
      shortest = smaller(shortest, slots[i]);
    }
    tokens_each += shortest;
    for (int64_t i = 0; i < active; i++) {
      slots[i] -= shortest;
      if (slots[i] == 0 && state->done < state->sequences) {
        slots[i] = draw_length(state, state->done++, limit);
        replaced++;
      }
    }
  }
  fw_status status = FW_OK;
  if (tokens_each > 0) {
    status = add_refilled(state, tokens_each, active, replaced, blocks, diagnostics);
  }
  return status == FW_OK ? drain(state, slots, active, blocks, diagnostics) : status;
}

static fw_status begin_step(grpo_state *state, const double settings[FW_ACTUATOR_COUNT], fw_diagnostics *diagnostics) {
  state->group_size = (int64_t)settings[FW_ACTUATOR_GROUP_SIZE];
  state->sequences = state->job->workload.prompts * state->group_size;
  state->done = 0;
  state->step_tokens = 0;
  state->drawn_prompt = UINT64_MAX;
  return fw_grow(&state->normals, &state->normal_capacity, (size_t)state->group_size, sizeof *state->normals)
             ? FW_OK
             : fw_error_memory(diagnostics, "the completions of a step");
}

static fw_status next_batch(grpo_state *state, const double settings[FW_ACTUATOR_COUNT], fwi_blocks *blocks,
                            fw_diagnostics *diagnostics) {
  if (state->done == 0) {
    const fw_status begun = begin_step(state, settings, diagnostics);
    if (begun != FW_OK) {
      return begun;
    }
  }
  const int64_t limit = (int64_t)settings[FW_ACTUATOR_COMPLETION_TOKENS];
  const int64_t count = smaller((int64_t)settings[FW_ACTUATOR_CONCURRENCY], state->sequences - state->done);
  if (!fw_grow(&state->lengths, &state->length_capacity, (size_t)count, sizeof *state->lengths)) {
    return fw_error_memory(diagnostics, "a generation batch");
  }
  for (int64_t i = 0; i < count; i++) {
    state->lengths[i] = draw_length(state, state->done++, limit);
  }
  const size_t first = blocks->count;
  fw_status status = reserve_plateaus(state, count, diagnostics);
  const double prefill_s = prefill_seconds(state, count);
  if (status == FW_OK && prefill_s > 0.0) {
    status = add_block(state, FW_PHASE_PREFILL, prefill_s, count, blocks, diagnostics);
  }
  if (status == FW_OK) {
    switch ((fw_batching)state->job->model->batching) {
    case FW_BATCHING_STATIC:
      status = drain(state, state->lengths, count, blocks, diagnostics);
      break;
    case FW_BATCHING_PADDED:
      status = pad(state, state->lengths, count, blocks, diagnostics);
      break;
    case FW_BATCHING_CONTINUOUS:
      status = refill(state, state->lengths, count, limit, blocks, diagnostics);
      break;
    }
  }
  if (status != FW_OK) {
    return status;
  }
  for (size_t i = first; i < blocks->count; i++) {
    state->step_tokens += blocks->data[i].tokens;
  }
  fwi_block *last = &blocks->data[blocks->count - 1];
  last->marks |= FWI_MARK_BATCH_END;
  if (state->job->model->decision == FW_DECISION_BATCH) {
    last->marks |= FWI_MARK_DECISION;
  }
  state->stage = STAGE_GAP;
  return FW_OK;
}

static fw_status next_gap(grpo_state *state, const double settings[FW_ACTUATOR_COUNT], fwi_blocks *blocks,
                          fw_diagnostics *diagnostics) {
  const fw_timing *timing = &state->job->model->timing;
  const bool rollout_done = state->done == state->sequences;
  const double seconds =
      timing->batch_gap_s + settings[FW_ACTUATOR_PAUSE_S] + (rollout_done ? timing->step_gap_s : 0.0);
  state->stage = rollout_done ? STAGE_UPDATE : STAGE_BATCH;
  return add_block(state, FW_PHASE_GAP, seconds, 0, blocks, diagnostics);
}

static fw_status next_update(grpo_state *state, fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  const double prompt_tokens = (double)state->sequences * (double)state->job->workload.prompt_tokens;
  const double seconds = fw_timing_update_s(&state->job->model->timing, prompt_tokens + (double)state->step_tokens);
  const fw_status status = add_block(state, FW_PHASE_UPDATE, seconds, 0, blocks, diagnostics);
  if (status == FW_OK) {
    fwi_block *block = &blocks->data[blocks->count - 1];
    block->marks |= FWI_MARK_STEP_END;
    if (state->job->model->decision == FW_DECISION_STEP) {
      block->marks |= FWI_MARK_DECISION;
    }
    state->step++;
    state->done = 0;
    state->stage = STAGE_BATCH;
  }
  return status;
}

static fw_status next(void *pointer, const fwi_turn *turn, fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  grpo_state *state = pointer;
  switch (state->stage) {
  case STAGE_GAP:
    return next_gap(state, turn->settings, blocks, diagnostics);
  case STAGE_UPDATE:
    return next_update(state, blocks, diagnostics);
  case STAGE_BATCH:
    break;
  }
  return next_batch(state, turn->settings, blocks, diagnostics);
}

static double progress(const void *pointer) {
  const grpo_state *state = pointer;
  return state->sequences > 0 ? (double)state->done / (double)state->sequences : 0.0;
}

static int64_t rewind_to(void *pointer, uint64_t step) {
  grpo_state *state = pointer;
  state->step = step;
  state->done = 0;
  state->stage = STAGE_BATCH;
  return 0;
}

const fwi_program_type fwi_grpo_program = {
    .create = create, .destroy = destroy, .next = next, .progress = progress, .rewind = rewind_to};

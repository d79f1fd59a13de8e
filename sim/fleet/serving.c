/* The serving program: an engine with continuous batching answers requests.
 *
 * Requests wait in order of arrival until fewer than the concurrency limit are in flight. Those that are admitted at
 * one instant have their prompts read together, while decoding stands still; reading a prompt yields the first token of
 * its answer. Then all in flight get their next tokens in step: a token takes the model's time at that occupancy, so
 * each gets as many as the others. One that arrives while there is room ends the stretch, in the middle of a token if
 * need be; what was done of it counts.
 *
 * Between two events each request in flight moves on by the same number of tokens, so one clock in tokens serves all: a
 * request is done when the clock reaches what it showed at its admission plus its length. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/program.h"
#include "sim/fleet/service.h"

typedef struct flight {
  fw_request what;
  double done_at; /* on the clock of tokens */
  bool is_read;
} flight;

typedef struct serving_state {
  const fw_scenario_job *job;
  const fw_serving_spec *spec;
  uint32_t index;
  uint64_t seed;
  double idle_w;
  fw_time_ns now;
  fw_time_ns next_decision;
  uint64_t drawn; /* requests taken from the source so far */
  fw_request next;
  bool has_next;
  fw_request *waiting;
  fwi_line line; /* of those that wait */
  flight *flights;
  size_t flight_count;
  size_t flight_capacity;
  size_t limit;         /* of requests in flight */
  double clock;         /* tokens for each request in flight */
  bool is_reading;      /* the present stretch is prefill */
  fw_time_ns read_left; /* work of the prefill that is under way */
  fw_time_ns work;      /* of the present stretch of decoding, up to `goal` on the clock */
  double goal;
  double tokens_due; /* generated and not yet given to a block */
  fwi_service_meter meter;
} serving_state;

static void destroy(void *pointer) {
  serving_state *state = pointer;
  if (state != NULL) {
    free(state->waiting);
    free(state->flights);
    free(state);
  }
}

/* ---- Where requests come from ---- */

/* A constant interval begins with an arrival at once. */
static void draw_next(serving_state *state) {
  const fw_serving_spec *spec = state->spec;
  const uint64_t n = state->drawn;
  const fw_stream arrivals = fw_stream_make(state->seed, FW_DRAW_ARRIVAL, state->index);
  const fw_stream lengths = fw_stream_make(state->seed, FW_DRAW_REQUEST, state->index);
  const bool at_once = n == 0 && spec->interval.kind == FW_TIME_CONSTANT;
  const fw_time_ns interval = at_once ? 0 : fw_time_law_draw(&spec->interval, arrivals, n, 0, NULL);
  state->next = (fw_request){
      .time = fw_time_after(state->next.time, interval),
      .context_tokens = fw_length_of(spec->context, fw_random_normal(lengths, 2 * n), spec->context_limit),
      .generated_tokens = fw_length_of(spec->output, fw_random_normal(lengths, 2 * n + 1), spec->output_limit)};
  state->drawn++;
}

/* Requests of a trace are dealt out to the engines of a class in turn. */
static bool take_recorded(serving_state *state) {
  const fw_serving_spec *spec = state->spec;
  const uint64_t number = state->drawn * state->job->class_size + state->job->member;
  const uint64_t round = number / spec->trace->count;
  if (round > 0 && spec->repeat == 0) {
    return false;
  }
  state->next = spec->trace->data[number % spec->trace->count];
  const double shift = (double)spec->repeat * (double)round;
  state->next.time = shift < 9.0e18 ? fw_time_after(state->next.time, spec->repeat * (fw_time_ns)round) : FW_TIME_MAX;
  state->drawn++;
  return true;
}

static void find_next(serving_state *state) {
  const fw_serving_spec *spec = state->spec;
  if (spec->trace != NULL) {
    state->has_next = take_recorded(state);
  } else {
    state->has_next = spec->count == 0 || state->drawn < spec->count;
    if (state->has_next) {
      draw_next(state);
    }
  }
  state->has_next = state->has_next && state->next.time < FW_TIME_MAX;
}

/* ---- What is done ---- */

static fwi_presence present(const serving_state *state) {
  return (fwi_presence){.waiting = state->line.count, .in_service = state->flight_count, .busy = state->flight_count};
}

/* The prompts that were under way have been read: each answer has its first token. */
static void finish_reading(serving_state *state) {
  state->is_reading = false;
  for (size_t i = 0; i < state->flight_count; i++) {
    flight *one = &state->flights[i];
    if (!one->is_read) {
      one->is_read = true;
      one->done_at = state->clock + (double)(one->what.generated_tokens - 1);
      state->tokens_due += 1.0;
      fwi_delays_add(&state->meter.first_token, state->now - one->what.time);
    }
  }
}

static void remove_done(serving_state *state) {
  size_t kept = 0;
  for (size_t i = 0; i < state->flight_count; i++) {
    const flight *one = &state->flights[i];
    if (one->is_read && one->done_at <= state->clock) {
      state->meter.finished++;
      state->meter.finished_tokens += one->what.generated_tokens;
      fwi_delays_add(&state->meter.latency, state->now - one->what.time);
    } else {
      state->flights[kept++] = *one;
    }
  }
  state->flight_count = kept;
  if (kept == 0) {
    state->clock = 0.0; /* so that it never grows out of its digits */
  }
}

/* Takes in `worked` of the present stretch. */
static void work(serving_state *state, fw_time_ns worked, int64_t counted) {
  state->tokens_due -= (double)counted;
  if (state->is_reading) {
    state->read_left -= worked;
    if (state->read_left <= 0) {
      finish_reading(state);
    }
  } else if (state->work > 0) {
    const double share = (double)worked / (double)state->work;
    const double before = state->clock;
    state->clock = worked >= state->work ? state->goal : before + (state->goal - before) * share;
    state->tokens_due += (state->clock - before) * (double)state->flight_count;
  }
  state->work = 0;
}

static fw_status take_arrivals(serving_state *state, fw_diagnostics *diagnostics) {
  while (state->has_next && state->next.time <= state->now) {
    if (!fwi_line_extend(&state->waiting, &state->line, sizeof *state->waiting)) {
      return fw_error_memory(diagnostics, "the requests that wait");
    }
    state->waiting[state->line.first + state->line.count++] = state->next;
    fwi_service_arrive(&state->meter, state->next.time);
    find_next(state);
  }
  return FW_OK;
}

static fw_status settle(void *pointer, const fwi_turn *turn, fw_diagnostics *diagnostics) {
  serving_state *state = pointer;
  fwi_service_pass(&state->meter, turn->now, present(state));
  state->now = turn->now;
  work(state, turn->worked, turn->tokens);
  remove_done(state);
  return take_arrivals(state, diagnostics);
}

/* ---- What comes next ---- */

/* Admits what there is room for, unless prompts are being read; they are read next. */
static fw_status admit(serving_state *state, fw_diagnostics *diagnostics) {
  int64_t tokens = 0;
  if (state->is_reading) {
    return FW_OK;
  }
  while (state->line.count > 0 && state->flight_count < state->limit) {
    if (!fw_grow(&state->flights, &state->flight_capacity, state->flight_count + 1, sizeof *state->flights)) {
      return fw_error_memory(diagnostics, "the requests in flight");
    }
    const fw_request *first = &state->waiting[state->line.first];
    fwi_delays_add(&state->meter.wait, state->now - first->time);
    tokens += first->context_tokens;
    state->flights[state->flight_count++] = (flight){.what = *first};
    state->line.first++;
    state->line.count--;
    state->is_reading = true;
  }
  state->read_left = 0;
  const double seconds = fw_timing_prefill_s(&state->job->model->timing, (double)tokens);
  if (state->is_reading && !fw_time_from_seconds(seconds, &state->read_left)) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "job %u: reading %lld tokens takes %g s, which is out of range; check the job's model",
                    state->index, (long long)tokens, seconds);
  }
  if (state->is_reading && state->read_left == 0) {
    finish_reading(state);
    remove_done(state);
    return admit(state, diagnostics); /* an answer of one token has made way already */
  }
  return FW_OK;
}

static fw_phase present_phase(const serving_state *state) {
  if (state->is_reading) {
    return FW_PHASE_PREFILL;
  }
  return state->flight_count > 0 ? FW_PHASE_ROLLOUT : FW_PHASE_IDLE;
}

/* What the engine does now, as a block of no length. */
static fwi_block present_block(const serving_state *state) {
  const fw_phase phase = present_phase(state);
  const double occupancy = (double)state->flight_count;
  return (fwi_block){.phase = phase,
                     .demand = fwi_level(state->job->model, phase, occupancy, state->idle_w),
                     .scale = 1.0,
                     .occupancy = occupancy};
}

/* Up to the next request that is done. */
static fw_time_ns decoding_work(serving_state *state) {
  state->goal = state->flights[0].done_at;
  for (size_t i = 1; i < state->flight_count; i++) {
    state->goal = fmin(state->goal, state->flights[i].done_at);
  }
  const double token_s = fw_timing_token_s(&state->job->model->timing, (double)state->flight_count);
  fw_time_ns work = 0;
  if (!fw_time_from_seconds((state->goal - state->clock) * token_s, &work)) {
    work = FW_TIME_MAX - state->now;
  }
  state->work = work > 0 ? work : 1;
  return state->work;
}

static size_t being_read(const serving_state *state) {
  size_t count = 0;
  for (size_t i = 0; i < state->flight_count; i++) {
    count += !state->flights[i].is_read;
  }
  return count;
}

/* Tokens to be counted over a block, whole ones; what is left of one comes with a later block. */
static int64_t block_tokens(const serving_state *state) {
  const double each = state->goal - state->clock;
  const double more = state->is_reading ? (double)being_read(state) : each * (double)state->flight_count;
  return (int64_t)fmax(0.0, floor(state->tokens_due + more + 1e-6));
}

static fwi_block next_stretch(serving_state *state) {
  const bool room = state->flight_count < state->limit && !state->is_reading;
  fwi_block block = present_block(state);
  block.work = FW_TIME_MAX - state->now;
  if (state->is_reading) {
    block.work = state->read_left;
    block.tokens = block_tokens(state);
  } else if (state->flight_count > 0) {
    block.work = decoding_work(state);
    block.tokens = block_tokens(state);
  }
  block.until = fw_time_earlier(state->next_decision, room && state->has_next ? state->next.time : FW_TIME_MAX);
  return block;
}

static fw_status next(void *pointer, const fwi_turn *turn, fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  serving_state *state = pointer;
  state->limit = (size_t)turn->settings[FW_ACTUATOR_CONCURRENCY];
  fw_status status = settle(state, turn, diagnostics);
  status = status == FW_OK ? admit(state, diagnostics) : status;
  if (status != FW_OK) {
    return status;
  }
  const bool ended = state->flight_count == 0 && state->line.count == 0 && !state->has_next;
  if (ended || state->next_decision <= state->now) {
    state->next_decision = fw_time_after(state->now, state->job->decision);
    fwi_block mark = present_block(state);
    mark.marks = ended ? FWI_MARK_JOB_END : FWI_MARK_DECISION;
    return fwi_blocks_add(blocks, mark, diagnostics);
  }
  return fwi_blocks_add(blocks, next_stretch(state), diagnostics);
}

static double progress(const void *pointer) {
  const serving_state *state = pointer;
  return state->limit > 0 ? fmin(1.0, (double)state->flight_count / (double)state->limit) : 0.0;
}

/* Requests in flight lose their caches and wait again, before all others. They keep their places, so that no list has
 * to grow: their prompts are read anew. */
static int64_t rewind_requests(void *pointer, uint64_t step) {
  (void)step;
  serving_state *state = pointer;
  double lost = 0.0;
  int64_t tokens = 0;
  for (size_t i = 0; i < state->flight_count; i++) {
    flight *one = &state->flights[i];
    if (one->is_read) {
      lost += (double)one->what.generated_tokens - (one->done_at - state->clock);
    }
    one->is_read = false;
    tokens += one->what.context_tokens;
  }
  state->is_reading = state->flight_count > 0;
  state->read_left = 0;
  (void)fw_time_from_seconds(fw_timing_prefill_s(&state->job->model->timing, (double)tokens), &state->read_left);
  state->clock = 0.0;
  return (int64_t)lost;
}

static void restart(void *pointer, fw_time_ns now) {
  serving_state *state = pointer;
  fwi_service_restart(&state->meter, now, present(state));
}

static void report(const void *pointer, fw_service_result *out) {
  const serving_state *state = pointer;
  fwi_service_report(&state->meter, present(state), out);
}

static fw_status create(const fw_scenario_job *job, uint32_t index, uint64_t seed, fw_power_mw idle, void **out,
                        fw_diagnostics *diagnostics) {
  serving_state *state = fw_allocate(1, sizeof *state);
  if (state == NULL) {
    return fw_error_memory(diagnostics, "a serving engine");
  }
  state->job = job;
  state->spec = job->serving;
  state->index = index;
  state->seed = seed;
  state->idle_w = fw_power_to_watts(idle);
  state->next_decision = job->decision;
  state->limit = (size_t)job->initial[FW_ACTUATOR_CONCURRENCY];
  state->meter.places = state->limit;
  find_next(state);
  *out = state;
  return FW_OK;
}

const fwi_program_type fwi_serving_program = {.create = create,
                                              .destroy = destroy,
                                              .next = next,
                                              .progress = progress,
                                              .rewind = rewind_requests,
                                              .settle = settle,
                                              .restart = restart,
                                              .report = report};

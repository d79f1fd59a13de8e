/* The queue program: jobs arrive, wait for GPUs, run and leave.
 *
 * A job of n GPUs takes the n free ones with the lowest numbers. In order of arrival (FIFO) the first in the queue
 * blocks those behind it; with EASY backfill (Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995) those behind it
 * may begin where, by their estimates, they do not put off the first. At one instant jobs end, then others arrive, then
 * those that can begin.
 *
 * Each job goes at its own pace: that of the slowest of its GPUs, and where a model says what its phases are, that of
 * its phase and power under the cap. Where none does, a power cap slows all down as much as the one that draws most,
 * and the engine sees to that. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/fleet/program.h"
#include "sim/fleet/service.h"

#define NO_GPU UINT32_MAX

typedef struct waiting_job {
  fw_submission what;
  uint64_t number; /* among all that were handed in */
  bool again;      /* it was begun before */
} waiting_job;

typedef struct running_job {
  fw_submission what;
  uint64_t number;
  fw_time_ns begun;
  fw_time_ns left;       /* of its work */
  size_t phase;          /* of its present round */
  fw_time_ns phase_left; /* of that phase's work */
  uint32_t first_gpu;    /* of a list through `next_gpu` */
  fwi_tenant *tenant;    /* its residual; NULL: none, or not asked for yet */
  double pace;           /* time for its work, over that at full speed: of the slowest of its GPUs, */
  double slowdown;       /* and with what the cap adds */
  bool extrapolated;     /* that is not in the cap's table */
} running_job;

/* When the GPUs of a running job are thought to be free. */
typedef struct release {
  fw_time_ns time;
  size_t gpus;
} release;

typedef struct queue_state {
  const fw_scenario_job *job;
  const fw_queue_spec *spec;
  uint32_t index;
  uint64_t seed;
  fw_power_mw idle;
  fw_time_ns now;
  fw_time_ns next_decision;
  uint64_t drawn; /* submissions taken from the source so far */
  fw_submission next;
  bool has_next;
  waiting_job *waiting;
  fwi_line line; /* of those that wait */
  running_job *running;
  size_t running_count;
  size_t running_capacity;
  release *releases; /* scratch */
  size_t release_capacity;
  fw_power_mw *power; /* of each GPU */
  uint32_t *next_gpu; /* of the job that holds a GPU; a free one points to itself */
  size_t free_gpus;
  fw_time_ns *broken_until;       /* of each GPU; 0: it works */
  size_t broken_gpus;             /* neither free nor busy */
  const fw_gpu_model *gpu;        /* NULL: not equipped */
  const fwi_noise_tables *tables; /* of the residual; NULL: none */
  fw_time_ns tick;
  fwi_stay *stays;      /* of those that run, GPUs many */
  double *gpu_pace;     /* of each GPU; NULL: none is slower than the others */
  fw_power_mw cap;      /* that is enforced; 0: none */
  fwi_tenant *departed; /* whose last ticks may not be sampled yet */
  bool restarted;       /* running jobs begin anew when the queue is asked next */
  fwi_service_meter meter;
} queue_state;

/* ---- Where jobs come from ---- */

static size_t draw_size(const queue_state *state, fw_stream stream, uint64_t n) {
  const fw_queue_spec *spec = state->spec;
  double total = 0.0;
  for (size_t i = 0; i < spec->size_count; i++) {
    total += spec->weights != NULL ? spec->weights[i] : 1.0;
  }
  double left = total * fw_random_uniform(stream, n, 0);
  size_t i = 0;
  while (i + 1 < spec->size_count && left >= (spec->weights != NULL ? spec->weights[i] : 1.0)) {
    left -= spec->weights != NULL ? spec->weights[i] : 1.0;
    i++;
  }
  return (size_t)spec->sizes[i];
}

/* A constant interval begins with an arrival at once. */
static void draw_next(queue_state *state) {
  const fw_queue_spec *spec = state->spec;
  const uint64_t n = state->drawn;
  const fw_stream arrivals = fw_stream_make(state->seed, FW_DRAW_ARRIVAL, state->index);
  const fw_stream jobs = fw_stream_make(state->seed, FW_DRAW_SUBMISSION, state->index);
  const bool at_once = n == 0 && spec->interval.kind == FW_TIME_CONSTANT;
  const fw_time_ns interval = at_once ? 0 : fw_time_law_draw(&spec->interval, arrivals, n, 0, NULL);
  bool cut = false;
  state->next = (fw_submission){.time = fw_time_after(state->next.time, interval),
                                .gpus = draw_size(state, jobs, n),
                                .duration = fw_time_law_draw(&spec->duration, jobs, n, 1, &cut),
                                .limit = spec->limit};
  state->meter.cut += cut;
}

static void find_next(queue_state *state) {
  const fw_queue_spec *spec = state->spec;
  const uint64_t count = spec->trace != NULL ? spec->trace->count : spec->count;
  state->has_next = state->drawn < count || (spec->trace == NULL && count == 0);
  if (!state->has_next) {
    return;
  }
  if (spec->trace != NULL) {
    state->next = spec->trace->data[state->drawn];
  } else {
    draw_next(state);
  }
  state->drawn++;
  state->has_next = state->next.time < FW_TIME_MAX;
}

static fw_time_ns length_of(const queue_state *state, const fw_submission *what) {
  if (what->steps == 0) {
    return what->duration;
  }
  const double length = (double)state->spec->round * (double)what->steps;
  return length < 9.0e18 ? state->spec->round * (fw_time_ns)what->steps : FW_TIME_MAX;
}

/* ---- GPUs ---- */

/* Frees those that left up to `time`. */
static void forget_departed(queue_state *state, fw_time_ns time) {
  fwi_tenant **link = &state->departed;
  while (*link != NULL) {
    fwi_tenant *tenant = *link;
    if (tenant->left <= time) {
      *link = tenant->next;
      fwi_tenant_free(tenant);
    } else {
      link = &tenant->next;
    }
  }
}

static void destroy(void *pointer) {
  queue_state *state = pointer;
  if (state != NULL) {
    forget_departed(state, FW_TIME_MAX);
    for (size_t i = 0; i < state->running_count; i++) {
      fwi_tenant_free(state->running[i].tenant);
    }
    free(state->stays);
    free(state->gpu_pace);
    free(state->waiting);
    free(state->running);
    free(state->releases);
    free(state->power);
    free(state->next_gpu);
    free(state->broken_until);
    free(state);
  }
}

static bool is_free(const queue_state *state, size_t gpu) {
  return state->next_gpu[gpu] == gpu && state->broken_until[gpu] == 0;
}

/* Gives the job the free GPUs with the lowest numbers. */
static void take_gpus(queue_state *state, running_job *job) {
  size_t wanted = job->what.gpus;
  uint32_t *link = &job->first_gpu;
  for (size_t gpu = 0; wanted > 0; gpu++) {
    if (is_free(state, gpu)) {
      *link = (uint32_t)gpu;
      link = &state->next_gpu[gpu];
      wanted--;
    }
  }
  *link = NO_GPU;
  state->free_gpus -= job->what.gpus;
}

static void set_power(queue_state *state, const running_job *job, fw_power_mw power) {
  for (uint32_t gpu = job->first_gpu; gpu != NO_GPU; gpu = state->next_gpu[gpu]) {
    state->power[gpu] = power;
  }
}

/* What it drew up to now may still be to be sampled. */
static void depart(queue_state *state, running_job *job) {
  if (job->tenant != NULL) {
    job->tenant->left = state->now;
    job->tenant->next = state->departed;
    state->departed = job->tenant;
    job->tenant = NULL;
  }
}

static void release_gpus(queue_state *state, running_job *job) {
  depart(state, job);
  uint32_t gpu = job->first_gpu;
  while (gpu != NO_GPU) {
    const uint32_t next = state->next_gpu[gpu];
    state->power[gpu] = state->idle;
    state->next_gpu[gpu] = gpu;
    gpu = next;
  }
  state->free_gpus += job->what.gpus;
}

/* ---- Running ---- */

static size_t busy_gpus(const queue_state *state) {
  return state->job->gpus - state->free_gpus - state->broken_gpus;
}

static fwi_presence present(const queue_state *state) {
  return (fwi_presence){.waiting = state->line.count, .in_service = state->running_count, .busy = busy_gpus(state)};
}

/* Whether its jobs have phases whose slowdown under a cap is known. */
static bool is_paced(const queue_state *state) {
  return state->spec->model != NULL && state->gpu != NULL;
}

static double slowest_gpu(const queue_state *state, const running_job *job) {
  double pace = 1.0;
  for (uint32_t gpu = job->first_gpu; state->gpu_pace != NULL && gpu != NO_GPU; gpu = state->next_gpu[gpu]) {
    pace = state->gpu_pace[gpu] > pace ? state->gpu_pace[gpu] : pace;
  }
  return pace;
}

/* How fast it goes from now on. */
static void set_pace(const queue_state *state, running_job *job) {
  const fw_phase phase = state->spec->phases[job->phase].phase;
  job->pace = fwi_is_in_step(phase) ? slowest_gpu(state, job) : 1.0;
  job->slowdown = job->pace;
  job->extrapolated = false;
  if (state->cap > 0 && phase != FW_PHASE_IDLE && is_paced(state)) {
    job->slowdown *= fw_cap_slowdown(&state->gpu->cap, phase, fw_power_to_watts(state->cap),
                                     fw_power_to_watts(state->power[job->first_gpu]), &job->extrapolated);
  }
}

static void set_all_paces(queue_state *state) {
  for (size_t i = 0; i < state->running_count; i++) {
    set_pace(state, &state->running[i]);
  }
}

/* Enters the phase with that number, passing over those of no length. */
static void enter_phase(queue_state *state, running_job *job, size_t phase) {
  const fw_queue_spec *spec = state->spec;
  phase %= spec->phase_count;
  while (spec->phases[phase].duration == 0) {
    phase = (phase + 1) % spec->phase_count;
  }
  job->phase = phase;
  job->phase_left = spec->phases[phase].duration;
  set_power(state, job, job->what.power > 0 ? job->what.power : spec->phases[phase].power);
  set_pace(state, job);
}

static void start_over(queue_state *state, running_job *job) {
  job->begun = state->now;
  job->left = length_of(state, &job->what);
  enter_phase(state, job, 0);
}

static bool over_limit(const running_job *job, fw_time_ns now) {
  return job->what.limit > 0 && now - job->begun >= job->what.limit;
}

static void remove_ended(queue_state *state) {
  size_t kept = 0;
  for (size_t i = 0; i < state->running_count; i++) {
    running_job *job = &state->running[i];
    const bool done = job->left <= 0;
    if (done || over_limit(job, state->now)) {
      release_gpus(state, job);
      state->meter.finished += done;
      state->meter.killed += !done;
      if (done) {
        fwi_delays_add(&state->meter.latency, state->now - job->what.time);
      }
    } else {
      state->running[kept++] = *job;
    }
  }
  state->running_count = kept;
}

/* The part of [from, from + worked) that is counted: after the warm-up. */
static fw_time_ns counted_part(const queue_state *state, fw_time_ns from, fw_time_ns worked) {
  const fw_time_ns before = state->meter.from > from ? state->meter.from - from : 0;
  return before < worked ? worked - before : 0;
}

/* From `from` on they were at work for so long. */
static void work(queue_state *state, fw_time_ns from, fw_time_ns worked) {
  const double counted = (double)counted_part(state, from, worked);
  for (size_t i = 0; i < state->running_count; i++) {
    running_job *job = &state->running[i];
    const fw_time_ns done = fwi_work_in_time(worked, job->slowdown);
    state->meter.held_up_ns += job->pace > 1.0 ? counted * (1.0 - 1.0 / job->pace) : 0.0;
    job->left -= done;
    job->phase_left -= done;
    if (job->phase_left <= 0 && job->left > 0) {
      enter_phase(state, job, job->phase + 1);
    }
  }
}

static fw_status take_arrivals(queue_state *state, fw_diagnostics *diagnostics) {
  while (state->has_next && state->next.time <= state->now) {
    if (!fwi_line_extend(&state->waiting, &state->line, sizeof *state->waiting)) {
      return fw_error_memory(diagnostics, "the jobs of a queue");
    }
    state->waiting[state->line.first + state->line.count++] =
        (waiting_job){.what = state->next, .number = state->drawn - 1};
    fwi_service_arrive(&state->meter, state->next.time);
    find_next(state);
  }
  return FW_OK;
}

static void repair(queue_state *state) {
  for (size_t gpu = 0; state->broken_gpus > 0 && gpu < state->job->gpus; gpu++) {
    if (state->broken_until[gpu] > 0 && state->broken_until[gpu] <= state->now) {
      state->broken_until[gpu] = 0;
      state->power[gpu] = state->idle;
      state->broken_gpus--;
      state->free_gpus++;
    }
  }
}

static fw_time_ns next_repair(const queue_state *state) {
  fw_time_ns next = FW_TIME_MAX;
  for (size_t gpu = 0; state->broken_gpus > 0 && gpu < state->job->gpus; gpu++) {
    const fw_time_ns until = state->broken_until[gpu];
    next = until > 0 && until < next ? until : next;
  }
  return next;
}

static fw_status settle(void *pointer, const fwi_turn *turn, fw_diagnostics *diagnostics) {
  queue_state *state = pointer;
  fwi_service_pass(&state->meter, turn->now, present(state));
  forget_departed(state, turn->sampled);
  work(state, state->now, turn->worked);
  state->now = turn->now;
  if (turn->cap != state->cap) {
    state->cap = turn->cap;
    set_all_paces(state);
  }
  if (state->restarted) {
    for (size_t i = 0; i < state->running_count; i++) {
      start_over(state, &state->running[i]);
    }
    state->restarted = false;
  }
  remove_ended(state);
  repair(state);
  return take_arrivals(state, diagnostics);
}

/* ---- Who may begin ---- */

/* Begins the `position`-th of those that wait. */
static fw_status begin(queue_state *state, size_t position, fw_diagnostics *diagnostics) {
  if (!fw_grow(&state->running, &state->running_capacity, state->running_count + 1, sizeof *state->running)) {
    return fw_error_memory(diagnostics, "the running jobs of a queue");
  }
  waiting_job *waiting = state->waiting + state->line.first;
  running_job *job = &state->running[state->running_count++];
  *job = (running_job){.what = waiting[position].what, .number = waiting[position].number};
  if (!waiting[position].again) {
    fwi_delays_add(&state->meter.wait, state->now - job->what.time);
  }
  take_gpus(state, job);
  start_over(state, job);
  if (position == 0) {
    state->line.first++;
  } else {
    memmove(waiting + position, waiting + position + 1, (state->line.count - position - 1) * sizeof *waiting);
  }
  state->line.count--;
  return FW_OK;
}

static const fw_submission *waiting_at(const queue_state *state, size_t position) {
  return &state->waiting[state->line.first + position].what;
}

static fw_status begin_in_order(queue_state *state, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  while (status == FW_OK && state->line.count > 0 && waiting_at(state, 0)->gpus <= state->free_gpus) {
    status = begin(state, 0, diagnostics);
  }
  return status;
}

/* From `from` on: its limit, or where it has none what it takes at full speed. */
static fw_time_ns estimated_end(const queue_state *state, const fw_submission *what, fw_time_ns from) {
  return fw_time_after(from, what->limit > 0 ? what->limit : length_of(state, what));
}

static int by_time(const void *left, const void *right) {
  const release *a = left;
  const release *b = right;
  return (a->time > b->time) - (a->time < b->time);
}

/* When the first in the queue can begin, and how many GPUs are then left over. */
static fw_status reserve(queue_state *state, fw_time_ns *time, size_t *extra, fw_diagnostics *diagnostics) {
  size_t count = 0;
  if (!fw_grow(&state->releases, &state->release_capacity, state->running_count + state->broken_gpus,
               sizeof *state->releases)) {
    return fw_error_memory(diagnostics, "the schedule of a queue");
  }
  for (size_t i = 0; i < state->running_count; i++) {
    const running_job *job = &state->running[i];
    const fw_time_ns end = estimated_end(state, &job->what, job->begun);
    state->releases[count++] = (release){end > state->now ? end : state->now + 1, job->what.gpus};
  }
  for (size_t gpu = 0; state->broken_gpus > 0 && gpu < state->job->gpus; gpu++) {
    if (state->broken_until[gpu] > 0) {
      state->releases[count++] = (release){state->broken_until[gpu], 1};
    }
  }
  qsort(state->releases, count, sizeof *state->releases, by_time);
  const size_t wanted = waiting_at(state, 0)->gpus;
  size_t free_then = state->free_gpus;
  *time = state->now;
  for (size_t i = 0; i < count && (free_then < wanted || state->releases[i].time == *time); i++) {
    free_then += state->releases[i].gpus;
    *time = state->releases[i].time;
  }
  *extra = free_then - wanted;
  return FW_OK;
}

static fw_status backfill(queue_state *state, fw_diagnostics *diagnostics) {
  fw_time_ns reserved = 0;
  size_t extra = 0;
  if (state->line.count < 2 || state->free_gpus == 0) {
    return FW_OK;
  }
  fw_status status = reserve(state, &reserved, &extra, diagnostics);
  for (size_t i = 1; i < state->line.count && status == FW_OK;) {
    const fw_submission *what = waiting_at(state, i);
    const bool in_time = estimated_end(state, what, state->now) <= reserved;
    if (what->gpus <= state->free_gpus && (in_time || what->gpus <= extra)) {
      extra -= in_time ? 0 : what->gpus;
      status = begin(state, i, diagnostics);
    } else {
      i++;
    }
  }
  return status;
}

/* Jobs of no length end at once and make way for others. */
static fw_status schedule(queue_state *state, fw_diagnostics *diagnostics) {
  for (;;) {
    const size_t before = state->line.count;
    fw_status status = begin_in_order(state, diagnostics);
    if (status == FW_OK && state->spec->discipline == FW_DISCIPLINE_EASY) {
      status = backfill(state, diagnostics);
    }
    const size_t running = state->running_count;
    remove_ended(state);
    if (status != FW_OK || before == state->line.count || running == state->running_count) {
      return status;
    }
  }
}

/* ---- The program ---- */

static fw_power_mw highest(const queue_state *state) {
  fw_power_mw most = state->idle;
  for (size_t i = 0; i < state->running_count; i++) {
    const fw_power_mw power = state->power[state->running[i].first_gpu];
    most = power > most ? power : most;
  }
  return most;
}

/* A running job gets its residual when it is first seen to draw power. */
static fw_status move_in(const queue_state *state, running_job *job, fw_diagnostics *diagnostics) {
  const fwi_tenant_key key = {.tables = state->tables,
                              .residual = state->spec->residual,
                              .seed = state->seed,
                              .queue = state->index,
                              .number = job->number,
                              .gpus = job->what.gpus,
                              .first_tick = (uint64_t)(state->now / state->tick),
                              .tick_s = fw_time_to_seconds(state->tick)};
  const fw_status status = fwi_tenant_create(&key, &job->tenant, diagnostics);
  uint32_t gpu = job->first_gpu;
  for (size_t i = 0; status == FW_OK && gpu != NO_GPU; i++) {
    job->tenant->gpu[i] = gpu;
    gpu = state->next_gpu[gpu];
  }
  return status;
}

static fw_status list_tenants(queue_state *state, fwi_block *block, fw_diagnostics *diagnostics) {
  if (state->tables == NULL) {
    return FW_OK;
  }
  if (state->stays == NULL && (state->stays = fw_allocate(state->job->gpus, sizeof *state->stays)) == NULL) {
    return fw_error_memory(diagnostics, "a queue");
  }
  fw_status status = FW_OK;
  for (size_t i = 0; i < state->running_count && status == FW_OK; i++) {
    running_job *job = &state->running[i];
    status = job->tenant == NULL ? move_in(state, job, diagnostics) : FW_OK;
    state->stays[i] = (fwi_stay){job->tenant, state->spec->phases[job->phase].phase};
  }
  block->stays = state->stays;
  block->stay_count = state->running_count;
  return status;
}

/* Up to the next instant at which something ends, begins or arrives. */
static fwi_block next_stretch(const queue_state *state) {
  fwi_block block = {.phase = state->running_count > 0 ? FW_PHASE_ROLLOUT : FW_PHASE_IDLE,
                     .work = FW_TIME_MAX - state->now,
                     .demand = highest(state),
                     .gpu_demand = state->power,
                     .scale = 1.0,
                     .paced = is_paced(state),
                     .occupancy = (double)busy_gpus(state)};
  block.until = fw_time_earlier(state->next_decision, state->has_next ? state->next.time : FW_TIME_MAX);
  block.until = fw_time_earlier(block.until, next_repair(state));
  for (size_t i = 0; i < state->running_count; i++) {
    const running_job *job = &state->running[i];
    const fw_time_ns work = fw_time_earlier(job->left, job->phase_left);
    block.work = fw_time_earlier(block.work, fwi_time_for_work(work, job->slowdown));
    block.extrapolated |= job->extrapolated;
    if (job->what.limit > 0) {
      block.until = fw_time_earlier(block.until, fw_time_after(job->begun, job->what.limit));
    }
  }
  return block;
}

static fw_status next(void *pointer, const fwi_turn *turn, fwi_blocks *blocks, fw_diagnostics *diagnostics) {
  queue_state *state = pointer;
  fw_status status = settle(state, turn, diagnostics);
  status = status == FW_OK ? schedule(state, diagnostics) : status;
  if (status != FW_OK) {
    return status;
  }
  const bool ended = state->running_count == 0 && state->line.count == 0 && !state->has_next;
  fwi_block block = next_stretch(state);
  if (ended || state->next_decision <= state->now) {
    state->next_decision = fw_time_after(state->now, state->job->decision);
    block.work = block.until = 0;
    block.gpu_demand = NULL;
    block.marks = ended ? FWI_MARK_JOB_END : FWI_MARK_DECISION;
  } else {
    status = list_tenants(state, &block, diagnostics);
  }
  return status == FW_OK ? fwi_blocks_add(blocks, block, diagnostics) : status;
}

static double progress(const void *pointer) {
  const queue_state *state = pointer;
  return (double)busy_gpus(state) / (double)state->job->gpus;
}

/* Running jobs keep their GPUs and begin again. */
static int64_t rewind_jobs(void *pointer, uint64_t step) {
  (void)step;
  queue_state *state = pointer;
  state->restarted = true;
  return 0;
}

static bool holds(const queue_state *state, const running_job *job, size_t gpu) {
  uint32_t held = job->first_gpu;
  while (held != NO_GPU && held != gpu) {
    held = state->next_gpu[held];
  }
  return held == gpu;
}

/* Takes running job `index` off its GPUs and puts it before all that wait. */
static fw_status throw_back(queue_state *state, size_t index, fw_diagnostics *diagnostics) {
  if (state->line.first == 0) {
    if (!fw_grow(&state->waiting, &state->line.capacity, state->line.count + 1, sizeof *state->waiting)) {
      return fw_error_memory(diagnostics, "the jobs of a queue");
    }
    memmove(state->waiting + 1, state->waiting, state->line.count * sizeof *state->waiting);
    state->line.first = 1;
  }
  running_job *job = &state->running[index];
  state->waiting[--state->line.first] = (waiting_job){.what = job->what, .number = job->number, .again = true};
  state->line.count++;
  state->meter.thrown_back++;
  release_gpus(state, job);
  state->running_count--;
  memmove(job, job + 1, (state->running_count - index) * sizeof *job);
  return FW_OK;
}

/* The job on the GPU begins again, elsewhere or later; the GPU is out until it is repaired. */
static fw_status fail_gpu(void *pointer, fw_time_ns now, size_t gpu, const fw_outage *outage,
                          fw_diagnostics *diagnostics) {
  queue_state *state = pointer;
  const fw_time_ns until = fw_time_after(now, outage->down);
  fw_status status = FW_OK;
  fwi_service_pass(&state->meter, now, present(state));
  state->now = now;
  if (outage->down == 0) {
    return FW_OK;
  }
  if (state->broken_until[gpu] > 0) {
    state->broken_until[gpu] = until > state->broken_until[gpu] ? until : state->broken_until[gpu];
    return FW_OK;
  }
  for (size_t i = 0; i < state->running_count; i++) {
    if (holds(state, &state->running[i], gpu)) {
      status = throw_back(state, i, diagnostics);
      break;
    }
  }
  state->broken_until[gpu] = until;
  state->power[gpu] = outage->power;
  state->broken_gpus++;
  state->free_gpus--;
  return status;
}

static fw_status slow_gpu(void *pointer, size_t gpu, double pace, fw_diagnostics *diagnostics) {
  queue_state *state = pointer;
  if (state->gpu_pace == NULL) {
    state->gpu_pace = fw_allocate(state->job->gpus, sizeof *state->gpu_pace);
    if (state->gpu_pace == NULL) {
      return fw_error_memory(diagnostics, "a queue");
    }
    for (size_t g = 0; g < state->job->gpus; g++) {
      state->gpu_pace[g] = 1.0;
    }
  }
  state->gpu_pace[gpu] = pace;
  set_all_paces(state);
  return FW_OK;
}

static double held_up_ns(const void *pointer) {
  const queue_state *state = pointer;
  return state->meter.held_up_ns;
}

static void restart(void *pointer, fw_time_ns now) {
  queue_state *state = pointer;
  fwi_service_restart(&state->meter, now, present(state));
}

static void report(const void *pointer, fw_service_result *out) {
  const queue_state *state = pointer;
  fwi_service_report(&state->meter, present(state), out);
}

static void equip(void *pointer, const fw_gpu_model *gpu, const fwi_noise_tables *tables, fw_time_ns tick) {
  queue_state *state = pointer;
  state->gpu = gpu;
  state->tables = tables;
  state->tick = tick;
}

static fw_status create(const fw_scenario_job *job, uint32_t index, uint64_t seed, fw_power_mw idle, void **out,
                        fw_diagnostics *diagnostics) {
  queue_state *state = fw_allocate(1, sizeof *state);
  if (state == NULL || (state->power = fw_allocate(job->gpus, sizeof *state->power)) == NULL ||
      (state->next_gpu = fw_allocate(job->gpus, sizeof *state->next_gpu)) == NULL ||
      (state->broken_until = fw_allocate(job->gpus, sizeof *state->broken_until)) == NULL) {
    destroy(state);
    return fw_error_memory(diagnostics, "a queue");
  }
  state->job = job;
  state->spec = job->queue;
  state->index = index;
  state->seed = seed;
  state->idle = idle;
  state->next_decision = job->decision;
  state->free_gpus = job->gpus;
  state->meter.places = job->gpus;
  for (size_t gpu = 0; gpu < job->gpus; gpu++) {
    state->power[gpu] = idle;
    state->next_gpu[gpu] = (uint32_t)gpu;
  }
  find_next(state);
  *out = state;
  return FW_OK;
}

const fwi_program_type fwi_queue_program = {.create = create,
                                            .equip = equip,
                                            .destroy = destroy,
                                            .next = next,
                                            .progress = progress,
                                            .rewind = rewind_jobs,
                                            .settle = settle,
                                            .restart = restart,
                                            .report = report,
                                            .slow_gpu = slow_gpu,
                                            .held_up_ns = held_up_ns,
                                            .fail_gpu = fail_gpu};

/* A job in time: takes blocks of work from its program and lays them out as segments of constant level, slowed down and
 * limited by the power cap that the firmware enforces. */
#include "sim/fleet/job.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cap's transient is cut off after this many time constants: exp(-8) is 0.03 % of the step. */
#define TRANSIENT_TIME_CONSTANTS 8
/* More zero-length blocks in a row than this and time will never move on. */
#define ZERO_BLOCK_LIMIT UINT64_C(1000000)

void fwi_job_free(fwi_job *job) {
  if (job->program != NULL) {
    job->program->destroy(job->program_state);
  }
  fwi_noise_free(&job->noise);
  fwi_incidents_free(&job->incidents);
  fwi_telemetry_free(&job->telemetry);
  free(job->blocks.data);
  free(job->levels);
  free(job->stays);
  free(job->segments);
  free(job->gain_per_tick);
  free(job->dark_until);
  free(job->power_mw);
  free(job->contrast_mw);
  free(job->spike_tick);
  free(job->spike_number);
  free(job->spike_height);
  free(job->energy_pj);
  free(job->reading);
  free(job->total);
  free(job->events);
  *job = (fwi_job){0};
}

static bool allocate_arrays(fwi_job *job) {
  const size_t gpus = job->spec->gpus;
  size_t cells = 0;
  return fw_size_multiply(gpus, job->setting->window_ticks, &cells) &&
         (job->gain_per_tick = fw_allocate(gpus, sizeof *job->gain_per_tick)) != NULL &&
         (job->dark_until = fw_allocate(gpus, sizeof *job->dark_until)) != NULL &&
         (job->power_mw = fw_allocate(gpus, sizeof *job->power_mw)) != NULL &&
         (job->contrast_mw = fw_allocate(gpus, sizeof *job->contrast_mw)) != NULL &&
         (job->spike_tick = fw_allocate(gpus, sizeof *job->spike_tick)) != NULL &&
         (job->spike_number = fw_allocate(gpus, sizeof *job->spike_number)) != NULL &&
         (job->spike_height = fw_allocate(gpus, sizeof *job->spike_height)) != NULL &&
         (job->energy_pj = fw_allocate(cells, sizeof *job->energy_pj)) != NULL &&
         (job->reading = fw_allocate(job->setting->window_ticks, sizeof *job->reading)) != NULL &&
         (job->total = fw_allocate(job->setting->window_ticks, sizeof *job->total)) != NULL;
}

/* The idle stretch before a job's first step. It ends with the first decision, so a policy's settings hold from the
 * first batch on. */
static void begin_idle(fwi_job *job, fw_time_ns start) {
  job->block = (fwi_block){.phase = FW_PHASE_IDLE,
                           .work = start,
                           .demand = job->setting->gpu->idle,
                           .scale = 1.0,
                           .marks = FWI_MARK_DECISION};
  job->block_until = FW_TIME_MAX;
  job->remaining = start;
  job->in_block = true;
}

static void start_sensors_and_spikes(fwi_job *job) {
  const fwi_draws *draws = &job->noise.draws;
  const fw_gpu_model *gpu = job->setting->gpu;
  const double tick_s = fw_time_to_seconds(job->setting->tick);
  double gain_squares = 0.0;
  job->next_spike = UINT64_MAX;
  for (size_t g = 0; g < job->spec->gpus; g++) {
    const double gain = fw_sensor_gain(&gpu->sensor, draws->seed, (uint32_t)(job->spec->first_gpu + g));
    job->gain_per_tick[g] = gain / (double)job->setting->tick;
    gain_squares += gain * gain;
    const bool spikes =
        job->noise.tables != NULL &&
        fw_spike_next(&job->noise.tables->model->residual.spikes, tick_s, draws->seed, draws->first_gpu + (uint32_t)g,
                      0, draws->from, &job->spike_tick[g], &job->spike_height[g]);
    job->spike_tick[g] = spikes ? job->spike_tick[g] : UINT64_MAX;
    job->next_spike = job->spike_tick[g] < job->next_spike ? job->spike_tick[g] : job->next_spike;
  }
  job->sensor_error_mw = fw_sensor_error_mw(&gpu->sensor, tick_s) * sqrt(gain_squares);
}

/* A copy draws the numbers of the first job of its entry, from its own start on. */
static fwi_draws draws_of(const fw_scenario_job *spec, uint32_t index, uint64_t seed, uint64_t start_tick) {
  const size_t back = spec->copied ? spec->member : 0;
  return (fwi_draws){.seed = seed,
                     .job = index - (uint32_t)back,
                     .first_gpu = (uint32_t)(spec->first_gpu - back * spec->gpus),
                     .from = spec->copied ? start_tick : 0};
}

fw_status fwi_job_create(const fw_scenario_job *spec, const fwi_job_setting *setting, uint32_t index, uint64_t seed,
                         const fwi_noise_tables *tables, fw_time_ns start, const fw_job_setup *setup, fwi_job *out,
                         fw_diagnostics *diagnostics) {
  *out = (fwi_job){.spec = spec,
                   .setting = setting,
                   .index = index,
                   .slowdown = 1.0,
                   .pace = 1.0,
                   .setup = *setup,
                   .step_began = start};
  out->block_row = FWI_NO_ROW;
  out->per_gpu = 1.0 / (double)spec->gpus;
  out->cap = (fwi_cap){.commanded = setting->gpu->cap_max, .effective_at = FW_TIME_MAX, .clocks = 1.0};
  for (size_t i = 0; i < FW_ACTUATOR_COUNT; i++) {
    out->settings[i] = setup->initial[i];
  }
  out->program = fwi_program_find(spec->kind);
  const fwi_draws draws = draws_of(spec, index, seed, (uint64_t)(start / setting->tick));
  fw_status status = out->program->create(spec, draws.job, seed, setting->gpu->idle, &out->program_state, diagnostics);
  if (status == FW_OK) {
    const bool own = out->program->equip == NULL; /* or that of the jobs which it runs */
    if (!own) {
      out->program->equip(out->program_state, setting->gpu, tables, setting->tick);
    }
    status = fwi_noise_create(own ? tables : NULL, draws, spec->gpus, fw_time_to_seconds(setting->tick), &out->noise,
                              diagnostics);
  }
  if (status == FW_OK) {
    status =
        fwi_incidents_create(setting->adversities, setting->adversity_count, spec, seed, &out->incidents, diagnostics);
  }
  if (status == FW_OK) {
    status = fwi_telemetry_create(setting->telemetry_ticks, &out->telemetry, diagnostics);
  }
  if (status == FW_OK && !allocate_arrays(out)) {
    status = fw_error_memory(diagnostics, "a job's samples");
  }
  if (status != FW_OK) {
    fwi_job_free(out);
    return status;
  }
  start_sensors_and_spikes(out);
  begin_idle(out, start);
  /* An initial cap is a command like any other, given to a board that had none. */
  out->settings[FW_ACTUATOR_POWER_CAP_W] = fw_power_to_watts(setting->gpu->cap_max);
  fwi_job_set(out, 0, FW_ACTUATOR_POWER_CAP_W, setup->initial[FW_ACTUATOR_POWER_CAP_W]);
  out->channel = fwi_cap_channel_make(setting->adversities, setting->adversity_count, spec->job_class, seed, index,
                                      out->settings[FW_ACTUATOR_POWER_CAP_W]);
  return FW_OK;
}

fw_status fwi_job_record(fwi_job *job, fw_sim_event_kind kind, fw_actuator actuator, double value,
                         fw_diagnostics *diagnostics) {
  if (!job->setting->record_events) {
    return FW_OK;
  }
  if (!fw_grow(&job->events, &job->event_capacity, job->event_count + 1, sizeof *job->events)) {
    return fw_error_memory(diagnostics, "the events of a job");
  }
  job->events[job->event_count++] =
      (fw_sim_event){.time = job->now, .job = job->index, .kind = kind, .actuator = actuator, .value = value};
  return FW_OK;
}

/* What a GPU may draw once the firmware has settled. */
static fw_power_mw settled_limit(const fwi_job *job) {
  return job->cap.active ? fw_cap_settled(&job->setting->gpu->cap, job->cap.enforced) : job->setting->gpu->board_max;
}

/* What it may draw now, in W, while the firmware is still moving there. */
static double present_limit_w(const fwi_job *job) {
  const fwi_cap *cap = &job->cap;
  const fw_time_ns since = job->now - cap->since;
  return cap->in_transient ? fw_cap_transient_mean_w(&job->setting->gpu->cap, cap->from_w, cap->to_w, since, since)
                           : fw_power_to_watts(settled_limit(job));
}

/* The limit moves from `from_w` to `to_w`, beginning now. Less than the unit of power is no move. */
static void start_transient(fwi_job *job, double from_w, double to_w) {
  job->cap.in_transient = fabs(from_w - to_w) * (double)FW_MW_PER_W >= 1.0;
  job->cap.since = job->now;
  job->cap.from_w = from_w;
  job->cap.to_w = to_w;
}

void fwi_job_update_slowdown(fwi_job *job) {
  job->slowdown = 1.0;
  if (job->block.paced) {
    return;
  }
  if (job->cap.active && job->block.phase != FW_PHASE_IDLE) {
    bool extrapolated = false;
    job->slowdown = fw_cap_slowdown(&job->setting->gpu->cap, job->block.phase, fw_power_to_watts(job->cap.enforced),
                                    fw_power_to_watts(job->block.demand), &extrapolated);
    job->extrapolated = job->extrapolated || extrapolated;
  }
  if (job->pace > 1.0 && fwi_is_in_step(job->block.phase)) {
    job->slowdown *= job->pace;
  }
}

/* The commanded cap takes effect now. */
static void enforce_cap(fwi_job *job) {
  const double demand_w = fw_power_to_watts(job->block.demand);
  const double from_w = fmin(demand_w, present_limit_w(job));
  job->cap.enforced = job->cap.commanded;
  job->cap.active = job->cap.commanded < job->setting->gpu->cap_max;
  job->cap.effective_at = FW_TIME_MAX;
  start_transient(job, from_w, fmin(demand_w, fw_power_to_watts(settled_limit(job))));
  fwi_job_update_slowdown(job);
  if (job->in_block && job->block.paced) {
    job->block_until = job->now; /* its program says anew how long things take */
  }
}

static void note_support(fwi_job *job) {
  const fw_job_model *model = job->spec->model;
  job->extrapolated = job->extrapolated || job->block.extrapolated;
  if (model != NULL && job->block.phase == FW_PHASE_ROLLOUT) {
    /* The last sequences of a batch drain through every occupancy, so only the upper end can be left. */
    job->extrapolated = job->extrapolated || job->block.occupancy > model->support.concurrency_max;
  }
}

/* How far the firmware has the clocks down: power over the present block's demand. */
static double throttle(const fwi_job *job) {
  const double demand_w = fw_power_to_watts(job->block.demand);
  const double limit_w = present_limit_w(job);
  return demand_w > limit_w ? limit_w / demand_w : 1.0;
}

/* A block begins with the clocks where the one before left them, so what overshoots is the rise of the demand, and how
 * finely a recording is cut into blocks makes no difference. */
static void overshoot(fwi_job *job) {
  const double demand_w = fw_power_to_watts(job->block.demand);
  const double to_w = fmin(demand_w, fw_power_to_watts(settled_limit(job)));
  start_transient(job, fmax(demand_w * job->cap.clocks, to_w), to_w);
}

/* Makes `block` the present one. */
static void enter_block(fwi_job *job, const fwi_block *block) {
  if (job->block.work > 0) {
    job->cap.clocks = job->cap.active ? throttle(job) : 1.0; /* a block of no length leaves them as they are */
  }
  job->block = *block;
  job->block_began = job->stock_taken = job->now;
  job->block_until = block->until > 0 ? block->until : FW_TIME_MAX;
  job->remaining = block->work;
  job->block_tokens_before = 0;
  job->in_block = true;
  if (job->cap.active) {
    overshoot(job);
  }
  fwi_job_update_slowdown(job);
  note_support(job);
}

static fw_status next_block(fwi_job *job, fw_diagnostics *diagnostics) {
  if (job->next_block == job->blocks.count) {
    job->blocks.count = 0;
    job->next_block = 0;
    const fwi_turn turn = fwi_job_take_turn(job);
    const fw_status status = job->program->next(job->program_state, &turn, &job->blocks, diagnostics);
    if (status != FW_OK) {
      return status;
    }
  }
  const fw_status kept = fwi_job_keep_levels(job, &job->blocks.data[job->next_block], diagnostics);
  if (kept != FW_OK) {
    return kept;
  }
  enter_block(job, &job->blocks.data[job->next_block++]);
  return FW_OK;
}

/* A commanded start offset is spent once, before the next step. Returns it. */
static fw_time_ns spend_start_offset(fwi_job *job) {
  fw_time_ns delay = 0;
  if (job->settings[FW_ACTUATOR_START_OFFSET_S] > 0.0 &&
      fw_time_from_seconds(job->settings[FW_ACTUATOR_START_OFFSET_S], &delay)) {
    const fwi_block wait = {.phase = FW_PHASE_IDLE, .work = delay, .demand = job->setting->gpu->idle, .scale = 1.0};
    enter_block(job, &wait);
    job->settings[FW_ACTUATOR_START_OFFSET_S] = 0.0;
  }
  return delay;
}

static void turn_step(fwi_job *job) {
  job->step_length = job->now - job->step_began;
  job->step_began = job->now + spend_start_offset(job);
}

int64_t fwi_job_block_tokens(const fwi_job *job) {
  if (!job->in_block || job->block.work == 0) {
    return 0;
  }
  const double share = (double)(job->block.work - job->remaining) / (double)job->block.work;
  return (int64_t)((double)job->block.tokens * share) - job->block_tokens_before;
}

int64_t fwi_job_tokens(const fwi_job *job) {
  return job->tokens + fwi_job_block_tokens(job);
}

static void count_block(fwi_job *job) {
  if (job->block.until > 0) {
    fwi_job_close_open_block(job);
    return;
  }
  job->tokens += job->block.tokens - job->block_tokens_before;
  job->batches += (job->block.marks & FWI_MARK_BATCH_END) != 0;
  job->steps += (job->block.marks & FWI_MARK_STEP_END) != 0;
  job->step_number += (job->block.marks & FWI_MARK_STEP_END) != 0;
}

/* What the end of the present block brings about. */
static fw_status finish_block(fwi_job *job, fw_diagnostics *diagnostics) {
  const unsigned marks = job->block.marks;
  count_block(job);
  job->in_block = false;
  job->ended = (marks & FWI_MARK_JOB_END) != 0;
  job->waiting = (marks & FWI_MARK_DECISION) != 0 && !job->ended;
  job->blocks_at_now = job->now == job->block_began ? job->blocks_at_now + 1 : 0;
  if (job->blocks_at_now > ZERO_BLOCK_LIMIT) {
    char time_text[FW_UNITS_TEXT_SIZE];
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "job %u (class \"%s\") does not advance: phases of no length repeat at t = %s s", job->index,
                    job->spec->job_class, fw_time_format(job->now, time_text));
  }
  fw_status status = FW_OK;
  if ((marks & FWI_MARK_UP) != 0) {
    status = fwi_job_come_up(job, diagnostics);
  }
  if (status == FW_OK && (marks & FWI_MARK_BATCH_END) != 0) {
    status = fwi_job_record(job, FW_SIM_BATCH_END, FW_ACTUATOR_COUNT, (double)job->tokens, diagnostics);
  }
  if (status == FW_OK && (marks & FWI_MARK_STEP_END) != 0) {
    status = fwi_job_record(job, FW_SIM_STEP_END, FW_ACTUATOR_COUNT, (double)job->tokens, diagnostics);
    fwi_job_checkpoint(job);
    turn_step(job);
  }
  if (status == FW_OK && job->ended) {
    status = fwi_job_record(job, FW_SIM_JOB_END, FW_ACTUATOR_COUNT, (double)job->tokens, diagnostics);
    const fwi_block idle = {
        .phase = FW_PHASE_IDLE, .work = FW_TIME_MAX - job->now, .demand = job->setting->gpu->idle, .scale = 1.0};
    enter_block(job, &idle);
  }
  return status;
}

static fw_status add_segment(fwi_job *job, fwi_segment segment, fw_diagnostics *diagnostics) {
  if (!fw_grow(&job->segments, &job->segment_capacity, job->segment_count + 1, sizeof *job->segments)) {
    return fw_error_memory(diagnostics, "the segments of a job");
  }
  job->segments[job->segment_count++] = segment;
  return FW_OK;
}

static fw_time_ns transient_end(const fwi_job *job) {
  return job->cap.since + TRANSIENT_TIME_CONSTANTS * job->setting->gpu->cap.settling;
}

/* Emits the stretch [now, stop) of the present block and moves on to its end. */
static fw_status emit(fwi_job *job, fw_time_ns stop, fw_diagnostics *diagnostics) {
  fwi_segment segment = {.from = job->now,
                         .to = stop,
                         .phase = job->block.phase,
                         .level = job->block.demand,
                         .gpu_level = job->block.gpu_demand,
                         .row = job->block_row,
                         .stay_count = job->block.stay_count,
                         .scale = job->block.scale,
                         .ceiling = settled_limit(job)};
  if (job->cap.in_transient) {
    const double mean_w = fw_cap_transient_mean_w(&job->setting->gpu->cap, job->cap.from_w, job->cap.to_w,
                                                  job->now - job->cap.since, stop - job->cap.since);
    (void)fw_power_from_watts(fmin(mean_w, fw_power_to_watts(job->setting->gpu->board_max)), &segment.ceiling);
  }
  job->now = stop;
  return add_segment(job, segment, diagnostics);
}

void fwi_job_take_stock(fwi_job *job) {
  const fw_time_ns elapsed = job->now - job->stock_taken;
  if (!job->in_block) {
    return;
  }
  job->remaining -= fwi_work_in_time(elapsed, job->slowdown);
  job->remaining = job->remaining < 0 ? 0 : job->remaining;
  job->stock_taken = job->now;
  if (job->block.phase == FW_PHASE_ROLLOUT) {
    job->rollout_ns += (double)elapsed;
    job->occupancy_ns += (double)elapsed * job->block.occupancy;
  }
  if (job->pace > 1.0 && fwi_is_in_step(job->block.phase)) {
    job->outage.held_up_ns += (double)elapsed * (1.0 - 1.0 / job->pace);
  }
}

/* Goes on within the present block, to its end, `until`, or a change of the cap, whichever comes first. */
static fw_status continue_block(fwi_job *job, fw_time_ns until, fw_diagnostics *diagnostics) {
  if (job->cap.effective_at <= job->now) {
    enforce_cap(job);
  }
  if (fwi_cap_channel_next(&job->channel) <= job->now) {
    job->cap.commanded = fwi_cap_channel_take(&job->channel);
    enforce_cap(job);
  }
  if (job->cap.in_transient && transient_end(job) <= job->now) {
    job->cap.in_transient = false;
  }
  const fw_time_ns block_end = fw_time_after(job->stock_taken, fwi_time_for_work(job->remaining, job->slowdown));
  fw_time_ns stop = fw_time_earlier(fw_time_earlier(block_end, job->incidents.next),
                                    fw_time_earlier(job->cap.effective_at, job->block_until));
  stop = fw_time_earlier(stop, fwi_cap_channel_next(&job->channel));
  if (job->cap.in_transient) {
    /* Each tick gets its own part of the transient. */
    stop = fw_time_earlier(fw_time_earlier(stop, transient_end(job)),
                           (job->now / job->setting->tick + 1) * job->setting->tick);
  }
  const bool goes_on = until < stop;
  stop = goes_on ? until : stop;
  const fw_status status = stop > job->now ? emit(job, stop, diagnostics) : FW_OK;
  if (!goes_on || until >= job->setting->stock_at) {
    fwi_job_take_stock(job);
    job->remaining = stop == block_end ? 0 : job->remaining;
  }
  return status;
}

fw_process_state fwi_job_advance(void *pointer, fw_time_ns until, fw_diagnostics *diagnostics) {
  fwi_job *job = pointer;
  fw_status status = FW_OK;
  while (status == FW_OK && job->now < until && !job->waiting) {
    if (job->in_block && (job->remaining == 0 || job->block_until <= job->now)) {
      status = finish_block(job, diagnostics);
    } else if (job->incidents.next <= job->now) {
      status = fwi_job_strike(job, diagnostics);
    } else if (!job->in_block) {
      status = next_block(job, diagnostics);
    } else {
      status = continue_block(job, until, diagnostics);
    }
  }
  if (status != FW_OK) {
    return FW_PROCESS_FAILED;
  }
  fwi_job_sample(job);
  return job->waiting ? FW_PROCESS_WAITING : FW_PROCESS_ADVANCED;
}

fw_time_ns fwi_job_waiting_since(const void *pointer) {
  const fwi_job *job = pointer;
  return job->now;
}

void fwi_job_set(fwi_job *job, fw_time_ns time, fw_actuator actuator, double value) {
  const fw_actuator_range *range = &job->setup.actuators[actuator];
  const double setting = fw_actuator_nearest(range, value);
  job->adjusted += setting != value;
  if (setting == job->settings[actuator] &&
      (actuator != FW_ACTUATOR_POWER_CAP_W || fwi_cap_channel_has(&job->channel, setting))) {
    return;
  }
  job->settings[actuator] = setting;
  if (actuator == FW_ACTUATOR_POWER_CAP_W) {
    fw_power_mw cap = 0;
    (void)fw_power_from_watts(setting, &cap);
    const fw_time_ns effective_at = time + job->setting->gpu->cap.latency;
    if (!fwi_cap_channel_holds_back(&job->channel, setting, cap, effective_at)) {
      job->cap.commanded = cap;
      /* A command that is under way is overtaken, not put off. */
      job->cap.effective_at = fw_time_earlier(job->cap.effective_at, effective_at);
    }
  }
}

fw_status fwi_job_act(fwi_job *job, const fw_job_action *action, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (unsigned i = 0; i < FW_ACTUATOR_COUNT && status == FW_OK; i++) {
    if ((action->set & (1u << i)) != 0 && isfinite(action->settings[i])) {
      const double before = job->settings[i];
      fwi_job_set(job, job->now, (fw_actuator)i, action->settings[i]);
      if (job->settings[i] != before) {
        status = fwi_job_record(job, FW_SIM_ACTUATOR, (fw_actuator)i, job->settings[i], diagnostics);
      }
    }
  }
  job->waiting = false;
  job->decisions++;
  job->decision_number++;
  job->decided_at = job->now;
  job->decision_tokens = fwi_job_tokens(job);
  job->decision_rollout_ns = job->rollout_ns;
  job->decision_occupancy_ns = job->occupancy_ns;
  fwi_telemetry_mark(&job->telemetry);
  return status;
}

void fwi_job_collected(fwi_job *job, size_t ticks, size_t events) {
  const size_t gpus = job->spec->gpus;
  const size_t left = job->collected_ticks - ticks;
  if (ticks > 0 && left > 0) {
    memmove(job->energy_pj, job->energy_pj + ticks * gpus, left * gpus * sizeof *job->energy_pj);
    memmove(job->reading, job->reading + ticks, left * sizeof *job->reading);
    memmove(job->total, job->total + ticks, left * sizeof *job->total);
  }
  job->collected_ticks = left;
  if (events > 0) {
    job->event_count -= events;
    memmove(job->events, job->events + events, job->event_count * sizeof *job->events);
  }
}

void fwi_job_restart(fwi_job *job) {
  const int64_t present = fwi_job_block_tokens(job);
  job->block_tokens_before += present;
  job->decision_tokens -= job->tokens + present;
  job->tokens = 0;
  job->steps = job->batches = job->decisions = job->adjusted = 0;
  job->rollout_ns = job->occupancy_ns = job->decision_rollout_ns = job->decision_occupancy_ns = 0.0;
  job->floor_count = job->ceiling_count = job->capped_count = 0;
  job->bias_pj = job->energy = 0;
  job->extrapolated = false;
  fwi_job_restart_disturbance(job);
  if (job->program->restart != NULL) {
    job->program->restart(job->program_state, job->now);
  }
  note_support(job);
}

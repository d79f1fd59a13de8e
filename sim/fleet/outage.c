/* Outages of a job: it goes down, loses what it did since its last checkpoint, is loaded again and goes on from there.
 * They are laid out as blocks in front of those that the program has given. */
#include <string.h>

#include "sim/base/memory.h"
#include "sim/fleet/job.h"

/* Before the first step, or before one that was put off, a job only waits. */
static bool has_begun(const fwi_job *job) {
  return job->now >= job->step_began;
}

/* The block that comes next, before those that already wait. */
static fw_status push_front(fwi_job *job, fwi_block block, fw_diagnostics *diagnostics) {
  if (job->next_block == 0) {
    fwi_blocks *blocks = &job->blocks;
    if (!fw_grow(&blocks->data, &blocks->capacity, blocks->count + 1, sizeof *blocks->data)) {
      return fw_error_memory(diagnostics, "the blocks of a job");
    }
    memmove(blocks->data + 1, blocks->data, blocks->count * sizeof *blocks->data);
    blocks->count++;
    job->next_block = 1;
  }
  job->blocks.data[--job->next_block] = block;
  return FW_OK;
}

/* Ends the present block here; what is left of it comes next. */
static fw_status cut_block(fwi_job *job, fw_diagnostics *diagnostics) {
  if (!job->in_block) {
    return FW_OK;
  }
  if (job->block.until > 0) {
    fwi_job_close_open_block(job);
    job->in_block = false;
    return FW_OK; /* its program says anew what comes next */
  }
  const int64_t so_far = fwi_job_tokens(job);
  fwi_block rest = job->block;
  rest.work = job->remaining;
  rest.tokens = job->block.tokens - job->block_tokens_before - (so_far - job->tokens);
  job->tokens = so_far;
  job->in_block = false;
  return push_front(job, rest, diagnostics);
}

/* Of an outage that is extended, the present block and those that wait are laid out anew. */
static void drop_outage_blocks(fwi_job *job) {
  job->in_block = false;
  while (job->next_block < job->blocks.count &&
         (job->blocks.data[job->next_block].marks & (FWI_MARK_DOWN | FWI_MARK_UP)) != 0) {
    job->next_block++;
  }
}

static bool is_open(const fwi_job *job) {
  return job->program->settle != NULL;
}

/* An open program loses what it has in hand; of that, what was generated before the warm-up ended was never counted. */
static fw_status lose_in_hand(fwi_job *job, fw_diagnostics *diagnostics) {
  const fw_status status = fwi_job_settle(job, diagnostics);
  const int64_t lost = job->program->rewind(job->program_state, 0);
  const int64_t counted = job->tokens - job->outage.counts.lost_tokens;
  job->outage.counts.lost_tokens += lost < counted ? lost : counted;
  job->blocks.count = job->next_block = 0;
  return status;
}

static void lose_steps(fwi_job *job) {
  fwi_outage_state *outage = &job->outage;
  outage->counts.lost_tokens += job->tokens - outage->checkpoint_tokens;
  outage->counts.lost_steps += job->steps - outage->checkpoint_steps;
  /* What is done again counts on from here. */
  outage->checkpoint_tokens = job->tokens;
  outage->checkpoint_steps = job->steps;
  job->step_number = outage->checkpoint_number;
  (void)job->program->rewind(job->program_state, job->step_number);
  job->blocks.count = job->next_block = 0;
}

static fw_status lose_work(fwi_job *job, fw_diagnostics *diagnostics) {
  if (is_open(job)) {
    return lose_in_hand(job, diagnostics);
  }
  lose_steps(job);
  return FW_OK;
}

static fw_power_mw load_level(const fwi_job *job) {
  const fw_power_mw idle = job->setting->gpu->idle;
  const fw_job_model *model = fw_scenario_job_power_model(job->spec);
  return model != NULL ? fwi_level(model, FW_PHASE_LOAD, 0.0, fw_power_to_watts(idle)) : idle;
}

static fw_status lay_out(fwi_job *job, fw_diagnostics *diagnostics) {
  const fwi_outage_state *outage = &job->outage;
  const fwi_block down = {.phase = FW_PHASE_IDLE,
                          .work = outage->down_until - job->now,
                          .demand = outage->power,
                          .scale = 1.0,
                          .marks = FWI_MARK_DOWN};
  const fwi_block load = {.phase = FW_PHASE_LOAD,
                          .work = outage->up_at - outage->down_until,
                          .demand = load_level(job),
                          .scale = 1.0,
                          .marks = FWI_MARK_UP | (outage->decides ? FWI_MARK_DECISION : 0)};
  const fw_status status = push_front(job, load, diagnostics);
  return status == FW_OK ? push_front(job, down, diagnostics) : status;
}

/* Sets when the outage ends. */
static void extend(fwi_job *job, const fw_outage *outage) {
  fwi_outage_state *state = &job->outage;
  const bool down = state->down_now;
  const fw_time_ns until = fw_time_after(job->now, outage->down);
  const fw_time_ns load = down ? state->up_at - state->down_until : 0;
  if (!down) {
    state->down_since = job->now;
    state->down_now = true;
  }
  state->power = down && job->now < state->down_until && state->power < outage->power ? state->power : outage->power;
  state->down_until = down ? fw_time_later(state->down_until, until) : until;
  state->down_until = fw_time_later(state->down_until, job->now);
  state->up_at = fw_time_after(state->down_until, fw_time_later(load, outage->load));
}

/* The job goes down now and comes up again as `outage` says. In an outage already, the later end and the lower power
 * hold. A job that has ended or not begun has nothing to lose. */
static fw_status interrupt(fwi_job *job, const fw_outage *outage, size_t cause, fw_diagnostics *diagnostics) {
  if (job->ended) {
    return FW_OK;
  }
  job->outage.counts.struck[cause]++;
  const bool was_down = job->outage.down_now;
  const bool begun = has_begun(job);
  const bool loses = begun && !outage->keeps_work;
  const fw_time_ns would_work = was_down ? job->outage.up_at : job->now;
  fw_status status = FW_OK;
  if (was_down) {
    drop_outage_blocks(job);
  } else {
    status = cut_block(job, diagnostics);
  }
  if (status == FW_OK && loses) {
    status = lose_work(job, diagnostics);
  }
  extend(job, outage);
  job->outage.decides = job->outage.decides || loses;
  status = status != FW_OK ? status : lay_out(job, diagnostics);
  if (loses) {
    job->step_began = job->outage.up_at;
  } else if (!begun) {
    job->step_began += job->outage.up_at - would_work; /* what is left of its wait comes after */
  }
  if (status == FW_OK && !was_down) {
    status = fwi_job_record(job, FW_SIM_DOWN, FW_ACTUATOR_COUNT, (double)job->tokens, diagnostics);
  }
  return status;
}

/* A program whose GPUs need not go in step is told which of them is slower. */
static fw_status slow_gpu(fwi_job *job, const fwi_incident *incident, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  if (job->in_block && job->block.until > 0) {
    status = fwi_job_settle(job, diagnostics);
  }
  return status != FW_OK ? status
                         : job->program->slow_gpu(job->program_state, incident->gpu, incident->pace, diagnostics);
}

/* GPUs fail under a program that goes on without them. */
static fw_status fail_gpus(fwi_job *job, const fwi_incident *incident, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  if (job->ended) {
    return FW_OK;
  }
  job->outage.counts.struck[incident->cause]++;
  if (job->in_block && job->block.until > 0) {
    status = fwi_job_settle(job, diagnostics);
  }
  for (size_t i = 0; i < incident->gpu_count && status == FW_OK; i++) {
    status = job->program->fail_gpu(job->program_state, job->now, incident->gpu + i, &incident->outage, diagnostics);
  }
  return status;
}

fw_status fwi_job_strike(fwi_job *job, fw_diagnostics *diagnostics) {
  const fwi_incident incident = fwi_incidents_take(&job->incidents);
  if (incident.is_outage && incident.gpu != FWI_ALL_GPUS && job->program->fail_gpu != NULL) {
    return fail_gpus(job, &incident, diagnostics);
  }
  if (incident.is_outage) {
    return interrupt(job, &incident.outage, incident.cause, diagnostics);
  }
  job->outage.counts.struck[incident.cause] += incident.begins && !job->ended;
  if (incident.gpu != FWI_ALL_GPUS) {
    return slow_gpu(job, &incident, diagnostics);
  }
  job->pace = incident.pace;
  fwi_job_update_slowdown(job);
  return FW_OK;
}

fw_status fwi_job_lose_power(fwi_job *job, size_t first, size_t count, const fw_outage *outage,
                             fw_diagnostics *diagnostics) {
  const fw_time_ns until = fw_time_after(job->now, outage->down);
  const bool whole = count == job->spec->gpus;
  const fwi_incident incident = {.time = job->now,
                                 .cause = FW_STRUCK_BY_TRIP,
                                 .begins = true,
                                 .is_outage = true,
                                 .outage = *outage,
                                 .gpu = whole ? FWI_ALL_GPUS : first,
                                 .gpu_count = count};
  for (size_t g = first; g < first + count; g++) {
    job->dark_until[g] = fw_time_later(job->dark_until[g], until);
  }
  job->dark_to = fw_time_later(job->dark_to, until);
  fwi_job_take_stock(job);
  return fwi_incidents_add(&job->incidents, &incident, diagnostics);
}

fw_status fwi_job_come_up(fwi_job *job, fw_diagnostics *diagnostics) {
  job->outage.down_now = job->outage.decides = false;
  job->outage.down_time += job->now - job->outage.down_since;
  return fwi_job_record(job, FW_SIM_UP, FW_ACTUATOR_COUNT, (double)job->tokens, diagnostics);
}

void fwi_job_checkpoint(fwi_job *job) {
  if (job->step_number % job->spec->checkpoint_steps == 0) {
    job->outage.checkpoint_tokens = job->tokens;
    job->outage.checkpoint_steps = job->steps;
    job->outage.checkpoint_number = job->step_number;
  }
}

fw_disturbance fwi_job_disturbance(const fwi_job *job) {
  fw_disturbance counts = job->outage.counts;
  const fw_time_ns present = job->outage.down_now ? job->now - job->outage.down_since : 0;
  counts.down_s = fw_time_to_seconds(job->outage.down_time + present);
  const double held_up_ns = job->program->held_up_ns != NULL ? job->program->held_up_ns(job->program_state) : 0.0;
  counts.held_up_s = (job->outage.held_up_ns + held_up_ns) / (double)FW_NS_PER_S;
  counts.late_caps = job->channel.late;
  counts.lost_caps = job->channel.lost;
  counts.struck[FW_ADVERSITY_CAP_FAULTS] = counts.late_caps + counts.lost_caps;
  return counts;
}

void fwi_job_restart_disturbance(fwi_job *job) {
  fwi_outage_state *outage = &job->outage;
  outage->counts = (fw_disturbance){0};
  outage->down_time = 0;
  outage->held_up_ns = 0.0;
  outage->down_since = fw_time_later(outage->down_since, job->now);
  outage->checkpoint_tokens = 0;
  outage->checkpoint_steps = 0;
  job->channel.late = job->channel.lost = 0;
}

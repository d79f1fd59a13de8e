/* The simulation: jobs as processes of the scheduler, collected once a second into domains, meters and telemetry.
 *
 * Jobs cross only through the fleet's telemetry and a fleet policy's commands, both on the lattice of whole seconds, so
 * a window of the scheduler is one second: jobs advance in it on their own, then the measurement event adds up their
 * ticks in a fixed order. What a job or a fleet policy sees of the fleet is one second old. */
#include "sim/fleet/sim.h"

#include "sim/base/memory.h"
#include "sim/fleet/budget.h"
#include "sim/fleet/domain.h"
#include "sim/fleet/job.h"

#include <math.h>
#include <stdlib.h>

/* Below this many jobs a window is too short to share out (tests/bench/bench_scheduler.c). */
#define PARALLEL_FROM ((size_t)256)

const char *const fw_stop_reason_names[] = {"horizon", "jobs_done"};

struct fw_sim {
  const fw_scenario *scenario;
  fw_sim_options options;
  fw_time_ns period; /* of telemetry */
  size_t period_ticks;
  fw_time_ns warmup;
  fw_scheduler *scheduler;
  fwi_job_setting job_setting;
  fwi_job *jobs;
  size_t job_count;
  size_t used_gpus;
  uint32_t *node_of_gpu; /* of the GPUs that have a job, which are the first */
  fwi_noise_tables *tables;
  size_t table_count;
  fwi_domains domains;
  fw_meter *sensed;
  fwi_budget budget;

  /* Fleet telemetry and shares. */
  fwi_telemetry site;
  double visible_w; /* what jobs see of the site: a second old */
  double pending_w;
  double *share;      /* of the budget, per job: by uncontrolled mean */
  double *share_w;    /* set by a fleet policy; NaN: not set */
  double *uncapped_w; /* per GPU, as last seen uncapped */
  fw_fleet_job *fleet_jobs;
  size_t fleet_window_ticks;
  fw_time_ns next_fleet_decision;
  uint64_t fleet_decisions;

  fw_time_ns now;
  bool fleet_waits;
  bool ended;
  bool all_done;
  uint64_t measurements;
  uint64_t gpu_ticks;
  fw_energy_pj hour_energy[FW_HOURS_PER_DAY];
  fw_power_mw *tick_truth; /* scratch for the observer, per job */
  fw_power_mw *tick_reading;
};

void fw_sim_free(fw_sim *sim) {
  if (sim == NULL) {
    return;
  }
  fw_scheduler_free(sim->scheduler);
  for (size_t i = 0; sim->jobs != NULL && i < sim->job_count; i++) {
    fwi_job_free(&sim->jobs[i]);
  }
  fwi_domains_free(&sim->domains);
  fw_meter_free(sim->sensed);
  fwi_telemetry_free(&sim->site);
  free(sim->jobs);
  free(sim->node_of_gpu);
  free(sim->tables);
  free(sim->share);
  free(sim->share_w);
  free(sim->uncapped_w);
  free(sim->fleet_jobs);
  free(sim->tick_truth);
  free(sim->tick_reading);
  free(sim);
}

/* ---- Creation ---- */

static bool allocate(fw_sim *sim) {
  const size_t n = sim->scenario->job_count;
  return (sim->jobs = fw_allocate(n, sizeof *sim->jobs)) != NULL &&
         (sim->tables = fw_allocate(n, sizeof *sim->tables)) != NULL &&
         (sim->share = fw_allocate(n, sizeof *sim->share)) != NULL &&
         (sim->share_w = fw_allocate(n, sizeof *sim->share_w)) != NULL &&
         (sim->uncapped_w = fw_allocate(n, sizeof *sim->uncapped_w)) != NULL &&
         (sim->fleet_jobs = fw_allocate(n, sizeof *sim->fleet_jobs)) != NULL &&
         (sim->tick_truth = fw_allocate(n, sizeof *sim->tick_truth)) != NULL &&
         (sim->tick_reading = fw_allocate(n, sizeof *sim->tick_reading)) != NULL;
}

/* The tables of `model`, prepared once for all jobs that use it; NULL where a job has no model of its own power. */
static const fwi_noise_tables *tables_for(fw_sim *sim, const fw_scenario_job *job) {
  if (job->kind != FW_JOB_GRPO) {
    return NULL;
  }
  for (size_t i = 0; i < sim->table_count; i++) {
    if (sim->tables[i].model == job->model) {
      return &sim->tables[i];
    }
  }
  fwi_noise_tables_prepare(job->model, &sim->tables[sim->table_count]);
  return &sim->tables[sim->table_count++];
}

static fw_time_ns start_offset(const fw_sim *sim, size_t index, fw_time_ns cycle) {
  const fw_scenario_job *job = &sim->scenario->jobs[index];
  double share = 0.0;
  if (sim->scenario->start == FW_START_STAGGERED) {
    share = (double)job->member / (double)job->class_size;
  } else if (sim->scenario->start == FW_START_RANDOM) {
    share = fw_random_uniform(fw_stream_make(sim->options.seed, FW_DRAW_START, (uint32_t)index), 0, 0);
  }
  return job->start + (fw_time_ns)((double)cycle * share);
}

static fw_job_setup make_setup(const fw_sim *sim, size_t index) {
  const fw_scenario *scenario = sim->scenario;
  const fw_scenario_job *job = &scenario->jobs[index];
  fw_job_setup setup = {.job = (uint32_t)index,
                        .seed = sim->options.seed,
                        .gpus = job->gpus,
                        .idle_w = fw_power_to_watts(scenario->gpu.idle) * (double)job->gpus,
                        .tdp_w = fw_power_to_watts(scenario->gpu.tdp) * (double)job->gpus,
                        .window_count = scenario->window_count};
  for (size_t i = 0; i < FW_ACTUATOR_COUNT; i++) {
    setup.actuators[i] = job->actuators[i];
    setup.initial[i] = job->initial[i];
  }
  for (size_t i = 0; i < scenario->window_count; i++) {
    setup.windows_s[i] = fw_time_to_seconds(scenario->windows[i]);
  }
  return setup;
}

/* Each job's share of the budget is its uncontrolled mean over the fleet's, idle GPUs included. */
static fw_status create_jobs(fw_sim *sim, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = sim->scenario;
  fwi_profile profile = {0};
  double fleet_w = 0.0;
  fw_status status = FW_OK;
  for (size_t i = 0; i < scenario->job_count && status == FW_OK; i++) {
    const fw_scenario_job *job = &scenario->jobs[i];
    if (job->member == 0) {
      status = fwi_job_profile(job, (uint32_t)i, &scenario->gpu, &profile, diagnostics);
    }
    if (status == FW_OK) {
      const fw_job_setup setup = make_setup(sim, i);
      status = fwi_job_create(job, &sim->job_setting, (uint32_t)i, sim->options.seed, tables_for(sim, job),
                              start_offset(sim, i, profile.cycle), &setup, &sim->jobs[i], diagnostics);
    }
    sim->job_count += status == FW_OK;
    sim->share[i] = profile.mean_w;
    sim->share_w[i] = (double)NAN;
    sim->uncapped_w[i] = (double)NAN;
    fleet_w += profile.mean_w;
    sim->used_gpus += job->gpus;
  }
  fleet_w += fw_power_to_watts(scenario->gpu.idle) * (double)(scenario->topology.gpus - sim->used_gpus);
  for (size_t i = 0; i < sim->job_count; i++) {
    sim->share[i] /= fleet_w;
  }
  return status;
}

static fw_status place_gpus(fw_sim *sim, fw_diagnostics *diagnostics) {
  sim->node_of_gpu = fw_allocate(sim->used_gpus, sizeof *sim->node_of_gpu);
  if (sim->node_of_gpu == NULL) {
    return fw_error_memory(diagnostics, "the places of the GPUs");
  }
  for (size_t gpu = 0; gpu < sim->used_gpus; gpu++) {
    sim->node_of_gpu[gpu] = (uint32_t)(gpu / sim->scenario->topology.gpus_per_node);
  }
  return FW_OK;
}

static fw_status deliver(void *context, const fw_event *event, fw_diagnostics *diagnostics);

static fw_status create_scheduler(fw_sim *sim, fw_diagnostics *diagnostics) {
  fw_process *processes = fw_allocate(sim->job_count, sizeof *processes);
  if (processes == NULL) {
    return fw_error_memory(diagnostics, "the scheduler's processes");
  }
  for (size_t i = 0; i < sim->job_count; i++) {
    processes[i] = (fw_process){&sim->jobs[i], fwi_job_advance, fwi_job_waiting_since};
  }
  const fw_scheduler_options options = {.processes = processes,
                                        .process_count = sim->job_count,
                                        .deliver = deliver,
                                        .context = sim,
                                        .threads = sim->options.threads,
                                        .parallel_from = PARALLEL_FROM};
  const fw_status status = fw_scheduler_create(&options, &sim->scheduler, diagnostics);
  free(processes);
  return status;
}

static fw_time_ns round_up(fw_time_ns value, fw_time_ns step) {
  return value % step == 0 ? value : value - value % step + step;
}

static fw_time_ns earlier(fw_time_ns a, fw_time_ns b) {
  return a < b ? a : b;
}

static fw_status post_measurement(fw_sim *sim, fw_time_ns after, fw_diagnostics *diagnostics) {
  const fw_event event = {.time = earlier(after + sim->period, sim->scenario->duration),
                          .class_rank = FW_EVENT_MEASUREMENT,
                          .sequence = sim->measurements++};
  return fw_scheduler_post(sim->scheduler, event, diagnostics);
}

static void set_rhythm(fw_sim *sim) {
  const fw_scenario *scenario = sim->scenario;
  sim->period = round_up(FW_NS_PER_S, scenario->tick);
  sim->period_ticks = (size_t)(sim->period / scenario->tick);
  sim->warmup = round_up(scenario->warmup, sim->period);
  sim->next_fleet_decision = FW_TIME_MAX;
  fw_time_ns longest = scenario->windows[0];
  for (size_t i = 1; i < scenario->window_count; i++) {
    longest = scenario->windows[i] > longest ? scenario->windows[i] : longest;
  }
  if (sim->options.fleet_interval > 0) {
    sim->options.fleet_interval = round_up(sim->options.fleet_interval, sim->period);
    sim->next_fleet_decision = sim->options.fleet_interval;
    longest = sim->options.fleet_window > longest ? sim->options.fleet_window : longest;
  }
  sim->fleet_window_ticks = (size_t)(sim->options.fleet_window / scenario->tick);
  sim->job_setting = (fwi_job_setting){.gpu = &scenario->gpu,
                                       .tick = scenario->tick,
                                       .window_ticks = sim->period_ticks,
                                       .telemetry_ticks = (size_t)(longest / scenario->tick) + sim->period_ticks,
                                       .record_events = sim->options.observer != NULL};
}

fw_status fw_sim_create(const fw_scenario *scenario, const fw_sim_options *options, fw_sim **out,
                        fw_diagnostics *diagnostics) {
  fw_sim *sim = fw_allocate(1, sizeof *sim);
  if (sim == NULL) {
    return fw_error_memory(diagnostics, "a simulation");
  }
  sim->scenario = scenario;
  sim->options = *options;
  sim->budget = (fwi_budget){options->budget, &scenario->schedule};
  sim->visible_w = sim->pending_w = (double)NAN;
  set_rhythm(sim);
  fw_status status = allocate(sim) ? FW_OK : fw_error_memory(diagnostics, "a simulation");
  status = status != FW_OK ? status : create_jobs(sim, diagnostics);
  status = status != FW_OK ? status : place_gpus(sim, diagnostics);
  status = status != FW_OK
               ? status
               : fwi_domains_create(scenario, sim->used_gpus, options->all_domains, &sim->domains, diagnostics);
  status = status != FW_OK ? status
                           : fwi_domain_meter(scenario, scenario->topology.gpus, scenario->window_count, false,
                                              &sim->sensed, diagnostics);
  status = status != FW_OK ? status : fwi_telemetry_create(sim->job_setting.telemetry_ticks, &sim->site, diagnostics);
  status = status != FW_OK ? status : create_scheduler(sim, diagnostics);
  status = status != FW_OK ? status : post_measurement(sim, 0, diagnostics);
  if (status != FW_OK) {
    fw_sim_free(sim);
    return status;
  }
  *out = sim;
  return FW_OK;
}

/* ---- Measurement ---- */

static fw_energy_pj site_budget(const fw_sim *sim, fw_time_ns from, fw_time_ns to) {
  return sim->budget.base > 0 ? fwi_budget_energy(&sim->budget, from, to) : FW_METER_NO_BUDGET;
}

/* Adds tick `t` of the collected ones to the domains; returns the sum of the readings. */
static fw_power_mw add_jobs(fw_sim *sim, size_t t) {
  const uint32_t *node = sim->node_of_gpu;
  fw_power_mw reading = 0;
  for (size_t j = 0; j < sim->job_count; j++) {
    const fwi_job *job = &sim->jobs[j];
    const size_t gpus = job->spec->gpus;
    const int64_t *energy = job->energy_pj + t * gpus;
    for (size_t g = 0; g < gpus; g++) {
      fwi_domains_add(&sim->domains, *node++, energy[g]);
    }
    reading += job->reading[t];
  }
  const size_t idle = sim->scenario->topology.gpus - sim->used_gpus;
  return reading + (fw_power_mw)idle * sim->scenario->gpu.idle;
}

static void observe_tick(fw_sim *sim, size_t t, fw_time_ns end, fw_power_mw reading) {
  const fw_time_ns tick = sim->scenario->tick;
  for (size_t j = 0; j < sim->job_count; j++) {
    const fwi_job *job = &sim->jobs[j];
    fw_energy_pj energy = 0;
    sim->tick_reading[j] = job->reading[t];
    for (size_t g = 0; g < job->spec->gpus; g++) {
      energy += job->energy_pj[t * job->spec->gpus + g];
    }
    sim->tick_truth[j] = fw_energy_mean_power(energy, tick);
  }
  const fw_sim_tick seen = {.end = end,
                            .truth = fw_energy_mean_power(fwi_domains_site(&sim->domains)->tick_energy, tick),
                            .reading = reading,
                            .budget = fwi_budget_at(&sim->budget, end - tick, NULL),
                            .job_truth = sim->tick_truth,
                            .job_reading = sim->tick_reading,
                            .job_count = sim->job_count};
  sim->options.observer->tick(sim->options.observer->context, &seen);
}

/* Hands over the events up to `until`; each job keeps a cursor, so they come in order of (time, job). */
static void observe_events(fw_sim *sim, size_t *cursor, fw_time_ns until) {
  for (;;) {
    const fw_sim_event *earliest = NULL;
    size_t owner = 0;
    for (size_t j = 0; j < sim->job_count; j++) {
      const fwi_job *job = &sim->jobs[j];
      if (cursor[j] < job->event_count && job->events[cursor[j]].time <= until &&
          (earliest == NULL || job->events[cursor[j]].time < earliest->time)) {
        earliest = &job->events[cursor[j]];
        owner = j;
      }
    }
    if (earliest == NULL) {
      return;
    }
    sim->options.observer->event(sim->options.observer->context, earliest);
    cursor[owner]++;
  }
}

static fw_status measure_tick(fw_sim *sim, size_t t, fw_time_ns from, size_t *cursor, fw_diagnostics *diagnostics) {
  const fw_time_ns end = from + sim->scenario->tick;
  const fw_energy_pj budget = site_budget(sim, from, end);
  fwi_domains_begin(&sim->domains);
  const fw_power_mw reading = add_jobs(sim, t);
  fw_status status = fwi_domains_end(&sim->domains, budget, diagnostics);
  if (status == FW_OK) {
    status = fw_meter_push(sim->sensed, sim->scenario->tick, fw_energy_of(reading, sim->scenario->tick), budget,
                           diagnostics);
  }
  const int64_t hour = from / (3600 * FW_NS_PER_S) + sim->scenario->tariff.start_hour;
  sim->hour_energy[hour % FW_HOURS_PER_DAY] += fwi_domains_site(&sim->domains)->tick_energy;
  sim->gpu_ticks += sim->used_gpus;
  fwi_telemetry_add(&sim->site, reading);
  if (sim->options.observer != NULL) {
    observe_events(sim, cursor, end);
    observe_tick(sim, t, end, reading);
  }
  return status;
}

static void restart(fw_sim *sim) {
  fwi_domains_restart(&sim->domains);
  fw_meter_restart(sim->sensed);
  for (size_t j = 0; j < sim->job_count; j++) {
    fwi_job_restart(&sim->jobs[j]);
  }
  for (size_t hour = 0; hour < FW_HOURS_PER_DAY; hour++) {
    sim->hour_energy[hour] = 0;
  }
  sim->gpu_ticks = 0;
}

/* Publishes what was measured: the fleet's reading becomes visible a second from now. */
static void publish(fw_sim *sim, size_t ticks) {
  sim->visible_w = sim->pending_w;
  sim->pending_w = fwi_telemetry_mean_w(&sim->site, ticks, 0);
  bool done = true;
  for (size_t j = 0; j < sim->job_count; j++) {
    fwi_job *job = &sim->jobs[j];
    if (sim->options.fleet_interval > 0 && !job->cap.active && job->cap.effective_at == FW_TIME_MAX) {
      sim->uncapped_w[j] = fwi_telemetry_mean_w(&job->telemetry, ticks, 0) / (double)job->spec->gpus;
    }
    done = done && job->ended;
    fwi_job_collected(job);
  }
  sim->all_done = done;
}

static fw_status deliver(void *context, const fw_event *event, fw_diagnostics *diagnostics) {
  fw_sim *sim = context;
  const size_t ticks = sim->jobs[0].collected_ticks;
  const fw_time_ns start = event->time - (fw_time_ns)ticks * sim->scenario->tick;
  size_t *cursor = NULL;
  fw_status status = FW_OK;
  if (sim->options.observer != NULL && (cursor = fw_allocate(sim->job_count, sizeof *cursor)) == NULL) {
    status = fw_error_memory(diagnostics, "the observer's cursors");
  }
  for (size_t t = 0; t < ticks && status == FW_OK; t++) {
    status = measure_tick(sim, t, start + (fw_time_ns)t * sim->scenario->tick, cursor, diagnostics);
  }
  free(cursor);
  if (status != FW_OK) {
    return status;
  }
  publish(sim, ticks);
  if (event->time == sim->warmup) {
    restart(sim);
  }
  return event->time < sim->scenario->duration ? post_measurement(sim, event->time, diagnostics) : FW_OK;
}

/* ---- Driving ---- */

fw_time_ns fw_sim_now(const fw_sim *sim) {
  return sim->now;
}

fw_status fw_sim_advance(fw_sim *sim, fw_sim_batch *batch, fw_diagnostics *diagnostics) {
  *batch = (fw_sim_batch){0};
  if (sim->ended) {
    return FW_OK;
  }
  sim->fleet_waits = false;
  const fw_time_ns end = earlier(sim->scenario->duration, sim->next_fleet_decision);
  fw_scheduler_state state = FW_SCHEDULER_ENDED;
  const fw_status status = fw_scheduler_advance(sim->scheduler, end, &state, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  sim->now = fw_scheduler_now(sim->scheduler);
  if (state == FW_SCHEDULER_WAITING) {
    batch->jobs = fw_scheduler_waiting(sim->scheduler, &batch->job_count);
  } else if (end < sim->scenario->duration) {
    sim->fleet_waits = batch->fleet = true;
  } else {
    sim->ended = true;
  }
  return FW_OK;
}

const fw_job_setup *fw_sim_job_setup(const fw_sim *sim, size_t job) {
  return &sim->jobs[job].setup;
}

fw_fleet_setup fw_sim_fleet_setup(const fw_sim *sim) {
  const size_t idle = sim->scenario->topology.gpus - sim->used_gpus;
  return (fw_fleet_setup){.seed = sim->options.seed,
                          .job_count = sim->job_count,
                          .nameplate_w = fw_power_to_watts(sim->scenario->nameplate),
                          .idle_w = (double)idle * fw_power_to_watts(sim->scenario->gpu.idle)};
}

/* The budget at `time` and after its next change, in W; NaN without a budget. */
typedef struct budget_view {
  double now_w;
  double next_w;
  double next_in_s;
} budget_view;

static budget_view view_budget(const fw_sim *sim, fw_time_ns time) {
  if (sim->budget.base == 0) {
    return (budget_view){(double)NAN, (double)NAN, (double)INFINITY};
  }
  fw_time_ns change = 0;
  budget_view view = {.now_w = fw_power_to_watts(fwi_budget_at(&sim->budget, time, &change))};
  view.next_w = change == FW_TIME_MAX ? view.now_w : fw_power_to_watts(fwi_budget_at(&sim->budget, change, NULL));
  view.next_in_s = change == FW_TIME_MAX ? (double)INFINITY : fw_time_to_seconds(change - time);
  return view;
}

static double job_budget_w(const fw_sim *sim, size_t job, double site_w) {
  return isnan(sim->share_w[job]) ? site_w * sim->share[job] : sim->share_w[job];
}

void fw_sim_observe_job(const fw_sim *sim, size_t index, fw_job_observation *out) {
  const fwi_job *job = &sim->jobs[index];
  const budget_view budget = view_budget(sim, job->now);
  const double tick_s = fw_time_to_seconds(sim->scenario->tick);
  const double rollout_ns = job->rollout_ns - job->decision_rollout_ns;
  *out = (fw_job_observation){
      .job = (uint32_t)index,
      .decision = job->decision_number,
      .time_s = fw_time_to_seconds(job->now),
      .elapsed_s = fw_time_to_seconds(job->now - job->decided_at),
      .power_w = fwi_telemetry_last_w(&job->telemetry),
      .interval_mean_w = fwi_telemetry_mean_since_mark_w(&job->telemetry),
      .budget_w = job_budget_w(sim, index, budget.now_w),
      .next_budget_w = job_budget_w(sim, index, budget.next_w),
      .next_budget_in_s = budget.next_in_s,
      .fleet_power_w = sim->visible_w,
      .fleet_budget_w = budget.now_w,
      .occupancy = rollout_ns > 0.0 ? (job->occupancy_ns - job->decision_occupancy_ns) / rollout_ns : (double)NAN,
      .tokens = (double)(fwi_job_tokens(job) - job->decision_tokens),
      .energy_j = (double)fwi_telemetry_sum_since_mark(&job->telemetry) / (double)FW_MW_PER_W * tick_s,
      .step_progress = job->program->progress(job->program_state),
      .step = job->step_number,
  };
  for (size_t i = 0; i < sim->scenario->window_count; i++) {
    const size_t ticks = (size_t)(sim->scenario->windows[i] / sim->scenario->tick);
    out->window_mean_w[i] = fwi_telemetry_mean_w(&job->telemetry, ticks, 0);
  }
  for (size_t i = 0; i < FW_ACTUATOR_COUNT; i++) {
    out->settings[i] = job->settings[i];
  }
}

fw_status fw_sim_act_job(fw_sim *sim, size_t job, const fw_job_action *action, fw_diagnostics *diagnostics) {
  return fwi_job_act(&sim->jobs[job], action, diagnostics);
}

void fw_sim_observe_fleet(const fw_sim *sim, fw_fleet_observation *out) {
  const budget_view budget = view_budget(sim, sim->now);
  const fw_gpu_model *gpu = &sim->scenario->gpu;
  for (size_t j = 0; j < sim->job_count; j++) {
    const fwi_job *job = &sim->jobs[j];
    sim->fleet_jobs[j] = (fw_fleet_job){
        .job = (uint32_t)j,
        .priority = job->spec->priority,
        .job_class = job->spec->job_class,
        .gpus = job->spec->gpus,
        .power_w = fwi_telemetry_mean_w(&job->telemetry, sim->period_ticks, sim->period_ticks),
        .window_mean_w = fwi_telemetry_mean_w(&job->telemetry, sim->fleet_window_ticks, sim->period_ticks),
        .budget_w = job_budget_w(sim, j, budget.now_w),
        .cap_w = job->settings[FW_ACTUATOR_POWER_CAP_W],
        .cap_min_w = fw_power_to_watts(gpu->cap_min),
        .cap_max_w = fw_power_to_watts(gpu->cap_max),
        .demand_w = sim->uncapped_w[j],
    };
  }
  *out = (fw_fleet_observation){
      .decision = sim->fleet_decisions,
      .time_s = fw_time_to_seconds(sim->now),
      .power_w = sim->visible_w,
      .window_mean_w = fwi_telemetry_mean_w(&sim->site, sim->fleet_window_ticks, sim->period_ticks),
      .budget_w = budget.now_w,
      .next_budget_w = budget.next_w,
      .next_budget_in_s = budget.next_in_s,
      .jobs = sim->fleet_jobs,
      .job_count = sim->job_count,
  };
}

void fw_sim_act_fleet(fw_sim *sim, const fw_fleet_action *action) {
  for (size_t j = 0; j < sim->job_count; j++) {
    fwi_job *job = &sim->jobs[j];
    if (isfinite(action->cap_w[j])) {
      fwi_job_set(job, sim->now, FW_ACTUATOR_POWER_CAP_W, action->cap_w[j]);
    }
    if (isfinite(action->start_offset_s[j])) {
      fwi_job_set(job, sim->now, FW_ACTUATOR_START_OFFSET_S, action->start_offset_s[j]);
    }
    if (isfinite(action->budget_w[j])) {
      sim->share_w[j] = action->budget_w[j];
    }
  }
  sim->fleet_decisions++;
  sim->next_fleet_decision += sim->options.fleet_interval;
}

/* ---- Result ---- */

static void add_clamps(fw_clamp_count *sum, const fw_clamp_count *part) {
  sum->floor += part->floor;
  sum->ceiling += part->ceiling;
  sum->capped += part->capped;
}

static double bias_w(fw_energy_pj bias, double gpus, fw_time_ns measured) {
  return fw_energy_to_joules(bias) / (gpus * fw_time_to_seconds(measured));
}

static fw_job_result job_result(const fwi_job *job, fw_time_ns measured) {
  return (fw_job_result){
      .tokens = fwi_job_tokens(job),
      .energy = job->energy,
      .steps = job->steps,
      .batches = job->batches,
      .decisions = job->decisions,
      .adjusted_actions = job->adjusted,
      .mean_occupancy = job->rollout_ns > 0.0 ? job->occupancy_ns / job->rollout_ns : (double)NAN,
      .extrapolated = job->extrapolated,
      .clamps = {.floor = job->floor_count,
                 .ceiling = job->ceiling_count,
                 .capped = job->capped_count,
                 .bias_w = bias_w(job->bias_pj, (double)job->spec->gpus, measured)},
  };
}

static void add_job_results(const fw_sim *sim, fw_result *out) {
  fw_energy_pj bias = 0;
  for (size_t j = 0; j < sim->job_count; j++) {
    out->jobs[j] = job_result(&sim->jobs[j], out->measured);
    out->tokens += out->jobs[j].tokens;
    bias += sim->jobs[j].bias_pj;
    add_clamps(&out->clamps, &out->jobs[j].clamps);
  }
  out->clamps.bias_w = sim->used_gpus > 0 ? bias_w(bias, (double)sim->used_gpus, out->measured) : 0.0;
}

static void add_domain_results(const fw_sim *sim, fw_result *out) {
  for (size_t i = 0; i < sim->domains.count; i++) {
    const fwi_domain *domain = &sim->domains.data[i];
    const bool site = domain->level == FW_DOMAIN_SITE;
    fw_domain_result *result = &out->domains[i];
    *result = (fw_domain_result){.level = domain->level,
                                 .index = domain->index,
                                 .budget = site ? sim->budget.base : domain->budget,
                                 .energy = fw_meter_energy(domain->meter)};
    result->window_count = domain->window_count;
    fwi_meter_results(domain->meter, domain->window_count, result->budget > 0, site, result->windows);
  }
}

static void add_costs(const fw_sim *sim, fw_result *out) {
  for (size_t hour = 0; hour < FW_HOURS_PER_DAY; hour++) {
    const double kwh = fw_energy_to_watt_hours(sim->hour_energy[hour]) / 1000.0;
    out->cost += kwh * sim->scenario->tariff.cost_per_kwh[hour];
    out->carbon_kg += kwh * sim->scenario->tariff.carbon_kg_per_kwh[hour];
  }
}

void fw_result_clear(fw_result *result) {
  free(result->domains);
  free(result->jobs);
  *result = (fw_result){0};
}

fw_status fw_sim_result(const fw_sim *sim, fw_result *out, fw_diagnostics *diagnostics) {
  *out = (fw_result){.stop_reason = sim->all_done ? FW_STOP_JOBS_DONE : FW_STOP_HORIZON,
                     .measured = sim->scenario->duration - sim->warmup,
                     .window_count = sim->scenario->window_count,
                     .domain_count = sim->domains.count,
                     .job_count = sim->job_count,
                     .gpu_ticks = sim->gpu_ticks,
                     .tie_count = fw_scheduler_tie_count(sim->scheduler)};
  out->domains = fw_allocate(out->domain_count, sizeof *out->domains);
  out->jobs = fw_allocate(out->job_count, sizeof *out->jobs);
  if (out->domains == NULL || out->jobs == NULL) {
    fw_result_clear(out);
    return fw_error_memory(diagnostics, "a run's result");
  }
  out->energy = fw_meter_energy(fwi_domains_site(&sim->domains)->meter);
  const bool budget = sim->budget.base > 0;
  fwi_meter_results(fwi_domains_site(&sim->domains)->meter, out->window_count, budget, true, out->windows);
  fwi_meter_results(sim->sensed, out->window_count, budget, false, out->sensed);
  add_job_results(sim, out);
  add_domain_results(sim, out);
  add_costs(sim, out);
  return FW_OK;
}

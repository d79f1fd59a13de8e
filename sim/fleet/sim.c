/* The simulation: jobs as processes of the scheduler, whose ticks are collected into domains, meters and telemetry.
 *
 * Jobs cross only through the fleet's telemetry and a fleet policy's commands, both on the lattice of whole seconds,
 * and what anybody sees of the fleet is over a second old. So jobs advance on their own through windows of many
 * seconds, and one that decides needs the others only up to the second that it sees. What all have sampled is added up
 * in a fixed order (measure.c), and shown to policies (observe.c). */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/state.h"
#include "sim/scenario/arm.h"

/* Telemetry periods in a window of the scheduler: long enough that a job's ticks are sampled in runs. */
#define WINDOW_PERIODS 16

const char *const fw_sim_event_names[] = {"batch_end", "step_end", "actuator", "job_end", "down", "up"};

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
  for (size_t i = 0; sim->others != NULL && i < sim->options.other_count; i++) {
    fw_meter_free(sim->others[i].truth);
    fw_meter_free(sim->others[i].sensed);
    fwi_protection_free(sim->others[i].protection);
  }
  free(sim->others);
  fwi_telemetry_free(&sim->site);
  free(sim->jobs);
  free(sim->node_of_gpu);
  fw_prepared_free(sim->own);
  free(sim->share);
  free(sim->share_w);
  free(sim->uncapped_w);
  free(sim->fleet_jobs);
  free(sim->tick_truth);
  free(sim->tick_reading);
  free(sim->event_cursor);
  free(sim);
}

static bool allocate(fw_sim *sim) {
  const size_t n = sim->scenario->job_count;
  return (sim->jobs = fw_allocate(n, sizeof *sim->jobs)) != NULL &&
         (sim->share = fw_allocate(n, sizeof *sim->share)) != NULL &&
         (sim->share_w = fw_allocate(n, sizeof *sim->share_w)) != NULL &&
         (sim->uncapped_w = fw_allocate(n, sizeof *sim->uncapped_w)) != NULL &&
         (sim->fleet_jobs = fw_allocate(n, sizeof *sim->fleet_jobs)) != NULL &&
         (sim->tick_truth = fw_allocate(n, sizeof *sim->tick_truth)) != NULL &&
         (sim->tick_reading = fw_allocate(n, sizeof *sim->tick_reading)) != NULL &&
         (sim->event_cursor = fw_allocate(n, sizeof *sim->event_cursor)) != NULL;
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

/* Each job's share of the budget is its uncontrolled mean over the fleet's, idle GPUs included. */
static fw_status create_jobs(fw_sim *sim, const fw_prepared *prepared, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = sim->scenario;
  double fleet_w = 0.0;
  fw_status status = FW_OK;
  for (size_t i = 0; i < scenario->job_count && status == FW_OK; i++) {
    const fw_scenario_job *job = &scenario->jobs[i];
    const fw_profile profile = fwi_prepared_profile(prepared, i);
    const fw_job_setup setup = fw_scenario_job_setup(scenario, i, sim->options.seed);
    status = fwi_job_create(job, &sim->job_setting, (uint32_t)i, sim->options.seed, fwi_prepared_tables(prepared, i),
                            start_offset(sim, i, profile.cycle), &setup, &sim->jobs[i], diagnostics);
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
                                        .deliver = fwi_sim_end_window,
                                        .context = sim,
                                        .threads = sim->options.threads,
                                        .parallel_from = FWI_PARALLEL_FROM};
  const fw_status status = fw_scheduler_create(&options, &sim->scheduler, diagnostics);
  free(processes);
  return status;
}

static fw_time_ns round_up(fw_time_ns value, fw_time_ns step) {
  return value % step == 0 ? value : value - value % step + step;
}

static void set_rhythm(fw_sim *sim) {
  const fw_scenario *scenario = sim->scenario;
  sim->period = round_up(FW_NS_PER_S, scenario->tick);
  sim->period_ticks = (size_t)(sim->period / scenario->tick);
  sim->window = WINDOW_PERIODS * sim->period;
  const size_t window_ticks = WINDOW_PERIODS * sim->period_ticks;
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
  sim->job_setting =
      (fwi_job_setting){.gpu = &scenario->gpu,
                        .tick = scenario->tick,
                        .window_ticks = window_ticks,
                        .telemetry_ticks = (size_t)(fw_time_earlier(longest, scenario->duration) / scenario->tick) +
                                           sim->period_ticks + window_ticks,
                        .record_events = sim->options.observer != NULL,
                        .adversities = scenario->adversities,
                        .adversity_count = scenario->adversity_count};
}

static fw_status create_judges(fw_sim *sim, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = sim->scenario;
  sim->others = fw_allocate(sim->options.other_count, sizeof *sim->others);
  if (sim->others == NULL) {
    return fw_error_memory(diagnostics, "the meters of a simulation");
  }
  fw_status status = FW_OK;
  for (size_t i = 0; i < sim->options.other_count && status == FW_OK; i++) {
    fwi_judge *judge = &sim->others[i];
    judge->budget = (fwi_budget){sim->options.other_budgets[i], &scenario->schedule};
    status = fwi_domain_meter(scenario, false, &judge->truth, diagnostics);
    status = status != FW_OK ? status : fwi_domain_meter(scenario, false, &judge->sensed, diagnostics);
    status = status != FW_OK
                 ? status
                 : fwi_protection_create(scenario, FW_DOMAIN_SITE, judge->budget.base, &judge->protection, diagnostics);
  }
  return status;
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
  set_rhythm(sim);
  fw_status status = allocate(sim) ? FW_OK : fw_error_memory(diagnostics, "a simulation");
  const bool own = options->prepared == NULL;
  status = status != FW_OK || !own ? status : fw_prepare(scenario, &sim->own, diagnostics);
  status = status != FW_OK ? status : create_jobs(sim, fwi_sim_prepared(sim), diagnostics);
  status = status != FW_OK ? status : place_gpus(sim, diagnostics);
  status = status != FW_OK ? status
                           : fwi_domains_create(scenario, sim->used_gpus, options->budget, options->all_domains,
                                                !options->truth_alone, &sim->domains, diagnostics);
  status =
      status != FW_OK || options->truth_alone ? status : fwi_domain_meter(scenario, false, &sim->sensed, diagnostics);
  status = status != FW_OK ? status : fwi_telemetry_create(sim->job_setting.telemetry_ticks, &sim->site, diagnostics);
  status = status != FW_OK ? status : create_judges(sim, diagnostics);
  status = status != FW_OK ? status : create_scheduler(sim, diagnostics);
  status = status != FW_OK ? status : fwi_sim_post_measurement(sim, 0, diagnostics);
  if (status != FW_OK) {
    fw_sim_free(sim);
    return status;
  }
  *out = sim;
  return FW_OK;
}

const fw_prepared *fwi_sim_prepared(const fw_sim *sim) {
  return sim->own != NULL ? sim->own : sim->options.prepared;
}

fw_time_ns fw_sim_now(const fw_sim *sim) {
  return sim->now;
}

fw_time_ns fw_sim_time_above(const fw_sim *sim, size_t window) {
  return fw_meter_above(fwi_domains_site(&sim->domains)->meter, window);
}

/* Of the jobs that wait, in order of time, those whose view of the fleet is complete: all jobs have sampled the period
 * that they see, which was over a period before they ask. The others wait on while the first are answered. */
static size_t answerable(const fw_sim *sim, const size_t *waiting, size_t count) {
  const fw_time_ns reached = sim->jobs[waiting[0]].sampled_to;
  size_t ready = 1;
  while (ready < count && (sim->jobs[waiting[ready]].now / sim->period - 1) * sim->period <= reached) {
    ready++;
  }
  return ready;
}

static fw_status hand_out_jobs(fw_sim *sim, fw_sim_batch *batch, fw_diagnostics *diagnostics) {
  size_t count = 0;
  batch->jobs = fw_scheduler_waiting(sim->scheduler, &count);
  batch->job_count = answerable(sim, batch->jobs, count);
  return fwi_sim_measure(sim, diagnostics);
}

/* The end of the run: open programs take in what they worked since they were last asked. */
static fw_status finish(fw_sim *sim, fw_diagnostics *diagnostics) {
  fw_status status = fwi_sim_measure(sim, diagnostics);
  for (size_t j = 0; j < sim->job_count && status == FW_OK; j++) {
    status = fwi_job_settle(&sim->jobs[j], diagnostics);
  }
  return status;
}

fw_status fw_sim_advance(fw_sim *sim, fw_sim_batch *batch, fw_diagnostics *diagnostics) {
  *batch = (fw_sim_batch){0};
  if (sim->ended) {
    return FW_OK;
  }
  const fw_time_ns end = fw_time_earlier(sim->scenario->duration, sim->next_fleet_decision);
  sim->job_setting.stock_at = fw_time_earlier(end, sim->rhythm_end);
  fw_scheduler_state state = FW_SCHEDULER_ENDED;
  const fw_status status = fw_scheduler_advance(sim->scheduler, end, &state, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  sim->now = fw_scheduler_now(sim->scheduler);
  if (state == FW_SCHEDULER_WAITING) {
    return hand_out_jobs(sim, batch, diagnostics);
  }
  batch->fleet = end < sim->scenario->duration;
  sim->ended = !batch->fleet;
  return sim->ended ? finish(sim, diagnostics) : fwi_sim_measure(sim, diagnostics);
}

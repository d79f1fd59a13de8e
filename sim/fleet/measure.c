/* The ticks that all jobs have sampled are added up the tree of domains, metered, billed and observed. */
#include <math.h>

#include "sim/fleet/state.h"

/* A window ends at the next multiple of its length, at the end of the warm-up or of the run, whichever comes first; or
 * before, where a breaker may trip. */
fw_status fwi_sim_post_measurement(fw_sim *sim, fw_time_ns after, fw_diagnostics *diagnostics) {
  fw_time_ns end = fw_time_earlier(after - after % sim->window + sim->window, sim->scenario->duration);
  end = sim->warmup > after ? fw_time_earlier(end, sim->warmup) : end;
  sim->rhythm_end = end;
  sim->job_setting.stock_at = fw_time_earlier(end, sim->next_fleet_decision);
  sim->window_end = fwi_sim_before_trip(sim, after, end);
  const fw_event event = {.time = sim->window_end, .class_rank = FW_EVENT_MEASUREMENT, .sequence = sim->measurements++};
  return fw_scheduler_post(sim->scheduler, event, diagnostics);
}

static fw_energy_pj allowed(const fwi_budget *budget, fw_time_ns from, fw_time_ns to) {
  return budget->base > 0 ? fwi_budget_energy(budget, from, to) : FW_METER_NO_BUDGET;
}

/* Adds tick `t` of one job, whose GPUs are on `node`, to the domains: as a whole where they share a node. */
static void add_job(fw_sim *sim, const fwi_job *job, const uint32_t *node, size_t t) {
  const size_t gpus = job->spec->gpus;
  if (node[0] == node[gpus - 1]) {
    fwi_domains_add(&sim->domains, node[0], job->total[t]);
    return;
  }
  for (size_t g = 0; g < gpus; g++) {
    fwi_domains_add(&sim->domains, node[g], job->energy_pj[t * gpus + g]);
  }
}

/* Adds tick `t` of the collected ones to the domains; returns the sum of the readings, GPUs without a job but those
 * that are dark included. */
static fw_power_mw add_jobs(fw_sim *sim, size_t t, size_t dark_idle) {
  const uint32_t *node = sim->node_of_gpu;
  fw_power_mw reading = 0;
  for (size_t j = 0; j < sim->job_count; j++) {
    const fwi_job *job = &sim->jobs[j];
    add_job(sim, job, node, t);
    node += job->spec->gpus;
    reading += job->reading[t];
  }
  const size_t idle = sim->scenario->topology.gpus - sim->used_gpus - dark_idle;
  return reading + (fw_power_mw)idle * sim->scenario->gpu.idle;
}

/* Takes down what the observer is to see of tick `t`. */
static void note_tick(fw_sim *sim, size_t t, fw_time_ns end, fw_power_mw reading) {
  const fw_time_ns tick = sim->scenario->tick;
  for (size_t j = 0; j < sim->job_count; j++) {
    const fwi_job *job = &sim->jobs[j];
    sim->tick_reading[j] = job->reading[t];
    sim->tick_truth[j] = fw_energy_mean_power(job->total[t], tick);
  }
  sim->tick = (fw_sim_tick){.end = end,
                            .truth = fw_energy_mean_power(fwi_domains_site(&sim->domains)->tick_energy, tick),
                            .reading = reading,
                            .budget = fwi_budget_at(&sim->budget, end - tick, NULL),
                            .job_truth = sim->tick_truth,
                            .job_reading = sim->tick_reading,
                            .job_count = sim->job_count};
}

/* Hands over the events up to `until` in order of (time, job). */
static void observe_events(fw_sim *sim, fw_time_ns until) {
  for (;;) {
    const fw_sim_event *earliest = NULL;
    size_t owner = 0;
    for (size_t j = 0; j < sim->job_count; j++) {
      const fwi_job *job = &sim->jobs[j];
      const size_t next = sim->event_cursor[j];
      if (next < job->event_count && job->events[next].time <= until &&
          (earliest == NULL || job->events[next].time < earliest->time)) {
        earliest = &job->events[next];
        owner = j;
      }
    }
    if (earliest == NULL) {
      return;
    }
    sim->options.observer->event(sim->options.observer->context, earliest);
    sim->event_cursor[owner]++;
  }
}

/* Shows the tick that was taken down, if any, and the events up to its end before it. */
static void show_tick(fw_sim *sim) {
  if (sim->tick.end > 0) {
    observe_events(sim, sim->tick.end);
    sim->options.observer->tick(sim->options.observer->context, &sim->tick);
    sim->tick.end = 0;
  }
}

/* The same tick against the other budgets. */
static fw_status judge_others(fw_sim *sim, fw_time_ns from, fw_energy_pj truth, fw_energy_pj sensed,
                              fw_diagnostics *diagnostics) {
  const fw_time_ns tick = sim->scenario->tick;
  fw_status status = FW_OK;
  for (size_t i = 0; i < sim->options.other_count && status == FW_OK; i++) {
    const fwi_judge *judge = &sim->others[i];
    const fw_energy_pj budget = allowed(&judge->budget, from, from + tick);
    status = fw_meter_push(judge->truth, tick, truth, budget, diagnostics);
    status = status != FW_OK ? status : fw_meter_push(judge->sensed, tick, sensed, budget, diagnostics);
    fwi_protection_push(judge->protection, truth);
  }
  return status;
}

/* What a result says of a tick beside what domains meter: the readings judged like the truth, both against the other
 * budgets, and the bill. */
static fw_status account(fw_sim *sim, fw_time_ns from, fw_power_mw reading, size_t dark_nodes, fw_energy_pj budget,
                         fw_diagnostics *diagnostics) {
  const fw_time_ns tick = sim->scenario->tick;
  const fw_energy_pj truth = fwi_domains_site(&sim->domains)->tick_energy;
  const fw_energy_pj sensed =
      fw_supply_input(&sim->domains.supply, fw_energy_of(reading, tick), sim->domains.node_count - dark_nodes, tick);
  const int64_t hour = from / (3600 * FW_NS_PER_S) + sim->scenario->tariff.start_hour;
  sim->hour_energy[hour % FW_HOURS_PER_DAY] += truth;
  sim->gpu_ticks += sim->used_gpus;
  const fw_status status = fw_meter_push(sim->sensed, tick, sensed, budget, diagnostics);
  return status != FW_OK ? status : judge_others(sim, from, truth, sensed, diagnostics);
}

static fw_status measure_tick(fw_sim *sim, size_t t, fw_diagnostics *diagnostics) {
  const fw_time_ns from = (fw_time_ns)sim->measured * sim->scenario->tick;
  const fw_time_ns end = from + sim->scenario->tick;
  const fw_energy_pj budget = allowed(&sim->budget, from, end);
  const fwi_dark dark = fwi_domains_dark(&sim->domains, from);
  fwi_domains_begin(&sim->domains, from);
  const fw_power_mw reading = add_jobs(sim, t, dark.idle_gpus);
  fw_status status = fwi_domains_end(&sim->domains, budget, diagnostics);
  if (status == FW_OK && sim->domains.opening > 0 && end != sim->window_end) {
    status = fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "a breaker tripped before its earliest instant");
  }
  if (status == FW_OK && !sim->options.truth_alone) {
    status = account(sim, from, reading, dark.nodes, budget, diagnostics);
  }
  fwi_telemetry_add(&sim->site, reading);
  sim->measured++;
  if (sim->options.observer != NULL) {
    note_tick(sim, t, end, reading);
    /* A window that a breaker cut short leaves no trace in the order either: what happens at its end comes first. */
    if (end != sim->window_end || end == sim->rhythm_end) {
      show_tick(sim);
    }
  }
  return status;
}

static void restart(fw_sim *sim) {
  fwi_domains_restart(&sim->domains);
  if (!sim->options.truth_alone) {
    fw_meter_restart(sim->sensed);
  }
  for (size_t i = 0; i < sim->options.other_count; i++) {
    fw_meter_restart(sim->others[i].truth);
    fw_meter_restart(sim->others[i].sensed);
    fwi_protection_restart(sim->others[i].protection);
  }
  for (size_t j = 0; j < sim->job_count; j++) {
    fwi_job_restart(&sim->jobs[j]);
  }
  for (size_t hour = 0; hour < FW_HOURS_PER_DAY; hour++) {
    sim->hour_energy[hour] = 0;
  }
  sim->gpu_ticks = 0;
}

/* Ticks that every job has sampled and nobody has measured. */
static size_t common_ticks(const fw_sim *sim) {
  size_t least = sim->jobs[0].collected_ticks;
  for (size_t j = 1; j < sim->job_count; j++) {
    least = sim->jobs[j].collected_ticks < least ? sim->jobs[j].collected_ticks : least;
  }
  return least;
}

fw_status fwi_sim_measure(fw_sim *sim, fw_diagnostics *diagnostics) {
  const size_t ticks = common_ticks(sim);
  fw_status status = FW_OK;
  show_tick(sim);
  for (size_t t = 0; t < ticks && status == FW_OK; t++) {
    status = measure_tick(sim, t, diagnostics);
  }
  for (size_t j = 0; j < sim->job_count; j++) {
    fwi_job_collected(&sim->jobs[j], ticks, sim->event_cursor[j]);
    sim->event_cursor[j] = 0;
  }
  return status;
}

fw_status fwi_sim_end_window(void *context, const fw_event *event, fw_diagnostics *diagnostics) {
  fw_sim *sim = context;
  fw_status status = fwi_sim_measure(sim, diagnostics);
  if (status == FW_OK && sim->domains.opening > 0) {
    status = fwi_sim_take_power(sim, event->time, diagnostics);
  }
  if (status != FW_OK) {
    return status;
  }
  if (event->time == sim->warmup) {
    restart(sim);
  }
  return event->time < sim->scenario->duration ? fwi_sim_post_measurement(sim, event->time, diagnostics) : FW_OK;
}

size_t fwi_sim_visible_ticks(const fw_sim *sim, fw_time_ns time) {
  const fw_time_ns periods = time / sim->period;
  return periods < 2 ? 0 : (size_t)(periods - 1) * sim->period_ticks;
}

double fwi_sim_visible_w(const fw_sim *sim, fw_time_ns time, size_t ticks) {
  const size_t end = fwi_sim_visible_ticks(sim, time);
  return end == 0 ? (double)NAN : fwi_telemetry_mean_w(&sim->site, ticks, (size_t)sim->site.count - end);
}

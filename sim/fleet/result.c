/* What a run came to: from meters and counters to figures. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/state.h"

const char *const fw_stop_reason_names[] = {"horizon", "jobs_done"};

static void add_clamps(fw_clamp_count *sum, const fw_clamp_count *part) {
  sum->floor += part->floor;
  sum->ceiling += part->ceiling;
  sum->capped += part->capped;
}

static double bias_w(fw_energy_pj bias, double gpus, fw_time_ns measured) {
  return fw_energy_to_joules(bias) / (gpus * fw_time_to_seconds(measured));
}

static fw_job_result job_result(const fwi_job *job, fw_time_ns measured) {
  /* A block that ended with the run was done, though nobody asked what came next. */
  const unsigned marks = job->in_block && job->remaining == 0 ? job->block.marks : 0;
  const fw_disturbance disturbance = fwi_job_disturbance(job);
  fw_job_result result = {
      .tokens = fwi_job_tokens(job) - disturbance.lost_tokens,
      .energy = job->energy,
      .steps = job->steps + ((marks & FWI_MARK_STEP_END) != 0) - disturbance.lost_steps,
      .batches = job->batches + ((marks & FWI_MARK_BATCH_END) != 0),
      .decisions = job->decisions,
      .adjusted_actions = job->adjusted,
      .mean_occupancy = job->rollout_ns > 0.0 ? job->occupancy_ns / job->rollout_ns : (double)NAN,
      .extrapolated = job->extrapolated,
      .clamps = {.floor = job->floor_count,
                 .ceiling = job->ceiling_count,
                 .capped = job->capped_count,
                 .bias_w = bias_w(job->bias_pj, (double)job->spec->gpus, measured)},
      .disturbance = disturbance,
  };
  result.has_service = fwi_job_service(job, &result.service);
  return result;
}

static void add_disturbance(fw_disturbance *sum, const fw_disturbance *part) {
  for (size_t kind = 0; kind < FW_STRUCK_KINDS; kind++) {
    sum->struck[kind] += part->struck[kind];
  }
  sum->lost_tokens += part->lost_tokens;
  sum->lost_steps += part->lost_steps;
  sum->down_s += part->down_s;
  sum->held_up_s += part->held_up_s;
  sum->late_caps += part->late_caps;
  sum->lost_caps += part->lost_caps;
}

/* Calls on the site's budget that began while it was measured. Jobs count a loss of their feed on their own. */
static void add_calls(const fw_sim *sim, fw_result *out) {
  for (size_t i = 0; i < sim->scenario->adversity_count; i++) {
    const fw_adversity *event = &sim->scenario->adversities[i];
    const bool on_budget = event->kind == FW_ADVERSITY_DEMAND_RESPONSE || event->kind == FW_ADVERSITY_FEED_LOSS;
    const bool began = event->from >= sim->warmup && event->from < sim->scenario->duration;
    out->budget_calls += on_budget && began;
  }
}

static void add_job_results(const fw_sim *sim, fw_result *out) {
  fw_energy_pj bias = 0;
  for (size_t j = 0; j < sim->job_count; j++) {
    out->jobs[j] = job_result(&sim->jobs[j], out->measured);
    out->tokens += out->jobs[j].tokens;
    bias += sim->jobs[j].bias_pj;
    add_clamps(&out->clamps, &out->jobs[j].clamps);
    add_disturbance(&out->disturbance, &out->jobs[j].disturbance);
  }
  add_calls(sim, out);
  out->clamps.bias_w = sim->used_gpus > 0 ? bias_w(bias, (double)sim->used_gpus, out->measured) : 0.0;
}

static fw_power_mw budget_of(const fw_sim *sim, const fwi_domain *domain) {
  return domain->level == FW_DOMAIN_SITE ? sim->budget.base : domain->budget;
}

/* The budgets of the children over their parent's. */
static void add_oversubscription(const fw_sim *sim, fw_domain_result *results) {
  for (size_t i = 0; i < sim->domains.count; i++) {
    const size_t parent = sim->domains.data[i].parent;
    if (parent != FWI_NO_PARENT) {
      const double budget = (double)results[i].budget;
      results[parent].oversubscription += budget > 0.0 ? budget : (double)NAN;
    }
  }
  for (size_t i = 0; i < sim->domains.count; i++) {
    const double sum = results[i].oversubscription;
    results[i].oversubscription = sum > 0.0 && results[i].budget > 0 ? sum / (double)results[i].budget : (double)NAN;
  }
}

static void add_domain_results(const fw_sim *sim, fw_result *out) {
  for (size_t i = 0; i < sim->domains.count; i++) {
    const fwi_domain *domain = &sim->domains.data[i];
    const bool site = domain->level == FW_DOMAIN_SITE;
    fw_domain_result *result = &out->domains[i];
    *result = (fw_domain_result){.level = domain->level,
                                 .index = domain->index,
                                 .budget = budget_of(sim, domain),
                                 .energy = domain->energy,
                                 .breaker = fwi_protection_result(domain->protection)};
    result->window_count = domain->meter != NULL ? out->window_count : 0;
    fwi_meter_results(domain->meter, result->window_count, result->budget > 0, site, result->windows);
  }
  add_oversubscription(sim, out->domains);
}

static void add_costs(const fw_sim *sim, fw_result *out) {
  for (size_t hour = 0; hour < FW_HOURS_PER_DAY; hour++) {
    const fw_energy_pj facility = fw_supply_facility(&sim->domains.supply, sim->hour_energy[hour]);
    const double kwh = fw_energy_to_watt_hours(facility) / 1000.0;
    out->cost += kwh * sim->scenario->tariff.cost_per_kwh[hour];
    out->carbon_kg += kwh * sim->scenario->tariff.carbon_kg_per_kwh[hour];
  }
}

void fw_result_clear(fw_result *result) {
  free(result->domains);
  free(result->others);
  free(result->jobs);
  *result = (fw_result){0};
}

static bool all_ended(const fw_sim *sim) {
  for (size_t j = 0; j < sim->job_count; j++) {
    if (!sim->jobs[j].ended) {
      return false;
    }
  }
  return true;
}

fw_status fw_sim_result(const fw_sim *sim, fw_result *out, fw_diagnostics *diagnostics) {
  if (sim->options.truth_alone) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "this simulation was made for its truth alone");
  }
  *out = (fw_result){.stop_reason = all_ended(sim) ? FW_STOP_JOBS_DONE : FW_STOP_HORIZON,
                     .measured = sim->scenario->duration - sim->warmup,
                     .window_count = sim->scenario->window_count,
                     .domain_count = sim->domains.count,
                     .other_count = sim->options.other_count,
                     .job_count = sim->job_count,
                     .gpu_ticks = sim->gpu_ticks,
                     .tie_count = fw_scheduler_tie_count(sim->scheduler)};
  out->domains = fw_allocate(out->domain_count, sizeof *out->domains);
  out->jobs = fw_allocate(out->job_count, sizeof *out->jobs);
  out->others = fw_allocate(out->other_count, sizeof *out->others);
  if (out->domains == NULL || out->jobs == NULL || out->others == NULL) {
    fw_result_clear(out);
    return fw_error_memory(diagnostics, "a run's result");
  }
  out->energy = fw_meter_energy(fwi_domains_site(&sim->domains)->meter);
  out->facility_energy = fw_supply_facility(&sim->domains.supply, out->energy);
  const bool budget = sim->budget.base > 0;
  fwi_meter_results(fwi_domains_site(&sim->domains)->meter, out->window_count, budget, true, out->windows);
  fwi_meter_results(sim->sensed, out->window_count, budget, false, out->sensed);
  for (size_t i = 0; i < out->other_count; i++) {
    const fwi_judge *judge = &sim->others[i];
    const bool has_budget = judge->budget.base > 0;
    fwi_meter_results(judge->truth, out->window_count, has_budget, false, out->others[i].windows);
    fwi_meter_results(judge->sensed, out->window_count, has_budget, false, out->others[i].sensed);
    out->others[i].breaker = fwi_protection_result(judge->protection);
  }
  add_job_results(sim, out);
  add_domain_results(sim, out);
  add_costs(sim, out);
  return FW_OK;
}

#include "sim/fleet/shield.h"

#include <math.h>

#include "sim/fleet/state.h"

/* What is known when a job decides. */
typedef struct outlook {
  const fw_sim *sim;
  const fw_shield *shield;
  fw_time_ns now;
  fw_time_ns window;
  size_t measured; /* ticks of the site that are seen */
  size_t skip;     /* readings of the job that are younger */
  double others_w; /* NaN: nothing is measured yet */
  double share_w;  /* of the budget, the job's own */
} outlook;

static const fw_forecast *forecasts_of(const fw_sim *sim, size_t job, const fw_shield *shield) {
  return fwi_prepared_forecasts(fwi_sim_prepared(sim), job, shield->actuator);
}

bool fw_sim_can_shield(const fw_sim *sim, size_t job, const fw_shield *shield) {
  return forecasts_of(sim, job, shield) != NULL;
}

static outlook look(const fw_sim *sim, size_t index, const fw_shield *shield) {
  const fwi_job *job = &sim->jobs[index];
  const fw_time_ns window = sim->scenario->windows[shield->window];
  outlook seen = {.sim = sim, .shield = shield, .now = job->now, .window = window, .others_w = (double)NAN};
  seen.measured = fwi_sim_visible_ticks(sim, job->now);
  seen.skip = (size_t)job->telemetry.count - seen.measured;
  const size_t wanted = (size_t)(window / sim->scenario->tick);
  const size_t ticks = wanted < seen.measured ? wanted : seen.measured;
  if (ticks > 0) {
    seen.others_w = fwi_sim_visible_w(sim, job->now, ticks) - fwi_telemetry_mean_w(&job->telemetry, ticks, seen.skip);
  }
  seen.share_w = fwi_sim_job_budget_w(sim, index, job->now);
  return seen;
}

/* Mean over the `past` before now and the `ahead` after it, W for the GPUs: of the future, what is announced. */
static double mean_budget_w(const outlook *seen, fw_time_ns past, fw_time_ns ahead) {
  const fwi_budget *budget = &seen->sim->budget;
  fw_time_ns change = 0;
  const fw_power_mw next = fwi_budget_expected(budget, seen->now, &change);
  const fw_time_ns until = change - seen->now < ahead ? change - seen->now : ahead;
  const fw_energy_pj energy = fwi_budget_energy(budget, seen->now - past, seen->now) +
                              fw_energy_of(fwi_budget_at(budget, seen->now, NULL), until) +
                              fw_energy_of(next, ahead - until);
  const double mean_w = fw_energy_to_joules(energy) / fw_time_to_seconds(past + ahead);
  return fw_supply_output_w(&seen->sim->domains.supply, mean_w, seen->sim->domains.node_count);
}

static bool is_too_much(const outlook *seen, const fw_forecast *forecast) {
  const double share = seen->shield->share;
  if (isnan(seen->others_w)) {
    return forecast->mean_w > share * seen->share_w;
  }
  const fw_time_ns tick = seen->sim->scenario->tick;
  const bool outlasts = forecast->decision <= 0 || forecast->decision >= seen->window;
  const fw_time_ns ahead = outlasts ? seen->window : forecast->decision;
  size_t ticks = (size_t)((seen->window - ahead) / tick);
  ticks = ticks < seen->measured ? ticks : seen->measured;
  const fw_time_ns past = (fw_time_ns)ticks * tick;
  const double past_s = fw_time_to_seconds(past);
  const double ahead_s = fw_time_to_seconds(ahead);
  const double past_w = ticks > 0 ? fwi_sim_visible_w(seen->sim, seen->now, ticks) : 0.0;
  const double mean_w = (past_w * past_s + (seen->others_w + forecast->mean_w) * ahead_s) / (past_s + ahead_s);
  return mean_w > share * mean_budget_w(seen, past, ahead);
}

uint32_t fw_sim_shielded(const fw_sim *sim, size_t job, const fw_shield *shield) {
  const fw_forecast *forecasts = forecasts_of(sim, job, shield);
  const size_t count = sim->scenario->jobs[job].actuators[shield->actuator].level_count;
  if (sim->budget.base == 0) {
    return 0;
  }
  const outlook seen = look(sim, job, shield);
  uint32_t masked = 0;
  size_t least = 0;
  for (size_t i = 0; i < count; i++) {
    least = forecasts[i].mean_w < forecasts[least].mean_w ? i : least;
    masked |= is_too_much(&seen, &forecasts[i]) ? UINT32_C(1) << i : 0;
  }
  return masked & ~(UINT32_C(1) << least);
}

double fw_sim_unmasked(const fw_sim *sim, size_t job, const fw_shield *shield, uint32_t masked, double value) {
  const fw_actuator_range *range = &sim->scenario->jobs[job].actuators[shield->actuator];
  const fw_forecast *forecasts = forecasts_of(sim, job, shield);
  const double nearest = fw_actuator_nearest(range, value);
  size_t wanted = 0;
  while (wanted + 1 < range->level_count && range->levels[wanted] != nearest) {
    wanted++;
  }
  if ((masked >> wanted & 1u) == 0) {
    return value;
  }
  size_t best = range->level_count; /* the level of the least power is never masked, so there is one */
  for (size_t i = 0; i < range->level_count; i++) {
    const bool allowed = (masked >> i & 1u) == 0 && forecasts[i].mean_w <= forecasts[wanted].mean_w;
    if (allowed && (best == range->level_count || forecasts[i].mean_w > forecasts[best].mean_w)) {
      best = i;
    }
  }
  return range->levels[best];
}

/* What policies see, and how their answers take effect. */
#include <math.h>

#include "sim/fleet/state.h"
#include "sim/scenario/arm.h"

const fw_job_setup *fw_sim_job_setup(const fw_sim *sim, size_t job) {
  return &sim->jobs[job].setup;
}

fw_fleet_setup fw_sim_fleet_setup(const fw_sim *sim) {
  return fw_scenario_fleet_setup(sim->scenario, sim->options.seed);
}

/* What a budget leaves for the GPUs: policies count in their watts. */
static double for_gpus_w(const fw_sim *sim, fw_power_mw budget) {
  return fw_supply_output_w(&sim->domains.supply, fw_power_to_watts(budget), sim->domains.node_count);
}

/* The budget of the GPUs at `time` and after the next change that is known then, in W; NaN without a budget. */
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
  budget_view view = {.now_w = for_gpus_w(sim, fwi_budget_at(&sim->budget, time, NULL))};
  view.next_w = for_gpus_w(sim, fwi_budget_expected(&sim->budget, time, &change));
  view.next_in_s = change == FW_TIME_MAX ? (double)INFINITY : fw_time_to_seconds(change - time);
  return view;
}

static double job_budget_w(const fw_sim *sim, size_t job, double site_w) {
  return isnan(sim->share_w[job]) ? site_w * sim->share[job] : sim->share_w[job];
}

double fwi_sim_job_budget_w(const fw_sim *sim, size_t job, fw_time_ns time) {
  return job_budget_w(sim, job, view_budget(sim, time).now_w);
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
      .fleet_power_w = fwi_sim_visible_w(sim, job->now, sim->period_ticks),
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
    out->fleet_window_mean_w[i] = fwi_sim_visible_w(sim, job->now, ticks);
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
    if (!job->cap.active && job->cap.effective_at == FW_TIME_MAX) {
      sim->uncapped_w[j] = fwi_telemetry_mean_w(&job->telemetry, sim->period_ticks, 0) / (double)job->spec->gpus;
    }
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
        .step_elapsed_s = job->ended ? (double)NAN : fw_time_to_seconds(sim->now - job->step_began),
        .step_length_s = job->step_length > 0 ? fw_time_to_seconds(job->step_length) : (double)NAN,
        .start_offset_max_s = job->setup.actuators[FW_ACTUATOR_START_OFFSET_S].max,
    };
  }
  *out = (fw_fleet_observation){
      .decision = sim->fleet_decisions,
      .time_s = fw_time_to_seconds(sim->now),
      .power_w = fwi_sim_visible_w(sim, sim->now, sim->period_ticks),
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

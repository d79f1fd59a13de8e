/* The state of a simulation, shared by the files that create and drive it (sim.c), measure it (measure.c), show it to
 * policies (observe.c) and sum it up (result.c). */
#ifndef FW_FLEET_STATE_H
#define FW_FLEET_STATE_H

#include "sim/fleet/budget.h"
#include "sim/fleet/domain.h"
#include "sim/fleet/job.h"

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

static inline fw_time_ns fwi_earlier(fw_time_ns a, fw_time_ns b) {
  return a < b ? a : b;
}

/* Posts the measurement that follows the one at `after`. */
fw_status fwi_sim_post_measurement(fw_sim *sim, fw_time_ns after, fw_diagnostics *diagnostics);

/* The scheduler's handler: collects what the jobs sampled since the last measurement. `context` is the simulation. */
fw_status fwi_sim_measure(void *context, const fw_event *event, fw_diagnostics *diagnostics);

#endif

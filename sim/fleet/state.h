/* The state of a simulation, shared by the files that create and drive it (sim.c), measure it (measure.c), show it to
 * policies (observe.c) and sum it up (result.c). */
#ifndef FW_FLEET_STATE_H
#define FW_FLEET_STATE_H

#include "sim/fleet/budget.h"
#include "sim/fleet/domain.h"
#include "sim/fleet/job.h"

/* Below this many jobs a window is too short to share out (tests/bench/bench_scheduler.c). */
#define FWI_PARALLEL_FROM ((size_t)1024)

/* The site's meters against one more budget. */
typedef struct fwi_judge {
  fwi_budget budget;
  fw_meter *truth;
  fw_meter *sensed;
  fwi_protection *protection;
} fwi_judge;

struct fw_sim {
  const fw_scenario *scenario;
  fw_sim_options options;
  fw_time_ns period; /* of telemetry */
  size_t period_ticks;
  fw_time_ns window;     /* of the scheduler, at most: a number of periods */
  fw_time_ns window_end; /* when the present one is measured */
  fw_time_ns rhythm_end; /* when it would be if no breaker could trip before */
  fw_time_ns warmup;
  fw_scheduler *scheduler;
  fwi_job_setting job_setting;
  fwi_job *jobs;
  size_t job_count;
  size_t used_gpus;
  uint32_t *node_of_gpu; /* of the GPUs that have a job, which are the first */
  fw_prepared *own;      /* where the caller gave none */
  fwi_domains domains;
  fw_meter *sensed;
  fwi_judge *others; /* the same power against other budgets */
  fwi_budget budget;

  /* Fleet telemetry and shares. */
  fwi_telemetry site;
  double *share;      /* of the budget, per job: by uncontrolled mean */
  double *share_w;    /* set by a fleet policy; NaN: not set */
  double *uncapped_w; /* per GPU, as last seen uncapped */
  fw_fleet_job *fleet_jobs;
  size_t fleet_window_ticks;
  fw_time_ns next_fleet_decision;
  uint64_t fleet_decisions;

  fw_time_ns now;
  bool ended;
  uint64_t measured;    /* ticks */
  size_t *event_cursor; /* per job: events that the observer has seen */
  uint64_t measurements;
  uint64_t gpu_ticks;
  fw_energy_pj hour_energy[FW_HOURS_PER_DAY];
  fw_sim_tick tick;        /* for the observer, not shown yet; `end` 0: shown */
  fw_power_mw *tick_truth; /* its values, per job */
  fw_power_mw *tick_reading;
};

/* Posts the measurement that ends the window after `after`. */
fw_status fwi_sim_post_measurement(fw_sim *sim, fw_time_ns after, fw_diagnostics *diagnostics);

/* Measures every tick that all jobs have sampled. */
fw_status fwi_sim_measure(fw_sim *sim, fw_diagnostics *diagnostics);

/* Breakers that take the power (trip.c). The end of a window that begins at `from` and would end at `end`: before then
 * no breaker can trip, and when one does, at the end of a window. */
fw_time_ns fwi_sim_before_trip(const fw_sim *sim, fw_time_ns from, fw_time_ns end);

/* Those that opened at the end of the tick that was measured last, now, take what is behind them. */
fw_status fwi_sim_take_power(fw_sim *sim, fw_time_ns now, fw_diagnostics *diagnostics);

/* The scheduler's handler of the ends of windows. `context` is the simulation. */
fw_status fwi_sim_end_window(void *context, const fw_event *event, fw_diagnostics *diagnostics);

/* What is known of the site's power at `time`: the mean of the last `ticks` readings up to the end of the last whole
 * period that was over a period ago. NaN before there are so many. Every job must have sampled them. */
double fwi_sim_visible_w(const fw_sim *sim, fw_time_ns time, size_t ticks);

/* How many ticks of the site are known at `time`. */
size_t fwi_sim_visible_ticks(const fw_sim *sim, fw_time_ns time);

/* The share of the site's budget at `time` that is a job's own, W; NaN without a budget. */
double fwi_sim_job_budget_w(const fw_sim *sim, size_t job, fw_time_ns time);

/* What was prepared of the scenario. */
const fw_prepared *fwi_sim_prepared(const fw_sim *sim);

#endif

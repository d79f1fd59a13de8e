/* One simulation: a resumable handle that its caller drives.
 *
 *   fw_sim_create -> { fw_sim_advance -> observe and act for all that wait } until it has ended -> fw_sim_result
 *
 * A simulation is a pure function of (scenario, options, actions): it knows no clock, no file and no policy. So a loop
 * over built-in policies (run.h), a vectorised trainer or a child process can all drive it, and any number of
 * simulations may run at once. */
#ifndef FW_FLEET_SIM_H
#define FW_FLEET_SIM_H

#include "sim/fleet/prepared.h"
#include "sim/fleet/result.h"
#include "sim/scenario/scenario.h"

/* One tick of the whole fleet, for those who record it. */
typedef struct fw_sim_tick {
  fw_time_ns end;
  fw_power_mw truth; /* mean over the tick */
  fw_power_mw reading;
  fw_power_mw budget;
  const fw_power_mw *job_truth; /* per job */
  const fw_power_mw *job_reading;
  size_t job_count;
} fw_sim_tick;

typedef enum fw_sim_event_kind {
  FW_SIM_BATCH_END,
  FW_SIM_STEP_END,
  FW_SIM_ACTUATOR, /* a setting changed: `actuator` to `value` */
  FW_SIM_JOB_END,
  FW_SIM_DOWN, /* an outage begins */
  FW_SIM_UP    /* the job works again */
} fw_sim_event_kind;

extern const char *const fw_sim_event_names[];

typedef struct fw_sim_event {
  fw_time_ns time;
  uint32_t job;
  fw_sim_event_kind kind;
  fw_actuator actuator;
  double value; /* setting, or tokens so far (those that were lost later, too) */
} fw_sim_event;

/* Called from fw_sim_advance, on its thread, in order of time; events before the tick in which they happened ends. */
typedef struct fw_sim_observer {
  void *context;
  void (*tick)(void *context, const fw_sim_tick *tick);
  void (*event)(void *context, const fw_sim_event *event);
} fw_sim_observer;

typedef struct fw_sim_options {
  uint64_t seed;
  fw_power_mw budget;               /* base budget of the site; 0: none */
  const fw_power_mw *other_budgets; /* to judge the same power against, too; nobody in the run sees them */
  size_t other_count;
  fw_time_ns fleet_interval;       /* between decisions of a fleet policy; 0: none. Rounded up to whole seconds */
  fw_time_ns fleet_window;         /* of the means it sees */
  unsigned threads;                /* for the jobs of one simulation; 0 or 1: the caller's only */
  const fw_sim_observer *observer; /* or NULL */
  bool all_domains;                /* meter the windows of domains without a budget, too */
  const fw_prepared *prepared;     /* the scenario, for those who make many simulations; NULL: prepared anew */
  bool truth_alone;                /* only what policies see and fw_sim_time_above needs, for those who make many: then
                                      there is no fw_sim_result, and nothing is judged or billed for one */
} fw_sim_options;

typedef struct fw_sim fw_sim;

/* Who waits for an answer. Nobody: the run has ended. */
typedef struct fw_sim_batch {
  const size_t *jobs; /* by (instant, index) */
  size_t job_count;
  bool fleet;
} fw_sim_batch;

/* `scenario` and what was prepared of it must outlive the simulation. */
fw_status fw_sim_create(const fw_scenario *scenario, const fw_sim_options *options, fw_sim **out,
                        fw_diagnostics *diagnostics);
void fw_sim_free(fw_sim *sim);

/* What is fixed about a job and the fleet; valid as long as the simulation. */
const fw_job_setup *fw_sim_job_setup(const fw_sim *sim, size_t job);
fw_fleet_setup fw_sim_fleet_setup(const fw_sim *sim);

/* Runs on until someone waits or the end. Those that waited must have been acted for. */
fw_status fw_sim_advance(fw_sim *sim, fw_sim_batch *batch, fw_diagnostics *diagnostics);

/* For a job that waits. An action may leave everything as it is. Settings are rounded and limited to what the job
 * allows. */
void fw_sim_observe_job(const fw_sim *sim, size_t index, fw_job_observation *out);
fw_status fw_sim_act_job(fw_sim *sim, size_t job, const fw_job_action *action, fw_diagnostics *diagnostics);

/* For the fleet, when it waits. The observation's job array belongs to the simulation. */
void fw_sim_observe_fleet(const fw_sim *sim, fw_fleet_observation *out);
void fw_sim_act_fleet(fw_sim *sim, const fw_fleet_action *action);

fw_time_ns fw_sim_now(const fw_sim *sim);

/* Time for which the site's true mean over the scenario's `window`-th window has been above its budget, since the run
 * or its measuring began, in what has been measured so far: for those who train or watch. A job that waits may be ahead
 * of the slowest of the others, and so of this, by less than the longest time between two of its decisions. */
fw_time_ns fw_sim_time_above(const fw_sim *sim, size_t window);

/* What it came to; only after the end. Free with fw_result_clear. */
fw_status fw_sim_result(const fw_sim *sim, fw_result *out, fw_diagnostics *diagnostics);

#endif

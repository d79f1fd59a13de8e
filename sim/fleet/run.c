/* The loop of one run: advance, ask each policy that is due, act. */
#include "sim/fleet/run.h"

#include "sim/base/memory.h"
#include "sim/fleet/shield.h"
#include "sim/scenario/arm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct runner {
  const fw_scenario *scenario;
  const fw_scenario_policy *policy;
  const volatile sig_atomic_t *cancel;
  fw_sim *sim;
  void **job_states; /* NULL for a job that the policy does not control */
  void *fleet_state;
  double *fleet_action; /* caps, shares and offsets, one after the other */
  double *asked;        /* under a shield: the setting that each job's policy asked for last */
} runner;

/* Arms that stand in no file are checked here. */
static fw_status create_job_state(runner *run, size_t job, const char *job_class, fw_diagnostics *diagnostics) {
  const fw_scenario_policy *arm = run->policy;
  const fw_job_setup *setup = fw_sim_job_setup(run->sim, job);
  fw_diagnostics local = FW_DIAGNOSTICS_INIT;
  fw_status status = fw_arm_check_job(arm, job_class, setup, NULL, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  if (arm->shield.on && !fw_sim_can_shield(run->sim, job, &arm->shield)) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "policy \"%s\": the runs were prepared without its shield", arm->name);
  }
  status = arm->job->create(arm->job_settings, setup, NULL, &run->job_states[job], &local);
  return fw_arm_relay(arm, job_class, NULL, status, &local, diagnostics);
}

static fw_status create_fleet_state(runner *run, fw_diagnostics *diagnostics) {
  const fw_scenario_policy *arm = run->policy;
  const fw_fleet_setup setup = fw_sim_fleet_setup(run->sim);
  fw_diagnostics local = FW_DIAGNOSTICS_INIT;
  fw_status status = fw_arm_check_fleet(arm, &setup, NULL, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  status = arm->fleet->create(arm->fleet_settings, NULL, &setup, &run->fleet_state, &local);
  return fw_arm_relay(arm, NULL, NULL, status, &local, diagnostics);
}

static fw_status create_states(runner *run, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t j = 0; j < run->scenario->job_count && status == FW_OK; j++) {
    const fw_scenario_job *job = &run->scenario->jobs[j];
    if (fw_arm_controls(run->policy, job)) {
      status = create_job_state(run, j, job->job_class, diagnostics);
    }
  }
  return status == FW_OK && run->policy->fleet != NULL ? create_fleet_state(run, diagnostics) : status;
}

static void destroy(runner *run) {
  for (size_t j = 0; run->job_states != NULL && j < run->scenario->job_count; j++) {
    if (run->job_states[j] != NULL) {
      run->policy->job->destroy(run->job_states[j]);
    }
  }
  if (run->fleet_state != NULL) {
    run->policy->fleet->destroy(run->fleet_state);
  }
  fw_sim_free(run->sim);
  free(run->job_states);
  free(run->fleet_action);
  free(run->asked);
}

static void shield(const runner *run, size_t job, fw_job_observation *observation) {
  const fw_shield *over = &run->policy->shield;
  if (over->on) {
    observation->masked[over->actuator] = fw_sim_shielded(run->sim, job, over);
  }
}

/* What the policy asked for last holds until it asks for something else, so a setting that it leaves as it is may come
 * to be too much, and come back when it is not any more. */
static void hold_to_shield(runner *run, size_t job, const fw_job_observation *observation, fw_job_action *action) {
  const fw_shield *over = &run->policy->shield;
  if (!over->on) {
    return;
  }
  const double present = observation->settings[over->actuator];
  const bool asks = (action->set & 1u << over->actuator) != 0 && isfinite(action->settings[over->actuator]);
  if (asks) {
    run->asked[job] = action->settings[over->actuator];
  } else if (observation->decision == 0) {
    run->asked[job] = present;
  }
  const double held = fw_sim_unmasked(run->sim, job, over, observation->masked[over->actuator], run->asked[job]);
  if (asks || held != present) {
    action->settings[over->actuator] = held;
    action->set |= 1u << over->actuator;
  }
}

static fw_status decide_job(runner *run, size_t job, fw_diagnostics *diagnostics) {
  fw_job_observation observation;
  fw_job_action action = {.set = 0};
  fw_status status = FW_OK;
  if (run->job_states[job] != NULL) {
    fw_diagnostics local = FW_DIAGNOSTICS_INIT;
    fw_sim_observe_job(run->sim, job, &observation);
    shield(run, job, &observation);
    memcpy(action.settings, observation.settings, sizeof action.settings);
    status = run->policy->job->decide_job(run->job_states[job], &observation, &action, &local);
    hold_to_shield(run, job, &observation, &action);
    status = fw_arm_relay(run->policy, run->scenario->jobs[job].job_class, NULL, status, &local, diagnostics);
  }
  return status == FW_OK ? fw_sim_act_job(run->sim, job, &action, diagnostics) : status;
}

static fw_status decide_fleet(runner *run, fw_diagnostics *diagnostics) {
  const size_t n = run->scenario->job_count;
  fw_fleet_observation observation;
  fw_diagnostics local = FW_DIAGNOSTICS_INIT;
  for (size_t i = 0; i < 3 * n; i++) {
    run->fleet_action[i] = (double)NAN;
  }
  fw_fleet_action action = {run->fleet_action, run->fleet_action + n, run->fleet_action + 2 * n};
  fw_sim_observe_fleet(run->sim, &observation);
  const fw_status status = run->policy->fleet->decide_fleet(run->fleet_state, &observation, &action, &local);
  if (status == FW_OK) {
    fw_sim_act_fleet(run->sim, &action);
  }
  return fw_arm_relay(run->policy, NULL, NULL, status, &local, diagnostics);
}

static fw_status drive(runner *run, fw_diagnostics *diagnostics) {
  fw_sim_batch batch;
  for (;;) {
    fw_status status = fw_sim_advance(run->sim, &batch, diagnostics);
    if (status != FW_OK || (batch.job_count == 0 && !batch.fleet)) {
      return status;
    }
    if (run->cancel != NULL && *run->cancel != 0) {
      char now[FW_UNITS_TEXT_SIZE];
      return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "interrupted after %s s of simulated time",
                      fw_time_format(fw_sim_now(run->sim), now));
    }
    for (size_t i = 0; i < batch.job_count && status == FW_OK; i++) {
      status = decide_job(run, batch.jobs[i], diagnostics);
    }
    if (status == FW_OK && batch.fleet) {
      status = decide_fleet(run, diagnostics);
    }
    if (status != FW_OK) {
      return status;
    }
  }
}

static fw_status play(runner *run, fw_diagnostics *diagnostics) {
  const size_t n = run->scenario->job_count;
  run->job_states = fw_allocate(n, sizeof *run->job_states);
  run->fleet_action = fw_allocate(n, 3 * sizeof *run->fleet_action);
  run->asked = fw_allocate(run->policy->shield.on ? n : 0, sizeof *run->asked);
  if (run->job_states == NULL || run->fleet_action == NULL || run->asked == NULL) {
    return fw_error_memory(diagnostics, "a run's policies");
  }
  const fw_status status = create_states(run, diagnostics);
  return status != FW_OK ? status : drive(run, diagnostics);
}

static fw_sim_options sim_options(const fw_scenario *scenario, const fw_scenario_policy *policy,
                                  const fw_run_options *options, const fw_power_mw *others) {
  fw_sim_options sim = {.seed = options->seed,
                        .other_budgets = others,
                        .other_count = options->other_count,
                        .budget = scenario->budgets[options->budget].power,
                        .threads = options->threads,
                        .observer = options->observer,
                        .all_domains = options->all_domains,
                        .prepared = options->prepared};
  if (policy->fleet != NULL) {
    double interval_s = 0.0;
    double window_s = 0.0;
    policy->fleet->rhythm(policy->fleet_settings, &interval_s, &window_s);
    (void)fw_time_from_seconds(interval_s, &sim.fleet_interval);
    (void)fw_time_from_seconds(window_s, &sim.fleet_window);
  }
  return sim;
}

fw_status fw_run(const fw_scenario *scenario, const fw_run_options *options, fw_result *out,
                 fw_diagnostics *diagnostics) {
  runner run = {.scenario = scenario, .policy = &scenario->policies[options->policy], .cancel = options->cancel};
  fw_power_mw *others = fw_allocate(options->other_count, sizeof *others);
  if (others == NULL) {
    return fw_error_memory(diagnostics, "a run's budgets");
  }
  for (size_t i = 0; i < options->other_count; i++) {
    others[i] = scenario->budgets[options->others[i]].power;
  }
  const fw_sim_options simulation = sim_options(scenario, run.policy, options, others);
  fw_status status = fw_sim_create(scenario, &simulation, &run.sim, diagnostics);
  status = status != FW_OK ? status : play(&run, diagnostics);
  status = status != FW_OK ? status : fw_sim_result(run.sim, out, diagnostics);
  destroy(&run);
  free(others);
  return status;
}

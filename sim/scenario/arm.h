/* One arm of a scenario: which jobs its policies control, what is known of those before a run, and whether the
 * settings fit them.
 *
 * Whoever reads a scenario checks the arms that stand in it; whoever makes an arm of their own (trained weights, a
 * search) has it checked when it is first run, or here before. */
#ifndef FW_SCENARIO_ARM_H
#define FW_SCENARIO_ARM_H

#include "sim/scenario/scenario.h"

/* Whether the job policy of an arm controls a job. */
bool fw_arm_controls(const fw_scenario_policy *arm, const fw_scenario_job *job);

/* What policies are told before a run: of job `index`, and of the fleet. The fleet's points into the scenario. */
fw_job_setup fw_scenario_job_setup(const fw_scenario *scenario, size_t index, uint64_t seed);
fw_fleet_setup fw_scenario_fleet_setup(const fw_scenario *scenario, uint64_t seed);

/* Whether a policy's settings fit a job, or the fleet; `job` or `fleet` is set, as for the policy's `create`. Messages
 * begin with the arm and the job's class, and point into `written`, the settings as they stand in the file, or nowhere
 * where that is NULL. */
fw_status fw_arm_check_job(const fw_scenario_policy *arm, const char *job_class, const fw_job_setup *job,
                           const fw_json_value *written, fw_diagnostics *diagnostics);
fw_status fw_arm_check_fleet(const fw_scenario_policy *arm, const fw_fleet_setup *fleet, const fw_json_value *written,
                             fw_diagnostics *diagnostics);

/* Both, for every job of the scenario that the arm controls: equal jobs once. `written` is the arm as it stands in the
 * file, or NULL. */
fw_status fw_arm_check(const fw_scenario *scenario, const fw_scenario_policy *arm, const fw_json_value *written,
                       fw_diagnostics *diagnostics);

/* Moves what a policy reported in `from` to the end of `to` and returns `status`: each message names the arm and, where
 * `job_class` is not NULL, the class; what has no place is put at `written`, where that is not NULL. */
fw_status fw_arm_relay(const fw_scenario_policy *arm, const char *job_class, const fw_json_value *written,
                       fw_status status, fw_diagnostics *from, fw_diagnostics *to);

#endif

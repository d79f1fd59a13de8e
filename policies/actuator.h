/* What job policies share about actuators. */
#ifndef FW_POLICIES_ACTUATOR_H
#define FW_POLICIES_ACTUATOR_H

#include "policies/policy.h"

/* FW_OK when the job offers `actuator`; otherwise an FW_ERROR_INPUT at `place`, or nowhere, that says so. */
fw_status fwi_actuator_check_offered(const fw_job_setup *job, fw_actuator actuator, const fw_json_value *place,
                                     fw_diagnostics *diagnostics);

/* FW_OK when the job's range allows exactly `value`; otherwise an FW_ERROR_INPUT that names range and levels. */
fw_status fwi_actuator_check_value(const fw_job_setup *job, fw_actuator actuator, double value,
                                   const fw_json_value *place, fw_diagnostics *diagnostics);

/* Moves `actuator` by `steps` from its present setting towards less (`push` < 0) or more power. A longer pause draws
 * less power, so "less power" is not always "a lower setting". False, and nothing set, where there is no such step. */
bool fwi_actuator_move(const fw_actuator_range *range, fw_actuator actuator, int push, uint64_t steps, double present,
                       fw_job_action *action);

/* Sets `actuator` in `action`. */
void fwi_actuator_set(fw_job_action *action, fw_actuator actuator, double value);

#endif

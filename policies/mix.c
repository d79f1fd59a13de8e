/* Mix: two settings of one actuator in turn, open loop. A stated share of decisions gets the high one, spread as evenly
 * as whole decisions allow: decision n is a high one where floor(share (n + 1)) passes floor(share n), the sequence of
 * Bresenham's line ("Algorithm for computer control of a digital plotter", IBM Systems Journal 4(1), 1965). */
#include <math.h>
#include <stdlib.h>

#include "policies/actuator.h"
#include "policies/builtin.h"
#include "sim/base/fields.h"

typedef struct mix_settings {
  int actuator; /* fw_actuator */
  double low;
  double high;
  double share;
} mix_settings;

static const fw_field fields[] = {
    FW_ENUM(mix_settings, actuator, fw_actuator_names, FW_OPTIONAL, "what the policy drives"),
    FW_FIELD(mix_settings, low, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 0.0, "one setting, in the actuator's unit"),
    FW_FIELD(mix_settings, high, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 0.0, "the other"),
    FW_FIELD(mix_settings, share, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 1.0, "of the decisions that set `high`"),
};

static const mix_settings defaults = {.actuator = FW_ACTUATOR_CONCURRENCY};

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)fleet;
  const mix_settings *chosen = settings;
  const fw_actuator actuator = (fw_actuator)chosen->actuator;
  const fw_status low =
      fwi_actuator_check_value(job, actuator, chosen->low, fw_record_member(written, "low"), diagnostics);
  const fw_status high =
      fwi_actuator_check_value(job, actuator, chosen->high, fw_record_member(written, "high"), diagnostics);
  return low != FW_OK ? low : high;
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)job, (void)fleet;
  const mix_settings **made = malloc(sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a mix policy");
  *made = settings;
  *state = (void *)made;
  return FW_OK;
}

static fw_status decide(void *state, const fw_job_observation *observation, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  const mix_settings *chosen = *(const mix_settings **)state;
  const double before = (double)observation->decision * chosen->share;
  const double after = (double)(observation->decision + 1) * chosen->share;
  fwi_actuator_set(action, (fw_actuator)chosen->actuator, floor(after) > floor(before) ? chosen->high : chosen->low);
  return FW_OK;
}

static uint32_t drives(const void *settings) {
  return 1u << ((const mix_settings *)settings)->actuator;
}

const fw_record fwi_mix_settings = {
    .name = "mix",
    .doc = "two settings in turn, a share of the decisions at the second",
    .size = sizeof(mix_settings),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_mix_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_JOB,
    .name = "mix",
    .doc = "alternates between two settings in a stated proportion, whatever power does",
    .settings = &fwi_mix_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_job = decide,
    .drives = drives,
    .ignores_budget = true,
};

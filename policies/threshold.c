/* Threshold: the published heuristic. One step down while power is above 90 % of the budget, one step up while it is
 * below 70 % (arXiv:2608.11226, the study's "threshold heuristic"). */
#include <stdlib.h>

#include "policies/band.h"
#include "policies/builtin.h"
#include "sim/base/memory.h"

typedef struct threshold_settings {
  fwi_band band;
} threshold_settings;

typedef struct threshold_state {
  const fwi_band *band;
  size_t window;
  fw_actuator_range range;
} threshold_state;

static const fw_field fields[] = {FWI_BAND_FIELDS(threshold_settings)};

static const threshold_settings defaults = {
    .band = {.actuator = FW_ACTUATOR_CONCURRENCY, .lower_above = 0.90, .raise_below = 0.70},
};

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)fleet;
  return fwi_band_check(&((const threshold_settings *)settings)->band, job, written, diagnostics);
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)fleet;
  const fwi_band *band = &((const threshold_settings *)settings)->band;
  threshold_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a threshold policy");
  *made =
      (threshold_state){.band = band, .window = fwi_band_window(band, job), .range = job->actuators[band->actuator]};
  *state = made;
  return FW_OK;
}

static fw_status decide(void *state, const fw_job_observation *observation, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  const threshold_state *rule = state;
  fw_actuator actuator = (fw_actuator)rule->band->actuator;
  int push = fwi_band_push(rule->band, rule->window, observation);
  if (push != 0) fwi_actuator_move(&rule->range, actuator, push, 1, observation->settings[actuator], action);
  return FW_OK;
}

static uint32_t drives(const void *settings) {
  return 1u << ((const threshold_settings *)settings)->band.actuator;
}

const fw_record fwi_threshold_settings = {
    .name = "threshold",
    .doc = "one step down above a share of the budget, one step up below another",
    .size = sizeof(threshold_settings),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_threshold_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_JOB,
    .name = "threshold",
    .doc = "the published rule: lower the actuator above 90 % of the budget, raise it below 70 %",
    .settings = &fwi_threshold_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_job = decide,
    .drives = drives,
};

/* Uncontrolled: every actuator stays at its initial setting. The arm that all others are compared with. */
#include "policies/builtin.h"

/* Nothing to set; a struct needs a member. */
typedef struct uncontrolled_settings {
  char unused;
} uncontrolled_settings;

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)settings, (void)job, (void)fleet, (void)diagnostics;
  *state = NULL;
  return FW_OK;
}

static void destroy(void *state) {
  (void)state;
}

static fw_status decide(void *state, const fw_job_observation *observation, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  (void)state, (void)observation, (void)action, (void)diagnostics;
  return FW_OK;
}

static uint32_t drives(const void *settings) {
  (void)settings;
  return 0;
}

const fw_record fwi_uncontrolled_settings = {
    .name = "uncontrolled",
    .doc = "changes nothing",
    .size = sizeof(uncontrolled_settings),
};

const fw_policy_type fwi_uncontrolled_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_JOB,
    .name = "uncontrolled",
    .doc = "every actuator stays at its initial setting",
    .settings = &fwi_uncontrolled_settings,
    .create = create,
    .destroy = destroy,
    .decide_job = decide,
    .drives = drives,
    .ignores_budget = true,
};

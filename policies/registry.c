/* The built-in policies by scope and name. */
#include <string.h>

#include "policies/builtin.h"
#include "policies/ppo/policy.h"
#include "sim/base/fields.h"

const fw_variant_case fw_job_policy_cases[] = {
    {"uncontrolled", &fwi_uncontrolled_settings},
    {"static", &fwi_static_settings},
    {"random", &fwi_random_settings},
    {"mix", &fwi_mix_settings},
    {"schedule", &fwi_schedule_settings},
    {"threshold", &fwi_threshold_settings},
    {"hysteresis", &fwi_hysteresis_settings},
    {"ppo", &fwi_ppo_policy_settings},
    {NULL, NULL},
};

const fw_variant_case fw_fleet_policy_cases[] = {
    {"uniform_cap", &fwi_uniform_cap_settings},
    {"class_cap", &fwi_class_cap_settings},
    {"priority_cap", &fwi_priority_cap_settings},
    {"restagger", &fwi_restagger_settings},
    {NULL, NULL},
};

static const fw_policy_type *const types[] = {
    &fwi_uncontrolled_policy, &fwi_static_policy,    &fwi_random_policy,       &fwi_mix_policy,
    &fwi_schedule_policy,     &fwi_threshold_policy, &fwi_hysteresis_policy,   &fwi_ppo_policy,
    &fwi_uniform_cap_policy,  &fwi_class_cap_policy, &fwi_priority_cap_policy, &fwi_restagger_policy,
};

const fw_policy_type *fw_policy_find(fw_policy_scope scope, const char *name) {
  for (size_t i = 0; i < FW_COUNT_OF(types); i++) {
    if (types[i]->scope == scope && strcmp(types[i]->name, name) == 0) return types[i];
  }
  return NULL;
}

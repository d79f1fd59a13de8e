/* The built-in policies, one to a file; registry.c lists them. */
#ifndef FW_POLICIES_BUILTIN_H
#define FW_POLICIES_BUILTIN_H

#include "policies/policy.h"

extern const fw_policy_type fwi_uncontrolled_policy;
extern const fw_policy_type fwi_static_policy;
extern const fw_policy_type fwi_random_policy;
extern const fw_policy_type fwi_mix_policy;
extern const fw_policy_type fwi_schedule_policy;
extern const fw_policy_type fwi_threshold_policy;
extern const fw_policy_type fwi_hysteresis_policy;
extern const fw_policy_type fwi_uniform_cap_policy;
extern const fw_policy_type fwi_class_cap_policy;
extern const fw_policy_type fwi_priority_cap_policy;
extern const fw_policy_type fwi_restagger_policy;

/* Their settings. Separate symbols, because the case tables are constants and cannot read the types. */
extern const fw_record fwi_uncontrolled_settings;
extern const fw_record fwi_static_settings;
extern const fw_record fwi_random_settings;
extern const fw_record fwi_mix_settings;
extern const fw_record fwi_schedule_settings;
extern const fw_record fwi_threshold_settings;
extern const fw_record fwi_hysteresis_settings;
extern const fw_record fwi_uniform_cap_settings;
extern const fw_record fwi_class_cap_settings;
extern const fw_record fwi_priority_cap_settings;
extern const fw_record fwi_restagger_settings;

#endif

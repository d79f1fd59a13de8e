/* The job policy "ppo": a trained actor, wherever a policy is named. */
#ifndef FW_POLICIES_PPO_POLICY_H
#define FW_POLICIES_PPO_POLICY_H

#include "policies/policy.h"
#include "policies/ppo/actor.h"

typedef struct fw_ppo_policy_settings {
  char *weights;             /* as named in the scenario */
  bool sampled;              /* draw from the policy; false: its most likely choice */
  const fw_ppo_actor *actor; /* read from `weights`; set by whoever resolves the name (fw_policy_file) */
} fw_ppo_policy_settings;

extern const fw_policy_type fwi_ppo_policy;
extern const fw_record fwi_ppo_policy_settings;

#endif

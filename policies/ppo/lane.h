/* Inside policies/ppo: one environment with its agents' open decisions.
 *
 * A lane runs by itself, on any thread, until an agent waits for an answer or enough decisions are finished; who
 * answers looks at all waiting lanes together (collector.h). What a lane remembers of the unfinished episode, its seed
 * and its actions, is enough to bring a fresh environment to the same place. */
#ifndef FW_POLICIES_PPO_LANE_H
#define FW_POLICIES_PPO_LANE_H

#include "policies/ppo/normaliser.h"
#include "policies/ppo/rollout.h"
#include "policies/ppo/trainer.h"

/* What lanes share and do not change. */
typedef struct fwi_lane_rules {
  const fw_ppo_problem *problem;
  const fwi_model *model;
  uint64_t seed;
  const fwi_normaliser *observations;
  const float *parameters;
} fwi_lane_rules;

/* Of each agent. A decision is open from its answer until its outcome. */
typedef struct fwi_agents {
  uint8_t *open;
  float *x;          /* what the policy saw, normalised as it was then: `inputs` an agent */
  uint8_t *mask;     /* `logits` an agent */
  uint32_t *choices; /* `heads` an agent */
  float *log_probability;
  float *value;       /* `critics` an agent */
  double *discounted; /* the discounted return up to now, for its deviation */
  double *reward;     /* of the episode up to now */
  uint64_t *finished; /* decisions of the episode */
} fwi_agents;

typedef struct fwi_lane {
  void *state;
  uint32_t number;
  uint64_t episode; /* the one that runs, or the next one */
  bool running;
  uint64_t moments;  /* of the episode so far */
  uint32_t *actions; /* of the episode so far, `heads` for each in the order they were given */
  size_t action_numbers;
  size_t action_capacity;
  uint64_t answers; /* given since training began; names the random numbers of the next */

  bool waits; /* an agent waits for an answer */
  uint32_t agent;
  float *observation; /* of the one that waits, raw */
  uint8_t *mask;
  bool answered; /* the answer is in agents.choices, and the environment is yet to be told */

  size_t finished; /* decisions in this rollout */
  fwi_agents agents;
  fwi_activations *scratch;
  fw_status status;
  fw_diagnostics diagnostics; /* the lane's own, because lanes run in parallel */
} fwi_lane;

fw_status fwi_lane_create(fwi_lane *lane, const fwi_lane_rules *rules, uint32_t number, fw_diagnostics *diagnostics);
void fwi_lane_clear(fwi_lane *lane, const fwi_lane_rules *rules); /* also after a failed create */

/* Runs until an agent waits or the lane's rows of `rollout` are full. The outcome is in `status`. */
void fwi_lane_run(fwi_lane *lane, const fwi_lane_rules *rules, fwi_rollout *rollout);

/* The values of `x` (normalised) by all critics. */
void fwi_lane_values(const fwi_lane_rules *rules, const float *x, fwi_activations *scratch, float values[FWI_CRITICS]);

/* Brings a fresh environment through `moments` moments of the episode with the `actions` that are set. */
fw_status fwi_lane_replay(fwi_lane *lane, const fwi_lane_rules *rules, fw_diagnostics *diagnostics);

#endif

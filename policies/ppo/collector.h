/* Inside policies/ppo: fills a rollout from all environments.
 *
 * In rounds: each environment that is not full runs until an agent waits; what all of them see is taken into the
 * running normalisation in the order of the environments and answered at once, by numbers drawn for each environment by
 * itself. Environments run in parallel and share nothing meanwhile, so the rollout does not depend on threads. */
#ifndef FW_POLICIES_PPO_COLLECTOR_H
#define FW_POLICIES_PPO_COLLECTOR_H

#include "policies/ppo/lane.h"

typedef struct fwi_collector {
  fwi_lane_rules rules;
  fwi_normaliser *observations; /* the one of the rules, to add to */
  bool normalise;
  size_t threads;
  fwi_lane *lanes;
  fwi_rollout rollout;
  uint32_t *waiting; /* lanes of a block that wait */
  float *raw;        /* what they see: FWI_BLOCK rows */
  float *x;
  fwi_activations *scratch;
} fwi_collector;

/* Sums over a rollout, and the episodes that ended in it. */
typedef struct fwi_tally {
  double elapsed_s, reward;
  double cost[FW_PPO_COSTS];
  uint64_t episodes;
  double episode_reward; /* of all of them */
} fwi_tally;

fw_status fwi_collector_create(fwi_collector *collector, const fwi_lane_rules *rules, fwi_normaliser *observations,
                               const fw_ppo_config *config, size_t threads, fw_diagnostics *diagnostics);
void fwi_collector_clear(fwi_collector *collector);

/* Fills the rollout, but for advantages and targets. */
fw_status fwi_collector_collect(fwi_collector *collector, fw_diagnostics *diagnostics);

/* Sums up the rollout, in the order of its rows; takes each agent's discounted return into `returns`. */
fwi_tally fwi_collector_tally(fwi_collector *collector, const fw_ppo_config *config, fwi_normaliser *returns);

#endif

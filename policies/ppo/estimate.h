/* Inside policies/ppo: from a rollout to what the update wants: a target for each critic and one advantage, the
 * reward's less the costs', weighted by their multipliers: (A_reward - sum of m A_cost) / (1 + sum of m). */
#ifndef FW_POLICIES_PPO_ESTIMATE_H
#define FW_POLICIES_PPO_ESTIMATE_H

#include "policies/ppo/advantage.h"
#include "policies/ppo/config.h"
#include "policies/ppo/rollout.h"

/* How each critic's rewards come from the rollout. */
typedef struct fwi_signal {
  const double *source; /* one for each row */
  double scale;
  double weight; /* of its advantage in the whole: 1 for the reward, minus a multiplier for a cost */
} fwi_signal;

typedef struct fwi_estimate_space {
  fwi_interval *intervals; /* of one environment */
  double *reward;
  double *advantage;
  double *whole;
  size_t *next; /* by agent: the row of its next decision */
} fwi_estimate_space;

fw_status fwi_estimate_space_create(fwi_estimate_space *space, size_t length, size_t agents,
                                    fw_diagnostics *diagnostics);
void fwi_estimate_space_clear(fwi_estimate_space *space);

/* Fills batch.advantage and batch.target; `signals` has one for each critic. */
void fwi_estimate(const fw_ppo_config *config, const fwi_signal *signals, size_t critic_count, size_t agents,
                  fwi_estimate_space *space, fwi_rollout *rollout);

#endif

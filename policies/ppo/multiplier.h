/* Inside policies/ppo: the Lagrange multiplier of a limit on a mean rate, by a PID controller on rate minus limit (A.
 * Stooke, J. Achiam, P. Abbeel, "Responsive safety in reinforcement learning by PID Lagrangian methods", ICML 2020,
 * algorithm 2). Integral and multiplier stay between 0 and the largest allowed, so neither winds up; a limit of 0 is a
 * limit like any other. */
#ifndef FW_POLICIES_PPO_MULTIPLIER_H
#define FW_POLICIES_PPO_MULTIPLIER_H

#include "policies/ppo/config.h"

typedef struct fwi_multiplier {
  double integral;
  double smoothed; /* rate minus limit */
  double started;  /* 1 once there was a rate */
  double value;    /* the multiplier */
} fwi_multiplier;

void fwi_multiplier_update(fwi_multiplier *multiplier, const fw_ppo_config *config, double rate, double limit);

#endif

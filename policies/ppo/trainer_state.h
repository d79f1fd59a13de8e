/* Inside policies/ppo: what a trainer is made of; trainer.c runs it, checkpoint.c saves it and brings it back. */
#ifndef FW_POLICIES_PPO_TRAINER_STATE_H
#define FW_POLICIES_PPO_TRAINER_STATE_H

#include "policies/ppo/adam.h"
#include "policies/ppo/collector.h"
#include "policies/ppo/estimate.h"
#include "policies/ppo/multiplier.h"
#include "policies/ppo/trainer.h"
#include "policies/ppo/update.h"
#include "policies/ppo/weights.h"

struct fw_ppo_trainer {
  fw_ppo_problem problem;
  fwi_weights weights;
  fwi_adam adam; /* owns its arrays */
  fwi_multiplier multipliers[FW_PPO_COSTS];
  uint64_t iteration; /* done */
  bool broken;        /* an iteration failed: not to be saved or continued */
  fwi_collector collector;
  fwi_updater updater;
  fwi_estimate_space estimates;
};

/* Builds all but the weights, which are there. */
fw_status fwi_trainer_furnish(fw_ppo_trainer *trainer, size_t threads, fw_diagnostics *diagnostics);

#endif

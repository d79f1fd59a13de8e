/* Inside policies/ppo: some passes over a rollout, each in shuffled minibatches, one step of Adam for each.
 *
 * A minibatch is cut into chunks of a fixed number of decisions. Each chunk has a gradient of its own, on whatever
 * thread it ran, and they are added in the order of the chunks: the sum is the same for any number of threads. */
#ifndef FW_POLICIES_PPO_UPDATE_H
#define FW_POLICIES_PPO_UPDATE_H

#include "policies/ppo/adam.h"
#include "policies/ppo/config.h"
#include "policies/ppo/rollout.h"

typedef struct fwi_updater {
  const fwi_model *model;
  size_t threads;
  float *transposed;
  float *gradient;        /* of a minibatch */
  float *chunk_gradients; /* of the chunks that are under way */
  fwi_losses *chunk_losses;
  fwi_gradient_space **spaces; /* one for each thread */
  uint32_t *order;             /* of the rows in a pass */
} fwi_updater;

/* What the passes came to. */
typedef struct fwi_outcome {
  fwi_losses mean; /* over all steps */
  double kl;       /* over the last pass */
  uint64_t passes;
  bool finite; /* false: a loss or gradient was not, and nothing is to be trusted any more */
} fwi_outcome;

fw_status fwi_updater_create(fwi_updater *updater, const fwi_model *model, size_t rows, size_t threads,
                             fw_diagnostics *diagnostics);
void fwi_updater_clear(fwi_updater *updater);

/* `iteration` and `seed` name the shuffles. */
fwi_outcome fwi_update(fwi_updater *updater, const fw_ppo_config *config, const fwi_rollout *rollout, uint64_t seed,
                       uint64_t iteration, double learning_rate, fwi_adam *adam, float *parameters);

#endif

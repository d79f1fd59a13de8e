/* Inside policies/ppo: the gradient of the objective over some decisions of a batch. */
#ifndef FW_POLICIES_PPO_GRADIENT_H
#define FW_POLICIES_PPO_GRADIENT_H

#include "policies/ppo/loss.h"

/* Decisions, an array for each quantity. The arrays belong to whoever made the batch. */
typedef struct fwi_batch {
  fwi_real *x;               /* normalised observations: `inputs` a row */
  uint8_t *mask;             /* `logits` a row */
  uint32_t *choices;         /* `heads` a row */
  fwi_real *log_probability; /* of the choices, when they were made */
  fwi_real *advantage;
  fwi_real *value[FWI_CRITICS]; /* when the choice was made */
  fwi_real *target[FWI_CRITICS];
} fwi_batch;

/* What is the same for all decisions of a minibatch. */
typedef struct fwi_step {
  const fwi_model *model;
  const fwi_real *parameters;
  const fwi_real *transposed; /* fwi_step_transpose */
  fwi_objective objective;
  fwi_real weight;         /* 1 / decisions of the minibatch */
  fwi_real advantage_mean; /* an advantage counts as (A - mean) x scale */
  fwi_real advantage_scale;
} fwi_step;

/* Scratch of a thread. */
typedef struct fwi_gradient_space {
  fwi_real x[FWI_BLOCK * FW_PPO_OBSERVATIONS];
  fwi_decisions decisions;
  fwi_activations activations;
} fwi_gradient_space;

void fwi_step_transpose(const fwi_model *model, const fwi_real *parameters, fwi_real *transposed);

/* Adds to `gradient` and `sums` what the decisions batch[index[0 .. count-1]] contribute. */
void fwi_step_gradient(const fwi_step *step, const fwi_batch *batch, const uint32_t *index, size_t count,
                       fwi_gradient_space *space, fwi_real *gradient, fwi_losses *sums);

#endif

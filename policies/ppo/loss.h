/* Inside policies/ppo: the objective of a block of decisions and its derivatives by the networks' outputs.
 *
 * Of decision i with advantage A, r = p_new / p_old:
 *   policy  -min(r A, clip(r, 1 - e, 1 + e) A) - c_entropy H             (Schulman et al. 2017, equations 7 and 9)
 *   value   c_value / 2 (v - R)^2, or, where v left the old value by more than the value clip, the larger one of this
 *           and the loss of the clipped value
 * A sum over the block is weighted by `weight`, one over the decisions of the minibatch. */
#ifndef FW_POLICIES_PPO_LOSS_H
#define FW_POLICIES_PPO_LOSS_H

#include "policies/ppo/model.h"

typedef struct fwi_objective {
  fwi_real clip;
  fwi_real value_clip; /* 0: none */
  fwi_real value_weight;
  fwi_real entropy_weight;
} fwi_objective;

/* Sums over decisions. */
typedef struct fwi_losses {
  double policy, entropy, kl, clipped;
  double value[FWI_CRITICS]; /* without value_weight */
} fwi_losses;

/* What the loss needs of a block of decisions beside the networks' outputs. */
typedef struct fwi_decisions {
  uint8_t mask[FWI_BLOCK][FW_PPO_HEADS * FW_PPO_CHOICES];
  uint32_t choices[FWI_BLOCK][FW_PPO_HEADS];
  fwi_real log_probability[FWI_BLOCK]; /* of the choices, when they were made */
  fwi_real advantage[FWI_BLOCK];
  fwi_real value[FWI_CRITICS][FWI_BLOCK]; /* when the choice was made */
  fwi_real target[FWI_CRITICS][FWI_BLOCK];
} fwi_decisions;

/* `out` holds the actor's outputs, `padded` to a row, and is replaced by the derivatives. Adds to `sums`. */
void fwi_policy_loss(const fwi_heads *heads, const fwi_objective *objective, const fwi_decisions *decisions,
                     size_t rows, size_t padded, fwi_real weight, fwi_real *out, fwi_losses *sums);

/* The same for one critic. */
void fwi_value_loss(const fwi_objective *objective, const fwi_decisions *decisions, size_t critic, size_t rows,
                    size_t padded, fwi_real weight, fwi_real *out, fwi_losses *sums);

#endif

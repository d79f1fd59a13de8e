#include "policies/ppo/loss.h"

/* The derivatives of one decision by the logarithm of its probability and by its entropy. */
typedef struct slopes {
  fwi_real log_p, entropy;
} slopes;

static FWI_INLINED fwi_real entropy_of(const fwi_distribution *head, const fwi_real *logits, uint32_t size) {
  fwi_real entropy = 0;
  for (uint32_t k = 0; k < size; k++)
    entropy -= head->p[k] * fwi_head_log_p(head, logits[k]);
  return entropy;
}

/* d log p(c) / d logit_k = [k = c] - p_k, and d H / d logit_k = -p_k (log p_k + H). */
static FWI_INLINED void derive_head(const fwi_distribution *head, fwi_real entropy, uint32_t size, uint32_t choice,
                                    slopes slope, fwi_real *logits) {
  for (uint32_t k = 0; k < size; k++) {
    const fwi_real log_p = fwi_head_log_p(head, logits[k]);
    const fwi_real chosen = k == choice ? 1 : 0;
    logits[k] = slope.log_p * (chosen - head->p[k]) - slope.entropy * head->p[k] * (log_p + entropy);
  }
}

/* The clipped objective of one decision: returns its derivative by the new log-probability. */
static FWI_INLINED fwi_real clipped_slope(const fwi_objective *objective, fwi_real change, fwi_real advantage,
                                          fwi_losses *sums) {
  const fwi_real ratio = fwi_exp(change);
  const fwi_real low = 1 - objective->clip, high = 1 + objective->clip;
  const fwi_real held = ratio < low ? low : ratio > high ? high : ratio;
  const bool binds = held * advantage < ratio * advantage;
  sums->policy -= (double)(binds ? held * advantage : ratio * advantage);
  sums->kl += (double)(ratio - 1) - (double)change; /* J. Schulman, "Approximating KL divergence" (2020), k3 */
  sums->clipped += ratio < low || ratio > high ? 1.0 : 0.0;
  return binds ? 0 : -ratio * advantage;
}

static FWI_INLINED void one_decision(const fwi_heads *heads, const fwi_objective *objective,
                                     const fwi_decisions *decisions, size_t row, fwi_real weight, fwi_real *logits,
                                     fwi_losses *sums) {
  fwi_distribution head[FW_PPO_HEADS];
  fwi_real entropy[FW_PPO_HEADS];
  fwi_real log_p = 0;
  for (size_t h = 0, at = 0; h < heads->count; at += heads->size[h++]) {
    fwi_head_distribute(logits + at, decisions->mask[row] + at, heads->size[h], &head[h]);
    log_p += fwi_head_log_p(&head[h], logits[at + decisions->choices[row][h]]);
    entropy[h] = entropy_of(&head[h], logits + at, heads->size[h]);
    sums->entropy += (double)entropy[h];
  }
  const fwi_real change = log_p - decisions->log_probability[row];
  const slopes slope = {.log_p = weight * clipped_slope(objective, change, decisions->advantage[row], sums),
                        .entropy = -weight * objective->entropy_weight};
  for (size_t h = 0, at = 0; h < heads->count; at += heads->size[h++])
    derive_head(&head[h], entropy[h], heads->size[h], decisions->choices[row][h], slope, logits + at);
}

static FWI_INLINED void fwi_policy_loss_body(const fwi_heads *heads, const fwi_objective *objective,
                                             const fwi_decisions *decisions, size_t rows, size_t padded,
                                             fwi_real weight, fwi_real *out, fwi_losses *sums) {
  for (size_t row = 0; row < rows; row++)
    one_decision(heads, objective, decisions, row, weight, out + row * padded, sums);
}

FWI_BOTH_WAYS(fwi_policy_loss,
              (const fwi_heads *heads, const fwi_objective *objective, const fwi_decisions *decisions, size_t rows,
               size_t padded, fwi_real weight, fwi_real *out, fwi_losses *sums),
              (heads, objective, decisions, rows, padded, weight, out, sums))

/* Half the squared error and its derivative. Inside the clip's range the plain error is taken as it is: the clipped one
 * equals it but for rounding, and choosing between them by size would set derivatives to zero by chance. */
static fwi_real value_slope(fwi_real clip, fwi_real value, fwi_real old, fwi_real target, double *loss) {
  const fwi_real error = value - target;
  const fwi_real moved = value - old;
  *loss = 0.5 * (double)(error * error);
  if (clip <= 0 || (moved <= clip && moved >= -clip)) return error;
  const fwi_real held = (moved > 0 ? old + clip : old - clip) - target;
  if (held * held <= error * error) return error;
  *loss = 0.5 * (double)(held * held);
  return 0;
}

void fwi_value_loss(const fwi_objective *objective, const fwi_decisions *decisions, size_t critic, size_t rows,
                    size_t padded, fwi_real weight, fwi_real *out, fwi_losses *sums) {
  for (size_t row = 0; row < rows; row++) {
    double loss;
    fwi_real slope = value_slope(objective->value_clip, out[row * padded], decisions->value[critic][row],
                                 decisions->target[critic][row], &loss);
    sums->value[critic] += loss;
    out[row * padded] = weight * objective->value_weight * slope;
  }
}

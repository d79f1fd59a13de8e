/* Inside policies/ppo: the actor's outputs as choices, one categorical distribution for each head.
 *
 * What a mask forbids has probability 0, as if its logit were minus infinity. Heads are independent: logarithms of
 * probabilities and entropies add up. */
#ifndef FW_POLICIES_PPO_HEADS_H
#define FW_POLICIES_PPO_HEADS_H

#include <stdbool.h>
#include <stddef.h>

#include "policies/ppo/environment.h"
#include "policies/ppo/real.h"

typedef struct fwi_heads {
  size_t count;
  uint32_t size[FW_PPO_HEADS];
  size_t logits; /* of all heads, which is also the length of a mask */
} fwi_heads;

/* One head's distribution: p[k] = exp(logit[k] - most) / sum. */
typedef struct fwi_distribution {
  fwi_real most;
  fwi_real log_sum;
  fwi_real p[FW_PPO_CHOICES];
} fwi_distribution;

static inline fwi_heads fwi_heads_make(const fw_ppo_space *space) {
  fwi_heads heads = {.count = space->head_count};
  for (size_t h = 0; h < heads.count; h++) {
    heads.size[h] = space->head_size[h];
    heads.logits += space->head_size[h];
  }
  return heads;
}

/* The first of the most likely choices; the mask allows one. */
static FWI_INLINED uint32_t fwi_head_best(const fwi_real *logits, const uint8_t *mask, uint32_t size) {
  uint32_t best = size;
  for (uint32_t k = 0; k < size; k++) {
    if (mask[k] && (best == size || logits[k] > logits[best])) best = k;
  }
  return best;
}

static FWI_INLINED void fwi_head_distribute(const fwi_real *logits, const uint8_t *mask, uint32_t size,
                                            fwi_distribution *out) {
  const fwi_real most = logits[fwi_head_best(logits, mask, size)];
  for (uint32_t k = 0; k < size; k++)
    out->p[k] = fwi_exp(logits[k] - most);
  for (uint32_t k = 0; k < size; k++) /* finite before, whatever the logit of what is forbidden */
    out->p[k] *= (fwi_real)(mask[k] != 0);
  out->most = most;
  fwi_real sum = 0;
  for (uint32_t k = 0; k < size; k++)
    sum += out->p[k];
  const fwi_real share = 1 / sum;
  for (uint32_t k = 0; k < size; k++)
    out->p[k] *= share;
  out->log_sum = (fwi_real)fw_log((double)sum);
}

static FWI_INLINED fwi_real fwi_head_log_p(const fwi_distribution *head, fwi_real logit) {
  return logit - head->most - head->log_sum;
}

/* The choice at `u` of (0, 1) along the cumulated probabilities. */
static inline uint32_t fwi_head_draw(const fwi_distribution *head, uint32_t size, double u) {
  double sum = 0.0;
  uint32_t last = 0;
  for (uint32_t k = 0; k < size; k++) {
    if (head->p[k] <= 0) continue;
    last = k; /* also where rounding leaves the whole sum below u */
    sum += (double)head->p[k];
    if (u < sum) break;
  }
  return last;
}

#endif

/* Inside policies/ppo: all networks of a policy over one array of parameters: the actor, the reward critic and a cost
 * critic for each limit. They share nothing but their input. */
#ifndef FW_POLICIES_PPO_MODEL_H
#define FW_POLICIES_PPO_MODEL_H

#include "policies/ppo/heads.h"
#include "policies/ppo/network.h"

enum {
  FWI_CRITICS = 1 + FW_PPO_COSTS, /* most: of the reward, then of costs */
  FWI_NETWORKS = 1 + FWI_CRITICS  /* the actor first */
};

typedef struct fwi_model {
  fwi_heads heads;
  size_t critic_count;
  size_t network_count;
  fwi_network network[FWI_NETWORKS];
  size_t at[FWI_NETWORKS]; /* where a network's parameters begin */
  size_t transposed_at[FWI_NETWORKS];
  size_t parameter_count;
  size_t transposed_count;
} fwi_model;

static inline fwi_model fwi_model_make(const fw_ppo_space *space, size_t units, size_t critic_count) {
  fwi_model model = {.heads = fwi_heads_make(space), .critic_count = critic_count, .network_count = 1 + critic_count};
  for (size_t n = 0; n < model.network_count; n++) {
    model.network[n] = fwi_network_make(space->observation_size, units, n == 0 ? model.heads.logits : 1);
    model.at[n] = model.parameter_count;
    model.transposed_at[n] = model.transposed_count;
    model.parameter_count += fwi_network_place(&model.network[n]).count;
    model.transposed_count += fwi_network_transposed_count(&model.network[n]);
  }
  return model;
}

#endif

#include "policies/ppo/actor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/weights.h"
#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/memory.h"

struct fw_ppo_actor {
  fwi_weights weights;
  uint64_t hash;
};

/* --- reading --- */

fw_status fw_ppo_actor_parse(const void *bytes, size_t length, const char *file, fw_ppo_actor **out,
                             fw_diagnostics *diagnostics) {
  static const char *const of_training[] = {"adam.", "resume.", NULL};
  *out = NULL;
  fwi_tensor_file *tensors;
  fw_status status = fwi_tensors_parse(bytes, length, file, &tensors, diagnostics);
  if (status != FW_OK) return status;
  fw_ppo_actor *actor = fw_allocate(1, sizeof *actor);
  if (actor == NULL) {
    fwi_tensors_free(tensors);
    return fw_error_memory(diagnostics, "a policy");
  }
  actor->hash = fw_hash_bytes(FW_HASH_START, bytes, length);
  status = fwi_weights_read(&actor->weights, tensors, diagnostics);
  if (status == FW_OK) status = fwi_tensors_check_used(tensors, of_training, diagnostics);
  fwi_tensors_free(tensors);
  if (status == FW_OK) {
    *out = actor;
  } else {
    fw_ppo_actor_destroy(actor);
  }
  return status;
}

fw_status fw_ppo_actor_read(const char *path, fw_ppo_actor **out, fw_diagnostics *diagnostics) {
  fw_text bytes = FW_TEXT_INIT;
  *out = NULL;
  fw_status status = fw_file_read(path, FW_PPO_FILE_LIMIT, &bytes, diagnostics);
  if (status == FW_OK) status = fw_ppo_actor_parse(bytes.data, bytes.length, path, out, diagnostics);
  fw_text_clear(&bytes);
  return status;
}

void fw_ppo_actor_destroy(fw_ppo_actor *actor) {
  if (actor == NULL) return;
  fwi_weights_clear(&actor->weights);
  free(actor);
}

const fw_ppo_space *fw_ppo_actor_space(const fw_ppo_actor *actor) {
  return &actor->weights.space;
}

const char *fw_ppo_actor_schema(const fw_ppo_actor *actor) {
  return actor->weights.schema;
}

double fw_ppo_actor_cost_limit(const fw_ppo_actor *actor, size_t channel) {
  return actor->weights.cost_limit[channel];
}

uint64_t fw_ppo_actor_seed(const fw_ppo_actor *actor) {
  return actor->weights.seed;
}

uint64_t fw_ppo_actor_decisions(const fw_ppo_actor *actor) {
  return actor->weights.decisions;
}

uint64_t fw_ppo_actor_hash(const fw_ppo_actor *actor) {
  return actor->hash;
}

/* --- acting --- */

static fw_status fault(fw_diagnostics *diagnostics, const char *what) {
  return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "the policy was shown %s, so it cannot choose", what);
}

static fw_status check(const fw_ppo_actor *actor, const float *observation, const uint8_t *mask,
                       fw_diagnostics *diagnostics) {
  const fwi_heads *heads = &actor->weights.model.heads;
  for (size_t i = 0; i < actor->weights.space.observation_size; i++) {
    if (!isfinite(observation[i])) return fault(diagnostics, "a number that is not finite");
  }
  for (size_t h = 0, at = 0; h < heads->count; at += heads->size[h++]) {
    bool allowed = false;
    for (uint32_t k = 0; k < heads->size[h]; k++)
      allowed = allowed || mask[at + k];
    if (!allowed) return fault(diagnostics, "a mask that allows nothing");
  }
  return FW_OK;
}

/* The logits for one observation, at the front of `activations->out`. Trained and asked alike: this is the trainer's
 * own forward pass, on the stack, so that an actor may be shared. */
static void forward(const fw_ppo_actor *actor, const float *observation, fwi_activations *activations) {
  const fwi_model *model = &actor->weights.model;
  float x[FW_PPO_OBSERVATIONS];
  fwi_normaliser_apply(&actor->weights.observations, observation, 1, x);
  fwi_network_forward(&model->network[0], actor->weights.parameters + model->at[0], x, 1, activations);
}

fw_status fw_ppo_actor_greedy(const fw_ppo_actor *actor, const float *observation, const uint8_t *mask,
                              uint32_t *choices, fw_diagnostics *diagnostics) {
  fw_status status = check(actor, observation, mask, diagnostics);
  if (status != FW_OK) return status;
  const fwi_heads *heads = &actor->weights.model.heads;
  fwi_activations activations;
  forward(actor, observation, &activations);
  for (size_t h = 0, at = 0; h < heads->count; at += heads->size[h++])
    choices[h] = fwi_head_best(activations.out + at, mask + at, heads->size[h]);
  return FW_OK;
}

fw_status fw_ppo_actor_sample(const fw_ppo_actor *actor, fw_stream stream, uint64_t index, const float *observation,
                              const uint8_t *mask, uint32_t *choices, fw_diagnostics *diagnostics) {
  fw_status status = check(actor, observation, mask, diagnostics);
  if (status != FW_OK) return status;
  const fwi_heads *heads = &actor->weights.model.heads;
  fwi_activations activations;
  forward(actor, observation, &activations);
  for (size_t h = 0, at = 0; h < heads->count; at += heads->size[h++]) {
    fwi_distribution head;
    fwi_head_distribute(activations.out + at, mask + at, heads->size[h], &head);
    choices[h] = fwi_head_draw(&head, heads->size[h], fw_random_uniform(stream, index * FW_PPO_HEADS + h, 0));
  }
  return FW_OK;
}

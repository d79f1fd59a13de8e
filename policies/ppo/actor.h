/* A trained policy, from its weight file: normalisation and actor, frozen. Constant after it was read, so that any
 * number of threads may ask it. */
#ifndef FW_POLICIES_PPO_ACTOR_H
#define FW_POLICIES_PPO_ACTOR_H

#include "policies/ppo/environment.h"
#include "sim/base/random.h"

#define FW_PPO_FILE_LIMIT ((size_t)1 << 30) /* bytes that a weight file or checkpoint may have */

typedef struct fw_ppo_actor fw_ppo_actor;

/* Reads a weight file or checkpoint. What is not one, or holds a number that is not finite, is FW_ERROR_INPUT. */
fw_status fw_ppo_actor_read(const char *path, fw_ppo_actor **out, fw_diagnostics *diagnostics);

/* The same from `length` bytes in memory; `file` names them in messages. */
fw_status fw_ppo_actor_parse(const void *bytes, size_t length, const char *file, fw_ppo_actor **out,
                             fw_diagnostics *diagnostics);
void fw_ppo_actor_destroy(fw_ppo_actor *actor);

const fw_ppo_space *fw_ppo_actor_space(const fw_ppo_actor *actor);
const char *fw_ppo_actor_schema(const fw_ppo_actor *actor);
double fw_ppo_actor_cost_limit(const fw_ppo_actor *actor, size_t channel); /* NaN: none */
uint64_t fw_ppo_actor_seed(const fw_ppo_actor *actor);                     /* that it was trained with */
uint64_t fw_ppo_actor_decisions(const fw_ppo_actor *actor);                /* that it was trained for */
uint64_t fw_ppo_actor_hash(const fw_ppo_actor *actor);                     /* of all bytes of its file */

/* The most likely choice of each head, the first of equal ones. `observation` is raw, `mask` as an environment gives
 * it. FW_ERROR_FAULT when a number is not finite or a mask allows nothing. */
fw_status fw_ppo_actor_greedy(const fw_ppo_actor *actor, const float *observation, const uint8_t *mask,
                              uint32_t *choices, fw_diagnostics *diagnostics);

/* Choices drawn from the policy, by numbers `index` * FW_PPO_HEADS and on of the stream. */
fw_status fw_ppo_actor_sample(const fw_ppo_actor *actor, fw_stream stream, uint64_t index, const float *observation,
                              const uint8_t *mask, uint32_t *choices, fw_diagnostics *diagnostics);

#endif

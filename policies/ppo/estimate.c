#include "policies/ppo/estimate.h"

#include <stdlib.h>

#include "sim/base/memory.h"

fw_status fwi_estimate_space_create(fwi_estimate_space *space, size_t length, size_t agents,
                                    fw_diagnostics *diagnostics) {
  *space = (fwi_estimate_space){
      .intervals = fw_allocate(length, sizeof *space->intervals),
      .reward = fw_allocate(length, sizeof *space->reward),
      .advantage = fw_allocate(length, sizeof *space->advantage),
      .whole = fw_allocate(length, sizeof *space->whole),
      .next = fw_allocate(agents, sizeof *space->next),
  };
  const bool failed = space->intervals == NULL || space->reward == NULL || space->advantage == NULL ||
                      space->whole == NULL || space->next == NULL;
  return failed ? fw_error_memory(diagnostics, "advantages") : FW_OK;
}

void fwi_estimate_space_clear(fwi_estimate_space *space) {
  free(space->intervals);
  free(space->reward);
  free(space->advantage);
  free(space->whole);
  free(space->next);
  *space = (fwi_estimate_space){0};
}

/* The chains of an environment's agents: each decision that goes on leads to its agent's next one, if that is there. */
static void link_intervals(const fw_ppo_config *config, const fwi_rollout *rollout, size_t first, size_t agents,
                           fwi_estimate_space *space) {
  const double horizon_s = fw_time_to_seconds(config->horizon);
  const double reference_s = fw_time_to_seconds(config->reference_interval);
  for (size_t agent = 0; agent < agents; agent++)
    space->next[agent] = FWI_NO_SUCCESSOR;
  for (size_t k = rollout->length; k-- > 0;) {
    const size_t row = first + k;
    size_t *next = &space->next[rollout->agent[row]];
    space->intervals[k] = fwi_interval_make(rollout->elapsed_s[row], horizon_s, reference_s, config->trace_decay);
    if (rollout->ending[row] == FWI_GOES_ON) space->intervals[k].successor = *next;
    *next = k;
  }
}

static void estimate_critic(const fwi_signal *signal, size_t critic, size_t first, fwi_estimate_space *space,
                            fwi_rollout *rollout) {
  const float *value = rollout->batch.value[critic] + first;
  float *target = rollout->batch.target[critic] + first;
  for (size_t k = 0; k < rollout->length; k++)
    space->reward[k] = signal->source[first + k] * signal->scale;
  fwi_advantages(space->intervals, space->reward, value, rollout->beyond[critic] + first, rollout->length,
                 space->advantage);
  for (size_t k = 0; k < rollout->length; k++) {
    target[k] = (float)(space->advantage[k] + (double)value[k]);
    space->whole[k] += signal->weight * space->advantage[k];
  }
}

void fwi_estimate(const fw_ppo_config *config, const fwi_signal *signals, size_t critic_count, size_t agents,
                  fwi_estimate_space *space, fwi_rollout *rollout) {
  double weights = 0.0;
  for (size_t c = 0; c < critic_count; c++)
    weights += signals[c].weight < 0.0 ? -signals[c].weight : signals[c].weight;
  for (size_t e = 0; e < rollout->environments; e++) {
    const size_t first = e * rollout->length;
    link_intervals(config, rollout, first, agents, space);
    for (size_t k = 0; k < rollout->length; k++)
      space->whole[k] = 0.0;
    for (size_t c = 0; c < critic_count; c++)
      estimate_critic(&signals[c], c, first, space, rollout);
    for (size_t k = 0; k < rollout->length; k++)
      rollout->batch.advantage[first + k] = (float)(space->whole[k] / weights);
  }
}

#include "policies/ppo/rollout.h"

#include <stdlib.h>

#include "sim/base/memory.h"

/* An array of `rows` x `columns`; *failed is set when it cannot be had. */
static void *table(size_t rows, size_t columns, size_t size, bool *failed) {
  size_t count;
  void *made = fw_size_multiply(rows, columns, &count) ? fw_allocate(count, size) : NULL;
  *failed = *failed || made == NULL;
  return made;
}

fw_status fwi_rollout_create(fwi_rollout *rollout, const fwi_model *model, size_t cost_count, size_t environments,
                             size_t length, fw_diagnostics *diagnostics) {
  *rollout = (fwi_rollout){.environments = environments, .length = length};
  /* rows are addressed by 32 bits when they are shuffled */
  if (!fw_size_multiply(environments, length, &rollout->rows) || rollout->rows > UINT32_MAX) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "%zu environments x a rollout of %zu decisions is more than fits; lower one of them", environments,
                    length);
  }
  bool failed = false;
  const size_t rows = rollout->rows;
  rollout->batch.x = table(rows, model->network[0].inputs, sizeof(float), &failed);
  rollout->batch.mask = table(rows, model->heads.logits, 1, &failed);
  rollout->batch.choices = table(rows, model->heads.count, sizeof(uint32_t), &failed);
  rollout->batch.log_probability = table(rows, 1, sizeof(float), &failed);
  rollout->batch.advantage = table(rows, 1, sizeof(float), &failed);
  for (size_t c = 0; c < model->critic_count; c++) {
    rollout->batch.value[c] = table(rows, 1, sizeof(float), &failed);
    rollout->batch.target[c] = table(rows, 1, sizeof(float), &failed);
    rollout->beyond[c] = table(rows, 1, sizeof(float), &failed);
  }
  rollout->agent = table(rows, 1, sizeof(uint32_t), &failed);
  rollout->ending = table(rows, 1, 1, &failed);
  rollout->elapsed_s = table(rows, 1, sizeof(double), &failed);
  rollout->reward = table(rows, 1, sizeof(double), &failed);
  for (size_t c = 0; c < cost_count; c++)
    rollout->cost[c] = table(rows, 1, sizeof(double), &failed);
  return failed ? fw_error_memory(diagnostics, "the decisions of a rollout") : FW_OK;
}

void fwi_rollout_clear(fwi_rollout *rollout) {
  free(rollout->batch.x);
  free(rollout->batch.mask);
  free(rollout->batch.choices);
  free(rollout->batch.log_probability);
  free(rollout->batch.advantage);
  for (size_t c = 0; c < FWI_CRITICS; c++) {
    free(rollout->batch.value[c]);
    free(rollout->batch.target[c]);
    free(rollout->beyond[c]);
  }
  free(rollout->agent);
  free(rollout->ending);
  free(rollout->elapsed_s);
  free(rollout->reward);
  for (size_t c = 0; c < FW_PPO_COSTS; c++)
    free(rollout->cost[c]);
  *rollout = (fwi_rollout){0};
}

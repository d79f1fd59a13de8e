#include "policies/ppo/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/base/memory.h"

static fw_status make_normaliser(fwi_normaliser *normaliser, size_t size, fw_diagnostics *diagnostics) {
  *normaliser = (fwi_normaliser){.size = size,
                                 .mean = fw_allocate(size, sizeof *normaliser->mean),
                                 .variance = fw_allocate(size, sizeof *normaliser->variance)};
  const bool failed = normaliser->mean == NULL || normaliser->variance == NULL;
  return failed ? fw_error_memory(diagnostics, "running statistics") : FW_OK;
}

static fw_status check_space(const fw_ppo_space *space, fw_diagnostics *diagnostics) {
  bool fits = space->observation_size >= 1 && space->observation_size <= FW_PPO_OBSERVATIONS;
  fits = fits && space->head_count >= 1 && space->head_count <= FW_PPO_HEADS && space->cost_count <= FW_PPO_COSTS;
  for (size_t h = 0; h < space->head_count && fits; h++)
    fits = space->head_size[h] >= 1 && space->head_size[h] <= FW_PPO_CHOICES;
  if (fits) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "a policy sees 1 to %d numbers, makes 1 to %d choices among 1 to %d settings each and has up to %d "
                  "costs; bring the problem within that",
                  FW_PPO_OBSERVATIONS, FW_PPO_HEADS, FW_PPO_CHOICES, FW_PPO_COSTS);
}

fw_status fwi_weights_create(fwi_weights *weights, const fw_ppo_space *space, const char *schema,
                             const double cost_limit[FW_PPO_COSTS], const fw_ppo_config *config,
                             fw_diagnostics *diagnostics) {
  *weights = (fwi_weights){.space = *space, .config = *config};
  fw_status status = check_space(space, diagnostics);
  if (status != FW_OK) return status;
  size_t critics = 1;
  for (size_t c = 0; c < FW_PPO_COSTS; c++) {
    const bool limited = c < space->cost_count && !isnan(cost_limit[c]);
    weights->cost_limit[c] = limited ? cost_limit[c] : NAN;
    if (limited) weights->channel[critics++] = c;
  }
  weights->model = fwi_model_make(space, fw_ppo_width_units((fw_ppo_width)config->width), critics);
  weights->schema = fw_copy_text(schema);
  weights->parameters = fw_allocate(weights->model.parameter_count, sizeof *weights->parameters);
  if (weights->schema == NULL || weights->parameters == NULL) return fw_error_memory(diagnostics, "networks");
  status = make_normaliser(&weights->observations, space->observation_size, diagnostics);
  return status == FW_OK ? make_normaliser(&weights->returns, 1, diagnostics) : status;
}

void fwi_weights_clear(fwi_weights *weights) {
  free(weights->schema);
  free(weights->parameters);
  free(weights->observations.mean);
  free(weights->observations.variance);
  free(weights->returns.mean);
  free(weights->returns.variance);
  *weights = (fwi_weights){0};
}

bool fwi_weights_are_finite(const fwi_weights *weights) {
  for (size_t i = 0; i < weights->model.parameter_count; i++) {
    if (!isfinite(weights->parameters[i])) return false;
  }
  return true;
}

uint64_t fwi_weights_hash(const fwi_weights *weights) {
  return fw_hash_bytes(FW_HASH_START, weights->parameters,
                       weights->model.parameter_count * sizeof *weights->parameters);
}

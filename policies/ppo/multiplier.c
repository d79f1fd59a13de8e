#include "policies/ppo/multiplier.h"

static double within(double value, double most) {
  return value < 0.0 ? 0.0 : value > most ? most : value;
}

void fwi_multiplier_update(fwi_multiplier *multiplier, const fw_ppo_config *config, double rate, double limit) {
  const double error = rate - limit, keep = config->multiplier_smoothing;
  const double before = multiplier->started > 0.0 ? multiplier->smoothed : error;
  const double smoothed = keep * before + (1.0 - keep) * error;
  const double rise = smoothed > before ? smoothed - before : 0.0;
  multiplier->integral = within(multiplier->integral + config->multiplier_i * error, config->multiplier_max);
  multiplier->value = within(config->multiplier_p * smoothed + multiplier->integral + config->multiplier_d * rise,
                             config->multiplier_max);
  multiplier->smoothed = smoothed;
  multiplier->started = 1.0;
}

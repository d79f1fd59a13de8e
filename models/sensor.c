/* The law of a reading's sampling error for an Ornstein-Uhlenbeck path inside the tick (Uhlenbeck and Ornstein, Phys.
 * Rev. 36, 1930). Derivation in docs/models.md, "Sensor". */
#include "models/sensor.h"

#include <math.h>

#include "models/ceilings.h"
#include "sim/base/elementary.h"
#include "sim/base/fields.h"

static const fw_field sensor_fields[] = {
    FW_FIELD(fw_sensor, path_sigma_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W,
             "standard deviation of the path inside a tick, W (assumed)"),
    FW_FIELD_ABOVE(fw_sensor, path_memory_s, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_S,
                   "memory of the path inside a tick (assumed)"),
    FW_FIELD_ABOVE(fw_sensor, observed_s, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_S,
                   "length of the stretch that a reading averages (assumed)"),
    FW_FIELD(fw_sensor, gain_sigma, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 0.3,
             "standard deviation of a board's relative gain (assumed)"),
    FW_FIELD(fw_sensor, quantum, FW_FIELD_POWER, FW_REQUIRED, 0.0, FWI_MOST_W, "step of the display; 0: none"),
};

const fw_record fw_sensor_record = {
    .name = "sensor",
    .doc = "how a reading differs from the truth",
    .size = sizeof(fw_sensor),
    .fields = sensor_fields,
    .field_count = FW_COUNT_OF(sensor_fields),
};

/* Variance of the mean of a standardised path over a stretch of `x` memories, 2 (x - 1 + exp(-x)) / x^2; near 0, where
 * that cancels, its series 2 sum (-x)^k / (k + 2)!. */
static double mean_variance(double x) {
  if (x > 0.5) return 2.0 * (x - 1.0 + fw_exp(-x)) / (x * x);
  double sum = 1.0;
  for (int k = 14; k >= 1; k--) { /* 0.5^14 / 16! < 1e-17 */
    sum = 1.0 - sum * x / (double)(k + 2);
  }
  return sum;
}

double fw_sensor_error_mw(const fw_sensor *sensor, double tick_s) {
  const double memory_s = sensor->path_memory_s;
  const double seen_s = sensor->observed_s;
  const double unseen_s = tick_s - seen_s;
  if (unseen_s <= 0.0) return 0.0;
  const double variance_seen = mean_variance(seen_s / memory_s);
  const double variance_tick = mean_variance(tick_s / memory_s);
  /* The integrals over the tick and its two parts give the covariance: I = I_unseen + I_seen. */
  const double square_tick = tick_s * tick_s * variance_tick;
  const double square_seen = seen_s * seen_s * variance_seen;
  const double square_unseen = unseen_s * unseen_s * mean_variance(unseen_s / memory_s);
  const double covariance = (square_tick + square_seen - square_unseen) / (2.0 * tick_s * seen_s);
  const double variance = variance_seen - covariance * covariance / variance_tick;
  return sensor->path_sigma_w * (double)FW_MW_PER_W * sqrt(fmax(variance, 0.0));
}

double fw_sensor_gain(const fw_sensor *sensor, uint64_t seed, uint32_t gpu) {
  const double z = fw_random_normal(fw_stream_make(seed, FW_DRAW_GAIN, gpu), 0);
  return 1.0 + sensor->gain_sigma * fmax(-3.0, fmin(z, 3.0));
}

/* The sensor: a reading is not the truth.
 *
 * A board averages only a part of the time between readings (25 ms of every 100 ms on an A100, arXiv:2312.02741) and a
 * poll every tick sees the last of these sub-means. Given the tick's true mean, a reading differs from it by a sampling
 * error, whose law follows from the assumed path inside the tick (an Ornstein-Uhlenbeck process, so the conditional law
 * is Gaussian with a known variance), by a gain of the board and by the quantum of the display. None of this is
 * identifiable from 0.5 s data: everything that rests on it is reported as an assumption. */
#ifndef FW_MODELS_SENSOR_H
#define FW_MODELS_SENSOR_H

#include "sim/base/random.h"
#include "sim/base/record.h"

typedef struct fw_sensor {
  double path_sigma_w;  /* standard deviation of power inside a tick around the tick's mean process */
  double path_memory_s; /* its memory */
  double observed_s;    /* length of the sub-mean behind a reading */
  double gain_sigma;    /* relative, per board, drawn once per run */
  fw_power_mw quantum;
} fw_sensor;

extern const fw_record fw_sensor_record;

/* Standard deviation in mW of (sub-mean of `observed_s` at the end of a tick) - (mean over the tick) for a stationary
 * Ornstein-Uhlenbeck path, given the tick's mean. Closed form; derivation in docs/models.md. A stretch as
 * long as the tick or longer has no error. */
double fw_sensor_error_mw(const fw_sensor *sensor, double tick_s);

/* The gain of a board, 1 + gain_sigma z with z cut at +-3. */
double fw_sensor_gain(const fw_sensor *sensor, uint64_t seed, uint32_t gpu);

/* A reading in mW, rounded to the quantum (0: 1 mW) and never negative: `seen_mw`, the true mean of a tick times the
 * gain (of one board, or summed over several), plus the standardised error `z` of `error_mw`. In the header because it
 * runs at every tick. */
static inline fw_power_mw fw_sensor_reading(const fw_sensor *sensor, double error_mw, double seen_mw, double z) {
  const double shown_mw = seen_mw + error_mw * z;
  if (!(shown_mw > 0.0)) {
    return 0;
  }
  return sensor->quantum > 1 ? (fw_power_mw)(shown_mw / (double)sensor->quantum + 0.5) * sensor->quantum
                             : (fw_power_mw)(shown_mw + 0.5);
}

#endif

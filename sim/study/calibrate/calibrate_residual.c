/* What is left of the power when the level is taken off. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/calibrate/calibrate_room.h"

/* A tick of one phase without work, but for the rounding of shares. */
static const double WHOLE = 0.999;

static double work_level(const fw_calibration *calibration, const fw_occupancy_tick *tick) {
  const double in_flight = isnan(tick->in_flight) ? 1.0 : tick->in_flight;
  return fw_level_fit_work_w(&calibration->level, in_flight, tick->prompt_per_s, &calibration->timing);
}

static double level_of(const fw_calibration *calibration, const fwi_tick_levels *quiet, const fw_occupancy_tick *tick) {
  double level = tick->share[FW_ACTIVITY_IDLE] * quiet->idle_w + tick->share[FW_ACTIVITY_LOAD] * quiet->load_w +
                 tick->share[FW_ACTIVITY_READY] * quiet->ready_w;
  if (tick->share[FW_ACTIVITY_WORK] > 0.0) level += tick->share[FW_ACTIVITY_WORK] * work_level(calibration, tick);
  return level;
}

/* The phase that a tick belongs to; one of work for at least the share `least`. */
static fw_phase phase_of(const fw_calibration *calibration, const fw_occupancy_tick *tick, double least) {
  if (!fwi_calibration_tells(calibration, tick)) return FW_PHASE_COUNT;
  if (tick->share[FW_ACTIVITY_IDLE] >= WHOLE) return FW_PHASE_IDLE;
  if (tick->share[FW_ACTIVITY_LOAD] >= WHOLE) return FW_PHASE_LOAD;
  if (tick->share[FW_ACTIVITY_READY] >= WHOLE) return FW_PHASE_GAP;
  if (tick->share[FW_ACTIVITY_WORK] < least) return FW_PHASE_COUNT;
  const double per_token_s = calibration->level.has_prefill ? calibration->level.prefill_per_token_s : 0.0;
  return fw_occupancy_prefill_share(tick, per_token_s) >= FWI_CALIBRATION_MOSTLY ? FW_PHASE_PREFILL : FW_PHASE_ROLLOUT;
}

/* The law of work is that of ticks that were nearly all work: in one that was half of it, power also scatters by which
 * half the readings met. Where there are too few of them for a law, ticks that were mostly work count too. */
static void find_phases(const fwi_calibration_data *data, const fw_calibration *calibration, fw_phase *phase) {
  size_t enough[FW_PHASE_COUNT + 1] = {0};
  for (size_t i = 0; i < data->count; i++)
    enough[phase_of(calibration, &data->ticks[i], FWI_CALIBRATION_NEARLY_ALL)]++;
  for (size_t i = 0; i < data->count; i++) {
    phase[i] = phase_of(calibration, &data->ticks[i], FWI_CALIBRATION_MOSTLY);
    if (enough[phase[i]] < FW_LAW_LEAST_TICKS) continue;
    phase[i] = phase_of(calibration, &data->ticks[i], FWI_CALIBRATION_NEARLY_ALL);
  }
}

fw_status fwi_calibration_residual(const fwi_calibration_data *data, fw_calibration *out, fw_diagnostics *diagnostics) {
  size_t cells = 0;
  double *residual_w = fw_size_multiply(data->count, data->gpus, &cells) ? fw_allocate(cells, sizeof(double)) : NULL;
  fw_phase *phase = fw_allocate(data->count, sizeof *phase);
  size_t *segment = fw_allocate(data->count, sizeof *segment);
  fw_status status = FW_OK;
  if (residual_w == NULL || phase == NULL || segment == NULL) {
    status = fw_error_memory(diagnostics, "the residual of a recording");
  } else {
    const fwi_tick_levels quiet = fwi_calibration_quiet(out);
    find_phases(data, out, phase);
    for (size_t i = 0; i < data->count; i++) {
      const double level_w = level_of(out, &quiet, &data->ticks[i]);
      segment[i] = data->ticks[i].segment;
      for (size_t g = 0; g < data->gpus; g++)
        residual_w[i * data->gpus + g] = data->power_w[i * data->gpus + g] - level_w;
    }
    const fw_residual_ticks ticks = {data->gpus, data->count, residual_w, phase, segment};
    status = fw_fit_phases(&ticks, &out->residual, diagnostics);
  }
  free(residual_w);
  free(phase);
  free(segment);
  return status;
}

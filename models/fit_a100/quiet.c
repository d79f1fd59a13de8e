/* Least squares with one slope for all recordings and a level for each: every recording is centred on its own means. */
#include "models/fit_a100/quiet.h"

#include <stdlib.h>

#include "sim/base/elementary.h"
#include "sim/base/memory.h"

/* Ticks of several recordings, each less its own mean. */
typedef struct pool {
  fwi_sample ticks;
  double *octaves; /* log2 of requests in flight, less the recording's mean */
  size_t capacity[3];
  double power_sum_w;
  size_t segments;
} pool;

static bool pool_add(pool *all, const fwi_sample *sample) {
  const size_t before = all->ticks.ticks;
  const size_t needed = before + sample->ticks;
  if (!fw_grow(&all->ticks.power_w, &all->capacity[0], needed, sizeof(double)) ||
      !fw_grow(&all->ticks.segment, &all->capacity[1], needed, sizeof(size_t)) ||
      !fw_grow(&all->octaves, &all->capacity[2], needed, sizeof(double))) {
    return false;
  }
  double octave_sum = 0.0;
  for (size_t i = 0; i < sample->ticks; i++)
    octave_sum += fw_log2(sample->running[i]);
  const double octave_mean = octave_sum / (double)sample->ticks;
  const double mean_w = fw_fit_mean(sample->power_w, sample->ticks);
  for (size_t i = 0; i < sample->ticks; i++) {
    all->ticks.power_w[before + i] = sample->power_w[i] - mean_w;
    all->ticks.segment[before + i] = all->segments + sample->segment[i];
    all->octaves[before + i] = fw_log2(sample->running[i]) - octave_mean;
    all->power_sum_w += sample->power_w[i];
  }
  all->segments += sample->segment[sample->ticks - 1] + 1;
  all->ticks.ticks = needed;
  return true;
}

static fw_status pool_recording(const char *data, const char *name, pool *all, fw_diagnostics *diagnostics) {
  fwi_serving serving;
  fwi_sample sample = {0};
  fw_status status = fwi_serving_read(data, name, 1, &serving, diagnostics);
  if (status != FW_OK) return status;
  status = fwi_serving_sample(&serving, true, &sample, diagnostics);
  if (status == FW_OK && sample.ticks > 0 && !pool_add(all, &sample)) {
    status = fw_error_memory(diagnostics, "the ticks of recordings");
  }
  fwi_sample_free(&sample);
  fwi_serving_free(&serving);
  return status;
}

static fw_status fit_pool(const pool *all, fwi_quiet *out, fw_diagnostics *diagnostics) {
  const size_t ticks = all->ticks.ticks;
  double *level_w = fw_allocate(ticks, sizeof *level_w);
  if (level_w == NULL || ticks == 0) {
    free(level_w);
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "the recordings hold no tick without prefill");
  }
  out->k_w = fw_fit_line(all->octaves, all->ticks.power_w, ticks).slope;
  out->level_w = all->power_sum_w / (double)ticks;
  out->ticks = ticks;
  for (size_t i = 0; i < ticks; i++)
    level_w[i] = out->k_w * all->octaves[i];
  const fw_recording recording = fwi_sample_recording(&all->ticks, level_w);
  const fw_status status = fw_fit_residual(&recording, &out->residual, diagnostics);
  free(level_w);
  return status;
}

fw_status fwi_fit_quiet(const char *data, const char *const *names, size_t count, fwi_quiet *out,
                        fw_diagnostics *diagnostics) {
  pool all = {.ticks = {.gpus = 1}};
  fw_status status = FW_OK;
  for (size_t i = 0; status == FW_OK && i < count; i++)
    status = pool_recording(data, names[i], &all, diagnostics);
  if (status == FW_OK) status = fit_pool(&all, out, diagnostics);
  fwi_sample_free(&all.ticks);
  free(all.octaves);
  return status;
}

/* How sure the numbers are: moving blocks of ticks drawn with replacement, everything fitted again to each draw
 * (Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics 17, 1989). */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/sort.h"
#include "sim/study/calibrate/calibrate_room.h"

/* The numbers that get an interval, in the order of the file. */
static size_t list_numbers(const fw_calibration *of, const char **names, double *values) {
  static const char *const rollout[FW_LEVEL_FORMS][FW_LEVEL_PARAMETERS] = {
      {"levels.rollout.p_w"},
      {"levels.rollout.p1_w", "levels.rollout.k_w"},
      {"levels.rollout.p1_w", "levels.rollout.k_w", "levels.rollout.saturation"},
      {"levels.rollout.p0_w", "levels.rollout.dp_w", "levels.rollout.slope", "levels.rollout.midpoint"},
      {"levels.rollout.p_base_w", "levels.rollout.p_compute_w", "levels.rollout.p_memory_w", "levels.rollout.compute_s",
       "levels.rollout.memory_s"},
      {"levels.rollout.p_w[0]", "levels.rollout.p_w[1]", "levels.rollout.p_w[2]", "levels.rollout.p_w[3]",
       "levels.rollout.p_w[4]", "levels.rollout.p_w[5]", "levels.rollout.p_w[6]", "levels.rollout.p_w[7]",
       "levels.rollout.p_w[8]", "levels.rollout.p_w[9]", "levels.rollout.p_w[10]", "levels.rollout.p_w[11]"},
  };
  size_t count = 0;
  for (size_t i = 0; i < of->level.count; i++) {
    names[count] = rollout[of->level.form][i];
    values[count++] = of->level.value[i];
  }
  if (of->level.has_prefill) {
    names[count] = "levels.prefill_w";
    values[count++] = of->level.prefill_w;
    names[count] = "timing.prefill_per_token_s";
    values[count++] = of->level.prefill_per_token_s;
  }
  if (!isnan(of->ready_w)) {
    names[count] = "levels.gap_w";
    values[count++] = of->ready_w;
  }
  names[count] = "residual.total_lag1";
  values[count++] = of->residual.total_lag1;
  names[count] = "residual.rollout.total (sigma)";
  values[count++] = of->residual.phase[FW_PHASE_ROLLOUT].total_sigma_w;
  if (of->gpus > 1) {
    names[count] = "residual.contrast_lag1";
    values[count++] = of->residual.contrast_lag1;
    names[count] = "residual.rollout.contrast (sigma)";
    values[count++] = of->residual.phase[FW_PHASE_ROLLOUT].contrast_sigma_w;
  }
  return count;
}

typedef struct resampling {
  const fwi_calibration_data *data;
  const fw_calibration *fitted;
  size_t blocks;
  size_t block; /* ticks in one */
  size_t numbers;
  double *values; /* [number * resamples + resample] */
  size_t resamples;
} resampling;

/* Blocks that begin anywhere, one behind the other. */
static void draw_index(const resampling *all, size_t resample, size_t *index) {
  const fw_stream stream = fw_stream_make(0, FW_DRAW_BOOTSTRAP, (uint32_t)resample);
  const uint64_t starts = (uint64_t)(all->data->count - all->block + 1);
  for (size_t b = 0; b < all->blocks; b++) {
    const size_t first = (size_t)fw_random_below(stream, (uint64_t)b, starts);
    for (size_t i = 0; i < all->block; i++)
      index[b * all->block + i] = first + i;
  }
}

/* The chosen form again, from where it was. A draw without work keeps the fit. */
static fw_status fit_again(const fwi_calibration_data *drawn, fw_calibration *out, fw_diagnostics *diagnostics) {
  fw_level_point *points = NULL;
  size_t *place = NULL;
  size_t count = 0;
  fw_diagnostics unheard = FW_DIAGNOSTICS_INIT;
  fw_status status = fwi_calibration_points(drawn, out, &points, &place, &count, &unheard);
  if (status == FW_OK && count >= out->level.free_count) {
    const fw_level_fit start = out->level;
    fw_timing timing = out->timing;
    timing.prefill_per_token_s = 0.0; /* it is fitted again */
    status = fw_fit_level(start.form, start.has_prefill, points, count, &timing, fwi_calibration_prefill_w(out), &start,
                          &out->level, diagnostics);
  }
  if (status == FW_ERROR_INPUT) status = FW_OK;
  fw_diagnostics_clear(&unheard);
  free(points);
  free(place);
  if (status == FW_OK) status = fwi_calibration_residual(drawn, out, diagnostics);
  return status;
}

static fw_status run_resample(void *context, size_t index, fw_diagnostics *diagnostics) {
  const resampling *all = context;
  const size_t count = all->blocks * all->block;
  size_t *drawn_index = fw_allocate(count, sizeof *drawn_index);
  if (drawn_index == NULL) return fw_error_memory(diagnostics, "a resample of a calibration");
  draw_index(all, index, drawn_index);
  fwi_calibration_data drawn = {0};
  fw_status status = fwi_calibration_pick(all->data, drawn_index, count, &drawn, diagnostics);
  free(drawn_index);
  fw_calibration again = *all->fitted; /* what it owns stays the fitted one's */
  double ready_w = (double)NAN;
  if (status == FW_OK) status = fwi_calibration_ready_w(&drawn, &ready_w, diagnostics);
  if (status == FW_OK) {
    again.ready_w = isnan(ready_w) ? again.ready_w : ready_w;
    status = fit_again(&drawn, &again, diagnostics);
  }
  fwi_calibration_data_clear(&drawn);
  if (status != FW_OK) return status;
  const char *names[FW_CALIBRATION_INTERVALS];
  double values[FW_CALIBRATION_INTERVALS];
  (void)list_numbers(&again, names, values);
  for (size_t n = 0; n < all->numbers; n++)
    all->values[n * all->resamples + index] = values[n];
  return FW_OK;
}

/* Nearest rank. */
static double quantile(const double *sorted, size_t count, double probability) {
  const size_t rank = (size_t)ceil(probability * (double)count);
  return sorted[rank > 0 ? rank - 1 : 0];
}

static void take_intervals(const resampling *all, const char *const *names, const double *values, fw_calibration *out) {
  for (size_t n = 0; n < all->numbers; n++) {
    double *drawn = all->values + n * all->resamples;
    fw_sort_numbers(drawn, all->resamples);
    out->intervals[n] = (fw_calibration_interval){.name = names[n],
                                                  .value = values[n],
                                                  .lo = quantile(drawn, all->resamples, 0.025),
                                                  .hi = quantile(drawn, all->resamples, 0.975)};
  }
  out->interval_count = all->numbers;
  out->resamples = all->resamples;
}

fw_status fwi_calibration_resample(const fwi_calibration_data *data, size_t resamples, const fw_study_options *study,
                                   fw_calibration *out, fw_diagnostics *diagnostics) {
  const char *names[FW_CALIBRATION_INTERVALS];
  double values[FW_CALIBRATION_INTERVALS];
  const size_t block = data->count < FWI_CALIBRATION_BLOCK ? data->count : FWI_CALIBRATION_BLOCK;
  resampling all = {.data = data,
                    .fitted = out,
                    .block = block,
                    .blocks = (data->count + block - 1) / block,
                    .numbers = list_numbers(out, names, values),
                    .resamples = resamples};
  size_t cells = 0;
  if (resamples == 0) return FW_OK;
  if (fw_size_multiply(all.numbers, resamples, &cells)) all.values = fw_allocate(cells, sizeof *all.values);
  if (all.values == NULL) return fw_error_memory(diagnostics, "the resamples of a calibration");
  const fwi_replications work = {.count = resamples, .heard = 0, .run = run_resample, .context = &all};
  const fw_status status = fwi_replicate(&work, study, diagnostics);
  if (status == FW_OK) take_intervals(&all, names, values, out);
  free(all.values);
  return status;
}

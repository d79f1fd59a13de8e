/* Blocks of standardised residuals and sensor errors, keyed by job, GPU and tick. */
#include "sim/fleet/noise.h"

#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

void fwi_noise_tables_prepare(const fw_job_model *model, fwi_noise_tables *out) {
  const double span_mw = model->residual.contrast_span_w * (double)FW_MW_PER_W;
  out->model = model;
  out->per_span_mw = span_mw > 0.0 ? 1.0 / span_mw : 0.0;
  for (size_t phase = 0; phase < FW_PHASE_COUNT; phase++) {
    fw_marginal_prepare(&model->residual.phase[phase].total, &out->total[phase]);
    fw_marginal_prepare(&model->residual.phase[phase].contrast, &out->contrast[phase]);
  }
}

void fwi_noise_free(fwi_noise *noise) {
  free(noise->contrast);
  free(noise->z_total);
  free(noise->z_contrast);
  free(noise->z_sensor);
  *noise = (fwi_noise){0};
}

static void start_processes(fwi_noise *noise, double tick_s) {
  const fw_residual_model *model = &noise->tables->model->residual;
  noise->total = fw_ar1_start(fw_stream_make(noise->draws.seed, FW_DRAW_RESIDUAL_TOTAL, noise->draws.job),
                              fw_residual_total_lag1(model, tick_s), 0);
  for (size_t g = 0; noise->contrast != NULL && g < noise->gpus; g++) {
    noise->contrast[g] =
        fw_ar1_start(fw_stream_make(noise->draws.seed, FW_DRAW_RESIDUAL_CONTRAST, noise->draws.first_gpu + (uint32_t)g),
                     fw_residual_contrast_lag1(model, tick_s), 0);
  }
}

fw_status fwi_noise_create(const fwi_noise_tables *tables, fwi_draws draws, size_t gpus, double tick_s, fwi_noise *out,
                           fw_diagnostics *diagnostics) {
  *out = (fwi_noise){.tables = tables, .gpus = gpus, .draws = draws};
  size_t cells = 0;
  bool ok = fw_size_multiply(gpus, FWI_NOISE_BLOCK, &cells);
  ok = ok && (out->z_sensor = fw_allocate(FWI_NOISE_BLOCK, sizeof(double))) != NULL;
  if (ok && tables != NULL) {
    ok = (out->z_total = fw_allocate(FWI_NOISE_BLOCK, sizeof(double))) != NULL;
    if (ok && gpus > 1) {
      ok = (out->contrast = fw_allocate(gpus, sizeof *out->contrast)) != NULL &&
           (out->z_contrast = fw_allocate(cells, sizeof(double))) != NULL;
    }
  }
  if (!ok) {
    fwi_noise_free(out);
    return fw_error_memory(diagnostics, "the residuals of a job");
  }
  if (tables != NULL) {
    start_processes(out, tick_s);
  }
  return FW_OK;
}

static void fill_process(fw_ar1 *process, size_t waiting, double *out) {
  memset(out, 0, waiting * sizeof *out);
  fw_ar1_next(process, FWI_NOISE_BLOCK - waiting, out + waiting);
}

static void fill(fwi_noise *noise, uint64_t start) {
  const fwi_draws *draws = &noise->draws;
  const uint64_t early = start < draws->from ? draws->from - start : 0;
  const size_t waiting = early < FWI_NOISE_BLOCK ? (size_t)early : FWI_NOISE_BLOCK;
  noise->block_start = start;
  noise->filled = true;
  if (noise->z_total != NULL) {
    fill_process(&noise->total, waiting, noise->z_total);
  }
  for (size_t g = 0; noise->contrast != NULL && g < noise->gpus; g++) {
    fill_process(&noise->contrast[g], waiting, noise->z_contrast + g * FWI_NOISE_BLOCK);
  }
  memset(noise->z_sensor, 0, waiting * sizeof *noise->z_sensor);
  fw_random_normals(fw_stream_make(draws->seed, FW_DRAW_SENSOR, draws->job), start + waiting - draws->from,
                    FWI_NOISE_BLOCK - waiting, noise->z_sensor + waiting);
}

size_t fwi_noise_at(fwi_noise *noise, uint64_t tick) {
  if (!noise->filled || tick - noise->block_start >= FWI_NOISE_BLOCK) {
    fill(noise, tick);
  }
  return (size_t)(tick - noise->block_start);
}

double fwi_noise_contrast_scale(const fwi_noise_tables *tables, double above_idle_mw) {
  return tables->per_span_mw > 0.0 ? above_idle_mw * tables->per_span_mw : 1.0;
}

void fwi_noise_share_out(double *power, size_t gpus, double floor) {
  double lacking = 0.0;
  double above = 0.0;
  for (size_t g = 0; g < gpus; g++) {
    const double distance = power[g] - floor;
    lacking -= distance < 0.0 ? distance : 0.0;
    above += distance > 0.0 ? distance : 0.0;
  }
  if (lacking <= 0.0 || lacking > above) {
    return;
  }
  const double kept = 1.0 - lacking / above;
  for (size_t g = 0; g < gpus; g++) {
    const double distance = power[g] - floor;
    power[g] = distance > 0.0 ? floor + kept * distance : floor;
  }
}

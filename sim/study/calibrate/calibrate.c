/* The procedure, step by step. */
#include "sim/study/calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/calibrate/calibrate_room.h"

void fw_calibration_clear(fw_calibration *calibration) {
  for (size_t i = 0; i < calibration->run_count; i++)
    free(calibration->runs[i].file);
  free(calibration->runs);
  free(calibration->id);
  free(calibration->gpu);
  free(calibration->source);
  *calibration = (fw_calibration){0};
}

static fw_status name_model(const fw_calibrate_options *options, fw_calibration *out, fw_diagnostics *diagnostics) {
  out->id = fw_copy_text(options->id);
  out->gpu = fw_copy_text(options->gpu);
  if (options->source != NULL) out->source = fw_copy_text(options->source);
  const bool good = out->id != NULL && out->gpu != NULL && (options->source == NULL || out->source != NULL);
  return good ? FW_OK : fw_error_memory(diagnostics, "the names of a model");
}

static fw_status take_sharding(const fw_calibrate_options *options, fw_calibration *out, fw_diagnostics *diagnostics) {
  const bool single = options->sharding == FW_SHARDING_SINGLE;
  out->sharding = options->sharding;
  if ((out->gpus == 1) == single) return FW_OK;
  if (out->gpus == 1) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "the job has one GPU, which it cannot share out by %s: leave --sharding out",
                    fw_sharding_names[options->sharding]);
  }
  return fw_error(
      diagnostics, FW_ERROR_INPUT, (fw_place){0},
      "the job has %zu GPUs: say with --sharding how it uses them, as layer (they take turns) or tensor (they work "
      "together); the GPUs of several jobs are taken apart by fleetwatt import --only",
      out->gpus);
}

static fw_status measure(const fwi_calibration_data *data, const fw_calibrate_options *options, fw_calibration *out,
                         fw_diagnostics *diagnostics) {
  const fw_status status = fwi_calibration_measure(data, out, diagnostics);
  if (status != FW_OK || options->ready_w == 0.0 || out->ready_assumed) return status;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "the recordings show GPUs that stand ready: leave --ready-power out");
}

static fw_status fit_all(const fwi_calibration_data *data, const fw_calibrate_options *options,
                         const fw_study_options *study, fw_calibration *out, fw_diagnostics *diagnostics) {
  fw_status status = measure(data, options, out, diagnostics);
  if (status == FW_OK) status = fwi_calibration_choose(data, study, out, diagnostics);
  if (status == FW_OK) status = fwi_calibration_residual(data, out, diagnostics);
  if (status == FW_OK) status = fwi_calibration_resample(data, options->resamples, study, out, diagnostics);
  return status;
}

fw_status fw_calibrate(const fw_calibrate_options *options, const fw_study_options *study, fw_calibration *out,
                       fw_diagnostics *diagnostics) {
  *out = (fw_calibration){.idle_w = (double)NAN, .load_w = (double)NAN, .ready_w = (double)NAN};
  if (options->ready_w > 0.0) out->ready_w = options->ready_w;
  fwi_calibration_data data = {0};
  fw_status status = name_model(options, out, diagnostics);
  if (status == FW_OK && options->points != NULL) {
    status = fwi_calibration_table(options, study, out, diagnostics);
    if (status == FW_OK) status = take_sharding(options, out, diagnostics);
  } else if (status == FW_OK) {
    status = fwi_calibration_read(options, out, &data, diagnostics);
    if (status == FW_OK && data.count == 0) {
      status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "no tick of the recordings is left to fit");
    }
    if (status == FW_OK) status = take_sharding(options, out, diagnostics);
    if (status == FW_OK) status = fit_all(&data, options, study, out, diagnostics);
  }
  fwi_calibration_data_clear(&data);
  if (status != FW_OK) fw_calibration_clear(out);
  return status;
}

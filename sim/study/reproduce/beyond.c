/* The five questions one after the other, and what they share. */
#include "sim/study/reproduce/beyond.h"

#include <stdlib.h>

#include "sim/base/file.h"

const char *const fw_beyond_kind_names[] = {[FW_BEYOND_PREDICTED] = "predicted", [FW_BEYOND_ASSUMPTION] = "assumption"};

fw_beyond_kind fw_beyond_kind_of(const fw_scenario_policy *policy) {
  const uint32_t fleet = policy->fleet != NULL ? policy->fleet->drives(policy->fleet_settings) : 0;
  const uint32_t driven = policy->job->drives(policy->job_settings) | fleet;
  return (driven & 1u << FW_ACTUATOR_POWER_CAP_W) != 0 ? FW_BEYOND_ASSUMPTION : FW_BEYOND_PREDICTED;
}

fw_status fwi_beyond_read(const fw_beyond_options *options, const char *name, fw_scenario **out,
                          fw_diagnostics *diagnostics) {
  const fw_scenario_overrides overrides = {.seeds = options->seeds, .share = options->share};
  char *path = fw_path_beside(options->base, name);
  if (path == NULL) {
    return fw_error_memory(diagnostics, "the path of a scenario");
  }
  const fw_status status = fw_scenario_read(path, &overrides, out, diagnostics);
  free(path);
  return status;
}

static fw_status take(const fwi_samples *samples, size_t policy, size_t slot, fw_estimate *out,
                      fw_diagnostics *diagnostics) {
  fwi_summary summary = {0};
  const fw_status status = fwi_samples_summary(samples, policy, slot, &summary, diagnostics);
  *out = summary.estimate;
  return status;
}

fw_status fwi_beyond_figures(const fwi_samples *samples, const fw_scenario *scenario, size_t policy,
                             fw_beyond_figures *out, fw_diagnostics *diagnostics) {
  const struct {
    fw_metric metric;
    fw_estimate *target;
  } figures[] = {{FW_METRIC_TOKENS, &out->tokens},
                 {FW_METRIC_WH_PER_1K_TOKENS, &out->wh_per_1k_tokens},
                 {FW_METRIC_MEAN_W, &out->mean_w}};
  fw_status status = FW_OK;
  for (size_t i = 0; status == FW_OK && i < sizeof figures / sizeof figures[0]; i++) {
    status = take(samples, policy, fw_metric_slot(figures[i].metric, 0), figures[i].target, diagnostics);
  }
  for (size_t w = 0; status == FW_OK && w < scenario->window_count; w++) {
    status = take(samples, policy, fw_metric_slot(FW_METRIC_VIOLATION_RATE, w), &out->rate[w], diagnostics);
  }
  return status;
}

void fw_beyond_clear(fw_beyond_result *result) {
  fw_beyond_levels_clear(&result->levels);
  fw_beyond_sensor_clear(&result->sensor);
  fw_beyond_caps_clear(&result->caps);
  fw_beyond_ratios_clear(&result->ratios);
  fw_beyond_starts_clear(&result->starts);
}

fw_status fw_beyond(const fw_beyond_options *options, fw_beyond_result *out, fw_diagnostics *diagnostics) {
  *out = (fw_beyond_result){0};
  fw_status status = fw_beyond_levels_run(options, &out->levels, diagnostics);
  status = status != FW_OK ? status : fw_beyond_sensor_run(options, &out->sensor, diagnostics);
  status = status != FW_OK ? status : fw_beyond_caps_run(options, &out->caps, diagnostics);
  status = status != FW_OK ? status : fw_beyond_ratios_run(options, &out->ratios, diagnostics);
  status = status != FW_OK ? status : fw_beyond_starts_run(options, &out->starts, diagnostics);
  if (status != FW_OK) {
    fw_beyond_clear(out);
  }
  return status;
}

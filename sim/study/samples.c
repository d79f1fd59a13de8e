/* One run for each seed and arm, kept side by side. */
#include "sim/study/samples.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/run.h"
#include "sim/study/decisions.h"

typedef struct sampling {
  const fw_scenario *scenario;
  uint64_t first_seed;
  fw_prepared *prepared;
  fwi_samples *out;
} sampling;

static fw_status run_one(void *context, size_t index, fw_diagnostics *diagnostics) {
  const sampling *work = context;
  fwi_watched_arm arm;
  fwi_watch_arm(&work->scenario->policies[index % work->out->policies], &arm);
  fw_scenario scenario = *work->scenario;
  scenario.policies = &arm.policy;
  scenario.policy_count = 1;
  const fw_run_options options = {.seed = work->first_seed + index / work->out->policies, .prepared = work->prepared};
  fw_result result = {0};
  const fw_status status = fw_run(&scenario, &options, &result, diagnostics);
  if (status == FW_OK) {
    double *values = &work->out->values[index * FWI_SAMPLE_SLOTS];
    fw_metric_extract(&result, values);
    values[FWI_SLOT_DECISIONS_ABOVE] = (double)arm.above;
    fw_result_clear(&result);
  }
  return status;
}

fw_status fwi_samples_take(const fw_scenario *scenario, uint64_t first_seed, size_t seeds,
                           const fw_study_options *options, fwi_samples *out, fw_diagnostics *diagnostics) {
  *out = (fwi_samples){.policies = scenario->policy_count, .seeds = seeds};
  size_t runs = 0;
  if (!fw_size_multiply(seeds, scenario->policy_count, &runs) ||
      (out->values = fw_allocate(runs, FWI_SAMPLE_SLOTS * sizeof *out->values)) == NULL) {
    return fw_error_memory(diagnostics, "the figures of runs");
  }
  sampling work = {.scenario = scenario, .first_seed = first_seed, .out = out};
  const fwi_replications replications = {
      .count = runs, .heard = scenario->policy_count, .run = run_one, .context = &work};
  fw_status status = fw_prepare(scenario, &work.prepared, diagnostics);
  status = status == FW_OK ? fwi_replicate(&replications, options, diagnostics) : status;
  fw_prepared_free(work.prepared);
  if (status != FW_OK) {
    fwi_samples_free(out);
  }
  return status;
}

void fwi_samples_free(fwi_samples *samples) {
  free(samples->values);
  *samples = (fwi_samples){0};
}

static double deviation_of(const double *values, size_t count, double mean) {
  double squares = 0.0;
  for (size_t i = 0; i < count; i++) {
    squares += (values[i] - mean) * (values[i] - mean);
  }
  return count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
}

static bool is_rate(size_t slot) {
  return slot < FW_METRIC_SLOTS && fw_metric_table[slot / FW_POLICY_WINDOWS].rate;
}

fw_status fwi_samples_summary(const fwi_samples *samples, size_t policy, size_t slot, fwi_summary *out,
                              fw_diagnostics *diagnostics) {
  double *values = fw_allocate(samples->seeds, sizeof *values);
  if (values == NULL) {
    return fw_error_memory(diagnostics, "the figures of an arm");
  }
  for (size_t seed = 0; seed < samples->seeds; seed++) {
    values[seed] = fwi_sample(samples, seed, policy, slot);
  }
  out->estimate = fw_estimate_figure(is_rate(slot), values, samples->seeds);
  out->deviation = deviation_of(values, samples->seeds, out->estimate.mean);
  free(values);
  return FW_OK;
}

bool fwi_slot_of(const fw_scenario *scenario, fw_metric metric, fw_time_ns window, size_t *slot) {
  if (!fw_metric_table[metric].windowed) {
    *slot = fw_metric_slot(metric, 0);
    return window == 0;
  }
  for (size_t i = 0; i < scenario->window_count; i++) {
    if (scenario->windows[i] == window) {
      *slot = fw_metric_slot(metric, i);
      return true;
    }
  }
  return false;
}

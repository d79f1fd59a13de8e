/* Figures of single runs: every arm of a scenario at its first budget, on a block of seeds. What compare.h sums up,
 * kept apart for studies that search, fit or hold runs against published figures. */
#ifndef FW_STUDY_SAMPLES_H
#define FW_STUDY_SAMPLES_H

#include "sim/scenario/scenario.h"
#include "sim/study/estimate.h"
#include "sim/study/metric.h"
#include "sim/study/replicate.h"

/* The metrics of metric.h and, behind them, how many decisions of job policies were taken above the budget. */
#define FWI_SLOT_DECISIONS_ABOVE FW_METRIC_SLOTS
#define FWI_SAMPLE_SLOTS (FW_METRIC_SLOTS + 1)

typedef struct fwi_samples {
  size_t policies;
  size_t seeds;
  double *values; /* seeds x policies x FWI_SAMPLE_SLOTS */
} fwi_samples;

/* Runs with the seeds first_seed .. first_seed + seeds - 1. Free with fwi_samples_free. */
fw_status fwi_samples_take(const fw_scenario *scenario, uint64_t first_seed, size_t seeds,
                           const fw_study_options *options, fwi_samples *out, fw_diagnostics *diagnostics);
void fwi_samples_free(fwi_samples *samples);

static inline double fwi_sample(const fwi_samples *samples, size_t seed, size_t policy, size_t slot) {
  return samples->values[(seed * samples->policies + policy) * FWI_SAMPLE_SLOTS + slot];
}

/* Mean with its interval, and the standard deviation from run to run (0 for one run). */
typedef struct fwi_summary {
  fw_estimate estimate;
  double deviation;
} fwi_summary;

/* Memory is needed for one value of each seed. */
fw_status fwi_samples_summary(const fwi_samples *samples, size_t policy, size_t slot, fwi_summary *out,
                              fw_diagnostics *diagnostics);

/* The slot of `metric` at `window` (0 for metrics without one). False where the scenario does not have that window. */
bool fwi_slot_of(const fw_scenario *scenario, fw_metric metric, fw_time_ns window, size_t *slot);

#endif

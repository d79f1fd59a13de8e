/* A fixed histogram of power, weighted by time: percentiles in constant memory. */
#ifndef FW_ENGINE_HISTOGRAM_H
#define FW_ENGINE_HISTOGRAM_H

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"

/* Bin k holds powers in (k width, (k + 1) width]; bin 0 also 0. What lies above the last bin is counted in it, and
 * `largest` stays exact. All weights together must fit an fw_time_ns. */
typedef struct fw_histogram {
  fw_time_ns *weight;
  size_t bin_count;
  fw_power_mw width;
  double bins_per_mw;
  fw_power_mw largest;
  fw_time_ns total;
} fw_histogram;

/* Covers 0 .. `max` with `bin_count` >= 1 bins of whole milliwatts. */
fw_status fw_histogram_create(fw_power_mw max, size_t bin_count, fw_histogram *out, fw_diagnostics *diagnostics);
void fw_histogram_free(fw_histogram *histogram);
void fw_histogram_reset(fw_histogram *histogram);

void fw_histogram_add(fw_histogram *histogram, fw_power_mw power, fw_time_ns weight);

/* Nearest rank: the upper edge of the first bin whose cumulative weight reaches `share` (in (0, 1]) of the total, no
 * more than `largest`, which also stands for the last bin. Never below the true value and at most one bin width above
 * it, unless it lies beyond the range. 0 when empty. */
fw_power_mw fw_histogram_percentile(const fw_histogram *histogram, double share);

#endif

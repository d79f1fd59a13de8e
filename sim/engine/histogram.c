/* The power histogram: equal bins, nearest-rank percentiles (Hyndman and Fan, "Sample quantiles in statistical
 * packages", The American Statistician 50(4), 1996: definition 1) taken at the upper edge of a bin. */
#include "sim/engine/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

fw_status fw_histogram_create(fw_power_mw max, size_t bin_count, fw_histogram *out, fw_diagnostics *diagnostics) {
  *out = (fw_histogram){0};
  if (max < 1 || bin_count < 1 || bin_count > (size_t)INT32_MAX) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "a histogram needs a range above 0 mW and 1 to %d bins; got %lld mW and %zu bins", INT32_MAX,
                    (long long)max, bin_count);
  }
  out->weight = fw_allocate(bin_count, sizeof *out->weight);
  if (!out->weight) return fw_error_memory(diagnostics, "a histogram of power");
  out->bin_count = bin_count;
  out->width = (max - 1) / (fw_power_mw)bin_count + 1;
  out->bins_per_mw = 1.0 / (double)out->width;
  return FW_OK;
}

void fw_histogram_free(fw_histogram *histogram) {
  free(histogram->weight);
  *histogram = (fw_histogram){0};
}

void fw_histogram_reset(fw_histogram *histogram) {
  memset(histogram->weight, 0, histogram->bin_count * sizeof *histogram->weight);
  histogram->largest = 0;
  histogram->total = 0;
}

/* Bin k holds (k width, (k + 1) width], so that a power on an edge is its own percentile; bin 0 also holds 0. The
 * estimate is off by one at most and is put right in integers, so the index is that of an integer division. */
static size_t bin_of(const fw_histogram *histogram, fw_power_mw power) {
  if (power <= histogram->width) return 0;
  double estimate = (double)(power - 1) * histogram->bins_per_mw;
  if (estimate >= (double)histogram->bin_count) return histogram->bin_count - 1;
  fw_power_mw bin = (fw_power_mw)estimate;
  fw_power_mw rest = power - 1 - bin * histogram->width;
  if (rest < 0) return (size_t)(bin - 1);
  if (rest >= histogram->width && (size_t)bin + 1 < histogram->bin_count) return (size_t)(bin + 1);
  return (size_t)bin;
}

void fw_histogram_add(fw_histogram *histogram, fw_power_mw power, fw_time_ns weight) {
  histogram->weight[bin_of(histogram, power)] += weight;
  histogram->total += weight;
  if (power > histogram->largest) histogram->largest = power;
}

fw_power_mw fw_histogram_percentile(const fw_histogram *histogram, double share) {
  if (!(share < 1.0)) return histogram->largest;
  /* A share such as 0.07 is not exact in binary: the slack keeps 0.07 of 100 at rank 7, not 8. */
  double rank = share * (double)histogram->total * (1.0 - 0x1p-50);
  fw_time_ns cumulative = 0;
  for (size_t bin = 0; bin + 1 < histogram->bin_count; bin++) {
    cumulative += histogram->weight[bin];
    if ((double)cumulative >= rank) {
      fw_power_mw edge = (fw_power_mw)(bin + 1) * histogram->width;
      return edge < histogram->largest ? edge : histogram->largest;
    }
  }
  return histogram->largest; /* the last bin has no upper edge */
}

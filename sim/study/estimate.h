/* Estimates from independent replications, with 95 % intervals.
 *
 * Means get Student's t interval. A rate that was 0 in every replication gets a one-sided bound, never an interval of
 * no width: when none of n independent runs saw an event, the chance that a run sees one is below 1 - 0.05^(1/n) with
 * 95 % confidence, and the rate cannot be larger than that chance. The bound is wide for few runs because it assumes
 * nothing about the time within a run. */
#ifndef FW_STUDY_ESTIMATE_H
#define FW_STUDY_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* NaN where there is no value: `mean` when any replication had none, `lo` and `hi` with fewer than two. */
typedef struct fw_estimate {
  double mean;
  double lo;
  double hi;
} fw_estimate;

/* A paired difference a - b over the same seeds, and the correlation of the pairs (NaN when one side does not vary):
 * what common random numbers were worth. */
typedef struct fw_paired_estimate {
  fw_estimate difference;
  double correlation;
} fw_paired_estimate;

fw_estimate fw_estimate_mean(const double *values, size_t count);

/* For values that are shares: the interval is cut to [0, 1], and all 0 or all 1 give a one-sided bound. */
fw_estimate fw_estimate_rate(const double *values, size_t count);

/* The one of the two that suits a figure: `rate` as in fw_metric_info. */
fw_estimate fw_estimate_figure(bool rate, const double *values, size_t count);

fw_paired_estimate fw_estimate_paired(const double *a, const double *b, size_t count);

#endif

/* The figures of one run as one vector of numbers (sim/scenario/metric.h says what they are). */
#ifndef FW_STUDY_METRIC_H
#define FW_STUDY_METRIC_H

#include "sim/fleet/result.h"
#include "sim/scenario/metric.h"

/* Values of one run: FW_METRIC_SLOTS numbers, NaN where there is none. */
#define FW_METRIC_SLOTS ((size_t)FW_METRIC_COUNT * FW_POLICY_WINDOWS)

/* Where the value of `metric` (for a windowed one: at window `window`) stands. */
static inline size_t fw_metric_slot(fw_metric metric, size_t window) {
  return (size_t)metric * FW_POLICY_WINDOWS + window;
}

void fw_metric_extract(const fw_result *result, double values[FW_METRIC_SLOTS]);

#endif

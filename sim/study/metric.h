/* The figures that runs are compared by: one vector of numbers for each run, described by one table. */
#ifndef FW_STUDY_METRIC_H
#define FW_STUDY_METRIC_H

#include "sim/fleet/result.h"

typedef enum fw_metric {
  FW_METRIC_TOKENS,
  FW_METRIC_ENERGY_WH,
  FW_METRIC_TOKENS_PER_MWH,
  FW_METRIC_WH_PER_1K_TOKENS,
  FW_METRIC_COST,
  FW_METRIC_CARBON_KG,
  FW_METRIC_MEAN_W,
  /* From here on one figure for each window. */
  FW_METRIC_PEAK_W,
  FW_METRIC_P99_W,
  FW_METRIC_VIOLATION_RATE,
  FW_METRIC_VIOLATION_RATE_SENSED,
  FW_METRIC_EPISODES,
  FW_METRIC_LONGEST_EPISODE_S,
  FW_METRIC_EXCESS_WS,
  FW_METRIC_COUNT
} fw_metric;

typedef struct fw_metric_info {
  const char *name; /* as in JSON */
  bool windowed;
  bool rate; /* a share of time: see fw_estimate_rate */
} fw_metric_info;

extern const fw_metric_info fw_metric_table[FW_METRIC_COUNT];

/* Values of one run: FW_METRIC_SLOTS numbers, NaN where there is none. */
#define FW_METRIC_SLOTS ((size_t)FW_METRIC_COUNT * FW_POLICY_WINDOWS)

/* Where the value of `metric` (for a windowed one: at window `window`) stands. */
static inline size_t fw_metric_slot(fw_metric metric, size_t window) {
  return (size_t)metric * FW_POLICY_WINDOWS + window;
}

void fw_metric_extract(const fw_result *result, double values[FW_METRIC_SLOTS]);

#endif

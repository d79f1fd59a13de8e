/* Compare: every policy at every budget of a scenario, over the same seeds. */
#ifndef FW_STUDY_COMPARE_H
#define FW_STUDY_COMPARE_H

#include "sim/fleet/run.h"
#include "sim/study/estimate.h"
#include "sim/study/metric.h"
#include "sim/study/replicate.h"

typedef fw_study_options fw_compare_options;

/* One arm: a policy at a budget. */
typedef struct fw_compare_arm {
  size_t policy; /* indices into the scenario */
  size_t budget;
  fw_stop_reason stop_reason; /* of the first replication */
  fw_estimate metrics[FW_METRIC_SLOTS];
  fw_clamp_count clamps; /* summed over the replications; the bias is their mean */
  uint64_t gpu_ticks;
  uint64_t adjusted_actions;
  bool extrapolated;
} fw_compare_arm;

/* An arm against the scenario's first policy at the same budget. */
typedef struct fw_compare_difference {
  size_t arm;
  size_t against;
  fw_paired_estimate metrics[FW_METRIC_SLOTS];
} fw_compare_difference;

typedef struct fw_compare_result {
  const fw_scenario *scenario;
  size_t seeds;
  fw_compare_arm *arms; /* budgets outermost, then policies, in the scenario's order */
  size_t arm_count;
  fw_compare_difference *differences;
  size_t difference_count;
  double equal_rate; /* at which a report is to compare tokens (compare_front.h); 0: not asked. For the caller to set */
  size_t equal_window; /* index into the scenario's windows */
} fw_compare_result;

/* Runs all arms on all seeds. The result depends on nothing but the scenario: replications are summed in the order of
 * their seeds, and no arm's figures depend on which other arms there are. Free with fw_compare_clear. */
fw_status fw_compare(const fw_scenario *scenario, const fw_compare_options *options, fw_compare_result *out,
                     fw_diagnostics *diagnostics);
void fw_compare_clear(fw_compare_result *result);

#endif

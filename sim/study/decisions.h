/* Counting what a job policy saw: the decisions that it took while the last reading stood above the job's budget. The
 * study's 7B figures count violations like this, one reading for each step, at the decision that ends it (our reading
 * of arXiv:2608.11226, docs/parameters.md). */
#ifndef FW_STUDY_DECISIONS_H
#define FW_STUDY_DECISIONS_H

#include "sim/scenario/scenario.h"

/* An arm whose job policy is watched; it points into itself, so it must stay where it is. */
typedef struct fwi_watched_arm {
  struct fwi_watched_arm *self; /* what the watching policy gets as its settings */
  fw_scenario_policy policy;
  fw_policy_type type;
  const fw_policy_type *inner;
  const void *inner_settings;
  uint64_t decisions;
  uint64_t above; /* of the decisions */
} fwi_watched_arm;

/* The same arm, counting. For one run on one thread: the jobs of the run share the counters. */
void fwi_watch_arm(const fw_scenario_policy *arm, fwi_watched_arm *out);

#endif

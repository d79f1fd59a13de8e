/* Evaluating trained policies on held-out runs: every one of them, how many pass, and what can be expected of training
 * another. Never the best alone.
 *
 * With fewer than FW_IQM_LEAST policies each still has its line, and the median and the range are those of all; but
 * what to expect of training another they do not say, so there is no interval over policies, and a warning says why. */
#ifndef FW_STUDY_EVALUATE_H
#define FW_STUDY_EVALUATE_H

#include "sim/study/samples.h"

typedef struct fw_evaluate_options {
  const fw_scenario *scenario; /* held-out runs are its seeds */
  size_t budget;
  const char *const *weights; /* paths; two or more, of different training seeds */
  size_t weight_count;
  const char *const *classes; /* of jobs that the policies control; none: all */
  size_t class_count;
  fw_time_ns window; /* at which a policy passes or not */
  double limit;      /* it passes with a mean violation rate of at most this */
  fw_study_options study;
} fw_evaluate_options;

typedef struct fw_evaluate_policy {
  const char *weights;
  uint64_t seed;      /* that it was trained with */
  uint64_t decisions; /* that it was trained for */
  uint64_t hash;      /* of its file */
  fw_estimate tokens;
  fw_estimate tokens_per_mwh;
  fw_estimate rate[FW_POLICY_WINDOWS];
  bool passed;
} fw_evaluate_policy;

typedef struct fw_evaluate_result {
  const fw_scenario *scenario;
  size_t window; /* index into the scenario's */
  double limit;
  fw_evaluate_policy *policies;
  size_t policy_count;
  size_t passed;
  fw_estimate pass_rate; /* of further trainings; NaN, as those below, with fewer than FW_IQM_LEAST policies */
  fw_estimate tokens;    /* interquartile means over policies and runs: iqm.h */
  fw_estimate tokens_per_mwh;
  fw_estimate rate[FW_POLICY_WINDOWS];
  double tokens_median; /* of the policies' means */
  double tokens_least;
  double tokens_most;
} fw_evaluate_result;

/* One policy alone, or weights of one training seed given twice, are FW_ERROR_INPUT. Free with fw_evaluate_clear. */
fw_status fw_evaluate(const fw_evaluate_options *options, fw_evaluate_result *out, fw_diagnostics *diagnostics);
void fw_evaluate_clear(fw_evaluate_result *result);

#endif

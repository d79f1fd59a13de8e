/* Trained policies as arms of a scenario, for the studies that make or judge them. */
#ifndef FW_STUDY_TRAINED_H
#define FW_STUDY_TRAINED_H

#include "policies/ppo/policy.h"
#include "sim/study/samples.h"

/* Weights and the arm that they make. `policy` points into it, so it must stay where it is. */
typedef struct fwi_trained {
  fw_ppo_actor *actor;
  fw_ppo_policy_settings settings;
  fw_scenario_policy policy;
} fwi_trained;

/* Reads weights; the arm is named after the file, which outlives it as `classes` does. Free with fwi_trained_clear. */
fw_status fwi_trained_read(const char *path, const char *const *classes, size_t class_count, fwi_trained *out,
                           fw_diagnostics *diagnostics);
/* The same from the bytes of a weight file; the arm is called `name`. */
fw_status fwi_trained_parse(const fw_text *bytes, const char *name, const char *const *classes, size_t class_count,
                            fwi_trained *out, fw_diagnostics *diagnostics);
void fwi_trained_clear(fwi_trained *trained);

/* The index of `window` among the scenario's; one that it does not have is FW_ERROR_INPUT. */
fw_status fwi_window_of(const fw_scenario *scenario, fw_time_ns window, size_t *index, fw_diagnostics *diagnostics);

/* Runs of arms that are not the scenario's own, at one of its budgets, as fwi_samples_take. */
fw_status fwi_samples_of_arms(const fw_scenario *scenario, size_t budget, const fw_scenario_policy *arms,
                              size_t arm_count, uint64_t first_seed, size_t seeds, const fw_study_options *options,
                              fwi_samples *out, fw_diagnostics *diagnostics);

#endif

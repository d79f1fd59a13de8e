/* An actor from a file, dressed as a policy. */
#include "sim/study/train/trained.h"

static void dress(const char *name, const char *const *classes, size_t class_count, fwi_trained *out) {
  out->settings = (fw_ppo_policy_settings){.weights = (char *)(uintptr_t)name, .actor = out->actor};
  out->policy = (fw_scenario_policy){.name = name,
                                     .job = &fwi_ppo_policy,
                                     .job_settings = &out->settings,
                                     .classes = classes,
                                     .class_count = class_count};
}

fw_status fwi_trained_read(const char *path, const char *const *classes, size_t class_count, fwi_trained *out,
                           fw_diagnostics *diagnostics) {
  *out = (fwi_trained){0};
  const fw_status status = fw_ppo_actor_read(path, &out->actor, diagnostics);
  dress(path, classes, class_count, out);
  return status;
}

fw_status fwi_trained_parse(const fw_text *bytes, const char *name, const char *const *classes, size_t class_count,
                            fwi_trained *out, fw_diagnostics *diagnostics) {
  *out = (fwi_trained){0};
  const fw_status status = fw_ppo_actor_parse(bytes->data, bytes->length, name, &out->actor, diagnostics);
  dress(name, classes, class_count, out);
  return status;
}

void fwi_trained_clear(fwi_trained *trained) {
  fw_ppo_actor_destroy(trained->actor);
  *trained = (fwi_trained){0};
}

fw_status fwi_window_of(const fw_scenario *scenario, fw_time_ns window, size_t *index, fw_diagnostics *diagnostics) {
  size_t slot = 0;
  char length[FW_UNITS_TEXT_SIZE];
  if (!fwi_slot_of(scenario, FW_METRIC_VIOLATION_RATE, window, &slot)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "the scenario \"%s\" has no window of %s s; give one of its windows_s", scenario->name,
                    fw_time_format(window, length));
  }
  *index = slot - fw_metric_slot(FW_METRIC_VIOLATION_RATE, 0);
  return FW_OK;
}

fw_status fwi_samples_of_arms(const fw_scenario *scenario, size_t budget, const fw_scenario_policy *arms,
                              size_t arm_count, uint64_t first_seed, size_t seeds, const fw_study_options *options,
                              fwi_samples *out, fw_diagnostics *diagnostics) {
  fw_scenario own = *scenario;
  own.policies = arms;
  own.policy_count = arm_count;
  own.budgets = &scenario->budgets[budget];
  own.budget_count = 1;
  return fwi_samples_take(&own, first_seed, seeds, options, out, diagnostics);
}

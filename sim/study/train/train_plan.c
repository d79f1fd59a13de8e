/* Plans of trainings as files. */
#include <string.h>

#include "sim/base/fields.h"
#include "sim/study/train/train.h"

static const fw_train_plan defaults = {.window = 30 * FW_NS_PER_S,
                                       .limit = 0.02,
                                       .margin = 1.0,
                                       .seed = 1,
                                       .seeds = 10,
                                       .runs = 10000,
                                       .validation_runs = 200,
                                       .validate_every = 4};

#define MOST_RUNS 1e9

static const fw_field fields[] = {
    FW_FORMAT(fw_train_plan, format, "fleetwatt_training"),
    FW_FIELD(fw_train_plan, classes, FW_FIELD_STRINGS, FW_OPTIONAL, 0, 0, "job classes that learn; default: all"),
    FW_FIELD(fw_train_plan, actuators, FW_FIELD_STRINGS, FW_OPTIONAL, 0, 0,
             "what the policy sets, by name; default: concurrency"),
    FW_FIELD_ABOVE(fw_train_plan, window, FW_FIELD_TIME, FW_OPTIONAL, 0, 1e9,
                   "window of the scenario on which the violation rate is limited"),
    FW_FIELD(fw_train_plan, limit, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 1, "on the share of time above the budget"),
    FW_FIELD_ABOVE(fw_train_plan, margin, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 10,
                   "training aims at the limit times this; selection on validation runs at the limit itself"),
    FW_FIELD(fw_train_plan, seed, FW_FIELD_UNSIGNED, FW_OPTIONAL, 0, 0, "the first training seed"),
    FW_FIELD(fw_train_plan, seeds, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1, 10000, "policies to train, each with its seed"),
    FW_FIELD(fw_train_plan, runs, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1, MOST_RUNS,
             "seeds of runs that training draws its episodes from"),
    FW_FIELD(fw_train_plan, validation_runs, FW_FIELD_UNSIGNED, FW_OPTIONAL, 2, MOST_RUNS,
             "runs on which a policy is judged while it is trained"),
    FW_FIELD(fw_train_plan, validate_every, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1, MOST_RUNS,
             "iterations from one such judgement to the next"),
    FW_RECORD(fw_train_plan, ppo, &fw_ppo_config_record, FW_OPTIONAL, "the trainer"),
    FW_PROVENANCE,
};

const fw_record fw_train_plan_record = {
    .name = "training",
    .doc = "how a policy is trained",
    .size = sizeof(fw_train_plan),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

fw_status fw_train_plan_read(const char *path, fw_train_plan *out, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  fw_status status = fw_json_read(path, &document, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  status = fw_record_decode(&fw_train_plan_record, fw_json_root(document), out, diagnostics);
  if (status != FW_OK) {
    fw_record_clear(&fw_train_plan_record, out);
  }
  fw_json_free(document);
  return status;
}

static fw_status add_actuator(const char *name, uint32_t *bits, fw_diagnostics *diagnostics) {
  for (unsigned i = 0; i < FW_ACTUATOR_COUNT; i++) {
    if (strcmp(fw_actuator_names[i], name) == 0) {
      *bits |= 1u << i;
      return FW_OK;
    }
  }
  const char *nearest = fw_nearest_word(name, fw_actuator_names, FW_ACTUATOR_COUNT);
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "there is no actuator \"%s\"; %s \"%s\"", name,
                  nearest != NULL ? "did you mean" : "the first is", nearest != NULL ? nearest : fw_actuator_names[0]);
}

fw_status fw_train_task(const fw_train_plan *plan, const fw_scenario *scenario, size_t budget, fw_ppo_task *out,
                        fw_diagnostics *diagnostics) {
  *out = (fw_ppo_task){.scenario = scenario,
                       .budget = budget,
                       .classes = plan->classes.data,
                       .class_count = plan->classes.count,
                       .actuators = plan->actuators.count == 0 ? 1u << FW_ACTUATOR_CONCURRENCY : 0,
                       .horizon = plan->ppo.horizon,
                       .runs = plan->runs};
  fw_status status = FW_OK;
  for (size_t i = 0; i < plan->actuators.count && status == FW_OK; i++) {
    status = add_actuator(((char *const *)plan->actuators.data)[i], &out->actuators, diagnostics);
  }
  return status == FW_OK ? fw_ppo_task_prepare(out, diagnostics) : status;
}

/* The published study's first controller (arXiv:2608.11226): PPO on the group size of the layer-sharded 72B job, which
 * learned nothing. Here it learns nothing either, because the sequences in flight are limited by the batch and not by
 * the group, and `authority` says so before anything is trained. On concurrency the same training learns. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/authority.h"
#include "sim/study/train/train.h"
#include "sim/study/train/trained.h"

#define HELD_OUT ((size_t)40)

/* 1,000 prompts at any group size are more than a run of 20 minutes can generate. */
static const char scenario_text[] =
    "{\"fleetwatt\": 1, \"name\": \"group-size\", \"seed\": 1, \"seeds\": 40, \"duration_min\": 20, \"windows_s\": "
    "[0.5, "
    "30], \"gpu\": \"a100-sxm4-80gb\", \"budget_w\": 549.26, \"jobs\": [{\"kind\": \"grpo\", \"class\": \"72b\", "
    "\"model\": \"a100/qwen2.5-72b-awq\", \"prompts\": 1000, \"actuators\": {\"concurrency\": [1, 2, 4, 6, 8], "
    "\"group_size\": [1, 2, 4, 8]}}], \"policies\": [{\"name\": \"uncontrolled\"}]}";

#define PLAN(actuator)                                                                                                 \
  "{\"fleetwatt_training\": 1, \"actuators\": [\"" actuator                                                            \
  "\"], \"limit\": 0.02, \"seeds\": 1, \"seed\": 3, \"validation_runs\": 10, \"validate_every\": 10, \"ppo\": "        \
  "{\"decisions\": 40960, \"anneal_decisions\": 40960, \"environments\": 16, \"rollout\": 64, \"epochs\": 6, "         \
  "\"minibatches\": 4, \"width\": \"32\", \"learning_rate\": 1e-3, \"entropy_weight\": 0.003, \"horizon_s\": 120, "    \
  "\"multiplier_p\": 5, \"multiplier_i\": 5}}"

static char folder[64];

static void make_folder(void) {
  (void)snprintf(folder, sizeof folder, "/tmp/fleetwatt-group-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  cr_expect_eq(system(command), 0);
}

static fw_scenario *read_scenario(void) {
  fw_scenario *scenario = NULL;
  const fw_scenario_overrides overrides = {.share = FW_SOURCE_DIR};
  cr_assert_eq(fw_scenario_parse(scenario_text, strlen(scenario_text), "group-size.json", &overrides, &scenario, NULL),
               FW_OK);
  return scenario;
}

static void train(const fw_scenario *scenario, const char *plan_text, const char *name, char path[128]) {
  fw_json *document = NULL;
  fw_train_plan plan;
  fw_train_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_json_parse(plan_text, strlen(plan_text), "plan", &document, NULL), FW_OK);
  cr_assert_eq(fw_record_decode(&fw_train_plan_record, fw_json_root(document), &plan, NULL), FW_OK);
  (void)snprintf(path, 128, "%s/%s", folder, name);
  const fw_train_options options = {.scenario = scenario, .plan = &plan, .output = path, .study = {.threads = 1}};
  const fw_status status = fw_train(&options, &result, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s", diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  (void)snprintf(path, 128, "%s/%s.safetensors", folder, name);
  fw_train_clear(&result);
  fw_record_clear(&fw_train_plan_record, &plan);
  fw_json_free(document);
  fw_diagnostics_clear(&diagnostics);
}

/* Trained less uncontrolled, run by run, of one figure. */
static fw_estimate against_uncontrolled(const fw_scenario *scenario, const char *weights, size_t slot) {
  fwi_trained trained;
  fwi_samples samples;
  const fw_study_options study = {.threads = 1};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  double own[HELD_OUT];
  double other[HELD_OUT];
  cr_assert_eq(fwi_trained_read(weights, NULL, 0, &trained, &diagnostics), FW_OK);
  const fw_scenario_policy arms[2] = {trained.policy, scenario->policies[0]};
  cr_assert_eq(fwi_samples_of_arms(scenario, 0, arms, 2, scenario->seed, HELD_OUT, &study, &samples, &diagnostics),
               FW_OK);
  for (size_t run = 0; run < HELD_OUT; run++) {
    own[run] = fwi_sample(&samples, run, 0, slot);
    other[run] = fwi_sample(&samples, run, 1, slot);
  }
  fwi_samples_free(&samples);
  fwi_trained_clear(&trained);
  fw_diagnostics_clear(&diagnostics);
  return fw_estimate_paired(own, other, HELD_OUT).difference;
}

static bool holds_zero(fw_estimate estimate) {
  return estimate.lo <= 0.0 && estimate.hi >= 0.0;
}

Test(group_size, ppo_learns_nothing_and_authority_says_so, .init = make_folder, .fini = remove_folder) {
  fw_scenario *scenario = read_scenario();
  const size_t tokens = fw_metric_slot(FW_METRIC_TOKENS, 0);
  const size_t rate = fw_metric_slot(FW_METRIC_VIOLATION_RATE, 1);
  char path[128];
  double swing = NAN;
  cr_assert_eq(fw_authority_estimate(scenario, 0, FW_ACTUATOR_GROUP_SIZE, &swing, NULL), FW_OK);
  cr_expect_lt(swing, FW_AUTHORITY_THRESHOLD, "group size: %g", swing);
  train(scenario, PLAN("group_size"), "group", path);
  cr_expect(holds_zero(against_uncontrolled(scenario, path, tokens)));
  cr_expect(holds_zero(against_uncontrolled(scenario, path, rate)));
  fw_scenario_free(scenario);
}

/* The control: an actuator with authority, and the same training. Uncontrolled, 17 % of the time is above the budget at
 * 30 s; the limit asked for is 2 %, so a policy that has learned lies at least 10 points lower. */
Test(group_size, on_concurrency_the_same_training_learns, .init = make_folder, .fini = remove_folder) {
  fw_scenario *scenario = read_scenario();
  const size_t rate = fw_metric_slot(FW_METRIC_VIOLATION_RATE, 1);
  char path[128];
  double swing = NAN;
  cr_assert_eq(fw_authority_estimate(scenario, 0, FW_ACTUATOR_CONCURRENCY, &swing, NULL), FW_OK);
  cr_expect_gt(swing, FW_AUTHORITY_THRESHOLD, "concurrency: %g", swing);
  train(scenario, PLAN("concurrency"), "concurrency", path);
  const fw_estimate difference = against_uncontrolled(scenario, path, rate);
  cr_expect_lt(difference.hi, -0.10, "%g points", 100.0 * difference.mean);
  fw_scenario_free(scenario);
}

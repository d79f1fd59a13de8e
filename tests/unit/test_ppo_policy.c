/* The policy "ppo" in scenarios: its weights are found, hashed, checked against the job, and give the same run again.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/fleet/run.h"
#include "sim/scenario/arm.h"
#include "sim/study/train/ppo_environment.h"

static char folder[64];

static void make_folder(void) {
  (void)snprintf(folder, sizeof folder, "/tmp/fleetwatt-ppo-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  cr_expect_eq(system(command), 0);
}

#define SCENARIO(levels, policy)                                                                                       \
  "{\"fleetwatt\": 1, \"name\": \"t\", \"duration_s\": 400, \"windows_s\": [10, 30], \"gpu\": \"a100-sxm4-80gb\", "    \
  "\"budget_w\": 549, \"jobs\": [{\"kind\": \"grpo\", \"class\": \"72b\", \"model\": \"a100/qwen2.5-72b-awq\", "       \
  "\"actuators\": {\"concurrency\": " levels "}}]" policy "}"
#define PPO(settings) ", \"policies\": [{\"name\": \"p\", \"job\": {\"kind\": \"ppo\", " settings "}}]"

static fw_status parse(const char *text, fw_scenario **out, fw_diagnostics *diagnostics) {
  char path[128];
  const fw_scenario_overrides overrides = {.share = FW_SOURCE_DIR};
  (void)snprintf(path, sizeof path, "%s/scenario.json", folder);
  *out = NULL;
  return fw_scenario_parse(text, strlen(text), path, &overrides, out, diagnostics);
}

static fw_scenario *parsed(const char *text) {
  fw_scenario *scenario = NULL;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = parse(text, &scenario, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s", diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  fw_diagnostics_clear(&diagnostics);
  return scenario;
}

/* Fresh networks for the job with levels 1, 2, 4, 8, as FOLDER/NAME. */
static void write_weights(const char *name, uint64_t seed) {
  fw_scenario *scenario = parsed(SCENARIO("[1, 2, 4, 8]", ""));
  fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  fw_ppo_task task = {
      .scenario = scenario, .actuators = 1u << FW_ACTUATOR_CONCURRENCY, .horizon = FW_NS_PER_S, .runs = 1};
  fw_ppo_trainer *trainer = NULL;
  fw_text schema = FW_TEXT_INIT;
  char path[128];
  cr_assert_eq(fw_ppo_task_prepare(&task, NULL), FW_OK);
  fw_job_view_schema(&task.view, &schema);
  const fw_ppo_problem problem = {.environment = &fw_ppo_simulation,
                                  .task = &task,
                                  .space = task.view.space,
                                  .agent_count = task.agent_count,
                                  .schema = schema.data,
                                  .cost_limit = {0.01, 0.02}};
  config.environments = 1;
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  cr_assert_eq(fw_ppo_trainer_create(&config, &problem, seed, 1, &trainer, NULL), FW_OK);
  cr_assert_eq(fw_ppo_trainer_save_weights(trainer, path, NULL), FW_OK);
  fw_ppo_trainer_destroy(trainer);
  fw_text_clear(&schema);
  fw_ppo_task_clear(&task);
  fw_scenario_free(scenario);
}

static int64_t tokens_of(const char *text) {
  fw_scenario *scenario = parsed(text);
  fw_result result = {0};
  const fw_run_options options = {.seed = 3};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = fw_run(scenario, &options, &result, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s", diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  const int64_t tokens = result.tokens;
  fw_diagnostics_clear(&diagnostics);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
  return tokens;
}

Test(ppo_policy, runs_by_name_and_by_file, .init = make_folder, .fini = remove_folder) {
  write_weights("w.safetensors", 1);
  const int64_t named = tokens_of(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"w\"")));
  cr_expect_eq(tokens_of(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"w.safetensors\""))), named);
  const int64_t sampled = tokens_of(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"w\", \"sampled\": true")));
  cr_expect_eq(tokens_of(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"w\", \"sampled\": true"))), sampled);
  cr_expect_neq(sampled, named, "fresh networks choose almost evenly");
}

Test(ppo_policy, weights_are_part_of_the_scenario, .init = make_folder, .fini = remove_folder) {
  char first[17];
  write_weights("w.safetensors", 1);
  fw_scenario *scenario = parsed(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"w\"")));
  memcpy(first, scenario->hash, sizeof first);
  cr_expect_eq(scenario->policies[0].job->drives(scenario->policies[0].job_settings), 1u << FW_ACTUATOR_CONCURRENCY);
  fw_scenario_free(scenario);
  write_weights("w.safetensors", 2);
  scenario = parsed(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"w\"")));
  cr_expect_str_neq(scenario->hash, first);
  fw_scenario_free(scenario);
}

Test(ppo_policy, says_where_it_looked, .init = make_folder, .fini = remove_folder) {
  fw_scenario *scenario = NULL;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_expect_eq(parse(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"none\"")), &scenario, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, folder), "%s", diagnostics.entries[0].message);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "/policies/weights/none.safetensors"));
  cr_expect_str_eq(diagnostics.entries[0].path, "policies[0].job.weights");
  fw_diagnostics_clear(&diagnostics);
}

/* A file that is no weight file, and weights for another job, are refused when the scenario is read. */
Test(ppo_policy, takes_no_weights_but_its_own, .init = make_folder, .fini = remove_folder) {
  char path[128];
  fw_scenario *scenario = NULL;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  (void)snprintf(path, sizeof path, "%s/bad.safetensors", folder);
  cr_assert_eq(fw_file_write(path, "12345678{}", 10, NULL), FW_OK);
  cr_expect_eq(parse(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"bad\"")), &scenario, &diagnostics), FW_ERROR_INPUT);
  fw_diagnostics_clear(&diagnostics);
  write_weights("w.safetensors", 1);
  cr_expect_eq(parse(SCENARIO("[1, 2, 6, 8]", PPO("\"weights\":\n\"w\"")), &scenario, &diagnostics), FW_ERROR_INPUT);
  cr_expect_eq(diagnostics.entries[0].line, 2);
  cr_expect_str_eq(diagnostics.entries[0].path, "policies[0].job.weights");
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "concurrency: 1 2 4 8"), "%s",
                     diagnostics.entries[0].message);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "concurrency: 1 2 6 8"));
  fw_diagnostics_clear(&diagnostics);
  cr_expect_eq(parse(SCENARIO("[8]", PPO("\"weights\":\n\"w\"")), &scenario, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "does not offer \"concurrency\""));
  cr_expect_str_eq(diagnostics.entries[0].path, "policies[0].job");
  fw_diagnostics_clear(&diagnostics);
}

/* Levels that a shield forbids are masked in the network's heads: the most likely of the others is taken. */
Test(ppo_policy, chooses_among_what_a_shield_allows, .init = make_folder, .fini = remove_folder) {
  write_weights("w.safetensors", 1);
  fw_scenario *scenario = parsed(SCENARIO("[1, 2, 4, 8]", PPO("\"weights\": \"w\"")));
  const fw_scenario_policy *arm = &scenario->policies[0];
  const fw_job_setup setup = fw_scenario_job_setup(scenario, 0, 1);
  double order[4];
  uint32_t masked = 0;
  for (size_t left = 4; left > 0; left--) { /* what was taken is forbidden next, so levels come by their likelihood */
    void *state = NULL;
    cr_assert_eq(arm->job->create(arm->job_settings, &setup, NULL, &state, NULL), FW_OK);
    fw_job_observation seen = {.settings = {[FW_ACTUATOR_CONCURRENCY] = 8},
                               .masked = {[FW_ACTUATOR_CONCURRENCY] = masked}};
    fw_job_action action = {.set = 0};
    cr_assert_eq(arm->job->decide_job(state, &seen, &action, NULL), FW_OK);
    const double taken = action.settings[FW_ACTUATOR_CONCURRENCY];
    const uint32_t bit = taken == 1 ? 1 : taken == 2 ? 2 : taken == 4 ? 4 : taken == 8 ? 8 : 0;
    cr_assert(bit != 0 && (masked & bit) == 0, "%g of mask %u", taken, masked);
    order[4 - left] = taken;
    masked |= bit;
    arm->job->destroy(state);
  }
  cr_assert_eq(masked, 15);
  for (uint32_t mask = 0; mask < 15; mask++) { /* under any mask: the first of that order which it allows */
    void *state = NULL;
    size_t first = 0;
    while (((mask >> (uint32_t)(order[first] == 8 ? 3 : order[first] / 2)) & 1u) != 0)
      first++;
    cr_assert_eq(arm->job->create(arm->job_settings, &setup, NULL, &state, NULL), FW_OK);
    fw_job_observation seen = {.settings = {[FW_ACTUATOR_CONCURRENCY] = 8},
                               .masked = {[FW_ACTUATOR_CONCURRENCY] = mask}};
    fw_job_action action = {.set = 0};
    cr_assert_eq(arm->job->decide_job(state, &seen, &action, NULL), FW_OK);
    cr_expect_eq(action.settings[FW_ACTUATOR_CONCURRENCY], order[first], "mask %u", mask);
    arm->job->destroy(state);
  }
  fw_scenario_free(scenario);
}

/* Where the shield leaves nothing but one sequence, the trained policy is that static setting. */
Test(ppo_policy, under_a_shield_that_leaves_one_level_takes_it, .init = make_folder, .fini = remove_folder) {
  write_weights("w.safetensors", 1);
  const int64_t shielded =
      tokens_of(SCENARIO("[1, 2, 4, 8]", ", \"policies\": [{\"name\": \"p\", \"job\": {\"kind\": \"ppo\", "
                                         "\"weights\": \"w\"}, \"shield\": {\"share\": 0.1}}]"));
  const int64_t one = tokens_of(SCENARIO(
      "[1, 2, 4, 8]", ", \"policies\": [{\"name\": \"s\", \"job\": {\"kind\": \"static\", \"concurrency\": 1}}]"));
  cr_expect_eq(shielded, one);
}

/* Trainings on a short scenario: what is kept, that seeds repeat and resume to the byte, and what evaluation says. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/study/train/evaluate.h"
#include "sim/study/train/train.h"

static char folder[64];

static void make_folder(void) {
  (void)snprintf(folder, sizeof folder, "/tmp/fleetwatt-train-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  cr_expect_eq(system(command), 0);
}

static fw_scenario *short_scenario(void) {
  fw_scenario *scenario = NULL;
  const fw_scenario_overrides overrides = {.seeds = 8, .duration = 300 * FW_NS_PER_S, .share = FW_SOURCE_DIR};
  cr_assert_eq(fw_scenario_read(FW_SOURCE_DIR "/scenarios/job72b-live.json", &overrides, &scenario, NULL), FW_OK);
  return scenario;
}

/* Twelve iterations of 128 decisions. */
static fw_train_plan small_plan(void) {
  fw_train_plan plan;
  static const char text[] =
      "{\"fleetwatt_training\": 1, \"limit\": 0.0227, \"seeds\": 2, \"seed\": 4, \"runs\": 50, \"validation_runs\": 4, "
      "\"validate_every\": 2, \"ppo\": {\"decisions\": 1536, \"anneal_decisions\": 1536, \"environments\": 4, "
      "\"rollout\": 32, \"epochs\": 2, \"minibatches\": 2, \"width\": \"32\"}}";
  fw_json *document = NULL;
  cr_assert_eq(fw_json_parse(text, strlen(text), "plan", &document, NULL), FW_OK);
  cr_assert_eq(fw_record_decode(&fw_train_plan_record, fw_json_root(document), &plan, NULL), FW_OK);
  fw_json_free(document);
  return plan;
}

static char *path_of(const char *name) {
  static char path[4][128];
  static size_t next;
  char *own = path[next++ % 4];
  (void)snprintf(own, sizeof path[0], "%s/%s", folder, name);
  return own;
}

static uint64_t file_hash(const char *name) {
  fw_text bytes = FW_TEXT_INIT;
  uint64_t hash = UINT64_C(14695981039346656037);
  cr_assert_eq(fw_file_read(path_of(name), SIZE_MAX / 2, &bytes, NULL), FW_OK, "%s", name);
  for (size_t i = 0; i < bytes.length; i++)
    hash = (hash ^ (unsigned char)bytes.data[i]) * UINT64_C(1099511628211);
  fw_text_clear(&bytes);
  return hash;
}

static bool there(const char *name) {
  return access(path_of(name), F_OK) == 0;
}

/* Stops a training after so many iterations. */
typedef struct stopper {
  size_t after;
  volatile sig_atomic_t stop;
} stopper;

static void count(void *context, size_t done, size_t total) {
  stopper *work = context;
  (void)total;
  work->stop = done >= work->after;
}

static fw_status train(const fw_scenario *scenario, const fw_train_plan *plan, const char *out, bool resume,
                       unsigned threads, stopper *stop, fw_train_result *result) {
  const fw_train_options options = {.scenario = scenario,
                                    .plan = plan,
                                    .output = path_of(out),
                                    .resume = resume,
                                    .study = {.threads = threads,
                                              .progress = stop != NULL ? count : NULL,
                                              .progress_context = stop,
                                              .cancel = stop != NULL ? &stop->stop : NULL}};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = fw_train(&options, result, &diagnostics);
  fw_diagnostics_clear(&diagnostics);
  return status;
}

static void train_whole(const fw_scenario *scenario, const fw_train_plan *plan, const char *out, unsigned threads,
                        fw_train_result *result) {
  cr_assert_eq(train(scenario, plan, out, false, threads, NULL, result), FW_OK);
}

Test(train, leaves_what_it_says_and_nothing_else, .init = make_folder, .fini = remove_folder) {
  fw_scenario *scenario = short_scenario();
  const fw_train_plan plan = small_plan();
  fw_train_result result;
  train_whole(scenario, &plan, "out", 2, &result);
  cr_assert_eq(result.seed_count, 2);
  cr_expect_eq(result.seeds[0].seed, 4);
  cr_expect_eq(result.seeds[1].seed, 5);
  cr_expect_eq(result.seeds[1].decisions, 1536);
  cr_expect_gt(result.seeds[0].best.iteration, 0);
  cr_expect_eq(file_hash(result.chosen == 0 ? "out-4.safetensors" : "out-5.safetensors"), file_hash("out.safetensors"));
  cr_expect(there("out-4.csv") && there("out-5.csv"));
  cr_expect_not(there("out-4.checkpoint"));
  fw_train_clear(&result);
  fw_scenario_free(scenario);
}

/* Weights and logs are the same for one thread and for two, and whether a training was stopped or not: at any of its
 * iterations, between two checks or at one. */
Test(train, resumes_to_the_byte, .init = make_folder, .fini = remove_folder) {
  fw_scenario *scenario = short_scenario();
  const fw_train_plan plan = small_plan();
  fw_train_result result;
  train_whole(scenario, &plan, "whole", 2, &result);
  fw_train_clear(&result);
  train_whole(scenario, &plan, "alone", 1, &result);
  fw_train_clear(&result);
  for (size_t after = 1; after < 24; after += 6) {
    stopper stop = {.after = after};
    cr_expect_eq(train(scenario, &plan, "stopped", false, 2, &stop, &result), FW_ERROR_FAULT);
    cr_assert_eq(train(scenario, &plan, "stopped", true, 2, NULL, &result), FW_OK, "stopped after %zu", after);
    fw_train_clear(&result);
    cr_expect_eq(file_hash("stopped-4.safetensors"), file_hash("whole-4.safetensors"), "after %zu", after);
    cr_expect_eq(file_hash("stopped-5.csv"), file_hash("whole-5.csv"), "after %zu", after);
    cr_expect_eq(file_hash("stopped.safetensors"), file_hash("whole.safetensors"), "after %zu", after);
  }
  cr_expect_eq(file_hash("alone-4.safetensors"), file_hash("whole-4.safetensors"));
  cr_expect_eq(file_hash("alone-5.csv"), file_hash("whole-5.csv"));
  fw_scenario_free(scenario);
}

Test(train, refuses_plans_that_do_not_fit, .init = make_folder, .fini = remove_folder) {
  fw_scenario *scenario = short_scenario();
  fw_train_plan plan = small_plan();
  fw_train_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  plan.window = 31 * FW_NS_PER_S;
  const fw_train_options options = {.scenario = scenario, .plan = &plan, .output = path_of("none")};
  cr_expect_eq(fw_train(&options, &result, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "31"), "%s", diagnostics.entries[0].message);
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

/* ---- Evaluation ---- */

static fw_status evaluate(const fw_scenario *scenario, const char *const *weights, size_t weight_count,
                          unsigned threads, fw_evaluate_result *out, fw_diagnostics *diagnostics) {
  const fw_evaluate_options options = {.scenario = scenario,
                                       .weights = weights,
                                       .weight_count = weight_count,
                                       .window = 30 * FW_NS_PER_S,
                                       .limit = 0.025,
                                       .study = {.threads = threads}};
  return fw_evaluate(&options, out, diagnostics);
}

Test(evaluate, counts_every_policy_and_never_the_best_alone, .init = make_folder, .fini = remove_folder) {
  fw_scenario *scenario = short_scenario();
  fw_train_plan plan = small_plan();
  fw_train_result trained;
  char paths[6][128];
  const char *weights[6];
  plan.seeds = 5;
  plan.ppo.decisions = 512;
  train_whole(scenario, &plan, "out", 2, &trained);
  fw_train_clear(&trained);
  for (int i = 0; i < 6; i++) {
    (void)snprintf(paths[i], sizeof paths[i], "%s/out-%d.safetensors", folder, 4 + i % 5);
    weights[i] = paths[i];
  }
  fw_evaluate_result result;
  fw_evaluate_result again;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(evaluate(scenario, weights, 5, 1, &result, &diagnostics), FW_OK);
  cr_assert_eq(evaluate(scenario, weights, 5, 2, &again, &diagnostics), FW_OK);
  size_t passed = 0;
  for (size_t i = 0; i < 5; i++) {
    cr_expect_eq(result.policies[i].seed, 4 + i);
    passed += result.policies[i].rate[result.window].mean <= 0.025;
    cr_expect(result.policies[i].tokens.mean >= result.tokens_least &&
              result.policies[i].tokens.mean <= result.tokens_most);
  }
  cr_expect_eq(result.passed, passed);
  cr_expect(result.tokens.lo <= result.tokens.mean && result.tokens.mean <= result.tokens.hi);
  cr_expect_eq(memcmp(&result.tokens, &again.tokens, sizeof result.tokens), 0, "threads do not show");
  fw_evaluate_clear(&again);
  cr_assert_eq(evaluate(scenario, weights, 4, 1, &again, &diagnostics), FW_OK);
  cr_assert_eq(diagnostics.count, 1, "too few for an interval");
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "at least 5"));
  cr_expect(isnan(again.tokens.mean) && isnan(again.rate[0].lo) && isnan(again.pass_rate.hi));
  for (size_t i = 0; i < 4; i++)
    cr_expect_eq(memcmp(&again.policies[i].tokens, &result.policies[i].tokens, sizeof(fw_estimate)), 0);
  fw_evaluate_clear(&again);
  cr_expect_eq(evaluate(scenario, weights, 1, 1, &again, &diagnostics), FW_ERROR_INPUT, "one alone");
  cr_expect_eq(evaluate(scenario, weights, 6, 1, &again, &diagnostics), FW_ERROR_INPUT, "one seed twice");
  fw_diagnostics_clear(&diagnostics);
  fw_evaluate_clear(&result);
  fw_scenario_free(scenario);
}

/* Case RLP: training and evaluation may have the same numbers for their seeds; their runs have not. */
Test(evaluate, training_and_held_out_runs_are_disjoint) {
  fw_scenario *scenario = short_scenario();
  const fw_train_plan plan = small_plan();
  fw_ppo_task task;
  cr_assert_eq(fw_train_task(&plan, scenario, 0, &task, NULL), FW_OK);
  for (uint64_t seed = 0; seed < 100; seed++) {
    const uint64_t trained = fw_ppo_task_run_seed(&task, FW_PPO_TRAINING_SEED | seed * UINT64_C(0x9e3779b97f4a7c15));
    cr_assert_geq(trained, FW_PPO_TRAINING_SEED);
    cr_assert_lt(trained, FW_PPO_TRAINING_SEED + plan.runs);
  }
  cr_expect_lt(scenario->seed + scenario->seeds, FW_TRAIN_VALIDATION_SEED);
  cr_expect_lt(FW_TRAIN_VALIDATION_SEED + plan.validation_runs, FW_PPO_TRAINING_SEED);
  fw_ppo_task_clear(&task);
  fw_scenario_free(scenario);
}

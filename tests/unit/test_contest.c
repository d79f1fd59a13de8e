/* A contest on a short scenario: every kind is there, tuned with the runs that were given, differences and bound add
 * up. */
#include "sim/study/train/contest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/study/train/train.h"

static char folder[64];

static void make_folder(void) {
  (void)snprintf(folder, sizeof folder, "/tmp/fleetwatt-contest-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  cr_expect_eq(system(command), 0);
}

static const char *in_folder(const char *name) {
  static char path[128];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_text(const char *name, const char *text) {
  cr_assert_eq(fw_file_write(in_folder(name), text, strlen(text), NULL), FW_OK);
}

static const char scenario_text[] =
    "{\"fleetwatt\": 1, \"name\": \"short\", \"seed\": 1, \"seeds\": 6, \"duration_s\": 300, \"windows_s\": [10, 30], "
    "\"gpu\": \"a100-sxm4-80gb\", \"budget_w\": 530, \"budget_schedule\": {\"steps\": [{\"from_s\": 0, \"factor\": 1}, "
    "{\"from_s\": 150, \"factor\": 0.95}]}, \"jobs\": [{\"kind\": \"grpo\", \"class\": \"72b\", \"model\": "
    "\"a100/qwen2.5-72b-awq\", \"prompts\": 105, \"actuators\": {\"concurrency\": [1, 4, 8]}}]}";

static const char plan_text[] =
    "{\"fleetwatt_contest\": 1, \"entries\": [{\"scenario\": \"short.json\", \"limit\": 0.05, \"runs\": 240, "
    "\"weights\": "
    "[\"w-1.safetensors\", \"w-2.safetensors\", \"w-3.safetensors\", \"w-4.safetensors\", \"w-5.safetensors\"]}]}";

static const char training_text[] =
    "{\"fleetwatt_training\": 1, \"limit\": 0.05, \"seeds\": 5, \"runs\": 20, \"validation_runs\": 2, \"ppo\": "
    "{\"decisions\": 64, \"environments\": 2, \"rollout\": 32, \"epochs\": 1, \"minibatches\": 1, \"width\": \"32\"}}";

static void train_five(void) {
  fw_scenario *scenario = NULL;
  fw_train_plan plan;
  fw_train_result result;
  char out[128];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_scenario_overrides overrides = {.share = FW_SOURCE_DIR};
  write_text("short.json", scenario_text);
  write_text("plan.json", plan_text);
  write_text("train.json", training_text);
  cr_assert_eq(fw_scenario_read(in_folder("short.json"), &overrides, &scenario, &diagnostics), FW_OK);
  cr_assert_eq(fw_train_plan_read(in_folder("train.json"), &plan, &diagnostics), FW_OK);
  (void)snprintf(out, sizeof out, "%s/w", folder);
  const fw_train_options options = {.scenario = scenario, .plan = &plan, .output = out, .study = {.threads = 2}};
  cr_assert_eq(fw_train(&options, &result, &diagnostics), FW_OK);
  fw_train_clear(&result);
  fw_record_clear(&fw_train_plan_record, &plan);
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
}

static fw_contest_plan plan;

static fw_contest_result play(unsigned threads) {
  fw_contest_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_study_options study = {.threads = threads};
  char path[128];
  (void)snprintf(path, sizeof path, "%s", in_folder("plan.json"));
  const fw_status status =
      fw_contest(path, (const fw_contest_entry *)plan.entries.data, FW_SOURCE_DIR, &study, &result, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s", diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  fw_diagnostics_clear(&diagnostics);
  return result;
}

static void check_arms(const fw_contest_result *result) {
  /* Arms of each kind: levels; one mix and one schedule at each limit; three signals; random; five trained. */
  static const size_t wanted[FW_CONTEST_KINDS] = {3, 3, 3, 9, 9, 1, 5};
  size_t found[FW_CONTEST_KINDS] = {0};
  bool some_front = false;
  for (size_t i = 0; i < result->arm_count; i++) {
    const fw_contest_arm *arm = &result->arms[i];
    const bool tuned = arm->kind == FW_CONTEST_MIX || arm->kind == FW_CONTEST_SCHEDULE ||
                       arm->kind == FW_CONTEST_THRESHOLD || arm->kind == FW_CONTEST_HYSTERESIS;
    found[arm->kind]++;
    cr_expect_eq(arm->runs, tuned ? 240 : 0, "%s cost %llu runs", arm->name, (unsigned long long)arm->runs);
    some_front = some_front || !arm->dominated;
    /* More than the highest setting makes nobody makes, and nobody passes the bound at a limit of 100 %. */
    cr_expect_leq(arm->tokens.mean, result->arms[2].tokens.mean + 1e-9, "%s", arm->name);
  }
  cr_expect(some_front);
  for (int kind = 0; kind < FW_CONTEST_KINDS; kind++)
    cr_expect_eq(found[kind], wanted[kind], "%s: %zu", fw_contest_kind_names[kind], found[kind]);
}

/* Everybody who keeps the limit stays below the bound. */
static void check_bound(const fw_contest_result *result) {
  for (size_t i = 0; i < result->arm_count; i++) {
    const fw_contest_arm *arm = &result->arms[i];
    if (arm->rate[result->window].mean <= 0.05) {
      cr_expect_leq(arm->tokens.mean, result->bound_at_limit, "%s: %g above %g", arm->name, arm->tokens.mean,
                    result->bound_at_limit);
    }
  }
  cr_expect_lt(result->bound_at_limit, 1.2 * result->arms[2].tokens.mean, "not far above the highest setting");
}

Test(contest, is_whole_and_repeats, .init = make_folder, .fini = remove_folder) {
  train_five();
  cr_assert_eq(fw_contest_plan_read(in_folder("plan.json"), &plan, NULL), FW_OK);
  fw_contest_result one = play(1);
  fw_contest_result two = play(2);
  check_arms(&one);
  check_bound(&one);
  for (int kind = 0; kind < FW_CONTEST_PPO; kind++) {
    const fw_estimate relative = one.differences[kind].relative;
    cr_expect(relative.lo <= relative.mean && relative.mean <= relative.hi, "%s", fw_contest_kind_names[kind]);
    cr_expect_eq(memcmp(&relative, &two.differences[kind].relative, sizeof relative), 0, "threads do not show");
  }
  cr_expect_eq(one.bound_at_limit, two.bound_at_limit);
  fw_contest_clear(&one);
  fw_contest_clear(&two);
  fw_record_clear(&fw_contest_plan_record, &plan);
}

/* The contest of plan_text with one part of it replaced. */
static void refused(const char *from, const char *to, const char *words) {
  fw_contest_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char changed[sizeof plan_text + 64];
  const char *at = strstr(plan_text, from);
  cr_assert_not_null(at, "no %s", from);
  (void)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - plan_text), plan_text, to, at + strlen(from));
  write_text("changed.json", changed);
  cr_assert_eq(fw_contest_plan_read(in_folder("changed.json"), &plan, NULL), FW_OK, "%s", changed);
  cr_expect_eq(fw_contest(in_folder("changed.json"), plan.entries.data, FW_SOURCE_DIR, &(fw_study_options){0}, &result,
                          &diagnostics),
               FW_ERROR_INPUT, "%s", to);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, words), "\"%s\" lacks \"%s\"",
                     diagnostics.entries[0].message, words);
  fw_diagnostics_clear(&diagnostics);
  fw_record_clear(&fw_contest_plan_record, &plan);
}

Test(contest, says_what_it_cannot_fight_about, .init = make_folder, .fini = remove_folder) {
  train_five();
  refused("\"runs\": 240", "\"runs\": 239", "239 runs, and tuning one takes at least 240; raise");
  refused("\"limit\"", "\"window_s\": 20, \"limit\"", "no window of 20 s; give one of its windows_s");
  refused("\"limit\"", "\"classes\": [\"7b\"], \"limit\"", "name classes of jobs with two levels or more");
}

Test(contest, refuses_fewer_than_five_trained, .init = make_folder, .fini = remove_folder) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  write_text("plan.json", "{\"fleetwatt_contest\": 1, \"entries\": [{\"scenario\": \"a\", \"weights\": [\"b\"]}]}");
  cr_expect_eq(fw_contest_plan_read(in_folder("plan.json"), &plan, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "at least 5"), "%s", diagnostics.entries[0].message);
  fw_diagnostics_clear(&diagnostics);
}

/* Reinforcement learning in practice: small inputs that broke other trainers, each with its right answer. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/actor.h"
#include "policies/ppo/advantage.h"
#include "policies/ppo/normaliser.h"
#include "policies/ppo/trainer.h"
#include "sim/base/file.h"
#include "sim/base/json.h"
#include "sim/base/memory.h"
#include "sim/fleet/digest.h"
#include "sim/fleet/run.h"
#include "sim/report/trained_report.h"

#define CASE(name) FW_SOURCE_DIR "/tests/cases/" name

static fw_json *read_case(const char *path) {
  fw_json *document;
  cr_assert_eq(fw_json_read(path, &document, NULL), FW_OK);
  return document;
}

/* The numbers of an array of the document. */
static size_t numbers(const fw_json *document, const char *key, double *out) {
  size_t count = 0;
  const fw_json_value *list = fw_json_get(fw_json_root(document), key);
  cr_assert_not_null(list);
  for (const fw_json_value *v = fw_json_first(list); v != NULL; v = fw_json_next(v))
    out[count++] = fw_json_number(v);
  return count;
}

static double number(const fw_json *document, const char *key) {
  const fw_json_value *value = fw_json_get(fw_json_root(document), key);
  cr_assert_not_null(value);
  return fw_json_number(value);
}

/* --- rlp-frozen-statistics -----------------------------------------------------------------------------------------
 */

Test(rlp, frozen_statistics) {
  fw_json *statistics = read_case(CASE("rlp-frozen-statistics/policy_stats.json"));
  fw_json *seen = read_case(CASE("rlp-frozen-statistics/obs.json"));
  double mean[3], variance[3], observation[3];
  cr_assert_eq(numbers(statistics, "mean", mean), 3);
  cr_assert_eq(numbers(statistics, "var", variance), 3);
  cr_assert_eq(numbers(seen, "obs", observation), 3);
  cr_assert_eq(number(statistics, "eps"), FWI_NORMAL_EPSILON);
  cr_assert_eq(number(statistics, "clip"), FWI_NORMAL_CUT);
  const fwi_normaliser normaliser = {.size = 3, .count = 1000.0, .mean = mean, .variance = variance};
  const float sample[3] = {(float)observation[0], (float)observation[1], (float)observation[2]};
  const double expected[3] = {1.0, -0.7, 9.995853};
  float first[3], again[3];
  fwi_normaliser_apply(&normaliser, sample, 1, first);
  for (size_t i = 0; i < 3; i++)
    cr_expect_float_eq(first[i], expected[i], 5e-6); /* the last digit given, and a float's rounding near 10 */
  for (size_t i = 0; i < 100; i++) {
    const float other[3] = {(float)i, -1.0f, 5.0f};
    fwi_normaliser_apply(&normaliser, other, 1, again);
  }
  fwi_normaliser_apply(&normaliser, sample, 1, again);
  cr_expect_eq(memcmp(first, again, sizeof first), 0);
  fw_json_free(statistics);
  fw_json_free(seen);
}

/* --- rlp-time-limit ------------------------------------------------------------------------------------------------
 */

Test(rlp, time_limit) {
  fw_json *trajectory = read_case(CASE("rlp-time-limit/traj.json"));
  double reward[4], values[4], advantage[4];
  cr_assert_eq(numbers(trajectory, "rewards", reward), 4);
  cr_assert_eq(numbers(trajectory, "values", values), 4);
  fwi_interval intervals[4];
  float value[4], beyond[4] = {0.0f};
  for (size_t k = 0; k < 4; k++) {
    value[k] = (float)values[k];
    intervals[k] = (fwi_interval){.discount = number(trajectory, "gamma"),
                                  .trace = number(trajectory, "lambda"),
                                  .successor = k < 3 ? k + 1 : FWI_NO_SUCCESSOR};
  }
  const double truncated[4] = {-0.277072, -0.198907, -0.126430, -0.060000};
  const double terminated[4] = {-5.218618, -5.453076, -5.713000, -6.000000};
  beyond[3] = (float)number(trajectory, "value_of_successor_of_last"); /* of the state after the cut, not of the last */
  fwi_advantages(intervals, reward, value, beyond, 4, advantage);
  for (size_t k = 0; k < 4; k++)
    cr_expect_float_eq(advantage[k], truncated[k], 5e-7); /* half the last digit */
  beyond[3] = 0.0f;
  fwi_advantages(intervals, reward, value, beyond, 4, advantage);
  for (size_t k = 0; k < 4; k++)
    cr_expect_float_eq(advantage[k], terminated[k], 5e-7);
  fw_json_free(trajectory);
}

/* --- rlp-nan-reward ------------------------------------------------------------------------------------------------
 */

enum { STEPS = 5 };

/* The log: tokens and energy of each step; an energy that is missing is NaN. */
typedef struct log_lines {
  double tokens[STEPS], energy_j[STEPS];
  bool per_joule; /* reward tokens / energy as the log has it; else tokens, which every step has */
} log_lines;

static log_lines read_log(bool per_joule) {
  log_lines log = {.per_joule = per_joule};
  fw_text text = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(CASE("rlp-nan-reward/steps.csv"), 4096, &text, NULL), FW_OK);
  const char *line = strchr(text.data, '\n') + 1;
  for (size_t i = 0; i < STEPS; i++, line = strchr(line, '\n') + 1) {
    const char *tokens = strchr(line, ',') + 1, *energy = strchr(tokens, ',') + 1;
    log.tokens[i] = strtod(tokens, NULL);
    log.energy_j[i] = *energy == ',' ? NAN : strtod(energy, NULL);
  }
  fw_text_clear(&text);
  return log;
}

typedef struct replay {
  const log_lines *log;
  size_t steps;
} replay;

static fw_status replay_create(const void *task, void **state, fw_diagnostics *diagnostics) {
  replay *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a replay");
  made->log = task;
  *state = made;
  return FW_OK;
}

static fw_status replay_reset(void *state, uint64_t episode_seed, fw_diagnostics *diagnostics) {
  (void)episode_seed;
  (void)diagnostics;
  ((replay *)state)->steps = 0;
  return FW_OK;
}

static fw_status replay_advance(void *state, fw_ppo_moment *moment, float *observation, uint8_t *mask,
                                fw_diagnostics *diagnostics) {
  (void)mask;
  (void)diagnostics;
  const replay *r = state;
  observation[0] = (float)r->steps;
  moment->has_outcome = r->steps > 0;
  if (!moment->has_outcome) return FW_OK;
  const double tokens = r->log->tokens[r->steps - 1];
  moment->reward = r->log->per_joule ? tokens / r->log->energy_j[r->steps - 1] : tokens;
  moment->elapsed_s = 55.0;
  moment->truncated = moment->episode_over = r->steps == STEPS;
  return FW_OK;
}

static fw_status replay_act(void *state, uint32_t agent, const uint32_t *choices, fw_diagnostics *diagnostics) {
  (void)agent;
  (void)choices;
  (void)diagnostics;
  ((replay *)state)->steps++;
  return FW_OK;
}

static const fw_ppo_environment_type replay_type = {
    .name = "replay",
    .create = replay_create,
    .destroy = free,
    .reset = replay_reset,
    .advance = replay_advance,
    .act = replay_act,
};

#define POLICY_FILE FW_BINARY_DIR "/test_rlp.safetensors"

/* Trains on the log and saves. */
static fw_status train(const log_lines *log, fw_diagnostics *diagnostics) {
  fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  config.environments = 2;
  config.rollout = 10;
  config.width = FW_PPO_WIDTH_32;
  const fw_ppo_problem problem = {.environment = &replay_type,
                                  .task = log,
                                  .agent_count = 1,
                                  .space = {.observation_size = 1, .head_count = 1, .head_size = {3}},
                                  .schema = "step; any"};
  fw_ppo_trainer *trainer;
  fw_ppo_progress progress;
  cr_assert_eq(fw_ppo_trainer_create(&config, &problem, 1, 1, &trainer, diagnostics), FW_OK);
  fw_status status = fw_ppo_trainer_iterate(trainer, &progress, diagnostics);
  const fw_status saved = fw_ppo_trainer_save_weights(trainer, POLICY_FILE, NULL);
  cr_expect_eq(saved, status, "what failed is not saved, and what did not is");
  fw_ppo_trainer_destroy(trainer);
  return status;
}

Test(rlp, nan_reward) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const log_lines ratio = read_log(true), tokens = read_log(false);
  cr_assert(isnan(ratio.energy_j[2]) && ratio.energy_j[3] == 0.0);
  remove(POLICY_FILE);

  cr_expect_eq(train(&ratio, &diagnostics), FW_ERROR_FAULT);
  cr_expect_eq(fw_status_exit_code(diagnostics.status), 3);
  cr_assert_geq(diagnostics.count, 1);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "the reward of step 2 "), "%s",
                     diagnostics.entries[0].message);
  cr_expect_null(fopen(POLICY_FILE, "rb"), "no policy file is left");
  fw_diagnostics_clear(&diagnostics);

  cr_expect_eq(train(&tokens, &diagnostics), FW_OK); /* a reward that every step has: steps 2 and 3 count 0 */
  fw_ppo_actor *actor;
  cr_assert_eq(fw_ppo_actor_read(POLICY_FILE, &actor, &diagnostics), FW_OK);
  fw_ppo_actor_destroy(actor);
  fw_diagnostics_clear(&diagnostics);
  remove(POLICY_FILE);
  /* that a policy with NaN weights is refused: unit/ppo_weights */
}

/* --- rlp-seeds -----------------------------------------------------------------------------------------------------
 * In the case seed 3 is one of training and of evaluation. Here that is no overlap: runs of training, of validation and
 * held-out ones come from seeds of their own ranges, so the number 3 means another run in each.
 */

enum { TRAINED = 3, SELECTED_ON = 2, HELD_OUT = 3 };

/* The seeds of the case. `held_out` are those of its expectation, which follow one another, as a scenario's do. */
typedef struct case_seeds {
  double train[TRAINED], select[SELECTED_ON], evaluate[HELD_OUT];
} case_seeds;

static const uint64_t held_out[HELD_OUT] = {20, 21, 22};

static size_t listed(const fw_json_value *policy, const char *key, double *out) {
  size_t count = 0;
  for (const fw_json_value *v = fw_json_first(fw_json_get(policy, key)); v != NULL; v = fw_json_next(v))
    out[count++] = fw_json_number(v);
  return count;
}

static case_seeds read_seeds(void) {
  fw_json *document = read_case(CASE("rlp-seeds/train.json"));
  const fw_json_value *policy = fw_json_get(fw_json_root(document), "policy");
  case_seeds seeds;
  cr_assert_eq(listed(policy, "train_seeds", seeds.train), TRAINED);
  cr_assert_eq(listed(policy, "select_on_seeds", seeds.select), SELECTED_ON);
  cr_assert_eq(listed(policy, "evaluate_on_seeds", seeds.evaluate), HELD_OUT);
  fw_json_free(document);
  return seeds;
}

/* A scenario that ships, five minutes long, and the least that can be called a training on it. */
static fw_scenario *short_scenario(uint64_t seed) {
  fw_scenario *scenario;
  const fw_scenario_overrides overrides = {.seeds = HELD_OUT, .duration = 300 * FW_NS_PER_S, .share = FW_SOURCE_DIR};
  cr_assert_eq(fw_scenario_read(FW_SOURCE_DIR "/scenarios/job72b-live.json", &overrides, &scenario, NULL), FW_OK);
  scenario->seed = seed;
  return scenario;
}

static fw_train_plan plan_of(const case_seeds *seeds) {
  fw_train_plan plan;
  fw_json *document;
  static const char text[] = "{\"fleetwatt_training\": 1, \"runs\": 50, \"validate_every\": 1, \"ppo\": "
                             "{\"decisions\": 256, \"environments\": 4, \"rollout\": 32, \"width\": \"32\"}}";
  cr_assert_eq(fw_json_parse(text, strlen(text), "plan", &document, NULL), FW_OK);
  cr_assert_eq(fw_record_decode(&fw_train_plan_record, fw_json_root(document), &plan, NULL), FW_OK);
  fw_json_free(document);
  plan.seed = (uint64_t)seeds->train[0];
  plan.seeds = TRAINED;
  plan.validation_runs = SELECTED_ON;
  return plan;
}

/* A hash of every tick and event of a run. */
static uint64_t digest_of(const fw_scenario *scenario, uint64_t seed) {
  fw_digest digest;
  fw_digest_start(&digest, NULL);
  const fw_run_options options = {.seed = seed, .threads = 1, .observer = &digest.observer};
  fw_result result;
  cr_assert_eq(fw_run(scenario, &options, &result, NULL), FW_OK);
  fw_result_clear(&result);
  return digest.hash;
}

Test(rlp, seeds_of_training_and_evaluation_are_different_runs) {
  const case_seeds seeds = read_seeds();
  const fw_train_plan plan = plan_of(&seeds);
  fw_scenario *scenario = short_scenario(1);
  fw_ppo_task task;
  cr_assert_eq(seeds.train[2], seeds.evaluate[0], "the overlap of the case");
  cr_assert_eq(fw_train_task(&plan, scenario, 0, &task, NULL), FW_OK);
  for (size_t i = 0; i < HELD_OUT; i++) {
    const uint64_t number = (uint64_t)seeds.evaluate[i];
    const uint64_t trained = fw_ppo_task_run_seed(&task, FW_PPO_TRAINING_SEED | number);
    const uint64_t validated = FW_TRAIN_VALIDATION_SEED + number;
    cr_expect_geq(trained, FW_PPO_TRAINING_SEED);
    cr_expect_lt(validated, FW_PPO_TRAINING_SEED);
    const uint64_t run = digest_of(scenario, number);
    cr_expect_eq(run, digest_of(scenario, number));
    cr_expect_neq(run, digest_of(scenario, trained), "run %zu: all 64 bits of a seed count", i);
    cr_expect_neq(run, digest_of(scenario, validated));
    cr_expect_neq(digest_of(scenario, trained), digest_of(scenario, validated));
  }
  fw_ppo_task_clear(&task);
  fw_scenario_free(scenario);
}

#define SEEDS_FILE FW_BINARY_DIR "/test_rlp_seeds"

/* Trains as the case says, into OUT.safetensors (the best) and OUT-1, OUT-2, OUT-3; what training says is added. */
static void train_seeds(const fw_scenario *scenario, fw_text *said) {
  const case_seeds seeds = read_seeds();
  const fw_train_plan plan = plan_of(&seeds);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_train_options options = {.scenario = scenario, .plan = &plan, .output = SEEDS_FILE, .study = {.threads = 2}};
  fw_train_result result;
  cr_assert_eq(fw_train(&options, &result, &diagnostics), FW_OK);
  fw_report_train_json(&result, &diagnostics, said);
  fw_train_clear(&result);
  fw_diagnostics_clear(&diagnostics);
}

static const char *const weights[] = {SEEDS_FILE "-1.safetensors", SEEDS_FILE "-2.safetensors",
                                      SEEDS_FILE "-3.safetensors", SEEDS_FILE ".safetensors"};

static fw_status evaluate(const fw_scenario *scenario, const char *const *paths, size_t count, fw_evaluate_result *out,
                          fw_diagnostics *diagnostics) {
  const fw_evaluate_options options = {.scenario = scenario,
                                       .weights = paths,
                                       .weight_count = count,
                                       .window = 30 * FW_NS_PER_S,
                                       .limit = 0.025,
                                       .study = {.threads = 2}};
  return fw_evaluate(&options, out, diagnostics);
}

/* Trains and evaluates; all that both say is added. */
static void whole_command(const fw_scenario *scenario, fw_evaluate_result *out, fw_text *said) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  train_seeds(scenario, said);
  cr_assert_eq(evaluate(scenario, weights, TRAINED, out, &diagnostics), FW_OK);
  cr_assert_eq(diagnostics.count, 1, "three are too few for an interval over policies");
  fw_report_evaluate_json(out, &diagnostics, said);
  fw_report_evaluate_text(out, &diagnostics, said);
  fw_diagnostics_clear(&diagnostics);
}

static double least_of(double a, double b) {
  return a < b ? a : b;
}

static void expect_report(const fw_evaluate_result *result, const char *text) {
  const double a = result->policies[0].tokens.mean, b = result->policies[1].tokens.mean,
               c = result->policies[2].tokens.mean;
  const double least = least_of(a, least_of(b, c)), most = -least_of(-a, least_of(-b, -c));
  size_t passed = 0;
  char line[128];
  cr_assert_eq(result->policy_count, TRAINED);
  for (size_t i = 0; i < TRAINED; i++) {
    cr_expect_eq(result->policies[i].seed, i + 1);
    passed += result->policies[i].rate[result->window].mean <= 0.025;
    (void)snprintf(line, sizeof line, "\n  %zu  ", i + 1);
    cr_expect_not_null(strstr(text, line), "a line for training seed %zu", i + 1);
  }
  const double middle = a + b + c - least - most;
  (void)snprintf(line, sizeof line, "median %.0f, %.0f to %.0f", middle, least, most);
  cr_expect_not_null(strstr(text, line), "%s in %s", line, text);
  (void)snprintf(line, sizeof line, "\n%zu of 3 pass", passed);
  cr_expect_not_null(strstr(text, line), "%s in %s", line, text);
  cr_expect_null(strstr(text, "IQM"), "no interval that three policies cannot carry");
  cr_expect_not_null(strstr(text, "note: 3 trained policies say little about training"));
}

static void remove_seeds(void) {
  static const char *const ends[] = {".safetensors", "-1.safetensors", "-2.safetensors", "-3.safetensors",
                                     "-1.csv",       "-2.csv",         "-3.csv"};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    char path[sizeof SEEDS_FILE + 32];
    (void)snprintf(path, sizeof path, SEEDS_FILE "%s", ends[i]);
    (void)remove(path);
  }
}

Test(rlp, seeds_are_all_reported, .fini = remove_seeds) {
  fw_scenario *scenario = short_scenario(held_out[0]);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_text first = FW_TEXT_INIT, again = FW_TEXT_INIT;
  fw_evaluate_result result, none;
  whole_command(scenario, &result, &first);
  expect_report(&result, strstr(first.data, "3 trained policies on 3 held-out runs"));
  fw_evaluate_clear(&result);
  whole_command(scenario, &result, &again);
  fw_evaluate_clear(&result);
  cr_expect_str_eq(first.data, again.data, "the same command twice");

  cr_expect_eq(evaluate(scenario, weights + TRAINED, 1, &none, &diagnostics), FW_ERROR_INPUT, "the best alone");
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "give those of all training seeds"));
  fw_diagnostics_clear(&diagnostics);
  cr_expect_eq(evaluate(scenario, weights, TRAINED + 1, &none, &diagnostics), FW_ERROR_INPUT, "the best twice");
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "give each training once"));
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&first);
  fw_text_clear(&again);
  fw_scenario_free(scenario);
}

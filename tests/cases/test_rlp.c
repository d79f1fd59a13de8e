/* Reinforcement learning in practice: small inputs that broke other trainers, each with its right answer. rlp-seeds is
 * tested with the evaluation. */
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

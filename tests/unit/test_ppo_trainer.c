/* The trainer as a whole: what it comes to depends neither on threads nor on being stopped, and what an environment
 * does wrong ends it with a message. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/ppo/actor.h"
#include "policies/ppo/trainer_state.h"
#include "sim/base/file.h"
#include "tests/support/relay_task.h"

#define TEMPORARY(name) FW_BINARY_DIR "/test_ppo_trainer_" name ".safetensors"

static const relay_task task = {0.0};

static fw_ppo_trainer *start(const fw_ppo_config *config, uint64_t seed, size_t threads) {
  const fw_ppo_problem problem = relay_problem(&task);
  fw_ppo_trainer *trainer;
  cr_assert_eq(fw_ppo_trainer_create(config, &problem, seed, threads, &trainer, NULL), FW_OK);
  return trainer;
}

static fw_ppo_progress run(fw_ppo_trainer *trainer, size_t iterations) {
  fw_ppo_progress progress = {0};
  for (size_t i = 0; i < iterations; i++)
    cr_assert_eq(fw_ppo_trainer_iterate(trainer, &progress, NULL), FW_OK);
  return progress;
}

/* The whole state, as a checkpoint holds it. */
static fw_text saved(const fw_ppo_trainer *trainer, const char *path) {
  fw_text bytes = FW_TEXT_INIT;
  cr_assert_eq(fw_ppo_trainer_save(trainer, path, NULL), FW_OK);
  cr_assert_eq(fw_file_read(path, FW_PPO_FILE_LIMIT, &bytes, NULL), FW_OK);
  remove(path);
  return bytes;
}

static void expect_same(fw_text a, fw_text b) {
  cr_expect_eq(a.length, b.length);
  cr_expect(a.length == b.length && memcmp(a.data, b.data, a.length) == 0);
  fw_text_clear(&a);
  fw_text_clear(&b);
}

Test(ppo_trainer, is_the_same_for_any_number_of_threads) {
  const fw_ppo_config config = relay_config();
  fw_ppo_trainer *one = start(&config, 3, 1);
  run(one, 4);
  for (size_t threads = 2; threads <= 4; threads += 2) {
    fw_ppo_trainer *more = start(&config, 3, threads);
    run(more, 4);
    cr_expect_eq(fw_ppo_trainer_hash(more), fw_ppo_trainer_hash(one), "%zu threads", threads);
    expect_same(saved(one, TEMPORARY("one")), saved(more, TEMPORARY("more")));
    fw_ppo_trainer_destroy(more);
  }
  fw_ppo_trainer *other = start(&config, 4, 1);
  run(other, 4);
  cr_expect_neq(fw_ppo_trainer_hash(other), fw_ppo_trainer_hash(one), "another seed is another training");
  fw_ppo_trainer_destroy(other);
  fw_ppo_trainer_destroy(one);
}

/* The weights that this training came to where the test was written. They are the same with gcc and clang, with and
 * without optimisation, AVX2 or FMA: the test runs in every preset. Changes with anything that changes what is learned.
 */
Test(ppo_trainer, comes_to_the_same_bits_everywhere) {
  const fw_ppo_config config = relay_config();
  fw_ppo_trainer *trainer = start(&config, 3, 1);
  run(trainer, 6);
  cr_expect_eq(fw_ppo_trainer_hash(trainer), UINT64_C(0x8020ebd6f3639bbe), "%016llx",
               (unsigned long long)fw_ppo_trainer_hash(trainer));
  fw_ppo_trainer_destroy(trainer);
}

/* Stopped after every iteration, with another number of threads each time. */
Test(ppo_trainer, resumed_is_the_same_as_uninterrupted) {
  const fw_ppo_config config = relay_config();
  const fw_ppo_problem problem = relay_problem(&task);
  fw_ppo_trainer *whole = start(&config, 5, 1), *parts = start(&config, 5, 2);
  for (size_t i = 0; i < 4; i++) {
    const fw_ppo_progress expected = run(whole, 1), got = run(parts, 1);
    cr_expect_eq(memcmp(&expected, &got, sizeof got), 0, "iteration %zu", i + 1);
    cr_assert_eq(fw_ppo_trainer_save(parts, TEMPORARY("parts"), NULL), FW_OK);
    fw_ppo_trainer_destroy(parts);
    cr_assert_eq(fw_ppo_trainer_load(TEMPORARY("parts"), &problem, 0, 1 + i % 2, &parts, NULL), FW_OK);
  }
  cr_expect_eq(fw_ppo_trainer_hash(whole), fw_ppo_trainer_hash(parts));
  remove(TEMPORARY("parts"));
  expect_same(saved(whole, TEMPORARY("whole")), saved(parts, TEMPORARY("parts")));
  fw_ppo_trainer_destroy(whole);
  fw_ppo_trainer_destroy(parts);
}

/* More decisions in all change nothing in those already made (the learning rate falls on a schedule of its own). */
Test(ppo_trainer, a_longer_training_begins_like_a_shorter_one) {
  fw_ppo_config config = relay_config();
  fw_ppo_trainer *shorter = start(&config, 6, 1);
  config.decisions = 10 * config.decisions;
  fw_ppo_trainer *longer = start(&config, 6, 1);
  run(shorter, 3);
  run(longer, 3);
  cr_expect_eq(fw_ppo_trainer_hash(shorter), fw_ppo_trainer_hash(longer));
  fw_ppo_trainer_destroy(shorter);
  fw_ppo_trainer_destroy(longer);
}

/* A rollout holds, of each environment, its next decisions in the order in which they finished: the task played again
 * with the actions of the first rollout gives the same outcomes. Values after open ends are those of the critics. */
Test(ppo_trainer, a_rollout_holds_what_happened) {
  const fw_ppo_config config = relay_config();
  fw_ppo_trainer *trainer = start(&config, 8, 1);
  cr_assert_eq(fwi_collector_collect(&trainer->collector, NULL), FW_OK);
  const fwi_rollout *rollout = &trainer->collector.rollout;
  for (size_t e = 0; e < rollout->environments; e++) {
    double last_s[RELAY_AGENTS] = {0.0}; /* each agent's clock never runs backwards by more than an episode */
    size_t ended = 0;
    for (size_t k = 0; k < rollout->length; k++) {
      const size_t row = e * rollout->length + k;
      const uint32_t *choices = rollout->batch.choices + row * 2;
      cr_assert_lt(rollout->agent[row], RELAY_AGENTS);
      cr_assert_geq(rollout->elapsed_s[row], 0.5 + 0.25 * choices[1]); /* the delay is the second choice */
      cr_assert_eq(rollout->cost[0][row], choices[0] == 2 ? rollout->elapsed_s[row] : 0.0);
      cr_assert(rollout->batch.mask[row * 5 + choices[0]], "only what the mask allows is chosen");
      last_s[rollout->agent[row]] += rollout->elapsed_s[row];
      const bool ends = rollout->ending[row] != FWI_GOES_ON;
      cr_assert(!ends || last_s[rollout->agent[row]] <= 44.0, "an episode is cut after 40 s");
      if (ends) last_s[rollout->agent[row]] = 0.0;
      ended += ends;
      if (rollout->ending[row] == FWI_TERMINATED) cr_assert_eq(rollout->beyond[0][row], 0.0f);
      if (rollout->ending[row] == FWI_TRUNCATED) cr_assert_neq(rollout->beyond[0][row], 0.0f);
    }
    cr_assert_gt(ended, 0);
  }
  fw_ppo_trainer_destroy(trainer);
}

Test(ppo_trainer, learns_what_is_to_be_learned) {
  fw_ppo_config config = relay_config();
  config.learning_rate = 1e-3;
  config.environments = 16;
  fw_ppo_trainer *trainer = start(&config, 1, 2);
  const fw_ppo_progress first = run(trainer, 1), last = run(trainer, 60);
  /* chance earns 0; the middle choice whenever it is liked, nothing else, 0.25: at least 0.15 of that */
  cr_expect_gt(last.reward_rate, first.reward_rate + 0.15);
  cr_expect_lt(last.cost_rate[0], 0.15);              /* limited to 0.1; chance gives 0.3 */
  cr_expect_float_eq(last.cost_rate[1], 0.25, 1e-12); /* which nobody can change; rounding */
  cr_expect_eq(last.multiplier[1], 0.0);
  cr_expect_gt(last.episodes, 0);
  fw_ppo_trainer_destroy(trainer);
}

static void expect_refusal(fw_status status, fw_diagnostics *diagnostics, const char *words) {
  cr_expect_neq(status, FW_OK);
  cr_assert_geq(diagnostics->count, 1);
  cr_expect_not_null(strstr(diagnostics->entries[0].message, words), "\"%s\" lacks \"%s\"",
                     diagnostics->entries[0].message, words);
  fw_diagnostics_clear(diagnostics);
}

/* A NaN stops the training by name, and nothing is saved from then on; the last good file stays. */
Test(ppo_trainer, a_reward_that_is_not_finite_ends_it) {
  const relay_task broken = {.nan_after_s = 39.0};
  const fw_ppo_config config = relay_config();
  const fw_ppo_problem problem = relay_problem(&broken);
  fw_ppo_trainer *trainer;
  fw_ppo_progress progress;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_ppo_trainer_create(&config, &problem, 1, 2, &trainer, NULL), FW_OK);
  expect_refusal(fw_ppo_trainer_iterate(trainer, &progress, &diagnostics), &diagnostics, "the reward of step");
  expect_refusal(fw_ppo_trainer_iterate(trainer, &progress, &diagnostics), &diagnostics, "an earlier iteration failed");
  expect_refusal(fw_ppo_trainer_save(trainer, TEMPORARY("nan"), &diagnostics), &diagnostics, "not saved");
  expect_refusal(fw_ppo_trainer_save_weights(trainer, TEMPORARY("nan"), &diagnostics), &diagnostics, "not saved");
  cr_expect_null(fopen(TEMPORARY("nan"), "rb"));
  fw_ppo_trainer_destroy(trainer);
}

Test(ppo_trainer, a_checkpoint_of_another_problem_is_refused) {
  const fw_ppo_config config = relay_config();
  fw_ppo_trainer *trainer = start(&config, 2, 1), *loaded;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  run(trainer, 1);
  cr_assert_eq(fw_ppo_trainer_save(trainer, TEMPORARY("other"), NULL), FW_OK);
  fw_ppo_problem problem = relay_problem(&task);
  problem.schema = "something else";
  expect_refusal(fw_ppo_trainer_load(TEMPORARY("other"), &problem, 0, 1, &loaded, &diagnostics), &diagnostics,
                 "another problem");
  problem = relay_problem(&task);
  problem.cost_limit[0] = 0.2;
  expect_refusal(fw_ppo_trainer_load(TEMPORARY("other"), &problem, 0, 1, &loaded, &diagnostics), &diagnostics,
                 "another problem");
  problem = relay_problem(&task);
  cr_assert_eq(fw_ppo_trainer_save_weights(trainer, TEMPORARY("other"), NULL), FW_OK);
  expect_refusal(fw_ppo_trainer_load(TEMPORARY("other"), &problem, 0, 1, &loaded, &diagnostics), &diagnostics,
                 "without the state of a training");
  remove(TEMPORARY("other"));
  fw_ppo_trainer_destroy(trainer);
}

/* The same actions from the same file, before and after many others, and the same as the trainer's own networks give.
 */
Test(ppo_trainer, an_actor_is_frozen) {
  const fw_ppo_config config = relay_config();
  fw_ppo_trainer *trainer = start(&config, 2, 1);
  fw_ppo_actor *actor;
  run(trainer, 3);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_ppo_trainer_save_weights(trainer, TEMPORARY("actor"), &diagnostics), FW_OK);
  cr_assert_eq(diagnostics.count, 1, "the number that never varies is reported, and no other");
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "number 4 of the observation hardly varied"));
  fw_diagnostics_clear(&diagnostics);
  cr_assert_eq(fw_ppo_actor_read(TEMPORARY("actor"), &actor, NULL), FW_OK);
  const uint8_t mask[5] = {1, 1, 0, 1, 1};
  const float seen[RELAY_INPUTS] = {0.5f, 1.0f, 310.0f, 0.1f, 7.0f};
  const fw_stream stream = fw_stream_make(1, FW_DRAW_TEST, 0);
  uint32_t first[2], again[2], drawn[2], redrawn[2];
  cr_assert_eq(fw_ppo_actor_greedy(actor, seen, mask, first, NULL), FW_OK);
  cr_assert_eq(fw_ppo_actor_sample(actor, stream, 7, seen, mask, drawn, NULL), FW_OK);
  for (uint64_t i = 0; i < 1000; i++) {
    float other[RELAY_INPUTS];
    for (size_t k = 0; k < RELAY_INPUTS; k++)
      other[k] = (float)(1e4 * fw_random_uniform(fw_stream_make(2, FW_DRAW_TEST, 1), 8 * i + k, 0));
    cr_assert_eq(fw_ppo_actor_sample(actor, stream, 100 + i, other, mask, again, NULL), FW_OK);
    cr_assert_neq(again[0], 2, "a forbidden choice is never drawn");
  }
  cr_assert_eq(fw_ppo_actor_greedy(actor, seen, mask, again, NULL), FW_OK);
  cr_assert_eq(fw_ppo_actor_sample(actor, stream, 7, seen, mask, redrawn, NULL), FW_OK);
  cr_expect_eq(memcmp(first, again, sizeof first), 0);
  cr_expect_eq(memcmp(drawn, redrawn, sizeof drawn), 0);
  cr_expect_eq(fw_ppo_actor_decisions(actor), 2700);
  cr_expect_eq(fw_ppo_actor_seed(actor), 2);
  cr_expect_eq(fw_ppo_actor_cost_limit(actor, 0), 0.1);
  cr_expect(isnan(fw_ppo_actor_cost_limit(actor, 1)));
  remove(TEMPORARY("actor"));
  fw_ppo_actor_destroy(actor);
  fw_ppo_trainer_destroy(trainer);
}

Test(ppo_trainer, settings_survive_the_file) {
  fw_ppo_config config = relay_config(), read;
  config.learning_rate = 1.0 / 3.0;
  config.horizon = 1234567891;
  config.normalise_rewards = false;
  fw_text text = FW_TEXT_INIT;
  fw_json *document;
  fw_ppo_config_write(&config, &text);
  cr_assert_eq(fw_json_parse(text.data, text.length, "config", &document, NULL), FW_OK);
  cr_assert_eq(fw_record_decode(&fw_ppo_config_record, fw_json_root(document), &read, NULL), FW_OK);
  cr_expect_eq(memcmp(&config, &read, sizeof read), 0);
  fw_json_free(document);
  fw_text_clear(&text);
}

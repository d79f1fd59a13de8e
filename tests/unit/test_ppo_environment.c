/* The environment over a simulation against the simulation's own result: what an agent is told over an episode adds up
 * to what fw_run says of the same run under the same settings. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "sim/fleet/run.h"
#include "sim/study/train/ppo_environment.h"

#define WINDOWS ((size_t)4)
#define MOST_JOBS ((size_t)8)

static fw_scenario *shipped(const char *file, double duration_s, const char *policy) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  fw_scenario_overrides overrides = {
      .seeds = 1, .share = FW_SOURCE_DIR, .policies = &policy, .policy_count = policy != NULL};
  cr_assert(fw_time_from_seconds(duration_s, &overrides.duration));
  cr_assert_eq(fw_scenario_read(file, &overrides, &scenario, &diagnostics), FW_OK);
  fw_diagnostics_clear(&diagnostics);
  return scenario;
}

typedef struct agent_sum {
  double reward;
  double cost[WINDOWS];
  double elapsed_s;
  size_t outcomes;
  size_t ends;
} agent_sum;

typedef struct episode {
  agent_sum agents[MOST_JOBS];
  uint64_t digest; /* of all that was seen */
} episode;

static uint64_t mix(uint64_t digest, const void *data, size_t length) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < length; i++) {
    digest = (digest ^ bytes[i]) * UINT64_C(1099511628211);
  }
  return digest;
}

static void add(episode *sum, const fw_ppo_moment *moment, const float *observation, size_t size) {
  agent_sum *agent = &sum->agents[moment->agent];
  for (size_t i = 0; i < size; i++) {
    cr_assert(isfinite(observation[i]), "number %zu", i);
  }
  sum->digest = mix(sum->digest, observation, size * sizeof *observation);
  if (!moment->has_outcome) {
    return;
  }
  agent->outcomes++;
  agent->ends += moment->truncated;
  agent->reward += moment->reward;
  agent->elapsed_s += moment->elapsed_s;
  for (size_t w = 0; w < WINDOWS; w++) {
    agent->cost[w] += moment->cost[w];
  }
}

/* Plays one episode; every action is the choice that `choose` makes of the number of the decision. */
static episode play(const fw_ppo_task *task, uint64_t seed, uint32_t (*choose)(size_t)) {
  const fw_ppo_environment_type *type = &fw_ppo_simulation;
  episode sum = {.digest = 1};
  void *state = NULL;
  size_t decision = 0;
  cr_assert_eq(type->create(task, &state, NULL), FW_OK);
  cr_assert_eq(type->reset(state, seed, NULL), FW_OK);
  for (bool over = false; !over;) {
    fw_ppo_moment moment = {0};
    float observation[FW_PPO_OBSERVATIONS];
    uint8_t mask[FW_PPO_HEADS * FW_PPO_CHOICES];
    memset(mask, 1, sizeof mask);
    cr_assert_eq(type->advance(state, &moment, observation, mask, NULL), FW_OK);
    cr_assert_not(moment.terminated);
    add(&sum, &moment, observation, task->view.space.observation_size);
    over = moment.episode_over;
    if (!moment.truncated) {
      const uint32_t choice = choose(decision++);
      cr_assert_eq(type->act(state, moment.agent, &choice, NULL), FW_OK);
    }
  }
  type->destroy(state);
  return sum;
}

static uint32_t always_third(size_t decision) {
  (void)decision;
  return 2;
}

static uint32_t in_turn(size_t decision) {
  return (uint32_t)(decision % 4);
}

/* 30 years: discounting inside an interval of minutes is a ten-millionth. */
#define ENDLESS (1000000000 * FW_NS_PER_S)

static fw_ppo_task task_for(const fw_scenario *scenario, const char *const *classes) {
  fw_ppo_task task = {.scenario = scenario,
                      .classes = classes,
                      .class_count = classes != NULL,
                      .actuators = 1u << FW_ACTUATOR_CONCURRENCY,
                      .horizon = ENDLESS,
                      .runs = 8};
  cr_assert_eq(fw_ppo_task_prepare(&task, NULL), FW_OK);
  return task;
}

/* The costs are seconds above the budget: the result's rate times the time at which the window was full. */
static void expect_costs(const fw_result *result, const fw_scenario *scenario, const agent_sum *agent) {
  for (size_t w = 0; w < WINDOWS; w++) {
    const double full_s = fw_time_to_seconds(scenario->duration - scenario->windows[w]) + 0.5;
    const double wanted = scenario->windows[w] > scenario->duration ? 0.0 : result->windows[w].violation_rate * full_s;
    cr_expect_float_eq(agent->cost[w], wanted, 1e-6 * full_s, "window %zu: %g, not %g", w, agent->cost[w], wanted);
  }
}

Test(ppo_environment, an_episode_adds_up_to_the_run) {
  fw_scenario *scenario = shipped(FW_SOURCE_DIR "/scenarios/job72b-live.json", 900.0, "static-4");
  fw_ppo_task task = task_for(scenario, NULL);
  for (uint64_t seed = 1; seed <= 3; seed++) {
    fw_result result = {0};
    const fw_run_options options = {.seed = seed};
    cr_assert_eq(fw_run(scenario, &options, &result, NULL), FW_OK);
    const episode sum = play(&task, seed, always_third); /* levels 1, 2, 4, 6, 8 */
    /* Tokens are whole, and each of the decisions rounds at most half of one away. */
    cr_expect_float_eq(sum.agents[0].reward, (double)result.tokens, 1.0 + 0.5 * (double)sum.agents[0].outcomes);
    cr_expect_float_eq(sum.agents[0].elapsed_s, 900.0, 1e-6);
    cr_expect_eq(sum.agents[0].outcomes, result.jobs[0].decisions);
    cr_expect_eq(sum.agents[0].ends, 1);
    expect_costs(&result, scenario, &sum.agents[0]);
    fw_result_clear(&result);
  }
  fw_ppo_task_clear(&task);
  fw_scenario_free(scenario);
}

/* In a fleet the jobs that learn are told the same violations, and the others nothing. */
Test(ppo_environment, the_jobs_of_a_fleet_share_the_site) {
  static const char *const classes[] = {"72b"};
  fw_scenario *scenario = shipped(FW_SOURCE_DIR "/scenarios/fleet16-aligned.json", 900.0, "static-4");
  fw_ppo_task task = task_for(scenario, classes);
  fw_result result = {0};
  const fw_run_options options = {.seed = 5};
  cr_assert_eq(fw_run(scenario, &options, &result, NULL), FW_OK);
  const episode sum = play(&task, 5, always_third); /* levels 1, 2, 4, 8 */
  for (size_t j = 0; j < 2; j++) {
    cr_expect_float_eq(sum.agents[j].reward, (double)result.jobs[j].tokens, 1.0 + 0.5 * (double)sum.agents[j].outcomes);
    cr_expect_float_eq(sum.agents[j].elapsed_s, 900.0, 1e-6);
    expect_costs(&result, scenario, &sum.agents[j]);
  }
  for (size_t j = 2; j < scenario->job_count; j++) {
    cr_expect_eq(sum.agents[j].outcomes, 0);
  }
  fw_result_clear(&result);
  fw_ppo_task_clear(&task);
  fw_scenario_free(scenario);
}

/* An episode is a function of its seed and actions, and training draws from a pool of seeds that no other run has. */
Test(ppo_environment, episodes_repeat_and_keep_apart) {
  fw_scenario *scenario = shipped(FW_SOURCE_DIR "/scenarios/job72b-live.json", 300.0, NULL);
  fw_ppo_task task = task_for(scenario, NULL);
  const episode once = play(&task, 7, in_turn);
  const episode again = play(&task, 7, in_turn);
  const episode other = play(&task, 8, in_turn);
  const episode trained = play(&task, FW_PPO_TRAINING_SEED + 7, in_turn);
  const episode pooled = play(&task, FW_PPO_TRAINING_SEED + 7 + 8, in_turn);
  cr_expect_eq(once.digest, again.digest);
  cr_expect_neq(once.digest, other.digest);
  cr_expect_neq(once.digest, trained.digest);
  cr_expect_eq(pooled.digest, trained.digest);
  cr_expect_eq(fw_ppo_task_run_seed(&task, 1234567), 1234567);
  fw_ppo_task_clear(&task);
  fw_scenario_free(scenario);
}

/* Rewards are discounted within the interval: 1 token a second over dt is horizon (1 - exp(-dt / horizon)). */
Test(ppo_environment, rewards_are_discounted_within_their_interval) {
  fw_scenario *scenario = shipped(FW_SOURCE_DIR "/scenarios/job72b-live.json", 300.0, NULL);
  fw_ppo_task plain = task_for(scenario, NULL);
  fw_ppo_task task = plain;
  task.horizon = 60 * FW_NS_PER_S;
  const fw_ppo_environment_type *type = &fw_ppo_simulation;
  const fw_ppo_task *tasks[2] = {&plain, &task};
  fw_ppo_moment moments[2] = {{0}, {0}};
  for (size_t i = 0; i < 2; i++) {
    void *state = NULL;
    const uint32_t choice = 3;
    float observation[FW_PPO_OBSERVATIONS];
    uint8_t mask[FW_PPO_HEADS * FW_PPO_CHOICES];
    cr_assert_eq(type->create(tasks[i], &state, NULL), FW_OK);
    cr_assert_eq(type->reset(state, 3, NULL), FW_OK);
    cr_assert_eq(type->advance(state, &moments[i], observation, mask, NULL), FW_OK);
    cr_assert_eq(type->act(state, 0, &choice, NULL), FW_OK);
    moments[i] = (fw_ppo_moment){0};
    cr_assert_eq(type->advance(state, &moments[i], observation, mask, NULL), FW_OK);
    type->destroy(state);
  }
  const double elapsed_s = moments[0].elapsed_s;
  const double wanted = moments[0].reward / elapsed_s * 60.0 * (1.0 - exp(-elapsed_s / 60.0));
  cr_expect_float_eq(moments[1].reward, wanted, 1e-6 * wanted, "%g, not %g", moments[1].reward, wanted);
  fw_ppo_task_clear(&plain);
  fw_scenario_free(scenario);
}

static void refused(const char *file, uint32_t actuators, const char *job_class, const char *word) {
  fw_scenario *scenario = shipped(file, 300.0, NULL);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_ppo_task task = {.scenario = scenario,
                      .classes = &job_class,
                      .class_count = job_class != NULL,
                      .actuators = actuators,
                      .horizon = FW_NS_PER_S,
                      .runs = 1};
  cr_assert_eq(fw_ppo_task_prepare(&task, &diagnostics), FW_ERROR_INPUT);
  cr_assert_gt(diagnostics.count, 0);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, word), "%s", diagnostics.entries[0].message);
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

Test(ppo_environment, refuses_jobs_that_cannot_learn_together) {
  refused(FW_SOURCE_DIR "/scenarios/job72b-live.json", 1u << FW_ACTUATOR_CONCURRENCY, "7b", "no job");
  refused(FW_SOURCE_DIR "/scenarios/job72b-live.json", 0, NULL, "at least one");
  refused(FW_SOURCE_DIR "/scenarios/fleet16-aligned.json", 1u << FW_ACTUATOR_CONCURRENCY, NULL, "share a policy");
}

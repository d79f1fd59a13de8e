/* A task for tests of the trainer's book-keeping: three agents that decide at instants of their own, episodes that end
 * for each of them at another time, by termination or by a cut, a forbidden choice now and then, and two costs. What an
 * agent earns depends on its choices, so there is something to learn. All of it is keyed by the episode's seed. */
#ifndef FW_TESTS_RELAY_TASK_H
#define FW_TESTS_RELAY_TASK_H

#include <math.h>
#include <stdlib.h>

#include "policies/ppo/trainer.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"

enum { RELAY_AGENTS = 3, RELAY_INPUTS = 5, RELAY_CHOICES = 3 };

typedef struct relay_task {
  double nan_after_s; /* rewards are NaN from here on; 0: never */
} relay_task;

typedef struct relay_agent {
  double now_s;     /* of its present or next decision */
  double last_s;    /* of the one before */
  uint32_t decided; /* decisions */
  uint32_t choice;
  double liking; /* when it decided: what it earns a second for each step of its choice */
  bool done;
} relay_agent;

typedef struct relay_state {
  const relay_task *task;
  uint64_t seed;
  relay_agent agents[RELAY_AGENTS];
} relay_state;

static inline double relay_draw(const relay_state *s, uint32_t agent, uint32_t what) {
  return fw_random_uniform(fw_stream_make(s->seed, FW_DRAW_TEST, agent), s->agents[agent].decided * 8 + what, 0);
}

static inline fw_status relay_create(const void *task, void **state, fw_diagnostics *diagnostics) {
  relay_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a task");
  made->task = task;
  *state = made;
  return FW_OK;
}

static inline fw_status relay_reset(void *state, uint64_t episode_seed, fw_diagnostics *diagnostics) {
  (void)diagnostics;
  relay_state *s = state;
  *s = (relay_state){.task = s->task, .seed = episode_seed};
  for (uint32_t a = 0; a < RELAY_AGENTS; a++)
    s->agents[a].now_s = relay_draw(s, a, 0);
  return FW_OK;
}

static inline uint32_t relay_earliest(const relay_state *s) {
  uint32_t first = RELAY_AGENTS;
  for (uint32_t a = 0; a < RELAY_AGENTS; a++) {
    if (!s->agents[a].done && (first == RELAY_AGENTS || s->agents[a].now_s < s->agents[first].now_s)) first = a;
  }
  return first;
}

/* The last agent to end ends the episode. */
static inline fw_status relay_advance(void *state, fw_ppo_moment *moment, float *observation, uint8_t *mask,
                                      fw_diagnostics *diagnostics) {
  (void)diagnostics;
  relay_state *s = state;
  const uint32_t who = relay_earliest(s);
  relay_agent *agent = &s->agents[who];
  const double turns = agent->now_s / 6.0 + (double)who / 3.0;
  const double liking = 4.0 * fabs(turns - floor(turns) - 0.5) - 1.0; /* up and down between -1 and 1 */
  moment->agent = who;
  moment->has_outcome = agent->decided > 0;
  moment->elapsed_s = moment->has_outcome ? agent->now_s - agent->last_s : 0.0;
  moment->reward = (double)agent->choice * agent->liking * moment->elapsed_s;
  if (s->task->nan_after_s > 0.0 && agent->now_s > s->task->nan_after_s) moment->reward = NAN;
  moment->cost[0] = agent->choice == 2 ? moment->elapsed_s : 0.0;
  moment->cost[1] = 0.25 * moment->elapsed_s;
  moment->terminated = moment->has_outcome && relay_draw(s, who, 1) < 0.04;
  moment->truncated = !moment->terminated && agent->now_s > 40.0;
  agent->liking = liking;
  agent->done = moment->terminated || moment->truncated;
  moment->episode_over = relay_earliest(s) == RELAY_AGENTS;
  observation[0] = (float)liking;
  observation[1] = (float)who;
  observation[2] = (float)(300.0 + agent->now_s);
  observation[3] = (float)relay_draw(s, who, 2);
  observation[4] = 7.0f; /* which never varies */
  mask[2] = agent->decided % 4 != 3;
  return FW_OK;
}

static inline fw_status relay_act(void *state, uint32_t agent, const uint32_t *choices, fw_diagnostics *diagnostics) {
  (void)diagnostics;
  relay_state *s = state;
  relay_agent *who = &s->agents[agent];
  who->choice = choices[0];
  who->last_s = who->now_s;
  who->decided++;
  who->now_s += 0.5 + 2.0 * relay_draw(s, agent, 3) + 0.25 * (double)choices[1];
  return FW_OK;
}

static const fw_ppo_environment_type relay_type = {
    .name = "relay",
    .create = relay_create,
    .destroy = free,
    .reset = relay_reset,
    .advance = relay_advance,
    .act = relay_act,
};

static inline fw_ppo_problem relay_problem(const relay_task *task) {
  return (fw_ppo_problem){
      .environment = &relay_type,
      .task = task,
      .agent_count = RELAY_AGENTS,
      .space = {.observation_size = RELAY_INPUTS, .head_count = 2, .head_size = {RELAY_CHOICES, 2}, .cost_count = 2},
      .schema = "liking, agent, time, noise, constant; choice, delay",
      .cost_limit = {0.1, NAN}};
}

/* Small, but with more than one chunk in a minibatch and decisions that stay open from one iteration to the next. */
static inline fw_ppo_config relay_config(void) {
  fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  config.environments = 9;
  config.rollout = 100;
  config.minibatches = 2;
  config.epochs = 2;
  config.width = FW_PPO_WIDTH_32;
  config.reference_interval = FW_NS_PER_S;
  config.horizon = 10 * FW_NS_PER_S;
  config.kl_stop = 0.05;
  config.value_clip = 0.2;
  return config;
}

#endif

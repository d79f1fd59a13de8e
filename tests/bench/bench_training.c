/* What the simulator costs a training: decisions a second that one core learns from, over the 72B job of
 * scenarios/job72b-live.json and over an environment of the same shapes that costs next to nothing. 64 environments,
 * rollouts of 128, 4 passes of 4 minibatches, networks of 2 x 64 with a cost critic. Times are this thread's,
 * iterations alternate, and each side's best counts, because the machine may be shared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/study/train/ppo_environment.h"

enum { ROUNDS = 8, INTERVAL_S = 15, EPISODE = 80 };

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- An environment of the same shapes ---- */

typedef struct plain {
  const fw_ppo_space *space;
  uint64_t number; /* of numbers drawn */
  uint32_t decisions;
} plain;

static fw_status plain_create(const void *task, void **state, fw_diagnostics *diagnostics) {
  plain *made = fw_allocate(1, sizeof *made);
  if (made == NULL) {
    return fw_error_memory(diagnostics, "an environment");
  }
  made->space = task;
  *state = made;
  return FW_OK;
}

static fw_status plain_reset(void *state, uint64_t episode_seed, fw_diagnostics *diagnostics) {
  plain *made = state;
  (void)diagnostics;
  made->number = episode_seed;
  made->decisions = 0;
  return FW_OK;
}

static fw_status plain_advance(void *state, fw_ppo_moment *moment, float *observation, uint8_t *mask,
                               fw_diagnostics *diagnostics) {
  plain *made = state;
  (void)mask;
  (void)diagnostics;
  for (size_t i = 0; i < made->space->observation_size; i++) {
    made->number = made->number * UINT64_C(6364136223846793005) + 1;
    observation[i] = (float)(made->number >> 40) * 0x1p-24F;
  }
  moment->has_outcome = made->decisions > 0;
  moment->reward = observation[0];
  moment->elapsed_s = INTERVAL_S;
  moment->truncated = moment->episode_over = made->decisions == EPISODE;
  return FW_OK;
}

static fw_status plain_act(void *state, uint32_t agent, const uint32_t *choices, fw_diagnostics *diagnostics) {
  (void)agent;
  (void)choices;
  (void)diagnostics;
  ((plain *)state)->decisions++;
  return FW_OK;
}

static const fw_ppo_environment_type plain_environment = {.name = "plain",
                                                          .create = plain_create,
                                                          .destroy = free,
                                                          .reset = plain_reset,
                                                          .advance = plain_advance,
                                                          .act = plain_act};

/* ---- Measuring ---- */

static void check(fw_status status, const fw_diagnostics *diagnostics) {
  if (status != FW_OK) {
    (void)fprintf(stderr, "bench_training: %s\n", diagnostics->count > 0 ? diagnostics->entries[0].message : "failed");
    exit(3);
  }
}

static fw_ppo_trainer *start(const fw_ppo_environment_type *environment, const void *task, const fw_ppo_task *shapes) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_ppo_problem problem = {.environment = environment,
                            .task = task,
                            .space = shapes->view.space,
                            .agent_count = 1,
                            .schema = environment->name};
  for (size_t i = 0; i < FW_PPO_COSTS; i++) {
    problem.cost_limit[i] = i == 2 ? 0.02 : (double)NAN; /* the 30 s window */
  }
  fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  fw_ppo_trainer *trainer = NULL;
  config.decisions = UINT64_C(1) << 40;
  check(fw_ppo_trainer_create(&config, &problem, 1, 1, &trainer, &diagnostics), &diagnostics);
  return trainer;
}

/* Decisions a second of one iteration. */
static double pace(fw_ppo_trainer *trainer) {
  const fw_ppo_config *config = fw_ppo_config_record.defaults; /* but for the length of the training */
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_ppo_progress progress;
  const double begin = seconds_now();
  check(fw_ppo_trainer_iterate(trainer, &progress, &diagnostics), &diagnostics);
  return (double)(config->environments * config->rollout) / (seconds_now() - begin);
}

int main(void) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  const fw_scenario_overrides overrides = {.share = FW_SOURCE_DIR};
  check(fw_scenario_read(FW_SOURCE_DIR "/scenarios/job72b-live.json", &overrides, &scenario, &diagnostics),
        &diagnostics);
  fw_ppo_task task = {
      .scenario = scenario, .actuators = 1u << FW_ACTUATOR_CONCURRENCY, .horizon = 900 * FW_NS_PER_S, .runs = 10000};
  check(fw_ppo_task_prepare(&task, &diagnostics), &diagnostics);
  fw_ppo_trainer *alone = start(&plain_environment, &task.view.space, &task);
  fw_ppo_trainer *whole = start(&fw_ppo_simulation, &task, &task);
  double best[2] = {0.0, 0.0};
  for (int round = 0; round < ROUNDS; round++) {
    const double paces[2] = {pace(alone), pace(whole)};
    for (size_t i = 0; i < 2; i++) {
      best[i] = paces[i] > best[i] ? paces[i] : best[i];
    }
  }
  printf("observation of %zu numbers, %u settings, %zu channels of cost\n", task.view.space.observation_size,
         task.view.space.head_size[0], task.view.space.cost_count);
  printf("trainer alone        %8.0f decisions/s\n", best[0]);
  printf("with the simulator   %8.0f decisions/s, %.0f %% of the trainer alone (bar: 60 %%)\n", best[1],
         100.0 * best[1] / best[0]);
  fw_ppo_trainer_destroy(alone);
  fw_ppo_trainer_destroy(whole);
  fw_ppo_task_clear(&task);
  fw_scenario_free(scenario);
  return 0;
}

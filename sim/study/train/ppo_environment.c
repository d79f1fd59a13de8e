/* One simulation, driven by a trainer: decisions are handed over one at a time, each with what came of the one before.
 */
#include "sim/study/train/ppo_environment.h"

#include <stdlib.h>
#include <string.h>

#include "policies/ppo/discount.h"
#include "sim/base/memory.h"
#include "sim/scenario/arm.h"

#define NOBODY SIZE_MAX

typedef struct agent {
  fw_job_view_memory memory;
  bool acted;
  fw_time_ns above[FW_POLICY_WINDOWS]; /* at its last decision */
} agent;

typedef struct environment {
  const fw_ppo_task *task;
  fw_sim *sim;
  agent *agents;
  size_t *agent_of_job; /* NOBODY: the job does not learn */
  fw_sim_batch batch;
  size_t next; /* in the batch, or among the agents once the run has ended */
  bool ended;
} environment;

/* ---- The task ---- */

/* Views that differ in anything but the unit of their powers have different schemas. */
static bool same_schema(const fw_job_view *a, const fw_job_view *b) {
  fw_text one = FW_TEXT_INIT;
  fw_text other = FW_TEXT_INIT;
  fw_job_view_schema(a, &one);
  fw_job_view_schema(b, &other);
  const bool same = !one.failed && !other.failed && strcmp(one.data, other.data) == 0;
  fw_text_clear(&one);
  fw_text_clear(&other);
  return same;
}

static fw_status add_agent(fw_ppo_task *task, const fw_sim *sim, size_t job, fw_diagnostics *diagnostics) {
  fw_job_view view;
  const fw_status status = fw_job_view_create(fw_sim_job_setup(sim, job), task->actuators, &view, diagnostics);
  if (status == FW_OK && task->agent_count > 0 && !same_schema(&view, &task->view)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "jobs of class \"%s\" choose from other settings than those before them and cannot share a policy; "
                    "name the classes to train for",
                    task->scenario->jobs[job].job_class);
  }
  task->view = task->agent_count == 0 ? view : task->view;
  task->agents[task->agent_count++] = job;
  return status;
}

static fw_status find_agents(fw_ppo_task *task, const fw_sim *sim, fw_diagnostics *diagnostics) {
  const fw_scenario_policy controller = {.classes = task->classes, .class_count = task->class_count};
  fw_status status = FW_OK;
  for (size_t j = 0; j < task->scenario->job_count && status == FW_OK; j++) {
    if (fw_arm_controls(&controller, &task->scenario->jobs[j])) {
      status = add_agent(task, sim, j, diagnostics);
    }
  }
  if (status == FW_OK && task->agent_count == 0) {
    status =
        fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                 "no job of the scenario \"%s\" is of the classes named; name one of its own", task->scenario->name);
  }
  return status;
}

static fw_sim_options options_of(const fw_ppo_task *task, uint64_t seed) {
  return (fw_sim_options){.seed = seed,
                          .budget = task->scenario->budgets[task->budget].power,
                          .prepared = task->prepared,
                          .truth_alone = true};
}

fw_status fw_ppo_task_prepare(fw_ppo_task *task, fw_diagnostics *diagnostics) {
  fw_sim *sim = NULL;
  task->agent_count = 0;
  task->prepared = NULL;
  task->agents = fw_allocate(task->scenario->job_count, sizeof *task->agents);
  if (task->agents == NULL) {
    return fw_error_memory(diagnostics, "the jobs of a training");
  }
  fw_status status = fw_prepare(task->scenario, &task->prepared, diagnostics);
  const fw_sim_options options = options_of(task, 0);
  status = status == FW_OK ? fw_sim_create(task->scenario, &options, &sim, diagnostics) : status;
  status = status == FW_OK ? find_agents(task, sim, diagnostics) : status;
  fw_sim_free(sim);
  if (status != FW_OK) {
    fw_ppo_task_clear(task);
    return status;
  }
  task->view.space.cost_count = task->scenario->window_count;
  return FW_OK;
}

void fw_ppo_task_clear(fw_ppo_task *task) {
  free(task->agents);
  fw_prepared_free(task->prepared);
  task->agents = NULL;
  task->prepared = NULL;
}

uint64_t fw_ppo_task_run_seed(const fw_ppo_task *task, uint64_t episode_seed) {
  const uint64_t within = episode_seed & ~FW_PPO_TRAINING_SEED;
  return within == episode_seed ? episode_seed : FW_PPO_TRAINING_SEED + within % task->runs;
}

/* ---- Episodes ---- */

static void destroy(void *state) {
  environment *made = state;
  fw_sim_free(made->sim);
  free(made->agents);
  free(made->agent_of_job);
  free(made);
}

static fw_status create(const void *pointer, void **state, fw_diagnostics *diagnostics) {
  const fw_ppo_task *task = pointer;
  environment *made = fw_allocate(1, sizeof *made);
  if (made == NULL) {
    return fw_error_memory(diagnostics, "an environment");
  }
  made->task = task;
  made->agents = fw_allocate(task->agent_count, sizeof *made->agents);
  made->agent_of_job = fw_allocate(task->scenario->job_count, sizeof *made->agent_of_job);
  if (made->agents == NULL || made->agent_of_job == NULL) {
    destroy(made);
    return fw_error_memory(diagnostics, "the agents of an environment");
  }
  for (size_t j = 0; j < task->scenario->job_count; j++) {
    made->agent_of_job[j] = NOBODY;
  }
  for (size_t i = 0; i < task->agent_count; i++) {
    made->agent_of_job[task->agents[i]] = i;
  }
  *state = made;
  return FW_OK;
}

static fw_status reset(void *state, uint64_t episode_seed, fw_diagnostics *diagnostics) {
  environment *made = state;
  fw_sim_free(made->sim);
  made->sim = NULL;
  made->batch = (fw_sim_batch){0};
  made->next = 0;
  made->ended = false;
  for (size_t i = 0; i < made->task->agent_count; i++) {
    made->agents[i] = (agent){.memory = fw_job_view_start()};
  }
  const fw_sim_options options = options_of(made->task, fw_ppo_task_run_seed(made->task, episode_seed));
  return fw_sim_create(made->task->scenario, &options, &made->sim, diagnostics);
}

/* What came of the agent's last decision. A warm-up that ended meanwhile has set the meters to 0. */
static void settle(const environment *made, agent *one, const fw_job_observation *seen, fw_ppo_moment *moment) {
  moment->has_outcome = one->acted;
  moment->elapsed_s = seen->elapsed_s;
  if (seen->elapsed_s > 0.0) {
    moment->reward =
        fw_ppo_accrued(seen->tokens / seen->elapsed_s, 0.0, seen->elapsed_s, fw_time_to_seconds(made->task->horizon));
  }
  for (size_t w = 0; w < made->task->scenario->window_count; w++) {
    const fw_time_ns above = fw_sim_time_above(made->sim, w);
    moment->cost[w] = fw_time_to_seconds(above >= one->above[w] ? above - one->above[w] : above);
    one->above[w] = above;
  }
}

static void show(const environment *made, size_t index, fw_ppo_moment *moment, float *observation) {
  agent *one = &made->agents[index];
  fw_job_observation seen;
  fw_sim_observe_job(made->sim, made->task->agents[index], &seen);
  moment->agent = (uint32_t)index;
  settle(made, one, &seen, moment);
  fw_job_view_observe(&made->task->view, &one->memory, &seen, observation);
}

static fw_status leave_alone(const environment *made, size_t job, fw_diagnostics *diagnostics) {
  const fw_job_action nothing = {.set = 0};
  return fw_sim_act_job(made->sim, job, &nothing, diagnostics);
}

/* The run is over: every agent hears what came of its last decision. */
static fw_status finish(environment *made, fw_ppo_moment *moment, float *observation) {
  show(made, made->next++, moment, observation);
  moment->truncated = true;
  moment->episode_over = made->next == made->task->agent_count;
  return FW_OK;
}

static fw_status advance(void *state, fw_ppo_moment *moment, float *observation, uint8_t *mask,
                         fw_diagnostics *diagnostics) {
  (void)mask; /* every setting of a job's range may be chosen at any time */
  environment *made = state;
  while (!made->ended) {
    if (made->next == made->batch.job_count) {
      const fw_status status = fw_sim_advance(made->sim, &made->batch, diagnostics);
      if (status != FW_OK) {
        return status;
      }
      made->next = 0;
      made->ended = made->batch.job_count == 0;
      continue; /* to the batch's first, or out where the run has ended */
    }
    const size_t job = made->batch.jobs[made->next++];
    if (made->agent_of_job[job] != NOBODY) {
      show(made, made->agent_of_job[job], moment, observation);
      return FW_OK;
    }
    const fw_status status = leave_alone(made, job, diagnostics);
    if (status != FW_OK) {
      return status;
    }
  }
  return finish(made, moment, observation);
}

static fw_status act(void *state, uint32_t index, const uint32_t *choices, fw_diagnostics *diagnostics) {
  environment *made = state;
  fw_job_action action = {.set = 0};
  made->agents[index].acted = true;
  fw_job_view_act(&made->task->view, choices, &action);
  return fw_sim_act_job(made->sim, made->task->agents[index], &action, diagnostics);
}

const fw_ppo_environment_type fw_ppo_simulation = {
    .name = "simulation", .create = create, .destroy = destroy, .reset = reset, .advance = advance, .act = act};

/* Training on simulations: the jobs of a scenario that a policy is to control, as an environment for the trainer of
 * policies/ppo/.
 *
 * An episode is one run of the scenario at one budget. Each job of the classes named is an agent; the others run
 * uncontrolled. An agent sees what a policy sees (policies/ppo/job_view.h). Its reward is the tokens it generated since
 * its last decision, taken as spread evenly over that time. Its cost has one channel for each window of the scenario:
 * the seconds for which the site's true mean over that window was above the budget, in what was measured between its
 * two decisions. Truth is for training only; the policy never sees it. The end of a run is a truncation. */
#ifndef FW_STUDY_PPO_ENVIRONMENT_H
#define FW_STUDY_PPO_ENVIRONMENT_H

#include "policies/ppo/job_view.h"
#include "policies/ppo/trainer.h"
#include "sim/fleet/sim.h"

typedef struct fw_ppo_task {
  const fw_scenario *scenario;
  size_t budget;              /* index into its budgets */
  const char *const *classes; /* that learn; none listed: all */
  size_t class_count;
  uint32_t actuators; /* bits */
  fw_time_ns horizon; /* of discounting within an interval */
  uint64_t runs;      /* training draws its episodes from so many seeds, from FW_PPO_TRAINING_SEED on; at least 1 */
  fw_job_view view;   /* the same for all agents; by fw_ppo_task_prepare */
  size_t *agents;     /* the jobs that learn: agent i is job agents[i]; owned */
  size_t agent_count;
  fw_prepared *prepared; /* the scenario; owned */
} fw_ppo_task;

extern const fw_ppo_environment_type fw_ppo_simulation;

/* Fills `view`, `agents` and `prepared` from what stands before them; jobs whose views differ cannot share a policy and
 * are refused. Free with fw_ppo_task_clear. */
fw_status fw_ppo_task_prepare(fw_ppo_task *task, fw_diagnostics *diagnostics);
void fw_ppo_task_clear(fw_ppo_task *task);

/* The seed of the run that an episode of that seed is. */
uint64_t fw_ppo_task_run_seed(const fw_ppo_task *task, uint64_t episode_seed);

#endif

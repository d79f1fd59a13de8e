/* Proximal policy optimisation with constraints: J. Schulman et al., "Proximal policy optimization algorithms" (2017),
 * over decisions that take different times, with a Lagrange multiplier for each limit on a mean rate of cost
 * (A. Stooke, J. Achiam, P. Abbeel, "Responsive safety in reinforcement learning by PID Lagrangian methods", ICML
 * 2020). docs/ppo.md holds the equations.
 *
 * One iteration collects `rollout` finished decisions from each environment, in the order in which they finished, and
 * updates the networks on them. A decision still open at the end is finished in a later iteration. The result is a
 * function of configuration, problem and seed: not of threads, nor of whether the run was stopped, saved and resumed
 * between two iterations. */
#ifndef FW_POLICIES_PPO_TRAINER_H
#define FW_POLICIES_PPO_TRAINER_H

#include "policies/ppo/config.h"
#include "policies/ppo/environment.h"

/* What is learned. Everything outlives the trainer. */
typedef struct fw_ppo_problem {
  const fw_ppo_environment_type *environment;
  const void *task;
  size_t agent_count; /* 1 to FW_PPO_AGENTS; agents are numbered from 0 */
  fw_ppo_space space;
  const char *schema; /* what each observation and setting means, in any fixed form; kept in the weight file. A policy
                         is used, and a run resumed, only where it is the same to the byte */
  double cost_limit[FW_PPO_COSTS]; /* of the mean rate of each channel; NaN: reported, not constrained */
} fw_ppo_problem;

/* What an iteration came to. Rates are per second, over the iteration's finished decisions. */
typedef struct fw_ppo_progress {
  uint64_t iteration; /* counts from 1 */
  uint64_t decisions; /* so far */
  double learning_rate;
  double reward_rate; /* as given by the environment, before normalisation */
  double cost_rate[FW_PPO_COSTS];
  double multiplier[FW_PPO_COSTS]; /* in force during the update; 0 where there is no limit */
  double policy_loss;              /* means over all steps of the optimiser */
  double value_loss;
  double cost_value_loss; /* of all cost critics together */
  double entropy;
  double kl;                 /* of the last pass */
  double clipped;            /* share of decisions whose ratio was clipped */
  double explained_variance; /* of the reward critic, before the update; NaN when returns do not vary */
  uint64_t passes;           /* fewer than the configured epochs after a KL stop */
  uint64_t episodes;         /* of agents, that ended in this iteration */
  double episode_reward;     /* their mean sum of rewards; NaN without one */
} fw_ppo_progress;

typedef struct fw_ppo_trainer fw_ppo_trainer;

/* Starts from fresh networks. `threads` (at least 1) are used in each iteration; results do not depend on them. */
fw_status fw_ppo_trainer_create(const fw_ppo_config *config, const fw_ppo_problem *problem, uint64_t seed,
                                size_t threads, fw_ppo_trainer **out, fw_diagnostics *diagnostics);

/* Continues from a checkpoint, with the configuration and the seed that are in it. A file of another problem (schema,
 * shapes or limits) is FW_ERROR_INPUT. `decisions` is the new total; 0 keeps the one of the file. */
fw_status fw_ppo_trainer_load(const char *path, const fw_ppo_problem *problem, uint64_t decisions, size_t threads,
                              fw_ppo_trainer **out, fw_diagnostics *diagnostics);

void fw_ppo_trainer_destroy(fw_ppo_trainer *trainer);

/* Whether the configured number of decisions was made. */
bool fw_ppo_trainer_done(const fw_ppo_trainer *trainer);

/* One iteration. An observation, reward, cost, loss or weight that is not finite is FW_ERROR_FAULT, naming decision
 * and quantity; the trainer is then broken and refuses to be saved. */
fw_status fw_ppo_trainer_iterate(fw_ppo_trainer *trainer, fw_ppo_progress *progress, fw_diagnostics *diagnostics);

/* Writes, at once or not at all, the weight file (what fw_ppo_actor_read reads) or the checkpoint (the same and all
 * that it takes to go on; also readable as a weight file). */
fw_status fw_ppo_trainer_save_weights(const fw_ppo_trainer *trainer, const char *path, fw_diagnostics *diagnostics);
fw_status fw_ppo_trainer_save(const fw_ppo_trainer *trainer, const char *path, fw_diagnostics *diagnostics);

/* Adds the bytes of the weight file to `bytes`, for fw_ppo_actor_parse. */
fw_status fw_ppo_trainer_weights(const fw_ppo_trainer *trainer, fw_text *bytes, fw_diagnostics *diagnostics);

/* Of all weights, to compare runs. */
uint64_t fw_ppo_trainer_hash(const fw_ppo_trainer *trainer);

#endif

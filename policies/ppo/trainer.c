#include <math.h>
#include <stdlib.h>

#include "policies/ppo/trainer_state.h"
#include "sim/base/memory.h"

/* --- create and destroy --- */

static fw_status check_problem(const fw_ppo_problem *problem, fw_diagnostics *diagnostics) {
  if (problem->agent_count < 1 || problem->agent_count > FW_PPO_AGENTS) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "an environment has 1 to %d agents, not %zu",
                    FW_PPO_AGENTS, problem->agent_count);
  }
  for (size_t c = 0; c < problem->space.cost_count && c < FW_PPO_COSTS; c++) {
    if (isinf(problem->cost_limit[c]) || problem->cost_limit[c] < 0.0) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "the limit of cost %zu must be 0 or more and finite; leave a cost without one unlimited", c);
    }
  }
  return FW_OK;
}

fw_status fwi_trainer_furnish(fw_ppo_trainer *trainer, size_t threads, fw_diagnostics *diagnostics) {
  const fw_ppo_config *config = &trainer->weights.config;
  const fwi_model *model = &trainer->weights.model;
  trainer->adam.first = fw_allocate(model->parameter_count, sizeof *trainer->adam.first);
  trainer->adam.second = fw_allocate(model->parameter_count, sizeof *trainer->adam.second);
  if (trainer->adam.first == NULL || trainer->adam.second == NULL) {
    return fw_error_memory(diagnostics, "the optimiser of a trainer");
  }
  const fwi_lane_rules rules = {.problem = &trainer->problem,
                                .model = model,
                                .seed = trainer->weights.seed,
                                .observations = &trainer->weights.observations,
                                .parameters = trainer->weights.parameters};
  fw_status status =
      fwi_collector_create(&trainer->collector, &rules, &trainer->weights.observations, config, threads, diagnostics);
  if (status == FW_OK) {
    status = fwi_updater_create(&trainer->updater, model, trainer->collector.rollout.rows, threads, diagnostics);
  }
  if (status != FW_OK) return status;
  return fwi_estimate_space_create(&trainer->estimates, (size_t)config->rollout, trainer->problem.agent_count,
                                   diagnostics);
}

fw_status fw_ppo_trainer_create(const fw_ppo_config *config, const fw_ppo_problem *problem, uint64_t seed,
                                size_t threads, fw_ppo_trainer **out, fw_diagnostics *diagnostics) {
  *out = NULL;
  fw_status status = check_problem(problem, diagnostics);
  if (status != FW_OK) return status;
  fw_ppo_trainer *trainer = fw_allocate(1, sizeof *trainer);
  if (trainer == NULL) return fw_error_memory(diagnostics, "a trainer");
  trainer->problem = *problem;
  status =
      fwi_weights_create(&trainer->weights, &problem->space, problem->schema, problem->cost_limit, config, diagnostics);
  trainer->weights.seed = seed;
  if (status == FW_OK) {
    fwi_weights_initialise(&trainer->weights, seed);
    status = fwi_trainer_furnish(trainer, threads, diagnostics);
  }
  if (status == FW_OK) {
    *out = trainer;
  } else {
    fw_ppo_trainer_destroy(trainer);
  }
  return status;
}

void fw_ppo_trainer_destroy(fw_ppo_trainer *trainer) {
  if (trainer == NULL) return;
  fwi_collector_clear(&trainer->collector);
  fwi_updater_clear(&trainer->updater);
  fwi_estimate_space_clear(&trainer->estimates);
  free(trainer->adam.first);
  free(trainer->adam.second);
  fwi_weights_clear(&trainer->weights);
  free(trainer);
}

/* --- an iteration --- */

/* Rates of this iteration; moves the multipliers by them. */
static fw_status judge(fw_ppo_trainer *trainer, const fwi_tally *tally, fw_ppo_progress *progress,
                       fw_diagnostics *diagnostics) {
  if (tally->elapsed_s <= 0.0) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "no time passed in iteration %llu, so nothing has a rate; mend the environment '%s'",
                    (unsigned long long)trainer->iteration, trainer->problem.environment->name);
  }
  progress->reward_rate = tally->reward / tally->elapsed_s;
  progress->episodes = tally->episodes;
  progress->episode_reward = tally->episodes > 0 ? tally->episode_reward / (double)tally->episodes : NAN;
  for (size_t c = 0; c < trainer->problem.space.cost_count; c++) {
    progress->cost_rate[c] = tally->cost[c] / tally->elapsed_s;
    const double limit = trainer->weights.cost_limit[c];
    if (isnan(limit)) continue;
    fwi_multiplier_update(&trainer->multipliers[c], &trainer->weights.config, progress->cost_rate[c], limit);
    progress->multiplier[c] = trainer->multipliers[c].value;
  }
  return FW_OK;
}

/* Advantages and targets: rewards brought to deviation 1, costs counted in reference intervals. */
static void estimate(fw_ppo_trainer *trainer) {
  const fw_ppo_config *config = &trainer->weights.config;
  fwi_rollout *rollout = &trainer->collector.rollout;
  const double scale = config->normalise_rewards ? fwi_normaliser_scale(&trainer->weights.returns) : 1.0;
  fwi_signal signals[FWI_CRITICS] = {{.source = rollout->reward, .scale = scale, .weight = 1.0}};
  for (size_t critic = 1; critic < trainer->weights.model.critic_count; critic++) {
    const size_t channel = trainer->weights.channel[critic];
    signals[critic] = (fwi_signal){.source = rollout->cost[channel],
                                   .scale = 1.0 / fw_time_to_seconds(config->reference_interval),
                                   .weight = -trainer->multipliers[channel].value};
  }
  fwi_estimate(config, signals, trainer->weights.model.critic_count, trainer->problem.agent_count, &trainer->estimates,
               rollout);
}

/* Of numbers that come one by one. */
typedef struct spread {
  double count, mean, squares;
} spread;

static void spread_add(spread *s, double value) {
  const double off = value - s->mean;
  s->count += 1.0;
  s->mean += off / s->count;
  s->squares += off * (value - s->mean);
}

/* 1 - variance of (target - value) / variance of the target, for the reward critic. */
static double explained_variance(const fwi_rollout *rollout) {
  spread targets = {0}, errors = {0};
  for (size_t row = 0; row < rollout->rows; row++) {
    const double target = (double)rollout->batch.target[0][row];
    spread_add(&targets, target);
    spread_add(&errors, target - (double)rollout->batch.value[0][row]);
  }
  return targets.squares > 0.0 ? 1.0 - errors.squares / targets.squares : NAN;
}

static double learning_rate(const fw_ppo_config *config, uint64_t decisions) {
  if (config->anneal_decisions == 0) return config->learning_rate;
  const double left = 1.0 - (double)decisions / (double)config->anneal_decisions;
  return left > 0.0 ? config->learning_rate * left : 0.0;
}

static fw_status learn(fw_ppo_trainer *trainer, fw_ppo_progress *progress, fw_diagnostics *diagnostics) {
  fwi_weights *weights = &trainer->weights;
  progress->learning_rate = learning_rate(&weights->config, weights->decisions);
  const fwi_outcome outcome =
      fwi_update(&trainer->updater, &weights->config, &trainer->collector.rollout, weights->seed, trainer->iteration,
                 progress->learning_rate, &trainer->adam, weights->parameters);
  if (!outcome.finite || !fwi_weights_are_finite(weights)) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "a loss, gradient or weight is not finite in iteration %llu; lower learning_rate or look for huge "
                    "rewards",
                    (unsigned long long)trainer->iteration);
  }
  progress->policy_loss = outcome.mean.policy;
  progress->entropy = outcome.mean.entropy;
  progress->clipped = outcome.mean.clipped;
  progress->value_loss = outcome.mean.value[0];
  for (size_t c = 1; c < weights->model.critic_count; c++)
    progress->cost_value_loss += outcome.mean.value[c];
  progress->kl = outcome.kl;
  progress->passes = outcome.passes;
  return FW_OK;
}

static fw_status run_iteration(fw_ppo_trainer *trainer, fw_ppo_progress *progress, fw_diagnostics *diagnostics) {
  fw_status status = fwi_collector_collect(&trainer->collector, diagnostics);
  if (status != FW_OK) return status;
  const fwi_tally tally = fwi_collector_tally(&trainer->collector, &trainer->weights.config, &trainer->weights.returns);
  status = judge(trainer, &tally, progress, diagnostics);
  if (status != FW_OK) return status;
  estimate(trainer);
  progress->explained_variance = explained_variance(&trainer->collector.rollout);
  return learn(trainer, progress, diagnostics);
}

fw_status fw_ppo_trainer_iterate(fw_ppo_trainer *trainer, fw_ppo_progress *progress, fw_diagnostics *diagnostics) {
  if (trainer->broken) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                    "an earlier iteration failed; go on from a checkpoint that was saved before it");
  }
  *progress = (fw_ppo_progress){0};
  fw_status status = run_iteration(trainer, progress, diagnostics);
  trainer->broken = status != FW_OK;
  if (status != FW_OK) return status;
  trainer->iteration++;
  trainer->weights.decisions += trainer->collector.rollout.rows;
  progress->iteration = trainer->iteration;
  progress->decisions = trainer->weights.decisions;
  return FW_OK;
}

/* --- what it has come to --- */

bool fw_ppo_trainer_done(const fw_ppo_trainer *trainer) {
  return trainer->weights.decisions >= trainer->weights.config.decisions;
}

uint64_t fw_ppo_trainer_hash(const fw_ppo_trainer *trainer) {
  return fwi_weights_hash(&trainer->weights);
}

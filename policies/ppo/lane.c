#include "policies/ppo/lane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/random.h"

/* --- create and destroy --- */

static void *table(size_t rows, size_t columns, size_t size, bool *failed) {
  void *made = fw_allocate(rows * columns, size); /* both bounded by environment.h */
  *failed = *failed || made == NULL;
  return made;
}

fw_status fwi_lane_create(fwi_lane *lane, const fwi_lane_rules *rules, uint32_t number, fw_diagnostics *diagnostics) {
  const fwi_model *model = rules->model;
  const size_t agents = rules->problem->agent_count, inputs = model->network[0].inputs;
  *lane = (fwi_lane){.number = number, .diagnostics = FW_DIAGNOSTICS_INIT};
  bool failed = false;
  lane->observation = table(1, inputs, sizeof(float), &failed);
  lane->mask = table(1, model->heads.logits, 1, &failed);
  lane->scratch = table(1, 1, sizeof *lane->scratch, &failed);
  lane->agents = (fwi_agents){
      .open = table(agents, 1, 1, &failed),
      .x = table(agents, inputs, sizeof(float), &failed),
      .mask = table(agents, model->heads.logits, 1, &failed),
      .choices = table(agents, model->heads.count, sizeof(uint32_t), &failed),
      .log_probability = table(agents, 1, sizeof(float), &failed),
      .value = table(agents, model->critic_count, sizeof(float), &failed),
      .discounted = table(agents, 1, sizeof(double), &failed),
      .reward = table(agents, 1, sizeof(double), &failed),
      .finished = table(agents, 1, sizeof(uint64_t), &failed),
  };
  if (failed) return fw_error_memory(diagnostics, "an environment's agents");
  return rules->problem->environment->create(rules->problem->task, &lane->state, diagnostics);
}

void fwi_lane_clear(fwi_lane *lane, const fwi_lane_rules *rules) {
  if (lane->state != NULL) rules->problem->environment->destroy(lane->state);
  free(lane->actions);
  free(lane->observation);
  free(lane->mask);
  free(lane->scratch);
  free(lane->agents.open);
  free(lane->agents.x);
  free(lane->agents.mask);
  free(lane->agents.choices);
  free(lane->agents.log_probability);
  free(lane->agents.value);
  free(lane->agents.discounted);
  free(lane->agents.reward);
  free(lane->agents.finished);
  fw_diagnostics_clear(&lane->diagnostics);
  *lane = (fwi_lane){0};
}

/* --- what an environment may not do --- */

static uint64_t episode_seed(const fwi_lane *lane, const fwi_lane_rules *rules) {
  uint32_t words[4];
  fw_random_block(fw_stream_make(rules->seed, FW_DRAW_PPO_EPISODE, lane->number), lane->episode, 0, words);
  return FW_PPO_TRAINING_SEED | (uint64_t)words[0] << 32 | words[1];
}

/* An error with the place that a person needs to see it again. */
static fw_status fault(const fwi_lane *lane, const fwi_lane_rules *rules, uint32_t agent, const char *what,
                       const char *quantity, fw_diagnostics *diagnostics) {
  const uint64_t step = agent < rules->problem->agent_count ? lane->agents.finished[agent] : 0;
  return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                  "%s of step %llu (agent %u, environment %u, episode %llu with seed %llu) %s; nothing can be learned "
                  "from it: mend the environment '%s'",
                  quantity, (unsigned long long)step, (unsigned)agent, (unsigned)lane->number,
                  (unsigned long long)lane->episode, (unsigned long long)episode_seed(lane, rules), what,
                  rules->problem->environment->name);
}

static fw_status check_outcome(const fwi_lane *lane, const fwi_lane_rules *rules, const fw_ppo_moment *moment,
                               fw_diagnostics *diagnostics) {
  const uint32_t agent = moment->agent;
  if (!isfinite(moment->reward)) return fault(lane, rules, agent, "is not finite", "the reward", diagnostics);
  for (size_t c = 0; c < rules->problem->space.cost_count; c++) {
    if (!isfinite(moment->cost[c]) || moment->cost[c] < 0.0) {
      return fault(lane, rules, agent, "is negative or not finite", "a cost", diagnostics);
    }
  }
  if (!isfinite(moment->elapsed_s) || moment->elapsed_s < 0.0) {
    return fault(lane, rules, agent, "is negative or not finite", "the elapsed time", diagnostics);
  }
  if (moment->terminated && moment->truncated) {
    return fault(lane, rules, agent, "is both a termination and a cut", "the end", diagnostics);
  }
  return FW_OK;
}

static bool ends(const fw_ppo_moment *moment) {
  return moment->terminated || moment->truncated || moment->episode_over;
}

static fw_status check_view(const fwi_lane *lane, const fwi_lane_rules *rules, const fw_ppo_moment *moment,
                            fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < rules->problem->space.observation_size; i++) {
    if (!isfinite(lane->observation[i])) {
      return fault(lane, rules, moment->agent, "has a number that is not finite", "the observation", diagnostics);
    }
  }
  const fwi_heads *heads = &rules->model->heads;
  for (size_t h = 0, at = 0; h < heads->count && !ends(moment); at += heads->size[h++]) {
    if (memchr(lane->mask + at, 1, heads->size[h]) == NULL) {
      return fault(lane, rules, moment->agent, "allows no choice", "the mask", diagnostics);
    }
  }
  return FW_OK;
}

static fw_status check(const fwi_lane *lane, const fwi_lane_rules *rules, const fw_ppo_moment *moment,
                       fw_diagnostics *diagnostics) {
  const uint32_t agent = moment->agent;
  if (agent >= rules->problem->agent_count) {
    return fault(lane, rules, agent, "is not one of the problem", "the agent", diagnostics);
  }
  if (moment->has_outcome != (lane->agents.open[agent] != 0) && !(moment->episode_over && !moment->has_outcome)) {
    return fault(lane, rules, agent, "is not announced as it should be", "the outcome", diagnostics);
  }
  if (moment->has_outcome) {
    fw_status status = check_outcome(lane, rules, moment, diagnostics);
    if (status != FW_OK) return status;
    if (moment->episode_over && !moment->terminated && !moment->truncated) {
      return fault(lane, rules, agent, "is neither a termination nor a cut", "the end", diagnostics);
    }
  }
  const bool viewed = !ends(moment) || moment->truncated;
  return viewed ? check_view(lane, rules, moment, diagnostics) : FW_OK;
}

/* --- one episode --- */

static fw_status reset(fwi_lane *lane, const fwi_lane_rules *rules, fw_diagnostics *diagnostics) {
  fw_status status = rules->problem->environment->reset(lane->state, episode_seed(lane, rules), diagnostics);
  if (status != FW_OK) return status;
  lane->running = true;
  return FW_OK;
}

/* The next moment into the lane: who waits, with what in view. */
static fw_status next_moment(fwi_lane *lane, const fwi_lane_rules *rules, fw_ppo_moment *moment,
                             fw_diagnostics *diagnostics) {
  *moment = (fw_ppo_moment){0};
  memset(lane->mask, 1, rules->model->heads.logits);
  fw_status status =
      rules->problem->environment->advance(lane->state, moment, lane->observation, lane->mask, diagnostics);
  if (status != FW_OK) return status;
  lane->moments++;
  lane->agent = moment->agent;
  lane->waits = !ends(moment);
  return FW_OK;
}

static fw_status remember(fwi_lane *lane, const uint32_t *choices, size_t heads, fw_diagnostics *diagnostics) {
  if (!fw_grow(&lane->actions, &lane->action_capacity, lane->action_numbers + heads, sizeof *lane->actions)) {
    return fw_error_memory(diagnostics, "the actions of an episode");
  }
  memcpy(lane->actions + lane->action_numbers, choices, heads * sizeof *choices);
  lane->action_numbers += heads;
  return FW_OK;
}

static fw_status tell_answer(fwi_lane *lane, const fwi_lane_rules *rules) {
  const size_t heads = rules->model->heads.count;
  const uint32_t *choices = lane->agents.choices + lane->agent * heads;
  fw_status status = remember(lane, choices, heads, &lane->diagnostics);
  if (status != FW_OK) return status;
  lane->answered = false;
  lane->waits = false;
  return rules->problem->environment->act(lane->state, lane->agent, choices, &lane->diagnostics);
}

void fwi_lane_values(const fwi_lane_rules *rules, const float *x, fwi_activations *scratch, float values[FWI_CRITICS]) {
  const fwi_model *model = rules->model;
  for (size_t c = 0; c < model->critic_count; c++) {
    fwi_network_forward(&model->network[1 + c], rules->parameters + model->at[1 + c], x, 1, scratch);
    values[c] = scratch->out[0];
  }
}

static fwi_ending ending_of(const fw_ppo_moment *moment) {
  return moment->terminated ? FWI_TERMINATED : moment->truncated ? FWI_TRUNCATED : FWI_GOES_ON;
}

/* Moves an agent's open decision, with its outcome, to a row of the rollout. */
static void finish_decision(fwi_lane *lane, const fwi_lane_rules *rules, const fw_ppo_moment *moment,
                            fwi_rollout *rollout) {
  const fwi_model *model = rules->model;
  const size_t inputs = model->network[0].inputs, logits = model->heads.logits, heads = model->heads.count;
  const size_t row = lane->number * rollout->length + lane->finished++;
  const size_t agent = moment->agent;
  fwi_agents *agents = &lane->agents;
  memcpy(rollout->batch.x + row * inputs, agents->x + agent * inputs, inputs * sizeof(float));
  memcpy(rollout->batch.mask + row * logits, agents->mask + agent * logits, logits);
  memcpy(rollout->batch.choices + row * heads, agents->choices + agent * heads, heads * sizeof(uint32_t));
  rollout->batch.log_probability[row] = agents->log_probability[agent];
  for (size_t c = 0; c < model->critic_count; c++) {
    rollout->batch.value[c][row] = agents->value[agent * model->critic_count + c];
    rollout->beyond[c][row] = 0.0f;
  }
  rollout->agent[row] = moment->agent;
  rollout->ending[row] = (uint8_t)ending_of(moment);
  rollout->elapsed_s[row] = moment->elapsed_s;
  rollout->reward[row] = moment->reward;
  for (size_t c = 0; c < rules->problem->space.cost_count; c++)
    rollout->cost[c][row] = moment->cost[c];
  if (moment->truncated) {
    float x[FW_PPO_OBSERVATIONS], values[FWI_CRITICS];
    fwi_normaliser_apply(rules->observations, lane->observation, 1, x);
    fwi_lane_values(rules, x, lane->scratch, values);
    for (size_t c = 0; c < model->critic_count; c++)
      rollout->beyond[c][row] = values[c];
  }
  agents->open[agent] = 0;
  agents->finished[agent] = ends(moment) ? 0 : agents->finished[agent] + 1;
}

static fw_status end_episode(fwi_lane *lane, const fwi_lane_rules *rules) {
  const size_t agents = rules->problem->agent_count;
  const uint8_t *left = memchr(lane->agents.open, 1, agents);
  if (left != NULL) {
    return fault(lane, rules, (uint32_t)(left - lane->agents.open), "is missing although the episode is over",
                 "the outcome", &lane->diagnostics);
  }
  memset(lane->agents.finished, 0, agents * sizeof *lane->agents.finished);
  lane->running = false;
  lane->episode++;
  lane->moments = 0;
  lane->action_numbers = 0;
  return FW_OK;
}

static fw_status take_moment(fwi_lane *lane, const fwi_lane_rules *rules, fwi_rollout *rollout) {
  fw_ppo_moment moment;
  fw_status status = next_moment(lane, rules, &moment, &lane->diagnostics);
  if (status == FW_OK) status = check(lane, rules, &moment, &lane->diagnostics);
  if (status != FW_OK) return status;
  if (moment.has_outcome) finish_decision(lane, rules, &moment, rollout);
  return moment.episode_over ? end_episode(lane, rules) : FW_OK;
}

void fwi_lane_run(fwi_lane *lane, const fwi_lane_rules *rules, fwi_rollout *rollout) {
  fw_status status = lane->answered ? tell_answer(lane, rules) : FW_OK;
  while (status == FW_OK && !lane->waits && lane->finished < rollout->length) {
    if (!lane->running) status = reset(lane, rules, &lane->diagnostics);
    if (status == FW_OK) status = take_moment(lane, rules, rollout);
  }
  lane->status = status;
}

/* --- resume --- */

fw_status fwi_lane_replay(fwi_lane *lane, const fwi_lane_rules *rules, fw_diagnostics *diagnostics) {
  const size_t heads = rules->model->heads.count;
  const uint64_t moments = lane->moments;
  size_t told = 0;
  lane->moments = 0;
  fw_status status = reset(lane, rules, diagnostics);
  while (status == FW_OK && lane->moments < moments) {
    if (lane->waits && told < lane->action_numbers) {
      lane->waits = false;
      status = rules->problem->environment->act(lane->state, lane->agent, lane->actions + told, diagnostics);
      told += heads;
    }
    fw_ppo_moment moment;
    if (status == FW_OK) status = next_moment(lane, rules, &moment, diagnostics);
    const bool goes_on = lane->moments == moments || !lane->waits || told < lane->action_numbers;
    if (status == FW_OK && (moment.episode_over || !goes_on)) break;
  }
  if (status == FW_OK && (lane->moments != moments || told != lane->action_numbers)) {
    return fault(lane, rules, lane->agent, "differs from the run that was saved", "the course", diagnostics);
  }
  return status;
}

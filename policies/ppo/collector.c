#include "policies/ppo/collector.h"

#include <stdlib.h>
#include <string.h>

#include "policies/ppo/discount.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/units.h"

fw_status fwi_collector_create(fwi_collector *collector, const fwi_lane_rules *rules, fwi_normaliser *observations,
                               const fw_ppo_config *config, size_t threads, fw_diagnostics *diagnostics) {
  *collector = (fwi_collector){
      .rules = *rules, .observations = observations, .normalise = config->normalise_observations, .threads = threads};
  const size_t environments = (size_t)config->environments, inputs = rules->problem->space.observation_size;
  fw_status status = fwi_rollout_create(&collector->rollout, rules->model, rules->problem->space.cost_count,
                                        environments, (size_t)config->rollout, diagnostics);
  if (status != FW_OK) return status;
  collector->lanes = fw_allocate(environments, sizeof *collector->lanes);
  collector->waiting = fw_allocate(environments, sizeof *collector->waiting);
  collector->raw = fw_allocate(FWI_BLOCK * inputs, sizeof *collector->raw);
  collector->x = fw_allocate(FWI_BLOCK * inputs, sizeof *collector->x);
  collector->scratch = fw_allocate(1, sizeof *collector->scratch);
  if (collector->lanes == NULL || collector->waiting == NULL || collector->raw == NULL || collector->x == NULL ||
      collector->scratch == NULL) {
    return fw_error_memory(diagnostics, "the environments of a trainer");
  }
  for (size_t e = 0; e < environments && status == FW_OK; e++)
    status = fwi_lane_create(&collector->lanes[e], &collector->rules, (uint32_t)e, diagnostics);
  return status;
}

void fwi_collector_clear(fwi_collector *collector) {
  for (size_t e = 0; collector->lanes != NULL && e < collector->rollout.environments; e++)
    fwi_lane_clear(&collector->lanes[e], &collector->rules);
  fwi_rollout_clear(&collector->rollout);
  free(collector->lanes);
  free(collector->waiting);
  free(collector->raw);
  free(collector->x);
  free(collector->scratch);
  *collector = (fwi_collector){0};
}

/* --- one round --- */

static fw_status run_lanes(fwi_collector *collector, fw_diagnostics *diagnostics) {
  const size_t count = collector->rollout.environments;
#pragma omp parallel for schedule(dynamic) num_threads((int)collector->threads) if (collector->threads > 1)
  for (size_t e = 0; e < count; e++) {
    fwi_lane *lane = &collector->lanes[e];
    if (lane->finished < collector->rollout.length) fwi_lane_run(lane, &collector->rules, &collector->rollout);
  }
  fw_status first = FW_OK;
  for (size_t e = 0; e < count; e++) {
    if (diagnostics != NULL) fw_diagnostics_append(diagnostics, &collector->lanes[e].diagnostics);
    if (first == FW_OK) first = collector->lanes[e].status;
  }
  return first;
}

/* Opens the decision of a lane's waiting agent, who saw `x`, with a choice drawn from the actor's outputs. */
static void choose(fwi_collector *collector, fwi_lane *lane, const float *logits, const float *x) {
  const fwi_model *model = collector->rules.model;
  const fwi_heads *heads = &model->heads;
  const fw_stream stream = fw_stream_make(collector->rules.seed, FW_DRAW_PPO_ACTION, lane->number);
  fwi_agents *agents = &lane->agents;
  const size_t agent = lane->agent, inputs = model->network[0].inputs;
  float log_p = 0.0f;
  for (size_t h = 0, at = 0; h < heads->count; at += heads->size[h++]) {
    fwi_distribution head;
    fwi_head_distribute(logits + at, lane->mask + at, heads->size[h], &head);
    const double u = fw_random_uniform(stream, lane->answers * FW_PPO_HEADS + h, 0);
    const uint32_t choice = fwi_head_draw(&head, heads->size[h], u);
    agents->choices[agent * heads->count + h] = choice;
    log_p += fwi_head_log_p(&head, logits[at + choice]);
  }
  memcpy(agents->x + agent * inputs, x, inputs * sizeof *x);
  memcpy(agents->mask + agent * heads->logits, lane->mask, heads->logits);
  agents->log_probability[agent] = log_p;
  agents->open[agent] = 1;
  lane->answers++;
  lane->answered = true;
}

/* What up to FWI_BLOCK waiting lanes see, as rows of `raw` and, normalised, of `x`. */
static void look(fwi_collector *collector, const uint32_t *lanes, size_t rows) {
  const size_t inputs = collector->rules.model->network[0].inputs;
  for (size_t row = 0; row < rows; row++)
    memcpy(collector->raw + row * inputs, collector->lanes[lanes[row]].observation, inputs * sizeof(float));
  fwi_normaliser_apply(collector->observations, collector->raw, rows, collector->x);
}

static void forward(fwi_collector *collector, size_t network, size_t rows) {
  const fwi_model *model = collector->rules.model;
  fwi_network_forward(&model->network[network], collector->rules.parameters + model->at[network], collector->x, rows,
                      collector->scratch);
}

static void answer(fwi_collector *collector, const uint32_t *lanes, size_t rows) {
  const fwi_model *model = collector->rules.model;
  const size_t inputs = model->network[0].inputs;
  look(collector, lanes, rows);
  for (size_t n = 0; n < model->network_count; n++) {
    forward(collector, n, rows);
    for (size_t row = 0; row < rows; row++) {
      fwi_lane *lane = &collector->lanes[lanes[row]];
      const float *out = collector->scratch->out + row * model->network[n].padded;
      if (n == 0) {
        choose(collector, lane, out, collector->x + row * inputs);
      } else {
        lane->agents.value[lane->agent * model->critic_count + n - 1] = out[0];
      }
    }
  }
}

/* Lanes with an agent that waits; only those with room for its outcome, or all. */
static size_t find_waiting(fwi_collector *collector, bool all) {
  size_t count = 0;
  for (size_t e = 0; e < collector->rollout.environments; e++) {
    const fwi_lane *lane = &collector->lanes[e];
    if (lane->waits && (all || lane->finished < collector->rollout.length)) collector->waiting[count++] = (uint32_t)e;
  }
  return count;
}

static size_t block_of(size_t left) {
  return left < FWI_BLOCK ? left : FWI_BLOCK;
}

/* --- a rollout --- */

/* The value that follows the last decision of an agent among the rows of a lane. */
static float value_beyond(const fwi_collector *collector, const fwi_lane *lane, uint32_t agent, size_t critic) {
  return lane->agents.value[agent * collector->rules.model->critic_count + critic];
}

/* A decision that goes on is followed by one that is open, or by one that its agent is about to make; the values of
 * both are with the agents. */
static void set_beyond(fwi_collector *collector, const fwi_lane *lane) {
  fwi_rollout *rollout = &collector->rollout;
  for (size_t k = 0; k < rollout->length; k++) {
    const size_t row = lane->number * rollout->length + k;
    if (rollout->ending[row] != FWI_GOES_ON) continue;
    for (size_t c = 0; c < collector->rules.model->critic_count; c++)
      rollout->beyond[c][row] = value_beyond(collector, lane, rollout->agent[row], c);
  }
}

/* Values of what agents see that wait and were not answered: with the networks of this rollout, although the answer
 * comes from the next. */
static void value_waiting(fwi_collector *collector) {
  const fwi_model *model = collector->rules.model;
  const size_t count = find_waiting(collector, true);
  for (size_t done = 0; done < count; done += FWI_BLOCK) {
    const size_t rows = block_of(count - done);
    look(collector, collector->waiting + done, rows);
    for (size_t c = 0; c < model->critic_count; c++) {
      forward(collector, 1 + c, rows);
      for (size_t row = 0; row < rows; row++) {
        fwi_lane *lane = &collector->lanes[collector->waiting[done + row]];
        lane->agents.value[lane->agent * model->critic_count + c] =
            collector->scratch->out[row * model->network[1 + c].padded];
      }
    }
  }
}

fw_status fwi_collector_collect(fwi_collector *collector, fw_diagnostics *diagnostics) {
  for (size_t e = 0; e < collector->rollout.environments; e++)
    collector->lanes[e].finished = 0;
  for (;;) {
    fw_status status = run_lanes(collector, diagnostics);
    if (status != FW_OK) return status;
    const size_t count = find_waiting(collector, false);
    if (count == 0) break;
    for (size_t i = 0; i < count && collector->normalise; i++)
      fwi_normaliser_add(collector->observations, collector->lanes[collector->waiting[i]].observation);
    for (size_t done = 0; done < count; done += FWI_BLOCK)
      answer(collector, collector->waiting + done, block_of(count - done));
  }
  value_waiting(collector);
  for (size_t e = 0; e < collector->rollout.environments; e++)
    set_beyond(collector, &collector->lanes[e]);
  return FW_OK;
}

fwi_tally fwi_collector_tally(fwi_collector *collector, const fw_ppo_config *config, fwi_normaliser *returns) {
  const fwi_rollout *rollout = &collector->rollout;
  const double horizon_s = fw_time_to_seconds(config->horizon);
  fwi_tally tally = {0};
  for (size_t row = 0; row < rollout->rows; row++) {
    fwi_agents *agents = &collector->lanes[row / rollout->length].agents;
    const uint32_t agent = rollout->agent[row];
    tally.elapsed_s += rollout->elapsed_s[row];
    tally.reward += rollout->reward[row];
    for (size_t c = 0; c < collector->rules.problem->space.cost_count; c++)
      tally.cost[c] += rollout->cost[c][row];
    agents->reward[agent] += rollout->reward[row];
    agents->discounted[agent] =
        agents->discounted[agent] * fw_ppo_discount(rollout->elapsed_s[row], horizon_s) + rollout->reward[row];
    const float discounted = (float)agents->discounted[agent];
    fwi_normaliser_add(returns, &discounted);
    if (rollout->ending[row] == FWI_GOES_ON) continue;
    tally.episodes++;
    tally.episode_reward += agents->reward[agent];
    agents->reward[agent] = 0.0;
    agents->discounted[agent] = 0.0;
  }
  return tally;
}

/* A trainer to a file and back. A checkpoint is a weight file with more arrays: the optimiser's, and under "resume."
 * the state of the environments: of each the running episode (whose seed is known from its number) with the actions
 * given so far, and of each agent its open decision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/actor.h"
#include "policies/ppo/trainer_state.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

/* The lanes' state as whole arrays: of each lane, of each agent of each lane, of each open decision, of each action. */
typedef struct snapshot {
  size_t lanes, agents; /* agents of all lanes */
  size_t open_count, action_count;
  uint64_t *episode, *answers, *moments, *actions_of;
  uint8_t *running, *open;
  double *discounted, *reward;
  uint64_t *finished;
  float *x, *log_probability, *value;
  uint8_t *mask;
  uint32_t *choices;
  uint32_t *actions;
  bool failed;
} snapshot;

enum { MULTIPLIER_NUMBERS = sizeof(fwi_multiplier) / sizeof(double) };

static void *table(snapshot *s, size_t rows, size_t columns, size_t size) {
  size_t count;
  void *made = fw_size_multiply(rows, columns, &count) ? fw_allocate(count, size) : NULL;
  s->failed = s->failed || made == NULL;
  return made;
}

static snapshot snapshot_create(const fw_ppo_trainer *trainer, size_t open_count, size_t action_count) {
  const fwi_model *model = &trainer->weights.model;
  snapshot s = {
      .lanes = trainer->collector.rollout.environments, .open_count = open_count, .action_count = action_count};
  s.agents = s.lanes * trainer->problem.agent_count; /* both bounded */
  s.episode = table(&s, s.lanes, 1, sizeof *s.episode);
  s.answers = table(&s, s.lanes, 1, sizeof *s.answers);
  s.moments = table(&s, s.lanes, 1, sizeof *s.moments);
  s.actions_of = table(&s, s.lanes, 1, sizeof *s.actions_of);
  s.running = table(&s, s.lanes, 1, sizeof *s.running);
  s.open = table(&s, s.agents, 1, sizeof *s.open);
  s.discounted = table(&s, s.agents, 1, sizeof *s.discounted);
  s.reward = table(&s, s.agents, 1, sizeof *s.reward);
  s.finished = table(&s, s.agents, 1, sizeof *s.finished);
  s.x = table(&s, open_count, model->network[0].inputs, sizeof *s.x);
  s.log_probability = table(&s, open_count, 1, sizeof *s.log_probability);
  s.value = table(&s, open_count, model->critic_count, sizeof *s.value);
  s.mask = table(&s, open_count, model->heads.logits, sizeof *s.mask);
  s.choices = table(&s, open_count, model->heads.count, sizeof *s.choices);
  s.actions = table(&s, action_count, model->heads.count, sizeof *s.actions);
  return s;
}

static void snapshot_clear(snapshot *s) {
  free(s->episode);
  free(s->answers);
  free(s->moments);
  free(s->actions_of);
  free(s->running);
  free(s->open);
  free(s->discounted);
  free(s->reward);
  free(s->finished);
  free(s->x);
  free(s->log_probability);
  free(s->value);
  free(s->mask);
  free(s->choices);
  free(s->actions);
}

/* --- take and restore --- */

/* Copies one agent's open decision to or from number `i` of the snapshot. */
static void copy_open(const fwi_model *model, fwi_agents *agents, size_t agent, snapshot *s, size_t i, bool take) {
  const size_t inputs = model->network[0].inputs, logits = model->heads.logits, heads = model->heads.count;
  struct {
    void *own, *saved;
    size_t size;
  } parts[] = {
      {agents->x + agent * inputs, s->x + i * inputs, inputs * sizeof *s->x},
      {agents->mask + agent * logits, s->mask + i * logits, logits},
      {agents->choices + agent * heads, s->choices + i * heads, heads * sizeof *s->choices},
      {agents->log_probability + agent, s->log_probability + i, sizeof *s->log_probability},
      {agents->value + agent * model->critic_count, s->value + i * model->critic_count,
       model->critic_count * sizeof *s->value},
  };
  for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
    memcpy(take ? parts[p].saved : parts[p].own, take ? parts[p].own : parts[p].saved, parts[p].size);
}

static void take_lane(const fw_ppo_trainer *trainer, size_t e, snapshot *s, size_t *open, size_t *actions) {
  fwi_lane *lane = &trainer->collector.lanes[e];
  const fwi_model *model = &trainer->weights.model;
  const size_t agents = trainer->problem.agent_count, heads = model->heads.count;
  s->episode[e] = lane->episode;
  s->answers[e] = lane->answers;
  s->moments[e] = lane->moments;
  s->running[e] = lane->running;
  s->actions_of[e] = lane->action_numbers / heads;
  if (lane->action_numbers > 0) {
    memcpy(s->actions + *actions * heads, lane->actions, lane->action_numbers * sizeof *s->actions);
  }
  *actions += lane->action_numbers / heads;
  memcpy(s->open + e * agents, lane->agents.open, agents * sizeof *s->open);
  memcpy(s->discounted + e * agents, lane->agents.discounted, agents * sizeof *s->discounted);
  memcpy(s->reward + e * agents, lane->agents.reward, agents * sizeof *s->reward);
  memcpy(s->finished + e * agents, lane->agents.finished, agents * sizeof *s->finished);
  for (size_t agent = 0; agent < agents; agent++) {
    if (lane->agents.open[agent]) copy_open(model, &lane->agents, agent, s, (*open)++, true);
  }
}

static fw_status restore_lane(fw_ppo_trainer *trainer, size_t e, snapshot *s, size_t *open, size_t *actions,
                              fw_diagnostics *diagnostics) {
  fwi_lane *lane = &trainer->collector.lanes[e];
  const fwi_model *model = &trainer->weights.model;
  const size_t agents = trainer->problem.agent_count, heads = model->heads.count;
  lane->episode = s->episode[e];
  lane->answers = s->answers[e];
  lane->moments = s->moments[e];
  lane->action_numbers = (size_t)s->actions_of[e] * heads;
  if (!fw_grow(&lane->actions, &lane->action_capacity, lane->action_numbers, sizeof *lane->actions)) {
    return fw_error_memory(diagnostics, "the actions of an episode");
  }
  if (lane->action_numbers > 0) {
    memcpy(lane->actions, s->actions + *actions * heads, lane->action_numbers * sizeof *s->actions);
  }
  *actions += (size_t)s->actions_of[e];
  fw_status status = s->running[e] ? fwi_lane_replay(lane, &trainer->collector.rules, diagnostics) : FW_OK;
  memcpy(lane->agents.open, s->open + e * agents, agents * sizeof *s->open);
  memcpy(lane->agents.discounted, s->discounted + e * agents, agents * sizeof *s->discounted);
  memcpy(lane->agents.reward, s->reward + e * agents, agents * sizeof *s->reward);
  memcpy(lane->agents.finished, s->finished + e * agents, agents * sizeof *s->finished);
  for (size_t agent = 0; agent < agents; agent++) {
    if (lane->agents.open[agent]) copy_open(model, &lane->agents, agent, s, (*open)++, false);
  }
  return status;
}

/* --- arrays of the file --- */

typedef struct array {
  const char *name;
  fwi_tensor_type type;
  fwi_shape shape;
  void *data;
} array;

enum { ARRAYS = 20 };

/* The one list that writing and reading go through. */
static size_t arrays_of(fw_ppo_trainer *trainer, snapshot *s, array arrays[ARRAYS]) {
  const fwi_model *model = &trainer->weights.model;
  const size_t agents = trainer->problem.agent_count, costs = trainer->problem.space.cost_count;
  const fwi_shape lanes = {s->lanes, 0}, each = {s->lanes, agents}, all = {model->parameter_count, 0};
  const array list[] = {
      {"adam.first", FWI_TENSOR_F32, all, trainer->adam.first},
      {"adam.second", FWI_TENSOR_F32, all, trainer->adam.second},
      {"adam.steps", FWI_TENSOR_U64, {1, 0}, &trainer->adam.steps},
      {"resume.iteration", FWI_TENSOR_U64, {1, 0}, &trainer->iteration},
      {"resume.multipliers", FWI_TENSOR_F64, {costs, MULTIPLIER_NUMBERS}, trainer->multipliers},
      {"resume.episode", FWI_TENSOR_U64, lanes, s->episode},
      {"resume.answers", FWI_TENSOR_U64, lanes, s->answers},
      {"resume.moments", FWI_TENSOR_U64, lanes, s->moments},
      {"resume.running", FWI_TENSOR_U8, lanes, s->running},
      {"resume.action_count", FWI_TENSOR_U64, lanes, s->actions_of},
      {"resume.actions", FWI_TENSOR_U32, {s->action_count, model->heads.count}, s->actions},
      {"resume.discounted", FWI_TENSOR_F64, each, s->discounted},
      {"resume.episode_reward", FWI_TENSOR_F64, each, s->reward},
      {"resume.finished", FWI_TENSOR_U64, each, s->finished},
      {"resume.open", FWI_TENSOR_U8, each, s->open},
      {"resume.open_x", FWI_TENSOR_F32, {s->open_count, model->network[0].inputs}, s->x},
      {"resume.open_mask", FWI_TENSOR_U8, {s->open_count, model->heads.logits}, s->mask},
      {"resume.open_choices", FWI_TENSOR_U32, {s->open_count, model->heads.count}, s->choices},
      {"resume.open_log_probability", FWI_TENSOR_F32, {s->open_count, 0}, s->log_probability},
      {"resume.open_value", FWI_TENSOR_F32, {s->open_count, model->critic_count}, s->value},
  };
  memcpy(arrays, list, sizeof list);
  return sizeof list / sizeof list[0];
}

static size_t stride_of(fwi_shape shape) {
  return shape.columns > 0 ? shape.columns : 1;
}

static fw_status check_may_save(const fw_ppo_trainer *trainer, fw_diagnostics *diagnostics) {
  if (!trainer->broken && fwi_weights_are_finite(&trainer->weights)) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                  "the training failed, so its weights are not saved; what was saved before is untouched");
}

/* What never moved in training was divided by next to nothing: a small move in use becomes a large one. */
static void warn_of_still_observations(const fwi_normaliser *observations, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < observations->size && observations->count > 0.0 && diagnostics != NULL; i++) {
    if (observations->variance[i] >= FWI_NORMAL_STILL) continue;
    char variance[FW_NUMBER_TEXT_SIZE];
    fw_warning(
        diagnostics, (fw_place){0},
        "number %zu of the observation hardly varied in training (variance %s), so the policy knows nothing of it; "
        "let training see it move, or leave it out",
        i, fw_number_format(observations->variance[i], 3, variance));
  }
}

fw_status fw_ppo_trainer_weights(const fw_ppo_trainer *trainer, fw_text *bytes, fw_diagnostics *diagnostics) {
  fw_status status = check_may_save(trainer, diagnostics);
  if (status != FW_OK) return status;
  warn_of_still_observations(&trainer->weights.observations, diagnostics);
  fwi_tensor_writer writer = FWI_TENSOR_WRITER_INIT;
  fwi_weights_add(&trainer->weights, &writer);
  return fwi_tensors_bytes(&writer, bytes, diagnostics);
}

fw_status fw_ppo_trainer_save_weights(const fw_ppo_trainer *trainer, const char *path, fw_diagnostics *diagnostics) {
  fw_text bytes = FW_TEXT_INIT;
  fw_status status = fw_ppo_trainer_weights(trainer, &bytes, diagnostics);
  if (status == FW_OK) status = fw_file_write(path, bytes.data, bytes.length, diagnostics);
  fw_text_clear(&bytes);
  return status;
}

fw_status fw_ppo_trainer_save(const fw_ppo_trainer *trainer, const char *path, fw_diagnostics *diagnostics) {
  fw_status status = check_may_save(trainer, diagnostics);
  if (status != FW_OK) return status;
  size_t open_count = 0, action_count = 0;
  for (size_t e = 0; e < trainer->collector.rollout.environments; e++) {
    const fwi_lane *lane = &trainer->collector.lanes[e];
    for (size_t agent = 0; agent < trainer->problem.agent_count; agent++)
      open_count += lane->agents.open[agent];
    action_count += lane->action_numbers / trainer->weights.model.heads.count;
  }
  snapshot s = snapshot_create(trainer, open_count, action_count);
  if (s.failed) {
    snapshot_clear(&s);
    return fw_error_memory(diagnostics, "a checkpoint");
  }
  size_t open = 0, actions = 0;
  for (size_t e = 0; e < s.lanes; e++)
    take_lane(trainer, e, &s, &open, &actions);
  fwi_tensor_writer writer = FWI_TENSOR_WRITER_INIT;
  fwi_weights_add(&trainer->weights, &writer);
  array arrays[ARRAYS];
  const size_t count = arrays_of((fw_ppo_trainer *)trainer, &s, arrays); /* only read from */
  for (size_t i = 0; i < count; i++) {
    fwi_tensors_add(&writer, arrays[i].name, arrays[i].type, arrays[i].shape, arrays[i].data,
                    stride_of(arrays[i].shape));
  }
  status = fwi_tensors_write(&writer, path, diagnostics);
  snapshot_clear(&s);
  return status;
}

/* --- load --- */

static bool same_problem(const fwi_weights *weights, const fw_ppo_problem *problem) {
  const fw_ppo_space *a = &weights->space, *b = &problem->space;
  bool same = a->observation_size == b->observation_size && a->head_count == b->head_count &&
              a->cost_count == b->cost_count && strcmp(weights->schema, problem->schema) == 0;
  for (size_t h = 0; h < a->head_count && same; h++)
    same = a->head_size[h] == b->head_size[h];
  for (size_t c = 0; c < a->cost_count && same; c++) {
    const double x = weights->cost_limit[c], y = problem->cost_limit[c];
    same = isnan(x) ? isnan(y) : x == y;
  }
  return same;
}

/* Whether the choices of `count` actions are among the settings. */
static bool are_choices(const fwi_heads *heads, const uint32_t *choices, size_t count) {
  for (size_t i = 0; i < count * heads->count; i++) {
    if (choices[i] >= heads->size[i % heads->count]) return false;
  }
  return true;
}

/* Whether the counts within a snapshot agree and what addresses an array stays inside. */
static bool is_sound(const snapshot *s, const fwi_model *model) {
  const fwi_heads *heads = &model->heads;
  uint64_t actions = 0, open = 0;
  for (size_t e = 0; e < s->lanes; e++) {
    if (s->running[e] > 1 || s->actions_of[e] > s->action_count - actions) return false;
    actions += s->actions_of[e];
  }
  for (size_t i = 0; i < s->agents; i++) {
    if (s->open[i] > 1) return false;
    open += s->open[i];
  }
  if (actions != s->action_count || open != s->open_count || !are_choices(heads, s->actions, s->action_count) ||
      !are_choices(heads, s->choices, s->open_count)) {
    return false;
  }
  for (size_t i = 0, at = 0; i < s->open_count * heads->count; at += heads->size[i++ % heads->count]) {
    if (!s->mask[at + s->choices[i]]) return false;
  }
  return true;
}

static fw_status not_a_checkpoint(const fwi_tensor_file *file, fw_diagnostics *diagnostics, const char *why) {
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = fwi_tensors_name(file)},
                  "%s; give a checkpoint that 'fleetwatt train' wrote for this scenario", why);
}

static fw_status read_arrays(fw_ppo_trainer *trainer, fwi_tensor_file *file, snapshot *s, fw_diagnostics *diagnostics) {
  array arrays[ARRAYS];
  const size_t count = arrays_of(trainer, s, arrays);
  fw_status status = FW_OK;
  for (size_t i = 0; i < count && status == FW_OK; i++) {
    status = fwi_tensors_get(file, arrays[i].name, arrays[i].type, arrays[i].shape, arrays[i].data,
                             stride_of(arrays[i].shape), diagnostics);
  }
  static const char *const others[] = {NULL};
  if (status == FW_OK) status = fwi_tensors_check_used(file, others, diagnostics);
  if (status != FW_OK) return status;
  if (!is_sound(s, &trainer->weights.model)) {
    return not_a_checkpoint(file, diagnostics, "the state of its environments contradicts itself");
  }
  return FW_OK;
}

static fw_status restore(fw_ppo_trainer *trainer, fwi_tensor_file *file, fw_diagnostics *diagnostics) {
  fwi_shape open, actions;
  if (!fwi_tensors_find(file, "resume.open_x", &open) || !fwi_tensors_find(file, "resume.actions", &actions)) {
    return not_a_checkpoint(file, diagnostics, "this is a weight file without the state of a training");
  }
  snapshot s = snapshot_create(trainer, open.rows, actions.rows);
  fw_status status = s.failed ? fw_error_memory(diagnostics, "a checkpoint") : FW_OK;
  if (status == FW_OK) status = read_arrays(trainer, file, &s, diagnostics);
  size_t open_done = 0, actions_done = 0;
  for (size_t e = 0; e < s.lanes && status == FW_OK; e++)
    status = restore_lane(trainer, e, &s, &open_done, &actions_done, diagnostics);
  snapshot_clear(&s);
  return status;
}

static fw_status load(fw_ppo_trainer *trainer, fwi_tensor_file *file, uint64_t decisions, size_t threads,
                      fw_diagnostics *diagnostics) {
  fw_status status = fwi_weights_read(&trainer->weights, file, diagnostics);
  if (status != FW_OK) return status;
  if (!same_problem(&trainer->weights, &trainer->problem)) {
    return not_a_checkpoint(file, diagnostics, "it belongs to another problem: what is seen, set or limited differs");
  }
  if (decisions > 0) trainer->weights.config.decisions = decisions;
  status = fwi_trainer_furnish(trainer, threads, diagnostics);
  return status == FW_OK ? restore(trainer, file, diagnostics) : status;
}

fw_status fw_ppo_trainer_load(const char *path, const fw_ppo_problem *problem, uint64_t decisions, size_t threads,
                              fw_ppo_trainer **out, fw_diagnostics *diagnostics) {
  *out = NULL;
  fw_ppo_trainer *trainer = fw_allocate(1, sizeof *trainer);
  if (trainer == NULL) return fw_error_memory(diagnostics, "a trainer");
  trainer->problem = *problem;
  fw_text bytes = FW_TEXT_INIT;
  fwi_tensor_file *file = NULL;
  fw_status status = fw_file_read(path, FW_PPO_FILE_LIMIT, &bytes, diagnostics);
  if (status == FW_OK) status = fwi_tensors_parse(bytes.data, bytes.length, path, &file, diagnostics);
  if (status == FW_OK) status = load(trainer, file, decisions, threads, diagnostics);
  fwi_tensors_free(file);
  fw_text_clear(&bytes);
  if (status == FW_OK) {
    *out = trainer;
  } else {
    fw_ppo_trainer_destroy(trainer);
  }
  return status;
}

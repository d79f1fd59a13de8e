/* The settings of the trainer as a record. Defaults are those common for PPO (CleanRL's, with the clock of a job that
 * decides every 15 s or so), but for what is said in docs/ppo.md. */
#include "policies/ppo/config.h"

#include "sim/base/fields.h"

static const char *const width_names[] = {"32", "64", "128", NULL};

static const fw_ppo_config defaults = {
    .decisions = 500000,
    .environments = 64,
    .rollout = 128,
    .epochs = 4,
    .minibatches = 4,
    .width = FW_PPO_WIDTH_64,
    .learning_rate = 2.5e-4,
    .anneal_decisions = 500000,
    .gradient_norm = 0.5,
    .clip = 0.2,
    .value_weight = 0.5,
    .entropy_weight = 0.01,
    .horizon = 900 * FW_NS_PER_S,
    .reference_interval = 15 * FW_NS_PER_S,
    .trace_decay = 0.95,
    .normalise_observations = true,
    .normalise_rewards = true,
    .multiplier_p = 1.0,
    .multiplier_i = 1.0,
    .multiplier_max = 100.0,
};

/* Bounds that keep every product of sizes far from the ends of its type. */
#define MOST_DECISIONS 1e15
#define MOST_AT_ONCE 65536.0
#define MOST_S 1e9

static const fw_field fields[] = {
    FW_FIELD(fw_ppo_config, decisions, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1.0, MOST_DECISIONS,
             "train until this many decisions were made, all environments together"),
    FW_FIELD(fw_ppo_config, environments, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1.0, MOST_AT_ONCE,
             "environments that collect side by side"),
    FW_FIELD(fw_ppo_config, rollout, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1.0, MOST_AT_ONCE,
             "finished decisions of each environment between two updates"),
    FW_FIELD(fw_ppo_config, epochs, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1.0, 1000.0, "passes over a rollout"),
    FW_FIELD(fw_ppo_config, minibatches, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1.0, MOST_AT_ONCE,
             "steps of the optimiser in a pass"),
    FW_ENUM(fw_ppo_config, width, width_names, FW_OPTIONAL, "units in each of the two hidden layers"),
    FW_FIELD_ABOVE(fw_ppo_config, learning_rate, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1.0, "of Adam, at the start"),
    FW_FIELD(fw_ppo_config, anneal_decisions, FW_FIELD_UNSIGNED, FW_OPTIONAL, 0.0, MOST_DECISIONS,
             "the rate falls in a line to 0 at this many decisions, whatever \"decisions\" says; 0: it stays"),
    FW_FIELD(fw_ppo_config, gradient_norm, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e6,
             "longest gradient of all networks together; 0: no limit"),
    FW_FIELD_ABOVE(fw_ppo_config, clip, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 10.0,
                   "how far the ratio of probabilities may leave 1 before it no longer counts"),
    FW_FIELD(fw_ppo_config, value_clip, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e6,
             "how far a value may leave the old one before it no longer counts; 0: no limit"),
    FW_FIELD(fw_ppo_config, value_weight, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e6, "of the value losses"),
    FW_FIELD(fw_ppo_config, entropy_weight, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e6, "of the policy's entropy"),
    FW_FIELD(fw_ppo_config, kl_stop, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e6,
             "no further pass once the mean divergence from the old policy exceeds this; 0: all passes"),
    FW_FIELD_ABOVE(fw_ppo_config, horizon, FW_FIELD_TIME, FW_OPTIONAL, 0.0, MOST_S,
                   "a reward after s seconds counts exp(-s / horizon)"),
    FW_FIELD_ABOVE(fw_ppo_config, reference_interval, FW_FIELD_TIME, FW_OPTIONAL, 0.0, MOST_S,
                   "the time in which an advantage's trace decays by trace_decay, and the unit of cost's time"),
    FW_FIELD(fw_ppo_config, trace_decay, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1.0,
             "lambda of generalised advantage estimation, for a reference interval"),
    FW_FIELD(fw_ppo_config, normalise_observations, FW_FIELD_BOOL, FW_OPTIONAL, 0.0, 0.0,
             "shift and scale observations by their running mean and deviation, and cut them at 10"),
    FW_FIELD(fw_ppo_config, normalise_rewards, FW_FIELD_BOOL, FW_OPTIONAL, 0.0, 0.0,
             "divide rewards by the running deviation of the discounted return"),
    FW_FIELD(fw_ppo_config, multiplier_p, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e6,
             "a multiplier per unit of (rate - limit)"),
    FW_FIELD(fw_ppo_config, multiplier_i, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e6,
             "what it grows by, in each update, per unit of (rate - limit)"),
    FW_FIELD(fw_ppo_config, multiplier_d, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e6,
             "a multiplier per unit by which the rate rose since the last update"),
    FW_FIELD(fw_ppo_config, multiplier_max, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1e9, "largest multiplier"),
    FW_FIELD(fw_ppo_config, multiplier_smoothing, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 0.999,
             "share of the old rate kept in the rate that multiplier_p and multiplier_d see"),
};

const fw_record fw_ppo_config_record = {
    .name = "ppo",
    .doc = "how proximal policy optimisation trains",
    .size = sizeof(fw_ppo_config),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

size_t fw_ppo_width_units(fw_ppo_width width) {
  static const size_t units[FW_PPO_WIDTH_COUNT] = {32, 64, 128};
  return units[width];
}

static void write_value(const fw_field *field, const void *member, fw_text *text) {
  char buffer[FW_UNITS_TEXT_SIZE];
  switch (field->kind) {
  case FW_FIELD_BOOL:
    fw_text_add(text, *(const bool *)member ? "true" : "false");
    break;
  case FW_FIELD_UNSIGNED:
    fw_text_add_format(text, "%llu", (unsigned long long)*(const uint64_t *)member);
    break;
  case FW_FIELD_TIME:
    fw_text_add(text, fw_time_format(*(const fw_time_ns *)member, buffer));
    break;
  case FW_FIELD_ENUM:
    fw_text_add_json_string(text, field->names[*(const int *)member]);
    break;
  default:
    fw_text_add(text, fw_number_format_exact(*(const double *)member, buffer));
    break; /* FW_FIELD_NUMBER */
  }
}

void fw_ppo_config_write(const fw_ppo_config *config, fw_text *text) {
  for (size_t i = 0; i < FW_COUNT_OF(fields); i++) {
    const fw_field *field = &fields[i];
    fw_text_add_format(text, "%s\"%s%s\":", i == 0 ? "{" : ",", field->name, field->kind == FW_FIELD_TIME ? "_s" : "");
    write_value(field, (const char *)config + field->offset, text);
  }
  fw_text_add(text, "}");
}

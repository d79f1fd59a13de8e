/* How to train: the settings of the trainer, read like any other record ("ppo" in the schema). */
#ifndef FW_POLICIES_PPO_CONFIG_H
#define FW_POLICIES_PPO_CONFIG_H

#include "sim/base/record.h"

typedef enum fw_ppo_width { FW_PPO_WIDTH_32, FW_PPO_WIDTH_64, FW_PPO_WIDTH_128, FW_PPO_WIDTH_COUNT } fw_ppo_width;

typedef struct fw_ppo_config {
  /* How much. */
  uint64_t decisions;    /* train until this many were made, all environments together */
  uint64_t environments; /* that collect side by side */
  uint64_t rollout;      /* decisions of each environment between two updates */
  uint64_t epochs;       /* passes over a rollout */
  uint64_t minibatches;  /* steps of the optimiser in a pass */
  int width;             /* fw_ppo_width: units in each of the two hidden layers */
  /* Optimiser. */
  double learning_rate;
  uint64_t anneal_decisions; /* the rate falls in a line to 0 at this many; 0: constant. Absolute: what `decisions` says
                                does not change it */
  double gradient_norm;      /* longest gradient of all networks together; 0: no limit */
  /* Objective. */
  double clip;
  double value_clip; /* 0: none */
  double value_weight;
  double entropy_weight;
  double kl_stop; /* no further pass once the mean divergence exceeds this; 0: never */
  /* Time. */
  fw_time_ns horizon;            /* of discounting: fw_ppo_discount */
  fw_time_ns reference_interval; /* the time to which trace_decay belongs */
  double trace_decay;            /* lambda of generalised advantage estimation */
  /* Normalisation. */
  bool normalise_observations;
  bool normalise_rewards;
  /* Multipliers of the constraints: PID on rate minus limit, once in an update. */
  double multiplier_p;
  double multiplier_i;
  double multiplier_d;
  double multiplier_max;
  double multiplier_smoothing; /* of the rate that the P and D terms see: share of the old value kept */
} fw_ppo_config;

extern const fw_record fw_ppo_config_record;

size_t fw_ppo_width_units(fw_ppo_width width); /* 32, 64, 128 */

/* Adds the settings as JSON, each with its key, from which the record reads the same values. */
void fw_ppo_config_write(const fw_ppo_config *config, fw_text *text);

#endif

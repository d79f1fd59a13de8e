/* An environment: what a trainer learns in.
 *
 * It holds one agent or more that share one policy and decide at instants of their own. The trainer drives it:
 *
 *   create -> { reset -> { advance -> act } until the episode is over } ... -> destroy
 *
 * `advance` brings the next thing that happens to some agent: it waits for an action (its first, or the next one, with
 * what came of the one before), or its episode has ended (with what came of its last action). An agent that waits is
 * answered by `act` before the next `advance`. Time between two decisions of an agent differs from one to the next (a
 * semi-Markov decision process).
 *
 * An environment is a pure function of its task, the episode's seed and the actions it was given: that is how a
 * training run is resumed. A checkpoint keeps the seed and the actions of the unfinished episode and plays them again.
 * It keeps nothing from one episode to the next. Different states of one task are used by different threads at the same
 * time, so a task is constant while a trainer lives. */
#ifndef FW_POLICIES_PPO_ENVIRONMENT_H
#define FW_POLICIES_PPO_ENVIRONMENT_H

#include <stdint.h>

#include "sim/base/diagnostics.h"

#define FW_PPO_OBSERVATIONS 256 /* most numbers in an observation */
#define FW_PPO_HEADS 8          /* most choices in an action */
#define FW_PPO_CHOICES 32       /* most settings of one choice */
#define FW_PPO_COSTS 8          /* most channels of cost */
#define FW_PPO_AGENTS 4096      /* most agents in an environment */

/* Seeds of training episodes have this bit set, so that episodes for validation and evaluation (whose seeds a user
 * gives below it) never repeat one that was trained on. */
#define FW_PPO_TRAINING_SEED (UINT64_C(1) << 63)

/* Shapes. All fixed for a task. */
typedef struct fw_ppo_space {
  size_t observation_size;          /* 1 to FW_PPO_OBSERVATIONS */
  size_t head_count;                /* 1 to FW_PPO_HEADS: an action is one choice of each */
  uint32_t head_size[FW_PPO_HEADS]; /* settings to choose from, 1 to FW_PPO_CHOICES each */
  size_t cost_count;                /* 0 to FW_PPO_COSTS */
} fw_ppo_space;

/* What `advance` brings. */
typedef struct fw_ppo_moment {
  uint32_t agent;   /* whom it concerns */
  bool has_outcome; /* the agent acted before in this episode: the fields down to `truncated` say what came of it */
  double reward;    /* accrued since its last action, each part discounted to the instant of that action where the
                       environment can (fw_ppo_accrued), so that how an interval is cut does not matter */
  double cost[FW_PPO_COSTS]; /* integral over the same time, never negative: cost / elapsed_s is a mean rate. Seconds in
                                violation, for example, whose rate is the share of time in violation */
  double elapsed_s;          /* since its last action, not negative */
  bool terminated;           /* the agent's episode ended by its own nature: there is no value beyond */
  bool truncated;            /* it was cut: the value of `observation` stands for what would have followed */
  bool episode_over;         /* nothing is left for any agent: every action has had its outcome; `reset` is next */
} fw_ppo_moment;

typedef struct fw_ppo_environment_type {
  const char *name; /* for messages */
  fw_status (*create)(const void *task, void **state, fw_diagnostics *diagnostics);
  void (*destroy)(void *state);
  fw_status (*reset)(void *state, uint64_t episode_seed, fw_diagnostics *diagnostics);

  /* Fills `moment`; unless the agent has terminated, `observation` (observation_size numbers, raw: the trainer
   * normalises); where the agent waits, `mask`: one byte for each setting of each head in turn, 0 forbids, at least one
   * of each head allowed. `moment` and `mask` come in as zeros and ones. An agent waits unless it terminated, was
   * truncated or the episode is over. */
  fw_status (*advance)(void *state, fw_ppo_moment *moment, float *observation, uint8_t *mask,
                       fw_diagnostics *diagnostics);

  /* Answers the agent that waits: the index of a setting for each head. */
  fw_status (*act)(void *state, uint32_t agent, const uint32_t *choices, fw_diagnostics *diagnostics);
} fw_ppo_environment_type;

#endif

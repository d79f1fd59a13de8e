/* Training policies on a scenario, one for each training seed, side by side.
 *
 * Every `validate_every` iterations the present policy is put to validation runs, and the best one by these is kept:
 * the most tokens among those whose mean violation rate keeps the limit, or else the lowest rate. So a result is
 * selected on validation runs; what it is worth is for `fleetwatt evaluate` to say, on others. Runs for training,
 * validation and evaluation have disjoint seeds by construction: training draws from FW_PPO_TRAINING_SEED on,
 * validation from FW_TRAIN_VALIDATION_SEED on, and scenarios number theirs from below.
 *
 * Files: OUT.safetensors is the seed that validated best, OUT-N.safetensors that of seed N, OUT-N.csv its log (one row
 * for each iteration), OUT-N.checkpoint what it takes to go on, removed when seed N is done. All are written at once or
 * not at all. A training that was stopped at any moment and resumed ends with the same bytes as an undisturbed one. */
#ifndef FW_STUDY_TRAIN_H
#define FW_STUDY_TRAIN_H

#include "sim/study/estimate.h"
#include "sim/study/replicate.h"
#include "sim/study/train/ppo_environment.h"

#define FW_TRAIN_VALIDATION_SEED (UINT64_C(1) << 62)

/* What is trained, as read from a file ("fleetwatt_training": 1). */
typedef struct fw_train_plan {
  int64_t format;
  fw_array classes;   /* char *: job classes that learn; none: all */
  fw_array actuators; /* char *: none: concurrency */
  fw_time_ns window;  /* of the scenario, on which the rate is limited */
  double limit;       /* on the share of time above the budget */
  double margin;      /* training aims at limit x margin, so that selection has something to choose from */
  uint64_t seed;      /* training seeds are seed, seed + 1, ... */
  uint64_t seeds;
  uint64_t runs; /* of the pool that training draws its episodes from */
  uint64_t validation_runs;
  uint64_t validate_every; /* iterations */
  fw_ppo_config ppo;
} fw_train_plan;

extern const fw_record fw_train_plan_record;

/* Free with fw_record_clear(&fw_train_plan_record, plan). */
fw_status fw_train_plan_read(const char *path, fw_train_plan *out, fw_diagnostics *diagnostics);

typedef struct fw_train_options {
  const fw_scenario *scenario;
  size_t budget;
  const fw_train_plan *plan;
  const char *output; /* OUT, without .safetensors */
  bool resume;        /* go on from checkpoints that there are, and leave finished seeds as they are */
  fw_study_options study;
} fw_train_options;

/* What validation runs came to, as means. */
typedef struct fw_train_check {
  uint64_t iteration; /* 0: none */
  double tokens;
  double rate;
} fw_train_check;

typedef struct fw_train_seed {
  uint64_t seed;
  uint64_t decisions;
  uint64_t episodes;   /* that ended, of single jobs */
  fw_train_check best; /* that was kept */
  bool allowed;        /* it keeps the limit */
  uint64_t hash;       /* of OUT-N.safetensors */
} fw_train_seed;

typedef struct fw_train_result {
  const fw_train_plan *plan;
  const fw_scenario *scenario;
  fw_train_seed *seeds;
  size_t seed_count;
  size_t chosen; /* index of the seed that OUT.safetensors is */
} fw_train_result;

/* Errors name what is wrong with the plan, or the training seed that failed. Interrupted (study.cancel), every seed
 * leaves a checkpoint and the status is FW_ERROR_FAULT. Free with fw_train_clear. */
fw_status fw_train(const fw_train_options *options, fw_train_result *out, fw_diagnostics *diagnostics);
void fw_train_clear(fw_train_result *result);

/* The task of a plan on a scenario; classes point into the plan. Free with fw_ppo_task_clear. */
fw_status fw_train_task(const fw_train_plan *plan, const fw_scenario *scenario, size_t budget, fw_ppo_task *out,
                        fw_diagnostics *diagnostics);

#endif

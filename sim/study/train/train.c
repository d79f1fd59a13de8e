/* One trainer for each seed, on one thread each; trainers share nothing but the scenario. */
#include "sim/study/train/train.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/memory.h"
#include "sim/study/train/train_log.h"
#include "sim/study/train/trained.h"

typedef struct training {
  const fw_train_options *options;
  const fw_train_plan *plan;
  fw_ppo_task task;
  fw_ppo_problem problem;
  fw_text schema;
  size_t window;          /* index into the scenario's, of the one that is limited */
  size_t trainer_threads; /* of each seed */
  fw_train_seed *seeds;
  size_t done; /* iterations, of all seeds */
  size_t total;
} training;

/* One seed under way. */
typedef struct learner {
  training *work;
  fw_train_seed *result;
  fw_ppo_trainer *trainer;
  fwi_train_log log;
  bool log_complete; /* what a former run left of the log has been read */
  fw_text weights;   /* names of files */
  fw_text checkpoint;
  fw_text csv;
} learner;

/* ---- Files ---- */

static bool name_file(const training *work, uint64_t seed, const char *end, fw_text *out) {
  fw_text_add_format(out, "%s-%llu%s", work->options->output, (unsigned long long)seed, end);
  return !out->failed;
}

static fw_status name_files(learner *one, fw_diagnostics *diagnostics) {
  const training *work = one->work;
  const uint64_t seed = one->result->seed;
  const bool named = name_file(work, seed, ".safetensors", &one->weights) &&
                     name_file(work, seed, ".checkpoint", &one->checkpoint) && name_file(work, seed, ".csv", &one->csv);
  return named ? FW_OK : fw_error_memory(diagnostics, "the names of a training's files");
}

static bool exists(const fw_text *path) {
  return access(path->data, F_OK) == 0;
}

/* The log first: rows beyond the checkpoint are dropped when a training is resumed, missing ones could not be found. */
static fw_status save(const learner *one, fw_diagnostics *diagnostics) {
  if (one->log.text.failed) {
    return fw_error_memory(diagnostics, "the log of a training");
  }
  const fw_status status = fw_file_write(one->csv.data, one->log.text.data, one->log.text.length, diagnostics);
  return status == FW_OK ? fw_ppo_trainer_save(one->trainer, one->checkpoint.data, diagnostics) : status;
}

/* ---- Validation ---- */

/* The policy as it is now. What the trainer has to say of weights (numbers that never moved) is said once, with the
 * last ones. */
static fw_status take_policy(const learner *one, fwi_trained *out, fw_diagnostics *diagnostics) {
  const training *work = one->work;
  fw_text bytes = FW_TEXT_INIT;
  fw_diagnostics own = FW_DIAGNOSTICS_INIT;
  fw_status status = fw_ppo_trainer_weights(one->trainer, &bytes, &own);
  if (status != FW_OK || fw_ppo_trainer_done(one->trainer)) {
    fw_diagnostics_append(diagnostics, &own);
  }
  fw_diagnostics_clear(&own);
  status = status == FW_OK ? fwi_trained_parse(&bytes, one->weights.data, work->task.classes, work->task.class_count,
                                               out, diagnostics)
                           : status;
  fw_text_clear(&bytes);
  return status;
}

/* What is to be said of these weights was said when they were validated. */
static fw_status save_weights(const learner *one, fw_diagnostics *diagnostics) {
  fw_diagnostics own = FW_DIAGNOSTICS_INIT;
  const fw_status status = fw_ppo_trainer_save_weights(one->trainer, one->weights.data, &own);
  if (status != FW_OK) {
    fw_diagnostics_append(diagnostics, &own);
  }
  fw_diagnostics_clear(&own);
  return status;
}

static fw_status validate(const learner *one, uint64_t iteration, fw_train_check *out, fw_diagnostics *diagnostics) {
  const training *work = one->work;
  const fw_study_options study = {.threads = 1, .cancel = work->options->study.cancel};
  fwi_trained trained = {0};
  fwi_samples samples = {0};
  fwi_summary tokens = {0};
  fwi_summary rate = {0};
  fw_status status = take_policy(one, &trained, diagnostics);
  status = status == FW_OK ? fwi_samples_of_arms(work->options->scenario, work->options->budget, &trained.policy, 1,
                                                 FW_TRAIN_VALIDATION_SEED, work->plan->validation_runs, &study,
                                                 &samples, diagnostics)
                           : status;
  status = status == FW_OK ? fwi_samples_summary(&samples, 0, fw_metric_slot(FW_METRIC_TOKENS, 0), &tokens, diagnostics)
                           : status;
  status = status == FW_OK ? fwi_samples_summary(&samples, 0, fw_metric_slot(FW_METRIC_VIOLATION_RATE, work->window),
                                                 &rate, diagnostics)
                           : status;
  fwi_samples_free(&samples);
  fwi_trained_clear(&trained);
  *out = (fw_train_check){iteration, tokens.estimate.mean, rate.estimate.mean};
  return status;
}

/* ---- One seed ---- */

static void report(training *work, size_t iterations) {
  const fw_study_options *study = &work->options->study;
#pragma omp critical(fw_train_progress)
  {
    work->done += iterations;
    if (study->progress != NULL) {
      study->progress(study->progress_context, work->done, work->total);
    }
  }
}

static bool cancelled(const training *work) {
  return work->options->study.cancel != NULL && *work->options->study.cancel != 0;
}

/* The log up to where the checkpoint was taken, which the first new iteration tells. */
static fw_status complete_log(learner *one, uint64_t iteration, fw_diagnostics *diagnostics) {
  const training *work = one->work;
  one->log_complete = true;
  if (iteration <= 1) {
    return FW_OK;
  }
  fwi_train_log_clear(&one->log);
  report(one->work, (size_t)iteration - 1);
  return fwi_train_log_read(one->csv.data, work->options->scenario, iteration, work->plan->limit, &one->log,
                            diagnostics);
}

static fw_status judge(learner *one, const fw_ppo_progress *progress, fw_diagnostics *diagnostics) {
  const training *work = one->work;
  const bool due = progress->iteration % work->plan->validate_every == 0 || fw_ppo_trainer_done(one->trainer);
  fw_train_check check = {0};
  fw_status status = due ? validate(one, progress->iteration, &check, diagnostics) : FW_OK;
  if (status == FW_OK && due && fwi_train_beats(&check, &one->log.best, work->plan->limit)) {
    status = save_weights(one, diagnostics);
  }
  if (status != FW_OK) {
    return status;
  }
  fwi_train_log_add(&one->log, work->options->scenario, progress, due ? &check : NULL, work->plan->limit);
  return due || cancelled(work) ? save(one, diagnostics) : FW_OK;
}

static fw_status learn(learner *one, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  while (status == FW_OK && !fw_ppo_trainer_done(one->trainer)) {
    if (cancelled(one->work)) {
      return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                      "interrupted; %s holds what it takes to go on with --resume", one->checkpoint.data);
    }
    fw_ppo_progress progress = {0};
    status = fw_ppo_trainer_iterate(one->trainer, &progress, diagnostics);
    if (status == FW_OK && !one->log_complete) {
      status = complete_log(one, progress.iteration, diagnostics);
    }
    status = status == FW_OK ? judge(one, &progress, diagnostics) : status;
    report(one->work, 1);
  }
  return status;
}

/* A finished seed left its log and weights, and no checkpoint. */
static bool is_finished(const learner *one) {
  return one->work->options->resume && !exists(&one->checkpoint) && exists(&one->weights) && exists(&one->csv);
}

static fw_status begin(learner *one, fw_diagnostics *diagnostics) {
  const training *work = one->work;
  fwi_train_log_start(work->options->scenario, &one->log);
  if (work->options->resume && exists(&one->checkpoint)) {
    return fw_ppo_trainer_load(one->checkpoint.data, &work->problem, work->plan->ppo.decisions, work->trainer_threads,
                               &one->trainer, diagnostics);
  }
  return fw_ppo_trainer_create(&work->plan->ppo, &work->problem, one->result->seed, work->trainer_threads,
                               &one->trainer, diagnostics);
}

static fw_status sum_up(learner *one, fw_diagnostics *diagnostics) {
  fw_text bytes = FW_TEXT_INIT;
  const fw_status status = fw_file_read(one->weights.data, FW_PPO_FILE_LIMIT, &bytes, diagnostics);
  one->result->decisions = one->log.decisions;
  one->result->episodes = one->log.episodes;
  one->result->best = one->log.best;
  one->result->allowed = one->log.best.rate <= one->work->plan->limit;
  if (status == FW_OK) {
    one->result->hash = fw_hash_bytes(FW_HASH_START, bytes.data, bytes.length);
  }
  fw_text_clear(&bytes);
  return status;
}

static fw_status train_seed(learner *one, fw_diagnostics *diagnostics) {
  const training *work = one->work;
  fw_status status = name_files(one, diagnostics);
  if (status == FW_OK && is_finished(one)) {
    report(one->work, work->total / work->plan->seeds);
    status = fwi_train_log_read(one->csv.data, work->options->scenario, UINT64_MAX, work->plan->limit, &one->log,
                                diagnostics);
  } else {
    status = status == FW_OK ? begin(one, diagnostics) : status;
    status = status == FW_OK ? learn(one, diagnostics) : status;
    if (status == FW_OK) {
      (void)remove(one->checkpoint.data);
    }
  }
  return status == FW_OK ? sum_up(one, diagnostics) : status;
}

static fw_status run_seed(void *context, size_t index, fw_diagnostics *diagnostics) {
  training *work = context;
  learner one = {.work = work, .result = &work->seeds[index]};
  one.result->seed = work->plan->seed + index;
  const fw_status status = train_seed(&one, diagnostics);
  fw_ppo_trainer_destroy(one.trainer);
  fwi_train_log_clear(&one.log);
  fw_text_clear(&one.weights);
  fw_text_clear(&one.checkpoint);
  fw_text_clear(&one.csv);
  if (status == FW_ERROR_FAULT && !cancelled(work)) {
    return fw_error(diagnostics, status, (fw_place){0}, "training seed %llu could not go on",
                    (unsigned long long)one.result->seed);
  }
  return status;
}

/* ---- All of them ---- */

static fw_status find_window(training *work, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = work->options->scenario;
  const fw_train_plan *plan = work->plan;
  for (size_t w = 0; w < FW_PPO_COSTS; w++) {
    work->problem.cost_limit[w] = (double)NAN;
  }
  const fw_status status = fwi_window_of(scenario, plan->window, &work->window, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  if (scenario->budgets[work->options->budget].power == 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "the scenario \"%s\" has no budget, so nothing can be learned about keeping one", scenario->name);
  }
  work->problem.cost_limit[work->window] = plan->limit * plan->margin;
  return FW_OK;
}

static fw_status prepare(training *work, fw_diagnostics *diagnostics) {
  const fw_train_plan *plan = work->plan;
  fw_status status = find_window(work, diagnostics);
  status = status == FW_OK
               ? fw_train_task(plan, work->options->scenario, work->options->budget, &work->task, diagnostics)
               : status;
  if (status != FW_OK) {
    return status;
  }
  fw_job_view_schema(&work->task.view, &work->schema);
  work->problem.environment = &fw_ppo_simulation;
  work->problem.task = &work->task;
  work->problem.space = work->task.view.space;
  work->problem.agent_count = work->task.agent_count;
  work->problem.schema = work->schema.data;
  work->seeds = fw_allocate((size_t)plan->seeds, sizeof *work->seeds);
  const size_t threads = work->options->study.threads > 0 ? work->options->study.threads : (size_t)omp_get_num_procs();
  work->trainer_threads = threads > plan->seeds ? threads / (size_t)plan->seeds : 1;
  const uint64_t each = plan->ppo.environments * plan->ppo.rollout;
  work->total = (size_t)((plan->ppo.decisions + each - 1) / each * plan->seeds);
  return work->seeds != NULL && !work->schema.failed ? FW_OK : fw_error_memory(diagnostics, "a training");
}

static size_t choose(const training *work) {
  size_t best = 0;
  for (size_t i = 1; i < work->plan->seeds; i++) {
    best = fwi_train_beats(&work->seeds[i].best, &work->seeds[best].best, work->plan->limit) ? i : best;
  }
  return best;
}

static fw_status copy_chosen(const training *work, size_t chosen, fw_diagnostics *diagnostics) {
  fw_text from = FW_TEXT_INIT;
  fw_text to = FW_TEXT_INIT;
  fw_text bytes = FW_TEXT_INIT;
  fw_text_add_format(&to, "%s.safetensors", work->options->output);
  const bool named = name_file(work, work->seeds[chosen].seed, ".safetensors", &from) && !to.failed;
  fw_status status = named ? FW_OK : fw_error_memory(diagnostics, "a file's name");
  status = status == FW_OK ? fw_file_read(from.data, FW_PPO_FILE_LIMIT, &bytes, diagnostics) : status;
  status = status == FW_OK ? fw_file_write(to.data, bytes.data, bytes.length, diagnostics) : status;
  fw_text_clear(&from);
  fw_text_clear(&to);
  fw_text_clear(&bytes);
  return status;
}

fw_status fw_train(const fw_train_options *options, fw_train_result *out, fw_diagnostics *diagnostics) {
  training work = {.options = options, .plan = options->plan};
  *out = (fw_train_result){.plan = options->plan, .scenario = options->scenario};
  fw_status status = prepare(&work, diagnostics);
  if (status == FW_OK) {
    const fwi_replications seeds = {
        .count = (size_t)options->plan->seeds, .heard = 1, .run = run_seed, .context = &work};
    const fw_study_options study = {.threads = options->study.threads, .cancel = options->study.cancel};
    status = fwi_replicate(&seeds, &study, diagnostics);
  }
  if (status == FW_OK) {
    out->seeds = work.seeds;
    out->seed_count = (size_t)options->plan->seeds;
    out->chosen = choose(&work);
    status = copy_chosen(&work, out->chosen, diagnostics);
  } else {
    free(work.seeds);
  }
  fw_ppo_task_clear(&work.task);
  fw_text_clear(&work.schema);
  return status;
}

void fw_train_clear(fw_train_result *result) {
  free(result->seeds);
  *result = (fw_train_result){0};
}

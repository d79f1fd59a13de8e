/* All policies on the same runs, then row by row and together. */
#include "sim/study/train/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sort.h"
#include "sim/scenario/arm.h"
#include "sim/study/train/iqm.h"
#include "sim/study/train/trained.h"

#define LEAST ((size_t)2) /* policies */

static const fw_estimate nothing = {(double)NAN, (double)NAN, (double)NAN};

typedef struct evaluation {
  const fw_evaluate_options *options;
  fwi_trained *trained;
  size_t read; /* of them */
  fw_scenario_policy *arms;
  fwi_samples samples;
  double *scores; /* policies x runs, of one figure */
} evaluation;

static fw_status check_classes(const fw_evaluate_options *options, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = options->scenario;
  for (size_t i = 0; i < options->class_count; i++) {
    bool found = false;
    for (size_t j = 0; j < scenario->job_count && !found; j++)
      found = strcmp(scenario->jobs[j].job_class, options->classes[i]) == 0;
    if (!found) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "no job of the scenario \"%s\" is of class \"%s\"; name classes of its own", scenario->name,
                      options->classes[i]);
    }
  }
  return FW_OK;
}

static fw_status check(const fw_evaluate_options *options, fw_evaluate_result *out, fw_diagnostics *diagnostics) {
  if (options->weight_count < LEAST) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "one trained policy, or the best of several alone, says nothing about training; give those of all "
                    "training seeds, at least %zu for an interquartile mean",
                    FW_IQM_LEAST);
  }
  const fw_status status = check_classes(options, diagnostics);
  return status == FW_OK ? fwi_window_of(options->scenario, options->window, &out->window, diagnostics) : status;
}

static fw_status check_seed(const evaluation *work, size_t index, fw_diagnostics *diagnostics) {
  const uint64_t seed = fw_ppo_actor_seed(work->trained[index].actor);
  for (size_t i = 0; i < index; i++) {
    if (fw_ppo_actor_seed(work->trained[i].actor) == seed) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = work->options->weights[index]},
                      "was trained with seed %llu, as \"%s\" was; give each training once", (unsigned long long)seed,
                      work->options->weights[i]);
    }
  }
  return FW_OK;
}

static fw_status read_all(evaluation *work, fw_diagnostics *diagnostics) {
  const fw_evaluate_options *options = work->options;
  fw_status status = FW_OK;
  for (size_t i = 0; i < options->weight_count && status == FW_OK; i++) {
    status =
        fwi_trained_read(options->weights[i], options->classes, options->class_count, &work->trained[i], diagnostics);
    if (status == FW_OK) {
      work->read++;
      work->arms[i] = work->trained[i].policy;
      status = check_seed(work, i, diagnostics);
      status = status == FW_OK ? fw_arm_check(options->scenario, &work->arms[i], NULL, diagnostics) : status;
    }
  }
  return status;
}

static fw_status take_one(const evaluation *work, size_t index, fw_evaluate_result *out, fw_diagnostics *diagnostics) {
  const fw_ppo_actor *actor = work->trained[index].actor;
  fw_evaluate_policy *policy = &out->policies[index];
  *policy = (fw_evaluate_policy){.weights = work->options->weights[index],
                                 .seed = fw_ppo_actor_seed(actor),
                                 .decisions = fw_ppo_actor_decisions(actor),
                                 .hash = fw_ppo_actor_hash(actor)};
  fwi_summary summary = {0};
  fw_status status =
      fwi_samples_summary(&work->samples, index, fw_metric_slot(FW_METRIC_TOKENS, 0), &summary, diagnostics);
  policy->tokens = summary.estimate;
  status = status == FW_OK ? fwi_samples_summary(&work->samples, index, fw_metric_slot(FW_METRIC_TOKENS_PER_MWH, 0),
                                                 &summary, diagnostics)
                           : status;
  policy->tokens_per_mwh = summary.estimate;
  for (size_t w = 0; w < out->scenario->window_count && status == FW_OK; w++) {
    status =
        fwi_samples_summary(&work->samples, index, fw_metric_slot(FW_METRIC_VIOLATION_RATE, w), &summary, diagnostics);
    policy->rate[w] = summary.estimate;
  }
  policy->passed = policy->rate[out->window].mean <= work->options->limit;
  out->passed += policy->passed;
  return status;
}

static fw_status take_together(const evaluation *work, size_t slot, fw_estimate *out, fw_diagnostics *diagnostics) {
  const fwi_samples *samples = &work->samples;
  for (size_t p = 0; p < samples->policies; p++) {
    for (size_t s = 0; s < samples->seeds; s++) {
      work->scores[p * samples->seeds + s] = fwi_sample(samples, s, p, slot);
    }
  }
  return fw_iqm_estimate(work->scores, samples->policies, samples->seeds, (uint32_t)slot, out, diagnostics);
}

/* `scores` has room for the means of all policies. */
static void take_range(const evaluation *work, fw_evaluate_result *out) {
  const size_t n = out->policy_count;
  for (size_t i = 0; i < n; i++) {
    work->scores[i] = out->policies[i].tokens.mean;
  }
  fw_sort_numbers(work->scores, n);
  out->tokens_least = work->scores[0];
  out->tokens_most = work->scores[n - 1];
  out->tokens_median = 0.5 * (work->scores[(n - 1) / 2] + work->scores[n / 2]);
}

static fw_status take_all_together(const evaluation *work, fw_evaluate_result *out, fw_diagnostics *diagnostics) {
  fw_status status = take_together(work, fw_metric_slot(FW_METRIC_TOKENS, 0), &out->tokens, diagnostics);
  status = status == FW_OK
               ? take_together(work, fw_metric_slot(FW_METRIC_TOKENS_PER_MWH, 0), &out->tokens_per_mwh, diagnostics)
               : status;
  for (size_t w = 0; w < out->scenario->window_count && status == FW_OK; w++) {
    status = take_together(work, fw_metric_slot(FW_METRIC_VIOLATION_RATE, w), &out->rate[w], diagnostics);
  }
  out->pass_rate = fw_pass_rate(out->passed, out->policy_count);
  return status;
}

static void leave_apart(fw_evaluate_result *out, fw_diagnostics *diagnostics) {
  out->pass_rate = out->tokens = out->tokens_per_mwh = nothing;
  for (size_t w = 0; w < out->scenario->window_count; w++) {
    out->rate[w] = nothing;
  }
  fw_warning(diagnostics, (fw_place){0},
             "%zu trained policies say little about training: no interquartile mean and no interval over policies; "
             "give at least %zu, each of its own seed",
             out->policy_count, FW_IQM_LEAST);
}

static fw_status sum_up(const evaluation *work, fw_evaluate_result *out, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < out->policy_count && status == FW_OK; i++) {
    status = take_one(work, i, out, diagnostics);
  }
  if (status == FW_OK && out->policy_count >= FW_IQM_LEAST) {
    status = take_all_together(work, out, diagnostics);
  } else if (status == FW_OK) {
    leave_apart(out, diagnostics);
  }
  take_range(work, out);
  return status;
}

static fw_status allocate(evaluation *work, fw_evaluate_result *out, fw_diagnostics *diagnostics) {
  const size_t n = work->options->weight_count;
  size_t scores = 0;
  out->policy_count = n;
  if (!fw_size_multiply(n, work->options->scenario->seeds, &scores) ||
      (work->trained = fw_allocate(n, sizeof *work->trained)) == NULL ||
      (work->arms = fw_allocate(n, sizeof *work->arms)) == NULL ||
      (work->scores = fw_allocate(scores, sizeof *work->scores)) == NULL ||
      (out->policies = fw_allocate(n, sizeof *out->policies)) == NULL) {
    (void)fw_error_memory(diagnostics, "an evaluation");
    return FW_ERROR_MEMORY;
  }
  return FW_OK;
}

fw_status fw_evaluate(const fw_evaluate_options *options, fw_evaluate_result *out, fw_diagnostics *diagnostics) {
  evaluation work = {.options = options};
  const fw_scenario *scenario = options->scenario;
  *out = (fw_evaluate_result){.scenario = scenario, .limit = options->limit};
  fw_status status = check(options, out, diagnostics);
  status = status == FW_OK ? allocate(&work, out, diagnostics) : status;
  status = status == FW_OK ? read_all(&work, diagnostics) : status;
  status = status == FW_OK
               ? fwi_samples_of_arms(scenario, options->budget, work.arms, options->weight_count, scenario->seed,
                                     scenario->seeds, &options->study, &work.samples, diagnostics)
               : status;
  status = status == FW_OK ? sum_up(&work, out, diagnostics) : status;
  for (size_t i = 0; i < work.read; i++) {
    fwi_trained_clear(&work.trained[i]);
  }
  fwi_samples_free(&work.samples);
  free(work.trained);
  free(work.arms);
  free(work.scores);
  if (status != FW_OK) {
    fw_evaluate_clear(out);
  }
  return status;
}

void fw_evaluate_clear(fw_evaluate_result *result) {
  free(result->policies);
  *result = (fw_evaluate_result){0};
}

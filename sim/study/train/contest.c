/* One contest: tune, measure everything on the held-out runs, compare. */
#include "sim/study/train/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/sort.h"
#include "sim/study/train/iqm.h"
#include "sim/study/train/trained.h"

#define RESAMPLES ((size_t)2000)
#define TAIL 0.025

typedef struct contest {
  const fw_contest_entry *entry;
  const char *path; /* of the plan */
  const fw_study_options *study;
  fw_contest_result *out;
  fwi_contest_rules rules;
  fwi_trained *trained;
  char **weights; /* their paths; owned */
  size_t trained_count;
  /* Scratch of the comparison. */
  fw_front_point *means; /* of each arm over the runs drawn */
  fw_front_point *front;
  size_t *runs;    /* drawn */
  double *scores;  /* of the policies drawn */
  double *samples; /* kinds x RESAMPLES */
} contest;

/* ---- Reading ---- */

static fw_status read_scenario(const contest *work, const char *share, fw_diagnostics *diagnostics) {
  const fw_scenario_overrides overrides = {.share = share};
  char *path = fw_path_beside(work->path, work->entry->scenario);
  if (path == NULL) {
    return fw_error_memory(diagnostics, "the name of a scenario");
  }
  fw_status status = fw_scenario_read(path, &overrides, &work->out->scenario, diagnostics);
  free(path);
  return status == FW_OK ? fwi_window_of(work->out->scenario, work->entry->window, &work->out->window, diagnostics)
                         : status;
}

static fw_status read_trained(contest *work, fw_diagnostics *diagnostics) {
  const fw_contest_entry *entry = work->entry;
  const size_t count = entry->weights.count;
  fw_status status = FW_OK;
  work->trained = fw_allocate(count, sizeof *work->trained);
  work->weights = fw_allocate(count, sizeof *work->weights);
  if (work->trained == NULL || work->weights == NULL) {
    return fw_error_memory(diagnostics, "the trained policies of a contest");
  }
  for (size_t i = 0; i < count && status == FW_OK; i++) {
    work->weights[i] = fw_path_beside(work->path, ((char *const *)entry->weights.data)[i]);
    status = work->weights[i] != NULL ? fwi_trained_read(work->weights[i], entry->classes.data, entry->classes.count,
                                                         &work->trained[i], diagnostics)
                                      : fw_error_memory(diagnostics, "the name of weights");
    work->trained_count += status == FW_OK;
  }
  return status;
}

/* ---- Measuring ---- */

static void add_arm(contest *work, fw_scenario_policy *policies, const fw_contest_arm *arm,
                    const fw_scenario_policy *policy) {
  policies[work->out->arm_count] = *policy;
  work->out->arms[work->out->arm_count++] = *arm;
}

/* All arms, rules first; a rule's settings stay where they are. */
static void list_arms(contest *work, fw_scenario_policy *policies) {
  for (size_t i = 0; i < work->rules.count; i++) {
    add_arm(work, policies, &work->rules.data[i].arm, &work->rules.data[i].policy);
  }
  for (size_t i = 0; i < work->trained_count; i++) {
    fw_contest_arm arm = {.kind = FW_CONTEST_PPO, .seed = fw_ppo_actor_seed(work->trained[i].actor)};
    (void)snprintf(arm.name, sizeof arm.name, "ppo, seed %llu", (unsigned long long)arm.seed);
    add_arm(work, policies, &arm, &work->trained[i].policy);
  }
}

static fw_status take_arm(const contest *work, const fwi_samples *samples, size_t index, fw_diagnostics *diagnostics) {
  fw_contest_arm *arm = &work->out->arms[index];
  fwi_summary summary = {0};
  arm->run_tokens = fw_allocate(samples->seeds, sizeof(double));
  arm->run_rate = fw_allocate(samples->seeds, sizeof(double));
  if (arm->run_tokens == NULL || arm->run_rate == NULL) {
    return fw_error_memory(diagnostics, "the runs of a contest");
  }
  for (size_t run = 0; run < samples->seeds; run++) {
    arm->run_tokens[run] = fwi_sample(samples, run, index, fw_metric_slot(FW_METRIC_TOKENS, 0));
    arm->run_rate[run] = fwi_sample(samples, run, index, fw_metric_slot(FW_METRIC_VIOLATION_RATE, work->out->window));
  }
  fw_status status =
      fwi_samples_summary(samples, index, fw_metric_slot(FW_METRIC_TOKENS_PER_MWH, 0), &summary, diagnostics);
  arm->tokens_per_mwh = summary.estimate;
  arm->tokens = fw_estimate_mean(arm->run_tokens, samples->seeds);
  for (size_t w = 0; w < work->out->scenario->window_count && status == FW_OK; w++) {
    status = fwi_samples_summary(samples, index, fw_metric_slot(FW_METRIC_VIOLATION_RATE, w), &summary, diagnostics);
    arm->rate[w] = summary.estimate;
  }
  return status;
}

static fw_status run_arms(contest *work, fw_scenario_policy *policies, size_t count, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = work->out->scenario;
  fwi_samples samples = {0};
  list_arms(work, policies);
  fw_status status = fwi_samples_of_arms(scenario, 0, policies, count, scenario->seed, scenario->seeds, work->study,
                                         &samples, diagnostics);
  for (size_t i = 0; i < count && status == FW_OK; i++) {
    status = take_arm(work, &samples, i, diagnostics);
  }
  fwi_samples_free(&samples);
  return status;
}

static fw_status measure(contest *work, fw_diagnostics *diagnostics) {
  const size_t count = work->rules.count + work->trained_count;
  fw_scenario_policy *policies = fw_allocate(count, sizeof *policies);
  work->out->arms = fw_allocate(count, sizeof *work->out->arms);
  const fw_status status = policies != NULL && work->out->arms != NULL
                               ? run_arms(work, policies, count, diagnostics)
                               : fw_error_memory(diagnostics, "the arms of a contest");
  free(policies);
  return status;
}

static fw_front_point point_of(const contest *work, size_t arm) {
  const fw_contest_arm *of = &work->out->arms[arm];
  return (fw_front_point){of->rate[work->out->window].mean, of->tokens.mean};
}

static void find_dominated(const contest *work) {
  fw_contest_result *out = work->out;
  for (size_t i = 0; i < out->arm_count; i++) {
    for (size_t j = 0; j < out->arm_count && !out->arms[i].dominated; j++) {
      out->arms[i].dominated = fw_front_dominates(point_of(work, j), point_of(work, i));
    }
  }
}

/* ---- Comparing ---- */

/* Means of all arms over the runs in work->runs. */
static void take_means(const contest *work) {
  const fw_contest_result *out = work->out;
  const size_t runs = out->scenario->seeds;
  for (size_t i = 0; i < out->arm_count; i++) {
    fw_front_point sum = {0.0, 0.0};
    for (size_t r = 0; r < runs; r++) {
      sum.tokens += out->arms[i].run_tokens[work->runs[r]];
      sum.rate += out->arms[i].run_rate[work->runs[r]];
    }
    work->means[i] = (fw_front_point){sum.rate / (double)runs, sum.tokens / (double)runs};
  }
}

static size_t make_front(const contest *work, fw_contest_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < work->out->arm_count; i++) {
    if (work->out->arms[i].kind == kind) {
      work->front[count++] = work->means[i];
    }
  }
  return fw_front_make(work->front, count);
}

static const fw_front_point *trained_mean(const contest *work, size_t index) {
  return &work->means[work->rules.count + index];
}

/* How far the policies drawn (`picked`, or all in turn) are ahead of a kind at their own rates. */
static double ahead(const contest *work, fw_contest_kind kind, const size_t *picked) {
  const size_t points = make_front(work, kind);
  for (size_t i = 0; i < work->trained_count; i++) {
    const fw_front_point *own = trained_mean(work, picked != NULL ? picked[i] : i);
    work->scores[i] = own->tokens / fw_front_at(work->front, points, own->rate) - 1.0;
  }
  return fw_iqm(work->scores, work->trained_count);
}

static void count_outside(const contest *work, fw_contest_difference *out) {
  const size_t points = make_front(work, out->kind);
  for (size_t i = 0; i < work->trained_count; i++) {
    const double rate = trained_mean(work, i)->rate;
    out->below += rate < work->front[0].rate;
    out->above += rate > work->front[points - 1].rate;
  }
  const double limit = work->entry->limit;
  const bool reached = limit >= work->front[0].rate && limit <= work->front[points - 1].rate;
  out->at_limit = reached ? fw_front_at(work->front, points, limit) : (double)NAN;
}

/* Runs and policies are both drawn anew, and all means, rates and fronts with them. */
static void resample(const contest *work, size_t index, size_t *picked) {
  const size_t runs = work->out->scenario->seeds;
  const fw_stream by_run = fw_stream_make(1, FW_DRAW_BOOTSTRAP, 0x10000);
  const fw_stream by_policy = fw_stream_make(1, FW_DRAW_BOOTSTRAP, 0x10001);
  for (size_t r = 0; r < runs; r++) {
    work->runs[r] = (size_t)fw_random_below(by_run, index * runs + r, runs);
  }
  for (size_t i = 0; i < work->trained_count; i++) {
    picked[i] = (size_t)fw_random_below(by_policy, index * work->trained_count + i, work->trained_count);
  }
  take_means(work);
  for (int kind = 0; kind < FW_CONTEST_PPO; kind++) {
    work->samples[(size_t)kind * RESAMPLES + index] = ahead(work, (fw_contest_kind)kind, picked);
  }
}

static void compare_kinds(const contest *work, size_t *picked) {
  for (size_t i = 0; i < RESAMPLES; i++) {
    resample(work, i, picked);
  }
  for (size_t r = 0; r < work->out->scenario->seeds; r++) {
    work->runs[r] = r;
  }
  take_means(work);
  for (int kind = 0; kind < FW_CONTEST_PPO; kind++) {
    fw_contest_difference *difference = &work->out->differences[kind];
    double *samples = &work->samples[(size_t)kind * RESAMPLES];
    fw_sort_numbers(samples, RESAMPLES);
    difference->kind = (fw_contest_kind)kind;
    difference->relative =
        (fw_estimate){ahead(work, difference->kind, NULL), samples[(size_t)(TAIL * (double)RESAMPLES)],
                      samples[(size_t)((1.0 - TAIL) * (double)RESAMPLES)]};
    count_outside(work, difference);
  }
}

static fw_status compare_all(contest *work, fw_diagnostics *diagnostics) {
  const size_t arms = work->out->arm_count;
  size_t *picked = fw_allocate(work->trained_count, sizeof *picked);
  work->means = fw_allocate(arms, sizeof *work->means);
  work->front = fw_allocate(arms, sizeof *work->front);
  work->runs = fw_allocate(work->out->scenario->seeds, sizeof *work->runs);
  work->scores = fw_allocate(work->trained_count, sizeof *work->scores);
  work->samples = fw_allocate(RESAMPLES, (size_t)FW_CONTEST_KINDS * sizeof *work->samples);
  const bool whole = picked != NULL && work->means != NULL && work->front != NULL && work->runs != NULL &&
                     work->scores != NULL && work->samples != NULL;
  if (whole) {
    compare_kinds(work, picked);
  }
  free(picked);
  return whole ? FW_OK : fw_error_memory(diagnostics, "the comparison of a contest");
}

/* ---- Trained policies together ---- */

static fw_status sum_up_trained(const contest *work, bool rates, fw_estimate *out, fw_diagnostics *diagnostics) {
  const size_t runs = work->out->scenario->seeds;
  double *scores = fw_allocate(work->trained_count, runs * sizeof *scores);
  if (scores == NULL) {
    return fw_error_memory(diagnostics, "the trained policies of a contest");
  }
  for (size_t i = 0; i < work->trained_count; i++) {
    const fw_contest_arm *arm = &work->out->arms[work->rules.count + i];
    memcpy(scores + i * runs, rates ? arm->run_rate : arm->run_tokens, runs * sizeof *scores);
  }
  const fw_status status = fw_iqm_estimate(scores, work->trained_count, runs, 0x20000 + rates, out, diagnostics);
  free(scores);
  return status;
}

static double mean_rate(const contest *work) {
  double sum = 0.0;
  for (size_t i = 0; i < work->trained_count; i++) {
    sum += work->out->arms[work->rules.count + i].rate[work->out->window].mean;
  }
  return sum / (double)work->trained_count;
}

static fw_status play(contest *work, const char *share, fw_diagnostics *diagnostics) {
  fw_contest_result *out = work->out;
  fw_status status = read_scenario(work, share, diagnostics);
  status = status == FW_OK ? read_trained(work, diagnostics) : status;
  status = status == FW_OK ? fwi_contest_tune(work->entry, out, work->study, &work->rules, diagnostics) : status;
  status = status == FW_OK ? measure(work, diagnostics) : status;
  if (status != FW_OK) {
    return status;
  }
  find_dominated(work);
  status = compare_all(work, diagnostics);
  status = status == FW_OK ? sum_up_trained(work, false, &out->ppo_tokens, diagnostics) : status;
  status = status == FW_OK ? sum_up_trained(work, true, &out->ppo_rate, diagnostics) : status;
  return status == FW_OK ? fwi_contest_bound(work->entry, &work->rules, mean_rate(work), out, diagnostics) : status;
}

fw_status fw_contest(const char *plan_path, const fw_contest_entry *entry, const char *share,
                     const fw_study_options *study, fw_contest_result *out, fw_diagnostics *diagnostics) {
  contest work = {.entry = entry, .path = plan_path, .study = study, .out = out};
  *out = (fw_contest_result){.entry = entry};
  const fw_status status = play(&work, share, diagnostics);
  for (size_t i = 0; i < work.trained_count; i++) {
    fwi_trained_clear(&work.trained[i]);
  }
  for (size_t i = 0; work.weights != NULL && i < entry->weights.count; i++) {
    free(work.weights[i]);
  }
  free(work.trained);
  free(work.weights);
  fwi_contest_rules_clear(&work.rules);
  free(work.means);
  free(work.front);
  free(work.runs);
  free(work.scores);
  free(work.samples);
  if (status != FW_OK) {
    fw_contest_clear(out);
  }
  return status;
}

void fw_contest_clear(fw_contest_result *result) {
  for (size_t i = 0; i < result->arm_count; i++) {
    free(result->arms[i].run_tokens);
    free(result->arms[i].run_rate);
  }
  free(result->arms);
  fw_scenario_free(result->scenario);
  *result = (fw_contest_result){0};
}

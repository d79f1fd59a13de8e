/* What can be had without looking at power at all: every constant concurrency, and two levels in turn with the share
 * searched (search.h) for the most tokens at the published trained arm's 30 s rate. Arms of kind "mix" are searched,
 * the others run as they are; all are then measured on the scenario's own seeds, which no search has seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/study/reproduce/beyond.h"
#include "sim/study/search.h"

#define JUDGED_WINDOW (30 * FW_NS_PER_S)
#define SEARCH_SEED UINT64_C(1000001)
#define SEARCH_ROUNDS ((size_t)5) /* the last box is 1/16 wide */
#define SEARCH_POINTS ((size_t)5)
#define SEARCH_SEEDS ((size_t)60)
#define FINALISTS ((size_t)4)
#define FINAL_SEEDS ((size_t)400)

/* arXiv:2608.11226, the table of the 72B live arms. */
const fw_beyond_published fw_beyond_trained = {.tokens = 183069.0, .wh_per_1k_tokens = 0.947, .rate_30s = 0.0227};

const char *const fw_beyond_verdict_names[] = {
    [FW_BEYOND_BEATS] = "beats", [FW_BEYOND_EQUALS] = "equals", [FW_BEYOND_FALLS_SHORT] = "falls short"};

typedef struct level_study {
  const fw_beyond_options *options;
  fw_scenario scenario;         /* the file's, with policies of its own */
  fw_scenario_policy *policies; /* those */
  void **found;                 /* settings of the mixes that searches found */
  size_t count;                 /* of the policies */
  size_t window;
} level_study;

fw_beyond_verdict fw_beyond_judge(const fw_beyond_figures *figures, size_t window) {
  const fw_beyond_published *published = &fw_beyond_trained;
  const double tokens = figures->tokens.mean;
  const double energy = figures->wh_per_1k_tokens.mean;
  const fw_estimate rate = figures->rate[window];
  if (tokens > published->tokens && energy < published->wh_per_1k_tokens && rate.hi <= published->rate_30s) {
    return FW_BEYOND_BEATS;
  }
  const bool as_many = tokens >= (1.0 - FW_BEYOND_EQUAL) * published->tokens;
  const bool as_cheap = energy <= (1.0 + FW_BEYOND_EQUAL) * published->wh_per_1k_tokens;
  return as_many && as_cheap && rate.lo <= published->rate_30s ? FW_BEYOND_EQUALS : FW_BEYOND_FALLS_SHORT;
}

static bool is_mix(const fw_scenario_policy *policy) {
  return policy->job == fw_policy_find(FW_POLICY_JOB, "mix");
}

static fw_status search_share(level_study *work, size_t policy, double *share, fw_diagnostics *diagnostics) {
  static const fw_search_dimension dimension = {.setting = "share", .from = 0.0, .to = 1.0};
  const size_t cut = work->options->seeds;
  const fw_search_spec spec = {.policy = policy,
                               .dimensions = &dimension,
                               .dimension_count = 1,
                               .objective = fw_metric_slot(FW_METRIC_TOKENS, 0),
                               .limited = fw_metric_slot(FW_METRIC_VIOLATION_RATE, work->window),
                               .limit = fw_beyond_trained.rate_30s,
                               .first_seed = SEARCH_SEED,
                               .rounds = SEARCH_ROUNDS,
                               .points = SEARCH_POINTS,
                               .seeds = cut > 0 ? cut : SEARCH_SEEDS,
                               .finalists = FINALISTS,
                               .final_seeds = cut > 0 ? cut : FINAL_SEEDS};
  fw_search_result found = {0};
  const fw_status status = fw_search(&work->scenario, &spec, &work->options->study, &found, diagnostics);
  work->found[policy] = found.settings;
  work->policies[policy].job_settings = found.settings;
  *share = found.values[0];
  return status;
}

static fw_status search_all(level_study *work, fw_beyond_levels *out, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; status == FW_OK && i < work->count; i++) {
    fw_beyond_level *arm = &out->arms[i];
    *arm = (fw_beyond_level){.name = work->policies[i].name, .mix = is_mix(&work->policies[i]), .share = (double)NAN};
    if (arm->mix) {
      status = search_share(work, i, &arm->share, diagnostics);
    }
  }
  return status;
}

static size_t better(const fw_beyond_levels *levels, size_t candidate, size_t best) {
  const fw_beyond_level *arm = &levels->arms[candidate];
  const bool first = best == levels->arm_count;
  return arm->allowed && (first || arm->figures.tokens.mean > levels->arms[best].figures.tokens.mean) ? candidate
                                                                                                      : best;
}

static fw_status measure(const level_study *work, fw_beyond_levels *out, fw_diagnostics *diagnostics) {
  fwi_samples samples = {0};
  fw_status status = fwi_samples_take(&work->scenario, work->scenario.seed, work->scenario.seeds, &work->options->study,
                                      &samples, diagnostics);
  out->best_static = out->best_mix = out->arm_count;
  for (size_t i = 0; status == FW_OK && i < out->arm_count; i++) {
    fw_beyond_level *arm = &out->arms[i];
    status = fwi_beyond_figures(&samples, &work->scenario, i, &arm->figures, diagnostics);
    arm->allowed = arm->figures.rate[work->window].lo <= fw_beyond_trained.rate_30s;
    arm->verdict = fw_beyond_judge(&arm->figures, work->window);
    size_t *best = arm->mix ? &out->best_mix : &out->best_static;
    *best = better(out, i, *best);
  }
  fwi_samples_free(&samples);
  return status;
}

static fw_status prepare(level_study *work, fw_beyond_levels *out, fw_diagnostics *diagnostics) {
  const size_t count = out->scenario->policy_count;
  size_t slot = 0;
  if (!fwi_slot_of(out->scenario, FW_METRIC_VIOLATION_RATE, JUDGED_WINDOW, &slot)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "the scenario \"%s\" needs a window of 30 s, at which the published arm is judged",
                    out->scenario->name);
  }
  work->window = slot - fw_metric_slot(FW_METRIC_VIOLATION_RATE, 0);
  work->policies = fw_allocate(count, sizeof *work->policies);
  work->found = fw_allocate(count, sizeof *work->found);
  out->arms = fw_allocate(count, sizeof *out->arms);
  if (work->policies == NULL || work->found == NULL || out->arms == NULL) {
    return fw_error_memory(diagnostics, "the levels of a study");
  }
  memcpy(work->policies, out->scenario->policies, count * sizeof *work->policies);
  work->scenario = *out->scenario;
  work->scenario.policies = work->policies;
  work->count = out->arm_count = count;
  return FW_OK;
}

void fw_beyond_levels_clear(fw_beyond_levels *levels) {
  free(levels->arms);
  fw_scenario_free(levels->scenario);
  *levels = (fw_beyond_levels){0};
}

fw_status fw_beyond_levels_run(const fw_beyond_options *options, fw_beyond_levels *out, fw_diagnostics *diagnostics) {
  level_study work = {.options = options};
  *out = (fw_beyond_levels){0};
  fw_status status = fwi_beyond_read(options, "beyond-levels.json", &out->scenario, diagnostics);
  status = status != FW_OK ? status : prepare(&work, out, diagnostics);
  status = status != FW_OK ? status : search_all(&work, out, diagnostics);
  status = status != FW_OK ? status : measure(&work, out, diagnostics);
  for (size_t i = 0; i < work.count; i++) {
    free(work.found[i]);
  }
  free(work.found);
  free(work.policies);
  if (status != FW_OK) {
    fw_beyond_levels_clear(out);
  }
  return status;
}

/* Static arms. Two arms with their tokens and energy are four equations in t0, t1, P1, k, each pair linear. Their
 * violation rates follow from the level and the variance of a window's mean: the level is periodic, the residual a
 * Gaussian AR(1) scaled by each stretch's sigma, so the variance is a quadratic form that one pass evaluates (Box,
 * Jenkins, Reinsel, "Time Series Analysis", ch. 2, gives it for constant sigma: fw_ar1_mean_variance). */
#include <math.h>
#include <stdlib.h>

#include "models/fit.h"
#include "sim/base/elementary.h"
#include "sim/base/memory.h"

static double prefill_s(const fw_batch_facts *facts, double concurrency) {
  return concurrency * facts->prompt_tokens * facts->prefill_per_token_s;
}

/* What one arm says: its token time and its level while it generates. */
typedef struct arm_point {
  double token_s;
  double level_w;
} arm_point;

static arm_point point_of(const fw_batch_facts *facts, const fw_static_arm *arm) {
  const double tokens = arm->concurrency * facts->completion_tokens;
  const double cycle_s = tokens / arm->tokens_per_s;
  const double read_s = prefill_s(facts, arm->concurrency);
  const double rollout_s = cycle_s - facts->batch_gap_s - read_s;
  const double energy_j = tokens / 1000.0 * arm->wh_per_1k * 3600.0 / facts->gpus;
  const double rest_j = facts->gap_w * facts->batch_gap_s + facts->prefill_w * read_s;
  return (arm_point){rollout_s / facts->completion_tokens, (energy_j - rest_j) / rollout_s};
}

fw_status fw_fit_static_arms(const fw_batch_facts *facts, const fw_static_arm *first, const fw_static_arm *second,
                             fw_static_fit *out, fw_diagnostics *diagnostics) {
  const arm_point a = point_of(facts, first);
  const arm_point b = point_of(facts, second);
  const double octaves = fw_log2(second->concurrency) - fw_log2(first->concurrency);
  out->token_per_sequence_s = (b.token_s - a.token_s) / (second->concurrency - first->concurrency);
  out->token_base_s = a.token_s - out->token_per_sequence_s * first->concurrency;
  out->k_w = (b.level_w - a.level_w) / octaves;
  out->p1_w = a.level_w - out->k_w * fw_log2(first->concurrency);
  if (out->token_base_s > 0.0 && out->token_per_sequence_s >= 0.0 && out->p1_w > 0.0) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "no positive token time and level give both static arms their tokens and energy; check the figures");
}

fw_cycle fw_static_cycle(const fw_batch_facts *facts, const fw_static_fit *fit, double concurrency, double sigma_w) {
  const double token_s = fit->token_base_s + fit->token_per_sequence_s * concurrency;
  const double level_w = fit->p1_w + fit->k_w * fw_log2(concurrency);
  return (fw_cycle){
      .duration_s = {prefill_s(facts, concurrency), facts->completion_tokens * token_s, facts->batch_gap_s},
      .level_w = {facts->gpus * facts->prefill_w, facts->gpus * level_w, facts->gpus * facts->gap_w},
      .sigma_w = {sigma_w, sigma_w, 0.0},
      .tokens = concurrency * facts->completion_tokens,
  };
}

double fw_cycle_duration_s(const fw_cycle *cycle) {
  return cycle->duration_s[0] + cycle->duration_s[1] + cycle->duration_s[2];
}

/* Integral of a stretch's value from the start of the cycle at 0 to `t` >= 0, which may lie cycles ahead. */
static double integral(const fw_cycle *cycle, const double *value, double t) {
  const double period_s = fw_cycle_duration_s(cycle);
  const double whole = floor(t / period_s);
  double left_s = t - whole * period_s;
  double of_period = 0.0;
  double of_part = 0.0;
  for (size_t i = 0; i < FW_CYCLE_STRETCHES; i++) {
    of_period += value[i] * cycle->duration_s[i];
    of_part += value[i] * fmin(left_s, cycle->duration_s[i]);
    left_s = fmax(left_s - cycle->duration_s[i], 0.0);
  }
  return whole * of_period + of_part;
}

double fw_cycle_mean_w(const fw_cycle *cycle) {
  const double period_s = fw_cycle_duration_s(cycle);
  double sum = 0.0;
  for (size_t i = 0; i < FW_CYCLE_STRETCHES; i++)
    sum += cycle->level_w[i] * cycle->duration_s[i];
  return sum / period_s;
}

typedef struct mean_search {
  const fw_batch_facts *facts;
  const fw_static_fit *fit;
  double mean_w;
} mean_search;

static double mean_excess_w(double concurrency, const void *context) {
  const mean_search *search = context;
  const fw_cycle cycle = fw_static_cycle(search->facts, search->fit, concurrency, 0.0);
  return fw_cycle_mean_w(&cycle) - search->mean_w;
}

fw_status fw_fit_concurrency(const fw_batch_facts *facts, const fw_static_fit *fit, double mean_w, double most,
                             double *out, fw_diagnostics *diagnostics) {
  const mean_search search = {facts, fit, mean_w};
  return fw_fit_root(mean_excess_w, &search, 1.0, most, "the concurrency", out, diagnostics);
}

/* Phases of the cycle at which a window may begin; midpoints. Doubling them moves the rates of the 72B arms by less
 * than 1e-6. */
enum { PHASES = 256 };

/* The mean of a window for each phase it begins at: Gaussian, given by mean and standard deviation. */
typedef struct window_law {
  double mean_w[PHASES];
  double sigma_w[PHASES];
} window_law;

/* Variance of the sum over ticks of w_i z_i: sum_i w_i^2 + 2 sum_i w_i s_i with s_i = sum_{j<i} a^(i-j) w_j. */
static double window_variance(const fw_cycle *cycle, const fw_window *window, double start_s) {
  double before = 0.0;
  double sum = 0.0;
  double left = integral(cycle, cycle->sigma_w, start_s);
  for (size_t i = 0; i < window->ticks; i++) {
    const double right = integral(cycle, cycle->sigma_w, start_s + (double)(i + 1) * window->tick_s);
    const double weight = (right - left) / window->tick_s;
    sum += weight * (weight + 2.0 * before);
    before = window->lag1 * (before + weight);
    left = right;
  }
  return sum / ((double)window->ticks * (double)window->ticks);
}

static void window_law_make(const fw_cycle *cycle, const fw_window *window, window_law *out) {
  const double period_s = fw_cycle_duration_s(cycle);
  const double window_s = (double)window->ticks * window->tick_s;
  for (size_t i = 0; i < PHASES; i++) {
    const double start_s = period_s * ((double)i + 0.5) / PHASES;
    const double energy_j =
        integral(cycle, cycle->level_w, start_s + window_s) - integral(cycle, cycle->level_w, start_s);
    out->mean_w[i] = energy_j / window_s;
    out->sigma_w[i] = sqrt(window_variance(cycle, window, start_s));
  }
}

/* Share of windows above the budget, with every sigma times `scale`. */
static double exceedance(const window_law *law, double scale, double budget_w) {
  double sum = 0.0;
  for (size_t i = 0; i < PHASES; i++) {
    const double distance_w = law->mean_w[i] - budget_w;
    const double sigma_w = law->sigma_w[i] * scale;
    sum += sigma_w > 0.0 ? fw_normal_cdf(distance_w / sigma_w) : (distance_w > 0.0 ? 1.0 : 0.0);
  }
  return sum / PHASES;
}

double fw_cycle_violation(const fw_cycle *cycle, const fw_window *window, double budget_w) {
  window_law law;
  window_law_make(cycle, window, &law);
  return exceedance(&law, 1.0, budget_w);
}

/* The three unknowns are nested: for a memory the windows' laws are known up to sigma, for a sigma too the first rate
 * gives the budget, the second rate then the sigma, and the third the memory. */
typedef struct rate_search {
  const fw_rate_figure *figure; /* of three */
  double tick_s;
  window_law *law; /* of three */
  double sigma_w;
  fw_rate_fit *best;
  fw_status *status;
  fw_diagnostics *diagnostics;
} rate_search;

/* Rates are compared as normal quantiles: those are nearly linear in budget and sigma, and stay apart near 0. */
static double rate_score(double rate) {
  return fw_normal_quantile(fmin(fmax(rate, 1e-15), 1.0 - 1e-15));
}

static double excess_rate(const rate_search *search, size_t which, double sigma_w, double budget_w) {
  return rate_score(exceedance(&search->law[which], sigma_w, budget_w)) - rate_score(search->figure[which].rate);
}

static double by_budget(double budget_w, const void *context) {
  const rate_search *search = context;
  return excess_rate(search, 0, search->sigma_w, budget_w);
}

/* The budget at which the first figure has its rate: a mean of all phases would be exceeded by half of them, so the
 * search runs over +-12 sigma around the level. */
static fw_status budget_for(rate_search *search, double sigma_w, double *budget_w) {
  const double level_w = fw_cycle_mean_w(&search->figure[0].unit_cycle);
  search->sigma_w = sigma_w;
  return fw_fit_root(by_budget, search, level_w - 12.0 * sigma_w, level_w + 12.0 * sigma_w, "the budget", budget_w,
                     search->diagnostics);
}

static double by_sigma(double sigma_w, const void *context) {
  rate_search search = *(const rate_search *)context;
  double budget_w = 0.0;
  if (*search.status == FW_OK) *search.status = budget_for(&search, sigma_w, &budget_w);
  search.best->budget_w = budget_w;
  search.best->sigma_w = sigma_w;
  return excess_rate(&search, 1, sigma_w, budget_w);
}

static double by_memory(double memory_s, const void *context) {
  const rate_search *search = context;
  const double lag1 = fw_exp(-search->tick_s / memory_s);
  for (size_t i = 0; i < 3; i++) {
    const fw_window window = {search->tick_s, search->figure[i].ticks, lag1};
    window_law_make(&search->figure[i].unit_cycle, &window, &search->law[i]);
  }
  double sigma_w = 0.0;
  if (*search->status == FW_OK) {
    *search->status = fw_fit_root(by_sigma, search, 1.0, 1000.0, "the residual's sigma", &sigma_w, search->diagnostics);
  }
  (void)by_sigma(sigma_w, search); /* leaves budget and sigma of the root in `best` */
  return excess_rate(search, 2, sigma_w, search->best->budget_w);
}

fw_status fw_fit_rates(const fw_rate_figure figure[3], double tick_s, fw_rate_fit *out, fw_diagnostics *diagnostics) {
  window_law *law = fw_allocate(3, sizeof *law);
  if (law == NULL) return fw_error_memory(diagnostics, "the laws of the windows");
  fw_status inner = FW_OK;
  *out = (fw_rate_fit){0};
  const rate_search search = {figure, tick_s, law, 0.0, out, &inner, diagnostics};
  double memory_s = 0.0;
  fw_diagnostics of_outer = FW_DIAGNOSTICS_INIT; /* says nothing new where an inner root was not found */
  const fw_status outer =
      fw_fit_root(by_memory, &search, 0.2 * tick_s, 100.0 * tick_s, "the residual's memory", &memory_s, &of_outer);
  if (inner == FW_OK && diagnostics != NULL) fw_diagnostics_append(diagnostics, &of_outer);
  fw_diagnostics_clear(&of_outer);
  if (outer == FW_OK) (void)by_memory(memory_s, &search);
  out->memory_s = memory_s;
  free(law);
  return inner != FW_OK ? inner : outer;
}

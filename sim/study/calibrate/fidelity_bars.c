/* Scores against limits, and why some are not held to any. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/study/calibrate/fidelity.h"

const fw_fidelity_limits fw_fidelity_default_limits = {.short_window = FW_NS_PER_S / 2,
                                                       .long_window = 30 * FW_NS_PER_S,
                                                       .energy = 0.02,
                                                       .tail_short = 0.05,
                                                       .tail_long = 0.03,
                                                       .ks = 0.12,
                                                       .ks_own = 1.5,
                                                       .acf_mae = 0.05,
                                                       .violation = 0.02,
                                                       .blocks = 30,
                                                       .tail_effective = 1000.0};

/* The larger one; NaN counts for nothing. */
static double larger(double limit, double own) {
  return own > limit ? own : limit;
}

static double violation_limit(const fw_fidelity_window *window, size_t budget, const fw_fidelity_limits *limits) {
  bool over = window->predicted_rate[budget] > window->recorded_rate[budget];
  double recorded = window->recorded_rate[budget];
  double own = over ? window->own.rate_hi[budget] - recorded : recorded - window->own.rate_lo[budget];
  return larger(limits->violation, own);
}

/* NaN where a metric is held to nothing at this window. */
static double limit_of(const fw_fidelity_window *window, fw_fidelity_metric metric, const fw_fidelity_limits *limits) {
  if (metric >= FW_FIDELITY_VIOLATION_P80) {
    return violation_limit(window, (size_t)(metric - FW_FIDELITY_VIOLATION_P80), limits);
  }
  bool tail = metric == FW_FIDELITY_P95 || metric == FW_FIDELITY_P99;
  if (tail && window->window == limits->long_window) return limits->tail_long;
  if (window->window != limits->short_window) return (double)NAN;
  if (tail) return limits->tail_short;
  if (metric == FW_FIDELITY_ENERGY) return limits->energy;
  if (metric == FW_FIDELITY_KS) {
    return larger(limits->ks, limits->ks_own * fmin(window->own.halves_ks, window->own.alternate_ks));
  }
  if (metric == FW_FIDELITY_ACF_MAE) return larger(limits->acf_mae, window->own.halves_acf_mae);
  return (double)NAN;
}

__attribute__((format(printf, 2, 3))) static void explain(fw_fidelity_bar *bar, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(bar->reason, sizeof bar->reason, format, arguments);
  va_end(arguments);
}

static void find_reason(const fw_fidelity_window *window, fw_fidelity_metric metric, const fw_fidelity_limits *limits,
                        fw_fidelity_bar *bar) {
  if (!bar->has_limit) {
    explain(bar, "held to no limit at this window");
  } else if (window->reason != NULL) {
    explain(bar, "%s", window->reason);
  } else if (window->blocks < limits->blocks) {
    explain(bar, "the recording holds %zu such windows side by side, and %zu are needed", window->blocks,
            limits->blocks);
  } else if (metric == FW_FIDELITY_P99 && window->effective < limits->tail_effective) {
    explain(bar, "the recording holds %.0f effective samples, and %.0f are needed for a P99", window->effective,
            limits->tail_effective);
  } else if (isnan(window->scores[metric])) {
    explain(bar, "the recording is too short, or too even, for this figure");
  }
}

fw_fidelity_bar fw_fidelity_judge(const fw_fidelity_window *window, fw_fidelity_metric metric,
                                  const fw_fidelity_limits *limits) {
  double limit = limit_of(window, metric, limits);
  fw_fidelity_bar bar = {FW_FIDELITY_NOT_BARRED, !isnan(limit), limit, ""};
  find_reason(window, metric, limits, &bar);
  if (bar.reason[0] != '\0') {
    bar.limit = (double)NAN;
  } else {
    bar.verdict = fabs(window->scores[metric]) <= bar.limit ? FW_FIDELITY_MET : FW_FIDELITY_MISSED;
  }
  return bar;
}

/* One metric at one window of several runs. */
typedef struct bar_group {
  const fw_fidelity *runs;
  size_t run_count;
  size_t window;
  fw_fidelity_metric metric;
  const fw_fidelity_limits *limits;
} bar_group;

static fw_fidelity_bar bar_of(const bar_group *of, size_t run) {
  return fw_fidelity_judge(&of->runs[run].signals[0].windows[of->window], of->metric, of->limits);
}

static double score_of(const bar_group *of, size_t run) {
  return fabs(of->runs[run].signals[0].windows[of->window].scores[of->metric]);
}

/* Score / limit; NaN where a run is not barred. */
static double ratio_of(const bar_group *of, size_t run) {
  return score_of(of, run) / bar_of(of, run).limit;
}

/* Number `rank` from 0 of the ratios in their order, by counting: runs are few, and it needs no room. */
static double ratio_of_rank(const bar_group *of, size_t rank) {
  for (size_t r = 0; r < of->run_count; r++) {
    double ratio = ratio_of(of, r);
    size_t below = 0, equal = 0;
    for (size_t other = 0; other < of->run_count; other++) {
      below += ratio_of(of, other) < ratio ? 1 : 0;
      equal += ratio_of(of, other) == ratio ? 1 : 0;
    }
    if (!isnan(ratio) && below <= rank && rank < below + equal) return ratio;
  }
  return (double)NAN;
}

/* A run that is barred joins its group. */
static void join(const bar_group *of, size_t run, const fw_fidelity_bar *bar, fw_fidelity_group *group) {
  double score = score_of(of, run);
  group->barred++;
  if (bar->verdict == FW_FIDELITY_MET) group->met++;
  if (group->barred > 1 && score / bar->limit <= group->worst_score / group->worst_limit) return;
  group->worst_run = run;
  group->worst_score = score;
  group->worst_limit = bar->limit;
}

fw_fidelity_group fw_fidelity_judge_runs(const fw_fidelity *runs, size_t run_count, size_t window,
                                         fw_fidelity_metric metric, const fw_fidelity_limits *limits) {
  const bar_group of = {runs, run_count, window, metric, limits};
  fw_fidelity_group group = {.verdict = FW_FIDELITY_NOT_BARRED,
                             .median_ratio = (double)NAN,
                             .worst_score = (double)NAN,
                             .worst_limit = (double)NAN,
                             .worst_run = SIZE_MAX};
  for (size_t r = 0; r < run_count; r++) {
    fw_fidelity_bar bar = bar_of(&of, r);
    if (bar.verdict != FW_FIDELITY_NOT_BARRED) {
      join(&of, r, &bar, &group);
    } else if (r == 0) {
      (void)snprintf(group.reason, sizeof group.reason, "%s", bar.reason);
    }
  }
  if (group.barred == 0) return group;
  group.reason[0] = '\0';
  group.median_ratio = 0.5 * (ratio_of_rank(&of, (group.barred - 1) / 2) + ratio_of_rank(&of, group.barred / 2));
  group.verdict = group.median_ratio <= 1.0 ? FW_FIDELITY_MET : FW_FIDELITY_MISSED;
  return group;
}

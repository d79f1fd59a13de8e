/* How well simulated power repeats a recording: the statistics that a planner acts on, at each window, for the sum of
 * a job's GPUs and for each GPU. Pure functions of their input.
 *
 * All is computed on the means over (t - W, t], one at each tick at which every reading of that window is known (a full
 * window), of the recording and of the simulation at the same ticks. With recorded means y, simulated means p:
 *   energy error   |sum p - sum y| / sum y
 *   bias           (sum p - sum y) / sum y
 *   range-NRMSE    sqrt(mean (p - y)^2) / (max y - min y)
 *   KS distance    largest distance of the two empirical distribution functions
 *   ACF-MAE        mean |a_p - a_y| over the lags of 1, 2, ... 60 s that are not shorter than the window (at shorter
 *                  ones two windows share readings, and agree for any model); a: autocorrelation, divided by all means
 *   ACF-R2         1 - sum (a_p - a_y)^2 / sum (a_y - mean a_y)^2 over the same lags
 *   P50 .. P99.9   (predicted - recorded) / recorded, nearest rank
 *   violations     |predicted - recorded| share of full windows strictly above (relative tolerance 1e-9) a budget that
 *                  is the recording's own P80, P90, P95 or P99 at this window
 * (energy error, NRMSE and the ACF figures as in powertrace-sim's evaluation, there on 1 s means only.)
 *
 * Every seed is one simulation; where one does not vary, its autocorrelation counts as 0. A score is the median over
 * seeds of the score of each, and a predicted violation rate is the mean over seeds, because it is a probability. A
 * figure that does not exist is NaN. */
#ifndef FW_STUDY_FIDELITY_H
#define FW_STUDY_FIDELITY_H

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"
#include "sim/study/estimate.h"

/* A tick at which the power of a GPU is not known; one at which what follows does not continue what was before. */
#define FW_FIDELITY_UNKNOWN INT64_MIN
#define FW_FIDELITY_BREAK (INT64_MIN + 1)

typedef enum fw_fidelity_metric {
  FW_FIDELITY_ENERGY,
  FW_FIDELITY_BIAS,
  FW_FIDELITY_NRMSE,
  FW_FIDELITY_KS,
  FW_FIDELITY_ACF_R2,
  FW_FIDELITY_ACF_MAE,
  FW_FIDELITY_P50,
  FW_FIDELITY_P90,
  FW_FIDELITY_P95,
  FW_FIDELITY_P99,
  FW_FIDELITY_P999,
  FW_FIDELITY_VIOLATION_P80,
  FW_FIDELITY_VIOLATION_P90,
  FW_FIDELITY_VIOLATION_P95,
  FW_FIDELITY_VIOLATION_P99,
  FW_FIDELITY_METRICS
} fw_fidelity_metric;

extern const char *const fw_fidelity_metric_names[]; /* "energy_error", "bias", ...; NULL at the end */

#define FW_FIDELITY_BUDGETS ((size_t)4) /* at the recording's P80, P90, P95, P99 */

/* A recording and its simulations. Powers are row by row: `power[tick * gpu_count + gpu]`, means over a tick, 0 to 10
 * MW. Stretches that did not follow each other may stand one behind the other with a break between them: no window and
 * no lag reaches over it. */
typedef struct fw_fidelity_run {
  const char *name;
  fw_time_ns tick;
  size_t tick_count;
  size_t gpu_count;
  const fw_power_mw *recorded;
  const fw_power_mw *const *simulated; /* one for each seed; known wherever the recording is */
  size_t seed_count;
} fw_fidelity_run;

/* What the recording says about itself: how far apart two parts of it are, which no model needs to undercut. */
typedef struct fw_fidelity_yardstick {
  double halves_ks;      /* first half of the time against the second */
  double alternate_ks;   /* blocks of `block` in turn, odd against even ones: without the workload's drift */
  double halves_acf_mae; /* first half against the second, over as many of the lags as both have */
  fw_time_ns block;      /* the longer of window and correlation time, at most a tenth of what is known */
  double rate_lo[FW_FIDELITY_BUDGETS]; /* 95 % of the recorded violation rate, by moving blocks of that length */
  double rate_hi[FW_FIDELITY_BUDGETS];
} fw_fidelity_yardstick;

typedef struct fw_fidelity_window {
  fw_time_ns window;
  char *reason;     /* why there is no score; NULL where there are some */
  size_t full;      /* windows, one for each tick */
  size_t blocks;    /* full windows that fit side by side */
  double effective; /* as many independent readings hold as much: known time / correlation time, at most `blocks` */
  fw_power_mw budget[FW_FIDELITY_BUDGETS]; /* of the signal; rounded down to mW */
  double recorded_rate[FW_FIDELITY_BUDGETS];
  double predicted_rate[FW_FIDELITY_BUDGETS];
  double scores[FW_FIDELITY_METRICS];
  fw_fidelity_yardstick own;
} fw_fidelity_window;

/* The sum of the GPUs, or one of them. */
typedef struct fw_fidelity_signal {
  size_t gpu;                  /* SIZE_MAX: the sum */
  size_t known;                /* ticks at which the recording is known */
  fw_time_ns correlation_time; /* integrated: tick x (1 + 2 x the sum of autocorrelations), at least a tick */
  fw_fidelity_window *windows; /* in the order asked */
} fw_fidelity_signal;

typedef struct fw_fidelity {
  char *name;
  fw_time_ns tick;
  size_t seed_count;
  fw_fidelity_signal *signals; /* the sum, then each GPU where there is more than one */
  size_t signal_count;
  size_t window_count;
} fw_fidelity;

/* Scores a run. A window that is no multiple of the tick, or that is never full, gets a reason and no scores. Errors:
 * no tick, GPU, seed or window; a simulation that is unknown where the recording is known, or negative power. On
 * failure `out` is empty. */
fw_status fw_fidelity_score(const fw_fidelity_run *run, const fw_time_ns *windows, size_t window_count,
                            fw_fidelity *out, fw_diagnostics *diagnostics);
void fw_fidelity_clear(fw_fidelity *fidelity);

/* One metric at one window over several runs. Of bias the signed values count, of P50 .. P99.9 the magnitudes. */
typedef struct fw_fidelity_summary {
  size_t run_count;   /* runs that have a score */
  fw_estimate median; /* 95 % by bootstrap over runs; `lo` and `hi` NaN with fewer than two */
  double worst;       /* the largest magnitude; of ACF-R2 the smallest */
  size_t worst_run;   /* index into the runs; SIZE_MAX: none has a score */
} fw_fidelity_summary;

/* Summaries of the sums over GPUs (signal 0) of `runs`, which were scored with the same windows, in `out`: window by
 * window, `FW_FIDELITY_METRICS` each. */
fw_status fw_fidelity_summarize(const fw_fidelity *runs, size_t run_count, fw_fidelity_summary *out,
                                fw_diagnostics *diagnostics);

/* What a run is held to, in shares. */
typedef struct fw_fidelity_limits {
  fw_time_ns short_window; /* where energy, tails, KS and ACF are held to limits */
  fw_time_ns long_window;  /* where tails are too */
  double energy;
  double tail_short; /* P95, and P99 where it may be barred */
  double tail_long;
  double ks; /* or `ks_own` x the smaller of the recording's own two distances, whichever is larger */
  double ks_own;
  double acf_mae;        /* or that of the recording's halves */
  double violation;      /* at every window; or the recording's own interval */
  size_t blocks;         /* fewer: nothing is barred */
  double tail_effective; /* fewer effective samples: P99 is not barred */
} fw_fidelity_limits;

extern const fw_fidelity_limits fw_fidelity_default_limits;

typedef enum fw_fidelity_verdict { FW_FIDELITY_MET, FW_FIDELITY_MISSED, FW_FIDELITY_NOT_BARRED } fw_fidelity_verdict;

/* One score against its limit. */
#define FW_FIDELITY_REASON_SIZE ((size_t)160)
typedef struct fw_fidelity_bar {
  fw_fidelity_verdict verdict;
  bool has_limit;                       /* at windows of this length, where the recording allows */
  double limit;                         /* NaN where it is not barred */
  char reason[FW_FIDELITY_REASON_SIZE]; /* why it is not barred; "" where it is */
} fw_fidelity_bar;

fw_fidelity_bar fw_fidelity_judge(const fw_fidelity_window *window, fw_fidelity_metric metric,
                                  const fw_fidelity_limits *limits);

/* The bar for several runs together: the median over those that are barred of score / limit is to be at most 1. */
typedef struct fw_fidelity_group {
  fw_fidelity_verdict verdict;
  size_t barred;
  size_t met;          /* by themselves */
  double median_ratio; /* of score / limit; NaN where none is barred, as are the next two */
  double worst_score;  /* of the run with the largest score / limit */
  double worst_limit;
  size_t worst_run;                     /* SIZE_MAX: none is barred */
  char reason[FW_FIDELITY_REASON_SIZE]; /* of the first run, where none is barred */
} fw_fidelity_group;

/* Of the sums over GPUs at window number `window`. */
fw_fidelity_group fw_fidelity_judge_runs(const fw_fidelity *runs, size_t run_count, size_t window,
                                         fw_fidelity_metric metric, const fw_fidelity_limits *limits);

#endif

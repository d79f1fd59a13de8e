/* Fits: how published figures and recordings become the numbers of a job model.
 *
 * Everything here is closed form, or one root found by bracketing, in a fixed order and with the elementary functions
 * of sim/base, so the same input gives the same numbers. models/fit_a100/main.c applies it to the study's three jobs;
 * docs/parameters.md says what came of it and how sure each number is. */
#ifndef FW_MODELS_FIT_H
#define FW_MODELS_FIT_H

#include "models/residual.h"
#include "models/workload.h"

/* --- Lines, quantiles and roots (fit.c) --- */

typedef struct fw_line {
  double intercept;
  double slope;
  double rms; /* root of the mean squared distance of the points */
} fw_line;

/* Least squares of y on x. Where all x are alike, or there is one point, the slope is 0. `count` >= 1. */
fw_line fw_fit_line(const double *x, const double *y, size_t count);

/* Mean and standard deviation (divided by `count` >= 1). */
double fw_fit_mean(const double *values, size_t count);
double fw_fit_sigma(const double *values, size_t count);

/* Quantile of `count` >= 1 sorted values: linear between them, the i-th of n (from 1) at probability i / (n + 1), the
 * extremes beyond (Weibull; type 6 of Hyndman and Fan, American Statistician 50, 1996). */
double fw_fit_quantile(const double *sorted, size_t count, double probability);

typedef double (*fw_fit_function)(double x, const void *context);

/* The root of `function` in [low, high], to 13 digits. FW_ERROR_FAULT where the ends have the same sign; `what` names
 * the unknown in that message. */
fw_status fw_fit_root(fw_fit_function function, const void *context, double low, double high, const char *what,
                      double *root, fw_diagnostics *diagnostics);

/* --- Static arms: batches of one size, all completions of one length (fit_arms.c) --- */

/* What is known before the fit. Watts are of one GPU. */
typedef struct fw_batch_facts {
  double gpus;
  double completion_tokens; /* of each sequence */
  double prompt_tokens;     /* of each sequence */
  double prefill_per_token_s;
  double batch_gap_s;
  double prefill_w;
  double gap_w;
} fw_batch_facts;

/* Published figures of one arm. */
typedef struct fw_static_arm {
  double concurrency;
  double tokens_per_s; /* long-run: over whole cycles of batch and gap */
  double wh_per_1k;    /* Wh for 1,000 tokens, of the whole job */
} fw_static_arm;

/* t(c) = t0 + t1 c and P(c) = P1 + k log2(c). */
typedef struct fw_static_fit {
  double token_base_s;
  double token_per_sequence_s;
  double p1_w;
  double k_w;
} fw_static_fit;

/* The four numbers that give both arms their tokens and energy exactly. FW_ERROR_INPUT where no positive ones do. */
fw_status fw_fit_static_arms(const fw_batch_facts *facts, const fw_static_arm *first, const fw_static_arm *second,
                             fw_static_fit *out, fw_diagnostics *diagnostics);

/* One period of a static arm: prefill, rollout, gap. Watts are of the whole job; sigma is that of its Gaussian residual
 * on a tick (none in the gap). */
enum { FW_CYCLE_STRETCHES = 3 };
typedef struct fw_cycle {
  double duration_s[FW_CYCLE_STRETCHES];
  double level_w[FW_CYCLE_STRETCHES];
  double sigma_w[FW_CYCLE_STRETCHES];
  double tokens;
} fw_cycle;

fw_cycle fw_static_cycle(const fw_batch_facts *facts, const fw_static_fit *fit, double concurrency, double sigma_w);
double fw_cycle_duration_s(const fw_cycle *cycle);
double fw_cycle_mean_w(const fw_cycle *cycle);

/* Concurrency, a fraction, at which a static arm's mean power is `mean_w`; between 1 and `most`. */
fw_status fw_fit_concurrency(const fw_batch_facts *facts, const fw_static_fit *fit, double mean_w, double most,
                             double *out, fw_diagnostics *diagnostics);

/* The residual's process: an AR(1) on ticks of `tick_s`, scaled by each stretch's sigma. */
typedef struct fw_window {
  double tick_s;
  size_t ticks; /* in a window */
  double lag1;
} fw_window;

/* Long-run share of windows whose mean lies above the budget. A window's level and variance are exact for each phase
 * of the cycle that it may begin at; the share is averaged over phases. */
double fw_cycle_violation(const fw_cycle *cycle, const fw_window *window, double budget_w);

/* A published rate: cycles with sigma 1 W, the window in ticks, the rate. */
typedef struct fw_rate_figure {
  fw_cycle unit_cycle;
  size_t ticks;
  double rate;
} fw_rate_figure;

typedef struct fw_rate_fit {
  double budget_w;
  double sigma_w;
  double memory_s;
} fw_rate_fit;

/* Budget, sigma and memory that give three published rates exactly: the first two over one long window at two levels,
 * the third over a short one. */
fw_status fw_fit_rates(const fw_rate_figure figure[3], double tick_s, fw_rate_fit *out, fw_diagnostics *diagnostics);

/* --- Drawn lengths: one static batch (fit_passes.c) --- */

/* Probability that a completion has at least `tokens` >= 1 tokens, as fw_workload_completion draws it. */
double fw_completion_survival(const fw_workload *workload, int64_t tokens);

/* Expected tokens of a completion after the cut. */
double fw_completion_mean(const fw_workload *workload);

/* The mean before the cut that makes the mean after it `mean`; everything else is taken from `workload`. */
fw_status fw_fit_completion_mean(const fw_workload *workload, double mean, double *out, fw_diagnostics *diagnostics);

/* passes[b - 1]: expected number of forward passes with b of `sequences` still running, until the longest has ended.
 * Time, tokens and energy of the batch are sums over it. */
fw_status fw_expected_passes(const fw_workload *workload, size_t sequences, double *passes,
                             fw_diagnostics *diagnostics);

/* --- Laws (fit_law.c) --- */

/* A marginal law by its quantiles, of mean zero: linear in z = Phi^-1(p) between them, as models/residual.h has it. */
enum { FW_LAW_POINTS = 13 };
extern const double fw_law_probabilities[FW_LAW_POINTS];
typedef struct fw_law {
  double value_w[FW_LAW_POINTS];
} fw_law;

double fw_law_at(const fw_law *law, double z);
double fw_law_sigma_w(const fw_law *law);

/* P(law + Gaussian error > threshold). */
double fw_law_exceedance(const fw_law *law, double error_sigma_w, double threshold_w);

/* The law with the sample's quantiles, centred and scaled to mean zero and the sample's own standard deviation. The
 * values are sorted in place. */
fw_law fw_fit_law(double *values, size_t count);

/* Lag-one coefficient of z whose image under the law has the lag-one coefficient `lag1`; kept within +-0.99. */
double fw_fit_copula_lag1(const fw_law *law, double lag1);

/* --- Recordings (fit_residual.c) --- */

/* The GPUs of one job on a regular lattice of ticks. */
typedef struct fw_recording {
  size_t gpus;
  size_t ticks;
  const double *power_w; /* [tick * gpus + gpu] */
  const size_t *segment; /* of each tick: ticks that follow each other in one segment are neighbours in time */
  const double *level_w; /* of one GPU at each tick; NULL: the mean over the tick's segment */
} fw_recording;

typedef struct fw_residual_fit {
  fw_law total;         /* of the job's sum */
  fw_law contrast;      /* of C(z), before its mean over the job is taken off; all 0 for one GPU */
  double total_lag1;    /* of z */
  double contrast_lag1; /* of z */
  /* What the recording itself shows, in watts. */
  double total_sigma_w;
  double contrast_sigma_w; /* of a GPU less the mean of all */
  double total_watt_lag1;
  double contrast_watt_lag1;
  double gpu_lag1;    /* of one GPU, level removed */
  double correlation; /* between GPUs, mean over pairs, level removed */
} fw_residual_fit;

/* Mean correlation over pairs of `gpus` with equal variances, from the sigma of their sum and that of one GPU less the
 * mean of all. */
double fw_gpu_correlation(double total_sigma_w, double contrast_sigma_w, size_t gpus);

/* Laws and coefficients of the residual in a recording: total T and contrasts C of
 * residual of GPU i = T(z)/n + C(z_i) - (1/n) sum_j C(z_j). A GPU's lasting distance from the others is left out. */
fw_status fw_fit_residual(const fw_recording *recording, fw_residual_fit *out, fw_diagnostics *diagnostics);

/* The fit as a residual model whose one phase with a residual is `phase`. Free with fw_record_clear. */
fw_status fw_fit_residual_model(const fw_residual_fit *fit, fw_phase phase, fw_residual_model *out,
                                fw_diagnostics *diagnostics);

#endif

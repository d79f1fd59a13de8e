/* The residual: what power does around its level.
 *
 * A standardised process z per model tick, stationary, z' = a z + sqrt(1 - a^2) e, with lag-one coefficient
 * a = exp(-tick / memory) or given directly (it is negative where GPUs take turns); the phase then maps z to watts
 * through its own measured marginal, F^-1(Phi(z)), so heavy tails survive. A job of n GPUs has one process for its
 * total and one for each GPU, whose mapped values count as contrasts, less their mean over the job, so they sum to
 * zero:
 *
 *   residual of GPU i = T(z_total) / n + C(z_i) - (1/n) sum_j C(z_j)
 *
 * Layer-sharded GPUs take turns: large contrasts, correlations near -1/(n-1). Tensor-parallel ones move together. A job
 * of one GPU has no contrasts. Spikes are marks on top, per GPU. */
#ifndef FW_MODELS_RESIDUAL_H
#define FW_MODELS_RESIDUAL_H

#include "models/phase.h"
#include "sim/base/random.h"
#include "sim/base/record.h"

/* A marginal law of mean zero: "none", "gaussian" (sigma_w) or "quantiles" (values_w at probabilities, linear between
 * in z = Phi^-1(p), constant slope beyond the outermost two). Decoded as a variant. */
extern const fw_variant_case fw_marginal_cases[];

/* Mean of a law as its file gives it, in W: what fw_marginal_prepare takes off. */
double fw_marginal_mean_w(const fw_variant *marginal);

/* A marginal prepared for the sample kernel: milliwatts on a uniform grid of z in [-6.5, 6.5], linear between the
 * points. Gaussian laws are exact on it, quantile laws to within the grid; the mean of the table under the standard
 * normal is 0. */
#define FW_MARGINAL_POINTS 1041
#define FW_MARGINAL_CENTRE 520.0 /* the point where z = 0 */
#define FW_MARGINAL_PER_UNIT 80.0
typedef struct fw_marginal_table {
  double value_mw[FW_MARGINAL_POINTS];
  bool zero; /* the law is "none" */
} fw_marginal_table;

void fw_marginal_prepare(const fw_variant *marginal, fw_marginal_table *out);

/* The hot path: milliwatts at z. The caller sees to |z| < 6.5, as fw_ar1_next and the generator do; nothing is checked
 * here. */
static inline double fw_marginal_mw(const fw_marginal_table *table, double z) {
  const double position = z * FW_MARGINAL_PER_UNIT + FW_MARGINAL_CENTRE;
  const int whole = (int)position;
  const double *cell = table->value_mw + whole;
  return cell[0] + (position - (double)whole) * (cell[1] - cell[0]);
}

/* Spikes: marks of a Poisson process (at most one a tick), each raising one tick's mean of one GPU by an exponentially
 * distributed height. They are not part of the mean-zero laws: they raise mean power by rate x height. */
typedef struct fw_spikes {
  double rate_per_h; /* per GPU; 0: none */
  double height_w;   /* mean height as it shows in the tick's mean */
} fw_spikes;

/* The marginals of one phase. */
typedef struct fw_residual_phase {
  fw_variant total;    /* of the job's sum, in W */
  fw_variant contrast; /* of one GPU before the mean is taken off, in W */
} fw_residual_phase;

typedef struct fw_residual_model {
  double total_memory_s; /* either the memory (> 0) ... */
  double total_lag1;     /* ... or the coefficient at one tick in (-1, 1); memory counts when it is > 0 */
  double contrast_memory_s;
  double contrast_lag1;
  double contrast_span_w; /* (level - idle) at which the contrasts are given: they grow in proportion; 0: they do not */
  fw_residual_phase phase[FW_PHASE_COUNT];
  fw_spikes spikes;
} fw_residual_model;

extern const fw_record fw_residual_record;

/* Whether power stays at its level in `phase`, but for spikes. */
bool fw_residual_is_none(const fw_residual_model *model, fw_phase phase);

/* Lag-one coefficients at a model tick of `tick_s` seconds. */
double fw_residual_total_lag1(const fw_residual_model *model, double tick_s);
double fw_residual_contrast_lag1(const fw_residual_model *model, double tick_s);

/* One standardised process, moved on in blocks. Its value at tick k is a pure function of (stream, coefficient, first
 * tick, k). */
typedef struct fw_ar1 {
  fw_stream stream;
  double a;
  double b; /* sqrt(1 - a^2) */
  double z;
  uint64_t next_tick;
  bool started;
} fw_ar1;

/* Starts stationary at tick `first_tick`. */
fw_ar1 fw_ar1_start(fw_stream stream, double lag1, uint64_t first_tick);

/* The next `count` values, each clamped to +-6.4 (the state behind them is not). */
void fw_ar1_next(fw_ar1 *process, size_t count, double *out);

/* Variance of the mean of n consecutive values of a standardised AR(1): (1/n)[(1+a)/(1-a)] - 2a(1-a^n) / (n^2 (1-a)^2).
 * Used by closed forms and tests (models.md of any time-series text; Box and Jenkins). */
double fw_ar1_mean_variance(double lag1, size_t n);

/* Tick of the n-th spike of a GPU after `previous_tick`, and its height in mW. False when the model has none. */
bool fw_spike_next(const fw_spikes *spikes, double tick_s, uint64_t seed, uint32_t gpu, uint64_t n,
                   uint64_t previous_tick, uint64_t *tick, fw_power_mw *height);

#endif

/* A power series on ticks and its rolling sums, exact, and the statistics that fidelity.h speaks of. A series is an
 * array of int64, one for each tick: what is known is not negative, else FW_FIDELITY_UNKNOWN or FW_FIDELITY_BREAK. Sums
 * of powers in mW over n ticks are n x the mean, so two of one window compare as their means do. */
#ifndef FWI_STUDY_ROLLING_H
#define FWI_STUDY_ROLLING_H

#include "sim/study/calibrate/fidelity.h"

/* sums[t] = series[t - n + 1] + ... + series[t], unknown unless all n >= 1 are known; a break stays one. Returns
 * how many are known. */
size_t fwi_rolling_sums(const int64_t *series, size_t count, size_t n, int64_t *sums);

/* How many windows of n ticks fit side by side into the known stretches. */
size_t fwi_rolling_blocks(const int64_t *series, size_t count, size_t n);

/* Copies the known values to `out`, in their order; returns how many. */
size_t fwi_rolling_known(const int64_t *series, size_t count, int64_t *out);

void fwi_rolling_sort(int64_t *values, size_t count);

/* Of sorted values, nearest rank: number ceil(share x count), from 1. `count` >= 1. */
int64_t fwi_rolling_percentile(const int64_t *sorted, size_t count, double share);

/* Whether a sum is strictly above a budget over the same window, relative tolerance 1e-9. */
bool fwi_rolling_above(int64_t sum, int64_t budget);

/* Share of `count` >= 1 values above. */
double fwi_rolling_rate(const int64_t *values, size_t count, int64_t budget);

/* Largest distance of two empirical distribution functions. Both sorted and not empty. */
double fwi_rolling_ks(const int64_t *a, size_t a_count, const int64_t *b, size_t b_count);

/* Autocorrelation at the lags first_lag, first_lag + stride, ... of `lag_count`: the sum over the pairs of known values
 * that are a lag apart without a break between them of the products of their deviations, divided by the sum of all
 * squared deviations. Returns how many lags it wrote: fewer where a lag has no pair, none where the values do not
 * vary. */
size_t fwi_rolling_autocorrelation(const int64_t *series, size_t count, size_t first_lag, size_t stride,
                                   size_t lag_count, double *out);

/* The integrated correlation time in ticks, at least 1: 2 x the sum of Geyer's positive pairs - 1 (C. J. Geyer,
 * "Practical Markov chain Monte Carlo", Statistical Science 7, 1992), over lags up to a tenth of the series. */
double fwi_rolling_correlation(const int64_t *series, size_t count);

/* 95 % interval of the share of `flags` that are set: moving blocks of `block` flags, drawn with replacement under
 * the keys (seed 0, FW_DRAW_BOOTSTRAP, entity). `scratch` holds count + 1 numbers. */
#define FWI_ROLLING_RESAMPLES ((size_t)1000)
void fwi_rolling_rate_interval(const bool *flags, size_t count, size_t block, uint32_t entity, size_t *scratch,
                               double *lo, double *hi);

/* The middle value, or the mean of the two in the middle; sorts them. NaN where one is NaN, or `count` is 0. */
double fwi_median(double *values, size_t count);

#endif

/* The interquartile mean: the mean of the middle half, which neither one lucky nor one failed training moves much
 * (R. Agarwal et al., "Deep reinforcement learning at the edge of the statistical precipice", NeurIPS 2021). */
#ifndef FW_STUDY_IQM_H
#define FW_STUDY_IQM_H

#include <stdint.h>

#include "sim/base/diagnostics.h"
#include "sim/study/estimate.h"

#define FW_IQM_LEAST ((size_t)5) /* policies: fewer say nothing about training */

/* Mean of what is left of `values` when the floor of a quarter of them is taken off each end. Sorts them. NaN for none
 * and where one is NaN. */
double fw_iqm(double *values, size_t count);

/* Of `scores`, one row for each training seed and one column for each held-out run, with a 95 % bootstrap interval.
 * Both are drawn with replacement, whole rows and whole columns: a training seed's scores hang together over the runs,
 * and a run's luck is common to all seeds. (Drawing seeds anew in every column would treat the scores of one seed as
 * independent and give intervals far too narrow.) Fewer than FW_IQM_LEAST rows are FW_ERROR_INPUT. Draws depend on
 * nothing but `statistic`, which tells intervals apart. */
fw_status fw_iqm_estimate(const double *scores, size_t rows, size_t columns, uint32_t statistic, fw_estimate *out,
                          fw_diagnostics *diagnostics);

/* Share `passed` / `count` with Wilson's 95 % interval. */
fw_estimate fw_pass_rate(size_t passed, size_t count);

#endif

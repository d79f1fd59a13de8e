/* Percentile bootstrap over both axes; Wilson's interval for the share that passed. */
#include "sim/study/train/iqm.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/elementary.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/sort.h"

#define RESAMPLES ((size_t)2000)
#define TAIL 0.025

double fw_iqm(double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (isnan(values[i])) {
      return (double)NAN;
    }
  }
  if (count == 0) {
    return (double)NAN;
  }
  fw_sort_numbers(values, count);
  const size_t cut = count / 4;
  double sum = 0.0;
  for (size_t i = cut; i < count - cut; i++) {
    sum += values[i];
  }
  return sum / (double)(count - 2 * cut);
}

/* One resample into `drawn`. Index: the resample; sub-counters would be few, so rows and columns have entities apart.
 */
static void draw(const double *scores, size_t rows, size_t columns, uint32_t statistic, size_t resample, size_t *picked,
                 double *drawn) {
  const fw_stream by_row = fw_stream_make(1, FW_DRAW_BOOTSTRAP, 2 * statistic);
  const fw_stream by_column = fw_stream_make(1, FW_DRAW_BOOTSTRAP, 2 * statistic + 1);
  for (size_t c = 0; c < columns; c++) {
    picked[c] = (size_t)fw_random_below(by_column, resample * columns + c, columns);
  }
  for (size_t r = 0; r < rows; r++) {
    const double *row = &scores[(size_t)fw_random_below(by_row, resample * rows + r, rows) * columns];
    for (size_t c = 0; c < columns; c++) {
      drawn[r * columns + c] = row[picked[c]];
    }
  }
}

static double quantile(const double *sorted, double share) {
  return sorted[(size_t)(share * (double)(RESAMPLES - 1) + 0.5)];
}

static fw_estimate estimate(const double *scores, size_t rows, size_t columns, uint32_t statistic, size_t *picked,
                            double *drawn, double *means) {
  for (size_t i = 0; i < rows * columns; i++) {
    drawn[i] = scores[i];
  }
  fw_estimate out = {.mean = fw_iqm(drawn, rows * columns), .lo = (double)NAN, .hi = (double)NAN};
  if (isnan(out.mean)) {
    return out;
  }
  for (size_t i = 0; i < RESAMPLES; i++) {
    draw(scores, rows, columns, statistic, i, picked, drawn);
    means[i] = fw_iqm(drawn, rows * columns);
  }
  fw_sort_numbers(means, RESAMPLES);
  out.lo = quantile(means, TAIL);
  out.hi = quantile(means, 1.0 - TAIL);
  return out;
}

fw_status fw_iqm_estimate(const double *scores, size_t rows, size_t columns, uint32_t statistic, fw_estimate *out,
                          fw_diagnostics *diagnostics) {
  if (rows < FW_IQM_LEAST || columns == 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "%zu trained policies say nothing about training; give at least %zu, each of its own seed", rows,
                    FW_IQM_LEAST);
  }
  size_t scores_count = 0;
  const bool fits = fw_size_multiply(rows, columns, &scores_count);
  size_t *picked = fits ? fw_allocate(columns, sizeof *picked) : NULL;
  double *drawn = fits ? fw_allocate(scores_count, sizeof *drawn) : NULL;
  double *means = fw_allocate(RESAMPLES, sizeof *means);
  fw_status status = FW_OK;
  if (picked == NULL || drawn == NULL || means == NULL) {
    status = fw_error_memory(diagnostics, "a bootstrap");
  } else {
    *out = estimate(scores, rows, columns, statistic, picked, drawn, means);
  }
  free(picked);
  free(drawn);
  free(means);
  return status;
}

/* E. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). */
fw_estimate fw_pass_rate(size_t passed, size_t count) {
  const double z = fw_normal_quantile(1.0 - TAIL);
  const double n = (double)count;
  const double share = (double)passed / n;
  const double scale = 1.0 / (1.0 + z * z / n);
  const double centre = (share + z * z / (2.0 * n)) * scale;
  const double half = z * sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n)) * scale;
  return (fw_estimate){share, passed > 0 ? centre - half : 0.0, passed < count ? centre + half : 1.0};
}

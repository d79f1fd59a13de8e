/* Rolling sums in integers, and statistics over them in one fixed order. */
#include "sim/study/calibrate/rolling.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/random.h"
#include "sim/base/sort.h"

#define TOLERANCE 1e-9

static bool is_known(int64_t value) {
  return value >= 0;
}

size_t fwi_rolling_sums(const int64_t *series, size_t count, size_t n, int64_t *sums) {
  int64_t sum = 0;
  size_t known = 0, full = 0; /* known: ticks in a row */
  for (size_t t = 0; t < count; t++) {
    sums[t] = series[t] == FW_FIDELITY_BREAK ? FW_FIDELITY_BREAK : FW_FIDELITY_UNKNOWN;
    if (!is_known(series[t])) {
      sum = 0;
      known = 0;
      continue;
    }
    sum += series[t] - (known >= n ? series[t - n] : 0);
    known++;
    if (known < n) continue;
    sums[t] = sum;
    full++;
  }
  return full;
}

size_t fwi_rolling_blocks(const int64_t *series, size_t count, size_t n) {
  size_t blocks = 0, known = 0;
  for (size_t t = 0; t < count; t++) {
    known = is_known(series[t]) ? known + 1 : 0;
    if (known == n) {
      blocks++;
      known = 0;
    }
  }
  return blocks;
}

size_t fwi_rolling_known(const int64_t *series, size_t count, int64_t *out) {
  size_t known = 0;
  for (size_t t = 0; t < count; t++) {
    if (is_known(series[t])) out[known++] = series[t];
  }
  return known;
}

static int compare_values(const void *a, const void *b) {
  int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
  return (first > second) - (first < second);
}

void fwi_rolling_sort(int64_t *values, size_t count) {
  if (count > 0) qsort(values, count, sizeof *values, compare_values);
}

int64_t fwi_rolling_percentile(const int64_t *sorted, size_t count, double share) {
  double rank = ceil(share * (double)count * (1.0 - 1e-12)); /* a share x count that is whole stays whole */
  size_t position = rank < 1.0 ? 1 : (size_t)rank;
  return sorted[position > count ? count - 1 : position - 1];
}

bool fwi_rolling_above(int64_t sum, int64_t budget) {
  return (double)(sum - budget) > TOLERANCE * (double)budget;
}

double fwi_rolling_rate(const int64_t *values, size_t count, int64_t budget) {
  size_t above = 0;
  for (size_t i = 0; i < count; i++) {
    if (fwi_rolling_above(values[i], budget)) above++;
  }
  return (double)above / (double)count;
}

double fwi_rolling_ks(const int64_t *a, size_t a_count, const int64_t *b, size_t b_count) {
  double largest = 0.0;
  size_t i = 0, j = 0;
  while (i < a_count && j < b_count) {
    int64_t value = a[i] < b[j] ? a[i] : b[j];
    while (i < a_count && a[i] == value)
      i++;
    while (j < b_count && b[j] == value)
      j++;
    double distance = fabs((double)i / (double)a_count - (double)j / (double)b_count);
    if (distance > largest) largest = distance;
  }
  return largest;
}

static double mean_of(const int64_t *series, size_t count) {
  double sum = 0.0;
  size_t known = 0;
  for (size_t t = 0; t < count; t++) {
    if (!is_known(series[t])) continue;
    sum += (double)series[t];
    known++;
  }
  return sum / (double)known;
}

/* Sum of the products of deviations of the pairs that are `lag` apart; `pairs` counts them. */
static double co_moment(const int64_t *series, size_t count, double mean, size_t lag, size_t *pairs) {
  double sum = 0.0;
  size_t piece = 0; /* begins behind the last break */
  *pairs = 0;
  for (size_t t = 0; t < count; t++) {
    if (series[t] == FW_FIDELITY_BREAK) piece = t + 1;
    if (t < piece + lag || !is_known(series[t]) || !is_known(series[t - lag])) continue;
    sum += ((double)series[t] - mean) * ((double)series[t - lag] - mean);
    (*pairs)++;
  }
  return sum;
}

size_t fwi_rolling_autocorrelation(const int64_t *series, size_t count, size_t first_lag, size_t stride,
                                   size_t lag_count, double *out) {
  size_t pairs;
  double mean = mean_of(series, count);
  double variance = co_moment(series, count, mean, 0, &pairs);
  if (!(variance > 0.0)) return 0;
  for (size_t i = 0; i < lag_count; i++) {
    double moment = co_moment(series, count, mean, first_lag + i * stride, &pairs);
    if (pairs == 0) return i;
    out[i] = moment / variance;
  }
  return lag_count;
}

double fwi_rolling_correlation(const int64_t *series, size_t count) {
  size_t pairs;
  double mean = mean_of(series, count), sum = 0.0;
  double variance = co_moment(series, count, mean, 0, &pairs);
  if (!(variance > 0.0)) return 1.0;
  for (size_t lag = 0; lag + 1 <= count / 10; lag += 2) {
    double pair = co_moment(series, count, mean, lag, &pairs) + co_moment(series, count, mean, lag + 1, &pairs);
    if (pair <= 0.0) break;
    sum += pair / variance;
  }
  double time = 2.0 * sum - 1.0;
  return time > 1.0 ? time : 1.0;
}

void fwi_rolling_rate_interval(const bool *flags, size_t count, size_t block, uint32_t entity, size_t *scratch,
                               double *lo, double *hi) {
  fw_stream stream = fw_stream_make(0, FW_DRAW_BOOTSTRAP, entity);
  double shares[FWI_ROLLING_RESAMPLES];
  size_t blocks = (count + block - 1) / block;
  scratch[0] = 0; /* becomes: flags set before each position */
  for (size_t i = 0; i < count; i++) {
    scratch[i + 1] = scratch[i] + (flags[i] ? 1 : 0);
  }
  for (size_t r = 0; r < FWI_ROLLING_RESAMPLES; r++) {
    size_t set = 0;
    for (size_t b = 0; b < blocks; b++) {
      size_t length = b + 1 < blocks ? block : count - b * block; /* the last makes the sample as long as it was */
      size_t start = (size_t)fw_random_below(stream, (uint64_t)r * blocks + b, (uint64_t)(count - length + 1));
      set += scratch[start + length] - scratch[start];
    }
    shares[r] = (double)set / (double)count;
  }
  fw_sort_numbers(shares, FWI_ROLLING_RESAMPLES);
  *lo = shares[FWI_ROLLING_RESAMPLES * 25 / 1000 - 1];
  *hi = shares[FWI_ROLLING_RESAMPLES * 975 / 1000 - 1];
}

double fwi_median(double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (isnan(values[i])) return (double)NAN;
  }
  if (count == 0) return (double)NAN;
  fw_sort_numbers(values, count);
  double upper = values[count / 2];
  return count % 2 == 1 ? upper : 0.5 * (values[count / 2 - 1] + upper);
}

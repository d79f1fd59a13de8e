/* Student intervals, in a fixed order of summation. */
#include "sim/study/estimate.h"

#include <math.h>

#include "sim/base/elementary.h"

#define CONFIDENCE 0.95

static double mean_of(const double *values, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += values[i];
  }
  return sum / (double)count;
}

/* Sum of (a - mean_a)(b - mean_b). */
static double co_moment(const double *a, double mean_a, const double *b, double mean_b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return sum;
}

static fw_estimate interval(double mean, double sum_of_squares, size_t count) {
  fw_estimate estimate = {mean, (double)NAN, (double)NAN};
  if (count >= 2 && isfinite(mean)) {
    const double degrees = (double)(count - 1);
    const double error = sqrt(sum_of_squares / degrees / (double)count);
    const double half = fw_student_quantile(0.5 + CONFIDENCE / 2.0, degrees) * error;
    estimate.lo = mean - half;
    estimate.hi = mean + half;
  }
  return estimate;
}

fw_estimate fw_estimate_mean(const double *values, size_t count) {
  if (count == 0) {
    return (fw_estimate){(double)NAN, (double)NAN, (double)NAN};
  }
  const double mean = mean_of(values, count);
  return interval(mean, co_moment(values, mean, values, mean, count), count);
}

static int all_equal(const double *values, size_t count, double value) {
  for (size_t i = 0; i < count; i++) {
    if (values[i] != value) {
      return 0;
    }
  }
  return count > 0;
}

fw_estimate fw_estimate_rate(const double *values, size_t count) {
  const double bound = count > 0 ? fw_pow(1.0 - CONFIDENCE, 1.0 / (double)count) : 0.0;
  if (all_equal(values, count, 0.0)) {
    return (fw_estimate){0.0, 0.0, 1.0 - bound};
  }
  if (all_equal(values, count, 1.0)) {
    return (fw_estimate){1.0, bound, 1.0};
  }
  fw_estimate estimate = fw_estimate_mean(values, count);
  estimate.lo = estimate.lo < 0.0 ? 0.0 : estimate.lo;
  estimate.hi = estimate.hi > 1.0 ? 1.0 : estimate.hi;
  return estimate;
}

fw_estimate fw_estimate_figure(bool rate, const double *values, size_t count) {
  return rate ? fw_estimate_rate(values, count) : fw_estimate_mean(values, count);
}

fw_paired_estimate fw_estimate_paired(const double *a, const double *b, size_t count) {
  fw_paired_estimate paired = {{(double)NAN, (double)NAN, (double)NAN}, (double)NAN};
  if (count == 0) {
    return paired;
  }
  const double mean_a = mean_of(a, count);
  const double mean_b = mean_of(b, count);
  const double aa = co_moment(a, mean_a, a, mean_a, count);
  const double bb = co_moment(b, mean_b, b, mean_b, count);
  const double ab = co_moment(a, mean_a, b, mean_b, count);
  const double squares = aa + bb - 2.0 * ab;
  paired.difference = interval(mean_a - mean_b, squares > 0.0 ? squares : 0.0, count);
  if (aa > 0.0 && bb > 0.0) {
    paired.correlation = ab / (sqrt(aa) * sqrt(bb));
  }
  return paired;
}

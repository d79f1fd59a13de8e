/* Fidelity against a second implementation, straight from the definitions: every window summed anew, every distribution
 * function evaluated at every value, every pair of windows visited. Random recordings with unknown readings and
 * breaks. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/random.h"
#include "sim/study/calibrate/fidelity.h"

#define S FW_NS_PER_S
#define TICKS ((size_t)400)
#define GPUS ((size_t)3)
#define SEEDS ((size_t)3)
#define CASES 12

/* A handful of operations on numbers near 1, and sums of 400 of them. */
#define TOLERANCE 1e-9

typedef struct plain_run {
  size_t gpus;
  fw_power_mw recorded[TICKS * GPUS];
  fw_power_mw simulated[SEEDS][TICKS * GPUS];
} plain_run;

/* The means of one signal of one series over the windows that are full in the recording, and when they end. */
typedef struct plain_means {
  double mean[TICKS];
  int64_t sum[TICKS];
  size_t end[TICKS];
  size_t count;
} plain_means;

static void make_run(plain_run *run, uint32_t number) {
  fw_stream stream = fw_stream_make(11, FW_DRAW_TEST, number);
  uint64_t draw = 0;
  double z = 0.0;
  run->gpus = 1 + number % GPUS;
  for (size_t t = 0; t < TICKS; t++) {
    z = 0.9 * z + fw_random_normal(stream, 100000 + t);
    for (size_t g = 0; g < run->gpus; g++) {
      size_t i = t * run->gpus + g;
      run->recorded[i] = 400000 + (int64_t)(20000.0 * z) + (int64_t)fw_random_below(stream, draw++, 50000);
      for (size_t s = 0; s < SEEDS; s++) {
        run->simulated[s][i] = 390000 + (int64_t)(15000.0 * z) + (int64_t)fw_random_below(stream, draw++, 90000);
      }
      double u = fw_random_uniform(stream, draw++, 0);
      if (number % 2 == 1 && u < 0.004) run->recorded[i] = u < 0.001 ? FW_FIDELITY_BREAK : FW_FIDELITY_UNKNOWN;
    }
  }
}

/* Power of a signal; negative where it is not known. */
static int64_t plain_power(const plain_run *run, const fw_power_mw *power, size_t t, size_t gpu) {
  int64_t sum = 0;
  for (size_t g = 0; g < run->gpus; g++) {
    if (gpu != SIZE_MAX && g != gpu) continue;
    if (run->recorded[t * run->gpus + g] < 0) return -1;
    sum += power[t * run->gpus + g];
  }
  return sum;
}

static bool breaks_at(const plain_run *run, size_t t, size_t gpu) {
  bool found = false;
  for (size_t g = 0; g < run->gpus; g++) {
    if ((gpu == SIZE_MAX || g == gpu) && run->recorded[t * run->gpus + g] == FW_FIDELITY_BREAK) found = true;
  }
  return found;
}

static void take_means(const plain_run *run, const fw_power_mw *power, size_t gpu, size_t n, plain_means *out) {
  out->count = 0;
  for (size_t t = n - 1; t < TICKS; t++) {
    int64_t sum = 0;
    bool full = true;
    for (size_t k = t + 1 - n; k <= t; k++) {
      int64_t at = plain_power(run, power, k, gpu);
      if (at < 0) full = false;
      sum += at;
    }
    if (!full) continue;
    out->sum[out->count] = sum;
    out->mean[out->count] = (double)sum / (double)n / 1000.0;
    out->end[out->count++] = t;
  }
}

static double plain_ks(const plain_means *a, const plain_means *b) {
  double largest = 0.0;
  for (size_t i = 0; i < a->count + b->count; i++) {
    int64_t at = i < a->count ? a->sum[i] : b->sum[i - a->count];
    size_t below_a = 0, below_b = 0;
    for (size_t k = 0; k < a->count; k++)
      below_a += a->sum[k] <= at ? 1 : 0;
    for (size_t k = 0; k < b->count; k++)
      below_b += b->sum[k] <= at ? 1 : 0;
    double distance = fabs((double)below_a / (double)a->count - (double)below_b / (double)b->count);
    if (distance > largest) largest = distance;
  }
  return largest;
}

/* The smallest value that at least `per_mille` of the values do not exceed. */
static int64_t plain_percentile(const plain_means *means, size_t per_mille) {
  int64_t found = INT64_MAX;
  for (size_t i = 0; i < means->count; i++) {
    size_t within = 0;
    for (size_t k = 0; k < means->count; k++)
      within += means->sum[k] <= means->sum[i] ? 1 : 0;
    if (1000 * within >= per_mille * means->count && means->sum[i] < found) found = means->sum[i];
  }
  return found;
}

static double plain_rate(const plain_means *means, int64_t budget) {
  size_t above = 0;
  for (size_t i = 0; i < means->count; i++)
    above += (double)means->sum[i] > (double)budget * (1.0 + 1e-9) ? 1 : 0;
  return (double)above / (double)means->count;
}

static double plain_acf(const plain_run *run, const plain_means *means, size_t gpu, size_t lag) {
  double mean = 0.0, variance = 0.0, moment = 0.0;
  for (size_t i = 0; i < means->count; i++)
    mean += means->mean[i] / (double)means->count;
  for (size_t i = 0; i < means->count; i++) {
    variance += (means->mean[i] - mean) * (means->mean[i] - mean);
    for (size_t k = 0; k < i; k++) {
      bool broken = false;
      if (means->end[i] - means->end[k] != lag) continue;
      for (size_t t = means->end[k]; t <= means->end[i]; t++)
        broken = broken || breaks_at(run, t, gpu);
      if (!broken) moment += (means->mean[i] - mean) * (means->mean[k] - mean);
    }
  }
  return moment / variance;
}

static double middle_of_three(const double *v) {
  return fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2]));
}

static void plain_scores(const plain_run *run, size_t gpu, size_t n, size_t seed, const plain_means *y,
                         double *scores) {
  plain_means p;
  take_means(run, run->simulated[seed], gpu, n, &p);
  double sum_p = 0.0, sum_y = 0.0, squares = 0.0, least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < y->count; i++) {
    sum_p += p.mean[i];
    sum_y += y->mean[i];
    squares += (p.mean[i] - y->mean[i]) * (p.mean[i] - y->mean[i]);
    least = fmin(least, y->mean[i]);
    most = fmax(most, y->mean[i]);
  }
  scores[FW_FIDELITY_ENERGY] = fabs(sum_p - sum_y) / sum_y;
  scores[FW_FIDELITY_BIAS] = (sum_p - sum_y) / sum_y;
  scores[FW_FIDELITY_NRMSE] = sqrt(squares / (double)y->count) / (most - least);
  scores[FW_FIDELITY_KS] = plain_ks(y, &p);
  const size_t tails[] = {500, 900, 950, 990, 999};
  for (size_t i = 0; i < 5; i++) {
    double recorded = (double)plain_percentile(y, tails[i]), predicted = (double)plain_percentile(&p, tails[i]);
    scores[FW_FIDELITY_P50 + i] = (predicted - recorded) / recorded;
  }
  double lags = 0.0, mean = 0.0, missed = 0.0, absolute = 0.0, all = 0.0, a_y[60], a_p[60];
  for (size_t second = 1; second <= 60; second++) { /* ticks of half a second */
    if (2 * second < n) continue;
    a_y[second - 1] = plain_acf(run, y, gpu, 2 * second);
    a_p[second - 1] = plain_acf(run, &p, gpu, 2 * second);
    mean += a_y[second - 1];
    lags += 1.0;
  }
  for (size_t second = (n + 1) / 2; second <= 60; second++) {
    double d = a_p[second - 1] - a_y[second - 1], from_mean = a_y[second - 1] - mean / lags;
    absolute += fabs(d);
    missed += d * d;
    all += from_mean * from_mean;
  }
  scores[FW_FIDELITY_ACF_MAE] = absolute / lags;
  scores[FW_FIDELITY_ACF_R2] = 1.0 - missed / all;
  const size_t budgets[] = {800, 900, 950, 990};
  for (size_t b = 0; b < 4; b++) {
    scores[FW_FIDELITY_VIOLATION_P80 + b] = plain_rate(&p, plain_percentile(y, budgets[b]));
  }
}

static void compare_window(const plain_run *run, const fw_fidelity_signal *signal, const fw_fidelity_window *got,
                           size_t n) {
  double scores[SEEDS][FW_FIDELITY_METRICS];
  plain_means y;
  take_means(run, run->recorded, signal->gpu, n, &y);
  cr_assert_eq(got->full, y.count);
  for (size_t s = 0; s < SEEDS; s++)
    plain_scores(run, signal->gpu, n, s, &y, scores[s]);
  for (size_t m = 0; m < FW_FIDELITY_VIOLATION_P80; m++) {
    double wanted = middle_of_three((const double[]){scores[0][m], scores[1][m], scores[2][m]});
    cr_expect_float_eq(got->scores[m], wanted, TOLERANCE, "%s, %zu ticks: %.12g, wanted %.12g",
                       fw_fidelity_metric_names[m], n, got->scores[m], wanted);
  }
  const size_t budgets[] = {800, 900, 950, 990};
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    size_t m = FW_FIDELITY_VIOLATION_P80 + b;
    double recorded = plain_rate(&y, plain_percentile(&y, budgets[b]));
    double predicted = (scores[0][m] + scores[1][m] + scores[2][m]) / 3.0;
    cr_expect_float_eq(got->recorded_rate[b], recorded, TOLERANCE);
    cr_expect_float_eq(got->predicted_rate[b], predicted, TOLERANCE);
    cr_expect_float_eq(got->scores[m], fabs(predicted - recorded), TOLERANCE);
    cr_expect(got->own.rate_lo[b] <= got->own.rate_hi[b]);
  }
}

Test(fidelity, agrees_with_a_second_implementation) {
  static plain_run run;
  const fw_time_ns windows[] = {S / 2, S, 10 * S};
  for (uint32_t number = 0; number < CASES; number++) {
    make_run(&run, number);
    const fw_power_mw *simulated[SEEDS] = {run.simulated[0], run.simulated[1], run.simulated[2]};
    fw_fidelity_run given = {"random", S / 2, TICKS, run.gpus, run.recorded, simulated, SEEDS};
    fw_fidelity got;
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    cr_assert_eq(fw_fidelity_score(&given, windows, 3, &got, &diagnostics), FW_OK);
    cr_assert_eq(got.signal_count, run.gpus == 1 ? 1 : run.gpus + 1);
    for (size_t s = 0; s < got.signal_count; s++) {
      for (size_t w = 0; w < 3; w++) {
        compare_window(&run, &got.signals[s], &got.signals[s].windows[w], (size_t)(windows[w] / (S / 2)));
      }
    }
    fw_fidelity_clear(&got);
  }
}

/* The yardsticks, against the scores of one part as if it were simulated and the other recorded. */
Test(fidelity, halves_are_compared_as_two_recordings_would_be) {
  enum { N = 600 };
  static fw_power_mw whole[N];
  for (uint32_t number = 0; number < 10; number++) {
    fw_stream stream = fw_stream_make(12, FW_DRAW_TEST, number);
    for (size_t t = 0; t < N; t++)
      whole[t] = 200000 + (int64_t)fw_random_below(stream, t, 40000) + (int64_t)(t * number * 10);
    const fw_power_mw *first = whole, *second = whole + N / 2;
    const fw_time_ns windows[] = {S / 2, 5 * S};
    fw_fidelity_run both = {"whole", S / 2, N, 1, whole, &first, 1};
    fw_fidelity_run halves = {"halves", S / 2, N / 2, 1, second, &first, 1};
    fw_fidelity got, wanted;
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    cr_assert_eq(fw_fidelity_score(&both, windows, 2, &got, &diagnostics), FW_OK);
    cr_assert_eq(fw_fidelity_score(&halves, windows, 2, &wanted, &diagnostics), FW_OK);
    for (size_t w = 0; w < 2; w++) {
      const fw_fidelity_yardstick *own = &got.signals[0].windows[w].own;
      const double *scores = wanted.signals[0].windows[w].scores;
      cr_expect_eq(own->halves_ks, scores[FW_FIDELITY_KS]);
      cr_expect_float_eq(own->halves_acf_mae, scores[FW_FIDELITY_ACF_MAE], TOLERANCE);
      cr_expect(own->block >= windows[w] && own->block <= N / 10 * (S / 2));
      if (number == 9) cr_expect(own->alternate_ks < own->halves_ks, "a drift is not the noise of a recording");
    }
    fw_fidelity_clear(&got);
    fw_fidelity_clear(&wanted);
  }
}

/* Processes against brute-force sums of covariances, batch means and Kolmogorov's test; spikes against their rate. */
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "models/residual.h"
#include "tests/unit/model_text.h"

enum { LONG = 400000 };

/* Kolmogorov's critical value times sqrt(n) at one chance in 10^4. */
static const double KOLMOGOROV = 2.23;

static const double lag1s[] = {-0.9, -0.36, 0.0, 0.02, 0.5, 0.8, 0.98};
enum { LAG1_COUNT = sizeof lag1s / sizeof *lag1s };

static fw_stream stream_of(uint32_t entity) {
  return fw_stream_make(20260811, FW_DRAW_TEST, entity);
}

static double *simulate(uint32_t entity, double lag1, size_t count) {
  double *z = malloc(count * sizeof *z);
  cr_assert_not_null(z);
  fw_ar1 process = fw_ar1_start(stream_of(entity), lag1, 0);
  fw_ar1_next(&process, count, z);
  return z;
}

/* How many standard errors the mean of `count` values lies from `expected`; the error is that of 50 batch means. */
static double batch_score(const double *values, size_t count, double expected) {
  enum { BATCHES = 50 };
  const size_t length = count / BATCHES;
  double means[BATCHES];
  double mean = 0.0;
  for (size_t b = 0; b < BATCHES; b++) {
    means[b] = 0.0;
    for (size_t i = 0; i < length; i++)
      means[b] += values[b * length + i] / (double)length;
    mean += means[b] / BATCHES;
  }
  double squares = 0.0;
  for (size_t b = 0; b < BATCHES; b++)
    squares += (means[b] - mean) * (means[b] - mean);
  return (mean - expected) / sqrt(squares / (BATCHES * (BATCHES - 1.0)));
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Kolmogorov's distance times sqrt(count) between `values` (sorted in place) and a law. */
static double kolmogorov(double *values, size_t count, double (*cdf)(double value)) {
  qsort(values, count, sizeof *values, compare);
  double distance = 0.0;
  for (size_t i = 0; i < count; i++) {
    const double below = cdf(values[i]);
    distance = fmax(distance, fmax(below - (double)i / (double)count, (double)(i + 1) / (double)count - below));
  }
  return distance * sqrt((double)count);
}

Test(ar1, mean_variance_is_the_sum_of_covariances) {
  const size_t lengths[] = {1, 2, 3, 10, 60, 600};
  for (size_t l = 0; l < LAG1_COUNT; l++) {
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
      const size_t n = lengths[k];
      double sum = 0.0;
      for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
          sum += pow(lag1s[l], (double)(i > j ? i - j : j - i));
      }
      const double expected = sum / ((double)n * (double)n);
      /* 600^2 additions of terms of either sign, each rounded relative to a sum of up to n */
      cr_assert_float_eq(fw_ar1_mean_variance(lag1s[l], n), expected, 1e-12, "a %g, n %zu", lag1s[l], n);
    }
  }
}

Test(ar1, a_mean_of_one_value_repeated_is_that_value) {
  cr_assert_eq(fw_ar1_mean_variance(1.0, 60), 1.0);
}

Test(ar1, variance_and_lag_one_are_as_asked) {
  for (size_t l = 0; l < LAG1_COUNT; l++) {
    double *z = simulate((uint32_t)l, lag1s[l], LONG);
    double *product = malloc(LONG * sizeof *product);
    cr_assert_not_null(product);
    cr_assert_lt(fabs(batch_score(z, LONG, 0.0)), 4.0, "mean at %g", lag1s[l]);
    for (size_t i = 0; i < LONG; i++)
      product[i] = z[i] * z[i];
    cr_assert_lt(fabs(batch_score(product, LONG, 1.0)), 4.0, "variance at %g", lag1s[l]);
    for (size_t i = 0; i + 1 < LONG; i++)
      product[i] = z[i] * z[i + 1];
    cr_assert_lt(fabs(batch_score(product, LONG - 1, lag1s[l])), 4.0, "lag one at %g", lag1s[l]);
    free(product);
    free(z);
  }
}

/* A process that did not start in its stationary law would show it over many short ones. */
Test(ar1, starts_stationary) {
  enum { PROCESSES = 20000, TICKS = 3 };
  static double last[PROCESSES];
  for (uint32_t i = 0; i < PROCESSES; i++) {
    double z[TICKS];
    fw_ar1 process = fw_ar1_start(stream_of(i), 0.95, 17);
    fw_ar1_next(&process, TICKS, z);
    last[i] = z[TICKS - 1];
  }
  cr_assert_lt(kolmogorov(last, PROCESSES, gsl_cdf_ugaussian_P), KOLMOGOROV);
}

Test(ar1, window_means_have_the_closed_variance) {
  const size_t windows[] = {2, 20, 60};
  for (size_t l = 0; l < LAG1_COUNT; l++) {
    double *z = simulate(100 + (uint32_t)l, lag1s[l], LONG);
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
      const size_t count = LONG / windows[w];
      double *squares = malloc(count * sizeof *squares);
      cr_assert_not_null(squares);
      for (size_t i = 0; i < count; i++) {
        double mean = 0.0;
        for (size_t j = 0; j < windows[w]; j++)
          mean += z[i * windows[w] + j] / (double)windows[w];
        squares[i] = mean * mean;
      }
      const double score = batch_score(squares, count, fw_ar1_mean_variance(lag1s[l], windows[w]));
      cr_assert_lt(fabs(score), 4.0, "a %g, window %zu: %g", lag1s[l], windows[w], score);
      free(squares);
    }
    free(z);
  }
}

Test(ar1, block_size_does_not_matter) {
  enum { COUNT = 3001 };
  const uint64_t first[] = {0, 5, (UINT64_C(1) << 40) + 3};
  for (size_t f = 0; f < 3; f++) {
    double whole[COUNT];
    double pieces[COUNT];
    fw_ar1 at_once = fw_ar1_start(stream_of(1), -0.36, first[f]);
    fw_ar1 by_piece = at_once;
    fw_ar1_next(&at_once, COUNT, whole);
    for (size_t done = 0, size = 0; done < COUNT; done += size, size = (size + 1) % 38) {
      if (size > COUNT - done) size = COUNT - done;
      fw_ar1_next(&by_piece, size, pieces + done);
    }
    cr_assert_arr_eq(whole, pieces, sizeof whole);
    fw_ar1 one_by_one = fw_ar1_start(stream_of(1), -0.36, first[f]);
    for (size_t i = 0; i < COUNT; i++)
      fw_ar1_next(&one_by_one, 1, pieces + i);
    cr_assert_arr_eq(whole, pieces, sizeof whole);
  }
}

/* The innovation of tick k is normal number k of the stream, whenever the process began. */
Test(ar1, innovations_are_keyed_by_tick) {
  enum { COUNT = 300 };
  double early[COUNT];
  double late[COUNT - 100];
  fw_ar1 process = fw_ar1_start(stream_of(9), 0.5, 0);
  fw_ar1_next(&process, COUNT, early);
  process = fw_ar1_start(stream_of(9), 0.5, 100);
  fw_ar1_next(&process, COUNT - 100, late);
  cr_assert_eq(late[0], fw_random_normal(stream_of(9), 100));
  /* They differ by the start alone, which fades as 0.5^k: below the last digit after 60 ticks. */
  cr_assert_arr_eq(early + 160, late + 60, (COUNT - 160) * sizeof *early);
}

Test(ar1, values_stay_inside_the_grid) {
  fw_ar1 process = {.stream = stream_of(2), .a = 0.999, .b = 100.0, .started = true}; /* far from standardised */
  double z[2000];
  fw_ar1_next(&process, 2000, z);
  double most = 0.0;
  for (size_t i = 0; i < 2000; i++)
    most = fmax(most, fabs(z[i]));
  cr_assert_eq(most, 6.4);
}

static double heavy_cdf(double value_mw) {
  /* The law below, inverted: linear in z between its three quantiles. Its mean is (15 - 10) phi(0) W. */
  const double watts = value_mw / 1000.0 + 5.0 / sqrt(2.0 * acos(-1.0));
  return gsl_cdf_ugaussian_P(watts < 0.0 ? watts / 10.0 : watts / 15.0);
}

/* Phi(-1) and Phi(1) at -10 W and +15 W: slopes of 10 and 15 W per unit of z. The corner at 0 is a point of the grid.
 */
Test(ar1, the_marginal_survives_the_process) {
  enum { THINNED = 10000, EVERY = LONG / THINNED };
  fw_variant law = decode_law(fw_marginal_cases, "{\"kind\": \"quantiles\", \"values_w\": [-10, 0, 15],"
                                                 "\"probabilities\": [0.15865525393145705, 0.5, 0.84134474606854295]}");
  fw_marginal_table table;
  fw_marginal_prepare(&law, &table);
  fw_variant_clear(&law);
  double *z = simulate(50, 0.8, LONG);
  static double mapped[THINNED];
  for (size_t i = 0; i < THINNED; i++)
    mapped[i] = fw_marginal_mw(&table, z[i * EVERY]); /* 0.8^40: independent */
  cr_assert_lt(kolmogorov(mapped, THINNED, heavy_cdf), KOLMOGOROV);
  free(z);
}

Test(residual, memory_gives_the_coefficient) {
  const fw_residual_model memory = {.total_memory_s = 2.2, .contrast_lag1 = -0.36};
  cr_assert_float_eq(fw_residual_total_lag1(&memory, 0.5), exp(-0.5 / 2.2), 1e-15); /* two roundings of exp */
  cr_assert_eq(fw_residual_contrast_lag1(&memory, 0.5), -0.36);
  const fw_residual_model lag1 = {.total_lag1 = 0.02, .contrast_memory_s = 10.0};
  cr_assert_eq(fw_residual_total_lag1(&lag1, 0.5), 0.02);
  cr_assert_float_eq(fw_residual_contrast_lag1(&lag1, 1.0), exp(-0.1), 1e-15);
}

/* What the header's formula promises for n GPUs, with the library's own pieces: contrasts sum to zero, correlations
 * between GPUs are -1/(n-1) where the total is quiet. */
Test(residual, contrasts_take_turns) {
  enum { GPUS = 4, TICKS = 40000 };
  static double z[GPUS][TICKS];
  for (uint32_t g = 0; g < GPUS; g++) {
    fw_ar1 process = fw_ar1_start(stream_of(200 + g), -0.36, 0);
    fw_ar1_next(&process, TICKS, z[g]);
  }
  double product = 0.0;
  double square = 0.0;
  for (size_t t = 0; t < TICKS; t++) {
    const double mean = (z[0][t] + z[1][t] + z[2][t] + z[3][t]) / GPUS;
    product += (z[0][t] - mean) * (z[1][t] - mean);
    square += (z[0][t] - mean) * (z[0][t] - mean);
  }
  /* Four standard errors: (1 - r^2) sqrt((1 + a^2) / (1 - a^2) / n) with r = -1/3, a = -0.36 */
  cr_assert_float_eq(product / square, -1.0 / 3.0, 4.0 * 0.89 * sqrt(1.30 / TICKS));
}

Test(spikes, none_without_a_rate) {
  const fw_spikes none = {0.0, 50.0};
  uint64_t tick = 0;
  fw_power_mw height = 0;
  cr_assert_not(fw_spike_next(&none, 0.5, 1, 0, 0, 10, &tick, &height));
}

static double exponential_cdf(double x) {
  return 1.0 - exp(-x / 40000.0);
}

Test(spikes, rate_and_heights_follow_the_law) {
  enum { COUNT = 20000 };
  static double heights[COUNT];
  const fw_spikes spikes = {600.0, 40.0}; /* one tick of 0.5 s in twelve */
  uint64_t tick = 0;
  for (uint64_t n = 0; n < COUNT; n++) {
    uint64_t next;
    fw_power_mw height;
    cr_assert(fw_spike_next(&spikes, 0.5, 4, 2, n, tick, &next, &height));
    cr_assert_gt(next, tick);
    tick = next;
    heights[n] = (double)height;
  }
  const double chance = 600.0 * 0.5 / 3600.0;
  const double expected = COUNT / chance;
  const double sigma = sqrt(COUNT * (1.0 - chance)) / chance; /* of a sum of geometric waits */
  cr_assert_float_eq((double)tick, expected, 4.0 * sigma);
  cr_assert_lt(kolmogorov(heights, COUNT, exponential_cdf), KOLMOGOROV);
}

/* The waits are geometric: P(wait > k) = (1 - chance)^k. */
Test(spikes, waits_are_geometric) {
  enum { COUNT = 20000, LONGEST = 40 };
  const fw_spikes spikes = {720.0, 1.0}; /* a chance of 0.1 per tick */
  size_t longer[LONGEST] = {0};
  for (uint64_t n = 0; n < COUNT; n++) {
    uint64_t wait;
    fw_power_mw height;
    cr_assert(fw_spike_next(&spikes, 0.5, 8, 3, n, 0, &wait, &height));
    for (uint64_t k = 0; k < LONGEST && k < wait; k++)
      longer[k]++;
  }
  cr_assert_eq(longer[0], COUNT);
  for (size_t k = 1; k < LONGEST; k++) {
    const double share = pow(0.9, (double)k);
    const double sigma = sqrt(share * (1.0 - share) / COUNT);
    cr_assert_float_eq((double)longer[k] / COUNT, share, 4.5 * sigma, "wait %zu", k); /* 39 comparisons */
  }
}

Test(spikes, extremes) {
  uint64_t tick;
  fw_power_mw height;
  const fw_spikes always = {7200.0, 0.0};
  cr_assert(fw_spike_next(&always, 0.5, 1, 0, 0, 41, &tick, &height));
  cr_assert_eq(tick, 42);
  cr_assert_eq(height, 0);
  const fw_spikes hardly = {1e-300, 10.0};
  cr_assert(fw_spike_next(&hardly, 0.5, 1, 0, 0, 41, &tick, &height));
  cr_assert_eq(tick, UINT64_MAX);
  const fw_spikes often = {720.0, 10.0};
  cr_assert(fw_spike_next(&often, 0.5, 1, 0, 0, UINT64_MAX, &tick, &height));
  cr_assert_eq(tick, UINT64_MAX);
}

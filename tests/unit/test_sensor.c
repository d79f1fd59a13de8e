/* The sampling error against a sum over the covariances of a fine path, and against simulated paths. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "models/sensor.h"

static fw_sensor sensor_of(double memory_s, double observed_s) {
  return (fw_sensor){.path_sigma_w = 20.0, .path_memory_s = memory_s, .observed_s = observed_s, .quantum = 1};
}

/* The same quantity by brute force: a path of `POINTS` values at the middles of its steps. */
static double error_by_sums(double memory_s, double observed_s, double tick_s) {
  enum { POINTS = 1000 };
  const double step = tick_s / POINTS;
  const int seen = (int)lround(observed_s / step);
  double seen_seen = 0.0;
  double seen_all = 0.0;
  double all_all = 0.0;
  for (int i = 0; i < POINTS; i++) {
    for (int j = 0; j < POINTS; j++) {
      const double covariance = exp(-fabs((double)(i - j)) * step / memory_s);
      const bool i_seen = i >= POINTS - seen;
      const bool j_seen = j >= POINTS - seen;
      all_all += covariance;
      if (i_seen) seen_all += covariance;
      if (i_seen && j_seen) seen_seen += covariance;
    }
  }
  const double variance_seen = seen_seen / ((double)seen * seen);
  const double covariance = seen_all / ((double)seen * POINTS);
  const double variance_all = all_all / ((double)POINTS * POINTS);
  return 20000.0 * sqrt(variance_seen - covariance * covariance / variance_all);
}

Test(sensor, error_is_the_sum_over_the_path) {
  const double memories[] = {0.02, 0.05, 0.3, 2.0, 50.0};
  const double observed[] = {0.025, 0.1, 0.25, 0.45};
  for (size_t m = 0; m < 5; m++) {
    for (size_t o = 0; o < 4; o++) {
      const fw_sensor sensor = sensor_of(memories[m], observed[o]);
      const double expected = error_by_sums(memories[m], observed[o], 0.5);
      /* Steps of 1/40 of the shortest memory: the middle rule is off by (1/40)^2 / 12 in the variances, and the
       * difference of the two terms is up to 10 times as sensitive. */
      cr_assert_float_eq(fw_sensor_error_mw(&sensor, 0.5), expected, 1e-3 * expected, "memory %g, observed %g",
                         memories[m], observed[o]);
    }
  }
}

/* Simulated paths of 1 ms steps by the exact recursion; the residual variance of a regression of the sub-mean on the
 * mean of the tick is the conditional variance. */
Test(sensor, error_is_that_of_simulated_paths) {
  enum { PATHS = 20000, STEPS = 500, SEEN = 25 };
  const double memory_s = 0.05;
  const double a = exp(-0.001 / memory_s);
  const double b = sqrt(1.0 - a * a);
  static double normals[STEPS];
  double sum_mm = 0.0;
  double sum_ms = 0.0;
  double sum_ss = 0.0;
  for (uint32_t path = 0; path < PATHS; path++) {
    fw_random_normals(fw_stream_make(12, FW_DRAW_TEST, path), 0, STEPS, normals);
    double x = normals[0];
    double mean = x / STEPS;
    double seen = 0.0;
    for (int i = 1; i < STEPS; i++) {
      x = a * x + b * normals[i];
      mean += x / STEPS;
      if (i >= STEPS - SEEN) seen += x / SEEN;
    }
    sum_mm += mean * mean;
    sum_ms += mean * seen;
    sum_ss += seen * seen;
  }
  const double variance = (sum_ss - sum_ms * sum_ms / sum_mm) / PATHS;
  const fw_sensor sensor = sensor_of(memory_s, 0.025);
  /* Four standard errors of a standard deviation from 20,000 normal values; the steps add 1e-4. */
  const double tolerance = 4.0 / sqrt(2.0 * PATHS);
  cr_assert_float_eq(fw_sensor_error_mw(&sensor, 0.5), 20000.0 * sqrt(variance), 20000.0 * tolerance);
}

/* A memory of a few microseconds is white noise: variance 2 tau (1/h - 1/T) but for terms of order tau^2 / h^2. */
Test(sensor, a_short_memory_is_white_noise) {
  const fw_sensor sensor = sensor_of(1e-6, 0.025);
  const double expected = 20000.0 * sqrt(2e-6 * (1.0 / 0.025 - 1.0 / 0.5));
  cr_assert_float_eq(fw_sensor_error_mw(&sensor, 0.5), expected, 1e-4 * expected);
}

/* Far below its memory a path is Brownian motion of variance 2 s^2 / tau per second: the error falls as 1/sqrt(tau). */
Test(sensor, a_long_memory_leaves_no_error) {
  const fw_sensor slow = sensor_of(1000.0, 0.025);
  const fw_sensor slower = sensor_of(4000.0, 0.025);
  const double ratio = fw_sensor_error_mw(&slow, 0.5) / fw_sensor_error_mw(&slower, 0.5);
  cr_assert_float_eq(ratio, 2.0, 1e-3); /* corrections of order T/tau */
}

Test(sensor, whole_ticks_are_read_without_error) {
  const fw_sensor whole = sensor_of(0.05, 0.5);
  const fw_sensor longer = sensor_of(0.05, 2.0);
  cr_assert_eq(fw_sensor_error_mw(&whole, 0.5), 0.0);
  cr_assert_eq(fw_sensor_error_mw(&longer, 0.5), 0.0);
}

/* Both branches of the variance meet at half a memory. */
Test(sensor, error_is_continuous_where_the_formula_changes) {
  const fw_sensor below = sensor_of(0.05 * (1 + 1e-12), 0.025);
  const fw_sensor above = sensor_of(0.05 * (1 - 1e-12), 0.025);
  cr_assert_float_eq(fw_sensor_error_mw(&below, 0.5), fw_sensor_error_mw(&above, 0.5), 1e-6);
}

Test(sensor, gain_is_drawn_once_for_each_board) {
  enum { BOARDS = 20000 };
  const fw_sensor sensor = {.gain_sigma = 0.02};
  double sum = 0.0;
  double squares = 0.0;
  for (uint32_t gpu = 0; gpu < BOARDS; gpu++) {
    const double deviation = fw_sensor_gain(&sensor, 1, gpu) - 1.0;
    cr_assert_leq(fabs(deviation), 0.06 + 1e-15);
    sum += deviation;
    squares += deviation * deviation;
  }
  cr_assert_float_eq(sum / BOARDS, 0.0, 4.0 * 0.02 / sqrt((double)BOARDS));
  /* The cut at 3 takes 0.3 % off a standard deviation whose own standard error is 0.5 %. */
  cr_assert_float_eq(sqrt(squares / BOARDS), 0.02, 0.02 * 0.023);
  cr_assert_eq(fw_sensor_gain(&sensor, 1, 5), fw_sensor_gain(&sensor, 1, 5));
  cr_assert_neq(fw_sensor_gain(&sensor, 1, 5), fw_sensor_gain(&sensor, 2, 5));
}

Test(sensor, readings_are_quantised_and_never_negative) {
  fw_sensor sensor = sensor_of(0.05, 0.025);
  cr_assert_eq(fw_sensor_reading(&sensor, 10.0, 250000.4, 0.0), 250000);
  cr_assert_eq(fw_sensor_reading(&sensor, 1000.0, 250000.0, -2.5), 247500);
  cr_assert_eq(fw_sensor_reading(&sensor, 1010.0, 101000.0, 1.0), 102010);
  cr_assert_eq(fw_sensor_reading(&sensor, 1e6, 1000.0, -3.0), 0);
  sensor.quantum = 1000;
  cr_assert_eq(fw_sensor_reading(&sensor, 0.0, 250499.0, 0.0), 250000);
  cr_assert_eq(fw_sensor_reading(&sensor, 0.0, 250500.0, 0.0), 251000);
  sensor.quantum = 0;
  cr_assert_eq(fw_sensor_reading(&sensor, 0.0, 250499.6, 0.0), 250500);
}

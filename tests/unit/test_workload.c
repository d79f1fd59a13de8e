/* Completion lengths against the lognormal law of GSL, and their independence of everything but what they are. */
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "models/workload.h"

enum { NO_LIMIT = 1000000000 };

static fw_workload lengths(double mean, double cv) {
  return (fw_workload){.prompts = 8,
                       .group_size = 8,
                       .concurrency = 8,
                       .completion_limit = NO_LIMIT,
                       .completion_mean = mean,
                       .completion_cv = cv};
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

Test(workload, lengths_are_lognormal) {
  enum { PROMPTS = 2500, SAMPLES = 8, COUNT = PROMPTS * SAMPLES };
  static int64_t drawn[COUNT];
  const fw_workload work = lengths(400.0, 0.6);
  for (size_t i = 0; i < COUNT; i++) {
    drawn[i] = fw_workload_completion(&work, 7, 3, i / SAMPLES, (uint32_t)(i % SAMPLES), NO_LIMIT);
  }
  qsort(drawn, COUNT, sizeof *drawn, compare);
  const double sigma = sqrt(log(1.0 + 0.36));
  const double mu = log(400.0) - 0.5 * sigma * sigma;
  double distance = 0.0;
  for (size_t i = 0; i < COUNT; i++) {
    if (i + 1 < COUNT && drawn[i] == drawn[i + 1]) continue;
    const double below = gsl_cdf_lognormal_P((double)drawn[i] + 0.5, mu, sigma); /* of the whole token */
    distance = fmax(distance, fabs((double)(i + 1) / COUNT - below));
  }
  /* Kolmogorov's bound at one chance in 10^4; conservative for a discrete law. */
  cr_assert_lt(distance, 2.23 / sqrt((double)COUNT));
}

Test(workload, moments_are_those_asked_for) {
  enum { COUNT = 40000 };
  const fw_workload work = lengths(1000.0, 0.5);
  double sum = 0.0;
  double squares = 0.0;
  for (uint64_t prompt = 0; prompt < COUNT; prompt++) {
    const double length = (double)fw_workload_completion(&work, 11, 0, prompt, 0, NO_LIMIT);
    sum += length;
    squares += length * length;
  }
  const double mean = sum / COUNT;
  const double cv = sqrt(squares / COUNT - mean * mean) / mean;
  cr_assert_float_eq(mean, 1000.0, 4.0 * 500.0 / sqrt((double)COUNT)); /* four standard errors */
  cr_assert_float_eq(cv, 0.5, 0.02); /* its standard error is near 0.004 for this skewed law */
}

Test(workload, no_variation_means_the_mean) {
  const fw_workload work = lengths(123.4, 0.0);
  cr_assert_eq(fw_workload_completion(&work, 1, 2, 3, 4, NO_LIMIT), 123);
  cr_assert_eq(fw_workload_completion(&work, 9, 8, 7, 6, 100), 100);
}

Test(workload, a_limit_only_cuts) {
  const fw_workload work = lengths(200.0, 1.0);
  for (uint64_t prompt = 0; prompt < 200; prompt++) {
    const int64_t whole = fw_workload_completion(&work, 5, 1, prompt, 0, NO_LIMIT);
    const int64_t cut = fw_workload_completion(&work, 5, 1, prompt, 0, 150);
    cr_assert_eq(cut, whole < 150 ? whole : 150);
  }
}

Test(workload, a_completion_has_at_least_one_token) {
  const fw_workload work = lengths(1.0, 3.0); /* the median is 0.3 tokens */
  for (uint64_t prompt = 0; prompt < 200; prompt++) {
    cr_assert_geq(fw_workload_completion(&work, 5, 1, prompt, 0, NO_LIMIT), 1);
  }
}

/* Neighbours in every part of the key differ: with a standard deviation of 5e5 tokens two equal lengths are a fault. */
Test(workload, every_part_of_the_key_counts) {
  const fw_workload work = lengths(1e6, 0.5);
  const int64_t drawn[] = {
      fw_workload_completion(&work, 1, 0, 0, 0, NO_LIMIT),
      fw_workload_completion(&work, 2, 0, 0, 0, NO_LIMIT),
      fw_workload_completion(&work, 1, 1, 0, 0, NO_LIMIT),
      fw_workload_completion(&work, 1, 0, 1, 0, NO_LIMIT),
      fw_workload_completion(&work, 1, 0, 0, 1, NO_LIMIT),
      fw_workload_completion(&work, 1, 0, 0, (1U << 20) - 1, NO_LIMIT),
      fw_workload_completion(&work, 1, 0, UINT64_C(1) << 43, 0, NO_LIMIT),
  };
  const size_t count = sizeof drawn / sizeof *drawn;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < i; j++) {
      cr_assert_neq(drawn[i], drawn[j], "%zu and %zu", i, j);
    }
  }
}

/* Batches of 4 and of 8 walk through the same prompts and samples in another order. */
Test(workload, order_does_not_matter) {
  enum { PROMPTS = 16, GROUP = 8 };
  const fw_workload work = lengths(300.0, 0.8);
  int64_t forwards[PROMPTS][GROUP];
  for (uint64_t p = 0; p < PROMPTS; p++) {
    for (uint32_t s = 0; s < GROUP; s++)
      forwards[p][s] = fw_workload_completion(&work, 3, 2, p, s, 512);
  }
  for (uint32_t s = GROUP; s-- > 0;) {
    for (uint64_t p = PROMPTS; p-- > 0;) {
      cr_assert_eq(fw_workload_completion(&work, 3, 2, p, s, 512), forwards[p][s]);
    }
  }
}

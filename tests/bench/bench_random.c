/* Cost of one normal number: the keyed generator in bulk and one by one, beside GSL's ziggurat on its own
 * Mersenne twister and on the keyed generator. Prints the best of several rounds, in ns per number. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/random_gsl.h"

enum { NUMBERS = 1 << 16, ROUNDS = 50 };

typedef struct workload {
  double *numbers;
  gsl_rng *rng;
  size_t batch;
} workload;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill_in_bulk(workload *work) {
  fw_stream stream = fw_stream_make(1, FW_DRAW_TEST, 2);
  for (size_t i = 0; i < NUMBERS; i += work->batch)
    fw_random_normals(stream, i, work->batch, work->numbers + i);
}

static void fill_one_by_one(workload *work) {
  fw_stream stream = fw_stream_make(1, FW_DRAW_TEST, 2);
  for (size_t i = 0; i < NUMBERS; i++)
    work->numbers[i] = fw_random_normal(stream, i);
}

static void fill_by_ziggurat(workload *work) {
  for (size_t i = 0; i < NUMBERS; i++)
    work->numbers[i] = gsl_ran_gaussian_ziggurat(work->rng, 1.0);
}

static void measure(const char *name, void (*fill)(workload *), workload *work) {
  double best = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    double start = seconds_now();
    fill(work);
    double spent = seconds_now() - start;
    if (spent < best) best = spent;
  }
  printf("%-42s %7.2f ns   (last number %.6f)\n", name, best / NUMBERS * 1e9, work->numbers[NUMBERS - 1]);
}

static void measure_ziggurat(const char *name, const gsl_rng_type *type, workload *work) {
  work->rng = gsl_rng_alloc(type);
  measure(name, fill_by_ziggurat, work);
  gsl_rng_free(work->rng);
}

int main(void) {
  workload work = {.numbers = fw_allocate(NUMBERS, sizeof(double)), .batch = NUMBERS};
  if (work.numbers == NULL) return EXIT_FAILURE;
  measure("fw_random_normals, one call", fill_in_bulk, &work);
  work.batch = 64;
  measure("fw_random_normals, 64 per call", fill_in_bulk, &work);
  work.batch = 8;
  measure("fw_random_normals, 8 per call", fill_in_bulk, &work);
  measure("fw_random_normal", fill_one_by_one, &work);
  measure_ziggurat("gsl_ran_gaussian_ziggurat, mt19937", gsl_rng_mt19937, &work);
  measure_ziggurat("gsl_ran_gaussian_ziggurat, philox4x32-10", fw_gsl_rng_philox(), &work);
  free(work.numbers);
  return EXIT_SUCCESS;
}

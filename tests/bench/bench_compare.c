/* The main job: five policies at three oversubscription ratios on the staggered 16-GPU fleet, 30 seeds of 24 h. Prints
 * wall time, nanoseconds of one core for each GPU sample beside one number of GSL's ziggurat in the same run, and peak
 * memory; then shows that memory does not grow with simulated time. Usage: bench_compare [SEEDS] */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/study/compare.h"

static const char *const policies[] = {"uncontrolled", "static-4", "threshold", "hysteresis", "uniform-cap"};

static double seconds_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_mib(void) {
  struct rusage usage;
  (void)getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024.0;
}

static double ziggurat_ns(void) {
  enum { DRAWS = 4000000 };
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  volatile double sum = 0.0;
  const double start = seconds_now(CLOCK_MONOTONIC);
  for (int i = 0; i < DRAWS; i++) {
    sum = sum + gsl_ran_gaussian_ziggurat(rng, 1.0);
  }
  const double spent = seconds_now(CLOCK_MONOTONIC) - start;
  gsl_rng_free(rng);
  return spent * 1e9 / DRAWS;
}

/* Runs the comparison and prints a line; returns false on an error. */
static bool measure(size_t seeds, double hours) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario_overrides overrides = {.seeds = seeds, .policies = policies, .policy_count = 5, .share = FW_SOURCE_DIR};
  fw_scenario *scenario = NULL;
  fw_compare_result result = {0};
  const fw_compare_options options = {.threads = 0};
  (void)fw_time_from_seconds(hours * 3600.0, &overrides.duration);
  fw_status status =
      fw_scenario_read(FW_SOURCE_DIR "/scenarios/fleet16-staggered.json", &overrides, &scenario, &diagnostics);
  const double wall = seconds_now(CLOCK_MONOTONIC);
  const double cpu = seconds_now(CLOCK_PROCESS_CPUTIME_ID);
  status = status == FW_OK ? fw_compare(scenario, &options, &result, &diagnostics) : status;
  if (status == FW_OK) {
    const double wall_s = seconds_now(CLOCK_MONOTONIC) - wall;
    const double cpu_s = seconds_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    double samples = 0.0;
    for (size_t i = 0; i < result.arm_count; i++) {
      samples += (double)result.arms[i].gpu_ticks;
    }
    printf(
        "%3zu seeds x %5.0f h x %zu arms on %d cores: %6.2f s, %5.1f ns of a core for a GPU sample, peak %5.1f MiB\n",
        seeds, hours, result.arm_count, omp_get_num_procs(), wall_s, cpu_s * 1e9 / samples, peak_mib());
  } else {
    (void)fprintf(stderr, "%s\n", diagnostics.count > 0 ? diagnostics.entries[0].message : "failed");
  }
  fw_compare_clear(&result);
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
  return status == FW_OK;
}

int main(int argc, char **argv) {
  const size_t seeds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 30;
  printf("one number of gsl_ran_gaussian_ziggurat: %.1f ns\n", ziggurat_ns());
  const bool ok = measure(1, 24.0) && measure(1, 240.0) && measure(seeds, 24.0);
  printf("limits of the bench: 30 seeds x 24 h in 30 s and 200 MiB; 240 h in no more memory than 24 h\n");
  return ok ? 0 : 1;
}

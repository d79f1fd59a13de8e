/* A sweep on one thread and on all cores, in turn, each into a store of its own on the disk; prints the best of each
 * and their ratio. What the ratio can be on a shared machine is measured in the same run: two processes that only
 * count. Usage: bench_sweep [HOURS] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sim/study/sweep/sweep.h"

#define ROUNDS 3

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Work that shares nothing: the seconds that `threads` of them take for the same amount each. */
static double count_s(int threads) {
  const double start = seconds_now();
#pragma omp parallel num_threads(threads)
  {
    volatile double x = 1.0;
    for (int i = 0; i < 100000000; i++) {
      x = x * 1.0000001;
    }
  }
  return seconds_now() - start;
}

/* One sweep of 2 points x 3 policies x 8 seeds; its seconds, or less than 0 on an error. */
static double sweep_s(unsigned threads, double hours, const char *path) {
  static const char *const axis = "start=staggered,random";
  static const char *const policies[] = {"uncontrolled", "hysteresis", "priority-cap"};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario_overrides overrides = {.seeds = 8, .policies = policies, .policy_count = 3, .share = FW_SOURCE_DIR};
  fw_design design = {0};
  fw_sweep *sweep = NULL;
  fw_store *store = NULL;
  (void)fw_time_from_seconds(hours * 3600.0, &overrides.duration);
  fw_status status = fw_design_grid(&axis, 1, &design, &diagnostics);
  const fw_sweep_spec spec = {FW_SOURCE_DIR "/scenarios/fleet16-staggered.json", &overrides, &design};
  const fw_study_options options = {.threads = threads};
  const double start = seconds_now();
  status = status == FW_OK ? fw_sweep_prepare(&spec, &sweep, &diagnostics) : status;
  status = status == FW_OK ? fw_store_open(path, FW_STORE_CREATE, &store, &diagnostics) : status;
  status = status == FW_OK ? fw_sweep_register(sweep, store, "bench", &diagnostics) : status;
  status = status == FW_OK ? fw_sweep_run(sweep, store, &options, NULL, &diagnostics) : status;
  const double spent = seconds_now() - start;
  if (status != FW_OK) {
    (void)fprintf(stderr, "%s\n", diagnostics.count > 0 ? diagnostics.entries[0].message : "failed");
  }
  fw_store_close(store);
  fw_sweep_free(sweep);
  fw_design_clear(&design);
  fw_diagnostics_clear(&diagnostics);
  return status == FW_OK ? spent : -1.0;
}

static void clear_folder(const char *folder) {
  static const char *const suffixes[] = {"", "-wal", "-shm", "-claims"};
  char path[128];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    (void)snprintf(path, sizeof path, "%s/results.db%s", folder, suffixes[i]);
    (void)unlink(path);
  }
}

int main(int argc, char **argv) {
  const double hours = argc > 1 ? strtod(argv[1], NULL) : 6.0;
  const int cores = omp_get_num_procs();
  char folder[] = "/tmp/fleetwatt-bench-XXXXXX";
  char path[64];
  double best[2] = {0.0, 0.0};
  double ideal[2] = {0.0, 0.0};
  if (mkdtemp(folder) == NULL) {
    return 1;
  }
  (void)snprintf(path, sizeof path, "%s/results.db", folder);
  for (int round = 0; round < ROUNDS; round++) {
    for (int many = 0; many < 2; many++) {
      const double spent = sweep_s(many ? (unsigned)cores : 1, hours, path);
      const double counted = count_s(many ? cores : 1);
      clear_folder(folder);
      if (spent < 0.0) {
        return 1;
      }
      best[many] = round == 0 || spent < best[many] ? spent : best[many];
      ideal[many] = round == 0 || counted < ideal[many] ? counted : ideal[many];
    }
  }
  (void)rmdir(folder);
  printf(
      "sweep of 48 runs of %g h: %.2f s on one thread, %.2f s on %d: %.2f times as fast (limit on two cores: 1.85)\n",
      hours, best[0], best[1], cores, best[0] / best[1]);
  printf("what the machine gave meanwhile to threads that share nothing: %.2f times\n",
         (double)cores * ideal[0] / ideal[1]);
  return 0;
}

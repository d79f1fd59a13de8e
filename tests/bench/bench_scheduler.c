/* Jobs of one simulation on two threads: from how many jobs on a window of one second is worth sharing out. Prints, for
 * fleets of growing size, simulated GPU samples per second of wall time with one thread and with two, and their ratio.
 * FWI_PARALLEL_FROM in sim/fleet/state.h is set by this. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/fleet/run.h"

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static fw_scenario *fleet_of(size_t jobs, double seconds) {
  char text[600];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_scenario_overrides overrides = {.share = FW_SOURCE_DIR};
  fw_scenario *scenario = NULL;
  (void)snprintf(text, sizeof text,
                 "{\"fleetwatt\":1,\"name\":\"bench\",\"duration_s\":%.0f,\"windows_s\":[0.5,30],"
                 "\"gpu\":\"a100-sxm4-80gb\",\"start\":\"staggered\",\"oversubscription\":[2],\"jobs\":"
                 "[{\"kind\":\"grpo\",\"class\":\"7b\",\"model\":\"a100/qwen2.5-7b\",\"count\":%zu}]}",
                 seconds, jobs);
  if (fw_scenario_parse(text, strlen(text), "bench.json", &overrides, &scenario, &diagnostics) != FW_OK) {
    (void)fprintf(stderr, "%s\n", diagnostics.entries[0].message);
  }
  fw_diagnostics_clear(&diagnostics);
  return scenario;
}

/* GPU samples per second; the better of three runs. */
static double speed(const fw_scenario *scenario, unsigned threads) {
  double best = 0.0;
  for (int round = 0; round < 3; round++) {
    const fw_run_options options = {.seed = 1, .threads = threads};
    fw_result result = {0};
    const double start = seconds_now();
    if (fw_run(scenario, &options, &result, NULL) == FW_OK) {
      const double found = (double)result.gpu_ticks / (seconds_now() - start);
      best = found > best ? found : best;
    }
    fw_result_clear(&result);
  }
  return best;
}

int main(void) {
  static const size_t sizes[] = {16, 64, 256, 1024, 4096};
  printf("%8s %16s %16s %8s\n", "jobs", "1 thread, /s", "2 threads, /s", "ratio");
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    fw_scenario *scenario = fleet_of(sizes[i], 1.5e6 / (double)sizes[i]);
    if (scenario == NULL) {
      return 1;
    }
    const double one = speed(scenario, 1);
    const double two = speed(scenario, 2);
    printf("%8zu %16.3g %16.3g %8.2f\n", sizes[i], one, two, two / one);
    fw_scenario_free(scenario);
  }
  printf("below FWI_PARALLEL_FROM jobs two threads are not used, so the ratio is 1 there but for noise\n");
  return 0;
}

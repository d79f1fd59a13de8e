/* How far the study's fleet can be oversubscribed: six policies at 1 % of the time above the budget, 30 s means, runs
 * of 24 h. Prints each answer, wall and processor time. Usage: bench_plan */
#include <omp.h>
#include <stdio.h>
#include <time.h>

#include "sim/study/plan/plan.h"

static double seconds_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_answer(const fw_plan_result *result, const fw_plan_answer *answer) {
  const double meets = answer->meets == FW_NO_POINT ? 0.0 : answer->points[answer->meets].oversubscription;
  printf("  %-13s %4.2f %s\n", result->scenario->policies[answer->policy].name, meets,
         answer->decided ? "decided" : "undecided");
}

static fw_status measure(const fw_scenario *scenario, fw_diagnostics *diagnostics) {
  const fw_time_ns window = 30 * FW_NS_PER_S;
  fw_plan_options options = fw_plan_defaults;
  fw_plan_result result = {0};
  options.risk = FW_PLAN_TIME_SHARE;
  options.limit = 0.01;
  options.windows = &window;
  options.window_count = 1;
  const double wall = seconds_now(CLOCK_MONOTONIC);
  const double cpu = seconds_now(CLOCK_PROCESS_CPUTIME_ID);
  const fw_status status = fw_plan(scenario, &options, &result, diagnostics);
  if (status == FW_OK) {
    printf("%zu runs on %d cores: %.1f s, %.1f s of a core; limit 60 s on 2 cores\n", result.runs, omp_get_num_procs(),
           seconds_now(CLOCK_MONOTONIC) - wall, seconds_now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    for (size_t i = 0; i < result.answer_count; i++) {
      print_answer(&result, &result.answers[i]);
    }
    fw_plan_clear(&result);
  }
  return status;
}

int main(void) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_scenario_overrides overrides = {.share = FW_SOURCE_DIR};
  fw_scenario *scenario = NULL;
  fw_status status =
      fw_scenario_read(FW_SOURCE_DIR "/scenarios/fleet16-staggered.json", &overrides, &scenario, &diagnostics);
  status = status == FW_OK ? measure(scenario, &diagnostics) : status;
  if (status != FW_OK) {
    (void)fprintf(stderr, "%s\n", diagnostics.count > 0 ? diagnostics.entries[0].message : "failed");
  }
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
  return status == FW_OK ? 0 : 1;
}

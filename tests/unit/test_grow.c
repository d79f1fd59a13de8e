/* Fleets grown in their own proportions, counted by hand, and run: the copy of a fleet is two fleets. */
#include "sim/study/plan/grow.h"
#include "tests/scenario_fixture.h"

static const char mixed[] =
    HEAD("60", "0.5", "'budget_w': 4000") ", 'topology': {'gpus': 12}, 'jobs': ["
                                          "{'kind': 'cycle', 'class': 'a', 'count': 2, 'gpus': 3, " SQUARE_PHASES "}, "
                                          "{'kind': 'cycle', 'class': 'b', 'count': 4, " SQUARE_PHASES "}]}";

static fw_scenario grown_by(const fw_scenario *scenario, double factor) {
  fw_scenario grown;
  cr_assert_eq(fwi_grow(scenario, factor, &grown, NULL), FW_OK);
  return grown;
}

static size_t count_of(const fw_scenario *scenario, const char *job_class) {
  size_t count = 0;
  for (size_t i = 0; i < scenario->job_count; i++) {
    count += strcmp(scenario->jobs[i].job_class, job_class) == 0;
  }
  return count;
}

/* 2 and 4 jobs on 3 GPUs and 1 each, 2 GPUs idle. */
Test(grow, counts_are_rounded_and_never_fall_to_none) {
  static const struct {
    double factor;
    size_t a, b, gpus;
  } wanted[] = {{1.0, 2, 4, 12}, {1.5, 3, 6, 18}, {2.0, 4, 8, 24}, {0.6, 1, 2, 6}, {0.01, 1, 1, 4}};
  fw_scenario *scenario = scenario_from(mixed);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    fw_scenario grown = grown_by(scenario, wanted[i].factor);
    cr_expect_eq(count_of(&grown, "a"), wanted[i].a);
    cr_expect_eq(count_of(&grown, "b"), wanted[i].b);
    cr_expect_eq(grown.topology.gpus, wanted[i].gpus, "%g: %zu GPUs", wanted[i].factor, grown.topology.gpus);
    cr_expect_eq(grown.nameplate, (fw_power_mw)wanted[i].gpus * 400000);
    cr_expect_eq(fwi_grown_gpus(scenario, wanted[i].factor), wanted[i].gpus);
    fwi_grown_clear(&grown);
  }
  fw_scenario_free(scenario);
}

Test(grow, jobs_stand_side_by_side) {
  fw_scenario *scenario = scenario_from(mixed);
  fw_scenario grown = grown_by(scenario, 2.0);
  size_t gpu = 0;
  for (size_t i = 0; i < grown.job_count; i++) {
    const fw_scenario_job *job = &grown.jobs[i];
    cr_expect_eq(job->first_gpu, gpu);
    cr_expect_eq(job->member, i < 4 ? i : i - 4);
    cr_expect_eq(job->class_size, i < 4 ? 4 : 8);
    gpu += job->gpus;
  }
  cr_expect_str_neq(grown.hash, scenario->hash);
  fwi_grown_clear(&grown);
  fw_scenario_free(scenario);
}

Test(grow, twice_the_fleet_takes_twice_the_energy) {
  fw_scenario *scenario = scenario_from(mixed);
  fw_scenario grown = grown_by(scenario, 2.0);
  fw_result one = run_seed(scenario, 1);
  fw_result two = run_seed(&grown, 1);
  expect_energy(two.energy, 2 * one.energy, "twice the fleet");
  fw_result_clear(&one);
  fw_result_clear(&two);
  fwi_grown_clear(&grown);
  fw_scenario_free(scenario);
}

Test(grow, an_event_needs_its_gpu) {
  static const char struck[] =
      HEAD("60", "0.5", "'budget_w': 4000") ", 'events': [{'kind': 'straggler', 'from_s': 1, "
                                            "'duration_s': 1, 'gpu': 3, 'factor': 2}], 'jobs': "
                                            "[{'kind': 'cycle', 'class': 'b', 'count': "
                                            "4, " SQUARE_PHASES "}]}";
  fw_scenario *scenario = scenario_from(struck);
  fw_scenario grown;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_expect_eq(fwi_grow(scenario, 0.5, &grown, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(all_entries(&diagnostics, buffer), "strikes GPU 3"), "%s", buffer);
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

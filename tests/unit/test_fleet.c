/* Fleets whose power is known in closed form: what a run reports is what arithmetic says, to the last digit. */
#include "sim/fleet/digest.h"
#include "tests/scenario_fixture.h"

#define SQUARE(more) "{'kind': 'cycle', 'class': 'square', " more SQUARE_PHASES "}"
#define HOUR (3600 * FW_NS_PER_S)

/* ---- Starts (four square waves of 400 and 200 W, a minute each) ---- */

Test(fleet, aligned_jobs_peak_together) {
  fw_result result = run_text(HEAD("1200", "0.5, 30", "'budget_w': 1200") ", 'jobs': [" SQUARE("'count': 4, ") "]}");
  expect_energy(result.energy, joules(1200 * 1200), "site");
  cr_expect_eq(result.windows[0].peak_w, 1600.0);
  cr_expect_eq(result.windows[1].peak_w, 1600.0);
  cr_expect_eq(result.windows[0].violation_rate, 0.5);
  cr_expect_eq(result.windows[0].episodes, 10);
  cr_expect_eq(result.windows[0].longest_episode_s, 60.0);
  cr_expect_eq(result.windows[0].excess_ws, 400.0 * 600.0);
  cr_expect_eq(result.stop_reason, FW_STOP_HORIZON);
  fw_result_clear(&result);
}

/* 30 s apart they add up to a flat 1200 W from 90 s on, and before that some of them idle at 60 W. */
static void expect_staggered(const char *text) {
  fw_result result = run_text(text);
  cr_expect_eq(result.windows[0].peak_w, 1200.0);
  cr_expect_eq(result.windows[1].peak_w, 1200.0);
  cr_expect_eq(result.windows[0].violation_rate, 0.0); /* equal is not above */
  cr_expect_eq(result.windows[0].episodes, 0);
  expect_energy(result.energy, joules(360000 + 355800 + 351600 + 341400), "site");
  fw_result_clear(&result);
}

Test(fleet, staggered_jobs_are_flat) {
  expect_staggered(
      HEAD("1200", "0.5, 30", "'budget_w': 1200") ", 'start': 'staggered', 'jobs': [" SQUARE("'count': 4, ") "]}");
  expect_staggered(HEAD("1200", "0.5, 30", "'budget_w': 1200") ", 'jobs': [" SQUARE("") ", " SQUARE(
      "'start_offset_s': 30, ") ", " SQUARE("'start_offset_s': 60, ") ", " SQUARE("'start_offset_s': 90, ") "]}");
}

Test(fleet, random_starts_depend_on_the_seed_and_lie_within_a_cycle) {
  fw_scenario *scenario =
      scenario_from(HEAD("120", "120", "'budget_w': 1") ", 'start': 'random', 'jobs': [" SQUARE("") "]}");
  fw_energy_pj seen[20];
  bool differ = false;
  for (uint64_t seed = 0; seed < 20; seed++) {
    fw_result result = run_seed(scenario, seed);
    seen[seed] = result.energy;
    differ = differ || seen[seed] != seen[0];
    /* A start at s in [0, 120) leaves 400 W for min(60, 120 - s) of the rest. */
    cr_expect(result.energy > joules(60 * 120) && result.energy <= joules(36000));
    fw_result_clear(&result);
  }
  cr_expect(differ);
  fw_scenario_free(scenario);
}

/* ---- Parts and the whole ---- */

/* The energies of one level of domains; `present` tells whether there is such a level. */
static fw_energy_pj level_energy(const fw_result *result, fw_domain_level level, bool *present) {
  fw_energy_pj sum = 0;
  *present = false;
  for (size_t i = 0; i < result->domain_count; i++) {
    if (result->domains[i].level != level) continue;
    sum += result->domains[i].energy;
    *present = true;
  }
  return sum;
}

Test(fleet, parts_sum_to_the_whole) {
  fw_scenario *scenario = scenario_from(
      HEAD("1800", "0.5, 10",
           "'oversubscription': [1.5]") ", 'start': 'random', 'warmup_s': 60, "
                                        "'topology': {'gpus': 50, 'gpus_per_node': 3, 'nodes_per_rack': 2, "
                                        "'racks_per_row': 3}, "
                                        "'jobs': [{'kind': 'grpo', 'class': 'a', 'model': 'plain-job', 'count': 7}, "
                                        "{'kind': 'grpo', 'class': 'c', 'model': 'job', 'count': 3}, " SQUARE(
                                            "'count': 4, 'gpus': 3, ") "]}");
  fw_result result = run_seed(scenario, 5);
  const size_t used = 7 * 2 + 3 * 4 + 4 * 3;
  fw_energy_pj parts = fw_energy_of(60000, 1740 * FW_NS_PER_S) * (fw_energy_pj)(50 - used);
  int64_t tokens = 0;
  for (size_t j = 0; j < result.job_count; j++) {
    parts += result.jobs[j].energy;
    tokens += result.jobs[j].tokens;
  }
  expect_energy(parts, result.energy, "jobs and idle GPUs");
  cr_expect_eq(tokens, result.tokens);
  cr_expect_gt(tokens, 0);
  static const size_t counts[] = {17, 9, 3, 1};
  size_t domains = 0;
  for (int level = FW_DOMAIN_NODE; level <= FW_DOMAIN_SITE; level++) {
    bool present = false;
    const fw_energy_pj energy = level_energy(&result, (fw_domain_level)level, &present);
    cr_expect(present, "no %s", fw_domain_level_names[level]);
    expect_energy(energy, result.energy, fw_domain_level_names[level]);
    domains += counts[level];
  }
  cr_expect_eq(result.domain_count, domains);
  cr_expect_eq(result.gpu_ticks, used * 1740 * 2);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
}

Test(fleet, gpus_without_a_job_idle_where_they_stand) {
  fw_result result =
      run_text(HEAD("600", "0.5", "'budget_w': 5000") ", 'topology': {'gpus': 10, 'gpus_per_node': 4, "
                                                      "'node_budget_w': 500}, 'jobs': [" SQUARE("") "]}");
  expect_energy(result.energy, joules(600 * (300 + 9 * 60)), "site");
  static const int64_t mean_w[] = {300 + 3 * 60, 4 * 60, 2 * 60};
  for (size_t node = 0; node < 3; node++)
    expect_energy(result.domains[node].energy, joules(600 * mean_w[node]), "a node");
  cr_expect_eq(result.domains[0].windows[0].violation_rate, 0.5); /* 580 W, then 380 W, against 500 W */
  cr_expect_eq(result.domains[1].windows[0].violation_rate, 0.0);
  cr_expect_eq(result.sensed[0].peak_w, 400.0 + 9 * 60); /* this board reads what it draws */
  fw_result_clear(&result);
}

/* ---- Long runs ---- */

/* Sixty days; the second job begins in the middle of a tick, after 32-bit counters of milliseconds have wrapped. */
Test(fleet, sixty_days_lose_nothing) {
  fw_result result =
      run_text(HEAD("5184000", "60",
                    "'budget_w': 430") ", 'tick_s': 60, 'jobs': ["
                                       "{'kind': 'cycle', 'class': 'early', 'loop': false, 'phases': [{'duration_s': "
                                       "14400, 'power_w': 400}]}, "
                                       "{'kind': 'cycle', 'class': 'late', 'loop': false, 'start_offset_s': 4320000.5, "
                                       "'phases': [{'duration_s': 3600, 'power_w': 400}]}]}");
  expect_energy(result.jobs[0].energy, joules(14400 * 400 + (5184000 - 14400) * INT64_C(60)), "early");
  expect_energy(result.jobs[1].energy, joules(3600 * 400 + (5184000 - 3600) * INT64_C(60)), "late");
  expect_energy(result.energy, result.jobs[0].energy + result.jobs[1].energy, "site");
  /* 240 ticks of the first; of the second 59 whole ones and one of 59.5 s at 400 W: 457.2 W with the other's idle. */
  cr_expect_eq(result.windows[0].episodes, 2);
  cr_expect_float_eq(result.windows[0].violation_rate, (240 + 60) / 86400.0, 1e-15);
  cr_expect_eq(result.stop_reason, FW_STOP_JOBS_DONE);
  cr_expect_eq(result.jobs[0].clamps.floor, 0);
  fw_result_clear(&result);
}

Test(fleet, ten_years_lose_nothing) {
  fw_result result =
      run_text(HEAD("315360000", "3600", "'budget_w': 300") ", 'tick_s': 3600, 'jobs': [" SQUARE("'gpus': 2, ") "]}");
  expect_energy(result.energy, joules(315360000) * 600, "site");
  cr_expect_eq(result.windows[0].peak_w, 600.0);
  cr_expect_eq(result.windows[0].violation_rate, 1.0);
  cr_expect_eq(result.windows[0].longest_episode_s, 315360000.0);
  fw_result_clear(&result);
}

/* ---- Warm-up ---- */

Test(fleet, a_warm_up_counts_in_nothing_but_fills_the_windows) {
  fw_result result =
      run_text(HEAD("180", "0.5, 60", "'budget_w': 300") ", 'warmup_s': 59.1, 'jobs': [" SQUARE("") "]}");
  cr_expect_eq(result.measured, 120 * FW_NS_PER_S); /* rounded up to 60 s */
  expect_energy(result.energy, joules(60 * 200 + 60 * 400), "site");
  cr_expect_eq(result.windows[0].violation_rate, 0.5);
  /* At 60.5 s the window still holds 59.5 s of the 400 W of the warm-up: above 300 W until half of it is 200 W. */
  cr_expect_float_eq(result.windows[1].violation_rate, (29.5 + 30.0) / 120.0, 1e-15);
  cr_expect_eq(result.windows[1].peak_w, 400.0);
  cr_expect_eq(result.gpu_ticks, 240);
  fw_result_clear(&result);
}

/* What happens after the warm-up is what a run without one does, less what it had done by then. */
Test(fleet, a_warm_up_only_takes_the_start_away) {
  static const char jobs[] = "'jobs': [{'kind': 'grpo', 'class': 'a', 'model': 'plain-job', 'count': 3}]}";
  char text[1000];
  fw_result results[3];
  static const char *const heads[] = {HEAD("500", "1", "'budget_w': 1") ", ", HEAD("137", "1", "'budget_w': 1") ", ",
                                      HEAD("500", "1", "'budget_w': 1") ", 'warmup_s': 137, "};
  for (size_t i = 0; i < 3; i++) {
    (void)snprintf(text, sizeof text, "%s%s", heads[i], jobs);
    results[i] = run_text(text);
  }
  expect_energy(results[2].energy, results[0].energy - results[1].energy, "after the warm-up");
  for (size_t j = 0; j < 3; j++) {
    cr_expect_eq(results[2].jobs[j].tokens, results[0].jobs[j].tokens - results[1].jobs[j].tokens);
    cr_expect_eq(results[2].jobs[j].steps, results[0].jobs[j].steps - results[1].jobs[j].steps);
    cr_expect_eq(results[2].jobs[j].batches, results[0].jobs[j].batches - results[1].jobs[j].batches);
    cr_expect_eq(results[2].jobs[j].decisions, results[0].jobs[j].decisions - results[1].jobs[j].decisions);
  }
  for (size_t i = 0; i < 3; i++)
    fw_result_clear(&results[i]);
}

/* ---- Budgets and prices that change ---- */

/* 600 W while it draws 400 W, 150 W while it draws 200 W; on the mean, 375 W against 300 W. */
Test(fleet, a_budget_schedule_is_what_power_is_judged_by) {
  fw_result result = run_text(
      HEAD("600", "0.5, 120",
           "'budget_w': 300") ", 'budget_schedule': {'repeat_s': 120, "
                              "'steps': [{'from_s': 0, 'factor': 2}, {'from_s': 60, 'factor': 0.5}]}, 'jobs': [" SQUARE(
                                  "") "]}");
  cr_expect_eq(result.windows[0].violation_rate, 0.5);
  cr_expect_eq(result.windows[0].episodes, 5);
  cr_expect_eq(result.windows[0].excess_ws, 5 * 60 * 50.0);
  cr_expect_eq(result.windows[1].violation_rate, 0.0);
  fw_result_clear(&result);
}

/* In the tick that the step cuts in two the budget is 375 W on the mean, so 200 W are allowed. */
Test(fleet, a_budget_step_within_a_tick_counts_by_its_time) {
  fw_result result = run_text(HEAD(
      "600", "0.5",
      "'budget_w': 300") ", 'budget_schedule': {'repeat_s': 120, "
                         "'steps': [{'from_s': 0, 'factor': 2}, {'from_s': 60.25, 'factor': 0.5}]}, 'jobs': [" SQUARE(
                             "") "]}");
  cr_expect_eq(result.windows[0].violation_rate, 59.5 / 120.0);
  fw_result_clear(&result);
}

Test(fleet, energy_costs_what_the_hour_says) {
  static const char text[] = HEAD(
      "10800", "60", "'budget_w': 300") ", 'tariff': {'start_hour': 23, 'carbon_kg_per_kwh': [0.5], 'cost_per_kwh': "
                                        "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]}, 'tick_s': "
                                        "60, 'jobs': [" SQUARE("") "]}";
  fw_result result = run_text(text);
  cr_expect_float_eq(result.cost, 0.3 * (24 + 1 + 2), 1e-12); /* a few roundings of numbers near 10 */
  cr_expect_float_eq(result.carbon_kg, 0.3 * 3 * 0.5, 1e-13);
  fw_result_clear(&result);
}

/* ---- Limits of the board ---- */

Test(fleet, power_stays_between_idle_and_the_boards_maximum) {
  fw_result result = run_text(
      HEAD("100", "0.5",
           "'budget_w': 300") ", 'jobs': [{'kind': 'cycle', 'class': 'a', "
                              "'phases': [{'duration_s': 10, 'power_w': 20}, {'duration_s': 10, 'power_w': 800}]}]}");
  expect_energy(result.energy, joules(50 * 60 + 50 * 500), "site");
  cr_expect_eq(result.clamps.floor, 100);
  cr_expect_eq(result.clamps.ceiling, 100);
  cr_expect_float_eq(result.clamps.bias_w, (40.0 - 300.0) / 2.0, 1e-9);
  fw_result_clear(&result);
}

/* ---- Ends ---- */

Test(fleet, a_job_of_no_length_that_does_not_repeat_is_over_at_once) {
  fw_result result =
      run_text(HEAD("10", "0.5", "'budget_w': 300") ", 'jobs': [{'kind': 'cycle', 'class': 'a', 'loop': "
                                                    "false, 'phases': [{'duration_s': 0, 'power_w': 300}]}]}");
  expect_energy(result.energy, joules(10 * 60), "site");
  cr_expect_eq(result.stop_reason, FW_STOP_JOBS_DONE);
  fw_result_clear(&result);
}

Test(fleet, a_phase_of_no_length_within_a_cycle_is_allowed) {
  fw_result result = run_text(
      HEAD("100", "0.5",
           "'budget_w': 300") ", 'jobs': [{'kind': 'cycle', 'class': 'a', "
                              "'phases': [{'duration_s': 10, 'power_w': 200}, {'duration_s': 0, 'power_w': 400}]}]}");
  expect_energy(result.energy, joules(100 * 200), "site");
  fw_result_clear(&result);
}

/* ---- What runs share ---- */

static uint64_t digest_of(const fw_scenario *scenario, uint64_t seed, const fw_prepared *prepared) {
  fw_digest digest;
  fw_digest_start(&digest, NULL);
  fw_result result =
      run_observed(scenario, (fw_run_options){.seed = seed, .observer = &digest.observer, .prepared = prepared});
  fw_result_clear(&result);
  return digest.hash;
}

/* Two models, jobs with residuals, in a fleet that ships. */
Test(fleet, a_scenario_prepared_once_runs_as_one_prepared_anew) {
  static const char *const arms[] = {"uncontrolled"};
  const fw_scenario_overrides overrides = {
      .duration = 400 * FW_NS_PER_S, .policies = arms, .policy_count = 1, .share = FW_SOURCE_DIR};
  fw_scenario *scenario = NULL;
  fw_prepared *prepared = NULL;
  cr_assert_eq(fw_scenario_read(FW_SOURCE_DIR "/scenarios/fleet20-shared.json", &overrides, &scenario, NULL), FW_OK);
  cr_assert_eq(fw_prepare(scenario, &prepared, NULL), FW_OK);
  for (uint64_t seed = 1; seed <= 3; seed++)
    cr_expect_eq(digest_of(scenario, seed, prepared), digest_of(scenario, seed, NULL));
  cr_expect_neq(digest_of(scenario, 1, prepared), digest_of(scenario, 2, prepared));
  fw_prepared_free(prepared);
  fw_scenario_free(scenario);
}

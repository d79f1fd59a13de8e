/* Trips that take the power, against what can be worked out by hand: when they come, what they leave dark, what is lost
 * and what studies make of them. tests/property/test_trip.c has a second implementation. */
#include "tests/scenario_fixture.h"

#include "sim/fleet/digest.h"
#include "sim/study/compare.h"
#include "sim/study/plan/plan.h"

/* One GPU at 400 W, without end; idle power is 60 W. */
#define STEADY_JOB "{'kind': 'cycle', 'class': 'c', 'phases': [{'duration_s': 10, 'power_w': 400}]}"
#define OPENS(more) ", 'electrical': {'breaker': {'on_trip': 'outage', " more "}}"

/* Heat at the end of `s` seconds from `heat` on, under a steady load of `square`; and the time that it takes to `trip`,
 * to the next tick of 0.5 s. The default law: 250 s and 1.2065. */
static double heat_after(double heat, double square, double s) {
  return square + (heat - square) * exp(-s / 250.0);
}

static double ticks_to_trip(double heat, double square) {
  return ceil(250.0 * log((square - heat) / (square - 1.2065)) / 0.5);
}

/* 400 W on a breaker of 250 W: from the heat of the rating it trips after 35.5 s, is open for 60 s, loads for 10 s at
 * idle power and trips again, warm, for ever. */
Test(trip, a_steady_overload_trips_at_the_times_of_the_closed_form) {
  const double square = 1.6 * 1.6;
  double now_s = ticks_to_trip(1.0, square) / 2.0;
  double heat = heat_after(1.0, square, now_s);
  double energy_j = 400.0 * now_s;
  uint64_t trips = 1;
  double dark_s = 60.0;
  for (now_s += 70.0, energy_j += 600.0;; trips++, dark_s += 60.0) {
    heat = heat_after(heat_after(heat, 0.0, 60.0), 0.24 * 0.24, 10.0);
    const double work_s = ticks_to_trip(heat, square) / 2.0;
    if (now_s + work_s + 70.0 > 2000.0) break;
    heat = heat_after(heat, square, work_s);
    now_s += work_s + 70.0;
    energy_j += 400.0 * work_s + 600.0;
  }
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(
      &text, HEAD("%g", "1", "'budget_w': 200") OPENS("'outage_s': 60, 'load_s': 10") ", 'jobs': [" STEADY_JOB "]}",
      now_s);
  fw_result result = run_text(text.data);
  const fw_breaker_result *breaker = &result.domains[result.domain_count - 1].breaker;
  cr_expect_gt(trips, 10);
  cr_expect_eq(breaker->all[FW_BREAKER_NOMINAL].trips, trips, "%llu trips, closed form %llu",
               (unsigned long long)breaker->all[FW_BREAKER_NOMINAL].trips, (unsigned long long)trips);
  cr_expect_eq(breaker->all[FW_BREAKER_NOMINAL].first_trip_s, ticks_to_trip(1.0, square) / 2.0);
  cr_expect_eq(breaker->dark_s, dark_s);
  cr_expect_eq(result.jobs[0].disturbance.struck[FW_STRUCK_BY_TRIP], trips);
  cr_expect_eq(result.jobs[0].disturbance.down_s, 70.0 * (double)trips);
  expect_energy(result.energy, joules((int64_t)energy_j), "all of it");
  fw_result_clear(&result);
  fw_text_clear(&text);
}

/* Nodes of two GPUs on breakers of 500 W. On the first a cycle job and a GPU of the queue draw 2 x 400 W until it trips
 * at 35.5 s; on the second the queue's other GPU and an idle one. The queue's job that loses its GPU begins again on it
 * when the power is back, the cycle job ten seconds later. */
Test(trip, a_queue_goes_on_without_the_gpus_that_are_dark) {
  fw_result result = run_text(HEAD(
      "120", "1",
      "'budget_w': 8000") ", 'topology': {'gpus': 4, 'gpus_per_node': 2, 'node_budget_w': "
                          "400}" OPENS(
                              "'outage_s': 50, 'load_s': 10") ", 'jobs': "
                                                              "[" STEADY_JOB
                                                              ", {'kind': 'queue', 'class': 'q', 'gpus': 2, "
                                                              "'jobs': 2, 'sizes': [1], 'interval': {'kind': "
                                                              "'constant', "
                                                              "'mean_s': 0}, 'duration': {'kind': 'constant', "
                                                              "'mean_s': 100}, "
                                                              "'phases': [{'duration_s': 100, 'power_w': 400}]}]}");
  const fw_service_result *service = &result.jobs[1].service;
  cr_expect_eq(service->thrown_back, 1);
  cr_expect_eq(service->finished, 1);
  cr_expect_eq(service->in_service, 1);
  cr_expect_eq(result.jobs[1].disturbance.struck[FW_STRUCK_BY_TRIP], 1);
  cr_expect_eq(result.jobs[1].disturbance.down_s, 0.0);
  cr_expect_eq(result.jobs[0].disturbance.down_s, 60.0);
  cr_expect_eq(result.domains[0].breaker.all[FW_BREAKER_NOMINAL].first_trip_s, 35.5);
  cr_expect_eq(result.domains[1].breaker.all[FW_BREAKER_NOMINAL].trips, 0);
  /* The cycle job: 35.5 s, nothing, 10 s of loading, 24.5 s; the queue's GPUs: 35.5 s, nothing, 34.5 s; 100 s, idle. */
  expect_energy(result.jobs[0].energy, joules(60 * 400 + 10 * 60), "the job on the dark node");
  expect_energy(result.jobs[1].energy, joules(70 * 400 + 100 * 400 + 20 * 60), "the queue");
  expect_energy(result.domains[0].energy, joules(130 * 400 + 10 * 60), "the node that was dark");
  fw_result_clear(&result);
}

/* More jobs than one thread takes alone: nodes trip one by one, jobs go down and come up, and no thread shows. */
Test(trip, threads_do_not_show) {
  static const unsigned threads[] = {1, 2, 4};
  fw_scenario *scenario = scenario_from(
      HEAD("400", "1, 30",
           "'budget_w': 400000") ", 'start': 'random', 'topology': {'gpus': 2100, "
                                 "'gpus_per_node': 8, 'node_budget_w': 1500}" OPENS(
                                     "'outage_s': 20, 'load_s': 3, 'time_constant_s': 10, "
                                     "'earliest': {'time_constant_s': 1, 'trip': 1.1}") ", 'jobs': [{'kind': 'grpo', "
                                                                                        "'class': "
                                                                                        "'g', 'model': 'plain-job', "
                                                                                        "'count': 1030}]}");
  uint64_t hash[3];
  uint64_t trips[3] = {0};
  for (size_t i = 0; i < 3; i++) {
    fw_digest digest;
    fw_digest_start(&digest, NULL);
    fw_result result =
        run_observed(scenario, (fw_run_options){.seed = 1, .threads = threads[i], .observer = &digest.observer});
    hash[i] = digest.hash;
    for (size_t d = 0; d < result.domain_count; d++)
      trips[i] += result.domains[d].breaker.all[FW_BREAKER_NOMINAL].trips;
    fw_result_clear(&result);
  }
  cr_expect_gt(trips[0], 50, "%llu", (unsigned long long)trips[0]);
  for (size_t i = 1; i < 3; i++) {
    cr_expect_eq(hash[i], hash[0]);
    cr_expect_eq(trips[i], trips[0]);
  }
  fw_scenario_free(scenario);
}

/* ---- What studies make of them ---- */

/* Two jobs of two GPUs: some 1,100 W, of 1,600 W by their nameplate. */
#define TWO_JOBS "'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'plain-job', 'count': 2}]}"

static double mean_of(const fw_compare_arm *arm, fw_metric metric) {
  return arm->metrics[fw_metric_slot(metric, 0)].mean;
}

/* A policy that ignores budgets is not run once for all of them where breakers, rated by the budget, open. */
Test(trip, every_budget_gets_its_own_run) {
  fw_scenario *scenario = scenario_from(
      HEAD("900", "1", "'oversubscription': [1, 3]") ", 'seeds': 2" OPENS("'outage_s': 120") ", " TWO_JOBS);
  const fw_compare_options options = {.threads = 2};
  fw_compare_result compared;
  cr_assert_eq(fw_compare(scenario, &options, &compared, NULL), FW_OK);
  cr_expect_eq(mean_of(&compared.arms[0], FW_METRIC_TRIPS), 0.0);
  cr_expect_eq(mean_of(&compared.arms[0], FW_METRIC_DARK_S), 0.0);
  cr_expect_gt(mean_of(&compared.arms[1], FW_METRIC_TRIPS), 0.0);
  cr_expect_gt(mean_of(&compared.arms[1], FW_METRIC_DARK_S), 0.0);
  for (size_t budget = 0; budget < 2; budget++) {
    double tokens = 0.0;
    for (uint64_t r = 0; r < 2; r++) {
      fw_result alone = run_observed(scenario, (fw_run_options){.budget = budget, .seed = scenario->seed + r});
      tokens += (double)alone.tokens / 2.0;
      fw_result_clear(&alone);
    }
    cr_expect_eq(mean_of(&compared.arms[budget], FW_METRIC_TOKENS), tokens);
  }
  fw_compare_clear(&compared);
  fw_scenario_free(scenario);
}

/* The uncontrolled fleet loses nothing of its tokens until its own breakers open. */
Test(trip, a_plan_measures_losses_against_a_fleet_without_trips) {
  fw_scenario *scenario =
      scenario_from(HEAD("900", "1", "'oversubscription': [1]") OPENS("'outage_s': 120") ", " TWO_JOBS);
  const fw_plan_options options = {.risk = FW_PLAN_TRIPS_PER_YEAR,
                                   .limit = 20000.0,
                                   .most_loss = 0.5,
                                   .from = 1.0,
                                   .to = 2.4,
                                   .step = 0.2,
                                   .look = 2,
                                   .most_runs = 16,
                                   .study = {.threads = 2}};
  fw_plan_result result;
  cr_assert_eq(fw_plan(scenario, &options, &result, NULL), FW_OK);
  const fw_plan_answer *answer = &result.answers[0];
  size_t tripped = 0;
  cr_expect(isnan(result.trip_loss_s));
  for (size_t i = 0; i < answer->point_count; i++) {
    const fw_plan_point *point = &answer->points[i];
    const double trips = point->metrics[fw_metric_slot(FW_METRIC_TRIPS, 0)].mean;
    cr_expect((trips > 0.0) == (point->loss.mean > 0.0), "%g: %g trips, loss %g", point->oversubscription, trips,
              point->loss.mean);
    cr_expect(trips > 0.0 || point->loss.mean == 0.0);
    tripped += trips > 0.0;
  }
  cr_expect(tripped > 0 && tripped < answer->point_count, "%zu of %zu", tripped, answer->point_count);
  fw_plan_clear(&result);
  fw_scenario_free(scenario);
}

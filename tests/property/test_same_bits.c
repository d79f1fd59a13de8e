/* The same bits for any number of threads, whatever else is compared, and whoever runs beside. */
#include "sim/fleet/state.h"
#include "sim/report/report.h"
#include "tests/random_scenario.h"
#include "tests/scenario_fixture.h"

static const unsigned thread_counts[] = {1, 2, 4, 16};
#define THREAD_COUNTS (sizeof thread_counts / sizeof thread_counts[0])

static fw_text run_json(const fw_scenario *scenario, unsigned threads) {
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_result result = run_observed(scenario, (fw_run_options){.seed = scenario->seed, .threads = threads});
  const fw_report_run report = {.scenario = scenario, .seed = scenario->seed, .result = &result};
  fw_text out = FW_TEXT_INIT;
  fw_report_run_json(&report, &none, &out);
  cr_assert_not(out.failed);
  fw_result_clear(&result);
  return out;
}

/* Enough jobs that those of one window are shared out among threads. */
static const char many_jobs[] = HEAD(
    "40", "0.5, 3", "'oversubscription': [1.7]") ", 'start': 'random', 'policies': [{'name': 'p', 'classes': ['g'], "
                                                 "'job': {'kind': 'hysteresis'}, 'fleet': {'kind': 'uniform_cap', "
                                                 "'interval_s': 2}}], 'jobs': ["
                                                 "{'kind': 'grpo', 'class': 'g', 'model': 'plain-job', 'count': 520, "
                                                 "'completion_mean': 40}, "
                                                 "{'kind': 'cycle', 'class': 'c', 'count': 520, 'gpus': 2, 'phases': "
                                                 "[{'duration_s': 3.1, 'power_w': 390}, "
                                                 "{'duration_s': 1.3, 'power_w': 120}]}]}";

Test(same_bits, for_any_number_of_threads_in_one_run) {
  fw_scenario *scenario = scenario_from(many_jobs);
  cr_assert_geq(scenario->job_count, FWI_PARALLEL_FROM);
  fw_text wanted = run_json(scenario, 1);
  for (size_t i = 0; i < THREAD_COUNTS; i++) {
    for (int repeat = 0; repeat < 2; repeat++) {
      fw_text got = run_json(scenario, thread_counts[i]);
      cr_expect_str_eq(got.data, wanted.data, "%u threads", thread_counts[i]);
      fw_text_clear(&got);
    }
  }
  fw_text_clear(&wanted);
  fw_scenario_free(scenario);
}

/* The same with everything that befalls a fleet, and work that arrives. */
static const char many_struck_jobs[] =
    HEAD("40", "0.5, 3",
         "'oversubscription': [1.7]") ", 'start': 'random', 'policies': [{'name': 'p', 'classes': ['g'], "
                                      "'job': {'kind': 'hysteresis'}, 'fleet': {'kind': 'uniform_cap', "
                                      "'interval_s': 2}}], 'jobs': ["
                                      "{'kind': 'grpo', 'class': 'g', 'model': 'plain-job', 'count': 400, "
                                      "'completion_mean': 40}, "
                                      "{'kind': 'cycle', 'class': 'c', 'count': 400, 'gpus': 2, 'phases': "
                                      "[{'duration_s': 3.1, 'power_w': 390}, "
                                      "{'duration_s': 1.3, 'power_w': 120}]}, {'kind': 'serving', 'class': "
                                      "'s', 'model': 'plain-job', 'count': 300, 'interval': {'kind': "
                                      "'exponential', 'mean_s': 2}, 'context_mean': 90, 'output_mean': 40, "
                                      "'output_cv': 1}, {'kind': 'queue', 'class': 'q', 'gpus': 64, "
                                      "'discipline': 'easy', 'interval': {'kind': 'exponential', 'mean_ms': "
                                      "200}, 'duration': {'kind': 'gamma', 'mean_s': 3, 'cv': 2}, 'sizes': "
                                      "[1, 2, 4, 8], 'phases': [{'duration_ms': 700, 'power_w': 300}, "
                                      "{'duration_ms': 333, 'power_w': 90}]}], 'events': ["
                                      "{'kind': 'restart', 'at_s': 20.3, 'down_s': 1, 'load_s': 2}, {'kind': "
                                      "'gpu_failures', 'mtbf_s': 500, 'mttr_s': 3}, {'kind': 'feed_loss', "
                                      "'from_s': 9, 'duration_s': 4, 'left': 0.5, 'classes': ['c']}, "
                                      "{'kind': 'straggler', 'gpu': 5, 'factor': 1.5}, {'kind': "
                                      "'cap_faults', 'lost': 0.1, 'late': 0.3, 'delay_s': 3}]}";

Test(same_bits, for_any_number_of_threads_in_a_run_that_is_struck) {
  fw_scenario *scenario = scenario_from(many_struck_jobs);
  cr_assert_geq(scenario->job_count, FWI_PARALLEL_FROM);
  fw_text wanted = run_json(scenario, 1);
  for (size_t i = 0; i < THREAD_COUNTS; i++) {
    fw_text got = run_json(scenario, thread_counts[i]);
    cr_expect_str_eq(got.data, wanted.data, "%u threads", thread_counts[i]);
    fw_text_clear(&got);
  }
  fw_text_clear(&wanted);
  fw_scenario_free(scenario);
}

/* ---- Comparisons ---- */

static const char three_arms[] =
    HEAD("120", "0.5, 10", "'oversubscription': [1.5, 2]") ", 'seeds': 5, 'start': 'random', 'policies': ["
                                                           "{'name': 'uncontrolled'}, {'name': 'hysteresis', "
                                                           "'classes': ['g'], 'job': {'kind': 'hysteresis'}}, "
                                                           "{'name': 'uniform', 'fleet': {'kind': 'uniform_cap'}}], "
                                                           "'jobs': [{'kind': 'grpo', 'class': 'g', 'model': "
                                                           "'plain-job', 'count': 3}, {'kind': 'cycle', 'class': 'c', "
                                                           "'gpus': 3, 'phases': [{'duration_s': 20, 'power_w': "
                                                           "390}, {'duration_s': 5, 'power_w': 120}]}]}";

static fw_compare_result compare(const fw_scenario *scenario, unsigned threads) {
  const fw_compare_options options = {.threads = threads};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_compare_result result;
  char buffer[2000];
  cr_assert_eq(fw_compare(scenario, &options, &result, &diagnostics), FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return result;
}

static bool same_estimates(const fw_compare_arm *a, const fw_compare_arm *b) {
  return memcmp(a->metrics, b->metrics, sizeof a->metrics) == 0 && a->clamps.capped == b->clamps.capped &&
         a->clamps.floor == b->clamps.floor && a->adjusted_actions == b->adjusted_actions;
}

Test(same_bits, for_any_number_of_threads_in_a_comparison) {
  fw_scenario *scenario = scenario_from(three_arms);
  fw_compare_result wanted = compare(scenario, 1);
  cr_assert_eq(wanted.arm_count, 6);
  cr_assert_eq(wanted.difference_count, 4);
  for (size_t i = 1; i < THREAD_COUNTS; i++) {
    fw_compare_result got = compare(scenario, thread_counts[i]);
    for (size_t arm = 0; arm < wanted.arm_count; arm++)
      cr_expect(same_estimates(&got.arms[arm], &wanted.arms[arm]), "%u threads, arm %zu", thread_counts[i], arm);
    for (size_t d = 0; d < wanted.difference_count; d++) {
      cr_expect_arr_eq(got.differences[d].metrics, wanted.differences[d].metrics, sizeof wanted.differences[d].metrics);
    }
    fw_compare_clear(&got);
  }
  fw_compare_clear(&wanted);
  fw_scenario_free(scenario);
}

/* An arm alone, with another ratio, or without some policy, is the arm that it was among all. */
Test(same_bits, whatever_other_arms_there_are) {
  static const double ratio[] = {2.0};
  static const char *const names[] = {"hysteresis", "uniform"};
  fw_scenario *all = scenario_from(three_arms);
  fw_compare_result wanted = compare(all, 2);
  for (size_t policy = 1; policy < 3; policy++) {
    const fw_scenario_overrides overrides = {
        .oversubscription = ratio, .oversubscription_count = 1, .policies = &names[policy - 1], .policy_count = 1};
    fw_scenario *alone = scenario_with(three_arms, &overrides);
    fw_compare_result got = compare(alone, 2);
    cr_assert_eq(got.arm_count, 1);
    cr_expect_eq(got.difference_count, 0);
    cr_expect(same_estimates(&got.arms[0], &wanted.arms[3 + policy]), "%s", names[policy - 1]);
    fw_compare_clear(&got);
    fw_scenario_free(alone);
  }
  fw_compare_clear(&wanted);
  fw_scenario_free(all);
}

/* A replication is the run with its seed, and no more. */
Test(same_bits, a_comparison_is_the_mean_of_its_runs) {
  fw_scenario *scenario = scenario_from(three_arms);
  fw_compare_result compared = compare(scenario, 3);
  for (size_t arm = 0; arm < compared.arm_count; arm++) {
    double sum = 0.0;
    for (uint64_t seed = 0; seed < scenario->seeds; seed++) {
      fw_result result =
          run_observed(scenario, (fw_run_options){.policy = arm % 3, .budget = arm / 3, .seed = scenario->seed + seed});
      sum += (double)result.tokens;
      fw_result_clear(&result);
    }
    const double mean = compared.arms[arm].metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)].mean;
    cr_expect_eq(mean, sum / 5.0); /* tokens are whole numbers far below 2^53 */
  }
  fw_compare_clear(&compared);
  fw_scenario_free(scenario);
}

/* Runs of different scenarios take turns without a trace of each other. */
Test(same_bits, runs_do_not_see_each_other) {
  enum { COUNT = 6 };
  fw_scenario *scenarios[COUNT];
  fw_text first[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    fw_text text = random_scenario(i, false);
    scenarios[i] = scenario_from(text.data);
    first[i] = run_json(scenarios[i], 1);
    fw_text_clear(&text);
  }
  for (size_t i = COUNT; i-- > 0;) {
    fw_text again = run_json(scenarios[i], 1);
    cr_expect_str_eq(again.data, first[i].data);
    fw_text_clear(&again);
    fw_text_clear(&first[i]);
    fw_scenario_free(scenarios[i]);
  }
}

Test(same_bits, a_comparison_that_is_cancelled_says_so) {
  fw_scenario *scenario = scenario_from(three_arms);
  const volatile sig_atomic_t cancel = 1;
  const fw_compare_options options = {.threads = 2, .cancel = &cancel};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_compare_result result;
  cr_expect_eq(fw_compare(scenario, &options, &result, &diagnostics), FW_ERROR_FAULT);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "interrupted after 0 of "));
  cr_expect_null(result.arms);
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

/* Searches with an optimum that can be worked out: the steady job at 8 sequences makes 800 tokens in 6 s at 520 W, and
 * a pause of p seconds at 180 W takes the mean down to (3120 + 180 p) / (6 + p) W. Fewer tokens for every second of it,
 * so the best pause is the shortest that keeps the limit. */
#include "sim/fleet/run.h"
#include "sim/study/search.h"
#include "tests/scenario_fixture.h"

#define STEADY(policy)                                                                                                 \
  HEAD("12000", "10", "'budget_w': 450")                                                                               \
  ", 'seeds': 2, 'policies': [{'name': 'uncontrolled'}, {'name': 'searched', 'job': " policy                           \
  "}], 'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'steady-job'}]}"
#define PAUSED STEADY("{'kind': 'static', 'pause_s': 5}")

static const fw_search_dimension pause = {.setting = "pause", .from = 0, .to = 20};

static fw_search_spec spec_of(const fw_search_dimension *dimensions, size_t count, double limit_w) {
  return (fw_search_spec){.policy = 1,
                          .dimensions = dimensions,
                          .dimension_count = count,
                          .objective = fw_metric_slot(FW_METRIC_TOKENS, 0),
                          .limited = fw_metric_slot(FW_METRIC_MEAN_W, 0),
                          .limit = limit_w,
                          .first_seed = 1000,
                          .rounds = 6,
                          .points = 16,
                          .seeds = 1,
                          .finalists = 4,
                          .final_seeds = 2};
}

static fw_search_result searched(const fw_scenario *scenario, const fw_search_spec *spec, unsigned threads) {
  const fw_study_options options = {.threads = threads};
  fw_search_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_assert_eq(fw_search(scenario, spec, &options, &result, &diagnostics), FW_OK, "%s",
               all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return result;
}

Test(search, finds_the_shortest_pause_that_keeps_the_limit) {
  fw_scenario *scenario = scenario_from(PAUSED);
  static const double limits_w[] = {450, 400, 350, 300};
  for (size_t i = 0; i < sizeof limits_w / sizeof limits_w[0]; i++) {
    const double best_s = (3120.0 - 6.0 * limits_w[i]) / (limits_w[i] - 180.0);
    const fw_search_spec spec = spec_of(&pause, 1, limits_w[i]);
    fw_search_result result = searched(scenario, &spec, 0);
    /* Six rounds of 16 points end with steps of 20 s / 2^5 / 16; twice that is granted, and never the wrong side of
     * the limit but for whole batches at the end of the run, a thousandth of it. */
    cr_expect(result.values[0] > best_s - 0.012 && result.values[0] < best_s + 0.08, "%g s for %g W, the best is %g s",
              result.values[0], limits_w[i], best_s);
    cr_expect(result.limited.mean <= limits_w[i]);
    cr_expect_eq(result.runs, 6 * 16 + 4 * 2);
    free(result.settings);
  }
  fw_scenario_free(scenario);
}

/* What is handed back is what was tried: a run with these settings gives the final's mean. */
Test(search, hands_back_settings_that_run) {
  fw_scenario *scenario = scenario_from(PAUSED);
  const fw_search_spec spec = spec_of(&pause, 1, 400);
  fw_search_result result = searched(scenario, &spec, 0);
  fw_scenario_policy policy = scenario->policies[1];
  policy.job_settings = result.settings;
  fw_scenario changed = *scenario;
  changed.policies = &policy;
  changed.policy_count = 1;
  fw_result run = run_seed(&changed, 5);
  cr_expect_eq((double)run.tokens, result.objective.mean, "the job has no chance in it, so any seed will do");
  fw_result_clear(&run);
  free(result.settings);
  fw_scenario_free(scenario);
}

/* Of these the shortest pause that keeps 400 W is the one above 3.27 s. */
Test(search, chooses_among_what_it_is_given) {
  static const double choices[] = {0, 1, 2.5, 3, 4, 7, 12};
  static const fw_search_dimension chosen = {.setting = "pause", .choices = choices, .choice_count = 7};
  fw_scenario *scenario = scenario_from(PAUSED);
  const fw_search_spec spec = spec_of(&chosen, 1, 400);
  fw_search_result result = searched(scenario, &spec, 0);
  cr_expect_eq(result.values[0], 4, "%g s", result.values[0]);
  free(result.settings);
  fw_scenario_free(scenario);
}

/* Pauses of 5 s in the first half leave (3120 + 900) / 11 = 365.45 W there, so the second half may draw 434.55 W for a
 * mean of 400 W: a pause of (3120 - 6 x 434.55) / (434.55 - 180) = 2.014 s. */
Test(search, reaches_into_lists) {
  static const fw_search_dimension second = {.setting = "steps[1].setting", .from = 0, .to = 20};
  static const fw_search_dimension beyond = {.setting = "steps[2].setting", .from = 0, .to = 20};
  fw_scenario *scenario =
      scenario_from(STEADY("{'kind': 'schedule', 'actuator': 'pause_s', 'steps': [{'from_s': 0, 'setting': 5}, "
                           "{'from_s': 6000, 'setting': 7}]}"));
  fw_search_spec spec = spec_of(&second, 1, 400);
  fw_search_result result = searched(scenario, &spec, 0);
  fw_scenario_policy policy = scenario->policies[1];
  fw_scenario changed = *scenario;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  /* As above, and the batch across the two halves is a thousandth of the run. */
  cr_expect(result.values[0] > 2.0 && result.values[0] < 2.1, "%g s", result.values[0]);
  policy.job_settings = result.settings;
  changed.policies = &policy;
  changed.policy_count = 1;
  fw_result run = run_seed(&changed, 5);
  cr_expect_eq((double)run.tokens, result.objective.mean, "what is handed back has lists of its own");
  fw_result_clear(&run);
  fw_result own = run_observed(scenario, (fw_run_options){.policy = 1, .seed = 5});
  cr_expect_lt((double)own.tokens, result.objective.mean, "the scenario's own settings are as they were");
  fw_result_clear(&own);
  free(result.settings);
  spec.dimensions = &beyond;
  cr_expect_eq(fw_search(scenario, &spec, &(fw_study_options){0}, &result, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(all_entries(&diagnostics, buffer), "steps[2]"), "%s", buffer);
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

Test(search, a_limit_that_nothing_keeps_gives_what_comes_nearest) {
  fw_scenario *scenario = scenario_from(PAUSED);
  const fw_search_spec spec = spec_of(&pause, 1, 200);
  fw_search_result result = searched(scenario, &spec, 0);
  cr_expect_gt(result.values[0], 19.5, "%g", result.values[0]);
  cr_expect_gt(result.limited.mean, 200);
  free(result.settings);
  fw_scenario_free(scenario);
}

Test(search, does_not_depend_on_threads) {
  fw_scenario *scenario = scenario_from(
      HEAD("600", "10", "'budget_w': 450") ", 'policies': [{'name': 'uncontrolled'}, {'name': 'searched', 'job': "
                                           "{'kind': 'hysteresis'}}], 'jobs': [{'kind': 'grpo', 'class': 'g', 'model': "
                                           "'plain-job', 'actuators': {'concurrency': [1, 2, 4, 8]}}]}");
  static const fw_search_dimension band[] = {
      {.setting = "lower_above", .from = 0.8, .to = 1.1},
      {.setting = "raise_below", .under = "lower_above", .from = 0.01, .to = 0.3},
      {.setting = "dwell", .from = 0, .to = 60},
  };
  fw_search_spec spec = spec_of(band, 3, 420);
  spec.seeds = 2;
  fw_search_result one = searched(scenario, &spec, 1);
  fw_search_result four = searched(scenario, &spec, 4);
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(one.values[i], four.values[i]);
  cr_expect_eq(one.objective.mean, four.objective.mean);
  cr_expect_lt(one.values[1], one.values[0], "the second lies under the first");
  free(one.settings);
  free(four.settings);
  fw_scenario_free(scenario);
}

static void refused(const fw_search_dimension *dimensions, size_t count, size_t rounds, const char *words) {
  fw_scenario *scenario = scenario_from(PAUSED);
  const fw_study_options options = {0};
  fw_search_spec spec = spec_of(dimensions, count, 400);
  fw_search_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  spec.rounds = rounds;
  cr_expect_eq(fw_search(scenario, &spec, &options, &result, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(all_entries(&diagnostics, buffer), words), "%s lacks %s", buffer, words);
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

Test(search, refuses_what_it_cannot_search) {
  static const fw_search_dimension unknown = {.setting = "puase", .from = 0, .to = 1};
  static const fw_search_dimension above[] = {{.setting = "pause", .from = 0, .to = 1},
                                              {.setting = "concurrency", .under = "group_size", .from = 0, .to = 1}};
  static const fw_search_dimension off_the_range = {.setting = "pause", .from = 5000, .to = 6000};
  refused(&unknown, 1, 3, "puase");
  refused(above, 2, 3, "group_size");
  refused(&pause, 0, 3, "1 to 8 settings");
  refused(&pause, 1, 0, "at least one round");
  refused(&off_the_range, 1, 3, "pause_s");
}

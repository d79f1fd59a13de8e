/* Scenario files: what is wrong with one is said once, with its place and a remedy, and all of it in one pass. */
#include "tests/scenario_fixture.h"

#define CYCLE "{'kind': 'cycle', 'class': 'a', " SQUARE_PHASES "}"
#define GRPO(more) "{'kind': 'grpo', 'class': 'g', 'model': 'plain-job'" more "}"
#define PLAIN HEAD("600", "10, 30", "'budget_w': 300")

typedef struct fault {
  const char *text;
  const char *path;
  const char *words;
} fault;

/* One fault: one error, at that path, with those words. */
static void expect_fault(const fault *wrong) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_expect_eq(scenario_try(wrong->text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT, "accepted: %s", wrong->text);
  cr_expect_null(scenario);
  cr_expect_eq(diagnostics.error_count, 1, "%s\n%s", wrong->text, all_entries(&diagnostics, buffer));
  cr_expect(reported(&diagnostics, FW_SEVERITY_ERROR, wrong->path, wrong->words), "wanted \"%s\" at %s, got:\n%s",
            wrong->words, wrong->path, all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
}

#define EXPECT_FAULTS(list)                                                                                            \
  for (size_t i = 0; i < sizeof(list) / sizeof((list)[0]); i++)                                                        \
  expect_fault(&(list)[i])

Test(scenario, unknown_keys_name_the_nearest_at_every_depth) {
  static const fault faults[] = {
      {"{'fleetwatt': 1, 'name': 'x', 'gpu': 'plain-gpu', 'duration_s': 60, 'window_s': [1], 'windows_s': [1], "
       "'jobs': [" CYCLE "]}",
       "window_s", "did you mean \"windows_s\"?"},
      {PLAIN ", 'topology': {'gpu_per_node': 4}, 'jobs': [" CYCLE "]}", "topology.gpu_per_node",
       "did you mean \"gpus_per_node\"?"},
      {PLAIN ", 'jobs': [{'kind': 'cycle', 'class': 'a', 'cuont': 2, " SQUARE_PHASES "}]}", "jobs[0].cuont",
       "did you mean \"count\"?"},
      {PLAIN ", 'jobs': [{'kind': 'cycle', 'class': 'a', 'phases': [{'duration_s': 1, 'power_w': 100, 'powr': 1}]}]}",
       "jobs[0].phases[0].powr", "did you mean \"power\"?"},
      {PLAIN ", 'jobs': [" GRPO(", 'actuators': {'concurency': [1, 8]}") "]}", "jobs[0].actuators.concurency",
       "did you mean \"concurrency\"?"},
      {PLAIN ", 'budget_schedule': {'steps': [{'from_s': 0, 'factor': 1, 'facter': 1}]}, 'jobs': [" CYCLE "]}",
       "budget_schedule.steps[0].facter", "did you mean \"factor\"?"},
      {PLAIN ", 'tariff': {'cost_per_kw': [1]}, 'jobs': [" CYCLE "]}", "tariff.cost_per_kw",
       "did you mean \"cost_per_kwh\"?"},
      {PLAIN ", 'policies': [{'name': 'p', 'fleets': 1}], 'jobs': [" CYCLE "]}", "policies[0].fleets",
       "did you mean \"fleet\"?"},
      {PLAIN ", 'policies': [{'name': 'p', 'job': {'kind': 'static', 'concurency': 4}}], 'jobs': [" CYCLE "]}",
       "policies[0].job.concurency", "did you mean \"concurrency\"?"},
      {PLAIN ", 'jobs': [{'kind': 'cycles', 'class': 'a'}]}", "jobs[0].kind", "cycle"},
      {PLAIN ", 'policies': [{'name': 'p', 'fleet': {'kind': 'uniform_caps'}}], 'jobs': [" CYCLE "]}",
       "policies[0].fleet.kind", "uniform_cap"},
  };
  EXPECT_FAULTS(faults);
}

Test(scenario, wrong_types_units_and_ranges_are_told) {
  static const fault faults[] = {
      {HEAD("600", "10", "'budget_w': -1") ", 'jobs': [" CYCLE "]}", "budget_w", "above 0"},
      {HEAD("600", "10", "'budget_w': 0") ", 'jobs': [" CYCLE "]}", "budget_w", "above 0"},
      {HEAD("0", "10", "'budget_w': 1") ", 'jobs': [" CYCLE "]}", "duration_s", "above 0"},
      {HEAD("600", "", "'budget_w': 1") ", 'jobs': [" CYCLE "]}", "windows_s", "at least 1"},
      {HEAD("600", "0", "'budget_w': 1") ", 'jobs': [" CYCLE "]}", "windows_s[0]", "above 0"},
      {HEAD("600", "10", "'budget_w': '300'") ", 'jobs': [" CYCLE "]}", "budget_w", "number"},
      {HEAD("600", "10", "'budget_kw': 'NaN'") ", 'jobs': [" CYCLE "]}", "budget_kw", "number"},
      {HEAD("600", "10", "'budget': 300") ", 'jobs': [" CYCLE "]}", "budget", "budget_w"},
      {HEAD("600", "10", "'budget_s': 300") ", 'jobs': [" CYCLE "]}", "budget_s", "budget_w"},
      {HEAD("600", "10", "'oversubscription': 2") ", 'jobs': [" CYCLE "]}", "oversubscription", "array"},
      {HEAD("600", "10", "'oversubscription': [1, 0]") ", 'jobs': [" CYCLE "]}", "oversubscription[1]", "above 0"},
      {PLAIN ", 'jobs': []}", "jobs", "at least 1"},
      {PLAIN ", 'start': 'alined', 'jobs': [" CYCLE "]}", "start", "aligned"},
      {PLAIN ", 'seed': 18446744073709551616, 'jobs': [" CYCLE "]}", "seed", "18446744073709551615"},
      {PLAIN ", 'jobs': [{'kind': 'cycle', 'class': 'a', 'phases': [{'duration_s': 1, 'power_w': -5}]}]}",
       "jobs[0].phases[0].power_w", "at least 0"},
      {PLAIN ", 'jobs': [{'kind': 'cycle', 'class': 'a', 'count': 1.5, " SQUARE_PHASES "}]}", "jobs[0].count",
       "whole number"},
      {PLAIN ", 'jobs': [{'kind': 'cycle', 'class': 'a'}]}", "jobs[0]", "missing key \"phases\""},
  };
  EXPECT_FAULTS(faults);
}

Test(scenario, contradictions_are_told) {
  static const fault faults[] = {
      {HEAD("600", "10", "'budget_w': 1, 'oversubscription': [2]") ", 'jobs': [" CYCLE "]}", "oversubscription",
       "give one of the two"},
      {HEAD("600", "10, 30, 10", "'budget_w': 1") ", 'jobs': [" CYCLE "]}", "windows_s", "given twice"},
      {HEAD("600", "1, 2, 3, 4, 5, 6, 7, 8, 9", "'budget_w': 1") ", 'jobs': [" CYCLE "]}", "windows_s", "at most 8"},
      {HEAD("600.3", "10", "'budget_w': 1") ", 'jobs': [" CYCLE "]}", "duration_s", "whole number of ticks of 0.5 s"},
      {PLAIN ", 'warmup_s': 600, 'jobs': [" CYCLE "]}", "warmup_s", "leaves nothing"},
      /* Rounded up to whole seconds it is as long as the run. */
      {PLAIN ", 'warmup_s': 599.2, 'jobs': [" CYCLE "]}", "warmup_s", "leaves nothing"},
      {PLAIN ", 'topology': {'gpus': 3}, 'jobs': [{'kind': 'cycle', 'class': 'a', 'count': 2, 'gpus': 2, " SQUARE_PHASES
             "}]}",
       "topology.gpus", "ask for 4 GPUs, the fleet has 3"},
      {PLAIN ", 'jobs': [{'kind': 'cycle', 'class': 'loop', 'phases': [{'duration_s': 0, 'power_w': 300}, "
             "{'duration_s': 0, 'power_w': 100}]}]}",
       "jobs[0].phases", "\"loop\" repeats phases of no length"},
      {PLAIN ", 'budget_schedule': {'steps': [{'from_s': 5, 'factor': 1}]}, 'jobs': [" CYCLE "]}",
       "budget_schedule.steps", "the first at 0"},
      {PLAIN ", 'budget_schedule': {'steps': [{'from_s': 0, 'factor': 1}, {'from_s': 9, 'factor': 2}, {'from_s': 9, "
             "'factor': 1}]}, 'jobs': [" CYCLE "]}",
       "budget_schedule.steps", "rise in time"},
      {PLAIN ", 'budget_schedule': {'repeat_s': 60, 'steps': [{'from_s': 0, 'factor': 1}, {'from_s': 60, 'factor': "
             "2}]}, 'jobs': [" CYCLE "]}",
       "budget_schedule.steps", "after the schedule repeats"},
      {PLAIN ", 'tariff': {'cost_per_kwh': [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]}, "
             "'jobs': [" CYCLE "]}",
       "tariff.cost_per_kwh", "each of the 24 hours; found 23"},
      {PLAIN ", 'policies': [{'name': 'p'}, {'name': 'q'}, {'name': 'p'}], 'jobs': [" CYCLE "]}", "policies[2].name",
       "policies[0] is already named \"p\""},
      {PLAIN ", 'policies': [{'name': 'p', 'classes': ['a', 'b']}], 'jobs': [" CYCLE "]}", "policies[0].classes[1]",
       "no job is of class \"b\""},
  };
  EXPECT_FAULTS(faults);
}

Test(scenario, what_a_job_refers_to_is_checked) {
  static const fault faults[] = {
      {"{'fleetwatt': 1, 'name': 'x', 'gpu': 'no-such-gpu', 'duration_s': 60, 'windows_s': [1], 'jobs': [" CYCLE "]}",
       "gpu", "no-such-gpu.json"},
      {PLAIN ", 'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'no-such-job'}]}", "jobs[0].model",
       "no-such-job.json"},
      {PLAIN ", 'tick_s': 1, 'jobs': [" GRPO("") "]}", "jobs[0].model",
       "is defined on a tick of 0.5 s, the scenario samples every 1 s"},
      {PLAIN ", 'jobs': [" GRPO(", 'actuators': {'concurrency': [8, 4]}") "]}", "jobs[0].actuators.concurrency",
       "levels must rise"},
      {PLAIN ", 'jobs': [" GRPO(", 'actuators': {'concurrency': [1, 2]}") "]}", "jobs[0]",
       "concurrency of 8 is not among its levels"},
      {PLAIN ", 'jobs': [" GRPO(", 'power_cap_w': 50") "]}", "jobs[0]", "power_cap_w of 50 is not among its levels"},
      {PLAIN ", 'jobs': [{'kind': 'replay', 'class': 'r', 'trace': 'given'}]}", "jobs[0].trace", "add --trace FILE"},
  };
  EXPECT_FAULTS(faults);
}

Test(scenario, faults_are_reported_all_at_once_with_line_and_column) {
  static const char text[] = "{\n"
                             "  'fleetwatt': 1,\n"
                             "  'nmae': 'x',\n"
                             "  'name': 'x',\n"
                             "  'gpu': 'plain-gpu',\n"
                             "  'duration_s': -60,\n"
                             "  'windows_s': [10],\n"
                             "  'jobs': [\n"
                             "    {'kind': 'cycle', 'class': 'a', 'cuont': 2,\n"
                             "     'phases': [{'duration_s': 60, 'power_kw': -1}]}\n"
                             "  ]\n"
                             "}\n";
  static const struct {
    const char *path;
    size_t line;
    size_t column;
  } wanted[] = {
      {"nmae", 3, 11}, {"duration_s", 6, 17}, {"jobs[0].cuont", 9, 46}, {"jobs[0].phases[0].power_kw", 10, 48}};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_assert_eq(scenario_try(text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 4);
  for (size_t i = 0; i < 4; i++) {
    const fw_diagnostic *entry = &diagnostics.entries[i];
    cr_expect_str_eq(entry->path, wanted[i].path);
    cr_expect_str_eq(entry->file, SCENARIO_PATH);
    cr_expect_eq(entry->line, wanted[i].line, "%s: line %zu", entry->path, entry->line);
    cr_expect_eq(entry->column, wanted[i].column, "%s: column %zu", entry->path, entry->column);
  }
  fw_diagnostics_clear(&diagnostics);
}

/* Later steps of resolving do not hide behind earlier ones. */
Test(scenario, faults_of_meaning_are_reported_together) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  const fw_status status =
      scenario_try(HEAD("600.1", "5, 5", "'budget_w': 1") ", 'jobs': [" GRPO(
                       ", 'power_cap_w': 1") ", {'kind': 'grpo', 'class': 'h', 'model': 'none'}, "
                                             "" CYCLE "], 'tariff': {'cost_per_kwh': [1, 2]}, 'policies': "
                                             "[{'name': 'p', 'classes': ['z']}]}",
                   NULL, &scenario, &diagnostics);
  cr_expect_eq(status, FW_ERROR_INPUT);
  cr_expect_eq(diagnostics.error_count, 6, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
}

Test(scenario, files_that_are_no_scenario_are_input_errors) {
  fw_scenario *scenario = NULL;
  static const char *const texts[] = {"", " ", "scenario: 1\n", "[]", "{}", "{'fleetwatt': 1", "{'fleetwatt': 2}"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    cr_expect_eq(scenario_try(texts[i], NULL, &scenario, &diagnostics), FW_ERROR_INPUT, "accepted: %s", texts[i]);
    cr_expect_gt(diagnostics.error_count, 0);
    fw_diagnostics_clear(&diagnostics);
  }
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_expect_eq(fw_scenario_read("/nowhere/scenario.json", NULL, &scenario, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].file, "/nowhere/scenario.json"));
  fw_diagnostics_clear(&diagnostics);
}

Test(scenario, a_window_longer_than_the_run_is_a_warning_and_its_results_are_nothing) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_assert_eq(scenario_try(HEAD("600", "600, 600.5", "'budget_w': 100") ", 'jobs': [" CYCLE "]}", NULL, &scenario,
                            &diagnostics),
               FW_OK);
  cr_expect_eq(diagnostics.count, 1);
  cr_expect(reported(&diagnostics, FW_SEVERITY_WARNING, "windows_s", "600.5 s is longer than the run"), "%s",
            all_entries(&diagnostics, buffer));
  fw_result result = run_seed(scenario, 1);
  cr_expect_eq(result.windows[0].violation_rate, 1.0);
  cr_expect(isnan(result.windows[1].violation_rate) && isnan(result.windows[1].peak_w));
  fw_result_clear(&result);
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
}

Test(scenario, a_window_shorter_than_a_tick_is_a_warning) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_assert_eq(
      scenario_try(HEAD("600", "0.1", "'budget_w': 300") ", 'jobs': [" CYCLE "]}", NULL, &scenario, &diagnostics),
      FW_OK);
  cr_expect(reported(&diagnostics, FW_SEVERITY_WARNING, "windows_s", "0.1 s is shorter than a tick"));
  fw_result result = run_seed(scenario, 1);
  cr_expect_eq(result.windows[0].violation_rate, 0.5);
  cr_expect_eq(result.windows[0].peak_w, 400.0);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
}

Test(scenario, a_model_of_another_gpu_is_a_warning) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_assert_eq(
      scenario_try(PLAIN ", 'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'job'}]}", NULL, &scenario, &diagnostics),
      FW_OK);
  cr_expect(reported(&diagnostics, FW_SEVERITY_WARNING, "jobs[0].model", "was measured on \"example-gpu\""), "%s",
            all_entries(&diagnostics, buffer));
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
}

Test(scenario, overrides_replace_budgets_and_choose_policies) {
  static const char text[] = PLAIN ", 'policies': [{'name': 'first'}, {'name': 'second'}, {'name': 'third'}], "
                                   "'jobs': [" CYCLE "]}";
  static const double ratios[] = {2.0, 0.5};
  static const char *const names[] = {"third", "first"};
  const fw_scenario_overrides overrides = {.duration = 90 * FW_NS_PER_S,
                                           .seeds = 7,
                                           .oversubscription = ratios,
                                           .oversubscription_count = 2,
                                           .policies = names,
                                           .policy_count = 2};
  fw_scenario *scenario = scenario_with(text, &overrides);
  cr_expect_eq(scenario->duration, 90 * FW_NS_PER_S);
  cr_expect_eq(scenario->seeds, 7);
  cr_assert_eq(scenario->budget_count, 2);
  cr_expect_eq(scenario->budgets[0].power, 200000); /* one GPU of 400 W */
  cr_expect_eq(scenario->budgets[1].power, 800000);
  cr_assert_eq(scenario->policy_count, 2);
  cr_expect_str_eq(scenario->policies[0].name, "first"); /* the order of the file */
  cr_expect_str_eq(scenario->policies[1].name, "third");
  fw_scenario_free(scenario);
}

Test(scenario, an_override_that_names_no_policy_is_an_error) {
  static const char *const names[] = {"secnod"};
  const fw_scenario_overrides overrides = {.policies = names, .policy_count = 1};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_expect_eq(scenario_try(PLAIN ", 'policies': [{'name': 'first'}, {'name': 'second'}], 'jobs': [" CYCLE "]}",
                            &overrides, &scenario, &diagnostics),
               FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "no policy \"secnod\"; did you mean \"second\""));
  fw_diagnostics_clear(&diagnostics);
}

/* What a scenario rests on moves its hash: the text and every parameter file. */
Test(scenario, the_hash_follows_the_text) {
  fw_scenario *one = scenario_from(PLAIN ", 'jobs': [" CYCLE "]}");
  fw_scenario *same = scenario_from(PLAIN ", 'jobs': [" CYCLE "]}");
  fw_scenario *other = scenario_from(PLAIN ", 'jobs': [" CYCLE "] }");
  cr_expect_str_eq(one->hash, same->hash);
  cr_expect_str_neq(one->hash, other->hash);
  cr_expect_eq(strlen(one->hash), 16);
  fw_scenario_free(one);
  fw_scenario_free(same);
  fw_scenario_free(other);
}

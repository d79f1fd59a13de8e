/* docs/results.md knows every key of every JSON result. The results come from runs that show all of them: budgets of
 * nodes, racks and rows, several arms, a window that is never full, jobs with tokens and without. */
#include <ctype.h>
#include <stdio.h>

#include "sim/report/report.h"
#include "tests/scenario_fixture.h"

#define DOCUMENT FW_SOURCE_DIR "/docs/results.md"

static const char everything[] =
    HEAD("60", "0.5, 600", "'oversubscription': [2]") ", 'seeds': 2, 'topology': {'gpus': 9, 'gpus_per_node': 2, "
                                                      "'nodes_per_rack': 2, 'racks_per_row': 1, "
                                                      "'rack_budget_w': 900}, 'electrical': {'pue': 1.2, 'breaker': "
                                                      "{}, 'row_feeds': [{'rating_kva': 2}, {'rating_kva': 2}]}, "
                                                      "'tariff': "
                                                      "{'cost_per_kwh': [0.1], 'carbon_kg_per_kwh': [0.2]}, "
                                                      "'policies': [{'name': 'uncontrolled'}, {'name': 'capped', "
                                                      "'fleet': {'kind': 'uniform_cap'}}], 'jobs': [{'kind': 'grpo', "
                                                      "'class': 'g', 'model': 'plain-job'}, {'kind': "
                                                      "'cycle', 'class': 'c', " SQUARE_PHASES
                                                      "}, {'kind': 'queue', 'class': 'q', 'interval': {'kind': "
                                                      "'exponential', 'mean_s': 5}, 'duration': {'kind': 'constant', "
                                                      "'mean_s': 3}, 'phases': [{'duration_s': 1, 'power_w': 100}]}, "
                                                      "{'kind': 'serving', 'class': 's', 'model': 'plain-job', "
                                                      "'interval': {'kind': 'constant', 'mean_s': 5}, "
                                                      "'context_mean': 9, 'output_mean': 9"
                                                      "}], 'events': [{'kind': 'restart', 'at_s': 30}]}";

/* As code, `key`, or as a piece of JSON, "key". */
static bool mentions(const char *document, const char *key) {
  char code[80], json[80];
  (void)snprintf(code, sizeof code, "`%s`", key);
  (void)snprintf(json, sizeof json, "\"%s\"", key);
  return strstr(document, code) != NULL || strstr(document, json) != NULL;
}

/* Returns how many keys there are; windows, whose keys are numbers, are none. */
static size_t check_keys(const char *document, const fw_json_value *value) {
  size_t count = 0;
  const fw_json_type type = fw_json_type_of(value);
  if (type != FW_JSON_OBJECT && type != FW_JSON_ARRAY) return 0;
  for (const fw_json_value *member = fw_json_first(value); member != NULL; member = fw_json_next(member)) {
    if (type == FW_JSON_OBJECT && !isdigit((unsigned char)fw_json_key(member)[0])) {
      cr_expect(mentions(document, fw_json_key(member)), "docs/results.md says nothing about \"%s\"",
                fw_json_key(member));
      count++;
    }
    count += check_keys(document, member);
  }
  return count;
}

/* At least `fewest` keys, so that a result that lost them does not pass. Frees `text`. */
static void check_result(fw_text *text, size_t fewest) {
  fw_text document = FW_TEXT_INIT;
  fw_json *json = NULL;
  cr_assert_eq(fw_file_read(DOCUMENT, FW_JSON_SIZE_LIMIT, &document, NULL), FW_OK);
  cr_assert_not(text->failed);
  cr_assert_eq(fw_json_parse(text->data, text->length, NULL, &json, NULL), FW_OK);
  cr_expect_geq(check_keys(document.data, fw_json_root(json)), fewest);
  fw_json_free(json);
  fw_text_clear(&document);
  fw_text_clear(text);
}

static const fw_diagnostics nothing = FW_DIAGNOSTICS_INIT;

Test(results_doc, knows_the_keys_of_a_run) {
  fw_scenario *scenario = scenario_from(everything);
  fw_result result = run_observed(scenario, (fw_run_options){.policy = 1, .seed = 1, .all_domains = true});
  cr_assert_eq(result.domain_count, 5 + 3 + 3 + 1, "nodes, racks, rows and the site");
  const fw_report_run run = {.scenario = scenario, .policy = 1, .seed = 1, .result = &result};
  fw_text text = FW_TEXT_INIT;
  fw_report_run_json(&run, &nothing, &text);
  check_result(&text, 100);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
}

Test(results_doc, knows_the_keys_of_a_comparison) {
  fw_scenario *scenario = scenario_from(everything);
  const fw_compare_options options = {.threads = 1};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_compare_result result;
  cr_assert_eq(fw_compare(scenario, &options, &result, &diagnostics), FW_OK);
  fw_diagnostics_clear(&diagnostics);
  fw_text text = FW_TEXT_INIT;
  fw_report_compare_json(&result, &nothing, &text);
  check_result(&text, 100);
  fw_compare_clear(&result);
  fw_scenario_free(scenario);
}

Test(results_doc, knows_the_keys_of_a_recording) {
  static const fw_time_ns windows[] = {FW_NS_PER_S, 3600 * FW_NS_PER_S};
  const fw_windows_options options = {.path = FW_SOURCE_DIR "/tests/unit/data/recording.csv",
                                      .has_budget = true,
                                      .budget = 200000,
                                      .windows = windows,
                                      .window_count = 2};
  fw_windows_result result = {0};
  cr_assert_eq(fw_windows_study(&options, &result, NULL), FW_OK);
  fw_text text = FW_TEXT_INIT;
  fw_report_windows_json(&result, &nothing, &text);
  check_result(&text, 30);
  fw_windows_clear(&result);
}

/* One point, one arm, two figures of two runs, as a store would give them. */
static fw_stored_study stored_study(fw_stored_point *point, fw_stored_arm *arm, fw_stored_metric metrics[2]) {
  static double values[2] = {1.0, 2.0};
  static uint64_t seeds[2] = {1, 2};
  static char tokens[] = "tokens", rate[] = "violation_rate", policy[] = "free", settings[] = "{}", word[] = "word";
  metrics[0] = (fw_stored_metric){.name = tokens, .values = values};
  metrics[1] = (fw_stored_metric){.name = rate, .window = FW_NS_PER_S, .values = values};
  *arm = (fw_stored_arm){
      .policy = policy, .budget = 1000, .seeds = seeds, .runs = 2, .metrics = metrics, .metric_count = 2};
  *point = (fw_stored_point){.settings = settings, .first_seed = 1, .seeds = 2, .arms = arm, .arm_count = 1};
  return (fw_stored_study){
      .name = word, .command = word, .scenario = word, .version = word, .points = point, .point_count = 1};
}

Test(results_doc, knows_the_keys_of_stored_studies) {
  fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_stored_point point;
  fw_stored_arm arm;
  fw_stored_metric metrics[2];
  fw_stored_study study = stored_study(&point, &arm, metrics);
  fw_text text = FW_TEXT_INIT;
  fw_report_stored_json(&study, "results", &none, &text);
  check_result(&text, 20);

  fw_stored_summary summary = {
      .name = study.name, .command = study.name, .scenario = study.name, .version = study.name};
  const fw_stored_list list = {&summary, 1};
  fw_report_stored_list_json(&list, &text);
  check_result(&text, 10);

  fw_stored_change change = {.metric = 1, .verdict = FW_STORED_BEYOND};
  const fw_stored_comparison comparison = {.before = &study, .after = &study, .changes = &change, .count = 1};
  fw_report_stored_comparison_json(&comparison, &text);
  check_result(&text, 20);
}

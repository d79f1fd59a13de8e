/* Reports: the JSON is JSON, has the keys that are promised, and says null where there is no figure; the tables hold
 * the same figures. */
#include "sim/report/report.h"
#include "sim/report/table.h"
#include "tests/scenario_fixture.h"

static const fw_diagnostics nothing = FW_DIAGNOSTICS_INIT;

/* Two arms of a job and a half: 0.5 s is judged, 600 s is longer than the run. */
static const char compared[] =
    HEAD("120", "0.5, 600", "'oversubscription': [1.5, 3]") ", 'seeds': 4, 'policies': [{'name': 'uncontrolled'}, "
                                                            "{'name': 'capped \\'1\\'', 'fleet': {'kind': "
                                                            "'uniform_cap'}}], 'jobs': [{'kind': 'grpo', 'class': "
                                                            "'g', 'model': 'plain-job', 'completion_mean': 30}, "
                                                            "{'kind': 'cycle', 'class': 'c', " SQUARE_PHASES "}]}";

static fw_json *parsed(const fw_text *text) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document = NULL;
  char buffer[2000];
  cr_assert_not(text->failed);
  const fw_status status = fw_json_parse(text->data, text->length, "report", &document, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s\n%s", all_entries(&diagnostics, buffer), text->data);
  fw_diagnostics_clear(&diagnostics);
  return document;
}

/* All the `keys` (ended by NULL) are there, and no others. */
static void expect_keys(const fw_json_value *object, const char *const *keys, const char *what) {
  size_t count = 0;
  for (; keys[count] != NULL; count++)
    cr_expect_not_null(fw_json_get(object, keys[count]), "%s lacks \"%s\"", what, keys[count]);
  cr_expect_eq(fw_json_count(object), count, "%s has %zu keys, not %zu", what, fw_json_count(object), count);
}

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const fw_json_value *element(const fw_json_value *array, size_t index) {
  const fw_json_value *at = fw_json_first(array);
  for (size_t i = 0; i < index; i++)
    at = fw_json_next(at);
  return at;
}

static bool is_null(const fw_json_value *value) {
  return value != NULL && fw_json_type_of(value) == FW_JSON_NULL;
}

/* ---- compare ---- */

static fw_compare_result compare(const fw_scenario *scenario) {
  const fw_compare_options options = {.threads = 2};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_compare_result result;
  char buffer[2000];
  cr_assert_eq(fw_compare(scenario, &options, &result, &diagnostics), FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return result;
}

static void expect_metrics(const fw_json_value *metrics, bool paired) {
  const char *names[FW_METRIC_COUNT + 1] = {NULL}; /* but the rare ones, which these runs do not have */
  fw_metric given[FW_METRIC_COUNT];
  size_t count = 0;
  for (size_t m = 0; m < FW_METRIC_COUNT; m++) {
    if (fw_metric_table[m].rare) continue;
    given[count] = (fw_metric)m;
    names[count++] = fw_metric_table[m].name;
  }
  expect_keys(metrics, names, "metrics");
  for (size_t m = 0; m < count; m++) {
    const fw_json_value *value = fw_json_get(metrics, names[m]);
    if (fw_metric_table[given[m]].windowed) {
      expect_keys(value, KEYS("0.5", "600"), names[m]);
      cr_expect(is_null(fw_json_get(fw_json_get(value, "600"), "mean")), "%s at 600 s", names[m]);
      value = fw_json_get(value, "0.5");
    }
    if (paired) {
      expect_keys(value, KEYS("mean", "lo", "hi", "correlation"), names[m]);
    } else {
      expect_keys(value, KEYS("mean", "lo", "hi"), names[m]);
    }
  }
}

Test(report, a_comparison_as_json) {
  fw_scenario *scenario = scenario_from(compared);
  fw_compare_result result = compare(scenario);
  fw_text text = FW_TEXT_INIT;
  fw_report_compare_json(&result, &nothing, &text);
  fw_json *document = parsed(&text);
  const fw_json_value *root = fw_json_root(document);
  cr_expect_str_eq(fw_json_string(fw_json_get(root, "command")), "compare");
  cr_expect_str_eq(fw_json_string(fw_json_get(root, "scenario_hash")), scenario->hash);
  cr_expect_eq(fw_json_number(fw_json_get(root, "nameplate_w")), 1200.0);
  const fw_json_value *arms = fw_json_get(root, "arms");
  cr_assert_eq(fw_json_count(arms), 4);
  for (size_t i = 0; i < 4; i++) {
    const fw_json_value *arm = element(arms, i);
    const fw_json_value *tokens = fw_json_get(fw_json_get(arm, "metrics"), "tokens");
    cr_expect_str_eq(fw_json_string(fw_json_get(arm, "policy")), i % 2 == 0 ? "uncontrolled" : "capped \"1\"");
    cr_expect_eq(fw_json_number(fw_json_get(arm, "oversubscription")), i < 2 ? 1.5 : 3.0);
    cr_expect_eq(fw_json_number(fw_json_get(arm, "budget_w")), i < 2 ? 800.0 : 400.0);
    cr_expect_float_eq(fw_json_number(fw_json_get(tokens, "mean")),
                       result.arms[i].metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)].mean, 1e-6); /* 12 digits of 1e4 */
    expect_metrics(fw_json_get(arm, "metrics"), false);
  }
  const fw_json_value *differences = fw_json_get(root, "differences");
  cr_assert_eq(fw_json_count(differences), 2);
  for (size_t i = 0; i < 2; i++) {
    cr_expect_str_eq(fw_json_string(fw_json_get(element(differences, i), "against")), "uncontrolled");
    expect_metrics(fw_json_get(element(differences, i), "metrics"), true);
  }
  fw_json_free(document);
  fw_text_clear(&text);
  fw_compare_clear(&result);
  fw_scenario_free(scenario);
}

Test(report, a_comparison_as_tables) {
  fw_scenario *scenario = scenario_from(compared);
  fw_compare_result result = compare(scenario);
  fw_text text = FW_TEXT_INIT;
  fw_report_compare_text(&result, &nothing, &text);
  cr_assert_not(text.failed);
  static const char *const words[] = {"test: 3 GPUs, nameplate 1200 W",
                                      "Budget 800 W, oversubscription ratio 1.5",
                                      "Budget 400 W, oversubscription ratio 3",
                                      "capped \"1\"",
                                      "0.5 s",
                                      "n/a",
                                      "paired with uncontrolled"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    cr_expect_not_null(strstr(text.data, words[i]), "no \"%s\" in:\n%s", words[i], text.data);
  fw_text_clear(&text);
  fw_compare_clear(&result);
  fw_scenario_free(scenario);
}

/* ---- run ---- */

Test(report, a_run_as_json) {
  fw_scenario *scenario = scenario_from(compared);
  fw_result result = run_seed(scenario, 9);
  const fw_report_run run = {.scenario = scenario, .seed = 9, .result = &result};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_warning(&diagnostics, (fw_place){0}, "a \"warning\"\n");
  (void)fw_error(&diagnostics, FW_ERROR_INPUT, (fw_place){0}, "an error is none of the warnings");
  fw_text text = FW_TEXT_INIT;
  fw_report_run_json(&run, &diagnostics, &text);
  fw_json *document = parsed(&text);
  const fw_json_value *root = fw_json_root(document);
  expect_keys(root,
              KEYS("fleetwatt", "command", "version", "scenario", "scenario_hash", "seed", "hours", "policy",
                   "oversubscription", "budget_w", "stop_reason", "warnings", "tokens", "energy_wh", "energy_j_exact",
                   "cost", "carbon_kg", "ties", "windows", "windows_sensed", "domains", "jobs"),
              "a run");
  cr_expect_eq(fw_json_number(fw_json_get(root, "seed")), 9.0);
  cr_assert_eq(fw_json_count(fw_json_get(root, "warnings")), 1);
  cr_expect_str_eq(fw_json_string(element(fw_json_get(root, "warnings"), 0)), "a \"warning\"\n");
  char joules_text[FW_UNITS_TEXT_SIZE];
  cr_expect_str_eq(fw_json_string(fw_json_get(root, "energy_j_exact")), fw_energy_format(result.energy, joules_text));
  const fw_json_value *windows = fw_json_get(root, "windows");
  const fw_json_value *judged = fw_json_get(windows, "0.5");
  expect_keys(judged,
              KEYS("violation_rate", "episodes", "longest_episode_s", "excess_ws", "peak_w", "p50_w", "p95_w", "p99_w",
                   "p999_w"),
              "a window");
  cr_expect_float_eq(fw_json_number(fw_json_get(judged, "violation_rate")), result.windows[0].violation_rate, 1e-12);
  cr_expect(is_null(fw_json_get(fw_json_get(windows, "600"), "violation_rate")));
  cr_expect(is_null(fw_json_get(fw_json_get(windows, "600"), "peak_w")));
  cr_expect_eq(fw_json_count(fw_json_get(root, "jobs")), 2);
  cr_expect_eq(fw_json_count(fw_json_get(root, "domains")), result.domain_count);
  cr_expect(is_null(fw_json_get(element(fw_json_get(root, "jobs"), 1), "mean_occupancy")) ==
            isnan(result.jobs[1].mean_occupancy));
  fw_json_free(document);
  fw_text_clear(&text);
  fw_diagnostics_clear(&diagnostics);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
}

/* Without a budget nothing is judged, but there are still peaks and percentiles. */
Test(report, a_run_without_a_budget_has_peaks_and_no_rates) {
  fw_scenario *scenario =
      scenario_from("{'fleetwatt': 1, 'name': 'free', 'gpu': 'plain-gpu', 'duration_s': 120, 'windows_s': [0.5], "
                    "'jobs': [{'kind': 'cycle', 'class': 'c', " SQUARE_PHASES "}]}");
  fw_result result = run_seed(scenario, 1);
  cr_expect(isnan(result.windows[0].violation_rate));
  cr_expect_eq(result.windows[0].peak_w, 400.0);
  const fw_report_run run = {.scenario = scenario, .seed = 1, .result = &result};
  fw_text text = FW_TEXT_INIT;
  fw_report_run_text(&run, &nothing, &text);
  cr_expect(!text.failed && strstr(text.data, "n/a") != NULL && strstr(text.data, "400") != NULL, "%s", text.data);
  fw_text_clear(&text);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
}

/* ---- windows ---- */

Test(report, a_recording_as_json) {
  static const fw_time_ns windows[] = {FW_NS_PER_S / 2, 60 * FW_NS_PER_S};
  const fw_windows_options options = {.path = FW_SOURCE_DIR "/tests/unit/data/recording.csv",
                                      .has_budget = true,
                                      .budget = 179000,
                                      .windows = windows,
                                      .window_count = 2};
  fw_windows_result result = {0};
  cr_assert_eq(fw_windows_study(&options, &result, NULL), FW_OK);
  fw_text text = FW_TEXT_INIT;
  fw_report_windows_json(&result, &nothing, &text);
  fw_json *document = parsed(&text);
  const fw_json_value *root = fw_json_root(document);
  cr_expect_str_eq(fw_json_string(fw_json_get(root, "energy_j_exact")), "535.375");
  cr_expect_eq(fw_json_number(fw_json_get(root, "covered_s")), 3.0);
  const fw_json_value *rows = fw_json_get(root, "windows");
  cr_expect_eq(fw_json_number(fw_json_get(fw_json_get(rows, "0.5"), "violation_rate")), 0.5);
  cr_expect(is_null(fw_json_get(fw_json_get(rows, "60"), "violation_rate")));
  cr_expect(is_null(fw_json_get(fw_json_get(rows, "60"), "p99_w")));
  cr_expect_not_null(
      strstr(fw_json_string(fw_json_get(fw_json_get(rows, "60"), "reason")), "longer than the recording"));
  fw_json_free(document);
  fw_text_clear(&text);
  fw_windows_clear(&result);
}

/* ---- Tables ---- */

/* Widths count characters: the sign of plus-minus is two bytes. Figures align at their decimal points. */
Test(report, tables_align_by_characters) {
  fwi_table table = fwi_table_start(3);
  static const char *const cells[] = {"a", "b", "c", "long name", "1 \302\261 2", "3", "x", "10", "400"};
  for (size_t i = 0; i < 9; i++)
    fwi_table_add(&table, "%s", cells[i]);
  fw_text text = FW_TEXT_INIT;
  fwi_table_finish(&table, "> ", &text);
  cr_expect_str_eq(text.data, "> a               b    c\n"
                              "> long name   1 \302\261 2    3\n"
                              "> x          10      400\n");
  fw_text_clear(&text);
}

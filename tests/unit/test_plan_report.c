/* A plan whose answer needs no statistics: four jobs of 400 and 200 W in step, so half of the time is above any budget
 * between 800 and 1600 W, and none of it above 1600 W. What is printed of it, and what is refused. */
#include <math.h>
#include <stdio.h>

#include "sim/report/report.h"
#include "tests/scenario_fixture.h"

static const char squares[] =
    HEAD("600", "0.5, 30",
         "'budget_w': 1600") ", 'tariff': {'cost_per_kwh': [0.1]}, 'electrical': {'pue': 2, 'breaker': "
                             "{}}, 'jobs': [{'kind': 'cycle', 'class': 'c', 'count': 4, " SQUARE_PHASES "}]}";

static fw_plan_options options_of(fw_plan_risk risk, double limit) {
  return (fw_plan_options){.risk = risk,
                           .limit = limit,
                           .most_loss = NAN,
                           .from = 1.0,
                           .to = 1.5,
                           .step = 0.1,
                           .look = 2,
                           .most_runs = 100,
                           .study = {.threads = 1}};
}

static fw_status try_plan(const char *text, const fw_plan_options *options, fw_plan_result *result,
                          fw_diagnostics *diagnostics) {
  fw_scenario *scenario = scenario_from(text);
  const fw_status status = fw_plan(scenario, options, result, diagnostics);
  if (status != FW_OK) fw_scenario_free(scenario);
  return status;
}

static fw_plan_result plan(const fw_plan_options *options) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_plan_result result;
  char buffer[2000];
  cr_assert_eq(try_plan(squares, options, &result, &diagnostics), FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return result;
}

static void clear(fw_plan_result *result) {
  fw_scenario *scenario = (fw_scenario *)(uintptr_t)result->scenario;
  fw_plan_clear(result);
  fw_scenario_free(scenario);
}

/* 10 minutes hold five periods: half of the time at 0.5 s and five episodes, 720 a day or
 * 1440 for each day within the budget. The mean over 30 s is above 1454
 * W for longer than 30 s of each minute less what it takes to rise: more than a tenth, too. */
Test(plan_report, answers_of_a_square_wave) {
  fw_plan_options options = options_of(FW_PLAN_TIME_SHARE, 0.1);
  fw_plan_result result = plan(&options);
  cr_assert_eq(result.answer_count, 2);
  for (size_t i = 0; i < 2; i++) {
    const fw_plan_answer *answer = &result.answers[i];
    cr_assert(answer->decided);
    cr_expect_eq(answer->points[answer->meets].oversubscription, 1.0);
    cr_expect_float_eq(answer->points[answer->fails].oversubscription, 1.1, 1e-12);
    cr_expect_eq(answer->points[answer->meets].risk.mean, 0.0);
  }
  const fw_plan_answer *half = &result.answers[0];
  cr_expect_eq(half->points[half->fails].risk.mean, 0.5);
  clear(&result);
  options = options_of(FW_PLAN_EPISODES_PER_DAY, 100.0);
  result = plan(&options);
  half = &result.answers[0];
  cr_expect(half->decided);
  cr_expect_float_eq(half->points[half->fails].risk.mean, 1440.0, 1e-9);
  clear(&result);
}

/* A whole window is wanted, not one row for each. 1600 W are 128 % of a rating of 1.25 x 1000 W for half of the time:
 * the mean square is 1.024, and a breaker of 250 s never reaches 1.2065 of it. */
Test(plan_report, trips_have_no_window) {
  fw_plan_options options = options_of(FW_PLAN_TRIPS_PER_YEAR, 1e6);
  fw_plan_result result = plan(&options);
  cr_assert_eq(result.answer_count, 1);
  const fw_plan_answer *answer = &result.answers[0];
  cr_expect(answer->decided);
  cr_expect_float_eq(answer->points[answer->meets].oversubscription, 1.5, 1e-12);
  cr_expect_eq(answer->fails, FW_NO_POINT);
  cr_expect_eq(answer->points[answer->meets].risk.mean, 0.0);
  clear(&result);
}

static void expect_text(const fw_text *text, const char *part) {
  cr_expect_not_null(strstr(text->data, part), "no \"%s\" in:\n%s", part, text->data);
}

Test(plan_report, pages_and_tables) {
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  const fw_plan_options options = options_of(FW_PLAN_TIME_SHARE, 0.1);
  fw_plan_result result = plan(&options);
  fw_text text = FW_TEXT_INIT;
  fw_report_plan_text(&result, &none, &text);
  expect_text(&text, "is below 10 %");
  expect_text(&text, "decided");
  expect_text(&text, "2 times as much");
  fw_text_clear(&text);
  fw_report_plan_markdown(&result, &text);
  expect_text(&text, "# How far test can be oversubscribed");
  expect_text(&text, "| uncontrolled | 0.5 | 1 | 1.1 | decided | 4 | 1600 | 0 (<");
  fw_text_clear(&text);
  fw_report_plan_csv(&result, &text);
  expect_text(&text, "\nuncontrolled,0.5,1,1600,4,meets,");
  expect_text(&text, "\nuncontrolled,0.5,1.1,1454.545,4,fails,8,0.5,");
  fw_text_clear(&text);
  clear(&result);
}

/* docs/results.md names every key, as unit/results_doc asks of the other results. */
static void check_keys(const char *document, const fw_json_value *value) {
  const fw_json_type type = fw_json_type_of(value);
  if (type != FW_JSON_OBJECT && type != FW_JSON_ARRAY) return;
  for (const fw_json_value *member = fw_json_first(value); member != NULL; member = fw_json_next(member)) {
    if (type == FW_JSON_OBJECT) {
      char code[80];
      (void)snprintf(code, sizeof code, "`%s`", fw_json_key(member));
      cr_expect_not_null(strstr(document, code), "docs/results.md says nothing about %s", code);
    }
    check_keys(document, member);
  }
}

Test(plan_report, json_whose_keys_are_documented) {
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  const fw_plan_options options = options_of(FW_PLAN_TIME_SHARE, 0.1);
  fw_plan_result result = plan(&options);
  fw_text text = FW_TEXT_INIT;
  fw_text document = source_text("docs/results.md");
  fw_json *json = NULL;
  fw_report_plan_json(&result, &none, &text);
  cr_assert_eq(fw_json_parse(text.data, text.length, NULL, &json, NULL), FW_OK);
  const fw_json_value *answers = fw_json_get(fw_json_root(json), "answers");
  cr_assert_eq(fw_json_count(answers), 2);
  const fw_json_value *first = fw_json_first(answers);
  cr_expect_eq(fw_json_number(fw_json_get(first, "meets")), 1.0);
  cr_expect_eq(fw_json_number(fw_json_get(first, "fails")), 1.1);
  cr_expect(fw_json_bool(fw_json_get(first, "decided")));
  check_keys(document.data, fw_json_root(json));
  fw_json_free(json);
  fw_text_clear(&document);
  fw_text_clear(&text);
  clear(&result);
}

static void expect_refused(const char *text, const fw_plan_options *options, const char *part) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_plan_result result;
  char buffer[2000];
  cr_expect_neq(try_plan(text, options, &result, &diagnostics), FW_OK);
  cr_expect_not_null(strstr(all_entries(&diagnostics, buffer), part), "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
}

Test(plan_report, what_cannot_be_planned_is_refused) {
  static const char endless[] = HEAD("20", "30", "'budget_w': 1600") ", 'jobs': [{'kind': 'cycle', 'class': 'c', "
                                                                     "'count': 4, " SQUARE_PHASES "}]}";
  static const char free_site[] =
      HEAD("60", "0.5", "'seed': 1") ", 'jobs': [{'kind': 'cycle', 'class': 'c', 'count': 4, " SQUARE_PHASES "}]}";
  const fw_time_ns unknown = 7 * FW_NS_PER_S;
  fw_plan_options options = options_of(FW_PLAN_TIME_SHARE, 1.5);
  expect_refused(squares, &options, "above 0 and below 1");
  options = options_of(FW_PLAN_TIME_SHARE, 0.1);
  options.windows = &unknown;
  options.window_count = 1;
  expect_refused(squares, &options, "windows_s");
  options = options_of(FW_PLAN_TIME_SHARE, 0.1);
  options.step = 2.0;
  expect_refused(squares, &options, "fewer than 2 ratios");
  options = options_of(FW_PLAN_TIME_SHARE, 0.1);
  options.most_loss = 0.05;
  expect_refused(squares, &options, "no tokens");
  expect_refused(endless, &options, "longer than what is measured");
  options = options_of(FW_PLAN_TIME_SHARE, 0.1);
  options.axis = FW_PLAN_FLEET;
  expect_refused(free_site, &options, "give the scenario a budget");
}

Test(plan_report, a_store_keeps_every_run_and_changes_nothing) {
  char path[] = "/tmp/fleetwatt-plan-store-XXXXXX";
  cr_assert_not_null(mkdtemp(path));
  char file[80];
  (void)snprintf(file, sizeof file, "%s/plan.db", path);
  fw_plan_options options = options_of(FW_PLAN_TIME_SHARE, 0.1);
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_text texts[3] = {FW_TEXT_INIT, FW_TEXT_INIT, FW_TEXT_INIT};
  for (size_t i = 0; i < 3; i++) { /* without, into, and from a store */
    cr_assert(i == 0 || fw_store_open(file, FW_STORE_CREATE, &options.store, NULL) == FW_OK);
    fw_plan_result result = plan(&options);
    fw_report_plan_json(&result, &none, &texts[i]);
    clear(&result);
    fw_store_close(options.store);
    options.store = NULL;
  }
  cr_expect_str_eq(texts[1].data, texts[0].data);
  cr_expect_str_eq(texts[2].data, texts[0].data);
  for (size_t i = 0; i < 3; i++) {
    fw_text_clear(&texts[i]);
  }
  char command[120];
  (void)snprintf(command, sizeof command, "rm -r '%s'", path);
  cr_assert_eq(system(command), 0);
}

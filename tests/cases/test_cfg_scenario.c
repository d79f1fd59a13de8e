/* The configuration cases once more, as scenario files and with the keys that scenarios have: what test_cfg.c shows of
 * the reader holds for the real tables, down to the runs and their output. */
#include "sim/report/report.h"
#include "sim/scenario/arm.h"
#include "tests/comma_locale.h"
#include "tests/scenario_fixture.h"

/* A scenario with a line for each part; `budget` and `more` end in a comma where they are not empty. */
#define FLEET(budget, more)                                                                                            \
  "{\n"                                                                                                                \
  "'fleetwatt': 1, 'name': 'case', 'gpu': 'plain-gpu', 'duration_s': 60,\n" budget "\n" more "\n"                      \
  "'windows_s': [0.5, 10, 30],\n"                                                                                      \
  "'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'plain-job', 'count': 2}]\n"                                       \
  "}\n"

typedef struct fault {
  size_t line;
  size_t column; /* 0: not looked at */
  const char *path;
  const char *words;
} fault;

static void refused(const char *text, const fault *faults, size_t count) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_expect_eq(scenario_try(text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT, "%s", text);
  cr_expect_null(scenario);
  cr_assert_eq(diagnostics.count, count, "%s\n%s", text, all_entries(&diagnostics, buffer));
  for (size_t i = 0; i < count; i++) {
    const fw_diagnostic *entry = &diagnostics.entries[i];
    cr_expect_eq(entry->line, faults[i].line, "%s", all_entries(&diagnostics, buffer));
    cr_expect(faults[i].column == 0 || entry->column == faults[i].column, "%s", all_entries(&diagnostics, buffer));
    cr_expect(faults[i].path == NULL || strcmp(entry->path, faults[i].path) == 0, "%s",
              all_entries(&diagnostics, buffer));
    cr_expect_not_null(strstr(entry->message, faults[i].words), "no \"%s\" in %s", faults[i].words,
                       all_entries(&diagnostics, buffer));
  }
  fw_diagnostics_clear(&diagnostics);
}

static void refused_at(const char *text, size_t line, size_t column, const char *path, const char *words) {
  const fault one = {line, column, path, words};
  refused(text, &one, 1);
}

static fw_text run_json(const fw_scenario *scenario) {
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_result result = run_seed(scenario, scenario->seed);
  const fw_report_run report = {.scenario = scenario, .seed = scenario->seed, .result = &result};
  fw_text out = FW_TEXT_INIT;
  fw_report_run_json(&report, &none, &out);
  cr_assert_not(out.failed);
  fw_result_clear(&result);
  return out;
}

/* cfg-big-integers: as doubles, ...993 would be ...992. */
Test(cfg_scenario, seeds_above_2_to_the_53_are_kept_to_the_last_digit) {
  fw_scenario *one = scenario_from(FLEET("'budget_w': 500,", "'seed': 9007199254740993,"));
  fw_scenario *other = scenario_from(FLEET("'budget_w': 500,", "'seed': 9007199254740992,"));
  cr_expect_eq(one->seed, UINT64_C(9007199254740993));
  fw_text first = run_json(one), second = run_json(other);
  cr_expect_not_null(strstr(first.data, "\"seed\":9007199254740993,"), "%s", first.data);
  cr_expect_str_neq(strstr(first.data, "\"energy_wh\""), strstr(second.data, "\"energy_wh\""), "the runs are the same");
  fw_text_clear(&first);
  fw_text_clear(&second);
  fw_scenario_free(one);
  fw_scenario_free(other);
  refused_at(FLEET("'budget_w': 500,", "'seed': 18446744073709551616,"), 4, 9, "seed", "64 bits");
  refused_at(FLEET("'budget_w': 500,", "'seeds': 3000000000,"), 4, 10, "seeds", "at most 1000000");
  refused_at(FLEET("'budget_w': 500,", "'seed': 1.5,"), 4, 9, "seed", "whole number");
}

/* cfg-case-folding: cJSON takes Budget_W for budget_w, and two classes for one. */
Test(cfg_scenario, letters_of_another_case_are_other_letters) {
  refused_at(FLEET("'Budget_W': 9999,", "'budget_w': 500,"), 3, 0, "Budget_W", "did you mean \"budget_w\"?");
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_assert_eq(scenario_try("{'fleetwatt': 1, 'name': 'case', 'gpu': 'plain-gpu', 'duration_s': 60, 'budget_w': 500,\n"
                            "'windows_s': [1], 'jobs': [{'kind': 'cycle', 'class': 'Row1', " SQUARE_PHASES "},\n"
                            "{'kind': 'cycle', 'class': 'row1', 'count': 2, " SQUARE_PHASES "}],\n"
                            "'policies': [{'name': 'a', 'classes': ['row1']}, {'name': 'A'}, {'name': 'b'}]}",
                            NULL, &scenario, &diagnostics),
               FW_OK);
  cr_expect_eq(scenario->job_count, 3);
  cr_expect_not(fw_arm_controls(&scenario->policies[0], &scenario->jobs[0]));
  cr_expect(fw_arm_controls(&scenario->policies[0], &scenario->jobs[1]));
  cr_assert_eq(diagnostics.count, 2);
  cr_expect(diagnostics.entries[0].severity == FW_SEVERITY_WARNING && diagnostics.entries[0].line == 3);
  cr_expect_str_eq(diagnostics.entries[0].path, "jobs[1].class");
  cr_expect_str_eq(diagnostics.entries[0].message,
                   "\"row1\" differs from \"Row1\" only in the case of letters; they are taken for two");
  cr_expect_str_eq(diagnostics.entries[1].path, "policies[1].name");
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

/* cfg-comma-locale: strtod stops at the point, printf writes a comma. */
Test(cfg_scenario, a_decimal_comma_changes_no_byte) {
  static const char text[] = FLEET("'budget_w': 314.6,", "'tariff': {'cost_per_kwh': [0.08]},");
  fw_scenario *scenario = scenario_from(text);
  fw_text wanted = run_json(scenario);
  fw_scenario_free(scenario);
  enter_comma_locale();
  scenario = scenario_from(text);
  cr_expect_eq(scenario->budgets[0].power, 314600);
  cr_assert_eq(scenario->window_count, 3);
  cr_expect(scenario->windows[0] == FW_NS_PER_S / 2 && scenario->windows[2] == 30 * FW_NS_PER_S);
  cr_expect_eq(scenario->tariff.cost_per_kwh[23], 0.08);
  fw_text got = run_json(scenario);
  cr_expect_str_eq(got.data, wanted.data);
  cr_expect_null(strstr(got.data, "314,6"));
  fw_text_clear(&got);
  fw_text_clear(&wanted);
  fw_scenario_free(scenario);
}

/* cfg-duplicate-keys: first wins here, last wins there. */
Test(cfg_scenario, a_key_given_twice_is_refused_with_both_lines) {
  refused_at(FLEET("'budget_w': 5000,", "\n'budget_w': 6400,"), 5, 0, "budget_w",
             "the key \"budget_w\" stands in line 3 and again in line 5; keep one");
  refused_at(FLEET("'budget_w': 5000,", "'budget_kw': 6.4,"), 4, 0, "budget_kw", "given twice");
}

/* cfg-not-json: one relaxation each. */
Test(cfg_scenario, what_is_not_json_is_refused_with_its_place) {
  refused_at(FLEET("// budget of the row", "'budget_w': 5000,"), 3, 1, NULL, "no comments");
  refused_at(FLEET("'oversubscription': [1.5, 2,],", ""), 3, 29, NULL, "no comma may stand before it");
  refused_at(FLEET("'budget_w': NaN,", ""), 3, 13, NULL, "no NaN");
  refused_at(FLEET("'budget_w': Infinity,", ""), 3, 13, NULL, "no Infinity");
  refused_at(FLEET("'budget_w': 1e999,", ""), 3, 13, NULL, "not finite");
  refused_at(FLEET("'budget_w': 05000,", ""), 3, 13, NULL, "leading zeros");
}

/* cfg-units-in-strings: units dropped, misread or missing. */
Test(cfg_scenario, a_quantity_has_its_unit_in_the_key_or_in_the_value) {
  static const char *const same[] = {FLEET("'budget': '500 W',", ""), FLEET("'budget': '0.5 kW',", ""),
                                     FLEET("'budget': '500W',", ""), FLEET("'budget_kw': 0.5,", "")};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    fw_scenario *scenario = scenario_from(same[i]);
    cr_expect_eq(scenario->budgets[0].power, 500 * FW_MW_PER_W);
    fw_scenario_free(scenario);
  }
  refused_at(FLEET("'budget': '12 KVA',", ""), 3, 11, "budget", "unknown unit \"KVA\"; did you mean \"kVA\"?");
  refused_at(FLEET("'budget': '12 kVA',", ""), 3, 11, "budget", "needs a power factor");
  refused_at(FLEET("'budget': 500,", ""), 3, 11, "budget", "500 has no unit");
  refused_at(FLEET("'budget_w': '0.5 kW',", ""), 3, 13, "budget_w", "expected a number in W");
}

/* cfg-unknown-key: skipped by others, and the study ran without its budget. */
Test(cfg_scenario, unknown_keys_are_refused_at_any_depth_in_one_pass) {
  static const fault faults[] = {{3, 12, "buget_w", "did you mean \"budget_w\"?"},
                                 {7, 0, "jobs[0].strat_offset_s", "did you mean \"start_offset_s\"?"}};
  refused("{\n"
          "'fleetwatt': 1, 'name': 'case', 'gpu': 'plain-gpu', 'duration_s': 60,\n"
          "'buget_w': 5000,\n"
          "'notes': 'free text is fine here', 'x_mine': {'anything': [1]},\n"
          "'windows_s': [0.5],\n"
          "'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'plain-job',\n"
          "'strat_offset_s': 30}]\n"
          "}\n",
          faults, 2);
}

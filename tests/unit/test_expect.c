/* "expect" blocks as the reader takes them: what is accepted, and that every fault is named where it stands. */
#include "tests/scenario_fixture.h"

#define REST                                                                                                           \
  ", 'policies': [{'name': 'first'}, {'name': 'second', 'job': {'kind': 'static', 'power_cap_w': 250}}], 'jobs': "     \
  "[{'kind': 'cycle', 'class': 'c', " SQUARE_PHASES "}]"
#define TWO_RATIOS "'oversubscription': [1.5, 2]"
#define CHECKED(budget, expect) HEAD("60", "0.5, 10", budget) REST ", 'seed': 40, 'seeds': 3, 'expect': [" expect "]}"

Test(expect, is_resolved_against_the_file) {
  fw_scenario *scenario = scenario_from(CHECKED(
      TWO_RATIOS,
      "{'checks': [{'kind': 'digest', 'policy': 'second', 'oversubscription': 2, 'digest': '0123456789abcdef'},\n"
      "{'kind': 'range', 'metric': 'peak_w', 'window_s': 10, 'policy': 'first', 'oversubscription': 1.5, 'at_most': 9, "
      "'why': 'because'}]}, {'seeds': 5, 'duration_s': 30, 'checks': [{'kind': 'comparison', 'metric': 'tokens', "
      "'policy': 'second', 'than': 'first', 'is': 'above', 'by': 2, 'confidence': 0.9, 'oversubscription': 2}, "
      "{'kind': "
      "'recorded', 'metric': 'mean_w', 'policy': 'first', 'oversubscription': 2, 'value': -3, 'tolerance': {'kind': "
      "'relative', 'value': 0.5}}]}"));
  cr_assert_eq(scenario->expect_count, 2);
  const fw_expect_block *one = &scenario->expect[0], *two = &scenario->expect[1];
  cr_assert(one->count == 2 && two->count == 2);
  cr_expect(one->seeds == 3 && one->duration == 60 * FW_NS_PER_S && two->seeds == 5 &&
            two->duration == 30 * FW_NS_PER_S);
  const fw_expectation *digest = &one->checks[0], *range = &one->checks[1];
  cr_expect(digest->kind == FW_EXPECT_DIGEST && digest->policy == 1 && digest->budget == 1 && digest->seed == 40);
  cr_expect_str_eq(digest->digest, "0123456789abcdef");
  cr_expect_null(digest->why);
  cr_expect(range->kind == FW_EXPECT_RANGE && range->policy == 0 && range->budget == 0 && range->window == 1);
  cr_expect(range->metric == FW_METRIC_PEAK_W && range->least == -HUGE_VAL && range->most == 9.0);
  cr_expect_str_eq(range->why, "because");
  cr_expect(digest->line == 1 && range->line == 2);
  const fw_expectation *comparison = &two->checks[0], *recorded = &two->checks[1];
  cr_expect(comparison->kind == FW_EXPECT_COMPARISON && comparison->above && comparison->than == 0 &&
            comparison->by == 2.0 && comparison->confidence == 0.9);
  cr_expect(recorded->kind == FW_EXPECT_RECORDED && recorded->value == -3.0 && recorded->tolerance == 0.5 &&
            recorded->tolerance_kind == FW_EXPECT_RELATIVE);
  fw_scenario_free(scenario);
}

/* What the command line leaves out of a scenario makes no fault of the file. */
Test(expect, does_not_mind_overrides) {
  static const char *const names[] = {"first"};
  static const double ratio[] = {3.0};
  const fw_scenario_overrides overrides = {
      .policies = names, .policy_count = 1, .oversubscription = ratio, .oversubscription_count = 1};
  fw_scenario *scenario =
      scenario_with(CHECKED(TWO_RATIOS, "{'checks': [{'kind': 'digest', 'policy': 'second', 'oversubscription': 2, "
                                        "'digest': '0123456789abcdef'}]}"),
                    &overrides);
  cr_expect_eq(scenario->expect[0].checks[0].policy, 1);
  fw_scenario_free(scenario);
}

#define DIGEST(rest) "{'checks': [{'kind': 'digest', 'policy': 'first', " rest "}]}"
#define RANGE(rest) "{'checks': [{'kind': 'range', 'policy': 'first', " rest "}]}"

static void refused(const char *text, const char *path, const char *words) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_expect_eq(scenario_try(text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT, "%s", text);
  bool found = false;
  for (size_t i = 0; i < diagnostics.count; i++) {
    const fw_diagnostic *entry = &diagnostics.entries[i];
    found = found || (entry->path != NULL && strcmp(entry->path, path) == 0 && strstr(entry->message, words) != NULL);
  }
  cr_expect(found, "%s: no \"%s\" at %s in\n%s", text, words, path, all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

Test(expect, names_that_the_scenario_has_not_are_refused) {
  refused(CHECKED("'budget_w': 500", "{'checks': [{'kind': 'digest', 'policy': 'frist', 'digest': "
                                     "'0123456789abcdef'}]}"),
          "expect[0].checks[0].policy", "no policy \"frist\"; did you mean \"first\"");
  refused(CHECKED(TWO_RATIOS, DIGEST("'digest': '0123456789abcdef'")), "expect[0].checks[0]",
          "the scenario has 2 budgets; add \"oversubscription\": 1.5");
  refused(CHECKED(TWO_RATIOS, DIGEST("'digest': '0123456789abcdef', 'oversubscription': 1.6")),
          "expect[0].checks[0].oversubscription", "not among the scenario's ratios; the first is 1.5");
  refused(CHECKED("'budget_w': 500", DIGEST("'digest': '0123456789abcdef', 'oversubscription': 1.6")),
          "expect[0].checks[0].oversubscription", "leave the key out");
  refused(CHECKED("'budget_w': 500", RANGE("'metric': 'peek_w', 'at_most': 1")), "expect[0].checks[0].metric",
          "did you mean \"peak_w\"");
  refused(CHECKED("'budget_w': 500", RANGE("'metric': 'peak_w', 'at_most': 1, 'window_s': 30")),
          "expect[0].checks[0].window_s", "not among the scenario's windows; the first is of 0.5 s");
  refused(CHECKED("'budget_w': 500", RANGE("'metric': 'peak_w', 'at_most': 1")), "expect[0].checks[0]",
          "missing key \"window_s\"");
  refused(CHECKED("'budget_w': 500", RANGE("'metric': 'tokens', 'at_most': 1, 'window_s': 10")),
          "expect[0].checks[0].window_s", "of the whole run");
}

Test(expect, checks_that_cannot_hold_or_fail_are_refused) {
  refused(CHECKED("'budget_w': 500", "{'checks': []}"), "expect[0].checks", "at least 1 element");
  refused(CHECKED("'budget_w': 500", DIGEST("'digest': '0123456789ABCDEF'")), "expect[0].checks[0].digest",
          "16 digits");
  refused(CHECKED("'budget_w': 500", DIGEST("'digest': '0123'")), "expect[0].checks[0].digest", "--update");
  refused(CHECKED("'budget_w': 500", RANGE("'metric': 'tokens'")), "expect[0].checks[0]", "\"at_least\", \"at_most\"");
  refused(CHECKED("'budget_w': 500", RANGE("'metric': 'tokens', 'at_least': 2, 'at_most': 1")),
          "expect[0].checks[0].at_least", "nothing lies between");
  refused(CHECKED("'budget_w': 500", "{'duration_s': 5, 'checks': [{'kind': 'range', 'policy': 'first', 'metric': "
                                     "'peak_w', 'window_s': 10, 'at_most': 1}]}"),
          "expect[0].checks[0].window_s", "longer than the runs");
  refused(CHECKED("'budget_w': 500", "{'duration_s': 5.25, 'checks': [{'kind': 'range', 'policy': 'first', 'metric': "
                                     "'tokens', 'at_most': 1}]}"),
          "expect[0].duration_s", "whole number of ticks");
  refused(CHECKED("'warmup_s': 20, 'budget_w': 500", "{'duration_s': 20, 'checks': [{'kind': 'range', 'policy': "
                                                     "'first', 'metric': 'tokens', 'at_most': 1}]}"),
          "expect[0].duration_s", "leaves nothing");
  refused(CHECKED("'budget_w': 500", "{'checks': [{'kind': 'comparison', 'metric': 'tokens', 'policy': 'first', 'is': "
                                     "'above', 'than': 'first'}]}"),
          "expect[0].checks[0].than", "compared with itself");
  refused(CHECKED("'budget_w': 500", "{'seeds': 1, 'checks': [{'kind': 'comparison', 'metric': 'tokens', 'policy': "
                                     "'first', 'is': 'above', 'than': 'second'}]}"),
          "expect[0].checks[0]", "at least 2 seeds");
  refused(CHECKED("'budget_w': 500", "{'checks': [{'kind': 'recorded', 'metric': 'tokens', 'policy': 'first', 'value': "
                                     "1, 'tolerance': {'kind': 'factor', 'value': 0.9}}]}"),
          "expect[0].checks[0].tolerance", "a factor is at least 1");
}

Test(expect, a_recording_for_checks_stands_for_a_given_one_only) {
#define REPLAY(trace)                                                                                                  \
  HEAD("1", "1", "'budget_w': 100")                                                                                    \
  ", 'jobs': [{'kind': 'replay', 'class': 'r', 'trace': '" trace "', 'check_trace': 'recording.csv'}]}"
  refused(REPLAY("recording.csv"), "jobs[0].check_trace", "leave the key out");
  refused(REPLAY("given"), "jobs[0].trace", "add --trace FILE");
  const fw_scenario_overrides check = {.check_traces = true};
  fw_scenario *scenario = scenario_with(REPLAY("given"), &check);
  cr_expect_not_null(strstr(scenario->check_trace, "tests/unit/data/recording.csv"));
  fw_scenario_free(scenario);
}

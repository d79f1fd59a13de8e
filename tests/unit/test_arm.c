/* Settings that do not fit are refused when the scenario is read: each kind of policy, each fault, at its line. */
#include "sim/scenario/arm.h"

#include "tests/scenario_fixture.h"

/* The settings of a policy in lines of their own; the line that is wrong is the second of them. */
typedef struct fault {
  const char *scope; /* key of the arm */
  const char *settings;
  const char *path; /* of the value, below the settings */
  const char *words[3];
} fault;

#define SETTINGS_LINE ((size_t)3)

static const fault faults[] = {
    {"job", "{'kind': 'static'\n}", "", {"policy \"p\" on class plain", "sets nothing", "\"uncontrolled\""}},
    {"job", "{'kind': 'static',\n'concurrency': 3}", ".concurrency", {"concurrency 3", "1 to 8", "1, 2, 4, 8"}},
    {"job", "{'kind': 'static',\n'group_size': 3}", ".group_size", {"group_size 3", "4 to 4"}},
    {"job", "{'kind': 'static',\n'completion_tokens': 9}", ".completion_tokens", {"400 to 400"}},
    {"job", "{'kind': 'static',\n'pause_s': 1000}", ".pause_s", {"pause_s 1000", "0 to 20"}},
    {"job", "{'kind': 'static',\n'power_cap_w': 99}", ".power_cap_w", {"power_cap_w 99", "100 to 400"}},
    {"job", "{'kind': 'random', 'actuators':\n['cap']}", ".actuators[0]", {"no actuator \"cap\""}},
    {"job", "{'kind': 'random', 'actuators':\n['group_size']}", ".actuators[0]", {"does not offer", "\"group_size\""}},
    {"job", "{'kind': 'mix', 'high': 8, 'share': 0.5,\n'low': 3}", ".low", {"concurrency 3", "1, 2, 4, 8"}},
    {"job", "{'kind': 'mix', 'low': 1, 'share': 0.5,\n'high': 9}", ".high", {"concurrency 9"}},
    {"job",
     "{'kind': 'schedule', 'steps': [{'from_s': 0, 'setting': 1},\n{'from_s': 5, 'setting': 9}]}",
     ".steps[1].setting",
     {"steps[1].setting", "1 to 8"}},
    {"job",
     "{'kind': 'schedule', 'steps': [{'from_s': 0, 'setting': 1},\n{'from_s': 0, 'setting': 1}]}",
     ".steps[1].from_s",
     {"must rise"}},
    {"job", "{'kind': 'schedule', 'steps': [\n{'from_s': 1, 'setting': 1}]}", ".steps[0].from_s", {"the first at 0"}},
    {"job",
     "{'kind': 'schedule', 'repeat_s': 5, 'steps': [{'from_s': 0, 'setting': 1},\n{'from_s': 5, 'setting': 1}]}",
     ".steps[1].from_s",
     {"after the timetable repeats"}},
    {"job",
     "{'kind': 'schedule', 'steps': [{'from_s': 0, 'setting': 4}],\n'actuator': 'group_size'}",
     ".actuator",
     {"does not offer", "fixed at 4"}},
    {"job", "{'kind': 'threshold',\n'actuator': 'group_size'}", ".actuator", {"does not offer \"group_size\""}},
    {"job", "{'kind': 'threshold',\n'signal': 'window'}", ".signal", {"\"window\"", "needs window_s"}},
    {"job", "{'kind': 'threshold', 'signal': 'window',\n'window_s': 7}", ".window_s", {"no window of 7 s", "0.5, 30"}},
    {"job", "{'kind': 'threshold',\n'window_s': 30}", ".window_s", {"window_s is read only"}},
    {"job",
     "{'kind': 'threshold', 'lower_above': 0.8,\n'raise_below': 0.8}",
     ".raise_below",
     {"raise_below (0.8)", "lower_above (0.8)"}},
    {"job", "{'kind': 'hysteresis',\n'actuator': 'group_size'}", ".actuator", {"does not offer \"group_size\""}},
    {"job", "{'kind': 'hysteresis', 'signal': 'fleet_window',\n'window_s': 1}", ".window_s", {"no window of 1 s"}},
    {"job", "{'kind': 'hysteresis', 'lower_above': 0.9,\n'raise_below': 0.95}", ".raise_below", {"must be less"}},
    {"job", "{'kind': 'hysteresis',\n'levels': [1]}", ".levels", {"1 settings"}},
    {"job", "{'kind': 'hysteresis', 'levels': [1,\n3]}", ".levels[1]", {"concurrency 3"}},
    {"job", "{'kind': 'hysteresis', 'levels': [4,\n2]}", ".levels[1]", {"must rise"}},
    {"fleet", "{'kind': 'class_cap', 'caps': [{'cap_w': 200,\n'class': 'Plain'}]}", ".caps[0].class", {"\"Plain\""}},
    {"fleet",
     "{'kind': 'class_cap', 'caps': [{'cap_w': 200, 'class': 'plain'}, {'cap_w': 300,\n'class': 'plain'}]}",
     ".caps[1].class",
     {"has a cap already"}},
    {"fleet",
     "{'kind': 'class_cap', 'caps': [{'class': 'plain',\n'cap_w': 401}]}",
     ".caps[0].cap_w",
     {"401 W", "100 to 400 W"}},
    {"fleet",
     "{'kind': 'class_cap', 'caps': [{'class': 'plain', 'cap_w': 200}],\n'release_below': 1}",
     ".release_below",
     {"policy \"p\"", "release_below (1)", "engage_above (0.95)"}},
    {"fleet", "{'kind': 'priority_cap',\n'release_below': 0.97}", ".release_below", {"engage_above (0.97)"}},
};

#define JOBS                                                                                                           \
  ", 'jobs': [{'kind': 'grpo', 'class': 'plain', 'model': 'plain-job', 'count': 2, 'actuators': {'concurrency': "      \
  "[1, 2, 4, 8], 'group_size': [4], 'completion_tokens': [400], 'pause_s': [0, 20]}}, {'kind': 'cycle', 'class': "     \
  "'square', 'gpus': 1, " SQUARE_PHASES "}]"

/* Arm "p" with `settings` under `scope`, for class "plain"; "q" beside it is sound. */
static char *with_arm(const char *scope, const char *settings) {
  static const char *const form =
      HEAD("60", "0.5, 30", "'budget_w': 1500") JOBS ", 'policies': [{'name': 'q'},\n"
                                                     "{'name': 'p', 'classes': ['plain'], '%s':\n%s}]}";
  const size_t size = strlen(form) + strlen(scope) + strlen(settings);
  char *text = malloc(size);
  cr_assert_not_null(text);
  (void)snprintf(text, size, form, scope, settings);
  return text;
}

Test(arm, is_refused_where_it_stands) {
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    const fault *wrong = &faults[i];
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    fw_scenario *scenario = NULL;
    char path[128];
    char *text = with_arm(wrong->scope, wrong->settings);
    cr_assert_eq(scenario_try(text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT, "accepts %s", wrong->settings);
    cr_assert_eq(diagnostics.error_count, 1, "%s", wrong->settings);
    const fw_diagnostic *said = &diagnostics.entries[diagnostics.count - 1];
    (void)snprintf(path, sizeof path, "policies[1].%s%s", wrong->scope, wrong->path);
    cr_expect_str_eq(said->file, SCENARIO_PATH);
    cr_expect_eq(said->line, SETTINGS_LINE + (wrong->path[0] != '\0'), "%s: line %zu", wrong->settings, said->line);
    cr_expect_str_eq(said->path, path);
    for (size_t w = 0; w < sizeof wrong->words / sizeof wrong->words[0] && wrong->words[w] != NULL; w++)
      cr_expect_not_null(strstr(said->message, wrong->words[w]), "%s: %s", wrong->settings, said->message);
    fw_diagnostics_clear(&diagnostics);
    free(text);
  }
}

/* Every fault of an arm, and every kind of job that it does not fit, in one pass. */
Test(arm, says_all_at_once) {
  char *text = with_arm("job", "{'kind': 'threshold', 'actuator': 'group_size', 'raise_below': 1.5, 'window_s': 3}");
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_expect_eq(scenario_try(text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT);
  cr_expect_eq(diagnostics.error_count, 3);
  fw_diagnostics_clear(&diagnostics);
  free(text);
  text = (char *)(uintptr_t)HEAD("60", "0.5, 30", "'budget_w': 1500") JOBS
      ", 'policies': [{'name': 'all', 'job': {'kind': 'static', 'concurrency': 4}}]}";
  cr_expect_eq(scenario_try(text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT);
  cr_expect_eq(diagnostics.error_count, 1);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "on class square"));
  fw_diagnostics_clear(&diagnostics);
}

/* As their weights are not looked for either. */
Test(arm, is_not_asked_where_it_is_not_wanted) {
  static const char *const names[] = {"q"};
  const fw_scenario_overrides overrides = {.policies = names, .policy_count = 1};
  char *text = with_arm("job", "{'kind': 'static', 'concurrency': 3}");
  fw_scenario *scenario = scenario_with(text, &overrides);
  cr_expect_eq(scenario->policy_count, 1);
  fw_scenario_free(scenario);
  free(text);
}

/* Arms that stand in no file are refused by the run, before anything is simulated. */
Test(arm, of_no_file_is_refused_by_the_run) {
  char *text = with_arm("job", "{'kind': 'static', 'concurrency': 4}");
  fw_scenario *scenario = scenario_from(text);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario_policy everywhere = scenario->policies[1];
  everywhere.class_count = 0; /* so that it has the square job, too */
  fw_scenario own = *scenario;
  own.policies = &everywhere;
  fw_result result = {0};
  const fw_run_options options = {.seed = 1};
  cr_expect_eq(fw_arm_check(scenario, &scenario->policies[1], NULL, &diagnostics), FW_OK);
  cr_expect_eq(diagnostics.count, 0);
  cr_expect_eq(fw_run(&own, &options, &result, &diagnostics), FW_ERROR_INPUT);
  cr_expect_null(diagnostics.entries[0].file);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "policy \"p\" on class square: concurrency 4"), "%s",
                     diagnostics.entries[0].message);
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
  free(text);
}

/* What policies are told of the fleet: two jobs of two GPUs and one of one. */
Test(arm, knows_the_fleet) {
  fw_scenario *scenario = scenario_from(HEAD("60", "1", "'topology': {'gpus': 8}") JOBS "}");
  const fw_fleet_setup fleet = fw_scenario_fleet_setup(scenario, 7);
  cr_expect_eq(fleet.seed, 7);
  cr_expect_eq(fleet.job_count, 3);
  cr_expect_eq(fleet.nameplate_w, 8 * 400.0);
  cr_expect_eq(fleet.idle_w, 3 * 60.0);
  cr_expect_eq(fleet.cap_min_w, 100.0);
  cr_expect_eq(fleet.cap_max_w, 400.0);
  cr_assert_eq(fleet.class_count, 2);
  cr_expect_str_eq(fleet.classes[0], "plain");
  cr_expect_str_eq(fleet.classes[1], "square");
  fw_scenario_free(scenario);
}

/* A sweep through its functions: its figures are those of fw_compare at the same points, whoever simulated them; a
 * policy that ignores budgets runs once for all; what is stored is not simulated again. Killed, crowded and spread
 * sweeps are tests/sweep's. */
#include "sim/study/sweep/sweep.h"

#include <unistd.h>

#include "sim/report/report.h"
#include "sim/study/compare.h"
#include "sim/study/sweep/stored.h"
#include "tests/scenario_fixture.h"

static char folder[] = "/tmp/fleetwatt-sweep-XXXXXX";
static char scenario_path[64];
static char store_path[64];

static const char scenario_text[] = HEAD(
    "60", "0.5, 10", "'oversubscription': [1.5, 2]") ", 'seeds': 3, 'start': 'random', 'policies': [{'name': 'free'}, "
                                                     "{'name': 'capped', 'fleet': {'kind': 'uniform_cap'}}], 'jobs': "
                                                     "[{'kind': 'grpo', 'class': 'g', 'model': "
                                                     "'plain-job'}, {'kind': 'cycle', 'class': 'c', " SQUARE_PHASES
                                                     "}], 'expect': [{'checks': []}]}";

static void make_folder(void) {
  cr_assert_not_null(mkdtemp(folder));
  (void)snprintf(store_path, sizeof store_path, "%s/results.db", folder);
  (void)snprintf(scenario_path, sizeof scenario_path, "%s/s.json", folder);
  char command[256];
  (void)snprintf(command, sizeof command, "cp %s/tests/unit/data/plain-*.json %s", FW_SOURCE_DIR, folder);
  cr_assert_eq(system(command), 0);
  char *json = with_quotes(scenario_text);
  cr_assert_eq(fw_file_write(scenario_path, json, strlen(json), NULL), FW_OK);
  free(json);
}

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_assert_eq(system(command), 0);
}

TestSuite(sweep, .init = make_folder, .fini = remove_folder);

static fw_status prepare(const fw_design *design, fw_sweep **out, fw_diagnostics *diagnostics) {
  const fw_sweep_spec spec = {scenario_path, NULL, design};
  return fw_sweep_prepare(&spec, out, diagnostics);
}

/* Sweeps the axes into the study "s"; returns how many runs were simulated. */
static size_t sweep_axes(const char *const *axes, size_t count, unsigned threads) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_design design;
  fw_sweep *sweep = NULL;
  fw_store *store = NULL;
  const fw_study_options options = {.threads = threads};
  fw_status status = fw_design_grid(axes, count, &design, &diagnostics);
  status = status == FW_OK ? prepare(&design, &sweep, &diagnostics) : status;
  status = status == FW_OK ? fw_store_open(store_path, FW_STORE_CREATE, &store, &diagnostics) : status;
  status = status == FW_OK ? fw_sweep_register(sweep, store, "s", &diagnostics) : status;
  status = status == FW_OK ? fw_sweep_run(sweep, store, &options, NULL, &diagnostics) : status;
  cr_assert_eq(status, FW_OK, "%s", diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  const size_t simulated = fw_sweep_simulated(sweep);
  fw_sweep_free(sweep);
  fw_store_close(store);
  fw_design_clear(&design);
  fw_diagnostics_clear(&diagnostics);
  return simulated;
}

static fw_diagnostics unheard; /* of calls that are to succeed; no test adds to it */

static void read_study(fw_stored_study *study) {
  fw_store *store = NULL;
  cr_assert_eq(fw_store_open(store_path, FW_STORE_EXISTING, &store, NULL), FW_OK);
  cr_assert_eq(fw_stored_read(store, "s", study, NULL), FW_OK);
  fw_store_close(store);
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* The arms of a point must be those that fw_compare gives for the scenario written by hand, to the bit. */
static void expect_comparison(const fw_stored_point *point, const char *text) {
  char *json = with_quotes(text);
  fw_scenario *scenario = NULL;
  fw_compare_result result;
  const fw_compare_options options = {.threads = 1};
  cr_assert_eq(fw_scenario_parse(json, strlen(json), scenario_path, NULL, &scenario, &unheard), FW_OK);
  cr_assert_eq(fw_compare(scenario, &options, &result, &unheard), FW_OK);
  cr_assert_eq(point->arm_count, result.arm_count);
  size_t compared = 0;
  for (size_t a = 0; a < result.arm_count; a++) {
    const fw_stored_arm *arm = &point->arms[a];
    cr_expect_str_eq(arm->policy, scenario->policies[result.arms[a].policy].name);
    cr_expect_eq(arm->budget, scenario->budgets[result.arms[a].budget].power);
    size_t at = 0;
    for (size_t m = 0; m < FW_METRIC_COUNT; m++) {
      for (size_t w = 0; w < (fw_metric_table[m].windowed ? scenario->window_count : 1); w++, at++, compared++) {
        const fw_estimate wanted = result.arms[a].metrics[fw_metric_slot((fw_metric)m, w)];
        const fw_stored_metric *metric = &arm->metrics[at];
        cr_expect_str_eq(metric->name, fw_metric_table[m].name);
        cr_expect(same(metric->estimate.mean, wanted.mean) && same(metric->estimate.lo, wanted.lo) &&
                      same(metric->estimate.hi, wanted.hi),
                  "%s of %s", metric->name, arm->policy);
      }
    }
    cr_expect_eq(arm->metric_count, at);
  }
  cr_expect_gt(compared, 50);
  fw_compare_clear(&result);
  fw_scenario_free(scenario);
  free(json);
}

static const char *const two_axes[] = {"jobs[g].count=1,2", "duration_s=60,120"};

Test(sweep, its_figures_are_those_of_a_comparison_at_each_point) {
  cr_expect_eq(sweep_axes(two_axes, 2, 3), 4 * 2 * 2 * 3);
  fw_stored_study study;
  read_study(&study);
  cr_assert_eq(study.point_count, 4);
  cr_expect_str_eq(study.points[2].settings, "{\"jobs[g].count\": 2, \"duration_s\": 60}");
  expect_comparison(
      &study.points[1],
      HEAD("120", "0.5, 10", "'oversubscription': [1.5, 2]") ", 'seeds': 3, 'start': 'random', 'policies': "
                                                             "[{'name': 'free'}, {'name': 'capped', 'fleet': {'kind': "
                                                             "'uniform_cap'}}], 'jobs': [{'kind': 'grpo', "
                                                             "'class': 'g', 'model': 'plain-job', 'count': 1}, "
                                                             "{'kind': 'cycle', 'class': 'c', " SQUARE_PHASES "}]}");
  expect_comparison(
      &study.points[2],
      HEAD("60", "0.5, 10", "'oversubscription': [1.5, 2]") ", 'seeds': 3, 'start': 'random', 'policies': "
                                                            "[{'name': 'free'}, {'name': 'capped', 'fleet': {'kind': "
                                                            "'uniform_cap'}}], 'jobs': [{'kind': 'grpo', "
                                                            "'class': 'g', 'model': 'plain-job', 'count': 2}, {'kind': "
                                                            "'cycle', 'class': 'c', " SQUARE_PHASES "}]}");
  fw_stored_clear(&study);
}

Test(sweep, what_the_store_has_is_not_simulated_again) {
  cr_expect_eq(sweep_axes(two_axes, 2, 1), 48);
  cr_expect_eq(sweep_axes(two_axes, 2, 2), 0);
}

/* "free" ignores budgets: one unit for two runs. "capped": a unit each. */
Test(sweep, a_policy_that_ignores_budgets_runs_once) {
  fw_design design;
  fw_sweep *sweep = NULL;
  static const char *const axis = "start=random,aligned";
  cr_assert_eq(fw_design_grid(&axis, 1, &design, NULL), FW_OK);
  cr_assert_eq(prepare(&design, &sweep, &unheard), FW_OK);
  cr_assert_eq(fw_sweep_units(sweep), 2 * 3 * (1 + 2));
  size_t runs = 0;
  for (size_t u = 0; u < fw_sweep_units(sweep); u++) {
    runs += fw_sweep_unit_runs(sweep, u);
  }
  cr_expect_eq(runs, 2 * 3 * 4);
  fw_sweep_free(sweep);
  fw_design_clear(&design);
}

static void expect_refusal(const char *axis, const char *words) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_design design;
  fw_sweep *sweep = NULL;
  fw_text all = FW_TEXT_INIT;
  cr_assert_eq(fw_design_grid(&axis, 1, &design, NULL), FW_OK);
  cr_expect_eq(prepare(&design, &sweep, &diagnostics), FW_ERROR_INPUT, "%s", axis);
  for (size_t i = 0; i < diagnostics.count; i++) {
    fw_text_add_format(&all, "%s\n", diagnostics.entries[i].message);
  }
  cr_expect_not_null(strstr(all.data, words), "no \"%s\" in:\n%s", words, all.data);
  fw_text_clear(&all);
  fw_design_clear(&design);
  fw_diagnostics_clear(&diagnostics);
}

Test(sweep, bad_values_are_told_with_their_point) {
  expect_refusal("jobs[g].count=1,0", "that was point 1 of the sweep: {\"jobs[g].count\": 0}");
  expect_refusal("jobs[g].count=1,0", "must be at least 1");
  expect_refusal("jobs[g].count=x", "expected a whole number");
  expect_refusal("jobs[h].count=1", "no element is named \"h\"");
  expect_refusal("jobs[g].cuont=1", "did you mean \"count\"");
}

Test(sweep, points_that_are_the_same_are_refused) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_design_point as_it_is[2] = {{0}, {0}};
  const fw_design design = {as_it_is, 2};
  fw_sweep *sweep = NULL;
  cr_expect_eq(prepare(&design, &sweep, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "points 0 and 1 of the sweep are the same scenario"));
  fw_diagnostics_clear(&diagnostics);
}

Test(sweep, other_points_want_another_name) {
  (void)sweep_axes(two_axes, 2, 1);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_design design;
  fw_sweep *sweep = NULL;
  fw_store *store = NULL;
  cr_assert_eq(fw_design_grid(two_axes, 1, &design, NULL), FW_OK);
  cr_assert_eq(prepare(&design, &sweep, &unheard), FW_OK);
  cr_assert_eq(fw_store_open(store_path, FW_STORE_EXISTING, &store, NULL), FW_OK);
  cr_expect_eq(fw_sweep_register(sweep, store, "s", &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "other points"));
  fw_stored_list list;
  cr_assert_eq(fw_stored_list_read(store, &list, NULL), FW_OK);
  cr_expect_eq(list.count, 1);
  cr_expect_eq(list.studies[0].points, 4, "the refused points are not kept");
  fw_stored_list_clear(&list);
  fw_sweep_free(sweep);
  fw_store_close(store);
  fw_design_clear(&design);
  fw_diagnostics_clear(&diagnostics);
}

/* ---- Studies read back ---- */

/* Every value of the study, found again by reading the CSV. */
Test(sweep, the_csv_gives_every_value_back) {
  fw_stored_study study;
  fw_text csv = FW_TEXT_INIT;
  (void)sweep_axes(two_axes, 2, 2);
  read_study(&study);
  fw_report_stored_csv(&study, &csv);
  cr_assert_not(csv.failed);
  char *line = strtok(csv.data, "\n");
  cr_expect_str_eq(line, "study,point,jobs[g].count,duration_s,policy,ratio,budget_w,seed,metric,window_s,value");
  for (size_t p = 0; p < study.point_count; p++) {
    for (size_t a = 0; a < study.points[p].arm_count; a++) {
      const fw_stored_arm *arm = &study.points[p].arms[a];
      for (size_t r = 0; r < arm->runs; r++) {
        for (size_t m = 0; m < arm->metric_count; m++) {
          line = strtok(NULL, "\n");
          cr_assert_not_null(line);
          const char *cell = strrchr(line, ',') + 1;
          double value = (double)NAN;
          cr_expect(*cell == '\0' || fw_number_parse(cell, strlen(cell), &value));
          cr_expect(same(value, arm->metrics[m].values[r]), "%s", line);
        }
      }
    }
  }
  cr_expect_null(strtok(NULL, "\n"), "and nothing else");
  fw_text_clear(&csv);
  fw_stored_clear(&study);
}

Test(sweep, a_study_against_itself_is_the_same_and_against_another_moved) {
  fw_stored_study study;
  fw_stored_study other;
  fw_stored_comparison comparison;
  (void)sweep_axes(two_axes, 2, 2);
  read_study(&study);
  read_study(&other);
  cr_assert_eq(fw_stored_compare(&study, &other, &comparison, NULL), FW_OK);
  cr_expect_eq(comparison.verdicts[FW_STORED_SAME], comparison.count);
  cr_expect_gt(comparison.count, 100);
  free(comparison.changes);
  /* Tokens of one arm: a constant shift leaves no doubt; a jitter around 0 does. Energy: the same but for one run. */
  fw_stored_arm *arm = &other.points[0].arms[0];
  for (size_t i = 0; i < arm->runs; i++) {
    arm->metrics[0].values[i] += 1000.0;
    arm->metrics[1].values[i] += i == 0 ? 1.0 : i == 1 ? -1.0 : 0.0;
  }
  arm->metrics[6].values[0] += 1.0; /* the mean power */
  cr_assert_eq(fw_stored_compare(&study, &other, &comparison, NULL), FW_OK);
  cr_expect_eq(comparison.changes[0].verdict, FW_STORED_BEYOND);
  cr_expect_float_eq(comparison.changes[0].difference.mean, 1000.0, 1e-6); /* of some 1e4: rounding alone */
  cr_expect_eq(comparison.changes[1].verdict, FW_STORED_MOVED);
  cr_expect_eq(comparison.changes[6].verdict, FW_STORED_MOVED);
  cr_expect_eq(comparison.verdicts[FW_STORED_SAME], comparison.count - 3);
  free(comparison.changes);
  /* Other seeds: nothing is paired, and the intervals decide. */
  for (size_t i = 0; i < arm->runs; i++) {
    arm->seeds[i] += 1000;
  }
  arm->metrics[0].estimate = (fw_estimate){1e9, 0.9e9, 1.1e9};
  cr_assert_eq(fw_stored_compare(&study, &other, &comparison, NULL), FW_OK);
  cr_expect_eq(comparison.changes[0].verdict, FW_STORED_BEYOND);
  cr_expect(isnan(comparison.changes[0].difference.mean));
  cr_expect_eq(comparison.changes[1].verdict, FW_STORED_MOVED);
  free(comparison.changes);
  /* An arm that the other does not have. */
  arm->policy[0] = 'x';
  cr_assert_eq(fw_stored_compare(&study, &other, &comparison, NULL), FW_OK);
  cr_expect_eq(comparison.only_before, 1);
  cr_expect_eq(comparison.only_after, 1);
  free(comparison.changes);
  fw_stored_clear(&study);
  fw_stored_clear(&other);
}

Test(sweep, deleting_a_study_keeps_runs_that_another_names) {
  (void)sweep_axes(two_axes, 2, 1);
  fw_store *store = NULL;
  cr_assert_eq(fw_store_open(store_path, FW_STORE_EXISTING, &store, NULL), FW_OK);
  fw_design design;
  fw_sweep *sweep = NULL;
  const fw_study_options options = {.threads = 1};
  cr_assert_eq(fw_design_grid(two_axes, 2, &design, NULL), FW_OK);
  cr_assert_eq(prepare(&design, &sweep, &unheard), FW_OK);
  cr_assert_eq(fw_sweep_register(sweep, store, "t", &unheard), FW_OK);
  cr_assert_eq(fw_sweep_run(sweep, store, &options, NULL, &unheard), FW_OK);
  cr_expect_eq(fw_sweep_simulated(sweep), 0, "the runs of \"s\" are those of \"t\"");
  cr_assert_eq(fw_stored_delete(store, "s", NULL), FW_OK);
  cr_expect_eq(fw_stored_delete(store, "s", NULL), FW_ERROR_INPUT);
  cr_assert_eq(fw_sweep_run(sweep, store, &options, NULL, &unheard), FW_OK);
  cr_expect_eq(fw_sweep_simulated(sweep), 0, "they are still there");
  cr_assert_eq(fw_stored_delete(store, "t", NULL), FW_OK);
  cr_assert_eq(fw_sweep_run(sweep, store, &options, NULL, &unheard), FW_OK);
  cr_expect_eq(fw_sweep_simulated(sweep), 48, "now they are gone");
  fw_sweep_free(sweep);
  fw_store_close(store);
  fw_design_clear(&design);
}

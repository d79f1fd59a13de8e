/* Checks judged: against figures taken run by run here, and Student's quantiles as GSL has them; and files rewritten.
 */
#include <gsl/gsl_cdf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/report/report.h"
#include "tests/scenario_fixture.h"

#define SEEDS 6

/* Random starts, so that seeds differ; the second arm draws less. */
#define SCENARIO(checks)                                                                                               \
  "{'fleetwatt': 1, 'name': 'checked', 'gpu': '" FW_SOURCE_DIR                                                         \
  "/tests/unit/data/plain-gpu', 'duration_s': 600, 'windows_s': [0.5, 10], 'start': 'random', 'seed': 11, 'seeds': "   \
  "6,\n"                                                                                                               \
  "'oversubscription': [2, 2.5], 'policies': [{'name': 'left alone'}, {'name': 'capped', 'job': {'kind': 'static', "   \
  "'power_cap_w': 250}}], 'jobs': [{'kind': 'grpo', 'class': 'g', 'count': 3, 'model': '" FW_SOURCE_DIR                \
  "/tests/unit/data/job'}],\n'expect': [{'duration_s': 300, 'checks': [\n" checks "\n]}]}\n"

#define OF(policy) "'policy': '" policy "', 'oversubscription': 2"

static char folder[] = "/tmp/fleetwatt-check-XXXXXX";

static void in_folder(const char *name, char path[256]) {
  (void)snprintf(path, 256, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text) {
  char path[256];
  in_folder(name, path);
  char *json = with_quotes(text);
  cr_assert_eq(fw_file_write(path, json, strlen(json), NULL), FW_OK);
  free(json);
}

static void make_folder(void) {
  cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[300];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  (void)!system(command);
}

TestSuite(check, .init = make_folder, .fini = remove_folder);

static fw_check_result check_all(const char *operand, fw_status wanted) {
  const fw_check_options options = {.share = FW_SOURCE_DIR, .study = {.threads = 2}};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_paths paths = {0};
  fw_check_result result = {0};
  char buffer[2000];
  fw_status status = fw_check_gather(&operand, 1, &paths, &diagnostics);
  status = status == FW_OK ? fw_check(&paths, &options, &result, &diagnostics) : status;
  cr_assert_eq(status, wanted, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  fw_paths_clear(&paths);
  return result;
}

static fw_check_result check_text(const char *text) {
  char path[256];
  write_file("one.json", text);
  in_folder("one.json", path);
  return check_all(path, FW_OK);
}

static fw_text text_of(const fw_check_result *result) {
  fw_text out = FW_TEXT_INIT;
  fw_report_check_text(result, &out);
  cr_assert_not(out.failed);
  return out;
}

/* A figure of each seed of an arm at the budget of ratio 2, run on its own. */
static void figures(const fw_check_result *result, size_t policy, size_t slot, double out[SEEDS]) {
  fw_scenario scenario = *result->files[0].scenario;
  scenario.duration = 300 * FW_NS_PER_S;
  for (uint64_t i = 0; i < SEEDS; i++) {
    fw_result run = run_observed(&scenario, (fw_run_options){.policy = policy, .seed = 11 + i});
    double values[FW_METRIC_SLOTS];
    fw_metric_extract(&run, values);
    out[i] = values[slot];
    fw_result_clear(&run);
  }
}

static double mean_of(const double values[SEEDS]) {
  double sum = 0.0;
  for (size_t i = 0; i < SEEDS; i++)
    sum += values[i];
  return sum / SEEDS;
}

/* ---- Judging ---- */

Test(check, a_range_is_of_the_mean_over_the_seeds) {
  fw_check_result result = check_text(SCENARIO("{'kind': 'range', 'metric': 'mean_w', " OF(
      "left alone") ", 'at_least': 100, 'at_most': 2000},\n"
                    "{'kind': 'range', 'metric': 'peak_w', 'window_s': 0.5, " OF(
                        "left alone") ", 'at_most': 100},\n"
                                      "{'kind': 'range', 'metric': 'peak_w', 'window_s': 0.5, " OF(
                                          "left alone") ", 'at_least': 99999, 'why': 'never'}"));
  const fw_check_file *file = &result.files[0];
  cr_assert_eq(file->count, 3);
  cr_expect(file->outcomes[0].holds && !file->outcomes[1].holds && !file->outcomes[2].holds);
  cr_expect(file->state == FW_CHECK_FAILS && file->failed == 2 && file->runs == SEEDS);
  double peaks[SEEDS];
  figures(&result, 0, fw_metric_slot(FW_METRIC_PEAK_W, 0), peaks);
  size_t largest = 0, smallest = 0;
  for (size_t i = 1; i < SEEDS; i++) {
    largest = peaks[i] > peaks[largest] ? i : largest;
    smallest = peaks[i] < peaks[smallest] ? i : smallest;
  }
  cr_assert_neq(largest, smallest, "the seeds do not differ, so nothing is shown here");
  cr_expect_eq(file->outcomes[1].got.mean, mean_of(peaks)); /* the same sums in the same order */
  cr_expect(file->outcomes[1].seed == 11 + largest && file->outcomes[1].seed_value == peaks[largest]);
  cr_expect(file->outcomes[2].seed == 11 + smallest && file->outcomes[2].seed_value == peaks[smallest]);
  fw_text text = text_of(&result);
  char wanted[256];
  (void)snprintf(wanted, sizeof wanted,
                 "--policies 'left alone' --oversubscription 2 --hours 0.0833333333333 --seed %zu\n", 11 + smallest);
  cr_expect_not_null(strstr(text.data, wanted), "no %s in\n%s", wanted, text.data);
  cr_expect_not_null(strstr(text.data, "why: never"));
  cr_expect_not_null(strstr(text.data, "line 6: peak_w at 0.5 s, left alone, oversubscription 2"), "%s", text.data);
  fw_text_clear(&text);
  fw_check_clear(&result);
}

/* The bound of a one-sided t test by hand: mean +- t s / sqrt(n). */
static void expect_bounds(const fw_check_outcome *outcome, const double *a, const double *b, double confidence) {
  double difference[SEEDS], squares = 0.0;
  for (size_t i = 0; i < SEEDS; i++)
    difference[i] = a[i] - b[i];
  const double mean = mean_of(difference);
  for (size_t i = 0; i < SEEDS; i++)
    squares += (difference[i] - mean) * (difference[i] - mean);
  const double half = gsl_cdf_tdist_Pinv(confidence, SEEDS - 1) * sqrt(squares / (SEEDS - 1) / SEEDS);
  const double near = 1e-9 * (fabs(mean) + half); /* two orders of summation, and quantiles good to 1e-10 */
  cr_expect_float_eq(outcome->got.mean, mean, near);
  cr_expect_float_eq(outcome->got.lo, mean - half, near);
  cr_expect_float_eq(outcome->got.hi, mean + half, near);
}

Test(check, a_comparison_is_a_paired_t_test) {
  fw_check_result result = check_text(SCENARIO("{'kind': 'comparison', 'metric': 'mean_w', " OF(
      "capped") ", 'is': 'below', 'than': 'left alone'},"
                "{'kind': 'comparison', 'metric': 'mean_w', " OF(
                    "capped") ", 'is': 'above', 'than': 'left alone'},"
                              "{'kind': 'comparison', 'metric': 'mean_w', " OF(
                                  "left alone") ", 'is': 'above', 'than': 'capped', 'confidence': 0.9},"
                                                "{'kind': 'comparison', 'metric': 'mean_w', " OF(
                                                    "capped") ", 'is': 'below', 'than': 'left alone', 'by': 1e6}"));
  const fw_check_file *file = &result.files[0];
  double free_w[SEEDS], capped_w[SEEDS];
  figures(&result, 0, fw_metric_slot(FW_METRIC_MEAN_W, 0), free_w);
  figures(&result, 1, fw_metric_slot(FW_METRIC_MEAN_W, 0), capped_w);
  expect_bounds(&file->outcomes[0], capped_w, free_w, 0.99);
  expect_bounds(&file->outcomes[2], free_w, capped_w, 0.9);
  cr_assert_lt(file->outcomes[0].got.hi, 0.0, "the cap does nothing, so nothing is shown here");
  cr_expect(file->outcomes[0].holds && !file->outcomes[1].holds && file->outcomes[2].holds && !file->outcomes[3].holds);
  cr_expect_eq(file->runs, 2 * SEEDS);
  fw_check_clear(&result);
}

/* Arms that do the same differ by nothing in every seed: neither is below the other. */
Test(check, arms_that_do_the_same_are_neither_below_nor_above) {
  fw_check_result result = check_text(SCENARIO("{'kind': 'comparison', 'metric': 'cost', " OF(
      "capped") ", 'is': 'below', 'than': 'left "
                "alone'}, {'kind': 'comparison', 'metric': 'cost', " OF("capped") ", 'is': 'above', 'than': "
                                                                                  "'left alone'}"));
  cr_expect_eq(result.files[0].failed, 2);
  fw_check_clear(&result);
}

Test(check, a_figure_that_is_not_there_fails) {
  fw_check_result result = check_text(
      "{'fleetwatt': 1, 'name': 'no tokens', 'gpu': '" FW_SOURCE_DIR "/tests/unit/data/plain-gpu', 'duration_s': 60, "
      "'windows_s': [1], 'budget_w': 500, 'seeds': 2, 'jobs': [{'kind': 'cycle', 'class': 'c', " SQUARE_PHASES
      "}], 'expect': [{'checks': [{'kind': 'range', 'metric': 'wh_per_1k_tokens', 'policy': 'uncontrolled', "
      "'at_least': "
      "0}, {'kind': 'recorded', 'metric': 'tokens_per_mwh', 'policy': 'uncontrolled', 'value': 1, 'tolerance': "
      "{'kind': "
      "'absolute', 'value': 1e9}}]}]}");
  cr_expect_eq(result.files[0].failed, 2);
  fw_text text = text_of(&result);
  cr_expect_not_null(strstr(text.data, "no such figure in at least one run"), "%s", text.data);
  fw_text_clear(&text);
  fw_check_changes changes = {0};
  cr_assert_eq(fw_check_propose(&result.files[0], &changes, NULL), FW_OK);
  cr_expect_eq(changes.count, 0, "there is nothing to write");
  free(changes.list);
  fw_check_clear(&result);
}

Test(check, a_digest_is_that_of_its_run) {
  fw_check_result result = check_text(
      SCENARIO("{'kind': 'digest', " OF("capped") ", 'digest': '0000000000000000', 'seed': 18446744073709551615}"));
  fw_scenario scenario = *result.files[0].scenario;
  scenario.duration = 300 * FW_NS_PER_S;
  fw_digest digest;
  char text[FW_DIGEST_TEXT_SIZE];
  fw_digest_start(&digest, NULL);
  fw_result run = run_observed(
      &scenario, (fw_run_options){.policy = 1, .seed = UINT64_MAX, .threads = 3, .observer = &digest.observer});
  fw_result_clear(&run);
  cr_expect_str_eq(result.files[0].outcomes[0].digest, fw_digest_format(&digest, text));
  cr_expect_not(result.files[0].outcomes[0].holds);
  fw_check_clear(&result);
}

/* ---- Rewriting ---- */

static fw_text file_text(const char *name) {
  char path[256];
  in_folder(name, path);
  fw_text text = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(path, FW_JSON_SIZE_LIMIT, &text, NULL), FW_OK);
  return text;
}

static void update(const fw_check_result *result, size_t wanted) {
  fw_check_changes changes = {0};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_assert_eq(fw_check_propose(&result->files[0], &changes, &diagnostics), FW_OK);
  cr_expect_eq(changes.count, wanted);
  cr_assert_eq(fw_check_rewrite(&result->files[0], &changes, &diagnostics), FW_OK, "%s",
               all_entries(&diagnostics, buffer));
  free(changes.list);
}

/* Odd spacing, a byte order mark, an escape in a digest, values that need all digits: all but the values stays. */
Test(check, an_update_touches_nothing_but_recorded_values) {
  static const char before[] =
      "\xEF\xBB\xBF" SCENARIO("{ 'value' :\t12.50e1 ,'kind': 'recorded', 'metric': 'mean_w', " OF(
          "left alone") ",'tolerance':{'kind':'relative','value':0} },\r\n"
                        "  {'kind': 'digest', " OF(
                            "capped") ", 'digest': '000\\u0030000000000000'   },\n"
                                      "  {'kind': 'range', 'metric': 'mean_w', " OF(
                                          "capped") ", 'at_most': 1},\n"
                                                    "  {'kind': 'recorded', 'metric': 'mean_w', " OF(
                                                        "capped") ", 'value': 100, 'tolerance': {'kind': 'absolute', "
                                                                  "'value': 1e6}},\n"
                                                                  "  {'kind': 'recorded', 'metric': 'tokens', " OF(
                                                                      "capped") ", 'value':1, 'tolerance': {'kind': "
                                                                                "'factor', 'value': 1.5}}");
  fw_check_result result = check_text(before);
  const double mean_w = result.files[0].outcomes[0].got.mean;
  const double tokens = result.files[0].outcomes[4].got.mean;
  char exact[FW_NUMBER_TEXT_SIZE], nine[FW_NUMBER_TEXT_SIZE];
  char *quoted = with_quotes(before);
  fw_text plain = FW_TEXT_INIT;
  fw_text_add(&plain, quoted);
  fw_text one = replaced(&plain, "12.50e1", fw_number_format_exact(mean_w, exact));
  fw_text two = replaced(&one, "000\\u0030000000000000", result.files[0].outcomes[1].digest);
  fw_text nine_digits = FW_TEXT_INIT;
  fw_text_add_format(&nine_digits, "\"value\":%s", fw_number_format(tokens, 9, nine));
  fw_text wanted = replaced(&two, "\"value\":1", nine_digits.data);
  update(&result, 3);
  fw_check_clear(&result);
  fw_text got = file_text("one.json");
  cr_expect_str_eq(got.data, wanted.data);
  char path[256];
  in_folder("one.json", path);
  result = check_all(path, FW_OK);
  cr_expect_eq(result.files[0].failed, 1, "only the range still fails");
  update(&result, 0);
  fw_check_clear(&result);
  fw_text_clear(&got);
  fw_text_clear(&wanted);
  fw_text_clear(&nine_digits);
  fw_text_clear(&two);
  fw_text_clear(&one);
  fw_text_clear(&plain);
  free(quoted);
}

Test(check, a_file_that_changed_meanwhile_is_not_written) {
  static const char text[] =
      SCENARIO("{'kind': 'recorded', 'metric': 'mean_w', " OF("capped") ", 'value': 1, 'tolerance': {'kind': "
                                                                        "'absolute', 'value': 1}}");
  fw_check_result result = check_text(text);
  fw_check_changes changes = {0};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_check_propose(&result.files[0], &changes, NULL), FW_OK);
  write_file("one.json", "another hand");
  cr_expect_eq(fw_check_rewrite(&result.files[0], &changes, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "changed while it was checked"));
  fw_text now = file_text("one.json");
  cr_expect_str_eq(now.data, "another hand");
  fw_text_clear(&now);
  fw_diagnostics_clear(&diagnostics);
  free(changes.list);
  fw_check_clear(&result);
}

/* ---- Folders and broken files ---- */

Test(check, every_file_of_a_folder_is_its_own_matter) {
  write_file("a-good.json", SCENARIO("{'kind': 'range', 'metric': 'mean_w', " OF("capped") ", 'at_most': 1e9}"));
  write_file("b-typo.json", SCENARIO("{'kind': 'range', 'metric': 'mean_w', " OF("capped") ", 'at_mosst': 1e9}"));
  write_file("c-bad.json", "{'fleetwatt': 1");
  write_file("d-none.json", HEAD("60", "1", "'budget_w': 100") ", 'jobs': [{'kind': 'cycle', 'class': 'c', "
                                                               "'phases': [{'duration_s': 1, 'power_w': 1}]}]}");
  write_file("e-other.json", "{'fleetwatt_ledger': 1}");
  write_file("f-misnamed.json", "{'fleetwat': 1}");
  write_file("g.txt", "no scenario");
  char gpu[256];
  in_folder("plain-gpu.json", gpu);
  fw_text text = source_text("tests/unit/data/plain-gpu.json");
  cr_assert_eq(fw_file_write(gpu, text.data, text.length, NULL), FW_OK); /* the GPU of d; another kind of file, too */
  fw_text_clear(&text);
  fw_check_result result = check_all(folder, FW_OK);
  static const fw_check_state wanted[] = {FW_CHECK_HOLDS, FW_CHECK_BROKEN, FW_CHECK_BROKEN, FW_CHECK_NOTHING,
                                          FW_CHECK_BROKEN};
  cr_assert_eq(result.count, sizeof wanted / sizeof wanted[0]);
  for (size_t i = 0; i < result.count; i++)
    cr_expect_eq(result.files[i].state, wanted[i], "%s: %d", result.files[i].path, (int)result.files[i].state);
  cr_expect_eq(result.status, FW_ERROR_INPUT);
  text = text_of(&result);
  cr_expect_not_null(strstr(text.data, "unknown key \"at_mosst\"; did you mean \"at_most\"?"), "%s", text.data);
  cr_expect_not_null(strstr(text.data, "unknown key \"fleetwat\"; did you mean \"fleetwatt\"?"), "%s", text.data);
  cr_expect_not_null(strstr(text.data, "5 files: 1 ok, 0 failed, 3 broken, 1 without checks; 1 checks, 6 runs"), "%s",
                     text.data);
  fw_text_clear(&text);
  fw_check_clear(&result);
}

Test(check, a_folder_without_scenarios_is_an_error) {
  write_file("notes.txt", "nothing");
  fw_check_result result = check_all(folder, FW_ERROR_INPUT);
  fw_check_clear(&result);
}

/* ---- Reports for build servers ---- */

static size_t count_of(const char *text, const char *word) {
  size_t count = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
    count++;
  return count;
}

Test(check, reports_for_build_servers_hold_every_check) {
  write_file("a.json", SCENARIO("{'kind': 'range', 'metric': 'mean_w', " OF(
                           "capped") ", 'at_most': 1e9}, {'kind': "
                                     "'range', 'metric': 'mean_w', " OF(
                                         "capped") ", 'at_most': 1, 'why': 'a < b & \\u0007 # c'}"));
  write_file("b.json", "{'fleetwatt': 1, 'x<y': 2}");
  fw_check_result result = check_all(folder, FW_OK);
  fw_text junit = FW_TEXT_INIT, tap = FW_TEXT_INIT, json = FW_TEXT_INIT;
  fw_report_check_junit(&result, &junit);
  fw_report_check_tap(&result, &tap);
  fw_report_check_json(&result, &json);
  cr_assert_not(junit.failed || tap.failed || json.failed);
  cr_expect_not_null(strstr(junit.data, "tests=\"3\" failures=\"1\" errors=\"1\">"), "%s", junit.data);
  cr_expect_eq(count_of(junit.data, "<testcase "), 3);
  cr_expect_not_null(strstr(junit.data, "why: a &lt; b &amp; ? # c"), "%s", junit.data);
  cr_expect_not_null(strstr(junit.data, "x&lt;y"), "%s", junit.data);
  cr_expect_not_null(strstr(tap.data, "TAP version 14\n1..3\nok 1 - "), "%s", tap.data);
  cr_expect_eq(count_of(tap.data, "\nnot ok "), 2);
  fw_json *document = NULL;
  cr_assert_eq(fw_json_parse(json.data, json.length, "json", &document, NULL), FW_OK, "%s", json.data);
  cr_expect_eq(fw_json_number(fw_json_get(fw_json_root(document), "broken")), 1.0);
  cr_expect_eq(fw_json_count(fw_json_get(fw_json_root(document), "files")), 2);
  fw_json_free(document);
  fw_text_clear(&junit);
  fw_text_clear(&tap);
  fw_text_clear(&json);
  fw_check_clear(&result);
}

static volatile sig_atomic_t enough;

/* Ctrl-C once the first run has ended. */
static void stop_after_one(void *context, size_t done, size_t total) {
  (void)context;
  enough = done >= 1 && total > 1;
}

Test(check, what_had_ended_before_an_interrupt_is_judged) {
  static const char one_seed[] =
      HEAD("10", "1", "'budget_w': 100") ", 'jobs': [{'kind': 'cycle', 'class': 'c', 'phases': [{'duration_s': 1, "
                                         "'power_w': 1}]}], 'expect': [{'seeds': 1, 'checks': [{'kind': 'range', "
                                         "'metric': 'mean_w', 'policy': 'uncontrolled', 'at_most': 1000}]}]}";
  char gpu[256];
  in_folder("plain-gpu.json", gpu);
  fw_text text = source_text("tests/unit/data/plain-gpu.json");
  cr_assert_eq(fw_file_write(gpu, text.data, text.length, NULL), FW_OK);
  fw_text_clear(&text);
  write_file("a.json", one_seed);
  write_file("b.json", one_seed);
  const char *operand = folder;
  const fw_check_options options = {.study = {.threads = 1, .cancel = &enough, .progress = stop_after_one}};
  fw_paths paths = {0};
  fw_check_result result = {0};
  cr_assert_eq(fw_check_gather(&operand, 1, &paths, NULL), FW_OK);
  cr_expect_eq(fw_check(&paths, &options, &result, NULL), FW_ERROR_FAULT);
  cr_assert_eq(result.count, 2);
  cr_expect_eq(result.files[0].state, FW_CHECK_HOLDS);
  cr_expect_eq(result.files[1].state, FW_CHECK_BROKEN);
  fw_check_clear(&result);
  fw_paths_clear(&paths);
}

Test(check, what_was_interrupted_is_said) {
  char path[256];
  const char *operand = path;
  write_file("one.json", SCENARIO("{'kind': 'range', 'metric': 'mean_w', " OF("capped") ", 'at_most': 1e9}"));
  in_folder("one.json", path);
  const volatile sig_atomic_t cancel = 1;
  const fw_check_options options = {.share = FW_SOURCE_DIR, .study = {.threads = 2, .cancel = &cancel}};
  fw_paths paths = {0};
  fw_check_result result = {0};
  cr_assert_eq(fw_check_gather(&operand, 1, &paths, NULL), FW_OK);
  cr_expect_eq(fw_check(&paths, &options, &result, NULL), FW_ERROR_FAULT);
  cr_assert_eq(result.count, 1);
  cr_expect_eq(result.files[0].state, FW_CHECK_BROKEN);
  fw_check_clear(&result);
  fw_paths_clear(&paths);
}

/* Results that are stored, byte for byte: the same for every compiler, build type and number of threads. A difference
 * is either a fault or a change to be reviewed; FW_GOLDEN_UPDATE=1 writes the files anew. */
#include "sim/report/report.h"
#include "tests/scenario_fixture.h"

#define FOLDER FW_SOURCE_DIR "/tests/golden/"

static fw_scenario *read_scenario(const char *name) {
  char path[512];
  char buffer[2000];
  (void)snprintf(path, sizeof path, FOLDER "%s.json", name);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_assert_eq(fw_scenario_read(path, NULL, &scenario, &diagnostics), FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return scenario;
}

/* The first byte that differs, with what surrounds it. */
static void show_difference(const char *path, const fw_text *wanted, const fw_text *got) {
  size_t at = 0;
  while (at < wanted->length && at < got->length && wanted->data[at] == got->data[at])
    at++;
  const size_t from = at > 60 ? at - 60 : 0;
  cr_expect_fail("%s differs at byte %zu:\n  stored ...%.90s\n  now    ...%.90s\nIf this is meant, run this test with "
                 "FW_GOLDEN_UPDATE=1 and review the difference.",
                 path, at, wanted->data + (from < wanted->length ? from : wanted->length), got->data + from);
}

static void expect_stored(const char *name, const char *kind, const fw_text *got) {
  char path[512];
  (void)snprintf(path, sizeof path, FOLDER "%s.%s.json", name, kind);
  cr_assert_not(got->failed);
  const char *update = getenv("FW_GOLDEN_UPDATE");
  if (update != NULL && strcmp(update, "1") == 0) {
    cr_assert_eq(fw_file_write(path, got->data, got->length, NULL), FW_OK, "%s", path);
    return;
  }
  fw_text stored = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(path, FW_JSON_SIZE_LIMIT, &stored, NULL), FW_OK,
               "%s cannot be read; run this test with FW_GOLDEN_UPDATE=1 to make it", path);
  if (strcmp(stored.data, got->data) != 0) show_difference(path, &stored, got);
  fw_text_clear(&stored);
}

static void run_stored(const char *name, size_t policy, const char *kind) {
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = read_scenario(name);
  fw_result result = run_observed(scenario, (fw_run_options){.policy = policy, .seed = scenario->seed});
  const fw_report_run report = {.scenario = scenario, .policy = policy, .seed = scenario->seed, .result = &result};
  fw_text text = FW_TEXT_INIT;
  fw_report_run_json(&report, &none, &text);
  expect_stored(name, kind, &text);
  fw_text_clear(&text);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
}

Test(golden, a_flat_fleet) {
  run_stored("flat", 0, "run");
}

Test(golden, a_mixed_fleet_without_control) {
  run_stored("mixed", 0, "run");
}

Test(golden, a_mixed_fleet_under_caps) {
  run_stored("mixed", 2, "capped");
}

Test(golden, a_struck_fleet_with_queues_and_engines) {
  run_stored("struck", 0, "run");
}

Test(golden, a_comparison) {
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  const fw_compare_options options = {.threads = 2};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_compare_result result;
  char buffer[2000];
  fw_scenario *scenario = read_scenario("mixed");
  cr_assert_eq(fw_compare(scenario, &options, &result, &diagnostics), FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_text text = FW_TEXT_INIT;
  fw_report_compare_json(&result, &none, &text);
  expect_stored("mixed", "compare", &text);
  fw_text_clear(&text);
  fw_compare_clear(&result);
  fw_diagnostics_clear(&diagnostics);
  fw_scenario_free(scenario);
}

/* Every allocation of a whole comparison fails once, from the scenario's text to the last byte of the report, and of a
 * check too: what comes back is a clean error, or the very same bytes where the allocation was not needed. Nothing
 * leaks and nothing crashes (the sanitizers watch).
 *
 * The linker gives this program our malloc, calloc and realloc in place of the library's (--wrap), so what our code and
 * the header-only parts of others ask for is counted. cJSON gets them through its hooks. One thread, so that the n-th
 * allocation is the same one every time. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "sim/report/report.h"
#include "tests/scenario_fixture.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the names that the linker gives */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool armed;
static size_t asked;      /* allocations since it was armed */
static size_t failing;    /* the one that fails */
static bool failing_rest; /* and all behind it */

static bool fails(void) {
  if (!armed) return false;
  const size_t number = asked++;
  return number == failing || (failing_rest && number > failing);
}

void *__wrap_malloc(size_t size) {
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
  return fails() ? NULL : __real_realloc(old, size);
}

/* NOLINTEND(bugprone-reserved-identifier) */

static void *for_cjson(size_t size) {
  return __wrap_malloc(size);
}

/* ---- What is done ---- */

static const char all_kinds[] =
    HEAD("6", "0.5, 2",
         "'oversubscription': [1.5, 3]") ", 'seeds': 2, 'start': 'random', 'tariff': {'cost_per_kwh': [0.1]}, "
                                         "'topology': {'gpus_per_node': 2, 'nodes_per_"
                                         "rack': 2}, 'budget_schedule': {'repeat_s': 4, 'steps': [{'from_s': 0, "
                                         "'factor': 1}, {'from_s': 2, 'factor': "
                                         "0.9}]}, "
                                         "'electrical': {'breaker': {'outage_s': 1}}, 'events': [{'kind': 'restart', "
                                         "'at_s': 2, "
                                         "'down_s': 1}, "
                                         "{'kind': 'gpu_failures', 'mtbf_s': 9, 'mttr_s': 1}, {'kind': 'straggler', "
                                         "'gpu': 0, 'factor': 2}, "
                                         "{'kind': 'cap_faults', 'late': 0.5, 'delay_s': 1}, {'kind': "
                                         "'demand_response', 'from_s': 3, 'duration_s': 1, "
                                         "'factor': 0.8}], "
                                         "'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'job', 'prompts': 2, "
                                         "'completion_mean': 20}, "
                                         "{'kind': 'replay', 'class': 'r', 'trace': 'recording.csv'}, {'kind': "
                                         "'cycle', 'class': 'c', 'count': 2, 'phases': "
                                         "[{'duration_s': 1.3, 'power_w': 300}]}], 'policies': [{'name': "
                                         "'uncontrolled'}, {'name': 'hysteresis', 'classes': "
                                         "['g'], 'job': {'kind': 'hysteresis'}}, {'name': 'capped', 'fleet': {'kind': "
                                         "'priority_cap', 'interval_s': 2}}, "
                                         "{'name': 'apart', 'fleet': {'kind': 'restagger', 'interval_s': 2}}], "
                                         "'expect': [{'checks': [{'kind': 'digest', 'policy': 'capped', "
                                         "'oversubscription': 3, 'digest': "
                                         "'0000000000000000'}, {'kind': 'comparison', 'metric': 'mean_w', 'policy': "
                                         "'capped', 'is': 'above', 'than': "
                                         "'uncontrolled', 'oversubscription': 3}]}]}";

/* A queue whose jobs have a residual, lose GPUs, begin again and are held up. */
static const char queue[] =
    HEAD("9", "0.5", "'budget_w': 1000") ", 'jobs': [{'kind': 'queue', 'class': 'q', 'gpus': 4, 'discipline': 'easy', "
                                         "'sizes': [2, 4], 'model': 'plain-job', 'interval': {'kind': 'exponential', "
                                         "'mean_s': 1}, 'duration': {'kind': 'exponential', 'mean_s': 2}, 'phases': "
                                         "[{'duration_s': 0.7}, {'duration_s': 0.4, 'phase': 'update'}]}], 'events': "
                                         "[{'kind': 'gpu_failures', 'mtbf_s': 9, 'mttr_s': 1}, {'kind': 'straggler', "
                                         "'gpu': 1, 'factor': 2}, {'kind': 'restart', 'at_s': 5, 'down_s': 1}], "
                                         "'seeds': 1}";

static fw_status compare(const char *json, fw_text *out, fw_diagnostics *diagnostics) {
  const fw_compare_options options = {.threads = 1};
  fw_scenario *scenario = NULL;
  fw_compare_result result;
  fw_status status = fw_scenario_parse(json, strlen(json), SCENARIO_PATH, NULL, &scenario, diagnostics);
  if (status != FW_OK) return status;
  status = fw_compare(scenario, &options, &result, diagnostics);
  if (status == FW_OK) {
    const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
    fw_report_compare_text(&result, &none, out);
    fw_report_compare_json(&result, &none, out);
    fw_compare_clear(&result);
  }
  fw_scenario_free(scenario);
  return status;
}

static char path[] = "/tmp/fleetwatt-allocation-XXXXXX";

/* The file itself is written before anything fails. */
static fw_status check(const char *json, fw_text *out, fw_diagnostics *diagnostics) {
  (void)json;
  const char *operand = path;
  const fw_check_options options = {.share = FW_SOURCE_DIR, .study = {.threads = 1}};
  fw_paths paths = {0};
  fw_check_result result = {0};
  fw_check_changes changes = {0};
  fw_status status = fw_check_gather(&operand, 1, &paths, diagnostics);
  status = status == FW_OK ? fw_check(&paths, &options, &result, diagnostics) : status;
  status = status == FW_OK ? result.status : status;
  status = status == FW_OK ? fw_check_propose(&result.files[0], &changes, diagnostics) : status;
  if (status == FW_OK) {
    fw_report_check_text(&result, out);
    fw_report_check_json(&result, out);
    fw_report_check_junit(&result, out);
    fw_report_check_tap(&result, out);
    fw_report_check_changes(&result.files[0], &changes, out);
  }
  free(changes.list);
  fw_check_clear(&result);
  fw_paths_clear(&paths);
  return status;
}

/* ---- What may come of it ---- */

typedef fw_status (*work)(const char *json, fw_text *out, fw_diagnostics *diagnostics);

static fw_status attempt(work of, const char *json, size_t number, bool rest, fw_text *out,
                         fw_diagnostics *diagnostics) {
  *out = (fw_text)FW_TEXT_INIT;
  *diagnostics = (fw_diagnostics)FW_DIAGNOSTICS_INIT;
  asked = 0;
  failing = number;
  failing_rest = rest;
  armed = true;
  const fw_status status = of(json, out, diagnostics);
  armed = false;
  return status;
}

static void expect_clean(fw_status status, const fw_text *out, const fw_diagnostics *diagnostics, const char *wanted,
                         size_t number) {
  if (status == FW_OK) {
    cr_assert(out->failed || strcmp(out->data, wanted) == 0, "allocation %zu: another result\n%s", number, out->data);
    return;
  }
  cr_assert_eq(status, FW_ERROR_MEMORY, "allocation %zu: status %d, %s", number, (int)status,
               diagnostics->count > 0 ? diagnostics->entries[0].message : "");
}

/* Fails every allocation in turn, once alone and once with all that follow. */
static void fail_each(work of, const char *json, size_t least) {
  fw_text wanted = FW_TEXT_INIT;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_assert_eq(attempt(of, json, SIZE_MAX, false, &wanted, &diagnostics), FW_OK, "%s",
               all_entries(&diagnostics, buffer));
  cr_assert_not(wanted.failed);
  fw_diagnostics_clear(&diagnostics);
  const size_t count = asked;
  cr_expect_gt(count, least);
  for (size_t number = 0; number < 2 * count; number++) {
    fw_text out = FW_TEXT_INIT;
    const fw_status status = attempt(of, json, number / 2, number % 2 == 1, &out, &diagnostics);
    expect_clean(status, &out, &diagnostics, wanted.data, number / 2);
    fw_text_clear(&out);
    fw_diagnostics_clear(&diagnostics);
  }
  fw_text_clear(&wanted);
}

static void hook(void) {
  cJSON_Hooks hooks = {.malloc_fn = for_cjson, .free_fn = free};
  cJSON_InitHooks(&hooks);
}

TestSuite(allocation_compare, .init = hook);

Test(allocation_compare, every_point_of_a_comparison_ends_cleanly) {
  char *json = with_quotes(all_kinds);
  fail_each(compare, json, 1000);
  free(json);
}

Test(allocation_compare, every_point_of_a_queue_ends_cleanly) {
  char *json = with_quotes(queue);
  fail_each(compare, json, 300);
  free(json);
}

Test(allocation_compare, every_point_of_a_check_ends_cleanly) {
  fw_text models = FW_TEXT_INIT;
  char *json = with_quotes(all_kinds);
  /* Beside this file there are no models: they are named with their folder. */
  static const char *const names[] = {"\"plain-gpu\"", "\"model\": \"job\"", "\"recording.csv\""};
  static const char *const found[] = {"\"" FW_SOURCE_DIR "/tests/unit/data/plain-gpu\"",
                                      "\"model\": \"" FW_SOURCE_DIR "/tests/unit/data/job\"",
                                      "\"" FW_SOURCE_DIR "/tests/unit/data/recording.csv\""};
  fw_text_add(&models, json);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    fw_text next = replaced(&models, names[i], found[i]);
    fw_text_clear(&models);
    models = next;
  }
  const int file = mkstemp(path);
  cr_assert_geq(file, 0);
  cr_assert_eq(fw_file_write(path, models.data, models.length, NULL), FW_OK);
  fail_each(check, "", 300);
  (void)remove(path);
  fw_text_clear(&models);
  free(json);
}

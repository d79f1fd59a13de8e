/* The result store through its functions: what is kept comes back to the bit, under its own name only, once; what is no
 * store is told. Kill, full disk and several processes are tests/sweep's. */
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/study/code_version.h"
#include "sim/study/sweep/store.h"
#include "tests/scenario_fixture.h"

static char folder[] = "/tmp/fleetwatt-store-XXXXXX";
static char path[64];

static void make_folder(void) {
  cr_assert_not_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/results.db", folder);
}

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_assert_eq(system(command), 0);
}

TestSuite(store, .init = make_folder, .fini = remove_folder);

static fw_store *open_store(void) {
  fw_store *store = NULL;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = fw_store_open(path, FW_STORE_CREATE, &store, &diagnostics);
  cr_assert_eq(status, FW_OK, "%s", diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  return store;
}

static const char two_arms[] = HEAD(
    "120", "0.5, 10",
    "'oversubscription': [1.5, 2]") ", 'policies': [{'name': 'free'}, {'name': 'capped', 'fleet': "
                                    "{'kind': 'uniform_cap'}}], 'jobs': [{'kind': 'cycle', 'class': 'c', " SQUARE_PHASES
                                    "}]}";

static bool same_figures(const fw_store_figures *a, const fw_store_figures *b) {
  for (size_t i = 0; i < FW_METRIC_SLOTS; i++) {
    const bool both_missing = isnan(a->values[i]) && isnan(b->values[i]);
    if (!both_missing && a->values[i] != b->values[i]) return false;
  }
  return a->stop_reason == b->stop_reason && a->extrapolated == b->extrapolated;
}

Test(store, a_run_is_simulated_once_and_comes_back_to_the_bit) {
  fw_scenario *scenario = scenario_from(two_arms);
  fw_store_figures first;
  fw_store_figures again;
  fw_store *store = open_store();
  cr_assert_eq(fw_store_metrics(store, scenario, 1, 1, UINT64_MAX, &first, NULL), FW_OK);
  fw_store_close(store);

  const fw_run_options options = {.policy = 1, .budget = 1, .seed = UINT64_MAX};
  fw_result result = {0};
  fw_store_figures direct;
  cr_assert_eq(fw_run(scenario, &options, &result, NULL), FW_OK);
  fw_store_extract(&result, &direct);
  fw_result_clear(&result);
  cr_expect(same_figures(&first, &direct));

  store = open_store();
  char id[FW_STORE_ID_SIZE];
  fw_store_scenario_id(scenario, id);
  fw_store_key key = {id, "capped", scenario->budgets[1].power, UINT64_MAX};
  bool found = false;
  cr_assert_eq(fw_store_find(store, &key, &again, &found, NULL), FW_OK);
  cr_expect(found);
  cr_expect(same_figures(&again, &direct));
  key.seed--;
  cr_assert_eq(fw_store_find(store, &key, &again, &found, NULL), FW_OK);
  cr_expect_not(found, "another seed");
  key = (fw_store_key){id, "capped", scenario->budgets[0].power, UINT64_MAX};
  cr_assert_eq(fw_store_find(store, &key, &again, &found, NULL), FW_OK);
  cr_expect_not(found, "another budget");
  key = (fw_store_key){id, "free", scenario->budgets[1].power, UINT64_MAX};
  cr_assert_eq(fw_store_find(store, &key, &again, &found, NULL), FW_OK);
  cr_expect_not(found, "another policy");
  fw_store_close(store);
  fw_scenario_free(scenario);
}

/* A duration from a flag is not in the scenario's hash. */
Test(store, a_scenario_of_another_duration_is_another) {
  fw_scenario *scenario = scenario_from(two_arms);
  char one[FW_STORE_ID_SIZE];
  char other[FW_STORE_ID_SIZE];
  fw_store_scenario_id(scenario, one);
  scenario->duration += scenario->tick;
  fw_store_scenario_id(scenario, other);
  cr_expect_str_neq(one, other);
  fw_scenario_free(scenario);
}

Test(store, threads_that_want_the_same_runs_simulate_each_once) {
  fw_scenario *scenario = scenario_from(two_arms);
  fw_store *store = open_store();
  int failures = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1) reduction(+ : failures)
  for (int i = 0; i < 40; i++) {
    fw_store_figures figures;
    failures += fw_store_metrics(store, scenario, 0, 0, (uint64_t)(i / 4), &figures, NULL) != FW_OK;
  }
  cr_expect_eq(failures, 0);
  fw_store_close(store);
  sqlite3 *db = NULL;
  sqlite3_stmt *count = NULL;
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_prepare_v2(db, "SELECT count(*), sum(version = ?1) FROM run", -1, &count, NULL), SQLITE_OK);
  (void)sqlite3_bind_text(count, 1, fw_code_version, -1, SQLITE_STATIC);
  cr_assert_eq(sqlite3_step(count), SQLITE_ROW);
  cr_expect_eq(sqlite3_column_int(count, 0), 10);
  cr_expect_eq(sqlite3_column_int(count, 1), 10);
  (void)sqlite3_finalize(count);
  (void)sqlite3_close(db);
  fw_scenario_free(scenario);
}

/* ---- Claims ---- */

static const fw_store_key some_key = {"0123456789abcdef", "free", 1000, 7};

static bool claims(fw_store *store, const fw_store_key *key) {
  bool claimed = false;
  cr_assert_eq(fw_store_claim(store, key, &claimed, NULL), FW_OK);
  return claimed;
}

/* A process that claims the run and waits for a byte; returns the pipe's end to write to. */
static int start_claimant(pid_t *child) {
  int ready[2];
  int end[2];
  cr_assert_eq(pipe(ready), 0);
  cr_assert_eq(pipe(end), 0);
  *child = fork();
  if (*child == 0) {
    char byte = 0;
    fw_store *store = open_store();
    byte = claims(store, &some_key) ? 'y' : 'n';
    (void)!write(ready[1], &byte, 1);
    (void)close(end[1]);
    (void)!read(end[0], &byte, 1);
    _exit(0);
  }
  char answer = 0;
  cr_assert_eq(read(ready[0], &answer, 1), 1);
  cr_assert_eq(answer, 'y');
  return end[1];
}

Test(store, a_claim_keeps_others_away_until_its_process_dies) {
  pid_t child = 0;
  (void)start_claimant(&child);
  fw_store *store = open_store();
  cr_expect_not(claims(store, &some_key));
  const fw_store_key other = {"0123456789abcdef", "free", 1000, 8};
  cr_expect(claims(store, &other), "another run is free");
  cr_assert_eq(kill(child, SIGKILL), 0);
  cr_assert_eq(waitpid(child, NULL, 0), child);
  cr_expect(claims(store, &some_key), "the dead claim nothing");
  cr_expect_not(claims(store, &some_key), "nor do other threads");
  fw_store_release(store, &some_key);
  cr_expect(claims(store, &some_key));
  fw_store_close(store);
}

/* ---- Studies ---- */

static fw_status begin(fw_store *store, const char *name, const char *command, int64_t *id) {
  const fw_store_study study = {name, command, "scenario"};
  return fw_store_begin_study(store, &study, id, NULL);
}

Test(store, a_study_is_found_again_and_not_mistaken_for_another) {
  fw_scenario *scenario = scenario_from(two_arms);
  fw_store *store = open_store();
  int64_t first = 0;
  int64_t again = 0;
  cr_assert_eq(begin(store, "a", "sweep", &first), FW_OK);
  cr_assert_eq(begin(store, "a", "sweep", &again), FW_OK);
  cr_expect_eq(first, again);
  cr_expect_eq(begin(store, "a", "plan", &again), FW_ERROR_INPUT);
  char id[FW_STORE_ID_SIZE];
  const char *const policies[] = {scenario->policies[0].name, scenario->policies[1].name};
  fw_store_scenario_id(scenario, id);
  fw_store_point point = {"{}", id, scenario->seed, 3, policies, 2, scenario->budgets, scenario->budget_count};
  cr_assert_eq(fw_store_add_point(store, first, &point, NULL), FW_OK);
  cr_expect_eq(fw_store_add_point(store, first, &point, NULL), FW_OK, "as it is");
  point.policy_count = 1;
  cr_expect_eq(fw_store_add_point(store, first, &point, NULL), FW_ERROR_INPUT, "other arms");
  point.policy_count = 2;
  scenario->duration *= 2;
  fw_store_scenario_id(scenario, id);
  cr_expect_eq(fw_store_add_point(store, first, &point, NULL), FW_ERROR_INPUT, "another scenario");
  fw_store_close(store);
  fw_scenario_free(scenario);
}

/* ---- What is no store ---- */

static fw_status open_with_message(fw_store_use use, const char *words) {
  fw_store *store = NULL;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = fw_store_open(path, use, &store, &diagnostics);
  cr_assert_null(store);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, words), "%s", diagnostics.entries[0].message);
  fw_diagnostics_clear(&diagnostics);
  return status;
}

static void change_database(const char *sql) {
  sqlite3 *db = NULL;
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  (void)sqlite3_close(db);
}

Test(store, files_that_are_no_store_are_refused_and_left_alone) {
  cr_expect_eq(open_with_message(FW_STORE_EXISTING, "no such file"), FW_ERROR_INPUT);
  static const char words[] = "These are the words of a letter, which is longer than the header of a database is; they "
                              "are not to be touched by anybody who was only told to keep results somewhere.\n";
  cr_assert_eq(fw_file_write(path, words, sizeof words - 1, NULL), FW_OK);
  cr_expect_eq(open_with_message(FW_STORE_CREATE, "not a result store"), FW_ERROR_INPUT);
  cr_expect_eq(open_with_message(FW_STORE_EXISTING, "not a result store"), FW_ERROR_INPUT);
  fw_text text = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(path, 10000, &text, NULL), FW_OK);
  cr_expect_str_eq(text.data, words);
  fw_text_clear(&text);
  cr_assert_eq(unlink(path), 0);
  change_database("CREATE TABLE contacts(name TEXT)");
  cr_expect_eq(open_with_message(FW_STORE_CREATE, "not a result store of fleetwatt"), FW_ERROR_INPUT);
}

Test(store, another_format_is_named) {
  fw_store_close(open_store());
  change_database("PRAGMA user_version = 99");
  cr_expect_eq(open_with_message(FW_STORE_CREATE, "has format 99 and this fleetwatt reads format 1"), FW_ERROR_INPUT);
}

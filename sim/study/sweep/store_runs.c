/* Runs in the store: looked up by their names, kept with all their figures, simulated where they are not there yet. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/base/hash.h"
#include "sim/fleet/run.h"
#include "sim/study/code_version.h"
#include "sim/study/sweep/store_db.h"

void fw_store_scenario_id(const fw_scenario *scenario, char id[FW_STORE_ID_SIZE]) {
  uint64_t hash = fw_hash_bytes(FW_HASH_START, scenario->hash, strlen(scenario->hash));
  hash = fw_hash_bytes(hash, &scenario->duration, sizeof scenario->duration);
  (void)snprintf(id, FW_STORE_ID_SIZE, "%016" PRIx64, hash);
}

void fw_store_extract(const fw_result *result, fw_store_figures *out) {
  fw_metric_extract(result, out->values);
  out->stop_reason = result->stop_reason;
  out->extrapolated = false;
  for (size_t j = 0; j < result->job_count; j++) {
    out->extrapolated = out->extrapolated || result->jobs[j].extrapolated;
  }
}

/* ---- Looking up ---- */

static void bind_key(sqlite3_stmt *statement, const fw_store_key *key) {
  fwi_store_bind_text(statement, 1, fw_code_version);
  fwi_store_bind_text(statement, 2, key->scenario);
  fwi_store_bind_text(statement, 3, key->policy);
  (void)sqlite3_bind_int64(statement, 4, key->budget);
  (void)sqlite3_bind_int64(statement, 5, (int64_t)key->seed); /* the same 64 bits */
}

static fw_stop_reason stop_reason_of(const char *name) {
  return strcmp(name, fw_stop_reason_names[FW_STOP_JOBS_DONE]) == 0 ? FW_STOP_JOBS_DONE : FW_STOP_HORIZON;
}

static void read_figure(sqlite3_stmt *row, fw_store_figures *out) {
  const int64_t position = sqlite3_column_int64(row, 2);
  out->stop_reason = stop_reason_of(fwi_store_text(row, 0));
  out->extrapolated = sqlite3_column_int(row, 1) != 0;
  if (position >= 0 && (uint64_t)position < FW_METRIC_SLOTS && sqlite3_column_type(row, 3) != SQLITE_NULL) {
    out->values[position] = sqlite3_column_double(row, 3);
  }
}

static fw_status find_run(fw_store *store, const fw_store_key *key, fw_store_figures *out, bool *found,
                          fw_diagnostics *diagnostics) {
  static const char sql[] = "SELECT stop_reason, extrapolated, position, value FROM run JOIN metric ON run = id"
                            " WHERE version = ?1 AND scenario = ?2 AND policy = ?3 AND budget_mw = ?4 AND seed = ?5";
  sqlite3_stmt *statement = NULL;
  bool row = false;
  fw_status status = fwi_store_prepare(store, store->reader, sql, &statement, diagnostics);
  if (status == FW_OK) {
    bind_key(statement, key);
    status = fwi_store_row(store, statement, &row, diagnostics);
  }
  for (*found = row; status == FW_OK && row; status = fwi_store_row(store, statement, &row, diagnostics)) {
    read_figure(statement, out);
  }
  (void)sqlite3_finalize(statement);
  return status;
}

fw_status fw_store_find(fw_store *store, const fw_store_key *key, fw_store_figures *out, bool *found,
                        fw_diagnostics *diagnostics) {
  *out = (fw_store_figures){0};
  for (size_t i = 0; i < FW_METRIC_SLOTS; i++) {
    out->values[i] = (double)NAN;
  }
  omp_set_lock(&store->reader_lock);
  const fw_status status = find_run(store, key, out, found, diagnostics);
  omp_unset_lock(&store->reader_lock);
  return status;
}

static fw_status has_run(fw_store *store, const fw_store_key *key, bool *found, fw_diagnostics *diagnostics) {
  static const char sql[] = "SELECT 1 FROM run WHERE version = ?1 AND scenario = ?2 AND policy = ?3 AND"
                            " budget_mw = ?4 AND seed = ?5";
  sqlite3_stmt *statement = NULL;
  fw_status status = fwi_store_prepare(store, store->reader, sql, &statement, diagnostics);
  if (status == FW_OK) {
    bind_key(statement, key);
    status = fwi_store_row(store, statement, found, diagnostics);
  }
  (void)sqlite3_finalize(statement);
  return status;
}

fw_status fwi_store_has(fw_store *store, const fw_store_key *key, bool *found, fw_diagnostics *diagnostics) {
  *found = false;
  omp_set_lock(&store->reader_lock);
  const fw_status status = has_run(store, key, found, diagnostics);
  omp_unset_lock(&store->reader_lock);
  return status;
}

/* ---- Keeping ---- */

static const char cannot_keep[] = "cannot keep a run";

static fw_status keep_metric(fw_store *store, sqlite3_stmt *insert, size_t slot, fw_time_ns window, double value,
                             fw_diagnostics *diagnostics) {
  (void)sqlite3_bind_int64(insert, 2, (int64_t)slot);
  fwi_store_bind_text(insert, 3, fw_metric_table[slot / FW_POLICY_WINDOWS].name);
  (void)sqlite3_bind_int64(insert, 4, window);
  (void)sqlite3_bind_double(insert, 5, value); /* not a number becomes NULL */
  const fw_status status = fwi_store_do(store, insert, cannot_keep, diagnostics);
  (void)sqlite3_reset(insert);
  return status;
}

static fw_status keep_metrics(fw_store *store, sqlite3_stmt *insert, const fw_store_record *record,
                              fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  (void)sqlite3_bind_int64(insert, 1, sqlite3_last_insert_rowid(store->db));
  for (size_t m = 0; m < FW_METRIC_COUNT; m++) {
    const bool windowed = fw_metric_table[m].windowed;
    for (size_t w = 0; status == FW_OK && w < (windowed ? record->window_count : 1); w++) {
      const size_t slot = fw_metric_slot((fw_metric)m, w);
      status = keep_metric(store, insert, slot, windowed ? record->windows[w] : 0, record->figures.values[slot],
                           diagnostics);
    }
  }
  return status;
}

static fw_status keep_record(fw_store *store, sqlite3_stmt *insert_run, sqlite3_stmt *insert_metric,
                             const fw_store_record *record, fw_diagnostics *diagnostics) {
  bind_key(insert_run, &record->key);
  fwi_store_bind_text(insert_run, 6, fw_stop_reason_names[record->figures.stop_reason]);
  (void)sqlite3_bind_int(insert_run, 7, record->figures.extrapolated);
  const fw_status status = fwi_store_do(store, insert_run, cannot_keep, diagnostics);
  const bool inserted = sqlite3_changes(store->db) > 0;
  (void)sqlite3_reset(insert_run);
  return status == FW_OK && inserted ? keep_metrics(store, insert_metric, record, diagnostics) : status;
}

static fw_status keep_all(fw_store *store, const fw_store_record *records, size_t count, fw_diagnostics *diagnostics) {
  static const char run_sql[] = "INSERT OR IGNORE INTO run(version, scenario, policy, budget_mw, seed, stop_reason,"
                                " extrapolated) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
  static const char metric_sql[] = "INSERT INTO metric VALUES(?1, ?2, ?3, ?4, ?5)";
  sqlite3_stmt *insert_run = NULL;
  sqlite3_stmt *insert_metric = NULL;
  fw_status status = fwi_store_prepare(store, store->db, run_sql, &insert_run, diagnostics);
  status = status == FW_OK ? fwi_store_prepare(store, store->db, metric_sql, &insert_metric, diagnostics) : status;
  for (size_t i = 0; status == FW_OK && i < count; i++) {
    status = keep_record(store, insert_run, insert_metric, &records[i], diagnostics);
  }
  (void)sqlite3_finalize(insert_run);
  (void)sqlite3_finalize(insert_metric);
  return status;
}

fw_status fw_store_keep(fw_store *store, const fw_store_record *records, size_t count, fw_diagnostics *diagnostics) {
  const fw_status status = fw_store_begin(store, diagnostics);
  return status == FW_OK ? fw_store_end(store, keep_all(store, records, count, diagnostics), diagnostics) : status;
}

/* ---- From the store or now ---- */

static fw_status simulate(fw_store *store, const fw_scenario *scenario, size_t policy, size_t budget,
                          const fw_store_key *key, fw_store_figures *out, fw_diagnostics *diagnostics) {
  const fw_run_options options = {.policy = policy, .budget = budget, .seed = key->seed};
  fw_result result = {0};
  fw_status status = fw_run(scenario, &options, &result, diagnostics);
  if (status == FW_OK) {
    fw_store_extract(&result, out);
    fw_result_clear(&result);
    const fw_store_record record = {*key, scenario->windows, scenario->window_count, *out};
    status = fw_store_keep(store, &record, 1, diagnostics);
  }
  return status;
}

fw_status fw_store_metrics(fw_store *store, const fw_scenario *scenario, size_t policy, size_t budget, uint64_t seed,
                           fw_store_figures *out, fw_diagnostics *diagnostics) {
  static const struct timespec pause = {.tv_nsec = 20000000};
  char id[FW_STORE_ID_SIZE];
  fw_store_scenario_id(scenario, id);
  const fw_store_key key = {id, scenario->policies[policy].name, scenario->budgets[budget].power, seed};
  for (;;) {
    bool found = false;
    bool claimed = false;
    fw_status status = fw_store_find(store, &key, out, &found, diagnostics);
    if (status != FW_OK || found) {
      return status;
    }
    status = fw_store_claim(store, &key, &claimed, diagnostics);
    if (status != FW_OK) {
      return status;
    }
    if (claimed) {
      status = fw_store_find(store, &key, out, &found, diagnostics);
      if (status == FW_OK && !found) {
        status = simulate(store, scenario, policy, budget, &key, out, diagnostics);
      }
      fw_store_release(store, &key);
      return status;
    }
    (void)nanosleep(&pause, NULL);
  }
}

/* Studies in the store: their names, points and arms. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/code_version.h"
#include "sim/study/sweep/store_db.h"

static const char cannot_add[] = "cannot add to a study";

/* ---- Studies ---- */

static fw_status check_same_study(fw_store *store, const fw_store_study *study, sqlite3_stmt *row,
                                  fw_diagnostics *diagnostics) {
  const fw_place place = {.file = store->path};
  const char *command = fwi_store_text(row, 1);
  const char *version = fwi_store_text(row, 2);
  const char *scenario = fwi_store_text(row, 3);
  if (strcmp(command, study->command) == 0 && strcmp(version, fw_code_version) == 0 &&
      strcmp(scenario, study->scenario) == 0) {
    return FW_OK;
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, place,
                  "the study \"%s\" is a %s of \"%s\" by fleetwatt %s (this is a %s of \"%s\" by %s); give this one "
                  "another name, or delete that one",
                  study->name, command, scenario, version, study->command, study->scenario, fw_code_version);
}

static fw_status find_study(fw_store *store, const fw_store_study *study, int64_t *id, fw_diagnostics *diagnostics) {
  sqlite3_stmt *statement = NULL;
  bool row = false;
  fw_status status = fwi_store_prepare(
      store, store->db, "SELECT id, command, version, scenario FROM study WHERE name = ?1", &statement, diagnostics);
  if (status == FW_OK) {
    fwi_store_bind_text(statement, 1, study->name);
    status = fwi_store_row(store, statement, &row, diagnostics);
  }
  if (status == FW_OK && row) {
    *id = sqlite3_column_int64(statement, 0);
    status = check_same_study(store, study, statement, diagnostics);
  }
  (void)sqlite3_finalize(statement);
  return status;
}

static fw_status make_study(fw_store *store, const fw_store_study *study, int64_t *id, fw_diagnostics *diagnostics) {
  sqlite3_stmt *statement = NULL;
  fw_status status =
      fwi_store_prepare(store, store->db, "INSERT INTO study(name, command, version, scenario) VALUES(?1, ?2, ?3, ?4)",
                        &statement, diagnostics);
  if (status == FW_OK) {
    fwi_store_bind_text(statement, 1, study->name);
    fwi_store_bind_text(statement, 2, study->command);
    fwi_store_bind_text(statement, 3, fw_code_version);
    fwi_store_bind_text(statement, 4, study->scenario);
    status = fwi_store_do(store, statement, cannot_add, diagnostics);
    *id = sqlite3_last_insert_rowid(store->db);
  }
  (void)sqlite3_finalize(statement);
  return status;
}

/* Runs `change` on its own, or as a part of the transaction that this thread is in. */
static fw_status begin_part(fw_store *store, bool *own, fw_diagnostics *diagnostics) {
  omp_set_nest_lock(&store->lock);
  *own = sqlite3_get_autocommit(store->db) != 0;
  const fw_status status = *own ? fw_store_begin(store, diagnostics) : FW_OK;
  omp_unset_nest_lock(&store->lock); /* a transaction holds it once more */
  return status;
}

static fw_status end_part(fw_store *store, bool own, fw_status status, fw_diagnostics *diagnostics) {
  return own ? fw_store_end(store, status, diagnostics) : status;
}

fw_status fw_store_begin_study(fw_store *store, const fw_store_study *study, int64_t *id, fw_diagnostics *diagnostics) {
  bool own = false;
  *id = 0;
  fw_status status = begin_part(store, &own, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  status = find_study(store, study, id, diagnostics);
  if (status == FW_OK && *id == 0) {
    status = make_study(store, study, id, diagnostics);
  }
  return end_part(store, own, status, diagnostics);
}

/* ---- Points ---- */

static fw_status add_arm(fw_store *store, sqlite3_stmt *insert, size_t position, const char *policy,
                         const fw_scenario_budget *budget, fw_diagnostics *diagnostics) {
  (void)sqlite3_bind_int64(insert, 3, (int64_t)position);
  fwi_store_bind_text(insert, 4, policy);
  (void)sqlite3_bind_int64(insert, 5, budget->power);
  (void)sqlite3_bind_double(insert, 6, budget->oversubscription);
  const fw_status status = fwi_store_do(store, insert, cannot_add, diagnostics);
  (void)sqlite3_reset(insert);
  return status;
}

/* Budgets outermost, then policies, in the scenario's order. */
static fw_status add_arms(fw_store *store, int64_t study, int64_t position, const fw_store_point *point,
                          fw_diagnostics *diagnostics) {
  sqlite3_stmt *insert = NULL;
  fw_status status =
      fwi_store_prepare(store, store->db, "INSERT INTO arm VALUES(?1, ?2, ?3, ?4, ?5, ?6)", &insert, diagnostics);
  if (status == FW_OK) {
    (void)sqlite3_bind_int64(insert, 1, study);
    (void)sqlite3_bind_int64(insert, 2, position);
  }
  const size_t policies = point->policy_count;
  for (size_t i = 0; status == FW_OK && i < policies * point->budget_count; i++) {
    status = add_arm(store, insert, i, point->policies[i % policies], &point->budgets[i / policies], diagnostics);
  }
  (void)sqlite3_finalize(insert);
  return status;
}

static fw_status insert_point(fw_store *store, int64_t study, const fw_store_point *point,
                              fw_diagnostics *diagnostics) {
  static const char sql[] = "INSERT INTO point SELECT ?1, count(*), ?2, ?3, ?4, ?5 FROM point WHERE study = ?1"
                            " RETURNING position";
  sqlite3_stmt *statement = NULL;
  bool row = false;
  int64_t position = 0;
  fw_status status = fwi_store_prepare(store, store->db, sql, &statement, diagnostics);
  if (status == FW_OK) {
    (void)sqlite3_bind_int64(statement, 1, study);
    fwi_store_bind_text(statement, 2, point->settings);
    fwi_store_bind_text(statement, 3, point->scenario);
    (void)sqlite3_bind_int64(statement, 4, (int64_t)point->first_seed);
    (void)sqlite3_bind_int64(statement, 5, (int64_t)point->seeds);
    status = fwi_store_row(store, statement, &row, diagnostics);
    position = sqlite3_column_int64(statement, 0);
  }
  (void)sqlite3_finalize(statement);
  return status == FW_OK ? add_arms(store, study, position, point, diagnostics) : status;
}

/* Whether the point is there; it must then be the same, and gets the greater number of seeds. */
static fw_status renew_point(fw_store *store, int64_t study, const fw_store_point *point, bool *known,
                             fw_diagnostics *diagnostics) {
  static const char sql[] = "UPDATE point SET seeds = max(seeds, ?3) WHERE study = ?1 AND settings = ?2"
                            " RETURNING scenario";
  sqlite3_stmt *statement = NULL;
  fw_status status = fwi_store_prepare(store, store->db, sql, &statement, diagnostics);
  if (status == FW_OK) {
    (void)sqlite3_bind_int64(statement, 1, study);
    fwi_store_bind_text(statement, 2, point->settings);
    (void)sqlite3_bind_int64(statement, 3, (int64_t)point->seeds);
    status = fwi_store_row(store, statement, known, diagnostics);
  }
  if (status == FW_OK && *known && strcmp(fwi_store_text(statement, 0), point->scenario) != 0) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = store->path},
                      "the study was made from another scenario, parameter file or duration; give this one another "
                      "name, or delete that one");
  }
  (void)sqlite3_finalize(statement);
  return status;
}

static bool is_arm(sqlite3_stmt *row, const fw_store_point *point, size_t index) {
  const size_t policies = point->policy_count;
  return index < policies * point->budget_count &&
         strcmp(fwi_store_text(row, 0), point->policies[index % policies]) == 0 &&
         sqlite3_column_int64(row, 1) == point->budgets[index / policies].power;
}

static fw_status check_arms(fw_store *store, int64_t study, const fw_store_point *point, fw_diagnostics *diagnostics) {
  static const char sql[] = "SELECT policy, budget_mw FROM arm JOIN point ON arm.study = point.study AND"
                            " arm.point = point.position WHERE arm.study = ?1 AND settings = ?2 ORDER BY arm.position";
  sqlite3_stmt *statement = NULL;
  size_t count = 0;
  bool same = true;
  bool row = true;
  fw_status status = fwi_store_prepare(store, store->db, sql, &statement, diagnostics);
  if (status == FW_OK) {
    (void)sqlite3_bind_int64(statement, 1, study);
    fwi_store_bind_text(statement, 2, point->settings);
  }
  while (status == FW_OK && row) {
    status = fwi_store_row(store, statement, &row, diagnostics);
    same = same && (!row || is_arm(statement, point, count));
    count += row;
  }
  (void)sqlite3_finalize(statement);
  if (status == FW_OK && (!same || count != point->policy_count * point->budget_count)) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = store->path},
                      "the study has other policies or budgets; give this one another name, or delete that one");
  }
  return status;
}

fw_status fw_store_add_point(fw_store *store, int64_t study, const fw_store_point *point, fw_diagnostics *diagnostics) {
  bool own = false;
  bool known = false;
  fw_status status = begin_part(store, &own, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  status = renew_point(store, study, point, &known, diagnostics);
  if (status == FW_OK) {
    status = known ? check_arms(store, study, point, diagnostics) : insert_point(store, study, point, diagnostics);
  }
  return end_part(store, own, status, diagnostics);
}

fw_status fwi_store_count_points(fw_store *store, int64_t study, size_t *out, fw_diagnostics *diagnostics) {
  sqlite3_stmt *statement = NULL;
  bool row = false;
  omp_set_nest_lock(&store->lock);
  fw_status status =
      fwi_store_prepare(store, store->db, "SELECT count(*) FROM point WHERE study = ?1", &statement, diagnostics);
  if (status == FW_OK) {
    (void)sqlite3_bind_int64(statement, 1, study);
    status = fwi_store_row(store, statement, &row, diagnostics);
    *out = (size_t)sqlite3_column_int64(statement, 0);
  }
  (void)sqlite3_finalize(statement);
  omp_unset_nest_lock(&store->lock);
  return status;
}

/* Studies read from a store, listed and deleted. */
#include "sim/study/sweep/stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/study/sweep/store_db.h"

static fw_status memory_error(fw_diagnostics *diagnostics) {
  return fw_error_memory(diagnostics, "a stored study");
}

/* Copies a row's text. */
static fw_status copy_text(sqlite3_stmt *row, int column, char **out, fw_diagnostics *diagnostics) {
  *out = fw_copy_text(fwi_store_text(row, column));
  return *out != NULL ? FW_OK : memory_error(diagnostics);
}

/* ---- Figures of an arm ---- */

/* Whether a figure is a share, as metric.h knows it. */
static bool is_rate(const char *name) {
  for (size_t m = 0; m < FW_METRIC_COUNT; m++) {
    if (strcmp(fw_metric_table[m].name, name) == 0) {
      return fw_metric_table[m].rate;
    }
  }
  return false;
}

/* Adds a figure that no run has given yet; NULL when memory is short. */
static fw_stored_metric *add_metric(const fw_stored_point *point, fw_stored_arm *arm, size_t *capacity,
                                    sqlite3_stmt *row) {
  if (!fw_grow(&arm->metrics, capacity, arm->metric_count + 1, sizeof *arm->metrics)) {
    return NULL;
  }
  fw_stored_metric *metric = &arm->metrics[arm->metric_count++];
  *metric = (fw_stored_metric){.name = fw_copy_text(fwi_store_text(row, 2)),
                               .window = sqlite3_column_int64(row, 3),
                               .values = fw_allocate(point->seeds, sizeof *metric->values)};
  for (size_t i = 0; metric->values != NULL && i < point->seeds; i++) {
    metric->values[i] = (double)NAN;
  }
  return metric->name != NULL && metric->values != NULL ? metric : NULL;
}

/* The arm's figure of that name and window; NULL when memory is short. Runs list theirs in the same order, so that the
 * `hint`-th is tried first. */
static fw_stored_metric *find_metric(const fw_stored_point *point, fw_stored_arm *arm, size_t hint, size_t *capacity,
                                     sqlite3_stmt *row) {
  const char *name = fwi_store_text(row, 2);
  const fw_time_ns window = sqlite3_column_int64(row, 3);
  for (size_t i = 0; i < arm->metric_count; i++) {
    fw_stored_metric *metric = &arm->metrics[(hint + i) % arm->metric_count];
    if (metric->window == window && strcmp(metric->name, name) == 0) {
      return metric;
    }
  }
  return add_metric(point, arm, capacity, row);
}

/* Reads the run that `select` is bound to, if it is there. */
static fw_status read_run(fw_store *store, sqlite3_stmt *select, const fw_stored_point *point, fw_stored_arm *arm,
                          uint64_t seed, size_t *capacity, fw_diagnostics *diagnostics) {
  bool row = false;
  fw_status status = fwi_store_row(store, select, &row, diagnostics);
  if (row) {
    arm->seeds[arm->runs++] = seed;
  }
  for (size_t i = 0; status == FW_OK && row; i++) {
    const fw_stored_metric *metric = find_metric(point, arm, i, capacity, select);
    if (metric == NULL) {
      status = memory_error(diagnostics);
      break;
    }
    arm->extrapolated = arm->extrapolated || sqlite3_column_int(select, 0) != 0;
    if (sqlite3_column_type(select, 4) != SQLITE_NULL) {
      metric->values[arm->runs - 1] = sqlite3_column_double(select, 4);
    }
    status = fwi_store_row(store, select, &row, diagnostics);
  }
  (void)sqlite3_reset(select);
  return status;
}

static fw_status read_runs(fw_store *store, sqlite3_stmt *select, const fw_stored_study *study,
                           const fw_stored_point *point, const char *id, fw_stored_arm *arm,
                           fw_diagnostics *diagnostics) {
  size_t capacity = 0;
  fw_status status = FW_OK;
  fwi_store_bind_text(select, 1, study->version);
  fwi_store_bind_text(select, 2, id);
  fwi_store_bind_text(select, 3, arm->policy);
  (void)sqlite3_bind_int64(select, 4, arm->budget);
  for (size_t i = 0; status == FW_OK && i < point->seeds; i++) {
    const uint64_t seed = point->first_seed + i;
    (void)sqlite3_bind_int64(select, 5, (int64_t)seed);
    status = read_run(store, select, point, arm, seed, &capacity, diagnostics);
  }
  for (size_t m = 0; m < arm->metric_count; m++) {
    fw_stored_metric *metric = &arm->metrics[m];
    metric->estimate = fw_estimate_figure(is_rate(metric->name), metric->values, arm->runs);
  }
  return status;
}

/* ---- Arms and points ---- */

static fw_status read_arm(fw_store *store, sqlite3_stmt *arms, sqlite3_stmt *runs, const fw_stored_study *study,
                          fw_stored_point *point, const char *id, size_t *capacity, fw_diagnostics *diagnostics) {
  if (!fw_grow(&point->arms, capacity, point->arm_count + 1, sizeof *point->arms)) {
    return memory_error(diagnostics);
  }
  fw_stored_arm *arm = &point->arms[point->arm_count];
  *arm = (fw_stored_arm){.budget = sqlite3_column_int64(arms, 1),
                         .oversubscription = sqlite3_column_double(arms, 2),
                         .seeds = fw_allocate(point->seeds, sizeof *arm->seeds)};
  point->arm_count++;
  if (arm->seeds == NULL) {
    return memory_error(diagnostics);
  }
  const fw_status status = copy_text(arms, 0, &arm->policy, diagnostics);
  return status == FW_OK ? read_runs(store, runs, study, point, id, arm, diagnostics) : status;
}

typedef struct selects {
  sqlite3_stmt *points;
  sqlite3_stmt *arms;
  sqlite3_stmt *runs;
} selects;

static fw_status read_arms(fw_store *store, const selects *s, int64_t study_id, int64_t position,
                           const fw_stored_study *study, fw_stored_point *point, const char *id,
                           fw_diagnostics *diagnostics) {
  size_t capacity = 0;
  bool row = false;
  (void)sqlite3_bind_int64(s->arms, 1, study_id);
  (void)sqlite3_bind_int64(s->arms, 2, position);
  fw_status status = fwi_store_row(store, s->arms, &row, diagnostics);
  while (status == FW_OK && row) {
    status = read_arm(store, s->arms, s->runs, study, point, id, &capacity, diagnostics);
    status = status == FW_OK ? fwi_store_row(store, s->arms, &row, diagnostics) : status;
  }
  (void)sqlite3_reset(s->arms);
  return status;
}

static fw_status read_points(fw_store *store, const selects *s, int64_t study_id, fw_stored_study *study,
                             fw_diagnostics *diagnostics) {
  size_t capacity = 0;
  bool row = false;
  (void)sqlite3_bind_int64(s->points, 1, study_id);
  fw_status status = fwi_store_row(store, s->points, &row, diagnostics);
  while (status == FW_OK && row) {
    if (!fw_grow(&study->points, &capacity, study->point_count + 1, sizeof *study->points)) {
      return memory_error(diagnostics);
    }
    fw_stored_point *point = &study->points[study->point_count++];
    *point = (fw_stored_point){.first_seed = (uint64_t)sqlite3_column_int64(s->points, 3),
                               .seeds = (size_t)sqlite3_column_int64(s->points, 4)};
    status = copy_text(s->points, 1, &point->settings, diagnostics);
    status = status == FW_OK ? read_arms(store, s, study_id, sqlite3_column_int64(s->points, 0), study, point,
                                         fwi_store_text(s->points, 2), diagnostics)
                             : status;
    status = status == FW_OK ? fwi_store_row(store, s->points, &row, diagnostics) : status;
  }
  return status;
}

static fw_status read_study(fw_store *store, int64_t id, fw_stored_study *study, fw_diagnostics *diagnostics) {
  static const char points[] = "SELECT position, settings, scenario, first_seed, seeds FROM point WHERE study = ?1"
                               " ORDER BY position";
  static const char arms[] = "SELECT policy, budget_mw, oversubscription FROM arm WHERE study = ?1 AND point = ?2"
                             " ORDER BY position";
  static const char runs[] = "SELECT extrapolated, position, name, window_ns, value FROM run JOIN metric ON run = id"
                             " WHERE version = ?1 AND scenario = ?2 AND policy = ?3 AND budget_mw = ?4 AND seed = ?5"
                             " ORDER BY position";
  selects s = {0};
  fw_status status = fwi_store_prepare(store, store->reader, points, &s.points, diagnostics);
  status = status == FW_OK ? fwi_store_prepare(store, store->reader, arms, &s.arms, diagnostics) : status;
  status = status == FW_OK ? fwi_store_prepare(store, store->reader, runs, &s.runs, diagnostics) : status;
  status = status == FW_OK ? read_points(store, &s, id, study, diagnostics) : status;
  (void)sqlite3_finalize(s.points);
  (void)sqlite3_finalize(s.arms);
  (void)sqlite3_finalize(s.runs);
  return status;
}

/* ---- Studies by name ---- */

static fw_status refuse_name(fw_store *store, const char *name, fw_diagnostics *diagnostics) {
  sqlite3_stmt *statement = NULL;
  bool row = false;
  char shown[FW_SHOWN_SIZE];
  fw_status status =
      fwi_store_prepare(store, store->reader, "SELECT name FROM study ORDER BY id", &statement, diagnostics);
  status = status == FW_OK ? fwi_store_row(store, statement, &row, diagnostics) : status;
  if (status == FW_OK) {
    status =
        fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = store->path}, "the store has no study \"%s\"; %s%s%s",
                 fw_shown(name, strlen(name), shown), row ? "its first is \"" : "it has none",
                 row ? fwi_store_text(statement, 0) : "", row ? "\"" : "");
  }
  (void)sqlite3_finalize(statement);
  return status;
}

static fw_status find_study(fw_store *store, const char *name, int64_t *id, fw_stored_study *out,
                            fw_diagnostics *diagnostics) {
  sqlite3_stmt *statement = NULL;
  bool row = false;
  fw_status status =
      fwi_store_prepare(store, store->reader, "SELECT id, name, command, scenario, version FROM study WHERE name = ?1",
                        &statement, diagnostics);
  if (status == FW_OK) {
    fwi_store_bind_text(statement, 1, name);
    status = fwi_store_row(store, statement, &row, diagnostics);
  }
  if (status == FW_OK && row) {
    *id = sqlite3_column_int64(statement, 0);
    status = copy_text(statement, 1, &out->name, diagnostics);
    status = status == FW_OK ? copy_text(statement, 2, &out->command, diagnostics) : status;
    status = status == FW_OK ? copy_text(statement, 3, &out->scenario, diagnostics) : status;
    status = status == FW_OK ? copy_text(statement, 4, &out->version, diagnostics) : status;
  }
  (void)sqlite3_finalize(statement);
  return status == FW_OK && !row ? refuse_name(store, name, diagnostics) : status;
}

/* All of it from one state of the file, whoever writes meanwhile. */
static fw_status read_all(fw_store *store, const char *name, fw_stored_study *out, fw_diagnostics *diagnostics) {
  int64_t id = 0;
  sqlite3_stmt *begin = NULL;
  fw_status status = fwi_store_prepare(store, store->reader, "BEGIN", &begin, diagnostics);
  status = status == FW_OK ? fwi_store_do(store, begin, "cannot read the store", diagnostics) : status;
  (void)sqlite3_finalize(begin);
  if (status == FW_OK) {
    status = find_study(store, name, &id, out, diagnostics);
    status = status == FW_OK ? read_study(store, id, out, diagnostics) : status;
    (void)sqlite3_exec(store->reader, "COMMIT", NULL, NULL, NULL); /* nothing was written */
  }
  return status;
}

fw_status fw_stored_read(fw_store *store, const char *name, fw_stored_study *out, fw_diagnostics *diagnostics) {
  *out = (fw_stored_study){0};
  omp_set_lock(&store->reader_lock);
  const fw_status status = read_all(store, name, out, diagnostics);
  omp_unset_lock(&store->reader_lock);
  if (status != FW_OK) {
    fw_stored_clear(out);
  }
  return status;
}

static void clear_arm(fw_stored_arm *arm) {
  for (size_t i = 0; i < arm->metric_count; i++) {
    free(arm->metrics[i].name);
    free(arm->metrics[i].values);
  }
  free(arm->metrics);
  free(arm->seeds);
  free(arm->policy);
}

void fw_stored_clear(fw_stored_study *study) {
  for (size_t p = 0; p < study->point_count; p++) {
    for (size_t a = 0; a < study->points[p].arm_count; a++) {
      clear_arm(&study->points[p].arms[a]);
    }
    free(study->points[p].arms);
    free(study->points[p].settings);
  }
  free(study->points);
  free(study->name);
  free(study->command);
  free(study->scenario);
  free(study->version);
  *study = (fw_stored_study){0};
}

/* ---- The list ---- */

static fw_status add_summary(sqlite3_stmt *row, fw_stored_list *out, size_t *capacity, fw_diagnostics *diagnostics) {
  if (!fw_grow(&out->studies, capacity, out->count + 1, sizeof *out->studies)) {
    return memory_error(diagnostics);
  }
  fw_stored_summary *summary = &out->studies[out->count++];
  *summary = (fw_stored_summary){.points = (size_t)sqlite3_column_int64(row, 4),
                                 .wanted = (size_t)sqlite3_column_int64(row, 5),
                                 .runs = (size_t)sqlite3_column_int64(row, 6)};
  fw_status status = copy_text(row, 0, &summary->name, diagnostics);
  status = status == FW_OK ? copy_text(row, 1, &summary->command, diagnostics) : status;
  status = status == FW_OK ? copy_text(row, 2, &summary->scenario, diagnostics) : status;
  return status == FW_OK ? copy_text(row, 3, &summary->version, diagnostics) : status;
}

static fw_status list_all(fw_store *store, fw_stored_list *out, fw_diagnostics *diagnostics) {
  static const char sql[] =
      "SELECT name, command, scenario, version, (SELECT count(*) FROM point WHERE study = s.id),"
      " (SELECT coalesce(sum(seeds), 0) FROM arm JOIN point p ON arm.study = p.study AND arm.point = p.position"
      "  WHERE arm.study = s.id),"
      " (SELECT count(*) FROM arm JOIN point p ON arm.study = p.study AND arm.point = p.position"
      "  JOIN run ON run.version = s.version AND run.scenario = p.scenario AND run.policy = arm.policy"
      "  AND run.budget_mw = arm.budget_mw AND run.seed - p.first_seed BETWEEN 0 AND p.seeds - 1"
      "  WHERE arm.study = s.id) FROM study s ORDER BY id";
  sqlite3_stmt *statement = NULL;
  size_t capacity = 0;
  bool row = false;
  fw_status status = fwi_store_prepare(store, store->reader, sql, &statement, diagnostics);
  status = status == FW_OK ? fwi_store_row(store, statement, &row, diagnostics) : status;
  while (status == FW_OK && row) {
    status = add_summary(statement, out, &capacity, diagnostics);
    status = status == FW_OK ? fwi_store_row(store, statement, &row, diagnostics) : status;
  }
  (void)sqlite3_finalize(statement);
  return status;
}

fw_status fw_stored_list_read(fw_store *store, fw_stored_list *out, fw_diagnostics *diagnostics) {
  *out = (fw_stored_list){0};
  omp_set_lock(&store->reader_lock);
  const fw_status status = list_all(store, out, diagnostics);
  omp_unset_lock(&store->reader_lock);
  if (status != FW_OK) {
    fw_stored_list_clear(out);
  }
  return status;
}

void fw_stored_list_clear(fw_stored_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->studies[i].name);
    free(list->studies[i].command);
    free(list->studies[i].scenario);
    free(list->studies[i].version);
  }
  free(list->studies);
  *list = (fw_stored_list){0};
}

/* ---- Deleting ---- */

static fw_status delete_study(fw_store *store, const char *name, bool *found, fw_diagnostics *diagnostics) {
  static const char study_sql[] = "DELETE FROM study WHERE name = ?1";
  static const char runs_sql[] = "DELETE FROM run WHERE NOT EXISTS (SELECT 1 FROM point JOIN study ON study = id WHERE"
                                 " point.scenario = run.scenario AND study.version = run.version)";
  static const char cannot_delete[] = "cannot delete the study";
  sqlite3_stmt *study = NULL;
  sqlite3_stmt *runs = NULL;
  fw_status status = fwi_store_prepare(store, store->db, study_sql, &study, diagnostics);
  status = status == FW_OK ? fwi_store_prepare(store, store->db, runs_sql, &runs, diagnostics) : status;
  if (status == FW_OK) {
    fwi_store_bind_text(study, 1, name);
    status = fwi_store_do(store, study, cannot_delete, diagnostics);
    *found = sqlite3_changes(store->db) > 0;
  }
  status = status == FW_OK ? fwi_store_do(store, runs, cannot_delete, diagnostics) : status;
  (void)sqlite3_finalize(study);
  (void)sqlite3_finalize(runs);
  return status;
}

fw_status fw_stored_delete(fw_store *store, const char *name, fw_diagnostics *diagnostics) {
  bool found = false;
  fw_status status = fw_store_begin(store, diagnostics);
  if (status == FW_OK) {
    status = fw_store_end(store, delete_study(store, name, &found, diagnostics), diagnostics);
  }
  if (status == FW_OK && !found) {
    omp_set_lock(&store->reader_lock);
    status = refuse_name(store, name, diagnostics);
    omp_unset_lock(&store->reader_lock);
  }
  return status;
}

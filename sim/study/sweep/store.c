/* The store as a file: opening it, its tables, what SQLite answers in words, transactions.
 *
 * The write-ahead log with synchronous = FULL: a commit is on the disk when it returns, readers never wait, and a file
 * that a process left behind in any state is mended by the next that opens it (https://www.sqlite.org/wal.html). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/base/memory.h"
#include "sim/study/sweep/store_db.h"

#define APPLICATION_ID 0x666c7477 /* "fltw" in the file's header, so that a foreign file is told */
#define FORMAT 1
#define PATIENCE_MS 120000 /* for another process's transaction, which takes milliseconds */

#define AS_TEXT(number) AS_TEXT_(number)
#define AS_TEXT_(number) #number

static const char tables[] =
    "CREATE TABLE study(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, command TEXT NOT NULL,"
    " version TEXT NOT NULL, scenario TEXT NOT NULL);"
    "CREATE TABLE point(study INTEGER NOT NULL REFERENCES study ON DELETE CASCADE, position INTEGER NOT NULL,"
    " settings TEXT NOT NULL, scenario TEXT NOT NULL, first_seed INTEGER NOT NULL, seeds INTEGER NOT NULL,"
    " PRIMARY KEY(study, position), UNIQUE(study, settings)) WITHOUT ROWID;"
    "CREATE INDEX point_scenario ON point(scenario);"
    "CREATE TABLE arm(study INTEGER NOT NULL, point INTEGER NOT NULL, position INTEGER NOT NULL, policy TEXT NOT NULL,"
    " budget_mw INTEGER NOT NULL, oversubscription REAL, PRIMARY KEY(study, point, position),"
    " FOREIGN KEY(study, point) REFERENCES point ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE TABLE run(id INTEGER PRIMARY KEY, version TEXT NOT NULL, scenario TEXT NOT NULL, policy TEXT NOT NULL,"
    " budget_mw INTEGER NOT NULL, seed INTEGER NOT NULL, stop_reason TEXT NOT NULL, extrapolated INTEGER NOT NULL,"
    " UNIQUE(version, scenario, policy, budget_mw, seed));"
    "CREATE TABLE metric(run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, position INTEGER NOT NULL,"
    " name TEXT NOT NULL, window_ns INTEGER NOT NULL, value REAL, PRIMARY KEY(run, position)) WITHOUT ROWID;"
    "PRAGMA application_id = " AS_TEXT(APPLICATION_ID) "; PRAGMA user_version = " AS_TEXT(FORMAT) ";";

/* ---- What SQLite answers ---- */

static bool disk_is_full(sqlite3 *db, int code) {
  const bool failed = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
  return (code & 0xff) == SQLITE_FULL || (failed && sqlite3_system_errno(db) == ENOSPC);
}

/* Reports what SQLite answered while doing `what`, with a remedy, and returns the status that it stands for. */
static fw_status store_error(fw_store *store, sqlite3 *db, int code, const char *what, fw_diagnostics *diagnostics) {
  const fw_place place = {.file = store->path};
  const char *reason = sqlite3_errmsg(db);
  if (disk_is_full(db, code)) {
    return fw_error(diagnostics, FW_ERROR_IO, place,
                    "%s: the disk is full; make space and give the same command again: what was committed is kept",
                    what);
  }
  switch (code & 0xff) {
  case SQLITE_NOMEM:
    return fw_error_memory(diagnostics, "the result store");
  case SQLITE_NOTADB:
    return fw_error(diagnostics, FW_ERROR_INPUT, place,
                    "the file is not a result store; give the path of one, or of a file that does not exist yet");
  case SQLITE_CANTOPEN:
    return fw_error(diagnostics, FW_ERROR_INPUT, place, "cannot open the result store: %s",
                    access(store->path, F_OK) != 0 ? "there is no such file" : reason);
  case SQLITE_BUSY:
    return fw_error(diagnostics, FW_ERROR_IO, place, "%s: another process has held the store for %d s", what,
                    PATIENCE_MS / 1000);
  case SQLITE_READONLY:
    return fw_error(diagnostics, FW_ERROR_IO, place, "%s: the file or its folder may not be written", what);
  default:
    return fw_error(diagnostics, FW_ERROR_IO, place, "%s: %s", what, reason);
  }
}

static const char cannot_read[] = "cannot read the store";
static const char cannot_write[] = "cannot write the store";
static const char cannot_open[] = "cannot open the store";

fw_status fwi_store_prepare(fw_store *store, sqlite3 *db, const char *sql, sqlite3_stmt **out,
                            fw_diagnostics *diagnostics) {
  const int code = sqlite3_prepare_v2(db, sql, -1, out, NULL);
  return code == SQLITE_OK ? FW_OK : store_error(store, db, code, cannot_read, diagnostics);
}

fw_status fwi_store_do(fw_store *store, sqlite3_stmt *statement, const char *what, fw_diagnostics *diagnostics) {
  const int code = sqlite3_step(statement);
  return code == SQLITE_DONE ? FW_OK : store_error(store, sqlite3_db_handle(statement), code, what, diagnostics);
}

fw_status fwi_store_row(fw_store *store, sqlite3_stmt *statement, bool *row, fw_diagnostics *diagnostics) {
  const int code = sqlite3_step(statement);
  *row = code == SQLITE_ROW;
  return *row || code == SQLITE_DONE ? FW_OK
                                     : store_error(store, sqlite3_db_handle(statement), code, cannot_read, diagnostics);
}

const char *fwi_store_text(sqlite3_stmt *statement, int column) {
  const unsigned char *text = sqlite3_column_text(statement, column);
  return text != NULL ? (const char *)text : "";
}

void fwi_store_bind_text(sqlite3_stmt *statement, int index, const char *text) {
  (void)sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

static fw_status execute(fw_store *store, const char *sql, const char *what, fw_diagnostics *diagnostics) {
  const int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? FW_OK : store_error(store, store->db, code, what, diagnostics);
}

/* ---- Transactions ---- */

fw_status fw_store_begin(fw_store *store, fw_diagnostics *diagnostics) {
  omp_set_nest_lock(&store->lock);
  const fw_status status = execute(store, "BEGIN IMMEDIATE", cannot_write, diagnostics);
  if (status != FW_OK) {
    omp_unset_nest_lock(&store->lock);
  }
  return status;
}

fw_status fw_store_end(fw_store *store, fw_status status, fw_diagnostics *diagnostics) {
  if (status == FW_OK) {
    status = execute(store, "COMMIT", cannot_write, diagnostics);
  }
  if (status != FW_OK) {
    (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* some errors have done it already */
  }
  omp_unset_nest_lock(&store->lock);
  return status;
}

/* ---- Opening ---- */

static fw_status read_number(fw_store *store, const char *sql, int64_t *out, fw_diagnostics *diagnostics) {
  sqlite3_stmt *statement = NULL;
  bool row = false;
  fw_status status = fwi_store_prepare(store, store->db, sql, &statement, diagnostics);
  status = status == FW_OK ? fwi_store_row(store, statement, &row, diagnostics) : status;
  *out = row ? sqlite3_column_int64(statement, 0) : 0;
  (void)sqlite3_finalize(statement);
  return status;
}

/* Within a transaction, so that of two processes one makes the tables and the other finds them. */
static fw_status make_or_check_tables(fw_store *store, fw_store_use use, fw_diagnostics *diagnostics) {
  int64_t application = 0;
  int64_t format = 0;
  int64_t objects = 0;
  const fw_place place = {.file = store->path};
  fw_status status = read_number(store, "PRAGMA application_id", &application, diagnostics);
  status = status == FW_OK ? read_number(store, "PRAGMA user_version", &format, diagnostics) : status;
  status = status == FW_OK ? read_number(store, "SELECT count(*) FROM sqlite_schema", &objects, diagnostics) : status;
  if (status != FW_OK) {
    return status;
  }
  if (application == 0 && format == 0 && objects == 0 && use == FW_STORE_CREATE) {
    return execute(store, tables, "cannot make the store", diagnostics);
  }
  if (application != APPLICATION_ID) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place,
                    "the file is not a result store of fleetwatt; give the path of one, or of a file that does not "
                    "exist yet");
  }
  if (format != FORMAT) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place,
                    "the store has format %lld and this fleetwatt reads format %d; use the version that wrote it, or "
                    "another file",
                    (long long)format, FORMAT);
  }
  return FW_OK;
}

/* The mode is kept in the file, and changing it wants the file alone for a moment: while two processes open a new store
 * at once, SQLite may answer "busy" without waiting. */
static fw_status set_log_mode(fw_store *store, fw_diagnostics *diagnostics) {
  int code = SQLITE_BUSY;
  for (int attempt = 0; (code & 0xff) == SQLITE_BUSY && attempt < PATIENCE_MS / 10; attempt++) {
    if (attempt > 0) {
      (void)sqlite3_sleep(10);
    }
    code = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
  }
  return code == SQLITE_OK ? FW_OK : store_error(store, store->db, code, cannot_open, diagnostics);
}

static fw_status connect(fw_store *store, int flags, sqlite3 **db, fw_diagnostics *diagnostics) {
  const int code = sqlite3_open_v2(store->path, db, flags, NULL);
  if (*db == NULL) {
    return fw_error_memory(diagnostics, "the result store");
  }
  if (code != SQLITE_OK) {
    return store_error(store, *db, code, cannot_open, diagnostics);
  }
  (void)sqlite3_extended_result_codes(*db, 1);
  (void)sqlite3_busy_timeout(*db, PATIENCE_MS);
  return FW_OK;
}

/* A foreign file is told before anything in it is changed. */
static fw_status prepare_file(fw_store *store, fw_store_use use, fw_diagnostics *diagnostics) {
  fw_status status = execute(store, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON", cannot_open, diagnostics);
  if (status == FW_OK && use == FW_STORE_EXISTING) {
    status = make_or_check_tables(store, use, diagnostics);
  } else if (status == FW_OK) {
    status = fw_store_begin(store, diagnostics);
    status = status == FW_OK ? fw_store_end(store, make_or_check_tables(store, use, diagnostics), diagnostics) : status;
  }
  return status == FW_OK ? set_log_mode(store, diagnostics) : status;
}

static fw_status open_database(fw_store *store, fw_store_use use, fw_diagnostics *diagnostics) {
  const int flags = SQLITE_OPEN_READWRITE;
  const int create = use == FW_STORE_CREATE ? SQLITE_OPEN_CREATE : 0;
  fw_status status = connect(store, flags | create, &store->db, diagnostics);
  status = status == FW_OK ? prepare_file(store, use, diagnostics) : status;
  return status == FW_OK ? connect(store, flags, &store->reader, diagnostics) : status;
}

fw_status fw_store_open(const char *path, fw_store_use use, fw_store **out, fw_diagnostics *diagnostics) {
  *out = NULL;
  fw_store *store = fw_allocate(1, sizeof *store);
  if (store == NULL) {
    return fw_error_memory(diagnostics, "the result store");
  }
  omp_init_nest_lock(&store->lock);
  omp_init_lock(&store->reader_lock);
  fwi_claims_init(&store->claims, path);
  store->path = fw_copy_text(path);
  fw_status status = store->path != NULL && store->claims.path != NULL
                         ? open_database(store, use, diagnostics)
                         : fw_error_memory(diagnostics, "the result store");
  if (status != FW_OK) {
    fw_store_close(store);
    return status;
  }
  *out = store;
  return FW_OK;
}

void fw_store_close(fw_store *store) {
  if (store == NULL) {
    return;
  }
  (void)sqlite3_close(store->reader);
  (void)sqlite3_close(store->db); /* the last to close moves the log into the file */
  fwi_claims_close(&store->claims);
  omp_destroy_lock(&store->reader_lock);
  omp_destroy_nest_lock(&store->lock);
  free(store->path);
  free(store);
}

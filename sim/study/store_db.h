/* Inside sim/study: what the parts of the store share. */
#ifndef FW_STUDY_STORE_DB_H
#define FW_STUDY_STORE_DB_H

#include <omp.h>
#include <sqlite3.h>

#include "sim/study/store.h"

/* Byte ranges of the claims file that this process holds. */
typedef struct fwi_claims {
  char *path;
  int descriptor; /* -1 until the first claim */
  int64_t *held;
  size_t count;
  size_t capacity;
} fwi_claims;

struct fw_store {
  char *path;
  sqlite3 *db;
  omp_nest_lock_t lock; /* one user of `db` and `claims` at a time; a transaction holds it throughout */
  fwi_claims claims;
};

/* Reports what SQLite answered while doing `what`, with a remedy, and returns the status that it stands for. */
fw_status fwi_store_error(fw_store *store, int code, const char *what, fw_diagnostics *diagnostics);

/* Prepares a statement; finish with fwi_store_finish. */
fw_status fwi_store_prepare(fw_store *store, const char *sql, sqlite3_stmt **out, fw_diagnostics *diagnostics);

/* Steps a statement that answers with no row. */
fw_status fwi_store_do(fw_store *store, sqlite3_stmt *statement, const char *what, fw_diagnostics *diagnostics);

/* Steps to the next row; `row` is false past the last. */
fw_status fwi_store_row(fw_store *store, sqlite3_stmt *statement, bool *row, fw_diagnostics *diagnostics);

/* Text of a row's column, never NULL. */
const char *fwi_store_text(sqlite3_stmt *statement, int column);

/* Binds text that outlives the statement. */
void fwi_store_bind_text(sqlite3_stmt *statement, int index, const char *text);

void fwi_claims_close(fwi_claims *claims);

#endif

/* Inside sim/study: what the parts of the store share. */
#ifndef FW_STUDY_STORE_DB_H
#define FW_STUDY_STORE_DB_H

#include <omp.h>
#include <sqlite3.h>

#include "sim/study/sweep/store.h"

/* Byte ranges of the claims file that this process holds. */
typedef struct fwi_claims {
  omp_lock_t lock;
  char *path;
  int descriptor; /* -1 until the first claim */
  int64_t *held;
  size_t count;
  size_t capacity;
} fwi_claims;

struct fw_store {
  char *path;
  sqlite3 *db;            /* writes */
  omp_nest_lock_t lock;   /* of `db`; a transaction holds it throughout */
  sqlite3 *reader;        /* reads, without waiting for a commit to reach the disk */
  omp_lock_t reader_lock; /* of `reader` */
  fwi_claims claims;
};

/* Prepares a statement of one of the connections; finish with sqlite3_finalize, which NULL may be given to. */
fw_status fwi_store_prepare(fw_store *store, sqlite3 *db, const char *sql, sqlite3_stmt **out,
                            fw_diagnostics *diagnostics);

/* Steps a statement that answers with no row. */
fw_status fwi_store_do(fw_store *store, sqlite3_stmt *statement, const char *what, fw_diagnostics *diagnostics);

/* Steps to the next row; `row` is false past the last. */
fw_status fwi_store_row(fw_store *store, sqlite3_stmt *statement, bool *row, fw_diagnostics *diagnostics);

/* Text of a row's column, never NULL. */
const char *fwi_store_text(sqlite3_stmt *statement, int column);

/* Binds text that outlives the statement. */
void fwi_store_bind_text(sqlite3_stmt *statement, int index, const char *text);

/* Whether a run is there. */
fw_status fwi_store_has(fw_store *store, const fw_store_key *key, bool *found, fw_diagnostics *diagnostics);

/* Of a study; within a transaction or without. */
fw_status fwi_store_count_points(fw_store *store, int64_t study, size_t *out, fw_diagnostics *diagnostics);

void fwi_claims_init(fwi_claims *claims, const char *store_path);
void fwi_claims_close(fwi_claims *claims);

#endif

/* The result store: one SQLite file that keeps the figures of runs, so that what was simulated once is never simulated
 * again, whatever happens to the process that did it.
 *
 * A run is named by what it is: the code, the scenario, the policy, the budget and the seed. It is claimed, simulated,
 * and committed with all its figures in one transaction; a process that dies leaves every run whole or absent. Claims
 * are byte-range locks on the file "PATH-claims" beside the store: they die with their process, so nothing has to be
 * cleaned up and no clock is asked. The file stays and is empty.
 *
 * Studies (a sweep, a plan) are lists of points, each a scenario with its arms and seeds; runs belong to all studies
 * that name them.
 *
 * All functions but open and close may be called from any thread. A process opens a store once; any number of processes
 * on one machine may share it (SQLite's write-ahead log wants a local disk). A full disk is FW_ERROR_IO, and what was
 * committed before it is kept. */
#ifndef FW_STUDY_STORE_H
#define FW_STUDY_STORE_H

#include "sim/scenario/scenario.h"
#include "sim/study/metric.h"

typedef struct fw_store fw_store;

typedef enum fw_store_use {
  FW_STORE_EXISTING, /* must be there */
  FW_STORE_CREATE    /* is made where it is not */
} fw_store_use;

/* A file that is no store, or that of another version of the format, is FW_ERROR_INPUT. */
fw_status fw_store_open(const char *path, fw_store_use use, fw_store **out, fw_diagnostics *diagnostics);
void fw_store_close(fw_store *store); /* or NULL */

/* ---- Runs ---- */

/* What a run's figures depend on of a scenario as it was read, from a file or an edited text: its hash and its
 * duration, which a flag may change. 16 hexadecimal digits. Changes made to the struct afterwards do not show, but for
 * budgets. */
#define FW_STORE_ID_SIZE ((size_t)17)
void fw_store_scenario_id(const fw_scenario *scenario, char id[FW_STORE_ID_SIZE]);

/* What names a run, beside the code: fw_code_version. */
typedef struct fw_store_key {
  const char *scenario; /* fw_store_scenario_id */
  const char *policy;
  fw_power_mw budget; /* 0: none */
  uint64_t seed;
} fw_store_key;

/* What is kept of a run: one row for each figure. */
typedef struct fw_store_figures {
  double values[FW_METRIC_SLOTS];
  fw_stop_reason stop_reason;
  bool extrapolated; /* some job left the support of its model */
} fw_store_figures;

typedef struct fw_store_record {
  fw_store_key key;
  const fw_time_ns *windows; /* of the scenario */
  size_t window_count;
  fw_store_figures figures;
} fw_store_record;

/* The figures of policy `policy` at budget `budget` (indices into the scenario) with `seed`: from the store, or
 * simulated now and kept. Where another thread or process simulates that very run, waits for it. */
fw_status fw_store_metrics(fw_store *store, const fw_scenario *scenario, size_t policy, size_t budget, uint64_t seed,
                           fw_store_figures *out, fw_diagnostics *diagnostics);

/* The parts of the above, for studies that share out their runs themselves.
 *
 * Looks a run up. */
fw_status fw_store_find(fw_store *store, const fw_store_key *key, fw_store_figures *out, bool *found,
                        fw_diagnostics *diagnostics);

/* Tries to become the one who simulates a run; `claimed` is false where somebody else is. After success the run may
 * have been finished in the meantime: look it up again. */
fw_status fw_store_claim(fw_store *store, const fw_store_key *key, bool *claimed, fw_diagnostics *diagnostics);
void fw_store_release(fw_store *store, const fw_store_key *key);

/* Keeps all records or, on an error, none. They are on the disk when this returns. A run that is there already stays.
 */
fw_status fw_store_keep(fw_store *store, const fw_store_record *records, size_t count, fw_diagnostics *diagnostics);

/* Fills a record's figures from a result. */
void fw_store_extract(const fw_result *result, fw_store_figures *out);

/* ---- Studies ---- */

typedef struct fw_store_study {
  const char *name;     /* unique in the store */
  const char *command;  /* "sweep", "plan" */
  const char *scenario; /* its name */
} fw_store_study;

/* One point of a study: all policies of a scenario at all its budgets, over `seeds` seeds from `first_seed` on. */
typedef struct fw_store_point {
  const char *settings; /* what tells it from the others: a JSON object, {"jobs[0].count": 4} */
  const char *scenario; /* fw_store_scenario_id */
  uint64_t first_seed;
  size_t seeds;
  const char *const *policies; /* their names */
  size_t policy_count;
  const fw_scenario_budget *budgets;
  size_t budget_count;
} fw_store_point;

/* Finds the study or makes it. FW_ERROR_INPUT where the name is taken by a study of another command, scenario or code.
 */
fw_status fw_store_begin_study(fw_store *store, const fw_store_study *study, int64_t *id, fw_diagnostics *diagnostics);

/* Adds a point behind those that are there. One whose settings are known must have the same scenario and arms; it gets
 * the greater number of seeds. */
fw_status fw_store_add_point(fw_store *store, int64_t study, const fw_store_point *point, fw_diagnostics *diagnostics);

/* Several changes as one: between the two, nobody else writes, and a process that dies leaves nothing of them.
 * fw_store_end commits where `status` is FW_OK and undoes all else; returns what the whole came to. It is called by the
 * thread that began, and only where beginning succeeded. */
fw_status fw_store_begin(fw_store *store, fw_diagnostics *diagnostics);
fw_status fw_store_end(fw_store *store, fw_status status, fw_diagnostics *diagnostics);

#endif

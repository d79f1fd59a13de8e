/* Inside sim/study: what a sweep knows of its points. */
#ifndef FW_STUDY_SWEEP_POINTS_H
#define FW_STUDY_SWEEP_POINTS_H

#include <omp.h>

#include "sim/study/sweep/sweep.h"

/* What is kept of a scenario while it is not loaded. */
typedef struct fwi_sweep_point {
  char id[FW_STORE_ID_SIZE];
  uint64_t seed;
  size_t seeds;
  char **policies;  /* their names */
  bool *serves_all; /* of each policy: it ignores budgets, one run does for all of them */
  size_t policy_count;
  fw_scenario_budget *budgets;
  size_t budget_count;
  fw_time_ns *windows;
  size_t window_count;
  size_t units_per_seed;
  size_t first_unit;
  fw_scenario *scenario; /* while some thread needs it */
  size_t users;
} fwi_sweep_point;

/* A unit taken apart. */
typedef struct fwi_sweep_unit {
  size_t point;
  size_t policy;
  size_t budget; /* the first */
  size_t runs;   /* budgets served, from `budget` on */
  uint64_t seed;
} fwi_sweep_unit;

/* Results that wait for the next commit. */
typedef struct fwi_sweep_given {
  size_t unit;
  fw_store_figures *figures; /* owned */
} fwi_sweep_given;

/* Who does what (sweep_share.c). */
typedef struct fwi_sweep_share {
  omp_lock_t lock;
  fw_store *store;
  const fw_study_options *options;
  unsigned char *states; /* of each unit */
  size_t cursor;         /* units before it were looked at in this round */
  size_t passed_over;    /* of those: claimed by other processes */
  size_t done;
  size_t simulated; /* runs given back and committed, not units */
  fwi_sweep_given *given;
  size_t given_count;
  size_t given_capacity;
  bool committing; /* some thread is writing */
  fw_status status;
  size_t failed_unit; /* the first of those that failed */
  fw_diagnostics diagnostics;
} fwi_sweep_share;

struct fw_sweep {
  fw_sweep_spec spec;
  fw_text text; /* of the scenario file */
  char *name;
  fwi_sweep_point *points;
  size_t unit_count;
  bool takes_trace; /* some point's scenario takes that of the overrides */
  omp_lock_t lock; /* of the loaded scenarios */
  size_t latest;   /* the point that was asked for last: it stays loaded */
  fwi_sweep_share share;
};

fwi_sweep_unit fwi_sweep_unit_at(const fw_sweep *sweep, size_t index);

/* The name of the unit's `index`-th run. */
fw_store_key fwi_sweep_key(const fw_sweep *sweep, const fwi_sweep_unit *unit, size_t index);

/* A point's scenario, read afresh; free it. */
fw_status fwi_sweep_read_point(const fw_sweep *sweep, size_t index, fw_scenario **out, fw_diagnostics *diagnostics);

#endif

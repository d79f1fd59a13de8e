/* Studies as a store holds them, for reports: in the order of their points, arms and seeds, so that who simulated what,
 * and when, cannot show. */
#ifndef FW_STUDY_STORED_H
#define FW_STUDY_STORED_H

#include "sim/study/estimate.h"
#include "sim/study/sweep/store.h"

/* One figure of an arm over its runs. */
typedef struct fw_stored_metric {
  char *name;        /* as in metric.h, or in the version that wrote it */
  fw_time_ns window; /* 0 for figures without one */
  double *values;    /* of each run; NaN where it has none */
  fw_estimate estimate;
} fw_stored_metric;

typedef struct fw_stored_arm {
  char *policy;
  fw_power_mw budget; /* 0: none */
  double oversubscription;
  uint64_t *seeds; /* of the runs that are there, rising */
  size_t runs;
  bool extrapolated; /* some run left the support of its models */
  fw_stored_metric *metrics;
  size_t metric_count; /* 0 while no run is there */
} fw_stored_arm;

typedef struct fw_stored_point {
  char *settings; /* a JSON object */
  uint64_t first_seed;
  size_t seeds;
  fw_stored_arm *arms;
  size_t arm_count;
} fw_stored_point;

typedef struct fw_stored_study {
  char *name;
  char *command;
  char *scenario;
  char *version; /* of the code: fw_code_version */
  fw_stored_point *points;
  size_t point_count;
} fw_stored_study;

/* A study with all its figures. FW_ERROR_INPUT where the store has none of that name. Free with fw_stored_clear. */
fw_status fw_stored_read(fw_store *store, const char *name, fw_stored_study *out, fw_diagnostics *diagnostics);
void fw_stored_clear(fw_stored_study *study);

/* What a list shows of a study. */
typedef struct fw_stored_summary {
  char *name;
  char *command;
  char *scenario;
  char *version;
  size_t points;
  size_t runs;   /* that are there */
  size_t wanted; /* runs of the whole study */
} fw_stored_summary;

typedef struct fw_stored_list {
  fw_stored_summary *studies; /* in the order in which they were begun */
  size_t count;
} fw_stored_list;

fw_status fw_stored_list_read(fw_store *store, fw_stored_list *out, fw_diagnostics *diagnostics);
void fw_stored_list_clear(fw_stored_list *list);

/* Deletes a study, and its runs where no other study names them. */
fw_status fw_stored_delete(fw_store *store, const char *name, fw_diagnostics *diagnostics);

/* ---- Two studies ---- */

typedef enum fw_stored_verdict {
  FW_STORED_SAME,  /* run by run */
  FW_STORED_MOVED, /* within what chance explains, or there is no interval */
  FW_STORED_BEYOND /* the 95 % interval of the difference does not hold 0; without common seeds: the two do not meet */
} fw_stored_verdict;

extern const char *const fw_stored_verdict_names[];

/* One answer of both studies. */
typedef struct fw_stored_change {
  size_t point; /* of the first study */
  size_t arm;
  size_t metric;
  fw_estimate before;
  fw_estimate after;
  fw_estimate difference; /* after - before, over common seeds; NaN where the seeds differ */
  fw_stored_verdict verdict;
} fw_stored_change;

typedef struct fw_stored_comparison {
  const fw_stored_study *before;
  const fw_stored_study *after;
  fw_stored_change *changes; /* every answer that both have, in the order of the first */
  size_t count;
  size_t verdicts[3]; /* how many of each */
  size_t only_before; /* arms that the other study does not have */
  size_t only_after;
} fw_stored_comparison;

/* Arms are the same where settings, policy and oversubscription (or budget) are. Free `out->changes`. */
fw_status fw_stored_compare(const fw_stored_study *before, const fw_stored_study *after, fw_stored_comparison *out,
                            fw_diagnostics *diagnostics);

#endif

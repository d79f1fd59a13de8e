/* The ledger: published figures, where the simulated counterpart of each comes from, and how far it may be off.
 *
 * A ledger is data (scenarios/study/ledger.json). Its tolerances are set before the runs; "inside" records what holds
 * today, so that a figure which falls out later is noticed. */
#ifndef FW_STUDY_LEDGER_H
#define FW_STUDY_LEDGER_H

#include "sim/base/record.h"
#include "sim/study/metric.h"

/* Where a figure comes from: the case of its "from", in the order of fw_ledger_source_cases. */
typedef enum fw_ledger_source_kind { FW_SOURCE_ARM, FW_SOURCE_AUTHORITY, FW_SOURCE_ROWS } fw_ledger_source_kind;

/* A figure of one arm of a scenario, mean over its seeds. */
typedef struct fw_ledger_arm {
  char *scenario; /* file beside the ledger, without ".json" */
  char *policy;
  int metric;        /* index into fw_ledger_metrics */
  fw_time_ns window; /* of windowed metrics, else 0 */
  double per;        /* the figure is divided by this; 1 where left out */
} fw_ledger_arm;

/* The metrics that a ledger may name: those of fw_metric, and then this one. */
#define FW_LEDGER_DECISIONS_ABOVE ((int)FW_METRIC_COUNT)
extern const char *const fw_ledger_metrics[];

/* A figure of a sweep of one actuator (authority.h). */
typedef struct fw_ledger_authority {
  char *scenario;
  char *job_class;
  int actuator; /* fw_actuator */
  int figure;   /* fw_ledger_swing */
} fw_ledger_authority;

typedef enum fw_ledger_swing { FW_LEDGER_MEAN_SWING, FW_LEDGER_PEAK_SWING, FW_LEDGER_THROUGHPUT_RATIO } fw_ledger_swing;

/* The figure of one earlier row over that of another, plus `plus`. */
typedef struct fw_ledger_rows {
  char *of;
  char *over;
  double times; /* 1 where left out; -1 turns a drop into a rise */
  double plus;
} fw_ledger_rows;

extern const fw_variant_case fw_ledger_source_cases[];

typedef enum fw_tolerance_kind {
  FW_TOLERANCE_ABSOLUTE,   /* at most `value` away */
  FW_TOLERANCE_RELATIVE,   /* at most the share `value` of the published figure away */
  FW_TOLERANCE_FACTOR,     /* between published / value and published x value */
  FW_TOLERANCE_THREE_RUNS, /* as absolute, or inside the 95 % interval of the study's three runs, whichever is wider */
  FW_TOLERANCE_AT_MOST,    /* whatever is published, at most `value` */
  FW_TOLERANCE_AT_LEAST
} fw_tolerance_kind;

extern const char *const fw_tolerance_kind_names[];

typedef struct fw_tolerance {
  int kind; /* fw_tolerance_kind */
  double value;
  char *why;
} fw_tolerance;

typedef struct fw_ledger_row {
  char *id;
  char *group; /* the published table it stands in */
  char *figure;
  double published; /* shares, not per cent */
  char *unit;       /* "%": a share, shown as per cent */
  bool fitted;
  bool independent; /* false: zero, derived from another row, or true by construction */
  fw_tolerance tolerance;
  bool inside; /* as of the last time that the ledger was looked over */
  char *why;   /* what a miss means; NULL where there is nothing to say */
  fw_variant from;
} fw_ledger_row;

/* A number that published figures were used for. */
typedef struct fw_ledger_parameter {
  char *name;
  char *file;
  char *fitted_to;
} fw_ledger_parameter;

/* A setting searched (search.h); keys as there. */
typedef struct fw_ledger_dimension {
  char *setting;
  char *under;
  double from;
  double to;
} fw_ledger_dimension;

/* An arm whose policy is tuned before its figures are taken. */
typedef struct fw_ledger_search {
  char *scenario;
  char *policy;
  int objective;
  fw_time_ns objective_window;
  int limited;
  fw_time_ns limited_window;
  double at_most;
  uint64_t seed;
  int64_t rounds;
  int64_t points;
  int64_t seeds;
  int64_t finalists;
  int64_t final_seeds;
  fw_array dimensions; /* fw_ledger_dimension */
} fw_ledger_search;

/* A level of a job class that is solved from one row, by simulation (fleet_fit.h). */
typedef struct fw_ledger_fit {
  char *row;
  char *job_class;
  char *key;    /* the number's name in `file` */
  double value; /* that the row is to have */
  double from_w;
  double to_w;
  char *file; /* beside the ledger */
} fw_ledger_fit;

/* A published figure that no row stands for. */
typedef struct fw_ledger_left_out {
  char *figure;
  char *published;
  char *why;
} fw_ledger_left_out;

typedef struct fw_ledger {
  int64_t format;
  char *source;
  fw_ledger_fit fit;
  fw_array parameters; /* fw_ledger_parameter */
  fw_array choices;    /* the same: between a few alternatives, made by looking at published figures */
  fw_array searches;   /* fw_ledger_search */
  fw_array rows;       /* fw_ledger_row */
  fw_array left_out;   /* fw_ledger_left_out */
} fw_ledger;

/* Reads and checks: ids are unique, rows that are made of rows come after them. All faults are reported with their
 * place. Free with fw_ledger_clear, also after a failure. */
fw_status fw_ledger_parse(const char *text, size_t length, const char *path, fw_ledger *out,
                          fw_diagnostics *diagnostics);
fw_status fw_ledger_read(const char *path, fw_ledger *out, fw_diagnostics *diagnostics);
void fw_ledger_clear(fw_ledger *ledger);

static inline const fw_ledger_row *fw_ledger_row_at(const fw_ledger *ledger, size_t index) {
  return (const fw_ledger_row *)ledger->rows.data + index;
}

/* The index of the row, or the number of rows where there is none. */
size_t fw_ledger_find(const fw_ledger *ledger, const char *id);

/* What a tolerance comes to: the distance, for a factor the factor, for a bound the bound. `deviation` is the
 * simulator's standard deviation from run to run. */
double fw_tolerance_width(const fw_tolerance *tolerance, double published, double deviation);

/* A simulated figure that is not known is never inside. */
bool fw_tolerance_holds(const fw_tolerance *tolerance, double published, double deviation, double simulated);

#endif

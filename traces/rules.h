/* The rules by which records of any log become the rows of a recording. */
#ifndef FWI_TRACES_RULES_H
#define FWI_TRACES_RULES_H

#include "traces/import.h"
#include "traces/intervals.h"
#include "traces/ledger.h"
#include "traces/reading.h"

/* What a reader makes of one row: texts stay the reader's. */
typedef struct fwi_record {
  const char *id; /* of the GPU within its log; NULL: the log has none */
  size_t id_length;
  const char *host; /* NULL: none */
  size_t host_length;
  const char *logger; /* who wrote the row; NULL: not said */
  size_t logger_length;
  bool global_id; /* the identity is unique beyond the log: a UUID or serial number */
  bool total;
  bool coarse_stamp; /* stamps have a resolution of a second: a second reading in it is no conflict */
  fw_time_ns time;
  bool has_power; /* the log has a power reading, or says that it is missing, in this row */
  fwi_reading power;
  bool has_counter;
  fwi_reading counter;
  int64_t values[FW_IMPORT_VALUE_COUNT];
  size_t line;
  bool sampled; /* set by fwi_rules_accept: the power went into the recording */
} fwi_record;

#define FWI_REMEMBERED_STAMPS ((size_t)64)
#define FWI_LOGGER_LIMIT ((size_t)64)

/* What is kept of one GPU beside its part of the report. Stamps are the log's own; `shift` is added on the way out. */
typedef struct fwi_series_state {
  uint64_t hash; /* of the name */
  bool has_row;
  fw_time_ns first_time; /* of the present piece, which ends where time goes back */
  size_t first_line;
  fw_time_ns last_time;
  size_t last_line;
  bool last_has_power;
  fw_power_mw last_power; /* of the last row, as read */
  fw_time_ns shift;
  size_t header_count; /* as it was at the last row */
  bool has_sample;     /* in the present piece */
  fw_time_ns sample_time;
  fw_power_mw sample_power;
  fw_power_mw limit;     /* the last that was read; 0: none */
  fw_energy_pj readings; /* sum of all samples, in mW */
  fwi_intervals intervals;
  bool nameless; /* the log has no identity */
  size_t repeat_count;
  size_t repeat_line;
  bool has_counter; /* in the present piece */
  fw_time_ns counter_time;
  int64_t counter;          /* uJ */
  fw_time_ns counter_first; /* of the whole series */
  bool derived;
  size_t owner_source;
  uint64_t owner_logger;
  fw_energy_pj copies; /* sum of the other loggers' readings, in mW */
  size_t copy_count;
  uint64_t loggers[FWI_LOGGER_LIMIT];
  size_t logger_count;
  struct {
    fw_time_ns time;
    size_t line;
  } stamps[FWI_REMEMBERED_STAMPS]; /* the first of the present piece */
  size_t stamp_count;
} fwi_series_state;

typedef struct fwi_rules {
  const fw_import_options *options;
  const fw_import_sink *sink;
  fw_import_report *report;
  fw_diagnostics *diagnostics;
  fwi_ledger ledger;
  fwi_series_state *series; /* beside the report's GPUs */
  size_t series_capacity;
  size_t *table; /* open addressing over the names; SIZE_MAX: free */
  size_t table_size;
  size_t latest;
  char *key; /* the identity of the present record */
  size_t key_capacity;
  size_t source;       /* the present one */
  size_t header_count; /* seen in mid-file so far */
  bool prefixed;       /* local identities get the source's name before them */
  bool begun;          /* the sink has been */
  bool needs_unit;     /* some power had none of its own, */
  bool needs_zone;     /* some stamp no zone, */
  bool needs_comma;    /* some number had one for a point, */
  bool needs_model;    /* and nothing in the log says whether power.draw is a mean */
  bool present[FW_IMPORT_VALUE_COUNT];
  size_t both_average, equal_average; /* rows with power.draw and power.draw.average */
  char model[64];                     /* of the first GPU, as the log names it */
} fwi_rules;

void fwi_rules_begin(fwi_rules *rules, const fw_import_options *options, const fw_import_sink *sink,
                     fw_import_report *report, fw_diagnostics *diagnostics);
void fwi_rules_clear(fwi_rules *rules);

/* Starts a log, or a node's part of it. */
fw_status fwi_rules_source(fwi_rules *rules, const char *file, const char *name, fw_import_format format);

/* Says where power comes from, before the first record of a source: the name of the column, whether it is derived from
 * a counter, the kind of the series, and what other values there are. */
typedef struct fwi_shape {
  const char *power_column;
  size_t power_column_length;
  bool derived;
  fw_series_kind kind;
  bool present[FW_IMPORT_VALUE_COUNT];
} fwi_shape;
fw_status fwi_rules_shape(fwi_rules *rules, const fwi_shape *shape);

/* A header in mid-file; `changed`: its columns are others. */
fw_status fwi_rules_header(fwi_rules *rules, size_t line, bool changed);

/* Decides on a record and hands the row on. FW_ERROR_INPUT where the log contradicts itself: the import ends. */
fw_status fwi_rules_accept(fwi_rules *rules, fwi_record *record);

/* A decision of a reader on something that is no record. */
fw_status fwi_rules_note(fwi_rules *rules, fw_import_decision decision, size_t line, const char *message);

/* A stamp at which `present` of `expected` GPUs have a value; `sum` of them. */
void fwi_rules_step(fwi_rules *rules, size_t present, size_t expected, fw_power_mw sum);

/* FW_ERROR_INPUT: `sign` says that the rows of a log without identities are of several GPUs. */
fw_status fwi_rules_mingled(const fwi_rules *rules, size_t line, const char *sign);

/* FW_ERROR_INPUT: stamps are repeated in a log without identities. */
fw_status fwi_rules_nameless(const fwi_rules *rules, const fwi_series_state *state);

/* Completes the report. */
fw_status fwi_rules_end(fwi_rules *rules);

#endif

/* Telemetry logs into power recordings: what other tools wrote, cleaned by stated rules (docs/telemetry.md).
 *
 * An import streams: bytes (plain or gzip, UTF-8 or UTF-16) become lines, a reader of the log's format makes records of
 * them, the rules decide on each record, and rows go to a sink. Memory depends on the number of GPUs, not on the
 * length. Every decision is counted in the report; the first of each kind are located there and in the warnings. */
#ifndef FW_TRACES_IMPORT_H
#define FW_TRACES_IMPORT_H

#include "traces/trace.h"

typedef enum fw_import_format {
  FW_IMPORT_AUTO,
  FW_IMPORT_SMI_CSV,    /* nvidia-smi --query-gpu=... --format=csv */
  FW_IMPORT_SMI_DMON,   /* nvidia-smi dmon */
  FW_IMPORT_DCGMI_DMON, /* dcgmi dmon */
  FW_IMPORT_PROMETHEUS, /* scrapes: Prometheus text or OpenMetrics */
  FW_IMPORT_RANGE_JSON, /* answers of Prometheus' query_range and query */
  FW_IMPORT_GRAFANA,    /* panel data as CSV: a column per series */
  FW_IMPORT_CSV         /* our own CSV, and any other whose columns are known by name or given */
} fw_import_format;

extern const char *const fw_import_format_names[]; /* "auto", "smi", "dmon", "dcgmi", ...; NULL at the end */

/* Zeroes are the defaults. */
typedef struct fw_import_options {
  fw_import_format format;
  const char *columns;            /* names of a CSV's columns, comma-separated, "-" to pass over; NULL: its header */
  const char *power_column;       /* which one to use where there are several; NULL: power.draw */
  const char *id_column;          /* says which GPU a row is of, under a name that is not known */
  const char *unit;               /* of power that has none in cell or header: "W", "mW" or "kW" */
  const char *gpu_model;          /* decides whether power.draw is a mean; NULL: the log's name column */
  const char *const *only;        /* names of the GPUs to take, as the report has them */
  size_t only_count;              /* 0: all */
  size_t gpu_count;               /* rows go round so many GPUs; 0: an id column says */
  fw_time_ns interval;            /* between samples, where there are no stamps; else compared with them; 0: unknown */
  fw_time_ns start;               /* time of the first sample, where there are no stamps */
  const fw_time_ns *zone_offsets; /* of local time over UTC: none (UTC), one for all inputs, or one for each */
  size_t zone_count;              /* for stamps that carry no zone */
  bool decimal_comma;             /* numbers are written "253,12" */
  bool split_on_header;           /* a repeated header begins another node's log */
  bool join;                      /* the inputs are parts of one log, not logs of several nodes */
  fw_power_mw max_power;          /* readings above are excluded; 0: 2 x the power limit, else 2 kW */
  fw_time_ns span;                /* the time that the log should cover; 0: first to last stamp */
} fw_import_options;

typedef struct fw_import_input {
  const char *name; /* a path ("-" is standard input), or a name for `text` */
  const void *text; /* NULL: read the file */
  size_t length;
} fw_import_input;

/* What a row may say beside power, in thousandths (mW, 0.001 %, 0.001 deg C, 0.001 requests). */
typedef enum fw_import_value {
  FW_IMPORT_AVERAGE, /* power.draw.average */
  FW_IMPORT_INSTANT, /* power.draw.instant */
  FW_IMPORT_LIMIT,
  FW_IMPORT_UTILISATION,
  FW_IMPORT_TEMPERATURE,
  FW_IMPORT_OCCUPANCY, /* requests running */
  FW_IMPORT_VALUE_COUNT
} fw_import_value;

#define FW_IMPORT_NO_VALUE INT64_MIN

/* A cleaned row. Stamps of one GPU strictly increase. */
typedef struct fw_import_row {
  const char *gpu; /* the identity, with its node before a '/' where it has one; valid during the call */
  bool total;      /* a column that sums others: not to be added to them */
  fw_time_ns time;
  bool has_power; /* false: missing or excluded */
  fw_power_mw power;
  int64_t values[FW_IMPORT_VALUE_COUNT];
  size_t line;
} fw_import_row;

/* Where rows go. `begin` is called before the first row and may be NULL; `present` says which values the log's first
 * header has. A sink that fails ends the import with its status. */
typedef struct fw_import_sink {
  void *context;
  fw_status (*begin)(void *context, fw_series_kind kind, const bool present[FW_IMPORT_VALUE_COUNT],
                     fw_diagnostics *diagnostics);
  fw_status (*row)(void *context, const fw_import_row *row, fw_diagnostics *diagnostics);
} fw_import_sink;

/* What the rules decided. */
typedef enum fw_import_decision {
  FW_IMPORT_TOO_HIGH,         /* excluded: above the plausible */
  FW_IMPORT_TOO_LOW,          /* excluded: next to nothing on a loaded GPU */
  FW_IMPORT_NEAR_ZERO,        /* kept: below 1 W */
  FW_IMPORT_DUPLICATE,        /* dropped: same GPU, stamp and value */
  FW_IMPORT_SAME_SECOND,      /* dropped: a second reading within the stamps' resolution */
  FW_IMPORT_CLOCK_STEP,       /* series split: time went back */
  FW_IMPORT_COUNTER_RESET,    /* interval known from below only */
  FW_IMPORT_SHORT_INTERVAL,   /* discarded: counter readings too close for a mean */
  FW_IMPORT_UNREADABLE,       /* row dropped */
  FW_IMPORT_CUT_LINE,         /* last row dropped */
  FW_IMPORT_HEADER_AGAIN,     /* the same header in mid-file */
  FW_IMPORT_SCHEMA_CHANGE,    /* another header in mid-file */
  FW_IMPORT_LOGGER_COPY,      /* dropped: another logger's reading of the same GPU */
  FW_IMPORT_INSTANCE,         /* ignored: power of the whole GPU, repeated for an instance */
  FW_IMPORT_OTHER_ENTITY,     /* passed over: a row or series that is no GPU's power */
  FW_IMPORT_UNKNOWN_SPELLING, /* taken as missing: text that is no number, of a kind not known */
  FW_IMPORT_COARSE,           /* kept: written in kW with two decimals or fewer */
  FW_IMPORT_GAP,              /* uncovered */
  FW_IMPORT_DECISION_COUNT
} fw_import_decision;

extern const char *const fw_import_decision_names[FW_IMPORT_DECISION_COUNT];

/* One decision, located. Of each kind the first FW_IMPORT_LISTED are kept; of gaps the longest of each GPU. */
#define FW_IMPORT_LISTED ((size_t)100)
typedef struct fw_import_event {
  fw_import_decision decision;
  size_t source; /* index into the report's sources */
  size_t gpu;    /* into its GPUs; SIZE_MAX: of none */
  size_t line;
  fw_time_ns time;
  fw_time_ns duration; /* of a gap */
  fw_power_mw power;   /* of a reading */
} fw_import_event;

/* One spelling of a missing reading. */
typedef struct fw_import_missing {
  char *spelling;
  size_t count;
  size_t first_line;
} fw_import_missing;

typedef struct fw_import_source {
  char *file;
  char *name; /* before the '/' of its GPUs; "" where there is but one */
  fw_import_format format;
  char *power_column; /* the column or metric that power was taken from */
  bool derived;       /* power is the counter's increase over time */
  size_t row_count;   /* one for each GPU and stamp */
  fw_time_ns first;
  fw_time_ns last;
} fw_import_source;

/* One GPU, or one column of totals. Energies are over the covered time, by three rules: a reading holds until the next,
 * or since the one before, or the trapezoid between. The last reading adds nothing; gaps have none. */
typedef struct fw_import_gpu {
  char *gpu;
  bool total;
  size_t source;
  size_t row_count;
  size_t sample_count; /* with a plausible power */
  size_t missing_count;
  size_t excluded_count;
  fw_time_ns first; /* of the samples */
  fw_time_ns last;
  fw_time_ns interval; /* median between rows; exact up to 512 different lengths, else to 0.8 % */
  fw_time_ns interval_p95;
  fw_time_ns interval_largest;
  fw_time_ns longest_held; /* a longer interval between samples is a gap */
  size_t gap_count;
  fw_time_ns gap_time;
  fw_time_ns covered;
  fw_energy_pj hold_last;
  fw_energy_pj hold_next;
  fw_energy_pj trapezoid;
  fw_energy_pj bridged; /* hold-last, across the gaps too */
  fw_power_mw smallest;
  fw_power_mw largest;
  double sample_mean_w;    /* of the readings, each counted once */
  double mean_w;           /* hold-last energy over covered time; NaN where nothing is covered */
  size_t clock_steps;      /* pieces of the series, less one */
  size_t counter_count;    /* readings of an energy counter */
  fw_time_ns counter_time; /* of the intervals that are known exactly */
  fw_energy_pj counter_energy;
  size_t counter_resets;
  fw_time_ns reset_time;
  fw_energy_pj reset_energy; /* from below */
  double counter_error;      /* of the counter against power, by the rule that agrees best; NaN where not comparable */
} fw_import_gpu;

typedef enum fw_import_averaging {
  FW_IMPORT_AVERAGING_UNKNOWN,
  FW_IMPORT_INSTANTANEOUS,
  FW_IMPORT_MEAN_OF_1S
} fw_import_averaging;

typedef struct fw_import_report {
  fw_import_source *sources;
  size_t source_count;
  fw_import_gpu *gpus;
  size_t gpu_count;   /* totals included */
  size_t total_count; /* of them */
  fw_import_missing *missing;
  size_t missing_kinds;
  fw_import_event *events;
  size_t event_count;
  size_t decisions[FW_IMPORT_DECISION_COUNT];
  size_t row_count;
  size_t sample_count;
  size_t missing_count;
  fw_series_kind kind;
  fw_import_averaging averaging;
  bool zone_assumed;     /* some stamps carried no zone and none was given: UTC */
  bool time_is_relative; /* no stamps: counted from options.start in steps of the interval */
  fw_time_ns first;
  fw_time_ns last;
  fw_time_ns overlap; /* within which all GPUs were recorded; 0: none */
  fw_time_ns span;    /* that coverage is the share of */
  double coverage;    /* mean over GPUs of covered time / span; NaN where the span is 0 */
  double mean_sum_w;  /* sum of the GPUs' means; NaN where one has none */
  fw_energy_pj hold_last;
  fw_energy_pj hold_next;
  fw_energy_pj trapezoid;
  fw_energy_pj bridged;
  size_t
      steps_complete; /* stamps at which all GPUs of a source have a value; counted where series share their stamps */
  size_t steps_partial;
  fw_power_mw fleet_smallest; /* sums over the GPUs, at complete steps */
  fw_power_mw fleet_largest;
  size_t capacity_sources, capacity_gpus, capacity_missing, capacity_events; /* of the lists */
} fw_import_report;

/* Imports all inputs. `sink` may be NULL: then only the report is made. Errors: what cannot be read, an option that
 * the logs leave without effect, no power reading at all, no unit or identity, conflicting rows, more than one row in
 * ten unreadable. On failure the report is empty, and what the sink was given is void. */
fw_status fw_import_run(const fw_import_input *inputs, size_t input_count, const fw_import_options *options,
                        const fw_import_sink *sink, fw_import_report *report, fw_diagnostics *diagnostics);
void fw_import_report_clear(fw_import_report *report);

/* "+02:00", "-0330", "Z" or "UTC" as an offset. */
bool fw_import_zone_parse(const char *text, fw_time_ns *out);

/* Seconds, or a date and time, in UTC where it says no zone. */
bool fw_import_time_parse(const char *text, fw_time_ns *out);

/* A sink that writes our CSV. Totals are left out. Commit makes the file appear; abandon leaves nothing behind. */
typedef struct fw_import_writer fw_import_writer;
fw_status fw_import_writer_open(fw_import_writer **writer, const char *path, fw_diagnostics *diagnostics);
fw_import_sink fw_import_writer_sink(fw_import_writer *writer);
fw_status fw_import_writer_commit(fw_import_writer *writer, fw_diagnostics *diagnostics); /* frees it */
void fw_import_writer_abandon(fw_import_writer *writer); /* frees it; NULL is allowed */

/* Imports into a trace in memory. Totals are left out. */
fw_status fw_import_trace(const fw_import_input *inputs, size_t input_count, const fw_import_options *options,
                          fw_trace *out, fw_import_report *report, fw_diagnostics *diagnostics);

#endif

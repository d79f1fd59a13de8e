/* Power recordings: one series of (time, power) for each GPU, and what they add up to.
 *
 * Conventions. A series has a kind: `instant` (a value holds until the next stamp), `mean_from` (a stamp starts its
 * bin) or `mean_to` (it ends it). A gap is an interval between readings above 3 x the median interval between rows,
 * those without a reading included: not covered, no energy, no window across it, reported. (Where a quarter of 16
 * intervals or more are longer than that, the series was written on change, long intervals are its habit, and 3 x
 * their upper quartile is the bound: reported too.) In a
 * regular series (every interval within 1 % or 1 ms of the median, whichever is larger) each sample stands for one
 * interval, the last one too; in an irregular `instant` series the last sample adds nothing. */
#ifndef FW_TRACES_TRACE_H
#define FW_TRACES_TRACE_H

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"

typedef enum fw_series_kind { FW_SERIES_INSTANT, FW_SERIES_MEAN_FROM, FW_SERIES_MEAN_TO } fw_series_kind;

extern const char *const fw_series_kind_names[]; /* "instant", "mean_from", "mean_to", NULL */

/* One GPU's recording, in order of time, stamps strictly increasing. */
typedef struct fw_series {
  char *gpu; /* the identity as written */
  size_t count;
  fw_time_ns *time;
  fw_power_mw *power;
  double *occupancy;       /* sequences in flight, NaN where not recorded; NULL when the file has no such column */
  size_t *line;            /* of the file, for messages */
  fw_time_ns interval;     /* median between rows, with a reading or without; 0 with fewer than two */
  fw_time_ns longest_held; /* a longer interval between readings is a gap */
} fw_series;

typedef struct fw_trace {
  char *file;
  fw_series_kind kind;
  fw_series *series;
  size_t series_count;
  size_t row_count;
  size_t missing_count; /* rows with an empty power cell: never 0 W */
} fw_trace;

/* Reads our CSV ("-" is standard input): a header with `power_w` (or power_mw, power_kw), `t_s` (or t_ms, t_ns) and
 * optionally `gpu`, `requests_running`; other columns are passed over. A leading "# kind: mean_to" line sets the kind,
 * else it is `kind_if_unstated`. Faults that end the read: no such file, empty file, missing column, a cell that is not
 * a number, stamps that go back, a negative or implausible (> 10 MW) power. */
fw_status fw_trace_read(const char *path, fw_series_kind kind_if_unstated, fw_trace *out, fw_diagnostics *diagnostics);

/* The same from `length` bytes of text in memory; `file` names their source in messages. */
fw_status fw_trace_parse(const char *text, size_t length, const char *file, fw_series_kind kind_if_unstated,
                         fw_trace *out, fw_diagnostics *diagnostics);
void fw_trace_clear(fw_trace *trace);

/* Constant power over [from, to). */
typedef struct fw_piece {
  fw_time_ns from;
  fw_time_ns to;
  fw_power_mw power;
} fw_piece;

/* Pieces in order of time, never overlapping; where one starts after the one before it ended, there is a gap. */
typedef struct fw_pieces {
  fw_piece *data;
  size_t count;
  size_t gap_count;
  fw_time_ns gap_time; /* in all gaps together */
} fw_pieces;

/* One series as pieces. */
fw_status fw_series_pieces(const fw_trace *trace, size_t series_index, fw_pieces *out, fw_diagnostics *diagnostics);

/* The sum over all GPUs, where all of them are covered. GPUs may be sampled at different instants. */
fw_status fw_trace_total(const fw_trace *trace, fw_pieces *out, fw_diagnostics *diagnostics);
void fw_pieces_clear(fw_pieces *pieces);

/* Exact energy over [from, to); the share of it that is covered is stored in `covered`. */
fw_energy_pj fw_pieces_energy(const fw_pieces *pieces, fw_time_ns from, fw_time_ns to, fw_time_ns *covered);

/* Adds a warning for every gap, with times and the line after it, and for every series that was written on change. */
void fw_trace_report_gaps(const fw_trace *trace, fw_diagnostics *diagnostics);

/* The first gap of any series, for those who cannot use a trace with gaps; false when there is none. */
bool fw_trace_first_gap(const fw_trace *trace, size_t *series_index, size_t *sample_after);

#endif

/* The study behind `fleetwatt windows`: one recording, judged at every window at once.
 *
 * What it finds are facts about the recording and nothing statistical: the time in violation as a share of the time at
 * which a window was full, and, one-sided, how many windows side by side the recording holds and what the largest mean
 * was. Whether that is enough to speak about another day is not for one recording to say. */
#ifndef FW_STUDY_WINDOWS_H
#define FW_STUDY_WINDOWS_H

#include "sim/engine/meter.h"
#include "traces/trace.h"

typedef struct fw_windows_options {
  const char *path;
  fw_series_kind kind_if_unstated;
  bool has_budget;
  fw_power_mw budget; /* of all GPUs together */
  const fw_time_ns *windows;
  size_t window_count;
} fw_windows_options;

typedef struct fw_windows_row {
  fw_meter_window seen;  /* full, above, episodes, excess: 0 without a budget */
  fw_time_ns full;       /* time at which the window was full, with a budget or without */
  double violation_rate; /* NaN where there is none; `reason` then says why */
  char *reason;          /* NULL where there is a rate */
  uint64_t disjoint;     /* full windows that fit side by side: with no violation, all that is known is that none of so
                            many was above */
  fw_power_mw p50;       /* percentiles of the mean, nearest rank by time, at most one bin above; 0 when never full */
  fw_power_mw p95;
  fw_power_mw p99;
  fw_power_mw p999;
} fw_windows_row;

typedef struct fw_windows_result {
  char *file;
  fw_series_kind kind;
  size_t gpu_count;
  size_t sample_count;
  size_t missing_count;
  fw_time_ns duration; /* from the start of what is covered to its end */
  fw_time_ns covered;  /* of that, with a known power of every GPU */
  size_t gap_count;
  fw_energy_pj energy;       /* over the covered time */
  fw_power_mw mean;          /* over the covered time */
  fw_power_mw largest;       /* of all samples of the total */
  bool has_budget;           /* as asked */
  fw_power_mw budget;        /* as asked */
  fw_power_mw histogram_bin; /* width: how fine the percentiles are */
  fw_windows_row *rows;      /* one per window, in the order asked */
  size_t row_count;
} fw_windows_result;

/* Reads and judges. Gaps, missing readings and windows too short for the samples are warnings; a file that cannot be
 * read, a window that is not above 0, a negative budget or a recording without covered time are errors. On failure
 * `out` is empty. */
fw_status fw_windows_study(const fw_windows_options *options, fw_windows_result *out, fw_diagnostics *diagnostics);
void fw_windows_clear(fw_windows_result *result);

#endif

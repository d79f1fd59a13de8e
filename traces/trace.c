/* The trace type: its kinds, its gaps. */
#include "traces/trace.h"

#include <stdlib.h>

const char *const fw_series_kind_names[] = {"instant", "mean_from", "mean_to", NULL};

void fw_trace_clear(fw_trace *trace) {
  for (size_t i = 0; i < trace->series_count; i++) {
    fw_series *series = &trace->series[i];
    free(series->gpu);
    free(series->time);
    free(series->power);
    free(series->occupancy);
    free(series->line);
  }
  free(trace->series);
  free(trace->file);
  *trace = (fw_trace){0};
}

static fw_time_ns interval_before(const fw_series *series, size_t sample) {
  return series->time[sample] - series->time[sample - 1];
}

/* The first sample from `start` on that has a gap before it; the sample count, or more, when there is none. */
static size_t next_gap(const fw_series *series, size_t start) {
  size_t i = start;
  while (i < series->count && interval_before(series, i) <= series->longest_held)
    i++;
  return i;
}

static void report_habit(const fw_trace *trace, const fw_series *series, fw_diagnostics *diagnostics) {
  if (series->longest_held / 3 <= series->interval) return;
  char usual[FW_UNITS_TEXT_SIZE], longest[FW_UNITS_TEXT_SIZE];
  fw_warning(diagnostics, (fw_place){trace->file, 0, 0, NULL},
             "GPU %s: a quarter of its intervals or more are above 3 x the median (%s s), so it is taken as written on "
             "change: a value holds for up to %s s; rates are shares of time, not of samples",
             series->gpu, fw_time_format(series->interval, usual), fw_time_format(series->longest_held, longest));
}

static void report_gaps(const fw_trace *trace, const fw_series *series, fw_diagnostics *diagnostics) {
  for (size_t i = next_gap(series, 1); i < series->count; i = next_gap(series, i + 1)) {
    char from[FW_UNITS_TEXT_SIZE], to[FW_UNITS_TEXT_SIZE], longest[FW_UNITS_TEXT_SIZE];
    fw_warning(diagnostics, (fw_place){trace->file, series->line[i], 0, NULL},
               "GPU %s: gap from %s s to %s s (a value holds for up to %s s): no energy in it and no window across it",
               series->gpu, fw_time_format(series->time[i - 1], from), fw_time_format(series->time[i], to),
               fw_time_format(series->longest_held, longest));
  }
}

void fw_trace_report_gaps(const fw_trace *trace, fw_diagnostics *diagnostics) {
  for (size_t s = 0; s < trace->series_count; s++) {
    report_habit(trace, &trace->series[s], diagnostics);
    report_gaps(trace, &trace->series[s], diagnostics);
  }
}

bool fw_trace_first_gap(const fw_trace *trace, size_t *series_index, size_t *sample_after) {
  bool found = false;
  fw_time_ns earliest = 0;
  for (size_t s = 0; s < trace->series_count; s++) {
    const fw_series *series = &trace->series[s];
    size_t i = next_gap(series, 1);
    if (i >= series->count || (found && series->time[i - 1] >= earliest)) continue;
    found = true;
    earliest = series->time[i - 1];
    *series_index = s;
    *sample_after = i;
  }
  return found;
}

/* The trace type: its kinds, its median interval, its gaps. */
#include "traces/trace.h"

#include <stdlib.h>

#include "traces/series.h"

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

static size_t count_up_to(const fw_series *series, fw_time_ns bound) {
  size_t count = 0;
  for (size_t i = 1; i < series->count; i++) {
    if (fwi_interval_before(series, i) <= bound) count++;
  }
  return count;
}

/* The interval of a rank from 1, by bisection over the value: that needs no memory, so it cannot fail, and the
 * intervals of one recording lie close together. */
static fw_time_ns interval_of_rank(const fw_series *series, size_t rank) {
  fw_time_ns low = fwi_interval_before(series, 1), high = low;
  for (size_t i = 2; i < series->count; i++) {
    fw_time_ns interval = fwi_interval_before(series, i);
    if (interval < low) low = interval;
    if (interval > high) high = interval;
  }
  while (low < high) {
    fw_time_ns middle = low + (high - low) / 2;
    if (count_up_to(series, middle) >= rank) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/* Nearest rank: ceil(intervals / 2). */
fw_time_ns fw_series_interval(const fw_series *series) {
  return series->count < 2 ? 0 : interval_of_rank(series, series->count / 2);
}

static fw_time_ns three_times(fw_time_ns interval) {
  return interval > FW_TIME_MAX / 3 ? FW_TIME_MAX : 3 * interval;
}

/* The upper quartile where the series was written on change, else 0: long intervals are then its habit. With fewer
 * intervals than this, a quarter is too few to call a habit. */
static fw_time_ns slow_interval(const fw_series *series, fw_time_ns median) {
  size_t intervals = series->count - 1;
  if (intervals < 16) return 0;
  fw_time_ns quartile = interval_of_rank(series, intervals - intervals / 4);
  return quartile > three_times(median) ? quartile : 0;
}

fw_time_ns fwi_longest_held(const fw_series *series) {
  if (series->count < 2) return 0;
  fw_time_ns median = fw_series_interval(series), slow = slow_interval(series, median);
  return three_times(slow > 0 ? slow : median);
}

/* The first sample from `start` on that has a gap before it; the sample count, or more, when there is none. */
static size_t next_gap(const fw_series *series, fw_time_ns longest_held, size_t start) {
  size_t i = start;
  while (i < series->count && fwi_interval_before(series, i) <= longest_held)
    i++;
  return i;
}

static void report_habit(const fw_trace *trace, const fw_series *series, fw_diagnostics *diagnostics) {
  fw_time_ns median = fw_series_interval(series);
  if (series->count < 2 || slow_interval(series, median) == 0) return;
  char usual[FW_UNITS_TEXT_SIZE], longest[FW_UNITS_TEXT_SIZE];
  fw_warning(diagnostics, (fw_place){trace->file, 0, 0, NULL},
             "GPU %s: a quarter of its intervals or more are above 3 x the median (%s s), so it is taken as written on "
             "change: a value holds for up to %s s; rates are shares of time, not of samples",
             series->gpu, fw_time_format(median, usual), fw_time_format(fwi_longest_held(series), longest));
}

static void report_gaps(const fw_trace *trace, const fw_series *series, fw_diagnostics *diagnostics) {
  fw_time_ns longest_held = fwi_longest_held(series);
  for (size_t i = next_gap(series, longest_held, 1); i < series->count; i = next_gap(series, longest_held, i + 1)) {
    char from[FW_UNITS_TEXT_SIZE], to[FW_UNITS_TEXT_SIZE], longest[FW_UNITS_TEXT_SIZE];
    fw_warning(diagnostics, (fw_place){trace->file, series->line[i], 0, NULL},
               "GPU %s: gap from %s s to %s s (a value holds for up to %s s): no energy in it and no window across it",
               series->gpu, fw_time_format(series->time[i - 1], from), fw_time_format(series->time[i], to),
               fw_time_format(longest_held, longest));
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
    size_t i = next_gap(series, fwi_longest_held(series), 1);
    if (i >= series->count || (found && series->time[i - 1] >= earliest)) continue;
    found = true;
    earliest = series->time[i - 1];
    *series_index = s;
    *sample_after = i;
  }
  return found;
}

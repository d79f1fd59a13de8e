/* A recording through the window meter: read, add up the GPUs, push piece by piece, ask. */
#include "sim/study/windows.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"

/* Bins are 1 W wide at most, and finer as long as there are not more of them than this. */
#define FINE_BINS INT64_C(65536)

void fw_windows_clear(fw_windows_result *result) {
  for (size_t i = 0; i < result->row_count; i++) {
    free(result->rows[i].reason);
  }
  free(result->rows);
  free(result->file);
  *result = (fw_windows_result){0};
}

static fw_status check_options(const fw_windows_options *options, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  if (options->has_budget && options->budget < 0) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "the budget is negative: give it in watts above 0");
  }
  for (size_t i = 0; i < options->window_count; i++) {
    if (options->windows[i] > 0) continue;
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "window %zu is not longer than 0 s", i + 1);
  }
  return status;
}

/* The facts that need no window. */
static fw_status describe(const fw_windows_options *options, const fw_trace *trace, const fw_pieces *total,
                          fw_windows_result *out, fw_diagnostics *diagnostics) {
  if (total->count == 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){trace->file, 0, 0, NULL},
                    "no time is covered by all %zu GPUs: record at least two readings of each, over the same time",
                    trace->series_count);
  }
  out->has_budget = options->has_budget;
  out->budget = options->budget;
  out->kind = trace->kind;
  out->gpu_count = trace->series_count;
  out->sample_count = trace->row_count - trace->missing_count;
  out->missing_count = trace->missing_count;
  out->gap_count = total->gap_count;
  fw_time_ns start = total->data[0].from, end = total->data[total->count - 1].to;
  out->duration = end - start;
  out->energy = fw_pieces_energy(total, start, end, &out->covered);
  out->mean = fw_energy_mean_power(out->energy, out->covered);
  for (size_t i = 0; i < total->count; i++) {
    if (total->data[i].power > out->largest) out->largest = total->data[i].power;
  }
  out->file = fw_copy_text(trace->file);
  return out->file == NULL ? fw_error_memory(diagnostics, "the name of a recording") : FW_OK;
}

/* Percentiles up to 1.5 x the largest total. */
static fw_meter_options meter_options(const fw_windows_options *options, fw_windows_result *out) {
  fw_power_mw top = out->largest + out->largest / 2 + 1;
  fw_power_mw width = top / FINE_BINS + 1;
  out->histogram_bin = width < FW_MW_PER_W ? width : FW_MW_PER_W;
  fw_power_mw bins = (top - 1) / out->histogram_bin + 1;
  return (fw_meter_options){options->windows, options->window_count, bins * out->histogram_bin, (size_t)bins};
}

static fw_status push_all(fw_meter *meter, const fw_windows_options *options, const fw_pieces *total,
                          fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < total->count; i++) {
    const fw_piece *piece = &total->data[i];
    fw_time_ns duration = piece->to - piece->from;
    fw_energy_pj budget = options->has_budget ? fw_energy_of(options->budget, duration) : FW_METER_NO_BUDGET;
    if (i > 0 && piece->from > total->data[i - 1].to) fw_meter_gap(meter);
    fw_status status = fw_meter_push(meter, duration, fw_energy_of(piece->power, duration), budget, diagnostics);
    if (status != FW_OK) return status;
  }
  return FW_OK;
}

/* What the stretches without a gap hold of a window. */
typedef struct stretches {
  fw_time_ns longest;
  fw_time_ns full;   /* time at which the window is full */
  uint64_t disjoint; /* windows side by side */
} stretches;

static stretches measure_stretches(const fw_pieces *total, fw_time_ns window) {
  stretches found = {0};
  fw_time_ns start = 0;
  for (size_t i = 0; i < total->count; i++) {
    const fw_piece *piece = &total->data[i];
    if (i == 0 || piece->from > total->data[i - 1].to) start = piece->from;
    fw_time_ns length = piece->to - start;
    if (length >= window) found.full += piece->to - piece->from;
    if (length > found.longest) found.longest = length;
    if (i + 1 == total->count || total->data[i + 1].from > piece->to) found.disjoint += (uint64_t)(length / window);
  }
  return found;
}

/* Why a row has no rate. */
static char *reason_text(const fw_windows_row *row, const stretches *found) {
  if (row->full > 0) return fw_copy_text("no budget was given");
  char window[FW_UNITS_TEXT_SIZE], longest[FW_UNITS_TEXT_SIZE];
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     "the window of %s s is longer than the recording, whose longest stretch without a gap is %s s",
                     fw_time_format(row->seen.window, window), fw_time_format(found->longest, longest));
  if (text.failed) fw_text_clear(&text);
  return text.data;
}

static fw_status read_row(const fw_meter *meter, size_t index, const fw_windows_options *options,
                          const fw_pieces *total, fw_windows_row *row, fw_diagnostics *diagnostics) {
  stretches found = measure_stretches(total, options->windows[index]);
  *row = (fw_windows_row){.seen = fw_meter_result(meter, index),
                          .full = found.full,
                          .violation_rate = (double)NAN,
                          .disjoint = found.disjoint,
                          .p50 = fw_meter_percentile(meter, index, 0.50),
                          .p95 = fw_meter_percentile(meter, index, 0.95),
                          .p99 = fw_meter_percentile(meter, index, 0.99),
                          .p999 = fw_meter_percentile(meter, index, 0.999)};
  if (options->has_budget && row->full > 0) {
    row->violation_rate = fw_meter_violation_rate(meter, index);
    return FW_OK;
  }
  row->reason = reason_text(row, &found);
  return row->reason == NULL ? fw_error_memory(diagnostics, "a row of windows") : FW_OK;
}

static fw_status judge(const fw_windows_options *options, const fw_pieces *total, fw_windows_result *out,
                       fw_diagnostics *diagnostics) {
  out->rows = fw_allocate(options->window_count, sizeof *out->rows);
  if (out->rows == NULL) return fw_error_memory(diagnostics, "the rows of a windows study");
  fw_meter_options wanted = meter_options(options, out);
  fw_meter *meter;
  fw_status status = fw_meter_create(&wanted, &meter, diagnostics);
  if (status != FW_OK) return status;
  status = push_all(meter, options, total, diagnostics);
  while (status == FW_OK && out->row_count < options->window_count) {
    size_t index = out->row_count++;
    status = read_row(meter, index, options, total, &out->rows[index], diagnostics);
  }
  fw_meter_free(meter);
  return status;
}

static void warn_of_short_windows(const fw_windows_options *options, const fw_trace *trace,
                                  fw_diagnostics *diagnostics) {
  fw_time_ns interval = 0;
  for (size_t s = 0; s < trace->series_count; s++) {
    fw_time_ns median = trace->series[s].interval;
    if (median > interval) interval = median;
  }
  for (size_t i = 0; i < options->window_count; i++) {
    if (options->windows[i] >= interval) continue;
    char window[FW_UNITS_TEXT_SIZE], median[FW_UNITS_TEXT_SIZE];
    fw_warning(diagnostics, (fw_place){trace->file, 0, 0, NULL},
               "the window of %s s is shorter than the median interval of %s s: it shows single readings, not means",
               fw_time_format(options->windows[i], window), fw_time_format(interval, median));
  }
}

static fw_status study_trace(const fw_windows_options *options, const fw_trace *trace, fw_windows_result *out,
                             fw_diagnostics *diagnostics) {
  fw_pieces total;
  fw_status status = fw_trace_total(trace, &total, diagnostics);
  if (status == FW_OK) status = describe(options, trace, &total, out, diagnostics);
  if (status == FW_OK) {
    fw_trace_report_gaps(trace, diagnostics);
    warn_of_short_windows(options, trace, diagnostics);
    status = judge(options, &total, out, diagnostics);
  }
  fw_pieces_clear(&total);
  return status;
}

fw_status fw_windows_study(const fw_windows_options *options, fw_windows_result *out, fw_diagnostics *diagnostics) {
  *out = (fw_windows_result){0};
  fw_trace trace;
  fw_status status = check_options(options, diagnostics);
  if (status != FW_OK) return status;
  status = fw_trace_read(options->path, options->kind_if_unstated, &trace, diagnostics);
  if (status == FW_OK) status = study_trace(options, &trace, out, diagnostics);
  fw_trace_clear(&trace);
  if (status != FW_OK) fw_windows_clear(out);
  return status;
}

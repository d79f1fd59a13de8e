/* A recording judged at every window, as text and as JSON (docs/results.md). */
#include <math.h>

#include "sim/report/json_out.h"
#include "sim/report/report.h"

static void add_text_row(const fw_windows_result *result, const fw_windows_row *row, fw_text *out) {
  char window[FW_UNITS_TEXT_SIZE];
  fw_text_add_format(out, "%10s", fw_time_format(row->seen.window, window));
  if (row->reason != NULL && row->full == 0) {
    fw_text_add_format(out, "  %s\n", row->reason);
    return;
  }
  if (result->has_budget) {
    fw_text_add(out, "  ");
    fw_text_add_number(out, 100.0 * row->violation_rate, 4);
    fw_text_add_format(out, " %%, %llu episodes, excess ", (unsigned long long)row->seen.episodes);
    fw_text_add_number(out, fw_energy_to_joules(row->seen.excess), 5);
    fw_text_add(out, " W s;");
  }
  fw_text_add(out, "  peak ");
  fw_text_add_number(out, fw_power_to_watts(row->seen.peak), 6);
  fw_text_add(out, "  P50 ");
  fw_text_add_number(out, fw_power_to_watts(row->p50), 6);
  fw_text_add(out, "  P95 ");
  fw_text_add_number(out, fw_power_to_watts(row->p95), 6);
  fw_text_add(out, "  P99 ");
  fw_text_add_number(out, fw_power_to_watts(row->p99), 6);
  fw_text_add(out, " W\n");
}

void fw_report_windows_text(const fw_windows_result *result, fw_text *out) {
  char covered[FW_UNITS_TEXT_SIZE];
  char duration[FW_UNITS_TEXT_SIZE];
  char energy[FW_UNITS_TEXT_SIZE];
  fw_text_add_format(out, "%s: %zu GPU%s, %zu samples (%zu missing), %s of %s s covered, %zu gap%s\n", result->file,
                     result->gpu_count, result->gpu_count == 1 ? "" : "s", result->sample_count, result->missing_count,
                     fw_time_format(result->covered, covered), fw_time_format(result->duration, duration),
                     result->gap_count, result->gap_count == 1 ? "" : "s");
  fw_text_add_format(out, "series: %s; energy %s J; mean ", fw_series_kind_names[result->kind],
                     fw_energy_format(result->energy, energy));
  fw_text_add_number(out, fw_power_to_watts(result->mean), 6);
  fw_text_add(out, " W");
  if (result->has_budget) {
    fw_text_add(out, "; budget ");
    fw_text_add_number(out, fw_power_to_watts(result->budget), 6);
    fw_text_add(out, " W");
  }
  fw_text_add_format(out, "\n\n%10s  time above the budget, as a share of full windows\n", "window, s");
  for (size_t i = 0; i < result->row_count; i++) {
    add_text_row(result, &result->rows[i], out);
  }
}

static void add_json_row(fwi_json_out *windows, const fw_windows_row *row) {
  char key[FW_UNITS_TEXT_SIZE];
  fwi_json_out object = fwi_json_open(windows, fwi_json_window_key(row->seen.window, key), '{');
  const double never = row->full > 0 ? 1.0 : (double)NAN; /* NaN x value is null */
  fwi_json_number(&object, "full_s", fw_time_to_seconds(row->full));
  fwi_json_number(&object, "violation_rate", row->violation_rate);
  if (row->reason != NULL) {
    fwi_json_string(&object, "reason", row->reason);
  }
  fwi_json_unsigned(&object, "disjoint_windows", row->disjoint);
  fwi_json_unsigned(&object, "episodes", row->seen.episodes);
  fwi_json_number(&object, "longest_episode_s", fw_time_to_seconds(row->seen.longest_episode));
  fwi_json_number(&object, "excess_ws", fw_energy_to_joules(row->seen.excess));
  fwi_json_number(&object, "peak_w", never * fw_power_to_watts(row->seen.peak));
  fwi_json_number(&object, "p50_w", never * fw_power_to_watts(row->p50));
  fwi_json_number(&object, "p95_w", never * fw_power_to_watts(row->p95));
  fwi_json_number(&object, "p99_w", never * fw_power_to_watts(row->p99));
  fwi_json_number(&object, "p999_w", never * fw_power_to_watts(row->p999));
  fwi_json_close(&object, '}');
}

void fw_report_windows_json(const fw_windows_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  char energy[FW_UNITS_TEXT_SIZE];
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "windows");
  fwi_json_string(&object, "file", result->file);
  fwi_json_string(&object, "series", fw_series_kind_names[result->kind]);
  fwi_json_unsigned(&object, "gpus", result->gpu_count);
  fwi_json_unsigned(&object, "samples", result->sample_count);
  fwi_json_unsigned(&object, "missing", result->missing_count);
  fwi_json_number(&object, "duration_s", fw_time_to_seconds(result->duration));
  fwi_json_number(&object, "covered_s", fw_time_to_seconds(result->covered));
  fwi_json_unsigned(&object, "gaps", result->gap_count);
  fwi_json_string(&object, "energy_j_exact", fw_energy_format(result->energy, energy));
  fwi_json_number(&object, "mean_w", fw_power_to_watts(result->mean));
  fwi_json_number(&object, "budget_w", result->has_budget ? fw_power_to_watts(result->budget) : (double)NAN);
  fwi_json_number(&object, "percentile_resolution_w", fw_power_to_watts(result->histogram_bin));
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out windows = fwi_json_open(&object, "windows", '{');
  for (size_t i = 0; i < result->row_count; i++) {
    add_json_row(&windows, &result->rows[i]);
  }
  fwi_json_close(&windows, '}');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

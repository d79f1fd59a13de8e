/* The quality of an imported log, as text and as JSON (docs/telemetry.md). */
#include "sim/report/import_report.h"

#include <math.h>
#include <string.h>

#include "sim/report/json_out.h"
#include "sim/report/table.h"

static const char *const averaging_names[] = {"unknown", "instantaneous", "mean over 1 s"};
static const char *const format_titles[] = {"",
                                            "nvidia-smi CSV",
                                            "nvidia-smi dmon",
                                            "dcgmi dmon",
                                            "exporter scrapes",
                                            "Prometheus range query",
                                            "Grafana CSV",
                                            "CSV with a row per reading"};

static void add_watts(fw_text *out, double watts) {
  fw_text_add_number(out, watts, 9);
  fw_text_add(out, " W");
}

static void add_known(fw_text *out, double value, int digits) {
  if (isfinite(value)) {
    fw_text_add_number(out, value, digits);
  } else {
    fw_text_add(out, "n/a");
  }
}

static void add_energy(fw_text *out, const char *rule, fw_energy_pj energy) {
  char joules[FW_UNITS_TEXT_SIZE];
  fw_text_add_format(out, "%s%s J (", rule, fw_energy_format(energy, joules));
  fw_text_add_number(out, fw_energy_to_watt_hours(energy), 7);
  fw_text_add(out, " Wh)");
}

/* --- text --- */

static void add_sources(const fw_import_report *report, fw_text *out) {
  for (size_t i = 0; i < report->source_count; i++) {
    const fw_import_source *source = &report->sources[i];
    fw_text_add_format(out, "%s%s%s: %s, %zu readings, power from ", source->file,
                       source->name[0] != '\0' ? " as " : "", source->name, format_titles[source->format],
                       source->row_count);
    fw_text_add_format(out, "%s%s\n", source->power_column == NULL ? "nothing" : source->power_column,
                       source->derived ? " (its increase over time)" : "");
  }
  if (report->averaging != FW_IMPORT_AVERAGING_UNKNOWN) {
    fw_text_add_format(out, "power.draw of this GPU: %s\n", averaging_names[report->averaging]);
  }
  if (report->zone_assumed) fw_text_add(out, "time zone: stamps carry none, taken as UTC\n");
  if (report->time_is_relative) fw_text_add(out, "time: no stamps, counted from the start in steps of the interval\n");
}

static void add_time_cell(fwi_table *table, fw_time_ns time) {
  char text[FW_UNITS_TEXT_SIZE];
  fwi_table_add(table, "%s", fw_time_format(time, text));
}

static void add_number_cell(fwi_table *table, double value) {
  char text[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", isfinite(value) ? fw_number_format(value, 7, text) : "-");
}

static void add_gpu_row(const fw_import_gpu *gpu, fwi_table *table) {
  fwi_table_add(table, "%s%s", gpu->gpu, gpu->total ? " (a total)" : "");
  fwi_table_add(table, "%zu", gpu->sample_count);
  fwi_table_add(table, "%zu", gpu->missing_count);
  fwi_table_add(table, "%zu", gpu->excluded_count);
  add_time_cell(table, gpu->interval);
  add_time_cell(table, gpu->interval_p95);
  add_time_cell(table, gpu->interval_largest);
  fwi_table_add(table, "%zu", gpu->gap_count);
  add_time_cell(table, gpu->covered);
  add_number_cell(table, gpu->mean_w);
  add_number_cell(table, gpu->sample_mean_w);
  add_number_cell(table, gpu->sample_count > 0 ? fw_power_to_watts(gpu->smallest) : (double)NAN);
  add_number_cell(table, gpu->sample_count > 0 ? fw_power_to_watts(gpu->largest) : (double)NAN);
  add_number_cell(table, fw_energy_to_joules(gpu->hold_last));
  add_number_cell(table, fw_energy_to_joules(gpu->trapezoid));
}

static void add_gpus(const fw_import_report *report, fw_text *out) {
  static const char *const heads[] = {"GPU",        "samples",   "missing", "excluded",    "interval s",
                                      "P95 s",      "largest s", "gaps",    "covered s",   "mean W",
                                      "readings W", "min W",     "max W",   "hold-last J", "trapezoid J"};
  const size_t columns = sizeof heads / sizeof *heads;
  fwi_table table = fwi_table_start(columns);
  for (size_t i = 0; i < columns; i++)
    fwi_table_add(&table, "%s", heads[i]);
  for (size_t i = 0; i < report->gpu_count; i++)
    add_gpu_row(&report->gpus[i], &table);
  fw_text_add(out, "\n");
  fwi_table_finish(&table, "", out);
}

static void add_counter(const fw_import_gpu *gpu, fw_text *out) {
  char known[FW_UNITS_TEXT_SIZE], time[FW_UNITS_TEXT_SIZE];
  if (gpu->counter_count == 0) return;
  fw_text_add_format(out, "GPU %s, energy counter: %s J over %s s known exactly", gpu->gpu,
                     fw_energy_format(gpu->counter_energy, known), fw_time_format(gpu->counter_time, time));
  if (gpu->counter_resets > 0) {
    fw_text_add_format(out, "; %zu reset%s, at least %s J over ", gpu->counter_resets,
                       gpu->counter_resets > 1 ? "s" : "",
                       fw_energy_format(gpu->counter_energy + gpu->reset_energy, known));
    fw_text_add_format(out, "%s s in all", fw_time_format(gpu->counter_time + gpu->reset_time, time));
  }
  if (isfinite(gpu->counter_error)) {
    fw_text_add(out, "; differs from the power column by ");
    fw_text_add_number(out, 100.0 * gpu->counter_error, 3);
    fw_text_add(out, " %");
  }
  fw_text_add(out, "\n");
}

static void add_fleet(const fw_import_report *report, bool bridged, fw_text *out) {
  char overlap[FW_UNITS_TEXT_SIZE], span[FW_UNITS_TEXT_SIZE];
  size_t gpus = report->gpu_count - report->total_count;
  fw_text_add_format(out, "\n%zu GPU%s: %zu samples in %zu rows, %zu missing; ", gpus, gpus == 1 ? "" : "s",
                     report->sample_count, report->row_count, report->missing_count);
  fw_text_add_format(out, "recorded together for %s s of ", fw_time_format(report->overlap, overlap));
  fw_text_add_format(out, "%s s; coverage ", fw_time_format(report->span, span));
  add_known(out, 100.0 * report->coverage, 4);
  fw_text_add(out, " %\nsum of the means ");
  add_known(out, report->mean_sum_w, 9);
  fw_text_add(out, " W");
  add_energy(out, "; energy by hold-last ", report->hold_last);
  add_energy(out, ", hold-next ", report->hold_next);
  add_energy(out, ", trapezoid ", report->trapezoid);
  fw_text_add(out, "\n");
  if (bridged) {
    add_energy(out, "if readings held across the gaps: ", report->bridged);
    fw_text_add(out, "\n");
  }
  if (report->steps_complete + report->steps_partial == 0) return;
  fw_text_add_format(out, "stamps with a value of every GPU: %zu (sums ", report->steps_complete);
  fw_text_add_number(out, fw_power_to_watts(report->fleet_smallest), 9);
  fw_text_add(out, " to ");
  add_watts(out, fw_power_to_watts(report->fleet_largest));
  fw_text_add_format(out, "); partial, without a sum: %zu\n", report->steps_partial);
}

static void add_decisions(const fw_import_report *report, fw_text *out) {
  for (size_t i = 0; i < report->missing_kinds; i++) {
    const fw_import_missing *missing = &report->missing[i];
    char shown[FW_SHOWN_SIZE];
    fw_text_add_format(out, "missing: %zu x %s (first in line %zu)\n", missing->count,
                       fw_shown(missing->spelling, strlen(missing->spelling), shown), missing->first_line);
  }
  for (size_t i = 0; i < FW_IMPORT_DECISION_COUNT; i++) {
    if (report->decisions[i] == 0) continue;
    fw_text_add_format(out, "%s: %zu (", fw_import_decision_names[i], report->decisions[i]);
    size_t listed = 0;
    for (size_t e = 0; e < report->event_count && listed < 8; e++) {
      const fw_import_event *event = &report->events[e];
      if (event->decision != (fw_import_decision)i) continue;
      fw_text_add_format(out, "%s%zu", listed++ == 0 ? "line " : ", ", event->line);
    }
    fw_text_add_format(out, "%s)\n", report->decisions[i] > listed ? ", ..." : "");
  }
}

void fw_report_import_text(const fw_import_report *report, bool bridged, fw_text *out) {
  add_sources(report, out);
  add_gpus(report, out);
  add_fleet(report, bridged, out);
  for (size_t i = 0; i < report->gpu_count; i++)
    add_counter(&report->gpus[i], out);
  add_decisions(report, out);
}

/* --- JSON --- */

static void json_sources(const fw_import_report *report, fwi_json_out *root) {
  fwi_json_out list = fwi_json_open(root, "sources", '[');
  for (size_t i = 0; i < report->source_count; i++) {
    const fw_import_source *source = &report->sources[i];
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_string(&object, "file", source->file);
    fwi_json_string(&object, "name", source->name);
    fwi_json_string(&object, "format", fw_import_format_names[source->format]);
    fwi_json_string(&object, "power_column", source->power_column == NULL ? "" : source->power_column);
    fwi_json_bool(&object, "derived", source->derived);
    fwi_json_unsigned(&object, "rows", source->row_count);
    fwi_json_number(&object, "first_s", fw_time_to_seconds(source->first));
    fwi_json_number(&object, "last_s", fw_time_to_seconds(source->last));
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

static void json_energy(fwi_json_out *object, const char *key, fw_energy_pj energy) {
  fwi_json_number(object, key, fw_energy_to_joules(energy));
}

static void json_power(fwi_json_out *object, const char *key, const fw_import_gpu *gpu, fw_power_mw power) {
  fwi_json_number(object, key, gpu->sample_count > 0 ? fw_power_to_watts(power) : (double)NAN);
}

static void json_counter(const fw_import_gpu *gpu, fwi_json_out *parent) {
  if (gpu->counter_count == 0) return;
  fwi_json_out object = fwi_json_open(parent, "energy_counter", '{');
  json_energy(&object, "known_j", gpu->counter_energy);
  fwi_json_number(&object, "known_s", fw_time_to_seconds(gpu->counter_time));
  fwi_json_unsigned(&object, "resets", gpu->counter_resets);
  json_energy(&object, "at_least_j", gpu->counter_energy + gpu->reset_energy);
  fwi_json_number(&object, "at_least_s", fw_time_to_seconds(gpu->counter_time + gpu->reset_time));
  fwi_json_number(&object, "relative_difference", gpu->counter_error);
  fwi_json_close(&object, '}');
}

static void json_gpu(const fw_import_gpu *gpu, bool bridged, fwi_json_out *list) {
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_string(&object, "gpu", gpu->gpu);
  fwi_json_bool(&object, "total", gpu->total);
  fwi_json_unsigned(&object, "source", gpu->source);
  fwi_json_unsigned(&object, "rows", gpu->row_count);
  fwi_json_unsigned(&object, "samples", gpu->sample_count);
  fwi_json_unsigned(&object, "missing", gpu->missing_count);
  fwi_json_unsigned(&object, "excluded", gpu->excluded_count);
  fwi_json_number(&object, "first_s", fw_time_to_seconds(gpu->first));
  fwi_json_number(&object, "last_s", fw_time_to_seconds(gpu->last));
  fwi_json_number(&object, "interval_median_s", fw_time_to_seconds(gpu->interval));
  fwi_json_number(&object, "interval_p95_s", fw_time_to_seconds(gpu->interval_p95));
  fwi_json_number(&object, "interval_largest_s", fw_time_to_seconds(gpu->interval_largest));
  fwi_json_number(&object, "holds_up_to_s", fw_time_to_seconds(gpu->longest_held));
  fwi_json_unsigned(&object, "gaps", gpu->gap_count);
  fwi_json_number(&object, "gap_s", fw_time_to_seconds(gpu->gap_time));
  fwi_json_number(&object, "covered_s", fw_time_to_seconds(gpu->covered));
  fwi_json_unsigned(&object, "clock_steps", gpu->clock_steps);
  fwi_json_number(&object, "mean_w", gpu->mean_w);
  fwi_json_number(&object, "sample_mean_w", gpu->sample_mean_w);
  json_power(&object, "min_w", gpu, gpu->smallest);
  json_power(&object, "max_w", gpu, gpu->largest);
  json_energy(&object, "hold_last_j", gpu->hold_last);
  json_energy(&object, "hold_next_j", gpu->hold_next);
  json_energy(&object, "trapezoid_j", gpu->trapezoid);
  if (bridged) json_energy(&object, "bridged_j", gpu->bridged);
  json_counter(gpu, &object);
  fwi_json_close(&object, '}');
}

static void json_events(const fw_import_report *report, fwi_json_out *root) {
  fwi_json_out counts = fwi_json_open(root, "decisions", '{');
  for (size_t i = 0; i < FW_IMPORT_DECISION_COUNT; i++) {
    if (report->decisions[i] > 0) fwi_json_unsigned(&counts, fw_import_decision_names[i], report->decisions[i]);
  }
  fwi_json_close(&counts, '}');
  fwi_json_out list = fwi_json_open(root, "located", '[');
  for (size_t i = 0; i < report->event_count; i++) {
    const fw_import_event *event = &report->events[i];
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_string(&object, "decision", fw_import_decision_names[event->decision]);
    fwi_json_string(&object, "file", report->sources[event->source].file);
    fwi_json_unsigned(&object, "line", event->line);
    if (event->gpu < report->gpu_count) {
      fwi_json_string(&object, "gpu", report->gpus[event->gpu].gpu);
      fwi_json_number(&object, "time_s", fw_time_to_seconds(event->time));
      fwi_json_number(&object, "power_w", fw_power_to_watts(event->power));
      fwi_json_number(&object, "duration_s", fw_time_to_seconds(event->duration));
    }
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

static void json_missing(const fw_import_report *report, fwi_json_out *root) {
  fwi_json_out list = fwi_json_open(root, "missing_by_spelling", '[');
  for (size_t i = 0; i < report->missing_kinds; i++) {
    fwi_json_out object = fwi_json_open(&list, NULL, '{');
    fwi_json_string(&object, "spelling", report->missing[i].spelling);
    fwi_json_unsigned(&object, "count", report->missing[i].count);
    fwi_json_unsigned(&object, "first_line", report->missing[i].first_line);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, ']');
}

static void json_fleet(const fw_import_report *report, bool bridged, fwi_json_out *root) {
  fwi_json_unsigned(root, "gpus_count", report->gpu_count - report->total_count);
  fwi_json_unsigned(root, "rows", report->row_count);
  fwi_json_unsigned(root, "samples", report->sample_count);
  fwi_json_unsigned(root, "missing", report->missing_count);
  fwi_json_string(root, "series", fw_series_kind_names[report->kind]);
  fwi_json_string(root, "averaging", averaging_names[report->averaging]);
  fwi_json_bool(root, "time_zone_assumed_utc", report->zone_assumed);
  fwi_json_bool(root, "time_is_relative", report->time_is_relative);
  fwi_json_number(root, "first_s", fw_time_to_seconds(report->first));
  fwi_json_number(root, "last_s", fw_time_to_seconds(report->last));
  fwi_json_number(root, "overlap_s", fw_time_to_seconds(report->overlap));
  fwi_json_number(root, "span_s", fw_time_to_seconds(report->span));
  fwi_json_number(root, "coverage", report->coverage);
  fwi_json_number(root, "mean_sum_w", report->mean_sum_w);
  json_energy(root, "hold_last_j", report->hold_last);
  json_energy(root, "hold_next_j", report->hold_next);
  json_energy(root, "trapezoid_j", report->trapezoid);
  if (bridged) json_energy(root, "bridged_j", report->bridged);
  if (report->steps_complete + report->steps_partial == 0) return;
  fwi_json_unsigned(root, "steps_complete", report->steps_complete);
  fwi_json_unsigned(root, "steps_partial", report->steps_partial);
  fwi_json_number(root, "step_sum_min_w", fw_power_to_watts(report->fleet_smallest));
  fwi_json_number(root, "step_sum_max_w", fw_power_to_watts(report->fleet_largest));
}

void fw_report_import_json(const fw_import_report *report, bool bridged, const fw_diagnostics *diagnostics,
                           fw_text *out) {
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "import");
  json_sources(report, &object);
  json_fleet(report, bridged, &object);
  fwi_json_out gpus = fwi_json_open(&object, "gpus", '[');
  for (size_t i = 0; i < report->gpu_count; i++)
    json_gpu(&report->gpus[i], bridged, &gpus);
  fwi_json_close(&gpus, ']');
  json_missing(report, &object);
  json_events(report, &object);
  fwi_json_warnings(&object, diagnostics);
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

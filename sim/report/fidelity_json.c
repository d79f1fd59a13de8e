/* Fidelity as JSON (docs/results.md, "validate"). */
#include <math.h>

#include "sim/report/fidelity_report.h"
#include "sim/report/json_out.h"

static const char *const budget_keys[FW_FIDELITY_BUDGETS] = {"p80", "p90", "p95", "p99"};

static const char *const verdict_names[] = {"met", "missed", "not barred"};

static void add_budgets(fwi_json_out *out, const fw_fidelity_window *window) {
  fwi_json_out budgets = fwi_json_open(out, "budgets", '{');
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    fwi_json_out object = fwi_json_open(&budgets, budget_keys[b], '{');
    fwi_json_number(&object, "budget_w", window->reason == NULL ? fw_power_to_watts(window->budget[b]) : (double)NAN);
    fwi_json_estimate(&object, "recorded",
                      (fw_estimate){window->recorded_rate[b], window->own.rate_lo[b], window->own.rate_hi[b]});
    fwi_json_number(&object, "predicted", window->predicted_rate[b]);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&budgets, '}');
}

static void add_own(fwi_json_out *out, const fw_fidelity_yardstick *own) {
  fwi_json_out object = fwi_json_open(out, "own", '{');
  fwi_json_number(&object, "block_s", fw_time_to_seconds(own->block));
  fwi_json_number(&object, "ks_halves", own->halves_ks);
  fwi_json_number(&object, "ks_alternate", own->alternate_ks);
  fwi_json_number(&object, "acf_mae_halves", own->halves_acf_mae);
  fwi_json_close(&object, '}');
}

/* Of the figures that have a limit at this window. */
static void add_bars(fwi_json_out *out, const fw_fidelity_window *window, const fw_fidelity_limits *limits) {
  fwi_json_out bars = fwi_json_open(out, "bars", '{');
  for (int m = 0; m < FW_FIDELITY_METRICS; m++) {
    const fw_fidelity_bar bar = fw_fidelity_judge(window, (fw_fidelity_metric)m, limits);
    if (!bar.has_limit) continue;
    fwi_json_out object = fwi_json_open(&bars, fw_fidelity_metric_names[m], '{');
    fwi_json_string(&object, "verdict", verdict_names[bar.verdict]);
    fwi_json_number(&object, "limit", bar.limit);
    if (bar.reason[0] != '\0') fwi_json_string(&object, "reason", bar.reason);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&bars, '}');
}

static void add_window(fwi_json_out *windows, const fw_fidelity_window *window, const fw_fidelity_limits *limits) {
  char key[FW_UNITS_TEXT_SIZE];
  fwi_json_out object = fwi_json_open(windows, fwi_json_window_key(window->window, key), '{');
  if (window->reason != NULL) fwi_json_string(&object, "reason", window->reason);
  fwi_json_unsigned(&object, "full", window->full);
  fwi_json_unsigned(&object, "blocks", window->blocks);
  fwi_json_number(&object, "effective", window->effective);
  fwi_json_out scores = fwi_json_open(&object, "scores", '{');
  for (size_t m = 0; m < FW_FIDELITY_METRICS; m++) {
    fwi_json_number(&scores, fw_fidelity_metric_names[m], window->scores[m]);
  }
  fwi_json_close(&scores, '}');
  add_budgets(&object, window);
  add_own(&object, &window->own);
  add_bars(&object, window, limits);
  fwi_json_close(&object, '}');
}

static void add_signal(fwi_json_out *signals, const fw_fidelity *run, const fw_fidelity_signal *signal,
                       const fw_fidelity_limits *limits) {
  fwi_json_out object = fwi_json_open(signals, NULL, '{');
  fwi_json_number(&object, "gpu", signal->gpu == SIZE_MAX ? (double)NAN : (double)signal->gpu);
  fwi_json_number(&object, "known_s", (double)signal->known * fw_time_to_seconds(run->tick));
  fwi_json_number(&object, "correlation_time_s", fw_time_to_seconds(signal->correlation_time));
  fwi_json_out windows = fwi_json_open(&object, "windows", '{');
  for (size_t w = 0; w < run->window_count; w++) {
    add_window(&windows, &signal->windows[w], limits);
  }
  fwi_json_close(&windows, '}');
  fwi_json_close(&object, '}');
}

static void add_run(fwi_json_out *runs, const fw_fidelity *run, const fw_fidelity_limits *limits) {
  fwi_json_out object = fwi_json_open(runs, NULL, '{');
  fwi_json_string(&object, "name", run->name);
  fwi_json_number(&object, "tick_s", fw_time_to_seconds(run->tick));
  fwi_json_unsigned(&object, "seeds", run->seed_count);
  fwi_json_out signals = fwi_json_open(&object, "signals", '[');
  for (size_t s = 0; s < run->signal_count; s++) {
    add_signal(&signals, run, &run->signals[s], limits);
  }
  fwi_json_close(&signals, ']');
  fwi_json_close(&object, '}');
}

static void add_summary(fwi_json_out *metrics, const fw_report_fidelity *report, size_t window,
                        fw_fidelity_metric metric) {
  const fw_fidelity_summary *summary = &report->summaries[window * FW_FIDELITY_METRICS + (size_t)metric];
  const fw_fidelity_group group =
      fw_fidelity_judge_runs(report->runs, report->run_count, window, metric, report->limits);
  fwi_json_out object = fwi_json_open(metrics, fw_fidelity_metric_names[metric], '{');
  fwi_json_unsigned(&object, "runs", summary->run_count);
  fwi_json_estimate(&object, "median", summary->median);
  fwi_json_number(&object, "worst", summary->worst);
  fwi_json_string(&object, "worst_run", summary->worst_run == SIZE_MAX ? "" : report->runs[summary->worst_run].name);
  fwi_json_string(&object, "bar", verdict_names[group.verdict]);
  fwi_json_unsigned(&object, "barred", group.barred);
  fwi_json_unsigned(&object, "met", group.met);
  fwi_json_number(&object, "median_ratio", group.median_ratio);
  if (group.reason[0] != '\0') fwi_json_string(&object, "reason", group.reason);
  fwi_json_close(&object, '}');
}

static void add_summaries(fwi_json_out *root, const fw_report_fidelity *report) {
  fwi_json_out windows = fwi_json_open(root, "windows", '{');
  for (size_t w = 0; w < report->runs[0].window_count; w++) {
    char key[FW_UNITS_TEXT_SIZE];
    const fw_time_ns window = report->runs[0].signals[0].windows[w].window;
    fwi_json_out metrics = fwi_json_open(&windows, fwi_json_window_key(window, key), '{');
    for (int m = 0; m < FW_FIDELITY_METRICS; m++) {
      add_summary(&metrics, report, w, (fw_fidelity_metric)m);
    }
    fwi_json_close(&metrics, '}');
  }
  fwi_json_close(&windows, '}');
}

void fw_report_fidelity_json(const fw_report_fidelity *report, const fw_diagnostics *diagnostics, fw_text *out) {
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "validate");
  fwi_json_string(&object, "model", report->model);
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out runs = fwi_json_open(&object, "runs", '[');
  for (size_t r = 0; r < report->run_count; r++) {
    add_run(&runs, &report->runs[r], report->limits);
  }
  fwi_json_close(&runs, ']');
  add_summaries(&object, report);
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

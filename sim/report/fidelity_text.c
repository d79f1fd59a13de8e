/* Fidelity as tables: a run's scores, tails and violation rates, and the bars over all runs. */
#include <math.h>

#include "sim/report/fidelity_report.h"
#include "sim/report/figure.h"
#include "sim/report/notes.h"
#include "sim/report/table.h"

static const char *const budget_names[FW_FIDELITY_BUDGETS] = {"P80", "P90", "P95", "P99"};

static void add_head(fwi_table *table, const char *const *words) {
  for (size_t i = 0; i < table->columns; i++) {
    fwi_table_add(table, "%s", words[i]);
  }
}

static void add_fixed(fwi_table *table, double value, int decimals) {
  char buffer[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", isnan(value) ? "n/a" : fwi_figure_fixed(value, decimals, buffer));
}

static void add_percent(fwi_table *table, double share) {
  add_fixed(table, 100.0 * share, 1);
}

static void add_window(fwi_table *table, const fw_fidelity_window *window) {
  char length[FW_UNITS_TEXT_SIZE];
  fwi_table_add(table, "%s", fw_time_format(window->window, length));
}

/* ---- One run ---- */

static void add_score_row(fwi_table *table, const fw_fidelity_window *window) {
  fwi_table_add(table, "%zu", window->blocks);
  add_fixed(table, window->effective, 0);
  add_percent(table, window->scores[FW_FIDELITY_BIAS]);
  add_percent(table, window->scores[FW_FIDELITY_NRMSE]);
  add_fixed(table, window->scores[FW_FIDELITY_KS], 3);
  add_fixed(table, fmin(window->own.halves_ks, window->own.alternate_ks), 3);
  add_fixed(table, window->scores[FW_FIDELITY_ACF_MAE], 3);
  add_fixed(table, window->own.halves_acf_mae, 3);
  add_fixed(table, window->scores[FW_FIDELITY_ACF_R2], 3);
}

/* Rows for the sum at each window, and for each GPU at the shortest. */
static void add_scores(const fw_fidelity *run, fw_text *out) {
  static const char *const head[] = {"window, s", "blocks",  "effective", "bias, %", "NRMSE, %",
                                     "KS",        "its own", "ACF-MAE",   "its own", "ACF-R2"};
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  add_head(&table, head);
  for (size_t w = 0; w < run->window_count; w++) {
    add_window(&table, &run->signals[0].windows[w]);
    add_score_row(&table, &run->signals[0].windows[w]);
  }
  for (size_t s = 1; s < run->signal_count; s++) {
    char length[FW_UNITS_TEXT_SIZE];
    const fw_fidelity_window *first = &run->signals[s].windows[0];
    fwi_table_add(&table, "GPU %zu, %s", run->signals[s].gpu, fw_time_format(first->window, length));
    add_score_row(&table, first);
  }
  fwi_table_finish(&table, "  ", out);
}

static void add_tails(const fw_fidelity *run, fw_text *out) {
  static const char *const head[] = {"error, %", "P50", "P90", "P95", "P99", "P99.9"};
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  add_head(&table, head);
  for (size_t w = 0; w < run->window_count; w++) {
    const fw_fidelity_window *window = &run->signals[0].windows[w];
    add_window(&table, window);
    for (size_t m = FW_FIDELITY_P50; m <= FW_FIDELITY_P999; m++) {
      add_percent(&table, window->scores[m]);
    }
  }
  fwi_table_finish(&table, "  ", out);
}

/* "20.0 [15.1, 26.3]" */
static void add_recorded_rate(fwi_table *table, const fw_fidelity_window *window, size_t budget) {
  char rate[FW_NUMBER_TEXT_SIZE], lo[FW_NUMBER_TEXT_SIZE], hi[FW_NUMBER_TEXT_SIZE];
  if (isnan(window->recorded_rate[budget])) {
    fwi_table_add(table, "n/a");
    return;
  }
  fwi_table_add(table, "%s (%s to %s)", fwi_figure_fixed(100.0 * window->recorded_rate[budget], 1, rate),
                fwi_figure_fixed(100.0 * window->own.rate_lo[budget], 1, lo),
                fwi_figure_fixed(100.0 * window->own.rate_hi[budget], 1, hi));
}

static void add_rates(const fw_fidelity *run, fw_text *out) {
  fwi_table table = fwi_table_start(1 + 2 * FW_FIDELITY_BUDGETS);
  fwi_table_add(&table, "violations, %%");
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    fwi_table_add(&table, "above %s", budget_names[b]);
    fwi_table_add(&table, "predicted");
  }
  for (size_t w = 0; w < run->window_count; w++) {
    const fw_fidelity_window *window = &run->signals[0].windows[w];
    add_window(&table, window);
    for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
      add_recorded_rate(&table, window, b);
      add_percent(&table, window->predicted_rate[b]);
    }
  }
  fwi_table_finish(&table, "  ", out);
}

static void add_run(const fw_fidelity *run, fw_text *out) {
  const fw_fidelity_signal *sum = &run->signals[0];
  char tick[FW_UNITS_TEXT_SIZE], known[FW_UNITS_TEXT_SIZE], memory[FW_NUMBER_TEXT_SIZE];
  fw_text_add_format(out, "%s: ", run->name);
  if (run->signal_count > 1) fw_text_add_format(out, "%zu GPUs, ", run->signal_count - 1);
  fw_text_add_format(out, "%s s known in ticks of %s s, correlation time %s s, %zu seed%s\n\n",
                     fw_time_format((fw_time_ns)sum->known * run->tick, known), fw_time_format(run->tick, tick),
                     fw_number_format(fw_time_to_seconds(sum->correlation_time), 3, memory), run->seed_count,
                     run->seed_count == 1 ? "" : "s");
  add_scores(run, out);
  fw_text_add(out, "\n");
  add_tails(run, out);
  fw_text_add(out, "\n");
  add_rates(run, out);
  fw_text_add(out, "\n");
}

/* ---- The bars ---- */

static void add_median(fwi_table *table, const fw_fidelity_summary *summary) {
  char mean[FW_NUMBER_TEXT_SIZE], lo[FW_NUMBER_TEXT_SIZE], hi[FW_NUMBER_TEXT_SIZE];
  if (isnan(summary->median.lo)) {
    add_fixed(table, summary->median.mean, 3);
    return;
  }
  fwi_table_add(table, "%s (%s to %s)", fwi_figure_fixed(summary->median.mean, 3, mean),
                fwi_figure_fixed(summary->median.lo, 3, lo), fwi_figure_fixed(summary->median.hi, 3, hi));
}

static void add_bar_row(fwi_table *table, const fw_report_fidelity *report, size_t window, fw_fidelity_metric metric,
                        const fw_fidelity_group *group) {
  add_window(table, &report->runs[0].signals[0].windows[window]);
  fwi_table_add(table, "%s", fw_fidelity_metric_names[metric]);
  add_median(table, &report->summaries[window * FW_FIDELITY_METRICS + (size_t)metric]);
  add_fixed(table, group->median_ratio, 2);
  fwi_table_add(table, "%zu of %zu", group->met, group->barred);
  fwi_table_add(table, "%s", group->verdict == FW_FIDELITY_MET ? "met" : "missed");
  add_fixed(table, group->worst_score, 3);
  add_fixed(table, group->worst_limit, 3);
  fwi_table_add(table, "%s", report->runs[group->worst_run].name);
}

/* The groups that are barred; returns whether any is. */
static bool add_bar_rows(const fw_report_fidelity *report, fwi_table *table) {
  const size_t before = table->cell_count;
  for (size_t w = 0; w < report->runs[0].window_count; w++) {
    for (int m = 0; m < FW_FIDELITY_METRICS; m++) {
      const fw_fidelity_metric metric = (fw_fidelity_metric)m;
      const fw_fidelity_group group =
          fw_fidelity_judge_runs(report->runs, report->run_count, w, metric, report->limits);
      if (group.barred > 0) add_bar_row(table, report, w, metric, &group);
    }
  }
  return table->cell_count > before;
}

static void add_bars(const fw_report_fidelity *report, fw_text *out) {
  static const char *const head[] = {"window, s", "figure", "median",    "over its limit", "runs inside",
                                     "bar",       "worst",  "its limit", "the worst run"};
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  fw_text_add_format(out, "bars over %zu run%s:\n", report->run_count, report->run_count == 1 ? "" : "s");
  add_head(&table, head);
  const bool any = add_bar_rows(report, &table);
  fwi_table_finish(&table, "  ", out);
  if (!any && !table.failed) fw_text_add(out, "  none: no recording is long enough\n");
}

/* Bars of a run that say that they are none, though this window has limits. */
static void add_free_bars(const fw_report_fidelity *report, const fw_fidelity *run, size_t w, fw_text *out) {
  const fw_fidelity_window *window = &run->signals[0].windows[w];
  char length[FW_UNITS_TEXT_SIZE];
  fw_time_format(window->window, length);
  const fw_fidelity_bar all = fw_fidelity_judge(window, FW_FIDELITY_VIOLATION_P80, report->limits);
  if (all.verdict == FW_FIDELITY_NOT_BARRED) {
    fw_text_add_format(out, "n/a: %s at %s s: %s\n", run->name, length, all.reason);
    return;
  }
  const fw_fidelity_metric own[] = {FW_FIDELITY_P99, FW_FIDELITY_ACF_MAE};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    const fw_fidelity_bar bar = fw_fidelity_judge(window, own[i], report->limits);
    if (bar.verdict == FW_FIDELITY_NOT_BARRED && bar.has_limit) {
      fw_text_add_format(out, "n/a: %s at %s s, %s: %s\n", run->name, length, fw_fidelity_metric_names[own[i]],
                         bar.reason);
    }
  }
}

void fw_report_fidelity_text(const fw_report_fidelity *report, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_text_add_format(out, "%s\n\n", report->model);
  for (size_t r = 0; r < report->run_count; r++) {
    add_run(&report->runs[r], out);
  }
  add_bars(report, out);
  for (size_t r = 0; r < report->run_count; r++) {
    for (size_t w = 0; w < report->runs[r].window_count; w++) {
      add_free_bars(report, &report->runs[r], w, out);
    }
  }
  fwi_notes_add(diagnostics, out);
}

/* Stored studies as tables: a row for each arm of each point, the list of studies, and what moved between two. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/report/figure.h"
#include "sim/report/notes.h"
#include "sim/report/report.h"
#include "sim/report/stored_counts.h"
#include "sim/report/stored_settings.h"
#include "sim/report/table.h"

#define SETTING_COLUMNS ((size_t)8) /* with more keys, a point is shown by its number */
#define CHANGES_SHOWN ((size_t)40)

/* ---- One study ---- */

static const fw_stored_metric *find(const fw_stored_arm *arm, fw_metric metric, fw_time_ns window) {
  for (size_t i = 0; i < arm->metric_count; i++) {
    if (arm->metrics[i].window == window && strcmp(arm->metrics[i].name, fw_metric_table[metric].name) == 0) {
      return &arm->metrics[i];
    }
  }
  return NULL;
}

/* Windows of all points, in the order in which they first occur. */
typedef struct window_list {
  fw_time_ns windows[FW_POLICY_WINDOWS];
  size_t count;
} window_list;

static void add_windows(const fw_stored_arm *arm, window_list *list) {
  for (size_t i = 0; i < arm->metric_count; i++) {
    const fw_time_ns window = arm->metrics[i].window;
    bool known = window == 0 || list->count == FW_POLICY_WINDOWS;
    for (size_t w = 0; w < list->count; w++) {
      known = known || list->windows[w] == window;
    }
    if (!known) {
      list->windows[list->count++] = window;
    }
  }
}

static window_list list_windows(const fw_stored_study *study) {
  window_list list = {.count = 0};
  for (size_t p = 0; p < study->point_count; p++) {
    for (size_t a = 0; a < study->points[p].arm_count; a++) {
      add_windows(&study->points[p].arms[a], &list);
    }
  }
  return list;
}

typedef struct layout {
  fwi_settings settings;
  bool by_number; /* too many keys for columns */
  window_list windows;
} layout;

static void add_head(const layout *l, fwi_table *table) {
  char window[FW_UNITS_TEXT_SIZE];
  if (l->by_number) {
    fwi_table_add(table, "point");
  }
  for (size_t key = 0; !l->by_number && key < l->settings.key_count; key++) {
    fwi_table_add(table, "%s", l->settings.keys[key]);
  }
  fwi_table_add(table, "policy");
  fwi_table_add(table, "ratio");
  for (size_t w = 0; w < l->windows.count; w++) {
    fwi_table_add(table, "%s s", fw_time_format(l->windows.windows[w], window));
  }
  fwi_table_add(table, "M tokens");
  fwi_table_add(table, "Wh/1k");
  fwi_table_add(table, "mean kW");
}

static void add_settings(const layout *l, size_t point, fwi_table *table) {
  if (l->by_number) {
    fwi_table_add(table, "%zu", point);
    return;
  }
  for (size_t key = 0; key < l->settings.key_count; key++) {
    fw_text value = FW_TEXT_INIT;
    fwi_settings_value(&l->settings, point, key, &value);
    fwi_table_add(table, "%s", value.data != NULL && value.length > 0 ? value.data : "-");
    fw_text_clear(&value);
  }
}

static void add_figure(const fw_stored_arm *arm, fw_metric metric, double scale, int digits, fwi_table *table) {
  const fw_stored_metric *found = find(arm, metric, 0);
  if (found != NULL) {
    fwi_table_add_estimate(table, found->estimate, scale, digits);
  } else {
    fwi_table_add(table, "-");
  }
}

static void add_arm(const layout *l, size_t point, const fw_stored_arm *arm, fwi_table *table) {
  char buffer[FWI_FIGURE_SIZE];
  add_settings(l, point, table);
  fwi_table_add(table, "%s", arm->policy);
  fwi_table_add(table, "%s", arm->budget > 0 ? fw_number_format(arm->oversubscription, 4, buffer) : "-");
  for (size_t w = 0; w < l->windows.count; w++) {
    const fw_stored_metric *rate = find(arm, FW_METRIC_VIOLATION_RATE, l->windows.windows[w]);
    fwi_table_add(table, "%s", rate != NULL ? fwi_figure_rate(rate->estimate, buffer) : "-");
  }
  add_figure(arm, FW_METRIC_TOKENS, 1e-6, 5, table);
  add_figure(arm, FW_METRIC_WH_PER_1K_TOKENS, 1.0, 4, table);
  add_figure(arm, FW_METRIC_MEAN_W, 1e-3, 4, table);
}

static void add_title(const fw_stored_study *study, fw_text *out) {
  const size_t runs = fwi_stored_runs(study);
  const size_t wanted = fwi_stored_wanted(study);
  fw_text_add_format(out, "Study %s, a %s of %s: %zu point%s, ", study->name, study->command, study->scenario,
                     study->point_count, study->point_count == 1 ? "" : "s");
  if (runs < wanted) {
    fw_text_add_format(out, "%zu of %zu runs", runs, wanted);
  } else {
    fw_text_add_format(out, "%zu runs", runs);
  }
  fw_text_add_format(out, " (fleetwatt %s)\n\n", study->version);
}

static void add_legend(const fw_stored_study *study, const layout *l, fw_text *out) {
  bool extrapolated = false;
  for (size_t p = 0; p < study->point_count; p++) {
    for (size_t a = 0; a < study->points[p].arm_count; a++) {
      extrapolated = extrapolated || study->points[p].arms[a].extrapolated;
    }
  }
  fw_text_add(
      out, "\nRatio: nameplate to budget. Columns in s: time at which the mean over so many seconds is above the "
           "budget,\nin % of the time at which such a window is full. a \302\261 b: mean over the seeds and half the "
           "width of its\n95 % interval; 0 (< b): never in any run, with a one-sided 95 % bound.\n");
  for (size_t p = 0; l->by_number && p < study->point_count; p++) {
    fw_text_add_format(out, "Point %zu: %s\n", p, study->points[p].settings);
  }
  if (extrapolated) {
    fw_text_add(out,
                "Some runs left the range that their job models were fitted in: see \"extrapolated\" in --json.\n");
  }
}

void fw_report_stored_text(const fw_stored_study *study, const fw_diagnostics *diagnostics, fw_text *out) {
  layout l = {.settings = fwi_settings_read(study), .windows = list_windows(study)};
  l.by_number = l.settings.key_count > SETTING_COLUMNS;
  fwi_table table = fwi_table_start((l.by_number ? 1 : l.settings.key_count) + l.windows.count + 5);
  add_title(study, out);
  add_head(&l, &table);
  for (size_t p = 0; !l.settings.failed && p < study->point_count; p++) {
    for (size_t a = 0; a < study->points[p].arm_count; a++) {
      add_arm(&l, p, &study->points[p].arms[a], &table);
    }
  }
  fwi_table_finish(&table, "  ", out);
  add_legend(study, &l, out);
  fwi_notes_add(diagnostics, out);
  out->failed = out->failed || l.settings.failed;
  fwi_settings_free(&l.settings);
}

/* ---- The list ---- */

void fw_report_stored_list_text(const fw_stored_list *list, fw_text *out) {
  if (list->count == 0) {
    fw_text_add(out, "The store has no studies.\n");
    return;
  }
  fwi_table table = fwi_table_start(6);
  static const char *const heads[] = {"study", "kind", "scenario", "points", "runs", "fleetwatt"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    fwi_table_add(&table, "%s", heads[i]);
  }
  for (size_t i = 0; i < list->count; i++) {
    const fw_stored_summary *study = &list->studies[i];
    fwi_table_add(&table, "%s", study->name);
    fwi_table_add(&table, "%s", study->command);
    fwi_table_add(&table, "%s", study->scenario);
    fwi_table_add(&table, "%zu", study->points);
    fwi_table_add(&table, "%zu of %zu", study->runs, study->wanted);
    fwi_table_add(&table, "%s", study->version);
  }
  fwi_table_finish(&table, "", out);
}

/* ---- Two studies ---- */

static void add_change(const fw_stored_comparison *comparison, const fw_stored_change *change, fwi_table *table) {
  const fw_stored_point *point = &comparison->before->points[change->point];
  const fw_stored_arm *arm = &point->arms[change->arm];
  const fw_stored_metric *metric = &arm->metrics[change->metric];
  char window[FW_UNITS_TEXT_SIZE];
  char number[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", point->settings);
  fwi_table_add(table, "%s", arm->policy);
  fwi_table_add(table, "%s", arm->budget > 0 ? fw_number_format(arm->oversubscription, 4, number) : "-");
  fwi_table_add(table, "%s%s%s%s", metric->name, metric->window > 0 ? " at " : "",
                metric->window > 0 ? fw_time_format(metric->window, window) : "", metric->window > 0 ? " s" : "");
  fwi_table_add_estimate(table, change->before, 1.0, 6);
  fwi_table_add_estimate(table, change->after, 1.0, 6);
  fwi_table_add_estimate(table, change->difference, 1.0, 4);
  fwi_table_add(table, "%s", fw_stored_verdict_names[change->verdict]);
}

static size_t add_changes(const fw_stored_comparison *comparison, fw_stored_verdict verdict, size_t room,
                          fwi_table *table) {
  size_t added = 0;
  for (size_t i = 0; i < comparison->count && added < room; i++) {
    if (comparison->changes[i].verdict == verdict) {
      add_change(comparison, &comparison->changes[i], table);
      added++;
    }
  }
  return added;
}

static void add_verdicts(const fw_stored_comparison *comparison, fw_text *out) {
  fw_text_add_format(out,
                     "%s (fleetwatt %s) against %s (fleetwatt %s): %zu answers are the same, %zu moved within their "
                     "intervals, %zu beyond them.\n",
                     comparison->before->name, comparison->before->version, comparison->after->name,
                     comparison->after->version, comparison->verdicts[FW_STORED_SAME],
                     comparison->verdicts[FW_STORED_MOVED], comparison->verdicts[FW_STORED_BEYOND]);
  if (comparison->only_before > 0 || comparison->only_after > 0) {
    fw_text_add_format(out, "Arms that only one has: %zu of the first, %zu of the second.\n", comparison->only_before,
                       comparison->only_after);
  }
}

void fw_report_stored_comparison_text(const fw_stored_comparison *comparison, fw_text *out) {
  const size_t moved = comparison->verdicts[FW_STORED_MOVED] + comparison->verdicts[FW_STORED_BEYOND];
  static const char *const heads[] = {"settings", "policy", "ratio", "figure", "before", "after", "difference", ""};
  add_verdicts(comparison, out);
  if (moved == 0) {
    return;
  }
  fwi_table table = fwi_table_start(sizeof heads / sizeof *heads);
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    fwi_table_add(&table, "%s", heads[i]);
  }
  size_t shown = add_changes(comparison, FW_STORED_BEYOND, CHANGES_SHOWN, &table);
  shown += add_changes(comparison, FW_STORED_MOVED, CHANGES_SHOWN - shown, &table);
  fw_text_add(out, "\n");
  fwi_table_finish(&table, "  ", out);
  if (moved > shown) {
    fw_text_add_format(out, "\n%zu more are in --json.\n", moved - shown);
  }
  fw_text_add(out, "\nDifference: after less before, seed by seed, with its 95 % interval (n/a where the seeds are not "
                   "the same).\n");
}

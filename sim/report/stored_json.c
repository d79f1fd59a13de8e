/* Stored studies as JSON: a study with its estimates and runs, the list of studies, and what moved between two. */
#include <math.h>
#include <string.h>

#include "sim/report/json_out.h"
#include "sim/report/report.h"
#include "sim/report/stored_counts.h"

static void add_metric(fwi_json_out *out, const char *key, const fw_stored_metric *metric, size_t runs) {
  fwi_json_out object = fwi_json_open(out, key, '{');
  fwi_json_number(&object, "mean", metric->estimate.mean);
  fwi_json_number(&object, "lo", metric->estimate.lo);
  fwi_json_number(&object, "hi", metric->estimate.hi);
  fwi_json_out values = fwi_json_open(&object, "values", '[');
  for (size_t i = 0; i < runs; i++) {
    fwi_json_number(&values, NULL, metric->values[i]);
  }
  fwi_json_close(&values, ']');
  fwi_json_close(&object, '}');
}

/* Figures with windows stand next to each other under one name. */
static void add_metrics(fwi_json_out *out, const fw_stored_arm *arm) {
  char key[FW_UNITS_TEXT_SIZE];
  fwi_json_out object = fwi_json_open(out, "metrics", '{');
  for (size_t m = 0; m < arm->metric_count;) {
    const fw_stored_metric *metric = &arm->metrics[m];
    if (metric->window == 0) {
      add_metric(&object, metric->name, metric, arm->runs);
      m++;
      continue;
    }
    fwi_json_out windows = fwi_json_open(&object, metric->name, '{');
    for (; m < arm->metric_count && strcmp(arm->metrics[m].name, metric->name) == 0; m++) {
      add_metric(&windows, fwi_json_window_key(arm->metrics[m].window, key), &arm->metrics[m], arm->runs);
    }
    fwi_json_close(&windows, '}');
  }
  fwi_json_close(&object, '}');
}

static void add_arm(fwi_json_out *out, const fw_stored_arm *arm) {
  const bool has_budget = arm->budget > 0;
  fwi_json_out object = fwi_json_open(out, NULL, '{');
  fwi_json_string(&object, "policy", arm->policy);
  fwi_json_number(&object, "oversubscription", has_budget ? arm->oversubscription : (double)NAN);
  fwi_json_number(&object, "budget_w", has_budget ? fw_power_to_watts(arm->budget) : (double)NAN);
  fwi_json_bool(&object, "extrapolated", arm->extrapolated);
  fwi_json_out seeds = fwi_json_open(&object, "seeds", '[');
  for (size_t i = 0; i < arm->runs; i++) {
    fwi_json_unsigned(&seeds, NULL, arm->seeds[i]);
  }
  fwi_json_close(&seeds, ']');
  add_metrics(&object, arm);
  fwi_json_close(&object, '}');
}

static void add_study(fwi_json_out *out, const fw_stored_study *study) {
  fwi_json_string(out, "study", study->name);
  fwi_json_string(out, "kind", study->command);
  fwi_json_string(out, "scenario", study->scenario);
  fwi_json_string(out, "code", study->version);
  fwi_json_unsigned(out, "runs", fwi_stored_runs(study));
  fwi_json_unsigned(out, "wanted", fwi_stored_wanted(study));
  fwi_json_out points = fwi_json_open(out, "points", '[');
  for (size_t p = 0; p < study->point_count; p++) {
    const fw_stored_point *point = &study->points[p];
    fwi_json_out object = fwi_json_open(&points, NULL, '{');
    fwi_json_verbatim(&object, "settings", point->settings);
    fwi_json_out arms = fwi_json_open(&object, "arms", '[');
    for (size_t a = 0; a < point->arm_count; a++) {
      add_arm(&arms, &point->arms[a]);
    }
    fwi_json_close(&arms, ']');
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&points, ']');
}

void fw_report_stored_json(const fw_stored_study *study, const char *command, const fw_diagnostics *diagnostics,
                           fw_text *out) {
  fwi_json_out top = {out, true};
  fwi_json_out root = fwi_json_open(&top, NULL, '{');
  fwi_json_head(&root, command);
  add_study(&root, study);
  fwi_json_warnings(&root, diagnostics);
  fwi_json_close(&root, '}');
  fw_text_add(out, "\n");
}

void fw_report_stored_list_json(const fw_stored_list *list, fw_text *out) {
  fwi_json_out top = {out, true};
  fwi_json_out root = fwi_json_open(&top, NULL, '{');
  fwi_json_head(&root, "results");
  fwi_json_out studies = fwi_json_open(&root, "studies", '[');
  for (size_t i = 0; i < list->count; i++) {
    const fw_stored_summary *study = &list->studies[i];
    fwi_json_out object = fwi_json_open(&studies, NULL, '{');
    fwi_json_string(&object, "study", study->name);
    fwi_json_string(&object, "kind", study->command);
    fwi_json_string(&object, "scenario", study->scenario);
    fwi_json_string(&object, "code", study->version);
    fwi_json_unsigned(&object, "points", study->points);
    fwi_json_unsigned(&object, "runs", study->runs);
    fwi_json_unsigned(&object, "wanted", study->wanted);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&studies, ']');
  fwi_json_close(&root, '}');
  fw_text_add(out, "\n");
}

static void add_change(fwi_json_out *out, const fw_stored_comparison *comparison, const fw_stored_change *change) {
  const fw_stored_point *point = &comparison->before->points[change->point];
  const fw_stored_arm *arm = &point->arms[change->arm];
  const fw_stored_metric *metric = &arm->metrics[change->metric];
  char window[FW_UNITS_TEXT_SIZE];
  fwi_json_out object = fwi_json_open(out, NULL, '{');
  fwi_json_verbatim(&object, "settings", point->settings);
  fwi_json_string(&object, "policy", arm->policy);
  fwi_json_number(&object, "oversubscription", arm->budget > 0 ? arm->oversubscription : (double)NAN);
  fwi_json_string(&object, "metric", metric->name);
  fwi_json_verbatim(&object, "window_s", metric->window > 0 ? fw_time_format(metric->window, window) : "null");
  fwi_json_estimate(&object, "before", change->before);
  fwi_json_estimate(&object, "after", change->after);
  fwi_json_estimate(&object, "difference", change->difference);
  fwi_json_string(&object, "verdict", fw_stored_verdict_names[change->verdict]);
  fwi_json_close(&object, '}');
}

void fw_report_stored_comparison_json(const fw_stored_comparison *comparison, fw_text *out) {
  fwi_json_out top = {out, true};
  fwi_json_out root = fwi_json_open(&top, NULL, '{');
  fwi_json_head(&root, "results");
  fwi_json_string(&root, "before", comparison->before->name);
  fwi_json_string(&root, "after", comparison->after->name);
  fwi_json_string(&root, "code_before", comparison->before->version);
  fwi_json_string(&root, "code_after", comparison->after->version);
  for (size_t v = 0; v < 3; v++) {
    fwi_json_unsigned(&root, fw_stored_verdict_names[v], comparison->verdicts[v]);
  }
  fwi_json_unsigned(&root, "only_before", comparison->only_before);
  fwi_json_unsigned(&root, "only_after", comparison->only_after);
  fwi_json_out changes = fwi_json_open(&root, "changes", '[');
  for (size_t i = 0; i < comparison->count; i++) {
    if (comparison->changes[i].verdict != FW_STORED_SAME) {
      add_change(&changes, comparison, &comparison->changes[i]);
    }
  }
  fwi_json_close(&changes, ']');
  fwi_json_close(&root, '}');
  fw_text_add(out, "\n");
}

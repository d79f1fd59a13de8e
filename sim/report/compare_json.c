/* The JSON of a comparison (docs/results.md). */
#include <math.h>

#include "sim/report/json_out.h"
#include "sim/report/report.h"
#include "sim/study/compare_front.h"

static void add_metrics(fwi_json_out *arm, const fw_scenario *scenario, const fw_estimate *metrics) {
  char key[FW_UNITS_TEXT_SIZE];
  fwi_json_out object = fwi_json_open(arm, "metrics", '{');
  for (size_t m = 0; m < FW_METRIC_COUNT; m++) {
    const fw_metric_info *info = &fw_metric_table[m];
    if (info->rare && isnan(metrics[fw_metric_slot((fw_metric)m, 0)].mean)) {
      continue;
    }
    if (!info->windowed) {
      fwi_json_estimate(&object, info->name, metrics[fw_metric_slot((fw_metric)m, 0)]);
      continue;
    }
    fwi_json_out windows = fwi_json_open(&object, info->name, '{');
    for (size_t w = 0; w < scenario->window_count; w++) {
      fwi_json_estimate(&windows, fwi_json_window_key(scenario->windows[w], key),
                        metrics[fw_metric_slot((fw_metric)m, w)]);
    }
    fwi_json_close(&windows, '}');
  }
  fwi_json_close(&object, '}');
}

static void add_arm_name(fwi_json_out *object, const fw_scenario *scenario, const fw_compare_arm *arm) {
  const fw_scenario_budget *budget = &scenario->budgets[arm->budget];
  fwi_json_string(object, "policy", scenario->policies[arm->policy].name);
  fwi_json_number(object, "oversubscription", budget->oversubscription);
  fwi_json_number(object, "budget_w", fw_power_to_watts(budget->power));
}

static void add_clamps(fwi_json_out *arm, const fw_compare_arm *from) {
  fwi_json_out object = fwi_json_open(arm, "clamped", '{');
  fwi_json_unsigned(&object, "gpu_ticks", from->gpu_ticks);
  fwi_json_unsigned(&object, "raised_to_idle", from->clamps.floor);
  fwi_json_unsigned(&object, "lowered_to_board_maximum", from->clamps.ceiling);
  fwi_json_unsigned(&object, "held_by_power_cap", from->clamps.capped);
  fwi_json_number(&object, "bias_w_per_gpu", from->clamps.bias_w);
  fwi_json_close(&object, '}');
}

static void add_arm(fwi_json_out *arms, const fw_compare_result *result, const fw_compare_arm *arm) {
  fwi_json_out object = fwi_json_open(arms, NULL, '{');
  add_arm_name(&object, result->scenario, arm);
  fwi_json_unsigned(&object, "seeds", result->seeds);
  fwi_json_string(&object, "stop_reason", fw_stop_reason_names[arm->stop_reason]);
  fwi_json_bool(&object, "extrapolated", arm->extrapolated);
  fwi_json_unsigned(&object, "adjusted_actions", arm->adjusted_actions);
  add_clamps(&object, arm);
  add_metrics(&object, result->scenario, arm->metrics);
  fwi_json_close(&object, '}');
}

static void add_paired(fwi_json_out *out, const char *key, fw_paired_estimate value) {
  fwi_json_out object = fwi_json_open(out, key, '{');
  fwi_json_number(&object, "mean", value.difference.mean);
  fwi_json_number(&object, "lo", value.difference.lo);
  fwi_json_number(&object, "hi", value.difference.hi);
  fwi_json_number(&object, "correlation", value.correlation);
  fwi_json_close(&object, '}');
}

static void add_difference(fwi_json_out *list, const fw_compare_result *result, const fw_compare_difference *from) {
  const fw_scenario *scenario = result->scenario;
  char key[FW_UNITS_TEXT_SIZE];
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  add_arm_name(&object, scenario, &result->arms[from->arm]);
  fwi_json_string(&object, "against", scenario->policies[result->arms[from->against].policy].name);
  fwi_json_out metrics = fwi_json_open(&object, "metrics", '{');
  for (size_t m = 0; m < FW_METRIC_COUNT; m++) {
    const fw_metric_info *info = &fw_metric_table[m];
    if (info->rare && isnan(from->metrics[fw_metric_slot((fw_metric)m, 0)].difference.mean)) {
      continue;
    }
    if (!info->windowed) {
      add_paired(&metrics, info->name, from->metrics[fw_metric_slot((fw_metric)m, 0)]);
      continue;
    }
    fwi_json_out windows = fwi_json_open(&metrics, info->name, '{');
    for (size_t w = 0; w < scenario->window_count; w++) {
      add_paired(&windows, fwi_json_window_key(scenario->windows[w], key),
                 from->metrics[fw_metric_slot((fw_metric)m, w)]);
    }
    fwi_json_close(&windows, '}');
  }
  fwi_json_close(&metrics, '}');
  fwi_json_close(&object, '}');
}

/* One object for each budget: by window the names of the arms that no other one dominates. */
static void add_front(fwi_json_out *front, const fw_compare_result *result, size_t budget, size_t window) {
  char key[FW_UNITS_TEXT_SIZE];
  fwi_json_out names = fwi_json_open(front, fwi_json_window_key(result->scenario->windows[window], key), '[');
  for (size_t i = 0; i < result->arm_count; i++) {
    if (result->arms[i].budget == budget && !fw_compare_dominated(result, i, window)) {
      fwi_json_string(&names, NULL, result->scenario->policies[result->arms[i].policy].name);
    }
  }
  fwi_json_close(&names, ']');
}

static void add_fronts(fwi_json_out *object, const fw_compare_result *result) {
  fwi_json_out fronts = fwi_json_open(object, "fronts", '[');
  for (size_t budget = 0; budget < result->scenario->budget_count; budget++) {
    fwi_json_out front = fwi_json_open(&fronts, NULL, '{');
    for (size_t window = 0; window < result->scenario->window_count; window++) {
      add_front(&front, result, budget, window);
    }
    fwi_json_close(&front, '}');
  }
  fwi_json_close(&fronts, ']');
}

void fw_report_compare_json(const fw_compare_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "compare");
  fwi_json_string(&object, "scenario", scenario->name);
  fwi_json_string(&object, "scenario_hash", scenario->hash);
  fwi_json_unsigned(&object, "seed", scenario->seed);
  fwi_json_number(&object, "hours", fw_time_to_seconds(scenario->duration) / 3600.0);
  fwi_json_number(&object, "nameplate_w", fw_power_to_watts(scenario->nameplate));
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out arms = fwi_json_open(&object, "arms", '[');
  for (size_t i = 0; i < result->arm_count; i++) {
    add_arm(&arms, result, &result->arms[i]);
  }
  fwi_json_close(&arms, ']');
  fwi_json_out differences = fwi_json_open(&object, "differences", '[');
  for (size_t i = 0; i < result->difference_count; i++) {
    add_difference(&differences, result, &result->differences[i]);
  }
  fwi_json_close(&differences, ']');
  add_fronts(&object, result);
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

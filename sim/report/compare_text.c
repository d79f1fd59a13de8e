/* A comparison as tables: one for each budget, a row for each policy, a column for each window. */
#include <math.h>
#include <stdio.h>

#include "sim/report/report.h"
#include "sim/report/table.h"

/* Numbers are printed by fw_number_format, so tables are the same in every locale. */
static const char *percent(double share, char *buffer) {
  return fw_number_format(100.0 * share, 3, buffer);
}

/* "12.3 ± 0.4", "0 (< 9.5)" for a one-sided bound, "n/a" where the window was never full. */
static void add_rate(fwi_table *table, fw_estimate rate) {
  char mean[FW_NUMBER_TEXT_SIZE];
  char half[FW_NUMBER_TEXT_SIZE];
  if (isnan(rate.mean)) {
    fwi_table_add(table, "n/a");
  } else if (isnan(rate.lo)) {
    fwi_table_add(table, "%s", percent(rate.mean, mean));
  } else if (rate.mean == 0.0) {
    fwi_table_add(table, "0 (< %s)", fw_number_format(100.0 * rate.hi, 2, half));
  } else {
    const double below = rate.mean - rate.lo;
    const double above = rate.hi - rate.mean;
    fwi_table_add(table, "%s \302\261 %s", percent(rate.mean, mean),
                  fw_number_format(100.0 * (above > below ? above : below), 2, half));
  }
}

static void add_estimate(fwi_table *table, fw_estimate value, double scale, int digits) {
  char mean[FW_NUMBER_TEXT_SIZE];
  char half[FW_NUMBER_TEXT_SIZE];
  if (isnan(value.mean)) {
    fwi_table_add(table, "n/a");
  } else if (isnan(value.lo)) {
    fwi_table_add(table, "%s", fw_number_format(value.mean * scale, digits, mean));
  } else {
    fwi_table_add(table, "%s \302\261 %s", fw_number_format(value.mean * scale, digits, mean),
                  fw_number_format((value.hi - value.mean) * scale, 2, half));
  }
}

static void add_head(fwi_table *table, const fw_scenario *scenario) {
  char window[FW_UNITS_TEXT_SIZE];
  fwi_table_add(table, "policy");
  for (size_t w = 0; w < scenario->window_count; w++) {
    fwi_table_add(table, "%s s", fw_time_format(scenario->windows[w], window));
  }
  fwi_table_add(table, "M tokens");
  fwi_table_add(table, "Wh/1k");
  fwi_table_add(table, "mean kW");
}

static void add_arm(fwi_table *table, const fw_compare_result *result, const fw_compare_arm *arm) {
  const fw_scenario *scenario = result->scenario;
  fwi_table_add(table, "%s", scenario->policies[arm->policy].name);
  for (size_t w = 0; w < scenario->window_count; w++) {
    add_rate(table, arm->metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, w)]);
  }
  add_estimate(table, arm->metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)], 1e-6, 5);
  add_estimate(table, arm->metrics[fw_metric_slot(FW_METRIC_WH_PER_1K_TOKENS, 0)], 1.0, 4);
  add_estimate(table, arm->metrics[fw_metric_slot(FW_METRIC_MEAN_W, 0)], 1e-3, 4);
}

static void add_budget_title(const fw_scenario *scenario, size_t index, fw_text *out) {
  const fw_scenario_budget *budget = &scenario->budgets[index];
  if (budget->power == 0) {
    fw_text_add(out, "\nNo budget\n");
    return;
  }
  fw_text_add(out, "\nBudget ");
  fw_text_add_number(out, fw_power_to_watts(budget->power), 6);
  fw_text_add(out, " W, oversubscription ratio ");
  fw_text_add_number(out, budget->oversubscription, 4);
  fw_text_add(out, ": time above the budget in %, by window\n");
}

static void add_title(const fw_compare_result *result, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  fw_text_add_format(out, "%s: %zu GPUs, nameplate ", scenario->name, scenario->topology.gpus);
  fw_text_add_number(out, fw_power_to_watts(scenario->nameplate), 6);
  fw_text_add(out, " W, ");
  fw_text_add_number(out, fw_time_to_seconds(scenario->duration) / 3600.0, 6);
  fw_text_add_format(out, " h, %zu seeds, means and 95 %% intervals (scenario %s)\n", result->seeds, scenario->hash);
}

/* One row of what a policy buys and what it costs against the first policy, on the same seeds. */
static void add_difference(fwi_table *table, const fw_compare_result *result, const fw_compare_difference *difference,
                           size_t window) {
  const fw_compare_arm *arm = &result->arms[difference->arm];
  const double base = result->arms[difference->against].metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)].mean;
  const fw_paired_estimate energy = difference->metrics[fw_metric_slot(FW_METRIC_ENERGY_WH, 0)];
  char correlation[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", result->scenario->policies[arm->policy].name);
  add_estimate(table, difference->metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, window)].difference, 100.0, 3);
  add_estimate(table, difference->metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)].difference,
               base > 0.0 ? 100.0 / base : (double)NAN, 3);
  fwi_table_add(table, "%s", isnan(energy.correlation) ? "n/a" : fw_number_format(energy.correlation, 2, correlation));
}

static void add_differences(const fw_compare_result *result, size_t budget, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  char text[FW_UNITS_TEXT_SIZE];
  const size_t window = scenario->window_count > 2 ? 2 : scenario->window_count - 1;
  fwi_table table = fwi_table_start(4);
  fwi_table_add(&table, "paired with %s", scenario->policies[0].name);
  fwi_table_add(&table, "rate at %s s, points", fw_time_format(scenario->windows[window], text));
  fwi_table_add(&table, "tokens, %%");
  fwi_table_add(&table, "correlation of energy");
  for (size_t i = 0; i < result->difference_count; i++) {
    if (result->arms[result->differences[i].arm].budget == budget) {
      add_difference(&table, result, &result->differences[i], window);
    }
  }
  fw_text_add(out, "\n");
  fwi_table_finish(&table, "  ", out);
}

static void add_notes(const fw_compare_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  for (size_t i = 0; i < result->arm_count; i++) {
    const fw_compare_arm *arm = &result->arms[i];
    const double ticks = (double)arm->gpu_ticks;
    if (arm->budget == 0 && (double)(arm->clamps.floor + arm->clamps.ceiling) > 0.001 * ticks) {
      fw_text_add_format(out, "\nnote: %s: ", result->scenario->policies[arm->policy].name);
      fw_text_add_number(out, 100.0 * (double)arm->clamps.floor / ticks, 2);
      fw_text_add(out, " % of GPU samples were raised to idle power and ");
      fw_text_add_number(out, 100.0 * (double)arm->clamps.ceiling / ticks, 2);
      fw_text_add(out, " % lowered to the board's maximum, which moves the mean by ");
      fw_text_add_number(out, arm->clamps.bias_w, 2);
      fw_text_add(out, " W per GPU");
    }
  }
  for (size_t i = 0; i < diagnostics->count; i++) {
    fw_text_add_format(out, "\nnote: %s", diagnostics->entries[i].message);
  }
  fw_text_add(out, "\n");
}

void fw_report_compare_text(const fw_compare_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  add_title(result, out);
  for (size_t budget = 0; budget < scenario->budget_count; budget++) {
    fwi_table table = fwi_table_start(scenario->window_count + 4);
    add_budget_title(scenario, budget, out);
    add_head(&table, scenario);
    for (size_t i = 0; i < result->arm_count; i++) {
      if (result->arms[i].budget == budget) {
        add_arm(&table, result, &result->arms[i]);
      }
    }
    fwi_table_finish(&table, "  ", out);
    if (scenario->policy_count > 1) {
      add_differences(result, budget, out);
    }
  }
  add_notes(result, diagnostics, out);
}

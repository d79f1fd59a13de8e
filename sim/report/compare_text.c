/* A comparison as tables: one for each budget, a row for each policy, a column for each window. */
#include <math.h>
#include <stdio.h>

#include "sim/report/compare_front_text.h"
#include "sim/report/figure.h"
#include "sim/report/notes.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

/* Share of clamped samples that is worth a note. */
#define WORTH_A_NOTE 0.001

static const fw_estimate *rate_of(const fw_compare_arm *arm, size_t window) {
  return &arm->metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, window)];
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
    char rate[FWI_FIGURE_SIZE];
    fwi_table_add(table, "%s", fwi_figure_rate(*rate_of(arm, w), rate));
  }
  fwi_table_add_estimate(table, arm->metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)], 1e-6, 5);
  fwi_table_add_estimate(table, arm->metrics[fw_metric_slot(FW_METRIC_WH_PER_1K_TOKENS, 0)], 1.0, 4);
  fwi_table_add_estimate(table, arm->metrics[fw_metric_slot(FW_METRIC_MEAN_W, 0)], 1e-3, 4);
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
  const size_t gpus = scenario->topology.gpus;
  fw_text_add_format(out, "%s: %zu GPU%s, nameplate ", scenario->name, gpus, gpus == 1 ? "" : "s");
  fw_text_add_number(out, fw_power_to_watts(scenario->nameplate), 6);
  fw_text_add(out, " W, ");
  fw_text_add_number(out, fw_time_to_seconds(scenario->duration) / 3600.0, 6);
  fw_text_add_format(out, " h, %zu seed%s (scenario %s)\n", result->seeds, result->seeds == 1 ? "" : "s",
                     scenario->hash);
}

/* One row of what a policy buys and what it costs against the first policy, on the same seeds. */
static void add_difference(fwi_table *table, const fw_compare_result *result, const fw_compare_difference *difference,
                           size_t window) {
  const fw_compare_arm *arm = &result->arms[difference->arm];
  const double base = result->arms[difference->against].metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)].mean;
  const fw_paired_estimate energy = difference->metrics[fw_metric_slot(FW_METRIC_ENERGY_WH, 0)];
  char correlation[FW_NUMBER_TEXT_SIZE];
  fwi_table_add(table, "%s", result->scenario->policies[arm->policy].name);
  fwi_table_add_estimate(table, difference->metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, window)].difference, 100.0,
                         3);
  fwi_table_add_estimate(table, difference->metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)].difference,
                         base > 0.0 ? 100.0 / base : (double)NAN, 3);
  fwi_table_add(table, "%s", isnan(energy.correlation) ? "n/a" : fwi_figure_fixed(energy.correlation, 2, correlation));
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

static bool is_cut(fw_estimate rate) {
  return rate.mean > 0.0 && rate.mean < 1.0 && (rate.lo <= 0.0 || rate.hi >= 1.0);
}

static bool is_one_sided(fw_estimate rate) {
  return (rate.mean == 0.0 && rate.hi > 0.0) || (rate.mean == 1.0 && rate.lo < 1.0);
}

static bool any_rate(const fw_compare_result *result, bool (*is)(fw_estimate)) {
  for (size_t i = 0; i < result->arm_count; i++) {
    for (size_t w = 0; w < result->scenario->window_count; w++) {
      if (is(*rate_of(&result->arms[i], w))) {
        return true;
      }
    }
  }
  return false;
}

/* What the columns and the figures mean; of the rarer forms only those that occur. */
static void add_legend(const fw_compare_result *result, fw_text *out) {
  fw_text_add(out,
              "\nColumns in s: time at which the mean over so many seconds is above the budget, in % of the time at "
              "which\nsuch a window is full (n/a: never). Wh/1k: energy for 1,000 tokens. Mean kW: of the site.\n");
  if (result->seeds > 1) {
    fw_text_add(out, "a \302\261 b: mean over the seeds and half the width of its 95 % interval.\n");
  }
  if (any_rate(result, is_cut)) {
    fw_text_add(out, "a (< b), a (> b): the same where the interval ends at 0 or at 100 %; b is its other end.\n");
  }
  if (any_rate(result, is_one_sided)) {
    fw_text_add(out, "0 (< b), 100 (> b): never or always in every run; b is a one-sided 95 % bound, which more seeds "
                     "tighten.\n");
  }
  if (result->difference_count > 0) {
    fw_text_add(out, "Front: no other arm has as many tokens at as low a rate.\n");
    fw_text_add_format(out,
                       "Paired: difference to %s seed by seed, and how far the energies of the pairs move together.\n",
                       result->scenario->policies[0].name);
  }
}

static double clamped_share(const fw_compare_arm *arm) {
  return arm->gpu_ticks > 0 ? (double)(arm->clamps.floor + arm->clamps.ceiling) / (double)arm->gpu_ticks : 0.0;
}

static const fw_compare_arm *most_clamped(const fw_compare_result *result) {
  const fw_compare_arm *most = &result->arms[0];
  for (size_t i = 1; i < result->arm_count; i++) {
    if (clamped_share(&result->arms[i]) > clamped_share(most)) {
      most = &result->arms[i];
    }
  }
  return most;
}

/* One note for all arms: they share their models, so they are clamped alike. */
static void add_clamp_note(const fw_compare_result *result, fw_text *out) {
  const fw_compare_arm *arm = most_clamped(result);
  const double ticks = (double)arm->gpu_ticks;
  if (!(clamped_share(arm) > WORTH_A_NOTE)) {
    return;
  }
  fw_text_add(out, "\nnote: up to ");
  fw_text_add_number(out, 100.0 * (double)arm->clamps.floor / ticks, 2);
  fw_text_add(out, " % of the GPU samples of an arm were raised to idle power and ");
  fw_text_add_number(out, 100.0 * (double)arm->clamps.ceiling / ticks, 2);
  fw_text_add(out, " % lowered to the board's maximum, which moves the mean by ");
  fw_text_add_number(out, arm->clamps.bias_w, 2);
  fw_text_add_format(out, " W per GPU (largest in %s", result->scenario->policies[arm->policy].name);
  if (result->scenario->budget_count > 1) {
    fw_text_add(out, " at ");
    fw_text_add_number(out, fw_power_to_watts(result->scenario->budgets[arm->budget].power), 6);
    fw_text_add(out, " W");
  }
  fw_text_add(out, ")\n");
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
      fwi_compare_fronts_add(result, budget, out);
    }
  }
  add_legend(result, out);
  add_clamp_note(result, out);
  fwi_notes_add(diagnostics, out);
}

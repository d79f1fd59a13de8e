/* Trained policies on held-out runs. */
#include <inttypes.h>
#include <math.h>

#include "sim/report/figure.h"
#include "sim/report/json_out.h"
#include "sim/report/notes.h"
#include "sim/report/table.h"
#include "sim/report/trained_report.h"

/* ---- Text ---- */

static void add_head(fwi_table *table, const fw_evaluate_result *result) {
  char window[FW_UNITS_TEXT_SIZE];
  fwi_table_add(table, "training seed");
  fwi_table_add(table, "tokens");
  fwi_table_add(table, "M tokens/MWh");
  for (size_t w = 0; w < result->scenario->window_count; w++) {
    fwi_table_add(table, "%s s, %%", fw_time_format(result->scenario->windows[w], window));
  }
  fwi_table_add(table, "passes");
}

static void add_rates(fwi_table *table, const fw_evaluate_result *result, const fw_estimate *rates) {
  char rate[FWI_FIGURE_SIZE];
  for (size_t w = 0; w < result->scenario->window_count; w++) {
    fwi_table_add(table, "%s", fwi_figure_rate(rates[w], rate));
  }
}

static void add_policy(fwi_table *table, const fw_evaluate_result *result, const fw_evaluate_policy *policy) {
  fwi_table_add(table, "%" PRIu64, policy->seed);
  fwi_table_add_estimate(table, policy->tokens, 1.0, 6);
  fwi_table_add_estimate(table, policy->tokens_per_mwh, 1e-6, 5);
  add_rates(table, result, policy->rate);
  fwi_table_add(table, "%s", policy->passed ? "yes" : "NO");
}

/* The row of all policies. */
static void add_together(fwi_table *table, const fw_evaluate_result *result) {
  fwi_table_add(table, "IQM");
  fwi_table_add_estimate(table, result->tokens, 1.0, 6);
  fwi_table_add_estimate(table, result->tokens_per_mwh, 1e-6, 5);
  add_rates(table, result, result->rate);
  fwi_table_add(table, "%zu of %zu", result->passed, result->policy_count);
}

/* Whether there are enough policies for figures over all of them. */
static bool is_together(const fw_evaluate_result *result) {
  return !isnan(result->pass_rate.mean);
}

static void add_summary(const fw_evaluate_result *result, fw_text *out) {
  char window[FW_UNITS_TEXT_SIZE];
  char limit[FW_NUMBER_TEXT_SIZE];
  char share[3][FW_NUMBER_TEXT_SIZE];
  char tokens[3][FW_NUMBER_TEXT_SIZE];
  fw_text_add_format(out, "\n%zu of %zu pass: at most %s %% of time above the budget at %s s.", result->passed,
                     result->policy_count, fw_number_format(100.0 * result->limit, 4, limit),
                     fw_time_format(result->scenario->windows[result->window], window));
  if (is_together(result)) {
    fw_text_add_format(out, " Of further trainings %s %% would (%s to %s).",
                       fwi_figure_fixed(100.0 * result->pass_rate.mean, 0, share[0]),
                       fwi_figure_fixed(100.0 * result->pass_rate.lo, 0, share[1]),
                       fwi_figure_fixed(100.0 * result->pass_rate.hi, 0, share[2]));
  }
  fw_text_add_format(
      out, "\nTokens of the policies: median %s, %s to %s.\n", fwi_figure_fixed(result->tokens_median, 0, tokens[0]),
      fwi_figure_fixed(result->tokens_least, 0, tokens[1]), fwi_figure_fixed(result->tokens_most, 0, tokens[2]));
  if (is_together(result)) {
    fw_text_add(out,
                "IQM: interquartile mean over policies and runs; its interval is a bootstrap over both, whole policies "
                "and whole runs drawn.\n");
  }
}

void fw_report_evaluate_text(const fw_evaluate_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  fwi_table table = fwi_table_start(4 + scenario->window_count);
  fw_text_add_format(out, "%s: %zu trained policies on %zu held-out runs (scenario %s)\n\n", scenario->name,
                     result->policy_count, scenario->seeds, scenario->hash);
  add_head(&table, result);
  for (size_t i = 0; i < result->policy_count; i++) {
    add_policy(&table, result, &result->policies[i]);
  }
  if (is_together(result)) {
    add_together(&table, result);
  }
  fwi_table_finish(&table, "  ", out);
  add_summary(result, out);
  fwi_notes_add(diagnostics, out);
}

/* ---- JSON ---- */

static void add_json_figures(fwi_json_out *object, const fw_scenario *scenario, fw_estimate tokens,
                             fw_estimate tokens_per_mwh, const fw_estimate *rates) {
  char key[FW_UNITS_TEXT_SIZE];
  fwi_json_estimate(object, "tokens", tokens);
  fwi_json_estimate(object, "tokens_per_mwh", tokens_per_mwh);
  fwi_json_out rate = fwi_json_open(object, "violation_rate", '{');
  for (size_t w = 0; w < scenario->window_count; w++) {
    fwi_json_estimate(&rate, fwi_json_window_key(scenario->windows[w], key), rates[w]);
  }
  fwi_json_close(&rate, '}');
}

static void add_json_policy(fwi_json_out *policies, const fw_scenario *scenario, const fw_evaluate_policy *policy) {
  char hash[17];
  fwi_json_out object = fwi_json_open(policies, NULL, '{');
  fwi_json_string(&object, "weights", policy->weights);
  fwi_json_string(&object, "weights_hash", fwi_hash_text(policy->hash, hash));
  fwi_json_unsigned(&object, "training_seed", policy->seed);
  fwi_json_unsigned(&object, "decisions", policy->decisions);
  add_json_figures(&object, scenario, policy->tokens, policy->tokens_per_mwh, policy->rate);
  fwi_json_bool(&object, "passed", policy->passed);
  fwi_json_close(&object, '}');
}

void fw_report_evaluate_json(const fw_evaluate_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_scenario *scenario = result->scenario;
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "evaluate");
  fwi_json_string(&object, "scenario", scenario->name);
  fwi_json_string(&object, "scenario_hash", scenario->hash);
  fwi_json_unsigned(&object, "seed", scenario->seed);
  fwi_json_unsigned(&object, "runs", scenario->seeds);
  fwi_json_number(&object, "window_s", fw_time_to_seconds(scenario->windows[result->window]));
  fwi_json_number(&object, "limit", result->limit);
  fwi_json_unsigned(&object, "passed", result->passed);
  fwi_json_estimate(&object, "pass_rate", result->pass_rate);
  fwi_json_out together = fwi_json_open(&object, "interquartile_mean", '{');
  add_json_figures(&together, scenario, result->tokens, result->tokens_per_mwh, result->rate);
  fwi_json_close(&together, '}');
  fwi_json_number(&object, "tokens_median", result->tokens_median);
  fwi_json_number(&object, "tokens_least", result->tokens_least);
  fwi_json_number(&object, "tokens_most", result->tokens_most);
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out policies = fwi_json_open(&object, "policies", '[');
  for (size_t i = 0; i < result->policy_count; i++) {
    add_json_policy(&policies, scenario, &result->policies[i]);
  }
  fwi_json_close(&policies, ']');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

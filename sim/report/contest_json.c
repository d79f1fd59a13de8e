/* Contests for machines. */
#include "sim/report/contest_report.h"
#include "sim/report/json_out.h"

static void add_arm(fwi_json_out *arms, const fw_contest_result *contest, const fw_contest_arm *arm) {
  char key[FW_UNITS_TEXT_SIZE];
  fwi_json_out object = fwi_json_open(arms, NULL, '{');
  fwi_json_string(&object, "kind", fw_contest_kind_names[arm->kind]);
  fwi_json_string(&object, "name", arm->name);
  if (arm->runs > 0) {
    fwi_json_number(&object, "tuned_for", fw_contest_limits[arm->tuned_for] * contest->entry->limit);
    fwi_json_string(&object, "settings", arm->settings);
    fwi_json_unsigned(&object, "tuning_runs", arm->runs);
  }
  fwi_json_estimate(&object, "tokens", arm->tokens);
  fwi_json_estimate(&object, "tokens_per_mwh", arm->tokens_per_mwh);
  fwi_json_out rates = fwi_json_open(&object, "violation_rate", '{');
  for (size_t w = 0; w < contest->scenario->window_count; w++) {
    fwi_json_estimate(&rates, fwi_json_window_key(contest->scenario->windows[w], key), arm->rate[w]);
  }
  fwi_json_close(&rates, '}');
  fwi_json_bool(&object, "dominated", arm->dominated);
  fwi_json_close(&object, '}');
}

static void add_difference(fwi_json_out *differences, const fw_contest_difference *difference) {
  fwi_json_out object = fwi_json_open(differences, NULL, '{');
  fwi_json_string(&object, "kind", fw_contest_kind_names[difference->kind]);
  fwi_json_estimate(&object, "ahead", difference->relative);
  fwi_json_number(&object, "tokens_at_limit", difference->at_limit);
  fwi_json_unsigned(&object, "below_front", difference->below);
  fwi_json_unsigned(&object, "above_front", difference->above);
  fwi_json_close(&object, '}');
}

static void add_contest(fwi_json_out *contests, const fw_contest_result *contest) {
  fwi_json_out object = fwi_json_open(contests, NULL, '{');
  fwi_json_string(&object, "scenario", contest->scenario->name);
  fwi_json_string(&object, "scenario_hash", contest->scenario->hash);
  fwi_json_unsigned(&object, "seed", contest->scenario->seed);
  fwi_json_unsigned(&object, "runs", contest->scenario->seeds);
  fwi_json_number(&object, "window_s", fw_time_to_seconds(contest->entry->window));
  fwi_json_number(&object, "limit", contest->entry->limit);
  fwi_json_estimate(&object, "trained_tokens", contest->ppo_tokens);
  fwi_json_estimate(&object, "trained_rate", contest->ppo_rate);
  fwi_json_number(&object, "bound_at_limit", contest->bound_at_limit);
  fwi_json_number(&object, "bound_at_trained_rate", contest->bound_at_ppo);
  fwi_json_number(&object, "bound_additivity_w", contest->bound_additivity_w);
  fwi_json_out differences = fwi_json_open(&object, "differences", '[');
  for (int kind = 0; kind < FW_CONTEST_PPO; kind++) {
    add_difference(&differences, &contest->differences[kind]);
  }
  fwi_json_close(&differences, ']');
  fwi_json_out arms = fwi_json_open(&object, "arms", '[');
  for (size_t i = 0; i < contest->arm_count; i++) {
    add_arm(&arms, contest, &contest->arms[i]);
  }
  fwi_json_close(&arms, ']');
  fwi_json_close(&object, '}');
}

void fw_report_contest_json(const fw_contest_results *results, const fw_diagnostics *diagnostics, fw_text *out) {
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "contest");
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out contests = fwi_json_open(&object, "contests", '[');
  for (size_t i = 0; i < results->count; i++) {
    add_contest(&contests, &results->data[i]);
  }
  fwi_json_close(&contests, ']');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

/* What training came to, on validation runs. */
#include <inttypes.h>

#include "sim/report/json_out.h"
#include "sim/report/notes.h"
#include "sim/report/table.h"
#include "sim/report/trained_report.h"

void fw_report_train_text(const fw_train_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  static const char *const head[] = {"seed", "decisions", "episodes", "kept from", "tokens", "above, %", "keeps limit"};
  const fw_train_plan *plan = result->plan;
  char window[FW_UNITS_TEXT_SIZE];
  char number[FW_NUMBER_TEXT_SIZE];
  fw_text_add_format(
      out, "%s: trained for at most %s %% of time above the budget at %s s, %zu seed%s (scenario %s)\n\n",
      result->scenario->name, fw_number_format(100.0 * plan->limit, 4, number), fw_time_format(plan->window, window),
      result->seed_count, result->seed_count == 1 ? "" : "s", result->scenario->hash);
  fwi_table table = fwi_table_start(sizeof head / sizeof head[0]);
  for (size_t i = 0; i < table.columns; i++) {
    fwi_table_add(&table, "%s", head[i]);
  }
  for (size_t i = 0; i < result->seed_count; i++) {
    const fw_train_seed *seed = &result->seeds[i];
    fwi_table_add(&table, "%" PRIu64, seed->seed);
    fwi_table_add(&table, "%" PRIu64, seed->decisions);
    fwi_table_add(&table, "%" PRIu64, seed->episodes);
    fwi_table_add(&table, "%" PRIu64, seed->best.iteration);
    fwi_table_add(&table, "%s", fw_number_format(seed->best.tokens, 6, number));
    fwi_table_add(&table, "%s", fw_number_format(100.0 * seed->best.rate, 3, number));
    fwi_table_add(&table, "%s%s", seed->allowed ? "yes" : "NO", i == result->chosen ? ", chosen" : "");
  }
  fwi_table_finish(&table, "  ", out);
  fw_text_add_format(out,
                     "\nTokens and time above the budget are means over %" PRIu64
                     " validation runs, on which policies were chosen: by seed, and then among seeds.\nWhat they are "
                     "worth is for fleetwatt evaluate to say, on runs that nothing was chosen by.\n",
                     plan->validation_runs);
  fwi_notes_add(diagnostics, out);
}

static void add_seed(fwi_json_out *seeds, const fw_train_seed *seed) {
  char hash[17];
  fwi_json_out object = fwi_json_open(seeds, NULL, '{');
  fwi_json_unsigned(&object, "seed", seed->seed);
  fwi_json_unsigned(&object, "decisions", seed->decisions);
  fwi_json_unsigned(&object, "episodes", seed->episodes);
  fwi_json_unsigned(&object, "iteration", seed->best.iteration);
  fwi_json_number(&object, "validation_tokens", seed->best.tokens);
  fwi_json_number(&object, "validation_rate", seed->best.rate);
  fwi_json_bool(&object, "allowed", seed->allowed);
  fwi_json_string(&object, "weights_hash", fwi_hash_text(seed->hash, hash));
  fwi_json_close(&object, '}');
}

void fw_report_train_json(const fw_train_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "train");
  fwi_json_string(&object, "scenario", result->scenario->name);
  fwi_json_string(&object, "scenario_hash", result->scenario->hash);
  fwi_json_number(&object, "window_s", fw_time_to_seconds(result->plan->window));
  fwi_json_number(&object, "limit", result->plan->limit);
  fwi_json_unsigned(&object, "validation_runs", result->plan->validation_runs);
  fwi_json_unsigned(&object, "chosen_seed", result->seeds[result->chosen].seed);
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out seeds = fwi_json_open(&object, "seeds", '[');
  for (size_t i = 0; i < result->seed_count; i++) {
    add_seed(&seeds, &result->seeds[i]);
  }
  fwi_json_close(&seeds, ']');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

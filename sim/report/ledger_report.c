/* A ledger as text and as JSON (docs/validation.md is ledger_document.c's). */
#include <string.h>

#include "sim/report/json_out.h"
#include "sim/report/ledger_cells.h"
#include "sim/report/notes.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

/* ---- Text ---- */

/* All rows from `first` on that stand in the same published table. */
static size_t add_group(const fw_reproduce_result *result, size_t first, fw_text *out) {
  const char *group = fw_ledger_row_at(result->ledger, first)->group;
  fwi_table table = fwi_table_start(FWI_LEDGER_COLUMNS);
  for (size_t c = 0; c < FWI_LEDGER_COLUMNS; c++) {
    fwi_table_add(&table, "%s", fwi_ledger_head[c]);
  }
  size_t i = first;
  for (; i < result->ledger->rows.count && strcmp(fw_ledger_row_at(result->ledger, i)->group, group) == 0; i++) {
    fwi_ledger_cells cells;
    const char *list[FWI_LEDGER_COLUMNS];
    fwi_ledger_cells_make(fw_ledger_row_at(result->ledger, i), &result->rows[i], &cells);
    fwi_ledger_cells_list(&cells, list);
    for (size_t c = 0; c < FWI_LEDGER_COLUMNS; c++) {
      fwi_table_add(&table, "%s", list[c]);
    }
  }
  fw_text_add_format(out, "%s\n", group);
  fwi_table_finish(&table, "  ", out);
  fw_text_add(out, "\n");
  return i;
}

static void add_searches(const fw_reproduce_result *result, fw_text *out) {
  const fw_ledger_search *searches = result->ledger->searches.data;
  for (size_t i = 0; i < result->ledger->searches.count; i++) {
    fw_text_add_format(out, "%s was searched in %zu runs: ", searches[i].policy, result->searches[i].runs);
    fwi_ledger_add_found(&searches[i], &result->searches[i], out);
    fw_text_add(out, "\n");
  }
}

static void add_changes(const fw_reproduce_result *result, fw_text *out) {
  for (size_t i = 0; i < result->ledger->rows.count; i++) {
    const fw_ledger_row *row = fw_ledger_row_at(result->ledger, i);
    if (row->inside != result->rows[i].inside) {
      fw_text_add_format(out, "%s: %s\n", row->id,
                         row->inside ? "was inside and fell out"
                                     : "was not inside and is now; say so in the ledger to keep it there");
    }
  }
}

void fw_report_ledger_text(const fw_reproduce_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_text_add_format(out, "%s: published figures and simulated means with 95 %% intervals\n\n", result->ledger->source);
  for (size_t i = 0; i < result->ledger->rows.count;) {
    i = add_group(result, i, out);
  }
  fw_text_add(out, "predicted: not fitted, and neither zero nor derived from another row. follows: the rest.\n");
  add_searches(result, out);
  fw_text_add_format(
      out, "%zu of %zu predicted figures are inside their tolerances; %zu free parameters, %zu choices\n",
      result->predicted_inside, result->predicted, result->ledger->parameters.count, result->ledger->choices.count);
  add_changes(result, out);
  fwi_notes_add(diagnostics, out);
}

/* ---- JSON ---- */

static void add_json_row(fwi_json_out *list, const fw_ledger_row *row, const fw_reproduce_row *found) {
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_string(&object, "id", row->id);
  fwi_json_string(&object, "group", row->group);
  fwi_json_string(&object, "figure", row->figure);
  fwi_json_string(&object, "unit", row->unit);
  fwi_json_number(&object, "published", row->published);
  fwi_json_number(&object, "mean", found->simulated.mean);
  fwi_json_number(&object, "lo", found->simulated.lo);
  fwi_json_number(&object, "hi", found->simulated.hi);
  fwi_json_number(&object, "deviation", found->deviation);
  fwi_json_string(&object, "kind", row->fitted ? "fitted" : "predicted");
  fwi_json_bool(&object, "independent", row->independent);
  fwi_json_string(&object, "tolerance_kind", fw_tolerance_kind_names[row->tolerance.kind]);
  fwi_json_number(&object, "tolerance", found->tolerance);
  fwi_json_bool(&object, "inside", found->inside);
  fwi_json_bool(&object, "recorded_inside", row->inside);
  fwi_json_close(&object, '}');
}

static void add_json_search(fwi_json_out *list, const fw_ledger_search *search, const fw_reproduce_search *found) {
  const fw_ledger_dimension *dimensions = search->dimensions.data;
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_string(&object, "scenario", search->scenario);
  fwi_json_string(&object, "policy", search->policy);
  fwi_json_unsigned(&object, "runs", found->runs);
  fwi_json_estimate(&object, "objective", found->objective);
  fwi_json_estimate(&object, "limited", found->limited);
  fwi_json_out settings = fwi_json_open(&object, "settings", '{');
  for (size_t i = 0; i < search->dimensions.count; i++) {
    fwi_json_number(&settings, dimensions[i].setting, found->values[i]);
  }
  fwi_json_close(&settings, '}');
  fwi_json_close(&object, '}');
}

void fw_report_ledger_json(const fw_reproduce_result *result, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_ledger *ledger = result->ledger;
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "reproduce");
  fwi_json_string(&object, "source", ledger->source);
  fwi_json_unsigned(&object, "free_parameters", ledger->parameters.count);
  fwi_json_unsigned(&object, "choices", ledger->choices.count);
  fwi_json_unsigned(&object, "predicted", result->predicted);
  fwi_json_unsigned(&object, "predicted_inside", result->predicted_inside);
  fwi_json_unsigned(&object, "fell_out", result->fell_out);
  fwi_json_warnings(&object, diagnostics);
  fwi_json_out rows = fwi_json_open(&object, "ledger", '[');
  for (size_t i = 0; i < ledger->rows.count; i++) {
    add_json_row(&rows, fw_ledger_row_at(ledger, i), &result->rows[i]);
  }
  fwi_json_close(&rows, ']');
  fwi_json_out searches = fwi_json_open(&object, "searches", '[');
  for (size_t i = 0; i < ledger->searches.count; i++) {
    add_json_search(&searches, (const fw_ledger_search *)ledger->searches.data + i, &result->searches[i]);
  }
  fwi_json_close(&searches, ']');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

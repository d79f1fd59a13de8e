/* docs/validation.md: the ledger in Markdown, with what each miss means. */
#include <string.h>

#include "sim/report/ledger_cells.h"
#include "sim/report/report.h"

static void add_line(const char *const *cells, size_t count, fw_text *out) {
  fw_text_add(out, "|");
  for (size_t i = 0; i < count; i++) {
    fw_text_add_format(out, " %s |", cells[i]);
  }
  fw_text_add(out, "\n");
}

static void add_head(const char *const *cells, size_t count, fw_text *out) {
  add_line(cells, count, out);
  fw_text_add(out, "|");
  for (size_t i = 0; i < count; i++) {
    fw_text_add(out, "---|");
  }
  fw_text_add(out, "\n");
}

static void add_introduction(const fw_reproduce_result *result, fw_text *out) {
  fw_text_add_format(
      out,
      "# Validation\n\n"
      "Every figure that the study %s publishes, beside what the simulator makes of it. This page is written by\n\n"
      "    fleetwatt reproduce --markdown --output docs/validation.md\n\n"
      "from [scenarios/study/ledger.json](../scenarios/study/ledger.json), which says for each figure where its "
      "simulated counterpart comes from, and how far off it may be. Tolerances were set before the runs. The command "
      "ends with status 1 when a figure that is recorded there as inside falls out.\n\n"
      "*fitted*: a parameter was solved from it. *predicted*: no parameter was, and it is neither zero nor derived "
      "from "
      "another row. *follows*: the rest; it counts for nothing. Simulated figures are means over seeds with 95 %% "
      "intervals; \"x 2\" means within a factor of 2.\n\n"
      "**%zu of %zu predicted figures are inside. %zu free parameters, and %zu choices made by looking at figures.**\n",
      result->ledger->source, result->predicted_inside, result->predicted, result->ledger->parameters.count,
      result->ledger->choices.count);
}

static void add_rows(const fw_reproduce_result *result, fw_text *out) {
  const char *group = "";
  for (size_t i = 0; i < result->ledger->rows.count; i++) {
    const fw_ledger_row *row = fw_ledger_row_at(result->ledger, i);
    fwi_ledger_cells cells;
    const char *list[FWI_LEDGER_COLUMNS];
    if (strcmp(group, row->group) != 0) {
      group = row->group;
      fw_text_add_format(out, "\n## %s\n\n", group);
      add_head(fwi_ledger_head, FWI_LEDGER_COLUMNS, out);
    }
    fwi_ledger_cells_make(row, &result->rows[i], &cells);
    fwi_ledger_cells_list(&cells, list);
    add_line(list, FWI_LEDGER_COLUMNS, out);
  }
}

static void add_reasons(const fw_reproduce_result *result, bool inside, const char *title, fw_text *out) {
  bool first = true;
  for (size_t i = 0; i < result->ledger->rows.count; i++) {
    const fw_ledger_row *row = fw_ledger_row_at(result->ledger, i);
    if (result->rows[i].inside != inside || (inside && row->why == NULL)) {
      continue;
    }
    fw_text_add_format(out, "%s\n**%s: %s.** %s\n", first ? title : "", row->group, row->figure,
                       row->why != NULL ? row->why : "Not explained yet.");
    first = false;
  }
}

static void add_searches(const fw_reproduce_result *result, fw_text *out) {
  const fw_ledger_search *searches = result->ledger->searches.data;
  for (size_t i = 0; i < result->ledger->searches.count; i++) {
    const fw_reproduce_search *found = &result->searches[i];
    char figure[FWI_FIGURE_SIZE];
    fw_text_add_format(out, "%s- `%s`: ", i == 0 ? "\n## Searched settings\n\n" : "", searches[i].policy);
    fwi_ledger_add_found(&searches[i], found, out);
    fw_text_add_format(out, ", in %zu runs on seeds from %llu on. %s there: %s", found->runs,
                       (unsigned long long)searches[i].seed, fw_ledger_metrics[searches[i].objective],
                       fwi_figure_estimate(found->objective, 1.0, 6, figure));
    fw_text_add_format(out, "; %s: %s\n", fw_ledger_metrics[searches[i].limited],
                       fwi_figure_estimate(found->limited, 1.0, 4, figure));
  }
}

static void add_parameters(const fw_array *list, const char *title, const char *const head[3], fw_text *out) {
  const fw_ledger_parameter *parameters = list->data;
  for (size_t i = 0; i < list->count; i++) {
    if (i == 0) {
      fw_text_add_format(out, "\n## %s\n\n", title);
      add_head(head, 3, out);
    }
    add_line((const char *const[]){parameters[i].name, parameters[i].file, parameters[i].fitted_to}, 3, out);
  }
}

static void add_left_out(const fw_ledger *ledger, fw_text *out) {
  static const char *const head[] = {"figure", "published", "why it has no row"};
  const fw_ledger_left_out *left_out = ledger->left_out.data;
  for (size_t i = 0; i < ledger->left_out.count; i++) {
    if (i == 0) {
      fw_text_add(out, "\n## Published, and not simulated\n\n");
      add_head(head, 3, out);
    }
    add_line((const char *const[]){left_out[i].figure, left_out[i].published, left_out[i].why}, 3, out);
  }
}

void fw_report_ledger_markdown(const fw_reproduce_result *result, fw_text *out) {
  add_introduction(result, out);
  add_rows(result, out);
  add_reasons(result, false, "\n## What the misses mean\n", out);
  add_reasons(result, true, "\n## What else is to be known\n", out);
  add_searches(result, out);
  add_parameters(&result->ledger->parameters, "Free parameters",
                 (const char *const[]){"parameter", "stands in", "fitted to"}, out);
  add_parameters(&result->ledger->choices, "Choices", (const char *const[]){"choice", "stands in", "made by"}, out);
  add_left_out(result->ledger, out);
}

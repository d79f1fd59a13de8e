/* Figures, distances and tolerances of a ledger, each in the unit of its row. */
#include "sim/report/ledger_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const fwi_ledger_head[FWI_LEDGER_COLUMNS] = {"figure",    "published", "simulated", "off",
                                                         "tolerance", "kind",      "inside"};

#define FIGURE_DIGITS 6 /* where no interval limits them */
#define DISTANCE_DECIMALS 2
#define TOLERANCE_DIGITS 3
#define LEAST_OF_UNIT "\342\211\245 "
#define MOST_OF_UNIT "\342\211\244 "
#define PLUS_MINUS "\302\261 "

static bool is_share(const fw_ledger_row *row) {
  return strcmp(row->unit, "%") == 0;
}

static double in_unit(const fw_ledger_row *row, double value) {
  return is_share(row) ? 100.0 * value : value;
}

static void put(char *out, const char *before, double value, int digits, const char *after) {
  char number[FW_NUMBER_TEXT_SIZE];
  (void)snprintf(out, FWI_FIGURE_SIZE, "%s%s%s", before, fw_number_format(value, digits, number), after);
}

/* Shares are points apart, everything else a share of what is published. */
static void put_distance(const fw_ledger_row *row, double mean, char *out) {
  const double distance = is_share(row) ? 100.0 * (mean - row->published) : 100.0 * (mean / row->published - 1.0);
  char number[FW_NUMBER_TEXT_SIZE];
  if (!isfinite(distance)) {
    (void)snprintf(out, FWI_FIGURE_SIZE, "n/a");
    return;
  }
  (void)snprintf(out, FWI_FIGURE_SIZE, "%s%s%s", distance >= 0.0 ? "+" : "",
                 fwi_figure_fixed(distance, DISTANCE_DECIMALS, number), is_share(row) ? " points" : " %");
}

/* A share of time, whose interval ends at 0 at the latest. */
static bool is_rate(const fw_ledger_row *row) {
  if (row->from.which != &fw_ledger_source_cases[FW_SOURCE_ARM]) {
    return false;
  }
  const int metric = ((const fw_ledger_arm *)row->from.value)->metric;
  return metric != FW_LEDGER_DECISIONS_ABOVE && fw_metric_table[metric].rate;
}

static void put_tolerance(const fw_ledger_row *row, double width, char *out) {
  switch ((fw_tolerance_kind)row->tolerance.kind) {
  case FW_TOLERANCE_RELATIVE:
    put(out, PLUS_MINUS, 100.0 * row->tolerance.value, TOLERANCE_DIGITS, " %");
    return;
  case FW_TOLERANCE_FACTOR:
    put(out, "x ", width, TOLERANCE_DIGITS, "");
    return;
  case FW_TOLERANCE_AT_MOST:
    put(out, MOST_OF_UNIT, in_unit(row, width), TOLERANCE_DIGITS, is_share(row) ? " %" : "");
    return;
  case FW_TOLERANCE_AT_LEAST:
    put(out, LEAST_OF_UNIT, in_unit(row, width), TOLERANCE_DIGITS, is_share(row) ? " %" : "");
    return;
  case FW_TOLERANCE_ABSOLUTE:
  case FW_TOLERANCE_THREE_RUNS:
    break;
  }
  put(out, PLUS_MINUS, in_unit(row, width), TOLERANCE_DIGITS, is_share(row) ? " points" : "");
}

void fwi_ledger_cells_make(const fw_ledger_row *row, const fw_reproduce_row *found, fwi_ledger_cells *out) {
  const bool has_unit = row->unit[0] != '\0';
  char *simulated = out->simulated;
  *out = (fwi_ledger_cells){.kind = row->fitted        ? "fitted"
                                    : row->independent ? "predicted"
                                                       : "follows",
                            .verdict = found->inside ? "yes" : "NO"};
  (void)snprintf(out->figure, sizeof out->figure, "%s%s%s", row->figure, has_unit ? ", " : "", row->unit);
  put(out->published, "", in_unit(row, row->published), 7, "");
  (void)(is_rate(row) ? fwi_figure_rate(found->simulated, simulated)
                      : fwi_figure_estimate(found->simulated, in_unit(row, 1.0), FIGURE_DIGITS, simulated));
  put_distance(row, found->simulated.mean, out->off);
  put_tolerance(row, found->tolerance, out->tolerance);
}

void fwi_ledger_cells_list(const fwi_ledger_cells *cells, const char *list[FWI_LEDGER_COLUMNS]) {
  const char *const ordered[FWI_LEDGER_COLUMNS] = {cells->figure,    cells->published, cells->simulated, cells->off,
                                                   cells->tolerance, cells->kind,      cells->verdict};
  memcpy(list, ordered, sizeof ordered);
}

void fwi_ledger_add_found(const fw_ledger_search *search, const fw_reproduce_search *found, fw_text *out) {
  const fw_ledger_dimension *dimensions = search->dimensions.data;
  for (size_t i = 0; i < search->dimensions.count; i++) {
    fw_text_add_format(out, "%s%s ", i > 0 ? ", " : "", dimensions[i].setting);
    fw_text_add_number(out, found->values[i], 4);
  }
}

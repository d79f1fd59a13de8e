/* Header names to parts. A unit is part of the name and never guessed. */
#include "traces/columns.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

typedef struct known_column {
  const char *name;
  fwi_part part;
  int decimals;
} known_column;

static const known_column known_columns[] = {
    {"t_s", FWI_PART_TIME, 9},       {"t_ms", FWI_PART_TIME, 6},
    {"t_ns", FWI_PART_TIME, 0},      {"power_w", FWI_PART_POWER, 3},
    {"power_mw", FWI_PART_POWER, 0}, {"power_kw", FWI_PART_POWER, 6},
    {"gpu", FWI_PART_GPU, 0},        {"requests_running", FWI_PART_OCCUPANCY, 0},
};
#define KNOWN_COUNT (sizeof known_columns / sizeof *known_columns)

static const known_column *known_by_name(const fwi_csv_cell *cell) {
  for (size_t i = 0; i < KNOWN_COUNT; i++) {
    if (fwi_csv_cell_is(cell, known_columns[i].name)) return &known_columns[i];
  }
  return NULL;
}

/* Finds the first unknown header cell that looks like a name of `part`. `given` is the caller's to free. */
static const char *nearest_name(const fwi_csv *csv, fwi_part part, char **given) {
  const char *names[KNOWN_COUNT];
  size_t count = 0;
  for (size_t i = 0; i < KNOWN_COUNT; i++) {
    if (known_columns[i].part == part) names[count++] = known_columns[i].name;
  }
  for (size_t i = 0; i < csv->cell_count; i++) {
    const fwi_csv_cell *cell = &csv->cells[i];
    if (known_by_name(cell) != NULL || cell->length >= FWI_CSV_EXCERPT_SIZE) continue;
    char *word = fw_copy_bytes(cell->text, cell->length);
    const char *nearest = word == NULL ? NULL : fw_nearest_word(word, names, count);
    if (nearest != NULL) {
      *given = word;
      return nearest;
    }
    free(word);
  }
  return NULL;
}

static fw_status report_missing(const fwi_csv *csv, const char *header, fwi_part part, fw_diagnostics *diagnostics) {
  const char *wanted = part == FWI_PART_TIME ? "t_s (nor t_ms, t_ns)" : "power_w (nor power_mw, power_kw)";
  const char *usual = part == FWI_PART_TIME ? "t_s" : "power_w";
  char *given = NULL;
  const char *nearest = nearest_name(csv, part, &given);
  char shown[FWI_CSV_EXCERPT_SIZE], word[FWI_CSV_EXCERPT_SIZE];
  fwi_csv_excerpt(header, strlen(header), shown);
  fw_place place = fwi_csv_place(csv, 0);
  if (nearest != NULL) {
    fw_error(diagnostics, FW_ERROR_INPUT, place, "no column %s in the header \"%s\": did you mean %s by \"%s\"?",
             wanted, shown, nearest, fwi_csv_excerpt(given, strlen(given), word));
  } else if (csv->cell_count == 1 && strpbrk(header, ";\t") != NULL) {
    fw_error(diagnostics, FW_ERROR_INPUT, place,
             "no column %s in the header \"%s\": separate cells by commas, not by semicolons or tabs", wanted, shown);
  } else {
    fw_error(
        diagnostics, FW_ERROR_INPUT, place,
        "no column %s in the header \"%s\": name the column %s, or let fleetwatt import make a recording of the log",
        wanted, shown, usual);
  }
  free(given);
  return FW_ERROR_INPUT;
}

fw_status fwi_columns_bind(const fwi_csv *csv, const char *header, fwi_columns *out, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  *out = (fwi_columns){.count = csv->cell_count};
  for (size_t i = 0; i < csv->cell_count; i++) {
    const known_column *known = known_by_name(&csv->cells[i]);
    if (known == NULL) continue;
    fwi_column *column = &out->part[known->part];
    if (column->name != NULL) {
      status = fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(csv, csv->cells[i].column),
                        "column %s says what column %s says already: keep one of them", known->name, column->name);
    }
    *column = (fwi_column){known->name, i, known->decimals};
  }
  static const fwi_part needed[] = {FWI_PART_TIME, FWI_PART_POWER};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    if (out->part[needed[i]].name == NULL) status = report_missing(csv, header, needed[i], diagnostics);
  }
  return status;
}

/* A table of operating points. */
#include "traces/points.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "traces/rows.h"

enum { CONCURRENCY, POWER, TOKEN, PROMPT, PREFILL, OUTPUT, PEAK, COLUMNS };
static const char *const column_names[COLUMNS] = {"concurrency", "power_w",       "token_s", "prompt_tokens",
                                                  "prefill_s",   "output_tokens", "peak_w"};

void fw_operating_points_clear(fw_operating_points *points) {
  free(points->data);
  *points = (fw_operating_points){0};
}

static fw_status read_point(const fwi_rows *rows, fw_operating_point *out, fw_diagnostics *diagnostics) {
  double *cells[COLUMNS] = {&out->concurrency, &out->power_w,       &out->token_s, &out->prompt_tokens,
                            &out->prefill_s,   &out->output_tokens, &out->peak_w};
  out->line = rows->csv.line_number;
  fw_status status = FW_OK;
  for (size_t i = 0; i < COLUMNS && status == FW_OK; i++)
    status = fwi_rows_number(rows, i, cells[i], diagnostics);
  if (status != FW_OK) return status;
  if (out->concurrency >= 1.0 && out->power_w != 0.0) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, fwi_csv_place(&rows->csv, 0),
                  "a point needs a concurrency of at least 1, and power is above 0 or an empty cell");
}

static fw_status add_point(const fwi_rows *rows, fw_operating_points *out, fw_diagnostics *diagnostics) {
  fw_operating_point point;
  const fw_status status = read_point(rows, &point, diagnostics);
  if (status != FW_OK) return status;
  if (!fw_grow(&out->data, &out->capacity, out->count + 1, sizeof *out->data)) {
    return fw_error_memory(diagnostics, "the points of a table");
  }
  out->data[out->count++] = point;
  return FW_OK;
}

static bool any_power(const fw_operating_points *points) {
  for (size_t i = 0; i < points->count; i++) {
    if (!isnan(points->data[i].power_w)) return true;
  }
  return false;
}

fw_status fw_operating_points_read(const char *path, fw_operating_points *out, fw_diagnostics *diagnostics) {
  *out = (fw_operating_points){0};
  fwi_rows rows;
  fw_status status = fwi_rows_open(&rows, path, column_names, COLUMNS, diagnostics);
  if (status == FW_OK) status = fwi_rows_need(&rows, CONCURRENCY, diagnostics);
  if (status == FW_OK) status = fwi_rows_need(&rows, POWER, diagnostics);
  bool found = status == FW_OK;
  while (status == FW_OK && found) {
    status = fwi_rows_next(&rows, &found, diagnostics);
    if (status == FW_OK && found) status = add_point(&rows, out, diagnostics);
  }
  if (status == FW_OK && !any_power(out)) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path}, "no point with a power");
  }
  fwi_rows_close(&rows);
  if (status != FW_OK) fw_operating_points_clear(out);
  return status;
}

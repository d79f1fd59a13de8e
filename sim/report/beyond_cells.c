/* Cells and figures that the questions of beyond.h share. */
#include "sim/report/beyond_cells.h"

const char *fwi_beyond_percent_from(double value, double reference, char *buffer) {
  return fwi_figure_fixed(100.0 * (value / reference - 1.0), 1, buffer);
}

static void add_rate(fwi_table *table, fw_estimate rate) {
  fwi_figure_text text;
  fwi_table_add(table, "%s", fwi_figure_rate(rate, text));
}

void fwi_beyond_add_rates(fwi_table *table, const fw_scenario *scenario, const fw_beyond_figures *figures) {
  for (size_t w = 0; w < scenario->window_count; w++) {
    add_rate(table, figures->rate[w]);
  }
}

void fwi_beyond_add_windows(fwi_table *table, const fw_scenario *scenario) {
  char window[FW_UNITS_TEXT_SIZE];
  for (size_t w = 0; w < scenario->window_count; w++) {
    fwi_table_add(table, "%s s, %%", fw_time_format(scenario->windows[w], window));
  }
}

size_t fwi_beyond_window_at(const fw_scenario *scenario, fw_time_ns window) {
  size_t w = 0;
  while (w + 1 < scenario->window_count && scenario->windows[w] != window) {
    w++;
  }
  return w;
}

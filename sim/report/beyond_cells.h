/* What the sections of docs/beyond.md share. */
#ifndef FW_REPORT_BEYOND_CELLS_H
#define FW_REPORT_BEYOND_CELLS_H

#include "sim/report/figure.h"
#include "sim/report/page.h"
#include "sim/study/reproduce/beyond.h"

#define FWI_BEYOND_RARE 0.01 /* a mean rate up to this counts as rare in the answers */

typedef char fwi_figure_text[FWI_FIGURE_SIZE];

/* How far `value` lies above `reference`, in percent. `buffer` holds FW_NUMBER_TEXT_SIZE bytes. */
const char *fwi_beyond_percent_from(double value, double reference, char *buffer);

/* A cell for each window: its head, and a rate in percent. */
void fwi_beyond_add_windows(fwi_table *table, const fw_scenario *scenario);
void fwi_beyond_add_rates(fwi_table *table, const fw_scenario *scenario, const fw_beyond_figures *figures);

/* The index of a window; the last where the scenario does not have it. */
size_t fwi_beyond_window_at(const fw_scenario *scenario, fw_time_ns window);

/* The sections about the fleet (beyond_fleet.c). */
void fwi_beyond_add_ratios(fwi_page *page, const fw_beyond_ratios *ratios);
void fwi_beyond_add_starts(fwi_page *page, const fw_beyond_starts *starts);

#endif

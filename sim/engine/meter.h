/* The window meter: rolling means of power over any set of windows at once, judged against a budget.
 *
 * A window W covers (t - W, t] and is labelled by t, the end of the newest sample; the oldest sample counts by its
 * fraction where samples do not divide W. Only full windows count. A window is in violation when its mean power is
 * strictly above the mean of the budget over the same window (relative tolerance 1e-9): with a constant budget that is
 * the usual rule, and with a schedule a drop of the budget does not condemn the power that was allowed before it. Rates
 * are shares of time: a window counts for as long as its newest sample lasts. All sums are integers, so there is no
 * drift and equal is not above; the fraction of the oldest sample is taken to a whole picojoule.
 *
 * Memory depends on the longest window over the shortest sample, never on how long the meter runs. */
#ifndef FW_ENGINE_METER_H
#define FW_ENGINE_METER_H

#include "sim/engine/histogram.h"

typedef struct fw_meter fw_meter;

typedef struct fw_meter_options {
  const fw_time_ns *windows; /* each > 0; copied */
  size_t window_count;
  fw_power_mw histogram_max; /* range of the percentiles; 0: keep none */
  size_t histogram_bins;
} fw_meter_options;

/* What one window saw since the meter was made or last restarted. */
typedef struct fw_meter_window {
  fw_time_ns window;
  fw_time_ns full;   /* time at which the window was full and could be judged */
  fw_time_ns above;  /* of that, time in violation */
  uint64_t episodes; /* maximal stretches of violation */
  fw_time_ns longest_episode;
  fw_energy_pj excess; /* integrated excess: sum of (mean - budget) over the time in violation */
  fw_power_mw peak;    /* largest mean of a full window, rounded up to whole mW; 0 when none was full */
} fw_meter_window;

fw_status fw_meter_create(const fw_meter_options *options, fw_meter **out, fw_diagnostics *diagnostics);
void fw_meter_free(fw_meter *meter);

#define FW_METER_NO_BUDGET ((fw_energy_pj)-1)

/* Adds `energy` >= 0 spent over the next `duration` > 0, all durations together at most FW_TIME_MAX. `budget` is the
 * energy that the budget allows over it, or FW_METER_NO_BUDGET: no window that holds such a sample is judged, its mean
 * still counts for peaks and percentiles. */
fw_status fw_meter_push(fw_meter *meter, fw_time_ns duration, fw_energy_pj energy, fw_energy_pj budget,
                        fw_diagnostics *diagnostics);

/* Nothing is known about the next stretch of time: no energy, and no window across it. Ends episodes. */
void fw_meter_gap(fw_meter *meter);

/* Ends a warm-up: forgets all results, keeps what the windows hold, so they are full at once. */
void fw_meter_restart(fw_meter *meter);

fw_time_ns fw_meter_covered(const fw_meter *meter); /* time pushed since the last restart */
fw_energy_pj fw_meter_energy(const fw_meter *meter);

fw_meter_window fw_meter_result(const fw_meter *meter, size_t window_index);

/* The `above` of that result, for those who ask while a run goes on. */
fw_time_ns fw_meter_above(const fw_meter *meter, size_t window_index);

/* above / full, or NaN when the window was never full (for example, longer than the run). */
double fw_meter_violation_rate(const fw_meter *meter, size_t window_index);

/* Nearest-rank percentile of the window's mean; NaN-free: 0 when nothing was full. */
fw_power_mw fw_meter_percentile(const fw_meter *meter, size_t window_index, double share);

/* The present mean over the window, for those who watch while a run goes on; false when it is not full yet. */
bool fw_meter_mean(const fw_meter *meter, size_t window_index, fw_power_mw *out);

#endif

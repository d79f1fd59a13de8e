/* Readings of one job as a controller keeps them: the last ones, for rolling means over any window. */
#ifndef FW_FLEET_TELEMETRY_H
#define FW_FLEET_TELEMETRY_H

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"

/* A ring of running totals: the mean of the last n readings is one subtraction. Totals are integers, so nothing drifts.
 */
typedef struct fwi_telemetry {
  int64_t *total; /* after each reading; the ring holds a power of two of them */
  size_t mask;    /* that power less one */
  uint64_t count; /* readings so far */
  int64_t sum;
  int64_t last;
  uint64_t mark_count; /* at the last mark */
  int64_t mark_sum;
} fwi_telemetry;

/* Keeps what is needed for means over the last `longest` readings, those passed over included. */
fw_status fwi_telemetry_create(size_t longest, fwi_telemetry *out, fw_diagnostics *diagnostics);
void fwi_telemetry_free(fwi_telemetry *telemetry);

/* In the header because it runs at every tick of every job. */
static inline void fwi_telemetry_add(fwi_telemetry *telemetry, fw_power_mw reading) {
  telemetry->sum += reading;
  telemetry->last = reading;
  telemetry->count++;
  telemetry->total[telemetry->count & telemetry->mask] = telemetry->sum;
}

/* Mean of `n` readings in W, the `skip` newest passed over (for those who see them late); NaN when there are not so
 * many. */
double fwi_telemetry_mean_w(const fwi_telemetry *telemetry, size_t n, size_t skip);

/* Mean and sum since the last mark; NaN and 0 when there was no reading. */
double fwi_telemetry_mean_since_mark_w(const fwi_telemetry *telemetry);
int64_t fwi_telemetry_sum_since_mark(const fwi_telemetry *telemetry);
void fwi_telemetry_mark(fwi_telemetry *telemetry);

double fwi_telemetry_last_w(const fwi_telemetry *telemetry);

#endif

/* Intervals between samples, shared by the files of this folder. */
#ifndef FWI_TRACES_SERIES_H
#define FWI_TRACES_SERIES_H

#include "traces/trace.h"

/* The longest interval of the series that is not a gap. */
fw_time_ns fwi_longest_held(const fw_series *series);

static inline fw_time_ns fwi_interval_before(const fw_series *series, size_t sample) {
  return series->time[sample] - series->time[sample - 1];
}

#endif

/* How many GPUs have a value at each stamp, for series that come one after the other but share their stamps. */
#ifndef FWI_TRACES_STEPS_H
#define FWI_TRACES_STEPS_H

#include "sim/base/units.h"

#define FWI_STEP_LIMIT ((size_t)65536)

typedef struct fwi_step {
  fw_time_ns time;
  fw_power_mw sum;
  size_t count;
} fwi_step;

typedef struct fwi_steps {
  fwi_step *data; /* in order of time */
  size_t count;
  size_t capacity;
  size_t next; /* where the next stamp most likely is */
  bool full;   /* more stamps than are kept: nothing may be said */
} fwi_steps;

/* False when memory is short. */
bool fwi_steps_add(fwi_steps *steps, fw_time_ns time, fw_power_mw power);
void fwi_steps_clear(fwi_steps *steps);

#endif

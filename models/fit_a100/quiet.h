/* Decoding on one GPU without prefill, pooled over recordings of S6. */
#ifndef FWI_FIT_A100_QUIET_H
#define FWI_FIT_A100_QUIET_H

#include "models/fit_a100/recordings.h"

typedef struct fwi_quiet {
  double k_w;     /* for each doubling of requests in flight; each recording has a level of its own */
  double level_w; /* mean over all ticks */
  size_t ticks;
  fw_residual_fit residual; /* less level and slope */
} fwi_quiet;

fw_status fwi_fit_quiet(const char *data, const char *const *names, size_t count, fwi_quiet *out,
                        fw_diagnostics *diagnostics);

#endif

/* Many independent simulations of one study, spread over the cores. */
#ifndef FW_STUDY_REPLICATE_H
#define FW_STUDY_REPLICATE_H

#include <signal.h>

#include "sim/base/diagnostics.h"

/* How a study runs; its result does not depend on any of this. */
typedef struct fw_study_options {
  unsigned threads;                                           /* 0: one for each processor */
  void (*progress)(void *context, size_t done, size_t total); /* or NULL; may come from any thread, one at a time */
  void *progress_context;
  const volatile sig_atomic_t *cancel; /* set from outside to stop early; or NULL */
} fw_study_options;

/* How many threads that means: as many as asked for, or one for each processor, but no more than an OpenMP runtime can
 * have without ending the program. */
int fwi_study_threads(const fw_study_options *options);

typedef struct fwi_replications {
  size_t count;
  size_t heard; /* only the first so many may warn: the rest would repeat it */
  fw_status (*run)(void *context, size_t index, fw_diagnostics *diagnostics); /* from any thread */
  void *context;
} fwi_replications;

/* Runs all of them, or until one fails or the user has had enough. Diagnostics come in the order of the indices. */
fw_status fwi_replicate(const fwi_replications *work, const fw_study_options *options, fw_diagnostics *diagnostics);

#endif

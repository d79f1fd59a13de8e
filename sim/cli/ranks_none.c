/* A build without MPI. */
#include <stdlib.h>

#include "sim/cli/ranks.h"

fw_status fwi_ranks_begin(fwi_ranks *out, fw_diagnostics *diagnostics) {
  *out = (fwi_ranks){0, 1};
  if (getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_SIZE") != NULL) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "this fleetwatt was built without MPI: start it without mpirun, or build it again where "
                    "libopenmpi-dev is installed");
  }
  return FW_OK;
}

void fwi_ranks_end(const fwi_ranks *ranks) {
  (void)ranks;
}

bool fwi_ranks_agree(const fwi_ranks *ranks, bool ready, uint64_t digest) {
  (void)ranks;
  (void)digest;
  return ready;
}

void fwi_ranks_serve(void *context, fw_sweep *sweep) {
  (void)context;
  (void)sweep;
}

void fwi_ranks_work(const fwi_ranks *ranks, fw_sweep *sweep, const fw_study_options *options) {
  (void)ranks;
  (void)sweep;
  (void)options;
}

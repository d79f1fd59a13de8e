/* The processes of one `mpirun`: rank 0 has the store and gives units of work to the threads of all ranks, which it
 * asks for nothing but figures. So the store lies on one machine, and what is in it does not depend on the ranks. */
#ifndef FW_CLI_RANKS_H
#define FW_CLI_RANKS_H

#include "sim/study/sweep/sweep.h"

typedef struct fwi_ranks {
  int rank;
  int size;
} fwi_ranks;

/* Joins the job when mpirun started the process; else, and in a build without MPI, it is rank 0 of 1. */
fw_status fwi_ranks_begin(fwi_ranks *out, fw_diagnostics *diagnostics);

/* Waits for all ranks and leaves. To be called when there is nothing more to say: mpirun ends all ranks as soon as one
 * has ended with a status other than 0. */
void fwi_ranks_end(const fwi_ranks *ranks);

/* Whether all ranks are ready and have the same digest; every rank must ask. */
bool fwi_ranks_agree(const fwi_ranks *ranks, bool ready, uint64_t digest);

/* On rank 0: an fw_sweep_server; `context` is the fwi_ranks. */
void fwi_ranks_serve(void *context, fw_sweep *sweep);

/* On the others: simulates what rank 0 gives, until nothing is left or the user has had enough. */
void fwi_ranks_work(const fwi_ranks *ranks, fw_sweep *sweep, const fw_study_options *options);

#endif

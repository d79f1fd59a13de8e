/* Ranks over MPI. A worker's thread sends figures and asks for the next unit; rank 0 answers.
 *
 * MPI is called by one thread of a rank at a time (MPI_THREAD_SERIALIZED): by the server on rank 0, and in a critical
 * section on the others. The server polls, because a blocking receive of Open MPI spins, and the core has work to do.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/cli/ranks.h"

enum { REQUEST_TAG = 1, ANSWER_TAG = 2 };

typedef enum request_kind { REQUEST_UNIT, REQUEST_GIVE, REQUEST_FAIL, REQUEST_BYE } request_kind;

/* What a worker sends: this, then the figures of the unit or the message of its failure. */
typedef struct request {
  request_kind kind;
  fw_status status;
  size_t unit;
} request;

typedef struct answer {
  fw_sweep_answer kind;
  size_t unit;
} answer;

/* Whether mpirun (of Open MPI, MPICH or Slurm) started this process. MPI_Init alone would start helpers of its own. */
static bool started_by_mpirun(void) {
  return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_SIZE") != NULL;
}

fw_status fwi_ranks_begin(fwi_ranks *out, fw_diagnostics *diagnostics) {
  int provided = MPI_THREAD_SINGLE;
  *out = (fwi_ranks){0, 1};
  if (!started_by_mpirun()) {
    return FW_OK;
  }
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "MPI does not start; try without mpirun");
  }
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &out->size);
  if (provided < MPI_THREAD_SERIALIZED) {
    return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "this MPI library does not allow threads");
  }
  return FW_OK;
}

void fwi_ranks_end(const fwi_ranks *ranks) {
  int running = 0;
  (void)ranks;
  (void)MPI_Initialized(&running);
  if (running) {
    (void)MPI_Barrier(MPI_COMM_WORLD);
    (void)MPI_Finalize();
  }
}

bool fwi_ranks_agree(const fwi_ranks *ranks, bool ready, uint64_t digest) {
  if (ranks->size == 1) {
    return ready;
  }
  uint64_t least[2] = {ready, digest};
  uint64_t most[2] = {ready, digest};
  (void)MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  (void)MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return least[0] == 1 && least[1] == most[1];
}

/* ---- Rank 0 ---- */

static void take_failure(fw_sweep *sweep, const request *asked, const char *message) {
  fw_diagnostics why = FW_DIAGNOSTICS_INIT;
  (void)fw_error(&why, asked->status, (fw_place){0}, "%s", message);
  fw_sweep_fail(sweep, asked->unit, asked->status, &why);
  fw_diagnostics_clear(&why);
}

static void give_answer(fw_sweep *sweep, int rank) {
  answer reply = {.unit = 0};
  reply.kind = fw_sweep_take(sweep, &reply.unit);
  (void)MPI_Send(&reply, (int)sizeof reply, MPI_BYTE, rank, ANSWER_TAG, MPI_COMM_WORLD);
}

/* Takes one message of `size` bytes; returns whether the rank said good-bye. */
static bool take_request(fw_sweep *sweep, int rank, int size) {
  bool bye = false;
  request asked;
  unsigned char *message = fw_allocate((size_t)size + 1, 1); /* a zero ends the text of a failure */
  if (message == NULL) {
    (void)MPI_Abort(MPI_COMM_WORLD, 3);
    return true;
  }
  (void)MPI_Recv(message, size, MPI_BYTE, rank, REQUEST_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  memcpy(&asked, message, sizeof asked);
  switch (asked.kind) {
  case REQUEST_UNIT:
    give_answer(sweep, rank);
    break;
  case REQUEST_GIVE:
    fw_sweep_give(sweep, asked.unit, (const fw_store_figures *)(const void *)(message + sizeof asked));
    break;
  case REQUEST_FAIL:
    take_failure(sweep, &asked, (const char *)(message + sizeof asked));
    break;
  case REQUEST_BYE:
    bye = true;
    break;
  }
  free(message);
  return bye;
}

void fwi_ranks_serve(void *context, fw_sweep *sweep) {
  static const struct timespec pause = {.tv_nsec = 200000};
  const fwi_ranks *ranks = context;
  for (int left = ranks->size - 1; left > 0;) {
    int waiting = 0;
    int size = 0;
    MPI_Status status;
    (void)MPI_Iprobe(MPI_ANY_SOURCE, REQUEST_TAG, MPI_COMM_WORLD, &waiting, &status);
    if (!waiting) {
      (void)nanosleep(&pause, NULL);
      continue;
    }
    (void)MPI_Get_count(&status, MPI_BYTE, &size);
    left -= take_request(sweep, status.MPI_SOURCE, size);
  }
}

/* ---- The others ---- */

static void send_request(const request *asked, const void *payload, size_t size) {
  unsigned char *message = fw_allocate(sizeof *asked + size, 1);
  if (message == NULL) {
    (void)MPI_Abort(MPI_COMM_WORLD, 3);
    return;
  }
  memcpy(message, asked, sizeof *asked);
  if (payload != NULL) {
    memcpy(message + sizeof *asked, payload, size);
  }
#pragma omp critical(fwi_ranks_mpi)
  (void)MPI_Send(message, (int)(sizeof *asked + size), MPI_BYTE, 0, REQUEST_TAG, MPI_COMM_WORLD);
  free(message);
}

/* Question and answer in one critical section, so that no other thread takes the answer. */
static answer ask(void) {
  const request asked = {.kind = REQUEST_UNIT};
  answer reply = {.kind = FW_SWEEP_END};
#pragma omp critical(fwi_ranks_mpi)
  {
    (void)MPI_Send(&asked, (int)sizeof asked, MPI_BYTE, 0, REQUEST_TAG, MPI_COMM_WORLD);
    (void)MPI_Recv(&reply, (int)sizeof reply, MPI_BYTE, 0, ANSWER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return reply;
}

static void do_unit(fw_sweep *sweep, size_t unit) {
  const size_t runs = fw_sweep_unit_runs(sweep, unit);
  fw_diagnostics said = FW_DIAGNOSTICS_INIT;
  fw_store_figures *figures = fw_allocate(runs, sizeof *figures);
  const fw_status status = figures != NULL ? fw_sweep_simulate(sweep, unit, figures, &said)
                                           : fw_error_memory(&said, "the results of a sweep");
  if (status == FW_OK) {
    send_request(&(request){REQUEST_GIVE, status, unit}, figures, runs * sizeof *figures);
  } else {
    const char *message = said.count > 0 ? said.entries[said.count - 1].message : "a run failed";
    send_request(&(request){REQUEST_FAIL, status, unit}, message, strlen(message));
  }
  free(figures);
  fw_diagnostics_clear(&said);
}

static void work(fw_sweep *sweep, const fw_study_options *options) {
  static const struct timespec pause = {.tv_nsec = 20000000};
  while (options->cancel == NULL || *options->cancel == 0) {
    const answer reply = ask();
    if (reply.kind == FW_SWEEP_END) {
      return;
    }
    if (reply.kind == FW_SWEEP_WAIT) {
      (void)nanosleep(&pause, NULL);
    } else {
      do_unit(sweep, reply.unit);
    }
  }
}

void fwi_ranks_work(const fwi_ranks *ranks, fw_sweep *sweep, const fw_study_options *options) {
  (void)ranks;
#pragma omp parallel num_threads(fwi_study_threads(options))
  work(sweep, options);
  send_request(&(request){.kind = REQUEST_BYE}, NULL, 0);
}

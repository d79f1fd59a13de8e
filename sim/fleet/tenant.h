/* The residual of one job of a queue, as long as it has its GPUs. A job larger than its model's is a number of teams,
 * each of as many GPUs as the model has; inside a team power does what it does in a job of the model (noise.h).
 *
 * Draws are keyed by seed, queue and job, and counted from the tick in which the job took its GPUs, so that compared
 * policies meet the same noise in a job even where it begins later. */
#ifndef FW_FLEET_TENANT_H
#define FW_FLEET_TENANT_H

#include "sim/fleet/noise.h"
#include "sim/scenario/service.h"

typedef struct fwi_tenant {
  struct fwi_tenant *next; /* for whoever keeps a list of them */
  fw_time_ns left;         /* when it gave up its GPUs, for its owner */
  size_t gpus;
  uint32_t *gpu; /* their numbers in the queue; for its owner to set */

  const fwi_noise_tables *tables;
  size_t team;        /* GPUs of one */
  size_t total_count; /* processes of totals: one for all teams, or one for each */
  fw_ar1 *total;
  fw_ar1 *contrast;   /* of each GPU; NULL: teams of one have none */
  double *z_total;    /* total_count x FWI_NOISE_BLOCK */
  double *z_contrast; /* gpus x FWI_NOISE_BLOCK */
  uint64_t first_tick;
  uint64_t drawn; /* ticks since; the last block of them is in the buffers */

  uint64_t seed; /* its own */
  double tick_s;
  uint64_t *spike_tick; /* per GPU, since the first tick */
  uint64_t *spike_number;
  fw_power_mw *spike_height;

  /* What was asked for last. */
  uint64_t tick;
  fw_phase phase;
  fw_power_mw level;
  bool known;
  double *power_mw; /* per GPU */
} fwi_tenant;

typedef struct fwi_tenant_key {
  const fwi_noise_tables *tables;
  fw_queue_residual residual;
  uint64_t seed;
  uint32_t queue;  /* number of the queue among the scenario's jobs */
  uint64_t number; /* of the job in it */
  size_t gpus;     /* a whole number of teams */
  uint64_t first_tick;
  double tick_s;
} fwi_tenant_key;

fw_status fwi_tenant_create(const fwi_tenant_key *key, fwi_tenant **out, fw_diagnostics *diagnostics);
void fwi_tenant_free(fwi_tenant *tenant);

/* The power of each of its GPUs at `tick`, mW, around `level` in `phase`; valid until the next call. Ticks must not
 * fall. What the board's limits do to it is left to the caller. */
const double *fwi_tenant_power(fwi_tenant *tenant, uint64_t tick, fw_phase phase, fw_power_mw level, fw_power_mw idle);

#endif

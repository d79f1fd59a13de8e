/* The residuals of one job: standardised processes ahead of time in blocks, and the tables that turn them into watts.
 */
#ifndef FW_FLEET_NOISE_H
#define FW_FLEET_NOISE_H

#include "models/job.h"

/* The marginals of one job model, tabulated. Shared by all jobs of the model. */
typedef struct fwi_noise_tables {
  const fw_job_model *model;
  fw_marginal_table total[FW_PHASE_COUNT];
  fw_marginal_table contrast[FW_PHASE_COUNT];
  double per_span_mw; /* 1 / span of the contrasts; 0: they do not grow with the level */
} fwi_noise_tables;

void fwi_noise_tables_prepare(const fw_job_model *model, fwi_noise_tables *out);

/* Whose random numbers a job draws, and the tick from which it counts them. Before that tick they are all 0. */
typedef struct fwi_draws {
  uint64_t seed;
  uint32_t job;
  uint32_t first_gpu;
  uint64_t from;
} fwi_draws;

/* Ticks drawn at once: enough that the generator's bulk loop pays. */
#define FWI_NOISE_BLOCK ((size_t)256)

typedef struct fwi_noise {
  const fwi_noise_tables *tables; /* NULL: the job has no residual */
  fw_ar1 total;
  fw_ar1 *contrast; /* one for each GPU; none for a single GPU */
  size_t gpus;
  double *z_total;    /* FWI_NOISE_BLOCK */
  double *z_contrast; /* gpus x FWI_NOISE_BLOCK */
  double *z_sensor;   /* FWI_NOISE_BLOCK */
  fwi_draws draws;
  uint64_t block_start; /* tick of the first value in the buffers */
  bool filled;
} fwi_noise;

fw_status fwi_noise_create(const fwi_noise_tables *tables, fwi_draws draws, size_t gpus, double tick_s, fwi_noise *out,
                           fw_diagnostics *diagnostics);
void fwi_noise_free(fwi_noise *noise);

/* Makes the buffers hold `tick` and returns its position in them. Ticks must be asked for in order. */
size_t fwi_noise_at(fwi_noise *noise, uint64_t tick);

/* Contrasts are what GPUs that take turns differ by, so they grow with what there is to take turns about: the factor on
 * them at a level `above_idle_mw` above idle. */
double fwi_noise_contrast_scale(const fwi_noise_tables *tables, double above_idle_mw);

/* Contrasts only share out a job's total, so what a share lacks to `floor` the others give, in proportion to what they
 * have above it; the total stays as it was while it can. */
void fwi_noise_share_out(double *power, size_t gpus, double floor);

#endif

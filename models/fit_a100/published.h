/* The study's published figures, as models/a100/published.json holds them. */
#ifndef FWI_FIT_A100_PUBLISHED_H
#define FWI_FIT_A100_PUBLISHED_H

#include "sim/base/record.h"

typedef struct fwi_published_arm {
  double concurrency; /* 0 where a policy moved it */
  double tokens;
  double wh_per_1k;
  double rate_30s;
} fwi_published_arm;

typedef struct fwi_published_72b {
  double gpus;
  double run_s;
  fw_array static_arms; /* fwi_published_arm, two: uncontrolled, safe */
  fwi_published_arm trained_arm;
  fw_array window_s;
  fw_array window_rate;
  fw_array batch_interval_s; /* shortest, longest */
  double throughput_ratio_1_to_8;
  double throughput_ratio_1_to_4;
  double mean_swing_1_to_8;
  double mean_swing_1_to_4;
  double pause_throughput_ratio;
  double pause_mean_swing;
} fwi_published_72b;

typedef struct fwi_published_7b {
  double gpus;
  double budget_w;
  double steps;
  double step_s;
  double violations;
  double tokens;
  double energy_kwh;
} fwi_published_7b;

typedef struct fwi_prior {
  char *source;
  fw_array batch;
  fw_array tokens_per_s_7b;
  fw_array tokens_per_s_14b;
  double prefill_7b_w;
  double prefill_14b_w;
} fwi_prior;

typedef struct fwi_published {
  int64_t format; /* "fleetwatt_published": 1 */
  char *source;
  fwi_published_72b job_72b;
  fwi_published_7b job_7b;
  fwi_prior prior;
} fwi_published;

/* What `fleetwatt reproduce --fit` solves by simulation, as models/a100/fleet.json holds it. */
typedef struct fwi_fleet_fit {
  int64_t format; /* "fleetwatt_fleet_fit": 1 */
  char *source;
  double update_14b_w; /* of one GPU */
} fwi_fleet_fit;

fw_status fwi_fleet_fit_read(const char *path, fwi_fleet_fit *out, fw_diagnostics *diagnostics);
void fwi_fleet_fit_clear(fwi_fleet_fit *fit);

fw_status fwi_published_read(const char *path, fwi_published *out, fw_diagnostics *diagnostics);
void fwi_published_clear(fwi_published *published);

static inline double fwi_number_at(const fw_array *numbers, size_t index) {
  return ((const double *)numbers->data)[index];
}

#endif

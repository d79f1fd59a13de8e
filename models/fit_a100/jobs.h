/* The study's three jobs: each function fills the sheet of one. */
#ifndef FWI_FIT_A100_JOBS_H
#define FWI_FIT_A100_JOBS_H

#include "models/fit_a100/published.h"
#include "models/fit_a100/recordings.h"
#include "models/fit_a100/sheet.h"
#include "models/gpu.h"

#define FWI_TICK_S 0.5 /* the model tick, the study's sampling period */

/* Choices of ours where neither the study nor the data say anything; every sheet calls them assumed. */
#define FWI_STEP_GAP_S 2.0
#define FWI_PROMPT_TOKENS 128.0
#define FWI_COMPLETION_LIMIT 1024.0
#define FWI_GROUP_SIZE 8.0

/* Numbers that several jobs share. */
typedef struct fwi_common {
  double ready_w;          /* S6: one GPU, engine loaded, nothing running */
  double ready_spread_w;   /* between recordings */
  double loading_w;        /* idle power of the GPU file plus what loading added in S2 */
  double completion_cv;    /* S4, conversations */
  fw_residual_fit compute; /* S2: compute-bound, one GPU, ticks of long prompts */
  size_t compute_ticks;
  double compute_run;     /* ticks of a phase there, on average */
  double update_w;        /* fitted with the 7B job */
  double update_base_s;   /* the same */
  double completion_mean; /* the same, before the cut */
} fwi_common;

typedef struct fwi_inputs {
  const fwi_published *published;
  const fw_gpu_model *gpu;
  const char *data;    /* folder of the measured data */
  double update_14b_w; /* found by simulation of the fleet */
} fwi_inputs;

fw_status fwi_measure_common(const fwi_inputs *inputs, fwi_common *out, fw_diagnostics *diagnostics);

/* In this order: the 7B job fixes what the 14B job borrows from it. */
fw_status fwi_fit_7b(const fwi_inputs *inputs, fwi_common *common, fwi_sheet *sheet, fw_diagnostics *diagnostics);
fw_status fwi_fit_14b(const fwi_inputs *inputs, const fwi_common *common, fwi_sheet *sheet,
                      fw_diagnostics *diagnostics);
fw_status fwi_fit_72b(const fwi_inputs *inputs, const fwi_common *common, fwi_sheet *sheet,
                      fw_diagnostics *diagnostics);

/* --- what the three write alike (common.c) --- */

typedef struct fwi_identity {
  const char *id;
  double gpus;
  const char *sharding;
  const char *batching;
  const char *batching_basis;
  const char *decision;
} fwi_identity;

void fwi_add_identity(fwi_sheet *sheet, const fwi_inputs *inputs, const fwi_identity *identity);

/* A law at "residual.PHASE.PART"; the three keys are given whole because a sheet keeps no copies. */
typedef struct fwi_law_keys {
  const char *kind;
  const char *probabilities;
  const char *values;
} fwi_law_keys;

#define FWI_LAW_KEYS(phase, part)                                                                                      \
  (fwi_law_keys) {                                                                                                     \
    "residual." phase "." part ".kind", "residual." phase "." part ".probabilities",                                   \
        "residual." phase "." part ".values_w"                                                                         \
  }

void fwi_add_law(fwi_sheet *sheet, fwi_law_keys keys, const fw_law *law, fwi_kind kind, const char *source,
                 const char *basis);
fw_law fwi_law_scaled(const fw_law *law, double factor);

/* Seconds of an update for each token of a model of `parameters` on `gpus`: forward, backward and recomputation (4/3 of
 * 6 N) and the pass of the reference model (2 N), at 0.4 of the 312 Tflop/s of each GPU. */
double fwi_update_per_token_s(double parameters, double gpus);

/* t(c) = t0 + t1 c to the prior's token rates at its batch sizes. */
fw_line fwi_prior_token_time(const fwi_prior *prior, const fw_array *tokens_per_s);

#endif

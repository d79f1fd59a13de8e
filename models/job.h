/* A job model: the parameters of one kind of job on one kind of GPU, read from models/a100/NAME.json.
 *
 * Every number stands there with its provenance: the source, what was fitted to what, how good the fit is on data that
 * it did not see, and the range in which it was seen (support). Extrapolation beyond the support is reported with
 * results. */
#ifndef FW_MODELS_JOB_H
#define FW_MODELS_JOB_H

#include "models/gpu.h"
#include "models/level.h"
#include "models/residual.h"
#include "models/timing.h"
#include "models/workload.h"

/* How a job uses its GPUs. It names what the level and residual parameters were measured under; nothing in the
 * simulator switches on it, the difference lies in the parameters. */
typedef enum fw_sharding { FW_SHARDING_SINGLE, FW_SHARDING_LAYER, FW_SHARDING_TENSOR } fw_sharding;

/* How a generation batch ends.
 *   static      all start together, finished sequences leave, the batch ends with the longest (tail drain)
 *   padded      the same, but finished sequences go on being computed: occupancy stays until the longest ends
 *   continuous  a finished sequence is replaced at once while the step has any left: one batch for each rollout */
typedef enum fw_batching { FW_BATCHING_STATIC, FW_BATCHING_PADDED, FW_BATCHING_CONTINUOUS } fw_batching;

/* When a job asks its policy: at the end of each generation batch, or once at the end of each step. */
typedef enum fw_decision { FW_DECISION_BATCH, FW_DECISION_STEP } fw_decision;

typedef struct fw_job_levels {
  fw_variant rollout; /* a form of models/level.h */
  double prefill_w;
  double gap_w;
  double update_w;
  double load_w;
} fw_job_levels;

typedef struct fw_support {
  double concurrency_min;
  double concurrency_max;
} fw_support;

typedef struct fw_job_model {
  int64_t format; /* "fleetwatt_job": 1 */
  char *id;
  char *gpu; /* id of the GPU the parameters hold for */
  int64_t gpus;
  int sharding;    /* fw_sharding */
  int batching;    /* fw_batching */
  int decision;    /* fw_decision; "batch" where the file says nothing */
  fw_time_ns tick; /* the model tick that the residual is defined on */
  fw_timing timing;
  fw_job_levels levels;
  fw_residual_model residual;
  fw_workload workload; /* defaults; a scenario may override them */
  fw_support support;
  /* "provenance": free form, kept in the file for readers */
} fw_job_model;

extern const fw_record fw_job_model_record;
extern const char *const fw_sharding_names[]; /* "single", "layer", "tensor", NULL */
extern const char *const fw_batching_names[]; /* "static", "padded", "continuous", NULL */
extern const char *const fw_decision_names[]; /* "batch", "step", NULL */

/* Decodes and checks; `out` is cleared where that fails. Clear it with fw_job_model_clear. */
fw_status fw_job_model_decode(const fw_json *document, fw_job_model *out, fw_diagnostics *diagnostics);
fw_status fw_job_model_read(const char *path, fw_job_model *out, fw_diagnostics *diagnostics);
void fw_job_model_clear(fw_job_model *model);

/* Level of one GPU, W, in a phase at an occupancy. The idle phase takes the GPU's idle power, `idle_w`. */
double fw_job_level_w(const fw_job_model *model, fw_phase phase, double occupancy, double idle_w);

/* Holds a job model, read from `file`, against the GPU it is to run on: an error where it was made for another one, a
 * warning for each level, at the default concurrency, below the GPU's idle power or above its board maximum. */
fw_status fw_job_model_check_gpu(const fw_job_model *model, const fw_gpu_model *gpu, const char *file,
                                 fw_diagnostics *diagnostics);

#endif

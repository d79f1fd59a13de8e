/* A model against recordings that it should predict, as `fleetwatt validate` does it (docs/calibration.md).
 *
 * What the job did in a recording is given to the simulator as an occupancy job, so the power that is compared is that
 * of a run like any other: levels, residual, limits of the board. Truth is compared and not a simulated reading,
 * because the recordings that a model is fitted to are readings already. */
#ifndef FW_STUDY_VALIDATE_H
#define FW_STUDY_VALIDATE_H

#include "sim/study/calibrate/fidelity.h"
#include "sim/study/replicate.h"
#include "traces/occupancy.h"

typedef struct fw_validate_options {
  const char *model; /* the file */
  const fw_occupancy_options *runs;
  size_t run_count;
  const char *const *names; /* of the runs in reports; NULL: their files without folders */
  size_t seeds;             /* simulations of each run, with the seeds 1, 2, ... */
  const fw_time_ns *windows;
  size_t window_count;
  const char *share;          /* installed folder that holds models/gpu */
  fw_occupancy_filter filter; /* which ticks are compared; NULL: all */
  const void *filter_context;
} fw_validate_options;

/* What the simulations say of one run beside its power. */
typedef struct fw_validation_run {
  bool extrapolated;   /* the job left the model's support */
  double clamp_bias_w; /* mean change of a GPU's power by the limits of the board, over all seeds */
} fw_validation_run;

typedef struct fw_validation {
  char *model;
  fw_fidelity *runs;
  fw_validation_run *about; /* per run */
  size_t run_count;
  fw_fidelity_summary *summaries; /* window by window, FW_FIDELITY_METRICS each */
} fw_validation;

/* Reads, simulates, scores. Errors: a model or recording that cannot be read or do not belong together, a tick that is
 * not the model's, no tick to compare. Free with fw_validation_clear. */
fw_status fw_validate(const fw_validate_options *options, const fw_study_options *study, fw_validation *out,
                      fw_diagnostics *diagnostics);
void fw_validation_clear(fw_validation *validation);

#endif

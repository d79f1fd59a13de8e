/* Authority: what each actuator of a job can do to its power and its throughput (docs/authority.md). */
#ifndef FW_STUDY_AUTHORITY_H
#define FW_STUDY_AUTHORITY_H

#include "sim/scenario/scenario.h"
#include "sim/study/estimate.h"
#include "sim/study/replicate.h"

#define FW_AUTHORITY_THRESHOLD 0.02            /* share of the top that counts as moving */
#define FW_AUTHORITY_WINDOW (30 * FW_NS_PER_S) /* of the means whose peak is taken */

/* What one run at one setting is judged by. */
typedef enum fw_authority_figure {
  FW_AUTHORITY_MEAN_W,
  FW_AUTHORITY_PEAK_W, /* of the rolling mean over the window; NaN where it was never full */
  FW_AUTHORITY_TOKENS_PER_S,
  FW_AUTHORITY_WH_PER_1K_TOKENS, /* NaN without tokens */
  FW_AUTHORITY_FIGURE_COUNT
} fw_authority_figure;

extern const char *const fw_authority_figure_names[FW_AUTHORITY_FIGURE_COUNT];

typedef enum fw_authority_verdict {
  FW_AUTHORITY_MOVES_POWER,
  FW_AUTHORITY_MOVES_THROUGHPUT, /* and not power */
  FW_AUTHORITY_MOVES_NOTHING
} fw_authority_verdict;

extern const char *const fw_authority_verdict_names[];

typedef struct fw_authority_options {
  fw_time_ns window;
  double threshold;
  fw_study_options study;
} fw_authority_options;

typedef struct fw_authority_setting {
  double value;
  fw_estimate figures[FW_AUTHORITY_FIGURE_COUNT];
  bool extrapolated; /* outside the support of the job's model in some run */
} fw_authority_setting;

/* One actuator of one job class. A swing is (highest - lowest) / highest, between the two settings whose means over all
 * seeds are the highest and the lowest: taken seed by seed, then estimated. */
typedef struct fw_authority_row {
  size_t job; /* the class's first: index into the scenario */
  fw_actuator actuator;
  fw_authority_setting settings[FW_POLICY_LEVELS]; /* rising */
  size_t setting_count;
  fw_estimate mean_swing;
  fw_estimate peak_swing;
  fw_estimate throughput_swing; /* 1 - 1 / throughput_ratio */
  fw_estimate throughput_ratio; /* highest / lowest tokens per second; NaN where a lowest is 0 */
  fw_authority_verdict verdict;
} fw_authority_row;

typedef struct fw_authority_result {
  const fw_scenario *scenario;
  fw_time_ns window;
  double threshold;
  fw_authority_row *rows; /* classes in the scenario's order, actuators within them */
  size_t row_count;
} fw_authority_result;

/* Sweeps every actuator of every class with one job alone on its GPUs, without a budget, over the scenario's duration
 * and seeds. Free with fw_authority_clear. */
fw_status fw_authority(const fw_scenario *scenario, const fw_authority_options *options, fw_authority_result *out,
                       fw_diagnostics *diagnostics);
void fw_authority_clear(fw_authority_result *result);

/* The settings of a sweep: the actuator's levels, or both ends of a range without levels and three settings between
 * them. 0 where the job does not offer the actuator, and for the start offset, which moves no mean. */
size_t fw_authority_settings(const fw_scenario_job *job, fw_actuator actuator, double settings[FW_POLICY_LEVELS]);

/* The mean swing without a simulation, from fw_job_profile: no residual, caps settled. */
fw_status fw_authority_estimate(const fw_scenario *scenario, size_t job, fw_actuator actuator, double *swing,
                                fw_diagnostics *diagnostics);

/* Warns once for every one of the first `policy_count` policies, actuator that it drives and class on which the
 * estimated swing of that actuator lies below `threshold`. */
fw_status fw_authority_warn(const fw_scenario *scenario, size_t policy_count, double threshold,
                            fw_diagnostics *diagnostics);

#endif

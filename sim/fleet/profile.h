/* A job's mean without residual, without a simulation: cheap enough to ask before a run. */
#ifndef FW_FLEET_PROFILE_H
#define FW_FLEET_PROFILE_H

#include "sim/scenario/scenario.h"

/* What a job does on average when it runs on, undisturbed, at one choice of settings. */
typedef struct fw_profile {
  double mean_w;       /* of all its GPUs */
  fw_time_ns cycle;    /* length of a step */
  fw_time_ns decision; /* mean time between decisions; 0: there are none */
} fw_profile;

/* Job `job` of the scenario at `settings`, over its first steps. A power cap counts as settled: power is limited and
 * work slowed down, without latency or overshoot. */
fw_status fw_job_profile(const fw_scenario *scenario, size_t job, const double settings[FW_ACTUATOR_COUNT],
                         fw_profile *out, fw_diagnostics *diagnostics);

#endif

/* A power cap held by firmware, beside what a job controller can do.
 *
 * In the model a cap above a phase's level costs no time, although it takes the tops off the residual: how much work
 * goes with them, nobody has measured. So beside the model's tokens stands what would be left of them if work were lost
 * in proportion to the power above idle that the cap took off, on the same seeds. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/reproduce/beyond.h"

typedef struct cap_study {
  const fw_beyond_options *options;
  fw_beyond_caps *out;
  fwi_samples samples;
  double *scratch; /* one for each seed */
} cap_study;

static double idle_w(const fw_scenario *scenario) {
  return fw_power_to_watts(scenario->gpu.idle) * (double)scenario->topology.gpus;
}

/* The first arm is the one without a cap. */
static fw_estimate worst_tokens(const cap_study *work, size_t arm) {
  const size_t power = fw_metric_slot(FW_METRIC_MEAN_W, 0);
  const double idle = idle_w(work->out->scenario);
  for (size_t seed = 0; seed < work->samples.seeds; seed++) {
    const double kept = fwi_sample(&work->samples, seed, arm, power) - idle;
    const double whole = fwi_sample(&work->samples, seed, 0, power) - idle;
    work->scratch[seed] = fwi_sample(&work->samples, seed, arm, fw_metric_slot(FW_METRIC_TOKENS, 0)) * kept / whole;
  }
  return fw_estimate_mean(work->scratch, work->samples.seeds);
}

static fw_status run_all(cap_study *work, fw_diagnostics *diagnostics) {
  fw_beyond_caps *out = work->out;
  const fw_scenario *scenario = out->scenario;
  out->arm_count = scenario->policy_count;
  out->arms = fw_allocate(out->arm_count, sizeof *out->arms);
  work->scratch = fw_allocate(scenario->seeds, sizeof *work->scratch);
  if (out->arms == NULL || work->scratch == NULL) {
    return fw_error_memory(diagnostics, "a study of caps");
  }
  fw_status status =
      fwi_samples_take(scenario, scenario->seed, scenario->seeds, &work->options->study, &work->samples, diagnostics);
  for (size_t i = 0; status == FW_OK && i < out->arm_count; i++) {
    fw_beyond_cap *arm = &out->arms[i];
    const fw_estimate unknown = {(double)NAN, (double)NAN, (double)NAN};
    *arm = (fw_beyond_cap){.name = scenario->policies[i].name, .kind = fw_beyond_kind_of(&scenario->policies[i])};
    arm->worst_tokens = arm->kind == FW_BEYOND_ASSUMPTION ? worst_tokens(work, i) : unknown;
    status = fwi_beyond_figures(&work->samples, scenario, i, &arm->figures, diagnostics);
  }
  return status;
}

void fw_beyond_caps_clear(fw_beyond_caps *caps) {
  free(caps->arms);
  fw_scenario_free(caps->scenario);
  *caps = (fw_beyond_caps){0};
}

fw_status fw_beyond_caps_run(const fw_beyond_options *options, fw_beyond_caps *out, fw_diagnostics *diagnostics) {
  cap_study work = {.options = options, .out = out};
  *out = (fw_beyond_caps){0};
  fw_status status = fwi_beyond_read(options, "beyond-caps.json", &out->scenario, diagnostics);
  status = status != FW_OK ? status : run_all(&work, diagnostics);
  fwi_samples_free(&work.samples);
  free(work.scratch);
  if (status != FW_OK) {
    fw_beyond_caps_clear(out);
  }
  return status;
}

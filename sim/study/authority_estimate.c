/* Authority before a run: the settings of a sweep, its swing from profiles, and warnings where a policy drives an
 * actuator that does not move power. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "sim/fleet/profile.h"
#include "sim/scenario/arm.h"
#include "sim/study/authority.h"

/* Of a range without levels. */
#define OPEN_SETTINGS 5
/* An open group size ends where it only catches a wrong unit, and no run would end a step of that size. */
#define OPEN_GROUPS 4.0

static double open_end(const fw_scenario_job *job, fw_actuator actuator) {
  const double max = job->actuators[actuator].max;
  return actuator == FW_ACTUATOR_GROUP_SIZE ? fmin(max, OPEN_GROUPS * job->initial[actuator]) : max;
}

static size_t between(double from, double to, bool whole, double settings[FW_POLICY_LEVELS]) {
  size_t count = 0;
  for (size_t i = 0; i < OPEN_SETTINGS; i++) {
    const double exact = from + (to - from) * (double)i / (double)(OPEN_SETTINGS - 1);
    const double value = whole ? nearbyint(exact) : exact;
    if (count == 0 || value > settings[count - 1]) {
      settings[count++] = value;
    }
  }
  return count;
}

size_t fw_authority_settings(const fw_scenario_job *job, fw_actuator actuator, double settings[FW_POLICY_LEVELS]) {
  const fw_actuator_range *range = &job->actuators[actuator];
  if (range->min == range->max || actuator == FW_ACTUATOR_START_OFFSET_S) {
    return 0;
  }
  if (range->level_count == 0) {
    const bool whole = actuator == FW_ACTUATOR_GROUP_SIZE || actuator == FW_ACTUATOR_COMPLETION_TOKENS;
    return between(range->min, open_end(job, actuator), whole, settings);
  }
  memcpy(settings, range->levels, range->level_count * sizeof *settings);
  return range->level_count;
}

fw_status fw_authority_estimate(const fw_scenario *scenario, size_t job, fw_actuator actuator, double *swing,
                                fw_diagnostics *diagnostics) {
  double values[FW_POLICY_LEVELS];
  double settings[FW_ACTUATOR_COUNT];
  double lowest_w = (double)INFINITY;
  double highest_w = 0.0;
  const size_t count = fw_authority_settings(&scenario->jobs[job], actuator, values);
  memcpy(settings, scenario->jobs[job].initial, sizeof settings);
  for (size_t i = 0; i < count; i++) {
    fw_profile profile;
    settings[actuator] = values[i];
    const fw_status status = fw_job_profile(scenario, job, settings, &profile, diagnostics);
    if (status != FW_OK) {
      return status;
    }
    lowest_w = fmin(lowest_w, profile.mean_w);
    highest_w = fmax(highest_w, profile.mean_w);
  }
  *swing = highest_w > 0.0 ? (highest_w - lowest_w) / highest_w : 0.0;
  return FW_OK;
}

/* ---- Warnings ---- */

/* Swings that were asked for, so that policies that drive the same actuator share them. */
typedef struct estimates {
  const fw_scenario *scenario;
  double *swings; /* jobs x actuators; NaN: not yet */
} estimates;

/* Infinite where a job does not offer the actuator, or cannot run over all of its range: neither is for a warning. */
static fw_status look_up(estimates *known, size_t job, fw_actuator actuator, double *out, fw_diagnostics *diagnostics) {
  double *swing = &known->swings[job * FW_ACTUATOR_COUNT + actuator];
  double settings[FW_POLICY_LEVELS];
  if (isnan(*swing) && fw_authority_settings(&known->scenario->jobs[job], actuator, settings) == 0) {
    *swing = (double)INFINITY;
  }
  if (isnan(*swing)) {
    fw_diagnostics faults = FW_DIAGNOSTICS_INIT;
    const fw_status status = fw_authority_estimate(known->scenario, job, actuator, swing, &faults);
    fw_diagnostics_clear(&faults);
    if (status == FW_ERROR_MEMORY) {
      return fw_error_memory(diagnostics, "the authority of an actuator");
    }
    *swing = status == FW_OK ? *swing : (double)INFINITY;
  }
  *out = *swing;
  return FW_OK;
}

static uint32_t driven(const fw_scenario_policy *policy, const fw_scenario_job *job) {
  const uint32_t own = fw_arm_controls(policy, job) ? policy->job->drives(policy->job_settings) : 0;
  return own | (policy->fleet != NULL ? policy->fleet->drives(policy->fleet_settings) : 0);
}

/* Entries of "jobs" may share the name of a class; one warning speaks for all of them. */
static bool is_repeated(const estimates *known, size_t job, fw_actuator actuator, double threshold) {
  const fw_scenario_job *jobs = known->scenario->jobs;
  for (size_t j = 0; j < job; j++) {
    if (known->swings[j * FW_ACTUATOR_COUNT + actuator] < threshold &&
        strcmp(jobs[j].job_class, jobs[job].job_class) == 0) {
      return true;
    }
  }
  return false;
}

static void warn(const char *policy, const fw_scenario_job *job, fw_actuator actuator, double swing, double threshold,
                 fw_diagnostics *diagnostics) {
  double settings[FW_POLICY_LEVELS] = {0.0};
  const size_t count = fw_authority_settings(job, actuator, settings);
  char found[FW_NUMBER_TEXT_SIZE];
  char needed[FW_NUMBER_TEXT_SIZE];
  char from[FW_NUMBER_TEXT_SIZE];
  char to[FW_NUMBER_TEXT_SIZE];
  fw_warning(diagnostics, (fw_place){0},
             "policy \"%s\" drives %s on class \"%s\", which moves the mean power of such a job by only %s %% from %s "
             "to %s (estimated; the threshold is %s %%), so it cannot hold a budget; drive an actuator that "
             "\"fleetwatt authority\" finds to move power",
             policy, fw_actuator_names[actuator], job->job_class, fw_number_format(100.0 * swing, 2, found),
             fw_number_format(settings[0], 6, from), fw_number_format(settings[count - 1], 6, to),
             fw_number_format(100.0 * threshold, 3, needed));
}

static fw_status check_job(estimates *known, const fw_scenario_policy *policy, size_t job, double threshold,
                           fw_diagnostics *diagnostics) {
  const fw_scenario_job *spec = &known->scenario->jobs[job];
  const uint32_t bits = driven(policy, spec);
  for (unsigned a = 0; a < FW_ACTUATOR_COUNT; a++) {
    double swing = 0.0;
    if ((bits & (1u << a)) == 0) {
      continue;
    }
    const fw_status status = look_up(known, job, (fw_actuator)a, &swing, diagnostics);
    if (status != FW_OK) {
      return status;
    }
    if (swing < threshold && !is_repeated(known, job, (fw_actuator)a, threshold)) {
      warn(policy->name, spec, (fw_actuator)a, swing, threshold, diagnostics);
    }
  }
  return FW_OK;
}

fw_status fw_authority_warn(const fw_scenario *scenario, size_t policy_count, double threshold,
                            fw_diagnostics *diagnostics) {
  estimates known = {.scenario = scenario,
                     .swings = fw_allocate(scenario->job_count, FW_ACTUATOR_COUNT * sizeof *known.swings)};
  if (known.swings == NULL) {
    return fw_error_memory(diagnostics, "the authority of the actuators");
  }
  for (size_t i = 0; i < scenario->job_count * FW_ACTUATOR_COUNT; i++) {
    known.swings[i] = (double)NAN;
  }
  fw_status status = FW_OK;
  for (size_t p = 0; p < policy_count; p++) {
    for (size_t j = 0; j < scenario->job_count && status == FW_OK; j++) {
      if (scenario->jobs[j].member == 0) {
        status = check_job(&known, &scenario->policies[p], j, threshold, diagnostics);
      }
    }
  }
  free(known.swings);
  return status;
}

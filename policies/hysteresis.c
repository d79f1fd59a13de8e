/* Hysteresis: a dual-threshold controller with a narrow dead band and a dwell time. Two thresholds keep noise from
 * moving the actuator to and fro; the dwell time lets a change show in the signal before the next one is made. */
#include <stdlib.h>
#include <string.h>

#include "policies/band.h"
#include "policies/builtin.h"
#include "sim/base/memory.h"

typedef struct hysteresis_settings {
  fwi_band band;
  fw_time_ns dwell;
  uint64_t lower_steps;
  uint64_t raise_steps;
  fw_array levels; /* of double; none: all settings that the job allows */
} hysteresis_settings;

typedef struct hysteresis_state {
  const hysteresis_settings *settings;
  size_t window;
  fw_actuator_range range;
  fw_time_ns may_move; /* not before this instant */
} hysteresis_state;

static const fw_field fields[] = {
    FWI_BAND_FIELDS(hysteresis_settings),
    FW_FIELD(hysteresis_settings, dwell, FW_FIELD_TIME, FW_OPTIONAL, 0.0, FWI_MOST_S, "least time between two changes"),
    FW_FIELD(hysteresis_settings, lower_steps, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1.0, FW_POLICY_LEVELS,
             "steps at once towards less power"),
    FW_FIELD(hysteresis_settings, raise_steps, FW_FIELD_UNSIGNED, FW_OPTIONAL, 1.0, FW_POLICY_LEVELS,
             "steps at once towards more power"),
    FW_FIELD(hysteresis_settings, levels, FW_FIELD_NUMBERS, FW_OPTIONAL, 0.0, 0.0,
             "settings to use, rising, in the actuator's unit; left out: all that the job allows"),
};

static const hysteresis_settings defaults = {
    .band = {.actuator = FW_ACTUATOR_CONCURRENCY, .lower_above = 0.97, .raise_below = 0.93},
    .lower_steps = 1,
    .raise_steps = 1,
};

static fw_status check_levels(const hysteresis_settings *settings, const fw_job_setup *job,
                              const fw_json_value *written, fw_diagnostics *diagnostics) {
  const double *levels = settings->levels.data;
  size_t count = settings->levels.count;
  if (count == 1 || count > FW_POLICY_LEVELS) {
    return fw_json_error(fw_record_member(written, "levels"), diagnostics,
                         "levels holds %zu settings; give 2 to %d, or leave it out to use all that the job allows",
                         count, FW_POLICY_LEVELS);
  }
  fw_status first = FW_OK;
  for (size_t i = 0; i < count; i++) {
    const fw_json_value *place = fw_record_element(written, "levels", i);
    fw_status status =
        fwi_actuator_check_value(job, (fw_actuator)settings->band.actuator, levels[i], place, diagnostics);
    if (i > 0 && levels[i] <= levels[i - 1]) {
      status = fw_json_error(place, diagnostics,
                             "levels must rise, and levels[%zu] does not; sort them and drop what stands twice", i);
    }
    if (first == FW_OK) first = status;
  }
  return first;
}

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)fleet;
  const hysteresis_settings *chosen = settings;
  fw_status band = fwi_band_check(&chosen->band, job, written, diagnostics);
  fw_status levels = check_levels(chosen, job, written, diagnostics);
  return band != FW_OK ? band : levels;
}

/* The job's range, or the chosen part of it. */
static fw_actuator_range range_of(const hysteresis_settings *settings, const fw_job_setup *job) {
  fw_actuator_range range = job->actuators[settings->band.actuator];
  size_t count = settings->levels.count;
  if (count == 0) return range;
  memcpy(range.levels, settings->levels.data, count * sizeof range.levels[0]);
  range.level_count = count;
  range.min = range.levels[0];
  range.max = range.levels[count - 1];
  return range;
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)fleet;
  const hysteresis_settings *chosen = settings;
  hysteresis_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a hysteresis policy");
  *made = (hysteresis_state){.settings = chosen,
                             .window = fwi_band_window(&chosen->band, job),
                             .range = range_of(chosen, job),
                             .may_move = INT64_MIN};
  *state = made;
  return FW_OK;
}

static fw_status decide(void *state, const fw_job_observation *observation, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  hysteresis_state *rule = state;
  const hysteresis_settings *settings = rule->settings;
  fw_time_ns now;
  if (!fw_time_from_seconds(observation->time_s, &now) || now < rule->may_move) return FW_OK;
  int push = fwi_band_push(&settings->band, rule->window, observation);
  if (push == 0) return FW_OK;
  fw_actuator actuator = (fw_actuator)settings->band.actuator;
  uint64_t steps = push < 0 ? settings->lower_steps : settings->raise_steps;
  bool moved = fwi_actuator_move(&rule->range, actuator, push, steps, observation->settings[actuator], action);
  if (moved && !fw_time_add(now, settings->dwell, &rule->may_move)) rule->may_move = FW_TIME_MAX;
  return FW_OK;
}

static uint32_t drives(const void *settings) {
  return 1u << ((const hysteresis_settings *)settings)->band.actuator;
}

const fw_record fwi_hysteresis_settings = {
    .name = "hysteresis",
    .doc = "two thresholds with a dead band between them, and a dwell time",
    .size = sizeof(hysteresis_settings),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_hysteresis_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_JOB,
    .name = "hysteresis",
    .doc = "lowers power above one threshold and raises it below another, with a least time between changes",
    .settings = &fwi_hysteresis_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_job = decide,
    .drives = drives,
};

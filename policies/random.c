/* Random: at every decision, each driven actuator takes a setting drawn uniformly from those that the job allows. What
 * a policy with no idea achieves; also the exploration that fits and learners start from. */
#include <stdlib.h>
#include <string.h>

#include "policies/actuator.h"
#include "policies/builtin.h"
#include "sim/base/fields.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"

typedef struct random_settings {
  fw_array actuators; /* char *; none: concurrency */
} random_settings;

typedef struct random_state {
  fw_stream stream;
  uint32_t bits;
  fw_actuator_range ranges[FW_ACTUATOR_COUNT];
} random_state;

static const fw_field fields[] = {
    FW_FIELD(random_settings, actuators, FW_FIELD_STRINGS, FW_OPTIONAL, 0.0, 0.0,
             "names of the actuators to drive; left out: concurrency"),
};

/* FW_ACTUATOR_COUNT when there is no such name. */
static unsigned actuator_of(const char *name) {
  unsigned i = 0;
  while (i < FW_ACTUATOR_COUNT && strcmp(fw_actuator_names[i], name) != 0)
    i++;
  return i;
}

static uint32_t drives(const void *settings) {
  const fw_array *names = &((const random_settings *)settings)->actuators;
  if (names->count == 0) return 1u << FW_ACTUATOR_CONCURRENCY;
  uint32_t bits = 0;
  for (size_t i = 0; i < names->count; i++) {
    unsigned actuator = actuator_of(((char *const *)names->data)[i]);
    if (actuator < FW_ACTUATOR_COUNT) bits |= 1u << actuator;
  }
  return bits;
}

static fw_status unknown_name(const char *name, const fw_json_value *place, fw_diagnostics *diagnostics) {
  char shown[FW_SHOWN_SIZE];
  fw_shown(name, strlen(name), shown);
  const char *nearest = fw_nearest_word(name, fw_actuator_names, FW_ACTUATOR_COUNT);
  if (nearest == NULL) {
    return fw_json_error(place, diagnostics,
                         "actuators: there is no actuator \"%s\"; there are concurrency, group_size, "
                         "completion_tokens, pause_s, power_cap_w and start_offset_s",
                         shown);
  }
  return fw_json_error(place, diagnostics, "actuators: there is no actuator \"%s\"; did you mean \"%s\"?", shown,
                       nearest);
}

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)fleet;
  const fw_array *names = &((const random_settings *)settings)->actuators;
  const fw_json_value *list = fw_record_member(written, "actuators");
  if (names->count == 0) return fwi_actuator_check_offered(job, FW_ACTUATOR_CONCURRENCY, list, diagnostics);
  fw_status first = FW_OK;
  for (size_t i = 0; i < names->count; i++) {
    const char *name = ((char *const *)names->data)[i];
    const unsigned actuator = actuator_of(name);
    const fw_json_value *place = fw_record_element(written, "actuators", i);
    fw_status status = actuator < FW_ACTUATOR_COUNT
                           ? fwi_actuator_check_offered(job, (fw_actuator)actuator, place, diagnostics)
                           : unknown_name(name, place, diagnostics);
    if (first == FW_OK) first = status;
  }
  return first;
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)fleet;
  random_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a random policy");
  made->stream = fw_stream_make(job->seed, FW_DRAW_POLICY, job->job);
  made->bits = drives(settings);
  memcpy(made->ranges, job->actuators, sizeof made->ranges);
  *state = made;
  return FW_OK;
}

/* `u` in (0, 1). The bias of a level is below its share times 2^-48. */
static double drawn(const fw_actuator_range *range, double u) {
  if (range->level_count == 0) return fw_actuator_nearest(range, range->min + u * (range->max - range->min));
  size_t level = (size_t)(u * (double)range->level_count);
  return range->levels[level < range->level_count ? level : range->level_count - 1];
}

/* The sub-counter is the actuator, so driving a second one leaves the draws of the first as they were. */
static fw_status decide(void *state, const fw_job_observation *observation, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  const random_state *random = state;
  for (unsigned i = 0; i < FW_ACTUATOR_COUNT; i++) {
    if ((random->bits & 1u << i) == 0) continue;
    double u = fw_random_uniform(random->stream, observation->decision, i);
    fwi_actuator_set(action, (fw_actuator)i, drawn(&random->ranges[i], u));
  }
  return FW_OK;
}

const fw_record fwi_random_settings = {
    .name = "random",
    .doc = "uniform draws among the allowed settings",
    .size = sizeof(random_settings),
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_random_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_JOB,
    .name = "random",
    .doc = "draws each setting uniformly at every decision",
    .settings = &fwi_random_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_job = decide,
    .drives = drives,
    .ignores_budget = true,
};

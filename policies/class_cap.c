/* Class cap: fixed caps by job class, in force while the fleet is near its budget. The static counterpart of the other
 * fleet policies: what an operator writes into a run book. */
#include <stdlib.h>
#include <string.h>

#include "policies/builtin.h"
#include "policies/caps.h"
#include "sim/base/memory.h"

#define SHOWN_DIGITS 6

typedef struct class_cap {
  char *name;
  fw_power_mw cap;
} class_cap;

typedef struct class_cap_settings {
  fwi_rhythm rhythm;
  fwi_engagement engagement;
  fw_array caps; /* of class_cap */
} class_cap_settings;

typedef struct class_cap_state {
  const class_cap_settings *settings;
  bool engaged;
} class_cap_state;

static const fw_field cap_fields[] = {
    {.name = "class",
     .kind = FW_FIELD_STRING,
     .offset = offsetof(class_cap, name),
     .required = true,
     .doc = "class of the jobs to cap"},
    {.name = "cap",
     .kind = FW_FIELD_POWER,
     .offset = offsetof(class_cap, cap),
     .required = true,
     .exclusive_min = true,
     .max = FWI_MOST_CAP_W,
     .doc = "cap of each of their GPUs"},
};

static const fw_record cap_record = {
    .name = "class_cap_entry",
    .doc = "the cap of one class of jobs",
    .size = sizeof(class_cap),
    .fields = cap_fields,
    .field_count = FW_COUNT_OF(cap_fields),
};

static const fw_field fields[] = {
    FWI_RHYTHM_FIELDS(class_cap_settings),
    FWI_ENGAGEMENT_FIELDS(class_cap_settings),
    {.name = "caps",
     .kind = FW_FIELD_RECORDS,
     .offset = offsetof(class_cap_settings, caps),
     .required = true,
     .min_count = 1,
     .record = &cap_record,
     .doc = "one entry for each class that is capped"},
};

static const class_cap_settings defaults = {
    .rhythm = {.interval = 5 * FW_NS_PER_S, .window = 30 * FW_NS_PER_S},
    .engagement = {.engage_above = 0.95, .release_below = 0.85},
};

static bool always_engaged(const class_cap_settings *settings) {
  return settings->engagement.engage_above <= 0.0;
}

/* NULL where the class is not capped. */
static const class_cap *find_class(const class_cap *caps, size_t count, const char *name) {
  for (size_t i = 0; name != NULL && i < count; i++) {
    if (strcmp(caps[i].name, name) == 0) return &caps[i];
  }
  return NULL;
}

static bool has_class(const fw_fleet_setup *fleet, const char *name) {
  for (size_t i = 0; i < fleet->class_count; i++) {
    if (strcmp(fleet->classes[i], name) == 0) return true;
  }
  return false;
}

/* A class that no job has is most likely misspelt, and would silently cap nothing. */
static fw_status check_class(const class_cap_settings *settings, size_t index, const fw_fleet_setup *fleet,
                             const fw_json_value *written, fw_diagnostics *diagnostics) {
  const class_cap *caps = settings->caps.data;
  const fw_json_value *place = fw_record_member(fw_record_element(written, "caps", index), "class");
  char shown[FW_SHOWN_SIZE];
  fw_shown(caps[index].name, strlen(caps[index].name), shown);
  if (find_class(caps, index, caps[index].name) != NULL) {
    return fw_json_error(place, diagnostics, "caps[%zu]: the class \"%s\" has a cap already; keep one", index, shown);
  }
  if (!has_class(fleet, caps[index].name)) {
    return fw_json_error(place, diagnostics, "caps[%zu]: no job has the class \"%s\", so its cap would do nothing",
                         index, shown);
  }
  return FW_OK;
}

static fw_status check_cap(const class_cap_settings *settings, size_t index, const fw_fleet_setup *fleet,
                           const fw_json_value *written, fw_diagnostics *diagnostics) {
  const double cap_w = fw_power_to_watts(((const class_cap *)settings->caps.data)[index].cap);
  if (cap_w >= fleet->cap_min_w && cap_w <= fleet->cap_max_w) return FW_OK;
  char shown[FW_NUMBER_TEXT_SIZE];
  char min[FW_NUMBER_TEXT_SIZE];
  char max[FW_NUMBER_TEXT_SIZE];
  return fw_json_error(
      fw_record_member(fw_record_element(written, "caps", index), "cap"), diagnostics,
      "caps[%zu]: the GPU takes no cap of %s W; give %s to %s W", index, fw_number_format(cap_w, SHOWN_DIGITS, shown),
      fw_number_format(fleet->cap_min_w, SHOWN_DIGITS, min), fw_number_format(fleet->cap_max_w, SHOWN_DIGITS, max));
}

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)job;
  const class_cap_settings *chosen = settings;
  fw_status first = always_engaged(chosen) ? FW_OK : fwi_engagement_check(&chosen->engagement, written, diagnostics);
  for (size_t i = 0; i < chosen->caps.count; i++) {
    const fw_status name = check_class(chosen, i, fleet, written, diagnostics);
    const fw_status cap = check_cap(chosen, i, fleet, written, diagnostics);
    const fw_status status = name != FW_OK ? name : cap;
    if (first == FW_OK) first = status;
  }
  return first;
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)job, (void)fleet;
  class_cap_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a class_cap policy");
  *made = (class_cap_state){.settings = settings, .engaged = false};
  *state = made;
  return FW_OK;
}

/* Sets the caps of the listed classes, or takes them off. */
static void apply(const class_cap_settings *settings, bool engaged, const fw_fleet_observation *fleet,
                  fw_fleet_action *action) {
  for (size_t i = 0; i < fleet->job_count; i++) {
    const fw_fleet_job *job = &fleet->jobs[i];
    const class_cap *listed = find_class(settings->caps.data, settings->caps.count, job->job_class);
    if (listed == NULL) continue;
    fwi_cap_set(fleet, i, engaged ? fw_power_to_watts(listed->cap) : job->cap_max_w, action);
  }
}

static fw_status decide(void *state, const fw_fleet_observation *fleet, fw_fleet_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  class_cap_state *rule = state;
  int push = always_engaged(rule->settings) ? 1 : fwi_engagement_push(&rule->settings->engagement, fleet);
  bool was_engaged = rule->engaged;
  if (push != 0) rule->engaged = push > 0;
  /* While released, caps are not this policy's business: only its own are taken off, once. */
  if (rule->engaged || was_engaged) apply(rule->settings, rule->engaged, fleet, action);
  return FW_OK;
}

static void rhythm(const void *settings, double *interval_s, double *window_s) {
  const fwi_rhythm *chosen = &((const class_cap_settings *)settings)->rhythm;
  *interval_s = fw_time_to_seconds(chosen->interval);
  *window_s = fw_time_to_seconds(chosen->window);
}

const fw_record fwi_class_cap_settings = {
    .name = "class_cap",
    .doc = "fixed caps by job class while the fleet is near its budget; engage_above 0: always",
    .size = sizeof(class_cap_settings),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_class_cap_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_FLEET,
    .name = "class_cap",
    .doc = "a fixed power cap for each listed class of jobs, in force while the fleet is near its budget",
    .settings = &fwi_class_cap_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_fleet = decide,
    .rhythm = rhythm,
    .drives = fwi_cap_drives,
};

/* Static: chosen settings from the first decision on. */
#include <stdlib.h>

#include "policies/actuator.h"
#include "policies/builtin.h"
#include "policies/ceilings.h"
#include "sim/base/fields.h"
#include "sim/base/memory.h"

typedef struct static_settings {
  int64_t concurrency;
  int64_t group_size;
  int64_t completion_tokens;
  fw_time_ns pause;
  fw_power_mw power_cap;
  bool given[FW_ACTUATOR_COUNT];
} static_settings;

typedef struct static_state {
  double values[FW_ACTUATOR_COUNT];
  uint32_t bits;
} static_state;

#define FIELD(member, field_kind, above, most, actuator, text)                                                         \
  {                                                                                                                    \
    .name = #member, .kind = (field_kind), .offset = offsetof(static_settings, member), .exclusive_min = (above),      \
    .max = (most), .doc = (text), .present_offset = offsetof(static_settings, given[actuator])                         \
  }

static const fw_field fields[] = {
    FIELD(concurrency, FW_FIELD_INTEGER, true, 1e6, FW_ACTUATOR_CONCURRENCY, "most sequences in flight"),
    FIELD(group_size, FW_FIELD_INTEGER, true, 1e6, FW_ACTUATOR_GROUP_SIZE, "completions per prompt"),
    FIELD(completion_tokens, FW_FIELD_INTEGER, true, 1e9, FW_ACTUATOR_COMPLETION_TOKENS,
          "limit on the length of a completion"),
    FIELD(pause, FW_FIELD_TIME, false, FWI_MOST_S, FW_ACTUATOR_PAUSE_S, "pause after each generation batch"),
    FIELD(power_cap, FW_FIELD_POWER, true, FWI_MOST_CAP_W, FW_ACTUATOR_POWER_CAP_W, "power cap of each GPU"),
};

static uint32_t drives(const void *settings) {
  const static_settings *chosen = settings;
  uint32_t bits = 0;
  for (unsigned i = 0; i < FW_ACTUATOR_COUNT; i++) {
    if (chosen->given[i]) bits |= 1u << i;
  }
  return bits;
}

static void gather(const static_settings *chosen, static_state *state) {
  state->values[FW_ACTUATOR_CONCURRENCY] = (double)chosen->concurrency;
  state->values[FW_ACTUATOR_GROUP_SIZE] = (double)chosen->group_size;
  state->values[FW_ACTUATOR_COMPLETION_TOKENS] = (double)chosen->completion_tokens;
  state->values[FW_ACTUATOR_PAUSE_S] = fw_time_to_seconds(chosen->pause);
  state->values[FW_ACTUATOR_POWER_CAP_W] = fw_power_to_watts(chosen->power_cap);
  state->bits = drives(chosen);
}

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)fleet;
  static_state chosen = {.bits = 0};
  gather(settings, &chosen);
  if (chosen.bits == 0) {
    return fw_json_error(written, diagnostics,
                         "the static policy sets nothing; give at least one of concurrency, group_size, "
                         "completion_tokens, pause_s and power_cap_w, or use the policy \"uncontrolled\"");
  }
  fw_status first = FW_OK;
  for (unsigned i = 0; i < FW_COUNT_OF(fields); i++) { /* one for each actuator, in their order */
    if ((chosen.bits & 1u << i) == 0) continue;
    const fw_json_value *place = fw_record_member(written, fields[i].name);
    fw_status status = fwi_actuator_check_value(job, (fw_actuator)i, chosen.values[i], place, diagnostics);
    if (first == FW_OK) first = status;
  }
  return first;
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)job, (void)fleet;
  static_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a static policy");
  gather(settings, made);
  *state = made;
  return FW_OK;
}

/* A setting holds until it is changed, so the first decision says all; a fleet policy may then still cap the job. */
static fw_status decide(void *state, const fw_job_observation *observation, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  const static_state *chosen = state;
  if (observation->decision > 0) return FW_OK;
  for (unsigned i = 0; i < FW_ACTUATOR_COUNT; i++) {
    if ((chosen->bits & 1u << i) != 0) fwi_actuator_set(action, (fw_actuator)i, chosen->values[i]);
  }
  return FW_OK;
}

const fw_record fwi_static_settings = {
    .name = "static",
    .doc = "chosen settings from the start; at least one",
    .size = sizeof(static_settings),
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_static_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_JOB,
    .name = "static",
    .doc = "sets chosen actuators at the start and keeps them",
    .settings = &fwi_static_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_job = decide,
    .drives = drives,
    .ignores_budget = true,
};

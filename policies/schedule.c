/* Schedule: an open loop with a timetable. Each step of it asks for one setting of an actuator, which may lie between
 * two levels: then the decisions of the step take the level below and the level above in turn, in the proportion that
 * has the asked setting for its mean (what is owed is carried on, as in mix.c). So a timetable has a real number for
 * each of its steps, and `lead` shifts all of it: the best it can do is what can be had from knowing the clock. */
#include <math.h>
#include <stdlib.h>

#include "policies/actuator.h"
#include "policies/builtin.h"
#include "policies/ceilings.h"
#include "sim/base/fields.h"
#include "sim/base/memory.h"

#define SHOWN_DIGITS 6

typedef struct schedule_step {
  fw_time_ns from;
  double setting;
} schedule_step;

typedef struct schedule_settings {
  int actuator; /* fw_actuator */
  fw_time_ns repeat;
  fw_time_ns lead;
  fw_array steps; /* of schedule_step */
} schedule_settings;

typedef struct schedule_state {
  const schedule_settings *settings;
  fw_actuator_range range;
  double owed; /* of a decision at the level above, 0 to 1 */
} schedule_state;

static const fw_field step_fields[] = {
    FW_FIELD(schedule_step, from, FW_FIELD_TIME, FW_REQUIRED, 0.0, FWI_MOST_S,
             "when the step begins, within the repeat"),
    FW_FIELD(schedule_step, setting, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 0.0,
             "mean setting of its decisions, in the actuator's unit; need not be a level"),
};

static const fw_record step_record = {
    .name = "schedule_step",
    .doc = "one step of a timetable",
    .size = sizeof(schedule_step),
    .fields = step_fields,
    .field_count = FW_COUNT_OF(step_fields),
};

static const fw_field fields[] = {
    FW_ENUM(schedule_settings, actuator, fw_actuator_names, FW_OPTIONAL, "what the policy drives"),
    FW_FIELD_ABOVE(schedule_settings, repeat, FW_FIELD_TIME, FW_OPTIONAL, 0.0, FWI_MOST_S,
                   "period after which the steps start again; default: never"),
    FW_FIELD(schedule_settings, lead, FW_FIELD_TIME, FW_OPTIONAL, 0.0, FWI_MOST_S,
             "a decision takes the step that is in force so much later"),
    FW_RECORDS(schedule_settings, steps, &step_record, FW_REQUIRED, "rising in time, the first at 0"),
};

static const schedule_settings defaults = {.actuator = FW_ACTUATOR_CONCURRENCY};

static fw_status check_setting(const fw_actuator_range *range, size_t index, double setting, const fw_json_value *step,
                               fw_diagnostics *diagnostics) {
  if (setting >= range->min && setting <= range->max) return FW_OK;
  char min[FW_NUMBER_TEXT_SIZE];
  char max[FW_NUMBER_TEXT_SIZE];
  return fw_json_error(fw_record_member(step, "setting"), diagnostics,
                       "steps[%zu].setting is outside what the job allows; give %s to %s", index,
                       fw_number_format(range->min, SHOWN_DIGITS, min),
                       fw_number_format(range->max, SHOWN_DIGITS, max));
}

static fw_status check_times(const schedule_settings *settings, size_t index, const fw_json_value *step,
                             fw_diagnostics *diagnostics) {
  const schedule_step *steps = settings->steps.data;
  const fw_json_value *from = fw_record_member(step, "from");
  if (index == 0 ? steps[index].from != 0 : steps[index].from <= steps[index - 1].from) {
    return fw_json_error(from, diagnostics, "steps must rise in time, the first at 0; steps[%zu] does not", index);
  }
  if (settings->repeat > 0 && steps[index].from >= settings->repeat) {
    return fw_json_error(from, diagnostics,
                         "steps[%zu] begins after the timetable repeats; let it begin earlier or give a longer repeat",
                         index);
  }
  return FW_OK;
}

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)fleet;
  const schedule_settings *chosen = settings;
  const schedule_step *steps = chosen->steps.data;
  const fw_actuator actuator = (fw_actuator)chosen->actuator;
  const fw_status offered =
      fwi_actuator_check_offered(job, actuator, fw_record_member(written, "actuator"), diagnostics);
  fw_status first = offered;
  for (size_t i = 0; i < chosen->steps.count; i++) {
    const fw_json_value *step = fw_record_element(written, "steps", i);
    const fw_status setting =
        offered != FW_OK ? FW_OK : check_setting(&job->actuators[actuator], i, steps[i].setting, step, diagnostics);
    const fw_status times = check_times(chosen, i, step, diagnostics);
    const fw_status status = setting != FW_OK ? setting : times;
    if (first == FW_OK) first = status;
  }
  return first;
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)fleet;
  const schedule_settings *chosen = settings;
  schedule_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a schedule policy");
  *made = (schedule_state){.settings = chosen, .range = job->actuators[chosen->actuator]};
  *state = made;
  return FW_OK;
}

/* What the timetable asks for at `time_s`; the first step where the clock says nothing that can be used. */
static double asked_at(const schedule_settings *settings, double time_s) {
  const schedule_step *steps = settings->steps.data;
  fw_time_ns time = 0;
  if (!fw_time_from_seconds(time_s, &time)) return steps[0].setting;
  time = time > FW_TIME_MAX - settings->lead ? FW_TIME_MAX : time + settings->lead;
  if (settings->repeat > 0) time %= settings->repeat;
  size_t step = 0;
  while (step + 1 < settings->steps.count && steps[step + 1].from <= time) {
    step++;
  }
  return steps[step].setting;
}

/* One of the two levels around `asked`, so that the mean comes out. */
static double choose_level(schedule_state *state, double asked) {
  const fw_actuator_range *range = &state->range;
  size_t above = 0;
  if (range->level_count == 0) return asked;
  while (above < range->level_count && range->levels[above] < asked) {
    above++;
  }
  if (above == range->level_count) return range->levels[above - 1];
  if (above == 0 || range->levels[above] == asked) return range->levels[above];
  const double below = range->levels[above - 1];
  state->owed += (asked - below) / (range->levels[above] - below);
  if (state->owed < 1.0) return below;
  state->owed -= 1.0;
  return range->levels[above];
}

static fw_status decide(void *state, const fw_job_observation *observation, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  schedule_state *made = state;
  const double asked = asked_at(made->settings, observation->time_s);
  fwi_actuator_set(action, (fw_actuator)made->settings->actuator, choose_level(made, asked));
  return FW_OK;
}

static uint32_t drives(const void *settings) {
  return 1u << ((const schedule_settings *)settings)->actuator;
}

const fw_record fwi_schedule_settings = {
    .name = "schedule",
    .doc = "a timetable of settings",
    .size = sizeof(schedule_settings),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_schedule_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_JOB,
    .name = "schedule",
    .doc = "follows a timetable, whatever power does; between two levels it takes both in turn",
    .settings = &fwi_schedule_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_job = decide,
    .drives = drives,
    .ignores_budget = true,
};

/* Actuators: their names, which way they move power, and steps within the range that a job allows. */
#include "policies/actuator.h"

#include <math.h>

#define STEPS_IN_A_RANGE 16.0 /* where it has no levels */
#define SHOWN_DIGITS 6

const char *const fw_actuator_names[FW_ACTUATOR_COUNT + 1] = {
    "concurrency", "group_size", "completion_tokens", "pause_s", "power_cap_w", "start_offset_s", NULL,
};

/* +1 where a higher setting means more power, -1 where it means less. */
static const int power_signs[FW_ACTUATOR_COUNT] = {
    [FW_ACTUATOR_CONCURRENCY] = 1, [FW_ACTUATOR_GROUP_SIZE] = 1,  [FW_ACTUATOR_COMPLETION_TOKENS] = 1,
    [FW_ACTUATOR_PAUSE_S] = -1,    [FW_ACTUATOR_POWER_CAP_W] = 1, [FW_ACTUATOR_START_OFFSET_S] = -1,
};

static double limited(double value, double min, double max) {
  if (value < min) return min;
  return value > max ? max : value;
}

double fw_actuator_nearest(const fw_actuator_range *range, double value) {
  double inside = limited(value, range->min, range->max);
  if (range->level_count == 0 || isnan(inside)) return inside;
  double best = range->levels[0];
  for (size_t i = 1; i < range->level_count; i++) {
    /* Strictly nearer, and levels rise: ties go down. */
    if (fabs(range->levels[i] - inside) < fabs(best - inside)) best = range->levels[i];
  }
  return best;
}

static double level_above(const fw_actuator_range *range, double value) {
  for (size_t i = 0; i < range->level_count; i++) {
    if (range->levels[i] > value) return range->levels[i];
  }
  return fw_actuator_nearest(range, value);
}

static double level_below(const fw_actuator_range *range, double value) {
  for (size_t i = range->level_count; i > 0; i--) {
    if (range->levels[i - 1] < value) return range->levels[i - 1];
  }
  return fw_actuator_nearest(range, value);
}

double fw_actuator_step(const fw_actuator_range *range, double value, int direction) {
  if (direction == 0) return fw_actuator_nearest(range, value);
  if (range->level_count > 0) return direction > 0 ? level_above(range, value) : level_below(range, value);
  double step = (range->max - range->min) / STEPS_IN_A_RANGE;
  return limited(direction > 0 ? value + step : value - step, range->min, range->max);
}

void fwi_actuator_set(fw_job_action *action, fw_actuator actuator, double value) {
  action->settings[actuator] = value;
  action->set |= 1u << actuator;
}

bool fwi_actuator_move(const fw_actuator_range *range, fw_actuator actuator, int push, uint64_t steps, double present,
                       fw_job_action *action) {
  int direction = push < 0 ? -power_signs[actuator] : power_signs[actuator];
  double next = present;
  for (uint64_t i = 0; i < steps; i++)
    next = fw_actuator_step(range, next, direction);
  if (isnan(next) || next == present) return false;
  fwi_actuator_set(action, actuator, next);
  return true;
}

fw_status fwi_actuator_check_offered(const fw_job_setup *job, fw_actuator actuator, const fw_json_value *place,
                                     fw_diagnostics *diagnostics) {
  const fw_actuator_range *range = &job->actuators[actuator];
  if (range->min < range->max) return FW_OK;
  char fixed[FW_NUMBER_TEXT_SIZE];
  return fw_json_error(
      place, diagnostics,
      "the job does not offer \"%s\": it is fixed at %s; give the job a range for it or let the policy "
      "drive another actuator",
      fw_actuator_names[actuator], fw_number_format(range->min, SHOWN_DIGITS, fixed));
}

/* "1 to 8", or "1 to 8 in the levels 1, 2, 4, 8". */
static void describe_range(const fw_actuator_range *range, fw_text *text) {
  fw_text_add_number(text, range->min, SHOWN_DIGITS);
  fw_text_add(text, " to ");
  fw_text_add_number(text, range->max, SHOWN_DIGITS);
  for (size_t i = 0; i < range->level_count; i++) {
    fw_text_add(text, i == 0 ? " in the levels " : ", ");
    fw_text_add_number(text, range->levels[i], SHOWN_DIGITS);
  }
}

fw_status fwi_actuator_check_value(const fw_job_setup *job, fw_actuator actuator, double value,
                                   const fw_json_value *place, fw_diagnostics *diagnostics) {
  const fw_actuator_range *range = &job->actuators[actuator];
  if (fw_actuator_nearest(range, value) == value) return FW_OK;
  fw_text allowed = FW_TEXT_INIT;
  describe_range(range, &allowed);
  char shown[FW_NUMBER_TEXT_SIZE];
  fw_status status = fw_json_error(place, diagnostics, "%s %s is not a setting that the job allows; it allows %s",
                                   fw_actuator_names[actuator], fw_number_format(value, SHOWN_DIGITS, shown),
                                   allowed.failed ? "others (out of memory)" : allowed.data);
  fw_text_clear(&allowed);
  return status;
}

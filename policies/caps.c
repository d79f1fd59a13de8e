/* Caps: what is offered, what limits them, and when a band of the budget calls for them. */
#include "policies/caps.h"

#include <math.h>

#define SHOWN_DIGITS 6
#define HELD_SHARE 0.9 /* of a cap: settled means lie above this, with room for noise */

fw_status fwi_engagement_check(const fwi_engagement *engagement, const fw_json_value *written,
                               fw_diagnostics *diagnostics) {
  if (engagement->release_below < engagement->engage_above) return FW_OK;
  char release[FW_NUMBER_TEXT_SIZE];
  char engage[FW_NUMBER_TEXT_SIZE];
  return fw_json_error(fw_record_member(written, "release_below"), diagnostics,
                       "release_below (%s) must be less than engage_above (%s); between them caps stay as they are",
                       fw_number_format(engagement->release_below, SHOWN_DIGITS, release),
                       fw_number_format(engagement->engage_above, SHOWN_DIGITS, engage));
}

double fwi_cautious_power_w(const fw_fleet_observation *fleet) {
  return fmax(fleet->power_w, fleet->window_mean_w); /* of a number and a NaN, fmax returns the number */
}

int fwi_engagement_push(const fwi_engagement *engagement, const fw_fleet_observation *fleet) {
  /* What is not known is NaN, which no comparison holds for. */
  if (fleet->power_w > engagement->engage_above * fleet->budget_w) return 1;
  if (isnan(fleet->power_w)) return 0;
  return fwi_cautious_power_w(fleet) < engagement->release_below * fleet->budget_w ? -1 : 0;
}

bool fwi_cap_offered(const fw_fleet_job *job) {
  return job->cap_min_w < job->cap_max_w;
}

bool fwi_cap_holds(const fw_fleet_job *job) {
  return job->cap_w < job->cap_max_w && job->power_w >= HELD_SHARE * job->cap_w * (double)job->gpus;
}

double fwi_cap_limit(const fw_fleet_job *job, double cap_w) {
  if (cap_w < job->cap_min_w) return job->cap_min_w;
  return cap_w > job->cap_max_w ? job->cap_max_w : cap_w;
}

void fwi_cap_set(const fw_fleet_observation *fleet, size_t index, double cap_w, fw_fleet_action *action) {
  const fw_fleet_job *job = &fleet->jobs[index];
  if (!fwi_cap_offered(job)) return;
  double limited_w = fwi_cap_limit(job, cap_w);
  if (limited_w != job->cap_w) action->cap_w[index] = limited_w;
}

uint32_t fwi_cap_drives(const void *settings) {
  (void)settings;
  return 1u << FW_ACTUATOR_POWER_CAP_W;
}

/* The dead band: below it more power may be drawn, above it less is wanted, inside it nothing changes. */
#include "policies/band.h"

#include <math.h>

#define SHOWN_DIGITS 6

enum { SIGNAL_INTERVAL, SIGNAL_READING, SIGNAL_WINDOW, SIGNAL_FLEET, SIGNAL_FLEET_WINDOW };

const char *const fwi_band_signals[] = {"interval", "reading", "window", "fleet", "fleet_window", NULL};

/* `window_count` where the job has no such window. */
static size_t find_window(const fwi_band *band, const fw_job_setup *job) {
  size_t i = 0;
  fw_time_ns length = 0;
  while (i < job->window_count && !(fw_time_from_seconds(job->windows_s[i], &length) && length == band->window))
    i++;
  return i;
}

size_t fwi_band_window(const fwi_band *band, const fw_job_setup *job) {
  return band->window_given ? find_window(band, job) : 0;
}

static fw_status check_window(const fwi_band *band, const fw_job_setup *job, const fw_json_value *place,
                              fw_diagnostics *diagnostics) {
  if (find_window(band, job) < job->window_count) return FW_OK;
  fw_text known = FW_TEXT_INIT;
  for (size_t i = 0; i < job->window_count; i++) {
    fw_text_add(&known, i == 0 ? "" : ", ");
    fw_text_add_number(&known, job->windows_s[i], SHOWN_DIGITS);
  }
  char wanted[FW_UNITS_TEXT_SIZE];
  fw_status status = fw_json_error(
      place, diagnostics, "the scenario has no window of %s s (it has: %s); use one of these or add it to windows_s",
      fw_time_format(band->window, wanted), known.data == NULL ? "none" : known.data);
  fw_text_clear(&known);
  return status;
}

static fw_status check_signal(const fwi_band *band, const fw_job_setup *job, const fw_json_value *written,
                              fw_diagnostics *diagnostics) {
  const bool wants_window = band->signal == SIGNAL_WINDOW || band->signal == SIGNAL_FLEET_WINDOW;
  const fw_json_value *window = fw_record_member(written, "window");
  if (wants_window && band->window_given) return check_window(band, job, window, diagnostics);
  if (wants_window) {
    return fw_json_error(fw_record_member(written, "signal"), diagnostics,
                         "the signal \"%s\" needs window_s; give it one of the scenario's windows",
                         fwi_band_signals[band->signal]);
  }
  if (band->window_given) {
    return fw_json_error(window, diagnostics,
                         "window_s is read only with the signals \"window\" and \"fleet_window\"; set one of them or "
                         "leave window_s out");
  }
  return FW_OK;
}

static fw_status check_order(const fwi_band *band, const fw_json_value *written, fw_diagnostics *diagnostics) {
  if (band->raise_below < band->lower_above) return FW_OK;
  char raise[FW_NUMBER_TEXT_SIZE];
  char lower[FW_NUMBER_TEXT_SIZE];
  return fw_json_error(fw_record_member(written, "raise_below"), diagnostics,
                       "raise_below (%s) must be less than lower_above (%s); between them nothing changes",
                       fw_number_format(band->raise_below, SHOWN_DIGITS, raise),
                       fw_number_format(band->lower_above, SHOWN_DIGITS, lower));
}

fw_status fwi_band_check(const fwi_band *band, const fw_job_setup *job, const fw_json_value *written,
                         fw_diagnostics *diagnostics) {
  fw_status offered =
      fwi_actuator_check_offered(job, (fw_actuator)band->actuator, fw_record_member(written, "actuator"), diagnostics);
  fw_status signal = check_signal(band, job, written, diagnostics);
  fw_status order = check_order(band, written, diagnostics);
  if (offered != FW_OK) return offered;
  return signal != FW_OK ? signal : order;
}

static double signal_of(const fwi_band *band, size_t window, const fw_job_observation *observation) {
  switch (band->signal) {
  case SIGNAL_READING:
    return observation->power_w;
  case SIGNAL_WINDOW:
    return observation->window_mean_w[window];
  case SIGNAL_FLEET:
    return observation->fleet_power_w;
  case SIGNAL_FLEET_WINDOW:
    return observation->fleet_window_mean_w[window];
  default:
    return observation->interval_mean_w;
  }
}

int fwi_band_push(const fwi_band *band, size_t window, const fw_job_observation *observation) {
  const double signal_w = signal_of(band, window, observation);
  const double budget_w = band->signal >= SIGNAL_FLEET ? observation->fleet_budget_w : observation->budget_w;
  /* What is not known is NaN, which no comparison holds for. */
  if (signal_w > band->lower_above * budget_w) return -1;
  return signal_w < band->raise_below * budget_w ? 1 : 0;
}

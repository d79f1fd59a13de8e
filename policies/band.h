/* A band of the job's budget, or of the site's, in which a power signal is to be held: what threshold.c and
 * hysteresis.c share. */
#ifndef FW_POLICIES_BAND_H
#define FW_POLICIES_BAND_H

#include "policies/actuator.h"
#include "policies/ceilings.h"
#include "sim/base/fields.h"

typedef struct fwi_band {
  int actuator;      /* fw_actuator */
  int signal;        /* index into fwi_band_signals */
  fw_time_ns window; /* of the signals "window" and "fleet_window" */
  bool window_given;
  double lower_above; /* share of the budget */
  double raise_below;
} fwi_band;

extern const char *const fwi_band_signals[];

/* The table's members for a settings struct that holds an fwi_band as `band`. */
#define FWI_BAND_FIELDS(type)                                                                                          \
  {.name = "actuator",                                                                                                 \
   .kind = FW_FIELD_ENUM,                                                                                              \
   .offset = offsetof(type, band.actuator),                                                                            \
   .names = fw_actuator_names,                                                                                         \
   .doc = "what the policy drives"},                                                                                   \
      {.name = "signal",                                                                                               \
       .kind = FW_FIELD_ENUM,                                                                                          \
       .offset = offsetof(type, band.signal),                                                                          \
       .names = fwi_band_signals,                                                                                      \
       .doc =                                                                                                          \
           "interval: mean of the readings since the last decision; reading: the last one; window: the rolling "       \
           "mean over window_s; fleet and fleet_window: the site's telemetry and its rolling mean, held against the "  \
           "site's budget"},                                                                                           \
      {.name = "window",                                                                                               \
       .kind = FW_FIELD_TIME,                                                                                          \
       .offset = offsetof(type, band.window),                                                                          \
       .exclusive_min = true,                                                                                          \
       .max = FWI_MOST_S,                                                                                              \
       .doc = "with the signals \"window\" and \"fleet_window\": one of the scenario's windows",                       \
       .present_offset = offsetof(type, band.window_given)},                                                           \
      {.name = "lower_above",                                                                                          \
       .kind = FW_FIELD_NUMBER,                                                                                        \
       .offset = offsetof(type, band.lower_above),                                                                     \
       .exclusive_min = true,                                                                                          \
       .max = FWI_MOST_SHARE,                                                                                          \
       .doc = "power is lowered while the signal is above this share of the job's budget (or of the site's)"},         \
  {                                                                                                                    \
    .name = "raise_below", .kind = FW_FIELD_NUMBER, .offset = offsetof(type, band.raise_below), .max = FWI_MOST_SHARE, \
    .doc = "power is raised while the signal is below this share of the job's budget (or of the site's)"               \
  }

/* Checks the band against the job. `written` are the settings that hold it, or NULL. */
fw_status fwi_band_check(const fwi_band *band, const fw_job_setup *job, const fw_json_value *written,
                         fw_diagnostics *diagnostics);

/* The index of its window among the job's, of a band that was checked; 0 where the signal needs none. */
size_t fwi_band_window(const fwi_band *band, const fw_job_setup *job);

/* -1: less power is wanted; 1: more may be drawn; 0: stay, also while the signal or the budget is not known. */
int fwi_band_push(const fwi_band *band, size_t window, const fw_job_observation *observation);

#endif

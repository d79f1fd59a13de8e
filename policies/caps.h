/* What fleet policies share about power caps, all per GPU. */
#ifndef FW_POLICIES_CAPS_H
#define FW_POLICIES_CAPS_H

#include "policies/ceilings.h"
#include "policies/policy.h"
#include "sim/base/fields.h"

/* How often a fleet policy decides and over which window it wants means. Telemetry is a second old: a policy that
 * decides every second would act on its own last action before it can see it, hence the exclusive minimum. */
typedef struct fwi_rhythm {
  fw_time_ns interval;
  fw_time_ns window;
} fwi_rhythm;

#define FWI_TELEMETRY_AGE_S 1.0

/* The table's members for a settings struct that holds an fwi_rhythm as `rhythm`. */
#define FWI_RHYTHM_FIELDS(type)                                                                                        \
  {.name = "interval",                                                                                                 \
   .kind = FW_FIELD_TIME,                                                                                              \
   .offset = offsetof(type, rhythm.interval),                                                                          \
   .exclusive_min = true,                                                                                              \
   .min = FWI_TELEMETRY_AGE_S,                                                                                         \
   .max = FWI_MOST_S,                                                                                                  \
   .doc = "between decisions; telemetry is a second old, so more than that"},                                          \
  {                                                                                                                    \
    .name = "window", .kind = FW_FIELD_TIME, .offset = offsetof(type, rhythm.window), .exclusive_min = true,           \
    .max = FWI_MOST_S, .doc = "of the mean that must be low, too, before caps are released"                            \
  }

/* A band of the fleet's budget. */
typedef struct fwi_engagement {
  double engage_above; /* share of the budget */
  double release_below;
} fwi_engagement;

#define FWI_ENGAGEMENT_FIELDS(type)                                                                                    \
  {.name = "engage_above",                                                                                             \
   .kind = FW_FIELD_NUMBER,                                                                                            \
   .offset = offsetof(type, engagement.engage_above),                                                                  \
   .max = FWI_MOST_SHARE,                                                                                              \
   .doc = "caps are set while the fleet is above this share of its budget"},                                           \
  {                                                                                                                    \
    .name = "release_below", .kind = FW_FIELD_NUMBER, .offset = offsetof(type, engagement.release_below),              \
    .max = FWI_MOST_SHARE, .doc = "caps are released while the fleet is below this share of its budget"                \
  }

/* Whether the band is one. `written` are the settings that hold it, or NULL. */
fw_status fwi_engagement_check(const fwi_engagement *engagement, const fw_json_value *written,
                               fw_diagnostics *diagnostics);

/* 1: caps are wanted; -1: they may be released; 0: neither, also while power or budget is not known. Caps answer to the
 * last reading, because a feed does; release waits until the window's mean is low as well, because one low reading
 * between two phases of a job proves nothing. */
int fwi_engagement_push(const fwi_engagement *engagement, const fw_fleet_observation *fleet);

/* The greater of the last reading and the window's mean, or the one that is known. */
double fwi_cautious_power_w(const fw_fleet_observation *fleet);

bool fwi_cap_offered(const fw_fleet_job *job);

/* Whether the job's draw is that of its cap: the cap is below what the GPU allows, and the draw not far below the cap
 * (settled means lie 2 to 5 % below caps of V100 and A40, docs/models.md). */
bool fwi_cap_holds(const fw_fleet_job *job);

/* `cap_w` within the range of the job's GPUs. */
double fwi_cap_limit(const fw_fleet_job *job, double cap_w);

/* Asks for `cap_w`, limited, for job `index`, unless that is in force already or the job offers no cap. */
void fwi_cap_set(const fw_fleet_observation *fleet, size_t index, double cap_w, fw_fleet_action *action);

/* The answer of every fleet policy here to which actuators it drives. */
uint32_t fwi_cap_drives(const void *settings);

#endif

/* What befalls one job, in order of time: outages, and GPUs that slow it down. Times are given by the scenario or
 * drawn, keyed by seed, GPU and number, so they do not depend on what the job does; breakers alone trip by what the
 * fleet does. */
#ifndef FW_FLEET_INCIDENT_H
#define FW_FLEET_INCIDENT_H

#include "sim/scenario/scenario.h"

#define FWI_ALL_GPUS SIZE_MAX

/* At `time` either an outage begins or the job's pace changes. */
typedef struct fwi_incident {
  fw_time_ns time;
  size_t cause; /* an fw_adversity_kind, or FW_STRUCK_BY_TRIP */
  bool begins;  /* something; else a straggler's end */
  bool is_outage;
  fw_outage outage;
  size_t gpu;       /* of the job, the first that failed, or that is slower; FWI_ALL_GPUS: the whole job is struck */
  size_t gpu_count; /* that failed */
  double pace;      /* from now on: factor on the times of the job, or of what is on `gpu`; 1: none holds it up */
} fwi_incident;

typedef struct fwi_incidents {
  fw_time_ns next; /* of the earliest; FW_TIME_MAX: no more */
  fwi_incident *given;
  size_t given_count;
  size_t given_next;
  fwi_incident *added; /* all of one instant, which is the next */
  size_t added_count;
  size_t added_capacity;
  const fw_adversity *failures; /* the law of random ones, or NULL */
  uint64_t seed;
  size_t first_gpu;
  size_t gpus;
  fw_time_ns *failure; /* per GPU: its next one */
  uint64_t *number;    /* of that */
} fwi_incidents;

fw_status fwi_incidents_create(const fw_adversity *adversities, size_t count, const fw_scenario_job *job, uint64_t seed,
                               fwi_incidents *out, fw_diagnostics *diagnostics);
void fwi_incidents_free(fwi_incidents *incidents);

/* An outage that begins now: at the instant that the job has reached. */
fw_status fwi_incidents_add(fwi_incidents *incidents, const fwi_incident *incident, fw_diagnostics *diagnostics);

/* Takes the earliest; there must be one. */
fwi_incident fwi_incidents_take(fwi_incidents *incidents);

#endif

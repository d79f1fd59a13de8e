/* What befalls one job, in order of time: outages, and GPUs that slow it down. Times are given by the scenario or
 * drawn, keyed by seed, GPU and number, so they do not depend on what the job does. */
#ifndef FW_FLEET_INCIDENT_H
#define FW_FLEET_INCIDENT_H

#include "sim/scenario/scenario.h"

#define FWI_ALL_GPUS SIZE_MAX

/* At `time` either an outage begins or the job's pace changes. */
typedef struct fwi_incident {
  fw_time_ns time;
  fw_adversity_kind cause;
  bool begins; /* something; else a straggler's end */
  bool is_outage;
  fw_outage outage;
  size_t gpu;  /* of the job, that failed or is slower; FWI_ALL_GPUS: the whole job is struck */
  double pace; /* from now on: factor on the times of the job, or of what is on `gpu`; 1: none holds it up */
} fwi_incident;

typedef struct fwi_incidents {
  fw_time_ns next; /* of the earliest; FW_TIME_MAX: no more */
  fwi_incident *given;
  size_t given_count;
  size_t given_next;
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

/* Takes the earliest; there must be one. */
fwi_incident fwi_incidents_take(fwi_incidents *incidents);

#endif

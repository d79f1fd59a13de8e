/* The share of time in which the GPUs of a job were busy, from the utilisation that their driver logs beside the power
 * (occupancy.h has the rules). */
#ifndef FWI_TRACES_UTILIZATION_H
#define FWI_TRACES_UTILIZATION_H

#include "traces/states.h"

/* Constant over [from, to). */
typedef struct fwi_busy {
  fw_time_ns from;
  fw_time_ns to;
  double reading; /* mean over the GPUs of what was read at the start */
  double share;   /* of full work, 0 to 1 */
} fwi_busy;

/* In order of time, never overlapping; between them nothing is known. */
typedef struct fwi_utilization {
  fwi_busy *data;
  size_t count;
  size_t capacity;
} fwi_utilization;

/* Reads the column utilization_pct (or util_gpu_pct) of the file behind `trace`, of the GPUs that play the role.
 * FW_ERROR_INPUT: no such column, a cell that is no number from 0 to 100, no stretch at which all GPUs have a reading.
 * Clear even after a failure. */
fw_status fwi_read_utilization(const fw_trace *trace, const fwi_roles *roles, fwi_utilization *out,
                               fw_diagnostics *diagnostics);
void fwi_utilization_clear(fwi_utilization *utilization);

/* Share of [from, to), a part of `state`, that was work: as measured, or where it was not as the state says. */
double fwi_utilization_of_state(const fwi_utilization *utilization, const fwi_state *state, fw_time_ns from,
                                fw_time_ns to);

/* Rates of tokens become those of measured work: the tokens of a step belong to the busy part of it. Counters are read
 * late, or rise before the work begins: what an idle step read and wrote belongs to the step before it, or where that
 * was idle too to the next busy one. */
void fwi_utilization_apply(const fwi_utilization *utilization, fwi_states *states);

#endif

/* What a job did, as stretches of time: what counters, phases and power are turned into before ticks are cut
 * (occupancy.h has the rules). */
#ifndef FWI_TRACES_STATES_H
#define FWI_TRACES_STATES_H

#include "traces/occupancy.h"

/* Constant over [from, to). Stretches come in order of time and never overlap; between them nothing is known. */
typedef struct fwi_state {
  fw_time_ns from;
  fw_time_ns to;
  fw_activity activity;
  double in_flight;       /* of work; NaN: unknown */
  double prompt_per_s;    /* NaN: unknown */
  double generated_per_s; /* NaN: unknown */
  size_t phase;           /* from 1; 0: none */
  size_t step;            /* of the engine, whose tokens are spread over all its states */
} fwi_state;

typedef struct fwi_states {
  fwi_state *data;
  size_t count;
  size_t capacity;
} fwi_states;

/* A stretch of which no more is known than the activity. */
fwi_state fwi_state_bare(fw_time_ns from, fw_time_ns to, fw_activity activity);

fw_status fwi_states_add(fwi_states *states, const fwi_state *state, fw_diagnostics *diagnostics);
void fwi_states_clear(fwi_states *states);

/* Which GPUs play the role that was asked for. */
typedef struct fwi_roles {
  char **gpus; /* owned */
  size_t count;
  size_t capacity;
  bool present; /* the file has a column `role`; else all GPUs count */
} fwi_roles;

void fwi_roles_clear(fwi_roles *roles);

/* Whether a GPU counts: it plays the role, or none was asked for. */
bool fwi_roles_play(const fwi_roles *roles, const char *gpu);

typedef struct fwi_counters {
  bool found; /* the file has a column requests_running; nothing is read where it has not */
  bool has_tokens;
  size_t requests; /* rises of the count */
  fwi_states states;
  fwi_roles roles;
} fwi_counters;

/* Counters of a file. With `role` only rows of that role count; of rows with one stamp the first counts, since GPUs of
 * one engine share its counters (counters.c). */
fw_status fwi_read_counters(const char *path, const char *role, fwi_counters *out, fw_diagnostics *diagnostics);
void fwi_counters_clear(fwi_counters *counters);

/* Phases of a file and what lies between them, over [from, to): idle before the first, ready between and after them.
 * The first `skipped` work phases are left unknown; how
 * many others there are goes to `work_phases` (phases.c). */
fw_status fwi_read_phases(const char *path, size_t skipped, fw_time_ns from, fw_time_ns to, fwi_states *out,
                          size_t *work_phases, fw_diagnostics *diagnostics);

#endif

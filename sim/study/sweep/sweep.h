/* Sweep: one scenario at many points of a design, every policy at every budget over the same seeds, kept in a store.
 *
 * The settings of a point are put into the scenario's text before it is read, so that every check of the reader applies
 * to them. Work is shared out unit by unit to whoever asks: the threads of this process, other processes through the
 * claims of the store, and ranks of an MPI job, for which the process with the store asks. What a sweep comes to is
 * read from the store (stored.h), so that it does not depend on who did what. */
#ifndef FW_STUDY_SWEEP_H
#define FW_STUDY_SWEEP_H

#include "sim/study/replicate.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/store.h"

typedef struct fw_sweep fw_sweep;

typedef struct fw_sweep_spec {
  const char *path;                       /* of the scenario file */
  const fw_scenario_overrides *overrides; /* of its flags; budgets are an axis, not a flag. Outlives the sweep */
  const fw_design *design;                /* outlives the sweep */
} fw_sweep_spec;

/* Reads and checks the scenario at every point; nothing is simulated yet. Faults name the point and its settings. Warns
 * of actuators without authority as fw_authority_warn does, each warning once. Free with fw_sweep_free. */
fw_status fw_sweep_prepare(const fw_sweep_spec *spec, fw_sweep **out, fw_diagnostics *diagnostics);
void fw_sweep_free(fw_sweep *sweep); /* or NULL */

/* Its name in the scenario file. */
const char *fw_sweep_scenario(const fw_sweep *sweep);

/* What all ranks of a job must agree on. */
uint64_t fw_sweep_digest(const fw_sweep *sweep);

/* ---- Units: the runs that one simulation gives ---- */

size_t fw_sweep_units(const fw_sweep *sweep);
size_t fw_sweep_unit_runs(const fw_sweep *sweep, size_t unit); /* budgets that it serves */

/* Simulates a unit; `figures` holds fw_sweep_unit_runs of them. From any thread. */
fw_status fw_sweep_simulate(fw_sweep *sweep, size_t unit, fw_store_figures *figures, fw_diagnostics *diagnostics);

/* ---- With a store ---- */

/* Makes the study `name` in the store, or finds it there; it must then have these very points. */
fw_status fw_sweep_register(fw_sweep *sweep, fw_store *store, const char *name, fw_diagnostics *diagnostics);

/* Simulates what the store does not have, and returns when it has all of it, also where other processes work on it.
 * `serve`, where not NULL, is called on this very thread while the others work, to give units to whoever is not a
 * thread of this process. Interrupted or failed, it keeps what was finished. */
typedef struct fw_sweep_server {
  void (*serve)(void *context, fw_sweep *sweep);
  void *context;
} fw_sweep_server;

fw_status fw_sweep_run(fw_sweep *sweep, fw_store *store, const fw_study_options *options, const fw_sweep_server *server,
                       fw_diagnostics *diagnostics);

/* How many runs the last fw_sweep_run kept; the others were in the store, or came from other processes. */
size_t fw_sweep_simulated(const fw_sweep *sweep);

/* For a server, while fw_sweep_run runs. */
typedef enum fw_sweep_answer {
  FW_SWEEP_UNIT, /* `unit` is the caller's: give it back, or say that it failed */
  FW_SWEEP_WAIT, /* all that is left is simulated elsewhere: ask again */
  FW_SWEEP_END   /* nothing is left for this caller */
} fw_sweep_answer;

fw_sweep_answer fw_sweep_take(fw_sweep *sweep, size_t *unit);
void fw_sweep_give(fw_sweep *sweep, size_t unit, const fw_store_figures *figures);
void fw_sweep_fail(fw_sweep *sweep, size_t unit, fw_status status, fw_diagnostics *why); /* empties `why` */

#endif

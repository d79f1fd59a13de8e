/* Sharing out: units are taken in their order by whoever is free, and given back to be committed.
 *
 * Commits wait for the disk, so the first thread with a result writes, and takes along what others give it meanwhile:
 * they go on. A unit that another process has claimed is passed over and looked at again at the end; by then it is in
 * the store, or its process died and the claim with it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/study/sweep/store_db.h"
#include "sim/study/sweep/sweep_points.h"

enum { OPEN, TAKEN, DONE };

static bool cancelled(const fwi_sweep_share *share) {
  return share->options->cancel != NULL && *share->options->cancel != 0;
}

static void report_progress(const fw_sweep *sweep) {
  const fw_study_options *options = sweep->share.options;
  if (options->progress != NULL) {
    options->progress(options->progress_context, sweep->share.done, sweep->unit_count);
  }
}

/* Keeps the failure of the first unit. */
static void note_failure(fwi_sweep_share *share, size_t unit, fw_status status, fw_diagnostics *why) {
  if (share->status == FW_OK || unit < share->failed_unit) {
    fw_diagnostics_clear(&share->diagnostics);
    fw_diagnostics_append(&share->diagnostics, why);
    share->status = status;
    share->failed_unit = unit;
  }
  fw_diagnostics_clear(why);
}

static void mark_done(fw_sweep *sweep, size_t unit) {
  sweep->share.states[unit] = DONE;
  sweep->share.done++;
  report_progress(sweep);
}

/* ---- Taking ---- */

static fw_status all_stored(fw_sweep *sweep, const fwi_sweep_unit *unit, bool *stored, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  *stored = true;
  for (size_t i = 0; status == FW_OK && *stored && i < unit->runs; i++) {
    const fw_store_key key = fwi_sweep_key(sweep, unit, i);
    status = fwi_store_has(sweep->share.store, &key, stored, diagnostics);
  }
  return status;
}

/* Claims a unit, or finds that it is done or claimed elsewhere. What was finished while it was being claimed shows in
 * the second look. */
static fw_status try_unit(fw_sweep *sweep, size_t index, bool *claimed, bool *stored, fw_diagnostics *diagnostics) {
  const fwi_sweep_unit unit = fwi_sweep_unit_at(sweep, index);
  const fw_store_key key = fwi_sweep_key(sweep, &unit, 0);
  *claimed = false;
  fw_status status = all_stored(sweep, &unit, stored, diagnostics);
  if (status == FW_OK && !*stored) {
    status = fw_store_claim(sweep->share.store, &key, claimed, diagnostics);
  }
  if (status == FW_OK && *claimed) {
    status = all_stored(sweep, &unit, stored, diagnostics);
    if (status != FW_OK || *stored) {
      fw_store_release(sweep->share.store, &key);
      *claimed = false;
    }
  }
  return status;
}

static fw_sweep_answer take_next(fw_sweep *sweep, size_t *unit) {
  fwi_sweep_share *share = &sweep->share;
  fw_diagnostics said = FW_DIAGNOSTICS_INIT;
  for (; share->cursor < sweep->unit_count; share->cursor++) {
    const size_t at = share->cursor;
    bool claimed = false;
    bool stored = false;
    if (share->states[at] != OPEN) {
      continue;
    }
    const fw_status status = try_unit(sweep, at, &claimed, &stored, &said);
    if (status != FW_OK) {
      note_failure(share, at, status, &said);
      return FW_SWEEP_END;
    }
    if (claimed) {
      share->states[at] = TAKEN;
      share->cursor++;
      *unit = at;
      return FW_SWEEP_UNIT;
    }
    if (stored) {
      mark_done(sweep, at);
    } else {
      share->passed_over++;
    }
  }
  if (share->passed_over == 0) {
    return FW_SWEEP_END;
  }
  share->cursor = 0;
  share->passed_over = 0;
  return FW_SWEEP_WAIT;
}

fw_sweep_answer fw_sweep_take(fw_sweep *sweep, size_t *unit) {
  fwi_sweep_share *share = &sweep->share;
  omp_set_lock(&share->lock);
  const fw_sweep_answer answer = share->status != FW_OK || cancelled(share) ? FW_SWEEP_END : take_next(sweep, unit);
  omp_unset_lock(&share->lock);
  return answer;
}

/* ---- Giving back ---- */

static size_t runs_of(const fw_sweep *sweep, const fwi_sweep_given *given, size_t count) {
  size_t runs = 0;
  for (size_t i = 0; i < count; i++) {
    runs += fw_sweep_unit_runs(sweep, given[i].unit);
  }
  return runs;
}

static void fill_records(const fw_sweep *sweep, const fwi_sweep_given *given, size_t count, fw_store_record *out) {
  for (size_t i = 0; i < count; i++) {
    const fwi_sweep_unit unit = fwi_sweep_unit_at(sweep, given[i].unit);
    const fwi_sweep_point *point = &sweep->points[unit.point];
    for (size_t r = 0; r < unit.runs; r++) {
      *out++ =
          (fw_store_record){fwi_sweep_key(sweep, &unit, r), point->windows, point->window_count, given[i].figures[r]};
    }
  }
}

static fw_status commit(const fw_sweep *sweep, const fwi_sweep_given *given, size_t count,
                        fw_diagnostics *diagnostics) {
  const size_t runs = runs_of(sweep, given, count);
  fw_store_record *records = fw_allocate(runs, sizeof *records);
  if (records == NULL) {
    return fw_error_memory(diagnostics, "the results of a sweep");
  }
  fill_records(sweep, given, count, records);
  const fw_status status = fw_store_keep(sweep->share.store, records, runs, diagnostics);
  free(records);
  return status;
}

static void release(fw_sweep *sweep, size_t index) {
  const fwi_sweep_unit unit = fwi_sweep_unit_at(sweep, index);
  const fw_store_key key = fwi_sweep_key(sweep, &unit, 0);
  fw_store_release(sweep->share.store, &key);
}

/* Commits all that was given, and what is given meanwhile. The lock is held on entry and on return. */
static void commit_given(fw_sweep *sweep) {
  fwi_sweep_share *share = &sweep->share;
  while (share->given_count > 0) {
    fwi_sweep_given *batch = share->given;
    const size_t count = share->given_count;
    share->given = NULL;
    share->given_count = share->given_capacity = 0;
    omp_unset_lock(&share->lock);
    fw_diagnostics said = FW_DIAGNOSTICS_INIT;
    const fw_status status = commit(sweep, batch, count, &said);
    omp_set_lock(&share->lock);
    if (status != FW_OK) {
      note_failure(share, batch[0].unit, status, &said);
    }
    share->simulated += status == FW_OK ? runs_of(sweep, batch, count) : 0;
    for (size_t i = 0; i < count; i++) {
      if (status == FW_OK) {
        mark_done(sweep, batch[i].unit);
      }
      release(sweep, batch[i].unit);
      free(batch[i].figures);
    }
    free(batch);
    fw_diagnostics_clear(&said);
  }
}

static bool add_given(fwi_sweep_share *share, size_t unit, const fw_store_figures *figures, size_t runs) {
  fw_store_figures *copy = fw_allocate(runs, sizeof *copy);
  if (copy == NULL || !fw_grow(&share->given, &share->given_capacity, share->given_count + 1, sizeof *share->given)) {
    free(copy);
    return false;
  }
  memcpy(copy, figures, runs * sizeof *copy);
  share->given[share->given_count++] = (fwi_sweep_given){unit, copy};
  return true;
}

void fw_sweep_give(fw_sweep *sweep, size_t unit, const fw_store_figures *figures) {
  fwi_sweep_share *share = &sweep->share;
  omp_set_lock(&share->lock);
  if (!add_given(share, unit, figures, fw_sweep_unit_runs(sweep, unit))) {
    fw_diagnostics said = FW_DIAGNOSTICS_INIT;
    note_failure(share, unit, fw_error_memory(&said, "the results of a sweep"), &said);
    release(sweep, unit);
  }
  if (!share->committing) {
    share->committing = true;
    commit_given(sweep);
    share->committing = false;
  }
  omp_unset_lock(&share->lock);
}

void fw_sweep_fail(fw_sweep *sweep, size_t unit, fw_status status, fw_diagnostics *why) {
  omp_set_lock(&sweep->share.lock);
  note_failure(&sweep->share, unit, status, why);
  release(sweep, unit);
  omp_unset_lock(&sweep->share.lock);
}

/* ---- Working ---- */

static void do_unit(fw_sweep *sweep, size_t unit) {
  fw_diagnostics said = FW_DIAGNOSTICS_INIT;
  fw_store_figures *figures = fw_allocate(fw_sweep_unit_runs(sweep, unit), sizeof *figures);
  const fw_status status = figures != NULL ? fw_sweep_simulate(sweep, unit, figures, &said)
                                           : fw_error_memory(&said, "the results of a sweep");
  if (status == FW_OK) {
    fw_sweep_give(sweep, unit, figures);
  } else {
    fw_sweep_fail(sweep, unit, status, &said);
  }
  free(figures);
  fw_diagnostics_clear(&said);
}

static void work(fw_sweep *sweep) {
  static const struct timespec pause = {.tv_nsec = 20000000};
  for (;;) {
    size_t unit = 0;
    switch (fw_sweep_take(sweep, &unit)) {
    case FW_SWEEP_UNIT:
      do_unit(sweep, unit);
      break;
    case FW_SWEEP_WAIT:
      (void)nanosleep(&pause, NULL);
      break;
    case FW_SWEEP_END:
      return;
    }
  }
}

static void work_together(fw_sweep *sweep, const fw_sweep_server *server) {
  const int threads = fwi_study_threads(sweep->share.options);
#pragma omp parallel num_threads(threads + (server != NULL))
  {
    if (server != NULL && omp_get_thread_num() == 0) {
      server->serve(server->context, sweep);
    } else {
      work(sweep);
    }
  }
}

/* Says how far an interrupted sweep came. */
static fw_status finish(fw_sweep *sweep, fw_diagnostics *diagnostics) {
  fwi_sweep_share *share = &sweep->share;
  fw_diagnostics_append(diagnostics, &share->diagnostics);
  if (share->status == FW_OK && share->done < sweep->unit_count) {
    return fw_error(
        diagnostics, FW_ERROR_FAULT, (fw_place){0},
        "interrupted after %zu of %zu simulations; the store has them, and the same command goes on from there",
        share->done, sweep->unit_count);
  }
  return share->status;
}

size_t fw_sweep_simulated(const fw_sweep *sweep) {
  return sweep->share.simulated;
}

fw_status fw_sweep_run(fw_sweep *sweep, fw_store *store, const fw_study_options *options, const fw_sweep_server *server,
                       fw_diagnostics *diagnostics) {
  sweep->share = (fwi_sweep_share){.store = store, .options = options};
  sweep->share.states = fw_allocate(sweep->unit_count, 1);
  if (sweep->share.states == NULL) {
    return fw_error_memory(diagnostics, "the runs of a sweep");
  }
  omp_init_lock(&sweep->share.lock);
  work_together(sweep, server);
  const fw_status status = finish(sweep, diagnostics);
  omp_destroy_lock(&sweep->share.lock);
  free(sweep->share.states);
  free(sweep->share.given);
  sweep->share.given = NULL;
  fw_diagnostics_clear(&sweep->share.diagnostics);
  return status;
}

/* Dynamic sharing, because runs differ in length; nothing is summed here, so the order of their ends cannot show. */
#include "sim/study/replicate.h"

#include <omp.h>
#include <stdlib.h>

#include "sim/base/memory.h"

#define MOST_THREADS 1024

typedef struct outcome {
  fw_status status;
  fw_diagnostics diagnostics;
} outcome;

typedef struct replicator {
  const fwi_replications *work;
  const fw_study_options *options;
  outcome *outcomes;
  size_t done;
  bool stop; /* a run failed */
} replicator;

int fwi_study_threads(const fw_study_options *options) {
  const int wanted = options->threads < MOST_THREADS ? (int)options->threads : MOST_THREADS;
  const int processors = omp_get_num_procs();
  return wanted > 0 ? wanted : processors < MOST_THREADS ? processors : MOST_THREADS;
}

static bool cancelled(const replicator *all) {
  return all->options->cancel != NULL && *all->options->cancel != 0;
}

static void report_progress(replicator *all) {
#pragma omp critical(fwi_replicate_progress)
  {
    all->done++;
    if (all->options->progress != NULL) {
      all->options->progress(all->options->progress_context, all->done, all->work->count);
    }
  }
}

static void run_all(replicator *all) {
  const size_t count = all->work->count;
  const int threads = fwi_study_threads(all->options);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (size_t i = 0; i < count; i++) {
    bool stop = false;
#pragma omp atomic read
    stop = all->stop;
    if (stop || cancelled(all)) {
      continue;
    }
    all->outcomes[i].status = all->work->run(all->work->context, i, &all->outcomes[i].diagnostics);
    if (all->outcomes[i].status != FW_OK) {
#pragma omp atomic write
      all->stop = true;
    }
    report_progress(all);
  }
}

/* The first failure by index, and the warnings of those that are heard. */
static fw_status collect(replicator *all, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < all->work->count; i++) {
    outcome *one = &all->outcomes[i];
    if (status == FW_OK && (i < all->work->heard || one->status != FW_OK)) {
      fw_diagnostics_append(diagnostics, &one->diagnostics);
      status = one->status;
    }
    fw_diagnostics_clear(&one->diagnostics);
  }
  if (status == FW_OK && all->done < all->work->count) {
    status = fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0}, "interrupted after %zu of %zu runs", all->done,
                      all->work->count);
  }
  return status;
}

fw_status fwi_replicate(const fwi_replications *work, const fw_study_options *options, fw_diagnostics *diagnostics) {
  replicator all = {.work = work, .options = options};
  all.outcomes = fw_allocate(work->count, sizeof *all.outcomes);
  if (all.outcomes == NULL) {
    return fw_error_memory(diagnostics, "the runs of a study");
  }
  run_all(&all);
  const fw_status status = collect(&all, diagnostics);
  free(all.outcomes);
  return status;
}

/* What the parts of the scoring of a run share. */
#ifndef FWI_STUDY_FIDELITY_ROOM_H
#define FWI_STUDY_FIDELITY_ROOM_H

#include "sim/study/calibrate/fidelity.h"

#define FWI_LAG_SECONDS 60

/* Room for one signal: arrays of as many elements as there are ticks. */
typedef struct fwi_fidelity_room {
  int64_t *recorded; /* the signal, tick by tick */
  int64_t *sums;     /* its rolling sums */
  int64_t *sorted;   /* those that are known, in order of size */
  int64_t *simulated;
  int64_t *simulated_sums;
  int64_t *simulated_sorted;
  int64_t *part; /* of the recording, for the yardsticks */
  int64_t *other_part;
  bool *flags;
  size_t *scratch;     /* one element more */
  double *seed_scores; /* FW_FIDELITY_METRICS x seeds */
} fwi_fidelity_room;

/* The lags of 1, 2, ... 60 s in ticks: multiples of `stride` from `first` on. Ticks that do not divide a second make
 * them a little shorter. */
typedef struct fwi_lags {
  size_t first;
  size_t stride;
  size_t count;
} fwi_lags;

/* What is known of the recording at one window. */
typedef struct fwi_window_facts {
  size_t n; /* ticks */
  size_t full;
  fwi_lags at;
  bool has_acf;
  double acf[FWI_LAG_SECONDS];
  int64_t budget[FW_FIDELITY_BUDGETS]; /* sums */
} fwi_window_facts;

/* Returns how many of the lags it wrote. */
size_t fwi_fidelity_acf(const int64_t *sums, size_t count, fwi_lags at, double *out);
double fwi_fidelity_acf_mae(const double *predicted, const double *recorded, size_t count);

/* All windows of a signal whose `gpu` is set. */
fw_status fwi_fidelity_score_signal(const fw_fidelity_run *run, const fw_time_ns *windows, size_t window_count,
                                    fwi_fidelity_room *room, fw_fidelity_signal *out, fw_diagnostics *diagnostics);

/* The yardsticks of a recording whose rolling sums are in `room`. */
void fwi_fidelity_measure_own(const fw_fidelity_run *run, const fw_fidelity_signal *signal, fwi_fidelity_room *room,
                              const fwi_window_facts *facts, fw_fidelity_window *out);

#endif

/* What the files of calibrate share: the data of all runs behind each other, and the steps of the procedure. */
#ifndef FWI_STUDY_CALIBRATE_ROOM_H
#define FWI_STUDY_CALIBRATE_ROOM_H

#include "sim/study/calibrate/calibrate.h"

/* Ticks of all runs, those that may be seen. */
typedef struct fwi_calibration_data {
  size_t gpus;
  size_t count;
  fw_occupancy_tick *ticks; /* `segment` counts on over runs */
  double *power_w;          /* [tick * gpus + gpu] */
  double *mean_w;           /* of one GPU */
  size_t *run;
} fwi_calibration_data;

void fwi_calibration_data_clear(fwi_calibration_data *data);

/* Reads the recordings into `data` and what is said of them into `out` (calibrate_data.c). */
fw_status fwi_calibration_read(const fw_calibrate_options *options, fw_calibration *out, fwi_calibration_data *data,
                               fw_diagnostics *diagnostics);

/* The name of a run's recording and the hash of all its files; counters and phases may be NULL. */
fw_status fwi_calibration_name_run(const fw_occupancy_options *files, fw_calibration_run *out,
                                   fw_diagnostics *diagnostics);

/* The ticks `index[0 .. count - 1]` of `data`, each a part of its own where `index` does not go on: copies. */
fw_status fwi_calibration_pick(const fwi_calibration_data *data, const size_t *index, size_t count,
                               fwi_calibration_data *out, fw_diagnostics *diagnostics);

/* Levels without work, token time, support, totals. */
fw_status fwi_calibration_measure(const fwi_calibration_data *data, fw_calibration *out, fw_diagnostics *diagnostics);

/* Token time fitted to pairs of work in flight and seconds, or an assumed one with `timing_ticks` 0. */
void fwi_calibration_token_time(const double *in_flight, const double *token_s, size_t count, fw_calibration *out);

/* Ticks that are nearly all, or mostly, of one phase: at least this share of them. */
static const double FWI_CALIBRATION_NEARLY_ALL = 0.9;
static const double FWI_CALIBRATION_MOSTLY = 0.5;

/* Power of one GPU in the ticks that stood ready for nearly all of their time: the median, since work that nobody
 * counted is no waiting. NaN where none did, or where they drew as much as work: that was no waiting at all. */
fw_status fwi_calibration_ready_w(const fwi_calibration_data *data, double *out, fw_diagnostics *diagnostics);

/* Whether a tick tells of a level: not where it waited for more than a little of its time and nothing shows what that
 * draws. */
bool fwi_calibration_tells(const fw_calibration *measured, const fw_occupancy_tick *tick);

/* Points of the ticks with work that tell of its level, less what the other phases drew; `place[i]` is the tick of
 * point i. Caller frees both, even after a failure. */
fw_status fwi_calibration_points(const fwi_calibration_data *data, const fw_calibration *measured,
                                 fw_level_point **points, size_t **place, size_t *count, fw_diagnostics *diagnostics);

/* Fits and scores all forms and chooses one (calibrate_level.c). */
fw_status fwi_calibration_choose(const fwi_calibration_data *data, const fw_study_options *study, fw_calibration *out,
                                 fw_diagnostics *diagnostics);

/* Data in parts, of which each is held out once: `fold[i]` < `folds` of point i. Where a part leaves too little to fit,
 * nothing is held out and the level is constant. `words` say how the data were parted. */
typedef struct fwi_calibration_split {
  size_t *fold;
  size_t folds;
  const char *words;
} fwi_calibration_split;

fw_status fwi_calibration_contest(const fw_level_point *points, size_t count, const fwi_calibration_split *parts,
                                  const fw_study_options *study, fw_calibration *out, fw_diagnostics *diagnostics);

/* All of it for a table of operating points (calibrate_table.c). */
fw_status fwi_calibration_table(const fw_calibrate_options *options, const fw_study_options *study, fw_calibration *out,
                                fw_diagnostics *diagnostics);

/* The residual behind the chosen level. */
fw_status fwi_calibration_residual(const fwi_calibration_data *data, fw_calibration *out, fw_diagnostics *diagnostics);

/* Intervals of all numbers by resampling blocks (calibrate_bootstrap.c). */
fw_status fwi_calibration_resample(const fwi_calibration_data *data, size_t resamples, const fw_study_options *study,
                                   fw_calibration *out, fw_diagnostics *diagnostics);

/* The level of one GPU in a tick, by what the job did. */
typedef struct fwi_tick_levels {
  double idle_w;
  double load_w;
  double ready_w;
} fwi_tick_levels;

/* Levels without work; of those that were not recorded, the nearest that was. */
fwi_tick_levels fwi_calibration_quiet(const fw_calibration *measured);

/* What reading prompts can draw: as much as a GPU that waits, and less than the most that was ever read. */
fw_level_range fwi_calibration_prefill_w(const fw_calibration *measured);

/* Ticks in a block of time: long against the memory of a residual, short against a run. */
enum { FWI_CALIBRATION_BLOCK = 20 };

#endif

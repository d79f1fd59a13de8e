/* From recordings of one kind of job to its model, as `fleetwatt calibrate` makes it (docs/calibration.md).
 *
 * What a job did comes from traces/occupancy.h, fits from models/fit_level.h and models/fit_phases.h; this is the
 * procedure: levels of the phases without work are means; every form of the work's level, with the prompts it reads as
 * a covariate and without, is fitted and scored on data that it did not see, by the law that it predicts; of the forms
 * within a hundredth of the best score the simplest is taken; what is left is the residual; a block bootstrap says how
 * sure each number is. A table of operating points, which has no ticks, gives a model without a residual. */
#ifndef FW_STUDY_CALIBRATE_H
#define FW_STUDY_CALIBRATE_H

#include "models/fit_level.h"
#include "models/fit_phases.h"
#include "models/job.h"
#include "sim/study/replicate.h"
#include "traces/occupancy.h"

typedef struct fw_calibrate_options {
  const fw_occupancy_options *runs; /* recordings of one kind of job; NULL with `points` */
  size_t run_count;
  const char *points;         /* a table of operating points instead; or NULL */
  int64_t point_gpus;         /* GPUs of the job in the table */
  const char *id;             /* of the model */
  const char *gpu;            /* id of the GPU it was recorded on */
  const char *source;         /* where the recordings come from; or NULL */
  fw_sharding sharding;       /* single where the job has one GPU, else one of the others */
  double ready_w;             /* of a GPU that stands ready; 0: as recorded, or the least power seen */
  size_t resamples;           /* of the bootstrap; 0: no intervals */
  fw_occupancy_filter filter; /* which ticks are fitted to; NULL: all */
  const void *filter_context;
} fw_calibrate_options;

/* One recording, as far as the model keeps it in mind. */
typedef struct fw_calibration_run {
  char *file; /* without its folder */
  char hash[17];
  fw_occupancy_source source;
  bool by_utilization;
  size_t ticks; /* used */
  size_t dropped;
  double mean_w; /* of one GPU, over the ticks used */
} fw_calibration_run;

/* One form of the level. */
typedef struct fw_calibration_score {
  fw_level_form form;
  bool prefill;
  size_t free_count;
  double rms_w;           /* over all data, fitted to it */
  double held_out_rms_w;  /* over all data, each part by a fit that did not see it */
  double held_out_crps_w; /* the same of the law that the fit predicts: level and what it saw around it */
} fw_calibration_score;

enum { FW_CALIBRATION_SCORES = 2 * FW_LEVEL_FORMS };

/* A number with its 95 % interval. */
typedef struct fw_calibration_interval {
  const char *name; /* dotted place in the model file */
  double value;
  double lo;
  double hi;
} fw_calibration_interval;

enum { FW_CALIBRATION_INTERVALS = FW_LEVEL_PARAMETERS + 7 };

typedef struct fw_calibration {
  char *id;
  char *gpu;
  char *source; /* or NULL */
  fw_sharding sharding;
  bool per_pass; /* the work in flight is tokens in a pass, not requests */
  size_t gpus;
  fw_time_ns tick;
  fw_calibration_run *runs;
  size_t run_count;
  size_t ticks;       /* used, of all runs; of a table: its points */
  bool from_table;    /* no ticks, no residual */
  bool ready_assumed; /* ready_w was not recorded */

  const char *split; /* how data were held out, in words */
  size_t folds;      /* 0: too few data to hold any out */
  fw_calibration_score scores[FW_CALIBRATION_SCORES];
  size_t score_count;
  size_t chosen;
  fw_level_fit level;

  double idle_w; /* of one GPU; NaN: not recorded */
  double load_w;
  double ready_w; /* that of the options where none was recorded */
  double least_w; /* mean power of one GPU in the tick with the least */
  double peak_w;  /* the most that one GPU was ever read at */
  fw_timing timing;
  size_t timing_ticks; /* that token time was fitted to; 0: assumed */
  fw_phases_fit residual;
  double in_flight_min; /* NaN: unknown */
  double in_flight_max;
  double requests;      /* 0: unknown */
  double prompt_tokens; /* in all */
  double generated_tokens;
  fw_calibration_interval intervals[FW_CALIBRATION_INTERVALS];
  size_t interval_count;
  size_t resamples;
} fw_calibration;

/* Reads, fits, chooses. The result is the same to the last bit for any number of threads. Errors: recordings that
 * cannot be read, that differ in GPUs, or hold no work; too few ticks. Free with fw_calibration_clear. */
fw_status fw_calibrate(const fw_calibrate_options *options, const fw_study_options *study, fw_calibration *out,
                       fw_diagnostics *diagnostics);
void fw_calibration_clear(fw_calibration *calibration);

/* The model file (models/job.h), with 9 significant digits and its provenance. */
void fw_calibration_model(const fw_calibration *calibration, fw_text *out);

#endif

/* What a job did while its power was recorded, on the ticks of the recording.
 *
 * Power alone does not say what it was spent on. Beside it an engine logs how many requests it runs and how many tokens
 * it has read and written so far, and a script that drives one logs when its phases began and ended. A reading of
 * either kind becomes, tick by tick, the shares of time that the job idled, loaded, stood ready and worked, and the
 * work in flight while it did.
 *
 * Where it comes from, the first that there is:
 *   a phases file      t_start_s, t_end_s, phase and, for no-cache runs, input_tokens and output_token_limit
 *   a counters file    t_s and requests_running, prompt_tokens_total, generation_tokens_total
 *   the trace itself   the same columns beside power_w; with `role`, for engines that split prefill from decode
 *   utilisation        where it is asked for, see below
 *   power              two levels that lie well apart are ready and work; else all of it is work (warned of)
 *
 * Rules. A state holds from its row to the next; rows without a cell leave the state before in force; an interval that
 * would be a gap in power (trace.h) and is longer than 2 s is unknown. An interval is work where requests run or a
 * counter moves by its end. Counters that stand still while requests run are a step in progress: the tokens that appear
 * at its end are spread over it.
 *
 * Utilisation. Counters read now and then miss bursts that are shorter than their interval, or hold them too long, and
 * engines move them at the end of a step. A driver measures something else: the share of the sample period before a
 * reading (1/6 s to 1 s by NVIDIA's documentation of nvidia-smi) in which a kernel ran. Asked for, it says which share
 * of a stretch was work, with counters or without; these still say how much was in flight and which tokens. A reading
 * of power at an instant lies between the sample periods of its own reading of utilisation and the next, so the share
 * up to the next reading is the mean of both; bins hold their own. Full work is the 90th percentile of the readings
 * above 0, over the mean of the job's GPUs: between its passes an engine leaves the GPU alone, and a share of full work
 * means for a level what a count of running requests does. Tokens of a step belong to its busy part; those that an
 * idle step counted belong to the step before it, or where that was idle too to the next busy one. Where no reading
 * tells, the counters do.
 *
 * Ticks with an unknown state, or not wholly covered by power, are left out and end a segment. */
#ifndef FW_TRACES_OCCUPANCY_H
#define FW_TRACES_OCCUPANCY_H

#include "traces/trace.h"

typedef enum fw_activity {
  FW_ACTIVITY_IDLE,  /* nothing loaded */
  FW_ACTIVITY_LOAD,  /* loading a model */
  FW_ACTIVITY_READY, /* an engine that waits for work */
  FW_ACTIVITY_WORK,  /* reading prompts or generating */
  FW_ACTIVITY_COUNT
} fw_activity;

typedef struct fw_occupancy_tick {
  double share[FW_ACTIVITY_COUNT]; /* of the tick's time; they sum to 1 */
  double in_flight;       /* mean while it worked: requests running, or tokens in a forward pass; NaN: unknown */
  double prompt_per_s;    /* tokens read for each second of work; NaN: unknown */
  double generated_per_s; /* tokens written, likewise */
  size_t segment;         /* ticks that follow each other without a gap share one */
  size_t phase;           /* of a phases file, from 1: the one that most of the work belongs to; 0: none */
} fw_occupancy_tick;

typedef enum fw_occupancy_source {
  FW_OCCUPANCY_PHASES,
  FW_OCCUPANCY_COUNTERS,
  FW_OCCUPANCY_POWER, /* found, not recorded */
  FW_OCCUPANCY_UTILIZATION
} fw_occupancy_source;

extern const char *const fw_occupancy_source_names[]; /* "phases", "counters", "power", "utilization", NULL */

typedef struct fw_occupancy {
  char *file;
  fw_occupancy_source source;
  bool by_utilization; /* measured utilisation says how much of a tick was work */
  fw_time_ns tick;
  fw_time_ns interval; /* of the recording: median between rows */
  size_t gpus;
  size_t count;            /* of ticks */
  fw_occupancy_tick *data; /* in order of time */
  double *power_w;         /* [tick * gpus + gpu]: mean over the tick */
  size_t dropped;          /* ticks left out between the first and the last */
  double peak_w;           /* the most that one GPU was ever read at */
  bool has_tokens;         /* token counters are known */
  size_t requests;         /* rises of the count of running requests, which miss those that replace one that ended
                              between two readings; with a phases file, its work phases. 0: unknown */
  double threshold_w;      /* between ready and work, found from power; NaN else */
} fw_occupancy;

typedef struct fw_occupancy_options {
  const char *trace;
  fw_series_kind kind_if_unstated;
  const char *counters;  /* or NULL */
  const char *phases;    /* or NULL */
  bool utilization;      /* the trace's own column says how much of a tick was work; not with `phases` */
  const char *role;      /* keeps the GPUs of this role; NULL: the trace must have no more than one */
  fw_time_ns tick;       /* above 0 */
  size_t skipped_phases; /* work phases at the start of a phases file to leave out: engines warm up in the first */
} fw_occupancy_options;

/* Reads all of it; free with fw_occupancy_clear. Errors name file and line: what fw_trace_read refuses, missing
 * columns, cells that are no numbers, stamps that go back, phases that overlap, an unknown phase or role, no tick that
 * is known. A counter that goes back is a restart of the engine: warned of, nothing counted over it. */
fw_status fw_occupancy_read(const fw_occupancy_options *options, fw_occupancy *out, fw_diagnostics *diagnostics);
void fw_occupancy_clear(fw_occupancy *occupancy);

/* Whether a tick counts for some purpose: one of `occupancy`, which is the run number `run`. */
typedef bool (*fw_occupancy_filter)(const void *context, size_t run, const fw_occupancy *occupancy, size_t tick);

/* Mean power of one GPU in a tick. */
double fw_occupancy_mean_w(const fw_occupancy *occupancy, size_t tick);

/* Share of a tick's work that went into reading prompts when one of them costs `prefill_per_token_s` a token; 0 where
 * the tokens are unknown, at most 1. */
double fw_occupancy_prefill_share(const fw_occupancy_tick *tick, double prefill_per_token_s);

#endif

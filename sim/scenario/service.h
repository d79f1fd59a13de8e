/* Work that comes from outside: the jobs of a queue, the requests of a serving engine. */
#ifndef FW_SCENARIO_SERVICE_H
#define FW_SCENARIO_SERVICE_H

#include "models/job.h"
#include "models/time_law.h"
#include "models/workload.h"
#include "traces/workload.h"

/* One stretch of a cycle job. */
typedef struct fw_cycle_phase {
  fw_time_ns duration;
  fw_power_mw power; /* per GPU */
} fw_cycle_phase;

typedef enum fw_discipline {
  FW_DISCIPLINE_FIFO, /* in order of arrival; the first blocks those behind it */
  FW_DISCIPLINE_EASY  /* those behind it may begin where they do not put off the first */
} fw_discipline;

/* One stretch of the jobs of a queue. */
typedef struct fw_queue_phase {
  fw_time_ns duration;
  fw_power_mw power; /* per GPU */
  fw_phase phase;    /* of the model: which residual it has */
} fw_queue_phase;

/* What a job of a queue does around its levels. A job of more GPUs than the model is of that many of the model's jobs,
 * which go through its phases in step. */
typedef enum fw_queue_residual {
  FW_QUEUE_RESIDUAL_NONE,     /* nothing */
  FW_QUEUE_RESIDUAL_TOGETHER, /* the totals of all of them move as one */
  FW_QUEUE_RESIDUAL_APART     /* each has its own */
} fw_queue_residual;

/* Jobs that are handed in, wait for GPUs and run. */
typedef struct fw_queue_spec {
  fw_discipline discipline;
  const fw_submissions *trace; /* or NULL: they are drawn */
  uint64_t count;              /* of drawn jobs; 0: without end */
  fw_time_law interval;
  fw_time_law duration;
  const double *sizes;   /* GPUs of a drawn job, */
  const double *weights; /* and how often; NULL: equally often */
  size_t size_count;
  fw_time_ns limit;             /* of a drawn job's time on its GPUs; 0: none */
  const fw_queue_phase *phases; /* what a job does, over again until its time is over */
  size_t phase_count;
  fw_time_ns round;          /* their length together */
  const fw_job_model *model; /* of its jobs, or NULL */
  fw_queue_residual residual;
} fw_queue_spec;

/* Requests to an engine with continuous batching. */
typedef struct fw_serving_spec {
  const fw_requests *trace; /* or NULL: they are drawn */
  fw_time_ns repeat;        /* of the trace; 0: never */
  uint64_t count;           /* of drawn requests; 0: without end */
  fw_time_law interval;
  fw_length_law context;
  fw_length_law output;
  int64_t context_limit; /* tokens at which lengths are cut */
  int64_t output_limit;
} fw_serving_spec;

#endif

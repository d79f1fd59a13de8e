/* A scenario file as it is written: one struct for each JSON object, filled by the record tables of tables.c. */
#ifndef FW_SCENARIO_TABLES_H
#define FW_SCENARIO_TABLES_H

#include "models/breaker.h"
#include "models/electrical.h"
#include "sim/scenario/expect_tables.h"

typedef struct fwi_file_actuators {
  fw_array concurrency; /* double */
  fw_array group_size;
  fw_array completion_tokens;
  fw_array pause; /* fw_time_ns */
} fwi_file_actuators;

typedef enum fwi_draws_kind { FWI_DRAWS_OWN, FWI_DRAWS_COPIED } fwi_draws_kind;

typedef struct fwi_file_grpo {
  char *job_class;
  char *model;
  int64_t count;
  int64_t priority;
  int draws; /* fwi_draws_kind */
  fw_time_ns start_offset;
  int64_t prompts; /* workload: 0 keeps the model's */
  int64_t group_size;
  int64_t concurrency;
  int64_t completion_limit;
  double completion_mean;
  double completion_cv;
  bool completion_cv_given;
  int64_t prompt_tokens;
  bool prompt_tokens_given;
  fw_power_mw power_cap; /* 0: the GPU's highest */
  int64_t checkpoint_steps;
  fwi_file_actuators actuators;
} fwi_file_grpo;

typedef struct fwi_file_replay {
  char *job_class;
  int64_t count;
  char *trace;       /* a path, or "given": from the command line */
  char *check_trace; /* the given one of `fleetwatt check`; or NULL */
  int kind;          /* fw_series_kind */
  int64_t priority;
  fw_time_ns start_offset;
  bool loop;
  char *model; /* optional: lets concurrency rescale the recording */
  int64_t concurrency;
  fw_time_ns decision;
} fwi_file_replay;

typedef struct fwi_file_occupancy {
  char *job_class;
  int64_t count;
  char *model;
  char *trace;       /* a path, or "given": from the command line */
  char *check_trace; /* the given one of `fleetwatt check`; or NULL */
  int kind;          /* fw_series_kind */
  char *counters;
  char *phases;
  char *role;
  int64_t skipped_phases;
  int64_t priority;
  fw_time_ns start_offset;
  bool loop;
  fw_time_ns decision;
} fwi_file_occupancy;

typedef struct fwi_file_phase {
  fw_time_ns duration;
  fw_power_mw power;
} fwi_file_phase;

typedef struct fwi_file_cycle {
  char *job_class;
  int64_t count;
  int64_t gpus;
  int64_t priority;
  fw_time_ns start_offset;
  bool loop;
  fw_array phases; /* fwi_file_phase */
  fw_time_ns decision;
} fwi_file_cycle;

typedef struct fwi_file_topology {
  int64_t gpus; /* 0: as many as the jobs need */
  int64_t gpus_per_node;
  int64_t nodes_per_rack;
  int64_t racks_per_row;
  fw_power_mw node_budget;
  fw_power_mw rack_budget;
  fw_power_mw row_budget;
} fwi_file_topology;

typedef struct fwi_file_electrical {
  fw_power_mw node_overhead;
  double supply_efficiency;
  double pue;
  double continuous_factor;
  fw_array node_feeds; /* fw_feed */
  fw_array rack_feeds;
  fw_array row_feeds;
  fw_array site_feeds;
  fw_breaker_model breaker;
  bool breaker_given;
} fwi_file_electrical;

typedef struct fwi_file_step {
  fw_time_ns from;
  double factor;
} fwi_file_step;

typedef struct fwi_file_schedule {
  fw_time_ns repeat;
  fw_array steps; /* fwi_file_step */
} fwi_file_schedule;

typedef struct fwi_file_tariff {
  fw_array cost_per_kwh; /* 1 or 24 doubles */
  fw_array carbon_kg_per_kwh;
  int64_t start_hour;
} fwi_file_tariff;

typedef struct fwi_file_shield {
  fw_time_ns window;
  double share;
} fwi_file_shield;

typedef struct fwi_file_policy {
  char *name;
  fw_variant job;
  fw_variant fleet;
  fw_array classes; /* char * */
  fwi_file_shield shield;
  bool shield_given;
} fwi_file_policy;

typedef struct fwi_file_queue_phase {
  fw_time_ns duration;
  fw_power_mw power;
  bool power_given;
  int phase; /* fw_phase */
  bool phase_given;
  double concurrency; /* 0: the model's */
} fwi_file_queue_phase;

typedef struct fwi_file_queue {
  char *job_class;
  int64_t gpus;
  int64_t priority;
  fw_time_ns start_offset;
  int discipline; /* fw_discipline */
  char *trace;    /* a path; or what follows */
  int64_t jobs;   /* 0: without end */
  fw_variant interval;
  fw_variant duration;
  fw_array sizes; /* double */
  fw_array weights;
  fw_time_ns limit;
  fw_array phases; /* fwi_file_queue_phase */
  char *model;
  int residual; /* fw_queue_residual */
  bool residual_given;
  fw_time_ns decision;
} fwi_file_queue;

typedef struct fwi_file_serving {
  char *job_class;
  char *model;
  int64_t count;
  int64_t priority;
  fw_time_ns start_offset;
  int64_t concurrency;
  char *trace; /* a path; or what follows */
  fw_time_ns repeat;
  int64_t requests; /* 0: without end */
  fw_variant interval;
  double context_mean;
  double context_cv;
  double output_mean;
  double output_cv;
  int64_t context_limit;
  int64_t output_limit;
  fw_power_mw power_cap;
  fw_time_ns decision;
} fwi_file_serving;

/* The kinds of events, in the order of fw_adversity_kind. */
typedef struct fwi_file_restart {
  fw_time_ns at;
  fw_array classes; /* char * */
  fw_time_ns down;
  fw_time_ns load;
  fw_power_mw down_power;
  bool down_power_given;
  bool keeps_work;
} fwi_file_restart;

typedef struct fwi_file_feed_loss {
  fw_time_ns from;
  fw_time_ns duration;
  double left;
  fw_array classes; /* char * */
  fw_time_ns load;
} fwi_file_feed_loss;

typedef struct fwi_file_demand_response {
  fw_time_ns from;
  fw_time_ns duration;
  double factor;
  fw_time_ns notice;
} fwi_file_demand_response;

typedef struct fwi_file_gpu_failure {
  fw_time_ns at;
  int64_t gpu;
  fw_time_ns repair;
  fw_time_ns load;
  fw_power_mw down_power;
  bool down_power_given;
} fwi_file_gpu_failure;

typedef struct fwi_file_gpu_failures {
  fw_time_ns mtbf;
  fw_time_ns mttr;
  fw_array classes; /* char * */
  fw_time_ns load;
  fw_power_mw down_power;
  bool down_power_given;
} fwi_file_gpu_failures;

typedef struct fwi_file_straggler {
  int64_t gpu;
  double factor;
  fw_time_ns from;
  fw_time_ns duration; /* 0: to the end */
} fwi_file_straggler;

typedef struct fwi_file_cap_faults {
  double lost;
  double late;
  fw_time_ns delay;
  fw_array classes; /* char * */
} fwi_file_cap_faults;

extern const fw_variant_case fwi_event_cases[];

typedef struct fwi_file {
  int64_t format;
  char *name;
  char *description;
  uint64_t seed;
  int64_t seeds;
  fw_time_ns duration;
  fw_time_ns warmup;
  fw_time_ns tick;
  fw_array windows; /* fw_time_ns */
  char *gpu;
  fwi_file_topology topology;
  fwi_file_electrical electrical;
  fw_array jobs; /* fw_variant */
  int start;     /* fw_start_kind */
  fw_power_mw budget;
  bool budget_given;
  fw_array oversubscription; /* double */
  fwi_file_schedule schedule;
  fwi_file_tariff tariff;
  fw_array policies; /* fwi_file_policy */
  fw_array events;   /* fw_variant */
  fw_array expect;   /* fwi_file_expect */
} fwi_file;

extern const fw_record fwi_queue_record;
extern const fw_record fwi_serving_record;
extern const fw_record fwi_file_record;
extern const char *const fwi_start_names[];

/* The job kinds, in the order of fw_job_kind. */
extern const fw_variant_case fwi_job_cases[];

/* The key "class" of every kind, which gives `job_class`. */
#define FWI_CLASS(type)                                                                                                \
  {                                                                                                                    \
    .name = "class", .kind = FW_FIELD_STRING, .offset = offsetof(type, job_class), .required = true,                   \
    .doc = "name of this kind of job, for policies and reports"                                                        \
  }

#endif

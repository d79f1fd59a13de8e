/* A scenario: what is simulated, checked and ready to run. Immutable once made; any number of runs may share one.
 *
 * The JSON text is described by docs/scenario.md and by the schema that fw_scenario_schema prints from the same tables
 * that read it. */
#ifndef FW_SCENARIO_SCENARIO_H
#define FW_SCENARIO_SCENARIO_H

#include "models/breaker.h"
#include "models/electrical.h"
#include "models/gpu.h"
#include "models/job.h"
#include "policies/policy.h"
#include "sim/scenario/adversity.h"
#include "sim/scenario/expect.h"
#include "sim/scenario/service.h"
#include "traces/occupancy.h"
#include "traces/trace.h"

typedef enum fw_job_kind {
  FW_JOB_GRPO,      /* a training job with rollout and update */
  FW_JOB_REPLAY,    /* a recorded power trace */
  FW_JOB_CYCLE,     /* fixed phases of given power */
  FW_JOB_OCCUPANCY, /* what a job did while it was recorded, with the power of a model */
  FW_JOB_QUEUE,     /* jobs that arrive, wait for its GPUs and run on them */
  FW_JOB_SERVING    /* an engine that answers requests */
} fw_job_kind;

typedef enum fw_start_kind { FW_START_ALIGNED, FW_START_RANDOM, FW_START_STAGGERED } fw_start_kind;

/* One job. */
typedef struct fw_scenario_job {
  const char *job_class; /* jobs of one entry share it */
  size_t class_index;    /* which entry of "jobs" */
  size_t member;         /* 0 .. class_size - 1 within the entry */
  size_t class_size;
  bool copied; /* it draws the random numbers of member 0, counted from its own start */
  int64_t priority;
  fw_job_kind kind;
  size_t gpus;
  size_t first_gpu;
  fw_time_ns start;          /* explicit offset on top of the start kind */
  const fw_job_model *model; /* GRPO, OCCUPANCY, SERVING; for a replay the counterfactual one, or NULL */
  fw_workload workload;      /* GRPO */
  fw_actuator_range actuators[FW_ACTUATOR_COUNT];
  double initial[FW_ACTUATOR_COUNT];
  const fw_pieces *replay; /* REPLAY: one for each GPU */
  const fw_occupancy *occupancy;
  bool loop;           /* all but GRPO: start again at the end */
  fw_time_ns decision; /* all but GRPO: interval between decision instants */
  const fw_cycle_phase *cycle;
  size_t cycle_count;
  const fw_queue_spec *queue;
  const fw_serving_spec *serving;
  uint64_t checkpoint_steps; /* a job that is struck down loses what it did since the last multiple of so many steps */
} fw_scenario_job;

/* The model that says what it draws; NULL where that is given, as by a recording. */
static inline const fw_job_model *fw_scenario_job_power_model(const fw_scenario_job *job) {
  return job->kind != FW_JOB_REPLAY ? job->model : NULL;
}

/* The model that says what its power does around its level, or that of the jobs that a queue runs; NULL: none. */
static inline const fw_job_model *fw_scenario_job_residual_model(const fw_scenario_job *job) {
  if (job->queue != NULL) {
    return job->queue->residual != FW_QUEUE_RESIDUAL_NONE ? job->queue->model : NULL;
  }
  return fw_scenario_job_power_model(job);
}

/* Whether GPU `gpu` of the fleet is one of its own. */
static inline bool fw_scenario_job_has_gpu(const fw_scenario_job *job, size_t gpu) {
  return gpu >= job->first_gpu && gpu - job->first_gpu < job->gpus;
}

/* The tree of power domains: `gpus_per_node` GPUs in a node, and so on up. A budget of 0 means that the level has none.
 */
typedef struct fw_topology {
  size_t gpus;
  size_t gpus_per_node;
  size_t nodes_per_rack;
  size_t racks_per_row;
  fw_power_mw node_budget;
  fw_power_mw rack_budget;
  fw_power_mw row_budget;
} fw_topology;

/* Levels of power domains, from the bottom up. */
typedef enum fw_domain_level { FW_DOMAIN_NODE, FW_DOMAIN_RACK, FW_DOMAIN_ROW, FW_DOMAIN_SITE } fw_domain_level;
#define FW_DOMAIN_LEVELS 4

/* What stands between the GPUs and the grid. */
typedef struct fw_electrical {
  fw_supply supply;
  const fw_feed *feeds[FW_DOMAIN_LEVELS]; /* of each domain of a level; none stated: NULL */
  size_t feed_count[FW_DOMAIN_LEVELS];
  double continuous_factor; /* budget over rating, of breakers whose feeds are not stated */
  bool has_breaker;         /* every domain with a budget has them */
  fw_breaker_model breaker;
} fw_electrical;

/* Load at which the breakers of a domain carry their rating, over its budget: with all feeds in service, and after the
 * worst loss of one (the same where there is one feed). */
typedef struct fw_rating {
  double all;
  double one_lost;
  bool redundant; /* more than one feed */
} fw_rating;

/* Whether trips take power, rather than only being counted. */
bool fw_electrical_opens(const fw_electrical *electrical);

fw_rating fw_electrical_rating(const fw_electrical *electrical, fw_domain_level level);

/* From `from` on (within the repeat) the budget is `factor` times the base. */
typedef struct fw_budget_step {
  fw_time_ns from;
  double factor;
} fw_budget_step;

typedef struct fw_budget_schedule {
  const fw_budget_step *steps; /* rising in `from`, the first at 0; none: constant */
  size_t step_count;
  fw_time_ns repeat;           /* 0: never */
  const fw_budget_call *calls; /* on top of the steps; those in force at a time multiply */
  size_t call_count;
} fw_budget_schedule;

#define FW_HOURS_PER_DAY 24
typedef struct fw_tariff {
  double cost_per_kwh[FW_HOURS_PER_DAY];
  double carbon_kg_per_kwh[FW_HOURS_PER_DAY];
  int64_t start_hour; /* hour of the day at which a run begins */
} fw_tariff;

/* Settings that a job policy may not take: those with which a window of the site is predicted to end above a share of
 * its budget (sim/fleet/shield.h). */
typedef struct fw_shield {
  bool on;
  fw_actuator actuator; /* the one that the policy drives; every job that it controls has levels of it */
  size_t window;        /* index into the scenario's */
  double share;
} fw_shield;

/* One policy arm: a job policy for the jobs of some classes, a fleet policy, or both. */
typedef struct fw_scenario_policy {
  const char *name;
  const fw_policy_type *job; /* never NULL */
  const void *job_settings;
  const fw_policy_type *fleet; /* or NULL */
  const void *fleet_settings;
  const char *const *classes; /* that the job policy controls; none listed: all */
  size_t class_count;
  fw_shield shield; /* over the job policy */
} fw_scenario_policy;

/* One arm of the comparison, made of a policy and a budget. */
typedef struct fw_scenario_budget {
  double oversubscription; /* nameplate / budget */
  fw_power_mw power;
} fw_scenario_budget;

typedef struct fw_scenario {
  const char *name;
  const char *description;
  char hash[17]; /* of the scenario, its parameter files and traces: 16 hexadecimal digits */
  uint64_t seed; /* replication r runs with seed + r */
  size_t seeds;
  fw_time_ns duration;
  fw_time_ns warmup;
  fw_time_ns tick;
  const fw_time_ns *windows;
  size_t window_count;
  fw_gpu_model gpu;
  fw_power_mw nameplate; /* GPUs x TDP, with the overhead and losses of their nodes where those are stated */
  fw_topology topology;
  fw_electrical electrical;
  fw_start_kind start;
  const fw_scenario_job *jobs;
  size_t job_count;
  const char *const *classes; /* of each entry of "jobs" */
  size_t class_count;
  const fw_scenario_policy *policies;
  size_t policy_count;
  const fw_scenario_budget *budgets;
  size_t budget_count;
  fw_budget_schedule schedule;
  fw_tariff tariff;
  const fw_adversity *adversities;
  size_t adversity_count;
  const fw_expect_block *expect; /* what `fleetwatt check` holds it to */
  size_t expect_count;
  bool takes_trace;                /* of the overrides, for some job whose trace is "given" */
  const char *check_trace;         /* recording that stood for one to be given; NULL where none did */
  struct fw_scenario_parts *parts; /* owns all of the above */
} fw_scenario;

/* Whether anything may strike jobs or the budget: events, or breakers whose trips take power. */
static inline bool fw_scenario_is_eventful(const fw_scenario *scenario) {
  return scenario->adversity_count > 0 || fw_electrical_opens(&scenario->electrical);
}

/* What a command line may add to a file. Zero or NULL leaves the file's value. */
typedef struct fw_scenario_overrides {
  fw_time_ns duration; /* rounded to whole ticks */
  size_t seeds;
  const double *oversubscription; /* replaces the budgets */
  size_t oversubscription_count;
  const char *const *policies; /* keeps only these */
  size_t policy_count;
  const char *trace;             /* for replay and occupancy jobs whose trace is "given" */
  bool check_traces;             /* where none is given: each such job's "check_trace" */
  const fw_occupancy *occupancy; /* for occupancy jobs whose trace is "given", instead of a file; the caller's */
  const char *share;             /* installed folder that holds models/; searched after the scenario's own */
} fw_scenario_overrides;

/* Reads, checks and resolves a scenario file. All faults are reported, each with its place. */
fw_status fw_scenario_read(const char *path, const fw_scenario_overrides *overrides, fw_scenario **out,
                           fw_diagnostics *diagnostics);

/* The same from text, as if read from `path`. */
fw_status fw_scenario_parse(const char *text, size_t length, const char *path, const fw_scenario_overrides *overrides,
                            fw_scenario **out, fw_diagnostics *diagnostics);

void fw_scenario_free(fw_scenario *scenario);

/* Adds the JSON Schema of scenario files to `text`, or their reference as Markdown. */
void fw_scenario_schema(fw_text *text);
void fw_scenario_reference(fw_text *text);

#endif

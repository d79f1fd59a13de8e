/* A policy: a table of functions over a state of its own.
 *
 * Built-in policies and plug-ins use the same table; there is no privileged path. A policy sees what a controller could
 * really know: readings, not truth; fleet telemetry that is a second old; its own actuators. It runs at decision
 * instants: a job policy when a job ends a generation batch (or a step, where batching is continuous), a fleet policy
 * at an interval of its own.
 *
 * One state is created for each job (job policies) or for each run (fleet policies), so a job policy needs no locks and
 * cannot couple jobs. With the same settings, seed and observations a policy must give the same actions: it may not
 * read a clock or a file, and it draws random numbers only through sim/base/random.h. */
#ifndef FW_POLICIES_POLICY_H
#define FW_POLICIES_POLICY_H

#include "sim/base/record.h"

#define FW_POLICY_ABI 2u
#define FW_POLICY_WINDOWS 8 /* most windows that an observation carries */
#define FW_POLICY_LEVELS 32 /* most levels of an actuator */

typedef enum fw_actuator {
  FW_ACTUATOR_CONCURRENCY,       /* generation batch size: most sequences in flight */
  FW_ACTUATOR_GROUP_SIZE,        /* completions per prompt */
  FW_ACTUATOR_COMPLETION_TOKENS, /* limit on the length of a completion */
  FW_ACTUATOR_PAUSE_S,           /* pause after each generation batch */
  FW_ACTUATOR_POWER_CAP_W,       /* per GPU, held by firmware */
  FW_ACTUATOR_START_OFFSET_S,    /* delay before the next step begins */
  FW_ACTUATOR_COUNT
} fw_actuator;

extern const char *const fw_actuator_names[FW_ACTUATOR_COUNT + 1];

/* The settings of an actuator that a job allows: a range, and for those set in steps the steps. */
typedef struct fw_actuator_range {
  double min;
  double max;                      /* min == max: the job does not offer this actuator */
  double levels[FW_POLICY_LEVELS]; /* rising; `level_count` 0 means any value in the range */
  size_t level_count;
} fw_actuator_range;

/* What is known of a job before the run. */
typedef struct fw_job_setup {
  uint32_t job;
  uint64_t seed;
  size_t gpus;
  double idle_w; /* of all its GPUs */
  double tdp_w;  /* of all its GPUs */
  fw_actuator_range actuators[FW_ACTUATOR_COUNT];
  double initial[FW_ACTUATOR_COUNT];
  double windows_s[FW_POLICY_WINDOWS];
  size_t window_count;
} fw_job_setup;

/* What a job policy sees at one decision instant. Powers are readings of the job's GPUs together, W. A value that is
 * not known (no reading yet, a window not full, no budget) is NaN. */
typedef struct fw_job_observation {
  uint32_t job;
  uint64_t decision; /* counts this job's decisions from 0 */
  double time_s;
  double elapsed_s;                              /* since the last decision, or since the start */
  double power_w;                                /* the last reading */
  double interval_mean_w;                        /* mean of the readings since the last decision */
  double window_mean_w[FW_POLICY_WINDOWS];       /* rolling means over the setup's windows */
  double budget_w;                               /* the job's share of the budget at this instant */
  double next_budget_w;                          /* its share after the next change of the schedule, or the same */
  double next_budget_in_s;                       /* until that change; infinity when there is none */
  double fleet_power_w;                          /* telemetry of the site, one second old */
  double fleet_window_mean_w[FW_POLICY_WINDOWS]; /* its rolling means, as old */
  double fleet_budget_w;
  double settings[FW_ACTUATOR_COUNT]; /* in force */
  uint32_t masked[FW_ACTUATOR_COUNT]; /* bits of levels that a shield forbids now, never all; who sets one all the same
                                         gets the next one of less power instead */
  double occupancy;                   /* mean sequences in flight since the last decision */
  double tokens;                      /* generated since the last decision */
  double energy_j;                    /* by the readings, since the last decision */
  double step_progress;               /* share of the step's completions done, 0..1 */
  uint64_t step;
} fw_job_observation;

/* What a job policy answers: new settings for those actuators whose bit is set in `set` (1u << fw_actuator). They hold
 * from the next generation batch on (a cap: at once) until changed. Values are rounded to the nearest level and limited
 * to the range; what was changed so is counted and reported. Starts out with the settings in force and no bit set. */
typedef struct fw_job_action {
  double settings[FW_ACTUATOR_COUNT];
  uint32_t set;
} fw_job_action;

/* One job as a fleet policy sees it. */
typedef struct fw_fleet_job {
  uint32_t job;
  int64_t priority; /* larger is more important */
  const char *job_class;
  size_t gpus;
  double power_w;       /* telemetry, one second old */
  double window_mean_w; /* over the policy's own window (30 s by default: see fw_fleet_setup) */
  double budget_w;      /* present share */
  double cap_w;         /* present cap per GPU */
  double cap_min_w;
  double cap_max_w;
  double demand_w; /* power per GPU that it would draw uncapped, as last seen uncapped; NaN when not known */
  /* From the job's own step counter, not from telemetry, so not late. */
  double step_elapsed_s;     /* since the present step began; negative while its start is put off; NaN after the last */
  double step_length_s;      /* of the last whole step; NaN before there is one */
  double start_offset_max_s; /* longest delay of a start that the job offers; 0: none */
} fw_fleet_job;

typedef struct fw_fleet_setup {
  uint64_t seed;
  size_t job_count;
  double nameplate_w;
  double idle_w;    /* of GPUs without a job */
  double cap_min_w; /* of a GPU */
  double cap_max_w;
  const char *const *classes; /* of its jobs */
  size_t class_count;
} fw_fleet_setup;

typedef struct fw_fleet_observation {
  uint64_t decision;
  double time_s;
  double power_w; /* of the site, one second old */
  double window_mean_w;
  double budget_w;
  double next_budget_w;
  double next_budget_in_s;
  const fw_fleet_job *jobs;
  size_t job_count;
} fw_fleet_observation;

/* Per job, in the order of the observation: a cap per GPU, a share of the budget, a delay before the next step. NaN
 * leaves as is. */
typedef struct fw_fleet_action {
  double *cap_w;
  double *budget_w;
  double *start_offset_s;
} fw_fleet_action;

typedef enum fw_policy_scope { FW_POLICY_JOB, FW_POLICY_FLEET } fw_policy_scope;

/* A file that a policy's settings name. Whoever resolves settings finds it, reads it once and leaves what was made of
 * it in them; it must outlive them. */
typedef struct fw_policy_file {
  const char *key;       /* of the name in the settings */
  const char *folder;    /* in the installed share, where it is looked for after the scenario's own folder */
  const char *extension; /* added to a name without it */
  size_t name_offset;    /* char * in the settings */
  size_t content_offset; /* pointer in the settings to what `read` makes */
  fw_status (*read)(const char *path, void **content, fw_diagnostics *diagnostics);
  void (*release)(void *content);
} fw_policy_file;

typedef struct fw_policy_type {
  uint32_t abi;         /* FW_POLICY_ABI */
  uint32_t struct_size; /* sizeof(fw_policy_type) */
  fw_policy_scope scope;
  const char *name; /* the "kind" in a scenario */
  const char *doc;
  const fw_record *settings; /* how its settings are read; its struct is what `create` gets */

  /* Whether the settings can be used: for a job policy on `job`, for a fleet policy in `fleet`; the other is NULL.
   * Asked when a scenario is read, so it may depend on nothing that only a run brings, their seed included. Every fault
   * is an FW_ERROR_INPUT at its value in `written`, the settings as they stand in the file (fw_record_member); NULL:
   * they stand in none. NULL instead of a function: whatever its record lets through can be used. */
  fw_status (*check)(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                     const fw_json_value *written, fw_diagnostics *diagnostics);

  /* Makes a state from settings that were checked. `settings` outlives it. For a job policy `job` is set, for a fleet
   * policy `fleet`. */
  fw_status (*create)(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                      fw_diagnostics *diagnostics);
  void (*destroy)(void *state);

  fw_status (*decide_job)(void *state, const fw_job_observation *observation, fw_job_action *action,
                          fw_diagnostics *diagnostics);
  fw_status (*decide_fleet)(void *state, const fw_fleet_observation *observation, fw_fleet_action *action,
                            fw_diagnostics *diagnostics);

  /* Fleet policies: seconds between decisions and the window of the means they want. NULL for job policies. */
  void (*rhythm)(const void *settings, double *interval_s, double *window_s);

  /* Actuators that this policy may drive, as bits; known without running it. */
  uint32_t (*drives)(const void *settings);

  /* Its decisions depend neither on budgets nor on how power compares with them: one run then serves to judge it
   * against any number of budgets. False unless it is certain. */
  bool ignores_budget;

  const fw_policy_file *file; /* that the settings name; NULL: none */
} fw_policy_type;

/* The built-in policies of a scope, as variants for scenario files (tag = kind, record = settings), ended by a NULL
 * tag, and the type for a tag. */
extern const fw_variant_case fw_job_policy_cases[];
extern const fw_variant_case fw_fleet_policy_cases[];
const fw_policy_type *fw_policy_find(fw_policy_scope scope, const char *name);

/* The nearest setting that a range allows (ties go down). A NaN stays one, so that it does not pass for a setting. */
double fw_actuator_nearest(const fw_actuator_range *range, double value);

/* The next lower (`direction` < 0) or higher setting; the nearest allowed one when there is none, or when `direction`
 * is 0. Without levels a step is a sixteenth of the range. */
double fw_actuator_step(const fw_actuator_range *range, double value, int direction);

#endif

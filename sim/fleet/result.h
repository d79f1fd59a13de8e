/* What one run came to. */
#ifndef FW_FLEET_RESULT_H
#define FW_FLEET_RESULT_H

#include "policies/policy.h"
#include "sim/scenario/scenario.h"

typedef enum fw_stop_reason {
  FW_STOP_HORIZON,  /* the scenario's duration was simulated */
  FW_STOP_JOBS_DONE /* every job ended before it; the rest of the time was idle and counts */
} fw_stop_reason;

extern const char *const fw_stop_reason_names[];

/* One window of one power domain. */
typedef struct fw_window_result {
  fw_time_ns window;
  double violation_rate; /* NaN: the window was never full, or there is no budget */
  uint64_t episodes;
  double longest_episode_s;
  double excess_ws; /* integrated excess of the window's mean over the budget */
  double peak_w;    /* NaN when the window was never full, like the percentiles */
  double p50_w;
  double p95_w;
  double p99_w;
  double p999_w;
} fw_window_result;

extern const char *const fw_domain_level_names[];

/* One breaker after a run. */
typedef struct fw_breaker_reading {
  double use; /* largest heat over the threshold: 1 trips; the margin is what it lacks to 1 */
  uint64_t trips;
  double first_trip_s; /* measured time; NaN without a trip */
} fw_breaker_reading;

/* The breakers of a domain, as they are believed to be and at both ends of what they may be. */
typedef struct fw_breaker_result {
  bool present;
  bool redundant;                                /* several feeds */
  double rating_w;                               /* load of the domain at which its breakers carry their rating */
  double rating_one_lost_w;                      /* the same after the worst loss of one feed */
  fw_breaker_reading all[FW_BREAKER_CASES];      /* all feeds in service */
  fw_breaker_reading one_lost[FW_BREAKER_CASES]; /* one feed lost throughout; as above without redundancy */
} fw_breaker_result;

typedef struct fw_domain_result {
  fw_domain_level level;
  size_t index;            /* within its level */
  fw_power_mw budget;      /* 0: none */
  double oversubscription; /* budgets of its children over its own; NaN where it or a child has none */
  fw_energy_pj energy;
  fw_breaker_result breaker;
  fw_window_result windows[FW_POLICY_WINDOWS];
  size_t window_count; /* 0 where the windows were not metered */
} fw_domain_result;

/* Samples (a GPU in one stretch of a tick) whose power met a limit of the board, and what that did to the mean: a large
 * bias means that the residual model does not fit the level. */
typedef struct fw_clamp_count {
  uint64_t floor;   /* raised to idle power */
  uint64_t ceiling; /* lowered to the board's maximum */
  double bias_w;    /* mean change per GPU, W, from both */
  uint64_t capped;  /* lowered by an enforced power cap: wanted, not a bias */
} fw_clamp_count;

/* What the scenario's events did. */
typedef struct fw_disturbance {
  uint64_t struck[FW_ADVERSITY_KINDS]; /* how often; of cap faults: commands that were late or lost */
  int64_t lost_tokens;                 /* generated and lost */
  uint64_t lost_steps;                 /* done and lost: those since the last checkpoint */
  double down_s;                       /* in outages, until the job worked again */
  double held_up_s;                    /* time that stragglers cost, beyond what the work takes */
  uint64_t late_caps;
  uint64_t lost_caps;
} fw_disturbance;

typedef struct fw_job_result {
  int64_t tokens; /* that were kept: what was lost is not among them, and is counted when it is done again */
  fw_energy_pj energy;
  uint64_t steps; /* likewise */
  uint64_t batches;
  uint64_t decisions;
  uint64_t adjusted_actions; /* settings that were rounded or limited */
  double mean_occupancy;     /* over rollout time; NaN without one */
  bool extrapolated;         /* ran outside its model's support, or a cap below the slowdown table */
  fw_clamp_count clamps;
  fw_disturbance disturbance;
} fw_job_result;

/* The windows of the site, judged against one budget: on true power, and as read. */
typedef struct fw_judgement {
  fw_window_result windows[FW_POLICY_WINDOWS];
  fw_window_result sensed[FW_POLICY_WINDOWS];
  fw_breaker_result breaker;
} fw_judgement;

typedef struct fw_result {
  fw_stop_reason stop_reason;
  fw_time_ns measured; /* duration less warm-up */
  fw_energy_pj energy; /* of the site: IT, at the input of the nodes */
  fw_energy_pj facility_energy;
  int64_t tokens;
  double cost; /* of the facility's energy, like the carbon */
  double carbon_kg;
  fw_window_result windows[FW_POLICY_WINDOWS]; /* of the site, on true power */
  fw_window_result sensed[FW_POLICY_WINDOWS];  /* of the site, on readings */
  size_t window_count;
  fw_judgement *others; /* against the other budgets that were asked for */
  size_t other_count;
  fw_domain_result *domains; /* nodes, racks, rows, site */
  size_t domain_count;
  fw_job_result *jobs;
  size_t job_count;
  fw_clamp_count clamps;
  fw_disturbance disturbance; /* of all jobs together */
  uint64_t budget_calls;      /* losses of feed and demand responses that began */
  uint64_t gpu_ticks;         /* simulated samples of GPUs that had a job */
  uint64_t tie_count;
} fw_result;

void fw_result_clear(fw_result *result);

#endif

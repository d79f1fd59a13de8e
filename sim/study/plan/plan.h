/* Plan: how far a feed can be oversubscribed at a stated risk, for each policy and window (docs/planning.md). */
#ifndef FW_STUDY_PLAN_H
#define FW_STUDY_PLAN_H

#include "sim/study/metric.h"
#include "sim/study/plan/frontier.h"
#include "sim/study/sweep/store.h"

typedef enum fw_plan_risk {
  FW_PLAN_TIME_SHARE,       /* share of time in violation of a window */
  FW_PLAN_EPISODES_PER_DAY, /* stretches of violation of a window, for each day that is not in violation */
  FW_PLAN_TRIPS_PER_YEAR    /* of the breakers as they are believed to be, all feeds in service */
} fw_plan_risk;

extern const char *const fw_plan_risk_names[]; /* ended by NULL */

/* What is varied along the grid of ratios. */
typedef enum fw_plan_axis {
  FW_PLAN_BUDGET, /* this fleet on ever smaller feeds */
  FW_PLAN_FLEET   /* this feed under ever larger fleets, in the fleet's own proportions */
} fw_plan_axis;

extern const char *const fw_plan_axis_names[]; /* ended by NULL */

typedef struct fw_plan_options {
  fw_plan_risk risk;
  double limit;
  double most_loss; /* share of the tokens of the uncontrolled fleet; NaN: not limited */
  fw_plan_axis axis;
  double from; /* ratios of nameplate to budget */
  double to;
  double step;
  const fw_time_ns *windows; /* of the scenario; none: all of them */
  size_t window_count;
  size_t look;      /* runs of a first look */
  size_t survey;    /* ratios that get one anyway, for the surface */
  size_t most_runs; /* at a ratio */
  fw_store *store;  /* keeps every run, or NULL */
  fw_study_options study;
} fw_plan_options;

/* Everything but the risk and its limit: all windows, ratios from 1 to 4, and so many runs that most answers are
 * decided.
 */
extern const fw_plan_options fw_plan_defaults;

/* One ratio that was run. */
typedef struct fw_plan_point {
  double oversubscription;
  fw_power_mw budget;
  size_t gpus;
  fw_point_state state;
  size_t runs;                          /* that its figures are from: those of its test, or of the first look */
  fw_estimate risk;                     /* valid however many runs there were (sequential.h) */
  fw_estimate loss;                     /* NaN where it is not limited */
  fw_estimate metrics[FW_METRIC_SLOTS]; /* means with Student's interval */
} fw_plan_point;

/* A policy at a window. */
typedef struct fw_plan_answer {
  size_t policy;
  size_t window;         /* index into the scenario's windows; trips have none: 0 */
  fw_plan_point *points; /* that were run, rising in ratio */
  size_t point_count;
  size_t meets; /* index into the points: the largest ratio proven to meet the limits; FW_NO_POINT: none */
  size_t fails; /* the smallest above it that is proven not to; FW_NO_POINT: none */
  bool decided;
  bool falls; /* the risk fell from points[falls_from] to the next one */
  size_t falls_from;
} fw_plan_answer;

typedef struct fw_plan_result {
  const fw_scenario *scenario;
  fw_plan_options options;
  bool breaker_assumed;    /* the scenario has none: the defaults stand in every domain with a budget */
  double trip_loss_s;      /* time whose tokens a trip costs: the outage, and half a step of work under way; NaN: trips
                              take the power, and what they cost is missing in the runs' tokens */
  double clean_runs;       /* at a ratio where no run sees an event: what it takes to prove that the limit is met */
  size_t runs;             /* simulated or taken from the store */
  fw_plan_answer *answers; /* policies outermost, then windows */
  size_t answer_count;
} fw_plan_result;

/* Depends on nothing but scenario and options other than store and study. Free with fw_plan_clear. */
fw_status fw_plan(const fw_scenario *scenario, const fw_plan_options *options, fw_plan_result *out,
                  fw_diagnostics *diagnostics);
void fw_plan_clear(fw_plan_result *result);

#endif

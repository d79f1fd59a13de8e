/* The runs of a plan: each once, whoever asks for it, at any of the grid's ratios. */
#ifndef FW_STUDY_PLAN_RUNS_H
#define FW_STUDY_PLAN_RUNS_H

#include "sim/study/plan/plan.h"

/* One ratio of the grid. */
typedef struct fwi_plan_grid_point {
  double oversubscription;
  double factor; /* of the fleet; 1 where the budget is varied */
  fw_scenario_budget budget;
} fwi_plan_grid_point;

typedef struct fwi_plan_runs {
  fw_scenario base; /* a copy of the scenario, with breakers */
  const fw_plan_options *options;
  fwi_plan_grid_point *grid;
  size_t point_count;
  fw_scenario *fleets; /* by point, made when first asked for, where the fleet is varied */
  size_t slots;        /* replications of a point: tests, then the look */
  double **figures;    /* of the present policy: points x slots, vectors of FW_METRIC_SLOTS or NULL */
  double *reference;   /* tokens of the uncontrolled fleet: points (or 1) x slots, NaN: not run */
  size_t policy;
  size_t count;  /* runs */
  int64_t study; /* in the store */
} fwi_plan_runs;

/* The grid, and room for the runs. The scenario must outlive it. */
fw_status fwi_plan_runs_create(const fw_scenario *scenario, const fw_plan_options *options, fwi_plan_runs *out,
                               fw_diagnostics *diagnostics);
void fwi_plan_runs_free(fwi_plan_runs *runs);

/* Forgets the runs of the policy before. */
void fwi_plan_runs_turn_to(fwi_plan_runs *runs, size_t policy);

/* The figures of a run, simulated where it was not before; NULL on failure. From any thread, never for the same run
 * from two. */
fw_status fwi_plan_run(fwi_plan_runs *runs, size_t point, uint64_t replication, const double **figures,
                       fw_diagnostics *diagnostics);

/* Share of the uncontrolled fleet's tokens that the run lost: below 0 where it gained. */
fw_status fwi_plan_loss(fwi_plan_runs *runs, size_t point, uint64_t replication, double *loss,
                        fw_diagnostics *diagnostics);

/* Lists a point's first `count` replications of the present policy in the plan's study, where there is a store. */
fw_status fwi_plan_list(fwi_plan_runs *runs, size_t point, size_t count, fw_diagnostics *diagnostics);

/* GPUs of the fleet at a point. */
size_t fwi_plan_gpus(const fwi_plan_runs *runs, size_t point);

#endif

/* Where a risk that rises along a grid crosses its limit: the last point that is below it and the first that is not,
 * each proven, from as few runs as will do.
 *
 * First a few runs at the points of a bisection say where to look; they prove nothing. Then points are tested one by
 * one, downward from there for one that meets the limit and upward for one that fails it, with runs of their own. The
 * k-th point tested may err with chance alpha / (k (k + 1)), which sums to alpha however many there are, and each test
 * stays right under optional stopping (sequential.h). So both proofs hold together with chance 1 - alpha, and where the
 * risk rises along the grid the crossing lies between them. A point that its budget of runs cannot decide is left open,
 * and the answer is the wider bracket around it.
 *
 * That the risk rises is checked on all pairs of neighbours that were run, over the runs that they have in common.
 * Where it is found to fall, the answer is the last proven point below which no point looks worse than the limit, and
 * the result says between which points it falls. */
#ifndef FW_STUDY_FRONTIER_H
#define FW_STUDY_FRONTIER_H

#include <stdint.h>

#include "sim/study/plan/sequential.h"
#include "sim/study/replicate.h"

/* Replications from here on are those of the first look. */
#define FW_FRONTIER_LOOK (UINT64_C(1) << 32)

typedef struct fw_frontier_spec {
  size_t point_count;
  fw_sequence risk; /* kind, quantum and exposure of the risk of a run */
  double limit;
  bool limits_loss; /* a point meets the limits when risk and loss are below theirs; it fails with either above */
  double loss_limit;
  double loss_quantum;
  double alpha;
  size_t look;      /* runs at a point of the first look */
  size_t survey;    /* points, spread over the grid, that get a first look anyway */
  size_t batch;     /* runs between two verdicts */
  size_t most_runs; /* at a point */
  /* What one run came to; the loss is used where it is limited. Called from any thread. */
  fw_status (*run)(void *context, size_t point, uint64_t replication, double *risk, double *loss,
                   fw_diagnostics *diagnostics);
  void *context;
} fw_frontier_spec;

typedef enum fw_point_state {
  FW_POINT_UNTESTED,
  FW_POINT_OPEN, /* tested, not decided within its runs */
  FW_POINT_MEETS,
  FW_POINT_FAILS
} fw_point_state;

extern const char *const fw_point_state_names[];

typedef struct fw_frontier_runs {
  double *risk; /* owned */
  double *loss; /* owned */
  size_t count;
} fw_frontier_runs;

typedef struct fw_frontier_point {
  fw_point_state state;
  double alpha; /* that it was tested with; 0: not */
  fw_frontier_runs look;
  fw_frontier_runs tests;
} fw_frontier_point;

#define FW_NO_POINT SIZE_MAX

typedef struct fw_frontier {
  fw_frontier_point *points;
  size_t point_count;
  size_t meets; /* last point proven to meet the limits; FW_NO_POINT: none was */
  size_t fails; /* first point above it proven to fail; FW_NO_POINT: none was */
  bool decided; /* the two are neighbours, or the grid ends between them */
  bool falls;   /* the risk was found to fall from `falls_from` to the next point that was run */
  size_t falls_from;
  size_t runs; /* that all this took */
} fw_frontier;

/* The result depends on nothing but the spec. Free with fw_frontier_clear. */
fw_status fw_frontier_find(const fw_frontier_spec *spec, const fw_study_options *options, fw_frontier *out,
                           fw_diagnostics *diagnostics);
void fw_frontier_clear(fw_frontier *frontier);

/* The runs that say the most of a point: its tests or, without any, the first look. Empty where it was not run. */
const fw_frontier_runs *fw_frontier_best_runs(const fw_frontier_point *point);

/* Intervals of a point's risk and loss from those runs, at the confidence 1 - spec->alpha for this point alone. */
fw_estimate fw_frontier_risk(const fw_frontier_spec *spec, const fw_frontier_point *point);
fw_estimate fw_frontier_loss(const fw_frontier_spec *spec, const fw_frontier_point *point);

#endif

/* What a scenario file says about its own results: its "expect" blocks, judged by `fleetwatt check`
 * (sim/study/check/check.h).
 */
#ifndef FW_SCENARIO_EXPECT_H
#define FW_SCENARIO_EXPECT_H

#include <stdint.h>

#include "sim/base/units.h"
#include "sim/scenario/metric.h"

/* In the order of the cases of "checks". */
typedef enum fw_expect_kind {
  FW_EXPECT_DIGEST,     /* one run, to the last bit */
  FW_EXPECT_RANGE,      /* the mean of a figure lies between bounds */
  FW_EXPECT_COMPARISON, /* a figure is lower, or higher, in one arm than in another, with confidence */
  FW_EXPECT_RECORDED    /* the mean of a figure is what it was, within a tolerance */
} fw_expect_kind;

typedef enum fw_expect_tolerance_kind {
  FW_EXPECT_ABSOLUTE, /* at most `tolerance` away */
  FW_EXPECT_RELATIVE, /* at most the share `tolerance` of the value away */
  FW_EXPECT_FACTOR    /* between value / tolerance and value x tolerance */
} fw_expect_tolerance_kind;

extern const char *const fw_expect_tolerance_names[];

/* One check. Policies and the budget are indices into the scenario as it stands in the file: into fw_scenario only
 * where that was read without overrides of them. The strings belong to the scenario. */
typedef struct fw_expectation {
  fw_expect_kind kind;
  size_t line;     /* of the file */
  const char *why; /* what a failure means; NULL where the file does not say */
  size_t policy;
  size_t budget;
  fw_metric metric; /* of all kinds but digests */
  size_t window;    /* index; 0 for metrics that have none */
  uint64_t seed;    /* DIGEST */
  const char *digest;
  double least; /* RANGE; infinite where there is no bound */
  double most;
  size_t than; /* COMPARISON: the other policy */
  bool above;  /* the figure of `policy` is to be the higher one */
  double by;   /* at least so much */
  double confidence;
  double value; /* RECORDED */
  fw_expect_tolerance_kind tolerance_kind;
  double tolerance;
} fw_expectation;

/* Checks on the same runs: every arm that they name, over the block's seeds. */
typedef struct fw_expect_block {
  fw_time_ns duration;
  size_t seeds; /* the scenario's seed, and those that follow */
  const fw_expectation *checks;
  size_t count;
} fw_expect_block;

#endif

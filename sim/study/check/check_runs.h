/* Inside check: the runs that checks need, each made once, in one pool for all files. */
#ifndef FW_STUDY_CHECK_RUNS_H
#define FW_STUDY_CHECK_RUNS_H

#include "sim/study/check/check.h"
#include "sim/study/metric.h"

/* An arm of a block over consecutive seeds; for a digest over one seed. */
typedef struct fwi_check_group {
  const fw_scenario *scenario;
  const fw_expect_block *block;
  size_t policy;
  size_t budget;
  uint64_t first_seed;
  bool digested;
  size_t first_run; /* index into the pool's */
  size_t count;
} fwi_check_group;

typedef struct fwi_check_run {
  size_t group;
  bool ended;
  fw_status status;
  fw_diagnostics diagnostics;
  double values[FW_METRIC_SLOTS];
  char digest[FW_DIGEST_TEXT_SIZE];
} fwi_check_run;

/* Start with {0}; free with fwi_check_pool_free. */
typedef struct fwi_check_pool {
  fwi_check_group *groups;
  size_t group_count;
  size_t group_capacity;
  fwi_check_run *runs; /* NULL until the pool has run */
  size_t run_count;
} fwi_check_pool;

/* Adds what the checks of a scenario need. */
fw_status fwi_check_plan(fwi_check_pool *pool, const fw_scenario *scenario, fw_diagnostics *diagnostics);

/* Runs all. That a run failed stands in the run; the status is of the pool: memory, or an interrupt. */
fw_status fwi_check_perform(fwi_check_pool *pool, const fw_study_options *options, fw_diagnostics *diagnostics);

void fwi_check_pool_free(fwi_check_pool *pool);

/* The group of an arm, for its figures; for a digest that of the check's seed. It is there. */
const fwi_check_group *fwi_check_figures(const fwi_check_pool *pool, const fw_expect_block *block, size_t policy,
                                         size_t budget);
const fwi_check_group *fwi_check_digest(const fwi_check_pool *pool, const fw_expect_block *block,
                                        const fw_expectation *check);

#endif

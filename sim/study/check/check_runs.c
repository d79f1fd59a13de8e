/* Groups are found by a walk along the list: a file has few arms. */
#include "sim/study/check/check_runs.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/run.h"

/* Figures of an arm are all from the scenario's seeds on; digests are each of one seed. */
static const fwi_check_group *find(const fwi_check_pool *pool, const fwi_check_group *wanted) {
  for (size_t i = 0; i < pool->group_count; i++) {
    const fwi_check_group *group = &pool->groups[i];
    if (group->block == wanted->block && group->policy == wanted->policy && group->budget == wanted->budget &&
        group->digested == wanted->digested && (!group->digested || group->first_seed == wanted->first_seed)) {
      return group;
    }
  }
  return NULL;
}

static fw_status need(fwi_check_pool *pool, fwi_check_group group, fw_diagnostics *diagnostics) {
  if (find(pool, &group) != NULL) {
    return FW_OK;
  }
  size_t runs = 0;
  group.first_run = pool->run_count;
  if (!fw_size_add(pool->run_count, group.count, &runs) ||
      !fw_grow(&pool->groups, &pool->group_capacity, pool->group_count + 1, sizeof *pool->groups)) {
    return fw_error_memory(diagnostics, "the runs of a check");
  }
  pool->groups[pool->group_count++] = group;
  pool->run_count = runs;
  return FW_OK;
}

static fwi_check_group figures_of(const fw_scenario *scenario, const fw_expect_block *block, size_t policy,
                                  size_t budget) {
  return (fwi_check_group){.scenario = scenario,
                           .block = block,
                           .policy = policy,
                           .budget = budget,
                           .first_seed = scenario->seed,
                           .count = block->seeds};
}

static fw_status plan_check(fwi_check_pool *pool, const fw_scenario *scenario, const fw_expect_block *block,
                            const fw_expectation *check, fw_diagnostics *diagnostics) {
  fwi_check_group group = figures_of(scenario, block, check->policy, check->budget);
  if (check->kind == FW_EXPECT_DIGEST) {
    group.digested = true;
    group.first_seed = check->seed;
    group.count = 1;
  }
  fw_status status = need(pool, group, diagnostics);
  if (status == FW_OK && check->kind == FW_EXPECT_COMPARISON) {
    status = need(pool, figures_of(scenario, block, check->than, check->budget), diagnostics);
  }
  return status;
}

fw_status fwi_check_plan(fwi_check_pool *pool, const fw_scenario *scenario, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t b = 0; b < scenario->expect_count; b++) {
    const fw_expect_block *block = &scenario->expect[b];
    for (size_t i = 0; i < block->count && status == FW_OK; i++) {
      status = plan_check(pool, scenario, block, &block->checks[i], diagnostics);
    }
  }
  return status;
}

/* ---- Runs ---- */

static fw_status run_one(void *context, size_t index, fw_diagnostics *diagnostics) {
  (void)diagnostics; /* each run has its own */
  const fwi_check_pool *pool = context;
  fwi_check_run *run = &pool->runs[index];
  const fwi_check_group *group = &pool->groups[run->group];
  fw_scenario scenario = *group->scenario;
  scenario.duration = group->block->duration;
  fw_digest digest;
  fw_digest_start(&digest, NULL);
  const fw_run_options options = {.policy = group->policy,
                                  .budget = group->budget,
                                  .seed = group->first_seed + (index - group->first_run),
                                  .observer = group->digested ? &digest.observer : NULL};
  fw_result result = {0};
  run->status = fw_run(&scenario, &options, &result, &run->diagnostics);
  run->ended = true;
  if (run->status == FW_OK) {
    fw_metric_extract(&result, run->values);
    (void)fw_digest_format(&digest, run->digest);
    fw_result_clear(&result);
  }
  return FW_OK;
}

fw_status fwi_check_perform(fwi_check_pool *pool, const fw_study_options *options, fw_diagnostics *diagnostics) {
  pool->runs = fw_allocate(pool->run_count, sizeof *pool->runs);
  if (pool->runs == NULL) {
    return fw_error_memory(diagnostics, "the runs of a check");
  }
  for (size_t g = 0; g < pool->group_count; g++) {
    for (size_t i = 0; i < pool->groups[g].count; i++) {
      pool->runs[pool->groups[g].first_run + i].group = g;
    }
  }
  const fwi_replications work = {.count = pool->run_count, .run = run_one, .context = pool};
  return fwi_replicate(&work, options, diagnostics);
}

void fwi_check_pool_free(fwi_check_pool *pool) {
  for (size_t i = 0; pool->runs != NULL && i < pool->run_count; i++) {
    fw_diagnostics_clear(&pool->runs[i].diagnostics);
  }
  free(pool->runs);
  free(pool->groups);
  *pool = (fwi_check_pool){0};
}

const fwi_check_group *fwi_check_figures(const fwi_check_pool *pool, const fw_expect_block *block, size_t policy,
                                         size_t budget) {
  const fwi_check_group wanted = {.block = block, .policy = policy, .budget = budget};
  return find(pool, &wanted);
}

const fwi_check_group *fwi_check_digest(const fwi_check_pool *pool, const fw_expect_block *block,
                                        const fw_expectation *check) {
  const fwi_check_group wanted = {
      .block = block, .policy = check->policy, .budget = check->budget, .first_seed = check->seed, .digested = true};
  return find(pool, &wanted);
}

/* Replications of all arms in parallel, reduced in a fixed order. */
#include "sim/study/compare.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/arms.h"

/* What is kept of one run. */
typedef struct run_record {
  double values[FW_METRIC_SLOTS];
  fw_stop_reason stop_reason;
  fw_clamp_count clamps;
  uint64_t gpu_ticks;
  uint64_t adjusted_actions;
  bool extrapolated;
} run_record;

/* One run of a seed: a policy at a budget, judged against `other_count` more. */
typedef struct arm_run {
  size_t policy;
  size_t budget;
  size_t other_count;
} arm_run;

typedef struct comparison {
  const fw_scenario *scenario;
  size_t seeds;
  size_t arms;
  run_record *runs; /* seeds x arms, the arms of one seed side by side */
  arm_run *plan;    /* the runs of one seed */
  size_t runs_per_seed;
  size_t *others; /* every budget but the first */
} comparison;

static void keep(const fw_result *result, run_record *run) {
  fw_metric_extract(result, run->values);
  run->stop_reason = result->stop_reason;
  run->clamps = result->clamps;
  run->gpu_ticks = result->gpu_ticks;
  for (size_t j = 0; j < result->job_count; j++) {
    run->adjusted_actions += result->jobs[j].adjusted_actions;
    run->extrapolated = run->extrapolated || result->jobs[j].extrapolated;
  }
}

static run_record *record_of(const comparison *work, size_t seed, size_t policy, size_t budget) {
  return &work->runs[seed * work->arms + budget * work->scenario->policy_count + policy];
}

static fw_status run_one(void *context, size_t task, fw_diagnostics *diagnostics) {
  const comparison *work = context;
  const size_t seed = task / work->runs_per_seed;
  const arm_run *planned = &work->plan[task % work->runs_per_seed];
  const fw_run_options options = {.policy = planned->policy,
                                  .budget = planned->budget,
                                  .others = work->others,
                                  .other_count = planned->other_count,
                                  .seed = work->scenario->seed + seed};
  fw_result result = {0};
  const fw_status status = fw_run(work->scenario, &options, &result, diagnostics);
  if (status == FW_OK) {
    keep(&result, record_of(work, seed, planned->policy, planned->budget));
    for (size_t i = 0; i < planned->other_count; i++) {
      const fw_result judged = fwi_judged_by_other(&result, i);
      keep(&judged, record_of(work, seed, planned->policy, work->others[i]));
    }
    fw_result_clear(&result);
  }
  return status;
}

/* Which runs a seed takes; the budgets after the first are listed for those that serve all. */
static fw_status make_plan(comparison *work, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = work->scenario;
  const size_t budgets = scenario->budget_count;
  work->plan = fw_allocate(work->arms, sizeof *work->plan);
  work->others = fw_allocate(budgets, sizeof *work->others);
  if (work->plan == NULL || work->others == NULL) {
    return fw_error_memory(diagnostics, "the plan of a comparison");
  }
  for (size_t i = 1; i < budgets; i++) {
    work->others[i - 1] = i;
  }
  for (size_t budget = 0; budget < budgets; budget++) {
    for (size_t policy = 0; policy < scenario->policy_count; policy++) {
      const bool all = fwi_serves_all_budgets(scenario, policy);
      if (budget == 0 || !all) {
        work->plan[work->runs_per_seed++] = (arm_run){policy, budget, all ? budgets - 1 : 0};
      }
    }
  }
  return FW_OK;
}

static void gather(const comparison *work, size_t arm, size_t slot, double *out) {
  for (size_t seed = 0; seed < work->seeds; seed++) {
    out[seed] = work->runs[seed * work->arms + arm].values[slot];
  }
}

static void reduce_arm(const comparison *work, size_t index, double *scratch, fw_compare_arm *arm) {
  arm->policy = index % work->scenario->policy_count;
  arm->budget = index / work->scenario->policy_count;
  arm->stop_reason = work->runs[index].stop_reason;
  for (size_t slot = 0; slot < FW_METRIC_SLOTS; slot++) {
    gather(work, index, slot, scratch);
    arm->metrics[slot] = fw_estimate_figure(fw_metric_table[slot / FW_POLICY_WINDOWS].rate, scratch, work->seeds);
  }
  for (size_t seed = 0; seed < work->seeds; seed++) {
    const run_record *run = &work->runs[seed * work->arms + index];
    arm->clamps.floor += run->clamps.floor;
    arm->clamps.ceiling += run->clamps.ceiling;
    arm->clamps.capped += run->clamps.capped;
    arm->clamps.bias_w += run->clamps.bias_w / (double)work->seeds;
    arm->gpu_ticks += run->gpu_ticks;
    arm->adjusted_actions += run->adjusted_actions;
    arm->extrapolated = arm->extrapolated || run->extrapolated;
  }
}

static void reduce_difference(const comparison *work, fw_compare_difference *difference, double *a, double *b) {
  for (size_t slot = 0; slot < FW_METRIC_SLOTS; slot++) {
    gather(work, difference->arm, slot, a);
    gather(work, difference->against, slot, b);
    difference->metrics[slot] = fw_estimate_paired(a, b, work->seeds);
  }
}

static fw_status reduce(const comparison *work, fw_compare_result *out, fw_diagnostics *diagnostics) {
  const size_t policies = work->scenario->policy_count;
  double *scratch = fw_allocate(work->seeds, 2 * sizeof *scratch);
  out->arms = fw_allocate(work->arms, sizeof *out->arms);
  out->differences = fw_allocate(work->arms, sizeof *out->differences);
  if (scratch == NULL || out->arms == NULL || out->differences == NULL) {
    free(scratch);
    return fw_error_memory(diagnostics, "the result of a comparison");
  }
  out->arm_count = work->arms;
  for (size_t i = 0; i < work->arms; i++) {
    reduce_arm(work, i, scratch, &out->arms[i]);
    if (i % policies != 0) {
      fw_compare_difference *difference = &out->differences[out->difference_count++];
      difference->arm = i;
      difference->against = i - i % policies;
      reduce_difference(work, difference, scratch, scratch + work->seeds);
    }
  }
  free(scratch);
  return FW_OK;
}

void fw_compare_clear(fw_compare_result *result) {
  free(result->arms);
  free(result->differences);
  *result = (fw_compare_result){0};
}

fw_status fw_compare(const fw_scenario *scenario, const fw_compare_options *options, fw_compare_result *out,
                     fw_diagnostics *diagnostics) {
  comparison work = {
      .scenario = scenario, .seeds = scenario->seeds, .arms = scenario->policy_count * scenario->budget_count};
  size_t records = 0;
  *out = (fw_compare_result){.scenario = scenario, .seeds = scenario->seeds};
  if (!fw_size_multiply(work.seeds, work.arms, &records) ||
      (work.runs = fw_allocate(records, sizeof *work.runs)) == NULL) {
    return fw_error_memory(diagnostics, "the runs of a comparison");
  }
  fw_status status = make_plan(&work, diagnostics);
  if (status == FW_OK) {
    const fwi_replications runs = {.count = work.seeds * work.runs_per_seed, /* at most `records` */
                                   .heard = work.runs_per_seed,
                                   .run = run_one,
                                   .context = &work};
    status = fwi_replicate(&runs, options, diagnostics);
  }
  status = status == FW_OK ? reduce(&work, out, diagnostics) : status;
  free(work.runs);
  free(work.plan);
  free(work.others);
  if (status != FW_OK) {
    fw_compare_clear(out);
  }
  return status;
}

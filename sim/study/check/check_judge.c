/* Every check but a digest is judged on the mean over the seeds; the seeds are part of the file, so the mean is exact
 * and its interval only says how much it would move with others. A comparison is a one-sided paired t test on the
 * differences (Student, Biometrika 6, 1908). */
#include "sim/study/check/check_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/elementary.h"
#include "sim/base/memory.h"
#include "sim/study/reproduce/ledger.h"

_Static_assert((int)FW_EXPECT_ABSOLUTE == (int)FW_TOLERANCE_ABSOLUTE &&
                   (int)FW_EXPECT_RELATIVE == (int)FW_TOLERANCE_RELATIVE &&
                   (int)FW_EXPECT_FACTOR == (int)FW_TOLERANCE_FACTOR,
               "tolerances are those of the ledger");

bool fwi_check_agrees(const fw_expectation *check, double value, double got) {
  const fw_tolerance tolerance = {.kind = (int)check->tolerance_kind, .value = check->tolerance};
  return fw_tolerance_holds(&tolerance, value, 0.0, got);
}

/* The figures of an arm, seed by seed. */
static void gather(const fwi_check_pool *pool, const fw_check_outcome *outcome, size_t policy, double *values) {
  const fw_expectation *check = outcome->check;
  const fwi_check_group *group = fwi_check_figures(pool, outcome->block, policy, check->budget);
  for (size_t i = 0; i < group->count; i++) {
    values[i] = pool->runs[group->first_run + i].values[fw_metric_slot(check->metric, check->window)];
  }
}

/* The seed with the largest value, or with the smallest; the first that has none comes before all. */
static void show_best(fw_check_outcome *outcome, uint64_t first_seed, const double *values, bool largest) {
  size_t best = 0;
  for (size_t i = 1; i < outcome->seeds && !isnan(values[best]); i++) {
    if (isnan(values[i]) || (largest ? values[i] > values[best] : values[i] < values[best])) {
      best = i;
    }
  }
  outcome->seed = first_seed + best;
  outcome->seed_value = values[best];
}

static void judge_comparison(fw_check_outcome *outcome, uint64_t first_seed, const double *a, double *b) {
  const fw_expectation *check = outcome->check;
  const fw_estimate central = fw_estimate_paired(a, b, outcome->seeds).difference;
  const double degrees = (double)(outcome->seeds - 1);
  /* The estimate's own interval is of 95 %: its half width becomes that of the check's one-sided confidence. */
  const double half = (central.hi - central.mean) * fw_student_quantile(check->confidence, degrees) /
                      fw_student_quantile(0.975, degrees);
  outcome->got = (fw_estimate){central.mean, central.mean - half, central.mean + half};
  const double bound = check->above ? outcome->got.lo : -outcome->got.hi;
  outcome->holds = bound > 0.0 && bound >= check->by;
  for (size_t i = 0; i < outcome->seeds; i++) {
    b[i] = a[i] - b[i];
  }
  show_best(outcome, first_seed, b, !check->above);
}

static void judge_mean(fw_check_outcome *outcome, uint64_t first_seed, const double *values) {
  const fw_expectation *check = outcome->check;
  outcome->got = fw_estimate_figure(fw_metric_table[check->metric].rate, values, outcome->seeds);
  const double mean = outcome->got.mean;
  if (check->kind == FW_EXPECT_RANGE) {
    outcome->holds = mean >= check->least && mean <= check->most;
    show_best(outcome, first_seed, values, !(mean < check->least));
  } else {
    outcome->holds = fwi_check_agrees(check, check->value, mean);
    show_best(outcome, first_seed, values, mean > check->value);
  }
}

static void judge_digest(const fwi_check_pool *pool, fw_check_outcome *outcome) {
  const fwi_check_group *group = fwi_check_digest(pool, outcome->block, outcome->check);
  memcpy(outcome->digest, pool->runs[group->first_run].digest, sizeof outcome->digest);
  outcome->holds = strcmp(outcome->digest, outcome->check->digest) == 0;
  outcome->seeds = 1;
  outcome->seed = outcome->check->seed;
}

fw_status fwi_check_judge(const fwi_check_pool *pool, fw_check_outcome *outcome, fw_diagnostics *diagnostics) {
  const fw_expectation *check = outcome->check;
  if (check->kind == FW_EXPECT_DIGEST) {
    judge_digest(pool, outcome);
    return FW_OK;
  }
  outcome->seeds = outcome->block->seeds;
  double *values = fw_allocate(outcome->seeds, 2 * sizeof *values);
  if (values == NULL) {
    return fw_error_memory(diagnostics, "the figures of a check");
  }
  const uint64_t first_seed = fwi_check_figures(pool, outcome->block, check->policy, check->budget)->first_seed;
  gather(pool, outcome, check->policy, values);
  if (check->kind == FW_EXPECT_COMPARISON) {
    gather(pool, outcome, check->than, values + outcome->seeds);
    judge_comparison(outcome, first_seed, values, values + outcome->seeds);
  } else {
    judge_mean(outcome, first_seed, values);
  }
  free(values);
  return FW_OK;
}

/* Fronts over the arms of a comparison. */
#include "sim/study/compare_front.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/study/front.h"

static fw_front_point point_of(const fw_compare_arm *arm, size_t window) {
  return (fw_front_point){arm->metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, window)].mean,
                          arm->metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)].mean};
}

bool fw_compare_dominated(const fw_compare_result *result, size_t arm, size_t window) {
  const fw_front_point own = point_of(&result->arms[arm], window);
  for (size_t i = 0; i < result->arm_count; i++) {
    const bool same_budget = result->arms[i].budget == result->arms[arm].budget;
    if (same_budget && fw_front_dominates(point_of(&result->arms[i], window), own)) {
      return true;
    }
  }
  return false;
}

bool fw_compare_alike(const fw_compare_result *result, size_t one, size_t other) {
  const fw_compare_arm *a = &result->arms[one];
  const fw_compare_arm *b = &result->arms[other];
  const fw_scenario_policy *policies = result->scenario->policies;
  return a->budget == b->budget && policies[a->policy].job == policies[b->policy].job &&
         policies[a->policy].fleet == policies[b->policy].fleet;
}

double fw_compare_tokens_at(const fw_compare_result *result, size_t arm, size_t window, double rate) {
  fw_front_point *front = fw_allocate(result->arm_count, sizeof *front);
  size_t count = 0;
  double tokens = (double)NAN;
  for (size_t i = 0; front != NULL && i < result->arm_count; i++) {
    const fw_front_point point = point_of(&result->arms[i], window);
    if (fw_compare_alike(result, i, arm) && !isnan(point.rate)) {
      front[count++] = point;
    }
  }
  count = count > 0 ? fw_front_make(front, count) : 0;
  if (count > 0 && rate >= front[0].rate && rate <= front[count - 1].rate) {
    tokens = fw_front_at(front, count, rate);
  }
  free(front);
  return tokens;
}

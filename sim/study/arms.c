/* Policies that ignore budgets, and their results against each of them. */
#include "sim/study/arms.h"

bool fwi_serves_all_budgets(const fw_scenario *scenario, size_t policy) {
  const fw_scenario_policy *arm = &scenario->policies[policy];
  return arm->fleet == NULL && arm->job->ignores_budget && !arm->shield.on &&
         !fw_electrical_opens(&scenario->electrical);
}

fw_result fwi_judged_by_other(fw_result *result, size_t index) {
  fw_result judged = *result;
  for (size_t w = 0; w < result->window_count; w++) {
    const double p99_w = result->windows[w].p99_w; /* power is the same, whatever it is judged against */
    judged.windows[w] = result->others[index].windows[w];
    judged.windows[w].p99_w = p99_w;
    judged.sensed[w] = result->others[index].sensed[w];
  }
  result->domains[result->domain_count - 1].breaker = result->others[index].breaker; /* of the site */
  return judged;
}

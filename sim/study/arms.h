/* Inside sim/study: which runs a scenario's arms take. A policy that ignores budgets runs once, judged against all of
 * them; any other once for each. So does every policy where breakers, whose ratings follow the budget, take power. */
#ifndef FW_STUDY_ARMS_H
#define FW_STUDY_ARMS_H

#include "sim/fleet/result.h"
#include "sim/scenario/scenario.h"

bool fwi_serves_all_budgets(const fw_scenario *scenario, size_t policy);

/* What a run that was judged against further budgets shows against the `index`-th of them. Shares what it points to,
 * and overwrites the site's breaker there: take the run's own figures first. */
fw_result fwi_judged_by_other(fw_result *result, size_t index);

#endif

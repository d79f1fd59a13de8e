/* The site's budget over time: a base, a schedule of factors on it, and calls (a lost feed, a demand response) on top.
 */
#ifndef FW_FLEET_BUDGET_H
#define FW_FLEET_BUDGET_H

#include "sim/scenario/scenario.h"

typedef struct fwi_budget {
  fw_power_mw base; /* 0: no budget */
  const fw_budget_schedule *schedule;
} fwi_budget;

/* Budget in force at `time`; the instant of the next change (FW_TIME_MAX: never) is stored in `change`, which may be
 * NULL. */
fw_power_mw fwi_budget_at(const fwi_budget *budget, fw_time_ns time, fw_time_ns *change);

/* The next change that a controller knows of at `now`: its instant (FW_TIME_MAX: none) is stored in `change`; returns
 * the budget that it expects from then on. Of calls it knows those that are announced, and of those in force the end
 * only where that was announced, too. */
fw_power_mw fwi_budget_expected(const fwi_budget *budget, fw_time_ns now, fw_time_ns *change);

/* Energy that the budget allows over [from, to). */
fw_energy_pj fwi_budget_energy(const fwi_budget *budget, fw_time_ns from, fw_time_ns to);

#endif

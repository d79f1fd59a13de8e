/* The site's budget over time: a base, and a schedule of factors on it. */
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

/* Energy that the budget allows over [from, to). */
fw_energy_pj fwi_budget_energy(const fwi_budget *budget, fw_time_ns from, fw_time_ns to);

#endif

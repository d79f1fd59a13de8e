/* Budgets that change: the step in force and the exact integral. */
#include "sim/fleet/budget.h"

fw_power_mw fwi_budget_at(const fwi_budget *budget, fw_time_ns time, fw_time_ns *change) {
  const fw_budget_schedule *schedule = budget->schedule;
  fw_time_ns unused = 0;
  change = change != NULL ? change : &unused;
  *change = FW_TIME_MAX;
  if (schedule->step_count == 0 || budget->base == 0) {
    return budget->base;
  }
  const fw_time_ns round = schedule->repeat > 0 ? time - time % schedule->repeat : 0;
  const fw_time_ns within = time - round;
  size_t step = 0;
  while (step + 1 < schedule->step_count && schedule->steps[step + 1].from <= within) {
    step++;
  }
  if (step + 1 < schedule->step_count) {
    *change = round + schedule->steps[step + 1].from;
  } else if (schedule->repeat > 0) {
    *change = round + schedule->repeat;
  }
  return (fw_power_mw)((double)budget->base * schedule->steps[step].factor + 0.5);
}

fw_energy_pj fwi_budget_energy(const fwi_budget *budget, fw_time_ns from, fw_time_ns to) {
  fw_energy_pj energy = 0;
  while (from < to) {
    fw_time_ns change = 0;
    const fw_power_mw power = fwi_budget_at(budget, from, &change);
    const fw_time_ns end = change < to ? change : to;
    energy += fw_energy_of(power, end - from);
    from = end;
  }
  return energy;
}

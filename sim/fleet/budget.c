/* Budgets that change: what is in force, what is expected, and the exact integral. */
#include "sim/fleet/budget.h"

/* The schedule's factor at `time`, and when it next changes. */
static double step_factor(const fw_budget_schedule *schedule, fw_time_ns time, fw_time_ns *change) {
  *change = FW_TIME_MAX;
  if (schedule->step_count == 0) {
    return 1.0;
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
  return schedule->steps[step].factor;
}

/* The factor of a call at `time`, as far as it is known at `known`; lowers `change` to its next edge. */
static double call_factor(const fw_budget_call *call, fw_time_ns time, fw_time_ns known, fw_time_ns *change) {
  if (call->announced > known) {
    return 1.0;
  }
  const bool end_known = call->end_known || call->to <= known;
  if (time < call->from) {
    *change = fw_time_earlier(*change, call->from);
    return 1.0;
  }
  if (!end_known || time < call->to) {
    *change = end_known ? fw_time_earlier(*change, call->to) : *change;
    return call->factor;
  }
  return 1.0;
}

static bool is_constant(const fwi_budget *budget) {
  return budget->base == 0 || (budget->schedule->step_count == 0 && budget->schedule->call_count == 0);
}

/* With `known` FW_TIME_MAX everything is known. */
static fw_power_mw budget_at(const fwi_budget *budget, fw_time_ns time, fw_time_ns known, fw_time_ns *change) {
  const fw_budget_schedule *schedule = budget->schedule;
  *change = FW_TIME_MAX;
  if (is_constant(budget)) {
    return budget->base;
  }
  double factor = step_factor(schedule, time, change);
  for (size_t i = 0; i < schedule->call_count; i++) {
    factor *= call_factor(&schedule->calls[i], time, known, change);
  }
  return (fw_power_mw)((double)budget->base * factor + 0.5);
}

fw_power_mw fwi_budget_at(const fwi_budget *budget, fw_time_ns time, fw_time_ns *change) {
  fw_time_ns unused = 0;
  return budget_at(budget, time, FW_TIME_MAX, change != NULL ? change : &unused);
}

fw_power_mw fwi_budget_expected(const fwi_budget *budget, fw_time_ns now, fw_time_ns *change) {
  fw_time_ns unused = 0;
  const fw_power_mw present = budget_at(budget, now, now, change);
  return *change == FW_TIME_MAX ? present : budget_at(budget, *change, now, &unused);
}

fw_energy_pj fwi_budget_energy(const fwi_budget *budget, fw_time_ns from, fw_time_ns to) {
  if (is_constant(budget)) {
    return fw_energy_of(budget->base, to - from);
  }
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

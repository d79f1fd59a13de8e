/* Units of a sweep: which runs each of them is, and what they come to. Scenarios are read when they are needed and
 * dropped when they are not: a sweep may have more points than memory holds scenarios. */
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/run.h"
#include "sim/study/arms.h"
#include "sim/study/sweep/sweep_points.h"

size_t fw_sweep_units(const fw_sweep *sweep) {
  return sweep->unit_count;
}

static size_t point_of(const fw_sweep *sweep, size_t unit) {
  size_t low = 0;
  size_t high = sweep->spec.design->count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (sweep->points[middle].first_unit <= unit) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Seeds outermost within a point, then policies, then budgets. */
fwi_sweep_unit fwi_sweep_unit_at(const fw_sweep *sweep, size_t index) {
  const size_t at = point_of(sweep, index);
  const fwi_sweep_point *point = &sweep->points[at];
  const size_t within = index - point->first_unit;
  size_t rest = within % point->units_per_seed;
  fwi_sweep_unit out = {.point = at, .runs = 1, .seed = point->seed + within / point->units_per_seed};
  for (size_t policy = 0; policy < point->policy_count; policy++) {
    const bool all = point->serves_all[policy];
    const size_t units = all ? 1 : point->budget_count;
    if (rest < units) {
      out.policy = policy;
      out.budget = rest;
      out.runs = all ? point->budget_count : 1;
      break;
    }
    rest -= units;
  }
  return out;
}

size_t fw_sweep_unit_runs(const fw_sweep *sweep, size_t unit) {
  return fwi_sweep_unit_at(sweep, unit).runs;
}

fw_store_key fwi_sweep_key(const fw_sweep *sweep, const fwi_sweep_unit *unit, size_t index) {
  const fwi_sweep_point *point = &sweep->points[unit->point];
  return (fw_store_key){.scenario = point->id,
                        .policy = point->policies[unit->policy],
                        .budget = point->budgets[unit->budget + index].power,
                        .seed = unit->seed};
}

/* ---- Scenarios, loaded while needed ---- */

static void unload(fwi_sweep_point *point) {
  fw_scenario_free(point->scenario);
  point->scenario = NULL;
}

static fw_status load(fw_sweep *sweep, size_t index, fw_diagnostics *diagnostics) {
  fwi_sweep_point *point = &sweep->points[index];
  fw_diagnostics said = FW_DIAGNOSTICS_INIT; /* warnings were heard when the sweep was prepared */
  const fw_status status =
      point->scenario != NULL ? FW_OK : fwi_sweep_read_point(sweep, index, &point->scenario, &said);
  if (status != FW_OK) {
    fw_diagnostics_append(diagnostics, &said);
  }
  fw_diagnostics_clear(&said);
  return status;
}

/* A point's scenario, shared by those who hold it at a time; end with drop. */
static fw_status hold(fw_sweep *sweep, size_t index, const fw_scenario **out, fw_diagnostics *diagnostics) {
  fwi_sweep_point *point = &sweep->points[index];
  omp_set_lock(&sweep->lock);
  const fw_status status = load(sweep, index, diagnostics);
  if (status == FW_OK) {
    point->users++;
    *out = point->scenario;
    if (sweep->latest != index && sweep->points[sweep->latest].users == 0) {
      unload(&sweep->points[sweep->latest]);
    }
    sweep->latest = index;
  }
  omp_unset_lock(&sweep->lock);
  return status;
}

static void drop(fw_sweep *sweep, size_t index) {
  fwi_sweep_point *point = &sweep->points[index];
  omp_set_lock(&sweep->lock);
  point->users--;
  if (point->users == 0 && sweep->latest != index) {
    unload(point);
  }
  omp_unset_lock(&sweep->lock);
}

static fw_status simulate(const fw_scenario *scenario, const fwi_sweep_unit *unit, fw_store_figures *figures,
                          fw_diagnostics *diagnostics) {
  size_t *others = fw_allocate(unit->runs, sizeof *others);
  if (others == NULL) {
    return fw_error_memory(diagnostics, "the budgets of a run");
  }
  for (size_t i = 1; i < unit->runs; i++) {
    others[i - 1] = unit->budget + i;
  }
  const fw_run_options options = {.policy = unit->policy,
                                  .budget = unit->budget,
                                  .others = others,
                                  .other_count = unit->runs - 1,
                                  .seed = unit->seed};
  fw_result result = {0};
  const fw_status status = fw_run(scenario, &options, &result, diagnostics);
  free(others);
  if (status != FW_OK) {
    return status;
  }
  fw_store_extract(&result, &figures[0]);
  for (size_t i = 1; i < unit->runs; i++) {
    const fw_result judged = fwi_judged_by_other(&result, i - 1);
    fw_store_extract(&judged, &figures[i]);
  }
  fw_result_clear(&result);
  return FW_OK;
}

fw_status fw_sweep_simulate(fw_sweep *sweep, size_t unit, fw_store_figures *figures, fw_diagnostics *diagnostics) {
  const fwi_sweep_unit parts = fwi_sweep_unit_at(sweep, unit);
  const fw_scenario *scenario = NULL;
  fw_status status = hold(sweep, parts.point, &scenario, diagnostics);
  if (status == FW_OK) {
    status = simulate(scenario, &parts, figures, diagnostics);
    drop(sweep, parts.point);
  }
  return status;
}

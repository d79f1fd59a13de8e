#include "sim/study/plan/plan_runs.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "sim/fleet/run.h"
#include "sim/study/plan/grow.h"

/* A grid finer than anybody reads. */
#define MOST_POINTS 10000.0

/* ---- The grid ---- */

static fwi_plan_grid_point grid_point(const fwi_plan_runs *runs, double ratio) {
  const fw_scenario *base = &runs->base;
  fwi_plan_grid_point point = {.oversubscription = ratio, .factor = 1.0};
  if (runs->options->axis == FW_PLAN_BUDGET) {
    (void)fw_power_from_watts(fw_power_to_watts(base->nameplate) / ratio, &point.budget.power);
  } else {
    point.factor = ratio * (double)base->budgets[0].power / (double)base->nameplate;
    point.budget = base->budgets[0];
  }
  point.budget.oversubscription = ratio;
  return point;
}

/* Whole jobs make some ratios the same fleet: each is taken once, and at the ratio that it comes to. */
static void add_point(fwi_plan_runs *runs, double ratio) {
  fwi_plan_grid_point point = grid_point(runs, ratio);
  if (runs->options->axis == FW_PLAN_FLEET) {
    const size_t gpus = fwi_grown_gpus(&runs->base, point.factor);
    if (runs->point_count > 0 && gpus == fwi_plan_gpus(runs, runs->point_count - 1)) {
      return;
    }
    point.oversubscription = (double)fwi_grown_nameplate(&runs->base, point.factor) / (double)point.budget.power;
    point.budget.oversubscription = point.oversubscription;
  }
  runs->grid[runs->point_count++] = point;
}

static fw_status make_grid(fwi_plan_runs *runs, fw_diagnostics *diagnostics) {
  const fw_plan_options *options = runs->options;
  const double steps = floor((options->to - options->from) / options->step + 1e-9);
  if (!(steps >= 1.0) || steps > MOST_POINTS) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "a grid from %g to %g in steps of %g has fewer than 2 ratios or more than %g", options->from,
                    options->to, options->step, MOST_POINTS);
  }
  runs->grid = fw_allocate((size_t)steps + 1, sizeof *runs->grid);
  if (runs->grid == NULL) {
    return fw_error_memory(diagnostics, "the ratios of a plan");
  }
  for (size_t i = 0; i <= (size_t)steps; i++) {
    add_point(runs, options->from + options->step * (double)i);
  }
  if (runs->point_count < 2) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "whole jobs make one fleet of all ratios from %g to %g; widen the range", options->from,
                    options->to);
  }
  return FW_OK;
}

size_t fwi_plan_gpus(const fwi_plan_runs *runs, size_t point) {
  return fwi_grown_gpus(&runs->base, runs->grid[point].factor);
}

/* ---- Room ---- */

static fw_status make_room(fwi_plan_runs *runs, fw_diagnostics *diagnostics) {
  size_t cells = 0;
  if (!fw_size_multiply(runs->point_count, runs->slots, &cells) ||
      (runs->figures = fw_allocate(cells, sizeof *runs->figures)) == NULL ||
      (runs->reference = fw_allocate(cells, sizeof *runs->reference)) == NULL ||
      (runs->fleets = fw_allocate(runs->point_count, sizeof *runs->fleets)) == NULL) {
    return fw_error_memory(diagnostics, "the runs of a plan");
  }
  for (size_t i = 0; i < cells; i++) {
    runs->reference[i] = (double)NAN;
  }
  return FW_OK;
}

/* One for each scenario and duration, whatever is asked of it. */
static fw_status begin_study(fwi_plan_runs *runs, fw_diagnostics *diagnostics) {
  char id[FW_STORE_ID_SIZE];
  fw_text name = FW_TEXT_INIT;
  fw_store_scenario_id(&runs->base, id);
  fw_text_add_format(&name, "plan %s %s", runs->base.name, id);
  const fw_store_study study = {.name = name.data, .command = "plan", .scenario = runs->base.name};
  const fw_status status = name.failed ? fw_error_memory(diagnostics, "the name of a study")
                                       : fw_store_begin_study(runs->options->store, &study, &runs->study, diagnostics);
  fw_text_clear(&name);
  return status;
}

fw_status fwi_plan_runs_create(const fw_scenario *scenario, const fw_plan_options *options, fwi_plan_runs *out,
                               fw_diagnostics *diagnostics) {
  *out = (fwi_plan_runs){.base = *scenario, .options = options, .slots = options->most_runs + options->look};
  if (!scenario->electrical.has_breaker) {
    out->base.electrical.has_breaker = true;
    out->base.electrical.breaker = fw_breaker_model_default;
    fwi_mark_hash(&out->base, "breaker", sizeof "breaker");
  }
  fw_status status = make_grid(out, diagnostics);
  status = status == FW_OK ? make_room(out, diagnostics) : status;
  status = status == FW_OK && options->store != NULL ? begin_study(out, diagnostics) : status;
  if (status != FW_OK) {
    fwi_plan_runs_free(out);
  }
  return status;
}

static void forget(fwi_plan_runs *runs) {
  for (size_t i = 0; runs->figures != NULL && i < runs->point_count * runs->slots; i++) {
    free(runs->figures[i]);
    runs->figures[i] = NULL;
  }
}

void fwi_plan_runs_free(fwi_plan_runs *runs) {
  forget(runs);
  for (size_t i = 0; runs->fleets != NULL && i < runs->point_count; i++) {
    if (runs->fleets[i].jobs != NULL) {
      fwi_grown_clear(&runs->fleets[i]);
    }
  }
  free(runs->fleets);
  free((void *)runs->figures);
  free(runs->reference);
  free(runs->grid);
  *runs = (fwi_plan_runs){0};
}

void fwi_plan_runs_turn_to(fwi_plan_runs *runs, size_t policy) {
  forget(runs);
  runs->policy = policy;
}

/* ---- Running ---- */

static size_t slot_of(const fwi_plan_runs *runs, size_t point, uint64_t replication) {
  const uint64_t within =
      replication < FW_FRONTIER_LOOK ? replication : runs->options->most_runs + (replication - FW_FRONTIER_LOOK);
  return point * runs->slots + (size_t)within;
}

/* The scenario at a point, with the one budget `budget`. */
static fw_status scenario_at(fwi_plan_runs *runs, size_t point, const fw_scenario_budget *budget, fw_scenario *out,
                             fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  *out = runs->base;
  if (runs->options->axis == FW_PLAN_FLEET) {
#pragma omp critical(fwi_plan_fleet)
    {
      if (runs->fleets[point].jobs == NULL) {
        status = fwi_grow(&runs->base, runs->grid[point].factor, &runs->fleets[point], diagnostics);
      }
    }
    *out = runs->fleets[point];
  }
  out->budgets = budget;
  out->budget_count = 1;
  return status;
}

static fw_status simulate(fwi_plan_runs *runs, const fw_scenario *scenario, size_t policy, uint64_t replication,
                          double figures[FW_METRIC_SLOTS], fw_diagnostics *diagnostics) {
  const uint64_t seed = scenario->seed + replication;
#pragma omp atomic
  runs->count++;
  if (runs->options->store != NULL) {
    fw_store_figures kept;
    const fw_status status = fw_store_metrics(runs->options->store, scenario, policy, 0, seed, &kept, diagnostics);
    for (size_t i = 0; status == FW_OK && i < FW_METRIC_SLOTS; i++) {
      figures[i] = kept.values[i];
    }
    return status;
  }
  fw_result result = {0};
  const fw_run_options options = {.policy = policy, .seed = seed};
  const fw_status status = fw_run(scenario, &options, &result, diagnostics);
  if (status == FW_OK) {
    fw_metric_extract(&result, figures);
    fw_result_clear(&result);
  }
  return status;
}

fw_status fwi_plan_run(fwi_plan_runs *runs, size_t point, uint64_t replication, const double **figures,
                       fw_diagnostics *diagnostics) {
  double **slot = &runs->figures[slot_of(runs, point, replication)];
  fw_status status = FW_OK;
  if (*slot == NULL) {
    double *made = fw_allocate(FW_METRIC_SLOTS, sizeof *made);
    fw_scenario scenario = {0};
    status = made != NULL ? scenario_at(runs, point, &runs->grid[point].budget, &scenario, diagnostics)
                          : fw_error_memory(diagnostics, "the figures of a run");
    status = status == FW_OK ? simulate(runs, &scenario, runs->policy, replication, made, diagnostics) : status;
    if (status != FW_OK) {
      free(made);
      made = NULL;
    }
    *slot = made;
  }
  *figures = *slot;
  return status;
}

fw_status fwi_plan_list(fwi_plan_runs *runs, size_t point, size_t count, fw_diagnostics *diagnostics) {
  const fwi_plan_grid_point *at = &runs->grid[point];
  if (runs->options->store == NULL || count == 0) {
    return FW_OK;
  }
  fw_scenario scenario = {0};
  fw_text settings = FW_TEXT_INIT;
  fw_status status = scenario_at(runs, point, &at->budget, &scenario, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  const char *policy = runs->base.policies[runs->policy].name;
  char id[FW_STORE_ID_SIZE];
  fw_store_scenario_id(&scenario, id);
  fw_text_add_format(&settings, "{\"gpus\": %zu, \"oversubscription\": ", scenario.topology.gpus);
  fw_text_add_number(&settings, at->oversubscription, 9);
  fw_text_add(&settings, ", \"policy\": ");
  fw_text_add_json_string(&settings, policy);
  fw_text_add(&settings, "}");
  const fw_store_point listed = {.settings = settings.data,
                                 .scenario = id,
                                 .first_seed = scenario.seed,
                                 .seeds = count,
                                 .policies = &policy,
                                 .policy_count = 1,
                                 .budgets = &at->budget,
                                 .budget_count = 1};
  status = settings.failed ? fw_error_memory(diagnostics, "the settings of a point")
                           : fw_store_add_point(runs->options->store, runs->study, &listed, diagnostics);
  fw_text_clear(&settings);
  return status;
}

/* The scenario of the runs that losses are measured against: without a policy, a fleet makes the same tokens at any
 * budget, unless its breakers open. So they only count, which the id of a stored run has to say, too. */
static fw_status reference_at(fwi_plan_runs *runs, size_t fleet, fw_scenario *out, fw_diagnostics *diagnostics) {
  const fw_status status = scenario_at(runs, fleet, &runs->grid[fleet].budget, out, diagnostics);
  if (fw_electrical_opens(&out->electrical)) {
    out->electrical.breaker.on_trip = FW_BREAKER_COUNTS;
    fwi_mark_hash(out, "trips are counted", sizeof "trips are counted");
  }
  return status;
}

fw_status fwi_plan_loss(fwi_plan_runs *runs, size_t point, uint64_t replication, double *loss,
                        fw_diagnostics *diagnostics) {
  static const char name[] = "uncontrolled";
  const size_t fleet = runs->options->axis == FW_PLAN_FLEET ? point : 0;
  double *reference = &runs->reference[slot_of(runs, fleet, replication)];
  const double *own = NULL;
  fw_status status = fwi_plan_run(runs, point, replication, &own, diagnostics);
  if (status == FW_OK && isnan(*reference)) {
    const fw_scenario_policy uncontrolled = {.name = name, .job = fw_policy_find(FW_POLICY_JOB, name)};
    double figures[FW_METRIC_SLOTS];
    fw_scenario scenario = {0};
    status = reference_at(runs, fleet, &scenario, diagnostics);
    scenario.policies = &uncontrolled;
    scenario.policy_count = 1;
    status = status == FW_OK ? simulate(runs, &scenario, 0, replication, figures, diagnostics) : status;
    *reference = status == FW_OK ? figures[fw_metric_slot(FW_METRIC_TOKENS, 0)] : *reference;
  }
  if (status == FW_OK && !(*reference > 0.0)) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "the fleet makes no tokens that a policy could lose; take out the limit on them");
  }
  *loss = status == FW_OK ? 1.0 - own[fw_metric_slot(FW_METRIC_TOKENS, 0)] / *reference : (double)NAN;
  return status;
}

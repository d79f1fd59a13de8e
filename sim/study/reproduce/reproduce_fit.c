/* One level from one published figure, by simulation: false position with the Illinois rule (Dowell and Jarratt, BIT
 * 11, 1971) on the mean over fixed seeds. With common random numbers that mean is a smooth function of the level, so it
 * has a root to find although every run is random. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/study/reproduce/reproduce.h"
#include "sim/study/reproduce/shelf.h"

#define ACCURACY_W 0.01
#define MOST_STEPS 40

/* One arm of a scenario whose jobs of one class draw another power in their updates. */
typedef struct levelled {
  fw_scenario scenario;
  fw_scenario_job *jobs;
  fw_job_model model; /* shares what it points to with the file's */
} levelled;

typedef struct fitting {
  const fw_study_options *study;
  levelled *changed;
  size_t slot;
  double target;
} fitting;

static fw_status make_levelled(const fwi_shelved *entry, size_t policy, const char *job_class, levelled *out,
                               fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = &entry->scenario;
  *out = (levelled){.scenario = *scenario, .jobs = fw_allocate(scenario->job_count, sizeof *out->jobs)};
  if (out->jobs == NULL) {
    return fw_error_memory(diagnostics, "the jobs of a fit");
  }
  out->scenario.jobs = out->jobs;
  out->scenario.policies = &entry->policies[policy];
  out->scenario.policy_count = 1;
  bool found = false;
  for (size_t j = 0; j < scenario->job_count; j++) {
    out->jobs[j] = scenario->jobs[j];
    if (out->jobs[j].model != NULL && strcmp(out->jobs[j].job_class, job_class) == 0) {
      out->model = *out->jobs[j].model;
      out->jobs[j].model = &out->model;
      found = true;
    }
  }
  return found ? FW_OK
               : fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                          "the scenario \"%s\" has no job of class \"%s\" with a model", entry->name, job_class);
}

/* Simulated minus wanted. */
static fw_status excess_at(const fitting *fit, double level_w, double *excess, fw_diagnostics *diagnostics) {
  const fw_scenario *scenario = &fit->changed->scenario;
  fwi_samples samples = {0};
  fwi_summary summary = {0};
  fit->changed->model.levels.update_w = level_w;
  fw_status status = fwi_samples_take(scenario, scenario->seed, scenario->seeds, fit->study, &samples, diagnostics);
  status = status != FW_OK ? status : fwi_samples_summary(&samples, 0, fit->slot, &summary, diagnostics);
  fwi_samples_free(&samples);
  *excess = summary.estimate.mean - fit->target;
  return status;
}

static fw_status solve(const fitting *fit, double from_w, double to_w, double *level_w, fw_diagnostics *diagnostics) {
  double at[2] = {from_w, to_w};
  double excess[2] = {0.0, 0.0};
  fw_status status = excess_at(fit, at[0], &excess[0], diagnostics);
  status = status != FW_OK ? status : excess_at(fit, at[1], &excess[1], diagnostics);
  if (status == FW_OK && !(excess[0] * excess[1] < 0.0)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "no level between %g and %g W gives the figure; widen the range of the fit", from_w, to_w);
  }
  for (size_t step = 0; status == FW_OK && step < MOST_STEPS && fabs(at[1] - at[0]) > ACCURACY_W; step++) {
    const double next = at[1] - excess[1] * (at[1] - at[0]) / (excess[1] - excess[0]);
    double found = 0.0;
    status = excess_at(fit, next, &found, diagnostics);
    if (found * excess[1] < 0.0) {
      at[0] = at[1];
      excess[0] = excess[1];
    } else {
      excess[0] /= 2.0; /* the end that stays would hold the next step back */
    }
    at[1] = next;
    excess[1] = found;
    if (fabs(found) < ACCURACY_W) {
      break;
    }
  }
  *level_w = nearbyint(at[1] / ACCURACY_W) * ACCURACY_W;
  return status;
}

fw_status fw_reproduce_fit(const fw_ledger *ledger, const char *path, const fw_reproduce_options *options,
                           double *level_w, fw_diagnostics *diagnostics) {
  const fw_ledger_row *row = fw_ledger_row_at(ledger, fw_ledger_find(ledger, ledger->fit.row));
  const fw_ledger_arm *from = row->from.value;
  fwi_shelf shelf = {.options = {path, options->share, options->seeds, &options->study}};
  fwi_shelved *entry = NULL;
  size_t policy = 0;
  levelled changed = {0};
  fitting fit = {.study = &options->study, .changed = &changed, .target = ledger->fit.value * from->per};
  fw_status status = fwi_shelf_find(&shelf, from->scenario, &entry, diagnostics);
  status = status != FW_OK ? status : fwi_shelved_policy(entry, from->policy, &policy, diagnostics);
  status = status != FW_OK ? status : fwi_shelved_slot(entry, from->metric, from->window, &fit.slot, diagnostics);
  status = status != FW_OK ? status : make_levelled(entry, policy, ledger->fit.job_class, &changed, diagnostics);
  status = status != FW_OK ? status : solve(&fit, ledger->fit.from_w, ledger->fit.to_w, level_w, diagnostics);
  free(changed.jobs);
  fwi_shelf_free(&shelf);
  return status;
}

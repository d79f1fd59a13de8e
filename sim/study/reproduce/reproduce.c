/* Tunes the arms that are to be tuned, then goes through the rows: a row made of rows comes after them. */
#include "sim/study/reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/study/reproduce/shelf.h"

typedef struct reproduction {
  const fw_ledger *ledger;
  const fw_reproduce_options *options;
  fwi_shelf shelf;
  fw_reproduce_result *out;
} reproduction;

/* ---- Tuning ---- */

static fw_search_spec make_spec(const reproduction *work, const fw_ledger_search *search,
                                fw_search_dimension dimensions[FW_SEARCH_DIMENSIONS]) {
  const fw_ledger_dimension *written = search->dimensions.data;
  const size_t cut = work->options->seeds;
  for (size_t i = 0; i < search->dimensions.count && i < FW_SEARCH_DIMENSIONS; i++) {
    dimensions[i] = (fw_search_dimension){
        .setting = written[i].setting, .under = written[i].under, .from = written[i].from, .to = written[i].to};
  }
  return (fw_search_spec){.dimensions = dimensions,
                          .dimension_count = search->dimensions.count,
                          .limit = search->at_most,
                          .first_seed = search->seed,
                          .rounds = (size_t)search->rounds,
                          .points = (size_t)search->points,
                          .seeds = cut > 0 ? cut : (size_t)search->seeds,
                          .finalists = (size_t)search->finalists,
                          .final_seeds = cut > 0 ? cut : (size_t)search->final_seeds};
}

static fw_status tune(reproduction *work, size_t index, fw_diagnostics *diagnostics) {
  const fw_ledger_search *search = (const fw_ledger_search *)work->ledger->searches.data + index;
  fw_search_dimension dimensions[FW_SEARCH_DIMENSIONS];
  fw_search_spec spec = make_spec(work, search, dimensions);
  fwi_shelved *entry = NULL;
  fw_search_result found = {0};
  fw_status status = fwi_shelf_find(&work->shelf, search->scenario, &entry, diagnostics);
  status = status != FW_OK ? status : fwi_shelved_policy(entry, search->policy, &spec.policy, diagnostics);
  status = status != FW_OK
               ? status
               : fwi_shelved_slot(entry, search->objective, search->objective_window, &spec.objective, diagnostics);
  status = status != FW_OK
               ? status
               : fwi_shelved_slot(entry, search->limited, search->limited_window, &spec.limited, diagnostics);
  status = status != FW_OK ? status : fw_search(&entry->scenario, &spec, &work->options->study, &found, diagnostics);
  if (status == FW_OK) {
    fw_reproduce_search *out = &work->out->searches[index];
    *out = (fw_reproduce_search){.objective = found.objective, .limited = found.limited, .runs = found.runs};
    memcpy(out->values, found.values, sizeof out->values);
    fwi_shelved_tune(entry, spec.policy, found.settings);
  }
  return status;
}

/* ---- Figures ---- */

static fw_estimate scaled(fw_estimate value, double factor) {
  return (fw_estimate){value.mean * factor, value.lo * factor, value.hi * factor};
}

static fw_status take_arm(reproduction *work, const fw_ledger_arm *from, fw_reproduce_row *out,
                          fw_diagnostics *diagnostics) {
  fwi_shelved *entry = NULL;
  fwi_summary summary = {0};
  size_t policy = 0;
  size_t slot = 0;
  fw_status status = fwi_shelf_find(&work->shelf, from->scenario, &entry, diagnostics);
  status = status != FW_OK ? status : fwi_shelved_policy(entry, from->policy, &policy, diagnostics);
  status = status != FW_OK ? status : fwi_shelved_slot(entry, from->metric, from->window, &slot, diagnostics);
  status = status != FW_OK ? status : fwi_shelved_samples(&work->shelf, entry, diagnostics);
  status = status != FW_OK ? status : fwi_samples_summary(&entry->samples, policy, slot, &summary, diagnostics);
  out->simulated = scaled(summary.estimate, 1.0 / from->per);
  out->deviation = summary.deviation / from->per;
  return status;
}

static const fw_authority_row *find_sweep(const fw_authority_result *result, const fw_ledger_authority *from) {
  for (size_t i = 0; i < result->row_count; i++) {
    const fw_authority_row *row = &result->rows[i];
    if (row->actuator == (fw_actuator)from->actuator &&
        strcmp(result->scenario->jobs[row->job].job_class, from->job_class) == 0) {
      return row;
    }
  }
  return NULL;
}

static fw_status take_authority(reproduction *work, const fw_ledger_authority *from, fw_reproduce_row *out,
                                fw_diagnostics *diagnostics) {
  fwi_shelved *entry = NULL;
  fw_status status = fwi_shelf_find(&work->shelf, from->scenario, &entry, diagnostics);
  status = status != FW_OK ? status : fwi_shelved_authority(&work->shelf, entry, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  const fw_authority_row *row = find_sweep(&entry->authority, from);
  if (row == NULL) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "the scenario \"%s\" has no job of class \"%s\" that offers %s", entry->name, from->job_class,
                    fw_actuator_names[from->actuator]);
  }
  const fw_estimate figures[] = {[FW_LEDGER_MEAN_SWING] = row->mean_swing,
                                 [FW_LEDGER_PEAK_SWING] = row->peak_swing,
                                 [FW_LEDGER_THROUGHPUT_RATIO] = row->throughput_ratio};
  out->simulated = figures[from->figure];
  out->deviation = (double)NAN;
  return FW_OK;
}

static double relative_half(fw_estimate value) {
  return (value.hi - value.mean) / value.mean;
}

/* The interval of a quotient by first-order propagation, as if both were independent. */
static void take_rows(const reproduction *work, const fw_ledger_rows *from, fw_reproduce_row *out) {
  const fw_estimate of = work->out->rows[fw_ledger_find(work->ledger, from->of)].simulated;
  const fw_estimate over = work->out->rows[fw_ledger_find(work->ledger, from->over)].simulated;
  const double quotient = from->times * of.mean / over.mean;
  const double relative = sqrt(relative_half(of) * relative_half(of) + relative_half(over) * relative_half(over));
  const double half = fabs(quotient) * relative;
  const double mean = quotient + from->plus;
  out->simulated = (fw_estimate){mean, mean - half, mean + half};
  out->deviation = (double)NAN;
}

static fw_status take(reproduction *work, const fw_ledger_row *row, fw_reproduce_row *out,
                      fw_diagnostics *diagnostics) {
  switch ((fw_ledger_source_kind)(row->from.which - fw_ledger_source_cases)) {
  case FW_SOURCE_ARM:
    return take_arm(work, row->from.value, out, diagnostics);
  case FW_SOURCE_AUTHORITY:
    return take_authority(work, row->from.value, out, diagnostics);
  case FW_SOURCE_ROWS:
    break;
  }
  take_rows(work, row->from.value, out);
  return FW_OK;
}

static fw_status take_row(reproduction *work, size_t index, fw_diagnostics *diagnostics) {
  const fw_ledger_row *row = fw_ledger_row_at(work->ledger, index);
  fw_reproduce_row *out = &work->out->rows[index];
  fw_diagnostics local = FW_DIAGNOSTICS_INIT;
  const fw_status status = take(work, row, out, &local);
  fw_diagnostics_append(diagnostics, &local);
  if (status != FW_OK) {
    return fw_error(diagnostics, status, (fw_place){0}, "the ledger's row \"%s\" cannot be simulated", row->id);
  }
  const double deviation = isnan(out->deviation) ? 0.0 : out->deviation;
  out->tolerance = fw_tolerance_width(&row->tolerance, row->published, deviation);
  out->inside = fw_tolerance_holds(&row->tolerance, row->published, deviation, out->simulated.mean);
  const bool counts = !row->fitted && row->independent;
  work->out->predicted += counts;
  work->out->predicted_inside += counts && out->inside;
  work->out->fell_out += row->inside && !out->inside;
  return FW_OK;
}

void fw_reproduce_clear(fw_reproduce_result *result) {
  free(result->rows);
  free(result->searches);
  *result = (fw_reproduce_result){0};
}

static fwi_shelf empty_shelf(const char *path, const fw_reproduce_options *options) {
  return (fwi_shelf){.options = {path, options->share, options->seeds, &options->study}};
}

fw_status fw_reproduce(const fw_ledger *ledger, const char *path, const fw_reproduce_options *options,
                       fw_reproduce_result *out, fw_diagnostics *diagnostics) {
  reproduction work = {.ledger = ledger, .options = options, .shelf = empty_shelf(path, options), .out = out};
  *out = (fw_reproduce_result){.ledger = ledger,
                               .rows = fw_allocate(ledger->rows.count, sizeof *out->rows),
                               .searches = fw_allocate(ledger->searches.count, sizeof *out->searches)};
  if (out->rows == NULL || out->searches == NULL) {
    fw_reproduce_clear(out);
    return fw_error_memory(diagnostics, "a ledger");
  }
  fw_status status = FW_OK;
  for (size_t i = 0; status == FW_OK && i < ledger->searches.count; i++) {
    status = tune(&work, i, diagnostics);
  }
  for (size_t i = 0; status == FW_OK && i < ledger->rows.count; i++) {
    status = take_row(&work, i, diagnostics);
  }
  fwi_shelf_free(&work.shelf);
  if (status != FW_OK) {
    fw_reproduce_clear(out);
  }
  return status;
}

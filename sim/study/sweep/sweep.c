/* Points of a sweep: settings put into the scenario's text, each point read and checked once, and registered. */
#include "sim/study/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/memory.h"
#include "sim/scenario/tables.h"
#include "sim/study/arms.h"
#include "sim/study/authority.h"
#include "sim/study/code_version.h"
#include "sim/study/sweep/store_db.h"
#include "sim/study/sweep/sweep_points.h"

#define FAULTY_POINTS_SHOWN ((size_t)5)

/* ---- Reading a point ---- */

/* The scenario's text with the settings of a point. */
static fw_status edit(const fw_sweep *sweep, const fw_design_point *point, fw_text *out, fw_diagnostics *diagnostics) {
  fw_text_add_bytes(out, sweep->text.data, sweep->text.length);
  fw_status status = out->failed ? fw_error_memory(diagnostics, "a scenario's text") : FW_OK;
  for (size_t i = 0; status == FW_OK && i < point->count; i++) {
    const fw_record_text source = {&fwi_file_record, out->data, out->length, sweep->spec.path};
    fw_text changed = FW_TEXT_INIT;
    status = fw_record_edit(&source, point->settings[i].path, point->settings[i].value, &changed, diagnostics);
    fw_text_clear(out);
    *out = changed;
  }
  return status;
}

/* Says which point it was. */
static void name_point(size_t index, const fw_design_point *point, fw_status status, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fw_design_settings(point, &text);
  if (point->count > 0 && !text.failed) {
    (void)fw_error(diagnostics, status, (fw_place){0}, "that was point %zu of the sweep: %s", index, text.data);
  }
  fw_text_clear(&text);
}

fw_status fwi_sweep_read_point(const fw_sweep *sweep, size_t index, fw_scenario **out, fw_diagnostics *diagnostics) {
  const fw_design_point *point = &sweep->spec.design->points[index];
  fw_text text = FW_TEXT_INIT;
  fw_status status = edit(sweep, point, &text, diagnostics);
  if (status == FW_OK) {
    status = fw_scenario_parse(text.data, text.length, sweep->spec.path, sweep->spec.overrides, out, diagnostics);
  }
  fw_text_clear(&text);
  if (status != FW_OK) {
    name_point(index, point, status, diagnostics);
  }
  return status;
}

/* ---- Outlines ---- */

static fw_status outline(const fw_scenario *scenario, fwi_sweep_point *point, fw_diagnostics *diagnostics) {
  point->seed = scenario->seed;
  point->seeds = scenario->seeds;
  fw_store_scenario_id(scenario, point->id);
  point->policies = fw_allocate(scenario->policy_count, sizeof(char *));
  point->serves_all = fw_allocate(scenario->policy_count, sizeof *point->serves_all);
  point->budgets = fw_allocate(scenario->budget_count, sizeof *point->budgets);
  point->windows = fw_allocate(scenario->window_count, sizeof *point->windows);
  if (point->policies == NULL || point->serves_all == NULL || point->budgets == NULL || point->windows == NULL) {
    return fw_error_memory(diagnostics, "the points of a sweep");
  }
  memcpy(point->windows, scenario->windows, scenario->window_count * sizeof *point->windows);
  point->window_count = scenario->window_count;
  memcpy(point->budgets, scenario->budgets, scenario->budget_count * sizeof *point->budgets);
  point->budget_count = scenario->budget_count;
  point->policy_count = scenario->policy_count;
  for (size_t i = 0; i < scenario->policy_count; i++) {
    point->serves_all[i] = fwi_serves_all_budgets(scenario, i);
    point->policies[i] = fw_copy_text(scenario->policies[i].name);
    if (point->policies[i] == NULL) {
      return fw_error_memory(diagnostics, "the points of a sweep");
    }
    point->units_per_seed += point->serves_all[i] ? 1 : scenario->budget_count;
  }
  return FW_OK;
}

static fw_status lay_out_units(fw_sweep *sweep, fwi_sweep_point *point, fw_diagnostics *diagnostics) {
  size_t units = 0;
  point->first_unit = sweep->unit_count;
  if (!fw_size_multiply(point->units_per_seed, point->seeds, &units) ||
      !fw_size_add(sweep->unit_count, units, &sweep->unit_count)) {
    return fw_error_memory(diagnostics, "the runs of a sweep");
  }
  return FW_OK;
}

static bool is_said(const fw_diagnostics *list, const char *message) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->entries[i].message, message) == 0) {
      return true;
    }
  }
  return false;
}

/* Errors, and warnings that no earlier point gave. */
static void append_new(fw_diagnostics *to, fw_diagnostics *from) {
  for (size_t i = 0; i < from->count; i++) {
    const fw_diagnostic *entry = &from->entries[i];
    const fw_place place = {entry->file, entry->line, entry->column, entry->path};
    if (entry->severity == FW_SEVERITY_ERROR) {
      (void)fw_error(to, entry->status, place, "%s", entry->message);
    } else if (!is_said(to, entry->message)) {
      fw_warning(to, place, "%s", entry->message);
    }
  }
  fw_diagnostics_clear(from);
}

static fw_status prepare_point(fw_sweep *sweep, size_t index, fw_diagnostics *diagnostics) {
  fw_diagnostics said = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  fwi_sweep_point *point = &sweep->points[index];
  fw_status status = fwi_sweep_read_point(sweep, index, &scenario, &said);
  if (status == FW_OK) {
    sweep->takes_trace = sweep->takes_trace || scenario->takes_trace;
    status = fw_authority_warn(scenario, scenario->policy_count, FW_AUTHORITY_THRESHOLD, &said);
  }
  status = status == FW_OK ? outline(scenario, point, &said) : status;
  status = status == FW_OK ? lay_out_units(sweep, point, &said) : status;
  if (status == FW_OK && index == 0) {
    sweep->name = fw_copy_text(scenario->name);
    status = sweep->name != NULL ? FW_OK : fw_error_memory(&said, "a scenario's name");
  }
  fw_scenario_free(scenario);
  append_new(diagnostics, &said);
  return status;
}

/* By their scenario, then by their place. */
static int compare_points(const void *left, const void *right) {
  const fwi_sweep_point *a = *(const fwi_sweep_point *const *)left;
  const fwi_sweep_point *b = *(const fwi_sweep_point *const *)right;
  const int order = strcmp(a->id, b->id);
  return order != 0 ? order : (a > b) - (a < b);
}

/* Two points with the same scenario would be one. */
static fw_status check_distinct(const fw_sweep *sweep, fw_diagnostics *diagnostics) {
  const size_t count = sweep->spec.design->count;
  const fwi_sweep_point **sorted = fw_allocate(count, sizeof *sorted);
  if (sorted == NULL) {
    return fw_error_memory(diagnostics, "the points of a sweep");
  }
  for (size_t i = 0; i < count; i++) {
    sorted[i] = &sweep->points[i];
  }
  qsort(sorted, count, sizeof *sorted, compare_points);
  fw_status status = FW_OK;
  for (size_t i = 1; status == FW_OK && i < count; i++) {
    if (strcmp(sorted[i]->id, sorted[i - 1]->id) == 0) {
      status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                        "points %zu and %zu of the sweep are the same scenario; keep one",
                        (size_t)(sorted[i - 1] - sweep->points), (size_t)(sorted[i] - sweep->points));
    }
  }
  free(sorted);
  return status;
}

/* The scenario's text without what it expects of itself: that holds for the file as it is written. */
static fw_status read_text(fw_sweep *sweep, fw_diagnostics *diagnostics) {
  fw_text written = FW_TEXT_INIT;
  fw_status status = fw_file_read(sweep->spec.path, FW_JSON_SIZE_LIMIT, &written, diagnostics);
  if (status == FW_OK) {
    const fw_record_text source = {&fwi_file_record, written.data, written.length, sweep->spec.path};
    status = fw_record_edit(&source, "expect", "null", &sweep->text, diagnostics);
  }
  fw_text_clear(&written);
  return status;
}

/* A key that is nowhere is most often wrong at every point, and told once. */
static fw_status try_keys(const fw_sweep *sweep, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  const fw_status status = edit(sweep, &sweep->spec.design->points[0], &text, diagnostics);
  fw_text_clear(&text);
  return status;
}

static fw_status prepare_points(fw_sweep *sweep, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  size_t faulty = 0;
  for (size_t i = 0; i < sweep->spec.design->count && faulty < FAULTY_POINTS_SHOWN; i++) {
    const fw_status one = prepare_point(sweep, i, diagnostics);
    status = status != FW_OK ? status : one;
    faulty += one != FW_OK;
  }
  if (status == FW_OK && sweep->spec.overrides != NULL && sweep->spec.overrides->trace != NULL && !sweep->takes_trace) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = sweep->spec.path},
                      "--trace: no job has a trace that is \"given\", at any point; leave it out");
  }
  return status;
}

fw_status fw_sweep_prepare(const fw_sweep_spec *spec, fw_sweep **out, fw_diagnostics *diagnostics) {
  *out = NULL;
  fw_sweep *sweep = fw_allocate(1, sizeof *sweep);
  if (sweep == NULL) {
    return fw_error_memory(diagnostics, "a sweep");
  }
  sweep->spec = *spec;
  omp_init_lock(&sweep->lock);
  sweep->points = fw_allocate(spec->design->count, sizeof *sweep->points);
  if (sweep->points == NULL) {
    fw_sweep_free(sweep);
    return fw_error_memory(diagnostics, "the points of a sweep");
  }
  fw_status status = read_text(sweep, diagnostics);
  status = status == FW_OK ? try_keys(sweep, diagnostics) : status;
  status = status == FW_OK ? prepare_points(sweep, diagnostics) : status;
  status = status == FW_OK ? check_distinct(sweep, diagnostics) : status;
  if (status != FW_OK) {
    fw_sweep_free(sweep);
    return status;
  }
  *out = sweep;
  return FW_OK;
}

void fw_sweep_free(fw_sweep *sweep) {
  if (sweep == NULL) {
    return;
  }
  for (size_t i = 0; sweep->points != NULL && i < sweep->spec.design->count; i++) {
    fwi_sweep_point *point = &sweep->points[i];
    for (size_t p = 0; p < point->policy_count; p++) {
      free(point->policies[p]);
    }
    free(point->policies);
    free(point->serves_all);
    free(point->budgets);
    free(point->windows);
    fw_scenario_free(point->scenario);
  }
  free(sweep->points);
  free(sweep->name);
  fw_text_clear(&sweep->text);
  omp_destroy_lock(&sweep->lock);
  free(sweep);
}

const char *fw_sweep_scenario(const fw_sweep *sweep) {
  return sweep->name;
}

uint64_t fw_sweep_digest(const fw_sweep *sweep) {
  uint64_t hash = fw_hash_bytes(FW_HASH_START, fw_code_version, strlen(fw_code_version));
  for (size_t i = 0; i < sweep->spec.design->count; i++) {
    const fwi_sweep_point *point = &sweep->points[i];
    hash = fw_hash_bytes(hash, point->id, sizeof point->id);
    hash = fw_hash_bytes(hash, &point->seeds, sizeof point->seeds);
    hash = fw_hash_bytes(hash, &point->units_per_seed, sizeof point->units_per_seed);
  }
  return hash;
}

/* ---- Registering ---- */

static fw_status register_point(const fw_sweep *sweep, fw_store *store, int64_t study, size_t index,
                                fw_diagnostics *diagnostics) {
  const fwi_sweep_point *point = &sweep->points[index];
  fw_text settings = FW_TEXT_INIT;
  fw_design_settings(&sweep->spec.design->points[index], &settings);
  const fw_store_point stored = {.settings = settings.data,
                                 .scenario = point->id,
                                 .first_seed = point->seed,
                                 .seeds = point->seeds,
                                 .policies = (const char *const *)point->policies,
                                 .policy_count = point->policy_count,
                                 .budgets = point->budgets,
                                 .budget_count = point->budget_count};
  const fw_status status = settings.failed ? fw_error_memory(diagnostics, "the points of a sweep")
                                           : fw_store_add_point(store, study, &stored, diagnostics);
  fw_text_clear(&settings);
  return status;
}

static fw_status register_all(fw_sweep *sweep, fw_store *store, const char *name, fw_diagnostics *diagnostics) {
  const fw_store_study study = {name, "sweep", sweep->name};
  const size_t points = sweep->spec.design->count;
  int64_t id = 0;
  size_t stored = 0;
  fw_status status = fw_store_begin_study(store, &study, &id, diagnostics);
  for (size_t i = 0; status == FW_OK && i < points; i++) {
    status = register_point(sweep, store, id, i, diagnostics);
  }
  status = status == FW_OK ? fwi_store_count_points(store, id, &stored, diagnostics) : status;
  if (status == FW_OK && stored != points) {
    status =
        fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                 "the store has a study \"%s\" of other points; give this one another name with --study, or delete "
                 "that one with fleetwatt results",
                 name);
  }
  return status;
}

fw_status fw_sweep_register(fw_sweep *sweep, fw_store *store, const char *name, fw_diagnostics *diagnostics) {
  const fw_status status = fw_store_begin(store, diagnostics);
  return status == FW_OK ? fw_store_end(store, register_all(sweep, store, name, diagnostics), diagnostics) : status;
}

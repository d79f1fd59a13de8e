/* Reading a scenario: decode the text by the tables, then resolve it step by step. Every step reports all its faults;
 * later steps run only on what earlier ones found sound. */
#include "sim/scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/memory.h"
#include "sim/base/reference.h"
#include "sim/scenario/resolve.h"

static fw_time_ns round_up(fw_time_ns value, fw_time_ns step) {
  return value % step == 0 ? value : value - value % step + step;
}

/* A length from the command line, such as a third of an hour in decimals, means the nearest whole number of ticks. */
static fw_time_ns nearest_ticks(fw_time_ns duration, fw_time_ns tick) {
  const fw_time_ns ticks = duration / tick + (duration % tick >= tick - tick / 2);
  return (ticks > 0 ? ticks : 1) * tick;
}

static fw_status resolve_times(fwi_resolve *resolve) {
  fw_scenario *scenario = resolve->scenario;
  const fwi_file *file = resolve->file;
  const fw_scenario_overrides *overrides = resolve->overrides;
  scenario->tick = file->tick;
  scenario->warmup = round_up(file->warmup, round_up(FW_NS_PER_S, file->tick)); /* where the fleet is measured */
  scenario->duration = file->duration;
  if (overrides != NULL && overrides->duration > 0) {
    scenario->duration = nearest_ticks(overrides->duration, file->tick);
  }
  scenario->seed = file->seed;
  scenario->seeds = overrides != NULL && overrides->seeds > 0 ? overrides->seeds : (size_t)file->seeds;
  fw_status status = FW_OK;
  char tick[FW_UNITS_TEXT_SIZE];
  if (scenario->duration % scenario->tick != 0) {
    status = fw_json_error(fw_record_member(resolve->root, "duration"), resolve->diagnostics,
                           "the duration is not a whole number of ticks of %s s", fw_time_format(file->tick, tick));
  }
  if (scenario->warmup >= scenario->duration) {
    status = fw_json_error(fw_record_member(resolve->root, "warmup"), resolve->diagnostics,
                           "the warm-up leaves nothing of the duration");
  }
  return status;
}

static fw_status resolve_windows(fwi_resolve *resolve) {
  const fw_json_value *place = fw_record_member(resolve->root, "windows");
  const fw_array *windows = &resolve->file->windows;
  const fw_time_ns *data = windows->data;
  char text[FW_UNITS_TEXT_SIZE];
  char path[FW_JSON_PATH_SIZE];
  resolve->scenario->windows = data;
  resolve->scenario->window_count = windows->count;
  if (windows->count > FW_POLICY_WINDOWS) {
    return fw_json_error(place, resolve->diagnostics, "at most %d windows, found %zu", FW_POLICY_WINDOWS,
                         windows->count);
  }
  for (size_t i = 0; i < windows->count; i++) {
    for (size_t j = 0; j < i; j++) {
      if (data[i] == data[j]) {
        return fw_json_error(place, resolve->diagnostics, "the window of %s s is given twice",
                             fw_time_format(data[i], text));
      }
    }
    if (data[i] < resolve->scenario->tick) {
      fw_warning(resolve->diagnostics, fw_json_place(place, path),
                 "the window of %s s is shorter than a tick: it shows the means of single ticks",
                 fw_time_format(data[i], text));
    }
    if (data[i] > resolve->scenario->duration) {
      fw_warning(resolve->diagnostics, fw_json_place(place, path),
                 "the window of %s s is longer than the run: its results are null", fw_time_format(data[i], text));
    }
  }
  return FW_OK;
}

/* The energy of one GPU in one tick is kept in 64 bits. */
static fw_status check_tick_energy(const fwi_resolve *resolve) {
  const fw_gpu_model *gpu = &resolve->scenario->gpu;
  if (gpu->board_max <= INT64_MAX / resolve->scenario->tick) {
    return FW_OK;
  }
  return fw_json_error(fw_record_member(resolve->root, "tick"), resolve->diagnostics,
                       "the tick is too long for the %lld W that a \"%s\" may draw; give a shorter one",
                       (long long)(gpu->board_max / FW_MW_PER_W), gpu->id);
}

static fw_status resolve_gpu(fwi_resolve *resolve) {
  char *path = NULL;
  fw_status status = fwi_find_file(resolve, "gpu/", resolve->file->gpu, fw_record_member(resolve->root, "gpu"), &path);
  if (status == FW_OK) {
    status = fw_gpu_model_read(path, &resolve->scenario->gpu, resolve->diagnostics);
    resolve->parts->gpu_read = status == FW_OK;
  }
  status = status == FW_OK ? check_tick_energy(resolve) : status;
  status = status == FW_OK ? fwi_hash_file(resolve, path) : status;
  free(path);
  return status;
}

/* The fleet must hold its jobs; without a number it is as large as they are. */
static fw_status resolve_topology(fwi_resolve *resolve) {
  const fwi_file_topology *file = &resolve->file->topology;
  const fw_scenario_parts *parts = resolve->parts;
  const fw_scenario_job *last = &parts->jobs[parts->job_count - 1];
  const size_t needed = last->first_gpu + last->gpus;
  const fw_json_value *place = fw_record_member(fw_record_member(resolve->root, "topology"), "gpus");
  fw_topology *topology = &resolve->scenario->topology;
  *topology = (fw_topology){.gpus = file->gpus > 0 ? (size_t)file->gpus : needed,
                            .gpus_per_node = (size_t)file->gpus_per_node,
                            .nodes_per_rack = (size_t)file->nodes_per_rack,
                            .racks_per_row = (size_t)file->racks_per_row,
                            .node_budget = file->node_budget,
                            .rack_budget = file->rack_budget,
                            .row_budget = file->row_budget};
  if (topology->gpus > UINT32_MAX) {
    return fw_json_error(place, resolve->diagnostics, "a fleet has at most %u GPUs", UINT32_MAX);
  }
  if (needed > topology->gpus) {
    return fw_json_error(place, resolve->diagnostics, "the jobs ask for %zu GPUs, the fleet has %zu", needed,
                         topology->gpus);
  }
  return FW_OK;
}

static fw_status resolve_schedule(fwi_resolve *resolve) {
  const fwi_file_schedule *file = &resolve->file->schedule;
  const fwi_file_step *steps = file->steps.data;
  const fw_json_value *place = fw_record_member(fw_record_member(resolve->root, "budget_schedule"), "steps");
  if (file->steps.count == 0) {
    return FW_OK;
  }
  fw_budget_step *out = fw_allocate(file->steps.count, sizeof *out);
  resolve->parts->steps = out;
  if (out == NULL) {
    return fw_error_memory(resolve->diagnostics, "the budget schedule");
  }
  for (size_t i = 0; i < file->steps.count; i++) {
    if (i == 0 ? steps[i].from != 0 : steps[i].from <= steps[i - 1].from) {
      return fw_json_error(place, resolve->diagnostics, "steps must rise in time, the first at 0");
    }
    if (file->repeat > 0 && steps[i].from >= file->repeat) {
      return fw_json_error(place, resolve->diagnostics, "a step begins after the schedule repeats");
    }
    out[i] = (fw_budget_step){steps[i].from, steps[i].factor};
  }
  resolve->scenario->schedule =
      (fw_budget_schedule){.steps = out, .step_count = file->steps.count, .repeat = file->repeat};
  return FW_OK;
}

static fw_status fill_hours(fwi_resolve *resolve, const fw_array *given, const char *key,
                            double out[FW_HOURS_PER_DAY]) {
  const double *values = given->data;
  if (given->count > 1 && given->count != FW_HOURS_PER_DAY) {
    return fw_json_error(fw_record_member(fw_record_member(resolve->root, "tariff"), key), resolve->diagnostics,
                         "give one number, or one for each of the 24 hours; found %zu", given->count);
  }
  for (size_t hour = 0; hour < FW_HOURS_PER_DAY; hour++) {
    out[hour] = given->count == 0 ? 0.0 : values[given->count == 1 ? 0 : hour];
  }
  return FW_OK;
}

static fw_status resolve_tariff(fwi_resolve *resolve) {
  const fwi_file_tariff *file = &resolve->file->tariff;
  fw_tariff *tariff = &resolve->scenario->tariff;
  tariff->start_hour = file->start_hour;
  const fw_status status = fill_hours(resolve, &file->cost_per_kwh, "cost_per_kwh", tariff->cost_per_kwh);
  return fwi_first(status,
                   fill_hours(resolve, &file->carbon_kg_per_kwh, "carbon_kg_per_kwh", tariff->carbon_kg_per_kwh));
}

static fw_status list_classes(fwi_resolve *resolve) {
  fw_scenario_parts *parts = resolve->parts;
  size_t count = 0;
  parts->classes = fw_allocate(resolve->file->jobs.count, sizeof *parts->classes);
  if (parts->classes == NULL) {
    return fw_error_memory(resolve->diagnostics, "the classes of the jobs");
  }
  for (size_t i = 0; i < parts->job_count; i++) {
    if (parts->jobs[i].member == 0) {
      parts->classes[count++] = parts->jobs[i].job_class;
    }
  }
  resolve->scenario->classes = parts->classes;
  resolve->scenario->class_count = count;
  return FW_OK;
}

static fw_status resolve_all(fwi_resolve *resolve) {
  fw_scenario *scenario = resolve->scenario;
  scenario->name = resolve->file->name;
  scenario->description = resolve->file->description != NULL ? resolve->file->description : "";
  scenario->start = (fw_start_kind)resolve->file->start;
  fw_status status = resolve_times(resolve);
  status = fwi_first(status, resolve_windows(resolve));
  status = fwi_first(status, resolve_schedule(resolve));
  status = fwi_first(status, resolve_tariff(resolve));
  status = fwi_first(status, resolve_gpu(resolve));
  if (!resolve->parts->gpu_read) {
    return status; /* jobs and budgets are read against the GPU's limits */
  }
  status = fwi_first(status, fwi_resolve_jobs(resolve));
  if (resolve->parts->job_count > 0) {
    status = fwi_first(status, resolve_topology(resolve));
    status = fwi_first(status, fwi_resolve_electrical(resolve));
  }
  scenario->jobs = resolve->parts->jobs;
  scenario->job_count = resolve->parts->job_count;
  scenario->check_trace = resolve->parts->check_trace;
  status = fwi_first(status, list_classes(resolve));
  status = fwi_first(status, fwi_resolve_policies(resolve));
  status = status == FW_OK ? fwi_check_policies(resolve) : status;
  status = fwi_first(status, fwi_resolve_adversities(resolve));
  status = fwi_first(status, scenario->nameplate > 0 ? fwi_resolve_budgets(resolve) : FW_OK);
  status = fwi_first(status, fwi_warn_of_alike_names(resolve));
  return fwi_first(status, fwi_resolve_expect(resolve));
}

static void clear_parts(fw_scenario_parts *parts) {
  for (size_t i = 0; i < parts->model_count; i++) {
    fw_job_model_clear(parts->models[i]);
    free(parts->models[i]);
    free(parts->model_names[i]);
  }
  for (size_t i = 0; i < parts->recording_count; i++) {
    for (size_t g = 0; g < parts->recordings[i].count; g++) {
      fw_pieces_clear(&parts->recordings[i].gpus[g]);
    }
    free(parts->recordings[i].gpus);
  }
  for (size_t i = 0; i < parts->occupancy_count; i++) {
    fw_occupancy_clear(parts->occupancies[i]);
    free(parts->occupancies[i]);
  }
  free(parts->occupancies);
  for (size_t i = 0; i < parts->content_count; i++) {
    parts->contents[i].file->release(parts->contents[i].content);
  }
  free(parts->contents);
  free(parts->models);
  free(parts->model_names);
  free(parts->recordings);
  free(parts->jobs);
  free(parts->classes);
  free(parts->policies);
  free(parts->budgets);
  free(parts->steps);
  free(parts->adversities);
  fwi_services_clear(parts);
  free(parts->calls);
  free(parts->check_trace);
  fwi_clear_expect(parts);
  fw_record_clear(&fwi_file_record, &parts->file);
}

void fw_scenario_free(fw_scenario *scenario) {
  if (scenario == NULL) {
    return;
  }
  if (scenario->parts->gpu_read) {
    fw_gpu_model_clear(&scenario->gpu);
  }
  clear_parts(scenario->parts);
  free(scenario->parts);
  free(scenario);
}

static fw_scenario *allocate_scenario(fw_diagnostics *diagnostics) {
  fw_scenario *scenario = fw_allocate(1, sizeof *scenario);
  fw_scenario_parts *parts = fw_allocate(1, sizeof *parts);
  if (scenario == NULL || parts == NULL) {
    (void)fw_error_memory(diagnostics, "a scenario");
    free(scenario);
    free(parts);
    return NULL;
  }
  parts->hash = FW_HASH_START;
  scenario->parts = parts;
  return scenario;
}

fw_status fw_scenario_parse(const char *text, size_t length, const char *path, const fw_scenario_overrides *overrides,
                            fw_scenario **out, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  fw_status status = fw_json_parse(text, length, path, &document, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  fw_scenario *scenario = allocate_scenario(diagnostics);
  if (scenario == NULL) {
    fw_json_free(document);
    return FW_ERROR_MEMORY;
  }
  fwi_resolve resolve = {.scenario = scenario,
                         .parts = scenario->parts,
                         .file = &scenario->parts->file,
                         .root = fw_json_root(document),
                         .path = path,
                         .overrides = overrides,
                         .diagnostics = diagnostics};
  resolve.parts->hash = fw_hash_bytes(resolve.parts->hash, text, length);
  status = fw_record_decode(&fwi_file_record, resolve.root, &scenario->parts->file, diagnostics);
  status = status == FW_OK ? resolve_all(&resolve) : status;
  fw_json_free(document);
  if (status != FW_OK) {
    fw_scenario_free(scenario);
    return status;
  }
  (void)snprintf(scenario->hash, sizeof scenario->hash, "%016llx", (unsigned long long)resolve.parts->hash);
  *out = scenario;
  return FW_OK;
}

fw_status fw_scenario_read(const char *path, const fw_scenario_overrides *overrides, fw_scenario **out,
                           fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fw_status status = fw_file_read(path, FW_JSON_SIZE_LIMIT, &text, diagnostics);
  if (status == FW_OK) {
    status = fw_scenario_parse(text.data, text.length, path, overrides, out, diagnostics);
  }
  fw_text_clear(&text);
  return status;
}

void fw_scenario_schema(fw_text *text) {
  fw_record_schema(&fwi_file_record, "scenario", text);
}

void fw_scenario_reference(fw_text *text) {
  fw_record_reference(&fwi_file_record, text);
}

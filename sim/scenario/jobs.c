/* The jobs of a scenario: workloads, actuators and recordings resolved, GPUs placed in the order of the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/scenario/jobs.h"

#define MOST_PAUSE_S 600.0
#define MOST_START_OFFSET_S 86400.0
#define MOST_GROUP_SIZE 65536.0
#define MOST_JOBS ((size_t)1000000)
/* A loop shorter than this would take longer to simulate than anybody waits. */
#define SHORTEST_LOOP FW_NS_PER_MS

static fw_actuator_range any_between(double min, double max) {
  return (fw_actuator_range){.min = min, .max = max};
}

/* Levels as the file gives them, which must rise and, where they count something, be whole. */
static fw_status read_levels(fwi_resolve *resolve, const double *levels, size_t count, bool whole,
                             const fw_json_value *place, fw_actuator_range *out) {
  if (count > FW_POLICY_LEVELS) {
    return fw_json_error(place, resolve->diagnostics, "at most %d levels, found %zu", FW_POLICY_LEVELS, count);
  }
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && levels[i] <= levels[i - 1]) {
      return fw_json_error(place, resolve->diagnostics, "levels must rise, but %g follows %g", levels[i],
                           levels[i - 1]);
    }
    if (whole && levels[i] != floor(levels[i])) {
      return fw_json_error(place, resolve->diagnostics, "levels must be whole numbers, found %g", levels[i]);
    }
    out->levels[i] = levels[i];
  }
  out->level_count = count;
  out->min = levels[0];
  out->max = levels[count - 1];
  return FW_OK;
}

static fw_status optional_levels(fwi_resolve *resolve, const fw_array *levels, const fw_json_value *job,
                                 const char *key, fw_actuator_range *out) {
  if (levels->count == 0) {
    return FW_OK;
  }
  return read_levels(resolve, levels->data, levels->count, true,
                     fw_record_member(fw_record_member(job, "actuators"), key), out);
}

static fw_status pause_levels(fwi_resolve *resolve, const fw_array *levels, const fw_json_value *job,
                              fw_actuator_range *out) {
  double seconds[FW_POLICY_LEVELS];
  if (levels->count == 0) {
    return FW_OK;
  }
  const size_t count = levels->count <= FW_POLICY_LEVELS ? levels->count : FW_POLICY_LEVELS;
  for (size_t i = 0; i < count; i++) {
    seconds[i] = fw_time_to_seconds(((const fw_time_ns *)levels->data)[i]);
  }
  return read_levels(resolve, seconds, levels->count, false,
                     fw_record_member(fw_record_member(job, "actuators"), "pause"), out);
}

/* Powers of two up to `most`, and `most` itself. */
static fw_actuator_range powers_of_two(double most) {
  fw_actuator_range range = {.min = 1.0, .max = most};
  double level = 1.0;
  while (level < most && range.level_count + 1 < FW_POLICY_LEVELS) {
    range.levels[range.level_count++] = level;
    level *= 2.0;
  }
  range.levels[range.level_count++] = most;
  return range;
}

static int64_t given_or(int64_t given, int64_t otherwise) {
  return given > 0 ? given : otherwise;
}

static fw_workload merge_workload(const fwi_file_grpo *file, const fw_workload *model) {
  fw_workload work = *model;
  work.prompts = given_or(file->prompts, model->prompts);
  work.group_size = given_or(file->group_size, model->group_size);
  work.concurrency = given_or(file->concurrency, model->concurrency);
  work.completion_limit = given_or(file->completion_limit, model->completion_limit);
  work.completion_mean = file->completion_mean > 0.0 ? file->completion_mean : model->completion_mean;
  work.completion_cv = file->completion_cv_given ? file->completion_cv : model->completion_cv;
  work.prompt_tokens = file->prompt_tokens_given ? file->prompt_tokens : model->prompt_tokens;
  return work;
}

static fw_status check_initial(fwi_resolve *resolve, const fw_scenario_job *job, fw_actuator actuator,
                               const fw_json_value *place) {
  const double value = job->initial[actuator];
  if (fw_actuator_nearest(&job->actuators[actuator], value) == value) {
    return FW_OK;
  }
  return fw_json_error(place, resolve->diagnostics, "the job's %s of %g is not among its levels",
                       fw_actuator_names[actuator], value);
}

static fw_status set_actuators(fwi_resolve *resolve, const fwi_file_grpo *file, const fw_json_value *value,
                               fw_scenario_job *job) {
  const fw_gpu_model *gpu = &resolve->scenario->gpu;
  fw_actuator_range *ranges = job->actuators;
  ranges[FW_ACTUATOR_CONCURRENCY] = powers_of_two((double)job->workload.concurrency);
  ranges[FW_ACTUATOR_GROUP_SIZE] = any_between(1.0, MOST_GROUP_SIZE);
  ranges[FW_ACTUATOR_COMPLETION_TOKENS] = any_between(1.0, (double)job->workload.completion_limit);
  ranges[FW_ACTUATOR_PAUSE_S] = any_between(0.0, MOST_PAUSE_S);
  ranges[FW_ACTUATOR_POWER_CAP_W] = any_between(fw_power_to_watts(gpu->cap_min), fw_power_to_watts(gpu->cap_max));
  ranges[FW_ACTUATOR_START_OFFSET_S] = any_between(0.0, MOST_START_OFFSET_S);
  fw_status status =
      optional_levels(resolve, &file->actuators.concurrency, value, "concurrency", &ranges[FW_ACTUATOR_CONCURRENCY]);
  status = fwi_first(status, optional_levels(resolve, &file->actuators.group_size, value, "group_size",
                                             &ranges[FW_ACTUATOR_GROUP_SIZE]));
  status = fwi_first(status, optional_levels(resolve, &file->actuators.completion_tokens, value, "completion_tokens",
                                             &ranges[FW_ACTUATOR_COMPLETION_TOKENS]));
  status = fwi_first(status, pause_levels(resolve, &file->actuators.pause, value, &ranges[FW_ACTUATOR_PAUSE_S]));
  job->initial[FW_ACTUATOR_CONCURRENCY] = (double)job->workload.concurrency;
  job->initial[FW_ACTUATOR_GROUP_SIZE] = (double)job->workload.group_size;
  job->initial[FW_ACTUATOR_COMPLETION_TOKENS] = (double)job->workload.completion_limit;
  job->initial[FW_ACTUATOR_PAUSE_S] = ranges[FW_ACTUATOR_PAUSE_S].min;
  job->initial[FW_ACTUATOR_POWER_CAP_W] =
      file->power_cap > 0 ? fw_power_to_watts(file->power_cap) : ranges[FW_ACTUATOR_POWER_CAP_W].max;
  static const fw_actuator checked[] = {FW_ACTUATOR_CONCURRENCY, FW_ACTUATOR_GROUP_SIZE, FW_ACTUATOR_COMPLETION_TOKENS,
                                        FW_ACTUATOR_POWER_CAP_W};
  for (size_t i = 0; status == FW_OK && i < sizeof checked / sizeof checked[0]; i++) {
    status = check_initial(resolve, job, checked[i], value);
  }
  return status;
}

fw_status fwi_place_jobs(fwi_resolve *resolve, const fw_scenario_job *job, size_t count) {
  fw_scenario_parts *parts = resolve->parts;
  size_t needed = 0;
  if (count > MOST_JOBS || parts->job_count > MOST_JOBS - count) {
    return fw_json_error(fw_record_member(resolve->root, "jobs"), resolve->diagnostics,
                         "a scenario has at most %zu jobs", MOST_JOBS);
  }
  if (!fw_size_add(parts->job_count, count, &needed) ||
      !fw_grow(&parts->jobs, &parts->job_capacity, needed, sizeof *parts->jobs)) {
    return fw_error_memory(resolve->diagnostics, "the jobs of the scenario");
  }
  for (size_t i = 0; i < count; i++) {
    fw_scenario_job *placed = &parts->jobs[parts->job_count];
    const fw_scenario_job *before = parts->job_count > 0 ? placed - 1 : NULL;
    *placed = *job;
    placed->member = i;
    placed->class_size = count;
    placed->first_gpu = before != NULL ? before->first_gpu + before->gpus : 0;
    parts->job_count++;
  }
  return FW_OK;
}

static fw_status check_tick(fwi_resolve *resolve, const fw_job_model *model, const fw_json_value *place) {
  if (model->tick == resolve->file->tick) {
    return FW_OK;
  }
  char model_tick[FW_UNITS_TEXT_SIZE];
  char tick[FW_UNITS_TEXT_SIZE];
  return fw_json_error(place, resolve->diagnostics,
                       "model \"%s\" is defined on a tick of %s s, the scenario samples every %s s; set \"tick_s\"",
                       model->id, fw_time_format(model->tick, model_tick), fw_time_format(resolve->file->tick, tick));
}

static void warn_of_other_gpu(const fwi_resolve *resolve, const fw_job_model *model, const fw_json_value *place) {
  if (strcmp(model->gpu, resolve->scenario->gpu.id) != 0) {
    char path[FW_JSON_PATH_SIZE];
    fw_warning(resolve->diagnostics, fw_json_place(place, path),
               "model \"%s\" was measured on \"%s\", this fleet has \"%s\": its parameters are extrapolated", model->id,
               model->gpu, resolve->scenario->gpu.id);
  }
}

fw_status fwi_check_model(fwi_resolve *resolve, const fw_job_model *model, const fw_json_value *place) {
  const fw_status status = check_tick(resolve, model, place);
  warn_of_other_gpu(resolve, model, place);
  return status;
}

fw_status fwi_set_power_cap(fwi_resolve *resolve, fw_scenario_job *job, fw_power_mw cap, const fw_json_value *value) {
  job->initial[FW_ACTUATOR_POWER_CAP_W] = fw_power_to_watts(cap);
  return check_initial(resolve, job, FW_ACTUATOR_POWER_CAP_W, value);
}

static fw_status resolve_grpo(fwi_resolve *resolve, const fwi_file_grpo *file, const fw_json_value *value,
                              fw_scenario_job *job) {
  const fw_json_value *place = fw_record_member(value, "model");
  fw_status status = fwi_find_model(resolve, file->model, place, &job->model);
  if (status != FW_OK) {
    return status;
  }
  status = fwi_check_model(resolve, job->model, place);
  job->job_class = file->job_class;
  job->priority = file->priority;
  job->gpus = (size_t)job->model->gpus;
  job->start = file->start_offset;
  job->copied = file->draws == FWI_DRAWS_COPIED;
  job->workload = merge_workload(file, &job->model->workload);
  job->checkpoint_steps = (uint64_t)file->checkpoint_steps;
  status = fwi_first(status, set_actuators(resolve, file, value, job));
  return status == FW_OK ? fwi_place_jobs(resolve, job, (size_t)file->count) : status;
}

static fw_actuator_range fixed(double value) {
  return any_between(value, value);
}

void fwi_set_plain_actuators(const fwi_resolve *resolve, fw_scenario_job *job, double concurrency) {
  const fw_gpu_model *gpu = &resolve->scenario->gpu;
  for (size_t i = 0; i < FW_ACTUATOR_COUNT; i++) {
    job->actuators[i] = fixed(0.0);
  }
  job->actuators[FW_ACTUATOR_POWER_CAP_W] =
      any_between(fw_power_to_watts(gpu->cap_min), fw_power_to_watts(gpu->cap_max));
  job->initial[FW_ACTUATOR_POWER_CAP_W] = job->actuators[FW_ACTUATOR_POWER_CAP_W].max;
  job->actuators[FW_ACTUATOR_CONCURRENCY] = job->model != NULL ? powers_of_two(concurrency) : fixed(concurrency);
  job->initial[FW_ACTUATOR_CONCURRENCY] = concurrency;
}

/* A file beside the scenario, or the one that the command line gives; for a check that was given none, the job's own
 * for checks. `value` is the job. Caller frees `out`. */
static fw_status recording_path(fwi_resolve *resolve, const char *trace, const char *check_trace,
                                const fw_json_value *value, char **out) {
  const fw_scenario_overrides *overrides = resolve->overrides;
  const bool given = strcmp(trace, "given") == 0;
  *out = NULL;
  if (check_trace != NULL && !given) {
    return fw_json_error(fw_record_member(value, "check_trace"), resolve->diagnostics,
                         "it stands for a trace that is \"given\", and this job has one; leave the key out");
  }
  const bool named = given && overrides != NULL && overrides->trace != NULL;
  const bool checked = given && !named && overrides != NULL && overrides->check_traces && check_trace != NULL;
  if (given && !named && !checked) {
    return fw_json_error(fw_record_member(value, "trace"), resolve->diagnostics,
                         "the recording is to be given: add --trace FILE; `fleetwatt check` takes the job's "
                         "\"check_trace\"");
  }
  resolve->scenario->takes_trace = resolve->scenario->takes_trace || named;
  *out = named ? fw_copy_text(overrides->trace) : fw_path_beside(resolve->path, checked ? check_trace : trace);
  if (*out != NULL && checked && resolve->parts->check_trace == NULL) {
    resolve->parts->check_trace = fw_copy_text(*out);
    if (resolve->parts->check_trace == NULL) {
      free(*out);
      *out = NULL;
    }
  }
  return *out != NULL ? FW_OK : fw_error_memory(resolve->diagnostics, "the name of a recording");
}

static fw_status refuse_gap(fwi_resolve *resolve, const fw_trace *trace, size_t series, size_t sample,
                            const fw_json_value *place) {
  char from[FW_UNITS_TEXT_SIZE];
  char to[FW_UNITS_TEXT_SIZE];
  const fw_series *gpu = &trace->series[series];
  return fw_json_error(place, resolve->diagnostics,
                       "%s has a gap on GPU %s from %s s to %s s (line %zu); a replay needs a recording without "
                       "gaps: cut it there",
                       trace->file, gpu->gpu, fw_time_format(gpu->time[sample - 1], from),
                       fw_time_format(gpu->time[sample], to), gpu->line[sample]);
}

/* One run of pieces for each GPU of the recording, owned by the scenario. */
static fw_status take_pieces(fwi_resolve *resolve, const fw_trace *trace, fw_scenario_job *job) {
  fw_scenario_parts *parts = resolve->parts;
  if (!fw_grow(&parts->recordings, &parts->recording_capacity, parts->recording_count + 1, sizeof *parts->recordings)) {
    return fw_error_memory(resolve->diagnostics, "a recording");
  }
  fwi_recording *recording = &parts->recordings[parts->recording_count++];
  *recording = (fwi_recording){.gpus = fw_allocate(trace->series_count, sizeof(fw_pieces))};
  if (recording->gpus == NULL) {
    return fw_error_memory(resolve->diagnostics, "a recording");
  }
  fw_status status = FW_OK;
  for (size_t g = 0; g < trace->series_count && status == FW_OK; g++) {
    status = fw_series_pieces(trace, g, &recording->gpus[g], resolve->diagnostics);
    recording->count += status == FW_OK;
  }
  job->replay = recording->gpus;
  job->gpus = trace->series_count;
  return status;
}

/* Whether there is a stretch of time that every GPU of the recording covers. */
static bool share_time(const fwi_recording *recording) {
  fw_time_ns from = INT64_MIN;
  fw_time_ns to = FW_TIME_MAX;
  for (size_t g = 0; g < recording->count; g++) {
    const fw_pieces *pieces = &recording->gpus[g];
    if (pieces->count == 0) {
      return false;
    }
    from = pieces->data[0].from > from ? pieces->data[0].from : from;
    to = pieces->data[pieces->count - 1].to < to ? pieces->data[pieces->count - 1].to : to;
  }
  return from < to;
}

static fw_status read_recording(fwi_resolve *resolve, const char *path, const fwi_file_replay *file,
                                const fw_json_value *place, fw_scenario_job *job) {
  fw_trace trace = {0};
  size_t series = 0;
  size_t sample = 0;
  fw_status status = fw_trace_read(path, (fw_series_kind)file->kind, &trace, resolve->diagnostics);
  if (status != FW_OK) {
    return status;
  }
  if (fw_trace_first_gap(&trace, &series, &sample)) {
    status = refuse_gap(resolve, &trace, series, sample, place);
  } else {
    status = take_pieces(resolve, &trace, job);
    if (status == FW_OK && !share_time(&resolve->parts->recordings[resolve->parts->recording_count - 1])) {
      status = fw_json_error(place, resolve->diagnostics,
                             "%s covers no time on all its GPUs: a replay needs two readings of each, over the same "
                             "time",
                             trace.file);
    }
  }
  fw_trace_clear(&trace);
  return status == FW_OK ? fwi_hash_file(resolve, path) : status;
}

/* A job that starts late in its cycle stands idle until then, and the cycle of a recording is all of it. What a tenth
 * of the run is spent on is worth a word. */
static void warn_of_late_start(const fwi_resolve *resolve, const fw_scenario_job *job, fw_time_ns recorded,
                               int64_t count, const fw_json_value *place) {
  const fw_scenario *scenario = resolve->scenario;
  const bool spread = scenario->start == FW_START_RANDOM || (scenario->start == FW_START_STAGGERED && count > 1);
  if (!spread || recorded - scenario->warmup <= scenario->duration / 10) {
    return;
  }
  char path[FW_JSON_PATH_SIZE];
  char length[FW_UNITS_TEXT_SIZE];
  fw_warning(resolve->diagnostics, fw_json_place(place, path),
             "jobs of class \"%s\" start up to %s s late, the length of their recording, and their GPUs idle until "
             "then: leave that out with \"warmup\" and run for longer, or cut the recording",
             job->job_class, fw_time_format(recorded, length));
}

static fw_status resolve_replay(fwi_resolve *resolve, const fwi_file_replay *file, const fw_json_value *value,
                                fw_scenario_job *job) {
  const fw_json_value *place = fw_record_member(value, "trace");
  char *path = NULL;
  fw_status status = recording_path(resolve, file->trace, file->check_trace, value, &path);
  if (status != FW_OK) {
    return status;
  }
  if (file->model != NULL) {
    status = fwi_find_model(resolve, file->model, fw_record_member(value, "model"), &job->model);
  }
  status = fwi_first(status, read_recording(resolve, path, file, place, job));
  free(path);
  job->job_class = file->job_class;
  job->priority = file->priority;
  job->start = file->start_offset;
  job->loop = file->loop;
  job->decision = file->decision;
  fwi_set_plain_actuators(resolve, job, (double)file->concurrency);
  if (status != FW_OK) {
    return status;
  }
  const fw_pieces *first = &job->replay[0];
  warn_of_late_start(resolve, job, first->data[first->count - 1].to - first->data[0].from, file->count, place);
  return fwi_place_jobs(resolve, job, (size_t)file->count);
}

/* The files of an occupancy job, each beside the scenario; NULL where there is none. */
typedef struct occupancy_files {
  char *trace;
  char *counters;
  char *phases;
} occupancy_files;

static fw_status optional_path(fwi_resolve *resolve, const char *name, char **out) {
  *out = name != NULL ? fw_path_beside(resolve->path, name) : NULL;
  return name == NULL || *out != NULL ? FW_OK : fw_error_memory(resolve->diagnostics, "the name of a file");
}

static fw_status find_occupancy_files(fwi_resolve *resolve, const fwi_file_occupancy *file, const fw_json_value *value,
                                      occupancy_files *out) {
  fw_status status = recording_path(resolve, file->trace, file->check_trace, value, &out->trace);
  status = fwi_first(status, optional_path(resolve, file->counters, &out->counters));
  return fwi_first(status, optional_path(resolve, file->phases, &out->phases));
}

static fw_status hash_occupancy_files(fwi_resolve *resolve, const occupancy_files *files) {
  fw_status status = fwi_hash_file(resolve, files->trace);
  if (status == FW_OK && files->counters != NULL) {
    status = fwi_hash_file(resolve, files->counters);
  }
  if (status == FW_OK && files->phases != NULL) {
    status = fwi_hash_file(resolve, files->phases);
  }
  return status;
}

static fw_status read_occupancy(fwi_resolve *resolve, const fwi_file_occupancy *file, const occupancy_files *files,
                                const fw_occupancy **out) {
  fw_scenario_parts *parts = resolve->parts;
  fw_occupancy *occupancy = fw_allocate(1, sizeof *occupancy);
  if (occupancy == NULL ||
      !fw_grow(&parts->occupancies, &parts->occupancy_capacity, parts->occupancy_count + 1, sizeof(fw_occupancy *))) {
    free(occupancy);
    return fw_error_memory(resolve->diagnostics, "an occupancy");
  }
  const fw_occupancy_options options = {.trace = files->trace,
                                        .kind_if_unstated = (fw_series_kind)file->kind,
                                        .counters = files->counters,
                                        .phases = files->phases,
                                        .role = file->role,
                                        .tick = resolve->scenario->tick,
                                        .skipped_phases = (size_t)file->skipped_phases};
  const fw_status status = fw_occupancy_read(&options, occupancy, resolve->diagnostics);
  if (status != FW_OK) {
    free(occupancy);
    return status;
  }
  parts->occupancies[parts->occupancy_count++] = occupancy;
  *out = occupancy;
  return hash_occupancy_files(resolve, files);
}

/* From its files, or as the caller gives it. */
static fw_status find_occupancy(fwi_resolve *resolve, const fwi_file_occupancy *file, const fw_json_value *value,
                                const fw_occupancy **out) {
  const fw_occupancy *given = resolve->overrides != NULL ? resolve->overrides->occupancy : NULL;
  if (given != NULL && strcmp(file->trace, "given") == 0) {
    *out = given;
    return FW_OK;
  }
  occupancy_files files = {0};
  fw_status status = find_occupancy_files(resolve, file, value, &files);
  if (status == FW_OK) {
    status = read_occupancy(resolve, file, &files, out);
  }
  free(files.trace);
  free(files.counters);
  free(files.phases);
  return status;
}

static fw_status check_fits(const fwi_resolve *resolve, const fw_scenario_job *job, const fw_json_value *place) {
  if (job->occupancy->tick != resolve->scenario->tick) {
    return fw_json_error(place, resolve->diagnostics, "the recording was cut into other ticks than the scenario's");
  }
  if (job->occupancy->gpus == job->gpus) {
    return FW_OK;
  }
  return fw_json_error(
      place, resolve->diagnostics,
      "the recording is of %zu GPU%s, a job of model \"%s\" has %zu: record all GPUs of one job, and no others "
      "(fleetwatt import --only takes some of a log)",
      job->occupancy->gpus, job->occupancy->gpus == 1 ? "" : "s", job->model->id, job->gpus);
}

static fw_status resolve_occupancy(fwi_resolve *resolve, const fwi_file_occupancy *file, const fw_json_value *value,
                                   fw_scenario_job *job) {
  const fw_json_value *place = fw_record_member(value, "model");
  fw_status status = fwi_find_model(resolve, file->model, place, &job->model);
  if (status != FW_OK) {
    return status;
  }
  status = fwi_check_model(resolve, job->model, place);
  job->job_class = file->job_class;
  job->priority = file->priority;
  job->gpus = (size_t)job->model->gpus;
  job->start = file->start_offset;
  job->loop = file->loop;
  job->decision = file->decision;
  status = fwi_first(status, find_occupancy(resolve, file, value, &job->occupancy));
  if (status == FW_OK) {
    status = check_fits(resolve, job, fw_record_member(value, "trace"));
  }
  fwi_set_plain_actuators(resolve, job, 1.0);
  if (status != FW_OK) {
    return status;
  }
  warn_of_late_start(resolve, job, (fw_time_ns)job->occupancy->count * job->occupancy->tick, file->count,
                     fw_record_member(value, "trace"));
  return fwi_place_jobs(resolve, job, (size_t)file->count);
}

/* fw_cycle_phase is the public face of fwi_file_phase. */
_Static_assert(sizeof(fw_cycle_phase) == sizeof(fwi_file_phase), "phases are passed on as read");
_Static_assert(offsetof(fw_cycle_phase, power) == offsetof(fwi_file_phase, power), "phases are passed on as read");

/* The "phases" of `value`, passed on as read, and how long they last together. */
static fw_status take_phases(fwi_resolve *resolve, const fw_array *phases, const fw_json_value *value,
                             const fw_cycle_phase **out, fw_time_ns *length) {
  *out = phases->data;
  *length = 0;
  for (size_t i = 0; i < phases->count; i++) {
    if (!fw_time_add(*length, (*out)[i].duration, length)) {
      return fw_json_error(fw_record_member(value, "phases"), resolve->diagnostics, "the phases last too long");
    }
  }
  return FW_OK;
}

static fw_status resolve_cycle(fwi_resolve *resolve, const fwi_file_cycle *file, const fw_json_value *value,
                               fw_scenario_job *job) {
  fw_time_ns total = 0;
  const fw_status status = take_phases(resolve, &file->phases, value, &job->cycle, &total);
  if (status != FW_OK) {
    return status;
  }
  if (total == 0 && file->loop) {
    return fw_json_error(fw_record_member(value, "phases"), resolve->diagnostics,
                         "job \"%s\" repeats phases of no length, so time would never advance; give one of them a "
                         "duration or set \"loop\": false",
                         file->job_class);
  }
  if (total < SHORTEST_LOOP && file->loop) {
    return fw_json_error(fw_record_member(value, "phases"), resolve->diagnostics,
                         "job \"%s\" repeats phases that last less than 1 ms together; make them longer",
                         file->job_class);
  }
  job->job_class = file->job_class;
  job->priority = file->priority;
  job->gpus = (size_t)file->gpus;
  job->start = file->start_offset;
  job->loop = file->loop;
  job->decision = file->decision;
  job->cycle_count = file->phases.count;
  fwi_set_plain_actuators(resolve, job, 1.0);
  return fwi_place_jobs(resolve, job, (size_t)file->count);
}

static fw_status resolve_entry(fwi_resolve *resolve, size_t entry) {
  const fw_variant *written = (const fw_variant *)resolve->file->jobs.data + entry;
  const fw_json_value *value = fw_record_element(resolve->root, "jobs", entry);
  fw_scenario_job job = {
      .class_index = entry, .kind = (fw_job_kind)(written->which - fwi_job_cases), .checkpoint_steps = 1};
  switch (job.kind) {
  case FW_JOB_GRPO:
    return resolve_grpo(resolve, written->value, value, &job);
  case FW_JOB_REPLAY:
    return resolve_replay(resolve, written->value, value, &job);
  case FW_JOB_OCCUPANCY:
    return resolve_occupancy(resolve, written->value, value, &job);
  case FW_JOB_QUEUE:
    return fwi_resolve_queue(resolve, written->value, value, &job);
  case FW_JOB_SERVING:
    return fwi_resolve_serving(resolve, written->value, value, &job);
  case FW_JOB_CYCLE:
    break;
  }
  return resolve_cycle(resolve, written->value, value, &job);
}

fw_status fwi_resolve_jobs(fwi_resolve *resolve) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < resolve->file->jobs.count; i++) {
    status = fwi_first(status, resolve_entry(resolve, i));
  }
  return status;
}

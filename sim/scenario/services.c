/* Queues and serving engines: their traces read, their laws checked. */
#include "sim/scenario/service.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/elementary.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/scenario/jobs.h"

/* A mean interval shorter than this, without end, would take longer to simulate than anybody waits. */
#define SHORTEST_INTERVAL ((fw_time_ns)1000)

/* A zeroed spec that the scenario owns. */
static fwi_service *add_service(fwi_resolve *resolve) {
  fw_scenario_parts *parts = resolve->parts;
  fwi_service *service = fw_allocate(1, sizeof *service);
  if (service == NULL ||
      !fw_grow(&parts->services, &parts->service_capacity, parts->service_count + 1, sizeof *parts->services)) {
    free(service);
    (void)fw_error_memory(resolve->diagnostics, "a queue or an engine");
    return NULL;
  }
  parts->services[parts->service_count++] = service;
  return service;
}

void fwi_services_clear(fw_scenario_parts *parts) {
  for (size_t i = 0; i < parts->service_count; i++) {
    fw_submissions_clear(&parts->services[i]->submissions);
    fw_requests_clear(&parts->services[i]->requests);
    free(parts->services[i]->phases);
    free(parts->services[i]);
  }
  free(parts->services);
}

/* Either a trace or an interval says when work arrives. */
static fw_status check_source(fwi_resolve *resolve, const char *trace, const fw_variant *interval,
                              const fw_json_value *value) {
  if ((trace != NULL) != (interval->which != NULL)) {
    return FW_OK;
  }
  return fw_json_error(value, resolve->diagnostics, "%s \"trace\" %s \"interval\"",
                       trace != NULL ? "give one of" : "say when work arrives: give", trace != NULL ? "and" : "or an");
}

/* ---- Queues ---- */

/* Without a word of it a queue has no residual where it has no model. */
static void warn_of_no_residual(const fwi_resolve *resolve, const fwi_file_queue *file, const fw_json_value *value) {
  if (file->model == NULL && !file->residual_given) {
    char path[FW_JSON_PATH_SIZE];
    fw_warning(resolve->diagnostics, fw_json_place(value, path),
               "the jobs of queue \"%s\" have no residual, so peaks and high percentiles are understated; add a "
               "\"model\" that has one, or \"residual\": \"none\" if that is meant",
               file->job_class);
  }
}

static fw_status take_model(fwi_resolve *resolve, const fwi_file_queue *file, const fw_json_value *value,
                            fw_queue_spec *out) {
  const fw_json_value *place = fw_record_member(value, "model");
  out->residual = (fw_queue_residual)file->residual;
  if (file->model == NULL) {
    warn_of_no_residual(resolve, file, value);
    return out->residual == FW_QUEUE_RESIDUAL_NONE
               ? FW_OK
               : fw_json_error(fw_record_member(value, "residual"), resolve->diagnostics,
                               "a model says what the residual is; add \"model\"");
  }
  out->residual = file->residual_given ? out->residual : FW_QUEUE_RESIDUAL_TOGETHER;
  const fw_status status = fwi_find_model(resolve, file->model, place, &out->model);
  return status != FW_OK ? status : fwi_check_model(resolve, out->model, place);
}

/* The model's power in the phase. */
static fw_status model_power(fwi_resolve *resolve, const fwi_file_queue_phase *phase, const fw_job_model *model,
                             const fw_json_value *place, fw_power_mw *out) {
  const double sequences = phase->concurrency > 0.0 ? phase->concurrency : (double)model->workload.concurrency;
  const fw_phase what = (fw_phase)phase->phase;
  const double level_w = fw_job_level_w(model, what, sequences, fw_power_to_watts(resolve->scenario->gpu.idle));
  if (what == FW_PHASE_ROLLOUT && sequences > model->support.concurrency_max) {
    char path[FW_JSON_PATH_SIZE];
    fw_warning(resolve->diagnostics, fw_json_place(place, path),
               "model \"%s\" was seen with up to %g sequences in flight, its power at %g is extrapolated; set "
               "\"concurrency\"",
               model->id, model->support.concurrency_max, sequences);
  }
  if (fw_power_from_watts(level_w, out)) {
    return FW_OK;
  }
  return fw_json_error(place, resolve->diagnostics, "model \"%s\" gives a power that no GPU has", model->id);
}

static fw_status take_phase(fwi_resolve *resolve, const fwi_file_queue_phase *phase, const fw_job_model *model,
                            const fw_json_value *place, fw_queue_phase *out) {
  *out = (fw_queue_phase){.duration = phase->duration, .power = phase->power, .phase = (fw_phase)phase->phase};
  if (phase->concurrency > 0.0 && (phase->power_given || model == NULL || phase->phase != FW_PHASE_ROLLOUT)) {
    return fw_json_error(fw_record_member(place, "concurrency"), resolve->diagnostics,
                         "has no effect: it says what a model draws in rollout");
  }
  if (phase->phase_given && model == NULL) {
    return fw_json_error(fw_record_member(place, "phase"), resolve->diagnostics,
                         "has no effect without a \"model\", whose phase it names");
  }
  if (phase->power_given) {
    return FW_OK;
  }
  if (model == NULL) {
    return fw_json_error(place, resolve->diagnostics,
                         "say what a GPU draws: add \"power_w\", or a \"model\" to the queue");
  }
  return model_power(resolve, phase, model, place, &out->power);
}

static void warn_of_quiet_model(const fwi_resolve *resolve, const fwi_file_queue *file, const fw_json_value *value,
                                const fw_queue_spec *queue) {
  bool quiet = queue->residual != FW_QUEUE_RESIDUAL_NONE && !(queue->model->residual.spikes.rate_per_h > 0.0);
  for (size_t i = 0; quiet && i < queue->phase_count; i++) {
    quiet = fw_residual_is_none(&queue->model->residual, queue->phases[i].phase);
  }
  if (quiet) {
    char path[FW_JSON_PATH_SIZE];
    fw_warning(resolve->diagnostics, fw_json_place(fw_record_member(value, "model"), path),
               "model \"%s\" has no residual in the phases of queue \"%s\", so peaks and high percentiles are "
               "understated; choose one that has, or \"residual\": \"none\" if that is meant",
               queue->model->id, file->job_class);
  }
}

static fw_status take_phases(fwi_resolve *resolve, const fwi_file_queue *file, const fw_json_value *value,
                             fwi_service *service) {
  fw_queue_spec *out = &service->queue;
  const fwi_file_queue_phase *phases = file->phases.data;
  service->phases = fw_allocate(file->phases.count, sizeof *service->phases);
  if (service->phases == NULL) {
    return fw_error_memory(resolve->diagnostics, "the phases of a queue");
  }
  out->phases = service->phases;
  out->phase_count = file->phases.count;
  fw_status status = FW_OK;
  for (size_t i = 0; i < out->phase_count; i++) {
    status = fwi_first(status, take_phase(resolve, &phases[i], out->model, fw_record_element(value, "phases", i),
                                          &service->phases[i]));
    if (!fw_time_add(out->round, phases[i].duration, &out->round)) {
      return fw_json_error(fw_record_member(value, "phases"), resolve->diagnostics, "the phases last too long");
    }
  }
  warn_of_quiet_model(resolve, file, value, out);
  if (out->round < FW_NS_PER_MS) {
    status = fwi_first(status, fw_json_error(fw_record_member(value, "phases"), resolve->diagnostics,
                                             "jobs repeat phases that last less than 1 ms together; make them longer"));
  }
  return status;
}

static fw_status check_size(fwi_resolve *resolve, double size, size_t gpus, const fw_queue_spec *queue,
                            const fw_json_value *place) {
  if (size != floor(size)) {
    return fw_json_error(place, resolve->diagnostics, "a job takes a whole number of GPUs, found %g", size);
  }
  if (size > (double)gpus) {
    return fw_json_error(place, resolve->diagnostics, "a job of %g GPUs never fits into a queue of %zu", size, gpus);
  }
  if (queue->residual != FW_QUEUE_RESIDUAL_NONE && fmod(size, (double)queue->model->gpus) != 0.0) {
    return fw_json_error(place, resolve->diagnostics,
                         "a job of %g GPUs is no whole number of jobs of model \"%s\", which have %lld", size,
                         queue->model->id, (long long)queue->model->gpus);
  }
  return FW_OK;
}

static fw_status take_sizes(fwi_resolve *resolve, const fwi_file_queue *file, size_t gpus, const fw_json_value *value,
                            fw_queue_spec *out) {
  static const double one_gpu = 1.0;
  const double *sizes = file->sizes.data;
  fw_status status = FW_OK;
  out->sizes = file->sizes.count > 0 ? sizes : &one_gpu;
  out->size_count = file->sizes.count > 0 ? file->sizes.count : 1;
  out->weights = file->weights.data;
  if (file->weights.count > 0 && file->weights.count != out->size_count) {
    status =
        fw_json_error(fw_record_member(value, "weights"), resolve->diagnostics,
                      "give one weight for each of the %zu sizes, found %zu", out->size_count, file->weights.count);
  }
  if (file->sizes.count == 0) {
    status = fwi_first(status, check_size(resolve, one_gpu, gpus, out, value));
  }
  for (size_t i = 0; i < file->sizes.count; i++) {
    status = fwi_first(status, check_size(resolve, sizes[i], gpus, out, fw_record_element(value, "sizes", i)));
  }
  return status;
}

static fw_status take_drawn_jobs(fwi_resolve *resolve, const fwi_file_queue *file, size_t gpus,
                                 const fw_json_value *value, fw_queue_spec *out) {
  out->interval = fw_time_law_of(&file->interval);
  out->duration = fw_time_law_of(&file->duration);
  out->count = (uint64_t)file->jobs;
  out->limit = file->limit;
  fw_status status = take_sizes(resolve, file, gpus, value, out);
  if (file->duration.which == NULL) {
    status = fwi_first(status, fw_json_error(value, resolve->diagnostics, "say how long jobs take: add \"duration\""));
  }
  if (out->interval.mean < SHORTEST_INTERVAL && out->count == 0) {
    status = fwi_first(status, fw_json_error(fw_record_member(value, "interval"), resolve->diagnostics,
                                             "jobs without end that arrive at once never let time advance; give a "
                                             "number of \"jobs\" or a longer interval"));
  }
  return status;
}

static fw_status read_submissions(fwi_resolve *resolve, const fwi_file_queue *file, size_t gpus,
                                  const fw_json_value *value, fwi_service *service) {
  const fw_json_value *place = fw_record_member(value, "trace");
  fw_submissions *out = &service->submissions;
  if (file->duration.which != NULL || file->sizes.count > 0 || file->weights.count > 0 || file->jobs > 0 ||
      file->limit > 0) {
    return fw_json_error(place, resolve->diagnostics,
                         "a trace says itself how many jobs there are, how large and how long; leave out \"jobs\", "
                         "\"duration\", \"sizes\", \"weights\" and \"limit\"");
  }
  char *path = fw_path_beside(resolve->path, file->trace);
  if (path == NULL) {
    return fw_error_memory(resolve->diagnostics, "the name of a trace");
  }
  fw_status status = fw_submissions_read(path, out, resolve->diagnostics);
  for (size_t i = 0; i < out->count && status == FW_OK; i++) {
    status = check_size(resolve, (double)out->data[i].gpus, gpus, &service->queue, place);
  }
  status = status == FW_OK ? fwi_hash_file(resolve, path) : status;
  free(path);
  return status;
}

fw_status fwi_resolve_queue(fwi_resolve *resolve, const fwi_file_queue *file, const fw_json_value *value,
                            fw_scenario_job *job) {
  fwi_service *service = add_service(resolve);
  if (service == NULL) {
    return FW_ERROR_MEMORY;
  }
  job->job_class = file->job_class;
  job->priority = file->priority;
  job->gpus = (size_t)file->gpus;
  job->start = file->start_offset;
  job->decision = file->decision;
  job->queue = &service->queue;
  service->queue.discipline = (fw_discipline)file->discipline;
  fw_status status = check_source(resolve, file->trace, &file->interval, value);
  status = fwi_first(status, take_model(resolve, file, value, &service->queue));
  status = status == FW_OK ? take_phases(resolve, file, value, service) : status;
  if (status == FW_OK && file->trace != NULL) {
    service->queue.trace = &service->submissions;
    status = read_submissions(resolve, file, job->gpus, value, service);
  } else if (status == FW_OK) {
    status = take_drawn_jobs(resolve, file, job->gpus, value, &service->queue);
  }
  fwi_set_plain_actuators(resolve, job, 1.0);
  return status == FW_OK ? fwi_place_jobs(resolve, job, 1) : status;
}

/* ---- Serving ---- */

static fw_length_law length_law(double mean, double cv) {
  const fw_workload work = {.completion_mean = mean, .completion_cv = cv};
  return fw_workload_law(&work);
}

static fw_status take_drawn_requests(fwi_resolve *resolve, const fwi_file_serving *file, const fw_json_value *value,
                                     fw_serving_spec *out) {
  out->interval = fw_time_law_of(&file->interval);
  out->count = (uint64_t)file->requests;
  out->context = length_law(file->context_mean, file->context_cv);
  out->output = length_law(file->output_mean, file->output_cv);
  out->context_limit = file->context_limit;
  out->output_limit = file->output_limit;
  fw_status status = FW_OK;
  if (file->context_mean == 0.0 || file->output_mean == 0.0) {
    status = fw_json_error(value, resolve->diagnostics,
                           "say how long requests are: add \"context_mean\" and \"output_mean\"");
  }
  if (out->interval.mean < SHORTEST_INTERVAL && out->count == 0) {
    status = fw_json_error(fw_record_member(value, "interval"), resolve->diagnostics,
                           "requests without end that arrive at once never let time advance; give a number of "
                           "\"requests\" or a longer interval");
  }
  if (file->repeat > 0) {
    status = fw_json_error(fw_record_member(value, "repeat"), resolve->diagnostics, "only a trace repeats");
  }
  return status;
}

static fw_status read_requests(fwi_resolve *resolve, const fwi_file_serving *file, const fw_json_value *value,
                               fwi_service *service) {
  if (file->requests > 0 || file->context_mean > 0.0 || file->output_mean > 0.0) {
    return fw_json_error(fw_record_member(value, "trace"), resolve->diagnostics,
                         "a trace says itself how many requests there are and how long; leave out \"requests\", "
                         "\"context_mean\" and \"output_mean\"");
  }
  char *path = fw_path_beside(resolve->path, file->trace);
  if (path == NULL) {
    return fw_error_memory(resolve->diagnostics, "the name of a trace");
  }
  fw_status status = fw_requests_read(path, &service->requests, resolve->diagnostics);
  if (status == FW_OK && file->repeat > 0 && file->repeat <= service->requests.data[service->requests.count - 1].time) {
    status = fw_json_error(fw_record_member(value, "repeat"), resolve->diagnostics,
                           "the trace would start again before its last request");
  }
  status = status == FW_OK ? fwi_hash_file(resolve, path) : status;
  free(path);
  service->serving.repeat = file->repeat;
  return status;
}

fw_status fwi_resolve_serving(fwi_resolve *resolve, const fwi_file_serving *file, const fw_json_value *value,
                              fw_scenario_job *job) {
  const fw_json_value *place = fw_record_member(value, "model");
  fwi_service *service = add_service(resolve);
  fw_status status = service != NULL ? fwi_find_model(resolve, file->model, place, &job->model) : FW_ERROR_MEMORY;
  if (status != FW_OK) {
    return status;
  }
  status = fwi_check_model(resolve, job->model, place);
  job->job_class = file->job_class;
  job->priority = file->priority;
  job->gpus = (size_t)job->model->gpus;
  job->start = file->start_offset;
  job->decision = file->decision;
  job->serving = &service->serving;
  status = fwi_first(status, check_source(resolve, file->trace, &file->interval, value));
  if (status == FW_OK && file->trace != NULL) {
    service->serving.trace = &service->requests;
    status = read_requests(resolve, file, value, service);
  } else if (status == FW_OK) {
    status = take_drawn_requests(resolve, file, value, &service->serving);
  }
  fwi_set_plain_actuators(resolve, job,
                          (double)(file->concurrency > 0 ? file->concurrency : job->model->workload.concurrency));
  if (file->power_cap > 0) {
    status = fwi_first(status, fwi_set_power_cap(resolve, job, file->power_cap, value));
  }
  return status == FW_OK ? fwi_place_jobs(resolve, job, (size_t)file->count) : status;
}

/* The incidents of a job: what the scenario gives is laid out at the start, random failures are drawn one by one. A
 * GPU's failures are a renewal process: exponential until it fails, exponential until its job has a working one. */
#include "sim/fleet/incident.h"

#include <stdlib.h>

#include "sim/base/elementary.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"

/* Sub-counters of a failure's draws. */
enum { DRAW_LIFE = 0, DRAW_REPAIR = 1 };

void fwi_incidents_free(fwi_incidents *incidents) {
  free(incidents->given);
  free(incidents->added);
  free(incidents->failure);
  free(incidents->number);
  *incidents = (fwi_incidents){.next = FW_TIME_MAX};
}

/* Mean times an exponential number; FW_TIME_MAX beyond all times. */
static fw_time_ns draw_time(const fwi_incidents *incidents, size_t gpu, uint32_t sub, fw_time_ns mean) {
  const fw_stream stream = fw_stream_make(incidents->seed, FW_DRAW_FAILURE, (uint32_t)(incidents->first_gpu + gpu));
  return fw_time_nearest(-fw_log(fw_random_uniform(stream, incidents->number[gpu], sub)) * (double)mean);
}

static void find_next(fwi_incidents *incidents) {
  incidents->next =
      incidents->given_next < incidents->given_count ? incidents->given[incidents->given_next].time : FW_TIME_MAX;
  for (size_t g = 0; incidents->failures != NULL && g < incidents->gpus; g++) {
    incidents->next = incidents->failure[g] < incidents->next ? incidents->failure[g] : incidents->next;
  }
  if (incidents->added_count > 0) {
    incidents->next = fw_time_earlier(incidents->next, incidents->added[0].time);
  }
}

fw_status fwi_incidents_add(fwi_incidents *incidents, const fwi_incident *incident, fw_diagnostics *diagnostics) {
  if (!fw_grow(&incidents->added, &incidents->added_capacity, incidents->added_count + 1, sizeof *incidents->added)) {
    return fw_error_memory(diagnostics, "the incidents of a job");
  }
  incidents->added[incidents->added_count++] = *incident;
  find_next(incidents);
  return FW_OK;
}

static bool slows(const fw_adversity *event, const fw_scenario_job *job) {
  return event->kind == FW_ADVERSITY_STRAGGLER && fw_scenario_job_has_gpu(job, event->gpu);
}

static bool takes_down(const fw_adversity *event, const fw_scenario_job *job) {
  switch (event->kind) {
  case FW_ADVERSITY_RESTART:
  case FW_ADVERSITY_FEED_LOSS:
    return fw_adversity_befalls(event, job->job_class);
  case FW_ADVERSITY_GPU_FAILURE:
    return fw_scenario_job_has_gpu(job, event->gpu);
  case FW_ADVERSITY_DEMAND_RESPONSE:
  case FW_ADVERSITY_GPU_FAILURES:
  case FW_ADVERSITY_STRAGGLER:
  case FW_ADVERSITY_CAP_FAULTS:
  case FW_ADVERSITY_KINDS:
    break;
  }
  return false;
}

/* The jobs of a queue have GPUs of their own, and a straggler holds up the one that is on it. */
static size_t straggling_gpu(const fw_adversity *event, const fw_scenario_job *job) {
  return job->queue != NULL ? event->gpu - job->first_gpu : FWI_ALL_GPUS;
}

/* The slowest of the stragglers at `time` that hold up the same as `event` sets the pace. */
static double pace_at(const fw_adversity *events, size_t count, const fw_scenario_job *job, const fw_adversity *event,
                      fw_time_ns time) {
  double pace = 1.0;
  for (size_t i = 0; i < count; i++) {
    if (slows(&events[i], job) && straggling_gpu(&events[i], job) == straggling_gpu(event, job) &&
        events[i].from <= time && time < events[i].to && events[i].factor > pace) {
      pace = events[i].factor;
    }
  }
  return pace;
}

static int by_time(const void *left, const void *right) {
  const fwi_incident *a = left;
  const fwi_incident *b = right;
  if (a->time != b->time) {
    return a->time < b->time ? -1 : 1;
  }
  /* Outages at one instant come to the same in any order. */
  if (a->is_outage != b->is_outage) {
    return a->is_outage ? 1 : -1;
  }
  return (a->cause > b->cause) - (a->cause < b->cause);
}

static void lay_out(const fw_adversity *events, size_t count, const fw_scenario_job *job, fwi_incidents *out) {
  for (size_t i = 0; i < count; i++) {
    const fw_adversity *event = &events[i];
    if (takes_down(event, job)) {
      const bool one_gpu = event->kind == FW_ADVERSITY_GPU_FAILURE;
      out->given[out->given_count++] = (fwi_incident){.time = event->from,
                                                      .cause = event->kind,
                                                      .begins = true,
                                                      .is_outage = true,
                                                      .outage = event->outage,
                                                      .gpu = one_gpu ? event->gpu - job->first_gpu : FWI_ALL_GPUS,
                                                      .gpu_count = 1};
    }
    if (slows(event, job)) {
      out->given[out->given_count++] = (fwi_incident){.time = event->from,
                                                      .cause = event->kind,
                                                      .begins = true,
                                                      .gpu = straggling_gpu(event, job),
                                                      .pace = pace_at(events, count, job, event, event->from)};
      out->given[out->given_count++] = (fwi_incident){.time = event->to,
                                                      .cause = event->kind,
                                                      .gpu = straggling_gpu(event, job),
                                                      .pace = pace_at(events, count, job, event, event->to)};
    }
  }
  qsort(out->given, out->given_count, sizeof *out->given, by_time);
}

static fw_status start_failures(const fw_adversity *law, const fw_scenario_job *job, fwi_incidents *out,
                                fw_diagnostics *diagnostics) {
  out->failures = law;
  out->gpus = job->gpus;
  out->first_gpu = job->first_gpu;
  out->failure = fw_allocate(job->gpus, sizeof *out->failure);
  out->number = fw_allocate(job->gpus, sizeof *out->number);
  if (out->failure == NULL || out->number == NULL) {
    return fw_error_memory(diagnostics, "the failures of a job's GPUs");
  }
  for (size_t g = 0; g < job->gpus; g++) {
    out->failure[g] = draw_time(out, g, DRAW_LIFE, law->mtbf);
  }
  return FW_OK;
}

fw_status fwi_incidents_create(const fw_adversity *adversities, size_t count, const fw_scenario_job *job, uint64_t seed,
                               fwi_incidents *out, fw_diagnostics *diagnostics) {
  *out = (fwi_incidents){.next = FW_TIME_MAX, .seed = seed};
  if (count == 0) {
    return FW_OK;
  }
  out->given = fw_allocate(count, 2 * sizeof *out->given);
  if (out->given == NULL) {
    return fw_error_memory(diagnostics, "the incidents of a job");
  }
  lay_out(adversities, count, job, out);
  fw_status status = FW_OK;
  for (size_t i = 0; i < count && status == FW_OK; i++) {
    if (adversities[i].kind == FW_ADVERSITY_GPU_FAILURES && fw_adversity_befalls(&adversities[i], job->job_class)) {
      status = start_failures(&adversities[i], job, out, diagnostics);
    }
  }
  if (status != FW_OK) {
    fwi_incidents_free(out);
    return status;
  }
  find_next(out);
  return FW_OK;
}

/* The failure of GPU `g`, and the draw of its next one. */
static fwi_incident take_failure(fwi_incidents *incidents, size_t g) {
  const fw_adversity *law = incidents->failures;
  fwi_incident incident = {.time = incidents->failure[g],
                           .cause = FW_ADVERSITY_GPU_FAILURES,
                           .begins = true,
                           .is_outage = true,
                           .outage = law->outage,
                           .gpu = g,
                           .gpu_count = 1};
  incident.outage.down = draw_time(incidents, g, DRAW_REPAIR, law->mttr);
  incidents->number[g]++;
  const fw_time_ns repaired = fw_time_after(incident.time, incident.outage.down);
  incidents->failure[g] = fw_time_after(repaired, draw_time(incidents, g, DRAW_LIFE, law->mtbf));
  return incident;
}

fwi_incident fwi_incidents_take(fwi_incidents *incidents) {
  fwi_incident incident = {0};
  if (incidents->added_count > 0 && incidents->added[0].time == incidents->next) {
    incident = incidents->added[--incidents->added_count];
  } else if (incidents->given_next < incidents->given_count &&
             incidents->given[incidents->given_next].time == incidents->next) {
    incident = incidents->given[incidents->given_next++];
  } else {
    size_t g = 0;
    while (incidents->failure[g] != incidents->next) {
      g++;
    }
    incident = take_failure(incidents, g);
  }
  find_next(incidents);
  return incident;
}

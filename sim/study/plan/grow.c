#include "sim/study/plan/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/base/memory.h"

static size_t scaled(size_t count, double factor, size_t least) {
  const double grown = floor((double)count * factor + 0.5);
  return grown > (double)least ? (size_t)grown : least;
}

static size_t used_gpus(const fw_scenario *scenario) {
  const fw_scenario_job *last = &scenario->jobs[scenario->job_count - 1];
  return last->first_gpu + last->gpus;
}

typedef struct size {
  size_t jobs;
  size_t gpus; /* with a job */
} size;

static size grown_size(const fw_scenario *scenario, double factor) {
  size out = {0};
  for (size_t i = 0; i < scenario->job_count; i++) {
    const fw_scenario_job *job = &scenario->jobs[i];
    if (job->member == 0) {
      const size_t count = scaled(job->class_size, factor, 1);
      out.jobs += count;
      out.gpus += count * job->gpus;
    }
  }
  return out;
}

size_t fwi_grown_gpus(const fw_scenario *scenario, double factor) {
  const size_t idle = scenario->topology.gpus - used_gpus(scenario);
  return grown_size(scenario, factor).gpus + scaled(idle, factor, 0);
}

fw_power_mw fwi_grown_nameplate(const fw_scenario *scenario, double factor) {
  const size_t gpus = fwi_grown_gpus(scenario, factor);
  const size_t nodes = (gpus - 1) / scenario->topology.gpus_per_node + 1;
  return fw_supply_input_power(&scenario->electrical.supply, (fw_power_mw)gpus * scenario->gpu.tdp, nodes);
}

void fwi_mark_hash(fw_scenario *copy, const void *change, size_t length) {
  uint64_t hash = fw_hash_bytes(FW_HASH_START, copy->hash, strlen(copy->hash));
  hash = fw_hash_bytes(hash, change, length);
  (void)snprintf(copy->hash, sizeof copy->hash, "%016llx", (unsigned long long)hash);
}

/* Members of an entry stand side by side, so each entry is its first member, repeated. */
static void place(const fw_scenario *scenario, double factor, fw_scenario_job *jobs) {
  size_t placed = 0;
  size_t gpu = 0;
  for (size_t i = 0; i < scenario->job_count; i++) {
    const fw_scenario_job *job = &scenario->jobs[i];
    const size_t count = job->member == 0 ? scaled(job->class_size, factor, 1) : 0;
    for (size_t member = 0; member < count; member++) {
      jobs[placed] = *job;
      jobs[placed].member = member;
      jobs[placed].class_size = count;
      jobs[placed].first_gpu = gpu;
      gpu += job->gpus;
      placed++;
    }
  }
}

/* Events that strike one GPU need it to be there. */
static fw_status check_events(const fw_scenario *scenario, size_t gpus, fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < scenario->adversity_count; i++) {
    if (scenario->adversities[i].gpu >= gpus) {
      return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                      "an event strikes GPU %zu, which a fleet of %zu does not have; begin with a larger fleet",
                      scenario->adversities[i].gpu, gpus);
    }
  }
  return FW_OK;
}

fw_status fwi_grow(const fw_scenario *scenario, double factor, fw_scenario *out, fw_diagnostics *diagnostics) {
  const size grown = grown_size(scenario, factor);
  const fw_status status = check_events(scenario, grown.gpus, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  fw_scenario_job *jobs = fw_allocate(grown.jobs, sizeof *jobs);
  if (jobs == NULL) {
    return fw_error_memory(diagnostics, "the jobs of a grown fleet");
  }
  *out = *scenario;
  place(scenario, factor, jobs);
  out->jobs = jobs;
  out->job_count = grown.jobs;
  out->topology.gpus = fwi_grown_gpus(scenario, factor);
  out->nameplate = fwi_grown_nameplate(scenario, factor);
  for (size_t i = 0; i < grown.jobs; i++) {
    fwi_mark_hash(out, &jobs[i].class_index, sizeof jobs[i].class_index);
  }
  return FW_OK;
}

void fwi_grown_clear(fw_scenario *grown) {
  free((void *)(uintptr_t)grown->jobs);
  *grown = (fw_scenario){0};
}

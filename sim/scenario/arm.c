#include "sim/scenario/arm.h"

#include <string.h>

bool fw_arm_controls(const fw_scenario_policy *arm, const fw_scenario_job *job) {
  for (size_t i = 0; i < arm->class_count; i++) {
    if (strcmp(arm->classes[i], job->job_class) == 0) {
      return true;
    }
  }
  return arm->class_count == 0;
}

fw_job_setup fw_scenario_job_setup(const fw_scenario *scenario, size_t index, uint64_t seed) {
  const fw_scenario_job *job = &scenario->jobs[index];
  fw_job_setup setup = {.job = (uint32_t)index,
                        .seed = seed,
                        .gpus = job->gpus,
                        .idle_w = fw_power_to_watts(scenario->gpu.idle) * (double)job->gpus,
                        .tdp_w = fw_power_to_watts(scenario->gpu.tdp) * (double)job->gpus,
                        .window_count = scenario->window_count};
  for (size_t i = 0; i < FW_ACTUATOR_COUNT; i++) {
    setup.actuators[i] = job->actuators[i];
    setup.initial[i] = job->initial[i];
  }
  for (size_t i = 0; i < scenario->window_count; i++) {
    setup.windows_s[i] = fw_time_to_seconds(scenario->windows[i]);
  }
  return setup;
}

fw_fleet_setup fw_scenario_fleet_setup(const fw_scenario *scenario, uint64_t seed) {
  size_t used = 0;
  for (size_t i = 0; i < scenario->job_count; i++) {
    used += scenario->jobs[i].gpus;
  }
  const fw_gpu_model *gpu = &scenario->gpu;
  return (fw_fleet_setup){.seed = seed,
                          .job_count = scenario->job_count,
                          .nameplate_w = (double)scenario->topology.gpus * fw_power_to_watts(gpu->tdp),
                          .idle_w = (double)(scenario->topology.gpus - used) * fw_power_to_watts(gpu->idle),
                          .cap_min_w = fw_power_to_watts(gpu->cap_min),
                          .cap_max_w = fw_power_to_watts(gpu->cap_max),
                          .classes = scenario->classes,
                          .class_count = scenario->class_count};
}

/* ---- Messages ---- */

static void relay_one(const fw_scenario_policy *arm, const char *job_class, const fw_json_value *written,
                      const fw_diagnostic *entry, fw_diagnostics *to) {
  const char *of = job_class != NULL ? " on class " : "";
  const char *what = job_class != NULL ? job_class : "";
  char path[FW_JSON_PATH_SIZE];
  const fw_place own = {entry->file, entry->line, entry->column, entry->path};
  const fw_place place = entry->file != NULL ? own : fw_json_place(written, path);
  if (entry->severity == FW_SEVERITY_ERROR) {
    (void)fw_error(to, entry->status, place, "policy \"%s\"%s%s: %s", arm->name, of, what, entry->message);
  } else {
    fw_warning(to, place, "policy \"%s\"%s%s: %s", arm->name, of, what, entry->message);
  }
}

fw_status fw_arm_relay(const fw_scenario_policy *arm, const char *job_class, const fw_json_value *written,
                       fw_status status, fw_diagnostics *from, fw_diagnostics *to) {
  for (size_t i = 0; i < from->count; i++) {
    relay_one(arm, job_class, written, &from->entries[i], to);
  }
  fw_diagnostics_clear(from);
  return status;
}

/* ---- Checks ---- */

fw_status fw_arm_check_job(const fw_scenario_policy *arm, const char *job_class, const fw_job_setup *job,
                           const fw_json_value *written, fw_diagnostics *diagnostics) {
  if (arm->job->check == NULL) {
    return FW_OK;
  }
  fw_diagnostics local = FW_DIAGNOSTICS_INIT;
  const fw_status status = arm->job->check(arm->job_settings, job, NULL, written, &local);
  return fw_arm_relay(arm, job_class, written, status, &local, diagnostics);
}

fw_status fw_arm_check_fleet(const fw_scenario_policy *arm, const fw_fleet_setup *fleet, const fw_json_value *written,
                             fw_diagnostics *diagnostics) {
  if (arm->fleet == NULL || arm->fleet->check == NULL) {
    return FW_OK;
  }
  fw_diagnostics local = FW_DIAGNOSTICS_INIT;
  const fw_status status = arm->fleet->check(arm->fleet_settings, NULL, fleet, written, &local);
  return fw_arm_relay(arm, NULL, written, status, &local, diagnostics);
}

static const fw_json_value *part(const fw_json_value *written, const char *name) {
  return written != NULL ? fw_record_member(written, name) : NULL;
}

fw_status fw_arm_check(const fw_scenario *scenario, const fw_scenario_policy *arm, const fw_json_value *written,
                       fw_diagnostics *diagnostics) {
  fw_status first = FW_OK;
  for (size_t j = 0; j < scenario->job_count; j++) {
    const fw_scenario_job *job = &scenario->jobs[j];
    if (job->member > 0 || !fw_arm_controls(arm, job)) {
      continue; /* equal jobs stand together */
    }
    const fw_job_setup setup = fw_scenario_job_setup(scenario, j, scenario->seed);
    const fw_status status = fw_arm_check_job(arm, job->job_class, &setup, part(written, "job"), diagnostics);
    first = first != FW_OK ? first : status;
  }
  const fw_fleet_setup setup = fw_scenario_fleet_setup(scenario, scenario->seed);
  const fw_status status = fw_arm_check_fleet(arm, &setup, part(written, "fleet"), diagnostics);
  return first != FW_OK ? first : status;
}

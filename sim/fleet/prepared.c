/* Profiles of jobs and tables of their models' residuals, each taken once. */
#include "sim/fleet/prepared.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/fleet/noise.h"
#include "sim/scenario/arm.h"

struct fw_prepared {
  fw_profile *profiles;            /* per job */
  const fwi_noise_tables **tables; /* per job */
  fwi_noise_tables *models;        /* the tables of each model */
  size_t model_count;
  fw_forecast **forecasts; /* per job and actuator, those of equal jobs the same; NULL: no arm has a shield */
  size_t job_count;
};

/* The tables of `model`, prepared once for all jobs that use it; NULL of NULL. */
static const fwi_noise_tables *tables_for(fw_prepared *prepared, const fw_job_model *model) {
  if (model == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < prepared->model_count; i++) {
    if (prepared->models[i].model == model) {
      return &prepared->models[i];
    }
  }
  fwi_noise_tables_prepare(model, &prepared->models[prepared->model_count]);
  return &prepared->models[prepared->model_count++];
}

static fw_status prepare_jobs(const fw_scenario *scenario, fw_prepared *prepared, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < scenario->job_count && status == FW_OK; i++) {
    const fw_scenario_job *job = &scenario->jobs[i];
    if (job->member > 0) {
      prepared->profiles[i] = prepared->profiles[i - 1]; /* equal jobs stand together */
    } else {
      status = fw_job_profile(scenario, i, job->initial, &prepared->profiles[i], diagnostics);
    }
    prepared->tables[i] = tables_for(prepared, fw_scenario_job_residual_model(job));
  }
  return status;
}

static fw_status forecast(const fw_scenario *scenario, size_t job, fw_actuator actuator, fw_forecast **out,
                          fw_diagnostics *diagnostics) {
  const fw_actuator_range *range = &scenario->jobs[job].actuators[actuator];
  fw_forecast *forecasts = fw_allocate(range->level_count, sizeof *forecasts);
  double settings[FW_ACTUATOR_COUNT];
  fw_status status = FW_OK;
  if (forecasts == NULL) {
    return fw_error_memory(diagnostics, "the forecasts of a job");
  }
  *out = forecasts;
  memcpy(settings, scenario->jobs[job].initial, sizeof settings);
  for (size_t i = 0; i < range->level_count && status == FW_OK; i++) {
    fw_profile profile = {0};
    settings[actuator] = range->levels[i];
    status = fw_job_profile(scenario, job, settings, &profile, diagnostics);
    forecasts[i] = (fw_forecast){profile.mean_w, profile.decision};
  }
  return status;
}

static fw_status prepare_arm(const fw_scenario *scenario, const fw_scenario_policy *arm, fw_prepared *prepared,
                             fw_diagnostics *diagnostics) {
  const fw_actuator actuator = arm->shield.actuator;
  fw_status status = FW_OK;
  for (size_t i = 0; i < scenario->job_count && status == FW_OK; i++) {
    fw_forecast **own = &prepared->forecasts[i * FW_ACTUATOR_COUNT + actuator];
    if (*own != NULL || !fw_arm_controls(arm, &scenario->jobs[i])) {
      continue;
    }
    if (scenario->jobs[i].member > 0) {
      *own = *(own - FW_ACTUATOR_COUNT);
    } else {
      status = forecast(scenario, i, actuator, own, diagnostics);
    }
  }
  return status;
}

static fw_status prepare_arms(const fw_scenario *scenario, fw_prepared *prepared, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < scenario->policy_count && status == FW_OK; i++) {
    if (!scenario->policies[i].shield.on) {
      continue;
    }
    if (prepared->forecasts == NULL) {
      prepared->forecasts = fw_allocate(scenario->job_count, FW_ACTUATOR_COUNT * sizeof *prepared->forecasts);
    }
    status = prepared->forecasts != NULL ? prepare_arm(scenario, &scenario->policies[i], prepared, diagnostics)
                                         : fw_error_memory(diagnostics, "the forecasts of the jobs");
  }
  return status;
}

static bool allocate(fw_prepared *prepared, size_t jobs) {
  prepared->job_count = jobs;
  return (prepared->profiles = fw_allocate(jobs, sizeof *prepared->profiles)) != NULL &&
         (prepared->tables = fw_allocate(jobs, sizeof *prepared->tables)) != NULL &&
         (prepared->models = fw_allocate(jobs, sizeof *prepared->models)) != NULL;
}

fw_status fw_prepare(const fw_scenario *scenario, fw_prepared **out, fw_diagnostics *diagnostics) {
  fw_prepared *prepared = fw_allocate(1, sizeof *prepared);
  if (prepared == NULL) {
    return fw_error_memory(diagnostics, "what a scenario's simulations share");
  }
  fw_status status = allocate(prepared, scenario->job_count)
                         ? prepare_jobs(scenario, prepared, diagnostics)
                         : fw_error_memory(diagnostics, "what a scenario's simulations share");
  status = status == FW_OK ? prepare_arms(scenario, prepared, diagnostics) : status;
  if (status != FW_OK) {
    fw_prepared_free(prepared);
    return status;
  }
  *out = prepared;
  return FW_OK;
}

/* From the last, because an earlier job owns what equal ones share. */
static void free_forecasts(fw_prepared *prepared) {
  for (size_t i = prepared->forecasts != NULL ? prepared->job_count * FW_ACTUATOR_COUNT : 0; i > 0; i--) {
    fw_forecast **own = &prepared->forecasts[i - 1];
    if (i <= FW_ACTUATOR_COUNT || *own != *(own - FW_ACTUATOR_COUNT)) {
      free(*own);
    }
  }
  free(prepared->forecasts);
}

void fw_prepared_free(fw_prepared *prepared) {
  if (prepared == NULL) {
    return;
  }
  free_forecasts(prepared);
  free(prepared->profiles);
  free(prepared->tables);
  free(prepared->models);
  free(prepared);
}

fw_profile fwi_prepared_profile(const fw_prepared *prepared, size_t job) {
  return prepared->profiles[job];
}

const fwi_noise_tables *fwi_prepared_tables(const fw_prepared *prepared, size_t job) {
  return prepared->tables[job];
}

const fw_forecast *fwi_prepared_forecasts(const fw_prepared *prepared, size_t job, fw_actuator actuator) {
  return prepared->forecasts != NULL ? prepared->forecasts[job * FW_ACTUATOR_COUNT + actuator] : NULL;
}

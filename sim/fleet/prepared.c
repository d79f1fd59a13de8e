/* Profiles of jobs and tables of their models' residuals, each taken once. */
#include "sim/fleet/prepared.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/fleet/noise.h"

struct fw_prepared {
  fw_profile *profiles;            /* per job */
  const fwi_noise_tables **tables; /* per job */
  fwi_noise_tables *models;        /* the tables of each model */
  size_t model_count;
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

static bool allocate(fw_prepared *prepared, size_t jobs) {
  return (prepared->profiles = fw_allocate(jobs, sizeof *prepared->profiles)) != NULL &&
         (prepared->tables = fw_allocate(jobs, sizeof *prepared->tables)) != NULL &&
         (prepared->models = fw_allocate(jobs, sizeof *prepared->models)) != NULL;
}

fw_status fw_prepare(const fw_scenario *scenario, fw_prepared **out, fw_diagnostics *diagnostics) {
  fw_prepared *prepared = fw_allocate(1, sizeof *prepared);
  if (prepared == NULL) {
    return fw_error_memory(diagnostics, "what a scenario's simulations share");
  }
  const fw_status status = allocate(prepared, scenario->job_count)
                               ? prepare_jobs(scenario, prepared, diagnostics)
                               : fw_error_memory(diagnostics, "what a scenario's simulations share");
  if (status != FW_OK) {
    fw_prepared_free(prepared);
    return status;
  }
  *out = prepared;
  return FW_OK;
}

void fw_prepared_free(fw_prepared *prepared) {
  if (prepared == NULL) {
    return;
  }
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

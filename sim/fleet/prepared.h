/* What all simulations of a scenario have in common: a function of the scenario alone, and a good part of what it costs
 * to make one. Those who make many prepare once; it is only read, so any number of simulations may share it at a time.
 */
#ifndef FW_FLEET_PREPARED_H
#define FW_FLEET_PREPARED_H

#include "sim/fleet/profile.h"

typedef struct fw_prepared fw_prepared;

/* The jobs of `scenario` must outlive it. Free with fw_prepared_free. */
fw_status fw_prepare(const fw_scenario *scenario, fw_prepared **out, fw_diagnostics *diagnostics);
void fw_prepared_free(fw_prepared *prepared);

/* What the job does at its initial settings. */
fw_profile fwi_prepared_profile(const fw_prepared *prepared, size_t job);

/* What it is predicted to do at one level of an actuator, its other settings initial. */
typedef struct fw_forecast {
  double mean_w;       /* of all its GPUs */
  fw_time_ns decision; /* mean time between its decisions; 0: there are none */
} fw_forecast;

/* One for each level of `actuator` that the job allows; NULL where no arm of the scenario has a shield over it. */
const fw_forecast *fwi_prepared_forecasts(const fw_prepared *prepared, size_t job, fw_actuator actuator);

/* The residuals of its model (fw_scenario_job_residual_model), in tables; NULL without one. */
const struct fwi_noise_tables *fwi_prepared_tables(const fw_prepared *prepared, size_t job);

#endif

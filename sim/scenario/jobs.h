/* What the resolvers of jobs share. */
#ifndef FW_SCENARIO_JOBS_H
#define FW_SCENARIO_JOBS_H

#include "sim/scenario/resolve.h"

/* Appends `count` equal jobs and gives them their GPUs. */
fw_status fwi_place_jobs(fwi_resolve *resolve, const fw_scenario_job *job, size_t count);

/* A model's tick must be the scenario's; one of another GPU is warned of. */
fw_status fwi_check_model(fwi_resolve *resolve, const fw_job_model *model, const fw_json_value *place);

/* Jobs that are not GRPO offer a power cap and, where a model says what it does, the concurrency. */
void fwi_set_plain_actuators(const fwi_resolve *resolve, fw_scenario_job *job, double concurrency);

/* The cap at the start, which must be one that the GPU has. */
fw_status fwi_set_power_cap(fwi_resolve *resolve, fw_scenario_job *job, fw_power_mw cap, const fw_json_value *value);

/* Queues and serving engines (services.c). */
fw_status fwi_resolve_queue(fwi_resolve *resolve, const fwi_file_queue *file, const fw_json_value *value,
                            fw_scenario_job *job);
fw_status fwi_resolve_serving(fwi_resolve *resolve, const fwi_file_serving *file, const fw_json_value *value,
                              fw_scenario_job *job);

#endif

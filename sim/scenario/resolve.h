/* From a scenario as written to one that can run: what the steps of resolving share. */
#ifndef FW_SCENARIO_RESOLVE_H
#define FW_SCENARIO_RESOLVE_H

#include "sim/scenario/scenario.h"
#include "sim/scenario/tables.h"

/* A recording: pieces for each GPU. */
typedef struct fwi_recording {
  fw_pieces *gpus;
  size_t count;
} fwi_recording;

/* A file that a policy's settings name, as read. */
typedef struct fwi_policy_content {
  const fw_policy_file *file;
  void *content;
} fwi_policy_content;

/* What a queue or a serving engine has of its own. */
typedef struct fwi_service {
  fw_queue_spec queue;
  fw_queue_phase *phases; /* of the queue */
  fw_serving_spec serving;
  fw_submissions submissions;
  fw_requests requests;
} fwi_service;

/* Everything a scenario owns. */
typedef struct fw_scenario_parts {
  fwi_file file;
  bool gpu_read;
  fw_job_model **models; /* each read once */
  char **model_names;
  size_t model_count;
  size_t model_capacity;
  size_t model_names_capacity;
  fwi_recording *recordings; /* of the replay jobs */
  size_t recording_count;
  size_t recording_capacity;
  fw_occupancy **occupancies;
  size_t occupancy_count;
  size_t occupancy_capacity;
  fw_scenario_job *jobs;
  size_t job_count;
  size_t job_capacity;
  const char **classes; /* of each entry of "jobs" */
  fw_scenario_policy *policies;
  fw_scenario_budget *budgets;
  fw_budget_step *steps;
  fwi_policy_content *contents; /* of the policies' files */
  size_t content_count;
  size_t content_capacity;
  fwi_service **services; /* jobs point to them */
  size_t service_count;
  size_t service_capacity;
  fw_adversity *adversities;
  fw_budget_call *calls;
  fw_expect_block *expect;
  size_t expect_count;
  char *check_trace; /* the first that was taken */
  uint64_t hash;
} fw_scenario_parts;

typedef struct fwi_resolve {
  fw_scenario *scenario;
  fw_scenario_parts *parts;
  const fwi_file *file;
  const fw_json_value *root;
  const char *path; /* of the scenario file */
  const fw_scenario_overrides *overrides;
  fw_diagnostics *diagnostics;
} fwi_resolve;

/* Finds NAME.json beside the scenario, then in `folder` of the installed share, and adds its content to the scenario's
 * hash. Caller frees the path. */
fw_status fwi_find_file(fwi_resolve *resolve, const char *folder, const char *name, const fw_json_value *place,
                        char **path);

/* The same for a file that a policy names, in the file's own folder of the share. `name` may end in its extension.
 * Caller frees the path. */
fw_status fwi_find_policy_file(const fwi_resolve *resolve, const fw_policy_file *file, const char *name,
                               const fw_json_value *place, char **path);

/* The model of that name, read at most once. */
fw_status fwi_find_model(fwi_resolve *resolve, const char *name, const fw_json_value *place, const fw_job_model **out);

/* Adds a file's bytes to the hash. */
fw_status fwi_hash_file(fwi_resolve *resolve, const char *path);

/* All jobs, from file->jobs (jobs.c). */
fw_status fwi_resolve_jobs(fwi_resolve *resolve);

/* Feeds, breakers and losses (electrical.c): before the budgets, which they may set. */
fw_status fwi_resolve_electrical(fwi_resolve *resolve);

/* Frees the queues and engines (services.c). */
void fwi_services_clear(fw_scenario_parts *parts);

/* The arms and the budgets, and whether the arms' settings fit what was found sound (arms.c). */
fw_status fwi_resolve_policies(fwi_resolve *resolve);
fw_status fwi_check_policies(fwi_resolve *resolve);
fw_status fwi_resolve_budgets(fwi_resolve *resolve);

/* The events; after the jobs and the schedule (adversity.c). */
fw_status fwi_resolve_adversities(fwi_resolve *resolve);

/* Every class of a list must be that of a job. `value` is the object that has the list at "classes". */
fw_status fwi_check_classes(fwi_resolve *resolve, const fw_array *classes, const fw_json_value *value);
/* Warns of classes, and of policies, that differ only in case; after both are known (alike.c). */
fw_status fwi_warn_of_alike_names(fwi_resolve *resolve);

/* The file's checks (expect.c); after everything that they name. */
fw_status fwi_resolve_expect(fwi_resolve *resolve);
void fwi_clear_expect(fw_scenario_parts *parts);

/* What an arm without a job policy, or a file without arms, runs. */
#define FWI_UNCONTROLLED "uncontrolled"

/* A later fault does not hide an earlier one. */
static inline fw_status fwi_first(fw_status first, fw_status second) {
  return first != FW_OK ? first : second;
}

#endif

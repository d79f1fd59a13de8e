/* The arms of a comparison: policies and budgets, from the file or from the command line. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/scenario/arm.h"
#include "sim/scenario/resolve.h"

static const fwi_file_policy *file_policy(const fwi_resolve *resolve, size_t index) {
  return (const fwi_file_policy *)resolve->file->policies.data + index;
}

fw_status fwi_check_classes(fwi_resolve *resolve, const fw_array *classes, const fw_json_value *value) {
  fw_status status = FW_OK;
  for (size_t i = 0; i < classes->count; i++) {
    const char *name = ((char *const *)classes->data)[i];
    bool known = false;
    for (size_t j = 0; j < resolve->parts->job_count && !known; j++) {
      known = strcmp(resolve->parts->jobs[j].job_class, name) == 0;
    }
    if (!known) {
      status = fw_json_error(fw_record_element(value, "classes", i), resolve->diagnostics,
                             "no job is of class \"%s\"; the first is of class \"%s\"", name,
                             resolve->parts->job_count > 0 ? resolve->parts->jobs[0].job_class : "");
    }
  }
  return status;
}

static fw_status check_unique(fwi_resolve *resolve, size_t index) {
  const char *name = file_policy(resolve, index)->name;
  for (size_t i = 0; i < index; i++) {
    if (strcmp(file_policy(resolve, i)->name, name) == 0) {
      return fw_json_error(fw_record_member(fw_record_element(resolve->root, "policies", index), "name"),
                           resolve->diagnostics, "policies[%zu] is already named \"%s\"; give each arm its own name", i,
                           name);
    }
  }
  return FW_OK;
}

static fw_scenario_policy make_policy(const fwi_file_policy *file) {
  fw_scenario_policy policy = {.name = file->name,
                               .job = fw_policy_find(FW_POLICY_JOB, FWI_UNCONTROLLED),
                               .classes = (const char *const *)file->classes.data,
                               .class_count = file->classes.count};
  if (file->job.which != NULL) {
    policy.job = fw_policy_find(FW_POLICY_JOB, file->job.which->tag);
    policy.job_settings = file->job.value;
  }
  if (file->fleet.which != NULL) {
    policy.fleet = fw_policy_find(FW_POLICY_FLEET, file->fleet.which->tag);
    policy.fleet_settings = file->fleet.value;
  }
  return policy;
}

/* Reads the file that the settings of a job policy name, if they do. */
static fw_status read_content(fwi_resolve *resolve, const fwi_file_policy *policy, const fw_policy_type *type,
                              const fw_json_value *value) {
  const fw_policy_file *file = type->file;
  if (file == NULL) {
    return FW_OK;
  }
  unsigned char *settings = policy->job.value;
  char *name = NULL;
  char *path = NULL;
  void *content = NULL;
  memcpy(&name, settings + file->name_offset, sizeof name);
  const fw_json_value *place = fw_record_member(fw_record_member(value, "job"), file->key);
  fw_scenario_parts *parts = resolve->parts;
  if (!fw_grow(&parts->contents, &parts->content_capacity, parts->content_count + 1, sizeof *parts->contents)) {
    return fw_error_memory(resolve->diagnostics, "the file of a policy");
  }
  fw_status status = fwi_find_policy_file(resolve, file, name, place, &path);
  status = status == FW_OK ? fwi_hash_file(resolve, path) : status;
  status = status == FW_OK ? file->read(path, &content, resolve->diagnostics) : status;
  if (status == FW_OK) {
    parts->contents[parts->content_count++] = (fwi_policy_content){file, content};
    memcpy(settings + file->content_offset, &content, sizeof content);
  }
  free(path);
  return status;
}

static bool wanted(const fw_scenario_overrides *overrides, const char *name) {
  if (overrides == NULL || overrides->policy_count == 0) {
    return true;
  }
  for (size_t i = 0; i < overrides->policy_count; i++) {
    if (strcmp(overrides->policies[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* Every policy that the command line asks for must be one of the file's. */
static fw_status check_wanted(fwi_resolve *resolve, const char *const *names, size_t count) {
  fw_status status = FW_OK;
  for (size_t i = 0; resolve->overrides != NULL && i < resolve->overrides->policy_count; i++) {
    const char *name = resolve->overrides->policies[i];
    bool known = false;
    for (size_t j = 0; j < count && !known; j++) {
      known = strcmp(names[j], name) == 0;
    }
    if (!known) {
      const char *nearest = fw_nearest_word(name, names, count);
      status = fw_error(resolve->diagnostics, FW_ERROR_INPUT, (fw_place){.file = resolve->path},
                        "the scenario has no policy \"%s\"; %s \"%s\"", name,
                        nearest != NULL ? "did you mean" : "its first is", nearest != NULL ? nearest : names[0]);
    }
  }
  return status;
}

fw_status fwi_resolve_policies(fwi_resolve *resolve) {
  static const fwi_file_policy default_policy = {.name = (char *)(uintptr_t)FWI_UNCONTROLLED};
  const size_t written = resolve->file->policies.count;
  const size_t count = written > 0 ? written : 1;
  fw_scenario_policy *policies = fw_allocate(count, sizeof *policies);
  const char **names = fw_allocate(count, sizeof *names);
  resolve->parts->policies = policies;
  if (policies == NULL || names == NULL) {
    free(names);
    return fw_error_memory(resolve->diagnostics, "the policies of the scenario");
  }
  fw_status status = FW_OK;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const fwi_file_policy *file = written > 0 ? file_policy(resolve, i) : &default_policy;
    if (written > 0) {
      status = fwi_first(status, check_unique(resolve, i));
      status = fwi_first(status,
                         fwi_check_classes(resolve, &file->classes, fw_record_element(resolve->root, "policies", i)));
    }
    names[i] = file->name;
    if (wanted(resolve->overrides, file->name)) {
      policies[kept] = make_policy(file);
      status = fwi_first(
          status, read_content(resolve, file, policies[kept].job, fw_record_element(resolve->root, "policies", i)));
      kept++;
    }
  }
  status = fwi_first(status, check_wanted(resolve, names, count));
  free(names);
  resolve->scenario->policies = policies;
  resolve->scenario->policy_count = kept;
  return status;
}

/* The one actuator that a policy drives; FW_ACTUATOR_COUNT where it drives none, or several. */
static fw_actuator only_driven(const fw_scenario_policy *policy) {
  const uint32_t bits = policy->job->drives(policy->job_settings);
  unsigned actuator = 0;
  while (actuator < FW_ACTUATOR_COUNT && bits != 1u << actuator) {
    actuator++;
  }
  return (fw_actuator)actuator;
}

static fw_status check_shielded_jobs(const fwi_resolve *resolve, const fw_scenario_policy *policy,
                                     const fw_json_value *place) {
  fw_status status = FW_OK;
  for (size_t j = 0; j < resolve->scenario->job_count; j++) {
    const fw_scenario_job *job = &resolve->scenario->jobs[j];
    if (job->member == 0 && fw_arm_controls(policy, job) && job->actuators[policy->shield.actuator].level_count == 0) {
      status = fw_json_error(place, resolve->diagnostics,
                             "a shield forbids levels, and the jobs of class \"%s\" have none of \"%s\"; give them "
                             "some in \"actuators\", or leave the class out",
                             job->job_class, fw_actuator_names[policy->shield.actuator]);
    }
  }
  return status;
}

static fw_status resolve_shield(const fwi_resolve *resolve, const fwi_file_policy *file, const fw_json_value *written,
                                fw_scenario_policy *policy) {
  const fw_scenario *scenario = resolve->scenario;
  const fw_json_value *place = fw_record_member(written, "shield");
  char length[FW_UNITS_TEXT_SIZE];
  fw_shield shield = {.on = true, .actuator = only_driven(policy), .share = file->shield.share};
  while (shield.window < scenario->window_count && scenario->windows[shield.window] != file->shield.window) {
    shield.window++;
  }
  policy->shield = shield;
  if (shield.window == scenario->window_count) {
    return fw_json_error(fw_record_member(place, "window"), resolve->diagnostics,
                         "the scenario has no window of %s s; give one of its windows_s",
                         fw_time_format(file->shield.window, length));
  }
  if (shield.actuator == FW_ACTUATOR_COUNT) {
    return fw_json_error(place, resolve->diagnostics,
                         "a shield stands over a job policy that drives one actuator, and \"%s\" drives none, or "
                         "several; take the shield out or give another policy",
                         policy->job->name);
  }
  return check_shielded_jobs(resolve, policy, place);
}

fw_status fwi_check_policies(fwi_resolve *resolve) {
  const fw_scenario *scenario = resolve->scenario;
  fw_status status = FW_OK;
  size_t kept = 0;
  for (size_t i = 0; i < resolve->file->policies.count; i++) {
    const fwi_file_policy *file = file_policy(resolve, i);
    const fw_json_value *written = fw_record_element(resolve->root, "policies", i);
    if (!wanted(resolve->overrides, file->name)) {
      continue;
    }
    fw_scenario_policy *policy = &resolve->parts->policies[kept++];
    status = fwi_first(status, fw_arm_check(scenario, policy, written, resolve->diagnostics));
    if (file->shield_given) {
      status = fwi_first(status, resolve_shield(resolve, file, written, policy));
    }
  }
  return status;
}

static fw_status check_one_budget(fwi_resolve *resolve) {
  if (resolve->file->budget_given && resolve->file->oversubscription.count > 0) {
    return fw_json_error(fw_record_member(resolve->root, "oversubscription"), resolve->diagnostics,
                         "the scenario also has a budget; give one of the two");
  }
  if (resolve->scenario->electrical.feed_count[FW_DOMAIN_SITE] > 0 &&
      (resolve->file->budget_given || resolve->file->oversubscription.count > 0)) {
    return fw_json_error(fw_record_member(fw_record_member(resolve->root, "electrical"), "site_feeds"),
                         resolve->diagnostics, "the feeds of the site set its budget; take out \"%s\"",
                         resolve->file->budget_given ? "budget" : "oversubscription");
  }
  return FW_OK;
}

static fw_status add_ratio(fwi_resolve *resolve, double ratio, fw_scenario_budget *out) {
  const double watts = fw_power_to_watts(resolve->scenario->nameplate) / ratio;
  out->oversubscription = ratio;
  if (!(ratio > 0.0) || !fw_power_from_watts(watts, &out->power) || out->power <= 0) {
    return fw_error(resolve->diagnostics, FW_ERROR_INPUT, (fw_place){.file = resolve->path},
                    "an oversubscription ratio of %g leaves no budget of at least 1 mW; give a number above 0", ratio);
  }
  return FW_OK;
}

/* The budget where no ratios are given: written, or what the feeds carry. */
static fw_power_mw plain_budget(const fwi_resolve *resolve) {
  const fw_electrical *electrical = &resolve->scenario->electrical;
  const size_t count = electrical->feed_count[FW_DOMAIN_SITE];
  fw_power_mw budget = resolve->file->budget;
  if (count > 0) {
    (void)fw_power_from_watts(fw_feeds_usable_limit_w(electrical->feeds[FW_DOMAIN_SITE], count), &budget);
  }
  return budget;
}

fw_status fwi_resolve_budgets(fwi_resolve *resolve) {
  const fwi_file *file = resolve->file;
  const bool overridden = resolve->overrides != NULL && resolve->overrides->oversubscription_count > 0;
  const double *ratios = overridden ? resolve->overrides->oversubscription : file->oversubscription.data;
  const size_t ratio_count = overridden ? resolve->overrides->oversubscription_count : file->oversubscription.count;
  fw_scenario_budget *budgets = fw_allocate(ratio_count > 0 ? ratio_count : 1, sizeof *budgets);
  resolve->parts->budgets = budgets;
  if (budgets == NULL) {
    return fw_error_memory(resolve->diagnostics, "the budgets of the scenario");
  }
  fw_status status = check_one_budget(resolve);
  for (size_t i = 0; i < ratio_count; i++) {
    status = fwi_first(status, add_ratio(resolve, ratios[i], &budgets[i]));
  }
  if (ratio_count == 0) {
    const fw_power_mw budget = plain_budget(resolve);
    budgets[0].power = budget;
    budgets[0].oversubscription = budget > 0 ? (double)resolve->scenario->nameplate / (double)budget : 0.0;
  }
  resolve->scenario->budgets = budgets;
  resolve->scenario->budget_count = ratio_count > 0 ? ratio_count : 1;
  return status;
}

/* A policy made from the text of its settings, as a scenario would make it. */
#ifndef FW_TESTS_POLICY_FIXTURE_H
#define FW_TESTS_POLICY_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/policy.h"
#include "sim/base/memory.h"

typedef struct fixture {
  const fw_policy_type *type;
  void *settings;
  void *state;
  fw_status status; /* of the decoding, or else of the check, or else of create */
  fw_diagnostics diagnostics;
} fixture;

static inline fixture fixture_make(fw_policy_scope scope, const char *name, const char *json, const fw_job_setup *job,
                                   const fw_fleet_setup *fleet) {
  fixture made = {.type = fw_policy_find(scope, name), .diagnostics = FW_DIAGNOSTICS_INIT};
  cr_assert_not_null(made.type, "%s", name);
  made.settings = fw_allocate(1, made.type->settings->size);
  cr_assert_not_null(made.settings);
  fw_json *document = NULL;
  made.status = fw_json_parse(json, strlen(json), "settings", &document, &made.diagnostics);
  cr_assert_eq(made.status, FW_OK, "%s", json);
  made.status = fw_record_decode(made.type->settings, fw_json_root(document), made.settings, &made.diagnostics);
  if (made.status == FW_OK && made.type->check != NULL) {
    made.status = made.type->check(made.settings, job, fleet, fw_json_root(document), &made.diagnostics);
  }
  fw_json_free(document);
  if (made.status != FW_OK) return made;
  made.status = made.type->create(made.settings, job, fleet, &made.state, &made.diagnostics);
  return made;
}

static inline void fixture_free(fixture *made) {
  if (made->status == FW_OK) made->type->destroy(made->state);
  fw_record_clear(made->type->settings, made->settings);
  free(made->settings);
  fw_diagnostics_clear(&made->diagnostics);
}

/* Whether some entry holds every one of the NULL-terminated `words`. */
static inline bool fixture_says(const fixture *made, const char *const *words) {
  for (size_t i = 0; i < made->diagnostics.count; i++) {
    const char *const *word = words;
    while (*word != NULL && strstr(made->diagnostics.entries[i].message, *word) != NULL)
      word++;
    if (*word == NULL) return true;
  }
  return false;
}

/* Settings that must be refused as wrong input, with a message that holds all the words. */
static inline void fixture_refused(fw_policy_scope scope, const char *name, const char *json, const fw_job_setup *job,
                                   const fw_fleet_setup *fleet, const char *const *words) {
  fixture made = fixture_make(scope, name, json, job, fleet);
  cr_expect_eq(made.status, FW_ERROR_INPUT, "%s accepts %s", name, json);
  cr_expect(fixture_says(&made, words), "%s, %s: \"%s\" lacks \"%s\" or what follows it", name, json,
            made.diagnostics.count > 0 ? made.diagnostics.entries[0].message : "(nothing)", words[0]);
  fixture_free(&made);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The 72B job of the published study on four A100: levels 1, 2, 4, 8. */
static inline fw_job_setup fixture_job(void) {
  fw_job_setup job = {.job = 3, .seed = 11, .gpus = 4, .idle_w = 248.0, .tdp_w = 1600.0};
  job.actuators[FW_ACTUATOR_CONCURRENCY] =
      (fw_actuator_range){.min = 1, .max = 8, .levels = {1, 2, 4, 8}, .level_count = 4};
  job.actuators[FW_ACTUATOR_GROUP_SIZE] = (fw_actuator_range){.min = 4, .max = 4};
  job.actuators[FW_ACTUATOR_COMPLETION_TOKENS] = (fw_actuator_range){.min = 256, .max = 256};
  job.actuators[FW_ACTUATOR_PAUSE_S] = (fw_actuator_range){.min = 0, .max = 32};
  job.actuators[FW_ACTUATOR_POWER_CAP_W] = (fw_actuator_range){.min = 100, .max = 400};
  job.initial[FW_ACTUATOR_CONCURRENCY] = 8;
  job.initial[FW_ACTUATOR_GROUP_SIZE] = 4;
  job.initial[FW_ACTUATOR_COMPLETION_TOKENS] = 256;
  job.initial[FW_ACTUATOR_POWER_CAP_W] = 400;
  job.windows_s[0] = 0.5;
  job.windows_s[1] = 30;
  job.window_count = 2;
  return job;
}

/* What a job sees before its first reading. */
static inline fw_job_observation fixture_blank(const fw_job_setup *job) {
  fw_job_observation blank = {.job = job->job, .power_w = NAN, .interval_mean_w = NAN, .budget_w = NAN};
  for (size_t i = 0; i < FW_POLICY_WINDOWS; i++)
    blank.window_mean_w[i] = blank.fleet_window_mean_w[i] = NAN;
  memcpy(blank.settings, job->initial, sizeof blank.settings);
  blank.next_budget_w = blank.fleet_power_w = blank.fleet_budget_w = NAN;
  blank.next_budget_in_s = INFINITY;
  return blank;
}

/* One decision; the settings in force come back in the observation. */
static inline fw_job_action fixture_decide(fixture *made, fw_job_observation *seen) {
  fw_job_action action = {.set = 0};
  memcpy(action.settings, seen->settings, sizeof action.settings);
  cr_assert_eq(made->type->decide_job(made->state, seen, &action, &made->diagnostics), FW_OK);
  memcpy(seen->settings, action.settings, sizeof seen->settings);
  seen->decision++;
  return action;
}

#endif

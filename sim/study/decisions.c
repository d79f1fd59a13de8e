/* A policy around a policy: it passes everything on and counts. */
#include "sim/study/decisions.h"

#include <stdlib.h>

#include "sim/base/memory.h"

typedef struct watcher {
  fwi_watched_arm *arm;
  void *inner;
} watcher;

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  const fwi_watched_arm *arm = *(fwi_watched_arm *const *)settings;
  return arm->inner->check == NULL ? FW_OK : arm->inner->check(arm->inner_settings, job, fleet, written, diagnostics);
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  fwi_watched_arm *arm = *(fwi_watched_arm *const *)settings;
  watcher *made = fw_allocate(1, sizeof *made);
  if (made == NULL) {
    return fw_error_memory(diagnostics, "the watcher of a policy");
  }
  made->arm = arm;
  const fw_status status = arm->inner->create(arm->inner_settings, job, fleet, &made->inner, diagnostics);
  if (status != FW_OK) {
    free(made);
    return status;
  }
  *state = made;
  return FW_OK;
}

static void destroy(void *state) {
  watcher *made = state;
  made->arm->inner->destroy(made->inner);
  free(made);
}

static fw_status decide(void *state, const fw_job_observation *observation, fw_job_action *action,
                        fw_diagnostics *diagnostics) {
  const watcher *made = state;
  made->arm->decisions++;
  made->arm->above += observation->power_w > observation->budget_w; /* what is not known is NaN, and not above */
  return made->arm->inner->decide_job(made->inner, observation, action, diagnostics);
}

void fwi_watch_arm(const fw_scenario_policy *arm, fwi_watched_arm *out) {
  *out = (fwi_watched_arm){
      .self = out, .policy = *arm, .type = *arm->job, .inner = arm->job, .inner_settings = arm->job_settings};
  out->type.check = check;
  out->type.create = create;
  out->type.destroy = destroy;
  out->type.decide_job = decide;
  out->policy.job = &out->type;
  out->policy.job_settings = &out->self;
}

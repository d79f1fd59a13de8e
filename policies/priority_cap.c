/* Priority cap: the least important jobs give way first, and come back last. After the capping orders of Dynamo (Wu et
 * al., ISCA 2016) and POLCA (Patel et al., ASPLOS 2024); the thresholds are defaults of ours near Dynamo's.
 *
 * Above engage_above x budget, the lowest priority with a cap that can still fall is lowered; below release_below, the
 * highest priority with a cap that can still rise is raised. A decision moves one priority, each of its GPUs by the
 * same step: step_w, or less where that would take the predicted power past the middle of the band. So neither move can
 * cause the other, however large step_w is. */
#include <math.h>
#include <stdlib.h>

#include "policies/builtin.h"
#include "policies/caps.h"
#include "sim/base/memory.h"

typedef struct priority_cap_settings {
  fwi_rhythm rhythm;
  fwi_engagement engagement;
  fw_power_mw step;
} priority_cap_settings;

/* The jobs of one priority whose caps can move. */
typedef struct group {
  int64_t priority;
  double gpus; /* 0: no job at all */
} group;

static const fw_field fields[] = {
    FWI_RHYTHM_FIELDS(priority_cap_settings),
    FWI_ENGAGEMENT_FIELDS(priority_cap_settings),
    FW_FIELD_ABOVE(priority_cap_settings, step, FW_FIELD_POWER, FW_OPTIONAL, 0.0, FWI_MOST_CAP_W,
                   "most that a cap moves in one decision"),
};

static const priority_cap_settings defaults = {
    .rhythm = {.interval = 3 * FW_NS_PER_S, .window = 30 * FW_NS_PER_S},
    .engagement = {.engage_above = 0.97, .release_below = 0.90},
    .step = 25 * FW_MW_PER_W,
};

/* Where a cap starts to fall from: one that does not hold its job only binds below the job's draw. The window's mean
 * stands in while a job draws little between two phases. */
static double binding_w(const fw_fleet_job *job) {
  if (fwi_cap_holds(job)) return job->cap_w;
  double draw_w = fmax(job->power_w, job->window_mean_w) / (double)job->gpus;
  return fmin(job->cap_w, draw_w);
}

static bool can_fall(const fw_fleet_job *job) {
  return fwi_cap_offered(job) && binding_w(job) > job->cap_min_w;
}

static bool can_rise(const fw_fleet_job *job) {
  return fwi_cap_offered(job) && job->cap_w < job->cap_max_w;
}

static bool can_move(const fw_fleet_job *job, int direction) {
  return direction < 0 ? can_fall(job) : can_rise(job);
}

/* Falling, the lowest priority comes first; rising, the highest. */
static group first_group(const fw_fleet_observation *fleet, int direction) {
  group first = {0, 0.0};
  for (size_t i = 0; i < fleet->job_count; i++) {
    const fw_fleet_job *job = &fleet->jobs[i];
    if (!can_move(job, direction)) continue;
    bool earlier = direction < 0 ? job->priority < first.priority : job->priority > first.priority;
    if (first.gpus == 0.0 || earlier) first = (group){job->priority, 0.0};
    if (job->priority == first.priority) first.gpus += (double)job->gpus;
  }
  return first;
}

static void move(const fw_fleet_observation *fleet, int direction, double most_step_w, double distance_w,
                 fw_fleet_action *action) {
  group moved = first_group(fleet, direction);
  double step_w = fmin(most_step_w, distance_w / fmax(moved.gpus, 1.0));
  for (size_t i = 0; i < fleet->job_count; i++) {
    const fw_fleet_job *job = &fleet->jobs[i];
    if (job->priority != moved.priority || !can_move(job, direction)) continue;
    fwi_cap_set(fleet, i, direction < 0 ? binding_w(job) - step_w : job->cap_w + step_w, action);
  }
}

static fw_status decide(void *state, const fw_fleet_observation *fleet, fw_fleet_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  const priority_cap_settings *settings = *(const priority_cap_settings *const *)state;
  const fwi_engagement *band = &settings->engagement;
  int push = fwi_engagement_push(band, fleet);
  if (push == 0) return FW_OK;
  double middle_w = 0.5 * (band->engage_above + band->release_below) * fleet->budget_w;
  double distance_w = push > 0 ? fleet->power_w - middle_w : middle_w - fwi_cautious_power_w(fleet);
  move(fleet, -push, fw_power_to_watts(settings->step), distance_w, action);
  return FW_OK;
}

static fw_status check(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet,
                       const fw_json_value *written, fw_diagnostics *diagnostics) {
  (void)job, (void)fleet;
  return fwi_engagement_check(&((const priority_cap_settings *)settings)->engagement, written, diagnostics);
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)job, (void)fleet;
  const priority_cap_settings **made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a priority_cap policy");
  *made = settings;
  *state = made;
  return FW_OK;
}

static void rhythm(const void *settings, double *interval_s, double *window_s) {
  const fwi_rhythm *chosen = &((const priority_cap_settings *)settings)->rhythm;
  *interval_s = fw_time_to_seconds(chosen->interval);
  *window_s = fw_time_to_seconds(chosen->window);
}

const fw_record fwi_priority_cap_settings = {
    .name = "priority_cap",
    .doc = "caps the least important jobs first",
    .size = sizeof(priority_cap_settings),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_priority_cap_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_FLEET,
    .name = "priority_cap",
    .doc = "lowers caps from the least important job up while the fleet is above its band, releases them from the top",
    .settings = &fwi_priority_cap_settings,
    .check = check,
    .create = create,
    .destroy = free,
    .decide_fleet = decide,
    .rhythm = rhythm,
    .drives = fwi_cap_drives,
};

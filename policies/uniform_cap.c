/* Uniform cap: one cap for all GPUs, lowered at once and released slowly.
 *
 * Let T be the target share of the budget, P the last reading, W the window's mean and c the common cap. Job i with n_i
 * GPUs draws d_i per GPU. Under c it is expected to draw min(d_i, r_i c): r_i is 1, or d_i over its cap while that cap
 * holds it, since firmware settles some per cent beside a cap.
 *
 * P > T: c falls to the water level, the greatest c with sum n_i (d_i - min(d_i, r_i c)) >= P - T. That is max-min
 * fairness: who draws less than the level gives nothing. It starts from the draws and not from the old cap, so a cap
 * that did not bind costs no decisions.
 *
 * Otherwise: c rises by the least of release_w_per_s x interval and (T - max(P, W)) / sum n_i. Where a GPU's draw rises
 * by no more than its cap, P cannot pass T: the fleet nears the target from below and stays there, without a limit
 * cycle. W delays the release and never lowers the cap, so an excess is not acted on again while it leaves the window.
 */
#include <math.h>
#include <stdlib.h>

#include "policies/builtin.h"
#include "policies/caps.h"
#include "sim/base/memory.h"

enum { BISECTIONS = 40 }; /* 10 kW / 2^40 is far below a milliwatt, in which caps are held */

typedef struct uniform_cap_settings {
  fwi_rhythm rhythm;
  double target_share;
  double release_w_per_s;
} uniform_cap_settings;

typedef struct uniform_cap_state {
  const uniform_cap_settings *settings;
  double level_w; /* the common cap, before each job's limits; infinity: none */
} uniform_cap_state;

static const fw_field fields[] = {
    FWI_RHYTHM_FIELDS(uniform_cap_settings),
    FW_FIELD_ABOVE(uniform_cap_settings, target_share, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, FWI_MOST_SHARE,
                   "share of the budget at which the fleet is held"),
    FW_FIELD_ABOVE(uniform_cap_settings, release_w_per_s, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, FWI_MOST_CAP_W,
                   "how fast the cap may rise"),
};

static const uniform_cap_settings defaults = {
    .rhythm = {.interval = 5 * FW_NS_PER_S, .window = 30 * FW_NS_PER_S},
    .target_share = 0.98,
    .release_w_per_s = 1.0,
};

/* What is expected of a job under other caps. */
typedef struct response {
  double draw_w;   /* per GPU, at present */
  double ratio;    /* draw over cap, where the cap holds it */
  double binds_at; /* caps below this take something off the draw */
} response;

/* False where the job cannot be capped or its draw is not known. */
static bool response_of(const fw_fleet_job *job, response *out) {
  double draw_w = job->power_w / (double)job->gpus;
  bool held = fwi_cap_holds(job);
  *out = (response){draw_w, held ? draw_w / job->cap_w : 1.0, held ? job->cap_w : draw_w};
  return fwi_cap_offered(job) && isfinite(draw_w);
}

/* What a common cap takes off the present draws. */
static double relief_w(const fw_fleet_observation *fleet, double level_w) {
  double relief = 0.0;
  for (size_t i = 0; i < fleet->job_count; i++) {
    const fw_fleet_job *job = &fleet->jobs[i];
    response expected;
    if (!response_of(job, &expected)) continue;
    double under_w = expected.ratio * fwi_cap_limit(job, level_w);
    if (expected.draw_w > under_w) relief += (expected.draw_w - under_w) * (double)job->gpus;
  }
  return relief;
}

/* The greatest common cap that takes `excess_w` off the draws; the lowest cap of all where none does. */
static double water_level_w(const fw_fleet_observation *fleet, double excess_w) {
  double low_w = INFINITY;
  double high_w = 0.0;
  for (size_t i = 0; i < fleet->job_count; i++) {
    response expected;
    if (!response_of(&fleet->jobs[i], &expected)) continue;
    low_w = fmin(low_w, fleet->jobs[i].cap_min_w);
    high_w = fmax(high_w, expected.binds_at);
  }
  for (int i = 0; i < BISECTIONS && low_w < high_w; i++) {
    double middle_w = low_w + 0.5 * (high_w - low_w);
    if (relief_w(fleet, middle_w) >= excess_w) {
      low_w = middle_w;
    } else {
      high_w = middle_w;
    }
  }
  return low_w;
}

static double capped_gpus(const fw_fleet_observation *fleet) {
  double gpus = 0.0;
  for (size_t i = 0; i < fleet->job_count; i++) {
    if (fwi_cap_offered(&fleet->jobs[i])) gpus += (double)fleet->jobs[i].gpus;
  }
  return gpus;
}

static double next_level_w(const uniform_cap_state *law, const fw_fleet_observation *fleet, double target_w) {
  if (fleet->power_w > target_w) return fmin(law->level_w, water_level_w(fleet, fleet->power_w - target_w));
  double headroom_w = fmax(target_w - fwi_cautious_power_w(fleet), 0.0);
  double ramp_w = law->settings->release_w_per_s * fw_time_to_seconds(law->settings->rhythm.interval);
  return law->level_w + fmin(ramp_w, headroom_w / fmax(capped_gpus(fleet), 1.0));
}

static fw_status decide(void *state, const fw_fleet_observation *fleet, fw_fleet_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  uniform_cap_state *law = state;
  double target_w = law->settings->target_share * fleet->budget_w;
  if (isnan(fleet->power_w) || isnan(target_w)) return FW_OK;
  law->level_w = next_level_w(law, fleet, target_w);
  for (size_t i = 0; i < fleet->job_count; i++)
    fwi_cap_set(fleet, i, law->level_w, action);
  return FW_OK;
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)job, (void)fleet;
  uniform_cap_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a uniform_cap policy");
  *made = (uniform_cap_state){.settings = settings, .level_w = INFINITY};
  *state = made;
  return FW_OK;
}

static void rhythm(const void *settings, double *interval_s, double *window_s) {
  const fwi_rhythm *chosen = &((const uniform_cap_settings *)settings)->rhythm;
  *interval_s = fw_time_to_seconds(chosen->interval);
  *window_s = fw_time_to_seconds(chosen->window);
}

const fw_record fwi_uniform_cap_settings = {
    .name = "uniform_cap",
    .doc = "one cap for all GPUs that holds the fleet at a share of its budget",
    .size = sizeof(uniform_cap_settings),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_uniform_cap_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_FLEET,
    .name = "uniform_cap",
    .doc = "the same power cap on every GPU, lowered at once above the target and released slowly below it",
    .settings = &fwi_uniform_cap_settings,
    .create = create,
    .destroy = free,
    .decide_fleet = decide,
    .rhythm = rhythm,
    .drives = fwi_cap_drives,
};

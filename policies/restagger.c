/* Restagger: equal jobs are kept a share of a cycle apart, by putting off the starts of steps.
 *
 * Jobs of one class count as equal. From their step counters the time r_i to each one's next start follows, modulo the
 * class's cycle L, the mean of the jobs' last steps. In the order of r, with k = 0 .. n - 1, starts L / n apart at
 * theta + k L / n are reached by delays alone where theta is no less than any u_k = r_k - k L / n. The least theta,
 * max u, delays job k by max u - u_k: at least one job by nothing, and all together by as little as any even spacing
 * does (a brute force over orders and starts in tests/unit/test_restagger.c agrees).
 *
 * A delay is time without tokens, and steps of random length undo the spacing again, so a start is put off only by what
 * goes beyond a tolerated share of the cycle. Every decision answers for all jobs: what an earlier one put off and has
 * not come yet is overwritten, with 0 where it is not wanted any more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/builtin.h"
#include "policies/ceilings.h"
#include "sim/base/fields.h"
#include "sim/base/memory.h"

typedef struct restagger_settings {
  fw_time_ns interval;
  double tolerance;
} restagger_settings;

/* A job whose steps are counted. */
typedef struct member {
  const char *job_class;
  size_t index; /* in the observation */
  double elapsed_s;
  double length_s;
  double due_s; /* to the next start, 0 to a cycle */
} member;

typedef struct restagger_state {
  const restagger_settings *settings;
  member *members; /* scratch, one for each job */
  size_t capacity;
} restagger_state;

static const fw_field fields[] = {
    FW_FIELD_ABOVE(restagger_settings, interval, FW_FIELD_TIME, FW_OPTIONAL, 0.0, FWI_MOST_S, "between decisions"),
    FW_FIELD(restagger_settings, tolerance, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, 1.0,
             "share of a step by which a start may come too early; only what goes beyond is put off"),
};

static const restagger_settings defaults = {.interval = 30 * FW_NS_PER_S, .tolerance = 0.1};

static int by_class(const void *a, const void *b) {
  const member *x = a;
  const member *y = b;
  int order = strcmp(x->job_class, y->job_class);
  return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_due(const void *a, const void *b) {
  const member *x = a;
  const member *y = b;
  if (x->due_s != y->due_s) return x->due_s > y->due_s ? 1 : -1;
  return (x->index > y->index) - (x->index < y->index);
}

/* Before the end of its first step, or after that of its last, a job has no phase. */
static bool has_phase(const fw_fleet_job *job) {
  return isfinite(job->step_elapsed_s) && isfinite(job->step_length_s) && job->step_length_s > 0.0;
}

static size_t gather(const fw_fleet_observation *fleet, restagger_state *state) {
  size_t count = 0;
  for (size_t i = 0; i < fleet->job_count && count < state->capacity; i++) {
    const fw_fleet_job *job = &fleet->jobs[i];
    if (job->job_class == NULL || !has_phase(job) || !(job->start_offset_max_s > 0.0)) continue;
    state->members[count++] = (member){job->job_class, i, job->step_elapsed_s, job->step_length_s, 0.0};
  }
  qsort(state->members, count, sizeof *state->members, by_class);
  return count;
}

static double cycle_of(const member *members, size_t count) {
  double sum_s = 0.0;
  for (size_t i = 0; i < count; i++)
    sum_s += members[i].length_s / (double)count;
  return sum_s;
}

/* A step that lasts longer than the cycle is due at once; one that is put off may be due a cycle later. */
static double due_in(double elapsed_s, double cycle_s) {
  double due_s = fmax(cycle_s - elapsed_s, 0.0);
  return fmax(due_s - cycle_s * floor(due_s / cycle_s), 0.0);
}

/* Jobs of one class. */
static void spread(member *members, size_t count, double tolerance, fw_fleet_action *action) {
  double cycle_s = cycle_of(members, count);
  double slot_s = cycle_s / (double)count;
  double first_s = 0.0; /* theta */
  for (size_t k = 0; k < count; k++)
    members[k].due_s = due_in(members[k].elapsed_s, cycle_s);
  qsort(members, count, sizeof *members, by_due);
  for (size_t k = 0; k < count; k++)
    first_s = fmax(first_s, members[k].due_s - (double)k * slot_s);
  for (size_t k = 0; k < count; k++) {
    double delay_s = first_s + (double)k * slot_s - members[k].due_s;
    action->start_offset_s[members[k].index] = fmax(delay_s - tolerance * cycle_s, 0.0);
  }
}

static fw_status decide(void *pointer, const fw_fleet_observation *fleet, fw_fleet_action *action,
                        fw_diagnostics *diagnostics) {
  (void)diagnostics;
  restagger_state *state = pointer;
  size_t count = gather(fleet, state);
  for (size_t from = 0, to = 0; from < count; from = to) {
    while (to < count && strcmp(state->members[to].job_class, state->members[from].job_class) == 0)
      to++;
    if (to - from > 1) spread(state->members + from, to - from, state->settings->tolerance, action);
  }
  return FW_OK;
}

static void destroy(void *pointer) {
  restagger_state *state = pointer;
  free(state->members);
  free(state);
}

static fw_status create(const void *settings, const fw_job_setup *job, const fw_fleet_setup *fleet, void **state,
                        fw_diagnostics *diagnostics) {
  (void)job;
  restagger_state *made = fw_allocate(1, sizeof *made);
  if (made == NULL) return fw_error_memory(diagnostics, "a restagger policy");
  *made = (restagger_state){.settings = settings,
                            .members = fw_allocate(fleet->job_count, sizeof *made->members),
                            .capacity = fleet->job_count};
  if (made->members == NULL) {
    free(made);
    return fw_error_memory(diagnostics, "a restagger policy");
  }
  *state = made;
  return FW_OK;
}

/* The window belongs to means, which it does not look at. */
static void rhythm(const void *settings, double *interval_s, double *window_s) {
  *interval_s = fw_time_to_seconds(((const restagger_settings *)settings)->interval);
  *window_s = *interval_s;
}

static uint32_t drives(const void *settings) {
  (void)settings;
  return 1u << FW_ACTUATOR_START_OFFSET_S;
}

const fw_record fwi_restagger_settings = {
    .name = "restagger",
    .doc = "equal jobs kept a share of a cycle apart by putting off the starts of steps",
    .size = sizeof(restagger_settings),
    .defaults = &defaults,
    .fields = fields,
    .field_count = FW_COUNT_OF(fields),
};

const fw_policy_type fwi_restagger_policy = {
    .abi = FW_POLICY_ABI,
    .struct_size = sizeof(fw_policy_type),
    .scope = FW_POLICY_FLEET,
    .name = "restagger",
    .doc = "puts off the starts of steps so that equal jobs stay a share of a cycle apart",
    .settings = &fwi_restagger_settings,
    .create = create,
    .destroy = destroy,
    .decide_fleet = decide,
    .rhythm = rhythm,
    .drives = drives,
    .ignores_budget = true,
};

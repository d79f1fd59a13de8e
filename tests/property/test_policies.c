/* Every built-in policy on random observations: what it sets is allowed, finite and what it says it drives, and two
 * instances agree. */
#include "sim/base/random.h"
#include "tests/policy_fixture.h"

enum { ROUNDS = 600, DECISIONS = 40, MOST_JOBS = 6 };

/* Uniform numbers in the order in which a test asks for them. */
typedef struct source {
  fw_stream stream;
  uint64_t drawn;
} source;

static double uniform(source *from) {
  return fw_random_uniform(from->stream, from->drawn++, 0);
}

static size_t below(source *from, size_t bound) {
  return (size_t)fw_random_below(from->stream, from->drawn++, bound);
}

/* A number that may be anything: unknown, infinite, zero, negative, or up to `most`. */
static double odd(source *from, double most) {
  switch (below(from, 12)) {
  case 0:
    return NAN;
  case 1:
    return INFINITY;
  case 2:
    return 0.0;
  case 3:
    return -most * uniform(from);
  default:
    return most * uniform(from);
  }
}

static fw_actuator_range random_range(source *from) {
  fw_actuator_range range = {.min = 500 * uniform(from)};
  range.max = below(from, 6) == 0 ? range.min : range.min + 500 * uniform(from);
  if (below(from, 2) == 0 || range.min == range.max) return range;
  range.level_count = 1 + below(from, FW_POLICY_LEVELS);
  for (size_t i = 0; i < range.level_count; i++) {
    range.levels[i] = range.min + (range.max - range.min) * (double)i / (double)range.level_count;
  }
  return range;
}

static fw_job_setup random_job(source *from) {
  fw_job_setup job = {.job = (uint32_t)below(from, 1000), .seed = below(from, 1u << 30), .gpus = 1 + below(from, 8)};
  for (size_t i = 0; i < FW_ACTUATOR_COUNT; i++) {
    job.actuators[i] = random_range(from);
    job.initial[i] = fw_actuator_nearest(&job.actuators[i], 1000 * uniform(from));
  }
  job.windows_s[0] = 30;
  job.window_count = 1;
  return job;
}

static void fill_observation(source *from, fw_job_observation *seen) {
  seen->time_s += 60 * uniform(from);
  if (below(from, 20) == 0) seen->time_s = odd(from, 1e12);
  seen->power_w = odd(from, 1000);
  seen->interval_mean_w = odd(from, 1000);
  seen->window_mean_w[0] = odd(from, 1000);
  seen->budget_w = odd(from, 1000);
  seen->fleet_power_w = odd(from, 10000);
  seen->fleet_window_mean_w[0] = odd(from, 10000);
  seen->fleet_budget_w = odd(from, 10000);
  for (size_t i = 0; i < FW_ACTUATOR_COUNT; i++) {
    if (below(from, 30) == 0) seen->settings[i] = odd(from, 1000);
  }
}

static const struct {
  const char *name;
  const char *json;
} job_cases[] = {
    {"uncontrolled", "{}"},
    {"random", "{}"},
    {"random", "{\"actuators\": [\"pause_s\", \"power_cap_w\", \"start_offset_s\"]}"},
    {"mix", "{\"actuator\": \"pause_s\", \"low\": 240, \"high\": 260, \"share\": 0.3}"},
    {"schedule", "{\"actuator\": \"pause_s\", \"steps\": [{\"from_s\": 0, \"setting\": 250}]}"},
    {"schedule", "{\"repeat_s\": 30, \"lead_s\": 7, \"steps\": [{\"from_s\": 0, \"setting\": 240}, "
                 "{\"from_s\": 20, \"setting\": 270}]}"},
    {"threshold", "{}"},
    {"threshold", "{\"signal\": \"fleet\"}"},
    {"hysteresis", "{\"signal\": \"fleet_window\", \"window_s\": 30}"},
    {"threshold", "{\"actuator\": \"pause_s\", \"signal\": \"reading\"}"},
    {"hysteresis", "{\"signal\": \"window\", \"window_s\": 30, \"dwell_s\": 45}"},
    {"hysteresis", "{\"actuator\": \"power_cap_w\", \"lower_steps\": 3, \"raise_steps\": 2}"},
    {"static", "{\"pause_s\": 250}"},
    {"static", "{\"power_cap_w\": 300, \"concurrency\": 280}"},
};

static void check_action(const fixture *made, const fw_job_setup *job, const fw_job_action *action) {
  cr_assert_eq(action->set & ~made->type->drives(made->settings), 0, "%s drives more than it says", made->type->name);
  for (unsigned i = 0; i < FW_ACTUATOR_COUNT; i++) {
    if ((action->set & 1u << i) == 0) continue;
    double value = action->settings[i];
    cr_assert(isfinite(value), "%s", made->type->name);
    cr_assert_eq(fw_actuator_nearest(&job->actuators[i], value), value, "%s: %s %.17g is not allowed", made->type->name,
                 fw_actuator_names[i], value);
  }
}

static void run_twins(source *from, fixture *made, fixture *twin, const fw_job_setup *job) {
  fw_job_observation seen = fixture_blank(job);
  for (size_t i = 0; i < DECISIONS; i++) {
    fill_observation(from, &seen);
    fw_job_observation same = seen;
    fw_job_action action = fixture_decide(made, &seen);
    fw_job_action again = fixture_decide(twin, &same);
    check_action(made, job, &action);
    cr_assert_eq(action.set, again.set);
    cr_assert_eq(memcmp(action.settings, again.settings, sizeof action.settings), 0, "%s", made->type->name);
  }
}

Test(job_policies, set_only_what_is_allowed_and_agree_with_their_twins) {
  source from = {fw_stream_make(1, FW_DRAW_TEST, 10), 0};
  size_t runs[sizeof job_cases / sizeof job_cases[0]] = {0};
  for (size_t round = 0; round < ROUNDS; round++) {
    fw_job_setup job = random_job(&from);
    for (size_t i = 0; i < sizeof job_cases / sizeof job_cases[0]; i++) {
      fixture made = fixture_make(FW_POLICY_JOB, job_cases[i].name, job_cases[i].json, &job, NULL);
      fixture twin = fixture_make(FW_POLICY_JOB, job_cases[i].name, job_cases[i].json, &job, NULL);
      cr_assert_eq(made.status, twin.status);
      if (made.status == FW_OK) {
        run_twins(&from, &made, &twin, &job);
        runs[i]++;
      } else {
        cr_assert_eq(made.status, FW_ERROR_INPUT);
        cr_assert_gt(made.diagnostics.error_count, 0);
      }
      fixture_free(&made);
      fixture_free(&twin);
    }
  }
  for (size_t i = 0; i < sizeof job_cases / sizeof job_cases[0]; i++) {
    cr_expect_geq(runs[i], 5, "%s: too few of the random jobs fit for the test to mean anything", job_cases[i].json);
  }
}

static const struct {
  const char *name;
  const char *json;
} fleet_cases[] = {
    {"uniform_cap", "{}"},
    {"uniform_cap", "{\"release_w_per_s\": 100, \"target_share\": 0.5}"},
    {"class_cap", "{\"caps\": [{\"class\": \"a\", \"cap_w\": 250}, {\"class\": \"b\", \"cap_w\": 9999}]}"},
    {"class_cap", "{\"engage_above\": 0, \"caps\": [{\"class\": \"a\", \"cap_w\": 1}]}"},
    {"priority_cap", "{}"},
    {"priority_cap", "{\"step_w\": 1000}"},
    {"restagger", "{}"},
    {"restagger", "{\"tolerance\": 0}"},
};

static void fill_jobs(source *from, fw_fleet_job *jobs) {
  static const char *const classes[] = {"a", "b", "c", NULL};
  for (size_t i = 0; i < MOST_JOBS; i++) {
    fw_fleet_job *job = &jobs[i];
    job->job = (uint32_t)i;
    job->priority = below(from, 10) == 0 ? INT64_MIN : (int64_t)below(from, 3);
    job->job_class = classes[below(from, 4)];
    job->gpus = below(from, 9);
    job->power_w = odd(from, 3000);
    job->window_mean_w = odd(from, 3000);
    job->budget_w = odd(from, 3000);
    job->cap_min_w = 50 + 100 * uniform(from);
    job->cap_max_w = below(from, 5) == 0 ? job->cap_min_w : 300 + 200 * uniform(from);
    job->cap_w = below(from, 10) == 0 ? NAN : job->cap_min_w + (job->cap_max_w - job->cap_min_w) * uniform(from);
    job->demand_w = odd(from, 500);
    job->step_elapsed_s = odd(from, 200);
    job->step_length_s = odd(from, 200);
    job->start_offset_max_s = below(from, 5) == 0 ? 0.0 : 86400.0;
  }
}

typedef struct answer {
  double cap_w[MOST_JOBS];
  double budget_w[MOST_JOBS];
  double start_offset_s[MOST_JOBS];
} answer;

static answer decide(fixture *made, const fw_fleet_observation *seen) {
  answer given;
  for (size_t i = 0; i < MOST_JOBS; i++) {
    given.cap_w[i] = given.budget_w[i] = given.start_offset_s[i] = NAN;
  }
  fw_fleet_action action = {given.cap_w, given.budget_w, given.start_offset_s};
  cr_assert_eq(made->type->decide_fleet(made->state, seen, &action, NULL), FW_OK);
  return given;
}

/* Whether `value` is set; then the policy must drive the actuator, and the value must lie in the job's range. */
static bool check_set(const fixture *made, fw_actuator actuator, double value, double least, double most) {
  if (isnan(value)) return false;
  cr_assert((made->type->drives(made->settings) & 1u << actuator) != 0, "%s drives more than it says",
            made->type->name);
  cr_assert(value >= least && value <= most, "%s: %s of %g", made->type->name, fw_actuator_names[actuator], value);
  return true;
}

/* Returns how many actuators were set. */
static size_t check_answer(const fixture *made, const fw_fleet_job *jobs, const answer *given, const answer *again) {
  size_t set = 0;
  cr_assert_eq(memcmp(given, again, sizeof *given), 0, "%s", made->type->name);
  for (size_t i = 0; i < MOST_JOBS; i++) {
    const fw_fleet_job *job = &jobs[i];
    cr_assert(isnan(given->budget_w[i]), "%s drives a budget", made->type->name);
    set += check_set(made, FW_ACTUATOR_POWER_CAP_W, given->cap_w[i], job->cap_min_w, job->cap_max_w);
    set += check_set(made, FW_ACTUATOR_START_OFFSET_S, given->start_offset_s[i], 0.0, job->start_offset_max_s);
  }
  return set;
}

static size_t run_fleet_twins(source *from, fixture *made, fixture *twin) {
  size_t set = 0;
  for (uint64_t i = 0; i < DECISIONS; i++) {
    fw_fleet_job jobs[MOST_JOBS];
    fill_jobs(from, jobs);
    fw_fleet_observation seen = {.decision = i,
                                 .time_s = 5.0 * (double)i,
                                 .power_w = odd(from, 9000),
                                 .window_mean_w = odd(from, 9000),
                                 .budget_w = odd(from, 9000),
                                 .jobs = jobs,
                                 .job_count = below(from, MOST_JOBS + 1)};
    answer given = decide(made, &seen);
    answer again = decide(twin, &seen);
    set += check_answer(made, jobs, &given, &again);
  }
  return set;
}

Test(fleet_policies, set_only_what_is_allowed_and_agree_with_their_twins) {
  source from = {fw_stream_make(2, FW_DRAW_TEST, 11), 0};
  static const char *const classes[] = {"a", "b"};
  /* Caps that no job takes are settings of a fleet of such GPUs, so that how they are limited is seen. */
  const fw_fleet_setup setup = {
      .seed = 3, .job_count = MOST_JOBS, .nameplate_w = 9600, .cap_max_w = 9999, .classes = classes, .class_count = 2};
  for (size_t i = 0; i < sizeof fleet_cases / sizeof fleet_cases[0]; i++) {
    size_t set = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
      fixture made = fixture_make(FW_POLICY_FLEET, fleet_cases[i].name, fleet_cases[i].json, NULL, &setup);
      fixture twin = fixture_make(FW_POLICY_FLEET, fleet_cases[i].name, fleet_cases[i].json, NULL, &setup);
      cr_assert_eq(made.status, FW_OK);
      set += run_fleet_twins(&from, &made, &twin);
      fixture_free(&made);
      fixture_free(&twin);
    }
    cr_expect_gt(set, ROUNDS, "%s sets so little that the test means nothing", fleet_cases[i].json);
  }
}

static bool allowed(const fw_actuator_range *range, double value) {
  if (range->level_count == 0) return value >= range->min && value <= range->max;
  for (size_t i = 0; i < range->level_count; i++) {
    if (range->levels[i] == value) return true;
  }
  return false;
}

Test(actuator, nearest_and_step_stay_allowed_and_are_nearest) {
  source from = {fw_stream_make(3, FW_DRAW_TEST, 12), 0};
  for (size_t round = 0; round < 20000; round++) {
    fw_actuator_range range = random_range(&from);
    double value = below(&from, 10) == 0 ? INFINITY : 2000 * uniform(&from) - 500;
    double nearest = fw_actuator_nearest(&range, value);
    double up = fw_actuator_step(&range, value, 1);
    double down = fw_actuator_step(&range, value, -1);
    cr_assert(allowed(&range, nearest) && allowed(&range, up) && allowed(&range, down));
    cr_assert(down <= nearest && nearest <= up);
    for (size_t i = 0; i < range.level_count && isfinite(value); i++) {
      cr_assert_leq(fabs(nearest - value), fabs(range.levels[i] - value));
    }
  }
}

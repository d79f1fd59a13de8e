/* Fleet policies against numbers worked out by hand and on a toy plant: jobs of constant demand that draw the lesser of
 * demand and cap, where caps act between two decisions. */
#include "sim/base/random.h"
#include "tests/policy_fixture.h"

enum { MOST_JOBS = 12, WINDOW_DECISIONS = 6 };

typedef struct plant {
  fw_fleet_job jobs[MOST_JOBS];
  double demand_w[MOST_JOBS]; /* per GPU */
  size_t count;
  double base_w;  /* drawn by what no cap reaches */
  double settled; /* draw under a binding cap, over that cap */
  double budget_w;
  double history_w[WINDOW_DECISIONS];
  uint64_t decision;
} plant;

static fw_fleet_job make_job(uint32_t id, const char *job_class, int64_t priority, size_t gpus) {
  return (fw_fleet_job){.job = id,
                        .priority = priority,
                        .job_class = job_class,
                        .gpus = gpus,
                        .power_w = NAN,
                        .window_mean_w = NAN,
                        .budget_w = NAN,
                        .cap_w = 400,
                        .cap_min_w = 100,
                        .cap_max_w = 400,
                        .demand_w = NAN};
}

static void add_job(plant *p, const char *job_class, int64_t priority, size_t gpus, double demand_w) {
  cr_assert_lt(p->count, (size_t)MOST_JOBS);
  p->jobs[p->count] = make_job((uint32_t)p->count, job_class, priority, gpus);
  p->demand_w[p->count] = demand_w;
  p->count++;
}

/* Lets the caps act and returns the fleet's power. */
static double settle(plant *p) {
  double power_w = p->base_w;
  for (size_t i = 0; i < p->count; i++) {
    fw_fleet_job *job = &p->jobs[i];
    job->power_w = fmin(p->demand_w[i], p->settled * job->cap_w) * (double)job->gpus;
    job->window_mean_w = job->power_w;
    power_w += job->power_w;
  }
  return power_w;
}

static fw_fleet_observation observe(plant *p) {
  double power_w = settle(p);
  p->history_w[p->decision % WINDOW_DECISIONS] = power_w;
  double sum = 0.0;
  for (size_t i = 0; i < WINDOW_DECISIONS; i++)
    sum += p->history_w[i];
  double mean_w = p->decision + 1 >= WINDOW_DECISIONS ? sum / WINDOW_DECISIONS : NAN;
  return (fw_fleet_observation){.decision = p->decision++,
                                .power_w = power_w,
                                .window_mean_w = mean_w,
                                .budget_w = p->budget_w,
                                .next_budget_w = p->budget_w,
                                .next_budget_in_s = INFINITY,
                                .jobs = p->jobs,
                                .job_count = p->count};
}

typedef struct answer {
  double cap_w[MOST_JOBS];
  size_t changes;
} answer;

static answer decide(fixture *made, const fw_fleet_observation *seen) {
  answer given;
  double budget_w[MOST_JOBS];
  double offset_s[MOST_JOBS];
  for (size_t i = 0; i < MOST_JOBS; i++)
    given.cap_w[i] = budget_w[i] = offset_s[i] = NAN;
  fw_fleet_action action = {given.cap_w, budget_w, offset_s};
  cr_assert_eq(made->type->decide_fleet(made->state, seen, &action, &made->diagnostics), FW_OK);
  given.changes = 0;
  for (size_t i = 0; i < MOST_JOBS; i++) {
    cr_expect(isnan(budget_w[i]) && isnan(offset_s[i]), "only caps are driven");
    given.changes += isnan(given.cap_w[i]) ? 0 : 1;
  }
  return given;
}

/* One decision on the plant; returns the power that the policy saw. */
static double turn(fixture *made, plant *p, size_t *changes) {
  fw_fleet_observation seen = observe(p);
  answer given = decide(made, &seen);
  for (size_t i = 0; i < p->count; i++) {
    if (isnan(given.cap_w[i])) continue;
    cr_assert(given.cap_w[i] >= p->jobs[i].cap_min_w && given.cap_w[i] <= p->jobs[i].cap_max_w);
    p->jobs[i].cap_w = given.cap_w[i];
  }
  if (changes != NULL) *changes = given.changes;
  return seen.power_w;
}

static const char *const classes[] = {"any", "72b", "7b", "a"};
static const fw_fleet_setup setup = {.seed = 5,
                                     .job_count = 3,
                                     .nameplate_w = 6400,
                                     .cap_min_w = 50, /* less than its jobs take: how a cap is limited is seen */
                                     .cap_max_w = 400,
                                     .classes = classes,
                                     .class_count = 4};

static fixture make(const char *name, const char *json) {
  fixture made = fixture_make(FW_POLICY_FLEET, name, json, NULL, &setup);
  cr_assert_eq(made.status, FW_OK, "%s: %s", json,
               made.diagnostics.count > 0 ? made.diagnostics.entries[0].message : "");
  return made;
}

static void refused(const char *name, const char *json, const char *const *words) {
  fixture_refused(FW_POLICY_FLEET, name, json, NULL, &setup, words);
}

/* A fleet of random jobs, priorities 0 to 3, demands of 120 to 400 W per GPU; returns its power without caps. */
static double random_plant(plant *p, fw_stream stream, uint64_t trial, double settled) {
  *p = (plant){.settled = settled, .base_w = 500 * fw_random_uniform(stream, trial, 1000)};
  size_t count = 1 + (size_t)(MOST_JOBS * fw_random_uniform(stream, trial, 1001));
  for (size_t i = 0; i < count && i < MOST_JOBS; i++) {
    uint32_t sub = 4 * (uint32_t)i;
    double demand_w = 120 + 280 * fw_random_uniform(stream, trial, sub);
    size_t gpus = 1 + (size_t)(8 * fw_random_uniform(stream, trial, sub + 1));
    int64_t priority = (int64_t)(4 * fw_random_uniform(stream, trial, sub + 2));
    add_job(p, "any", priority, gpus, demand_w);
    p->jobs[i].cap_min_w = 100 + 20 * fw_random_uniform(stream, trial, sub + 3);
  }
  return settle(p);
}

/* The least that a plant can draw. */
static double floor_power(const plant *p) {
  double power_w = p->base_w;
  for (size_t i = 0; i < p->count; i++)
    power_w += p->jobs[i].cap_min_w * (double)p->jobs[i].gpus;
  return power_w;
}

/* ---- common to all ---- */

static const struct {
  const char *name;
  const char *json;
} defaults[] = {
    {"uniform_cap", "{}"}, {"class_cap", "{\"caps\": [{\"class\": \"any\", \"cap_w\": 250}]}"}, {"priority_cap", "{}"}};

Test(fleet_policies, do_nothing_while_power_or_budget_is_not_known) {
  for (size_t i = 0; i < 3; i++) {
    fixture made = make(defaults[i].name, defaults[i].json);
    plant p = {.settled = 1, .budget_w = NAN};
    add_job(&p, "any", 0, 8, 390);
    cr_expect_eq((turn(&made, &p, NULL), p.jobs[0].cap_w), 400, "%s without a budget", defaults[i].name);
    p.budget_w = 1000;
    p.base_w = NAN;
    cr_expect_eq((turn(&made, &p, NULL), p.jobs[0].cap_w), 400, "%s without a reading", defaults[i].name);
    fixture_free(&made);
  }
}

Test(fleet_policies, release_nothing_on_the_window_alone) {
  for (size_t i = 0; i < 3; i++) {
    fixture made = make(defaults[i].name, defaults[i].json);
    plant p = {.settled = 1, .budget_w = 1000};
    add_job(&p, "any", 0, 8, 390);
    turn(&made, &p, NULL);
    cr_expect_lt(p.jobs[0].cap_w, 400);
    fw_fleet_observation seen = observe(&p);
    seen.power_w = NAN;
    seen.window_mean_w = 100;
    cr_expect_eq(decide(&made, &seen).changes, 0, "%s", defaults[i].name);
    fixture_free(&made);
  }
}

Test(fleet_policies, leave_jobs_without_a_cap_range_alone) {
  for (size_t i = 0; i < 3; i++) {
    fixture made = make(defaults[i].name, defaults[i].json);
    plant p = {.settled = 1, .budget_w = 1000};
    add_job(&p, "any", 0, 8, 390);
    p.jobs[0].cap_min_w = 400;
    size_t changes;
    turn(&made, &p, &changes);
    cr_expect_eq(changes, 0, "%s", defaults[i].name);
    fixture_free(&made);
  }
}

static void check_rhythm(const char *name, const char *json, double interval_s, double window_s) {
  fixture made = make(name, json);
  double interval;
  double window;
  made.type->rhythm(made.settings, &interval, &window);
  cr_expect_eq(interval, interval_s, "%s", name);
  cr_expect_eq(window, window_s, "%s", name);
  cr_expect_eq(made.type->drives(made.settings), 1u << FW_ACTUATOR_POWER_CAP_W, "%s", name);
  fixture_free(&made);
}

Test(fleet_policies, state_their_rhythm) {
  check_rhythm("uniform_cap", "{}", 5, 30);
  check_rhythm("class_cap", defaults[1].json, 5, 30);
  check_rhythm("priority_cap", "{}", 3, 30);
  check_rhythm("uniform_cap", "{\"interval_s\": 10, \"window\": \"5 min\"}", 10, 300);
}

Test(fleet_policies, refuse_an_interval_within_the_age_of_telemetry) {
  refused("uniform_cap", "{\"interval_s\": 1}", WORDS("above 1 s"));
  refused("priority_cap", "{\"interval_ms\": 500}", WORDS("above 1 s"));
}

/* ---- uniform_cap ---- */

/* 4 GPUs at 300 W, 4 at 200 W and 8 at 100 W: 2800 W. */
static plant three_jobs(double budget_w) {
  plant p = {.settled = 1, .budget_w = budget_w};
  add_job(&p, "any", 0, 4, 300);
  add_job(&p, "any", 0, 4, 200);
  add_job(&p, "any", 0, 8, 100);
  return p;
}

static void check_level(double budget_w, double level_w) {
  fixture made = make("uniform_cap", "{\"target_share\": 1}");
  plant p = three_jobs(budget_w);
  turn(&made, &p, NULL);
  for (size_t i = 0; i < p.count; i++) {
    cr_expect_float_eq(p.jobs[i].cap_w, level_w, 1e-9, "%g W: 40 bisections of 200 W leave 2e-10 W", budget_w);
  }
  fixture_free(&made);
}

Test(uniform_cap, falls_to_the_water_level) {
  check_level(2450, 212.5); /* 350 W off the first job's 4 GPUs */
  check_level(2400, 200);   /* just to the second job's draw */
  check_level(2000, 150);   /* 400 W off the first job, then 400 W off 8 GPUs */
  check_level(1000, 100);   /* more than all caps can give */
}

Test(uniform_cap, changes_nothing_at_or_below_its_target) {
  fixture made = make("uniform_cap", "{\"target_share\": 1}");
  plant p = three_jobs(2800);
  size_t changes;
  turn(&made, &p, &changes);
  cr_expect_eq(changes, 0);
  fixture_free(&made);
}

/* What a common cap takes off, for the oracle. */
static double taken_off(const plant *p, double level_w) {
  double taken_w = 0.0;
  for (size_t i = 0; i < p->count; i++) {
    double cap_w = fmax(level_w, p->jobs[i].cap_min_w);
    taken_w += fmax(p->demand_w[i] - cap_w, 0.0) * (double)p->jobs[i].gpus;
  }
  return taken_w;
}

static int descending(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x < y) - (x > y);
}

/* The water level from the breakpoints of the piecewise linear relief, by interpolation. */
static double oracle_level(const plant *p, double excess_w) {
  double points[2 * MOST_JOBS];
  size_t count = 0;
  for (size_t i = 0; i < p->count; i++) {
    points[count++] = p->demand_w[i];
    points[count++] = p->jobs[i].cap_min_w;
  }
  qsort(points, count, sizeof points[0], descending);
  for (size_t i = 1; i < count; i++) {
    double above_w = taken_off(p, points[i - 1]);
    double below_w = taken_off(p, points[i]);
    if (below_w < excess_w || below_w == above_w) continue;
    return points[i - 1] - (excess_w - above_w) / (below_w - above_w) * (points[i - 1] - points[i]);
  }
  return points[count - 1];
}

Test(uniform_cap, level_agrees_with_interpolation_between_breakpoints) {
  fw_stream stream = fw_stream_make(2, FW_DRAW_TEST, 1);
  for (uint64_t trial = 0; trial < 500; trial++) {
    plant p;
    double power_w = random_plant(&p, stream, trial, 1.0);
    double most_w = power_w - floor_power(&p);
    double excess_w = most_w * fw_random_uniform(stream, trial, 1002);
    p.budget_w = power_w - excess_w;
    double level_w = oracle_level(&p, excess_w);
    fixture made = make("uniform_cap", "{\"target_share\": 1}");
    turn(&made, &p, NULL);
    for (size_t i = 0; i < p.count; i++) {
      double expected_w = fmax(level_w, p.jobs[i].cap_min_w);
      cr_assert_float_eq(p.jobs[i].cap_w, expected_w, 1e-6, "sums of up to 5 kW round at 1e-12 W, slopes are 1 to 100");
    }
    fixture_free(&made);
  }
}

/* Caps that hold exactly or settle below: under the target after one decision, and from then on only upwards. */
static void check_approach(double settled) {
  fw_stream stream = fw_stream_make(3, FW_DRAW_TEST, 2);
  for (uint64_t trial = 0; trial < 200; trial++) {
    plant p;
    double free_w = random_plant(&p, stream, trial, settled);
    double least_w = floor_power(&p);
    double target_w = least_w + (1.1 * free_w - least_w) * fw_random_uniform(stream, trial, 1002);
    p.budget_w = target_w / 0.98;
    fixture made = make("uniform_cap", "{}");
    turn(&made, &p, NULL);
    double power_w = settle(&p);
    for (size_t i = 0; i < 150; i++) {
      cr_assert_leq(settle(&p), target_w * (1 + 1e-9), "trial %zu, decision %zu", (size_t)trial, i);
      cr_assert_geq(settle(&p), power_w - 1e-6, "trial %zu, decision %zu: bisection to 1e-9 W", (size_t)trial, i);
      power_w = settle(&p);
      turn(&made, &p, NULL);
    }
    double reachable_w = fmin(target_w, free_w);
    cr_assert_geq(power_w, 0.99 * reachable_w, "trial %zu: 150 decisions bring it within 1 %%", (size_t)trial);
    fixture_free(&made);
  }
}

Test(uniform_cap, meets_the_target_in_one_decision_and_does_not_oscillate) {
  check_approach(1.0);
  check_approach(0.97); /* A100-like: settled means lie 2 to 5 % below the cap */
}

Test(uniform_cap, converges_where_draws_sit_above_their_caps) {
  fixture made = make("uniform_cap", "{\"target_share\": 1}");
  plant p = three_jobs(2200);
  p.settled = 1.05;
  double high_w = 0.0;
  double low_w = INFINITY;
  for (size_t i = 0; i < 60; i++) {
    double power_w = turn(&made, &p, NULL);
    if (i < 2) continue;
    high_w = fmax(high_w, power_w);
    low_w = fmin(low_w, power_w);
  }
  /* The first decision expects draws at their caps, the second has seen how far above they are. */
  cr_expect_leq(high_w, 2200 + 1e-6);
  cr_expect_geq(low_w, 2200 - 1e-6);
  fixture_free(&made);
}

Test(uniform_cap, releases_at_its_rate_and_catches_a_surge_in_one_decision) {
  fixture made = make("uniform_cap", "{\"target_share\": 1, \"release_w_per_s\": 2}");
  plant p = three_jobs(2450);
  turn(&made, &p, NULL);
  cr_expect_float_eq(p.jobs[0].cap_w, 212.5, 1e-9);
  p.demand_w[0] = 50; /* between two phases; headroom 650 W over 16 GPUs is above 10 W a decision */
  for (size_t i = 1; i <= 5; i++)
    turn(&made, &p, NULL);
  /* The window still holds the 2800 W at first: mean of 2800, 1800 x 5 is below 2450, and before six there is none. */
  cr_expect_float_eq(p.jobs[0].cap_w, 262.5, 1e-9, "five decisions, 5 s apart, at 2 W/s");
  p.demand_w[0] = 300;
  cr_expect_float_eq(turn(&made, &p, NULL), 2650, 1e-6, "the surge, up to the cap");
  cr_expect_float_eq(settle(&p), 2450, 1e-6);
  fixture_free(&made);
}

Test(uniform_cap, the_window_delays_release_and_never_lowers_the_cap) {
  fixture made = make("uniform_cap", "{\"target_share\": 1}");
  plant p = three_jobs(2450);
  fw_fleet_observation seen = observe(&p);
  answer first = decide(&made, &seen);
  p.jobs[0].cap_w = p.jobs[1].cap_w = p.jobs[2].cap_w = first.cap_w[0];
  seen = observe(&p);
  seen.window_mean_w = 2700;
  seen.power_w = 2000;
  cr_expect_eq(decide(&made, &seen).changes, 0);
  seen.window_mean_w = 2000;
  cr_expect_eq(decide(&made, &seen).changes, 3);
  fixture_free(&made);
}

Test(uniform_cap, refuses_wrong_settings) {
  refused("uniform_cap", "{\"target_share\": 98}", WORDS("98"));
  refused("uniform_cap", "{\"target_share\": 0}", WORDS("above 0"));
  refused("uniform_cap", "{\"release_w_per_s\": 0}", WORDS("above 0"));
  refused("uniform_cap", "{\"target_shar\": 0.9}", WORDS("target_shar", "\"target_share\""));
}

/* ---- class_cap ---- */

static const char class_caps[] =
    "{\"caps\": [{\"class\": \"72b\", \"cap_w\": 250}, {\"class\": \"7b\", \"cap\": \"80 W\"}]}";

static plant two_classes(void) {
  plant p = {.settled = 1, .budget_w = 1000};
  add_job(&p, "72b", 0, 2, 380);
  add_job(&p, "7b", 0, 1, 200);
  add_job(&p, "other", 0, 1, 200);
  return p;
}

static fw_fleet_observation shown(plant *p, double power_w, double window_mean_w) {
  fw_fleet_observation seen = observe(p);
  seen.power_w = power_w;
  seen.window_mean_w = window_mean_w;
  return seen;
}

Test(class_cap, engages_and_releases_at_its_thresholds) {
  fixture made = make("class_cap", class_caps);
  plant p = two_classes();
  fw_fleet_observation seen = shown(&p, 950, NAN);
  cr_expect_eq(decide(&made, &seen).changes, 0, "not above 95 %%");
  seen = shown(&p, 951, 700);
  answer given = decide(&made, &seen);
  cr_expect_eq(given.changes, 2);
  cr_expect_eq(given.cap_w[0], 250);
  cr_expect_eq(given.cap_w[1], 100, "80 W is below what the GPU allows");
  p.jobs[0].cap_w = 250;
  p.jobs[1].cap_w = 100;
  seen = shown(&p, 990, 990);
  cr_expect_eq(decide(&made, &seen).changes, 0, "in force already");
  seen = shown(&p, 840, 860);
  cr_expect_eq(decide(&made, &seen).changes, 0, "the window is still above 85 %%");
  seen = shown(&p, 840, 849);
  given = decide(&made, &seen);
  cr_expect_eq(given.changes, 2);
  cr_expect_eq(given.cap_w[0], 400);
  cr_expect_eq(given.cap_w[1], 400);
  fixture_free(&made);
}

Test(class_cap, caps_jobs_that_start_while_engaged) {
  fixture made = make("class_cap", class_caps);
  plant p = two_classes();
  fw_fleet_observation seen = shown(&p, 990, 990);
  decide(&made, &seen);
  p.jobs[0].cap_w = 250;
  p.jobs[1].cap_w = 100;
  add_job(&p, "72b", 0, 4, 300);
  seen = shown(&p, 900, 900);
  answer given = decide(&made, &seen);
  cr_expect_eq(given.changes, 1);
  cr_expect_eq(given.cap_w[3], 250);
  fixture_free(&made);
}

Test(class_cap, leaves_other_caps_alone_while_released) {
  fixture made = make("class_cap", class_caps);
  plant p = two_classes();
  p.jobs[0].cap_w = 300; /* set by the job's own policy */
  fw_fleet_observation seen = shown(&p, 500, 500);
  cr_expect_eq(decide(&made, &seen).changes, 0);
  fixture_free(&made);
}

Test(class_cap, engage_above_zero_means_always) {
  fixture made = make("class_cap", "{\"engage_above\": 0, \"caps\": [{\"class\": \"72b\", \"cap_w\": 250}]}");
  plant p = two_classes();
  fw_fleet_observation seen = shown(&p, NAN, NAN);
  cr_expect_eq(decide(&made, &seen).cap_w[0], 250);
  seen = shown(&p, 10, 10);
  cr_expect_eq(decide(&made, &seen).cap_w[0], 250);
  fixture_free(&made);
}

Test(class_cap, holds_still_where_the_capped_fleet_stays_above_release) {
  fixture made = make("class_cap", "{\"caps\": [{\"class\": \"72b\", \"cap_w\": 300}]}");
  plant p = two_classes(); /* 1160 W free, 1000 W capped: 87 % of 1150 W, above release */
  p.budget_w = 1150;
  size_t changes;
  turn(&made, &p, &changes);
  cr_expect_eq(changes, 1);
  for (size_t i = 0; i < 100; i++) {
    cr_expect_eq(turn(&made, &p, &changes), 1000);
    cr_expect_eq(changes, 0);
  }
  fixture_free(&made);
}

Test(class_cap, refuses_wrong_settings) {
  refused("class_cap", "{}", WORDS("caps"));
  refused("class_cap", "{\"caps\": []}", WORDS("at least 1"));
  refused("class_cap", "{\"caps\": [{\"class\": \"a\"}]}", WORDS("cap_w"));
  refused("class_cap", "{\"caps\": [{\"class\": \"a\", \"cap_w\": 250}, {\"class\": \"a\", \"cap_w\": 300}]}",
          WORDS("caps[1]", "\"a\""));
  refused("class_cap", "{\"caps\": [{\"class\": \"72B\", \"cap_w\": 250}]}", WORDS("caps[0]", "\"72B\""));
  refused("class_cap", "{\"caps\": [{\"class\": \"a\", \"cap_w\": 49}]}", WORDS("caps[0]", "49 W", "50 to 400 W"));
  refused("class_cap", "{\"caps\": [{\"class\": \"a\", \"cap_w\": 401}]}", WORDS("caps[0]", "401 W", "50 to 400 W"));
  refused("class_cap", "{\"release_below\": 0.96, \"caps\": [{\"class\": \"a\", \"cap_w\": 250}]}",
          WORDS("release_below (0.96)", "engage_above (0.95)"));
}

/* ---- priority_cap ---- */

/* 4 GPUs of priority 0, 4 of priority 1 and 8 of priority 5, all at 350 W: 5600 W. */
static plant three_priorities(double budget_w) {
  plant p = {.settled = 1, .budget_w = budget_w};
  add_job(&p, "any", 1, 4, 350);
  add_job(&p, "any", 0, 4, 350);
  add_job(&p, "any", 5, 8, 350);
  return p;
}

static size_t turns_until_still(fixture *made, plant *p, size_t most) {
  size_t changes = 1;
  for (size_t i = 0; i < most; i++) {
    turn(made, p, &changes);
    if (changes == 0) return i;
  }
  return most;
}

Test(priority_cap, caps_the_lowest_priority_step_by_step) {
  fixture made = make("priority_cap", "{}");
  plant p = three_priorities(5000); /* capped above 4850 W; 25 W on 4 GPUs is 100 W a decision */
  turn(&made, &p, NULL);
  cr_expect_eq(p.jobs[1].cap_w, 325, "from the draw, not from the cap that did not bind");
  cr_expect_eq(1 + turns_until_still(&made, &p, 100), 8);
  cr_expect_eq(p.jobs[1].cap_w, 150);
  cr_expect_eq(p.jobs[0].cap_w, 400);
  cr_expect_eq(p.jobs[2].cap_w, 400);
  cr_expect_eq(settle(&p), 4800);
  fixture_free(&made);
}

Test(priority_cap, moves_up_when_the_lowest_is_at_its_floor) {
  fixture made = make("priority_cap", "{}");
  plant p = three_priorities(4000); /* 10 decisions take priority 0 to its floor, 8 more suffice: 3880 W */
  cr_expect_eq(turns_until_still(&made, &p, 100), 18);
  cr_expect_eq(p.jobs[1].cap_w, 100);
  cr_expect_eq(p.jobs[0].cap_w, 150);
  cr_expect_eq(p.jobs[2].cap_w, 400);
  fixture_free(&made);
}

Test(priority_cap, does_not_pass_the_middle_of_the_band) {
  fixture made = make("priority_cap", "{\"step_w\": 400}");
  plant p = three_priorities(5000);
  cr_expect_eq(turns_until_still(&made, &p, 100), 1);
  cr_expect_float_eq(p.jobs[1].cap_w, 118.75, 1e-9, "925 W above 93.5 %% of 5000 W, over 4 GPUs");
  fixture_free(&made);
}

Test(priority_cap, releases_the_highest_priority_first) {
  fixture made = make("priority_cap", "{\"step_w\": 100}");
  plant p = three_priorities(4000);
  turns_until_still(&made, &p, 100);
  p.demand_w[2] = 200; /* 1200 W less */
  double before[2] = {p.jobs[0].cap_w, p.jobs[1].cap_w};
  for (size_t i = 0; i < 7 && p.jobs[0].cap_w == before[0]; i++)
    turn(&made, &p, NULL); /* until the window has seen it */
  cr_expect_gt(p.jobs[0].cap_w, before[0]);
  cr_expect_eq(p.jobs[1].cap_w, before[1]);
  turns_until_still(&made, &p, 100);
  cr_expect_gt(p.jobs[1].cap_w, before[1], "then the lower one");
  cr_expect_eq(p.jobs[0].cap_w, 400);
  cr_expect_leq(settle(&p), 0.97 * 4000);
  fixture_free(&made);
}

Test(priority_cap, starts_from_the_window_while_a_job_is_between_phases) {
  fixture made = make("priority_cap", "{}");
  plant p = three_priorities(4000);
  fw_fleet_observation seen = observe(&p);
  p.jobs[1].power_w = 4 * 70;
  p.jobs[1].window_mean_w = 4 * 330;
  cr_expect_eq(decide(&made, &seen).cap_w[1], 305, "not the floor, which a draw of 70 W would give");
  fixture_free(&made);
}

Test(priority_cap, lowers_a_cap_that_holds_its_job_by_one_step) {
  fixture made = make("priority_cap", "{}");
  plant p = three_priorities(4000);
  p.settled = 0.97;
  p.jobs[1].cap_w = 300;
  fw_fleet_observation seen = observe(&p);
  cr_expect_eq(decide(&made, &seen).cap_w[1], 275, "not from the 291 W at which the cap has settled");
  fixture_free(&made);
}

/* Random fleets: below the band's top, or at the floor, within the decisions that its steps need; then still. */
static void check_settles(const char *json, double step_w, double settled) {
  fw_stream stream = fw_stream_make(4, FW_DRAW_TEST, 3);
  for (uint64_t trial = 0; trial < 200; trial++) {
    plant p;
    double free_w = random_plant(&p, stream, trial, settled);
    double least_w = floor_power(&p);
    p.budget_w = (least_w + (1.1 * free_w - least_w) * fw_random_uniform(stream, trial, 1002)) / 0.97;
    double smallest_w = fmin(step_w, 0.035 * p.budget_w / (MOST_JOBS * 8.0));
    size_t most = (size_t)(4 * ceil(300 / smallest_w)) + WINDOW_DECISIONS + 1; /* four priorities, 300 W of range */
    fixture made = make("priority_cap", json);
    size_t needed = turns_until_still(&made, &p, most);
    cr_assert_lt(needed, most, "trial %zu", (size_t)trial);
    cr_assert_leq(settle(&p), fmax(0.97 * p.budget_w, least_w) * (1 + 1e-12), "trial %zu", (size_t)trial);
    for (size_t i = 0; i < 50; i++) {
      size_t changes;
      turn(&made, &p, &changes);
      cr_assert_eq(changes, 0, "trial %zu moves after it had settled", (size_t)trial);
    }
    fixture_free(&made);
  }
}

Test(priority_cap, settles_on_random_fleets_and_does_not_oscillate) {
  check_settles("{}", 25, 1.0);
  check_settles("{}", 25, 0.97);
  check_settles("{\"step_w\": 1000}", 1000, 1.0);
}

Test(priority_cap, refuses_wrong_settings) {
  refused("priority_cap", "{\"engage_above\": 0.9}", WORDS("release_below (0.9)", "engage_above (0.9)"));
  refused("priority_cap", "{\"step_w\": 0}", WORDS("above 0"));
  refused("priority_cap", "{\"step\": 25}", WORDS("step_w"));
}

/* Restagger against a brute force over all orders and starts, on a toy plant of jobs that do nothing but steps, and on
 * a simulated fleet through its step counters. */
#include "sim/base/random.h"
#include "tests/policy_fixture.h"
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

enum { MOST_JOBS = 8 };

static const fw_fleet_setup setup = {.seed = 5, .job_count = MOST_JOBS, .nameplate_w = 6400};

static fixture make(const char *json) {
  fixture made = fixture_make(FW_POLICY_FLEET, "restagger", json, NULL, &setup);
  cr_assert_eq(made.status, FW_OK, "%s", made.diagnostics.count > 0 ? made.diagnostics.entries[0].message : "");
  return made;
}

typedef struct answer {
  double offset_s[MOST_JOBS];
} answer;

static answer decide(fixture *made, const fw_fleet_job *jobs, size_t count) {
  answer given;
  double cap_w[MOST_JOBS];
  double budget_w[MOST_JOBS];
  for (size_t i = 0; i < MOST_JOBS; i++)
    cap_w[i] = budget_w[i] = given.offset_s[i] = NAN;
  fw_fleet_action action = {cap_w, budget_w, given.offset_s};
  const fw_fleet_observation seen = {.power_w = NAN, .budget_w = NAN, .jobs = jobs, .job_count = count};
  cr_assert_eq(made->type->decide_fleet(made->state, &seen, &action, &made->diagnostics), FW_OK);
  for (size_t i = 0; i < MOST_JOBS; i++) {
    cr_expect(isnan(cap_w[i]) && isnan(budget_w[i]), "only starts are driven");
  }
  return given;
}

static fw_fleet_job stepping(const char *job_class, double elapsed_s, double length_s) {
  return (fw_fleet_job){.job_class = job_class,
                        .gpus = 1,
                        .power_w = NAN,
                        .step_elapsed_s = elapsed_s,
                        .step_length_s = length_s,
                        .start_offset_max_s = 86400};
}

/* ---- Numbers by hand ---- */

Test(restagger, spreads_aligned_jobs_over_a_cycle) {
  fixture made = make("{\"tolerance\": 0}");
  fw_fleet_job jobs[4];
  for (size_t i = 0; i < 4; i++)
    jobs[i] = stepping("a", 20, 60);
  const answer given = decide(&made, jobs, 4);
  for (size_t i = 0; i < 4; i++) {
    cr_expect_float_eq(given.offset_s[i], 15.0 * (double)i, 1e-12, "job %zu: %g s", i, given.offset_s[i]);
  }
  fixture_free(&made);
}

Test(restagger, leaves_jobs_that_are_apart_where_they_are) {
  fixture made = make("{\"tolerance\": 0}");
  fw_fleet_job jobs[3] = {stepping("a", 50, 60), stepping("a", 10, 60), stepping("a", 30, 60)};
  const answer given = decide(&made, jobs, 3);
  for (size_t i = 0; i < 3; i++)
    cr_expect_float_eq(given.offset_s[i], 0.0, 1e-12);
  fixture_free(&made);
}

/* Due in 10 and 20 s where 30 s should lie between them: the later one waits 20 s, 14 of them beyond a tenth of 60. */
Test(restagger, puts_off_only_what_goes_beyond_the_tolerance) {
  fixture made = make("{}");
  fw_fleet_job jobs[2] = {stepping("a", 50, 60), stepping("a", 40, 60)};
  answer given = decide(&made, jobs, 2);
  cr_expect_eq(given.offset_s[0], 0.0);
  cr_expect_float_eq(given.offset_s[1], 14.0, 1e-12);
  jobs[1].step_elapsed_s = 25.0; /* due in 35 s, 5 s early */
  given = decide(&made, jobs, 2);
  cr_expect_eq(given.offset_s[0], 0.0, "what was asked for before is taken back");
  cr_expect_eq(given.offset_s[1], 0.0);
  fixture_free(&made);
}

Test(restagger, spreads_each_class_for_itself) {
  fixture made = make("{\"tolerance\": 0}");
  fw_fleet_job jobs[5] = {stepping("a", 0, 40), stepping("b", 7, 100), stepping("a", 0, 40), stepping("c", 9, 50),
                          stepping("b", 7, 100)};
  const answer given = decide(&made, jobs, 5);
  cr_expect_eq(given.offset_s[0], 0.0);
  cr_expect_eq(given.offset_s[1], 0.0);
  cr_expect_float_eq(given.offset_s[2], 20.0, 1e-12);
  cr_expect(isnan(given.offset_s[3]), "one of its kind");
  cr_expect_float_eq(given.offset_s[4], 50.0, 1e-12);
  fixture_free(&made);
}

/* A job that waits for its start, 30 s from now, is due at its phase like any other. */
Test(restagger, knows_a_start_that_is_still_put_off) {
  fixture made = make("{\"tolerance\": 0}");
  fw_fleet_job jobs[2] = {stepping("a", -30, 60), stepping("a", 60, 60)};
  const answer given = decide(&made, jobs, 2);
  cr_expect_float_eq(given.offset_s[0], 0.0, 1e-12);
  cr_expect_float_eq(given.offset_s[1], 0.0, 1e-12);
  fixture_free(&made);
}

Test(restagger, leaves_jobs_without_a_phase_alone) {
  fixture made = make("{\"tolerance\": 0}");
  fw_fleet_job jobs[5] = {stepping("a", 5, NAN), stepping("a", NAN, 60), stepping(NULL, 5, 60), stepping("a", 5, 60),
                          stepping("a", 5, 60)};
  jobs[4].start_offset_max_s = 0; /* offers none */
  const answer given = decide(&made, jobs, 5);
  for (size_t i = 0; i < 5; i++)
    cr_expect(isnan(given.offset_s[i]));
  fixture_free(&made);
}

Test(restagger, states_its_rhythm_and_refuses_wrong_settings) {
  fixture made = make("{\"interval_s\": 45}");
  double interval_s = 0.0;
  double window_s = 0.0;
  made.type->rhythm(made.settings, &interval_s, &window_s);
  cr_expect_eq(interval_s, 45);
  cr_expect_gt(window_s, 0);
  cr_expect_eq(made.type->drives(made.settings), 1u << FW_ACTUATOR_START_OFFSET_S);
  fixture_free(&made);
  fixture_refused(FW_POLICY_FLEET, "restagger", "{\"interval_s\": 0}", NULL, &setup, WORDS("above 0"));
  fixture_refused(FW_POLICY_FLEET, "restagger", "{\"tolerance\": 1.5}", NULL, &setup, WORDS("1.5"));
}

/* ---- The least delays, by brute force ---- */

static double wrap(double value, double cycle) {
  const double rest = fmod(value, cycle);
  return rest < 0 ? rest + cycle : rest;
}

/* The delays that bring job i to slot order[i], the first job of no delay being `anchor`. */
static double total_delay(const double *due, const size_t *order, size_t count, size_t anchor, double cycle) {
  const double slot = cycle / (double)count;
  const double start = due[anchor] - (double)order[anchor] * slot;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    const double delay = wrap(start + (double)order[i] * slot - due[i], cycle);
    sum += delay > cycle - 1e-9 ? 0.0 : delay; /* the anchor itself, off by rounding */
  }
  return sum;
}

static double least_delay(const double *due, size_t *order, size_t fixed, size_t count, double cycle) {
  double least = INFINITY;
  if (fixed == count) {
    for (size_t anchor = 0; anchor < count; anchor++)
      least = fmin(least, total_delay(due, order, count, anchor, cycle));
    return least;
  }
  for (size_t i = fixed; i < count; i++) {
    const size_t kept = order[fixed];
    order[fixed] = order[i];
    order[i] = kept;
    least = fmin(least, least_delay(due, order, fixed + 1, count, cycle));
    order[i] = order[fixed];
    order[fixed] = kept;
  }
  return least;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

static void check_random(fixture *made, fw_stream stream, uint64_t trial) {
  fw_fleet_job jobs[MOST_JOBS];
  double due[MOST_JOBS];
  double starts[MOST_JOBS];
  size_t order[MOST_JOBS];
  const double cycle = 20 + 100 * fw_random_uniform(stream, trial, 100);
  const size_t count = 2 + (size_t)fw_random_below(stream, trial, 4);
  for (size_t i = 0; i < count; i++) {
    const double elapsed = cycle * (1.5 * fw_random_uniform(stream, trial, (uint32_t)i) - 0.5);
    jobs[i] = stepping("a", elapsed, cycle);
    due[i] = wrap(cycle - elapsed, cycle);
    order[i] = i;
  }
  const answer given = decide(made, jobs, count);
  double total = 0.0;
  for (size_t i = 0; i < count; i++) {
    total += given.offset_s[i];
    starts[i] = wrap(due[i] + given.offset_s[i], cycle);
    cr_assert(given.offset_s[i] >= 0 && given.offset_s[i] < cycle);
  }
  qsort(starts, count, sizeof starts[0], ascending);
  for (size_t i = 0; i + 1 < count; i++) {
    /* Sums of some 100 s round at 1e-14. */
    cr_assert_float_eq(starts[i + 1] - starts[i], cycle / (double)count, 1e-9, "trial %zu", (size_t)trial);
  }
  cr_assert_float_eq(total, least_delay(due, order, 0, count, cycle), 1e-9, "trial %zu of %zu jobs", (size_t)trial,
                     count);
}

Test(restagger, spreads_evenly_with_the_least_delays) {
  const fw_stream stream = fw_stream_make(4, FW_DRAW_TEST, 3);
  fixture made = make("{\"tolerance\": 0}");
  for (uint64_t trial = 0; trial < 500; trial++)
    check_random(&made, stream, trial);
  fixture_free(&made);
}

/* ---- A toy plant ---- */

typedef struct plant {
  double began_s[MOST_JOBS];
  double length_s[MOST_JOBS]; /* of the present step */
  double last_s[MOST_JOBS];
  double offset_s[MOST_JOBS];
  double delayed_s;
  uint64_t steps;
  size_t count;
  double spread_s; /* steps last 60 s, up to so much more or less */
  fw_stream stream;
} plant;

static double draw_length(plant *p) {
  return 60 + p->spread_s * (2 * fw_random_uniform(p->stream, p->steps++, 0) - 1);
}

static plant aligned_plant(size_t count, double spread_s) {
  plant p = {.count = count, .spread_s = spread_s, .stream = fw_stream_make(6, FW_DRAW_TEST, 4)};
  for (size_t i = 0; i < count; i++) {
    p.length_s[i] = draw_length(&p);
    p.last_s[i] = NAN;
  }
  return p;
}

static void run_plant(plant *p, double until_s) {
  for (size_t i = 0; i < p->count; i++) {
    while (p->began_s[i] + p->length_s[i] <= until_s) {
      p->last_s[i] = p->length_s[i];
      p->began_s[i] += p->length_s[i] + p->offset_s[i];
      p->delayed_s += p->offset_s[i];
      p->offset_s[i] = 0;
      p->length_s[i] = draw_length(p);
    }
  }
}

static void turn(fixture *made, plant *p, double time_s) {
  fw_fleet_job jobs[MOST_JOBS];
  run_plant(p, time_s);
  for (size_t i = 0; i < p->count; i++)
    jobs[i] = stepping("a", time_s - p->began_s[i], p->last_s[i]);
  const answer given = decide(made, jobs, p->count);
  for (size_t i = 0; i < p->count; i++) {
    if (!isnan(given.offset_s[i])) p->offset_s[i] = given.offset_s[i];
  }
}

/* How far the smallest gap between two starts falls short of an even one, modulo 60 s. */
static double shortfall_s(const plant *p) {
  double phase[MOST_JOBS];
  double smallest = 60;
  for (size_t i = 0; i < p->count; i++)
    phase[i] = wrap(p->began_s[i], 60);
  qsort(phase, p->count, sizeof phase[0], ascending);
  for (size_t i = 0; i < p->count; i++) {
    const double next = i + 1 < p->count ? phase[i + 1] : phase[0] + 60;
    smallest = fmin(smallest, next - phase[i]);
  }
  return 60 / (double)p->count - smallest;
}

Test(restagger, brings_steps_of_one_length_apart_once_and_then_rests) {
  fixture made = make("{\"tolerance\": 0}");
  plant p = aligned_plant(4, 0);
  for (double time_s = 25; time_s <= 600; time_s += 25)
    turn(&made, &p, time_s);
  cr_expect_float_eq(shortfall_s(&p), 0, 1e-9);
  cr_expect_float_eq(p.delayed_s, 15 + 30 + 45, 1e-9, "and not a second more");
  fixture_free(&made);
}

/* Two starts then differ from their places by the tolerance at most, each way. */
Test(restagger, leaves_gaps_within_the_tolerance) {
  fixture made = make("{\"tolerance\": 0.05}");
  plant p = aligned_plant(4, 0);
  for (double time_s = 25; time_s <= 600; time_s += 25)
    turn(&made, &p, time_s);
  cr_expect_leq(shortfall_s(&p), 3 + 1e-9);
  fixture_free(&made);
}

/* Steps of 54 to 66 s: left alone, phases of four jobs have no relation after an hour; kept apart, they drift by a few
 * steps' chance. Mean over decisions, so that one lucky moment proves nothing. */
static double mean_shortfall(fixture *made) {
  plant p = aligned_plant(4, 6);
  double sum = 0;
  size_t turns = 0;
  for (double time_s = 30; time_s <= 36000; time_s += 30) {
    if (made != NULL) {
      turn(made, &p, time_s);
    } else {
      run_plant(&p, time_s);
    }
    if (time_s > 3600) sum += shortfall_s(&p), turns++;
  }
  return sum / (double)turns;
}

Test(restagger, keeps_steps_of_random_length_apart) {
  fixture made = make("{}");
  const double kept = mean_shortfall(&made);
  const double alone = mean_shortfall(NULL);
  /* Of four independent phases the smallest of four gaps is 60 / 16 s on average, 11.25 s short of 15 s. */
  cr_expect_float_eq(alone, 11.25, 1.0, "%g s; some 100 independent spacings of deviation 3 s", alone);
  cr_expect_lt(kept, 0.7 * alone, "%g s", kept);
  fixture_free(&made);
}

/* ---- In a simulated fleet ---- */

/* Four jobs, all at once; a step is 20 batches of 8 sequences, 100 tokens each, of 0.02 + 8 x 0.005 s: 120 s.
 * A little more than an hour, so that the 30th step does not end with the run. */
#define STEPPERS(policies)                                                                                             \
  HEAD("3605", "30", "'budget_w': 5000")                                                                               \
  ", 'seeds': 1, 'jobs': [{'kind': 'grpo', 'class': 'g', 'model': 'steady-job', 'prompts': 40, 'count': 4}]" policies  \
  "}"

static void end_times(const recorder *seen, double *last_s, size_t jobs) {
  for (size_t i = 0; i < seen->event_count; i++) {
    cr_assert_lt(seen->events[i].job, jobs);
    if (seen->events[i].kind == FW_SIM_STEP_END) {
      last_s[seen->events[i].job] = fw_time_to_seconds(seen->events[i].time);
    }
  }
}

Test(restagger, spreads_the_jobs_of_a_simulated_fleet) {
  fw_scenario *scenario = scenario_from(
      STEPPERS(", 'policies': [{'name': 'r', 'fleet': {'kind': 'restagger', 'tolerance': 0, 'interval_s': 50}}]"));
  recorder seen;
  recorder_start(&seen);
  fw_result result = run_observed(scenario, (fw_run_options){.seed = 1, .observer = &seen.observer});
  double last_s[4] = {0};
  end_times(&seen, last_s, 4);
  for (size_t i = 0; i < 4; i++)
    last_s[i] = wrap(last_s[i], 120);
  qsort(last_s, 4, sizeof last_s[0], ascending);
  for (size_t i = 0; i < 4; i++) {
    const double next = i < 3 ? last_s[i + 1] : last_s[0] + 120;
    cr_expect_float_eq(next - last_s[i], 30, 1e-6, "gap %zu: %g s; times are whole ns", i, next - last_s[i]);
  }
  cr_expect_eq(result.jobs[0].steps, 30, "the first is not delayed");
  cr_expect_eq(result.jobs[3].steps, 29, "the last waits 90 s, once");
  cr_expect_eq(result.jobs[3].adjusted_actions, 0);
  fw_result_clear(&result);
  recorder_free(&seen);
  fw_scenario_free(scenario);
}

/* Runs on to the next decision of the fleet, jobs left as they are; false at the end. */
static bool next_decision(fw_sim *sim, fw_fleet_observation *seen) {
  const fw_job_action nothing = {.set = 0};
  fw_sim_batch batch;
  do {
    cr_assert_eq(fw_sim_advance(sim, &batch, NULL), FW_OK);
    for (size_t i = 0; i < batch.job_count; i++)
      cr_assert_eq(fw_sim_act_job(sim, batch.jobs[i], &nothing, NULL), FW_OK);
  } while (batch.job_count > 0);
  if (batch.fleet) fw_sim_observe_fleet(sim, seen);
  return batch.fleet;
}

/* At 200 s the start of the third is put off by 20 s, from 240 to 260 s. */
static const struct {
  double time_s;
  double elapsed_s;
  double length_s;
} counters[] = {{100, 100, NAN}, {150, 30, 120}, {200, 80, 120}, {250, -10, 120}, {300, 40, 120}, {400, 20, 120}};

Test(restagger, fleet_policies_see_step_counters) {
  fw_scenario *scenario = scenario_from(STEPPERS(""));
  const fw_sim_options options = {.seed = 1, .fleet_interval = 50 * FW_NS_PER_S, .fleet_window = FW_NS_PER_S};
  fw_sim *sim = NULL;
  fw_fleet_observation seen;
  double offsets[4] = {NAN, NAN, NAN, NAN};
  double caps[4] = {NAN, NAN, NAN, NAN};
  double budgets[4] = {NAN, NAN, NAN, NAN};
  const fw_fleet_action action = {caps, budgets, offsets};
  size_t checked = 0;
  cr_assert_eq(fw_sim_create(scenario, &options, &sim, NULL), FW_OK);
  while (next_decision(sim, &seen)) {
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
      if (counters[i].time_s != seen.time_s) continue;
      const fw_fleet_job *job = &seen.jobs[1];
      cr_expect_eq(job->step_elapsed_s, counters[i].elapsed_s, "%g s: %g", seen.time_s, job->step_elapsed_s);
      cr_expect(job->step_length_s == counters[i].length_s || (isnan(job->step_length_s) && i == 0), "%g s: %g",
                seen.time_s, job->step_length_s);
      checked++;
    }
    offsets[1] = seen.time_s == 200 ? 20 : NAN;
    fw_sim_act_fleet(sim, &action);
  }
  cr_expect_eq(checked, sizeof counters / sizeof counters[0]);
  fw_sim_free(sim);
  fw_scenario_free(scenario);
}

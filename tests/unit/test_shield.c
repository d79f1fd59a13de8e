/* A shield against a second computation of what it forbids, from the readings that an observer hears; and runs under a
 * shield against runs of what it must come to. */
#include "sim/fleet/shield.h"

#include <stdio.h>

#include "sim/fleet/digest.h"
#include "sim/fleet/profile.h"
#include "sim/study/arms.h"
#include "tests/scenario_fixture.h"

#define PLAIN(count) "{'kind': 'grpo', 'class': 'plain', 'model': 'plain-job', 'count': " count "}"
#define SQUARE "{'kind': 'cycle', 'class': 'square', 'gpus': 1, " SQUARE_PHASES "}"
#define STATIC_8 "'job': {'kind': 'static', 'concurrency': 8}"
#define ARM(name, policy, shield)                                                                                      \
  "{'name': '" name "', 'classes': ['plain'], 'job': " policy ", 'shield': {" shield "}}"

/* ---- What is forbidden ---- */

#define MOST_TICKS ((size_t)2000)
#define JOBS ((size_t)3)
#define TICKS_PER_S 2
#define BASE_W 1450.0
#define CLEAR_W 0.01 /* budgets are rounded to 1 mW, and the means of readings are sums in another order */

typedef struct record {
  double site_w[MOST_TICKS];
  double job_w[JOBS][MOST_TICKS];
  size_t count;
} record;

static void hear_tick(void *context, const fw_sim_tick *tick) {
  record *heard = context;
  cr_assert_lt(heard->count, MOST_TICKS);
  cr_assert_eq(tick->job_count, JOBS);
  heard->site_w[heard->count] = fw_power_to_watts(tick->reading);
  for (size_t j = 0; j < JOBS; j++)
    heard->job_w[j][heard->count] = fw_power_to_watts(tick->job_reading[j]);
  heard->count++;
}

static void hear_event(void *context, const fw_sim_event *event) {
  (void)context, (void)event;
}

/* Of `count` readings before the `end`-th. */
static double mean_before(const double *readings, size_t end, size_t count) {
  double sum = 0.0;
  for (size_t i = end - count; i < end; i++)
    sum += readings[i];
  return sum / (double)count;
}

/* 1 for 100 s and 0.7 for 100 s, in turn: the integral from 0. */
static double budget_until(double time_s) {
  const double rounds = floor(time_s / 200.0);
  const double within = time_s - 200.0 * rounds;
  return BASE_W * (170.0 * rounds + (within < 100.0 ? within : 100.0 + 0.7 * (within - 100.0)));
}

/* How far a level's prediction is above what it is held to, W. */
static double excess_w(const record *heard, size_t job, double now_s, double window_s, double share,
                       const fw_profile *level, double share_w) {
  const double seconds = floor(now_s) - 1.0; /* of the site that are seen */
  const size_t visible = seconds > 0.0 ? (size_t)(TICKS_PER_S * seconds) : 0;
  if (visible == 0) return level->mean_w - share * share_w;
  const size_t window = (size_t)(window_s * TICKS_PER_S);
  const size_t recent = window < visible ? window : visible;
  const double others_w = mean_before(heard->site_w, visible, recent) - mean_before(heard->job_w[job], visible, recent);
  const double ahead_s = fmin(fw_time_to_seconds(level->decision), window_s);
  size_t past = (size_t)floor((window_s - ahead_s) * TICKS_PER_S);
  past = past < visible ? past : visible;
  const double past_s = (double)past / TICKS_PER_S;
  const double past_w = past > 0 ? mean_before(heard->site_w, visible, past) : 0.0;
  const double predicted_w = (past_w * past_s + (others_w + level->mean_w) * ahead_s) / (past_s + ahead_s);
  const double allowed = budget_until(now_s + ahead_s) - budget_until(now_s - past_s);
  return predicted_w - share * allowed / (past_s + ahead_s);
}

typedef struct tally {
  size_t forbidden;
  size_t allowed;
} tally;

/* All levels at one decision of a job. */
static void compare_levels(const fw_scenario *scenario, const fw_sim *sim, const record *heard, size_t job,
                           const fw_shield *shield, tally *seen) {
  fw_job_observation now;
  fw_sim_observe_job(sim, job, &now);
  const fw_actuator_range *range = &scenario->jobs[job].actuators[FW_ACTUATOR_CONCURRENCY];
  const uint32_t masked = fw_sim_shielded(sim, job, shield);
  double settings[FW_ACTUATOR_COUNT];
  memcpy(settings, scenario->jobs[job].initial, sizeof settings);
  cr_expect_eq(masked & 1u, 0, "one sequence draws the least");
  for (size_t i = 1; i < range->level_count; i++) {
    fw_profile level = {0};
    settings[FW_ACTUATOR_CONCURRENCY] = range->levels[i];
    cr_assert_eq(fw_job_profile(scenario, job, settings, &level, NULL), FW_OK);
    const double over_w = excess_w(heard, job, now.time_s, fw_time_to_seconds(scenario->windows[shield->window]),
                                   shield->share, &level, now.budget_w);
    if (fabs(over_w) < CLEAR_W) continue;
    const bool forbidden = (masked >> i & 1u) != 0;
    cr_expect_eq(forbidden, over_w > 0.0, "level %zu at %g s: %g W", i, now.time_s, over_w);
    seen->forbidden += forbidden;
    seen->allowed += !forbidden;
  }
}

static void compare_run(const char *arm, tally *seen) {
  static record heard;
  char text[1500];
  (void)snprintf(
      text, sizeof text,
      HEAD("600", "3, 30", "'budget_w': 1450") ", 'topology': {'gpus': 6}, 'budget_schedule': {'repeat_s': "
                                               "200, 'steps': [{'from_s': 0, 'factor': 1}, {'from_s': 100, 'factor': "
                                               "0.7}]}, 'jobs': [" PLAIN("2") ", " SQUARE "], 'policies': [%s]}",
      arm);
  fw_scenario *scenario = scenario_from(text);
  const fw_sim_observer observer = {&heard, hear_tick, hear_event};
  const fw_sim_options options = {.seed = 5, .budget = scenario->budgets[0].power, .observer = &observer};
  fw_sim *sim = NULL;
  fw_sim_batch batch;
  heard.count = 0;
  cr_assert_eq(fw_sim_create(scenario, &options, &sim, NULL), FW_OK);
  cr_assert(fw_sim_can_shield(sim, 1, &scenario->policies[0].shield));
  cr_expect_not(fw_sim_can_shield(sim, 2, &scenario->policies[0].shield));
  while (fw_sim_advance(sim, &batch, NULL) == FW_OK && batch.job_count > 0) {
    for (size_t i = 0; i < batch.job_count; i++) {
      fw_job_action action = {.set = 0};
      const size_t job = batch.jobs[i];
      if (job < 2) compare_levels(scenario, sim, &heard, job, &scenario->policies[0].shield, seen);
      if (job == 0 && heard.count % 3 == 0) { /* so that the past differs */
        action.set = 1u << FW_ACTUATOR_CONCURRENCY;
        action.settings[FW_ACTUATOR_CONCURRENCY] = heard.count % 2 == 0 ? 1 : 8;
      }
      cr_assert_eq(fw_sim_act_job(sim, job, &action, NULL), FW_OK);
    }
  }
  fw_sim_free(sim);
  fw_scenario_free(scenario);
}

Test(shield, forbids_what_a_second_computation_forbids) {
  static const char *const arms[] = {
      ARM("short", "{'kind': 'static', 'concurrency': 8}", "'window_s': 3"),
      ARM("long", "{'kind': 'static', 'concurrency': 8}", "'window_s': 30"),
      ARM("margin", "{'kind': 'static', 'concurrency': 8}", "'window_s': 30, 'share': 0.9"),
  };
  for (size_t i = 0; i < sizeof arms / sizeof arms[0]; i++) {
    tally seen = {0};
    compare_run(arms[i], &seen);
    cr_expect_gt(seen.forbidden, 20, "%s forbids %zu", arms[i], seen.forbidden);
    cr_expect_gt(seen.allowed, 20, "%s allows %zu", arms[i], seen.allowed);
  }
}

/* ---- What it comes to ---- */

static uint64_t digest_of(const fw_scenario *scenario, size_t policy) {
  fw_digest digest;
  fw_digest_start(&digest, NULL);
  fw_result result =
      run_observed(scenario, (fw_run_options){.seed = 3, .policy = policy, .observer = &digest.observer});
  fw_result_clear(&result);
  return digest.hash;
}

/* A window of one tick is over before any decision is, so what is forbidden depends on nothing but the setting: of one
 * job alone a level is allowed exactly where its own mean keeps to the share of the budget. */
Test(shield, over_one_job_and_a_short_window_is_a_fixed_limit) {
  static const char *const form = HEAD("400", "0.5", "'budget_w': 1000") ", 'jobs': [" PLAIN(
      "1") "], 'policies': [{'name': 's', " STATIC_8
           ", 'shield': {'window_s': 0.5, 'share': %.6f}}, {'name': 'at', 'job': {'kind': 'static', "
           "'concurrency': %d}}, {'name': 'q', 'job': {'kind': 'uncontrolled'}}]}";
  static const int levels[] = {1, 2, 4, 8};
  double means[4];
  char text[1500];
  (void)snprintf(text, sizeof text, form, 1.0, 8);
  fw_scenario *scenario = scenario_from(text);
  for (size_t i = 0; i < 4; i++) {
    fw_profile level = {0};
    double settings[FW_ACTUATOR_COUNT];
    memcpy(settings, scenario->jobs[0].initial, sizeof settings);
    settings[FW_ACTUATOR_CONCURRENCY] = levels[i];
    cr_assert_eq(fw_job_profile(scenario, 0, settings, &level, NULL), FW_OK);
    means[i] = level.mean_w;
  }
  fw_scenario_free(scenario);
  for (size_t i = 0; i < 4; i++) {
    /* Between this level's mean and the next one's; below all of them, the least is left. */
    const double shares[] = {(means[i] + (i < 3 ? means[i + 1] : 1000.0)) / 2000.0, 0.5 * means[0] / 1000.0};
    for (size_t s = 0; s < (i == 0 ? 2 : 1); s++) {
      (void)snprintf(text, sizeof text, form, shares[s], levels[i]);
      scenario = scenario_from(text);
      cr_expect_eq(digest_of(scenario, 0), digest_of(scenario, 1), "share %g is not %d", shares[s], levels[i]);
      fw_scenario_free(scenario);
    }
  }
}

/* A static policy asks once; what it asked for comes back when the budget does. */
Test(shield, lets_go_of_what_was_asked_for) {
  fw_scenario *scenario = scenario_from(
      HEAD("900", "3", "'budget_w': 1000") ", 'budget_schedule': {'steps': [{'from_s': 0, 'factor': 1}, {'from_s': "
                                           "300, 'factor': 0.1}, {'from_s': 600, 'factor': 1}]}, 'jobs': [" PLAIN(
                                               "1") "], 'policies': [{'name': 's', " STATIC_8
                                                    ", 'shield': {'window_s': 3}}, {'name': 'p', " STATIC_8 "}]}");
  fw_result held = run_observed(scenario, (fw_run_options){.seed = 3, .policy = 0});
  fw_result free_run = run_observed(scenario, (fw_run_options){.seed = 3, .policy = 1});
  cr_expect_lt(held.tokens, free_run.tokens);
  cr_expect_gt(held.tokens, free_run.tokens / 2, "held for a third of the time: %lld of %lld", (long long)held.tokens,
               (long long)free_run.tokens);
  fw_result_clear(&held);
  fw_result_clear(&free_run);
  fw_scenario_free(scenario);
}

Test(shield, makes_an_arm_depend_on_budgets) {
  fw_scenario *scenario = scenario_from(HEAD("60", "30", "'oversubscription': [1, 2]") ", 'jobs': [" PLAIN(
      "1") "], 'policies': [{'name': 's', " STATIC_8 ", 'shield': {}}, {'name': 'p', " STATIC_8 "}]}");
  cr_expect_not(fwi_serves_all_budgets(scenario, 0));
  cr_expect(fwi_serves_all_budgets(scenario, 1));
  cr_expect_eq(scenario->policies[0].shield.window, 0, "of 30 s, where none is given");
  cr_expect_eq(scenario->policies[0].shield.share, 1.0);
  cr_expect_not(scenario->policies[1].shield.on);
  fw_scenario_free(scenario);
}

/* ---- What is refused ---- */

typedef struct refusal {
  const char *arm; /* the fault stands in its second line */
  const char *path;
  const char *words;
} refusal;

Test(shield, is_refused_where_it_stands) {
  static const refusal refusals[] = {
      {"{'name': 'p', 'classes': ['plain'], " STATIC_8 ", 'shield': {\n'window_s': 7}}", "policies[0].shield.window_s",
       "no window of 7 s"},
      {"{'name': 'p', 'classes': ['plain'],\n'shield': {}}", "policies[0].shield", "drives none, or several"},
      {"{'name': 'p', 'classes': ['plain'], 'job': {'kind': 'static', 'concurrency': 8, 'pause_s': 1},\n'shield': {}}",
       "policies[0].shield", "drives none, or several"},
      {"{'name': 'p', 'classes': ['plain'], 'job': {'kind': 'static', 'pause_s': 1},\n'shield': {}}",
       "policies[0].shield", "class \"plain\" have none of \"pause_s\""},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    char text[1500];
    fw_scenario *scenario = NULL;
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    (void)snprintf(text, sizeof text,
                   HEAD("60", "1, 30", "'budget_w': 1000") ", 'jobs': [" PLAIN("2") ", " SQUARE "], 'policies': [%s]}",
                   refusals[i].arm);
    cr_assert_eq(scenario_try(text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT, "accepts %s", refusals[i].arm);
    const fw_diagnostic *said = &diagnostics.entries[diagnostics.count - 1];
    cr_expect_eq(said->line, 2, "%s: line %zu", refusals[i].arm, said->line);
    cr_expect_str_eq(said->path, refusals[i].path);
    cr_expect_not_null(strstr(said->message, refusals[i].words), "%s", said->message);
    fw_diagnostics_clear(&diagnostics);
  }
}

/* ---- The time between decisions ---- */

Test(shield, knows_the_time_between_decisions) {
  fw_scenario *scenario = scenario_from(HEAD("60", "1", "'budget_w': 1000") ", 'jobs': [" PLAIN("1") ", " SQUARE "]}");
  fw_profile profile = {0};
  cr_assert_eq(fw_job_profile(scenario, 0, scenario->jobs[0].initial, &profile, NULL), FW_OK);
  cr_expect_leq(llabs((long long)(3 * profile.decision - profile.cycle)), 3, "24 completions in batches of 8");
  fw_scenario_free(scenario);
}

/* What befalls a fleet, against what can be worked out by hand: energies of cycle jobs to the last digit, tokens and
 * steps of GRPO jobs from the steps that they repeat, random failures against the laws that they are drawn from. */
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

#include "sim/base/random.h"
#include "sim/fleet/budget.h"
#include "sim/fleet/cap_channel.h"

/* One GPU at 400 W, without end; idle power is 60 W. */
#define STEADY_JOB "{'kind': 'cycle', 'class': 'c', 'phases': [{'duration_s': 10, 'power_w': 400}]}"

static void expect_refused(const char *events, const char *message) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, HEAD("100", "1", "'budget_w': 400") ", 'jobs': [" STEADY_JOB "], 'events': [%s]}", events);
  fw_scenario *scenario = NULL;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_expect_neq(scenario_try(text.data, NULL, &scenario, &diagnostics), FW_OK, "%s", events);
  const char *said = all_entries(&diagnostics, buffer);
  cr_expect_not_null(strstr(said, message), "%s: %s", events, said);
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&text);
}

Test(adversity, faults_in_events_are_named) {
  expect_refused("{'kind': 'restart'}", "at");
  expect_refused("{'kind': 'restart', 'at_s': 1, 'clases': ['c']}", "classes");
  expect_refused("{'kind': 'restart', 'at_s': 1, 'classes': ['d']}", "no job is of class \"d\"");
  expect_refused("{'kind': 'restart', 'at_s': -1}", "at_s");
  expect_refused("{'kind': 'gpu_failure', 'at_s': 1, 'gpu': 1, 'repair_s': 1}", "GPU 1 has no job");
  expect_refused("{'kind': 'straggler', 'gpu': 0, 'factor': 0.5}", "factor");
  expect_refused("{'kind': 'feed_loss', 'from_s': 1, 'duration_s': 5, 'left': 0}", "left");
  expect_refused("{'kind': 'cap_faults', 'lost': 0.6, 'late': 0.6, 'delay_s': 1}", "add up to more than 1");
  expect_refused("{'kind': 'cap_faults', 'late': 0.6}", "delay_s");
  expect_refused("{'kind': 'cap_faults', 'lost': 0.6}, {'kind': 'cap_faults', 'lost': 0.1}", "one law");
  expect_refused("{'kind': 'flood'}", "flood");
}

/* 100 s: 40 at 400 W, 10 down at 60 W, 5 loading at idle power (a cycle job has no load level), 45 at 400 W. */
Test(adversity, a_restart_costs_its_time_at_the_power_of_a_job_that_is_down) {
  fw_result result = run_text(HEAD("100", "1", "'budget_w': 400") ", 'jobs': [" STEADY_JOB
                                                                  "], 'events': [{'kind': 'restart', 'at_s': 40, "
                                                                  "'down_s': 10, 'load_s': 5}]}");
  expect_energy(result.energy, joules(40 * 400 + 15 * 60 + 45 * 400), "idle while down");
  cr_expect_eq(result.jobs[0].disturbance.struck[FW_ADVERSITY_RESTART], 1);
  cr_expect_eq(result.jobs[0].disturbance.down_s, 15.0);
  cr_expect_eq(result.jobs[0].clamps.floor, 0);
  fw_result_clear(&result);
}

/* A job without power draws nothing, and that is not raised to idle power. */
Test(adversity, a_lost_feed_takes_its_jobs_power_and_a_share_of_the_budget) {
  fw_scenario *scenario = scenario_from(
      HEAD("100", "1", "'budget_w': 500") ", 'jobs': [" STEADY_JOB
                                          ", {'kind': 'cycle', 'class': 'd', 'phases': [{'duration_s': 10, 'power_w': "
                                          "80}]}], 'events': [{'kind': 'feed_loss', 'from_s': 40, 'duration_s': 20, "
                                          "'left': 0.5, 'classes': ['d']}]}");
  fw_result result = run_seed(scenario, 1);
  expect_energy(result.energy, joules(100 * 400 + 80 * 80), "the job without power draws nothing");
  /* 480 W are below 500 W; 400 W are above 250 W for 20 s; windows of 1 s that reach across an edge: at 40.5 s the mean
   * is 440 W against 375 W, at 60.5 s 440 W against 375 W. */
  cr_expect_eq(result.windows[0].violation_rate, (20.0 + 0.5) / 99.5);
  cr_expect_eq(result.budget_calls, 1);
  cr_expect_eq(result.jobs[0].disturbance.struck[FW_ADVERSITY_FEED_LOSS], 0);
  cr_expect_eq(result.jobs[1].disturbance.struck[FW_ADVERSITY_FEED_LOSS], 1);
  cr_expect_eq(result.jobs[1].clamps.floor, 0);
  fw_result_clear(&result);
  fw_scenario_free(scenario);
}

/* Two cycles out of step are in step after a restart: both fall to idle together, then peak together. */
Test(adversity, a_joint_restart_brings_cycles_into_step) {
  fw_scenario *scenario =
      scenario_from(HEAD("1000", "1", "'budget_w': 700") ", 'start': 'staggered', 'jobs': [{'kind': 'cycle', 'class': "
                                                         "'c', 'count': 2, " SQUARE_PHASES
                                                         "}], 'events': [{'kind': 'restart', 'at_s': 500}]}");
  recorder series;
  recorder_start(&series);
  fw_result result = run_observed(scenario, (fw_run_options){.seed = 1, .observer = &series.observer});
  for (size_t t = 240; t < series.tick_count; t++) {
    const fw_time_ns end = series.ticks[t].end;
    const fw_time_ns since = (end - 1 - 500 * FW_NS_PER_S) % (120 * FW_NS_PER_S);
    const int64_t wanted = end <= 500 * FW_NS_PER_S ? 600 : since < 60 * FW_NS_PER_S ? 800 : 400;
    cr_assert_eq(series.ticks[t].truth, wanted * FW_MW_PER_W, "tick that ends at %lld", (long long)end);
  }
  fw_result_clear(&result);
  recorder_free(&series);
  fw_scenario_free(scenario);
}

/* Jobs that keep their work go on where they were: the series is the undisturbed one with a hole in it. */
Test(adversity, a_suspended_job_goes_on_where_it_stopped) {
  fw_scenario *scenario = scenario_from(
      HEAD("400", "1", "'budget_w': 700") ", 'jobs': [{'kind': 'cycle', 'class': 'c', " SQUARE_PHASES
                                          "}], 'events': [{'kind': 'restart', 'at_s': 80, 'down_s': 7, 'keeps_work': "
                                          "true}]}");
  recorder series;
  recorder_start(&series);
  fw_result result = run_observed(scenario, (fw_run_options){.seed = 1, .observer = &series.observer});
  for (size_t t = 0; t < series.tick_count; t++) {
    const fw_time_ns from = series.ticks[t].end - FW_NS_PER_S / 2;
    const bool down = from >= 80 * FW_NS_PER_S && from < 87 * FW_NS_PER_S;
    const fw_time_ns worked = from < 80 * FW_NS_PER_S ? from : from - 7 * FW_NS_PER_S;
    const int64_t wanted = down ? 60 : worked % (120 * FW_NS_PER_S) < 60 * FW_NS_PER_S ? 400 : 200;
    cr_assert_eq(series.ticks[t].truth, wanted * FW_MW_PER_W, "tick from %lld", (long long)from);
  }
  fw_result_clear(&result);
  recorder_free(&series);
  fw_scenario_free(scenario);
}

/* Outages that overlap end with the later one; the deeper one's power holds. 100 s: down 40 to 60 s. */
Test(adversity, overlapping_outages_are_one) {
  fw_result result = run_text(HEAD(
      "100", "1", "'budget_w': 400") ", 'jobs': [" STEADY_JOB
                                     "], 'events': [{'kind': 'restart', 'at_s': 40, 'down_s': 10, 'load_s': 5}, "
                                     "{'kind': 'gpu_failure', 'at_s': 52, 'gpu': 0, 'repair_s': 3, 'load_s': 5}]}");
  expect_energy(result.energy, joules(80 * 400 + 20 * 60), "down from 40 s to 60 s");
  cr_expect_eq(result.jobs[0].disturbance.down_s, 20.0);
  fw_result_clear(&result);
}

/* Outages that begin at one instant are one, too, in whatever order they stand: down to 60 s, loaded to 65 s. */
Test(adversity, outages_at_one_instant_are_one) {
  static const char *const orders[] = {
      "{'kind': 'restart', 'at_s': 40, 'down_s': 20}, {'kind': 'gpu_failure', 'at_s': 40, 'gpu': 0, 'repair_s': 10, "
      "'load_s': 5}",
      "{'kind': 'gpu_failure', 'at_s': 40, 'gpu': 0, 'repair_s': 10, 'load_s': 5}, {'kind': 'restart', 'at_s': 40, "
      "'down_s': 20, 'keeps_work': true}, {'kind': 'restart', 'at_s': 40, 'down_s': 3}"};
  for (size_t i = 0; i < 2; i++) {
    fw_text text = FW_TEXT_INIT;
    fw_text_add_format(&text, HEAD("100", "1", "'budget_w': 400") ", 'jobs': [" STEADY_JOB "], 'events': [%s]}",
                       orders[i]);
    fw_result result = run_text(text.data);
    expect_energy(result.energy, joules(75 * 400 + 25 * 60), orders[i]);
    cr_expect_eq(result.jobs[0].disturbance.down_s, 25.0, "%s", orders[i]);
    fw_result_clear(&result);
    fw_text_clear(&text);
  }
}

/* ---- GRPO jobs: what is lost is done again ---- */

#define GRPO_JOB "{'kind': 'grpo', 'class': 'g', 'model': 'plain-job'%s}"

static fw_scenario *grpo_scenario(const char *more, const char *events) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, HEAD("600", "1", "'budget_w': 700") ", 'jobs': [" GRPO_JOB "], 'events': [%s]}", more,
                     events);
  fw_scenario *scenario = scenario_from(text.data);
  fw_text_clear(&text);
  return scenario;
}

/* Times at which steps end, and tokens so far at each. */
typedef struct steps {
  fw_time_ns end[256];
  double tokens[256];
  size_t count;
  fw_time_ns down;
  fw_time_ns up;
  double down_tokens;
} steps;

static steps watch(const fw_scenario *scenario, fw_result *result) {
  steps out = {0};
  recorder series;
  recorder_start(&series);
  *result = run_observed(scenario, (fw_run_options){.seed = 5, .observer = &series.observer});
  for (size_t i = 0; i < series.event_count; i++) {
    const fw_sim_event *event = &series.events[i];
    if (event->kind == FW_SIM_STEP_END && out.count < 256) {
      out.end[out.count] = event->time;
      out.tokens[out.count++] = event->value;
    }
    if (event->kind == FW_SIM_DOWN) {
      out.down = event->time;
      out.down_tokens = event->value;
    }
    out.up = event->kind == FW_SIM_UP ? event->time : out.up;
  }
  recorder_free(&series);
  return out;
}

static void expect_repeated(int64_t checkpoint, double at_s) {
  char more[64];
  char events[128];
  (void)snprintf(more, sizeof more, ", 'checkpoint_steps': %lld", (long long)checkpoint);
  (void)snprintf(events, sizeof events, "{'kind': 'restart', 'at_s': %g, 'down_s': 3, 'load_s': 4}", at_s);
  fw_scenario *calm = grpo_scenario("", "{'kind': 'straggler', 'gpu': 0, 'factor': 1}");
  fw_scenario *struck = grpo_scenario(more, events);
  fw_result without = {0};
  fw_result with = {0};
  const steps before = watch(calm, &without);
  const steps after = watch(struck, &with);
  size_t done = 0;
  while (before.end[done] <= after.down)
    done++;
  const size_t kept = done - done % (size_t)checkpoint;
  cr_assert(done > 0 && after.count > done + 2);
  /* Up to the restart the same to the nanosecond; from then on the steps since the checkpoint once more, later. */
  for (size_t i = 0; i < done; i++)
    cr_assert_eq(before.end[i], after.end[i]);
  const fw_time_ns shift = after.up - (kept > 0 ? before.end[kept - 1] : 0);
  cr_expect_eq(after.up, after.down + 7 * FW_NS_PER_S);
  for (size_t i = done; i < after.count; i++)
    cr_assert_eq(after.end[i], before.end[kept + i - done] + shift, "step %zu", i);
  const double lost = after.down_tokens - (kept > 0 ? after.tokens[kept - 1] : 0.0);
  cr_expect_eq((double)with.jobs[0].disturbance.lost_tokens, lost);
  cr_expect_eq(with.jobs[0].disturbance.lost_steps, done - kept);
  cr_expect_eq(with.jobs[0].steps, after.count - (done - kept));
  /* What was kept is what the undisturbed job had after as many steps, and what it has done of the next one. */
  const size_t whole = after.count - (done - kept);
  cr_expect_geq((double)with.tokens, before.tokens[whole - 1]);
  cr_expect_leq((double)with.tokens, whole < before.count ? before.tokens[whole] : (double)without.tokens);
  fw_result_clear(&without);
  fw_result_clear(&with);
  fw_scenario_free(calm);
  fw_scenario_free(struck);
}

Test(adversity, a_struck_job_repeats_its_steps_since_the_checkpoint) {
  for (int64_t checkpoint = 1; checkpoint <= 4; checkpoint++) {
    for (int i = 0; i < 6; i++)
      expect_repeated(checkpoint, 101.3 + 17.77 * i);
  }
}

/* The slowest GPU sets the pace of work that all do in step; gaps are as long as ever. */
Test(adversity, a_straggler_holds_up_its_job_by_its_factor) {
  fw_result calm = {0};
  fw_result slow = {0};
  fw_scenario *undisturbed = grpo_scenario("", "{'kind': 'straggler', 'gpu': 0, 'factor': 1}");
  fw_scenario *held_up = grpo_scenario(
      "", "{'kind': 'straggler', 'gpu': 0, 'factor': 1.25}, {'kind': 'straggler', 'gpu': 1, 'factor': 1.5}");
  const steps before = watch(undisturbed, &calm);
  const steps after = watch(held_up, &slow);
  /* Per step 3 batches of 8 (24 sequences): gaps of 0.25 s after each and 2 s after the last. */
  const double gaps_s = 3 * 0.25 + 2.0;
  const double first_s = fw_time_to_seconds(before.end[0]);
  /* Blocks are whole nanoseconds: some hundred roundings. */
  cr_expect_float_eq(fw_time_to_seconds(after.end[0]), (first_s - gaps_s) * 1.5 + gaps_s, 1e-6);
  cr_expect_eq(before.tokens[0], after.tokens[0]);
  cr_expect_float_eq(slow.jobs[0].disturbance.held_up_s * 3.0, 600.0 - gaps_s * (double)slow.jobs[0].steps, 2 * gaps_s,
                     "a third of the time is waiting");
  fw_result_clear(&calm);
  fw_result_clear(&slow);
  fw_scenario_free(undisturbed);
  fw_scenario_free(held_up);
}

/* ---- Random failures ---- */

/* Renewals of mean 1,000 + 10 s on 64 GPUs over 100,000 s: 6,337 in the mean, nearly Poisson. Within 4 standard
 * deviations, and down for their exponential repairs, whose total has a relative deviation of 1/sqrt(n). */
Test(adversity, failures_come_at_their_rate_and_last_as_long_as_repairs) {
  fw_result result = run_text(
      HEAD("100000", "1", "'budget_w': 400") ", 'jobs': [{'kind': 'cycle', 'class': 'c', 'count': 64, 'phases': "
                                             "[{'duration_s': 1000, 'power_w': 400}]}], 'events': [{'kind': "
                                             "'gpu_failures', 'mtbf_s': 1000, 'mttr_s': 10}]}");
  const double failures = (double)result.disturbance.struck[FW_ADVERSITY_GPU_FAILURES];
  const double expected = 64.0 * 100000.0 / 1010.0;
  cr_expect_float_eq(failures, expected, 4.0 * sqrt(expected), "%g failures", failures);
  cr_expect_float_eq(result.disturbance.down_s, 10.0 * failures, 4.0 * 10.0 * sqrt(failures));
  fw_result_clear(&result);
}

/* A failure is keyed by its GPU, so it strikes whatever the policy and whatever else the fleet holds. */
Test(adversity, failures_do_not_depend_on_the_rest_of_the_fleet) {
#define FAILING "'events': [{'kind': 'gpu_failures', 'mtbf_s': 300, 'mttr_s': 10}]}"
  fw_result alone = run_text(HEAD("2000", "1", "'budget_w': 400") ", 'jobs': [" STEADY_JOB "], " FAILING);
  fw_result among =
      run_text(HEAD("2000", "1", "'budget_w': 400") ", 'jobs': [" STEADY_JOB ", " STEADY_JOB "], " FAILING);
  expect_energy(alone.energy, among.jobs[0].energy, "the first job");
  cr_expect(among.jobs[0].energy != among.jobs[1].energy);
  fw_result_clear(&alone);
  fw_result_clear(&among);
}

/* ---- The budget as controllers know it ---- */

static const fw_budget_call calls[] = {
    {.from = 100, .to = 200, .factor = 0.5, .announced = 60, .end_known = true},  /* a demand response */
    {.from = 150, .to = 300, .factor = 0.8, .announced = 150, .end_known = false} /* a lost feed */
};
static const fw_budget_schedule called = {.calls = calls, .call_count = 2};

static void expect_known(fw_time_ns now, fw_power_mw present, fw_power_mw next, fw_time_ns at) {
  const fwi_budget budget = {1000, &called};
  fw_time_ns change = 0;
  cr_expect_eq(fwi_budget_at(&budget, now, NULL), present, "at %lld", (long long)now);
  cr_expect_eq(fwi_budget_expected(&budget, now, &change), next, "expected at %lld", (long long)now);
  cr_expect_eq(change, at, "change at %lld", (long long)now);
}

Test(adversity, controllers_know_of_a_call_when_it_is_announced_and_of_a_loss_when_it_is_there) {
  expect_known(59, 1000, 1000, FW_TIME_MAX);
  expect_known(60, 1000, 500, 100);
  expect_known(120, 500, 1000, 200); /* nobody sees the loss at 150 coming */
  expect_known(160, 400, 800, 200);  /* nor when it ends */
  expect_known(250, 800, 800, FW_TIME_MAX);
  expect_known(300, 1000, 1000, FW_TIME_MAX);
  const fwi_budget budget = {1000, &called};
  cr_expect_eq((int64_t)fwi_budget_energy(&budget, 0, 400), 100 * 1000 + 50 * 500 + 50 * 400 + 100 * 800 + 100 * 1000);
}

/* ---- Cap commands ---- */

#define CAPPED_FLEET(events)                                                                                           \
  HEAD("2000", "1", "'budget_w': 700")                                                                                 \
  ", 'jobs': [" STEADY_JOB "], 'policies': [{'name': 'u', 'fleet': {'kind': 'uniform_cap', 'interval_s': 10}}], "      \
  "'events': [" events "]}"

Test(adversity, with_no_fault_ever_the_channel_changes_nothing) {
  fw_result without = run_text(CAPPED_FLEET("{'kind': 'restart', 'at_s': 77}"));
  fw_result with = run_text(CAPPED_FLEET("{'kind': 'restart', 'at_s': 77}, {'kind': 'cap_faults'}"));
  expect_energy(with.energy, without.energy, "the same run");
  fw_result_clear(&without);
  fw_result_clear(&with);
}

/* The end of the first tick in which the fleet drew less than its 400 W. */
static fw_time_ns first_held(const char *text) {
  fw_scenario *scenario = scenario_from(text);
  recorder series;
  recorder_start(&series);
  fw_result result = run_observed(scenario, (fw_run_options){.seed = 1, .observer = &series.observer});
  fw_time_ns first = FW_TIME_MAX;
  for (size_t t = series.tick_count; t-- > 0;) {
    first = series.ticks[t].truth < 400 * FW_MW_PER_W ? series.ticks[t].end : first;
  }
  fw_result_clear(&result);
  recorder_free(&series);
  fw_scenario_free(scenario);
  return first;
}

#define HELD_FLEET(events)                                                                                             \
  HEAD("300", "1", "'budget_w': 250")                                                                                  \
  ", 'jobs': [" STEADY_JOB "], 'policies': [{'name': 'u', 'fleet': {'kind': 'uniform_cap', 'interval_s': 10}}], "      \
  "'events': [" events "]}"

Test(adversity, late_commands_take_effect_late_and_lost_ones_never) {
  const fw_time_ns on_time = first_held(HELD_FLEET("{'kind': 'cap_faults'}"));
  cr_assert(on_time < 60 * FW_NS_PER_S);
  cr_expect_eq(first_held(HELD_FLEET("{'kind': 'cap_faults', 'late': 1, 'delay_s': 30}")), on_time + 30 * FW_NS_PER_S);
  cr_expect_eq(first_held(HELD_FLEET("{'kind': 'cap_faults', 'lost': 1}")), FW_TIME_MAX);
  fw_result lost = run_text(HELD_FLEET("{'kind': 'cap_faults', 'lost': 1}"));
  cr_expect_geq(lost.disturbance.lost_caps, 1);
  cr_expect_eq(lost.disturbance.late_caps, 0);
  fw_result_clear(&lost);
}

/* Commands at random times, replayed by brute force: each arrives at the latest of its own time and of all before it,
 * and at any time the newest that has arrived holds. */
Test(adversity, commands_arrive_in_order) {
  const fw_adversity faults = {.kind = FW_ADVERSITY_CAP_FAULTS, .lost = 0.2, .late = 0.3, .delay = 40};
  fwi_cap_channel channel = fwi_cap_channel_make(&faults, 1, "c", 7, 3, 400.0);
  const fw_stream luck = fw_stream_make(7, FW_DRAW_CAP_COMMAND, 3);
  fw_time_ns arrival[1000] = {0};
  fw_power_mw cap[1000] = {0};
  size_t arrived = 0;
  fw_time_ns latest = -1;
  fw_power_mw held = 0;
  uint64_t lost = 0;
  uint64_t late = 0;
  for (fw_time_ns now = 0; now < 20000; now++) {
    if (now % 20 == 0) {
      const uint64_t n = (uint64_t)now / 20;
      const double fate = fw_random_uniform(luck, n, 0);
      const bool behind = latest >= now; /* one is under way */
      const bool held_back = fwi_cap_channel_holds_back(&channel, (double)n, (fw_power_mw)n, now + 5);
      lost += fate < 0.2;
      late += fate >= 0.2 && fate < 0.5;
      cr_assert_eq(held_back, fate < 0.5 || behind, "command %llu", (unsigned long long)n);
      if (fate >= 0.2) {
        const fw_time_ns own = now + 5 + (fate < 0.5 ? 40 : 0);
        latest = held_back && own > latest ? own : latest;
        arrival[arrived] = held_back ? latest : FW_TIME_MAX; /* those on time do not come by the channel */
        cap[arrived++] = (fw_power_mw)n;
      }
    }
    fw_power_mw wanted = held;
    for (size_t i = 0; i < arrived; i++)
      wanted = arrival[i] == now ? cap[i] : wanted;
    while (fwi_cap_channel_next(&channel) <= now)
      held = fwi_cap_channel_take(&channel);
    cr_assert_eq(held, wanted, "at %lld", (long long)now);
  }
  cr_expect_eq(channel.lost, lost);
  cr_expect_eq(channel.late, late);
}

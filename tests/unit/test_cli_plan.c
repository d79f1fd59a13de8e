/* Each flag of `fleetwatt plan` moves what it says that it moves. */
#include "tests/cli_fixture.h"

/* Two boards in step, 800 W of nameplate: 400 W for 54 s, 800 W for 6 s, so 440 W over any minute. Both windows end
 * their full stretches within 10 cycles of 60 s, on ticks of 0.5 s. */
#define SQUARE                                                                                                         \
  "{'fleetwatt': 1, 'name': 'square', 'gpu': '" FW_SOURCE_DIR                                                          \
  "/tests/unit/data/plain-gpu', 'duration_s': 600, 'windows_s': [1, 60], 'budget_w': 600, 'seeds': 2, 'policies': "    \
  "[{'name': 'first'}, {'name': 'second', 'job': {'kind': 'static', 'power_cap_w': 250}}], 'jobs': [{'kind': "         \
  "'cycle', 'class': 'c', 'count': 2, 'phases': [{'duration_s': 54, 'power_w': 200}, {'duration_s': 6, 'power_w': "    \
  "400}]}]}"

static void make_plans(void) {
  make_folder();
  write_file("square.json", SQUARE);
}

TestSuite(cli_plan, .init = make_plans, .fini = remove_folder);

#define COARSE "--step 0.25 "
#define ANY_STEP "$F plan square.json --policies first --json "
#define PLAN ANY_STEP COARSE
#define IN_A_MINUTE "--risk time-share=20% --window 60 "
#define MINUTE PLAN IN_A_MINUTE

/* A second is over a budget of 400 W (ratio 2) in a tenth of the time, and always below 400 W; over 640 W (1.25) in a
 * little less than a tenth: less than 20 %, more than 5 %, and once in a minute, 1,440 times a day. */
Test(cli_plan, risk_has_a_kind_and_a_limit) {
  expect(PLAN "--window 1 --risk time-share=20%", 0, "\"limit\":0.2,");
  expect(PLAN "--window 1 --risk time-share=20%", 0, "\"decided\":true,\"meets\":2,\"fails\":2.25,");
  expect(PLAN "--window 1 --risk time-share=0.2", 0, "\"decided\":true,\"meets\":2,\"fails\":2.25,");
  expect(PLAN "--window 1 --risk time-share=5%", 0, "\"decided\":true,\"meets\":1,\"fails\":1.25,");
  expect(PLAN "--window 1 --risk episodes-per-day=2000", 0, "\"decided\":true,\"meets\":2,\"fails\":2.25,");
  expect(PLAN "--window 1 --risk episodes-per-day=200", 0, "\"decided\":true,\"meets\":1,\"fails\":1.25,");
  expect(PLAN "--risk trips-per-year=1000 --window 60 2>&1", 2, "--window: trips of a breaker have no window");
  expect(PLAN "--risk trips-per-year=1000", 0, "\"risk\":\"trips-per-year\",\"limit\":1000,");
  expect(PLAN "2>&1", 2, "--risk is to say what may happen how often");
  expect(PLAN "--risk 5% 2>&1", 2, "--risk is to say what may happen how often");
  expect(PLAN "--risk time=5% 2>&1", 2, "--risk: \"time\" is none of time-share, episodes-per-day, trips-per-year");
  expect(PLAN "--risk time-share=much 2>&1", 2, "--risk: \"much\" is no number");
  expect(PLAN "--risk time-share=0 2>&1", 2, "a risk of 0 cannot be a limit");
  expect(PLAN "--risk time-share=100% 2>&1", 2, "a risk of 1 cannot be a limit");
}

Test(cli_plan, window_leaves_out_the_others) {
  expect(PLAN "--risk time-share=20% | grep -o window_s.:1, | wc -l", 0, "1\n");
  expect(MINUTE "| grep -o window_s.:1, | wc -l", 0, "0\n");
  expect(MINUTE "| grep -o window_s.:60, | wc -l", 0, "1\n");
  expect(PLAN "--risk time-share=20% --window 1,60 | grep -o window_s.: | wc -l", 0, "2\n");
  expect(PLAN "--risk time-share=20% --window 30 2>&1", 2, "window of 30 s");
  expect(PLAN "--risk time-share=20% --window 0 2>&1", 2, "--window 0: expected numbers above 0");
  expect(PLAN "--risk time-share=20% --window 1e300 2>&1", 2, "--window: expected between 1 ns and 292 years");
}

/* 440 W of 800 are a ratio of 1.818. */
Test(cli_plan, from_to_and_step_make_the_grid) {
  expect(MINUTE, 0, "\"from\":1,\"to\":4,\"step\":0.25,");
  expect(MINUTE, 0, "\"meets\":1.75,\"fails\":2,");
  expect(ANY_STEP IN_A_MINUTE "--step 0.05", 0, "\"meets\":1.8,\"fails\":1.85,");
  expect(MINUTE "--from 1.9", 0, "\"meets\":null,\"fails\":1.9,");
  expect(MINUTE "--to 1.6", 0, "\"meets\":1.5,\"fails\":null,");
  expect(MINUTE "--from 1.9 --to 1.5 2>&1", 2, "a grid from 1.9 to 1.5 in steps of 0.25");
  expect(MINUTE "--from 0 2>&1", 2, "--from 0: expected a number above 0");
  expect(MINUTE "--to -1 2>&1", 2, "--to -1: expected a number above 0");
  expect(ANY_STEP IN_A_MINUTE "--step much 2>&1", 2, "--step much: expected a number above 0");
  expect(ANY_STEP IN_A_MINUTE "--step 1e-9 2>&1", 2, "in steps of 1e-09 has fewer than 2 ratios or more than 10000");
}

/* On 600 W two boards mean 440 W and three 660 W. */
Test(cli_plan, vary_says_what_grows) {
  expect(MINUTE, 0, "\"varied\":\"budget\"");
  expect(MINUTE "--vary budget", 0, "\"meets\":1.75,\"fails\":2,\"gpus\":2,");
  expect(MINUTE "--vary fleet", 0, "\"varied\":\"fleet\"");
  expect(MINUTE "--vary fleet", 0, "\"meets\":1.33333333333,\"fails\":2,\"gpus\":2,");
  expect(MINUTE "--vary feet 2>&1", 2, "--vary: \"feet\" is none of budget, fleet");
}

/* docs/planning.md: without an event a share below 5 % takes some 120 runs; 20 % takes clean_runs, 26. */
Test(cli_plan, runs_are_the_most_at_a_ratio) {
  expect(MINUTE, 0, "\"clean_runs\":26,");
  expect(MINUTE "--runs 25", 0, "\"decided\":false,\"meets\":null,");
  expect(MINUTE "--runs 26", 0, "\"decided\":true,\"meets\":1.75,");
  expect(MINUTE "--runs 0 2>&1", 2, "--runs 0: expected a whole number above 0");
  expect(MINUTE "--runs 1000001 2>&1", 2, "--runs, --look and --surface: expected at most a million");
  expect(MINUTE "--runs -1 2>&1", 2, "--runs -1: expected a whole number");
}

Test(cli_plan, look_says_how_often_a_ratio_is_looked_at_first) {
  expect(MINUTE, 0, "\"state\":\"untested\",\"runs\":4,");
  expect(MINUTE "--look 3 | grep -c '\"state\":\"untested\",\"runs\":4,'", 1, "0\n");
  expect(MINUTE "--look 3", 0, "\"state\":\"untested\",\"runs\":3,");
  expect(MINUTE "--look 0 2>&1", 2, "--look 0: expected a whole number above 0");
  expect(MINUTE "--look few 2>&1", 2, "--look few: expected a whole number");
}

/* From 1 to 4 in steps of 0.25 there are 13 ratios; a search alone does not go to the far end in more than a few. */
Test(cli_plan, surface_looks_at_so_many_ratios) {
  expect(MINUTE "--csv all.csv --surface 13 >out; grep -c ^first,60, all.csv", 0, "13\n");
  expect(MINUTE
         "--csv few.csv >out; test $(grep -c ^first,60, few.csv) -lt 9 && ! grep ^first,60,4, few.csv && echo few",
         0, "few\n");
  expect("grep -c ^first,60,4, all.csv", 0, "1\n");
  expect(MINUTE "--surface 1000001 2>&1", 2, "--runs, --look and --surface: expected at most a million");
  expect(MINUTE "--surface all 2>&1", 2, "--surface all: expected a whole number");
}

/* Capped at 100 W the job of plain-gpu takes three times as long to generate: most tokens are lost, whatever the
 * ratio, but never as many as three quarters. */
Test(cli_plan, tokens_lost_are_limited) {
  write_file("slow.json",
             "{'fleetwatt': 1, 'name': 'slow', 'gpu': '" FW_SOURCE_DIR
             "/tests/unit/data/plain-gpu', 'duration_s': 120, 'windows_s': [10], 'budget_w': 800, 'seeds': "
             "2, 'policies': [{'name': 'slow', 'job': {'kind': 'static', 'power_cap_w': 100}}], 'jobs': "
             "[{'kind': 'grpo', 'class': 'g', 'model': '" FW_SOURCE_DIR "/tests/unit/data/plain-job'}]}");
#define SLOW "$F plan slow.json --risk time-share=20% --step 0.5 --json "
  expect(SLOW, 0, "\"max_token_loss\":null,");
  expect(SLOW, 0, "\"meets\":4,\"fails\":null,");
  expect(SLOW "--max-token-loss 0.75", 0, "\"meets\":4,\"fails\":null,");
  expect(SLOW "--max-token-loss 10%", 0, "\"max_token_loss\":0.1,");
  expect(SLOW "--max-token-loss 10%", 0, "\"meets\":null,\"fails\":1,");
  static const char *const bad[] = {SLOW "--max-token-loss few 2>&1", SLOW "--max-token-loss 0 2>&1",
                                    SLOW "--max-token-loss -5% 2>&1", SLOW "--max-token-loss 100% 2>&1",
                                    SLOW "--max-token-loss 5%% 2>&1"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const char *command = bad[i];
    expect(command, 2, "--max-token-loss ");
    expect(command, 2, "expected a share above 0 and below 1");
  }
  expect(MINUTE "--max-token-loss 5% 2>&1", 2, "the fleet makes no tokens that a policy could lose");
}

/* A second plan on the store takes its runs from there: with another risk nothing new is simulated at these ratios. */
Test(cli_plan, what_goes_to_files) {
  expect(MINUTE "--store plan.db >first.json && " MINUTE "--store plan.db | cmp - first.json && echo same", 0, "same");
  expect("$F results plan.db", 0, "square");
  expect(MINUTE "--csv out.csv >out; head -1 out.csv", 0, "policy,window_s,oversubscription,budget_w,gpus,state,runs,");
  expect("$F plan square.json --risk time-share=20% --step 0.25 --markdown", 0, "# ");
  expect("$F plan square.json --risk time-share=20% --step 0.25 | grep -c ^#", 1, "0\n");
  expect(MINUTE "--save saved.json >out; cmp out saved.json && echo same", 0, "same");
  expect(MINUTE "--output out.json; cmp out.json saved.json && echo same", 0, "same");
  expect(MINUTE "--hours 0.05", 0, "\"hours\":0.05,");
  expect(MINUTE "--csv no/such 2>&1", 3, "no/such: error:");
  expect(MINUTE "--store no/such 2>&1", 2, "no/such: error:");
}

Test(cli_plan, trace_is_what_a_replay_replays) {
  write_replay();
#define PLAN_REPLAY "$F plan replay.json --risk time-share=20% --step 0.5 --json "
  expect(PLAN_REPLAY "--trace low.csv", 0, "\"meets\":4,"); /* 100 of 400 W */
  expect(PLAN_REPLAY "--trace high.csv", 0, "\"meets\":1,\"fails\":1.5,");
  expect(PLAN_REPLAY "2>&1", 2, "add --trace FILE");
  expect(MINUTE "--trace low.csv 2>&1", 2, "--trace: no job has a trace that is \"given\"; leave it out");
}

Test(cli_plan, threads_do_not_show) {
  expect(MINUTE "--threads 1 >a; " MINUTE "--threads 3 | cmp - a && echo same", 0, "same");
  expect(MINUTE "--threads 0 2>&1", 2, "--threads 0: expected a whole number above 0");
}

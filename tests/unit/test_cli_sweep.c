/* Each flag of `fleetwatt sweep`. That it is killed, its ranks and full disks are tests/sweep/. */
#include "tests/cli_fixture.h"

/* A board at 200 and 400 W in turn, for ten seconds. */
static void make_scenario(void) {
  make_folder();
  write_file("square.json",
             "{'fleetwatt': 1, 'name': 'square', 'gpu': '" FW_SOURCE_DIR
             "/tests/unit/data/plain-gpu', 'duration_s': 10, 'windows_s': [1], 'budget_w': 300, 'seeds': "
             "2, 'policies': [{'name': 'first'}, {'name': 'second', 'job': {'kind': 'static', "
             "'power_cap_w': 250}}], 'jobs': [{'kind': 'cycle', 'class': 'c', 'phases': [{'duration_s': "
             "1, 'power_w': 200}, {'duration_s': 1, 'power_w': 400}]}]}");
}

TestSuite(cli_sweep, .init = make_scenario, .fini = remove_folder);

#define SWEEP "$F sweep square.json --store s.db "

Test(cli_sweep, points_are_a_grid_or_a_hypercube_or_a_list) {
  expect(SWEEP "--study g --grid budget_w=300,350 'jobs[c].count=1,2'", 0,
         "Study g, a sweep of square: 4 points, 16 runs");
  expect(SWEEP "--study h --grid budget_w=300,350 --grid 'jobs[c].count=1,2'", 0, "4 points");
  expect(SWEEP "--study l --latin 3 budget_w=200:400", 0, "Study l, a sweep of square: 3 points, 12 runs");
  write_file("points.json", "[{'budget_w': 250}, {'budget_w': 260, 'jobs[c].count': 2}]");
  expect(SWEEP "--study p --points points.json", 0, "Study p, a sweep of square: 2 points, 8 runs");
  expect(SWEEP "2>&1", 2,
         "say which points in one way: --grid KEY=A,B ..., --latin N KEY=FROM:TO ..., or --points FILE");
  expect(SWEEP "--points points.json --latin 2 budget_w=1:2 2>&1", 2, "say which points in one way");
  expect(SWEEP "--points points.json --grid budget_w=1 2>&1", 2, "say which points in one way");
  expect(SWEEP "--points none.json 2>&1", 2, "none.json: error:");
  expect(SWEEP "--grid budget=300 2>&1", 2, "budget");
  expect(SWEEP "--latin 0 budget_w=200:400 2>&1", 2, "--latin 0: expected a whole number above 0");
}

Test(cli_sweep, latin_seed_is_another_hypercube) {
#define LATIN "--latin 3 budget_w=200:400 --json | grep -o 'budget_w.:[0-9.]*' | sort -u "
  expect(SWEEP "--study a " LATIN ">a; " SWEEP "--study b --latin-seed 1 " LATIN "| cmp - a && echo same", 0, "same");
  expect(SWEEP "--study c --latin-seed 2 " LATIN ">b; test -s b && ! cmp -s a b && echo other", 0, "other");
  expect(SWEEP "--grid budget_w=300 --latin-seed 1 2>&1", 2, "--latin-seed needs --latin: it chooses among hypercubes");
}

Test(cli_sweep, a_store_keeps_what_was_run) {
  expect("$F sweep square.json --grid budget_w=300 2>&1", 2, "--store FILE is missing");
  expect(SWEEP "--grid budget_w=300", 0, "Study square, a sweep of square: 1 point, 4 runs");
  expect(SWEEP "--grid budget_w=300", 0, "Runs simulated now: 0.");
  expect("$F sweep square.json --store t.db --grid budget_w=300", 0, "Runs simulated now: 4.");
  expect("$F sweep square.json --store no/such --grid budget_w=300 2>&1", 2, "no/such: error:");
}

/* 300 W on average, for 18 s, are 1.5 Wh. */
Test(cli_sweep, flags_reach_the_runs) {
  expect(SWEEP "--study a --grid budget_w=300 --seeds 5 --policies second", 0, "1 point, 5 runs");
  expect("$F results s.db --study a --csv | grep -c ,first,", 1, "0");
  expect(SWEEP "--study b --grid budget_w=300 --seeds 1 --policies first --hours 0.005 >out; $F results s.db --study b "
               "--csv | grep energy_wh",
         0, ",energy_wh,,1.5\n");
  expect(SWEEP "--grid budget_w=300 --threads 1 --json >a; $F sweep square.json --store t.db --grid budget_w=300 "
               "--threads 3 --json | cmp - a && echo same",
         0, "same");
  expect(SWEEP "--grid duration_s=4,6 --hours 1 2>&1", 2, "--hours takes the place of this key; give one");
  expect(SWEEP "--grid seeds=4,6 --seeds 1 2>&1", 2, "--seeds takes the place of this key; give one");
  expect(SWEEP "--grid budget_w=300 --policies third 2>&1", 2, "\"third\"");
}

Test(cli_sweep, trace_is_what_a_replay_replays) {
  write_replay();
  expect("$F sweep replay.json --store r.db --trace low.csv --grid budget_w=150 >out; $F results r.db --study steady "
         "--csv | grep mean_w",
         0, ",mean_w,,100\n");
  expect("$F sweep replay.json --store r.db --grid budget_w=150 2>&1", 2, "add --trace FILE");
  expect(SWEEP "--grid budget_w=300 --trace low.csv 2>&1", 2,
         "square.json: error: --trace: no job has a trace that is \"given\", at any point; leave it out");
}

Test(cli_sweep, output_goes_where_it_is_sent) {
  expect(SWEEP "--grid budget_w=300 --save saved.json --output text; grep ^Study text", 0, "Study square");
  expect(SWEEP "--grid budget_w=300 --json | cmp - saved.json && echo same", 0, "same");
}

/* Each flag of `fleetwatt compare`. */
#include "tests/cli_fixture.h"

TestSuite(cli_compare, .init = make_folder, .fini = remove_folder);

#define COMPARE "$F compare small.json "

Test(cli_compare, flags_reach_the_arms) {
  expect(COMPARE, 0, "small: 3 GPUs, nameplate 1200 W, 0.0166667 h, 2 seeds");
  expect(COMPARE "--seeds 5 --hours 0.01", 0, "small: 3 GPUs, nameplate 1200 W, 0.01 h, 5 seeds");
  expect(COMPARE "| grep -c '^  first '", 0, "1");
  expect(COMPARE "--policies second | grep -c '^  first '", 1, "0");
  expect(COMPARE "--oversubscription 1.5,3 | grep -o '^Budget [0-9]* W'", 0, "Budget 800 W\nBudget 400 W\n");
  expect(COMPARE "--policies third 2>&1", 2, "\"third\"");
  expect(COMPARE "--oversubscription 0 2>&1", 2, "--oversubscription 0: expected numbers above 0");
  expect(COMPARE "--seeds 1000001 2>&1", 2, "--threads or --seeds is too large");
  expect(COMPARE "--seeds 0 2>&1", 2, "--seeds 0: expected a whole number above 0");
  expect(COMPARE "--hours much 2>&1", 2, "--hours much: expected a number above 0");
}

Test(cli_compare, equal_rate_asks_for_tokens_at_a_rate_and_window) {
  expect(COMPARE "| grep -c '^  tokens at'", 1, "0");
  expect(COMPARE "--equal-rate 2 --window 10", 0, "tokens at 2 % at 10 s, between the arms of a kind");
  expect(COMPARE "--equal-rate 2.5 --window 0.5", 0, "tokens at 2.5 % at 0.5 s, between the arms of a kind");
  expect(COMPARE "--equal-rate 2 2>&1", 2, "--window: the scenario has no window of 30 s; give one of its windows_s");
  expect(COMPARE "--equal-rate 2 --window 7 2>&1", 2, "the scenario has no window of 7 s");
  expect(COMPARE "--equal-rate 100 --window 10 2>&1", 2,
         "--equal-rate 100: expected a share of time below 100 percent");
  expect(COMPARE "--window 10 2>&1", 2, "--window needs --equal-rate: it says at which window that is");
}

Test(cli_compare, trace_is_what_a_replay_replays) {
  write_replay();
  expect("$F compare replay.json --trace low.csv --json", 0, "\"mean_w\":{\"mean\":100,");
  expect("$F compare replay.json 2>&1", 2, "add --trace FILE");
  expect(COMPARE "--trace low.csv 2>&1", 2, "--trace: no job has a trace that is \"given\"");
}

Test(cli_compare, output_goes_where_it_is_sent) {
  expect(COMPARE "--save saved.json --threads 1", 0, "paired with first");
  expect(COMPARE "--json --threads 2 | cmp - saved.json && echo same", 0, "same");
  expect(COMPARE "--output text; grep paired text", 0, "paired with first");
}

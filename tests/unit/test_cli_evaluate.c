/* Each flag of `fleetwatt evaluate`; its figures are in test_iqm.c and test_train.c. */
#include "tests/cli_trained.h"

TestSuite(cli_evaluate, .init = make_trained, .fini = remove_folder);

#define EVALUATE "$F evaluate short.json " WEIGHTS

Test(cli_evaluate, flags_reach_the_runs) {
  expect(EVALUATE "--json >a; grep -o '.runs.:4,' a", 0, "\"runs\":4,");
  expect(EVALUATE "--seeds 6 --json", 0, "\"runs\":6,");
  expect(EVALUATE "--hours 0.05 --json >b && ! cmp -s a b && echo other", 0, "other");
  expect(EVALUATE "--threads 1 --json | cmp - a && echo same", 0, "same");
  expect("$F evaluate short.json w-1.safetensors 2>&1", 2, "error:");
  expect("$F evaluate short.json none.safetensors w-1.safetensors 2>&1", 2, "none.safetensors");
}

/* Nobody is below a budget always, everybody at times. */
Test(cli_evaluate, limit_and_window_say_who_passes) {
  expect(EVALUATE "--json", 0, "\"window_s\":30,");
  expect(EVALUATE "--window 10 --json", 0, "\"window_s\":10,");
  expect(EVALUATE "--limit 99.9", 0, "5 of 5");
  expect(EVALUATE "--json", 0, "\"limit\":0.025");
  expect(EVALUATE "--limit 5 --json", 0, "\"limit\":0.05");
  expect(EVALUATE "--window 7 2>&1", 2, "window");
  expect(EVALUATE "--window 1e300 2>&1", 2, "--window: expected at most 292 years, in s");
  expect(EVALUATE "--limit 0 2>&1", 2, "--limit 0: expected a number above 0");
}

Test(cli_evaluate, classes_are_those_that_are_controlled) {
  expect(EVALUATE "--json >a; " EVALUATE "--classes 72b --json | cmp - a && echo same", 0, "same");
  expect(EVALUATE "--classes 72b,7b 2>&1", 2, "no job of the scenario \"short\" is of class \"7b\"");
}

Test(cli_evaluate, policies_leave_out_what_is_not_there) {
  expect("$F evaluate with.json " WEIGHTS "2>&1", 2, "none");
  expect("$F evaluate with.json --policies plain " WEIGHTS, 0, "");
}

Test(cli_evaluate, output_goes_where_it_is_sent) {
  expect(EVALUATE "--save saved.json --output text && test -s text && echo text", 0, "text");
  expect(EVALUATE "--json | cmp - saved.json && echo same", 0, "same");
}

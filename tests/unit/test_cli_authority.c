/* Each flag of `fleetwatt authority`. */
#include "tests/cli_fixture.h"

TestSuite(cli_authority, .init = make_folder, .fini = remove_folder);

#define AUTHORITY "$F authority small.json "

Test(cli_authority, flags_reach_the_runs) {
  expect(AUTHORITY, 0, "0.0166667 h, 2 seeds");
  expect(AUTHORITY "--seeds 3 --hours 0.0125", 0, "0.0125 h, 3 seeds");
  expect(AUTHORITY, 0, "peak of the 30 s mean");
  expect(AUTHORITY "--window 10", 0, "peak of the 10 s mean");
  expect(AUTHORITY "--window 1e-12 2>&1", 2, "--window: expected between 1 ns and 292 years, in s");
  expect(AUTHORITY "--hours 0 2>&1", 2, "--hours 0: expected a number above 0");
}

/* A cap of 100 of 400 W takes three quarters of the power, and that moves nothing where only four fifths would. */
Test(cli_authority, threshold_is_what_counts_as_moving) {
  expect(AUTHORITY "| grep '^  c .* moves power$'", 0, "power_cap_w");
  expect(AUTHORITY, 0, "from a mean swing of 2 % on");
  expect(AUTHORITY "--threshold 80", 0, "from a mean swing of 80 % on");
  expect(AUTHORITY "--threshold 80 | grep -c ' moves power$'", 1, "0");
  expect(AUTHORITY "--threshold 0 2>&1", 2, "--threshold 0: expected a number above 0");
}

Test(cli_authority, trace_must_have_a_replay) {
  write_replay();
  expect("$F authority replay.json --trace low.csv", 0, "steady: each actuator alone");
  expect("$F authority replay.json 2>&1", 2, "add --trace FILE");
  expect(AUTHORITY "--trace low.csv 2>&1", 2, "--trace: no job has a trace that is \"given\"");
}

Test(cli_authority, output_goes_where_it_is_sent) {
  expect(AUTHORITY "--save saved.json --threads 1", 0, "moves power");
  expect(AUTHORITY "--json --threads 2 | cmp - saved.json && echo same", 0, "same");
  expect(AUTHORITY "--output text; grep moves text", 0, "moves power");
}

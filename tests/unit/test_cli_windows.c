/* Each flag of `fleetwatt windows`. */
#include "tests/cli_fixture.h"

/* At 100 W, then at 300 W for two seconds. A reading at an instant holds until the next. */
static void make_power(void) {
  make_folder();
  write_file("power.csv", "t_s,gpu,power_w\n0,0,100\n1,0,300\n2,0,300\n3,0,100\n4,0,200\n");
}

TestSuite(cli_windows, .init = make_power, .fini = remove_folder);

#define WINDOWS "$F windows power.csv --windows 1,2 "

Test(cli_windows, budget_and_windows_are_those_of_the_flags) {
  expect(WINDOWS "| grep -c above.*episodes", 1, "0");
  expect(WINDOWS "--budget 250", 0, " 1  40 %, 1 episodes");
  expect(WINDOWS "--budget 250", 0, " 2  25 %, 1 episodes");
  expect(WINDOWS "--budget 300", 0, " 1  0 %");
  expect("$F windows power.csv --budget 250 2>&1", 0, " 300  the window of 300 s is longer than the recording");
  expect(WINDOWS "--budget 1e300 2>&1", 2, "--budget is too large");
  expect(WINDOWS "--budget 0 2>&1", 2, "--budget 0: expected a number above 0");
  expect("$F windows power.csv --windows 1e300 2>&1", 2, "--windows: 1e+300 s is too long");
  expect("$F windows power.csv --windows 1,,2 2>&1", 2, "--windows 1,,2: expected numbers above 0");
}

/* A reading holds until the next one, or since the one before; means know the outermost interval too, 1 s (trace.h). */
Test(cli_windows, kind_is_what_a_stamp_means) {
  write_file("odd.csv", "t_s,gpu,power_w\n0,0,100\n1,0,300\n3,0,100\n4,0,200\n");
  expect("$F windows odd.csv --windows 1", 0, "series: instant; energy 800 J; mean 200 W");
  expect("$F windows odd.csv --windows 1 --kind mean_from", 0, "series: mean_from; energy 1000 J");
  expect("$F windows odd.csv --windows 1 --kind mean_to", 0, "series: mean_to; energy 800 J; mean 160 W");
  expect(WINDOWS "--kind mean 2>&1", 2, "--kind mean: expected instant, mean_from or mean_to");
}

Test(cli_windows, output_goes_where_it_is_sent) {
  expect(WINDOWS "--json", 0, "\"command\":\"windows\"");
  expect(WINDOWS "--json --output out.json && " WINDOWS "--json | cmp - out.json && echo same", 0, "same");
  expect(WINDOWS "--output no/such 2>&1", 3, "no/such: error:");
}

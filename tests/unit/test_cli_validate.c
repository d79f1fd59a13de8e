/* Each flag of `fleetwatt validate`. */
#include "tests/cli_recordings.h"

static void make_model(void) {
  make_recordings();
  outcome made = shell("$F calibrate run0.csv run1.csv --gpu a100-sxm4-80gb --resamples 0 -o made.json 2>&1");
  cr_assert_eq(made.status, 0, "%s", made.output.data);
  fw_text_clear(&made.output);
}

TestSuite(cli_validate, .init = make_model, .fini = remove_folder);

#define VALIDATE "$F validate made.json run2.csv --seeds 2 --windows 0.5 "

Test(cli_validate, strict_ends_with_status_1_where_a_bar_is_missed) {
  expect(VALIDATE "--strict 2>&1", 0, "met");
  expect("$F validate made.json other.csv --seeds 2 --windows 0.5 2>&1", 0, "missed");
  expect("$F validate made.json other.csv --seeds 2 --windows 0.5 --strict --json 2>&1", 1, "\"missed\"");
}

Test(cli_validate, windows_and_seeds_are_those_of_the_flags) {
  expect("$F validate made.json run2.csv --seeds 2 --json 2>/dev/null | grep -o '\"[0-9.]*\":{\"full' | tr -d '\\n'", 0,
         "\"0.5\":{\"full\"1\":{\"full\"10\":{\"full\"30\":{\"full");
  expect(VALIDATE "--json 2>/dev/null | grep -o '\"[0-9.]*\":{\"full'", 0, "\"0.5\":{\"full\n");
  expect(VALIDATE
         "--json >a 2>/dev/null && $F validate made.json run2.csv --seeds 3 --windows 0.5 --json >b 2>/dev/null && ! "
         "cmp -s a b && echo other",
         0, "other");
  expect(VALIDATE "--threads 3 --json 2>/dev/null | cmp - a && echo same", 0, "same");
  expect("$F validate made.json run2.csv --seeds 0 2>&1", 2, "--seeds 0: expected a whole number above 0");
  expect("$F validate made.json run2.csv --seeds 10001 2>&1", 2, "--seeds: expected 1 to 10000");
  expect("$F validate made.json run2.csv --windows 1e300 2>&1", 2, "--windows: 1e+300 s is too long");
  expect("$F validate made.json 2>&1", 2, "RECORDING is missing");
}

Test(cli_validate, recordings_are_read_as_the_flags_say) {
  expect(VALIDATE
         "--json >a 2>/dev/null; cut -d, -f -3 run2.csv >p2; cut -d, -f 1,4- run2.csv >c2; $F validate made.json p2 "
         "--counters c2 --seeds 2 --windows 0.5 --json 2>/dev/null | sed s/p2/run2.csv/g | cmp - a && echo same",
         0, "same");
  expect(VALIDATE "--kind mean_to --json >b 2>/dev/null && ! cmp -s a b && echo other", 0, "other");
  write_file("phases.csv", "t_start_s,t_end_s,phase\n0,33,ready\n33,80,generate\n80,200,generate\n");
  expect("$F validate made.json p2 --phases phases.csv --seeds 2 --windows 0.5 --json >b 2>/dev/null && ! cmp -s a b "
         "&& echo other",
         0, "other");
  expect("$F validate made.json p2 --phases phases.csv --skip-phases 0 --seeds 2 --windows 0.5 --json >c "
         "2>/dev/null && ! cmp -s b c && echo other",
         0, "other");
  expect(VALIDATE "--tick 1 2>&1", 2, "tick");
  expect(VALIDATE "--role decode 2>&1", 2, "role");
  expect(VALIDATE "--utilization 2>&1", 2, "no column utilization_pct");
  expect(VALIDATE "--counters a,b 2>&1", 2, "--counters names 2 files for 1 recordings: name one for each");
  expect(VALIDATE "--skip-phases 2 2>&1", 2, "--skip-phases needs --phases");
}

Test(cli_validate, output_goes_where_it_is_sent) {
  expect(VALIDATE "--output scores.txt && cat scores.txt", 0, "run2.csv");
  expect(VALIDATE "--output no/such 2>&1", 3, "no/such: error:");
}

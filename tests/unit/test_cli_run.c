/* Each flag of `fleetwatt run`, and the series that it writes. */
#include "sim/study/windows.h"
#include "tests/cli_fixture.h"

TestSuite(cli_run, .init = make_folder, .fini = remove_folder);

#define RUN "$F run small.json "

Test(cli_run, flags_reach_the_run) {
  expect(RUN "--policies second --seed 7 --hours 0.01", 0, "small, policy second, seed 7: 0.01 h");
  expect(RUN "--oversubscription 4 --json", 0, "\"budget_w\":300");
  expect(RUN, 0, "small, policy first, seed 1: 0.0166667 h, budget 500 W");
  expect(RUN "--threads 1 --json >a; " RUN "--threads=8 --json | cmp - a && echo same", 0, "same");
  expect(RUN "--seed 0 | sed -n 1p", 0, "seed 0:");
}

Test(cli_run, it_is_of_one_policy_at_one_budget) {
  expect(RUN "--policies first,second 2>&1", 2, "--policies: a run is of one policy at one budget; fleetwatt compare");
  expect(RUN "--oversubscription 2,3 2>&1", 2, "--oversubscription: a run is of one policy at one budget");
  expect(RUN "--threads 0 2>&1", 2, "--threads 0: expected a whole number above 0");
  expect(RUN "--threads 4294967296 2>&1", 2, "--threads or --seeds is too large");
}

/* The digest stands for all of the run: another seed has another one, more threads have the same. */
Test(cli_run, digest_is_that_of_the_run) {
  expect(RUN "--digest | sed -n 's/^digest [0-9a-f]\\{16\\}$/one/p'", 0, "one");
  expect(RUN "| grep -c ^digest", 1, "0");
  expect(RUN "--digest | grep ^digest >a; " RUN
             "--threads 3 --digest --series s.csv | grep ^digest | cmp - a && echo same",
         0, "same");
  expect(RUN "--digest --seed 2 | grep ^digest >b && ! cmp -s a b && echo other", 0, "other");
  expect(RUN "--digest --json", 0, "\"digest\":\"");
}

/* Power for ten seconds at 100 W a GPU, or 300: a replay takes what it is given. */
Test(cli_run, trace_is_what_a_replay_replays) {
  write_replay();
  expect("$F run replay.json --trace low.csv", 0, "mean 100 W");
  expect("$F run replay.json --trace high.csv", 0, "mean 300 W");
  expect("$F run replay.json 2>&1", 2, "the recording is to be given: add --trace FILE");
  expect("$F run replay.json --trace none.csv 2>&1", 2, "none.csv: error: cannot read the file");
  expect(RUN "--trace low.csv 2>&1", 2,
         "small.json: error: --trace: no job has a trace that is \"given\"; leave it out");
}

Test(cli_run, output_goes_where_it_is_sent) {
  expect(RUN "--save saved.json --output text && grep '^small, policy first' text", 0, "small, policy first");
  expect(RUN "--json | cmp - saved.json && echo same", 0, "same");
  expect(RUN "--series one --output one 2>&1", 2, "--series and --output name the same file; give two");
  expect(RUN "--series no/such 2>&1", 3, "no/such: error:");
}

/* ---- The series ---- */

Test(cli_run, a_series_reads_back_as_the_run_that_it_is) {
  expect("$F run small.json --series out.csv --json >out.json && echo done", 0, "done");
  char csv[PATH_SIZE];
  char json[PATH_SIZE];
  in_folder("out.csv", csv);
  in_folder("out.json", json);
  static const fw_time_ns windows[] = {FW_NS_PER_S / 2, 10 * FW_NS_PER_S};
  const fw_windows_options options = {csv, FW_SERIES_INSTANT, true, 500000, windows, 2};
  fw_windows_result study = {0};
  cr_assert_eq(fw_windows_study(&options, &study, NULL), FW_OK);
  cr_expect_eq(study.kind, FW_SERIES_MEAN_TO);
  cr_expect_eq(study.covered, 60 * FW_NS_PER_S);
  cr_expect_eq(study.gap_count, 0);
  fw_json *document = NULL;
  cr_assert_eq(fw_json_read(json, &document, NULL), FW_OK);
  const fw_json_value *root = fw_json_root(document);
  /* The series shows each tick to 1 mW: half of that for a minute is 0.03 J. */
  cr_expect_float_eq(fw_energy_to_watt_hours(study.energy), fw_json_number(fw_json_get(root, "energy_wh")),
                     0.03 / 3600);
  const char *const keys[] = {"0.5", "10"};
  for (size_t w = 0; w < 2; w++) {
    const fw_json_value *window = fw_json_get(fw_json_get(root, "windows"), keys[w]);
    cr_expect_float_eq(study.rows[w].violation_rate, fw_json_number(fw_json_get(window, "violation_rate")), 1e-12);
  }
  fw_json_free(document);
  fw_windows_clear(&study);
}

Test(cli_run, a_series_has_a_row_for_each_tick_and_events_beside_it) {
  expect("$F run small.json --policies second --series out.csv >/dev/null; head -2 out.csv", 0,
         "# kind: mean_to\nt_s,power_w,reading_w,budget_w,g_0_w,c_0_w\n");
  expect("wc -l <out.csv", 0, "122\n");
  expect("head -1 out.events.csv; grep ,actuator, out.events.csv | head -1", 0,
         "t_s,job,event,what,value\n0,0,actuator,power_cap_w,250\n");
  expect("grep -c ,step_end, out.events.csv", 0, "");
}

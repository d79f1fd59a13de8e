/* The program as a user meets it: exit statuses, messages, help, and output that arrives whole or not at all. */
#include "sim/study/windows.h"
#include "tests/cli_fixture.h"

TestSuite(cli, .init = make_folder, .fini = remove_folder);

/* ---- Exit statuses and messages ---- */

Test(cli, exit_statuses_tell_done_from_bad_input_from_faults) {
  expect("$F run small.json", 0, "small, policy first, seed 1");
  expect("$F compare small.json --threads 2", 0, "paired with first");
  expect("$F schema", 0, "\"$schema\"");
  expect("$F --version", 0, "fleetwatt ");
  expect("$F 2>&1", 2, "usage: fleetwatt COMMAND");
  expect("$F run 2>&1", 2, "SCENARIO is missing");
  expect("$F run nowhere.json 2>&1", 2, "nowhere.json: error: cannot open the file");
  expect("$F run broken.json 2>&1", 2, "broken.json:1:");
  expect("$F run small.json --output no/such/folder 2>&1", 3, "no/such/folder: error:");
}

Test(cli, what_is_mistyped_is_answered_with_what_is_near) {
  expect("$F compair small.json 2>&1", 2, "unknown command compair; did you mean compare");
  expect("$F run small.json --seeed 3 2>&1", 2, "unknown flag --seeed; did you mean --seed");
  expect("$F run small.json --policies secnod 2>&1", 2, "did you mean \"second\"");
  expect("$F run small.json --seed -3 2>&1", 2, "--seed -3: expected a whole number");
  expect("$F run small.json --seed 2>&1", 2, "--seed needs a value");
  expect("$F run small.json --hours 0 2>&1", 2, "--hours 0: expected a number above 0");
  expect("$F run small.json --json=yes 2>&1", 2, "expected no value");
  expect("$F run small.json --oversubscription 1,,2 2>&1", 2, "numbers above 0, separated by commas");
  expect("$F run small.json small.json 2>&1", 2, "unexpected argument small.json");
  expect("$F run broken.json 2>&1", 2, "unknown key \"nmae\"; did you mean \"name\"?");
}

/* The commands that `fleetwatt --help` lists, whatever they are. */
Test(cli, every_command_explains_itself_with_an_example) {
  outcome list = shell("$F --help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p'");
  size_t count = 0;
  for (char *name = strtok(list.output.data, "\n"); name != NULL; name = strtok(NULL, "\n")) {
    char command[200];
    char usage[100];
    (void)snprintf(usage, sizeof usage, "usage: fleetwatt %s", name);
    (void)snprintf(command, sizeof command, "$F %s --help", name);
    expect(command, 0, usage);
    (void)snprintf(usage, sizeof usage, "example:\n  fleetwatt %s", name);
    expect(command, 0, usage);
    count++;
  }
  cr_expect_geq(count, 4);
  fw_text_clear(&list.output);
}

/* ---- Flags ---- */

Test(cli, flags_reach_the_run) {
  expect("$F run small.json --policies second --seed 7 --hours 0.01", 0, "small, policy second, seed 7: 0.01 h");
  expect("$F run small.json --oversubscription 4 --json", 0, "\"budget_w\":300");
  expect("$F compare small.json --seeds 5 --policies first --json", 0, "\"seeds\":5");
  expect("$F run small.json --threads 1 >a; $F run small.json --threads=8 >b; cmp a b && echo same", 0, "same");
}

/* ---- Output ---- */

Test(cli, json_is_json_and_goes_where_it_is_sent) {
  expect("$F run small.json --json --output out.json && $F run small.json --json | cmp - out.json && echo same", 0,
         "same");
  expect("$F compare small.json --json --output out.json && echo silent", 0, "silent");
  char path[PATH_SIZE];
  in_folder("out.json", path);
  fw_json *document = NULL;
  cr_assert_eq(fw_json_read(path, &document, NULL), FW_OK);
  cr_expect_str_eq(fw_json_string(fw_json_get(fw_json_root(document), "command")), "compare");
  fw_json_free(document);
}

/* A run that fails leaves the file of the last one as it is, and no temporary file beside it. */
Test(cli, a_failed_run_leaves_the_old_output) {
  expect("echo old >out.json; $F run broken.json --json --output out.json 2>/dev/null; cat out.json", 0, "old");
  expect("echo old >out.csv; $F run broken.json --series out.csv 2>/dev/null; cat out.csv", 0, "old");
  expect("ls | sort | tr '\\n' ' '", 0, "broken.json out.csv out.json small.json ");
}

Test(cli, output_that_does_not_arrive_is_a_fault) {
  struct stat full;
  if (stat("/dev/full", &full) != 0) cr_skip("this system has no /dev/full");
  static const char *const commands[] = {
      "run small.json", "run small.json --json", "compare small.json", "schema", "--help", "run --help", "--version"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    char command[200];
    (void)snprintf(command, sizeof command, "$F %s 2>&1 >/dev/full", commands[i]);
    expect(command, 3, "standard output: No space left on device");
  }
}

/* The reader has gone before the first byte is written. */
Test(cli, a_closed_pipe_is_a_fault_and_not_a_death) {
  expect("{ sleep 0.3; $F run small.json 2>err; echo $? >status; } | true; cat status err", 0,
         "3\nerror: standard output");
}

/* ---- The series ---- */

Test(cli, a_series_reads_back_as_the_run_that_it_is) {
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

Test(cli, a_series_has_a_row_for_each_tick_and_events_beside_it) {
  expect("$F run small.json --policies second --series out.csv >/dev/null; head -2 out.csv", 0,
         "# kind: mean_to\nt_s,power_w,reading_w,budget_w,g_0_w,c_0_w\n");
  expect("wc -l <out.csv", 0, "122\n");
  expect("head -1 out.events.csv; grep ,actuator, out.events.csv | head -1", 0,
         "t_s,job,event,what,value\n0,0,actuator,power_cap_w,250\n");
  expect("grep -c ,step_end, out.events.csv", 0, "");
}

Test(cli, save_writes_the_json_beside_what_is_printed) {
  expect("$F compare small.json --save saved.json", 0, "paired with first");
  expect("$F compare small.json --json | cmp - saved.json && echo same", 0, "same");
  expect("$F run small.json --save saved.json | head -n 1", 0, "small, policy first");
  expect("$F run small.json --json --save again.json | cmp - saved.json && cmp again.json saved.json && echo same", 0,
         "same");
  expect("$F run small.json --save no/such/folder.json 2>&1", 3, "no/such/folder.json");
  expect("$F run small.json --save one.json --output one.json 2>&1", 2, "name the same file");
}

Test(cli, the_reference_is_printed_from_the_tables) {
  expect("$F schema --markdown", 0, "\n### scenario\n");
  expect("$F schema --markdown --of job", 0, "| `fleetwatt_job` | whole number | 1 | required |");
  expect("$F schema --markdown --of gpu", 0, "### gpu_model");
}

Test(cli, an_update_says_how_much_it_wrote_and_leaves_json_alone) {
  static const char expecting[] =
      "{'fleetwatt': 1, 'name': 'e', 'gpu': '" FW_SOURCE_DIR
      "/tests/unit/data/plain-gpu', 'duration_s': 60, 'windows_s': "
      "[10], 'jobs': [{'kind': 'cycle', 'class': 'c', " SQUARE_PHASES "}], 'expect': [{'checks': [{'kind': 'recorded', "
      "'metric': 'mean_w', 'policy': 'uncontrolled', 'value': 1, 'tolerance': {'kind': 'relative', 'value': 0.1}}]}]}";
  write_file("expecting.json", expecting);
  expect("$F check expecting.json --update --json 2>&1 | tail -n 1 | cut -c 1", 0, "{");
  expect("$F check expecting.json 2>&1", 0, "1 ok");
  write_file("expecting.json", expecting);
  expect("$F check expecting.json --update 2>&1", 0, "--update: 1 value written into 1 file");
  expect("$F check expecting.json --update 2>&1", 0, "--update: 0 values written");
}

Test(cli, none_is_no_number_of_runs) {
  expect("$F compare small.json --seeds 0 2>&1", 2, "--seeds 0: expected a whole number above 0");
  expect("$F plan small.json --risk time-share=1% --runs 0 2>&1", 2, "--runs 0: expected a whole number above 0");
}

/* The program as a user meets it: exit statuses, messages, help, and output that arrives whole or not at all. */
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
  expect("$F run small.json --seed 1 --seed=2 2>&1", 2, "--seed is given twice; leave one out");
  expect("$F compare small.json --seeds 0 2>&1", 2, "--seeds 0: expected a whole number above 0");
  expect("$F evaluate small.json 2>&1", 2, "WEIGHTS is missing; for example: fleetwatt evaluate ");
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

/* Every flag that a command's help lists stands in the tests of that command, test_cli_COMMAND.c. */
static void expect_flags_in(const char *command, const char *path) {
  char line[200];
  fw_text tests = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(path, (size_t)1 << 20, &tests, NULL), FW_OK, "%s", path);
  (void)snprintf(line, sizeof line, "$F %s --help | sed -n 's/^  \\(-[-a-z]*\\) .*/\\1/p'", command);
  outcome list = shell(line);
  for (char *flag = strtok(list.output.data, "\n"); flag != NULL; flag = strtok(NULL, "\n")) {
    const size_t length = strlen(flag);
    bool found = strcmp(flag, "--help") == 0;
    for (const char *at = strstr(tests.data, flag); at != NULL && !found; at = strstr(at + 1, flag)) {
      found = strchr("-abcdefghijklmnopqrstuvwxyz", at[length]) == NULL;
    }
    cr_expect(found, "%s meets no %s", path, flag);
  }
  fw_text_clear(&list.output);
  fw_text_clear(&tests);
}

Test(cli, every_flag_of_every_command_is_met_by_a_test) {
  outcome list = shell("$F --help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p'");
  char *rest = NULL;
  for (char *name = strtok_r(list.output.data, "\n", &rest); name != NULL; name = strtok_r(NULL, "\n", &rest)) {
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, FW_SOURCE_DIR "/tests/unit/test_cli_%s.c", name);
    expect_flags_in(name, path);
  }
  fw_text_clear(&list.output);
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

Test(cli, save_writes_the_json_beside_what_is_printed) {
  expect("$F compare small.json --save saved.json", 0, "paired with first");
  expect("$F compare small.json --json | cmp - saved.json && echo same", 0, "same");
  expect("$F run small.json --save saved.json | head -n 1", 0, "small, policy first");
  expect("$F run small.json --json --save again.json | cmp - saved.json && cmp again.json saved.json && echo same", 0,
         "same");
  expect("$F run small.json --save no/such/folder.json 2>&1", 3, "no/such/folder.json");
  expect("$F run small.json --save one.json --output one.json 2>&1", 2,
         "--output and --save name the same file; give two");
}

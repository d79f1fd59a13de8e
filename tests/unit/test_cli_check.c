/* Each flag of `fleetwatt check`; what it judges is in test_check.c. */
#include "tests/cli_fixture.h"

/* A board that draws 150 W, and what is expected of it. */
#define EXPECTING(checks)                                                                                              \
  "{'fleetwatt': 1, 'name': 'steady', 'gpu': '" FW_SOURCE_DIR                                                          \
  "/tests/unit/data/plain-gpu', 'duration_s': 10, 'windows_s': [1], 'budget_w': 200, 'jobs': [{'kind': 'cycle', "      \
  "'class': 'c', 'phases': [{'duration_s': 1, 'power_w': 150}]}], 'expect': [{'checks': [" checks "]}]}"

#define RECORDED(value)                                                                                                \
  "{'kind': 'recorded', 'metric': 'mean_w', 'policy': 'uncontrolled', 'value': " value                                 \
  ", 'tolerance': {'kind': 'absolute', 'value': 1}}"

#define AT_MOST(value) "{'kind': 'range', 'metric': 'mean_w', 'policy': 'uncontrolled', 'at_most': " value "}"

static void make_files(void) {
  make_folder();
  write_file("good.json", EXPECTING(RECORDED("150")));
  write_file("bad.json", EXPECTING(RECORDED("140")));
  write_file("range.json", EXPECTING(AT_MOST("100")));
}

TestSuite(cli_check, .init = make_files, .fini = remove_folder);

Test(cli_check, status_says_what_holds) {
  expect("$F check good.json", 0, "1 file: 1 ok");
  expect("$F check good.json bad.json", 1, "2 files: 1 ok, 1 failed");
  expect("$F check none.json 2>&1", 2, "none.json");
  expect("$F check good.json bad.json --threads 1 >a; $F check good.json bad.json --threads 4 | cmp - a && echo same",
         0, "same");
  expect("$F check good.json --threads 0 2>&1", 2, "--threads 0: expected a whole number above 0");
}

Test(cli_check, update_writes_recorded_values) {
  expect("$F check bad.json --update", 0, "150");
  expect("cat bad.json", 0, "\"value\": 150,");
  expect("$F check bad.json", 0, "1 file: 1 ok");
  write_file("bad.json", EXPECTING(RECORDED("140")));
  expect("$F check bad.json --update 2>&1", 0, "--update: 1 value written into 1 file");
  expect("$F check bad.json --update 2>&1", 0, "--update: 0 values written");
  expect("cp range.json old; $F check range.json --update 2>&1", 1, "--update leaves them to you");
  expect("cmp range.json old && echo same", 0, "same");
}

Test(cli_check, update_leaves_json_alone) {
  expect("$F check bad.json --update --json 2>&1 | tail -n 1 | cut -c 1", 0, "{");
  expect("$F check bad.json 2>&1", 0, "1 ok");
}

Test(cli_check, reports_go_to_files) {
  expect("$F check good.json bad.json --junit j.xml --tap t.tap", 1, "FAILED  bad.json");
  expect("cat j.xml", 0, "<testsuite ");
  expect("cat t.tap", 0, "not ok ");
  expect("$F check good.json --json", 0, "\"command\":\"check\"");
  expect("$F check good.json --json --output out.json && $F check good.json --json | cmp - out.json && echo same", 0,
         "same");
  expect("$F check good.json --junit one --tap one 2>&1", 2, "--junit and --tap name the same file; give two");
  expect("$F check good.json --junit no/such 2>&1", 3, "no/such: error:");
  expect("$F check good.json --tap no/such 2>&1", 3, "no/such: error:");
}

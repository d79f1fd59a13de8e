/* Each flag of `fleetwatt reproduce`, on ledgers of one row; what it judges is in test_ledger.c, and test_beyond.c. */
#include "tests/cli_fixture.h"

#define DATA FW_SOURCE_DIR "/tests/unit/data"

/* One row about an arm; 400 tokens each 3 s for 1203 s are 160,400, and the level that the fit solves is 147.5 W
 * (test_ledger.c). */
#define LEDGER(row)                                                                                                    \
  "{'fleetwatt_ledger': 1, 'source': 's', 'fit': {'row': 'a', 'class': 'stepped', 'key': 'update_w', 'value': 0.43, "  \
  "'from_w': 100, 'to_w': 300, 'file': 'fit.json'}, 'parameters': [{'name': 'p', 'file': 'f', 'fitted_to': 'a'}], "    \
  "'rows': [" row "]}"
#define ROW(published, inside, arm)                                                                                    \
  "{'id': 'a', 'group': 'g', 'figure': 'f', 'published': " published ", 'unit': '', 'fitted': false, 'independent': "  \
  "true, 'inside': " inside ", 'tolerance': {'kind': 'relative', 'value': 1e-9, 'why': 'w'}, 'from': {'kind': 'arm', " \
  "'scenario': '" arm "}}"
#define TOKENS(published, inside)                                                                                      \
  LEDGER(ROW(published, inside, DATA "/steady-ledger', 'policy': 'fast', 'metric': 'tokens'"))

static void make_ledgers(void) {
  make_folder();
  write_file("right.json", TOKENS("160400", "true"));
  write_file("wrong.json", TOKENS("160401", "true"));
  write_file("known.json", TOKENS("160401", "false"));
  write_file("bad.json", TOKENS("'many'", "true"));
  write_file("fit-this.json", LEDGER(ROW("0.43", "true",
                                         DATA "/stepped-ledger', 'policy': 'plain', 'metric': 'mean_w', "
                                              "'per': 1000")));
}

TestSuite(cli_reproduce, .init = make_ledgers, .fini = remove_folder);

#define REPRODUCE "$F reproduce --ledger right.json "

Test(cli_reproduce, ledger_is_judged_and_a_row_that_fell_out_is_status_1) {
  expect(REPRODUCE, 0, "160400");
  expect("$F reproduce --ledger wrong.json", 1, "a: was inside and fell out");
  expect("$F reproduce --ledger known.json", 0, "160400");
  expect("$F reproduce --ledger bad.json 2>&1", 2, "bad.json:");
  expect("$F reproduce --ledger none.json 2>&1", 2, "none.json: error:");
}

Test(cli_reproduce, seeds_are_those_of_the_flag) {
#define RANDOM "$F reproduce --ledger random.json "
  write_file("random.json", LEDGER(ROW("1", "false", "small', 'policy': 'first', 'metric': 'tokens'")));
  expect("$F run small.json | grep -o '[0-9]* tokens'", 0, "7129 tokens");
  expect(RANDOM "--seeds 1 --json", 0, "\"mean\":7129,");
  expect(RANDOM "--json | grep -c '\"mean\":7129,'", 1, "0");
  expect(REPRODUCE "--seeds 1000001 2>&1", 2, "--seeds is too large");
  expect(REPRODUCE "--seeds 0 2>&1", 2, "--seeds 0: expected a whole number above 0");
}

Test(cli_reproduce, output_goes_where_it_is_sent) {
  expect(REPRODUCE "--save saved.json --threads 1 --output text; grep 160400 text", 0, "160400");
  expect(REPRODUCE "--json --threads 3 | cmp - saved.json && echo same", 0, "same");
  expect(REPRODUCE "--markdown | sed -n 1p", 0, "# ");
  expect(REPRODUCE "--markdown --json 2>&1", 2, "--markdown does not go with --json: one of them is printed");
  expect(REPRODUCE "--save one --output one 2>&1", 2, "--output and --save name the same file; give two");
}

Test(cli_reproduce, fit_writes_the_level_that_it_solves) {
  expect("$F reproduce --ledger fit-this.json --fit", 0, "update_w 147.5");
  expect("cat fit.json", 0, "\"update_w\": 147.5");
  static const char *const flags[] = {"--json", "--markdown", "--output x", "--save x", "--beyond"};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    char command[200];
    (void)snprintf(command, sizeof command, "$F reproduce --ledger fit-this.json --fit %s 2>&1", flags[i]);
    expect(command, 2, "error: --fit does not go with --");
  }
}

Test(cli_reproduce, beyond_answers_other_questions) {
  expect("cp " DATA "/beyond-*.json .; sed -i 's|\"gpu\": \"|&" DATA "/|; s|\"model\": \"|&" DATA "/|' beyond-*.json",
         0, "");
#define BEYOND "$F reproduce --ledger right.json --beyond --seeds 2 "
  expect(BEYOND "--csv rates.csv --save saved.json", 0, "");
  expect("head -n 1 rates.csv", 0, "policy,");
  expect(BEYOND "--json | cmp - saved.json && echo same", 0, "same");
  expect(BEYOND "--markdown | sed -n 1p", 0, "# ");
  expect(REPRODUCE "--csv rates.csv 2>&1", 2, "--csv needs --beyond: it has the rates that are found there");
}

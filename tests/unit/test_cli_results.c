/* Each flag of `fleetwatt results`. */
#include "tests/cli_fixture.h"

/* A board that draws so much, and two studies that differ in it. */
#define STEADY(power)                                                                                                  \
  "{'fleetwatt': 1, 'name': 'steady', 'gpu': '" FW_SOURCE_DIR                                                          \
  "/tests/unit/data/plain-gpu', 'duration_s': 10, 'windows_s': [1], 'budget_w': 250, 'seeds': 2, 'jobs': [{'kind': "   \
  "'cycle', 'class': 'c', 'phases': [{'duration_s': 1, 'power_w': " power "}]}]}"

static void make_stores(void) {
  make_folder();
  write_file("low.json", STEADY("200"));
  write_file("high.json", STEADY("300"));
  outcome made = shell("$F sweep low.json --store s.db --study low --grid budget_w=250 && $F sweep high.json --store "
                       "s.db --study high --grid budget_w=250 && $F sweep high.json --store t.db --study far --grid "
                       "budget_w=250");
  cr_assert_eq(made.status, 0, "%s", made.output.data);
  fw_text_clear(&made.output);
}

TestSuite(cli_results, .init = make_stores, .fini = remove_folder);

Test(cli_results, studies_are_listed_and_shown) {
  expect("$F results s.db | cut -d' ' -f 1 | sort | tr '\\n' ' '", 0, "high low study ");
  expect("$F results s.db --json", 0, "\"studies\":[");
  expect("$F results s.db --study low", 0, "Study low, a sweep of steady: 1 point, 2 runs");
  expect("$F results s.db --study low --json", 0, "\"study\":\"low\"");
  expect("$F results s.db --study lov 2>&1", 2, "s.db: error: the store has no study \"lov\"");
  expect("$F results none.db 2>&1", 2, "none.db: error: cannot open the result store: there is no such file");
}

Test(cli_results, csv_exports_a_study) {
  expect("$F results s.db --study low --csv | grep mean_w", 0, ",mean_w,,200\n");
  expect("$F results s.db --study low --csv --output out.csv && $F results s.db --study low --csv | cmp - out.csv && "
         "echo same",
         0, "same");
  expect("$F results s.db --csv 2>&1", 2, "--csv needs --study: it exports one");
  expect("$F results s.db --study low --csv --json 2>&1", 2, "--csv does not go with --json: one of them is printed");
  expect("$F results s.db --study low --csv --against high 2>&1", 2, "--csv does not go with --against");
}

Test(cli_results, against_says_what_moved) {
  expect("$F results s.db --study high --against low", 1, "beyond");
  expect("$F results s.db --study high --against high", 0, "");
  expect("$F results s.db --study high --against far --in t.db", 0, "");
  expect("$F results s.db --study low --against far --in t.db --json", 1, "beyond");
  expect("$F results s.db --study low --against far 2>&1", 2, "the store has no study \"far\"");
  expect("$F results s.db --study low --against far --in none.db 2>&1", 2, "none.db: error:");
  expect("$F results s.db --against low 2>&1", 2, "--against needs --study: that is what it compares");
  expect("$F results s.db --study low --in t.db 2>&1", 2, "--in needs --against: it says where the study of that lies");
}

Test(cli_results, delete_takes_a_study_away) {
  expect("$F results s.db --delete low && $F results s.db | grep -c ^low", 1, "0");
  expect("$F results s.db --study high", 0, "Study high");
  expect("$F results s.db --delete low 2>&1", 2, "the store has no study \"low\"");
  expect("$F results s.db --delete high --study high 2>&1", 2, "--delete does not go with --study: it stands alone");
  expect("$F results s.db --delete high --json 2>&1", 2, "--delete does not go with --json: it prints nothing");
  expect("$F results s.db --delete high --output x 2>&1", 2, "--delete does not go with --output: it prints nothing");
  expect("$F results s.db --study high", 0, "Study high");
}

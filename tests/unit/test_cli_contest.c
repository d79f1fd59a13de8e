/* Each flag of `fleetwatt contest`; its figures are in test_contest.c. */
#include "tests/cli_trained.h"

static void make_contest(void) {
  make_trained();
  write_file("contest.json", "{'fleetwatt_contest': 1, 'entries': [{'scenario': 'short.json', 'limit': 0.05, 'runs': "
                             "240, 'weights': ['w-1.safetensors', 'w-2.safetensors', 'w-3.safetensors', "
                             "'w-4.safetensors', 'w-5.safetensors']}]}");
}

TestSuite(cli_contest, .init = make_contest, .fini = remove_folder);

#define CONTEST "$F contest contest.json "

Test(cli_contest, output_is_of_the_kind_and_where_it_is_asked_for) {
  expect(CONTEST "--threads 1 --save saved.json --output text && grep -c '^# ' text", 1, "0");
  expect(CONTEST "--threads 3 --json | cmp - saved.json && echo same", 0, "same");
  expect(CONTEST "--markdown | grep '^#'", 0, "# ");
  expect(CONTEST "--markdown --json 2>&1", 2, "--markdown does not go with --json: one of them is printed");
  expect("$F contest none.json 2>&1", 2, "none.json: error:");
}

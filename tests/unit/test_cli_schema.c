/* Each flag of `fleetwatt schema`. */
#include "tests/cli_fixture.h"

TestSuite(cli_schema, .init = make_folder, .fini = remove_folder);

Test(cli_schema, of_says_which_files) {
  expect("$F schema", 0, "\"$schema\"");
  expect("$F schema >s; $F schema --of scenario | cmp - s && echo same", 0, "same");
  static const char *const kinds[][2] = {{"gpu", "board_max_w"},
                                         {"job", "sharding"},
                                         {"training", "fleetwatt_training"},
                                         {"contest", "fleetwatt_contest"}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    char command[100];
    (void)snprintf(command, sizeof command, "$F schema --of %s", kinds[i][0]);
    expect(command, 0, kinds[i][1]);
  }
  expect("$F schema --of fleet 2>&1", 2, "--of fleet: expected scenario, gpu, job, training or contest");
}

Test(cli_schema, the_reference_is_printed_from_the_tables) {
  expect("$F schema --markdown", 0, "\n### scenario\n");
  expect("$F schema --markdown --of job", 0, "| `fleetwatt_job` | whole number | 1 | required |");
  expect("$F schema --markdown --of gpu", 0, "### gpu_model");
  expect("$F schema --markdown | grep -c schema.org", 1, "0");
}

Test(cli_schema, output_goes_to_a_file) {
  expect("$F schema --of gpu --output gpu.json && $F schema --of gpu | cmp - gpu.json && echo same", 0, "same");
  expect("$F schema --output no/such 2>&1", 3, "no/such: error:");
}

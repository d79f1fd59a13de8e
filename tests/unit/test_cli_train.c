/* Each flag of `fleetwatt train`; what it trains is in test_train.c and tests/training/. */
#include "tests/cli_trained.h"

static void make_plan(void) {
  make_folder();
  write_training();
}

TestSuite(cli_train, .init = make_plan, .fini = remove_folder);

#define TRAIN "$F train short.json --plan plan.json "
#define DIGESTS "cat w*.safetensors w*.csv | cksum"

Test(cli_train, a_file_for_each_seed_and_the_best) {
  expect(TRAIN "-o w.safetensors >out 2>&1; ls w* | tr '\\n' ' '", 0,
         "w-1.csv w-1.safetensors w-2.csv w-2.safetensors w-3.csv w-3.safetensors w-4.csv w-4.safetensors w-5.csv "
         "w-5.safetensors w.safetensors ");
  expect("for i in 1 2 3 4 5; do cmp -s w.safetensors w-$i.safetensors && echo best; done", 0, "best\n");
  expect(TRAIN "-o w.bin 2>&1", 2, "-o: give a file for the weights, ending in .safetensors");
  expect(TRAIN "2>&1", 2, "-o: give a file for the weights");
  expect("$F train short.json -o w.safetensors 2>&1", 2, "--plan: give a file that says how to train");
  expect("$F train short.json --plan none.json -o w.safetensors 2>&1", 2, "none.json: error:");
}

Test(cli_train, seeds_and_decisions_are_those_of_the_flags) {
  expect(TRAIN "--seeds 2 -o w.safetensors >out 2>&1; ls w*.csv | tr '\\n' ' '", 0, "w-1.csv w-2.csv ");
  expect("grep -c , w-1.csv", 0, "2\n");
  expect(TRAIN "--seeds 1 --decisions 192 -o x.safetensors >out 2>&1; grep -c , x-1.csv", 0, "4\n");
  expect(TRAIN "--seeds 0 -o w.safetensors 2>&1", 2, "--seeds 0: expected a whole number above 0");
  expect(TRAIN "--decisions 0 -o w.safetensors 2>&1", 2, "--decisions 0: expected a whole number above 0");
}

Test(cli_train, resume_goes_on_from_what_is_there) {
  expect(TRAIN "--seeds 2 --threads 1 -o w.safetensors >out 2>&1; " DIGESTS " >a; echo done", 0, "done");
  expect(TRAIN "--seeds 2 --threads 3 -o w.safetensors >out 2>&1; " DIGESTS " | cmp - a && echo same", 0, "same");
  expect("touch -d '1 Jan 2020' w-1.safetensors; " TRAIN "--seeds 2 --resume -o w.safetensors >out 2>&1; ls "
         "--time-style=+%Y -l w-1.safetensors",
         0, " 2020 ");
  expect(TRAIN "--seeds 2 -o w.safetensors >out 2>&1; ls --time-style=+%Y -l w-1.safetensors | grep -c ' 2020 '", 1,
         "0");
}

Test(cli_train, hours_are_those_of_the_flag) {
  expect(TRAIN "--seeds 1 -o w.safetensors >out 2>&1 && " TRAIN
               "--seeds 1 --hours 0.05 -o x.safetensors >out 2>&1 && ! cmp -s w-1.csv x-1.csv && echo other",
         0, "other");
  expect(TRAIN "--hours 0 -o w.safetensors 2>&1", 2, "--hours 0: expected a number above 0");
}

Test(cli_train, policies_leave_out_what_is_not_there_yet) {
  expect("$F train with.json --plan plan.json --seeds 1 -o w.safetensors 2>&1", 2, "none");
  expect("$F train with.json --plan plan.json --seeds 1 --policies plain -o w.safetensors 2>&1", 0, "");
  expect("$F train with.json --plan plan.json --policies other -o w.safetensors 2>&1", 2, "\"other\"");
}

Test(cli_train, output_goes_where_it_is_sent) {
  expect(TRAIN "--seeds 2 -o w.safetensors --save saved.json --output text 2>out && test -s text && echo text", 0,
         "text");
  expect(TRAIN "--seeds 2 -o w.safetensors --json 2>out", 0, "\"command\":\"train\"");
  expect("cat saved.json", 0, "\"command\":\"train\"");
  expect(TRAIN "-o x.safetensors --save x.safetensors 2>&1", 2, "-o and --save name the same file; give two");
}

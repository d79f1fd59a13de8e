/* Each flag of `fleetwatt calibrate`: what it prints, and what the model's file says. */
#include "tests/cli_recordings.h"

TestSuite(cli_calibrate, .init = make_recordings, .fini = remove_folder);

#define GPU "--gpu a100-sxm4-80gb "
#define CALIBRATE "$F calibrate run0.csv run1.csv --resamples 0 " GPU
#define TABLE "$F calibrate table.csv --points " GPU

Test(cli_calibrate, a_model_is_written_under_its_name) {
  expect(CALIBRATE "-o made.json 2>&1", 0, "leave one run out");
  expect("cat made.json", 0, "\"id\": \"made\"");
  expect("cat made.json", 0, "\"gpu\": \"a100-sxm4-80gb\"");
  expect(CALIBRATE "--json 2>&1", 0, "\"id\":\"model\"");
  expect(CALIBRATE "--id named --json 2>&1", 0, "\"id\":\"named\"");
  expect(CALIBRATE "--id named -o made.json >out 2>&1; cat made.json", 0, "\"id\": \"named\"");
  expect(CALIBRATE "--source 'the lab' -o made.json >out 2>&1; cat made.json", 0, "the lab");
  expect(CALIBRATE "--source 'the lab' 2>&1", 2, "--source needs -o: it goes into the model's file");
  expect(CALIBRATE "-o no/such 2>&1", 3, "no/such: error:");
  expect("$F calibrate run0.csv 2>&1", 2, "--gpu: say on which GPU");
}

Test(cli_calibrate, resamples_give_intervals) {
  expect(CALIBRATE "--json 2>&1", 0, "\"resamples\":0,\"numbers\":{}");
  expect("$F calibrate run0.csv run1.csv --resamples 20 " GPU "--threads 1 --json >a 2>&1; grep -o '.resamples.:20' a",
         0, "\"resamples\":20");
  expect("$F calibrate run0.csv run1.csv --resamples 20 " GPU "--threads 3 --json 2>&1 | cmp - a && echo same", 0,
         "same");
  expect("$F calibrate run0.csv run1.csv --resamples few " GPU "2>&1", 2, "--resamples few: expected a whole number");
}

/* The engine stands ready at 85 W, in the recording's first sixth. */
Test(cli_calibrate, ready_power_is_for_recordings_without_it) {
  expect("awk -F, 'NR == 1 || $4 > 0' run0.csv >busy.csv", 0, "");
  expect("$F calibrate busy.csv --resamples 0 " GPU "--ready-power 91 --json 2>/dev/null", 0, "\"ready_w\":91,");
  expect(CALIBRATE "--ready-power 91 2>&1", 2, "the recordings show GPUs that stand ready: leave --ready-power out");
  expect(CALIBRATE "--ready-power 0 2>&1", 2, "--ready-power 0: expected a number above 0");
}

Test(cli_calibrate, a_gpu_without_a_file_is_warned_of) {
  expect("$F calibrate run0.csv --gpu a100 --resamples 0 2>&1", 0, "--gpu a100: there is neither");
  expect("touch a100.json && $F calibrate run0.csv --gpu a100 --resamples 0 >out 2>&1 && ! grep neither out", 0, "");
}

Test(cli_calibrate, a_table_gives_a_model_of_its_gpus) {
  expect(TABLE "--gpus 2 --sharding tensor 2>&1", 0, "2 GPUs");
  expect(TABLE "--gpus 2 --sharding layer -o t.json >out 2>&1; cat t.json", 0, "\"sharding\": \"layer\"");
  expect(TABLE "--gpus 1 -o t.json >out 2>&1; cat t.json", 0, "\"sharding\": \"single\"");
  expect(TABLE "--gpus 2 2>&1", 2, "the job has 2 GPUs: say with --sharding how it uses them");
  expect(TABLE "--gpus 1 --sharding layer 2>&1", 2, "the job has one GPU, which it cannot share out by layer");
  expect(CALIBRATE "--sharding tensor 2>&1", 2, "the job has one GPU, which it cannot share out by tensor");
  expect(CALIBRATE "--sharding both 2>&1", 2, "--sharding both: expected single, layer or tensor");
  expect(TABLE "2>&1", 2, "--points needs --gpus: say how many GPUs a job of the table has");
  expect(TABLE "--gpus 65537 2>&1", 2, "--gpus: expected at most 65536");
  expect(CALIBRATE "--gpus 2 2>&1", 2, "--gpus needs --points: a recording says itself how many GPUs it has");
  expect("$F calibrate table.csv table.csv --gpus 1 --points " GPU "2>&1", 2, "--points: give one table");
}

Test(cli_calibrate, a_table_has_no_use_for_flags_of_recordings) {
  static const char *const flags[] = {"--counters x", "--phases x", "--kind instant",
                                      "--role x",     "--tick 1",   "--resamples 5"};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    char command[200];
    (void)snprintf(command, sizeof command, TABLE "--gpus 1 %s 2>&1", flags[i]);
    expect(command, 2, "error: --points does not go with --");
  }
}

Test(cli_calibrate, readings_that_are_slower_than_ticks_are_warned_of) {
  expect("awk 'BEGIN { print \"t_s,power_w\"; for (i = 0; i < 400; i++) print i \",\" 200 + i % 7 }' >slow.csv", 0, "");
  expect("$F calibrate slow.csv --gpu a100-sxm4-80gb --resamples 0 2>&1", 0, "a reading every 1 s");
  expect("$F calibrate slow.csv --gpu a100-sxm4-80gb --resamples 0 --tick 1 >out 2>&1 && ! grep 'a reading every' out",
         0, "");
}

/* How a recording is read: each flag against the same command without it. */
Test(cli_calibrate, recordings_are_read_as_the_flags_say) {
  expect(CALIBRATE "--json >a 2>&1; grep -o '.tick_s.:0.5' a", 0, "\"tick_s\":0.5");
  expect(CALIBRATE "--tick 1 --json 2>&1", 0, "\"tick_s\":1,");
  expect(CALIBRATE "--tick 1e-12 2>&1", 2, "--tick: expected seconds from 1e-9 to 3600");
  expect(CALIBRATE "--kind mean_to --json >b 2>&1 && ! cmp -s a b && echo other", 0, "other");
  expect(CALIBRATE "--kind mean 2>&1", 2, "--kind mean: expected instant, mean_from or mean_to");
  expect("cut -d, -f 1,4- run0.csv >c0; cut -d, -f 1,4- run1.csv >c1; " CALIBRATE
         "--counters c0,c1 --json 2>&1 | sed 's/.*held_out\"//' >b; sed 's/.*held_out\"//' a | cmp - b && echo same",
         0, "same");
  expect("cut -d, -f -3 run0.csv >p0; $F calibrate p0 --resamples 0 " GPU "--json 2>/dev/null", 0,
         "\"occupancy\":\"power\"");
  expect("$F calibrate p0 --counters c0 --resamples 0 " GPU "--json 2>/dev/null", 0, "\"occupancy\":\"counters\"");
  expect(CALIBRATE "--counters c0 2>&1", 2, "--counters names 1 files for 2 recordings: name one for each");
  expect(CALIBRATE "--role decode 2>&1", 2, "role");
  expect(CALIBRATE "--utilization 2>&1", 2, "no column utilization_pct");
  expect(
      "awk -F, -v OFS=, '{ print $1, $2, $3, (NR == 1 ? \"utilization_pct\" : ($4 > 0 ? 100 : 0)) }' run0.csv >u0; $F "
      "calibrate u0 --resamples 0 " GPU "--utilization --json >b 2>/dev/null && $F calibrate u0 --resamples 0 " GPU
      "--json >c 2>/dev/null && ! cmp -s b c && echo other",
      0, "other");
}

Test(cli_calibrate, phases_say_what_the_job_did) {
  write_file("phases.csv", "t_start_s,t_end_s,phase\n0,33,ready\n33,80,generate\n80,120,generate\n120,200,generate\n");
  expect("cut -d, -f -3 run0.csv >p0; $F calibrate p0 --phases phases.csv --resamples 0 " GPU "--json >a 2>&1; cat a",
         0, "\"occupancy\":\"phases\"");
  expect("$F calibrate p0 --phases phases.csv --skip-phases 1 --resamples 0 " GPU "--json 2>&1 | cmp - a && echo same",
         0, "same");
  expect("$F calibrate p0 --phases phases.csv --skip-phases 0 --resamples 0 " GPU
         "--json >b 2>&1 && ! cmp -s a b && echo other",
         0, "other");
  expect(CALIBRATE "--skip-phases 2 2>&1", 2, "--skip-phases needs --phases: it leaves out the first of these");
  expect(CALIBRATE "--phases a,b --counters c,d 2>&1", 2,
         "--phases does not go with --counters: both say what the job did");
  expect(CALIBRATE "--phases a 2>&1", 2, "--phases names 1 files for 2 recordings: name one for each");
}

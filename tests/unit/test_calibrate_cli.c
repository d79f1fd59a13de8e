/* `fleetwatt calibrate` and `validate` as a user runs them: what they print, where the model goes, and how they end. */
#include "tests/cli_fixture.h"
#include "tests/recording_fixture.h"

/* One engine's recordings, and that of another which draws 60 W more while it generates. */
static void make_recordings(void) {
  made_engine other = usual_engine;
  char path[PATH_SIZE];
  other.p1_w += 60.0;
  make_folder();
  for (uint32_t run = 0; run < 3; run++) {
    char name[16];
    (void)snprintf(name, sizeof name, "run%u.csv", run);
    in_folder(name, path);
    make_recording(&usual_engine, run, 400, path);
  }
  in_folder("other.csv", path);
  make_recording(&other, 4, 400, path);
  write_file("table.csv", "concurrency,power_w\n1,200\n2,220\n4,240\n");
}

TestSuite(calibrate_cli, .init = make_recordings, .fini = remove_folder);

#define CALIBRATE "$F calibrate run0.csv run1.csv --gpu a100-sxm4-80gb --resamples 0 "

Test(calibrate_cli, a_model_is_held_against_recordings) {
  expect(CALIBRATE "-o made.json 2>&1", 0, "leave one run out");
  expect(CALIBRATE "--id named --json 2>&1", 0, "\"id\":\"named\"");
  expect("$F validate made.json run2.csv --seeds 2 --windows 0.5 --strict 2>&1", 0, "met");
  expect("$F validate made.json other.csv --seeds 2 --windows 0.5 2>&1", 0, "missed");
  expect("$F validate made.json other.csv --seeds 2 --windows 0.5 --strict --json 2>&1", 1, "\"missed\"");
  expect("$F validate made.json run2.csv --seeds 2 --output scores.txt && cat scores.txt", 0, "run2.csv");
}

Test(calibrate_cli, readings_that_are_slower_than_ticks_are_warned_of) {
  expect("awk 'BEGIN { print \"t_s,power_w\"; for (i = 0; i < 400; i++) print i \",\" 200 + i % 7 }' >slow.csv", 0, "");
  expect("$F calibrate slow.csv --gpu a100-sxm4-80gb --resamples 0 2>&1", 0, "a reading every 1 s");
  expect("! $F calibrate slow.csv --gpu a100-sxm4-80gb --resamples 0 --tick 1 2>&1 | grep 'a reading every'", 0, "");
}

Test(calibrate_cli, a_gpu_without_a_file_is_warned_of) {
  expect("$F calibrate run0.csv --gpu a100 --resamples 0 2>&1", 0, "--gpu a100: there is neither");
  expect("touch a100.json && ! $F calibrate run0.csv --gpu a100 --resamples 0 2>&1 | grep neither", 0, "");
}

Test(calibrate_cli, a_table_gives_a_model_of_its_gpus) {
  expect("$F calibrate table.csv --points --gpus 2 --sharding tensor --gpu a100-sxm4-80gb 2>&1", 0, "2 GPUs");
}

Test(calibrate_cli, flags_that_do_not_belong_together_are_refused) {
  expect("$F calibrate run0.csv 2>&1", 2, "--gpu: say on which GPU");
  expect(CALIBRATE "--gpus 2 2>&1", 2, "or add --points");
  expect(CALIBRATE "--sharding both 2>&1", 2, "expected single, layer or tensor");
  expect(CALIBRATE "--kind mean 2>&1", 2, "expected instant, mean_from or mean_to");
  expect(CALIBRATE "--counters run0.csv 2>&1", 2, "name one for each");
  expect(CALIBRATE "--tick 0 2>&1", 2, "--tick");
  expect(CALIBRATE "--utilization 2>&1", 2, "no column utilization_pct");
  expect(CALIBRATE "--points --gpus 1 2>&1", 2, "give one table");
  expect("$F calibrate table.csv --points --gpus 1 --gpu a100-sxm4-80gb --utilization 2>&1", 2, "--utilization");
  expect("$F calibrate table.csv --points --gpu a100-sxm4-80gb 2>&1", 2, "say how many GPUs");
  expect("$F calibrate table.csv --points --gpus 1 --gpu a100-sxm4-80gb --role decode 2>&1", 2, "a table has no ticks");
  expect("$F validate run0.csv 2>&1", 2, "name a model and at least one recording");
  expect("$F validate made.json run0.csv --seeds 0 2>&1", 2, "--seeds");
}

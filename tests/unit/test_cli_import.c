/* Each flag of `fleetwatt import`, on logs of a few rows. */
#include "tests/cli_fixture.h"

static void make_logs(void) {
  make_folder();
  write_file("own.csv", "t_s,gpu,power_w\n0,0,100\n1,0,200\n2,0,300\n3,0,400\n");
  write_file("bare.csv", "100\n200\n300\n400\n");
  write_file("local.csv",
             "timestamp, index, power.draw [W]\n2024/05/06 10:00:00, 0, 61 W\n2024/05/06 10:00:01, 0, 62 W\n");
  write_file("local2.csv",
             "timestamp, index, power.draw [W]\n2024/05/06 10:00:02, 0, 63 W\n2024/05/06 10:00:03, 0, 64 W\n");
  write_file("dmon", "# gpu   pwr\n# Idx     W\n    0    61\n    0    62\n    0    63\n");
  write_file("panel.csv", "'Time','node 1'\n1714989600000,640 W\n1714989601000,650 W\n");
}

TestSuite(cli_import, .init = make_logs, .fini = remove_folder);

#define REPORT " --json 2>&1"

Test(cli_import, output_is_the_recording) {
  expect("$F import own.csv", 0, "own.csv: CSV with a row per reading, 4 readings, power from power_w");
  expect("$F import own.csv -o out.csv >report && cat out.csv", 0,
         "# kind: instant\nt_s,gpu,power_w\n0,0,100\n1,0,200\n");
  expect("$F import own.csv" REPORT, 0, "\"command\":\"import\"");
  expect("$F import own.csv -o no/such 2>&1", 3, "no/such: error:");
  expect("$F import none.csv 2>&1", 2, "none.csv: error:");
}

Test(cli_import, format_is_found_or_said) {
  expect("$F import dmon --interval 1" REPORT, 0, "\"format\":\"dmon\"");
  expect("$F import dmon --interval 1 --format dmon" REPORT, 0, "\"format\":\"dmon\"");
  expect("$F import local.csv" REPORT, 0, "\"format\":\"smi\"");
  expect("$F import local.csv --format csv" REPORT, 0, "\"format\":\"csv\"");
  expect("$F import own.csv --format dmon 2>&1", 2, "own.csv:");
  expect("$F import own.csv --format dmno 2>&1", 2, "--format dmno: expected dmon");
  expect("$F import own.csv --format xyzzy 2>&1", 2, "--format xyzzy: expected auto, smi, dmon, dcgmi, prometheus,");
}

Test(cli_import, columns_are_named_by_flags) {
  write_file("odd.csv", "1,7,x,100\n2,7,x,200\n3,7,x,300\n");
  expect("$F import odd.csv --columns t_s,index,-,power_w -o out.csv && cat out.csv", 0, "1,7,100\n2,7,200\n3,7,300\n");
  expect("$F import odd.csv 2>&1", 2, "odd.csv:");
  expect("$F import odd.csv --columns t_s,-,-,index 2>&1", 2, "odd.csv:");
  write_file("two.csv", "t_s,board,a [W],b [W]\n0,3,100,500\n1,3,200,600\n2,3,300,700\n");
  expect("$F import two.csv --id-column board --power-column 'a [W]' -o out.csv >report; cat out.csv", 0,
         "0,3,100\n1,3,200\n2,3,300\n");
  expect("$F import two.csv --id-column board --power-column 'b [W]' -o out.csv >report; cat out.csv", 0, "0,3,500\n");
  expect("$F import two.csv --id-column bord --power-column 'a [W]' 2>&1", 2,
         "no column \"bord\" in \"t_s,board,a [W],b [W]\"");
  expect("$F import two.csv --id-column board --power-column c 2>&1", 2,
         "no column \"c\" in the header \"t_s,board,a [W],b [W]\"");
}

Test(cli_import, unit_is_that_of_power_without_one) {
  write_file("plain.csv", "t_s,gpu,power\n0,0,100\n1,0,200\n2,0,300\n");
  expect("$F import plain.csv 2>&1", 2, "--unit");
  expect("$F import plain.csv --unit W" REPORT, 0, "\"max_w\":300,");
  expect("$F import plain.csv --unit mW" REPORT, 0, "\"max_w\":0.3,");
  expect("$F import plain.csv --unit V 2>&1", 2, "unit \"V\": it is W, mW or kW");
  expect("$F import own.csv --unit mW 2>&1", 2, "--unit: all power in the log has one; leave it out");
}

/* What power.draw means hangs on the GPU: docs/telemetry.md. */
Test(cli_import, gpu_model_says_what_power_draw_means) {
  expect("$F import local.csv" REPORT, 0, "\"averaging\":\"unknown\"");
  expect("$F import local.csv --gpu-model A100" REPORT, 0, "\"averaging\":\"instantaneous\"");
  expect("$F import local.csv --gpu-model H100" REPORT, 0, "\"averaging\":\"mean over 1 s\"");
  expect("$F import own.csv --gpu-model A100 2>&1", 2, "--gpu-model: nothing in the log hangs on it; leave it out");
}

Test(cli_import, without_stamps_rows_are_counted) {
#define BARE "$F import bare.csv --columns power_w "
  expect(BARE "2>&1", 2, "say --interval S and, where no column tells the GPUs apart, --gpus N");
  expect(BARE "--interval 2 --gpus 2 -o out.csv >report; cat out.csv", 0, "0,0,100\n0,1,200\n2,0,300\n2,1,400\n");
  expect(BARE "--interval 0.5 --gpus 1 --start 100 -o out.csv >report; cat out.csv", 0, "100,0,100\n100.5,0,200\n");
  expect(BARE "--interval 1 --gpus 1 --start 2024-05-06T10:00:00Z" REPORT, 0, "\"first_s\":1714989600,");
  expect(BARE "--interval 1 --gpus 1 --start soon 2>&1", 2, "--start soon: expected seconds, or a time such as ");
  expect(BARE "--interval 1e300 --gpus 1 2>&1", 2, "--interval 1e+300: expected between 1 ns and 292 years, in s");
  expect(BARE "--interval 1e-12 --gpus 1 2>&1", 2, "--interval 1e-12: expected between 1 ns and 292 years, in s");
  expect(BARE "--interval 1 --gpus 100001 2>&1", 2, "--gpus 100001: expected at most 100000");
  expect(BARE "--interval 1 --gpus 0 2>&1", 2, "--gpus 0: expected a whole number above 0");
  expect("$F import own.csv --start 5 2>&1", 2, "--start: the log has stamps; leave it out");
  expect("$F import own.csv --gpus 2 2>&1", 2, "says when and of which GPU a row is: leave out --gpus");
  expect("$F import own.csv --gpus 2 --id-column gpu 2>&1", 2, "--gpus does not go with --id-column");
  expect("$F import own.csv --interval 1" REPORT " | grep -c 'asked for every'", 1, "0");
  expect("$F import own.csv --interval 2" REPORT, 0, "asked for every 2 s, recorded every 1 s");
}

Test(cli_import, zones_shift_stamps_that_have_none) {
  expect("$F import local.csv" REPORT, 0, "\"first_s\":1714989600,");
  expect("$F import local.csv --tz +02:00" REPORT, 0, "\"first_s\":1714982400,");
  expect("$F import local.csv local2.csv --tz +02:00,+01:00" REPORT, 0, "\"first_s\":1714986002,");
  expect("$F import local.csv --tz Z" REPORT, 0, "\"time_zone_assumed_utc\":false");
  expect("$F import local.csv --tz CET 2>&1", 2, "--tz CET: expected ");
  expect("$F import local.csv --tz +01:00,+02:00 2>&1", 2, "time zones: give one for all logs, or one for each");
  expect("$F import own.csv --tz +02:00 2>&1", 2, "--tz: no stamp lacks its zone; leave it out");
}

Test(cli_import, several_logs_are_nodes_or_parts) {
  expect("$F import local.csv local2.csv" REPORT, 0, "\"gpus_count\":2,");
  expect("$F import local.csv local2.csv" REPORT, 0, "\"gpu\":\"local2/0\"");
  expect("$F import local.csv local2.csv --join" REPORT, 0, "\"gpus_count\":1,");
  expect("$F import local.csv --join 2>&1", 2, "--join makes several files one log: name all of them, or leave it out");
  expect("cat own.csv own.csv >twice.csv; $F import twice.csv 2>&1", 2, "--split-on-header");
  expect("$F import twice.csv --split-on-header" REPORT, 0, "\"gpus_count\":2,");
  expect("$F import own.csv local.csv --split-on-header 2>&1", 2, "splitting on headers works on one log");
  expect("$F import own.csv local.csv --split-on-header --join 2>&1", 2, "--split-on-header does not go with --join");
}

Test(cli_import, max_power_is_what_is_plausible) {
  expect("$F import own.csv" REPORT, 0, "\"excluded\":0,");
  expect("$F import own.csv --max-power 350" REPORT, 0, "\"excluded\":1,");
  expect("$F import own.csv --max-power 1e-9 2>&1", 2, "--max-power 1e-09: expected watts, from 0.001 on");
  expect("$F import own.csv --max-power 1e300 2>&1", 2, "--max-power 1e+300: expected watts, from 0.001 on");
}

Test(cli_import, only_takes_some_gpus) {
  write_file("three.csv", "t_s,gpu,power_w\n0,a,100\n0,b,200\n0,c,300\n1,a,100\n1,b,200\n1,c,300\n");
  expect("$F import three.csv" REPORT, 0, "\"mean_sum_w\":600,");
  expect("$F import three.csv --only a,c" REPORT, 0, "\"mean_sum_w\":400,");
  expect("$F import three.csv --only a,d 2>&1", 2, "--only: the log has no GPU \"d\"");
}

Test(cli_import, decimal_comma_is_a_point) {
  write_file("comma.csv", "t_s;gpu;power_w\n0;0;253,5\n1;0;254,25\n");
  expect("$F import comma.csv --decimal-comma -o out.csv >report; cat out.csv", 0, "0,0,253.5\n1,0,254.25\n");
  expect("$F import comma.csv 2>&1", 2, "--decimal-comma");
  expect("$F import own.csv --decimal-comma 2>&1", 2,
         "--decimal-comma: no number in the log has a comma; leave it out");
}

/* Three seconds of six. */
Test(cli_import, span_is_what_coverage_is_the_share_of) {
  expect("$F import own.csv" REPORT, 0, "\"coverage\":1,");
  expect("$F import own.csv --span 6" REPORT, 0, "\"span_s\":6,\"coverage\":0.5,");
  expect("$F import own.csv --span 1e300 2>&1", 2, "--span 1e+300: expected between 1 ns and 292 years, in s");
}

/* 100 W for 10 s are lost in the gap, unless a reading holds across it. */
Test(cli_import, bridged_holds_readings_across_gaps) {
  write_file("gap.csv", "t_s,gpu,power_w\n0,0,100\n1,0,100\n2,0,100\n12,0,100\n13,0,100\n14,0,100\n");
  expect("$F import gap.csv" REPORT, 0, "\"hold_last_j\":400,");
  expect("$F import gap.csv" REPORT " | grep -c bridged", 1, "0");
  expect("$F import gap.csv --bridged" REPORT, 0, "\"bridged_j\":1400");
  expect("$F import gap.csv --bridged 2>&1", 0, "1400 J");
}

Test(cli_import, what_a_format_says_itself_is_no_flag) {
  expect("$F import dmon --columns a,b --format dmon 2>&1", 2,
         "dmon: error: a log of format dmon says itself what is what: leave out --columns");
  expect("$F import dmon --id-column gpu 2>&1", 2, "leave out --id-column");
  expect("$F import dmon --gpus 2 2>&1", 2, "leave out --gpus");
  expect("$F import panel.csv" REPORT, 0, "\"format\":\"grafana\"");
  expect("$F import panel.csv --format grafana --power-column 'node 1' 2>&1", 2, "leave out --power-column");
}

/* Energy and units: seven small logs from which other tools made a wrong energy. */
#include "tests/import_fixture.h"

/* The clock goes back by 0.9 s, or two counter readings fall on top of each other (hubblo-org/scaphandre#441, #443). */
Test(ene, clock_step) {
  imported in;
  import_case(&in, "ene-clock-step", "samples.csv", &(fw_import_options){0});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect(near(joules(gpu->hold_last), 400));
  expect_never(&in, 220);
  cr_expect_eq(gpu->covered, 2 * FW_NS_PER_S);
  cr_expect_eq(gpu->clock_steps, 1);
  cr_expect_eq(message_line(&in, "clock goes back by 0.9 s"), 5);
  fw_pieces pieces;
  fw_time_ns covered;
  cr_assert_eq(fw_series_pieces(&in.trace, 0, &pieces, NULL), FW_OK);
  cr_expect(near(joules(fw_pieces_energy(&pieces, -FW_TIME_MAX, FW_TIME_MAX, &covered)), 400), "in the recording too");
  cr_expect_eq(pieces.gap_count, 1);
  fw_pieces_clear(&pieces);
  imported_clear(&in);

  import_case(&in, "ene-clock-step", "counter.csv", &(fw_import_options){0});
  const fw_series *series = series_of(&in, "0");
  for (size_t i = 0; i < series->count; i++)
    cr_expect_leq(series->power[i], 400000);
  expect_never(&in, 800000);
  cr_expect_eq(event_line(&in, FW_IMPORT_SHORT_INTERVAL, 0), 4);
  cr_expect_eq(gpu_of(&in, "0")->counter_time, INT64_C(3999500000));
  imported_clear(&in);
}

/* Three hourly samples of at most 1 kW gave a day's mean of 6 kW (influxdata/influxdb#23929, prometheus#581, #1161). */
Test(ene, edge_extrapolated) {
  imported in;
  import_case(&in, "ene-edge-extrapolated", "three_points.csv", &(fw_import_options){.span = 86400 * FW_NS_PER_S});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect(near(gpu->mean_w, 500));
  cr_expect(near(joules(gpu->hold_last), 3.6e6));
  cr_expect(near(joules(gpu->trapezoid), 3.6e6));
  cr_expect_eq(gpu->covered, 7200 * FW_NS_PER_S);
  cr_expect(near(in.report.coverage, 2.0 / 24));
  cr_expect_leq(gpu->largest, 1000000);
  cr_expect_leq(gpu->mean_w, 1000);
  cr_expect_leq(joules(gpu->hold_next), 3.6e6, "never above 1 kWh");
  expect_never(&in, 6000);
  expect_never(&in, 6000.0 * 24 * 3600); /* that, over the day */
  imported_clear(&in);
}

/* The integral bridges a night without samples: 652.5 Wh that nobody measured (home-assistant/core#24398, #126356). */
Test(ene, gap_bridged) {
  imported in;
  import_case(&in, "ene-gap-bridged", "overnight.csv", &(fw_import_options){0});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect_eq(gpu->covered, 180 * FW_NS_PER_S);
  cr_expect(near(joules(gpu->hold_last), 8100));
  cr_expect(near(joules(gpu->trapezoid), 8100));
  cr_expect(near(gpu->mean_w, 45));
  expect_never(&in, 8100.0 / 52380); /* the night as 0 W: 0.155 W */
  expect_never(&in, 652.5);          /* the night at 45 W, in Wh */
  expect_never(&in, 654.75);         /* with the rest: only with --bridged */
  expect_never(&in, 654.75 * 3600);
  cr_expect_eq(gpu->gap_time, 52200 * FW_NS_PER_S);
  cr_expect(near(fw_energy_to_watt_hours(gpu->bridged), 654.75), "apart from the others");
  imported_clear(&in);
}

/* The curve through the merged points of two hosts swings between them (ls1intum/edutelligence#591). */
Test(ene, interleaved_sources) {
  imported in;
  import_case(&in, "ene-interleaved-sources", "merged.csv", &(fw_import_options){0});
  cr_expect(near(joules(gpu_of(&in, "a")->hold_last), 10000));
  cr_expect(near(joules(gpu_of(&in, "b")->hold_last), 2000));
  cr_expect(near(joules(in.report.hold_last), 12000));
  expect_never(&in, 6300); /* the curve through the merged points */
  fw_pieces total;
  cr_assert_eq(fw_trace_total(&in.trace, &total, NULL), FW_OK);
  cr_assert_gt(total.count, 0);
  cr_expect_eq(total.data[0].from, FW_NS_PER_S / 2);
  cr_expect_geq(total.data[total.count - 1].to, 10 * FW_NS_PER_S);
  for (size_t i = 0; i < total.count; i++)
    cr_expect_eq(total.data[i].power, 1200000);
  fw_pieces_clear(&total);
  imported_clear(&in);
}

/* Milliwatts without a unit are read as watts: 285 kW (powerapi-ng/pyJoules#20, #23, tdurieux/EnergiBridge#1). */
Test(ene, milliwatt) {
  imported in;
  import_case(&in, "ene-milliwatt", "nvml.csv", &(fw_import_options){0});
  cr_expect_eq(in.status, FW_ERROR_INPUT);
  cr_expect(says(&in, "--unit mW"));
  cr_expect(says(&in, "as mW it is plausible"));
  expect_never(&in, 285.4 / 1000);
  imported_clear(&in);
  import_case(&in, "ene-milliwatt", "nvml.csv", &(fw_import_options){.unit = "mW"});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect(near(gpu->sample_mean_w, 285.4));
  cr_expect(near(joules(gpu->hold_last), 570.8));
  cr_expect(near(joules(gpu->trapezoid), 570.8));
  const fw_series *series = series_of(&in, "0");
  for (size_t i = 1; i < series->count; i++)
    cr_expect_eq(series->time[i] - series->time[i - 1], FW_NS_PER_S / 2, "exactly");
  expect_never(&in, 285400);
  expect_never(&in, 0.2854);
  imported_clear(&in);
}

/* Samples x nominal interval ignores the stamps: 12 to 20 % too low (ARM-software/workload-automation#328,
 * mlcommons/training_results_v4.0#4). */
Test(ene, nominal_interval) {
  imported in;
  import_case(&in, "ene-nominal-interval", "lms500.csv", &(fw_import_options){.interval = FW_NS_PER_S / 2});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect(near(joules(gpu->hold_last), 1710));
  expect_never(&in, 1500); /* 10 x 0.5 s */
  cr_expect_eq(gpu->covered, INT64_C(5700000000));
  cr_expect(near(gpu->mean_w, 300));
  cr_expect_eq(gpu->interval, INT64_C(550000000));
  cr_expect_eq(gpu->interval_largest, INT64_C(900000000));
  cr_expect_eq(gpu->gap_count, 0);
  cr_expect(says(&in, "asked for every 0.5 s, recorded every 0.55 s"));
  imported_clear(&in);
}

/* Each of four ranks logged the whole node: four times its energy (mlco2/codecarbon#1390, #544,
 * saintslab/carbontracker#2). */
Test(ene, rank_copies) {
  imported in;
  import_case(&in, "ene-rank-copies", "ranks.csv", &(fw_import_options){0});
  cr_assert_eq(in.status, FW_OK);
  cr_expect_eq(in.report.gpu_count, 2);
  cr_expect(fabs(in.report.mean_sum_w - 780) < 1);
  double energy = joules(in.report.hold_last);
  cr_expect(energy > 2320 && energy < 2360, "is %g", energy);
  expect_never(&in, 3120);
  expect_never(&in, 9360);
  cr_expect(says(&in, "gpu 0 and 1 reported by 4 sources with equal values"));
  imported_clear(&in);
}

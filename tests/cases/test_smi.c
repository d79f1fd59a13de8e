/* nvidia-smi logs: eleven small ones on which other tools went wrong. The figure of the bug must not appear; what went
 * wrong, and where, stands above each test. */
#include "tests/import_fixture.h"

/* power.draw is a mean over 1 s on newer boards and instantaneous on A100 (NVIDIA/DCGM#157, ml-energy/zeus#45): the two
 * must not be taken for one quantity. */
static size_t count_above(const fw_series *series, fw_power_mw budget, size_t from) {
  size_t count = 0;
  for (size_t i = from; i < series->count; i++)
    count += series->power[i] > budget;
  return count;
}

Test(smi, average_vs_instant) {
  const fw_power_mw budget = 450 * FW_MW_PER_W;
  imported in;
  import_case(&in, "smi-average-vs-instant", "h100_like.csv", &(fw_import_options){0});
  cr_assert_eq(in.status, FW_OK);
  const fw_series *draw = series_of(&in, "0");
  cr_expect_eq(draw->count, 40);
  cr_expect_eq(count_above(draw, budget, 0), 3);
  cr_expect_eq(count_above(draw, budget, 3), 0);
  cr_expect_eq(draw->power[3], 400000);
  cr_expect_str_eq(in.report.sources[0].power_column, "power.draw [W]");
  cr_expect_eq(in.report.averaging, FW_IMPORT_MEAN_OF_1S, "known by being equal to power.draw.average");
  cr_expect(says(&in, "no window below 1 s"));
  imported_clear(&in);

  import_case(&in, "smi-average-vs-instant", "h100_like.csv",
              &(fw_import_options){.power_column = "power.draw.instant"});
  cr_assert_eq(in.status, FW_OK);
  cr_expect_eq(count_above(series_of(&in, "0"), budget, 0), 20);
  cr_expect_str_eq(in.report.sources[0].power_column, "power.draw.instant [W]");
  cr_expect_eq(in.report.averaging, FW_IMPORT_INSTANTANEOUS);
  cr_expect_not(says(&in, "no window below 1 s"));
  imported_clear(&in);
}

/* One reading of 3.7 MW becomes the peak, one of 0.08 W the idle power (flightlessmango/MangoHud#2144, #1656,
 * intel/xpumanager#130, Syllo/nvtop#409). */
Test(smi, bogus_spike) {
  imported in;
  import_case(&in, "smi-bogus-spike", "spike.csv", &(fw_import_options){0});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect_eq(gpu->sample_count, 6);
  cr_expect_eq(gpu->excluded_count, 2);
  cr_expect_eq(gpu->largest, 298000);
  cr_expect_eq(gpu->smallest, 290000);
  cr_expect(near(gpu->sample_mean_w, 294.5), "%g", gpu->sample_mean_w);
  cr_expect_eq(event_line(&in, FW_IMPORT_TOO_HIGH, 0), 4);
  cr_expect_eq(event_line(&in, FW_IMPORT_TOO_LOW, 0), 7);
  cr_expect_eq(message_line(&in, "3686400 W"), 4);
  cr_expect_eq(message_line(&in, "0.08 W"), 7);
  expect_never(&in, (3686400 + 0.08 + 6 * 294.5) / 8); /* the mean of all eight */
  imported_clear(&in);
}

/* "31" of "31x.xx W" is a number too (bgreenlee/pygtail#20). */
Test(smi, cut_last_line) {
  imported in;
  import_case(&in, "smi-cut-last-line", "live_copy.csv", &(fw_import_options){0});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect_eq(gpu->sample_count, 5);
  cr_expect(near(gpu->sample_mean_w, 312.37));
  cr_expect_eq(gpu->smallest, 311900);
  cr_expect_eq(message_line(&in, "incomplete"), 7);
  expect_never(&in, 31);
  expect_never(&in, (5 * 312.37 + 31) / 6);
  imported_clear(&in);
}

/* After a driver update the second header has moved columns: temperature is read as watts, or power vanishes
 * (netdata/netdata#15755, influxdata/telegraf#16569, NordicHPC/sonar#170). */
Test(smi, header_again) {
  static const fw_power_mw expected[] = {210500, 211000, 212500, 209000, 330000, 331000, 329500, 330500};
  imported in;
  import_case(&in, "smi-header-again", "appended.csv", &(fw_import_options){0});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  expect_powers(series_of(&in, "0"), expected, 8);
  cr_expect_eq(message_line(&in, "schema changed at line 6"), 6);
  cr_expect_eq(gpu->gap_count, 1);
  cr_expect_eq(gpu->gap_time, 27 * FW_NS_PER_S);
  cr_expect(near(gpu->sample_mean_w, (210.75 + 330.25) / 2));
  const fw_import_event *gap = &in.report.events[in.report.event_count - 1];
  cr_expect_eq(gap->decision, FW_IMPORT_GAP);
  cr_expect_eq(gap->time % (86400 * FW_NS_PER_S), (36000 + 3) * FW_NS_PER_S, "from 10:00:03");
  cr_expect_eq(gap->duration, 27 * FW_NS_PER_S);
  expect_never(&in, 328.75);                    /* power.draw.instant of the second part */
  expect_never(&in, 70);                        /* its temperature */
  expect_never(&in, (4 * 210.75 + 4 * 70) / 8); /* and the mean that comes of it */
  imported_clear(&in);
}

/* Missing readings crashed parsers, cost the whole row, or became 0 W (enkore/i3pystatus#776, #850,
 * Azure/azhpc-diagnostics#77, Quake4/MindMiner#627, netdata/netdata#4892). */
Test(smi, na_cells) {
  static const char *const spellings[] = {"[N/A]",           "[Not Supported]",      "ERR!",
                                          "[Unknown Error]", "[GPU requires reset]", "N/A"};
  static const fw_power_mw expected[] = {250000, 252000, 248000, 250000};
  imported in;
  import_case(&in, "smi-na-cells", "log.csv", &(fw_import_options){0});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect_eq(gpu->row_count, 10);
  cr_expect_eq(gpu->sample_count, 4);
  cr_expect_eq(gpu->missing_count, 6);
  cr_expect_eq(gpu->smallest, 248000, "no 0 W");
  cr_expect(near(gpu->sample_mean_w, 250));
  expect_powers(series_of(&in, "0"), expected, 4);
  cr_assert_eq(in.report.missing_kinds, 6);
  for (size_t i = 0; i < 6; i++) {
    cr_expect_str_eq(in.report.missing[i].spelling, spellings[i]);
    cr_expect_eq(in.report.missing[i].count, 1);
  }
  cr_expect_eq(gpu->gap_count, 1);
  cr_expect_eq(gpu->gap_time, 6 * FW_NS_PER_S);
  expect_never(&in, 4 * 250.0 / 10); /* six times 0 W in the mean */
  imported_clear(&in);
}

/* Without a header the limit or the temperature is taken for power, and a column of two GPUs for one
 * (Scionero/MaxContextFinder#6, SikamikanikoBG/homelab-monitor#261). */
static void check_two_gpus(const imported *in) {
  cr_assert_eq(in->status, FW_OK);
  cr_assert_eq(in->report.gpu_count, 2);
  const double means[] = {251.5, 261.5};
  for (size_t i = 0; i < 2; i++) {
    const fw_import_gpu *gpu = &in->report.gpus[i];
    cr_expect_eq(gpu->sample_count, 4);
    cr_expect(near(gpu->sample_mean_w, means[i]), "%g", gpu->sample_mean_w);
    cr_expect_eq(gpu->interval, FW_NS_PER_S);
  }
  expect_never(in, 400);   /* the limit */
  expect_never(in, 61);    /* the temperature */
  expect_never(in, 256.5); /* the mean of one series of eight */
}

Test(smi, no_header) {
  imported in;
  import_case(&in, "smi-no-header", "five.csv", &(fw_import_options){0});
  cr_expect_eq(in.status, FW_ERROR_INPUT);
  cr_expect(says(&in, "2024/05/06 10:00:00.000, 0, 250.00, 400.00, 61"), "the first line is shown");
  cr_expect(says(&in, "--columns"));
  imported_clear(&in);
  import_case(&in, "smi-no-header", "one.csv", &(fw_import_options){0});
  cr_expect_eq(in.status, FW_ERROR_INPUT);
  cr_expect(says(&in, "250.00"));
  cr_expect(says(&in, "--gpus"));
  imported_clear(&in);
  import_case(&in, "smi-no-header", "five.csv",
              &(fw_import_options){.columns = "timestamp,index,power_w,limit_w,temp_c"});
  check_two_gpus(&in);
  imported_clear(&in);
  import_case(&in, "smi-no-header", "one.csv",
              &(fw_import_options){.columns = "power_w", .gpu_count = 2, .interval = FW_NS_PER_S});
  check_two_gpus(&in);
  imported_clear(&in);
}

/* Local indices of two nodes collapse: 2 GPUs at 580 W instead of 4 at 1160 W (SemiAnalysisAI/InferenceX#1574, #1635,
 * NVIDIA/srt-slurm#35). */
Test(smi, nodes_concatenated) {
  imported in;
  import_case(&in, "smi-nodes-concatenated", "all_nodes.csv", &(fw_import_options){0});
  cr_expect_eq(in.status, FW_ERROR_INPUT);
  cr_expect(says(&in, "line 2 and line 11"));
  cr_expect(says(&in, "--split-on-header"));
  imported_clear(&in);
  import_case(&in, "smi-nodes-concatenated", "all_nodes.csv", &(fw_import_options){.split_on_header = true});
  cr_assert_eq(in.status, FW_OK);
  cr_expect_eq(in.report.gpu_count, 4);
  cr_expect(near(in.report.mean_sum_w, 1160));
  cr_expect_eq(event_line(&in, FW_IMPORT_HEADER_AGAIN, 0), 10);
  fw_pieces total;
  cr_assert_eq(fw_trace_total(&in.trace, &total, NULL), FW_OK);
  cr_assert_gt(total.count, 0);
  for (size_t i = 0; i < total.count; i++)
    cr_expect_eq(total.data[i].power, 1160000);
  fw_pieces_clear(&total);
  expect_never(&in, 580);
  imported_clear(&in);
}

/* Stamps carry no zone: joined without offsets the logs do not overlap and the common peak is lost
 * (mlcommons/inference#893, #1103, mlcommons/power-dev#232, immich-app/immich#28155). */
static void import_two_zones(imported *out, const fw_import_options *options) {
  char paths[2][512];
  static const char *const files[] = {"node_a_local.csv", "node_b_utc.csv"};
  fw_import_input inputs[2];
  for (size_t i = 0; i < 2; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/tests/cases/smi-two-time-zones/%s", FW_SOURCE_DIR, files[i]);
    inputs[i] = (fw_import_input){.name = paths[i]};
  }
  import_inputs(out, inputs, 2, options);
  cr_assert_eq(out->status, FW_OK);
  cr_expect_eq(out->report.gpu_count, 2, "index 0 of two nodes");
}

Test(smi, two_time_zones) {
  imported in;
  import_two_zones(&in, &(fw_import_options){0});
  cr_expect(says(&in, "no overlap, 7200 s apart"));
  cr_expect(in.report.zone_assumed);
  cr_expect_eq(in.report.overlap, 0);
  fw_pieces total;
  cr_assert_eq(fw_trace_total(&in.trace, &total, NULL), FW_OK);
  cr_expect_eq(total.count, 0, "there is no fleet power, and so no peak of 700 W");
  fw_pieces_clear(&total);
  imported_clear(&in);

  fw_time_ns offsets[2];
  cr_assert(fw_import_zone_parse("+02:00", &offsets[0]) && fw_import_zone_parse("+00:00", &offsets[1]));
  import_two_zones(&in, &(fw_import_options){.zone_offsets = offsets, .zone_count = 2});
  cr_expect_not(says(&in, "no overlap"));
  cr_expect_not(in.report.zone_assumed);
  cr_expect_eq(in.report.overlap, 9 * FW_NS_PER_S);
  cr_assert_eq(fw_trace_total(&in.trace, &total, NULL), FW_OK);
  fw_power_mw peak = 0;
  for (size_t i = 0; i < total.count; i++)
    peak = total.data[i].power > peak ? total.data[i].power : peak;
  cr_expect_eq(peak, 1400000);
  fw_pieces_clear(&total);
  imported_clear(&in);
}

/* Columns are addressed by position, or by a name with its leading blank (Breakend/experiment-impact-tracker#36,
 * Cyclenerd/ethereum_nvidia_miner#51, tdurieux/EnergiBridge#1). */
Test(smi, units_order) {
  static const char *const files[] = {"with_units.csv", "nounits_reordered.csv"};
  static const fw_power_mw expected[2][5] = {{61220, 118400, 301750, 298100, 62000},
                                             {58100, 120050, 299950, 300200, 60400}};
  for (size_t f = 0; f < 2; f++) {
    imported in;
    import_case(&in, "smi-units-order", files[f], &(fw_import_options){0});
    cr_assert_eq(in.report.gpu_count, 2);
    cr_expect(near(gpu_of(&in, "0")->sample_mean_w, 168.294));
    cr_expect(near(gpu_of(&in, "1")->sample_mean_w, 167.740));
    expect_powers(series_of(&in, "0"), expected[0], 5);
    expect_powers(series_of(&in, "1"), expected[1], 5);
    expect_never(&in, 55); /* the temperature */
    imported_clear(&in);
  }
}

/* The identity was in a column that the tool did not know: all rows became GPU 0 (SemiAnalysisAI/InferenceX#1558,
 * utkuozdemir/nvidia_gpu_exporter#93). */
Test(smi, unknown_id_column) {
  imported in;
  import_case(&in, "smi-unknown-id-column", "serials.csv", &(fw_import_options){0});
  cr_assert_eq(in.report.gpu_count, 4);
  cr_expect(near(in.report.mean_sum_w, 1000));
  for (size_t i = 0; i < 4; i++) {
    cr_expect_eq(in.report.gpus[i].sample_count, 5, "never 20 of one");
    cr_expect_lt(in.report.gpus[i].mean_w, 261, "never 1000 W of one");
  }
  imported_clear(&in);

  static const char columns[] = "timestamp,-,power_w";
  import_case(&in, "smi-unknown-id-column", "serials.csv", &(fw_import_options){.columns = columns});
  cr_expect_eq(in.status, FW_ERROR_INPUT);
  cr_expect(says(&in, "time stamp repeated 4 times without a GPU id column"));
  imported_clear(&in);

  import_case(&in, "smi-unknown-id-column", "serials.csv",
              &(fw_import_options){.columns = "timestamp,board,power_w", .id_column = "board"});
  cr_assert_eq(in.status, FW_OK);
  cr_expect_eq(in.report.gpu_count, 4);
  imported_clear(&in);
}

/* A redirect of PowerShell is UTF-16: a C program sees a string of one character and imports nothing
 * (openwall/john#2802, PowerShell/PowerShell#8636). */
Test(smi, utf16) {
  imported in;
  import_case(&in, "smi-utf16", "powershell.csv", &(fw_import_options){0});
  cr_assert_eq(in.status, FW_OK);
  cr_expect_eq(gpu_of(&in, "0")->sample_count, 6);
  cr_expect(near(gpu_of(&in, "0")->sample_mean_w, 61.22));
  imported_clear(&in);
}

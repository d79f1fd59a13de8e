/* DCGM, Prometheus and Grafana: six small inputs on which other tools went wrong. */
#include "tests/import_fixture.h"

/* DCGM's blank values are numbers: petawatts in a mean, or a sum that is NaN (guilbaults/slurm-job-exporter#30, #53,
 * NVIDIA/DCGM#83, #202, #199). */
Test(dcg, blank_sentinels) {
  static const fw_power_mw expected[] = {69437, 70102, 69950, 70211};
  imported in;
  import_case(&in, "dcg-blank-sentinels", "export.csv", &(fw_import_options){0});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  expect_powers(series_of(&in, "0"), expected, 4);
  cr_expect_eq(gpu->missing_count, 4);
  cr_expect_eq(in.report.missing_kinds, 4, "counted per sentinel");
  cr_expect(near(gpu->sample_mean_w, 69.925));
  cr_expect(near(joules(gpu->counter_energy), 419.2));
  cr_expect_eq(gpu->counter_time, 7 * FW_NS_PER_S);
  cr_expect(gpu->counter_error > 0.135 && gpu->counter_error < 0.145, "14 %%, is %g", gpu->counter_error);
  cr_expect(says(&in, "59.886 W disagrees"));
  cr_expect_eq(gpu->largest, 70211, "no sentinel is a reading");
  expect_never(&in, (69.437 + 70.102 + 69.950 + 70.211) / 8); /* sentinels as 0 W */
  imported_clear(&in);
}

/* A counter that restarts: end minus start is hugely negative, or 1.8e19 (NVIDIA/dcgm-exporter#417,
 * prometheus/prometheus#1892, #3806). */
Test(dcg, counter_reset) {
  imported in;
  import_case(&in, "dcg-counter-reset", "counter.csv", &(fw_import_options){0});
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect(near(joules(gpu->counter_energy), 36000));
  cr_expect_eq(gpu->counter_time, 180 * FW_NS_PER_S);
  cr_expect(near(gpu->mean_w, 200));
  cr_expect_eq(gpu->counter_resets, 1);
  cr_expect(near(joules(gpu->counter_energy + gpu->reset_energy), 45000));
  cr_expect_eq(gpu->counter_time + gpu->reset_time, 240 * FW_NS_PER_S);
  cr_expect(near(in.report.coverage, 0.75));
  cr_expect(says(&in, "restarts between 120 s and 180 s"));
  cr_expect_eq(in.report.kind, FW_SERIES_MEAN_TO);
  const fw_series *series = series_of(&in, "0");
  for (size_t i = 0; i < series->count; i++)
    cr_expect_eq(series->power[i], 200000);
  cr_expect(gpu->counter_energy > 0 && joules(gpu->counter_energy + gpu->reset_energy) < 100e3);
  expect_never(&in, (21000000.0 - 126272101025.0) / 1000); /* end less start */
  expect_never(&in, (18446744073709551616.0 - 126251101025.0) / 1000);
  imported_clear(&in);
}

/* Split on blanks, "GPU 0" shifts every column; repeated heads become rows (NVIDIA/DCGM#14, NVIDIA/dcgm-exporter#700).
 */
Test(dcg, dmon_table) {
  static const fw_power_mw first[] = {61220, 302500, 301000, 298750}, second[] = {58100, 299500, 300250};
  imported in;
  import_case(&in, "dcg-dmon-table", "dmon.txt", &(fw_import_options){.interval = FW_NS_PER_S});
  expect_powers(series_of(&in, "0"), first, 4);
  expect_powers(series_of(&in, "1"), second, 3);
  cr_expect_eq(gpu_of(&in, "1")->missing_count, 1);
  cr_expect_eq(series_of(&in, "1")->time[1], 2 * FW_NS_PER_S, "tick 2 is the missing one");
  const fw_import_gpu *gpu = gpu_of(&in, "0");
  cr_expect(near(joules(gpu->counter_energy), 902.25));
  cr_expect_eq(gpu->counter_energy, gpu->hold_next, "the sum of its last three readings, exactly");
  cr_expect_eq(gpu->counter_error, 0.0);
  cr_expect(in.report.time_is_relative);
  imported_clear(&in);

  import_case(&in, "dcg-dmon-table", "dmon.txt", &(fw_import_options){0});
  cr_expect(says(&in, "--interval"), "the interval that was assumed is named");
  imported_clear(&in);
}

/* "sep=," is taken for the header, ms for s, 1.20 kW for 1.2 W, an empty cell for 0 (grafana/grafana#25017, #27284,
 * #2401, #9064). */
typedef struct collected {
  fw_power_mw total[8];
  size_t total_count;
  size_t row_count;
} collected;

static fw_status collect(void *context, const fw_import_row *row, fw_diagnostics *diagnostics) {
  (void)diagnostics;
  collected *out = context;
  out->row_count++;
  if (row->total && row->has_power && out->total_count < 8) out->total[out->total_count++] = row->power;
  return FW_OK;
}

Test(dcg, grafana_wide) {
  static const fw_power_mw first[] = {640000, 655000, 700000, 700000, 690000}, second[] = {340000, 500000, 350000};
  static const fw_power_mw total[] = {980000, 655000, 1200000, 1050000, 690000};
  imported in;
  import_case(&in, "dcg-grafana-wide", "panel.csv", &(fw_import_options){0});
  cr_assert_eq(in.status, FW_OK);
  cr_expect_eq(in.trace.series_count, 2, "totals are no GPUs");
  expect_powers(series_of(&in, "gpu 0"), first, 5);
  expect_powers(series_of(&in, "gpu 1"), second, 3);
  const fw_series *series = series_of(&in, "gpu 0");
  cr_expect_eq(series->time[0], INT64_C(1714989600) * FW_NS_PER_S, "2024-05-06T10:00:00Z");
  cr_expect_eq(series->time[1] - series->time[0], 15 * FW_NS_PER_S);
  cr_expect_eq(gpu_of(&in, "gpu 1")->missing_count, 2);
  cr_expect(gpu_of(&in, "row total")->total);
  cr_expect(says(&in, "resolution of 10 W"));
  cr_expect_eq(in.report.steps_complete, 3);
  cr_expect_eq(in.report.steps_partial, 2);
  cr_expect_eq(in.report.fleet_largest, 1200000);
  expect_never(&in, 1960);                    /* the total added to its parts */
  expect_never(&in, (340.0 + 500 + 350) / 5); /* empty as 0 */
  imported_clear(&in);

  collected rows = {0};
  fw_import_report report;
  const fw_import_input input = {.name = FW_SOURCE_DIR "/tests/cases/dcg-grafana-wide/panel.csv"};
  const fw_import_sink sink = {.context = &rows, .row = collect};
  cr_assert_eq(fw_import_run(&input, 1, &(fw_import_options){0}, &sink, &report, NULL), FW_OK);
  cr_expect_eq(rows.row_count, 15);
  cr_assert_eq(rows.total_count, 5);
  for (size_t i = 0; i < 5; i++)
    cr_expect_eq(rows.total[i], total[i]);
  fw_import_report_clear(&report);
}

/* Each MIG instance repeats the power of the whole GPU: the sum over lines is four times the power
 * (NVIDIA/dcgm-exporter#353, #257, #317, #288). */
Test(dcg, mig_duplicates) {
  imported in;
  import_case(&in, "dcg-mig-duplicates", "metrics.prom", &(fw_import_options){0});
  cr_assert_eq(in.report.gpu_count, 2);
  cr_expect_eq(in.report.gpus[0].largest, 52746);
  cr_expect_eq(in.report.gpus[1].largest, 56127);
  cr_expect_eq(in.report.sample_count, 2);
  cr_expect_eq(in.report.steps_complete, 1);
  cr_expect_eq(in.report.fleet_largest, 108873);
  expect_never(&in, 435.266);
  cr_expect_eq(in.report.decisions[FW_IMPORT_INSTANCE], 6);
  imported_clear(&in);
}

/* NaN reaches the sum, absent steps become 0, or a later value lands on an earlier time (VictoriaMetrics#153, #642,
 * prometheus/OpenMetrics#39, thanos-io/thanos#75). */
Test(dcg, range_query) {
  static const fw_power_mw first[] = {300500, 301500, 302000, 300000}, second[] = {200000, 201000, 199000};
  imported in;
  import_case(&in, "dcg-range-query", "range.json", &(fw_import_options){0});
  expect_powers(series_of(&in, "node-a/0"), first, 4);
  expect_powers(series_of(&in, "node-a/1"), second, 3);
  cr_expect_eq(gpu_of(&in, "node-a/0")->missing_count, 1);
  cr_expect_eq(gpu_of(&in, "node-a/1")->missing_count, 1);
  const fw_series *series = series_of(&in, "node-a/1");
  cr_expect_eq(series->time[2] - series->time[0], 60 * FW_NS_PER_S, "by time, not by position");
  cr_expect_eq(in.report.steps_complete, 2);
  cr_expect_eq(in.report.steps_partial, 3);
  cr_expect_eq(in.report.fleet_largest, 500500);
  cr_expect_eq(in.report.fleet_smallest, 499000, "never 201, 301.5 or 302 W: those sums are partial");
  expect_never(&in, 301.5 + 201); /* zipped by position, NaN left out */
  imported_clear(&in);
}

/* The windows study over small recordings whose figures are worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/study/windows.h"

#define MS FW_NS_PER_MS
#define S FW_NS_PER_S
#define W FW_MW_PER_W

static fw_windows_result result;
static fw_diagnostics diagnostics;
static char path[] = "/tmp/fleetwatt_windows_XXXXXX";

static void clean(void) {
  fw_windows_clear(&result);
  fw_diagnostics_clear(&diagnostics);
  unlink(path);
}

TestSuite(windows, .fini = clean);

static fw_status study(const char *text, const fw_windows_options *asked) {
  int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  cr_assert_not_null(file);
  fputs(text, file);
  fclose(file);
  fw_windows_options options = *asked;
  options.path = path;
  return fw_windows_study(&options, &result, &diagnostics);
}

/* Two GPUs, one second apart, six seconds: totals 100, 300, 500, 300, 100, 100 W. */
static const char two_gpus[] = "t_s,gpu,power_w\n0,a,60\n0,b,40\n1,a,200\n1,b,100\n2,a,300\n2,b,200\n3,a,200\n3,b,100\n"
                               "4,a,60\n4,b,40\n5,a,60\n5,b,40\n";

Test(windows, facts_of_a_recording) {
  const fw_time_ns windows[] = {S, 2 * S, 6 * S};
  fw_windows_options options = {.kind_if_unstated = FW_SERIES_MEAN_FROM,
                                .has_budget = true,
                                .budget = 250 * W,
                                .windows = windows,
                                .window_count = 3};
  cr_assert_eq(study(two_gpus, &options), FW_OK);
  cr_expect_str_eq(result.file, path);
  cr_expect_eq(result.kind, FW_SERIES_MEAN_FROM);
  cr_expect_eq(result.gpu_count, 2);
  cr_expect_eq(result.sample_count, 12);
  cr_expect_eq(result.missing_count, 0);
  cr_expect_eq(result.duration, 6 * S);
  cr_expect_eq(result.covered, 6 * S);
  cr_expect_eq(result.gap_count, 0);
  cr_expect(result.energy == 1400 * FW_PJ_PER_J);
  cr_expect_eq(result.mean, 233333, "1400 J over 6 s");
  cr_expect_eq(result.largest, 500 * W);
  cr_assert_eq(result.row_count, 3);
  cr_expect_eq(diagnostics.count, 0);
}

Test(windows, rows_of_a_recording) {
  const fw_time_ns windows[] = {S, 2 * S, 6 * S};
  fw_windows_options options = {.kind_if_unstated = FW_SERIES_MEAN_FROM,
                                .has_budget = true,
                                .budget = 250 * W,
                                .windows = windows,
                                .window_count = 3};
  cr_assert_eq(study(two_gpus, &options), FW_OK);

  const fw_windows_row *second = &result.rows[0]; /* means 100 300 500 300 100 100 */
  cr_expect_eq(second->full, 6 * S);
  cr_expect_eq(second->violation_rate, 0.5);
  cr_expect_null(second->reason);
  cr_expect_eq(second->seen.episodes, 1);
  cr_expect_eq(second->seen.longest_episode, 3 * S);
  cr_expect(second->seen.excess == (50 + 250 + 50) * FW_PJ_PER_J);
  cr_expect_eq(second->seen.peak, 500 * W);
  cr_expect_eq(second->disjoint, 6);

  const fw_windows_row *pair = &result.rows[1]; /* means 200 400 400 200 100 */
  cr_expect_eq(pair->full, 5 * S);
  cr_expect_eq(pair->seen.full, pair->full);
  cr_expect_eq(pair->violation_rate, 0.4);
  cr_expect(pair->seen.excess == 300 * FW_PJ_PER_J);
  cr_expect_eq(pair->seen.peak, 400 * W);
  cr_expect_eq(pair->disjoint, 3);

  const fw_windows_row *whole = &result.rows[2];
  cr_expect_eq(whole->violation_rate, 0.0);
  cr_expect_eq(whole->seen.peak, 233334, "rounded up");
  cr_expect_eq(whole->disjoint, 1, "none above, of one");
}

Test(windows, percentiles_lie_within_one_bin) {
  const fw_time_ns window = S;
  fw_windows_options options = {.kind_if_unstated = FW_SERIES_MEAN_FROM, .windows = &window, .window_count = 1};
  cr_assert_eq(study(two_gpus, &options), FW_OK);
  const fw_windows_row *row = &result.rows[0];
  cr_expect_leq(result.histogram_bin, 12, "750 W in at least 65000 bins");
  cr_expect(row->p50 >= 100 * W && row->p50 <= 100 * W + result.histogram_bin, "%lld", (long long)row->p50);
  cr_expect_eq(row->p95, 500 * W, "the sixth of six");
  cr_expect_eq(row->p99, 500 * W);
  cr_expect_eq(row->p999, 500 * W);
}

Test(windows, bins_are_one_watt_at_most) {
  const fw_time_ns window = S;
  fw_windows_options options = {.kind_if_unstated = FW_SERIES_MEAN_FROM, .windows = &window, .window_count = 1};
  cr_assert_eq(study("t_s,power_kw\n0,900\n1,1000\n2,950.3\n", &options), FW_OK);
  cr_expect_eq(result.histogram_bin, W);
  cr_expect(result.rows[0].p50 >= 950300 * INT64_C(1000) && result.rows[0].p50 <= 950301 * INT64_C(1000));
}

Test(windows, without_a_budget_there_is_no_rate) {
  const fw_time_ns window = S;
  fw_windows_options options = {.kind_if_unstated = FW_SERIES_MEAN_FROM, .windows = &window, .window_count = 1};
  cr_assert_eq(study(two_gpus, &options), FW_OK);
  cr_expect_not(result.has_budget);
  cr_expect(isnan(result.rows[0].violation_rate));
  cr_expect_str_eq(result.rows[0].reason, "no budget was given");
  cr_expect_eq(result.rows[0].full, 6 * S, "full, though not judged");
  cr_expect_eq(result.rows[0].seen.peak, 500 * W, "but seen");
}

Test(windows, longer_than_the_recording_is_said_and_not_zero) {
  const fw_time_ns window = 7 * S;
  fw_windows_options options = {
      .kind_if_unstated = FW_SERIES_MEAN_FROM, .has_budget = true, .budget = W, .windows = &window, .window_count = 1};
  cr_assert_eq(study(two_gpus, &options), FW_OK);
  cr_expect(isnan(result.rows[0].violation_rate));
  cr_expect_not_null(strstr(result.rows[0].reason, "window of 7 s is longer"));
  cr_expect_not_null(strstr(result.rows[0].reason, "6 s"));
  cr_expect_eq(result.rows[0].disjoint, 0);
}

Test(windows, gaps_and_missing_readings_are_warned_of) {
  const fw_time_ns windows[] = {2 * S, 4 * S};
  fw_windows_options options = {.kind_if_unstated = FW_SERIES_MEAN_FROM,
                                .has_budget = true,
                                .budget = 5 * W,
                                .windows = windows,
                                .window_count = 2};
  cr_assert_eq(study("t_s,power_w\n0,10\n1,10\n2,10\n3,\n10,1\n11,1\n12,1\n", &options), FW_OK);
  cr_expect_eq(result.sample_count, 6);
  cr_expect_eq(result.missing_count, 1);
  cr_expect_eq(result.gap_count, 1);
  cr_expect_eq(result.duration, 13 * S);
  cr_expect_eq(result.covered, 6 * S);
  cr_expect_eq(result.mean, 5500, "33 J over the covered 6 s, not over 13 s");
  cr_expect_eq(result.rows[0].full, 4 * S, "no window across the gap");
  cr_expect_eq(result.rows[0].violation_rate, 0.5);
  cr_expect_eq(result.rows[0].disjoint, 2);
  cr_expect_not_null(strstr(result.rows[1].reason, "longest stretch without a gap is 3 s"));
  cr_assert_eq(diagnostics.count, 2);
  cr_expect_eq(diagnostics.error_count, 0);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "no power reading"));
  cr_expect_not_null(strstr(diagnostics.entries[1].message, "gap from 2 s to 10 s"));
}

Test(windows, a_window_below_the_interval_is_warned_of) {
  const fw_time_ns window = 500 * MS;
  fw_windows_options options = {.kind_if_unstated = FW_SERIES_MEAN_FROM,
                                .has_budget = true,
                                .budget = 250 * W,
                                .windows = &window,
                                .window_count = 1};
  cr_assert_eq(study(two_gpus, &options), FW_OK);
  cr_expect_eq(result.rows[0].violation_rate, 0.5, "each reading by itself");
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_not_null(
      strstr(diagnostics.entries[0].message, "window of 0.5 s is shorter than the median interval of 1 s"));
}

Test(windows, refusals_leave_nothing_behind) {
  const fw_time_ns windows[] = {S, 0};
  fw_windows_options options = {.has_budget = true, .budget = -1, .windows = windows, .window_count = 2};
  cr_expect_eq(study(two_gpus, &options), FW_ERROR_INPUT);
  cr_expect_eq(diagnostics.count, 2, "the budget and the window");
  cr_expect_null(result.rows);
  unlink(path);
  strcpy(path, "/tmp/fleetwatt_windows_XXXXXX");
  options = (fw_windows_options){.windows = windows, .window_count = 1};
  cr_expect_eq(study("t_s,gpu,power_w\n0,a,1\n1,a,1\n2,a,1\n7,b,1\n8,b,1\n", &options), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 3);
  cr_expect_not_null(strstr(diagnostics.entries[2].message, "no time is covered by all 2 GPUs"));
  cr_expect_null(result.file);
}

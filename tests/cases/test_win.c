/* Rolling windows and percentiles: six small recordings on which other tools went wrong. Each is read, cut into pieces
 * and judged by the meter as a user's file would be; the figure of the bug must not appear. What went wrong, and where,
 * stands above each test. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/json.h"
#include "sim/engine/meter.h"
#include "sim/report/report.h"
#include "sim/study/windows.h"
#include "tests/figures.h"
#include "traces/trace.h"

enum { WINDOWS_MAX = 300 };

/* What a case asks for, and the meter's answer. */
typedef struct answer {
  fw_trace trace;
  fw_meter *meter;
  fw_meter_window result;
  size_t above_count;               /* windows in violation */
  fw_time_ns above_at[WINDOWS_MAX]; /* the stamp of the last sample of each */
} answer;

static const char *case_path(const char *name, const char *file) {
  static char path[512];
  snprintf(path, sizeof path, "%s/tests/cases/%s/%s", FW_SOURCE_DIR, name, file);
  return path;
}

static double asked(const char *name, const char *key) {
  fw_json *document;
  cr_assert_eq(fw_json_read(case_path(name, "ask.json"), &document, NULL), FW_OK);
  const fw_json_value *value = fw_json_get(fw_json_root(document), key);
  cr_assert_not_null(value, "%s has no %s", name, key);
  double number = fw_json_number(value);
  fw_json_free(document);
  return number;
}

static fw_power_mw asked_budget(const char *name) {
  fw_power_mw budget;
  cr_assert(fw_power_from_watts(asked(name, "budget_w"), &budget));
  return budget;
}

static fw_time_ns asked_time(const char *name, const char *key) {
  fw_time_ns time;
  cr_assert(fw_time_from_seconds(asked(name, key), &time));
  return time;
}

/* Pushes the pieces of the one series and notes the sample with which each window in violation ends. */
static void push_pieces(answer *out, fw_power_mw budget) {
  fw_pieces pieces;
  cr_assert_eq(fw_series_pieces(&out->trace, 0, &pieces, NULL), FW_OK);
  cr_assert_eq(pieces.gap_count, 0);
  fw_time_ns above = 0;
  for (size_t i = 0; i < pieces.count; i++) {
    const fw_piece *piece = &pieces.data[i];
    fw_time_ns duration = piece->to - piece->from;
    fw_energy_pj energy = fw_energy_of(piece->power, duration);
    cr_assert_eq(fw_meter_push(out->meter, duration, energy, fw_energy_of(budget, duration), NULL), FW_OK);
    out->result = fw_meter_result(out->meter, 0);
    if (out->result.above > above && out->above_count < WINDOWS_MAX) {
      out->above_at[out->above_count++] = out->trace.series[0].time[i];
    }
    above = out->result.above;
  }
  fw_pieces_clear(&pieces);
}

static void judge(answer *out, fw_time_ns window, fw_power_mw budget, size_t bins) {
  cr_assert_eq(out->trace.series_count, 1);
  fw_meter_options options = {&window, 1, bins > 0 ? (fw_power_mw)bins : 0, bins};
  cr_assert_eq(fw_meter_create(&options, &out->meter, NULL), FW_OK);
  push_pieces(out, budget);
}

static void run_case(const char *name, const char *file, fw_series_kind kind, answer *out) {
  *out = (answer){0};
  cr_assert_eq(fw_trace_read(case_path(name, file), kind, &out->trace, NULL), FW_OK);
  judge(out, asked_time(name, "window_s"), asked_budget(name), 0);
}

static void clear(answer *out) {
  fw_meter_free(out->meter);
  fw_trace_clear(&out->trace);
}

static size_t full_windows(const answer *out, const char *name) {
  return (size_t)(out->result.full / asked_time(name, "sample_s"));
}

/* What `fleetwatt windows` says of the case at its window and budget: its rate, and never another one. */
static void expect_command(const char *name, const char *file, fw_time_ns window, double rate, double never) {
  const fw_power_mw budget = asked_budget(name);
  const fw_windows_options options = {.path = case_path(name, file),
                                      .kind_if_unstated = FW_SERIES_INSTANT,
                                      .has_budget = true,
                                      .budget = budget,
                                      .windows = &window,
                                      .window_count = 1};
  fw_windows_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_text text = FW_TEXT_INIT, json = FW_TEXT_INIT;
  cr_assert_eq(fw_windows_study(&options, &result, &diagnostics), FW_OK);
  /* a quotient of two whole numbers of ns */
  cr_expect_float_eq(result.rows[0].violation_rate, rate, 1e-12, "%g", result.rows[0].violation_rate);
  fw_report_windows_text(&result, &text);
  fw_report_windows_json(&result, &diagnostics, &json);
  cr_assert_not(text.failed || json.failed);
  cr_expect_not(shows_figure(text.data, 100 * never), "%s", text.data);
  cr_expect_not(shows_figure(json.data, never), "%s", json.data);
  fw_text_clear(&text);
  fw_text_clear(&json);
  fw_diagnostics_clear(&diagnostics);
  fw_windows_clear(&result);
}

/* A centred window reports the violation half a window before it can be known (business-science/pytimetk#84,
 * pandas-dev/pandas#52407): its first would lie near 40 s. */
Test(win, centre_or_trailing) {
  for (int kind = FW_SERIES_INSTANT; kind <= FW_SERIES_MEAN_TO; kind++) {
    answer a;
    run_case("win-centre-or-trailing", "pulse.csv", (fw_series_kind)kind, &a);
    cr_assert_eq(a.above_count, 19);
    cr_expect_eq(a.above_at[0], 50 * FW_NS_PER_S, "kind %d: first at %lld", kind, (long long)a.above_at[0]);
    cr_expect_eq(a.above_at[18], 68 * FW_NS_PER_S);
    cr_expect_eq(a.result.episodes, 1);
    cr_expect_eq(full_windows(&a, "win-centre-or-trailing"), 81);
    clear(&a);
  }
  /* with partial windows there would be 100 */
  expect_command("win-centre-or-trailing", "pulse.csv", 20 * FW_NS_PER_S, 19.0 / 81, 19.0 / 100);
}

/* Counting windows that are not full yet makes 59 of 200 (apache/superset#58, pola-rs/polars#12715,
 * sktime/sktime#6016). The full window at 29.5 s has a mean equal to the budget. */
Test(win, partial_at_start) {
  const char *name = "win-partial-at-start";
  answer a;
  run_case(name, "burst.csv", FW_SERIES_INSTANT, &a);
  cr_expect_eq(a.above_count, 0);
  cr_expect_eq(full_windows(&a, name), 141);
  cr_expect_eq(fw_meter_violation_rate(a.meter, 0), 0.0);
  cr_expect_eq(a.result.peak, asked_budget(name), "the fullest window reaches the budget and no more");
  clear(&a);
  expect_command(name, "burst.csv", 30 * FW_NS_PER_S, 0.0, 59.0 / 200);
}

/* sorted[n p] gives 96 and interpolation 95.05 as the 95th percentile of 1..100 (BenchBox-dev/BenchBox#1551,
 * netdata/netdata#2647, influxdata/influxdb#9046). The file has no time column: that is refused, naming what was
 * found; with the index as seconds, nearest rank gives 95. */
Test(win, percentile) {
  const char *path = case_path("win-percentile", "one_to_hundred.csv");
  answer a = {0};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_trace_read(path, FW_SERIES_MEAN_TO, &a.trace, &diagnostics), FW_ERROR_INPUT);
  cr_assert_not_null(strstr(diagnostics.entries[0].message, "i,power_w"));
  fw_diagnostics_clear(&diagnostics);

  fw_text file = FW_TEXT_INIT, text = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(path, 1 << 20, &file, NULL), FW_OK);
  cr_assert_eq(strncmp(file.data, "i,", 2), 0);
  fw_text_add(&text, "t_s,");
  fw_text_add(&text, file.data + 2);
  cr_assert_eq(fw_trace_parse(text.data, text.length, path, FW_SERIES_MEAN_TO, &a.trace, NULL), FW_OK);
  enum { BIN_COUNT = 150000 }; /* of 1 mW */
  judge(&a, FW_NS_PER_S, FW_MW_PER_W, BIN_COUNT);

  static const struct {
    double share;
    fw_power_mw expected;
  } ranks[] = {{0.5, 50000}, {0.95, 95000}, {0.99, 99000}, {1.0, 100000}};
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    fw_power_mw found = fw_meter_percentile(a.meter, 0, ranks[i].share);
    /* the histogram promises one bin, here 1 mW, at most above */
    cr_expect(found >= ranks[i].expected && found <= ranks[i].expected + 1, "p%g = %lld mW", 100 * ranks[i].share,
              (long long)found);
  }
  fw_text_clear(&file);
  fw_text_clear(&text);
  clear(&a);
}

/* Sums that add the new and subtract the old sample drift by a last digit, and then all 281 windows whose mean is
 * exactly the budget count as above (pandas-dev/pandas#36031, #13254, ajcr/rolling#25). */
Test(win, running_sum) {
  const char *name = "win-running-sum";
  answer a;
  run_case(name, "alternating.csv", FW_SERIES_INSTANT, &a);
  cr_expect_eq(full_windows(&a, name), 281);
  cr_expect_eq(a.above_count, 0);
  cr_expect_eq(fw_meter_violation_rate(a.meter, 0), 0.0);
  cr_expect_eq(a.result.peak, asked_budget(name));
  clear(&a);
  expect_command(name, "alternating.csv", 10 * FW_NS_PER_S, 0.0, 281.0 / 300);
}

/* A logger that samples faster while power is high: 180 of 301 samples, 59.8 %, lie above 400 W, but 12 % of the time
 * does (Hugovdberg/PIconnect#584, netdata/netdata#23281). The window is the shortest interval, so each sample is
 * judged by itself. */
Test(win, samples_or_time) {
  const char *name = "win-samples-or-time";
  answer a = {0};
  cr_assert_eq(fw_trace_read(case_path(name, "adaptive.csv"), FW_SERIES_INSTANT, &a.trace, NULL), FW_OK);
  judge(&a, 100 * FW_NS_PER_MS, asked_budget(name), 0);
  double rate = fw_meter_violation_rate(a.meter, 0);
  cr_expect_eq(a.result.full, 150 * FW_NS_PER_S, "all of the recording");
  cr_expect_eq(a.result.above, 18 * FW_NS_PER_S, "%lld", (long long)a.result.above);
  cr_expect_eq(rate, 18.0 / 150.0);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_trace_report_gaps(&a.trace, &diagnostics);
  cr_assert_eq(diagnostics.count, 1, "the uneven sampling is reported");
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "shares of time"));
  fw_diagnostics_clear(&diagnostics);
  clear(&a);
  expect_command(name, "adaptive.csv", 100 * FW_NS_PER_MS, 0.12, 180.0 / 301);
}

/* A window closed at both ends holds 61 samples of 0.5 s in 30 s, and then one violation is left of two
 * (pandas-dev/pandas#34315, pola-rs/polars#4002, hashintel/hash#8709). */
Test(win, sixty_or_sixty_one) {
  const char *name = "win-sixty-or-sixty-one";
  answer a;
  run_case(name, "edge.csv", FW_SERIES_INSTANT, &a);
  cr_expect_eq(full_windows(&a, name), 141);
  cr_assert_eq(a.above_count, 2);
  cr_expect_eq(a.above_at[0], 59500 * FW_NS_PER_MS);
  cr_expect_eq(a.above_at[1], 60000 * FW_NS_PER_MS);
  clear(&a);
  expect_command(name, "edge.csv", 30 * FW_NS_PER_S, 2.0 / 141, 1.0 / 140);
}

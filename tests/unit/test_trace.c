/* Reading recordings: the CSV form, the kinds, regular and irregular series, gaps, totals. Expected values are worked
 * out by hand from the conventions in traces/trace.h. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/comma_locale.h"
#include "traces/fixed.h"
#include "traces/trace.h"

#define MS FW_NS_PER_MS
#define S FW_NS_PER_S
#define W FW_MW_PER_W

static fw_trace trace;
static fw_pieces pieces;
static fw_diagnostics diagnostics;

static void clean(void) {
  fw_pieces_clear(&pieces);
  fw_trace_clear(&trace);
  fw_diagnostics_clear(&diagnostics);
}

TestSuite(trace, .fini = clean);

static fw_status parse(const char *text, fw_series_kind kind) {
  return fw_trace_parse(text, strlen(text), "log.csv", kind, &trace, &diagnostics);
}

static void accept(const char *text, fw_series_kind kind) {
  fw_status status = parse(text, kind);
  cr_assert_eq(status, FW_OK, "refused: %s", diagnostics.count > 0 ? diagnostics.entries[0].message : "");
}

static void take_series(size_t index) {
  fw_pieces_clear(&pieces);
  cr_assert_eq(fw_series_pieces(&trace, index, &pieces, &diagnostics), FW_OK);
}

static void take_total(void) {
  fw_pieces_clear(&pieces);
  cr_assert_eq(fw_trace_total(&trace, &pieces, &diagnostics), FW_OK);
}

static void expect_piece(size_t index, fw_time_ns from, fw_time_ns to, fw_power_mw power) {
  cr_assert_lt(index, pieces.count);
  cr_expect_eq(pieces.data[index].from, from, "piece %zu from %lld", index, (long long)pieces.data[index].from);
  cr_expect_eq(pieces.data[index].to, to, "piece %zu to %lld", index, (long long)pieces.data[index].to);
  cr_expect_eq(pieces.data[index].power, power, "piece %zu power %lld", index, (long long)pieces.data[index].power);
}

static fw_energy_pj whole_energy(fw_time_ns *covered) {
  return fw_pieces_energy(&pieces, -FW_TIME_MAX, FW_TIME_MAX, covered);
}

/* --- the CSV form --- */

Test(trace, reads_columns_in_any_order_and_passes_over_others) {
  accept("util,power_w,gpu,t_s,requests_running\n90,300.25,a,0.5,7\n10,60,b,0.5,\n95,310,a,1,8.5\n", FW_SERIES_INSTANT);
  cr_assert_eq(trace.series_count, 2);
  cr_expect_str_eq(trace.file, "log.csv");
  cr_expect_str_eq(trace.series[0].gpu, "a");
  cr_expect_str_eq(trace.series[1].gpu, "b");
  cr_assert_eq(trace.series[0].count, 2);
  cr_expect_eq(trace.series[0].time[0], 500 * MS);
  cr_expect_eq(trace.series[0].power[0], 300250);
  cr_expect_eq(trace.series[0].line[1], 4);
  cr_expect_eq(trace.series[0].occupancy[1], 8.5);
  cr_expect(isnan(trace.series[1].occupancy[0]), "an empty cell is not measured, not 0");
  cr_expect_eq(trace.row_count, 3);
}

Test(trace, without_optional_columns) {
  accept("t_s,power_w\n0,1\n1,2\n", FW_SERIES_INSTANT);
  cr_assert_eq(trace.series_count, 1);
  cr_expect_null(trace.series[0].occupancy);
}

Test(trace, units_stand_in_the_names_and_are_exact) {
  accept("t_ns,power_mw\n1714989600500000001,285400\n1714989601000000001,286100\n", FW_SERIES_INSTANT);
  cr_expect_eq(trace.series[0].time[0], INT64_C(1714989600500000001), "19 digits do not fit a double");
  cr_expect_eq(trace.series[0].power[0], 285400);
  fw_trace_clear(&trace);
  accept("t_ms,power_kw\n1714989600000.5,0.2854\n1714989600500.5,1e-1\n", FW_SERIES_INSTANT);
  cr_expect_eq(trace.series[0].time[0], INT64_C(1714989600000500000));
  cr_expect_eq(trace.series[0].power[0], 285400);
  cr_expect_eq(trace.series[0].power[1], 100000);
}

Test(trace, mark_line_ends_quotes_blanks_and_comments) {
  accept("\xEF\xBB\xBF# made by hand\r\n#kind: mean_to\r\n\r\n\"t_s\" , gpu,\"power_w\"\r\n0,\"a \"\"1\"\", x\", 10 "
         "\r\n \r\n"
         "1,\"a \"\"1\"\", x\",\t20",
         FW_SERIES_INSTANT);
  cr_expect_eq(trace.kind, FW_SERIES_MEAN_TO, "the comment outweighs the caller's kind");
  cr_assert_eq(trace.series_count, 1);
  cr_expect_str_eq(trace.series[0].gpu, "a \"1\", x");
  cr_expect_eq(trace.series[0].power[1], 20 * W);
  cr_expect_eq(trace.series[0].line[1], 7);
}

Test(trace, missing_power_is_counted_and_never_zero) {
  accept("t_s,gpu,power_w\n0,a,100\n1,a,\n2,a,100\n0,b,\n", FW_SERIES_INSTANT);
  cr_expect_eq(trace.row_count, 4);
  cr_expect_eq(trace.missing_count, 2);
  cr_expect_eq(trace.series[0].count, 2);
  cr_assert_eq(trace.series_count, 2, "a GPU whose readings all failed is still a GPU");
  cr_expect_eq(trace.series[1].count, 0);
  cr_expect_eq(diagnostics.error_count, 0);
  cr_expect_eq(diagnostics.count, 2, "one warning for the missing rows, one for the silent GPU");
  take_total();
  cr_expect_eq(pieces.count, 0, "a total that leaves a GPU out would be too low");
}

Test(trace, decimal_comma_locale_changes_nothing) {
  enter_comma_locale();
  accept("t_s,power_w\n0.5,314.6\n1.5,1\n", FW_SERIES_INSTANT);
  cr_expect_eq(trace.series[0].time[0], 500 * MS);
  cr_expect_eq(trace.series[0].power[0], 314600);
}

Test(trace, reads_a_file_as_the_same_text) {
  char path[] = "/tmp/fleetwatt_trace_XXXXXX";
  int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  cr_assert_not_null(file);
  fputs("t_s,power_w\n", file);
  enum { ROWS = 20000 }; /* several read buffers long, so that lines straddle their ends */
  for (int i = 0; i < ROWS; i++) {
    fprintf(file, "%d.%03d,%d\n", i / 4, i % 4 * 250, i);
  }
  fclose(file);
  fw_status status = fw_trace_read(path, FW_SERIES_MEAN_FROM, &trace, &diagnostics);
  unlink(path);
  cr_assert_eq(status, FW_OK);
  cr_assert_eq(trace.series[0].count, ROWS);
  for (size_t i = 0; i < ROWS; i++) {
    cr_assert_eq(trace.series[0].time[i], (fw_time_ns)i * 250 * MS);
    cr_assert_eq(trace.series[0].power[i], (fw_power_mw)i * W);
    cr_assert_eq(trace.series[0].line[i], i + 2);
  }
}

Test(trace, many_gpus_in_shuffled_order_are_told_apart) {
  enum { GPUS = 97, INSTANTS = 5, TEXT = 64 * GPUS * INSTANTS };
  static char text[TEXT];
  size_t length = (size_t)snprintf(text, sizeof text, "t_s,gpu,power_w\n");
  for (int t = 0; t < INSTANTS; t++) {
    for (int g = 0; g < GPUS; g++) {
      int gpu = (g * (t + 2) * 7 + t) % GPUS; /* a permutation: 97 is prime */
      length += (size_t)snprintf(text + length, sizeof text - length, "%d,GPU-%d,%d\n", t, gpu, 1000 * gpu + t);
    }
  }
  accept(text, FW_SERIES_MEAN_FROM);
  cr_assert_eq(trace.series_count, GPUS);
  for (size_t s = 0; s < trace.series_count; s++) {
    const fw_series *series = &trace.series[s];
    cr_assert_eq(series->count, INSTANTS);
    int gpu;
    cr_assert_eq(sscanf(series->gpu, "GPU-%d", &gpu), 1);
    for (int t = 0; t < INSTANTS; t++) {
      cr_assert_eq(series->power[t], (1000 * gpu + t) * W);
    }
  }
}

/* --- refusals: the place and the words that help --- */

typedef struct refusal {
  char text[200];
  size_t line;
  size_t column;
  char words[2][40];
} refusal;

ParameterizedTestParameters(trace, refusals) {
  static refusal cases[] = {
      {"", 0, 0, {"empty", "t_s,gpu,power_w"}},
      {"# only a comment\n", 1, 0, {"empty", "header"}},
      {"t_s,power_w\n", 0, 0, {"no rows", ""}},
      {"t_s,power_w\n0,\n1,\n", 0, 0, {"no row has a power reading", ""}},
      {"sep=,\nt_s,power_w\n0,1\n", 1, 0, {"sep=", "delete it"}},
      {"t_s,power_mean\n0,1\n", 1, 0, {"t_s,power_mean", "did you mean power_"}},
      {"t_s,pwr_w\n0,1\n", 1, 0, {"did you mean power_w", "\"pwr_w\""}},
      {"t_s,x\n0,1\n", 1, 0, {"no column power_w", "name the column power_w"}},
      {"i,power_w\n0,1\n", 1, 0, {"no column t_s", "i,power_w"}},
      {"t_s;power_w\n0;1\n", 1, 0, {"t_s;power_w", ""}},
      {"time;draw\n0;1\n", 1, 0, {"by commas", "semicolons"}},
      {"t_s,power_w,power_kw\n0,1,1\n", 1, 13, {"power_kw", "keep one"}},
      {"# kind: average\nt_s,power_w\n0,1\n", 1, 0, {"\"average\"", "mean_from"}},
      {"t_s,power_w\n0,1\n1,x\n", 3, 3, {"power_w", "\"x\""}},
      {"t_s,power_w\n0,1\n1,nan\n", 3, 3, {"nan", "empty"}},
      {"t_s,power_w\n0,1\n1, [N/A]\n", 3, 4, {"[N/A]", "empty"}},
      {"t_s,power_w\n0,1\n\"1,5\",2\n", 3, 1, {"1,5", "decimal point"}},
      {"t_s,power_w\n0,1\n,2\n", 3, 1, {"t_s", "number"}},
      {"t_s,power_w\n0,1\n1,-5\n", 3, 3, {"negative", "empty cell"}},
      {"t_s,power_w\n0,1\n1,10000000.001\n", 3, 3, {"10 MW", "unit"}},
      {"t_s,power_w\n0,1\n1,99999999999999999999\n", 3, 3, {"power_w", "range"}},
      {"t_s,power_w\n0,1\n2305843010,1\n", 3, 1, {"73 years", "t_ns"}},
      {"t_s,gpu,power_w\n0,,1\n", 2, 3, {"empty gpu", ""}},
      {"t_s,power_w,requests_running\n0,1,-1\n", 2, 5, {"requests_running", "-1"}},
      {"t_s,power_w\n0,1\n1,2,3\n2,3\n", 3, 0, {"3 cells", "header has 2"}},
      {"t_s,gpu,power_w\n0,a,1\n1,b,5\n2,a,1\n1,a,4\n", 5, 1, {"goes back behind", "line 4"}},
      {"t_s,gpu,power_w\n0,a,1\n1,b,5\n0,a,4\n", 4, 1, {"repeats that of", "line 2"}},
      {"t_s,power_w\n1,\n1,4\n", 3, 1, {"repeats", "line 2"}},
      {"t_s,gpu,power_w\n0,a,1\n1,a", 3, 0, {"cut", "delete the line"}},
      {"t_s,power_w\n0,312.45\n1,311.90\n2,31", 4, 3, {"\"31\"", "add a line end"}},
      {"t_s,gpu,power_w\n0,\"a,1\n1,a,1\n", 2, 3, {"not closed", ""}},
      {"t_s,gpu,power_w\n0,\"a\"b,1\n", 2, 6, {"doubled", ""}},
      {"t_s,power_w\n0,1\n# kind: instant\n", 3, 0, {"1 cells", ""}},
  };
  return cr_make_param_array(refusal, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(refusal *expected, trace, refusals) {
  cr_assert_eq(parse(expected->text, FW_SERIES_INSTANT), FW_ERROR_INPUT, "accepted: %s", expected->text);
  cr_expect_eq(trace.series_count, 0);
  cr_expect_null(trace.file, "nothing is left behind");
  cr_assert_geq(diagnostics.count, 1);
  const fw_diagnostic *entry = &diagnostics.entries[0];
  cr_expect_str_eq(entry->file, "log.csv");
  cr_expect_eq(entry->line, expected->line, "line %zu for %s: %s", entry->line, expected->text, entry->message);
  cr_expect_eq(entry->column, expected->column, "column %zu for %s: %s", entry->column, expected->text, entry->message);
  for (size_t i = 0; i < 2; i++) {
    cr_expect_not_null(strstr(entry->message, expected->words[i]), "\"%s\" lacks \"%s\"", entry->message,
                       expected->words[i]);
  }
}

Test(trace, zero_bytes_are_refused) {
  static const char text[] = "t_s,power_w\n0,\0001\n";
  cr_expect_eq(fw_trace_parse(text, sizeof text - 1, "log.csv", FW_SERIES_INSTANT, &trace, &diagnostics),
               FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 1);
  cr_expect_eq(diagnostics.entries[0].line, 2);
  cr_expect_eq(diagnostics.entries[0].column, 3);
}

Test(trace, missing_file_and_folder_are_the_users_fault) {
  cr_expect_eq(fw_trace_read("/nonexistent/log.csv", FW_SERIES_INSTANT, &trace, &diagnostics), FW_ERROR_INPUT);
  cr_expect_eq(fw_trace_read("/", FW_SERIES_INSTANT, &trace, &diagnostics), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 2);
  cr_expect_not_null(strstr(diagnostics.entries[1].message, "cannot read"));
}

Test(trace, all_faults_of_a_file_are_listed) {
  cr_expect_eq(parse("t_s,power_w\n0,x\ny,1\n1,2\n1,3\nz,w\n", FW_SERIES_INSTANT), FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.count, 5);
  static const size_t lines[] = {2, 3, 5, 6, 6};
  for (size_t i = 0; i < diagnostics.count; i++) {
    cr_expect_eq(diagnostics.entries[i].line, lines[i]);
  }
}

Test(trace, a_file_of_faults_does_not_flood) {
  char text[2000] = "t_s,power_w\n";
  for (int i = 0; i < 200; i++) {
    strcat(text, "0,x\n");
  }
  cr_expect_eq(parse(text, FW_SERIES_INSTANT), FW_ERROR_INPUT);
  cr_expect_eq(diagnostics.count, 21, "20 rows and the word that reading stopped");
}

/* --- numbers --- */

Test(fixed, rounds_at_the_unit_and_refuses_what_does_not_fit) {
  static const struct {
    const char *text;
    int decimals;
    bool fits;
    int64_t value;
  } cases[] = {
      {"314.1", 3, true, 314100},
      {"-0.0005", 3, true, -1},
      {"0.0004999999999999999999", 3, true, 0},
      {"0.0005", 3, true, 1},
      {"1e3", 3, true, 1000000},
      {"12.5E-1", 3, true, 1250},
      {"1e+2", 0, true, 100},
      {"0e999", 9, true, 0},
      {"1e-999", 9, true, 0},
      {"9223372036854775807", 0, true, INT64_MAX},
      {"9223372036854775808", 0, false, 0},
      {"9223372036.854775807", 9, true, INT64_MAX},
      {"9223372036.8547758075", 9, false, 0},
      {"1e19", 0, false, 0},
      {"", 0, false, 0},
      {"-", 0, false, 0},
      {"+1", 0, false, 0},
      {"1.", 0, false, 0},
      {"0x10", 0, false, 0},
      {"1 W", 0, false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t value = 0;
    bool fits = fwi_fixed_parse(cases[i].text, strlen(cases[i].text), cases[i].decimals, &value);
    cr_expect_eq(fits, cases[i].fits, "%s", cases[i].text);
    if (fits && cases[i].fits) cr_expect_eq(value, cases[i].value, "%s gave %lld", cases[i].text, (long long)value);
  }
}

/* --- kinds, regular and irregular series, gaps --- */

static const char regular[] = "t_s,power_w\n0,100\n0.5,200\n1,300\n1.5,400\n";
static const char irregular[] = "t_s,power_w\n0,100\n0.5,200\n1.4,300\n1.9,400\n";
static const char with_gap[] = "t_s,power_w\n0,100\n1,200\n2,300\n10,400\n11,500\n";

Test(trace, regular_instant_gives_each_sample_one_interval) {
  accept(regular, FW_SERIES_INSTANT);
  take_series(0);
  cr_assert_eq(pieces.count, 4);
  expect_piece(0, 0, 500 * MS, 100 * W);
  expect_piece(3, 1500 * MS, 2000 * MS, 400 * W);
  cr_expect_eq(pieces.gap_count, 0);
}

Test(trace, irregular_instant_holds_and_its_last_sample_adds_nothing) {
  accept(irregular, FW_SERIES_INSTANT);
  take_series(0);
  cr_assert_eq(pieces.count, 3);
  expect_piece(1, 500 * MS, 1400 * MS, 200 * W);
  expect_piece(2, 1400 * MS, 1900 * MS, 300 * W);
}

Test(trace, mean_from_starts_and_mean_to_ends_a_bin) {
  accept(irregular, FW_SERIES_MEAN_FROM);
  take_series(0);
  cr_assert_eq(pieces.count, 4);
  expect_piece(1, 500 * MS, 1400 * MS, 200 * W);
  expect_piece(3, 1900 * MS, 2400 * MS, 400 * W);
  trace.kind = FW_SERIES_MEAN_TO;
  take_series(0);
  cr_assert_eq(pieces.count, 4);
  expect_piece(0, -500 * MS, 0, 100 * W);
  expect_piece(2, 500 * MS, 1400 * MS, 300 * W);
}

Test(trace, regular_means_within_one_per_cent_or_one_millisecond) {
  static const struct {
    const char *text;
    size_t pieces; /* one per sample where regular, one less where not */
  } cases[] = {
      {"t_s,power_w\n0,1\n0.5,1\n1.005,1\n1.5,1\n2,1\n", 5}, /* 1 % of 0.5 s is 5 ms */
      {"t_s,power_w\n0,1\n0.5,1\n1.005000001,1\n1.505,1\n2.005,1\n", 4},
      {"t_ms,power_w\n0,1\n25,1\n51,1\n75,1\n100,1\n", 5}, /* 1 ms outweighs 1 % of 25 ms */
      {"t_ms,power_w\n0,1\n25,1\n51.000001,1\n76,1\n101,1\n", 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    accept(cases[i].text, FW_SERIES_INSTANT);
    take_series(0);
    cr_expect_eq(pieces.count, cases[i].pieces, "case %zu gave %zu pieces", i, pieces.count);
    fw_trace_clear(&trace);
  }
}

Test(trace, a_gap_is_above_three_medians) {
  accept("t_s,power_w\n0,1\n1,1\n2,1\n5,1\n6,1\n9.000000001,1\n10,1\n", FW_SERIES_INSTANT);
  cr_expect_eq(trace.series[0].interval, S);
  take_series(0);
  cr_expect_eq(pieces.gap_count, 1, "3 s is not above 3 x 1 s, one nanosecond more is");
  cr_expect_eq(pieces.gap_time, 3 * S + 1);
}

Test(trace, gap_by_kind) {
  accept(with_gap, FW_SERIES_INSTANT);
  take_series(0);
  cr_assert_eq(pieces.count, 3, "a series with a gap is not regular: the samples before it and at the end add nothing");
  expect_piece(1, S, 2 * S, 200 * W);
  expect_piece(2, 10 * S, 11 * S, 400 * W);
  cr_expect_eq(pieces.gap_count, 1);
  cr_expect_eq(pieces.gap_time, 8 * S);
  trace.kind = FW_SERIES_MEAN_FROM;
  take_series(0);
  cr_assert_eq(pieces.count, 5);
  expect_piece(2, 2 * S, 3 * S, 300 * W);
  cr_expect_eq(pieces.gap_time, 7 * S);
  trace.kind = FW_SERIES_MEAN_TO;
  take_series(0);
  cr_assert_eq(pieces.count, 5);
  expect_piece(3, 9 * S, 10 * S, 400 * W);
  cr_expect_eq(pieces.gap_time, 7 * S);
}

Test(trace, a_night_switched_off_has_no_energy) {
  /* One-minute samples at 45 W, a night without, again two. Bridging the hole would give 654.75 Wh. */
  accept("t_s,power_w\n0,45\n60,45\n120,45\n52320,45\n52380,45\n", FW_SERIES_INSTANT);
  take_total();
  fw_time_ns covered;
  cr_expect(whole_energy(&covered) == 8100 * FW_PJ_PER_J);
  cr_expect_eq(covered, 180 * S);
  cr_expect_eq(pieces.gap_time, 52200 * S);
}

Test(trace, gaps_are_reported_with_their_line) {
  accept("t_s,gpu,power_w\n0,a,1\n0,b,1\n1,a,1\n1,b,1\n2,a,1\n2,b,1\n3,a,1\n9,b,1\n10,a,1\n", FW_SERIES_INSTANT);
  fw_trace_report_gaps(&trace, &diagnostics);
  cr_assert_eq(diagnostics.count, 2);
  cr_expect_eq(diagnostics.error_count, 0);
  cr_expect_eq(diagnostics.entries[0].line, 10);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "from 3 s to 10 s"));
  cr_expect_eq(diagnostics.entries[1].line, 9);
  size_t series, after;
  cr_assert(fw_trace_first_gap(&trace, &series, &after));
  cr_expect_eq(series, 1, "b stops first");
  cr_expect_eq(after, 3);
}

Test(trace, no_gap_no_report) {
  accept(irregular, FW_SERIES_INSTANT);
  size_t series = 9, after = 9;
  cr_expect_not(fw_trace_first_gap(&trace, &series, &after));
  fw_trace_report_gaps(&trace, &diagnostics);
  cr_expect_eq(diagnostics.count, 0);
}

Test(trace, a_logger_that_writes_on_change_has_no_gaps_but_its_longest) {
  /* 12 intervals of 0.1 s, 5 of 1 s, one of 3 s and one of 4 s: the upper quartile is 1 s, the bound 3 s. */
  accept("t_ms,power_w\n0,9\n100,9\n200,9\n300,9\n400,9\n500,9\n600,9\n700,9\n800,9\n900,9\n1000,9\n1100,9\n1200,9\n"
         "2200,5\n3200,5\n4200,5\n5200,5\n6200,5\n9200,5\n13200,5\n",
         FW_SERIES_INSTANT);
  take_series(0);
  fw_time_ns covered;
  whole_energy(&covered);
  cr_expect_eq(covered, 9200 * MS);
  fw_trace_report_gaps(&trace, &diagnostics);
  cr_assert_eq(diagnostics.count, 2);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "written on change"));
  cr_expect_not_null(strstr(diagnostics.entries[1].message, "from 9.2 s to 13.2 s"));
}

Test(trace, a_few_long_intervals_are_gaps_not_a_habit) {
  accept("t_s,power_w\n0,9\n1,9\n2,9\n3,9\n13,9\n14,9\n24,9\n25,9\n26,9\n", FW_SERIES_INSTANT);
  take_series(0);
  cr_expect_eq(pieces.gap_count, 2);
}

/* Readings at 0, 2, 8 and 9 s, in rows 1 s apart: 6 s without a reading are a gap, 2 s are not. Of the readings alone
 * the median would be 2 s, and 6 s no gap. */
Test(trace, missing_readings_do_not_hide_a_gap) {
  accept("t_s,power_w\n0,250\n1,\n2,252\n3,\n4,\n5,\n6,\n7,\n8,248\n9,250\n", FW_SERIES_INSTANT);
  cr_expect_eq(trace.series[0].interval, S);
  cr_expect_eq(trace.series[0].longest_held, 3 * S);
  take_series(0);
  cr_assert_eq(pieces.gap_count, 1);
  cr_expect_eq(pieces.gap_time, 6 * S);
  fw_time_ns covered;
  cr_expect(whole_energy(&covered) == (2 * 250 + 248) * FW_PJ_PER_J);
  cr_expect_eq(covered, 3 * S);
}

Test(trace, one_sample_covers_no_time) {
  accept("t_s,power_w\n5,100\n", FW_SERIES_INSTANT);
  cr_expect_eq(trace.series[0].interval, 0);
  for (int kind = FW_SERIES_INSTANT; kind <= FW_SERIES_MEAN_TO; kind++) {
    trace.kind = (fw_series_kind)kind;
    take_series(0);
    cr_expect_eq(pieces.count, 0);
  }
}

Test(trace, median_interval_is_nearest_rank) {
  /* intervals 1, 100: the lower middle, so that one gap in a short log is seen */
  accept("t_s,power_w\n0,1\n1,1\n101,1\n", FW_SERIES_INSTANT);
  cr_expect_eq(trace.series[0].interval, S);
  fw_trace_clear(&trace);
  /* A poller that sleeps 500 ms and then takes its time: intervals .5 .52 .9 .55 .5 .88 .61 .5 .74 */
  accept("t_s,power_w\n0,300\n0.5,300\n1.02,300\n1.92,300\n2.47,300\n2.97,300\n3.85,300\n4.46,300\n4.96,300\n5.7,300\n",
         FW_SERIES_INSTANT);
  cr_expect_eq(trace.series[0].interval, 550 * MS);
  take_total();
  fw_time_ns covered;
  cr_expect(whole_energy(&covered) == 1710 * FW_PJ_PER_J, "stamps count, not 10 x 0.5 s");
  cr_expect_eq(pieces.gap_count, 0);
}

Test(trace, extreme_stamps_do_not_overflow) {
  const fw_time_ns last = FW_TIME_MAX / 4;
  accept("t_ns,power_w\n-2305843009213693951,1\n2305843009213693951,1\n", FW_SERIES_MEAN_TO);
  take_series(0);
  expect_piece(0, -3 * last, -last, W);
  trace.kind = FW_SERIES_MEAN_FROM;
  take_total();
  expect_piece(1, last, 3 * last, W);
  fw_time_ns covered;
  cr_expect(whole_energy(&covered) == fw_energy_of(W, 4 * last));
  cr_expect_eq(covered, 4 * last);
}

/* --- totals --- */

Test(trace, total_of_gpus_sampled_at_different_instants) {
  /* a at whole, b at half seconds, as two hosts that are polled in turn. A curve through the merged points would swing
   * between 1000 and 200 W. */
  char text[1000] = "t_s,gpu,power_w\n";
  for (int i = 0; i <= 10; i++) {
    char rows[64];
    snprintf(rows, sizeof rows, "%d,a,1000\n%d.5,b,200\n", i, i);
    strcat(text, rows);
  }
  accept(text, FW_SERIES_INSTANT);
  take_total();
  cr_expect_eq(pieces.data[0].from, 500 * MS);
  cr_expect_eq(pieces.data[pieces.count - 1].to, 11 * S);
  for (size_t i = 0; i < pieces.count; i++) {
    cr_expect_eq(pieces.data[i].power, 1200 * W);
  }
  fw_time_ns covered;
  cr_expect(fw_pieces_energy(&pieces, 500 * MS, 10500 * MS, &covered) == 12000 * FW_PJ_PER_J);
  cr_expect_eq(covered, 10 * S);
}

Test(trace, total_where_one_gpu_has_a_gap_has_that_gap) {
  accept("t_s,gpu,power_w\n0,a,100\n0,b,10\n1,a,100\n1,b,10\n2,a,100\n2,b,10\n3,a,100\n4,a,100\n5,a,100\n6,a,100\n"
         "6,b,20\n7,a,100\n7,b,20\n",
         FW_SERIES_MEAN_FROM);
  take_total();
  cr_expect_eq(pieces.gap_count, 1);
  cr_expect_eq(pieces.gap_time, 3 * S);
  fw_time_ns covered;
  cr_expect(whole_energy(&covered) == (3 * 110 + 2 * 120) * FW_PJ_PER_J);
  cr_expect_eq(covered, 5 * S);
}

Test(trace, energy_over_part_of_a_trace_is_exact) {
  accept(regular, FW_SERIES_INSTANT);
  take_total();
  fw_time_ns covered;
  cr_expect(fw_pieces_energy(&pieces, 250 * MS, 1000 * MS + 1, &covered) ==
            fw_energy_of(100 * W, 250 * MS) + fw_energy_of(200 * W, 500 * MS) + fw_energy_of(300 * W, 1));
  cr_expect_eq(covered, 750 * MS + 1);
  cr_expect(fw_pieces_energy(&pieces, 5 * S, 9 * S, &covered) == 0);
  cr_expect_eq(covered, 0);
  cr_expect(fw_pieces_energy(&pieces, S, S, &covered) == 0);
  cr_expect_eq(covered, 0);
}

/* Ledgers: tolerances against arithmetic and tables, faults with their places, and a small ledger whose figures can be
 * worked out by hand. */
#include "sim/report/report.h"
#include "sim/study/metric.h"
#include "sim/study/reproduce/reproduce.h"
#include "tests/scenario_fixture.h"

#define DATA FW_SOURCE_DIR "/tests/unit/data"

/* ---- Tolerances ---- */

static bool holds(fw_tolerance_kind kind, double value, double published, double deviation, double simulated) {
  const fw_tolerance tolerance = {.kind = (int)kind, .value = value};
  return fw_tolerance_holds(&tolerance, published, deviation, simulated);
}

static double width(fw_tolerance_kind kind, double value, double published, double deviation) {
  const fw_tolerance tolerance = {.kind = (int)kind, .value = value};
  return fw_tolerance_width(&tolerance, published, deviation);
}

Test(tolerance, absolute_and_relative_hold_up_to_their_ends_on_both_sides) {
  cr_expect(holds(FW_TOLERANCE_ABSOLUTE, 2, 10, 0, 8) && holds(FW_TOLERANCE_ABSOLUTE, 2, 10, 0, 12));
  cr_expect_not(holds(FW_TOLERANCE_ABSOLUTE, 2, 10, 0, 7.999) || holds(FW_TOLERANCE_ABSOLUTE, 2, 10, 0, 12.001));
  cr_expect(holds(FW_TOLERANCE_RELATIVE, 0.25, -8, 0, -6) && holds(FW_TOLERANCE_RELATIVE, 0.25, -8, 0, -10));
  cr_expect_not(holds(FW_TOLERANCE_RELATIVE, 0.25, -8, 0, -5.999));
  cr_expect_eq(width(FW_TOLERANCE_RELATIVE, 0.25, -8, 5), 2);
}

Test(tolerance, a_factor_is_the_same_up_and_down) {
  cr_expect(holds(FW_TOLERANCE_FACTOR, 2, 0.02, 0, 0.01) && holds(FW_TOLERANCE_FACTOR, 2, 0.02, 0, 0.04));
  cr_expect_not(holds(FW_TOLERANCE_FACTOR, 2, 0.02, 0, 0.0099) || holds(FW_TOLERANCE_FACTOR, 2, 0.02, 0, 0.0401));
}

Test(tolerance, bounds_do_not_ask_what_was_published) {
  cr_expect(holds(FW_TOLERANCE_AT_MOST, 0.1, 77, 0, 0.1) && holds(FW_TOLERANCE_AT_MOST, 0.1, 77, 0, -5));
  cr_expect_not(holds(FW_TOLERANCE_AT_MOST, 0.1, 77, 0, 0.11));
  cr_expect(holds(FW_TOLERANCE_AT_LEAST, 1, 77, 0, 1) && holds(FW_TOLERANCE_AT_LEAST, 1, 77, 0, 300));
  cr_expect_not(holds(FW_TOLERANCE_AT_LEAST, 1, 77, 0, 0.99));
}

/* t(2 degrees of freedom, 97.5 %) = 4.302653, from printed tables (seven digits); three runs of deviation sqrt(3). */
Test(tolerance, three_runs_are_known_to_what_students_table_says) {
  cr_expect_float_eq(width(FW_TOLERANCE_THREE_RUNS, 0.01, 0.2, sqrt(3.0)), 4.302653, 1e-6);
  cr_expect_eq(width(FW_TOLERANCE_THREE_RUNS, 5, 0.2, sqrt(3.0)), 5, "the wider of the two counts");
  cr_expect(holds(FW_TOLERANCE_THREE_RUNS, 0.01, 0.2, sqrt(3.0), 4.5));
  cr_expect_not(holds(FW_TOLERANCE_THREE_RUNS, 0.01, 0.2, sqrt(3.0), 4.51));
}

Test(tolerance, what_is_not_known_is_not_inside) {
  for (int kind = 0; fw_tolerance_kind_names[kind] != NULL; kind++)
    cr_expect_not(holds((fw_tolerance_kind)kind, 1e9, 1, 1, (double)NAN), "%s", fw_tolerance_kind_names[kind]);
}

/* ---- Reading ---- */

#define FIT "'fit': {'row': 'a', 'class': 'steady', 'key': 'x', 'value': 1, 'from_w': 1, 'to_w': 2, 'file': 'f'}"
#define PARAMETERS                                                                                                     \
  "'parameters': [{'name': 'p', 'file': 'f', 'fitted_to': 'a'}, {'name': 'q', 'file': 'f', 'fitted_to': 'a'}]"
#define ROW(id, published, more, inside, tolerance, from)                                                              \
  "{'id': '" id "', 'group': 'g', 'figure': 'f', 'published': " published ", 'unit': '', " more ", 'inside': " inside  \
  ", 'tolerance': {" tolerance ", 'why': 'w'}, 'from': {" from "}}"
#define TOKENS_FROM "'kind': 'arm', 'scenario': 'steady-ledger', 'policy': 'fast', 'metric': 'tokens'"
#define EXACT_SHARE "'kind': 'relative', 'value': 1e-9"
#define PREDICTED "'fitted': false, 'independent': true"
#define LEDGER(rows) "{'fleetwatt_ledger': 1,\n 'source': 's',\n " FIT ",\n " PARAMETERS ",\n 'rows': [\n" rows "]}"

static fw_status parse(const char *text, fw_ledger *out, fw_diagnostics *diagnostics) {
  char *json = with_quotes(text);
  const fw_status status = fw_ledger_parse(json, strlen(json), DATA "/ledger.json", out, diagnostics);
  free(json);
  return status;
}

static fw_ledger parsed(const char *text) {
  fw_ledger ledger;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_assert_eq(parse(text, &ledger, &diagnostics), FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return ledger;
}

/* A fault on `line` that says `words`. */
static void refused(const char *text, size_t line, const char *words) {
  fw_ledger ledger;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_expect_eq(parse(text, &ledger, &diagnostics), FW_ERROR_INPUT, "%s", text);
  bool found = false;
  for (size_t i = 0; i < diagnostics.count; i++)
    found = found || (diagnostics.entries[i].line == line && strstr(diagnostics.entries[i].message, words) != NULL);
  cr_expect(found, "no \"%s\" on line %zu in\n%s", words, line, all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  fw_ledger_clear(&ledger);
}

Test(ledger, faults_name_their_line) {
  refused(LEDGER(ROW("a", "1", PREDICTED, "true", EXACT_SHARE, TOKENS_FROM) ",\n" ROW("a", "1", PREDICTED, "true",
                                                                                      EXACT_SHARE, TOKENS_FROM)),
          7, "give each its own");
  refused(LEDGER(ROW("a", "1", PREDICTED, "true", EXACT_SHARE, TOKENS_FROM) ",\n" ROW(
              "b", "1", PREDICTED, "true", EXACT_SHARE, "'kind': 'rows', 'of': 'c', 'over': 'a'")),
          7, "no earlier row");
  refused(LEDGER(ROW("b", "1", PREDICTED, "true", EXACT_SHARE, TOKENS_FROM)), 3, "no row of this id");
  refused(LEDGER(ROW("a", "1", PREDICTED, "true", "'kind': 'factor', 'value': 0.5", TOKENS_FROM)), 6, "at least 1");
  refused(LEDGER(ROW("a", "1", PREDICTED, "true", "'kind': 'percent', 'value': 1", TOKENS_FROM)), 6, "percent");
  refused(LEDGER(ROW("a", "1", "'fitted': false", "true", EXACT_SHARE, TOKENS_FROM)), 6, "independent");
  refused(LEDGER(ROW("a", "1", PREDICTED, "true", EXACT_SHARE, TOKENS_FROM ", 'windw_s': 1")), 6, "windw_s");
}

/* The names in a ledger are those of the metrics. */
Test(ledger, knows_every_metric) {
  for (size_t i = 0; i < FW_METRIC_COUNT; i++)
    cr_expect_str_eq(fw_ledger_metrics[i], fw_metric_table[i].name);
}

/* ---- Figures worked out by hand ---- */

static fw_status reproduce(const fw_ledger *ledger, fw_reproduce_result *out, fw_diagnostics *diagnostics) {
  const fw_reproduce_options options = {.share = DATA};
  return fw_reproduce(ledger, DATA "/ledger.json", &options, out, diagnostics);
}

static fw_reproduce_result reproduced(const fw_ledger *ledger) {
  fw_reproduce_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_assert_eq(reproduce(ledger, &result, &diagnostics), FW_OK, "%s", all_entries(&diagnostics, buffer));
  fw_diagnostics_clear(&diagnostics);
  return result;
}

/* 200.5 batches of 800 tokens; 520 W, so each of the 200 decisions at the end of a batch is above 450 W and the first
 * one, before any reading, is not; 481.2 batches of 100 tokens at 400 W. */
#define ROWS                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             \
  ROW("a", "160400", PREDICTED, "true", EXACT_SHARE, TOKENS_FROM)                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        \
  ",\n" ROW(                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             \
      "slow", "48.12", PREDICTED, "true", EXACT_SHARE,                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
      "'kind': 'arm', 'scenario': 'steady-ledger', 'policy': 'slow', 'metric': 'tokens', 'per': 1000") ",\n" ROW("dec"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "isi"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "on"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "s",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "20"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "0",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "'fi"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "tte"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "d':"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 " tr"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "ue,"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 " '"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "ind"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "epe"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "nde"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "nt'"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 ": "                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "tru"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "e",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "tru"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "e",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 EXACT_SHARE,                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            \
                                                                                                                 "'ki"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "nd'"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 ": "                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "'ar"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "m',"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 " '"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "sce"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "nar"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "io'"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 ": "                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "'st"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "ead"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "y-"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "led"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "ger"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "', "                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "'po"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "lic"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "y':"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 " '"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "fas"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "t',"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 " '"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "met"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "ric"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "': "                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "'de"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "cis"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "ion"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "s_"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "abo"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                                                 "ve"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                 "'") ",\n" ROW("quiet", "0", "'fitted': false, 'independent': false", "true", "'kind': 'at_most', 'value': 0", "'kind': 'arm', 'scenario': 'steady-ledger', 'policy': 'slow', 'metric': 'decisions_above'") ",\n" ROW("peak", "520", PREDICTED, "true", EXACT_SHARE, "'kind': 'arm', 'scenario': 'steady-ledger', 'policy': 'fast', 'metric': 'peak_w', 'window_s': 10") ",\n" ROW("gain", "-2332.33333333333333", "'fitted': false, 'independent': false", "true",                                                                                                     \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    EXACT_SHARE,                                                                                                                                                                         \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "'kind': 'rows', 'of': 'a', 'over': 'slow', 'times': -1, 'plus': 1001") ",\n" ROW("swing",                                                                                           \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "0.230769230769230769",                                                                            \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      PREDICTED, "true", EXACT_SHARE,                                                                    \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "'kind': 'authority', 'scenario': 'steady-ledger', 'class': 'steady', 'actuator': 'concurrency', " \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "'figure': 'mean_swing'")

Test(reproduce, finds_the_figures_that_follow_by_hand) {
  fw_ledger ledger = parsed(LEDGER(ROWS));
  fw_reproduce_result result = reproduced(&ledger);
  for (size_t i = 0; i < ledger.rows.count; i++) {
    const fw_ledger_row *row = fw_ledger_row_at(&ledger, i);
    cr_expect(result.rows[i].inside, "%s: %.15g, published %.15g", row->id, result.rows[i].simulated.mean,
              row->published);
  }
  cr_expect_eq(result.predicted, 4, "fitted and dependent rows do not count");
  cr_expect_eq(result.predicted_inside, 4);
  cr_expect_eq(result.fell_out, 0);
  fw_reproduce_clear(&result);
  fw_ledger_clear(&ledger);
}

/* A miss that is known is no failure; one that the ledger takes for inside is. */
Test(reproduce, only_what_was_inside_can_fall_out) {
  fw_ledger ledger = parsed(LEDGER(ROW("a", "160401", PREDICTED, "true", EXACT_SHARE, TOKENS_FROM) ",\n" ROW(
      "b", "160401", PREDICTED, "false", EXACT_SHARE, TOKENS_FROM) ",\n" ROW("c", "160400", PREDICTED, "false",
                                                                             EXACT_SHARE, TOKENS_FROM)));
  fw_reproduce_result result = reproduced(&ledger);
  cr_expect_eq(result.fell_out, 1);
  cr_expect_eq(result.predicted_inside, 1);
  fw_text text = FW_TEXT_INIT;
  fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_report_ledger_text(&result, &none, &text);
  cr_expect_not_null(strstr(text.data, "a: was inside and fell out"));
  cr_expect_null(strstr(text.data, "b: was"));
  cr_expect_not_null(strstr(text.data, "c: was not inside and is now"));
  fw_text_clear(&text);
  fw_reproduce_clear(&result);
  fw_ledger_clear(&ledger);
}

static void cannot(const char *from, const char *words) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text,
                     LEDGER(ROW("a", "1", PREDICTED, "true", EXACT_SHARE,
                                TOKENS_FROM) ",\n" ROW("b", "1", PREDICTED, "true", EXACT_SHARE, "%s")),
                     from);
  fw_ledger ledger = parsed(text.data);
  fw_reproduce_result result;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  cr_expect_eq(reproduce(&ledger, &result, &diagnostics), FW_ERROR_INPUT, "%s", from);
  const char *said = all_entries(&diagnostics, buffer);
  cr_expect(strstr(said, words) != NULL && strstr(said, "row \"b\"") != NULL, "%s lacks %s", said, words);
  fw_diagnostics_clear(&diagnostics);
  fw_ledger_clear(&ledger);
  fw_text_clear(&text);
}

Test(reproduce, says_which_row_asks_for_what_there_is_not) {
  cannot("'kind': 'arm', 'scenario': 'nowhere', 'policy': 'fast', 'metric': 'tokens'", "nowhere.json");
  cannot("'kind': 'arm', 'scenario': 'steady-ledger', 'policy': 'faster', 'metric': 'tokens'", "faster");
  cannot("'kind': 'arm', 'scenario': 'steady-ledger', 'policy': 'fast', 'metric': 'peak_w', 'window_s': 30", "window");
  cannot("'kind': 'arm', 'scenario': 'steady-ledger', 'policy': 'fast', 'metric': 'tokens', 'window_s': 10", "window");
  cannot("'kind': 'authority', 'scenario': 'steady-ledger', 'class': 'nobody', 'actuator': 'pause_s', 'figure': "
         "'mean_swing'",
         "nobody");
}

/* ---- The fit ---- */

static fw_status fit(const char *job_class, const char *range, double *level_w, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(
      &text,
      "{'fleetwatt_ledger': 1, 'source': 's', 'fit': {'row': 'a', 'class': '%s', 'key': 'x', 'value': 0.43, %s, "
      "'file': 'f'}, " PARAMETERS
      ", 'rows': [" ROW("a", "0.44", PREDICTED, "true", EXACT_SHARE,
                        "'kind': 'arm', 'scenario': 'stepped-ledger', 'policy': 'plain', 'metric': 'mean_w', 'per': "
                        "1000") "]}",
      job_class, range);
  fw_ledger ledger = parsed(text.data);
  const fw_reproduce_options options = {.share = DATA};
  const fw_status status = fw_reproduce_fit(&ledger, DATA "/ledger.json", &options, level_w, diagnostics);
  fw_ledger_clear(&ledger);
  fw_text_clear(&text);
  return status;
}

/* (12 s x 520 W + 8 s x 2 u) / 20 s = 430 W at u = 147.5 W. */
Test(reproduce, the_fit_finds_the_level_at_which_its_row_has_the_value) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  double level_w = 0.0;
  cr_assert_eq(fit("stepped", "'from_w': 100, 'to_w': 300", &level_w, &diagnostics), FW_OK, "%s",
               all_entries(&diagnostics, buffer));
  cr_expect_float_eq(level_w, 147.5, 0.01, "%.9g: levels are found to 0.01 W", level_w);
  fw_diagnostics_clear(&diagnostics);
}

Test(reproduce, the_fit_says_what_it_cannot_find) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char buffer[2000];
  double level_w = 0.0;
  cr_expect_eq(fit("stepped", "'from_w': 150, 'to_w': 300", &level_w, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(all_entries(&diagnostics, buffer), "widen the range"));
  cr_expect_eq(fit("other", "'from_w': 100, 'to_w': 300", &level_w, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(all_entries(&diagnostics, buffer), "\"other\""));
  fw_diagnostics_clear(&diagnostics);
}

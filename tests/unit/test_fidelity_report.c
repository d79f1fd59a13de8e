/* The fidelity report: the JSON says what the result says and docs/results.md knows its keys; the tables hold the same
 * figures; what is not barred says why. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/json.h"
#include "sim/base/random.h"
#include "sim/report/fidelity_report.h"

#define S FW_NS_PER_S
#define TICKS ((size_t)200)
#define WINDOWS ((size_t)3)
static const fw_time_ns windows[WINDOWS] = {S / 2, 10 * S, 300 * S};

/* 100 s of one GPU and of two, simulated at the same level. */
typedef struct made_report {
  fw_power_mw recorded[2][TICKS * 2];
  fw_power_mw simulated[2][TICKS * 2];
  fw_fidelity runs[2];
  fw_fidelity_summary summaries[WINDOWS * FW_FIDELITY_METRICS];
  fw_report_fidelity report;
} made_report;

static made_report *make_report(void) {
  made_report *made = calloc(1, sizeof *made);
  cr_assert_not_null(made);
  fw_stream stream = fw_stream_make(3, FW_DRAW_TEST, 0);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  for (size_t r = 0; r < 2; r++) {
    for (size_t i = 0; i < TICKS * 2; i++) {
      made->recorded[r][i] = 300000 + (int64_t)fw_random_below(stream, 4 * i + r, 60000);
      made->simulated[r][i] = 300000 + (int64_t)fw_random_below(stream, 4 * i + 2 + r, 60000 + 60000 * r);
    }
    const fw_power_mw *simulated = made->simulated[r];
    const fw_fidelity_run run = {
        r == 0 ? "first.csv" : "second.csv", S / 2, TICKS, 1 + r, made->recorded[r], &simulated, 1};
    cr_assert_eq(fw_fidelity_score(&run, windows, WINDOWS, &made->runs[r], &diagnostics), FW_OK);
  }
  cr_assert_eq(fw_fidelity_summarize(made->runs, 2, made->summaries, &diagnostics), FW_OK);
  made->report = (fw_report_fidelity){"model.json", made->runs, 2, made->summaries, &fw_fidelity_default_limits};
  return made;
}

static void free_report(made_report *made) {
  fw_fidelity_clear(&made->runs[0]);
  fw_fidelity_clear(&made->runs[1]);
  free(made);
}

static fw_json *report_json(const made_report *made) {
  const fw_diagnostics nothing = FW_DIAGNOSTICS_INIT;
  fw_text text = FW_TEXT_INIT;
  fw_json *json;
  fw_report_fidelity_json(&made->report, &nothing, &text);
  cr_assert_not(text.failed);
  cr_assert_eq(fw_json_parse(text.data, text.length, NULL, &json, NULL), FW_OK, "%s", text.data);
  fw_text_clear(&text);
  return json;
}

/* Keys one below the other, NULL at the end; a number means an element. */
static const fw_json_value *at(const fw_json_value *value, const char *const *path) {
  for (; *path != NULL && value != NULL; path++) {
    if (fw_json_type_of(value) != FW_JSON_ARRAY) {
      value = fw_json_get(value, *path);
      continue;
    }
    value = fw_json_first(value);
    for (long skip = strtol(*path, NULL, 10); skip > 0 && value != NULL; skip--)
      value = fw_json_next(value);
  }
  cr_assert_not_null(value);
  return value;
}

#define AT(...) at(fw_json_root(json), (const char *const[]){__VA_ARGS__, NULL})

/* 12 significant digits. */
static void expect_number(const fw_json_value *value, double wanted) {
  if (isnan(wanted)) {
    cr_expect_eq(fw_json_type_of(value), FW_JSON_NULL);
  } else {
    cr_assert_eq(fw_json_type_of(value), FW_JSON_NUMBER);
    cr_expect_float_eq(fw_json_number(value), wanted, 1e-11 * (1.0 + fabs(wanted)));
  }
}

Test(fidelity_report, json_says_what_the_result_says) {
  made_report *made = make_report();
  fw_json *json = report_json(made);
  const char *const keys[WINDOWS] = {"0.5", "10", "300"};
  cr_expect_str_eq(fw_json_string(AT("command")), "validate");
  cr_expect_str_eq(fw_json_string(AT("model")), "model.json");
  cr_expect_eq(fw_json_count(AT("runs", "0", "signals")), 1);
  cr_expect_eq(fw_json_count(AT("runs", "1", "signals")), 3, "the sum and two GPUs");
  expect_number(AT("runs", "1", "signals", "0", "gpu"), (double)NAN);
  expect_number(AT("runs", "1", "signals", "2", "gpu"), 1.0);
  for (size_t w = 0; w < WINDOWS; w++) {
    const fw_fidelity_window *second = &made->runs[1].signals[2].windows[w];
    for (size_t m = 0; m < FW_FIDELITY_METRICS; m++) {
      expect_number(AT("runs", "1", "signals", "2", "windows", keys[w], "scores", fw_fidelity_metric_names[m]),
                    second->scores[m]);
      expect_number(AT("windows", keys[w], fw_fidelity_metric_names[m], "worst"),
                    made->summaries[w * FW_FIDELITY_METRICS + m].worst);
    }
    expect_number(AT("runs", "1", "signals", "2", "windows", keys[w], "budgets", "p95", "recorded", "hi"),
                  second->own.rate_hi[2]);
    expect_number(AT("runs", "1", "signals", "2", "windows", keys[w], "blocks"), (double)second->blocks);
  }
  cr_expect_str_eq(fw_json_string(AT("runs", "0", "signals", "0", "windows", "10", "bars", "violation_p80", "reason")),
                   "the recording holds 10 such windows side by side, and 30 are needed");
  cr_expect_str_eq(fw_json_string(AT("runs", "0", "signals", "0", "windows", "300", "reason")),
                   "no stretch of the recording without a gap is as long as the window of 300 s");
  cr_expect_eq(fw_json_type_of(AT("runs", "0", "signals", "0", "windows", "300", "budgets", "p80", "budget_w")),
               FW_JSON_NULL);
  fw_json_free(json);
  free_report(made);
}

/* Twice the spread: the second run misses KS by so much that the median of the two does. */
Test(fidelity_report, bars_over_runs) {
  made_report *made = make_report();
  fw_json *json = report_json(made);
  cr_expect_str_eq(fw_json_string(AT("runs", "0", "signals", "0", "windows", "0.5", "bars", "ks", "verdict")), "met");
  cr_expect_str_eq(fw_json_string(AT("runs", "1", "signals", "0", "windows", "0.5", "bars", "ks", "verdict")),
                   "missed");
  cr_expect_str_eq(fw_json_string(AT("windows", "0.5", "ks", "bar")), "missed");
  expect_number(AT("windows", "0.5", "ks", "barred"), 2.0);
  expect_number(AT("windows", "0.5", "ks", "met"), 1.0);
  cr_expect_str_eq(fw_json_string(AT("windows", "10", "violation_p80", "bar")), "not barred");
  fw_json_free(json);
  free_report(made);
}

Test(fidelity_report, tables_hold_the_same_figures) {
  made_report *made = make_report();
  const fw_diagnostics nothing = FW_DIAGNOSTICS_INIT;
  fw_text text = FW_TEXT_INIT;
  fw_report_fidelity_text(&made->report, &nothing, &text);
  cr_assert_not(text.failed);
  char wanted[80];
  (void)snprintf(wanted, sizeof wanted, "%.3f", made->runs[1].signals[0].windows[0].scores[FW_FIDELITY_KS]);
  const char *second = strstr(text.data, "second.csv: 2 GPUs, 100 s known in ticks of 0.5 s");
  cr_assert_not_null(second, "%s", text.data);
  cr_expect_not_null(strstr(second, wanted));
  cr_expect_not_null(strstr(second, "GPU 1, 0.5"));
  cr_expect_not_null(strstr(second, "bars over 2 runs"));
  cr_expect_not_null(strstr(second, "1 of 2"));
  cr_expect_not_null(strstr(second, "n/a: first.csv at 10 s: the recording holds 10 such windows side by side"));
  cr_expect_not_null(strstr(second, "n/a: first.csv at 0.5 s, p99_error: the recording holds "));
  fw_text_clear(&text);
  free_report(made);
}

/* Keys of objects that are no windows. */
static size_t check_keys(const char *document, const fw_json_value *value) {
  size_t count = 0;
  const fw_json_type type = fw_json_type_of(value);
  if (type != FW_JSON_OBJECT && type != FW_JSON_ARRAY) return 0;
  for (const fw_json_value *member = fw_json_first(value); member != NULL; member = fw_json_next(member)) {
    if (type == FW_JSON_OBJECT && !isdigit((unsigned char)fw_json_key(member)[0])) {
      char code[80];
      (void)snprintf(code, sizeof code, "`%s`", fw_json_key(member));
      cr_expect_not_null(strstr(document, code), "docs/results.md says nothing about \"%s\"", fw_json_key(member));
      count++;
    }
    count += check_keys(document, member);
  }
  return count;
}

Test(fidelity_report, the_document_knows_its_keys) {
  made_report *made = make_report();
  fw_json *json = report_json(made);
  fw_text document = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(FW_SOURCE_DIR "/docs/results.md", FW_JSON_SIZE_LIMIT, &document, NULL), FW_OK);
  cr_expect_geq(check_keys(document.data, fw_json_root(json)), 500);
  fw_text_clear(&document);
  fw_json_free(json);
  free_report(made);
}

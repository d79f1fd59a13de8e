/* The questions beyond the study on jobs without chance, where the answers are known by hand, and against plain runs
 * and comparisons of the same scenarios. The scenarios are tests/unit/data/beyond-*.json. */
#include <gsl/gsl_cdf.h>
#include <stdio.h>

#include "sim/base/random.h"
#include "sim/report/report.h"
#include "sim/study/reproduce/coherence.h"
#include "tests/scenario_fixture.h"

#define PI 3.14159265358979323846
#define MINUTE (60 * FW_NS_PER_S)

/* Shares and powers of some 500 W: a few roundings. */
#define EXACT 1e-9

/* Two seeds are enough where nothing is random. */
static fw_beyond_options options_with(unsigned threads) {
  return (fw_beyond_options){
      .base = FW_SOURCE_DIR "/tests/unit/data/beyond", .seeds = 2, .study = {.threads = threads}};
}

static void expect_sound(fw_status status, fw_diagnostics *diagnostics) {
  char buffer[2000];
  cr_assert_eq(status, FW_OK, "%s", all_entries(diagnostics, buffer));
  cr_expect_eq(diagnostics->count, 0, "%s", all_entries(diagnostics, buffer));
  fw_diagnostics_clear(diagnostics);
}

/* ---- Coherence ---- */

Test(beyond, turns_agree_with_the_library) {
  const fw_stream stream = fw_stream_make(1, FW_DRAW_TEST, 20);
  for (uint64_t i = 0; i < 20000; i++) {
    const double turns = 20 * fw_random_uniform(stream, i, 0) - 10;
    double cosine = 0;
    double sine = 0;
    fwi_turn(turns, &cosine, &sine);
    /* Ten turns are 63, known to 7e-15; the series itself is good to 2e-15. */
    cr_assert_float_eq(cosine, cos(2 * PI * turns), 2e-14, "%.17g turns", turns);
    cr_assert_float_eq(sine, sin(2 * PI * turns), 2e-14, "%.17g turns", turns);
  }
}

static double pairwise(const double *phases, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < i; j++)
      sum += cos(2 * PI * (phases[i] - phases[j]));
  }
  return sum / (0.5 * (double)count * (double)(count - 1));
}

Test(beyond, coherence_is_the_mean_cosine_over_pairs) {
  const fw_stream stream = fw_stream_make(2, FW_DRAW_TEST, 21);
  for (uint64_t trial = 0; trial < 500; trial++) {
    double phases[9];
    const size_t count = 2 + (size_t)fw_random_below(stream, trial, 8);
    for (size_t i = 0; i < count; i++)
      phases[i] = fw_random_uniform(stream, trial, (uint32_t)i + 1);
    cr_assert_float_eq(fwi_coherence(phases, count), pairwise(phases, count), 1e-13);
  }
}

Test(beyond, coherence_knows_its_ends) {
  double same[5] = {0.3, 0.3, 0.3, 0.3, 0.3};
  double even[5] = {0.1, 0.3, 0.5, 0.7, 0.9};
  double unknown[2] = {0.1, NAN};
  cr_expect_float_eq(fwi_coherence(same, 5), 1.0, 1e-14);
  cr_expect_float_eq(fwi_coherence(even, 5), -0.25, 1e-14);
  cr_expect(isnan(fwi_coherence(unknown, 2)));
  cr_expect(isnan(fwi_coherence(same, 1)));
}

Test(beyond, phases_lie_between_the_ends_of_steps) {
  fw_time_ns ends[] = {10, 20, 60};
  const fwi_steps steps = {.ends = ends, .count = 3};
  static const struct {
    fw_time_ns time;
    double phase;
  } cases[] = {{5, NAN}, {10, 0.0}, {15, 0.5}, {20, 0.0}, {50, 0.75}, {60, NAN}, {70, NAN}};
  size_t cursor = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const double phase = fwi_phase_at(&steps, cases[i].time, &cursor);
    cr_expect(phase == cases[i].phase || (isnan(phase) && isnan(cases[i].phase)), "at %lld: %g",
              (long long)cases[i].time, phase);
  }
}

/* ---- Constant settings ---- */

static fw_beyond_figures figures(double tokens, double energy, double lo, double hi) {
  return (fw_beyond_figures){.tokens = {tokens, tokens, tokens},
                             .wh_per_1k_tokens = {energy, energy, energy},
                             .rate = {{0.5 * (lo + hi), lo, hi}}};
}

Test(beyond, verdicts_go_by_the_published_arm) {
  static const struct {
    double tokens, energy, lo, hi;
    fw_beyond_verdict verdict;
  } cases[] = {{184000, 0.946, 0.01, 0.0226, FW_BEYOND_BEATS},     {184000, 0.946, 0.01, 0.03, FW_BEYOND_EQUALS},
               {183000, 0.946, 0.01, 0.02, FW_BEYOND_EQUALS},      {184000, 0.948, 0.01, 0.02, FW_BEYOND_EQUALS},
               {181300, 0.956, 0.01, 0.02, FW_BEYOND_EQUALS},      {181200, 0.946, 0.01, 0.02, FW_BEYOND_FALLS_SHORT},
               {184000, 0.957, 0.01, 0.02, FW_BEYOND_FALLS_SHORT}, {250000, 0.5, 0.023, 0.03, FW_BEYOND_FALLS_SHORT}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const fw_beyond_figures seen = figures(cases[i].tokens, cases[i].energy, cases[i].lo, cases[i].hi);
    cr_expect_eq(fw_beyond_judge(&seen, 0), cases[i].verdict, "case %zu", i);
  }
}

/* Batches of 4 last 4 s at 480 W, of 8 last 6 s at 520 W; 490 W over 30 s allow 7.5 s of them. Six batches of 4 between
 * two of 8 keep any two from counting together for more, five do not: so a share of 1 / 7 is never above, and what is
 * allowed beyond it, 2.27 % of the time, is little. */
Test(beyond, the_best_level_and_the_best_share_are_found) {
  const fw_beyond_options options = options_with(1);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_beyond_levels levels;
  expect_sound(fw_beyond_levels_run(&options, &levels, &diagnostics), &diagnostics);
  cr_assert_eq(levels.arm_count, 4);
  cr_expect_eq(levels.best_static, 1, "4 sequences, 480 W");
  cr_expect_eq(levels.best_mix, 3);
  cr_expect_float_eq(levels.arms[1].figures.tokens.mean, 600.0 / 4.0 * 400.0, 400.0, "a batch of 400 tokens each 4 s");
  cr_expect_eq(levels.arms[1].figures.rate[1].mean, 0.0);
  cr_expect_eq(levels.arms[2].figures.rate[1].mean, 1.0);
  cr_expect_not(levels.arms[2].allowed);
  cr_expect(isnan(levels.arms[1].share));
  const fw_beyond_level *mix = &levels.arms[3];
  cr_expect(mix->share > 0.1 && mix->share < 1.0 / 6.0, "a share of %g", mix->share);
  cr_expect_leq(mix->figures.rate[1].mean, fw_beyond_trained.rate_30s);
  cr_expect_gt(mix->figures.tokens.mean, levels.arms[1].figures.tokens.mean);
  fw_beyond_levels_clear(&levels);
}

/* ---- Truth against readings ---- */

static const fw_beyond_sensor_row *sensor_row(const fw_beyond_sensor *sensor, const char *name, size_t arm) {
  for (size_t i = 0; i < sensor->row_count; i++) {
    if (sensor->rows[i].arm == arm && strcmp(sensor->rows[i].setting.name, name) == 0) return &sensor->rows[i];
  }
  cr_assert_fail("no row \"%s\"", name);
  return NULL;
}

/* 480 W read 5 % high are 504 W, 520 W read 5 % low 494 W, against 500 W. */
Test(beyond, a_common_gain_moves_readings_and_not_truth) {
  const fw_beyond_options options = options_with(1);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_beyond_sensor sensor;
  expect_sound(fw_beyond_sensor_run(&options, &sensor, &diagnostics), &diagnostics);
  for (size_t w = 0; w < 2; w++) {
    cr_expect_eq(sensor.truth[0].rate[w].mean, 0.0);
    cr_expect_eq(sensor.truth[1].rate[w].mean, 1.0);
    cr_expect_eq(sensor_row(&sensor, "gain +5 %", 0)->read[w].mean, 1.0);
    cr_expect_eq(sensor_row(&sensor, "gain +5 %", 0)->less[w].mean, 1.0);
    cr_expect_eq(sensor_row(&sensor, "gain -5 %", 1)->read[w].mean, 0.0);
    cr_expect_eq(sensor_row(&sensor, "gain -5 %", 1)->less[w].mean, -1.0);
    cr_expect_eq(sensor_row(&sensor, "gain -5 %", 0)->less[w].mean, 0.0);
    cr_expect_eq(sensor_row(&sensor, "as assumed", 0)->less[w].mean, 0.0, "this board reads the truth");
  }
  fw_beyond_sensor_clear(&sensor);
}

/* A reading of two boards is 480 W and an error of known deviation: the chance that it is above 500 W is a normal tail;
 * 2400 independent readings know it to 1 point, one standard deviation. */
Test(beyond, readings_follow_the_law_of_the_sensor) {
  const fw_beyond_options options = options_with(1);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_beyond_sensor sensor;
  expect_sound(fw_beyond_sensor_run(&options, &sensor, &diagnostics), &diagnostics);
  fw_sensor law = sensor.scenario->gpu.sensor;
  law.path_sigma_w = 30.0;
  const double deviation_w = sqrt(2.0) * fw_sensor_error_mw(&law, 0.5) / 1000.0;
  const double expected = gsl_cdf_ugaussian_Q(20.0 / deviation_w);
  const double seen = sensor_row(&sensor, "path sigma 30 W", 0)->read[0].mean;
  cr_expect(expected > 0.1 && expected < 0.5);
  cr_expect_float_eq(seen, expected, 0.03, "%g, expected %g", seen, expected);
  fw_beyond_sensor_clear(&sensor);
}

/* ---- A firmware cap ---- */

/* At 200 W of 260 the rollout takes 1 + 60 / 260 of its time, and two boards settle at 90 % of the cap, 360 W together;
 * idle they draw 120 W. The first 0.25 s pass before the cap is in force. */
Test(beyond, a_cap_costs_what_the_models_say_and_at_worst_its_power) {
  const fw_beyond_options options = options_with(1);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_beyond_caps caps;
  expect_sound(fw_beyond_caps_run(&options, &caps, &diagnostics), &diagnostics);
  cr_assert_eq(caps.arm_count, 3);
  const fw_beyond_cap *capped = &caps.arms[1];
  const double tokens = capped->figures.tokens.mean;
  cr_expect_eq(caps.arms[0].kind, FW_BEYOND_PREDICTED);
  cr_expect_eq(capped->kind, FW_BEYOND_ASSUMPTION);
  cr_expect_eq(caps.arms[2].kind, FW_BEYOND_PREDICTED);
  cr_expect_float_eq(tokens, caps.arms[0].figures.tokens.mean / (1 + 60.0 / 260.0), 0.002 * tokens);
  cr_expect_float_eq(capped->worst_tokens.mean, tokens * (360.0 - 120.0) / (520.0 - 120.0), 0.002 * tokens);
  cr_expect(isnan(caps.arms[2].worst_tokens.mean));
  cr_expect_eq(caps.arms[0].figures.rate[1].mean, 1.0);
  cr_expect_eq(capped->figures.rate[1].mean, 0.0);
  fw_beyond_caps_clear(&caps);
}

/* ---- Oversubscription ---- */

/* Every point of the short runs against runs at its budget. */
static void expect_curves(const fw_beyond_ratios *ratios) {
  cr_assert_eq(ratios->point_count, 2 * 2 * 3);
  for (size_t i = 0; i < 6; i++) {
    const fw_beyond_ratio *point = &ratios->points[i];
    double tokens = 0;
    double rate[2] = {0, 0};
    for (size_t seed = 0; seed < point->seeds; seed++) {
      const fw_run_options options = {
          .policy = point->policy, .budget = point->budget, .seed = ratios->scenario->seed + seed};
      fw_result result = run_observed(ratios->scenario, options);
      tokens += (double)result.tokens / (double)point->seeds;
      for (size_t w = 0; w < 2; w++)
        rate[w] += result.windows[w].violation_rate / (double)point->seeds;
      fw_result_clear(&result);
    }
    cr_expect_float_eq(point->figures.tokens.mean, tokens, 1e-6, "of some 1e5");
    cr_expect_float_eq(point->figures.rate[0].mean, rate[0], EXACT, "point %zu", i);
    cr_expect_float_eq(point->figures.rate[1].mean, rate[1], EXACT, "point %zu", i);
    cr_expect(point->figures.rate[1].lo <= rate[1] && point->figures.rate[1].hi >= rate[1]);
  }
}

static void expect_seeds(const fw_beyond_ratios *ratios) {
  cr_expect_eq(ratios->points[0].seeds, 16, "eight times as many where nothing is driven");
  cr_expect_eq(ratios->points[3].seeds, 2);
  cr_expect_eq(ratios->points[6].duration, 24 * 60 * MINUTE);
  cr_expect_eq(ratios->points[9].seeds, 2);
}

/* ---- Starts ---- */

static const fw_beyond_start *start_arm(const fw_beyond_starts *starts, fw_start_kind kind, size_t policy) {
  for (size_t i = 0; i < starts->arm_count; i++) {
    if (starts->arms[i].start == kind && starts->arms[i].policy == policy) return &starts->arms[i];
  }
  cr_assert_fail("no such arm");
  return NULL;
}

/* Steps of 12 s at 520 W and 8 s at 400 W, three jobs: a whole step and 10 s of the next are 30 s, at most
 * (472 x 20 + 520 x 10) / 30 W for each job when all are together. Nothing is random, so phases stay as they are. */
Test(beyond, starts_keep_their_phases_where_nothing_is_random) {
  const fw_beyond_options options = options_with(1);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_beyond_starts starts;
  expect_sound(fw_beyond_starts_run(&options, &starts, &diagnostics), &diagnostics);
  cr_assert_eq(starts.class_count, 1);
  cr_assert_eq(starts.arm_count, 6);
  const fw_beyond_start *aligned = start_arm(&starts, FW_START_ALIGNED, 0);
  const fw_beyond_start *staggered = start_arm(&starts, FW_START_STAGGERED, 0);
  const fw_beyond_start *restaggered = start_arm(&starts, FW_START_ALIGNED, 1);
  cr_expect_float_eq(aligned->peak_w[0].mean, 3.0 * (472.0 * 20.0 + 520.0 * 10.0) / 30.0, 1e-3, "whole mW");
  for (size_t s = 0; s < 4; s++) {
    cr_expect_float_eq(aligned->coherence[0][s].mean, 1.0, 1e-12);
    cr_expect_float_eq(staggered->coherence[0][s].mean, -0.5, 1e-8, "a third of 20 s is a third to 1e-10");
  }
  cr_expect_float_eq(restaggered->coherence[0][1].mean, -0.5, 1e-6);
  cr_expect_lt(restaggered->peak_w[1].mean, aligned->peak_w[1].mean - 10.0);
  cr_expect(isnan(aligned->peak_w[2].mean) && isnan(aligned->coherence[0][4].mean), "the run ends after an hour");
  fw_beyond_starts_clear(&starts);
}

/* A run of 20 minutes alone has the peak of the first stretch. */
Test(beyond, the_first_peak_is_that_of_a_short_run) {
  const fw_beyond_options options = options_with(1);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_beyond_starts starts;
  expect_sound(fw_beyond_starts_run(&options, &starts, &diagnostics), &diagnostics);
  fw_scenario scenario = *starts.scenario;
  scenario.duration = 20 * MINUTE;
  scenario.start = FW_START_RANDOM;
  double sum_w = 0;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    fw_result result = run_observed(&scenario, (fw_run_options){.seed = seed});
    sum_w += result.windows[1].peak_w;
    fw_result_clear(&result);
  }
  cr_expect_float_eq(start_arm(&starts, FW_START_RANDOM, 0)->peak_w[0].mean, sum_w / 2, 2e-3, "whole mW, rounded up");
  fw_beyond_starts_clear(&starts);
}

/* ---- All of them ---- */

static size_t occurrences(const char *text, const char *of) {
  size_t count = 0;
  for (const char *at = strstr(text, of); at != NULL; at = strstr(at + 1, of))
    count++;
  return count;
}

typedef struct pages {
  fw_beyond_result result;
  fw_text json;
  fw_text markdown;
  fw_text plain;
  fw_text csv;
} pages;

static pages pages_of(unsigned threads) {
  const fw_beyond_options options = options_with(threads);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  pages made = {.json = FW_TEXT_INIT, .markdown = FW_TEXT_INIT, .plain = FW_TEXT_INIT, .csv = FW_TEXT_INIT};
  expect_sound(fw_beyond(&options, &made.result, &diagnostics), &diagnostics);
  fw_report_beyond_json(&made.result, &diagnostics, &made.json);
  fw_report_beyond_markdown(&made.result, &made.markdown);
  fw_report_beyond_text(&made.result, &made.plain);
  fw_report_beyond_csv(&made.result.ratios, &made.csv);
  cr_assert_not(made.json.failed || made.markdown.failed || made.plain.failed || made.csv.failed);
  return made;
}

/* No line of prose is longer than 120 characters, a few of which take two bytes; rows of tables may be. */
static void expect_wrapped(const char *text) {
  while (*text != '\0') {
    const char *end = strchr(text, '\n');
    cr_assert_not_null(end);
    cr_expect(*text == '|' || end - text <= 120 + 4, "%.*s", (int)(end - text), text);
    text = end + 1;
  }
}

static void pages_clear(pages *made) {
  fw_beyond_clear(&made->result);
  fw_text_clear(&made->json);
  fw_text_clear(&made->markdown);
  fw_text_clear(&made->plain);
  fw_text_clear(&made->csv);
}

static void expect_sound_pages(const pages *made) {
  fw_json *document = NULL;
  cr_expect_eq(fw_json_parse(made->json.data, made->json.length, "result", &document, NULL), FW_OK);
  fw_json_free(document);
  cr_expect_eq(occurrences(made->json.data, "\"oversubscription\":"), 1 + 12);
  cr_expect_eq(occurrences(made->csv.data, "\n"), 1 + 12 * 2, "a head, and points by windows");
  cr_expect_eq(occurrences(made->markdown.data, "\n## "), 5);
  cr_expect_eq(occurrences(made->plain.data, "## "), 0);
  cr_expect_not_null(strstr(made->markdown.data, "The best constant concurrency is static-4"));
  cr_expect_not_null(strstr(made->markdown.data, "| static-4 |"));
  expect_wrapped(made->markdown.data);
}

/* One test for all that need every question answered: the runs over a day take their time. */
Test(beyond, answers_do_not_depend_on_threads_and_read_well) {
  pages one = pages_of(1);
  pages three = pages_of(3);
  cr_expect_str_eq(one.json.data, three.json.data);
  cr_expect_str_eq(one.markdown.data, three.markdown.data);
  expect_sound_pages(&one);
  expect_seeds(&one.result.ratios);
  expect_curves(&one.result.ratios);
  pages_clear(&one);
  pages_clear(&three);
}

/* ---- The scenarios that ship ---- */

Test(beyond, the_shipped_scenarios_are_sound) {
  static const char *const names[] = {"beyond-levels.json", "beyond-sensor.json", "beyond-caps.json",
                                      "beyond-fleet16.json", "beyond-starts.json"};
  const fw_beyond_options options = {.base = FW_SOURCE_DIR "/scenarios/study/ledger.json", .share = FW_SOURCE_DIR};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    fw_scenario *scenario = NULL;
    expect_sound(fwi_beyond_read(&options, names[i], &scenario, &diagnostics), &diagnostics);
    cr_expect_eq(scenario->window_count, 4, "%s", names[i]);
    cr_expect_eq(scenario->policies[0].fleet, NULL);
    fw_scenario_free(scenario);
  }
}

/* The level's fits: data made by a form give its numbers back, a fit is never worse than the truth behind noisy data,
 * and what is fitted is what a model file computes. */
#include "models/fit_level.h"

#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/level.h"
#include "sim/base/random.h"
#include "tests/unit/model_text.h"

/* The solver ends when a step moves the parameters by 1e-10 of themselves; near a flat minimum that leaves the square
 * root of the rounding of the sum of squares, some 1e-7. */
static const double FOUND = 1e-5;

enum { POINTS = 400 };
static const fw_level_range PREFILL_W = {.least_w = 0.0, .most_w = 520.0};
static const fw_timing timing = {.token_base_s = 0.012, .token_per_sequence_s = 0.0004};

static void no_abort(void) {
  (void)gsl_set_error_handler_off();
}

TestSuite(fit_level, .init = no_abort);

static double uniform(uint64_t index, uint32_t which) {
  return fw_random_uniform(fw_stream_make(7, FW_DRAW_TEST, which), index, 0);
}

/* Points of a fit with Gaussian noise. */
static void make_points(const fw_level_fit *truth, double sigma_w, fw_level_point *points) {
  for (size_t i = 0; i < POINTS; i++) {
    fw_level_point *point = &points[i];
    point->in_flight = floor(1.0 + 63.0 * uniform(i, 1) * uniform(i, 2));
    point->prompt_per_s = uniform(i, 3) < 0.5 ? 0.0 : 25000.0 * uniform(i, 4);
    point->work = uniform(i, 5) < 0.8 ? 1.0 : uniform(i, 6);
    point->weight = 1.0;
    const double noise = sigma_w * fw_random_normal(fw_stream_make(7, FW_DRAW_TEST, 8), i);
    point->power_w = point->work * fw_level_fit_work_w(truth, point->in_flight, point->prompt_per_s, &timing) + noise;
  }
}

static const fw_level_fit truths[] = {
    {.form = FW_LEVEL_CONSTANT, .count = 1, .value = {291.0}},
    {.form = FW_LEVEL_LOG2, .count = 2, .value = {272.0, 9.5}},
    {.form = FW_LEVEL_LOG2, .count = 2, .value = {300.0, -4.0}},
    {.form = FW_LEVEL_LOGISTIC, .count = 4, .value = {180.0, 160.0, 1.7, 3.2}},
    {.form = FW_LEVEL_ROOFLINE, .count = 5, .value = {90.0, 150.0, 210.0, 0.0004, 0.012}},
    {.form = FW_LEVEL_TABLE, .count = 3, .value = {210.0, 340.0, 300.0}, .knot = {1.0, 6.0, 33.0}},
};
enum { TRUTHS = sizeof truths / sizeof truths[0], FORMULAS = TRUTHS - 1 }; /* the last one is a table */

Test(fit_level, data_without_noise_give_their_numbers_back) {
  for (size_t t = 0; t < FORMULAS; t++) {
    fw_level_point points[POINTS];
    fw_level_fit found;
    make_points(&truths[t], 0.0, points);
    cr_assert_eq(fw_fit_level(truths[t].form, false, points, POINTS, &timing, PREFILL_W, NULL, &found, NULL), FW_OK);
    cr_expect_lt(found.rms_w, 1e-3, "%zu: rms %g W", t, found.rms_w);
    for (size_t i = 0; i < found.count; i++)
      cr_expect_float_eq(found.value[i], truths[t].value[i], FOUND * fabs(truths[t].value[i]), "%zu: %s %g", t,
                         fw_level_fit_name(found.form, i), found.value[i]);
  }
}

Test(fit_level, prompts_as_a_covariate) {
  for (size_t t = 0; t < FORMULAS; t++) {
    fw_level_point points[POINTS];
    fw_level_fit found;
    fw_level_fit truth = truths[t];
    truth.has_prefill = true;
    truth.prefill_w = 455.0;
    truth.prefill_per_token_s = 5.5e-5; /* a share of 1 from 18,000 tokens a second on, which some points pass */
    make_points(&truth, 0.0, points);
    cr_assert_eq(fw_fit_level(truth.form, true, points, POINTS, &timing, PREFILL_W, NULL, &found, NULL), FW_OK);
    cr_expect_float_eq(found.prefill_w, 455.0, FOUND * 455.0, "%zu: %g W", t, found.prefill_w);
    cr_expect_float_eq(found.prefill_per_token_s, 5.5e-5, FOUND * 5.5e-5, "%zu: %g s", t, found.prefill_per_token_s);
    fw_level_fit blind;
    cr_assert_eq(fw_fit_level(truth.form, false, points, POINTS, &timing, PREFILL_W, NULL, &blind, NULL), FW_OK);
    cr_expect_gt(blind.rms_w, 10.0, "%zu: without the covariate it cannot fit", t);
  }
}

/* Prompts that seem to draw less than waiting do so by chance: they draw at least that. */
Test(fit_level, prompts_draw_at_least_the_least) {
  const fw_level_range range = {.least_w = 85.0, .most_w = 520.0};
  for (size_t i = 0; i < 2; i++) {
    fw_level_point points[POINTS];
    fw_level_fit found;
    fw_level_fit truth = truths[0];
    truth.has_prefill = true;
    truth.prefill_w = i == 0 ? 20.0 : 120.0;
    truth.prefill_per_token_s = 5.5e-5;
    make_points(&truth, 0.0, points);
    cr_assert_eq(fw_fit_level(truth.form, true, points, POINTS, &timing, range, NULL, &found, NULL), FW_OK);
    if (i == 0) cr_expect(found.prefill_w >= 85.0 && found.prefill_w < 86.0, "%g W", found.prefill_w);
    if (i == 1) cr_expect_float_eq(found.prefill_w, 120.0, FOUND * 120.0, "%g W", found.prefill_w);
  }
}

/* Where a token hardly takes time of its own, the share of memory is the root of 1e-4 / c, and what falls by 200 W as c
 * grows asks for more than 20 kW of it. What is found is what a model file may hold. */
Test(fit_level, a_roofline_stays_within_what_a_file_may_hold) {
  const fw_timing steep = {.token_base_s = 1e-6, .token_per_sequence_s = 0.01};
  fw_level_point points[POINTS];
  fw_level_fit found;
  for (size_t i = 0; i < POINTS; i++) {
    const double c = 1.0 + (double)(i % 16);
    points[i] = (fw_level_point){.power_w = 300.0 + 200.0 / c, .work = 1.0, .in_flight = c, .weight = 1.0};
  }
  cr_assert_eq(fw_fit_level(FW_LEVEL_ROOFLINE, false, points, POINTS, &steep, PREFILL_W, NULL, &found, NULL), FW_OK);
  for (size_t i = 0; i < 3; i++)
    cr_expect(found.value[i] >= 0.0 && found.value[i] <= 10000.0, "%s is %g", fw_level_fit_name(found.form, i),
              found.value[i]);
}

static double cost_of(const fw_level_fit *fit, const fw_level_point *points) {
  double sum = 0.0;
  for (size_t i = 0; i < POINTS; i++) {
    const double model =
        points[i].work * fw_level_fit_work_w(fit, points[i].in_flight, points[i].prompt_per_s, &timing);
    sum += (model - points[i].power_w) * (model - points[i].power_w);
  }
  return sum;
}

Test(fit_level, a_fit_is_never_worse_than_the_truth_behind_noise) {
  for (size_t t = 0; t < FORMULAS; t++) {
    fw_level_point points[POINTS];
    fw_level_fit found;
    make_points(&truths[t], 25.0, points);
    cr_assert_eq(fw_fit_level(truths[t].form, false, points, POINTS, &timing, PREFILL_W, NULL, &found, NULL), FW_OK);
    /* Rounding to a milliwatt moves a cost of 400 x 625 W^2 by some 1e-6 of it. */
    cr_expect_leq(cost_of(&found, points), cost_of(&truths[t], points) * (1.0 + 1e-6), "%zu", t);
    cr_expect_float_eq(found.rms_w, sqrt(cost_of(&found, points) / POINTS), 1e-3);
  }
}

/* A bend among those that are tried is found; between two of them the nearer is. */
Test(fit_level, a_saturation) {
  fw_level_point points[POINTS];
  fw_level_fit found;
  const fw_level_fit truth = {.form = FW_LEVEL_SATURATED, .count = 3, .value = {220.0, 25.0, 8.0}};
  make_points(&truth, 0.0, points);
  cr_assert_eq(fw_fit_level(FW_LEVEL_SATURATED, false, points, POINTS, &timing, PREFILL_W, NULL, &found, NULL), FW_OK);
  cr_expect(found.value[2] > 5.9 && found.value[2] < 10.8, "%g",
            found.value[2]); /* within an eighth of six doublings */
  fw_level_fit straight;
  cr_assert_eq(fw_fit_level(FW_LEVEL_LOG2, false, points, POINTS, &timing, PREFILL_W, NULL, &straight, NULL), FW_OK);
  cr_expect_lt(found.rms_w, 0.5 * straight.rms_w);
}

/* Watts at 3, 10, 30 and 100 in flight, of which others are mixtures: a table finds the four, and lies on the line in
 * log2 c between them. */
Test(fit_level, a_table) {
  static const double at[] = {3.0, 10.0, 30.0, 100.0};
  static const double watts[] = {150.0, 240.0, 220.0, 390.0};
  fw_level_point points[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    const size_t k = i % 4;
    const bool mixed = i % 20 == 0;
    const double c = mixed ? at[k] * pow(at[(k + 1) % 4] / at[k], uniform(i, 1)) : at[k];
    size_t left = 0;
    while (left < 2 && at[left + 1] < c)
      left++;
    const double share = log(c / at[left]) / log(at[left + 1] / at[left]);
    points[i] = (fw_level_point){
        .power_w = watts[left] + share * (watts[left + 1] - watts[left]), .work = 1.0, .in_flight = c, .weight = 1.0};
  }
  fw_level_fit found;
  cr_assert(fw_level_form_suits(FW_LEVEL_TABLE, points, POINTS, &timing));
  cr_assert_eq(fw_fit_level(FW_LEVEL_TABLE, false, points, POINTS, &timing, PREFILL_W, NULL, &found, NULL), FW_OK);
  cr_assert_eq(found.count, 4);
  for (size_t k = 0; k < 4; k++) {
    cr_expect_eq(found.knot[k], at[k]);
    cr_expect_float_eq(found.value[k], watts[k], 0.002, "%g W", found.value[k]); /* whole milliwatts */
  }
  cr_expect_float_eq(fw_level_fit_rollout_w(&found, sqrt(300.0), &timing), 230.0, 0.002);
  cr_expect_float_eq(fw_level_fit_rollout_w(&found, 1000.0, &timing), 390.0, 0.002);
}

/* Watts as a parameter file has them. */
Test(fit_level, computes_what_a_file_computes) {
  for (size_t t = 0; t < TRUTHS; t++) {
    fw_text json = FW_TEXT_INIT;
    fw_level_fit_json(&truths[t], &json);
    fw_variant level = decode_law(fw_level_cases, json.data);
    for (double c = 0.5; c < 300.0; c *= 1.7)
      cr_expect_eq(fw_level_fit_rollout_w(&truths[t], c, &timing), fw_level_w(&level, c, &timing), "%zu at %g", t,
                   c); /* the numbers above have nine digits or fewer */
    fw_variant_clear(&level);
    fw_text_clear(&json);
  }
}

/* More points than are fitted one by one: the 400 points twenty times over, each time with other noise, give what one
 * fit to all of them would. A mean over 20 noises of 10 W is good to 2.2 W, over all of them to 0.1 W; the covariates
 * differ by at most a 32nd of a doubling inside a cell, of which the slope makes 9.5 / 32 W. */
Test(fit_level, many_points_are_gathered_first) {
  enum { TIMES = 20 };
  fw_level_point *points = calloc(TIMES * POINTS, sizeof *points);
  cr_assert_not_null(points);
  for (size_t t = 0; t < TIMES; t++) {
    make_points(&truths[1], 0.0, points + t * POINTS);
    for (size_t i = 0; i < POINTS; i++)
      points[t * POINTS + i].power_w += 10.0 * fw_random_normal(fw_stream_make(5, FW_DRAW_TEST, 0), t * POINTS + i);
  }
  fw_level_fit found;
  cr_assert_eq(fw_fit_level(FW_LEVEL_LOG2, false, points, TIMES * POINTS, &timing, PREFILL_W, NULL, &found, NULL),
               FW_OK);
  cr_expect_float_eq(found.value[0], 272.0, 1.5, "%g", found.value[0]);
  cr_expect_float_eq(found.value[1], 9.5, 0.5, "%g", found.value[1]);
  cr_expect_float_eq(found.rms_w, 10.0, 4.0 * 10.0 / sqrt(2.0 * TIMES * POINTS), "%g", found.rms_w);
  free(points);
}

Test(fit_level, what_the_data_must_hold) {
  fw_level_point points[POINTS];
  make_points(&truths[1], 5.0, points);
  for (size_t i = 0; i < POINTS; i++)
    points[i].in_flight = 3.0;
  cr_expect(fw_level_form_suits(FW_LEVEL_CONSTANT, points, POINTS, &timing));
  cr_expect_not(fw_level_form_suits(FW_LEVEL_LOG2, points, POINTS, &timing));
  make_points(&truths[1], 5.0, points);
  cr_expect(fw_level_form_suits(FW_LEVEL_ROOFLINE, points, POINTS, &timing));
  const fw_timing flat = {.token_base_s = 0.01};
  cr_expect_not(fw_level_form_suits(FW_LEVEL_ROOFLINE, points, POINTS, &flat));
  fw_level_fit found;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_expect_eq(fw_fit_level(FW_LEVEL_LOGISTIC, true, points, 5, &timing, PREFILL_W, NULL, &found, &diagnostics),
               FW_ERROR_INPUT);
  cr_expect_eq(diagnostics.count, 1);
  fw_diagnostics_clear(&diagnostics);
}

/* A tenth of the pairs lie far off, as counts read at the wrong instant do. Bisquare gives points at more than 4.7
 * deviations no weight at all, so what is left is the line itself. */
Test(fit_level, token_time_is_not_led_astray) {
  double in_flight[POINTS];
  double token_s[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    in_flight[i] = 1.0 + (double)(i % 16);
    token_s[i] = 0.012 + 0.0004 * in_flight[i];
    token_s[i] += 1e-5 * fw_random_normal(fw_stream_make(3, FW_DRAW_TEST, 0), i);
    if (i % 10 == 0) token_s[i] *= 6.0;
  }
  double t0 = 0.0;
  double t1 = 0.0;
  cr_assert(fw_fit_token_time(in_flight, token_s, POINTS, &t0, &t1));
  /* Four standard errors of a line through 360 points with this noise: 1e-5 x sqrt(1/360 + 8.5^2 / (360 x 21)). */
  cr_expect_float_eq(t0, 0.012, 4.0 * 1.2e-6, "%g", t0);
  cr_expect_float_eq(t1, 0.0004, 4.0 * 1.2e-7, "%g", t1);
  for (size_t i = 0; i < POINTS; i++)
    token_s[i] = 0.02 - 0.0002 * in_flight[i];
  cr_assert(fw_fit_token_time(in_flight, token_s, POINTS, &t0, &t1));
  cr_expect_eq(t1, 0.0, "more in flight is never faster");
  cr_expect_not(fw_fit_token_time(in_flight, token_s, 2, &t0, &t1));
}

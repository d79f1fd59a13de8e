/* The tables of a comparison, from results made by hand, to the last blank. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "sim/report/report.h"

#define PM " \302\261 "

static const fw_time_ns windows[] = {FW_NS_PER_S / 2, 30 * FW_NS_PER_S};
static const fw_scenario_policy policies[] = {{.name = "uncontrolled"}, {.name = "cap"}};
static const fw_scenario_budget budgets[] = {{.oversubscription = 2.0, .power = 400000}};

static fw_scenario small_scenario(void) {
  return (fw_scenario){.name = "by-hand",
                       .hash = "0123456789abcdef",
                       .duration = 7200 * FW_NS_PER_S,
                       .windows = windows,
                       .window_count = 2,
                       .nameplate = 800000,
                       .topology = {.gpus = 2},
                       .policies = policies,
                       .policy_count = 2,
                       .budgets = budgets,
                       .budget_count = 1};
}

static fw_compare_arm arm_of(size_t policy, fw_estimate fast, fw_estimate slow) {
  fw_compare_arm arm = {.policy = policy, .gpu_ticks = 1000};
  arm.metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, 0)] = fast;
  arm.metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, 1)] = slow;
  arm.metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)] = (fw_estimate){1.5e6, 1.49e6, 1.51e6};
  arm.metrics[fw_metric_slot(FW_METRIC_WH_PER_1K_TOKENS, 0)] = (fw_estimate){0.51234, 0.5, 0.52468};
  arm.metrics[fw_metric_slot(FW_METRIC_MEAN_W, 0)] = (fw_estimate){380.0, 378.0, 382.0};
  return arm;
}

static fw_compare_difference difference_of(void) {
  fw_compare_difference difference = {.arm = 1, .against = 0};
  difference.metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, 1)] = (fw_paired_estimate){{-0.1, -0.12, -0.08}, 0.5};
  difference.metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)] = (fw_paired_estimate){{-15e3, -18e3, -12e3}, 0.9};
  difference.metrics[fw_metric_slot(FW_METRIC_ENERGY_WH, 0)] = (fw_paired_estimate){{-5, -6, -4}, 0.875};
  return difference;
}

static const char legend[] =
    "\nColumns in s: time at which the mean over so many seconds is above the budget, in % of the time at which\n"
    "such a window is full (n/a: never). Wh/1k: energy for 1,000 tokens. Mean kW: of the site.\n"
    "a" PM "b: mean over the seeds and half the width of its 95 % interval.\n";
static const char cut_line[] =
    "a (< b), a (> b): the same where the interval ends at 0 or at 100 %; b is its other end.\n";
static const char one_sided_line[] =
    "0 (< b), 100 (> b): never or always in every run; b is a one-sided 95 % bound, which more seeds tighten.\n";

static void expect_report(const fw_compare_result *result, const fw_diagnostics *diagnostics, const char *wanted) {
  fw_text text = FW_TEXT_INIT;
  fw_report_compare_text(result, diagnostics, &text);
  cr_assert_not(text.failed);
  cr_expect_str_eq(text.data, wanted);
  fw_text_clear(&text);
}

Test(compare_text, figures_stand_below_each_other) {
  const fw_scenario scenario = small_scenario();
  fw_compare_arm arms[] = {arm_of(0, (fw_estimate){0.2966, 0.29, 0.3032}, (fw_estimate){0.1, 0.07, 0.13}),
                           arm_of(1, (fw_estimate){0.0000769, 0.0, 0.00021}, (fw_estimate){0.0, 0.0, 0.527})};
  fw_compare_difference difference = difference_of();
  const fw_compare_result result = {.scenario = &scenario,
                                    .seeds = 4,
                                    .arms = arms,
                                    .arm_count = 2,
                                    .differences = &difference,
                                    .difference_count = 1};
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_text wanted = FW_TEXT_INIT;
  fw_text_add(&wanted,
              "by-hand: 2 GPUs, nameplate 800 W, 2 h, 4 seeds (scenario 0123456789abcdef)\n"
              "\n"
              "Budget 400 W, oversubscription ratio 2: time above the budget in %, by window\n"
              "  policy                   0.5 s         30 s       M tokens          Wh/1k          mean kW\n"
              "  uncontrolled  29.66 " PM "0.66     10.0" PM "3.0   1.500" PM "0.010  0.512" PM "0.012  0.3800" PM
              "0.0020\n"
              "  cap            0.008 (< 0.021)   0   (< 53)  1.500" PM "0.010  0.512" PM "0.012  0.3800" PM "0.0020\n"
              "\n"
              "  paired with uncontrolled  rate at 30 s, points     tokens, %  correlation of energy\n"
              "  cap                                -10.0" PM "2.0  -1.00" PM "0.20                   0.88\n"
              "\n"
              "  front at 0.5 s: cap\n"
              "  front at 30 s: cap\n");
  fw_text_add(&wanted, legend);
  fw_text_add(&wanted, cut_line);
  fw_text_add(&wanted, one_sided_line);
  fw_text_add(&wanted, "Front: no other arm has as many tokens at as low a rate.\n");
  fw_text_add(&wanted, "Paired: difference to uncontrolled seed by seed, and how far the energies of the pairs move "
                       "together.\n");
  expect_report(&result, &none, wanted.data);
  fw_text_clear(&wanted);
}

/* Without rare forms no line explains them, and a single run has no intervals to explain. */
Test(compare_text, only_what_occurs_is_explained) {
  fw_scenario scenario = small_scenario();
  scenario.policy_count = 1;
  fw_compare_arm arm = arm_of(0, (fw_estimate){0.25, NAN, NAN}, (fw_estimate){NAN, NAN, NAN});
  const fw_compare_result result = {
      .scenario = &scenario, .seeds = 1, .arms = &arm, .arm_count = 1, .differences = NULL, .difference_count = 0};
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_text text = FW_TEXT_INIT;
  fw_report_compare_text(&result, &none, &text);
  cr_assert_not(text.failed);
  cr_expect_not_null(strstr(text.data, "1 seed ("));
  cr_expect_not_null(strstr(text.data, "  uncontrolled     25   n/a  "), "%s", text.data);
  cr_expect_not_null(strstr(text.data, "n/a: never"));
  cr_expect_null(strstr(text.data, "interval"));
  cr_expect_null(strstr(text.data, "bound"));
  cr_expect_null(strstr(text.data, "Paired"));
  cr_expect_null(strstr(text.data, "note"));
  fw_text_clear(&text);
}

static size_t count_of(const char *text, const char *word) {
  size_t count = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
    count++;
  return count;
}

Test(compare_text, clamps_and_repeated_warnings_are_told_once) {
  const fw_scenario scenario = small_scenario();
  const fw_estimate rate = {0.1, 0.07, 0.13};
  fw_compare_arm arms[] = {arm_of(0, rate, rate), arm_of(1, rate, rate)};
  arms[0].clamps = (fw_clamp_count){.floor = 20, .bias_w = 0.5};
  arms[1].clamps = (fw_clamp_count){.floor = 30, .ceiling = 4, .bias_w = 0.75, .capped = 500};
  fw_compare_difference difference = difference_of();
  const fw_compare_result result = {.scenario = &scenario,
                                    .seeds = 4,
                                    .arms = arms,
                                    .arm_count = 2,
                                    .differences = &difference,
                                    .difference_count = 1};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_warning(&diagnostics, (fw_place){.line = 1}, "odd");
  fw_warning(&diagnostics, (fw_place){.line = 2}, "odd");
  fw_warning(&diagnostics, (fw_place){.line = 2}, "odder");
  fw_text text = FW_TEXT_INIT;
  fw_report_compare_text(&result, &diagnostics, &text);
  cr_assert_not(text.failed);
  cr_expect_eq(count_of(text.data, "raised to idle"), 1);
  cr_expect_not_null(strstr(text.data,
                            "\nnote: up to 3 % of the GPU samples of an arm were raised to idle power and 0.4 "
                            "% lowered to the board's maximum, which moves the mean by 0.75 W per GPU "
                            "(largest in cap)\n"),
                     "%s", text.data);
  cr_expect_not_null(strstr(text.data, "\nnote: odd\nnote: odder\n"), "%s", text.data);
  cr_expect_eq(count_of(text.data, "note:"), 3);
  fw_text_clear(&text);
  fw_report_compare_json(&result, &diagnostics, &text);
  cr_assert_not(text.failed);
  cr_expect_not_null(strstr(text.data, "\"warnings\":[\"odd\",\"odder\"]"), "%s", text.data);
  fw_text_clear(&text);
  fw_diagnostics_clear(&diagnostics);
}

/* A handful of samples at a limit is no news. */
Test(compare_text, a_few_clamps_are_not_worth_a_note) {
  fw_scenario scenario = small_scenario();
  scenario.policy_count = 1;
  const fw_estimate rate = {0.1, 0.07, 0.13};
  fw_compare_arm arm = arm_of(0, rate, rate);
  arm.clamps = (fw_clamp_count){.floor = 1};
  const fw_compare_result result = {
      .scenario = &scenario, .seeds = 4, .arms = &arm, .arm_count = 1, .differences = NULL, .difference_count = 0};
  const fw_diagnostics none = FW_DIAGNOSTICS_INIT;
  fw_text text = FW_TEXT_INIT;
  fw_report_compare_text(&result, &none, &text);
  cr_expect(!text.failed && strstr(text.data, "note") == NULL, "%s", text.data);
  fw_text_clear(&text);
}

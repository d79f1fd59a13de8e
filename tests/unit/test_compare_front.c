/* Arms of a comparison set against each other: four by hand. */
#include "sim/study/compare_front.h"

#include <criterion/criterion.h>
#include <math.h>

#include "policies/policy.h"

enum { ARMS = 5 };

typedef struct example {
  fw_scenario_policy policies[ARMS];
  fw_scenario scenario;
  fw_compare_arm arms[2 * ARMS];
  fw_compare_result result;
} example;

static void set_arm(fw_compare_arm *arm, double rate, double tokens) {
  arm->metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, 0)] = (fw_estimate){rate, NAN, NAN};
  arm->metrics[fw_metric_slot(FW_METRIC_VIOLATION_RATE, 1)] = (fw_estimate){NAN, NAN, NAN};
  arm->metrics[fw_metric_slot(FW_METRIC_TOKENS, 0)] = (fw_estimate){tokens, NAN, NAN};
}

/* At the first budget: static 1 %/50, 3 %/90 and 3 %/80, hysteresis 2 %/80, random 2 %/60. */
static void make(example *out) {
  static const char *const types[ARMS] = {"static", "static", "static", "hysteresis", "random"};
  static const double rates[ARMS] = {0.01, 0.03, 0.03, 0.02, 0.02};
  static const double tokens[ARMS] = {50, 90, 80, 80, 60};
  *out = (example){.scenario = {.policy_count = ARMS, .window_count = 2}};
  for (size_t i = 0; i < ARMS; i++) {
    out->policies[i].job = fw_policy_find(FW_POLICY_JOB, types[i]);
    for (size_t budget = 0; budget < 2; budget++) {
      fw_compare_arm *arm = &out->arms[budget * ARMS + i];
      *arm = (fw_compare_arm){.policy = i, .budget = budget};
      set_arm(arm, rates[i], budget == 0 ? tokens[i] : 1000.0 - (double)i);
    }
  }
  out->scenario.policies = out->policies;
  out->result = (fw_compare_result){.scenario = &out->scenario, .arms = out->arms, .arm_count = (size_t)2 * ARMS};
}

Test(compare_front, finds_what_is_dominated) {
  static const bool wanted[ARMS] = {false, false, true, false, true};
  example by_hand;
  make(&by_hand);
  for (size_t i = 0; i < ARMS; i++) {
    cr_expect_eq(fw_compare_dominated(&by_hand.result, i, 0), wanted[i], "arm %zu", i);
    cr_expect_not(fw_compare_dominated(&by_hand.result, i, 1), "there is no rate at that window");
  }
}

Test(compare_front, interpolates_within_a_kind_and_a_budget) {
  example by_hand;
  make(&by_hand);
  cr_expect_float_eq(fw_compare_tokens_at(&by_hand.result, 0, 0, 0.025), 80.0, 1e-9);
  cr_expect_float_eq(fw_compare_tokens_at(&by_hand.result, 2, 0, 0.01), 50.0, 1e-9);
  cr_expect_float_eq(fw_compare_tokens_at(&by_hand.result, 3, 0, 0.02), 80.0, 1e-9);
  cr_expect(isnan(fw_compare_tokens_at(&by_hand.result, 3, 0, 0.021)), "its one arm has another rate");
  cr_expect(isnan(fw_compare_tokens_at(&by_hand.result, 0, 0, 0.005)));
  cr_expect(isnan(fw_compare_tokens_at(&by_hand.result, 0, 1, 0.02)));
}

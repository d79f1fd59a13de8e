/* The mix policy: how many decisions are high ones, how evenly they lie, and what it refuses. */
#include <stdio.h>

#include "sim/base/random.h"
#include "tests/policy_fixture.h"

static fixture make(double share, const fw_job_setup *job) {
  char json[128];
  char number[FW_NUMBER_TEXT_SIZE];
  (void)snprintf(json, sizeof json, "{\"low\": 2, \"high\": 8, \"share\": %s}", fw_number_format(share, 17, number));
  fixture made = fixture_make(FW_POLICY_JOB, "mix", json, job, NULL);
  cr_assert_eq(made.status, FW_OK, "%s", json);
  return made;
}

static bool is_high(fixture *made, fw_job_observation *seen) {
  const fw_job_action action = fixture_decide(made, seen);
  cr_assert_eq(action.set, 1u << FW_ACTUATOR_CONCURRENCY);
  const double setting = action.settings[FW_ACTUATOR_CONCURRENCY];
  cr_assert(setting == 2 || setting == 8, "%g", setting);
  return setting == 8;
}

Test(mix, a_share_of_two_fifths_is_two_of_five_in_turn) {
  static const bool wanted[] = {false, false, true, false, true, false, false, true, false, true};
  fw_job_setup job = fixture_job();
  fixture made = make(0.4, &job);
  fw_job_observation seen = fixture_blank(&job);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
    cr_expect_eq(is_high(&made, &seen), wanted[i], "decision %zu", i);
  fixture_free(&made);
}

/* After any number of decisions the count of high ones is within one of what the share asks for. */
Test(mix, is_never_a_decision_off) {
  enum { SHARES = 50, DECISIONS = 1000 };
  const fw_stream stream = fw_stream_make(7, FW_DRAW_TEST, 0);
  fw_job_setup job = fixture_job();
  for (uint64_t s = 0; s < SHARES; s++) {
    const double share = fw_random_uniform(stream, s, 0);
    fixture made = make(share, &job);
    fw_job_observation seen = fixture_blank(&job);
    double high = 0.0;
    for (int n = 1; n <= DECISIONS; n++) {
      high += is_high(&made, &seen) ? 1.0 : 0.0;
      cr_assert(fabs(high - share * n) < 1.0, "share %g: %g after %d", share, high, n);
    }
    fixture_free(&made);
  }
}

Test(mix, none_and_all) {
  fw_job_setup job = fixture_job();
  for (int all = 0; all <= 1; all++) {
    fixture made = make(all, &job);
    fw_job_observation seen = fixture_blank(&job);
    for (int n = 0; n < 20; n++)
      cr_expect_eq(is_high(&made, &seen), all == 1);
    fixture_free(&made);
  }
}

/* Power does not move it. */
Test(mix, is_open_loop) {
  fw_job_setup job = fixture_job();
  fixture quiet = make(0.37, &job);
  fixture loud = make(0.37, &job);
  fw_job_observation calm = fixture_blank(&job);
  fw_job_observation busy = fixture_blank(&job);
  busy.budget_w = 500;
  busy.power_w = busy.interval_mean_w = 1000;
  for (int n = 0; n < 50; n++)
    cr_expect_eq(is_high(&quiet, &calm), is_high(&loud, &busy));
  fixture_free(&quiet);
  fixture_free(&loud);
}

Test(mix, drives_what_it_is_told_to) {
  fw_job_setup job = fixture_job();
  fixture made = fixture_make(FW_POLICY_JOB, "mix",
                              "{\"actuator\": \"pause_s\", \"low\": 0, \"high\": 3, \"share\": 1}", &job, NULL);
  cr_assert_eq(made.status, FW_OK);
  fw_job_observation seen = fixture_blank(&job);
  cr_expect_eq(made.type->drives(made.settings), 1u << FW_ACTUATOR_PAUSE_S);
  cr_expect_eq(fixture_decide(&made, &seen).settings[FW_ACTUATOR_PAUSE_S], 3);
  fixture_free(&made);
}

Test(mix, refuses_settings_that_the_job_does_not_allow) {
  fw_job_setup job = fixture_job();
  fixture_refused(FW_POLICY_JOB, "mix", "{\"low\": 3, \"high\": 8, \"share\": 0.5}", &job, NULL,
                  WORDS("concurrency", "3", "1, 2, 4, 8"));
  fixture_refused(FW_POLICY_JOB, "mix", "{\"low\": 4, \"high\": 16, \"share\": 0.5}", &job, NULL, WORDS("16"));
  fixture_refused(FW_POLICY_JOB, "mix", "{\"low\": 4, \"high\": 8, \"share\": 1.5}", &job, NULL, WORDS("1"));
  fixture_refused(FW_POLICY_JOB, "mix", "{\"low\": 4, \"share\": 0.5}", &job, NULL, WORDS("high"));
}

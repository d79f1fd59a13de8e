/* The schedule policy against timetables worked out by hand, and against its mean. */
#include <stdio.h>

#include "tests/policy_fixture.h"

static fixture make(const char *json, const fw_job_setup *job) {
  fixture made = fixture_make(FW_POLICY_JOB, "schedule", json, job, NULL);
  cr_assert_eq(made.status, FW_OK, "%s: %s", json,
               made.diagnostics.count > 0 ? made.diagnostics.entries[0].message : "");
  return made;
}

static double setting_at(fixture *made, fw_job_observation *seen, double time_s) {
  seen->time_s = time_s;
  const fw_job_action action = fixture_decide(made, seen);
  cr_assert_eq(action.set, 1u << FW_ACTUATOR_CONCURRENCY);
  return action.settings[FW_ACTUATOR_CONCURRENCY];
}

typedef struct moment {
  double time_s;
  double setting;
} moment;

static void follow(const char *json, const moment *wanted, size_t count) {
  const fw_job_setup job = fixture_job();
  fixture made = make(json, &job);
  fw_job_observation seen = fixture_blank(&job);
  for (size_t i = 0; i < count; i++) {
    cr_expect_eq(setting_at(&made, &seen, wanted[i].time_s), wanted[i].setting, "%s at %g s", json, wanted[i].time_s);
  }
  fixture_free(&made);
}

#define STEPS "\"steps\": [{\"from_s\": 0, \"setting\": 8}, {\"from_s\": 100, \"setting\": 2}]"

Test(schedule, takes_the_step_in_force) {
  static const moment wanted[] = {{0, 8}, {99.9, 8}, {100, 2}, {1e6, 2}};
  follow("{" STEPS "}", wanted, 4);
}

Test(schedule, starts_again) {
  static const moment wanted[] = {{0, 8}, {100, 2}, {149, 2}, {150, 8}, {249, 8}, {250, 2}, {300, 8}};
  follow("{\"repeat_s\": 150, " STEPS "}", wanted, 7);
}

Test(schedule, looks_ahead_by_its_lead) {
  static const moment wanted[] = {{0, 8}, {79.9, 8}, {80, 2}, {129, 2}, {130, 8}};
  follow("{\"repeat_s\": 150, \"lead_s\": 20, " STEPS "}", wanted, 5);
}

/* 3 lies half way from 2 to 4, 5 a quarter of the way from 4 to 8; what the first step owes the second one pays. */
Test(schedule, between_two_levels_takes_both_in_turn) {
  static const moment wanted[] = {{0, 2}, {1, 4}, {2, 2}, {10, 4}, {11, 8}, {12, 4}, {13, 4}, {14, 4}, {15, 8}};
  follow("{\"steps\": [{\"from_s\": 0, \"setting\": 3}, {\"from_s\": 10, \"setting\": 5}]}", wanted, 9);
}

/* Level by level the mean setting comes out to within one decision at the wider gap. */
Test(schedule, has_the_asked_mean) {
  enum { DECISIONS = 1000 };
  const fw_job_setup job = fixture_job();
  for (double asked = 1.0; asked <= 8.0; asked += 0.17) {
    char json[96];
    char number[FW_NUMBER_TEXT_SIZE];
    (void)snprintf(json, sizeof json, "{\"steps\": [{\"from_s\": 0, \"setting\": %s}]}",
                   fw_number_format(asked, 17, number));
    fixture made = make(json, &job);
    fw_job_observation seen = fixture_blank(&job);
    double sum = 0.0;
    for (int i = 0; i < DECISIONS; i++) {
      sum += setting_at(&made, &seen, i);
    }
    cr_expect_float_eq(sum / DECISIONS, asked, 4.0 / DECISIONS, "asked for %g, got %g", asked, sum / DECISIONS);
    fixture_free(&made);
  }
}

Test(schedule, refuses_what_is_no_timetable) {
  const fw_job_setup job = fixture_job();
  fixture_refused(FW_POLICY_JOB, "schedule", "{}", &job, NULL, WORDS("steps"));
  fixture_refused(FW_POLICY_JOB, "schedule", "{\"steps\": []}", &job, NULL, WORDS("at least 1"));
  fixture_refused(FW_POLICY_JOB, "schedule", "{\"steps\": [{\"from_s\": 5, \"setting\": 4}]}", &job, NULL,
                  WORDS("steps[0]", "first at 0"));
  fixture_refused(FW_POLICY_JOB, "schedule",
                  "{\"steps\": [{\"from_s\": 0, \"setting\": 4}, {\"from_s\": 0, \"setting\": 8}]}", &job, NULL,
                  WORDS("steps[1]", "rise"));
  fixture_refused(FW_POLICY_JOB, "schedule", "{\"steps\": [{\"from_s\": 0, \"setting\": 9}]}", &job, NULL,
                  WORDS("steps[0]", "1", "8"));
  fixture_refused(FW_POLICY_JOB, "schedule", "{\"repeat_s\": 100, " STEPS "}", &job, NULL,
                  WORDS("steps[1]", "repeats"));
  fixture_refused(FW_POLICY_JOB, "schedule",
                  "{\"actuator\": \"group_size\", \"steps\": [{\"from_s\": 0, \"setting\": 4}]}", &job, NULL,
                  WORDS("group_size"));
}

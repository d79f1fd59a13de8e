/* Jobs of the kind "occupancy": a tick's power is the model's, by the shares of the tick that a hand-made recording
 * says; and a bad recording is refused like any other input. */
#include <unistd.h>

#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

#define JOB "{'kind': 'occupancy', 'class': 'o', 'model': 'serving-job', 'trace': 'given'"

/* Ticks of two readings each. Levels of serving-job: ready 90 W, prefill 400 W at 1 ms a token, rollout 200 W and 20 W
 * for each doubling. The power column is not used. */
static const char recording[] = "t_s,power_w,requests_running,prompt_tokens_total,generation_tokens_total\n"
                                "0.00,1,0,0,0\n"
                                "0.25,1,0,0,0\n" /* tick 0: ready */
                                "0.50,1,4,0,0\n" /* tick 1: 4 running, 100 prompt tokens in 0.5 s */
                                "0.75,1,4,50,1\n"
                                "1.00,1,2,100,2\n" /* tick 2: half of it 2 running, then ready; 8 tokens */
                                "1.25,1,0,100,10\n"
                                "1.50,1,0,100,10\n";

/* 200 W + 20 W x log2(4) = 240 W for 0.8 of tick 1, which reads prompts for 0.2 of it. */
static const fw_power_mw expected_mw[] = {90000, 272000, 155000};

static fw_result run_recording(const char *csv, const char *head, const char *more, recorder *seen) {
  char path[] = "/tmp/fleetwatt-occupancy-XXXXXX";
  const int descriptor = mkstemp(path);
  cr_assert_geq(descriptor, 0);
  cr_assert_eq(fw_file_write(path, csv, strlen(csv), NULL), FW_OK);
  char text[1000];
  (void)snprintf(text, sizeof text, "%s, 'jobs': [" JOB "%s}]}", head, more);
  const fw_scenario_overrides overrides = {.trace = path};
  fw_scenario *scenario = scenario_with(text, &overrides);
  const fw_result result = run_observed(scenario, (fw_run_options){.seed = 1, .observer = &seen->observer});
  fw_scenario_free(scenario);
  (void)close(descriptor);
  (void)unlink(path);
  return result;
}

Test(occupancy_job, a_tick_is_the_shares_of_its_phases) {
  recorder seen;
  recorder_start(&seen);
  fw_result result = run_recording(recording, HEAD("3", "0.5", "'budget_w': 500"), "", &seen);
  cr_assert_eq(seen.tick_count, 6);
  for (size_t i = 0; i < seen.tick_count; i++) /* it starts again after three ticks */
    cr_expect_eq(seen.ticks[i].truth, expected_mw[i % 3], "tick %zu: %lld mW", i, (long long)seen.ticks[i].truth);
  cr_expect_eq(result.jobs[0].tokens, 20); /* 10 in each round */
  cr_expect_not(result.jobs[0].extrapolated);
  recorder_free(&seen);
  fw_result_clear(&result);
}

Test(occupancy_job, ends_with_its_recording_where_it_is_not_to_repeat) {
  recorder seen;
  recorder_start(&seen);
  fw_result result = run_recording(recording, HEAD("3", "0.5", "'budget_w': 500"), ", 'loop': false", &seen);
  cr_expect_eq(result.stop_reason, FW_STOP_JOBS_DONE);
  for (size_t i = 3; i < seen.tick_count; i++)
    cr_expect_eq(seen.ticks[i].truth, 60000, "idle from tick 3 on");
  recorder_free(&seen);
  fw_result_clear(&result);
}

/* 150 W is below what work draws: plain-gpu then settles at 0.9 of the cap, and the work takes longer. */
Test(occupancy_job, obeys_a_power_cap) {
  recorder seen;
  recorder_start(&seen);
  fw_result result = run_recording(
      recording, HEAD("20", "0.5", "'policies': [{'name': 'capped', 'job': {'kind': 'static', 'power_cap_w': 150}}]"),
      "", &seen);
  fw_power_mw most = 0;
  for (size_t i = 4; i < seen.tick_count; i++)
    most = seen.ticks[i].truth > most ? seen.ticks[i].truth : most;
  /* Settled 135 W, and one overshoot of (400 - 135) W that falls off over 100 ms of the tick's 500. */
  cr_expect_leq(most, 188000, "%lld", (long long)most);
  cr_expect_lt(result.jobs[0].tokens, 130); /* 13 rounds in 20 s without a cap */
  recorder_free(&seen);
  fw_result_clear(&result);
}

/* What a file that cannot be used says. */
static void refuse(const char *job, const char *words) {
  char text[1000];
  (void)snprintf(text, sizeof text, "%s, 'jobs': [%s]}", HEAD("3", "0.5", "'budget_w': 500"), job);
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  cr_expect_eq(scenario_try(text, NULL, &scenario, &diagnostics), FW_ERROR_INPUT, "%s", job);
  char buffer[2000];
  cr_expect_not_null(strstr(all_entries(&diagnostics, buffer), words), "\"%s\" is not in: %s", words, buffer);
  fw_diagnostics_clear(&diagnostics);
}

Test(occupancy_job, what_it_needs) {
  refuse(JOB "}", "add --trace FILE");
  refuse("{'kind': 'occupancy', 'class': 'o', 'model': 'serving-job', 'trace': 'missing.csv'}", "missing.csv");
  refuse("{'kind': 'occupancy', 'class': 'o', 'model': 'plain-job', 'trace': 'recording.csv'}", "the recording is of");
  refuse("{'kind': 'occupancy', 'class': 'o', 'trace': 'recording.csv'}", "model");
  refuse("{'kind': 'occupancy', 'class': 'o', 'model': 'serving-job', 'trace': 'recording.csv', 'counters': 'no.csv'}",
         "no.csv");
}

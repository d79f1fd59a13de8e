/* The digest of a run, against FNV-1a over bytes that are written out here, and on runs. */
#include "sim/fleet/digest.h"
#include "tests/scenario_fixture.h"

static uint64_t fnv(const unsigned char *bytes, size_t count) {
  uint64_t hash = UINT64_C(14695981039346656037); /* the published offset basis and prime, in decimal */
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

static void count_tick(void *context, const fw_sim_tick *tick) {
  cr_expect_eq(tick->job_count, 1);
  ((size_t *)context)[0]++;
}

static void count_event(void *context, const fw_sim_event *event) {
  cr_expect_eq(event->job, 3);
  ((size_t *)context)[1]++;
}

Test(digest, is_made_of_every_number_of_ticks_and_events) {
  const fw_power_mw truth[] = {-2}, reading[] = {0x0102};
  const fw_sim_tick tick = {.end = 5, .truth = 6, .reading = 7, .budget = 8, truth, reading, 1};
  const fw_sim_event event = {
      .time = 9, .job = 3, .kind = FW_SIM_STEP_END, .actuator = FW_ACTUATOR_COUNT, .value = 1.0};
  static const unsigned char bytes[] = {
      't', 0, 0, 0, 0, 0, 0,    0,    5, 0, 0, 0, 0, 0, 0, 0,   6,   0,   0,   0,   0,   0,   0,   0, 7,
      0,   0, 0, 0, 0, 0, 0,    8,    0, 0, 0, 0, 0, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255, 2, 1,
      0,   0, 0, 0, 0, 0, 'e',  0,    0, 0, 0, 0, 0, 0, 9, 0,   0,   0,   0,   0,   0,   0,   3,   0, 0,
      0,   0, 0, 0, 0, 1, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0,   0,   0,   0,   0,   0, /* actuator of others: 0 */
      0,   0, 0, 0, 0, 0, 0xf0, 0x3f,                                                  /* 1.0 */
  };
  size_t heard[2] = {0, 0};
  const fw_sim_observer next = {heard, count_tick, count_event};
  fw_digest digest;
  char text[FW_DIGEST_TEXT_SIZE];
  char wanted[32];
  fw_digest_start(&digest, &next);
  digest.observer.tick(digest.observer.context, &tick);
  digest.observer.event(digest.observer.context, &event);
  (void)snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)fnv(bytes, sizeof bytes));
  cr_expect_str_eq(fw_digest_format(&digest, text), wanted);
  cr_expect_eq(heard[0], 1);
  cr_expect_eq(heard[1], 1);
}

static uint64_t digest_of(const fw_scenario *scenario, uint64_t seed, unsigned threads) {
  fw_digest digest;
  fw_digest_start(&digest, NULL);
  fw_result result =
      run_observed(scenario, (fw_run_options){.seed = seed, .threads = threads, .observer = &digest.observer});
  fw_result_clear(&result);
  return digest.hash;
}

/* A milliwatt in one phase is in the digest, though no figure of a report would show it. */
Test(digest, sees_a_milliwatt) {
  fw_scenario *one = scenario_from(HEAD("60", "1", "'oversubscription': [2]") ", 'jobs': [{'kind': 'cycle', 'class': "
                                                                              "'c', 'phases': [{'duration_s': 60, "
                                                                              "'power_w': 300.001}]}]}");
  fw_scenario *other = scenario_from(HEAD("60", "1", "'oversubscription': [2]") ", 'jobs': [{'kind': 'cycle', 'class': "
                                                                                "'c', 'phases': [{'duration_s': 60, "
                                                                                "'power_w': 300.002}]}]}");
  cr_expect_eq(digest_of(one, 1, 1), digest_of(one, 1, 4));
  cr_expect_neq(digest_of(one, 1, 1), digest_of(other, 1, 1));
  fw_scenario_free(one);
  fw_scenario_free(other);
}

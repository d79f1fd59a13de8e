/* Random fleets that are struck by random events, with queues and engines: what must hold of any run. */
#include "tests/random_scenario.h"
#include "tests/recorder.h"
#include "tests/scenario_fixture.h"

#define SCENARIOS 150

/* Parts sum to the whole, to the last digit. */
static void expect_energy_adds_up(const fw_scenario *scenario, const fw_result *result) {
  size_t used = 0;
  fw_energy_pj jobs = 0;
  fw_energy_pj nodes = 0;
  for (size_t j = 0; j < result->job_count; j++) {
    jobs += result->jobs[j].energy;
    used += scenario->jobs[j].gpus;
  }
  for (size_t d = 0; d < result->domain_count; d++) {
    nodes += result->domains[d].level == FW_DOMAIN_NODE ? result->domains[d].energy : 0;
  }
  expect_energy(nodes, result->energy, "the nodes");
  expect_energy(jobs +
                    fw_energy_of((fw_power_mw)(scenario->topology.gpus - used) * scenario->gpu.idle, result->measured),
                result->energy, "the jobs and the GPUs without one");
}

static bool goes_dark(const fw_scenario *scenario, const fw_scenario_job *job) {
  for (size_t i = 0; i < scenario->adversity_count; i++) {
    const fw_adversity *event = &scenario->adversities[i];
    if (event->kind == FW_ADVERSITY_FEED_LOSS && fw_adversity_befalls(event, job->job_class)) return true;
  }
  return false;
}

/* Nobody draws less than idle power but those without a feed, nor more than the board's maximum. */
static void expect_limits(const fw_scenario *scenario, const recorder *series) {
  for (size_t t = 0; t < series->tick_count; t++) {
    for (size_t j = 0; j < series->job_count; j++) {
      const fw_scenario_job *job = &scenario->jobs[j];
      const fw_power_mw gpus = (fw_power_mw)job->gpus;
      const fw_power_mw power = series->job_truth[t * series->job_count + j];
      const fw_power_mw least = goes_dark(scenario, job) ? 0 : gpus * scenario->gpu.idle;
      cr_assert(power >= least && power <= gpus * scenario->gpu.board_max, "tick %zu, job %zu", t, j);
    }
  }
}

/* Time and what was generated never go back; a job that is down comes up before it goes down again. */
static void expect_order(const fw_scenario *scenario, const recorder *series) {
  double tokens[64] = {0};
  bool down[64] = {false};
  fw_time_ns last = 0;
  cr_assert_lt(scenario->job_count, 64);
  for (size_t i = 0; i < series->event_count; i++) {
    const fw_sim_event *event = &series->events[i];
    cr_assert_geq(event->time, last);
    last = event->time;
    if (event->kind == FW_SIM_DOWN || event->kind == FW_SIM_UP) {
      cr_assert_eq(down[event->job], event->kind == FW_SIM_UP, "job %u at %lld", event->job, (long long)event->time);
      down[event->job] = event->kind == FW_SIM_DOWN;
    }
    if (event->kind == FW_SIM_ACTUATOR || event->time <= scenario->warmup) continue;
    cr_assert_geq(event->value, tokens[event->job]);
    tokens[event->job] = event->value;
  }
}

static void expect_disturbances(const fw_result *result) {
  const double measured_s = fw_time_to_seconds(result->measured);
  for (size_t j = 0; j < result->job_count; j++) {
    const fw_job_result *job = &result->jobs[j];
    const fw_disturbance *seen = &job->disturbance;
    cr_expect(job->tokens >= 0 && seen->lost_tokens >= 0, "job %zu: %lld tokens, %lld lost", j, (long long)job->tokens,
              (long long)seen->lost_tokens);
    cr_expect_leq(job->steps, UINT64_MAX / 2, "job %zu lost more steps than it did", j);
    cr_expect(seen->down_s >= 0.0 && seen->down_s <= measured_s, "job %zu", j);
    cr_expect(seen->held_up_s >= 0.0 && seen->held_up_s <= measured_s, "job %zu", j);
  }
}

/* Everybody who came is somewhere, and nobody waits longer than the run. */
static void expect_conservation(const fw_scenario *scenario, const fw_result *result) {
  for (size_t j = 0; j < result->job_count; j++) {
    const fw_service_result *service = &result->jobs[j].service;
    if (!result->jobs[j].has_service) continue;
    cr_expect_eq(service->arrived, service->finished + service->killed + service->in_service + service->waiting,
                 "job %zu", j);
    cr_expect(service->utilisation >= 0.0 && service->utilisation <= 1.0 + 1e-12, "job %zu: %g", j,
              service->utilisation);
    cr_expect(!(service->latency.max_s > fw_time_to_seconds(scenario->duration)), "job %zu", j);
    cr_expect(!(service->wait.p50_s > service->wait.p95_s || service->wait.p95_s > service->wait.max_s), "job %zu", j);
  }
}

Test(adversity, what_holds_of_any_run_holds_of_one_that_is_struck) {
  uint64_t struck[FW_ADVERSITY_KINDS] = {0};
  for (uint64_t number = 0; number < SCENARIOS; number++) {
    fw_text text = random_adverse_scenario(number);
    fw_scenario *scenario = scenario_from(text.data);
    recorder series;
    recorder_start(&series);
    fw_result result = run_observed(scenario, (fw_run_options){.seed = number, .observer = &series.observer});
    cr_assert_eq((fw_time_ns)series.tick_count * scenario->tick, scenario->duration);
    expect_energy_adds_up(scenario, &result);
    expect_limits(scenario, &series);
    expect_order(scenario, &series);
    expect_disturbances(&result);
    expect_conservation(scenario, &result);
    for (size_t kind = 0; kind < FW_ADVERSITY_KINDS; kind++)
      struck[kind] += result.disturbance.struck[kind];
    struck[FW_ADVERSITY_DEMAND_RESPONSE] += result.budget_calls;
    fw_result_clear(&result);
    recorder_free(&series);
    fw_scenario_free(scenario);
    fw_text_clear(&text);
  }
  for (size_t kind = 0; kind < FW_ADVERSITY_KINDS; kind++)
    cr_expect_gt(struck[kind], 20, "%s struck %llu times", fw_adversity_kind_names[kind],
                 (unsigned long long)struck[kind]);
}

/* A longer run begins with the shorter one: energy never falls as it goes on, and who was served stays served. */
Test(adversity, a_longer_run_begins_with_the_shorter_one) {
  for (uint64_t number = 0; number < 20; number++) {
    fw_text text = random_adverse_scenario(number);
    fw_energy_pj energy = 0;
    uint64_t finished = 0;
    for (fw_time_ns seconds = 41; seconds < 150; seconds += 36) {
      const fw_scenario_overrides overrides = {.duration = seconds * FW_NS_PER_S};
      fw_diagnostics warnings = FW_DIAGNOSTICS_INIT;
      fw_scenario *scenario = NULL;
      cr_assert_eq(scenario_try(text.data, &overrides, &scenario, &warnings), FW_OK);
      fw_result result = run_seed(scenario, number);
      uint64_t served = 0;
      for (size_t j = 0; j < result.job_count; j++)
        served += result.jobs[j].service.finished;
      cr_expect(result.energy > energy);
      cr_expect(scenario->warmup > 0 || served >= finished);
      energy = result.energy;
      finished = served;
      fw_result_clear(&result);
      fw_scenario_free(scenario);
      fw_diagnostics_clear(&warnings);
    }
    fw_text_clear(&text);
  }
}

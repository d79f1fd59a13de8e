/* The JSON of one run (docs/results.md). */
#include <math.h>

#include "sim/report/json_out.h"
#include "sim/report/report.h"

/* Kept for the site's true power only. */
static void add_percentiles(fwi_json_out *object, const fw_window_result *window) {
  if (!isnan(window->p50_w)) {
    fwi_json_number(object, "p50_w", window->p50_w);
    fwi_json_number(object, "p95_w", window->p95_w);
    fwi_json_number(object, "p99_w", window->p99_w);
    fwi_json_number(object, "p999_w", window->p999_w);
  }
}

static void add_windows(fwi_json_out *out, const char *key, const fw_window_result *windows, size_t count) {
  char name[FW_UNITS_TEXT_SIZE];
  fwi_json_out list = fwi_json_open(out, key, '{');
  for (size_t w = 0; w < count; w++) {
    const fw_window_result *window = &windows[w];
    fwi_json_out object = fwi_json_open(&list, fwi_json_window_key(window->window, name), '{');
    fwi_json_number(&object, "violation_rate", window->violation_rate);
    fwi_json_unsigned(&object, "episodes", window->episodes);
    fwi_json_number(&object, "longest_episode_s", window->longest_episode_s);
    fwi_json_number(&object, "excess_ws", window->excess_ws);
    fwi_json_number(&object, "peak_w", window->peak_w);
    add_percentiles(&object, window);
    fwi_json_close(&object, '}');
  }
  fwi_json_close(&list, '}');
}

static void add_energy(fwi_json_out *object, fw_energy_pj energy) {
  char joules[FW_UNITS_TEXT_SIZE];
  fwi_json_number(object, "energy_wh", fw_energy_to_watt_hours(energy));
  fwi_json_string(object, "energy_j_exact", fw_energy_format(energy, joules));
}

static void add_breaker_state(fwi_json_out *out, const char *key, double rating_w,
                              const fw_breaker_reading readings[FW_BREAKER_CASES]) {
  static const char *const names[FW_BREAKER_CASES] = {"nominal", "earliest", "latest"};
  fwi_json_out object = fwi_json_open(out, key, '{');
  fwi_json_number(&object, "rating_w", rating_w);
  for (size_t i = 0; i < FW_BREAKER_CASES; i++) {
    fwi_json_out one = fwi_json_open(&object, names[i], '{');
    fwi_json_number(&one, "margin", 1.0 - readings[i].use);
    fwi_json_unsigned(&one, "trips", readings[i].trips);
    fwi_json_number(&one, "first_trip_s", readings[i].first_trip_s);
    fwi_json_close(&one, '}');
  }
  fwi_json_close(&object, '}');
}

static void add_breaker(fwi_json_out *domain, const fw_breaker_result *breaker) {
  if (!breaker->present) {
    return;
  }
  fwi_json_out object = fwi_json_open(domain, "breaker", '{');
  if (breaker->opens) {
    fwi_json_number(&object, "dark_s", breaker->dark_s);
  }
  add_breaker_state(&object, "all_feeds", breaker->rating_w, breaker->all);
  if (breaker->redundant) {
    add_breaker_state(&object, "one_feed_lost", breaker->rating_one_lost_w, breaker->one_lost);
  }
  fwi_json_close(&object, '}');
}

static void add_domain(fwi_json_out *list, const fw_domain_result *domain) {
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_string(&object, "level", fw_domain_level_names[domain->level]);
  fwi_json_unsigned(&object, "index", domain->index);
  fwi_json_number(&object, "budget_w", fw_power_to_watts(domain->budget));
  if (!isnan(domain->oversubscription)) {
    fwi_json_number(&object, "oversubscription", domain->oversubscription);
  }
  add_energy(&object, domain->energy);
  add_breaker(&object, &domain->breaker);
  add_windows(&object, "windows", domain->windows, domain->window_count);
  fwi_json_close(&object, '}');
}

static void add_disturbance(fwi_json_out *out, const fw_scenario *scenario, const fw_disturbance *disturbance) {
  fwi_json_out object = fwi_json_open(out, "disturbance", '{');
  fwi_json_out struck = fwi_json_open(&object, "struck", '{');
  for (size_t kind = 0; kind < FW_ADVERSITY_KINDS; kind++) {
    if (kind != FW_ADVERSITY_DEMAND_RESPONSE) { /* which strikes the budget, not jobs */
      fwi_json_unsigned(&struck, fw_adversity_kind_names[kind], disturbance->struck[kind]);
    }
  }
  if (fw_electrical_opens(&scenario->electrical)) {
    fwi_json_unsigned(&struck, "breaker_trip", disturbance->struck[FW_STRUCK_BY_TRIP]);
  }
  fwi_json_close(&struck, '}');
  fwi_json_number(&object, "down_s", disturbance->down_s);
  fwi_json_integer(&object, "lost_tokens", disturbance->lost_tokens);
  fwi_json_unsigned(&object, "lost_steps", disturbance->lost_steps);
  fwi_json_number(&object, "held_up_s", disturbance->held_up_s);
  fwi_json_unsigned(&object, "late_caps", disturbance->late_caps);
  fwi_json_unsigned(&object, "lost_caps", disturbance->lost_caps);
  fwi_json_close(&object, '}');
}

static void add_delay(fwi_json_out *out, const char *key, const fw_delay *delay) {
  fwi_json_out object = fwi_json_open(out, key, '{');
  fwi_json_number(&object, "mean_s", delay->mean_s);
  fwi_json_number(&object, "p50_s", delay->p50_s);
  fwi_json_number(&object, "p95_s", delay->p95_s);
  fwi_json_number(&object, "p99_s", delay->p99_s);
  fwi_json_number(&object, "max_s", delay->max_s);
  fwi_json_close(&object, '}');
}

static void add_service(fwi_json_out *out, const fw_scenario_job *spec, const fw_result *result,
                        const fw_service_result *service) {
  fwi_json_out object = fwi_json_open(out, "service", '{');
  fwi_json_unsigned(&object, "arrived", service->arrived);
  fwi_json_unsigned(&object, "finished", service->finished);
  fwi_json_unsigned(&object, "killed", service->killed);
  fwi_json_unsigned(&object, "in_service", service->in_service);
  fwi_json_unsigned(&object, "waiting", service->waiting);
  fwi_json_number(&object, "mean_in_service", service->mean_in_service);
  fwi_json_number(&object, "mean_waiting", service->mean_waiting);
  fwi_json_unsigned(&object, "most_waiting", service->most_waiting);
  fwi_json_number(&object, "utilisation", service->utilisation);
  add_delay(&object, "wait", &service->wait);
  add_delay(&object, "latency", &service->latency);
  if (spec->kind == FW_JOB_SERVING) {
    add_delay(&object, "first_token", &service->first_token);
    fwi_json_integer(&object, "finished_tokens", service->finished_tokens);
    fwi_json_number(&object, "goodput_tokens_per_s",
                    (double)service->finished_tokens / fw_time_to_seconds(result->measured));
  } else {
    fwi_json_unsigned(&object, "thrown_back", service->thrown_back);
    fwi_json_unsigned(&object, "durations_cut", service->cut);
  }
  fwi_json_close(&object, '}');
}

static void add_job(fwi_json_out *list, const fw_scenario *scenario, size_t index, const fw_result *result) {
  const fw_scenario_job *spec = &scenario->jobs[index];
  const fw_job_result *job = &result->jobs[index];
  fwi_json_out object = fwi_json_open(list, NULL, '{');
  fwi_json_string(&object, "class", spec->job_class);
  fwi_json_unsigned(&object, "gpus", spec->gpus);
  fwi_json_unsigned(&object, "first_gpu", spec->first_gpu);
  fwi_json_integer(&object, "tokens", job->tokens);
  add_energy(&object, job->energy);
  fwi_json_unsigned(&object, "steps", job->steps);
  fwi_json_unsigned(&object, "batches", job->batches);
  fwi_json_unsigned(&object, "decisions", job->decisions);
  fwi_json_unsigned(&object, "adjusted_actions", job->adjusted_actions);
  fwi_json_number(&object, "mean_occupancy", job->mean_occupancy);
  fwi_json_bool(&object, "extrapolated", job->extrapolated);
  fwi_json_unsigned(&object, "raised_to_idle", job->clamps.floor);
  fwi_json_unsigned(&object, "lowered_to_board_maximum", job->clamps.ceiling);
  fwi_json_unsigned(&object, "held_by_power_cap", job->clamps.capped);
  fwi_json_number(&object, "bias_w_per_gpu", job->clamps.bias_w);
  if (fw_scenario_is_eventful(scenario)) {
    add_disturbance(&object, scenario, &job->disturbance);
  }
  if (job->has_service) {
    add_service(&object, spec, result, &job->service);
  }
  fwi_json_close(&object, '}');
}

void fw_report_run_json(const fw_report_run *run, const fw_diagnostics *diagnostics, fw_text *out) {
  const fw_scenario *scenario = run->scenario;
  const fw_result *result = run->result;
  const fw_scenario_budget *budget = &scenario->budgets[run->budget];
  fwi_json_out root = {out, true};
  fwi_json_out object = fwi_json_open(&root, NULL, '{');
  fwi_json_head(&object, "run");
  fwi_json_string(&object, "scenario", scenario->name);
  fwi_json_string(&object, "scenario_hash", scenario->hash);
  fwi_json_unsigned(&object, "seed", run->seed);
  fwi_json_number(&object, "hours", fw_time_to_seconds(scenario->duration) / 3600.0);
  fwi_json_string(&object, "policy", scenario->policies[run->policy].name);
  fwi_json_number(&object, "oversubscription", budget->oversubscription);
  fwi_json_number(&object, "budget_w", fw_power_to_watts(budget->power));
  fwi_json_string(&object, "stop_reason", fw_stop_reason_names[result->stop_reason]);
  fwi_json_warnings(&object, diagnostics);
  if (run->digest != NULL) {
    fwi_json_string(&object, "digest", run->digest);
  }
  fwi_json_integer(&object, "tokens", result->tokens);
  add_energy(&object, result->energy);
  if (result->facility_energy != result->energy) {
    fwi_json_number(&object, "facility_energy_wh", fw_energy_to_watt_hours(result->facility_energy));
  }
  fwi_json_number(&object, "cost", result->cost);
  fwi_json_number(&object, "carbon_kg", result->carbon_kg);
  fwi_json_unsigned(&object, "ties", result->tie_count);
  if (fw_scenario_is_eventful(scenario)) {
    fwi_json_unsigned(&object, "budget_calls", result->budget_calls);
    add_disturbance(&object, scenario, &result->disturbance);
  }
  add_windows(&object, "windows", result->windows, result->window_count);
  add_windows(&object, "windows_sensed", result->sensed, result->window_count);
  fwi_json_out domains = fwi_json_open(&object, "domains", '[');
  for (size_t i = 0; i < result->domain_count; i++) {
    add_domain(&domains, &result->domains[i]);
  }
  fwi_json_close(&domains, ']');
  fwi_json_out jobs = fwi_json_open(&object, "jobs", '[');
  for (size_t j = 0; j < result->job_count; j++) {
    add_job(&jobs, scenario, j, result);
  }
  fwi_json_close(&jobs, ']');
  fwi_json_close(&object, '}');
  fw_text_add(out, "\n");
}

/* From a run's result to its figures. */
#include "sim/study/metric.h"

#include <math.h>

static void extract_window(const fw_result *result, size_t w, double *values) {
  const fw_window_result *window = &result->windows[w];
  const bool judged = !isnan(window->violation_rate);
  values[fw_metric_slot(FW_METRIC_PEAK_W, w)] = window->peak_w;
  values[fw_metric_slot(FW_METRIC_P99_W, w)] = window->p99_w;
  values[fw_metric_slot(FW_METRIC_VIOLATION_RATE, w)] = window->violation_rate;
  values[fw_metric_slot(FW_METRIC_VIOLATION_RATE_SENSED, w)] = result->sensed[w].violation_rate;
  values[fw_metric_slot(FW_METRIC_EPISODES, w)] = judged ? (double)window->episodes : (double)NAN;
  values[fw_metric_slot(FW_METRIC_LONGEST_EPISODE_S, w)] = judged ? window->longest_episode_s : (double)NAN;
  values[fw_metric_slot(FW_METRIC_EXCESS_WS, w)] = judged ? window->excess_ws : (double)NAN;
}

/* The closest that any domain came to a trip, the trips of all, and how long they were without power for them. */
static void extract_breakers(const fw_result *result, double *values) {
  static const fw_metric use_of[] = {FW_METRIC_BREAKER_USE, FW_METRIC_BREAKER_USE_EARLIEST,
                                     FW_METRIC_BREAKER_USE_LATEST, FW_METRIC_BREAKER_USE_ONE_LOST};
  static const fw_metric trips_of[] = {FW_METRIC_TRIPS, FW_METRIC_TRIPS_EARLIEST, FW_METRIC_TRIPS_LATEST,
                                       FW_METRIC_TRIPS_ONE_LOST};
  for (size_t i = 0; i < result->domain_count; i++) {
    const fw_breaker_result *breaker = &result->domains[i].breaker;
    for (size_t k = 0; breaker->present && k <= FW_BREAKER_CASES; k++) {
      const fw_breaker_reading *reading =
          k < FW_BREAKER_CASES ? &breaker->all[k] : &breaker->one_lost[FW_BREAKER_NOMINAL];
      double *use = &values[fw_metric_slot(use_of[k], 0)];
      double *trips = &values[fw_metric_slot(trips_of[k], 0)];
      *use = isnan(*use) ? reading->use : fmax(*use, reading->use);
      *trips = (isnan(*trips) ? 0.0 : *trips) + (double)reading->trips;
    }
    if (breaker->opens) {
      double *dark_s = &values[fw_metric_slot(FW_METRIC_DARK_S, 0)];
      *dark_s = (isnan(*dark_s) ? 0.0 : *dark_s) + breaker->dark_s;
    }
  }
}

/* The longest of the delays; NaN only where there is none. */
static void take_longest(double *slot, double delay_s) {
  *slot = fmax(*slot, delay_s);
}

static void extract_services(const fw_result *result, double *values) {
  double *served = &values[fw_metric_slot(FW_METRIC_SERVED, 0)];
  for (size_t j = 0; j < result->job_count; j++) {
    const fw_service_result *service = &result->jobs[j].service;
    if (!result->jobs[j].has_service) {
      continue;
    }
    *served = (isnan(*served) ? 0.0 : *served) + (double)service->finished;
    take_longest(&values[fw_metric_slot(FW_METRIC_WAIT_MEAN_S, 0)], service->wait.mean_s);
    take_longest(&values[fw_metric_slot(FW_METRIC_WAIT_P95_S, 0)], service->wait.p95_s);
    take_longest(&values[fw_metric_slot(FW_METRIC_LATENCY_P95_S, 0)], service->latency.p95_s);
    take_longest(&values[fw_metric_slot(FW_METRIC_FIRST_TOKEN_P95_S, 0)], service->first_token.p95_s);
  }
}

void fw_metric_extract(const fw_result *result, double values[FW_METRIC_SLOTS]) {
  for (size_t i = 0; i < FW_METRIC_SLOTS; i++) {
    values[i] = (double)NAN;
  }
  const double energy_wh = fw_energy_to_watt_hours(result->energy);
  const double tokens = (double)result->tokens;
  values[fw_metric_slot(FW_METRIC_TOKENS, 0)] = tokens;
  values[fw_metric_slot(FW_METRIC_ENERGY_WH, 0)] = energy_wh;
  values[fw_metric_slot(FW_METRIC_COST, 0)] = result->cost;
  values[fw_metric_slot(FW_METRIC_CARBON_KG, 0)] = result->carbon_kg;
  values[fw_metric_slot(FW_METRIC_MEAN_W, 0)] =
      fw_energy_to_joules(result->energy) / fw_time_to_seconds(result->measured);
  if (result->tokens > 0) {
    values[fw_metric_slot(FW_METRIC_TOKENS_PER_MWH, 0)] = tokens / (energy_wh / 1e6);
    values[fw_metric_slot(FW_METRIC_WH_PER_1K_TOKENS, 0)] = energy_wh / (tokens / 1000.0);
  }
  values[fw_metric_slot(FW_METRIC_DOWN_S, 0)] = result->disturbance.down_s;
  values[fw_metric_slot(FW_METRIC_LOST_TOKENS, 0)] = (double)result->disturbance.lost_tokens;
  extract_breakers(result, values);
  extract_services(result, values);
  for (size_t w = 0; w < result->window_count; w++) {
    extract_window(result, w, values);
  }
}

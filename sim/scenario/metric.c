/* One list of metrics, as a table and as names. */
#include "sim/scenario/metric.h"

#include <stddef.h>

/* Metric, name, whether there is one for each window, whether it is a share of time, whether few runs have it. */
#define METRICS(ENTRY)                                                                                                 \
  ENTRY(FW_METRIC_TOKENS, "tokens", false, false, false)                                                               \
  ENTRY(FW_METRIC_ENERGY_WH, "energy_wh", false, false, false)                                                         \
  ENTRY(FW_METRIC_TOKENS_PER_MWH, "tokens_per_mwh", false, false, false)                                               \
  ENTRY(FW_METRIC_WH_PER_1K_TOKENS, "wh_per_1k_tokens", false, false, false)                                           \
  ENTRY(FW_METRIC_COST, "cost", false, false, false)                                                                   \
  ENTRY(FW_METRIC_CARBON_KG, "carbon_kg", false, false, false)                                                         \
  ENTRY(FW_METRIC_MEAN_W, "mean_w", false, false, false)                                                               \
  ENTRY(FW_METRIC_BREAKER_USE, "breaker_use", false, false, false)                                                     \
  ENTRY(FW_METRIC_BREAKER_USE_EARLIEST, "breaker_use_earliest", false, false, false)                                   \
  ENTRY(FW_METRIC_BREAKER_USE_LATEST, "breaker_use_latest", false, false, false)                                       \
  ENTRY(FW_METRIC_BREAKER_USE_ONE_LOST, "breaker_use_one_lost", false, false, false)                                   \
  ENTRY(FW_METRIC_TRIPS, "trips", false, false, false)                                                                 \
  ENTRY(FW_METRIC_TRIPS_EARLIEST, "trips_earliest", false, false, false)                                               \
  ENTRY(FW_METRIC_TRIPS_LATEST, "trips_latest", false, false, false)                                                   \
  ENTRY(FW_METRIC_TRIPS_ONE_LOST, "trips_one_lost", false, false, false)                                               \
  ENTRY(FW_METRIC_DARK_S, "dark_s", false, false, true)                                                                \
  ENTRY(FW_METRIC_DOWN_S, "down_s", false, false, false)                                                               \
  ENTRY(FW_METRIC_LOST_TOKENS, "lost_tokens", false, false, false)                                                     \
  ENTRY(FW_METRIC_SERVED, "served", false, false, false)                                                               \
  ENTRY(FW_METRIC_WAIT_MEAN_S, "wait_mean_s", false, false, false)                                                     \
  ENTRY(FW_METRIC_WAIT_P95_S, "wait_p95_s", false, false, false)                                                       \
  ENTRY(FW_METRIC_LATENCY_P95_S, "latency_p95_s", false, false, false)                                                 \
  ENTRY(FW_METRIC_FIRST_TOKEN_P95_S, "first_token_p95_s", false, false, false)                                         \
  ENTRY(FW_METRIC_PEAK_W, "peak_w", true, false, false)                                                                \
  ENTRY(FW_METRIC_P99_W, "p99_w", true, false, false)                                                                  \
  ENTRY(FW_METRIC_VIOLATION_RATE, "violation_rate", true, true, false)                                                 \
  ENTRY(FW_METRIC_VIOLATION_RATE_SENSED, "violation_rate_sensed", true, true, false)                                   \
  ENTRY(FW_METRIC_EPISODES, "episodes", true, false, false)                                                            \
  ENTRY(FW_METRIC_LONGEST_EPISODE_S, "longest_episode_s", true, false, false)                                          \
  ENTRY(FW_METRIC_EXCESS_WS, "excess_ws", true, false, false)

#define AS_INFO(metric, name, windowed, rate, rare) [metric] = {name, windowed, rate, rare},
#define AS_NAME(metric, name, windowed, rate, rare) [metric] = (name),

const fw_metric_info fw_metric_table[FW_METRIC_COUNT] = {METRICS(AS_INFO)};
const char *const fw_metric_names[] = {METRICS(AS_NAME)[FW_METRIC_COUNT] = NULL};

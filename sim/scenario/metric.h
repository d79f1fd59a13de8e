/* The figures that runs are judged and compared by: their names and what they are of. How they are taken from a run's
 * result is sim/study/metric.h. */
#ifndef FW_SCENARIO_METRIC_H
#define FW_SCENARIO_METRIC_H

#include <stdbool.h>

typedef enum fw_metric {
  FW_METRIC_TOKENS,
  FW_METRIC_ENERGY_WH,
  FW_METRIC_TOKENS_PER_MWH,
  FW_METRIC_WH_PER_1K_TOKENS,
  FW_METRIC_COST,
  FW_METRIC_CARBON_KG,
  FW_METRIC_MEAN_W,
  /* Breakers, of the domain that comes closest to a trip, and trips of all; not where the scenario has none. */
  FW_METRIC_BREAKER_USE,
  FW_METRIC_BREAKER_USE_EARLIEST,
  FW_METRIC_BREAKER_USE_LATEST,
  FW_METRIC_BREAKER_USE_ONE_LOST,
  FW_METRIC_TRIPS,
  FW_METRIC_TRIPS_EARLIEST,
  FW_METRIC_TRIPS_LATEST,
  FW_METRIC_TRIPS_ONE_LOST,
  FW_METRIC_DARK_S, /* of all domains; only where trips take the power */
  /* What the scenario's events, and trips that take the power, did to all jobs together. */
  FW_METRIC_DOWN_S,
  FW_METRIC_LOST_TOKENS,
  /* Queues and serving engines: those served by all of them, delays of the one where they are longest; not where the
   * scenario has none. */
  FW_METRIC_SERVED,
  FW_METRIC_WAIT_MEAN_S,
  FW_METRIC_WAIT_P95_S,
  FW_METRIC_LATENCY_P95_S,
  FW_METRIC_FIRST_TOKEN_P95_S,
  /* From here on one figure for each window. */
  FW_METRIC_PEAK_W,
  FW_METRIC_P99_W,
  FW_METRIC_VIOLATION_RATE,
  FW_METRIC_VIOLATION_RATE_SENSED,
  FW_METRIC_EPISODES,
  FW_METRIC_LONGEST_EPISODE_S,
  FW_METRIC_EXCESS_WS,
  FW_METRIC_COUNT
} fw_metric;

typedef struct fw_metric_info {
  const char *name; /* as in JSON */
  bool windowed;
  bool rate; /* a share of time: its interval stays within 0 and 1 */
  bool rare; /* JSON leaves it out where runs have none, instead of saying so */
} fw_metric_info;

extern const fw_metric_info fw_metric_table[FW_METRIC_COUNT];

/* The names alone, ended by NULL, for tables of fields. */
extern const char *const fw_metric_names[];

#endif

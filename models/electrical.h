/* From a feed's nameplate to the watts that may be drawn from it, and from the GPUs to what they draw at the wall.
 *
 * Each factor has one place. Overhead and supply loss of a node are added at the node, so nodes, racks, rows and the
 * site are all in watts at the input of the nodes ("IT"), for power and energy alike. PUE enters once, at the very
 * end: facility energy, cost and carbon. Budgets are IT watts. A rating in VA becomes watts through a stated power
 * factor and a continuous-load factor. Redundant feeds are one load: what counts is what the feeds that are left can
 * carry. Sources: docs/models.md, "Electrical". */
#ifndef FW_MODELS_ELECTRICAL_H
#define FW_MODELS_ELECTRICAL_H

#include "sim/base/record.h"

/* Share of a breaker's rating that a load of three hours or more may take (NEC 210.20(A)). */
#define FW_CONTINUOUS_FACTOR 0.8

/* A feed on its breaker: a rating, or amperes and volts (between lines where there are three phases). */
typedef struct fw_feed {
  char *name;
  double rating_kva; /* 0: from amperes and volts */
  double amps;
  double volts;
  int64_t phases; /* 1 or 3 */
  double continuous_factor;
  double power_factor;
  bool power_factor_given;
} fw_feed;

extern const fw_record fw_feed_record;

/* Whether it has either a rating or amperes and volts, and 1 or 3 phases. Warns where the power factor is assumed. */
fw_status fw_feed_check(const fw_feed *feed, const fw_json_value *value, fw_diagnostics *diagnostics);

double fw_feed_rating_va(const fw_feed *feed);
double fw_feed_continuous_va(const fw_feed *feed);
double fw_feed_rating_w(const fw_feed *feed); /* real power at its rating */
double fw_feed_limit_w(const fw_feed *feed);  /* real power that it carries for good */

/* Apparent power of `power_w`. */
double fw_apparent_va(double power_w, double power_factor);

/* Loads on dual cords share equally. No feed is lost: */
#define FW_NO_FEED_LOST SIZE_MAX

/* Total load that the feeds carry for good (`fw_feeds_limit_w`), or at their ratings, with feed `lost` out of service:
 * the weakest of those in service times their number. 0 where none is left. */
double fw_feeds_limit_w(const fw_feed *feeds, size_t count, size_t lost);
double fw_feeds_rating_w(const fw_feed *feeds, size_t count, size_t lost);

/* What is left after the worst loss of one feed; with a single feed, what that one carries: there is no redundancy. */
double fw_feeds_usable_limit_w(const fw_feed *feeds, size_t count);
double fw_feeds_usable_rating_w(const fw_feed *feeds, size_t count);

/* What nodes draw beyond their GPUs. Shares in parts per million, so that energies stay integers. */
#define FW_MILLION INT64_C(1000000)

typedef struct fw_supply {
  fw_power_mw node_overhead; /* fans, processors, memory, network; on as long as the node is */
  int64_t efficiency_ppm;    /* of its power supplies: output over input */
  int64_t pue_ppm;           /* facility over IT; 1 or more */
} fw_supply;

/* Energy at the input of `nodes` nodes whose GPUs take `gpu_energy` over `time`, rounded to nearest. */
fw_energy_pj fw_supply_input(const fw_supply *supply, fw_energy_pj gpu_energy, size_t nodes, fw_time_ns time);

/* The same for power. */
fw_power_mw fw_supply_input_power(const fw_supply *supply, fw_power_mw gpu_power, size_t nodes);

/* Power that `input_w` leaves for the GPUs of `nodes` nodes: the inverse, at least 0. */
double fw_supply_output_w(const fw_supply *supply, double input_w, size_t nodes);

/* Energy of the facility. */
fw_energy_pj fw_supply_facility(const fw_supply *supply, fw_energy_pj it_energy);

#endif

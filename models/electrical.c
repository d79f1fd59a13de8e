/* Ratings, factors and losses, each applied once. */
#include "models/electrical.h"

#include <math.h>

#include "models/check.h"
#include "sim/base/fields.h"

#define MOST_KVA 1e6
#define MOST_AMPS 1e5
#define MOST_VOLTS 1e6

static const fw_feed feed_defaults = {.phases = 1, .continuous_factor = FW_CONTINUOUS_FACTOR, .power_factor = 1.0};

static const fw_field feed_fields[] = {
    FW_FIELD(fw_feed, name, FW_FIELD_STRING, FW_OPTIONAL, 0, 0, "name in reports"),
    FW_FIELD_ABOVE(fw_feed, rating_kva, FW_FIELD_NUMBER, FW_OPTIONAL, 0, MOST_KVA,
                   "rating of its breaker in kVA; or give amps and volts"),
    FW_FIELD_ABOVE(fw_feed, amps, FW_FIELD_NUMBER, FW_OPTIONAL, 0, MOST_AMPS, "rating of its breaker in A"),
    FW_FIELD_ABOVE(fw_feed, volts, FW_FIELD_NUMBER, FW_OPTIONAL, 0, MOST_VOLTS,
                   "voltage in V, between lines where there are three phases"),
    FW_FIELD(fw_feed, phases, FW_FIELD_INTEGER, FW_OPTIONAL, 1, 3, "1 or 3"),
    FW_FIELD_ABOVE(fw_feed, continuous_factor, FW_FIELD_NUMBER, FW_OPTIONAL, 0, 1,
                   "share of the rating that it may carry for good; 1 for a breaker rated for it"),
    {.name = "power_factor",
     .kind = FW_FIELD_NUMBER,
     .offset = offsetof(fw_feed, power_factor),
     .exclusive_min = true,
     .min = 0,
     .max = 1,
     .present_offset = offsetof(fw_feed, power_factor_given),
     .doc = "real over apparent power of the load; 1 is assumed, and said, where it is left out"},
};

const fw_record fw_feed_record = {.name = "feed",
                                  .doc = "a feed on its breaker",
                                  .size = sizeof(fw_feed),
                                  .defaults = &feed_defaults,
                                  .fields = feed_fields,
                                  .field_count = FW_COUNT_OF(feed_fields)};

fw_status fw_feed_check(const fw_feed *feed, const fw_json_value *value, fw_diagnostics *diagnostics) {
  const bool rated = feed->rating_kva > 0.0;
  const bool measured = feed->amps > 0.0 || feed->volts > 0.0;
  char path[FW_JSON_PATH_SIZE];
  fw_status status = FW_OK;
  if (rated == measured || (measured && !(feed->amps > 0.0 && feed->volts > 0.0))) {
    status = fw_json_error(value, diagnostics, "a feed has either \"rating_kva\" or both \"amps\" and \"volts\"");
  }
  if (feed->phases == 2) {
    status = fw_json_error(fw_record_member(value, "phases"), diagnostics, "a feed has 1 or 3 phases");
  }
  if (!feed->power_factor_given) {
    fw_warning(diagnostics, fw_json_place(value, path), "power factor 1 assumed; give \"power_factor\"");
  }
  return status;
}

double fw_feed_rating_va(const fw_feed *feed) {
  if (feed->rating_kva > 0.0) return feed->rating_kva * 1000.0;
  const double across = feed->amps * feed->volts;
  return feed->phases == 3 ? sqrt(3.0) * across : across;
}

double fw_feed_continuous_va(const fw_feed *feed) {
  return fw_feed_rating_va(feed) * feed->continuous_factor;
}

double fw_feed_rating_w(const fw_feed *feed) {
  return fw_feed_rating_va(feed) * feed->power_factor;
}

double fw_feed_limit_w(const fw_feed *feed) {
  return fw_feed_continuous_va(feed) * feed->power_factor;
}

double fw_apparent_va(double power_w, double power_factor) {
  return power_w / power_factor;
}

/* Equal shares: the first feed to be full ends it for all. */
static double total_of(const fw_feed *feeds, size_t count, size_t lost, double (*carries)(const fw_feed *)) {
  double weakest = (double)INFINITY;
  size_t in_service = 0;
  for (size_t i = 0; i < count; i++) {
    if (i != lost) {
      weakest = fmin(weakest, carries(&feeds[i]));
      in_service++;
    }
  }
  return in_service > 0 ? weakest * (double)in_service : 0.0;
}

static double usable_of(const fw_feed *feeds, size_t count, double (*carries)(const fw_feed *)) {
  double least = total_of(feeds, count, FW_NO_FEED_LOST, carries);
  for (size_t lost = 0; count > 1 && lost < count; lost++) {
    least = fmin(least, total_of(feeds, count, lost, carries));
  }
  return least;
}

double fw_feeds_limit_w(const fw_feed *feeds, size_t count, size_t lost) {
  return total_of(feeds, count, lost, fw_feed_limit_w);
}

double fw_feeds_rating_w(const fw_feed *feeds, size_t count, size_t lost) {
  return total_of(feeds, count, lost, fw_feed_rating_w);
}

double fw_feeds_usable_limit_w(const fw_feed *feeds, size_t count) {
  return usable_of(feeds, count, fw_feed_limit_w);
}

double fw_feeds_usable_rating_w(const fw_feed *feeds, size_t count) {
  return usable_of(feeds, count, fw_feed_rating_w);
}

static fw_energy_pj scale(fw_energy_pj value, int64_t numerator, int64_t denominator) {
  return (value * numerator + denominator / 2) / denominator;
}

fw_energy_pj fw_supply_input(const fw_supply *supply, fw_energy_pj gpu_energy, size_t nodes, fw_time_ns time) {
  const fw_energy_pj output = gpu_energy + fw_energy_of(supply->node_overhead, time) * (fw_energy_pj)nodes;
  return supply->efficiency_ppm == FW_MILLION ? output : scale(output, FW_MILLION, supply->efficiency_ppm);
}

fw_power_mw fw_supply_input_power(const fw_supply *supply, fw_power_mw gpu_power, size_t nodes) {
  return (fw_power_mw)fw_supply_input(supply, gpu_power, nodes, 1);
}

double fw_supply_output_w(const fw_supply *supply, double input_w, size_t nodes) {
  const double efficiency = (double)supply->efficiency_ppm / (double)FW_MILLION;
  return fmax(input_w * efficiency - fw_power_to_watts(supply->node_overhead) * (double)nodes, 0.0);
}

fw_energy_pj fw_supply_facility(const fw_supply *supply, fw_energy_pj it_energy) {
  return supply->pue_ppm == FW_MILLION ? it_energy : scale(it_energy, supply->pue_ppm, FW_MILLION);
}

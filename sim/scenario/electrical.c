/* Feeds become budgets, shares become whole millionths, and the nameplate takes in what nodes add to it. */
#include <math.h>

#include "sim/scenario/resolve.h"

static const char *const feed_keys[FW_DOMAIN_LEVELS] = {"node_feeds", "rack_feeds", "row_feeds", "site_feeds"};
static const char *const budget_keys[FW_DOMAIN_LEVELS] = {"node_budget", "rack_budget", "row_budget", "budget"};

static fw_status take_feeds(fwi_resolve *resolve, fw_domain_level level, const fw_array *given) {
  fw_electrical *electrical = &resolve->scenario->electrical;
  const fw_json_value *object = fw_record_member(resolve->root, "electrical");
  fw_status status = FW_OK;
  electrical->feeds[level] = given->data;
  electrical->feed_count[level] = given->count;
  for (size_t i = 0; i < given->count; i++) {
    status = fwi_first(status, fw_feed_check(&electrical->feeds[level][i],
                                             fw_record_element(object, feed_keys[level], i), resolve->diagnostics));
  }
  return status;
}

/* The limit of a level's feeds is the budget of each of its domains. */
static fw_status set_budget(fwi_resolve *resolve, fw_domain_level level, fw_power_mw *budget) {
  const fw_electrical *electrical = &resolve->scenario->electrical;
  const fw_json_value *place = fw_record_member(fw_record_member(resolve->root, "electrical"), feed_keys[level]);
  if (electrical->feed_count[level] == 0) {
    return FW_OK;
  }
  if (*budget > 0) {
    return fw_json_error(place, resolve->diagnostics, "these feeds set the budget; take out \"%s\" of the topology",
                         budget_keys[level]);
  }
  const double limit_w = fw_feeds_usable_limit_w(electrical->feeds[level], electrical->feed_count[level]);
  if (!fw_power_from_watts(limit_w, budget) || *budget <= 0) {
    return fw_json_error(place, resolve->diagnostics, "these feeds carry less than 1 mW");
  }
  return FW_OK;
}

static int64_t millionths(double value) {
  return (int64_t)floor(value * (double)FW_MILLION + 0.5);
}

static void set_nameplate(fwi_resolve *resolve) {
  fw_scenario *scenario = resolve->scenario;
  const fw_topology *topology = &scenario->topology;
  const size_t nodes = (topology->gpus - 1) / topology->gpus_per_node + 1;
  scenario->nameplate =
      fw_supply_input_power(&scenario->electrical.supply, (fw_power_mw)topology->gpus * scenario->gpu.tdp, nodes);
}

fw_status fwi_resolve_electrical(fwi_resolve *resolve) {
  const fwi_file_electrical *file = &resolve->file->electrical;
  fw_electrical *electrical = &resolve->scenario->electrical;
  fw_topology *topology = &resolve->scenario->topology;
  electrical->supply = (fw_supply){.node_overhead = file->node_overhead,
                                   .efficiency_ppm = millionths(file->supply_efficiency),
                                   .pue_ppm = millionths(file->pue)};
  electrical->continuous_factor = file->continuous_factor;
  electrical->has_breaker = file->breaker_given;
  electrical->breaker = file->breaker;
  fw_status status = take_feeds(resolve, FW_DOMAIN_NODE, &file->node_feeds);
  status = fwi_first(status, take_feeds(resolve, FW_DOMAIN_RACK, &file->rack_feeds));
  status = fwi_first(status, take_feeds(resolve, FW_DOMAIN_ROW, &file->row_feeds));
  status = fwi_first(status, take_feeds(resolve, FW_DOMAIN_SITE, &file->site_feeds));
  if (file->breaker_given) {
    const fw_json_value *place = fw_record_member(fw_record_member(resolve->root, "electrical"), "breaker");
    status = fwi_first(status, fw_breaker_model_check(&file->breaker, place, resolve->diagnostics));
  }
  if (status != FW_OK) {
    return status;
  }
  status = set_budget(resolve, FW_DOMAIN_NODE, &topology->node_budget);
  status = fwi_first(status, set_budget(resolve, FW_DOMAIN_RACK, &topology->rack_budget));
  status = fwi_first(status, set_budget(resolve, FW_DOMAIN_ROW, &topology->row_budget));
  set_nameplate(resolve);
  return status;
}

bool fw_electrical_opens(const fw_electrical *electrical) {
  return electrical->has_breaker && electrical->breaker.on_trip == FW_BREAKER_OPENS;
}

fw_rating fw_electrical_rating(const fw_electrical *electrical, fw_domain_level level) {
  const fw_feed *feeds = electrical->feeds[level];
  const size_t count = electrical->feed_count[level];
  if (count == 0) {
    const double all = 1.0 / electrical->continuous_factor;
    return (fw_rating){.all = all, .one_lost = all};
  }
  const double limit_w = fw_feeds_usable_limit_w(feeds, count);
  return (fw_rating){.all = fw_feeds_rating_w(feeds, count, FW_NO_FEED_LOST) / limit_w,
                     .one_lost = fw_feeds_usable_rating_w(feeds, count) / limit_w,
                     .redundant = count > 1};
}

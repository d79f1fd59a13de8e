/* Nodes, racks, rows and the site: energy is added up the tree in a fixed order, so parts sum to the whole. */
#include "sim/fleet/domain.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Bins of the percentile histograms: a fleet of 16 GPUs resolves 2.4 W. */
#define HISTOGRAM_BINS ((size_t)4096)

const char *const fw_domain_level_names[] = {"node", "rack", "row", "site"};

static size_t groups(size_t count, size_t per_group) {
  return count / per_group + (count % per_group != 0);
}

fw_status fwi_domain_meter(const fw_scenario *scenario, bool percentiles, fw_meter **out, fw_diagnostics *diagnostics) {
  const size_t gpus = scenario->topology.gpus;
  const fw_power_mw most =
      fw_supply_input_power(&scenario->electrical.supply, (fw_power_mw)gpus * scenario->gpu.board_max,
                            groups(gpus, scenario->topology.gpus_per_node));
  const fw_meter_options options = {.windows = scenario->windows,
                                    .window_count = scenario->window_count,
                                    .histogram_max = percentiles ? most : 0,
                                    .histogram_bins = HISTOGRAM_BINS};
  return fw_meter_create(&options, out, diagnostics);
}

/* Appends `count` domains of one level; children, `per_parent` to each, are the `child_count` domains before. */
static void add_level(fwi_domains *domains, fw_domain_level level, size_t count, fw_power_mw budget, size_t children,
                      size_t child_count, size_t per_parent) {
  for (size_t i = 0; i < count; i++) {
    domains->data[domains->count + i] =
        (fwi_domain){.level = level, .index = i, .parent = FWI_NO_PARENT, .budget = budget};
  }
  for (size_t i = 0; i < child_count; i++) {
    domains->data[children + i].parent = domains->count + i / per_parent;
  }
  domains->count += count;
}

/* A level of one domain without a budget of its own would only repeat the site, so it is left out. */
static bool is_needed(size_t count, fw_power_mw budget) {
  return count > 1 || budget > 0;
}

/* Nodes always stand, as GPUs are placed on them; each level above joins what lies below it. */
static void build_tree(const fw_topology *topology, fwi_domains *domains) {
  const size_t racks = groups(domains->node_count, topology->nodes_per_rack);
  const size_t rows = groups(racks, topology->racks_per_row);
  size_t below = 0;
  size_t below_count = domains->node_count;
  add_level(domains, FW_DOMAIN_NODE, domains->node_count, topology->node_budget, 0, 0, 1);
  if (is_needed(racks, topology->rack_budget)) {
    add_level(domains, FW_DOMAIN_RACK, racks, topology->rack_budget, below, below_count, topology->nodes_per_rack);
    below += below_count;
    below_count = racks;
  }
  if (is_needed(rows, topology->row_budget)) {
    const size_t per_row = below_count == racks ? topology->racks_per_row : below_count;
    add_level(domains, FW_DOMAIN_ROW, rows, topology->row_budget, below, below_count, per_row);
    below += below_count;
    below_count = rows;
  }
  add_level(domains, FW_DOMAIN_SITE, 1, 0, below, below_count, below_count);
}

/* What nodes draw at every tick, whatever their jobs do. */
static void set_bases(const fw_scenario *scenario, size_t used_gpus, fwi_domains *domains) {
  const fw_energy_pj overhead = fw_energy_of(domains->supply.node_overhead, scenario->tick);
  for (size_t node = 0; node < domains->node_count; node++) {
    domains->data[node].base_per_tick = overhead;
  }
  const fw_energy_pj idle = fw_energy_of(scenario->gpu.idle, scenario->tick);
  for (size_t gpu = used_gpus; gpu < scenario->topology.gpus; gpu++) {
    domains->data[gpu / scenario->topology.gpus_per_node].base_per_tick += idle;
    domains->extents[gpu / scenario->topology.gpus_per_node].idle_gpus++;
  }
}

/* The most that a GPU's power is let to be (sample.c). */
static fw_power_mw highest(const fw_gpu_model *gpu) {
  const fw_power_mw capped = fw_cap_settled(&gpu->cap, gpu->cap_max);
  const fw_power_mw most = gpu->board_max > gpu->idle ? gpu->board_max : gpu->idle;
  return most > capped ? most : capped;
}

/* Which nodes each domain holds, and the most that they can take: added up as a tick's energy is. */
static void set_extents(const fw_scenario *scenario, size_t used_gpus, fwi_domains *domains) {
  const fw_energy_pj most = fw_energy_of(highest(&scenario->gpu), scenario->tick);
  for (size_t node = 0; node < domains->node_count; node++) {
    domains->extents[node].first_node = node;
    domains->extents[node].end_node = node + 1;
    domains->extents[node].most_per_tick = domains->data[node].base_per_tick;
  }
  for (size_t gpu = 0; gpu < used_gpus; gpu++) {
    domains->extents[gpu / scenario->topology.gpus_per_node].most_per_tick += most;
  }
  for (size_t i = 0; i < domains->count; i++) {
    fwi_extent *extent = &domains->extents[i];
    const size_t above = domains->data[i].parent;
    if (i < domains->node_count) {
      extent->most_per_tick = fw_supply_input(&domains->supply, extent->most_per_tick, 0, domains->tick);
    }
    if (above != FWI_NO_PARENT) {
      fwi_extent *parent = &domains->extents[above];
      parent->first_node = parent->end_node == 0 ? extent->first_node : parent->first_node;
      parent->end_node = extent->end_node;
      parent->most_per_tick += extent->most_per_tick;
    }
  }
}

/* The meter of a domain and its breakers. */
static fw_status equip(const fw_scenario *scenario, fw_power_mw site_budget, bool all, bool percentiles,
                       fwi_domain *domain, fw_diagnostics *diagnostics) {
  const bool site = domain->level == FW_DOMAIN_SITE;
  const bool metered = all || site || domain->budget > 0;
  domain->tick_budget = domain->budget > 0 ? fw_energy_of(domain->budget, scenario->tick) : FW_METER_NO_BUDGET;
  const fw_status status =
      metered ? fwi_domain_meter(scenario, site && percentiles, &domain->meter, diagnostics) : FW_OK;
  return status != FW_OK ? status
                         : fwi_protection_create(scenario, domain->level, site ? site_budget : domain->budget,
                                                 &domain->protection, diagnostics);
}

fw_status fwi_domains_create(const fw_scenario *scenario, size_t used_gpus, fw_power_mw site_budget, bool all,
                             bool percentiles, fwi_domains *out, fw_diagnostics *diagnostics) {
  const fw_topology *topology = &scenario->topology;
  const size_t nodes = groups(topology->gpus, topology->gpus_per_node);
  /* Racks and rows are never more than nodes. */
  *out = (fwi_domains){.node_count = nodes, .tick = scenario->tick, .supply = scenario->electrical.supply};
  size_t most = 0;
  if (!fw_size_multiply(nodes, 3, &most) || (out->data = fw_allocate(most + 1, sizeof *out->data)) == NULL ||
      (out->extents = fw_allocate(most + 1, sizeof *out->extents)) == NULL) {
    fwi_domains_free(out);
    return fw_error_memory(diagnostics, "the power domains");
  }
  build_tree(topology, out);
  set_bases(scenario, used_gpus, out);
  set_extents(scenario, used_gpus, out);
  fw_status status = FW_OK;
  for (size_t i = 0; i < out->count && status == FW_OK; i++) {
    status = equip(scenario, site_budget, all, percentiles, &out->data[i], diagnostics);
  }
  if (status != FW_OK) {
    fwi_domains_free(out);
  }
  return status;
}

void fwi_domains_free(fwi_domains *domains) {
  for (size_t i = 0; domains->data != NULL && i < domains->count; i++) {
    fw_meter_free(domains->data[i].meter);
    fwi_protection_free(domains->data[i].protection);
  }
  free(domains->extents);
  free(domains->data);
  *domains = (fwi_domains){0};
}

void fwi_domains_begin(fwi_domains *domains, fw_time_ns from) {
  for (size_t i = 0; i < domains->count; i++) {
    domains->data[i].tick_energy = domains->data[i].base_per_tick;
  }
  for (size_t node = 0; from < domains->dark_until && node < domains->node_count; node++) {
    fw_energy_pj *energy = &domains->data[node].tick_energy;
    *energy = from < domains->extents[node].dark_until ? 0 : *energy;
  }
}

/* From the outputs of the nodes' power supplies to their inputs. What the nodes draw beyond their GPUs is in already.
 */
static void add_losses(fwi_domains *domains) {
  for (size_t node = 0; node < domains->node_count; node++) {
    fw_energy_pj *energy = &domains->data[node].tick_energy;
    *energy = fw_supply_input(&domains->supply, *energy, 0, domains->tick);
  }
}

fw_status fwi_domains_end(fwi_domains *domains, fw_energy_pj site_budget, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  domains->opening = 0;
  fwi_domains_site(domains)->tick_budget = site_budget;
  if (domains->supply.efficiency_ppm != FW_MILLION) {
    add_losses(domains);
  }
  for (size_t i = 0; i < domains->count && status == FW_OK; i++) {
    fwi_domain *domain = &domains->data[i];
    domain->energy += domain->tick_energy;
    if (domain->parent != FWI_NO_PARENT) {
      domains->data[domain->parent].tick_energy += domain->tick_energy;
    }
    if (domain->meter != NULL) {
      status = fw_meter_push(domain->meter, domains->tick, domain->tick_energy, domain->tick_budget, diagnostics);
    }
    if (domain->protection != NULL && fwi_protection_push(domain->protection, domain->tick_energy)) {
      domains->extents[i].opens = true;
      domains->opening++;
    }
  }
  return status;
}

size_t fwi_domains_ticks_to_trip(const fwi_domains *domains, size_t most) {
  for (size_t i = 0; i < domains->count; i++) {
    most = fwi_protection_ticks_to_trip(domains->data[i].protection, domains->extents[i].most_per_tick, most);
  }
  return most;
}

void fwi_domains_darken(fwi_domains *domains, size_t domain, fw_time_ns until) {
  for (size_t node = domains->extents[domain].first_node; node < domains->extents[domain].end_node; node++) {
    fw_time_ns *dark_until = &domains->extents[node].dark_until;
    *dark_until = fw_time_later(*dark_until, until);
  }
  domains->dark_until = fw_time_later(domains->dark_until, until);
}

fwi_dark fwi_domains_dark(const fwi_domains *domains, fw_time_ns from) {
  fwi_dark dark = {0};
  for (size_t node = 0; from < domains->dark_until && node < domains->node_count; node++) {
    if (from < domains->extents[node].dark_until) {
      dark.nodes++;
      dark.idle_gpus += domains->extents[node].idle_gpus;
    }
  }
  return dark;
}

fwi_domain *fwi_domains_site(const fwi_domains *domains) {
  return &domains->data[domains->count - 1];
}

void fwi_domains_restart(fwi_domains *domains) {
  for (size_t i = 0; i < domains->count; i++) {
    domains->data[i].energy = 0;
    if (domains->data[i].meter != NULL) {
      fw_meter_restart(domains->data[i].meter);
    }
    fwi_protection_restart(domains->data[i].protection);
  }
}

void fwi_meter_results(const fw_meter *meter, size_t window_count, bool budget, bool percentiles,
                       fw_window_result *out) {
  for (size_t i = 0; i < window_count; i++) {
    const fw_meter_window seen = fw_meter_result(meter, i);
    const bool full = seen.full > 0 || seen.peak > 0; /* without a budget nothing is judged, but peaks are seen */
    const double nothing = (double)NAN;
    out[i] = (fw_window_result){
        .window = seen.window,
        .violation_rate = budget ? fw_meter_violation_rate(meter, i) : nothing,
        .episodes = seen.episodes,
        .longest_episode_s = fw_time_to_seconds(seen.longest_episode),
        .excess_ws = fw_energy_to_joules(seen.excess),
        .peak_w = full ? fw_power_to_watts(seen.peak) : nothing,
        .p50_w = full && percentiles ? fw_power_to_watts(fw_meter_percentile(meter, i, 0.50)) : nothing,
        .p95_w = full && percentiles ? fw_power_to_watts(fw_meter_percentile(meter, i, 0.95)) : nothing,
        .p99_w = full && percentiles ? fw_power_to_watts(fw_meter_percentile(meter, i, 0.99)) : nothing,
        .p999_w = full && percentiles ? fw_power_to_watts(fw_meter_percentile(meter, i, 0.999)) : nothing,
    };
  }
}

/* The tree of power domains and their meters. */
#ifndef FW_FLEET_DOMAIN_H
#define FW_FLEET_DOMAIN_H

#include "sim/engine/meter.h"
#include "sim/fleet/protection.h"
#include "sim/fleet/result.h"
#include "sim/scenario/scenario.h"

#define FWI_NO_PARENT SIZE_MAX

typedef struct fwi_domain {
  fw_domain_level level;
  size_t index;
  size_t parent;              /* position in the array, or FWI_NO_PARENT */
  fw_power_mw budget;         /* 0: none, or (site) given with every tick */
  fw_energy_pj tick_budget;   /* likewise; FW_METER_NO_BUDGET: none */
  fw_energy_pj base_per_tick; /* nodes: GPUs without a job, and what the node draws beyond its GPUs */
  fw_energy_pj tick_energy;   /* of the present tick */
  fw_energy_pj energy;        /* since the start, or the restart */
  fw_meter *meter;            /* NULL: nobody asks for its windows */
  fwi_protection *protection; /* NULL: no breakers */
} fwi_domain;

/* What is asked of a domain less often than at every tick: for breakers that take its power. */
typedef struct fwi_extent {
  size_t first_node;
  size_t end_node;
  size_t idle_gpus;           /* nodes: GPUs without a job */
  fw_energy_pj most_per_tick; /* with every GPU at the most that it can draw */
  bool opens;                 /* its breakers opened at the end of the last tick */
  fw_time_ns dark_until;      /* nodes: without power until then */
} fwi_extent;

/* Children stand before their parents, the site is last. */
typedef struct fwi_domains {
  fwi_domain *data;
  fwi_extent *extents; /* of each */
  size_t count;
  size_t node_count;
  fw_time_ns tick;
  fw_supply supply;      /* of each node */
  size_t opening;        /* domains whose breakers opened at the end of the last tick */
  fw_time_ns dark_until; /* the latest of the nodes' */
} fwi_domains;

/* `used_gpus` is the number of GPUs that have a job: the first ones; `site_budget` the base budget of the site, 0:
 * none. Without `all`, only the site and domains with a budget have a meter, the others their energy alone; percentiles
 * are the site's. */
fw_status fwi_domains_create(const fw_scenario *scenario, size_t used_gpus, fw_power_mw site_budget, bool all,
                             bool percentiles, fwi_domains *out, fw_diagnostics *diagnostics);
void fwi_domains_free(fwi_domains *domains);

/* A tick that begins at `from`: begin, add the energy of each job's GPUs to their nodes, end. `site_budget` is the
 * energy that the site is allowed. */
void fwi_domains_begin(fwi_domains *domains, fw_time_ns from);
static inline void fwi_domains_add(fwi_domains *domains, size_t node, fw_energy_pj energy) {
  domains->data[node].tick_energy += energy;
}
fw_status fwi_domains_end(fwi_domains *domains, fw_energy_pj site_budget, fw_diagnostics *diagnostics);

/* As fw_breaker_ticks_to_trip of all breakers that may take power. */
size_t fwi_domains_ticks_to_trip(const fwi_domains *domains, size_t most);

/* The nodes of a domain are without power until `until`. */
void fwi_domains_darken(fwi_domains *domains, size_t domain, fw_time_ns until);

/* What is without power in a tick that begins at `from`: whole nodes, and their GPUs without a job. */
typedef struct fwi_dark {
  size_t nodes;
  size_t idle_gpus;
} fwi_dark;

fwi_dark fwi_domains_dark(const fwi_domains *domains, fw_time_ns from);

fwi_domain *fwi_domains_site(const fwi_domains *domains);
void fwi_domains_restart(fwi_domains *domains);

/* A meter for any domain, over the scenario's windows; with percentiles or without. */
fw_status fwi_domain_meter(const fw_scenario *scenario, bool percentiles, fw_meter **out, fw_diagnostics *diagnostics);

/* All windows of a meter as results; percentiles are NaN where it keeps none. */
void fwi_meter_results(const fw_meter *meter, size_t window_count, bool budget, bool percentiles,
                       fw_window_result *out);

#endif

/* Breakers that take the power of what is behind them.
 *
 * A trip is known once a tick of the whole domain has been added up, but jobs run ahead of that through windows of many
 * seconds. So a window ends where a breaker may trip at the earliest, given its heat now and the most that its GPUs can
 * draw: far off while it is cool, a tick ahead when it is about to trip. A trip then falls on the end of a window,
 * where all jobs stand at the same instant and nothing has to be taken back. */
#include "sim/fleet/state.h"

fw_time_ns fwi_sim_before_trip(const fw_sim *sim, fw_time_ns from, fw_time_ns end) {
  const fw_time_ns tick = sim->scenario->tick;
  const size_t most = (size_t)((end - from) / tick);
  const size_t ticks = fwi_domains_ticks_to_trip(&sim->domains, most);
  return ticks < most ? from + (fw_time_ns)ticks * tick : end;
}

/* The whole job goes down where any of its GPUs loses its power, unless its program goes on without them. */
static fw_status take_from_job(fwi_job *job, size_t first_gpu, size_t end_gpu, const fw_outage *outage,
                               fw_diagnostics *diagnostics) {
  const size_t first = job->spec->first_gpu;
  const size_t end = first + job->spec->gpus;
  const size_t from = first > first_gpu ? first : first_gpu;
  const size_t to = end < end_gpu ? end : end_gpu;
  return from < to ? fwi_job_lose_power(job, from - first, to - from, outage, diagnostics) : FW_OK;
}

static fw_status take_from_domain(fw_sim *sim, size_t domain, fw_time_ns now, const fw_outage *outage,
                                  fw_diagnostics *diagnostics) {
  const fwi_extent *extent = &sim->domains.extents[domain];
  const size_t per_node = sim->scenario->topology.gpus_per_node;
  fw_status status = FW_OK;
  fwi_domains_darken(&sim->domains, domain, fw_time_after(now, outage->down));
  for (size_t j = 0; j < sim->job_count && status == FW_OK; j++) {
    status =
        take_from_job(&sim->jobs[j], extent->first_node * per_node, extent->end_node * per_node, outage, diagnostics);
  }
  return status;
}

fw_status fwi_sim_take_power(fw_sim *sim, fw_time_ns now, fw_diagnostics *diagnostics) {
  const fw_breaker_model *breaker = &sim->scenario->electrical.breaker;
  const fw_time_ns tick = sim->scenario->tick;
  /* Breakers count whole ticks; GPUs of the job that keep their power idle. */
  const fw_outage outage = {
      .down = ((breaker->outage - 1) / tick + 1) * tick, .load = breaker->load, .power = sim->scenario->gpu.idle};
  fw_status status = FW_OK;
  for (size_t i = 0; i < sim->domains.count && status == FW_OK; i++) {
    if (sim->domains.extents[i].opens) {
      sim->domains.extents[i].opens = false;
      status = take_from_domain(sim, i, now, &outage, diagnostics);
    }
  }
  return status;
}

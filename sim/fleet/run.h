/* One run: a simulation driven by one policy arm of its scenario. */
#ifndef FW_FLEET_RUN_H
#define FW_FLEET_RUN_H

#include <signal.h>

#include "sim/fleet/sim.h"

typedef struct fw_run_options {
  size_t policy;        /* index into the scenario's policies */
  size_t budget;        /* index into its budgets */
  const size_t *others; /* further budgets to judge against, for a policy that ignores budgets */
  size_t other_count;
  uint64_t seed;
  unsigned threads;
  const fw_sim_observer *observer;
  const volatile sig_atomic_t *cancel; /* set from outside to stop early; or NULL */
  bool all_domains;                    /* results of domains without a budget hold windows, too */
  const fw_prepared *prepared;         /* as in fw_sim_options */
} fw_run_options;

/* Runs to the end. Errors name the policy and, where one job is concerned, the job. */
fw_status fw_run(const fw_scenario *scenario, const fw_run_options *options, fw_result *out,
                 fw_diagnostics *diagnostics);

#endif

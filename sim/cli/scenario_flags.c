/* From flags to overrides. */
#include "sim/cli/scenario_flags.h"

#include <limits.h>

fw_status fwi_read_scenario(const char *path, const fwi_scenario_flags *flags, fw_scenario **out,
                            fw_diagnostics *diagnostics) {
  fw_scenario_overrides overrides = {.seeds = (size_t)flags->seeds,
                                     .oversubscription = flags->oversubscription.values,
                                     .oversubscription_count = flags->oversubscription.count,
                                     .policies = flags->policies.values,
                                     .policy_count = flags->policies.count,
                                     .trace = flags->trace,
                                     .share = fwi_share_folder()};
  if (flags->hours > 0.0 && !fw_time_from_seconds(flags->hours * 3600.0, &overrides.duration)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--hours %g is too long", flags->hours);
  }
  if (flags->threads > (uint64_t)INT_MAX || flags->seeds > UINT64_C(1000000)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--threads or --seeds is too large");
  }
  return fw_scenario_read(path, &overrides, out, diagnostics);
}

/* From flags to overrides, and from results to where the flags want them. */
#include "sim/cli/scenario_flags.h"

#include <limits.h>

fw_status fwi_overrides(const fwi_scenario_flags *flags, fw_scenario_overrides *out, fw_diagnostics *diagnostics) {
  *out = (fw_scenario_overrides){.seeds = (size_t)flags->seeds,
                                 .oversubscription = flags->oversubscription.values,
                                 .oversubscription_count = flags->oversubscription.count,
                                 .policies = flags->policies.values,
                                 .policy_count = flags->policies.count,
                                 .trace = flags->trace,
                                 .share = fwi_share_folder()};
  if (flags->hours > 0.0 && !fw_time_from_seconds(flags->hours * 3600.0, &out->duration)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--hours %g is too long", flags->hours);
  }
  if (flags->threads > (uint64_t)INT_MAX || flags->seeds > UINT64_C(1000000)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--threads or --seeds is too large");
  }
  return FW_OK;
}

fw_status fwi_read_scenario(const char *path, const fwi_scenario_flags *flags, fw_scenario **out,
                            fw_diagnostics *diagnostics) {
  fw_scenario_overrides overrides;
  fw_status status = fwi_overrides(flags, &overrides, diagnostics);
  status = status == FW_OK ? fw_scenario_read(path, &overrides, out, diagnostics) : status;
  if (status == FW_OK && flags->trace != NULL && !(*out)->takes_trace) {
    fw_scenario_free(*out);
    *out = NULL;
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = path},
                      "--trace: no job has a trace that is \"given\"; leave it out");
  }
  return status;
}

static fw_status render(fwi_render as, const void *result, const char *path, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  as(result, diagnostics, &text);
  const fw_status status = fwi_output(&text, path, diagnostics);
  fw_text_clear(&text);
  return status;
}

fw_status fwi_deliver(const fwi_scenario_flags *flags, fwi_render as_text, fwi_render as_json, const void *result,
                      fw_diagnostics *diagnostics) {
  const fw_status saved = flags->save != NULL ? render(as_json, result, flags->save, diagnostics) : FW_OK;
  const fw_status printed = render(flags->json ? as_json : as_text, result, flags->output, diagnostics);
  return saved != FW_OK ? saved : printed;
}

/* Recordings and what goes with each. */
#include "sim/cli/recording_flags.h"

#include <string.h>

fw_status fwi_read_series_kind(const char *name, fw_series_kind *out, fw_diagnostics *diagnostics) {
  for (size_t i = 0; fw_series_kind_names[i] != NULL; i++) {
    if (strcmp(fw_series_kind_names[i], name) == 0) {
      *out = (fw_series_kind)i;
      return FW_OK;
    }
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--kind %s: expected instant, mean_from or mean_to",
                  name);
}

/* One file for each recording, or none at all. */
static fw_status check_count(const char *flag, const fwi_words *files, size_t traces, fw_diagnostics *diagnostics) {
  if (files->count == 0 || files->count == traces) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "%s names %zu files for %zu recordings: name one for each", flag, files->count, traces);
}

fw_status fwi_read_recording_flags(const fwi_recording_flags *flags, const fwi_operands *traces,
                                   fw_occupancy_options *out, fw_diagnostics *diagnostics) {
  fw_occupancy_options one = {
      .utilization = flags->utilization, .role = flags->role, .skipped_phases = (size_t)flags->skipped_phases};
  fw_status status = fwi_read_series_kind(flags->kind, &one.kind_if_unstated, diagnostics);
  if (status == FW_OK) status = check_count("--counters", &flags->counters, traces->count, diagnostics);
  if (status == FW_OK) status = check_count("--phases", &flags->phases, traces->count, diagnostics);
  if (status != FW_OK) return status;
  if (!fw_time_from_seconds(flags->tick_s, &one.tick) || one.tick <= 0 || one.tick > 3600 * FW_NS_PER_S) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--tick: expected seconds from 1e-9 to 3600");
  }
  for (size_t i = 0; i < traces->count; i++) {
    out[i] = one;
    out[i].trace = traces->values[i];
    out[i].counters = flags->counters.count > 0 ? flags->counters.values[i] : NULL;
    out[i].phases = flags->phases.count > 0 ? flags->phases.values[i] : NULL;
  }
  return FW_OK;
}

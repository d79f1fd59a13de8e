/* The flags that all commands on recordings with an occupancy share. */
#ifndef FW_CLI_RECORDING_FLAGS_H
#define FW_CLI_RECORDING_FLAGS_H

#include "sim/cli/cli.h"
#include "traces/occupancy.h"

typedef struct fwi_recording_flags {
  const char *kind;
  fwi_words counters;
  fwi_words phases;
  bool utilization;
  const char *role;
  double tick_s;
  uint64_t skipped_phases;
} fwi_recording_flags;

#define FWI_RECORDING_DEFAULTS                                                                                         \
  { .kind = "instant", .tick_s = 0.5, .skipped_phases = 1 }

#define FWI_RECORDING_FLAGS(values)                                                                                    \
  {"--counters", FWI_FLAG_WORDS, &(values).counters, "FILE,FILE",                                                      \
   "engine counters of each recording, in order (default: its own columns)"},                                          \
      {"--phases", FWI_FLAG_WORDS, &(values).phases, "FILE,FILE", "phases of each recording, in order"},               \
      {"--utilization", FWI_FLAG_SWITCH, &(values).utilization, NULL,                                                  \
       "the recordings' utilization_pct says how much of the time was work"},                                          \
      {"--kind", FWI_FLAG_TEXT, &(values).kind, "KIND",                                                                \
       "instant, mean_from or mean_to, where a file does not say (default instant)"},                                  \
      {"--role", FWI_FLAG_TEXT, &(values).role, "ROLE", "use the GPUs of this role only"},                             \
      {"--tick", FWI_FLAG_NUMBER, &(values).tick_s, "S", "model tick in seconds (default 0.5)"}, {                     \
    "--skip-phases", FWI_FLAG_UNSIGNED, &(values).skipped_phases, "N",                                                 \
        "work phases at the start of a phases file to leave out: engines warm up (default 1)"                          \
  }

#define FWI_RECORDING_RULES                                                                                            \
  {"--skip-phases", FWI_NEEDS, "--phases", "it leaves out the first of these"}, {                                      \
    "--phases", FWI_EXCLUDES, "--counters", "both say what the job did"                                                \
  }

/* One set of options for each recording, into `out` of FWI_LIST_LIMIT. */
fw_status fwi_read_recording_flags(const fwi_recording_flags *flags, const fwi_operands *traces,
                                   fw_occupancy_options *out, fw_diagnostics *diagnostics);

/* The series kind of that name. */
fw_status fwi_read_series_kind(const char *name, fw_series_kind *out, fw_diagnostics *diagnostics);

#endif

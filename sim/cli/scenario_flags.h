/* The flags that all commands on a scenario share, and the scenario that they lead to. */
#ifndef FW_CLI_SCENARIO_FLAGS_H
#define FW_CLI_SCENARIO_FLAGS_H

#include "sim/cli/cli.h"
#include "sim/scenario/scenario.h"

typedef struct fwi_scenario_flags {
  double hours;
  uint64_t seeds;
  uint64_t threads;
  fwi_numbers oversubscription;
  fwi_words policies;
  const char *trace;
  bool json;
  const char *output;
  const char *save;
} fwi_scenario_flags;

#define FWI_HOURS_FLAG(values)                                                                                         \
  { "--hours", FWI_FLAG_NUMBER, &(values).hours, "H", "simulated time instead of the file's" }
#define FWI_THREADS_FLAG(values)                                                                                       \
  { "--threads", FWI_FLAG_COUNT, &(values).threads, "N", "threads; results do not depend on it (default: all)" }
#define FWI_TRACE_FLAG(values)                                                                                         \
  { "--trace", FWI_FLAG_TEXT, &(values).trace, "FILE", "recording for a replay job whose trace is \"given\"" }
#define FWI_JSON_FLAG(values)                                                                                          \
  { "--json", FWI_FLAG_SWITCH, &(values).json, NULL, "print JSON instead of tables" }
#define FWI_OUTPUT_FLAG(values)                                                                                        \
  { "--output", FWI_FLAG_OUTPUT, &(values).output, "FILE", "write to FILE instead of standard output" }

#define FWI_SAVE_FLAG(values)                                                                                          \
  { "--save", FWI_FLAG_OUTPUT, &(values).save, "FILE", "also write the JSON to FILE, whatever is printed" }

/* What the flags say, checked; shares their lists. */
fw_status fwi_overrides(const fwi_scenario_flags *flags, fw_scenario_overrides *out, fw_diagnostics *diagnostics);

/* Reads the scenario under the flags' overrides. */
fw_status fwi_read_scenario(const char *path, const fwi_scenario_flags *flags, fw_scenario **out,
                            fw_diagnostics *diagnostics);

/* A result as text or as JSON; `result` is the command's own. */
typedef void (*fwi_render)(const void *result, const fw_diagnostics *diagnostics, fw_text *out);

/* Writes a result as the flags ask: the JSON to --save first, so that a closed pipe does not lose it, then what is
 * printed. */
fw_status fwi_deliver(const fwi_scenario_flags *flags, fwi_render as_text, fwi_render as_json, const void *result,
                      fw_diagnostics *diagnostics);

#endif

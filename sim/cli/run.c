/* fleetwatt run */
#include <stdio.h>
#include <string.h>

#include "sim/cli/scenario_flags.h"
#include "sim/cli/series.h"
#include "sim/fleet/digest.h"

static int run(int argc, char **argv);

const fwi_command fwi_run_command = {"run",
                                     "one run of one policy, with its details",
                                     "SCENARIO",
                                     NULL,
                                     "fleetwatt run scenarios/job72b-live.json --policies static-4 --series out.csv",
                                     run};

typedef struct run_flags {
  fwi_scenario_flags scenario;
  const char *seed; /* NULL: the file's; every number is a seed, so none can stand for that */
  const char *series;
  bool digest;
} run_flags;

typedef struct run_outcome {
  fw_result result;
  char digest[FW_DIGEST_TEXT_SIZE]; /* empty when it was not asked for */
} run_outcome;

static fw_status observe(const fw_scenario *scenario, const run_flags *flags, const fw_sim_observer *observer,
                         uint64_t seed, run_outcome *out, fw_diagnostics *diagnostics) {
  fw_digest digest;
  fw_run_options options = {.seed = seed,
                            .all_domains = true,
                            .threads = (unsigned)flags->scenario.threads,
                            .observer = observer,
                            .cancel = fwi_watch_interrupt()};
  if (flags->digest) {
    fw_digest_start(&digest, observer);
    options.observer = &digest.observer;
  }
  const fw_status status = fw_run(scenario, &options, &out->result, diagnostics);
  if (status == FW_OK && flags->digest) {
    fw_digest_format(&digest, out->digest);
  }
  return status;
}

/* Runs with the series written along when one is asked for. */
static fw_status simulate(const fw_scenario *scenario, const run_flags *flags, uint64_t seed, run_outcome *out,
                          fw_diagnostics *diagnostics) {
  if (flags->series == NULL) {
    return observe(scenario, flags, NULL, seed, out, diagnostics);
  }
  (void)fwi_watch_interrupt(); /* before there is a file that would be left behind */
  fwi_series_writer writer = {0};
  fw_status status = fwi_series_open(&writer, flags->series, scenario, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  status = observe(scenario, flags, &writer.observer, seed, out, diagnostics);
  return fwi_series_close(&writer, status, diagnostics);
}

static void as_text(const void *report, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_run_text(report, diagnostics, out);
}

static void as_json(const void *report, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_run_json(report, diagnostics, out);
}

static fw_status read_seed(const char *text, uint64_t *seed, fw_diagnostics *diagnostics) {
  if (text == NULL || fw_uint64_parse(text, strlen(text), seed)) {
    return FW_OK;
  }
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "--seed %s: expected a whole number, 0 to 18446744073709551615", text);
}

static fw_status check_single(const fwi_scenario_flags *flags, fw_diagnostics *diagnostics) {
  const char *flag = NULL;
  if (flags->policies.count > 1) {
    flag = "--policies";
  } else if (flags->oversubscription.count > 1) {
    flag = "--oversubscription";
  }
  return flag == NULL ? FW_OK
                      : fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                                 "%s: a run is of one policy at one budget; fleetwatt compare takes several", flag);
}

static fw_status run_scenario(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  const run_flags *flags = values;
  fw_scenario *scenario = NULL;
  fw_status status = check_single(&flags->scenario, diagnostics);
  status = status == FW_OK ? fwi_read_scenario(operands->values[0], &flags->scenario, &scenario, diagnostics) : status;
  if (status != FW_OK) {
    return status;
  }
  run_outcome outcome = {.digest = ""};
  uint64_t seed = scenario->seed;
  status = read_seed(flags->seed, &seed, diagnostics);
  status = status == FW_OK ? fw_authority_warn(scenario, 1, FW_AUTHORITY_THRESHOLD, diagnostics) : status;
  status = status == FW_OK ? simulate(scenario, flags, seed, &outcome, diagnostics) : status;
  if (status == FW_OK) {
    const fw_report_run report = {.scenario = scenario,
                                  .seed = seed,
                                  .result = &outcome.result,
                                  .digest = outcome.digest[0] != '\0' ? outcome.digest : NULL};
    status = fwi_deliver(&flags->scenario, as_text, as_json, &report, diagnostics);
  }
  fw_result_clear(&outcome.result);
  fw_scenario_free(scenario);
  return status;
}

static int run(int argc, char **argv) {
  run_flags values = {0};
  const fwi_flag flags[] = {
      {"--policies", FWI_FLAG_WORDS, &values.scenario.policies, "NAME", "the policy to run (default: the first)"},
      {"--oversubscription", FWI_FLAG_NUMBERS, &values.scenario.oversubscription, "X",
       "this ratio instead of the file's first budget"},
      {"--seed", FWI_FLAG_TEXT, &values.seed, "N", "seed instead of the file's"},
      FWI_HOURS_FLAG(values.scenario),
      {"--series", FWI_FLAG_OUTPUT, &values.series, "FILE", "write power as CSV, and events and actuators beside it"},
      {"--digest", FWI_FLAG_SWITCH, &values.digest, NULL,
       "say 16 digits that stand for every tick and event of the run"},
      FWI_TRACE_FLAG(values.scenario),
      {"--threads", FWI_FLAG_COUNT, &values.scenario.threads, "N",
       "threads for the jobs of a large fleet; results do not depend on it (default: 1)"},
      FWI_JSON_FLAG(values.scenario),
      FWI_OUTPUT_FLAG(values.scenario),
      FWI_SAVE_FLAG(values.scenario),
  };
  const fwi_invocation invocation = {&fwi_run_command, flags,   sizeof flags / sizeof flags[0],
                                     run_scenario,     &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

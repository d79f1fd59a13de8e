/* fleetwatt train */
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/cli/scenario_flags.h"
#include "sim/report/trained_report.h"

static int run(int argc, char **argv);

const fwi_command fwi_train_command = {
    "train",
    "train policies on a scenario, one for each training seed",
    "SCENARIO",
    NULL,
    "fleetwatt train scenarios/job72b-live.json --plan policies/weights/job72b.train.json -o job72b.safetensors",
    run};

typedef struct train_flags {
  fwi_scenario_flags scenario;
  const char *plan;
  const char *weights;
  uint64_t seeds;
  uint64_t decisions;
  bool resume;
} train_flags;

static const char extension[] = ".safetensors";

/* OUT of OUT.safetensors; caller frees. */
static fw_status output_of(const train_flags *flags, char **out, fw_diagnostics *diagnostics) {
  const size_t length = flags->weights != NULL ? strlen(flags->weights) : 0;
  const size_t end = sizeof extension - 1;
  if (length <= end || strcmp(flags->weights + length - end, extension) != 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "-o: give a file for the weights, ending in .safetensors");
  }
  *out = fw_copy_text(flags->weights);
  if (*out == NULL) {
    return fw_error_memory(diagnostics, "the name of the weights");
  }
  (*out)[length - end] = '\0';
  return FW_OK;
}

static fw_status read_plan(const train_flags *flags, fw_train_plan *plan, fw_diagnostics *diagnostics) {
  if (flags->plan == NULL) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "--plan: give a file that says how to train, such as policies/weights/job72b.train.json");
  }
  const fw_status status = fw_train_plan_read(flags->plan, plan, diagnostics);
  plan->seeds = flags->seeds > 0 ? flags->seeds : plan->seeds;
  plan->ppo.decisions = flags->decisions > 0 ? flags->decisions : plan->ppo.decisions;
  return status;
}

static void as_text(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_train_text(result, diagnostics, out);
}

static void as_json(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_train_json(result, diagnostics, out);
}

static fw_status train(const fw_scenario *scenario, const fw_train_plan *plan, const char *output,
                       const train_flags *flags, fw_diagnostics *diagnostics) {
  fwi_progress progress = fwi_progress_start("train");
  const fw_train_options options = {.scenario = scenario,
                                    .plan = plan,
                                    .output = output,
                                    .resume = flags->resume,
                                    .study = {.threads = (unsigned)flags->scenario.threads,
                                              .progress = fwi_progress_show,
                                              .progress_context = &progress,
                                              .cancel = fwi_watch_interrupt()}};
  fw_train_result result = {0};
  fw_status status = fw_train(&options, &result, diagnostics);
  fwi_progress_end(&progress);
  if (status == FW_OK) {
    status = fwi_deliver(&flags->scenario, as_text, as_json, &result, diagnostics);
    fw_train_clear(&result);
  }
  return status;
}

static fw_status act(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  const train_flags *flags = values;
  fw_scenario *scenario = NULL;
  fw_train_plan plan = {0};
  char *output = NULL;
  fw_status status = output_of(flags, &output, diagnostics);
  status = status == FW_OK ? read_plan(flags, &plan, diagnostics) : status;
  status = status == FW_OK ? fwi_read_scenario(operands->values[0], &flags->scenario, &scenario, diagnostics) : status;
  status = status == FW_OK ? train(scenario, &plan, output, flags, diagnostics) : status;
  fw_scenario_free(scenario);
  fw_record_clear(&fw_train_plan_record, &plan);
  free(output);
  return status;
}

static int run(int argc, char **argv) {
  train_flags values = {.scenario = {.hours = 0.0}};
  const fwi_flag flags[] = {
      {"--plan", FWI_FLAG_TEXT, &values.plan, "FILE", "what to train and how: fleetwatt schema --of training"},
      {"-o", FWI_FLAG_OUTPUT, &values.weights, "OUT.safetensors",
       "the weights that validate best; those of seed N go to OUT-N.safetensors, its log to OUT-N.csv"},
      {"--seeds", FWI_FLAG_COUNT, &values.seeds, "N", "training seeds instead of the plan's"},
      {"--decisions", FWI_FLAG_COUNT, &values.decisions, "N", "decisions of each seed instead of the plan's"},
      {"--resume", FWI_FLAG_SWITCH, &values.resume, NULL, "go on from what a former training left"},
      {"--policies", FWI_FLAG_WORDS, &values.scenario.policies, "A,B",
       "arms of the scenario to read; their weights must be there, even if training does not use them"},
      FWI_HOURS_FLAG(values.scenario),
      FWI_THREADS_FLAG(values.scenario),
      FWI_JSON_FLAG(values.scenario),
      FWI_OUTPUT_FLAG(values.scenario),
      FWI_SAVE_FLAG(values.scenario),
  };
  const fwi_invocation invocation = {&fwi_train_command, flags, sizeof flags / sizeof flags[0], act, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

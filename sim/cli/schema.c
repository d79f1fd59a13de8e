/* fleetwatt schema */
#include "models/gpu.h"
#include "models/job.h"

#include <string.h>

#include "sim/base/reference.h"
#include "sim/cli/cli.h"
#include "sim/scenario/scenario.h"
#include "sim/study/train/contest.h"
#include "sim/study/train/train.h"

static int run(int argc, char **argv);

const fwi_command fwi_schema_command = {"schema",
                                        "the JSON Schema of scenario and parameter files, or their reference",
                                        NULL,
                                        NULL,
                                        "fleetwatt schema --of scenario > scenario.schema.json",
                                        run};

typedef struct schema_flags {
  const char *of;
  const char *output;
  bool markdown;
} schema_flags;

/* Kinds of files but scenarios, which are printed by a function of their own. */
static const struct {
  const char *name;
  const fw_record *record;
} kinds[] = {
    {"gpu", &fw_gpu_model_record},
    {"job", &fw_job_model_record},
    {"training", &fw_train_plan_record},
    {"contest", &fw_contest_plan_record},
};

static const fw_record *find_record(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].name, name) == 0) {
      return kinds[i].record;
    }
  }
  return NULL;
}

static fw_status add_text(const schema_flags *flags, fw_text *text, fw_diagnostics *diagnostics) {
  const fw_record *record = find_record(flags->of);
  if (record == NULL && strcmp(flags->of, "scenario") != 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "--of %s: expected scenario, gpu, job, training or contest", flags->of);
  }
  if (record == NULL) {
    (flags->markdown ? fw_scenario_reference : fw_scenario_schema)(text);
  } else if (flags->markdown) {
    fw_record_reference(record, text);
  } else {
    fw_record_schema(record, flags->of, text);
  }
  return FW_OK;
}

static fw_status print_schema(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  (void)operands; /* the command has none */
  const schema_flags *flags = values;
  fw_text text = FW_TEXT_INIT;
  fw_status status = add_text(flags, &text, diagnostics);
  status = status == FW_OK ? fwi_output(&text, flags->output, diagnostics) : status;
  fw_text_clear(&text);
  return status;
}

static int run(int argc, char **argv) {
  schema_flags values = {.of = "scenario"};
  const fwi_flag flags[] = {
      {"--of", FWI_FLAG_TEXT, &values.of, "KIND", "scenario, gpu, job, training or contest (default scenario)"},
      {"--markdown", FWI_FLAG_SWITCH, &values.markdown, NULL, "print the reference of all keys as Markdown instead"},
      {"--output", FWI_FLAG_OUTPUT, &values.output, "FILE", "write to FILE instead of standard output"},
  };
  const fwi_invocation invocation = {&fwi_schema_command, flags,   sizeof flags / sizeof flags[0],
                                     print_schema,        &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

/* fleetwatt schema */
#include "models/gpu.h"
#include "models/job.h"

#include <string.h>

#include "sim/base/reference.h"
#include "sim/cli/cli.h"
#include "sim/scenario/scenario.h"

static int run(int argc, char **argv);

const fwi_command fwi_schema_command = {"schema", "the JSON Schema of scenario and parameter files, or their reference",
                                        NULL, "fleetwatt schema --of scenario > scenario.schema.json", run};

static fw_status add_text(const char *of, bool markdown, fw_text *text, fw_diagnostics *diagnostics) {
  const fw_record *record = NULL;
  if (strcmp(of, "gpu") == 0) {
    record = &fw_gpu_model_record;
  } else if (strcmp(of, "job") == 0) {
    record = &fw_job_model_record;
  } else if (strcmp(of, "scenario") != 0) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--of %s: expected scenario, gpu or job", of);
  }
  if (record == NULL) {
    (markdown ? fw_scenario_reference : fw_scenario_schema)(text);
  } else if (markdown) {
    fw_record_reference(record, text);
  } else {
    fw_record_schema(record, of, text);
  }
  return FW_OK;
}

static int run(int argc, char **argv) {
  const char *of = "scenario";
  const char *output = NULL;
  bool markdown = false;
  const fwi_flag flags[] = {
      {"--of", FWI_FLAG_TEXT, &of, "KIND", "scenario, gpu or job (default scenario)"},
      {"--markdown", FWI_FLAG_SWITCH, &markdown, NULL, "print the reference of all keys as Markdown instead"},
      {"--output", FWI_FLAG_TEXT, &output, "FILE", "write to FILE instead of standard output"},
  };
  const size_t count = sizeof flags / sizeof flags[0];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  bool help = false;
  fw_status status = fwi_flags_parse(&fwi_schema_command, flags, count, argc, argv, NULL, &help, &diagnostics);
  if (help) {
    fwi_flags_print_help(&fwi_schema_command, flags, count);
  } else if (status == FW_OK) {
    fw_text text = FW_TEXT_INIT;
    status = add_text(of, markdown, &text, &diagnostics);
    status = status == FW_OK ? fwi_output(&text, output, &diagnostics) : status;
    fw_text_clear(&text);
  }
  return fwi_finish(&diagnostics, status);
}

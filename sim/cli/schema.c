/* fleetwatt schema */
#include "models/gpu.h"
#include "models/job.h"

#include <string.h>

#include "sim/cli/cli.h"
#include "sim/scenario/scenario.h"

static int run(int argc, char **argv);

const fwi_command fwi_schema_command = {"schema", "the JSON Schema of scenario and parameter files", NULL,
                                        "fleetwatt schema --of scenario > scenario.schema.json", run};

static fw_status print_schema(const char *of, const char *path, fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  if (strcmp(of, "scenario") == 0) {
    fw_scenario_schema(&text);
  } else if (strcmp(of, "gpu") == 0) {
    fw_record_schema(&fw_gpu_model_record, "gpu", &text);
  } else if (strcmp(of, "job") == 0) {
    fw_record_schema(&fw_job_model_record, "job", &text);
  } else {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0}, "--of %s: expected scenario, gpu or job", of);
  }
  const fw_status status = fwi_output(&text, path, diagnostics);
  fw_text_clear(&text);
  return status;
}

static int run(int argc, char **argv) {
  const char *of = "scenario";
  const char *output = NULL;
  const fwi_flag flags[] = {
      {"--of", FWI_FLAG_TEXT, &of, "KIND", "scenario, gpu or job (default scenario)"},
      {"--output", FWI_FLAG_TEXT, &output, "FILE", "write to FILE instead of standard output"},
  };
  const size_t count = sizeof flags / sizeof flags[0];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  bool help = false;
  fw_status status = fwi_flags_parse(&fwi_schema_command, flags, count, argc, argv, NULL, &help, &diagnostics);
  if (help) {
    fwi_flags_print_help(&fwi_schema_command, flags, count);
  } else if (status == FW_OK) {
    status = print_schema(of, output, &diagnostics);
  }
  return fwi_finish(&diagnostics, status);
}

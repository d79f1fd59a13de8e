/* fleetwatt contest */
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/cli/scenario_flags.h"
#include "sim/report/contest_report.h"

static int run(int argc, char **argv);

static const fwi_rule rules[] = {{"--markdown", FWI_EXCLUDES, "--json", "one of them is printed"}, {0}};

const fwi_command fwi_contest_command = {
    "contest", "trained policies against rules tuned with the same means",  "CONTEST",
    rules,     "fleetwatt contest scenarios/study/contest.json --markdown", run};

typedef struct contest_flags {
  fwi_scenario_flags shared;
  bool markdown;
} contest_flags;

static void as_text(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_contest_text(result, diagnostics, out);
}

static void as_markdown(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  (void)diagnostics;
  fw_report_contest_markdown(result, out);
}

static void as_json(const void *result, const fw_diagnostics *diagnostics, fw_text *out) {
  fw_report_contest_json(result, diagnostics, out);
}

static fw_status play(const char *path, const fw_contest_plan *plan, const contest_flags *flags,
                      fw_diagnostics *diagnostics) {
  fwi_progress progress = fwi_progress_start("contest");
  const fw_study_options study = {.threads = (unsigned)flags->shared.threads,
                                  .progress = fwi_progress_show,
                                  .progress_context = &progress,
                                  .cancel = fwi_watch_interrupt()};
  fw_contest_result *data = fw_allocate(plan->entries.count, sizeof *data);
  fw_contest_results results = {data, 0};
  fw_status status = data != NULL ? FW_OK : fw_error_memory(diagnostics, "the contests");
  while (status == FW_OK && results.count < plan->entries.count) {
    const fw_contest_entry *entry = (const fw_contest_entry *)plan->entries.data + results.count;
    status = fw_contest(path, entry, fwi_share_folder(), &study, &data[results.count], diagnostics);
    results.count += status == FW_OK;
  }
  fwi_progress_end(&progress);
  status = status == FW_OK
               ? fwi_deliver(&flags->shared, flags->markdown ? as_markdown : as_text, as_json, &results, diagnostics)
               : status;
  for (size_t i = 0; i < results.count; i++) {
    fw_contest_clear(&data[i]);
  }
  free(data);
  return status;
}

static fw_status act(const fwi_operands *operands, void *values, fw_diagnostics *diagnostics) {
  const char *path = operands->values[0];
  fw_contest_plan plan = {0};
  fw_status status = fw_contest_plan_read(path, &plan, diagnostics);
  status = status == FW_OK ? play(path, &plan, values, diagnostics) : status;
  fw_record_clear(&fw_contest_plan_record, &plan);
  return status;
}

static int run(int argc, char **argv) {
  contest_flags values = {.markdown = false};
  const fwi_flag flags[] = {
      {"--markdown", FWI_FLAG_SWITCH, &values.markdown, NULL, "print docs/contest.md instead"},
      FWI_THREADS_FLAG(values.shared),
      FWI_JSON_FLAG(values.shared),
      FWI_OUTPUT_FLAG(values.shared),
      FWI_SAVE_FLAG(values.shared),
  };
  const fwi_invocation invocation = {&fwi_contest_command, flags, sizeof flags / sizeof flags[0], act, &values, NULL};
  return fwi_invoke(&invocation, argc, argv);
}

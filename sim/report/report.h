/* Results for people and for machines. Every function adds to a text buffer; nothing here prints or writes files. */
#ifndef FW_REPORT_REPORT_H
#define FW_REPORT_REPORT_H

#include "sim/base/text.h"
#include "sim/study/authority.h"
#include "sim/study/check/check.h"
#include "sim/study/compare.h"
#include "sim/study/plan/plan.h"
#include "sim/study/reproduce/beyond.h"
#include "sim/study/reproduce/reproduce.h"
#include "sim/study/sweep/stored.h"
#include "sim/study/windows.h"

/* The version that stands in every JSON result. */
extern const char fw_report_version[];

/* `fleetwatt compare`: a table for each budget, and the stable JSON of docs/results.md. */
void fw_report_compare_text(const fw_compare_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_compare_json(const fw_compare_result *result, const fw_diagnostics *diagnostics, fw_text *out);

/* `fleetwatt run`: one run of one arm. */
typedef struct fw_report_run {
  const fw_scenario *scenario;
  size_t policy;
  size_t budget;
  uint64_t seed;
  const fw_result *result;
  const char *digest; /* of the run (digest.h), or NULL */
} fw_report_run;

void fw_report_run_text(const fw_report_run *run, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_run_json(const fw_report_run *run, const fw_diagnostics *diagnostics, fw_text *out);

/* `fleetwatt authority`: a row for each actuator; every setting tried stands in the JSON. */
void fw_report_authority_text(const fw_authority_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_authority_json(const fw_authority_result *result, const fw_diagnostics *diagnostics, fw_text *out);

/* `fleetwatt reproduce`: a table for each published table; the Markdown is docs/validation.md. */
void fw_report_ledger_text(const fw_reproduce_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_ledger_json(const fw_reproduce_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_ledger_markdown(const fw_reproduce_result *result, fw_text *out);

/* `fleetwatt reproduce --beyond`: a section for each question; the Markdown is docs/beyond.md, the CSV the rates over
 * oversubscription. */
void fw_report_beyond_text(const fw_beyond_result *result, fw_text *out);
void fw_report_beyond_markdown(const fw_beyond_result *result, fw_text *out);
void fw_report_beyond_json(const fw_beyond_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_beyond_csv(const fw_beyond_ratios *ratios, fw_text *out);

/* `fleetwatt check`: a line for each file and what does not hold; JSON; JUnit XML; TAP. */
void fw_report_check_text(const fw_check_result *result, fw_text *out);
void fw_report_check_json(const fw_check_result *result, fw_text *out);
void fw_report_check_junit(const fw_check_result *result, fw_text *out);
void fw_report_check_tap(const fw_check_result *result, fw_text *out);

/* What `fleetwatt check --update` is about to write: the old and the new value of each. */
void fw_report_check_changes(const fw_check_file *file, const fw_check_changes *changes, fw_text *out);

/* `fleetwatt sweep` and `fleetwatt results`: studies of a result store. `command` is the one that prints. */
void fw_report_stored_text(const fw_stored_study *study, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_stored_json(const fw_stored_study *study, const char *command, const fw_diagnostics *diagnostics,
                           fw_text *out);
void fw_report_stored_csv(const fw_stored_study *study, fw_text *out);
void fw_report_stored_list_text(const fw_stored_list *list, fw_text *out);
void fw_report_stored_list_json(const fw_stored_list *list, fw_text *out);
void fw_report_stored_comparison_text(const fw_stored_comparison *comparison, fw_text *out);
void fw_report_stored_comparison_json(const fw_stored_comparison *comparison, fw_text *out);

/* `fleetwatt plan`: the answers, and how to read them; the Markdown is docs/planning-fleet16.md, the CSV every ratio
 * that was run. */
void fw_report_plan_text(const fw_plan_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_plan_markdown(const fw_plan_result *result, fw_text *out);
void fw_report_plan_json(const fw_plan_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_plan_csv(const fw_plan_result *result, fw_text *out);

/* `fleetwatt windows`. */
void fw_report_windows_text(const fw_windows_result *result, fw_text *out);
void fw_report_windows_json(const fw_windows_result *result, const fw_diagnostics *diagnostics, fw_text *out);

#endif

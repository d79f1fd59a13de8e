/* `fleetwatt contest`: the Markdown is docs/contest.md. */
#ifndef FW_REPORT_CONTEST_REPORT_H
#define FW_REPORT_CONTEST_REPORT_H

#include "sim/base/text.h"
#include "sim/study/train/contest.h"

typedef struct fw_contest_results {
  const fw_contest_result *data;
  size_t count;
} fw_contest_results;

void fw_report_contest_text(const fw_contest_results *results, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_contest_markdown(const fw_contest_results *results, fw_text *out);
void fw_report_contest_json(const fw_contest_results *results, const fw_diagnostics *diagnostics, fw_text *out);

#endif

/* How well simulated power repeats recordings, for people and for machines: what `fleetwatt validate` prints. */
#ifndef FW_REPORT_FIDELITY_REPORT_H
#define FW_REPORT_FIDELITY_REPORT_H

#include "sim/base/diagnostics.h"
#include "sim/base/text.h"
#include "sim/study/calibrate/fidelity.h"

typedef struct fw_report_fidelity {
  const char *model;                    /* the file */
  const fw_fidelity *runs;              /* one or more, scored with the same windows */
  size_t run_count;                     /* at least 1 */
  const fw_fidelity_summary *summaries; /* of fw_fidelity_summarize */
  const fw_fidelity_limits *limits;
} fw_report_fidelity;

/* For each run its scores, tails and violation rates at each window; then the bars over all runs, with the worst of
 * them; then what could not be barred, and why. */
void fw_report_fidelity_text(const fw_report_fidelity *report, const fw_diagnostics *diagnostics, fw_text *out);

/* All of it, with each GPU of each run. */
void fw_report_fidelity_json(const fw_report_fidelity *report, const fw_diagnostics *diagnostics, fw_text *out);

#endif

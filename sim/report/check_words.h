/* What the reports of a check share: its parts in words. */
#ifndef FW_REPORT_CHECK_WORDS_H
#define FW_REPORT_CHECK_WORDS_H

#include "sim/study/check/check.h"

extern const char *const fwi_check_kind_names[];  /* as in the file */
extern const char *const fwi_check_state_names[]; /* "ok", "failed", "broken", "nothing" */

/* Each adds to `out`, without a line end. */
void fwi_check_title(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out);
void fwi_check_expected(const fw_check_file *file, const fw_check_outcome *outcome, fw_text *out);
void fwi_check_got(const fw_check_outcome *outcome, fw_text *out);
void fwi_check_best_seed(const fw_check_outcome *outcome, fw_text *out); /* nothing for a digest */

/* The command that makes the run of the outcome's seed again; of a comparison there are two, for `policy` and `than`.
 */
void fwi_check_rerun(const fw_check_file *file, const fw_check_outcome *outcome, size_t policy, fw_text *out);

/* The messages of a broken file, one a line, each behind `indent`. */
void fwi_check_messages(const fw_check_file *file, const char *indent, fw_text *out);

#endif

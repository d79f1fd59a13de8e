/* Inside check: one check against the runs that it needs. */
#ifndef FW_STUDY_CHECK_JUDGE_H
#define FW_STUDY_CHECK_JUDGE_H

#include "sim/study/check/check_runs.h"

/* Fills all but `check` and `block`, which are given. */
fw_status fwi_check_judge(const fwi_check_pool *pool, fw_check_outcome *outcome, fw_diagnostics *diagnostics);

/* Whether a recorded value, or another one in its place, agrees with what was got. */
bool fwi_check_agrees(const fw_expectation *check, double value, double got);

#endif

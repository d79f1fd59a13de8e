/* `fleetwatt train` and `fleetwatt evaluate` for people and for machines. */
#ifndef FW_REPORT_TRAINED_REPORT_H
#define FW_REPORT_TRAINED_REPORT_H

#include "sim/base/text.h"
#include "sim/study/train/evaluate.h"
#include "sim/study/train/train.h"

/* A line for each training seed, and which was kept. */
void fw_report_train_text(const fw_train_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_train_json(const fw_train_result *result, const fw_diagnostics *diagnostics, fw_text *out);

/* A line for each trained policy, how many pass, and what is to be expected of training another. */
void fw_report_evaluate_text(const fw_evaluate_result *result, const fw_diagnostics *diagnostics, fw_text *out);
void fw_report_evaluate_json(const fw_evaluate_result *result, const fw_diagnostics *diagnostics, fw_text *out);

#endif

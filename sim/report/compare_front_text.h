/* The part of a comparison's report that sets arms against each other by tokens and violation rate. */
#ifndef FW_REPORT_COMPARE_FRONT_TEXT_H
#define FW_REPORT_COMPARE_FRONT_TEXT_H

#include "sim/base/text.h"
#include "sim/study/compare.h"

/* Adds the arms that no other one dominates, by window, and tokens at the rate that was asked for, by kind of policy.
 */
void fwi_compare_fronts_add(const fw_compare_result *result, size_t budget, fw_text *out);

#endif

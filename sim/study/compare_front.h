/* Which arms of a comparison are worth having, and what rules make at equal violation rates. */
#ifndef FW_STUDY_COMPARE_FRONT_H
#define FW_STUDY_COMPARE_FRONT_H

#include "sim/study/compare.h"

/* Another arm at the same budget has as many tokens at as low a violation rate at `window`, and more of the one or less
 * of the other. False where an arm has no rate there. */
bool fw_compare_dominated(const fw_compare_result *result, size_t arm, size_t window);

/* Two arms at one budget whose policies, of jobs and of the fleet, are of the same types. */
bool fw_compare_alike(const fw_compare_result *result, size_t one, size_t other);

/* Tokens at `rate` along the front of the arms alike to `arm`, in proportion between two of them. NaN where the front
 * does not reach the rate. */
double fw_compare_tokens_at(const fw_compare_result *result, size_t arm, size_t window, double rate);

#endif

/* The level: mean power of one GPU in a phase, as a function of occupancy.
 *
 * What sets the level of a rollout is the number of sequences in flight, not the volume of work. The form of the curve
 * is data in the parameter file:
 *
 *   constant   P = p
 *   log2       P = p1 + k log2(c), flat from `saturation` on
 *   logistic   P = p0 + dp / (1 + exp(-slope (log2 c - midpoint)))
 *   roofline   P = p_base + p_compute u_c + p_memory sqrt(u_m)
 *   table      P linear in log2 c between the points (concurrency, p), flat beyond the first and the last
 *
 * where, with token time t(c), one token costs compute_s seconds of the compute peak and one pass memory_s seconds of
 * the bandwidth peak: u_c = min(1, c compute_s / t(c)), u_m = min(1, memory_s / t(c)). */
#ifndef FW_MODELS_LEVEL_H
#define FW_MODELS_LEVEL_H

#include "models/timing.h"
#include "sim/base/record.h"

extern const fw_variant_case fw_level_cases[]; /* the forms, for parameter files */

/* Watts of one GPU at `concurrency` >= 0 sequences in flight (fractions allowed; below 1 counts as 1). `timing` is read
 * by the roofline form only. */
double fw_level_w(const fw_variant *level, double concurrency, const fw_timing *timing);

#endif

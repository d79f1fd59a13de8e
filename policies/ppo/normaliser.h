/* Inside policies/ppo: running mean and variance of a few quantities, and numbers shifted and scaled by them.
 *
 * Welford's recurrence (B. Welford, "Note on a method for calculating corrected sums of squares and products",
 * Technometrics 4, 1962), one sample after the other, in double precision. */
#ifndef FW_POLICIES_PPO_NORMALISER_H
#define FW_POLICIES_PPO_NORMALISER_H

#include <stddef.h>

#define FWI_NORMAL_CUT 10.0     /* a normalised number stays between -10 and 10 */
#define FWI_NORMAL_EPSILON 1e-8 /* added to a variance, so that what never varied is not blown up */
#define FWI_NORMAL_STILL 1e-6   /* a variance below is as good as none, and reported */

typedef struct fwi_normaliser {
  size_t size;
  double count;     /* samples; 0: nothing known, numbers pass as they are */
  double *mean;     /* `size`; belongs to whoever made the normaliser */
  double *variance; /* population variance */
} fwi_normaliser;

/* Takes in one sample of `size` numbers. */
void fwi_normaliser_add(fwi_normaliser *normaliser, const float *sample);

/* out = (sample - mean) / sqrt(variance + epsilon), cut, for `rows` samples of at most FW_PPO_OBSERVATIONS numbers. */
void fwi_normaliser_apply(const fwi_normaliser *normaliser, const float *samples, size_t rows, float *out);

/* The factor that brings a quantity (of a normaliser of size 1) to deviation 1 without shifting it; 1 as long as
 * nothing is known or nothing varied. */
double fwi_normaliser_scale(const fwi_normaliser *normaliser);

#endif

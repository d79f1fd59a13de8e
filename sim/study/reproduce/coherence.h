/* How far equal jobs are in step: the mean over pairs of cos(2 pi (difference of their phases)).
 *
 * 1: all at the same point of their cycles; 0: no relation, on average; -1 / (n - 1): n jobs evenly apart. It is the
 * squared order parameter r^2 of Kuramoto (Chemical Oscillations, Waves, and Turbulence, 1984) freed of the 1 / n that
 * jobs without any relation have: (n r^2 - 1) / (n - 1). */
#ifndef FW_STUDY_COHERENCE_H
#define FW_STUDY_COHERENCE_H

#include <stddef.h>

#include "sim/base/units.h"

/* Ends of a job's steps, rising. */
typedef struct fwi_steps {
  fw_time_ns *ends;
  size_t count;
  size_t capacity;
} fwi_steps;

/* The cosine and sine of so many turns: the same bits everywhere, absolute error < 4e-15. */
void fwi_turn(double turns, double *cosine, double *sine);

/* Where a job stands in its cycle, from one step's end to the next's: 0 to 1; NaN before the first end and from the
 * last one on. `cursor` is kept between calls with rising times and starts at 0. */
double fwi_phase_at(const fwi_steps *steps, fw_time_ns time, size_t *cursor);

/* Of phases, in turns; NaN when any is, or with fewer than two. */
double fwi_coherence(const double *phases, size_t count);

#endif

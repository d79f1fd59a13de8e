/* Fronts of tokens by violation rate: what can be had at each rate, and what another arm has for less. */
#ifndef FW_STUDY_FRONT_H
#define FW_STUDY_FRONT_H

#include <stdbool.h>
#include <stddef.h>

/* One arm: means over some runs. */
typedef struct fw_front_point {
  double rate;
  double tokens;
} fw_front_point;

/* Whether `one` has as many tokens as `other` at as low a rate, and more of the one or less of the other. False where a
 * figure is NaN. */
bool fw_front_dominates(fw_front_point one, fw_front_point other);

/* Sorts `points` by rate and drops those that another one dominates: as many tokens at as low a rate. Of equal ones one
 * stays. Returns how many are left. */
size_t fw_front_make(fw_front_point *points, size_t count);

/* Tokens at `rate`, on the straight line between the points beside it; those of the nearest end outside. `count` >= 1.
 */
double fw_front_at(const fw_front_point *front, size_t count, double rate);

#endif

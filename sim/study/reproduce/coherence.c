/* Phases from counted steps; sine and cosine by Taylor's series over half a turn to either side. */
#include "sim/study/reproduce/coherence.h"

#include <math.h>

#define TWO_PI 6.283185307179586
#define TERMS 28 /* pi^29 / 29! < 1e-16 */

/* Sum of (-1)^k x^(2k + odd) / (2k + odd)!, from its small terms to its large ones. */
static double series(double x, int odd) {
  const double square = x * x;
  double sum = 1.0;
  for (int n = TERMS; n >= 2; n -= 2) {
    sum = 1.0 - sum * square / (double)((n + odd) * (n + odd - 1));
  }
  return odd ? x * sum : sum;
}

void fwi_turn(double turns, double *cosine, double *sine) {
  const double angle = TWO_PI * (turns - floor(turns + 0.5));
  *cosine = series(angle, 0);
  *sine = series(angle, 1);
}

double fwi_phase_at(const fwi_steps *steps, fw_time_ns time, size_t *cursor) {
  while (*cursor < steps->count && steps->ends[*cursor] <= time) {
    (*cursor)++;
  }
  if (*cursor == 0 || *cursor == steps->count) {
    return (double)NAN;
  }
  const fw_time_ns begin = steps->ends[*cursor - 1];
  return (double)(time - begin) / (double)(steps->ends[*cursor] - begin);
}

double fwi_coherence(const double *phases, size_t count) {
  double x = 0.0;
  double y = 0.0;
  for (size_t i = 0; i < count; i++) {
    double cosine = 0.0;
    double sine = 0.0;
    fwi_turn(phases[i], &cosine, &sine);
    x += cosine;
    y += sine;
  }
  const double n = (double)count;
  return count < 2 ? (double)NAN : (x * x + y * y - n) / (n * (n - 1.0));
}

#include "policies/ppo/normaliser.h"

#include <math.h>
#include <string.h>

#include "policies/ppo/environment.h"

void fwi_normaliser_add(fwi_normaliser *normaliser, const float *sample) {
  const double before = normaliser->count, share = 1.0 / (before + 1.0);
  normaliser->count = before + 1.0;
  for (size_t i = 0; i < normaliser->size; i++) {
    const double off = (double)sample[i] - normaliser->mean[i];
    normaliser->mean[i] += off * share;
    const double squares = normaliser->variance[i] * before + off * ((double)sample[i] - normaliser->mean[i]);
    normaliser->variance[i] = squares * share;
  }
}

static double cut(double value) {
  return value > FWI_NORMAL_CUT ? FWI_NORMAL_CUT : value < -FWI_NORMAL_CUT ? -FWI_NORMAL_CUT : value;
}

void fwi_normaliser_apply(const fwi_normaliser *normaliser, const float *samples, size_t rows, float *out) {
  const size_t size = normaliser->size;
  if (normaliser->count <= 0.0) {
    memcpy(out, samples, rows * size * sizeof *out);
    return;
  }
  double scale[FW_PPO_OBSERVATIONS];
  for (size_t i = 0; i < size; i++)
    scale[i] = 1.0 / sqrt(normaliser->variance[i] + FWI_NORMAL_EPSILON);
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < size; i++)
      out[row * size + i] = (float)cut(((double)samples[row * size + i] - normaliser->mean[i]) * scale[i]);
  }
}

double fwi_normaliser_scale(const fwi_normaliser *normaliser) {
  if (normaliser->count < 2.0 || normaliser->variance[0] <= 0.0) return 1.0;
  return 1.0 / sqrt(normaliser->variance[0] + FWI_NORMAL_EPSILON);
}

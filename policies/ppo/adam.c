#include "policies/ppo/adam.h"

#include <math.h>

#include "sim/base/elementary.h"

#define FIRST_DECAY 0.9
#define SECOND_DECAY 0.999
#define EPSILON 1e-5f /* that of the PPO implementations, not the paper's 1e-8 */

double fwi_adam_step(fwi_adam *adam, double rate, double most, const float *gradient, size_t count, float *parameters) {
  double squares = 0.0;
  for (size_t i = 0; i < count; i++)
    squares += (double)gradient[i] * (double)gradient[i];
  const double length = sqrt(squares);
  if (!isfinite(length)) return length;
  const float scale = most > 0.0 && length > most ? (float)(most / length) : 1.0f;
  adam->steps++;
  const double steps = (double)adam->steps;
  const double first_known = 1.0 - fw_pow(FIRST_DECAY, steps), second_known = 1.0 - fw_pow(SECOND_DECAY, steps);
  const float step = (float)(rate / first_known), spread = (float)(1.0 / sqrt(second_known));
  for (size_t i = 0; i < count; i++) {
    const float g = gradient[i] * scale;
    adam->first[i] = (float)FIRST_DECAY * adam->first[i] + (float)(1.0 - FIRST_DECAY) * g;
    adam->second[i] = (float)SECOND_DECAY * adam->second[i] + (float)(1.0 - SECOND_DECAY) * g * g;
    parameters[i] -= step * adam->first[i] / (sqrtf(adam->second[i]) * spread + EPSILON);
  }
  return length;
}

/* Inside policies/ppo: Adam (D. Kingma, J. Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1)
 * with a limit on the gradient's length. */
#ifndef FW_POLICIES_PPO_ADAM_H
#define FW_POLICIES_PPO_ADAM_H

#include <stddef.h>
#include <stdint.h>

typedef struct fwi_adam {
  float *first; /* moving means of the gradient and of its square, one for each parameter; not owned */
  float *second;
  uint64_t steps; /* taken */
} fwi_adam;

/* One step. A gradient longer than `most` (0: any length) is scaled to that length. Returns its length before, in
 * double, which is finite if and only if the gradient is (near enough: its squares must not overflow). */
double fwi_adam_step(fwi_adam *adam, double rate, double most, const float *gradient, size_t count, float *parameters);

#endif

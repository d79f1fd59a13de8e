/* Inside policies/ppo: generalised advantage estimation over decisions that take different times.
 *
 * For consecutive decisions of one agent with interval t_k, reward r_k and values V_k:
 *   g_k = exp(-t_k / horizon),   l_k = lambda^(t_k / reference interval)
 *   delta_k = r_k + g_k V_(k+1) - V_k,   A_k = delta_k + g_k l_k A_(k+1)
 * (J. Schulman et al., "High-dimensional continuous control using generalized advantage estimation", ICLR 2016, with
 * the discounts of a semi-Markov process.) Where all intervals equal the reference, it is the ordinary one to the bit.
 */
#ifndef FW_POLICIES_PPO_ADVANTAGE_H
#define FW_POLICIES_PPO_ADVANTAGE_H

#include <stddef.h>

/* What follows a decision: the next one of the same agent, or the end of what is known. */
#define FWI_NO_SUCCESSOR ((size_t)-1)

typedef struct fwi_interval {
  double discount; /* g */
  double trace;    /* l */
  size_t
      successor; /* the agent's next decision in the same array, later than this one; or FWI_NO_SUCCESSOR: then the
                    recursion ends, and `beyond` of the critic is the value of what follows (0 after a termination) */
} fwi_interval;

fwi_interval fwi_interval_make(double elapsed_s, double horizon_s, double reference_s, double lambda);

/* Advantages of `count` decisions by one critic, in order of time. */
void fwi_advantages(const fwi_interval *intervals, const double *reward, const float *value, const float *beyond,
                    size_t count, double *advantage);

#endif

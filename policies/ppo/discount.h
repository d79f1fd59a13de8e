/* Discounting by time: a reward that comes s seconds later counts exp(-s / horizon_s).
 *
 * A decision that takes longer is discounted more, so a policy cannot gain by how often it decides (S. Bradtke, M.
 * Duff, "Reinforcement learning methods for continuous-time Markov decision problems", NIPS 1994). */
#ifndef FW_POLICIES_PPO_DISCOUNT_H
#define FW_POLICIES_PPO_DISCOUNT_H

/* exp(-elapsed_s / horizon_s). */
double fw_ppo_discount(double elapsed_s, double horizon_s);

/* What a reward of `rate` per second adds to the reward of an interval when it flows from `from_s` to `to_s`, both
 * counted from the interval's begin: the integral of rate exp(-s / horizon_s). */
double fw_ppo_accrued(double rate, double from_s, double to_s, double horizon_s);

#endif

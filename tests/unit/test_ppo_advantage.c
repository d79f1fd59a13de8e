/* Advantages by time: equal to the ordinary ones where all intervals are, indifferent to how an interval is cut. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "policies/ppo/discount.h"
#include "policies/ppo/estimate.h"
#include "sim/base/elementary.h"
#include "sim/base/random.h"

enum { STEPS = 50 };

static double uniform(uint32_t what, size_t i, double low, double high) {
  return low + (high - low) * fw_random_uniform(fw_stream_make(11, FW_DRAW_TEST, what), i, 0);
}

/* J. Schulman et al. (2016), as it is written everywhere: one discount, one decay. */
static void ordinary(const double *reward, const float *value, float beyond, double gamma, double lambda,
                     double *advantage) {
  double next = 0.0, next_value = (double)beyond;
  for (size_t k = STEPS; k-- > 0;) {
    advantage[k] = reward[k] + gamma * next_value - (double)value[k];
    advantage[k] += gamma * lambda * next;
    next = advantage[k];
    next_value = (double)value[k];
  }
}

static void chain(fwi_interval *intervals, size_t count) {
  for (size_t k = 0; k + 1 < count; k++)
    intervals[k].successor = k + 1;
}

Test(ppo_advantage, equal_intervals_give_the_ordinary_estimate_to_the_bit) {
  const double horizon_s = 900.0, interval_s = 15.0, lambda = 0.95;
  fwi_interval intervals[STEPS];
  double reward[STEPS], expected[STEPS], got[STEPS];
  float value[STEPS], beyond[STEPS] = {0.0f};
  for (size_t k = 0; k < STEPS; k++) {
    intervals[k] = fwi_interval_make(interval_s, horizon_s, interval_s, lambda);
    reward[k] = uniform(1, k, -3.0, 3.0);
    value[k] = (float)uniform(2, k, -20.0, 20.0);
  }
  chain(intervals, STEPS);
  beyond[STEPS - 1] = 4.5f;
  fwi_advantages(intervals, reward, value, beyond, STEPS, got);
  ordinary(reward, value, 4.5f, fw_exp(-interval_s / horizon_s), lambda, expected);
  cr_assert_eq(memcmp(got, expected, sizeof got), 0);
}

/* Rewards flow at a rate of their own in each second; decisions cut the time at any instants. With values of 0 and
 * lambda 1 the first advantage is the discounted return. */
static double return_of(const double *cuts, size_t intervals_count, const double *rates, double horizon_s) {
  fwi_interval intervals[STEPS];
  double reward[STEPS], advantage[STEPS];
  float zero[STEPS] = {0.0f};
  for (size_t k = 0; k < intervals_count; k++) {
    const double from = cuts[k], to = cuts[k + 1];
    reward[k] = 0.0;
    for (size_t second = (size_t)from; (double)second < to; second++) {
      const double begin = fmax((double)second, from) - from, end = fmin((double)second + 1.0, to) - from;
      reward[k] += fw_ppo_accrued(rates[second], begin, end, horizon_s);
    }
    intervals[k] = fwi_interval_make(to - from, horizon_s, 15.0, 1.0);
  }
  chain(intervals, intervals_count);
  fwi_advantages(intervals, reward, zero, zero, intervals_count, advantage);
  return advantage[0];
}

/* 1e-12 of the return: some fifty roundings. */
Test(ppo_advantage, cutting_an_interval_in_two_leaves_the_return) {
  double rates[60], cuts[STEPS + 1] = {0.0};
  for (size_t i = 0; i < 60; i++)
    rates[i] = uniform(3, i, 0.0, 5.0);
  size_t count = 1;
  cuts[1] = 60.0;
  const double whole = return_of(cuts, count, rates, 40.0);
  while (count < 20) {
    const double cut = uniform(4, count, 0.0, 60.0);
    size_t at = ++count;
    for (; cuts[at - 1] > cut; at--)
      cuts[at] = cuts[at - 1];
    cuts[at] = cut;
    cr_assert_float_eq(return_of(cuts, count, rates, 40.0), whole, 1e-12 * whole, "with %zu intervals", count);
  }
}

Test(ppo_advantage, what_accrues_is_the_integral) {
  /* of 3 exp(-s / 7) from 2 to 5, by Simpson's rule on 1,000 pieces: error (3/1000)^4 3/180 / 7^4, below 1e-13 */
  double sum = 0.0;
  for (int i = 0; i < 1000; i++) {
    const double a = 2.0 + 0.003 * i, b = a + 0.003;
    sum += 0.003 / 6.0 * 3.0 * (exp(-a / 7.0) + 4.0 * exp(-(a + b) / 14.0) + exp(-b / 7.0));
  }
  cr_assert_float_eq(fw_ppo_accrued(3.0, 2.0, 5.0, 7.0), sum, 1e-12);
}

/* Several agents interleaved in one environment, each with ends of its own, against sums written out for each decision:
 * A_k = sum over the later decisions of its chain of (product of discount x trace) x delta. */
enum { AGENTS = 3, CRITICS = 2 };

typedef struct tables {
  uint8_t ending[STEPS];
  uint32_t agent[STEPS];
  double elapsed_s[STEPS], reward[STEPS], cost[STEPS];
  float value[CRITICS][STEPS], target[CRITICS][STEPS], beyond[CRITICS][STEPS], advantage[STEPS];
} tables;

static fwi_rollout rollout_of(tables *t) {
  return (fwi_rollout){
      .environments = 1,
      .length = STEPS,
      .rows = STEPS,
      .batch = {.advantage = t->advantage, .value = {t->value[0], t->value[1]}, .target = {t->target[0], t->target[1]}},
      .agent = t->agent,
      .ending = t->ending,
      .elapsed_s = t->elapsed_s,
      .reward = t->reward,
      .cost = {t->cost},
      .beyond = {t->beyond[0], t->beyond[1]}};
}

static size_t next_of_agent(const tables *t, size_t k) {
  for (size_t i = k + 1; i < STEPS && t->ending[k] == FWI_GOES_ON; i++) {
    if (t->agent[i] == t->agent[k]) return i;
  }
  return STEPS;
}

static double by_sums(const tables *t, size_t k, size_t critic, double horizon_s, double lambda) {
  double sum = 0.0, weight = 1.0;
  while (k < STEPS) {
    const size_t next = next_of_agent(t, k);
    const double discount = exp(-t->elapsed_s[k] / horizon_s);
    const double following = (double)(next < STEPS ? t->value[critic][next] : t->beyond[critic][k]);
    const double reward = critic == 0 ? 0.5 * t->reward[k] : t->cost[k];
    sum += weight * (reward + discount * following - (double)t->value[critic][k]);
    weight *= discount * pow(lambda, t->elapsed_s[k] / 15.0);
    k = next;
  }
  return sum;
}

Test(ppo_advantage, chains_of_agents_do_not_mix) {
  static tables t;
  for (size_t k = 0; k < STEPS; k++) {
    t.agent[k] = (uint32_t)uniform(5, k, 0.0, AGENTS);
    t.ending[k] = (uint8_t)fmax(0.0, uniform(6, k, -10.0, 3.0));
    t.elapsed_s[k] = uniform(7, k, 5.0, 40.0);
    t.reward[k] = uniform(8, k, -1.0, 1.0);
    t.cost[k] = uniform(9, k, 0.0, 1.0);
    for (size_t c = 0; c < CRITICS; c++) {
      t.value[c][k] = (float)uniform(10, CRITICS * k + c, -2.0, 2.0);
      t.beyond[c][k] = t.ending[k] == FWI_TERMINATED ? 0.0f : (float)uniform(12, CRITICS * k + c, -2.0, 2.0);
    }
  }
  fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  config.horizon = 300 * FW_NS_PER_S;
  const fwi_signal signals[CRITICS] = {{t.reward, 0.5, 1.0}, {t.cost, 1.0, -3.0}};
  fwi_rollout rollout = rollout_of(&t);
  fwi_estimate_space space;
  cr_assert_eq(fwi_estimate_space_create(&space, STEPS, AGENTS, NULL), FW_OK);
  fwi_estimate(&config, signals, CRITICS, AGENTS, &space, &rollout);
  for (size_t k = 0; k < STEPS; k++) {
    const double reward = by_sums(&t, k, 0, 300.0, config.trace_decay),
                 cost = by_sums(&t, k, 1, 300.0, config.trace_decay);
    /* single precision of numbers up to 10 */
    cr_assert_float_eq(t.advantage[k], (reward - 3.0 * cost) / 4.0, 2e-6, "decision %zu", k);
    cr_assert_float_eq(t.target[1][k], cost + (double)t.value[1][k], 2e-6, "decision %zu", k);
  }
  fwi_estimate_space_clear(&space);
}

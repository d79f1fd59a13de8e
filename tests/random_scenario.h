/* Random scenarios as text, for property tests and fuzzers: a number picks one, the same one always. Quotes are single,
 * as in tests/scenario_fixture.h. */
#ifndef FW_TESTS_RANDOM_SCENARIO_H
#define FW_TESTS_RANDOM_SCENARIO_H

#include <stdint.h>
#include <stdlib.h>

#include "sim/base/text.h"

/* A linear congruential generator: what it draws only has to vary. A fuzzer's bytes are used up first, one for each
 * roll, so that a change of one byte changes one choice. */
typedef struct dice {
  uint64_t state;
  const uint8_t *bytes;
  size_t left;
} dice;

static inline unsigned roll(dice *d, unsigned sides) {
  if (d->left > 0) {
    d->left--;
    d->state += *d->bytes;
    return *d->bytes++ % sides;
  }
  d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(d->state >> 33) % sides;
}

/* A cycle job; `aligned` phases are whole ticks of 0.5 s long, so every tick has one level. */
static inline void add_cycle(dice *d, bool aligned, fw_text *out) {
  fw_text_add_format(out, "{'kind': 'cycle', 'class': 'c', 'count': %u, 'gpus': %u, 'phases': [", 1 + roll(d, 3),
                     1 + roll(d, 4));
  const unsigned phases = 1 + roll(d, 4);
  for (unsigned i = 0; i < phases; i++) {
    const unsigned ms = aligned ? 500 * (1 + roll(d, 40)) : 1 + roll(d, 20000);
    const unsigned milliwatts = roll(d, 600000);
    fw_text_add_format(out, "%s{'duration_ms': %u, 'power_w': %u.%03u}", i > 0 ? ", " : "", ms, milliwatts / 1000,
                       milliwatts % 1000);
  }
  fw_text_add(out, "]}");
}

static inline void add_grpo(dice *d, fw_text *out) {
  fw_text_add_format(out,
                     "{'kind': 'grpo', 'class': 'g', 'model': '%s', 'count': %u, 'priority': %u, 'prompts': %u, "
                     "'group_size': %u, 'completion_mean': %u, 'start_offset_ms': %u}",
                     roll(d, 2) == 0 ? "plain-job" : "job", 1 + roll(d, 3), roll(d, 3), 1 + roll(d, 8), 1 + roll(d, 8),
                     20 + roll(d, 300), roll(d, 30000));
}

/* Arms that fit a class "g" of GRPO jobs. */
static const char *const random_arms[] = {
    "{'name': 'uncontrolled'}",
    "{'name': 'static', 'classes': ['g'], 'job': {'kind': 'static', 'concurrency': 4, 'power_cap_w': 250}}",
    "{'name': 'threshold', 'classes': ['g'], 'job': {'kind': 'threshold'}}",
    "{'name': 'hysteresis', 'classes': ['g'], 'job': {'kind': 'hysteresis'}}",
    "{'name': 'random', 'classes': ['g'], 'job': {'kind': 'random'}}",
    "{'name': 'uniform', 'fleet': {'kind': 'uniform_cap'}}",
    "{'name': 'priority', 'fleet': {'kind': 'priority_cap'}}",
};
#define RANDOM_ARMS (sizeof random_arms / sizeof random_arms[0])

/* `aligned`: only cycle jobs that change on whole ticks, and no control. Free with fw_text_clear. */
static inline fw_text scenario_of_dice(dice *d, bool aligned) {
  static const char *const starts[] = {"aligned", "random", "staggered"};
  fw_text out = FW_TEXT_INIT;
  fw_text_add_format(&out,
                     "{'fleetwatt': 1, 'name': 'random', 'gpu': 'plain-gpu', 'duration_ms': %u, 'warmup_ms': %u, "
                     "'windows_ms': [500, 700, 1000, 2000, 2300, 10000, 20000, 33333], 'start': '%s', "
                     "'topology': {'gpus': 80, 'gpus_per_node': %u, 'nodes_per_rack': %u, 'rack_budget_kw': 3}, "
                     "'oversubscription': [%u.%u], 'budget_schedule': {'repeat_s': 50, 'steps': [{'from_s': 0, "
                     "'factor': 1}, {'from_s': %u, 'factor': 0.%u}]}, 'policies': [%s], 'jobs': [",
                     500 * (300 + roll(d, 400)), roll(d, 2) * roll(d, 40000), aligned ? "aligned" : starts[roll(d, 3)],
                     1 + roll(d, 9), 1 + roll(d, 4), 1 + roll(d, 3), roll(d, 10), 5 + roll(d, 40), 5 + roll(d, 4),
                     random_arms[aligned ? 0 : roll(d, RANDOM_ARMS)]);
  if (!aligned) {
    add_grpo(d, &out);
    fw_text_add(&out, ", ");
  }
  const unsigned more = 1 + roll(d, 3);
  for (unsigned i = 0; i < more; i++) {
    fw_text_add(&out, i > 0 ? ", " : "");
    add_cycle(d, aligned, &out);
  }
  fw_text_add(&out, "]}");
  if (out.failed) abort();
  return out;
}

static inline fw_text random_scenario(uint64_t number, bool aligned) {
  dice d = {.state = number * 977 + aligned};
  return scenario_of_dice(&d, aligned);
}

#endif

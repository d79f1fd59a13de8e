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
                     "'group_size': %u, 'completion_mean': %u, 'start_offset_ms': %u, 'draws': '%s'}",
                     roll(d, 2) == 0 ? "plain-job" : "job", 1 + roll(d, 3), roll(d, 3), 1 + roll(d, 8), 1 + roll(d, 8),
                     20 + roll(d, 300), roll(d, 30000), roll(d, 3) == 0 ? "copied" : "own");
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

/* What the jobs of a queue go through: stated, or by a model of two GPUs, which says what they do around it. */
static inline void add_queue_phases(dice *d, bool modelled, fw_text *out) {
  static const char *const powers[] = {"'power_w': 350", "'phase': 'prefill'", "'concurrency': 6",
                                       "'power_w': 62, 'phase': 'update'"};
  static const char *const residuals[] = {"'together'", "'apart'", "'none'"};
  if (modelled) {
    fw_text_add_format(out, ", 'model': 'plain-job', 'residual': %s", residuals[roll(d, 3)]);
  } else if (roll(d, 2) == 0) {
    fw_text_add(out, ", 'residual': 'none'");
  }
  fw_text_add_format(out, ", 'phases': [{'duration_ms': %u, %s}, {'duration_ms': %u, 'power_w': 130%s}]",
                     1 + roll(d, 9000), powers[modelled ? roll(d, 4) : 0], roll(d, 3000),
                     modelled ? ", 'phase': 'gap'" : "");
}

static inline void add_queue(dice *d, fw_text *out) {
  static const char *const laws[] = {"'constant'", "'exponential'", "'lognormal', 'cv': 1.5", "'gamma', 'cv': 0.5"};
  const bool modelled = roll(d, 2) == 0;
  const unsigned gpus = modelled ? 2 + 2 * roll(d, 4) : 1 + roll(d, 8);
  fw_text_add_format(out,
                     "{'kind': 'queue', 'class': 'q', 'gpus': %u, 'discipline': '%s', 'interval': {'mean_ms': %u, "
                     "'kind': %s}, 'duration': {'mean_ms': %u, 'kind': %s}, 'sizes': [%u, %u]",
                     gpus, roll(d, 2) == 0 ? "fifo" : "easy", 500 + roll(d, 20000), laws[roll(d, 4)],
                     1 + roll(d, 40000), laws[roll(d, 4)], modelled ? 2 : 1, gpus);
  add_queue_phases(d, modelled, out);
  if (roll(d, 2) == 0) fw_text_add_format(out, ", 'limit_ms': %u", 100 + roll(d, 60000));
  fw_text_add(out, "}");
}

static inline void add_serving(dice *d, fw_text *out) {
  fw_text_add_format(out,
                     "{'kind': 'serving', 'class': 's', 'model': 'plain-job', 'count': %u, 'concurrency': %u, "
                     "'interval': {'kind': 'exponential', 'mean_ms': %u}, 'context_mean': %u, 'context_cv': 0.%u, "
                     "'output_mean': %u, 'output_cv': 1.%u}",
                     1 + roll(d, 2), 1 + roll(d, 12), 300 + roll(d, 9000), 1 + roll(d, 400), roll(d, 10),
                     1 + roll(d, 200), roll(d, 10));
}

/* One event of each kind that the dice choose; the fleet has classes "g" and "c" and at least six GPUs. */
static inline void add_events(dice *d, fw_text *out) {
  const char *separator = "";
  fw_text_add(out, "], 'events': [");
  for (unsigned kind = 0; kind < 8; kind++) {
    if (roll(d, 2) == 0) continue;
    const unsigned at = roll(d, 200000);
    const unsigned span = 1 + roll(d, 60000);
    fw_text_add(out, separator);
    separator = ", ";
    switch (kind) {
    case 0:
      fw_text_add_format(out, "{'kind': 'restart', 'at_ms': %u, 'down_ms': %u, 'load_ms': %u}", at, roll(d, 2) * span,
                         roll(d, 9000));
      break;
    case 1:
      fw_text_add_format(out, "{'kind': 'restart', 'at_ms': %u, 'down_ms': %u, 'keeps_work': true, 'classes': ['c']}",
                         at, span);
      break;
    case 2:
      fw_text_add_format(out, "{'kind': 'feed_loss', 'from_ms': %u, 'duration_ms': %u, 'left': 0.6, 'classes': ['g']}",
                         at, span);
      break;
    case 3:
      fw_text_add_format(
          out, "{'kind': 'demand_response', 'from_ms': %u, 'duration_ms': %u, 'factor': 0.8, 'notice_s': 9}", at, span);
      break;
    case 4:
      fw_text_add_format(out, "{'kind': 'gpu_failure', 'at_ms': %u, 'gpu': %u, 'repair_ms': %u}", at, roll(d, 6), span);
      break;
    case 5:
      fw_text_add_format(out, "{'kind': 'gpu_failures', 'mtbf_s': %u, 'mttr_ms': %u, 'load_s': 2}", 100 + roll(d, 900),
                         span);
      break;
    case 6:
      fw_text_add_format(out, "{'kind': 'straggler', 'gpu': %u, 'factor': 1.%u, 'from_ms': %u}", roll(d, 6),
                         roll(d, 100), at);
      break;
    default:
      fw_text_add_format(out, "{'kind': 'cap_faults', 'lost': 0.2, 'late': 0.3, 'delay_ms': %u}", span);
    }
  }
}

/* `aligned`: only cycle jobs that change on whole ticks, and no control. Free with fw_text_clear. */
static inline fw_text fleet_of_dice(dice *d, bool aligned, bool adverse) {
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
  if (adverse) {
    add_queue(d, &out); /* on the first GPUs, which events single out */
    fw_text_add(&out, ", ");
  }
  if (!aligned) {
    add_grpo(d, &out);
    fw_text_add(&out, ", ");
  }
  const unsigned more = 1 + roll(d, 3);
  for (unsigned i = 0; i < more; i++) {
    fw_text_add(&out, i > 0 ? ", " : "");
    add_cycle(d, aligned, &out);
  }
  if (adverse) {
    fw_text_add(&out, ", ");
    add_serving(d, &out);
    add_events(d, &out);
  }
  fw_text_add(&out, "]}");
  if (out.failed) abort();
  return out;
}

static inline fw_text scenario_of_dice(dice *d, bool aligned) {
  return fleet_of_dice(d, aligned, false);
}

static inline fw_text random_scenario(uint64_t number, bool aligned) {
  dice d = {.state = number * 977 + aligned};
  return scenario_of_dice(&d, aligned);
}

/* With control, queues, engines that serve, and whatever befalls them. */
static inline fw_text random_adverse_scenario(uint64_t number) {
  dice d = {.state = number * 977};
  return fleet_of_dice(&d, false, true);
}

#endif

/* Short scenarios, a plan that trains for moments, and five policies that it trained. */
#ifndef FW_TESTS_CLI_TRAINED_H
#define FW_TESTS_CLI_TRAINED_H

#include "tests/cli_fixture.h"

#define SHORT(policies)                                                                                                \
  "{'fleetwatt': 1, 'name': 'short', 'seeds': 4, 'duration_s': 300, 'windows_s': [10, 30], 'gpu': "                    \
  "'a100-sxm4-80gb', " policies                                                                                        \
  "'budget_w': 530, 'jobs': [{'kind': 'grpo', 'class': '72b', 'model': 'a100/qwen2.5-72b-awq', 'prompts': "            \
  "105, 'actuators': {'concurrency': [1, 4, 8]}}]}"

/* with.json has a policy whose weights are not there. */
static inline void write_training(void) {
  write_file("short.json", SHORT(""));
  write_file("with.json", SHORT("'policies': [{'name': 'plain'}, {'name': 'ours', 'job': {'kind': 'ppo', 'weights': "
                                "'none'}}], "));
  write_file("plan.json",
             "{'fleetwatt_training': 1, 'limit': 0.05, 'seeds': 5, 'runs': 20, 'validation_runs': 2, 'ppo': "
             "{'decisions': 64, 'environments': 2, 'rollout': 32, 'epochs': 1, 'minibatches': 1, 'width': '32'}}");
}

static inline void make_trained(void) {
  make_folder();
  write_training();
  outcome trained = shell("$F train short.json --plan plan.json -o w.safetensors 2>&1");
  cr_assert_eq(trained.status, 0, "%s", trained.output.data);
  fw_text_clear(&trained.output);
}

#define WEIGHTS "w-1.safetensors w-2.safetensors w-3.safetensors w-4.safetensors w-5.safetensors "

#endif

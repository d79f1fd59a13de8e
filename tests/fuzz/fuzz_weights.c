/* Any bytes as a weight file. What is accepted must be usable: it chooses among its settings, alike every time. */
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/actor.h"
#include "tests/fuzz/fuzz.h"

static void require(bool condition) {
  if (!condition) abort();
}

static void ask(const fw_ppo_actor *actor) {
  const fw_ppo_space *space = fw_ppo_actor_space(actor);
  static const float seen[FW_PPO_OBSERVATIONS];
  uint8_t mask[FW_PPO_HEADS * FW_PPO_CHOICES];
  uint32_t greedy[FW_PPO_HEADS], again[FW_PPO_HEADS], drawn[FW_PPO_HEADS];
  memset(mask, 1, sizeof mask);
  require(fw_ppo_actor_greedy(actor, seen, mask, greedy, NULL) == FW_OK);
  require(fw_ppo_actor_greedy(actor, seen, mask, again, NULL) == FW_OK);
  require(fw_ppo_actor_sample(actor, fw_stream_make(1, FW_DRAW_TEST, 0), 0, seen, mask, drawn, NULL) == FW_OK);
  for (size_t h = 0; h < space->head_count; h++)
    require(greedy[h] < space->head_size[h] && greedy[h] == again[h] && drawn[h] < space->head_size[h]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_ppo_actor *actor;
  fw_status status = fw_ppo_actor_parse(data, size, "fuzz", &actor, &diagnostics);
  require((status == FW_OK) == (actor != NULL));
  require((status == FW_OK) == (diagnostics.error_count == 0));
  require(status == FW_OK || status == FW_ERROR_INPUT);
  if (actor != NULL) ask(actor);
  fw_ppo_actor_destroy(actor);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}

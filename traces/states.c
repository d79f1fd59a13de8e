/* A growing list of stretches. */
#include "traces/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

fwi_state fwi_state_bare(fw_time_ns from, fw_time_ns to, fw_activity activity) {
  return (fwi_state){.from = from,
                     .to = to,
                     .activity = activity,
                     .in_flight = (double)NAN,
                     .prompt_per_s = (double)NAN,
                     .generated_per_s = (double)NAN};
}

fw_status fwi_states_add(fwi_states *states, const fwi_state *state, fw_diagnostics *diagnostics) {
  if (state->to <= state->from) return FW_OK;
  if (!fw_grow(&states->data, &states->capacity, states->count + 1, sizeof *states->data)) {
    return fw_error_memory(diagnostics, "what a job did");
  }
  states->data[states->count++] = *state;
  return FW_OK;
}

void fwi_states_clear(fwi_states *states) {
  free(states->data);
  *states = (fwi_states){0};
}

void fwi_roles_clear(fwi_roles *roles) {
  for (size_t i = 0; i < roles->count; i++)
    free(roles->gpus[i]);
  free(roles->gpus);
  *roles = (fwi_roles){0};
}

bool fwi_roles_play(const fwi_roles *roles, const char *gpu) {
  if (!roles->present || roles->count == 0) return true;
  for (size_t i = 0; i < roles->count; i++) {
    if (strcmp(roles->gpus[i], gpu) == 0) return true;
  }
  return false;
}

void fwi_counters_clear(fwi_counters *counters) {
  fwi_states_clear(&counters->states);
  fwi_roles_clear(&counters->roles);
  *counters = (fwi_counters){0};
}

/* The names of phases, as files and reports spell them. */
#include "models/phase.h"

#include <stddef.h>

const char *const fw_phase_names[FW_PHASE_COUNT + 1] = {"idle", "load", "prefill", "rollout", "gap", "update", NULL};

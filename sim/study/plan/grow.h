/* A fleet grown or shrunk in its own proportions: as many jobs of each entry as the factor makes of it, rounded, at
 * least one; idle GPUs likewise. Everything else stays. */
#ifndef FW_STUDY_GROW_H
#define FW_STUDY_GROW_H

#include "sim/scenario/scenario.h"

/* GPUs that the grown fleet has. */
size_t fwi_grown_gpus(const fw_scenario *scenario, double factor);

/* And its nameplate. */
fw_power_mw fwi_grown_nameplate(const fw_scenario *scenario, double factor);

/* A copy of `scenario` that owns its jobs alone and shares the rest, which must outlive it. Its hash differs from the
 * original's where its jobs do. Budgets keep their power. Free the jobs with fwi_grown_clear. */
fw_status fwi_grow(const fw_scenario *scenario, double factor, fw_scenario *out, fw_diagnostics *diagnostics);
void fwi_grown_clear(fw_scenario *grown);

/* Marks what was changed in a copy of a scenario in its hash. */
void fwi_mark_hash(fw_scenario *copy, const void *change, size_t length);

#endif

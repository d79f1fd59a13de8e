/* What programs share. */
#include "sim/fleet/program.h"

#include "sim/base/memory.h"

fw_status fwi_blocks_add(fwi_blocks *blocks, fwi_block block, fw_diagnostics *diagnostics) {
  if (!fw_grow(&blocks->data, &blocks->capacity, blocks->count + 1, sizeof *blocks->data)) {
    return fw_error_memory(diagnostics, "the blocks of a job");
  }
  blocks->data[blocks->count++] = block;
  return FW_OK;
}

const fwi_program_type *fwi_program_find(fw_job_kind kind) {
  static const fwi_program_type *const programs[] = {
      [FW_JOB_GRPO] = &fwi_grpo_program, [FW_JOB_REPLAY] = &fwi_replay_program, [FW_JOB_CYCLE] = &fwi_cycle_program};
  return programs[kind];
}

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

fw_power_mw fwi_level(const fw_job_model *model, fw_phase phase, double occupancy, double idle_w) {
  fw_power_mw level = 0;
  (void)fw_power_from_watts(fw_job_level_w(model, phase, occupancy, idle_w), &level);
  return level;
}

bool fwi_is_in_step(fw_phase phase) {
  return phase == FW_PHASE_PREFILL || phase == FW_PHASE_ROLLOUT || phase == FW_PHASE_UPDATE;
}

fw_time_ns fwi_time_for_work(fw_time_ns work, double slowdown) {
  return slowdown == 1.0 ? work : fw_time_nearest((double)work * slowdown);
}

fw_time_ns fwi_work_in_time(fw_time_ns time, double slowdown) {
  return slowdown == 1.0 ? time : (fw_time_ns)((double)time / slowdown + 0.5);
}

fw_status fwi_walk_add(fwi_walk *walk, const fw_scenario_job *job, fwi_block block, fwi_blocks *blocks,
                       fw_diagnostics *diagnostics) {
  const bool last = walk->position + 1 == walk->count;
  walk->since_decision += block.work;
  if (walk->since_decision >= job->decision) {
    block.marks |= FWI_MARK_DECISION;
    walk->since_decision = 0;
  }
  if (last) {
    block.marks |= job->loop ? FWI_MARK_STEP_END : FWI_MARK_JOB_END;
  }
  walk->position = last ? 0 : walk->position + 1;
  return fwi_blocks_add(blocks, block, diagnostics);
}

double fwi_walk_progress(const fwi_walk *walk) {
  return (double)walk->position / (double)walk->count;
}

void fwi_walk_rewind(fwi_walk *walk) {
  walk->position = 0;
  walk->since_decision = 0;
}

const fwi_program_type *fwi_program_find(fw_job_kind kind) {
  static const fwi_program_type *const programs[] = {
      [FW_JOB_GRPO] = &fwi_grpo_program,       [FW_JOB_REPLAY] = &fwi_replay_program,
      [FW_JOB_CYCLE] = &fwi_cycle_program,     [FW_JOB_QUEUE] = &fwi_queue_program,
      [FW_JOB_SERVING] = &fwi_serving_program, [FW_JOB_OCCUPANCY] = &fwi_occupancy_program};
  return programs[kind];
}

/* Jobs whose program is open: their blocks end at a time, they are told what was worked by then, and their GPUs' levels
 * change from block to block. */
#include "sim/fleet/job.h"

#include "sim/base/memory.h"

#include <string.h>

/* Forgets the rows of levels whose segments have been sampled. */
static void drop_rows(fwi_job *job) {
  const size_t gpus = job->spec->gpus;
  size_t first = job->level_rows;
  for (size_t i = 0; i < job->segment_count; i++) {
    first = job->segments[i].row < first ? job->segments[i].row : first;
  }
  for (size_t i = 0; i < job->segment_count; i++) {
    job->segments[i].row -= job->segments[i].row != FWI_NO_ROW ? first : 0;
  }
  job->level_rows -= first;
  if (first > 0 && job->level_rows > 0) {
    memmove(job->levels, job->levels + first * gpus, job->level_rows * gpus * sizeof *job->levels);
    if (job->stays != NULL) {
      memmove(job->stays, job->stays + first * gpus, job->level_rows * gpus * sizeof *job->stays);
    }
  }
}

/* An open program changes its levels from block to block, so each block keeps a copy until it is sampled. */
fw_status fwi_job_keep_levels(fwi_job *job, const fwi_block *block, fw_diagnostics *diagnostics) {
  job->block_row = FWI_NO_ROW;
  if (block->until == 0 || block->gpu_demand == NULL) {
    return FW_OK;
  }
  const size_t gpus = job->spec->gpus;
  fwi_job_sample(job);
  drop_rows(job);
  size_t cells = 0;
  if (!fw_size_multiply(gpus, job->level_rows + 1, &cells) ||
      !fw_grow(&job->levels, &job->level_capacity, cells, sizeof *job->levels) ||
      (block->stays != NULL && !fw_grow(&job->stays, &job->stay_capacity, cells, sizeof *job->stays))) {
    return fw_error_memory(diagnostics, "the levels of a job's GPUs");
  }
  memcpy(job->levels + job->level_rows * gpus, block->gpu_demand, gpus * sizeof *job->levels);
  if (block->stays != NULL && block->stay_count > 0) {
    memcpy(job->stays + job->level_rows * gpus, block->stays, block->stay_count * sizeof *job->stays);
  }
  job->block_row = job->level_rows++;
  return FW_OK;
}

fwi_turn fwi_job_take_turn(fwi_job *job) {
  const fwi_turn turn = {.settings = job->settings,
                         .now = job->now,
                         .worked = job->worked,
                         .tokens = job->worked_tokens,
                         .cap = job->cap.active ? job->cap.enforced : 0,
                         .sampled = job->sampled_to};
  job->worked = 0;
  job->worked_tokens = 0;
  return turn;
}

void fwi_job_close_open_block(fwi_job *job) {
  const int64_t tokens = fwi_job_block_tokens(job);
  job->worked = job->block.work - job->remaining;
  job->worked_tokens = tokens + job->block_tokens_before;
  job->tokens += tokens;
}

fw_status fwi_job_settle(fwi_job *job, fw_diagnostics *diagnostics) {
  if (job->program->settle == NULL) {
    return FW_OK;
  }
  if (job->in_block && job->block.until > 0) {
    fwi_job_close_open_block(job);
    job->in_block = false;
  }
  const fwi_turn turn = fwi_job_take_turn(job);
  return job->program->settle(job->program_state, &turn, diagnostics);
}

bool fwi_job_service(const fwi_job *job, fw_service_result *out) {
  if (job->program->report == NULL) {
    return false;
  }
  job->program->report(job->program_state, out);
  return true;
}

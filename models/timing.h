/* Time: how long the phases of a GRPO step last. */
#ifndef FW_MODELS_TIMING_H
#define FW_MODELS_TIMING_H

#include "sim/base/record.h"

/* Token time is linear in the sequences in flight, t(c) = t0 + t1 c; prefill is linear in prompt tokens, the update in
 * the tokens of the step (prompt and completion). A gap follows each generation batch, another the rollout (rewards,
 * weight sync). */
typedef struct fw_timing {
  double token_base_s;         /* t0 */
  double token_per_sequence_s; /* t1 */
  double prefill_per_token_s;
  double batch_gap_s;
  double step_gap_s;
  double update_base_s;
  double update_per_token_s;
} fw_timing;

extern const fw_record fw_timing_record;

/* Seconds for one token of each of `concurrency` sequences. */
double fw_timing_token_s(const fw_timing *timing, double concurrency);

double fw_timing_prefill_s(const fw_timing *timing, double prompt_tokens);
double fw_timing_update_s(const fw_timing *timing, double tokens);

#endif

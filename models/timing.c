/* Linear laws of time. Fits of token time to measured throughput stand in the parameter files; docs/models.md, "Time".
 */
#include "models/timing.h"

#include "models/ceilings.h"
#include "sim/base/fields.h"

#define FIELD(member, text) FW_FIELD(fw_timing, member, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_S, text)

static const fw_field timing_fields[] = {
    FW_FIELD_ABOVE(fw_timing, token_base_s, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_S,
                   "seconds per token at no concurrency: t0 of t(c) = t0 + t1 c"),
    FIELD(token_per_sequence_s, "seconds per token for each sequence in flight: t1 of t(c) = t0 + t1 c"),
    FIELD(prefill_per_token_s, "seconds per prompt token at the start of a generation batch"),
    FIELD(batch_gap_s, "pause after each generation batch"),
    FIELD(step_gap_s, "pause between rollout and update"),
    FIELD(update_base_s, "seconds of an update without tokens"),
    FIELD(update_per_token_s, "seconds of an update for each token of the step"),
};

const fw_record fw_timing_record = {
    .name = "timing",
    .doc = "how long the phases of a step last",
    .size = sizeof(fw_timing),
    .fields = timing_fields,
    .field_count = FW_COUNT_OF(timing_fields),
};

double fw_timing_token_s(const fw_timing *timing, double concurrency) {
  return timing->token_base_s + timing->token_per_sequence_s * concurrency;
}

double fw_timing_prefill_s(const fw_timing *timing, double prompt_tokens) {
  return timing->prefill_per_token_s * prompt_tokens;
}

double fw_timing_update_s(const fw_timing *timing, double tokens) {
  return timing->update_base_s + timing->update_per_token_s * tokens;
}

/* Completion lengths: a lognormal law by inversion of a keyed normal, so that a completion is as long whatever batch it
 * is generated in. Moments: Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions" 1, 1994, ch. 14. */
#include "models/workload.h"

#include <math.h>

#include "models/fields.h"
#include "sim/base/elementary.h"

/* The width of `sample` in the generator's index, prompt << 20 | sample. */
#define SAMPLE_BITS 20
#define SAMPLE_LIMIT ((uint32_t)1 << SAMPLE_BITS)

#define COUNT(member, low, text) FWI_FIELD(fw_workload, member, FW_FIELD_INTEGER, true, low, FWI_MOST_COUNT, text)

static const fw_field workload_fields[] = {
    COUNT(prompts, 1.0, "prompts per step"),
    FWI_FIELD(fw_workload, group_size, FW_FIELD_INTEGER, true, 1.0, (double)SAMPLE_LIMIT, "completions per prompt"),
    COUNT(concurrency, 1.0, "most sequences in flight"),
    COUNT(completion_limit, 1.0, "tokens at which a completion is cut"),
    FWI_FIELD(fw_workload, completion_mean, FW_FIELD_NUMBER, true, 1.0, FWI_MOST_COUNT,
              "mean length of a completion before the cut, in tokens"),
    FWI_FIELD(fw_workload, completion_cv, FW_FIELD_NUMBER, true, 0.0, 100.0,
              "coefficient of variation of the lengths; 0: all alike"),
    COUNT(prompt_tokens, 0.0, "tokens of each prompt"),
};

const fw_record fw_workload_record = {
    .name = "workload",
    .doc = "the work of one step",
    .size = sizeof(fw_workload),
    .fields = workload_fields,
    .field_count = FWI_COUNT_OF(workload_fields),
};

static double lognormal_length(double mean, double cv, double normal) {
  const double sigma_squared = fw_log(1.0 + cv * cv);
  return mean * fw_exp(sqrt(sigma_squared) * normal - 0.5 * sigma_squared);
}

int64_t fw_workload_completion(const fw_workload *workload, uint64_t seed, uint32_t job, uint64_t prompt,
                               uint32_t sample, int64_t limit) {
  const fw_stream stream = fw_stream_make(seed, FW_DRAW_COMPLETION, job);
  const uint64_t index = prompt << SAMPLE_BITS | (sample & (SAMPLE_LIMIT - 1));
  const double normal = workload->completion_cv > 0.0 ? fw_random_normal(stream, index) : 0.0;
  const double length = lognormal_length(workload->completion_mean, workload->completion_cv, normal);
  const double cut = fmin(floor(length + 0.5), (double)limit);
  return (int64_t)fmax(cut, 1.0);
}

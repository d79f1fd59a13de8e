/* Completion lengths: a lognormal law by inversion of a keyed normal, so that a completion is as long whatever batch it
 * is generated in. Moments: Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions" 1, 1994, ch. 14. */
#include "models/workload.h"

#include <math.h>

#include "models/ceilings.h"
#include "sim/base/elementary.h"
#include "sim/base/fields.h"

/* The width of `sample` in the generator's index, prompt << 20 | sample. */
#define SAMPLE_BITS 20
#define SAMPLE_LIMIT ((uint32_t)1 << SAMPLE_BITS)

#define COUNT(member, low, text) FW_FIELD(fw_workload, member, FW_FIELD_INTEGER, FW_REQUIRED, low, FWI_MOST_COUNT, text)

static const fw_field workload_fields[] = {
    COUNT(prompts, 1.0, "prompts per step"),
    FW_FIELD(fw_workload, group_size, FW_FIELD_INTEGER, FW_REQUIRED, 1.0, (double)SAMPLE_LIMIT,
             "completions per prompt"),
    COUNT(concurrency, 1.0, "most sequences in flight"),
    COUNT(completion_limit, 1.0, "tokens at which a completion is cut"),
    FW_FIELD(fw_workload, completion_mean, FW_FIELD_NUMBER, FW_REQUIRED, 1.0, FWI_MOST_COUNT,
             "mean length of a completion before the cut, in tokens"),
    FW_FIELD(fw_workload, completion_cv, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 100.0,
             "coefficient of variation of the lengths; 0: all alike"),
    COUNT(prompt_tokens, 0.0, "tokens of each prompt"),
};

const fw_record fw_workload_record = {
    .name = "workload",
    .doc = "the work of one step",
    .size = sizeof(fw_workload),
    .fields = workload_fields,
    .field_count = FW_COUNT_OF(workload_fields),
};

fw_length_law fw_workload_law(const fw_workload *workload) {
  const double sigma_squared = fw_log(1.0 + workload->completion_cv * workload->completion_cv);
  return (fw_length_law){.median = workload->completion_mean * fw_exp(-0.5 * sigma_squared),
                         .sigma = sqrt(sigma_squared)};
}

void fw_length_normals(uint64_t seed, uint32_t job, uint64_t prompt, size_t count, double *out) {
  fw_random_normals(fw_stream_make(seed, FW_DRAW_COMPLETION, job), prompt << SAMPLE_BITS, count, out);
}

int64_t fw_length_of(fw_length_law law, double normal, int64_t limit) {
  double length = law.sigma > 0.0 ? law.median * fw_exp(law.sigma * normal) : law.median;
  length = length < (double)limit ? length + 0.5 : (double)limit; /* the conversion cuts towards 0 */
  const int64_t tokens = (int64_t)length;
  return tokens < 1 ? 1 : tokens > limit ? limit : tokens;
}

int64_t fw_workload_completion(const fw_workload *workload, uint64_t seed, uint32_t job, uint64_t prompt,
                               uint32_t sample, int64_t limit) {
  const uint64_t index = prompt << SAMPLE_BITS | (sample & (SAMPLE_LIMIT - 1));
  const double normal = fw_random_normal(fw_stream_make(seed, FW_DRAW_COMPLETION, job), index);
  return fw_length_of(fw_workload_law(workload), normal, limit);
}

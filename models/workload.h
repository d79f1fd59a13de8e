/* The work of one GRPO step: prompts, samples and the lengths of their completions. */
#ifndef FW_MODELS_WORKLOAD_H
#define FW_MODELS_WORKLOAD_H

#include "sim/base/random.h"
#include "sim/base/record.h"

/* Completion lengths are drawn from a lognormal law with the given mean and coefficient of variation, rounded to whole
 * tokens, at least 1 and cut at the job's completion limit, as a generator cuts them (the mean is that of the law
 * before the cut). A coefficient of 0 means that every completion has the mean length. */
typedef struct fw_workload {
  int64_t prompts;          /* per step */
  int64_t group_size;       /* completions per prompt */
  int64_t concurrency;      /* most sequences in flight */
  int64_t completion_limit; /* tokens */
  double completion_mean;
  double completion_cv;
  int64_t prompt_tokens; /* of each prompt */
} fw_workload;

extern const fw_record fw_workload_record;

/* The law of completion lengths, prepared: median x exp(sigma x normal) tokens. */
typedef struct fw_length_law {
  double median;
  double sigma; /* 0: every completion has the median length */
} fw_length_law;

fw_length_law fw_workload_law(const fw_workload *workload);

/* The standard normal numbers of completions 0 .. count - 1 of prompt `prompt` of job `job`, counted over the whole
 * run, at once. `count` <= 2^20. */
void fw_length_normals(uint64_t seed, uint32_t job, uint64_t prompt, size_t count, double *out);

/* Tokens of the completion with that number, cut at `limit` >= 1. */
int64_t fw_length_of(fw_length_law law, double normal, int64_t limit);

/* Tokens of one completion, from scratch; `sample` counts modulo 2^20. */
int64_t fw_workload_completion(const fw_workload *workload, uint64_t seed, uint32_t job, uint64_t prompt,
                               uint32_t sample, int64_t limit);

#endif

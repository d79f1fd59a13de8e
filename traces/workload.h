/* Recorded work: requests to a serving engine, and jobs handed in to a cluster, in order of time.
 *
 *   requests     t_s, context_tokens, generated_tokens (the format of the Azure LLM inference traces)
 *   submissions  submit_s, gpus, and duration_s or steps; optional: limit_s, power_w
 *
 * Any other column is passed over. Requests must rise in time; submissions may stand in any order and are sorted. */
#ifndef FW_TRACES_WORKLOAD_H
#define FW_TRACES_WORKLOAD_H

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"

typedef struct fw_request {
  fw_time_ns time;
  int64_t context_tokens;
  int64_t generated_tokens; /* at least 1 */
} fw_request;

typedef struct fw_requests {
  fw_request *data;
  size_t count;
  size_t capacity;
} fw_requests;

typedef struct fw_submission {
  fw_time_ns time;
  size_t gpus;         /* at least 1 */
  fw_time_ns duration; /* at full speed; 0 where steps are given */
  uint64_t steps;      /* 0 where a duration is given */
  fw_time_ns limit;    /* of its time on the GPUs; 0: none */
  fw_power_mw power;   /* of each of its GPUs; 0: not recorded */
  size_t line;         /* in its file: those at one time keep its order */
} fw_submission;

typedef struct fw_submissions {
  fw_submission *data;
  size_t count;
  size_t capacity;
} fw_submissions;

/* Read all of a file; free with the function below. Errors name file, line and column: a missing column, a cell that is
 * no number or out of range, a request
 * whose time goes back, a file without rows. */
fw_status fw_requests_read(const char *path, fw_requests *out, fw_diagnostics *diagnostics);
fw_status fw_submissions_read(const char *path, fw_submissions *out, fw_diagnostics *diagnostics);

void fw_requests_clear(fw_requests *requests);
void fw_submissions_clear(fw_submissions *submissions);

#endif

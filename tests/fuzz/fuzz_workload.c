/* Any bytes as recorded work: requests, and jobs handed in. What is accepted is in order and in range. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "traces/workload.h"

static void require(bool condition) {
  if (!condition) abort();
}

static void check_requests(const char *path) {
  fw_requests requests = {0};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = fw_requests_read(path, &requests, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  require((status == FW_OK) == (requests.count > 0));
  for (size_t i = 0; i < requests.count; i++) {
    require(requests.data[i].time >= (i > 0 ? requests.data[i - 1].time : 0));
    require(requests.data[i].context_tokens >= 0 && requests.data[i].generated_tokens >= 1);
  }
  fw_requests_clear(&requests);
  fw_diagnostics_clear(&diagnostics);
}

static void check_submissions(const char *path) {
  fw_submissions jobs = {0};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = fw_submissions_read(path, &jobs, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  require((status == FW_OK) == (jobs.count > 0));
  for (size_t i = 0; i < jobs.count; i++) {
    require(jobs.data[i].time >= (i > 0 ? jobs.data[i - 1].time : 0));
    require(jobs.data[i].gpus >= 1 && jobs.data[i].duration >= 0 && jobs.data[i].limit >= 0);
    require(jobs.data[i].steps == 0 || jobs.data[i].duration == 0);
  }
  fw_submissions_clear(&jobs);
  fw_diagnostics_clear(&diagnostics);
}

/* The readers take files only. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[] = "/tmp/fleetwatt_fuzz_XXXXXX";
  const int descriptor = mkstemp(path);
  require(descriptor >= 0);
  require(write(descriptor, data, size) == (ssize_t)size);
  (void)close(descriptor);
  check_requests(path);
  check_submissions(path);
  (void)unlink(path);
  return 0;
}

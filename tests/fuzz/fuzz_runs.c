/* Any bytes as a scenario that runs (random_runs.h). */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/random_runs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_random_runs(data, size);
  return 0;
}

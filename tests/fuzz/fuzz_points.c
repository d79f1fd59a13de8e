/* Any bytes as a table of operating points. What is accepted has a point with a power, and no number that makes no
 * sense. The reader takes a path, so the input goes through a file. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "traces/points.h"

static void require(bool condition) {
  if (!condition) abort();
}

static void check_points(const fw_operating_points *points) {
  size_t powers = 0;
  for (size_t i = 0; i < points->count; i++) {
    const fw_operating_point *point = &points->data[i];
    require(point->concurrency >= 1.0 && !(point->power_w <= 0.0) && !(point->token_s < 0.0));
    powers += isnan(point->power_w) ? 0 : 1;
  }
  require(powers > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[] = "/tmp/fleetwatt-fuzz-points-XXXXXX";
  const int descriptor = mkstemp(path);
  require(descriptor >= 0 && (size == 0 || write(descriptor, data, size) == (ssize_t)size));
  (void)close(descriptor);
  fw_operating_points points;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_status status = fw_operating_points_read(path, &points, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  if (status == FW_OK) check_points(&points);
  fw_operating_points_clear(&points);
  fw_diagnostics_clear(&diagnostics);
  (void)unlink(path);
  return 0;
}

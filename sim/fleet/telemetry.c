/* Rolling means of readings by running totals in a ring. */
#include "sim/fleet/telemetry.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

fw_status fwi_telemetry_create(size_t longest, fwi_telemetry *out, fw_diagnostics *diagnostics) {
  size_t capacity = 1;
  *out = (fwi_telemetry){0};
  while (capacity <= longest && capacity <= SIZE_MAX / 2) {
    capacity *= 2;
  }
  out->total = capacity > longest ? fw_allocate(capacity, sizeof *out->total) : NULL;
  out->mask = capacity - 1;
  return out->total != NULL ? FW_OK : fw_error_memory(diagnostics, "a job's telemetry");
}

void fwi_telemetry_free(fwi_telemetry *telemetry) {
  free(telemetry->total);
  *telemetry = (fwi_telemetry){0};
}

double fwi_telemetry_mean_w(const fwi_telemetry *telemetry, size_t n, size_t skip) {
  if (n == 0 || n + skip > telemetry->count || n + skip > telemetry->mask) {
    return (double)NAN;
  }
  const int64_t end = telemetry->total[(telemetry->count - skip) & telemetry->mask];
  const int64_t start = telemetry->total[(telemetry->count - skip - n) & telemetry->mask];
  return (double)(end - start) / (double)n / (double)FW_MW_PER_W;
}

double fwi_telemetry_mean_since_mark_w(const fwi_telemetry *telemetry) {
  const uint64_t n = telemetry->count - telemetry->mark_count;
  return n == 0 ? (double)NAN : (double)fwi_telemetry_sum_since_mark(telemetry) / (double)n / (double)FW_MW_PER_W;
}

int64_t fwi_telemetry_sum_since_mark(const fwi_telemetry *telemetry) {
  return telemetry->sum - telemetry->mark_sum;
}

void fwi_telemetry_mark(fwi_telemetry *telemetry) {
  telemetry->mark_count = telemetry->count;
  telemetry->mark_sum = telemetry->sum;
}

double fwi_telemetry_last_w(const fwi_telemetry *telemetry) {
  return telemetry->count == 0 ? (double)NAN : (double)telemetry->last / (double)FW_MW_PER_W;
}

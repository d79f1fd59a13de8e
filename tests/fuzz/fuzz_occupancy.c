/* Any bytes as what a job did: behind a first line that says which file they are, a trace, the counters of an engine or
 * the phases of a script. What is accepted must hold together: shares of time sum to 1, rates and powers are numbers,
 * segments follow each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "traces/occupancy.h"

#define TICK (FW_NS_PER_S / 2)

static void require(bool condition) {
  if (!condition) abort();
}

/* The reader takes paths: one file for each process, written anew for each input. */
static const char *write_input(const char *name, const uint8_t *data, size_t size, char path[64]) {
  (void)snprintf(path, 64, "/tmp/fleetwatt-fuzz-%ld-%s.csv", (long)getpid(), name);
  FILE *stream = fopen(path, "wb");
  require(stream != NULL && (size == 0 || fwrite(data, 1, size, stream) == size) && fclose(stream) == 0);
  return path;
}

static void check_tick(const fw_occupancy *occupancy, size_t t) {
  const fw_occupancy_tick *tick = &occupancy->data[t];
  double sum = 0.0;
  for (int i = 0; i < FW_ACTIVITY_COUNT; i++) {
    require(tick->share[i] >= -1e-9 && tick->share[i] <= 1.0 + 1e-9);
    sum += tick->share[i];
  }
  require(fabs(sum - 1.0) < 1e-6);
  require(!(tick->in_flight < 0.0) && !(tick->prompt_per_s < 0.0) && !(tick->generated_per_s < 0.0));
  require(t == 0 || tick->segment >= occupancy->data[t - 1].segment);
  for (size_t gpu = 0; gpu < occupancy->gpus; gpu++)
    require(isfinite(occupancy->power_w[t * occupancy->gpus + gpu]));
}

static void read_all(const fw_occupancy_options *options) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_occupancy occupancy;
  const fw_status status = fw_occupancy_read(options, &occupancy, &diagnostics);
  require((status == FW_OK) == (diagnostics.error_count == 0));
  if (status == FW_OK) {
    require(occupancy.count > 0 && occupancy.gpus > 0);
    for (size_t t = 0; t < occupancy.count; t++)
      check_tick(&occupancy, t);
    fw_occupancy_clear(&occupancy);
  }
  fw_diagnostics_clear(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char trace[] = "# kind: mean_from\nt_s,gpu,power_w\n0,0,60\n1,0,60\n2,0,300\n3,0,310\n4,0,60\n5,0,60\n";
  const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
  if (line == NULL) return 0;
  const uint8_t *body = line + 1;
  const size_t length = size - (size_t)(body - data);
  char own[64];
  char fixed[64];
  fw_occupancy_options options = {.kind_if_unstated = FW_SERIES_INSTANT, .tick = TICK};
  const char *input = write_input("input", body, length, own);
  options.trace = data[0] == 't' ? input : write_input("trace", (const uint8_t *)trace, sizeof trace - 1, fixed);
  options.counters = data[0] == 'c' ? input : NULL;
  options.phases = data[0] == 'p' ? input : NULL;
  options.role = line > data + 1 && data[1] == 'r' ? "decode" : NULL;
  options.utilization = line > data + 1 && data[1] == 'u';
  read_all(&options);
  (void)unlink(own);
  if (options.trace != input) (void)unlink(fixed);
  return 0;
}

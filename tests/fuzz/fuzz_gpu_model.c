/* Any bytes as a GPU file. What is accepted must also be usable: powers stand in their order, slowdowns are at least 1
 * and fall with the cap, transients lie between their ends. */
#include <math.h>
#include <stdlib.h>

#include "models/gpu.h"
#include "tests/fuzz/fuzz.h"

#define CAPS 12

static void require(bool condition) {
  if (!condition) abort();
}

static void check_cap(const fw_gpu_model *gpu, fw_phase phase) {
  const double demand_w = fw_power_to_watts(gpu->tdp);
  double before = HUGE_VAL;
  for (int i = 1; i <= CAPS; i++) {
    const double slowdown = fw_cap_slowdown(&gpu->cap, phase, demand_w * i / CAPS, demand_w, NULL);
    require(slowdown >= 1.0 && slowdown <= before);
    before = slowdown;
  }
  require(fw_cap_slowdown(&gpu->cap, phase, demand_w, demand_w, NULL) == 1.0);
}

static void check_gpu(const fw_gpu_model *gpu) {
  require(gpu->idle >= 0 && gpu->idle < gpu->tdp && gpu->tdp <= gpu->board_max);
  require(gpu->idle < gpu->cap_min && gpu->cap_min <= gpu->cap_max && gpu->cap_max <= gpu->board_max);
  check_cap(gpu, FW_PHASE_ROLLOUT);
  check_cap(gpu, FW_PHASE_UPDATE);
  const double mean_w = fw_cap_transient_mean_w(&gpu->cap, 400.0, 100.0, 0, FW_NS_PER_S);
  require(mean_w >= 100.0 - 1e-6 && mean_w <= 400.0 + 1e-6);
  require(fw_sensor_error_mw(&gpu->sensor, 0.5) >= 0.0);
  require(fw_sensor_reading(&gpu->sensor, fw_sensor_error_mw(&gpu->sensor, 0.5), 250000.0, -1.0) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document = NULL;
  fw_status status = fw_json_parse((const char *)data, size, "input", &document, &diagnostics);
  if (status == FW_OK) {
    fw_gpu_model gpu;
    status = fw_gpu_model_decode(document, &gpu, &diagnostics);
    if (status == FW_OK) {
      check_gpu(&gpu);
      fw_gpu_model_clear(&gpu);
    }
  }
  require((status == FW_OK) == (diagnostics.error_count == 0));
  fw_json_free(document);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}

/* A GPU: its limits, idle power, sensor and cap response, read from models/gpu/NAME.json. A new GPU is a new file. */
#ifndef FW_MODELS_GPU_H
#define FW_MODELS_GPU_H

#include "models/cap.h"
#include "models/sensor.h"

typedef struct fw_gpu_model {
  int64_t format; /* "fleetwatt_gpu": 1 */
  char *id;
  fw_power_mw tdp;
  fw_power_mw idle;      /* floor of every power of this GPU */
  fw_power_mw board_max; /* ceiling of a tick's mean */
  fw_power_mw cap_min;
  fw_power_mw cap_max;
  fw_sensor sensor;
  fw_cap_response cap;
} fw_gpu_model;

extern const fw_record fw_gpu_model_record;

/* Decodes and checks; `out` is cleared where that fails. Clear it with fw_gpu_model_clear. */
fw_status fw_gpu_model_decode(const fw_json *document, fw_gpu_model *out, fw_diagnostics *diagnostics);

/* Reads and checks a file (idle < tdp <= board_max, cap range inside, tables monotone). */
fw_status fw_gpu_model_read(const char *path, fw_gpu_model *out, fw_diagnostics *diagnostics);
void fw_gpu_model_clear(fw_gpu_model *model);

#endif

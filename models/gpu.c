/* The table and the checks of a GPU file. */
#include "models/gpu.h"

#include "models/ceilings.h"
#include "models/check.h"
#include "sim/base/fields.h"

#define POWER(member, text) FW_FIELD_ABOVE(fw_gpu_model, member, FW_FIELD_POWER, FW_REQUIRED, 0.0, FWI_MOST_W, text)

static const fw_field gpu_fields[] = {
    FW_FORMAT(fw_gpu_model, format, "fleetwatt_gpu"),
    FW_FIELD(fw_gpu_model, id, FW_FIELD_STRING, FW_REQUIRED, 0.0, 0.0, "name that job models refer to"),
    POWER(tdp, "thermal design power, the nameplate of one GPU"),
    FW_FIELD(fw_gpu_model, idle, FW_FIELD_POWER, FW_REQUIRED, 0.0, FWI_MOST_W,
             "power without work, the floor of every power"),
    POWER(board_max, "ceiling of a tick's mean"),
    POWER(cap_min, "lowest cap that the firmware takes"),
    POWER(cap_max, "highest cap that the firmware takes"),
    FW_RECORD(fw_gpu_model, sensor, &fw_sensor_record, FW_REQUIRED, "how a reading differs from the truth"),
    FW_RECORD(fw_gpu_model, cap, &fw_cap_response_record, FW_REQUIRED, "what a power cap does"),
    FW_PROVENANCE,
};

const fw_record fw_gpu_model_record = {
    .name = "gpu_model",
    .doc = "one kind of GPU",
    .size = sizeof(fw_gpu_model),
    .fields = gpu_fields,
    .field_count = FW_COUNT_OF(gpu_fields),
};

static fw_status check_powers(const fw_gpu_model *gpu, const fw_json_value *root, fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  if (gpu->idle >= gpu->tdp) {
    status = fw_json_error(fw_record_member(root, "idle"), diagnostics, "must be below \"tdp\"");
  }
  if (gpu->board_max < gpu->tdp) {
    status = fw_json_error(fw_record_member(root, "board_max"), diagnostics, "must not be below \"tdp\"");
  }
  if (gpu->cap_min <= gpu->idle) {
    status = fw_json_error(fw_record_member(root, "cap_min"), diagnostics,
                           "must be above \"idle\": no cap can hold a GPU below its idle power");
  }
  if (gpu->cap_max < gpu->cap_min) {
    status = fw_json_error(fw_record_member(root, "cap_max"), diagnostics, "must not be below \"cap_min\"");
  }
  if (gpu->cap_max > gpu->board_max) {
    status = fw_json_error(fw_record_member(root, "cap_max"), diagnostics, "must not be above \"board_max\"");
  }
  return status;
}

static fw_status check_gpu(const fw_gpu_model *gpu, const fw_json_value *root, fw_diagnostics *diagnostics) {
  fw_status status = fwi_text_check(gpu->id, "id", root, diagnostics);
  status = fwi_worse(status, check_powers(gpu, root, diagnostics));
  return fwi_worse(status, fwi_cap_check(&gpu->cap, fw_record_member(root, "cap"), diagnostics));
}

fw_status fw_gpu_model_decode(const fw_json *document, fw_gpu_model *out, fw_diagnostics *diagnostics) {
  const fw_json_value *root = fw_json_root(document);
  fw_status status = fw_record_decode(&fw_gpu_model_record, root, out, diagnostics);
  if (status == FW_OK) status = check_gpu(out, root, diagnostics);
  if (status != FW_OK) fw_gpu_model_clear(out);
  return status;
}

fw_status fw_gpu_model_read(const char *path, fw_gpu_model *out, fw_diagnostics *diagnostics) {
  *out = (fw_gpu_model){0};
  fw_json *document = NULL;
  fw_status status = fw_json_read(path, &document, diagnostics);
  if (status == FW_OK) status = fw_gpu_model_decode(document, out, diagnostics);
  fw_json_free(document);
  return status;
}

void fw_gpu_model_clear(fw_gpu_model *model) {
  fw_record_clear(&fw_gpu_model_record, model);
}

/* Checks of what a record table cannot say: relations between values. Each reports every fault at its place in the
 * file and returns FW_ERROR_INPUT if there was one. `value` is the JSON object that the struct was decoded from. */
#ifndef FW_MODELS_CHECK_H
#define FW_MODELS_CHECK_H

#include "models/cap.h"
#include "models/residual.h"

/* A later fault does not hide an earlier one. */
static inline fw_status fwi_worse(fw_status first, fw_status second) {
  return first != FW_OK ? first : second;
}

fw_status fwi_text_check(const char *text, const char *key, const fw_json_value *root, fw_diagnostics *diagnostics);

fw_status fwi_cap_check(const fw_cap_response *response, const fw_json_value *value, fw_diagnostics *diagnostics);
fw_status fwi_level_check(const fw_variant *level, const fw_json_value *value, fw_diagnostics *diagnostics);
fw_status fwi_marginal_check(const fw_variant *marginal, const fw_json_value *value, fw_diagnostics *diagnostics);
fw_status fwi_residual_check(const fw_residual_model *model, int64_t gpus, const fw_json_value *value,
                             fw_diagnostics *diagnostics);

#endif

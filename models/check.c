/* Checks that files share. */
#include "models/check.h"

fw_status fwi_text_check(const char *text, const char *key, const fw_json_value *root, fw_diagnostics *diagnostics) {
  return text[0] != '\0' ? FW_OK : fw_json_error(fw_record_member(root, key), diagnostics, "must not be empty");
}

/* Checks that files share, and finding the place of a value by its name. */
#include "models/check.h"

#include <string.h>

/* True where `key` is `name` or `name` and one unit: "cap_min" and "cap_min_w", but not "cap" and "cap_min_w". */
static bool key_gives(const char *key, const char *name) {
  const size_t length = strlen(name);
  if (strncmp(key, name, length) != 0) return false;
  return key[length] == '\0' || (key[length] == '_' && strchr(key + length + 1, '_') == NULL);
}

const fw_json_value *fwi_member(const fw_json_value *object, const char *name) {
  const fw_json_value *exact = fw_json_get(object, name);
  if (exact != NULL) return exact;
  for (const fw_json_value *member = fw_json_first(object); member != NULL; member = fw_json_next(member)) {
    if (key_gives(fw_json_key(member), name)) return member;
  }
  return object;
}

fw_status fwi_text_check(const char *text, const char *key, const fw_json_value *root, fw_diagnostics *diagnostics) {
  return text[0] != '\0' ? FW_OK : fw_json_error(fwi_member(root, key), diagnostics, "must not be empty");
}

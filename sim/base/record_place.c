/* Places of fields in the text, by the rule of the keys: a quantity's key ends in its unit. */
#include <string.h>

#include "sim/base/record.h"

/* True where `key` is `name` or `name` and one unit: "cap_min" and "cap_min_w", but not "cap" and "cap_min_w". */
static bool key_gives(const char *key, const char *name) {
  const size_t length = strlen(name);
  if (strncmp(key, name, length) != 0) return false;
  return key[length] == '\0' || (key[length] == '_' && strchr(key + length + 1, '_') == NULL);
}

const fw_json_value *fw_record_member(const fw_json_value *object, const char *name) {
  if (object == NULL || fw_json_type_of(object) != FW_JSON_OBJECT) return object;
  const fw_json_value *exact = fw_json_get(object, name);
  if (exact != NULL) return exact;
  for (const fw_json_value *member = fw_json_first(object); member != NULL; member = fw_json_next(member)) {
    if (key_gives(fw_json_key(member), name)) return member;
  }
  return object;
}

const fw_json_value *fw_record_element(const fw_json_value *object, const char *name, size_t index) {
  const fw_json_value *array = fw_record_member(object, name);
  if (array == NULL || fw_json_type_of(array) != FW_JSON_ARRAY) return array;
  const fw_json_value *element = fw_json_first(array);
  for (size_t i = 0; i < index && element != NULL; i++)
    element = fw_json_next(element);
  return element != NULL ? element : array;
}

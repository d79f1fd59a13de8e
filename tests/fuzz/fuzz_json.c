/* Any bytes: the parser refuses them with a reason, or reads what cJSON reads. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/json.h"
#include "tests/fuzz/fuzz.h"

/* A number longer than cJSON's buffer is read by ours alone. */
static const size_t cjson_number_limit = 63;

static bool same(const fw_json_value *value, const cJSON *item) {
  const char *key = fw_json_key(value);
  if ((key == NULL) != (item->string == NULL) || (key != NULL && strcmp(key, item->string) != 0)) return false;
  double number = fw_json_type_of(value) == FW_JSON_NUMBER ? fw_json_number(value) : 0;
  switch (fw_json_type_of(value)) {
  case FW_JSON_NULL:
    return cJSON_IsNull(item);
  case FW_JSON_BOOL:
    return cJSON_IsBool(item) && cJSON_IsTrue(item) == fw_json_bool(value);
  case FW_JSON_NUMBER:
    return cJSON_IsNumber(item) && memcmp(&number, &item->valuedouble, sizeof number) == 0;
  case FW_JSON_STRING:
    return cJSON_IsString(item) && strcmp(fw_json_string(value), item->valuestring) == 0;
  default:
    break;
  }
  const fw_json_value *child = fw_json_first(value);
  const cJSON *other = item->child;
  for (; child != NULL && other != NULL; child = fw_json_next(child), other = other->next) {
    if (!same(child, other)) return false;
  }
  return child == NULL && other == NULL;
}

static bool has_long_number(const fw_json_value *value) {
  if (fw_json_type_of(value) == FW_JSON_NUMBER) return strlen(fw_json_number_text(value)) > cjson_number_limit;
  for (const fw_json_value *child = fw_json_first(value); child != NULL; child = fw_json_next(child)) {
    if (has_long_number(child)) return true;
  }
  return false;
}

static void require(bool condition) {
  if (!condition) abort();
}

/* cJSON skips a byte order mark only where two more bytes follow it. */
static cJSON *parse_with_cjson(const char *text, size_t length) {
  size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  return cJSON_ParseWithLength(text + mark, length - mark);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_json *document;
  fw_status status = fw_json_parse((const char *)data, size, "fuzz", &document, &diagnostics);
  require((status == FW_OK) == (document != NULL));
  require((status == FW_OK) == (diagnostics.error_count == 0));
  require(status == FW_OK || status == FW_ERROR_INPUT);
  if (document != NULL && !has_long_number(fw_json_root(document))) {
    cJSON *tree = parse_with_cjson((const char *)data, size);
    require(tree != NULL && same(fw_json_root(document), tree));
    cJSON_Delete(tree);
  }
  fw_json_free(document);
  fw_diagnostics_clear(&diagnostics);
  return 0;
}

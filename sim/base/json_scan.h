/* Inside sim/base: the JSON document and the scanner that fills it before cJSON decodes. */
#ifndef FW_BASE_JSON_SCAN_H
#define FW_BASE_JSON_SCAN_H

#include <cjson/cJSON.h>

#include "sim/base/json.h"

/* Values stand in one array in the order of the text, a container before what it holds: a subtree is a run of
 * it. FW_JSON_SIZE_LIMIT keeps every offset and count in 32 bits. */
struct fw_json_value {
  const fw_json *document;
  const char *key; /* of the cJSON tree, as is `string` */
  union {
    bool boolean;
    double number;
    const char *string;
  };
  uint32_t offset; /* of the first byte in the text */
  uint32_t length; /* bytes of its text, quotes or brackets included */
  uint32_t line;
  uint32_t column;
  uint32_t parent; /* index of the container; the root is its own */
  uint32_t span;   /* values in the subtree, this one included */
  uint32_t count;  /* members or elements */
  fw_json_type type;
};

struct fw_json {
  char *file; /* NULL when the source has no name */
  char *text; /* a copy of the source behind its byte order mark; a zero ends each number once it is complete */
  size_t length;
  size_t mark_length; /* of the byte order mark */
  cJSON *tree;        /* owns all decoded strings */
  fw_json_value *values;
  size_t value_count;
  size_t value_capacity;
};

/* Checks document->text against RFC 8259 and fills document->values, save key, number and string. `decodable` is
 * set when the faults found, if any, do not keep cJSON from reading the text. */
fw_status fwi_json_scan(fw_json *document, bool *decodable, fw_diagnostics *diagnostics);

#endif

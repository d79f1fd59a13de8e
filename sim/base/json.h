/* Strict JSON text with places.
 *
 * cJSON decodes; before it a scanner of ours holds the text to RFC 8259 (cJSON alone accepts leading zeros,
 * numbers beyond double, duplicate keys and trailing text, and compares keys without case), bounds its depth
 * and size, and keeps for every value its line, column and exact number text. All faults that can be
 * told apart are reported, each with file, line, column and what was expected. */
#ifndef FW_BASE_JSON_H
#define FW_BASE_JSON_H

#include <stdint.h>

#include "sim/base/diagnostics.h"
#include "sim/base/text.h"

#define FW_JSON_DEPTH_LIMIT ((size_t)64)
#define FW_JSON_SIZE_LIMIT ((size_t)64 * 1024 * 1024)
#define FW_JSON_VALUE_LIMIT ((size_t)4 * 1024 * 1024) /* some 600 MB when decoded */
#define FW_JSON_FAULT_LIMIT ((size_t)100)             /* faults reported of one text; the next one ends the check */

typedef enum fw_json_type {
  FW_JSON_NULL,
  FW_JSON_BOOL,
  FW_JSON_NUMBER,
  FW_JSON_STRING,
  FW_JSON_ARRAY,
  FW_JSON_OBJECT
} fw_json_type;

typedef struct fw_json fw_json;             /* a parsed document; owns all its values */
typedef struct fw_json_value fw_json_value; /* one value in it */

/* Parses `length` bytes of `text` (UTF-8; a byte order mark at the start is allowed). `file` names the
 * source in messages and is copied; it may be NULL. A duplicate key names both lines. U+0000 in a string is refused. On
 * failure `out` is NULL. */
fw_status fw_json_parse(const char *text, size_t length, const char *file, fw_json **out, fw_diagnostics *diagnostics);
fw_status fw_json_read(const char *path, fw_json **out, fw_diagnostics *diagnostics);
void fw_json_free(fw_json *document);

const char *fw_json_file(const fw_json *document);
const fw_json_value *fw_json_root(const fw_json *document);

fw_json_type fw_json_type_of(const fw_json_value *value);
const char *fw_json_type_name(fw_json_type type); /* "an object", "a number", ... */

/* Members of an object and elements of an array, in the order of the text. fw_json_get compares keys
 * byte for byte and returns NULL when `object` has no such key. */
const fw_json_value *fw_json_get(const fw_json_value *object, const char *key);
const fw_json_value *fw_json_first(const fw_json_value *container);
const fw_json_value *fw_json_next(const fw_json_value *value);
size_t fw_json_count(const fw_json_value *container);
const char *fw_json_key(const fw_json_value *value); /* NULL for elements and the root */

bool fw_json_bool(const fw_json_value *value);
double fw_json_number(const fw_json_value *value);           /* finite */
const char *fw_json_number_text(const fw_json_value *value); /* the digits as written; terminated */
const char *fw_json_string(const fw_json_value *value);      /* decoded; no U+0000 inside */

/* Adds the value as JSON on one line, numbers as they were written. */
void fw_json_write(const fw_json_value *value, fw_text *out);

/* The place of a value, for diagnostics; none of NULL. Its path is built in `path_buffer` ("jobs[2].model"). */
#define FW_JSON_PATH_SIZE ((size_t)256)
fw_place fw_json_place(const fw_json_value *value, char path_buffer[FW_JSON_PATH_SIZE]);

/* Where a value, its quotes or brackets included, stands in the text that was parsed: `length` bytes from `offset`. */
void fw_json_extent(const fw_json_value *value, size_t *offset, size_t *length);

/* Adds an FW_ERROR_INPUT at `value`, or without a place where that is NULL, and returns it. */
fw_status fw_json_error(const fw_json_value *value, fw_diagnostics *diagnostics, const char *format, ...)
    FW_PRINTF(3, 4);

#endif

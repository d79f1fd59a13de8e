/* The document: cJSON decodes the text that the scanner let pass, and its strings are joined to the scanner's values
 * (both in the order of the text).
 *
 * Numbers are read by fw_number_parse from their own text: cJSON looks for the decimal point of the locale and
 * cuts a number after 63 characters, so it is shown zeros in their place. */
#include "sim/base/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/json_scan.h"
#include "sim/base/memory.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static fw_json *new_document(const char *text, size_t length, const char *file) {
  fw_json *document = fw_allocate(1, sizeof *document);
  if (document == NULL) return NULL;
  document->text = fw_copy_bytes(text, length);
  document->length = length;
  if (file != NULL) document->file = fw_copy_text(file);
  if (document->text == NULL || (file != NULL && document->file == NULL)) {
    fw_json_free(document);
    return NULL;
  }
  return document;
}

void fw_json_free(fw_json *document) {
  if (document == NULL) return;
  cJSON_Delete(document->tree);
  free(document->values);
  free(document->text);
  free(document->file);
  free(document);
}

/* "-12.5e3" becomes "0      ". */
static void blank_numbers(fw_json *document) {
  for (size_t i = 0; i < document->value_count; i++) {
    const fw_json_value *value = &document->values[i];
    if (value->type != FW_JSON_NUMBER) continue;
    memset(document->text + value->offset, ' ', value->length);
    document->text[value->offset] = '0';
  }
}

/* Puts the numbers back, each ended by a zero: no two values touch, so what it overwrites is no longer needed. */
static void restore_numbers(fw_json *document, const char *source) {
  memcpy(document->text, source, document->length);
  for (size_t i = 0; i < document->value_count; i++) {
    fw_json_value *value = &document->values[i];
    if (value->type != FW_JSON_NUMBER) continue;
    (void)fw_number_parse(document->text + value->offset, value->length, &value->number);
    document->text[value->offset + value->length] = '\0';
  }
}

static void join_strings(fw_json *document, size_t *index, const cJSON *item) {
  fw_json_value *value = &document->values[(*index)++];
  value->key = item->string;
  if (value->type == FW_JSON_STRING) value->string = item->valuestring;
  const cJSON *child;
  cJSON_ArrayForEach(child, item) join_strings(document, index, child);
}

static fw_status decode(fw_json *document, const char *source, fw_diagnostics *diagnostics) {
  blank_numbers(document);
  document->tree = cJSON_ParseWithLength(document->text, document->length);
  restore_numbers(document, source);
  if (document->tree == NULL) return fw_error_memory(diagnostics, "a JSON document"); /* all else was checked */
  size_t index = 0;
  join_strings(document, &index, document->tree);
  return FW_OK;
}

typedef struct keyed_member {
  const char *key;
  const fw_json_value *value;
} keyed_member;

/* By key, then by place in the text. */
static int compare_members(const void *left, const void *right) {
  const keyed_member *a = left;
  const keyed_member *b = right;
  int order = strcmp(a->key, b->key);
  return order != 0 ? order : (a->value > b->value) - (a->value < b->value);
}

/* Sorted, equal keys are neighbours: n log n, whatever the text. `members` has room for all of them. */
static fw_status check_object(const fw_json_value *object, keyed_member *members, size_t *faults,
                              fw_diagnostics *diagnostics) {
  fw_status status = FW_OK;
  size_t count = 0;
  const fw_json_value *value = fw_json_first(object);
  for (; value != NULL; value = fw_json_next(value))
    members[count++] = (keyed_member){value->key, value};
  qsort(members, count, sizeof *members, compare_members);
  keyed_member first = members[0];
  for (size_t i = 1; i < count && *faults < FW_JSON_FAULT_LIMIT; i++) {
    if (strcmp(first.key, members[i].key) != 0) {
      first = members[i];
      continue;
    }
    char shown[FW_SHOWN_SIZE];
    value = members[i].value;
    status = fw_json_error(value, diagnostics, "the key \"%s\" stands in line %u and again in line %u; keep one",
                           fw_shown(first.key, strlen(first.key), shown), first.value->line, value->line);
    (*faults)++;
  }
  return status;
}

static fw_status check_duplicates(const fw_json *document, fw_diagnostics *diagnostics) {
  size_t largest = 0;
  for (size_t i = 0; i < document->value_count; i++) {
    const fw_json_value *value = &document->values[i];
    if (value->type == FW_JSON_OBJECT && value->count > largest) largest = value->count;
  }
  keyed_member *members = fw_allocate(largest, sizeof *members);
  if (members == NULL) return fw_error_memory(diagnostics, "an index of JSON keys");
  fw_status status = FW_OK;
  size_t faults = 0;
  for (size_t i = 0; i < document->value_count; i++) {
    const fw_json_value *value = &document->values[i];
    if (value->type != FW_JSON_OBJECT || value->count < 2) continue;
    fw_status checked = check_object(value, members, &faults, diagnostics);
    if (status == FW_OK) status = checked;
  }
  free(members);
  return status;
}

fw_status fw_json_parse(const char *text, size_t length, const char *file, fw_json **out, fw_diagnostics *diagnostics) {
  *out = NULL;
  size_t mark = sizeof byte_order_mark - 1;
  if (length < mark || memcmp(text, byte_order_mark, mark) != 0) mark = 0;
  text += mark;
  length -= mark;
  if (length > FW_JSON_SIZE_LIMIT) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = file},
                    "a JSON text of %zu bytes; at most %zu are read", length, FW_JSON_SIZE_LIMIT);
  }
  fw_json *document = new_document(text, length, file);
  if (document == NULL) return fw_error_memory(diagnostics, "a JSON document");
  document->mark_length = mark;
  bool decodable;
  fw_status status = fwi_json_scan(document, &decodable, diagnostics);
  if (decodable) {
    fw_status decoded = decode(document, text, diagnostics);
    if (decoded == FW_OK) decoded = check_duplicates(document, diagnostics);
    if (status == FW_OK) status = decoded;
  }
  if (status == FW_OK) {
    *out = document;
  } else {
    fw_json_free(document);
  }
  return status;
}

fw_status fw_json_read(const char *path, fw_json **out, fw_diagnostics *diagnostics) {
  *out = NULL;
  fw_text text = FW_TEXT_INIT;
  fw_status status = fw_file_read(path, FW_JSON_SIZE_LIMIT, &text, diagnostics);
  if (status == FW_OK) status = fw_json_parse(text.data, text.length, path, out, diagnostics);
  fw_text_clear(&text);
  return status;
}

const char *fw_json_file(const fw_json *document) {
  return document->file;
}

const fw_json_value *fw_json_root(const fw_json *document) {
  return document->values;
}

fw_json_type fw_json_type_of(const fw_json_value *value) {
  return value->type;
}

const char *fw_json_type_name(fw_json_type type) {
  static const char *const names[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
  return names[type];
}

const fw_json_value *fw_json_get(const fw_json_value *object, const char *key) {
  if (object->type != FW_JSON_OBJECT) return NULL;
  const fw_json_value *member = fw_json_first(object);
  while (member != NULL && strcmp(member->key, key) != 0)
    member = fw_json_next(member);
  return member;
}

const fw_json_value *fw_json_first(const fw_json_value *container) {
  return container->count > 0 ? container + 1 : NULL;
}

const fw_json_value *fw_json_next(const fw_json_value *value) {
  const fw_json_value *parent = value->document->values + value->parent;
  const fw_json_value *next = value + value->span;
  return next < parent + parent->span ? next : NULL;
}

size_t fw_json_count(const fw_json_value *container) {
  return container->count;
}

const char *fw_json_key(const fw_json_value *value) {
  return value->key;
}

bool fw_json_bool(const fw_json_value *value) {
  return value->boolean;
}

double fw_json_number(const fw_json_value *value) {
  return value->number;
}

const char *fw_json_number_text(const fw_json_value *value) {
  return value->document->text + value->offset;
}

const char *fw_json_string(const fw_json_value *value) {
  return value->string;
}

static void add_container(const fw_json_value *value, bool object, fw_text *out) {
  fw_text_add(out, object ? "{" : "[");
  for (const fw_json_value *child = fw_json_first(value); child != NULL; child = fw_json_next(child)) {
    fw_text_add(out, child != fw_json_first(value) ? ", " : "");
    if (object) {
      fw_text_add_json_string(out, fw_json_key(child));
      fw_text_add(out, ": ");
    }
    fw_json_write(child, out);
  }
  fw_text_add(out, object ? "}" : "]");
}

/* Its depth is bounded: FW_JSON_DEPTH_LIMIT. */
void fw_json_write(const fw_json_value *value, fw_text *out) {
  switch (fw_json_type_of(value)) {
  case FW_JSON_NULL:
    fw_text_add(out, "null");
    break;
  case FW_JSON_BOOL:
    fw_text_add(out, fw_json_bool(value) ? "true" : "false");
    break;
  case FW_JSON_NUMBER:
    fw_text_add(out, fw_json_number_text(value));
    break;
  case FW_JSON_STRING:
    fw_text_add_json_string(out, fw_json_string(value));
    break;
  default:
    add_container(value, fw_json_type_of(value) == FW_JSON_OBJECT, out);
    break;
  }
}

/* Adds to a path of `length` bytes what fits, and dots where something does not. */
static size_t add_to_path(char *path, size_t length, const char *piece) {
  static const char ellipsis[] = "...";
  size_t room = FW_JSON_PATH_SIZE - sizeof ellipsis;
  size_t size = strlen(piece);
  if (length > room) return length;
  if (length + size > room) {
    memcpy(path + length, ellipsis, sizeof ellipsis);
    return FW_JSON_PATH_SIZE;
  }
  memcpy(path + length, piece, size + 1);
  return length + size;
}

static size_t element_index(const fw_json_value *value) {
  size_t index = 0;
  const fw_json_value *other = value->document->values + value->parent + 1;
  for (; other != value; other = fw_json_next(other))
    index++;
  return index;
}

static size_t build_path(const fw_json_value *value, char *path) {
  const fw_json_value *parent = value->document->values + value->parent;
  char piece[FW_SHOWN_SIZE + 1];
  if (parent == value) {
    path[0] = '\0';
    return 0;
  }
  size_t length = build_path(parent, path);
  if (value->key == NULL) {
    (void)snprintf(piece, sizeof piece, "[%zu]", element_index(value));
    return add_to_path(path, length, piece);
  }
  if (length > 0) length = add_to_path(path, length, ".");
  return add_to_path(path, length, fw_shown(value->key, strlen(value->key), piece));
}

fw_place fw_json_place(const fw_json_value *value, char path_buffer[FW_JSON_PATH_SIZE]) {
  if (value == NULL) return (fw_place){0};
  bool named = build_path(value, path_buffer) > 0;
  return (fw_place){value->document->file, value->line, value->column, named ? path_buffer : NULL};
}

void fw_json_extent(const fw_json_value *value, size_t *offset, size_t *length) {
  *offset = value->document->mark_length + value->offset;
  *length = value->length;
}

fw_status fw_json_error(const fw_json_value *value, fw_diagnostics *diagnostics, const char *format, ...) {
  char path[FW_JSON_PATH_SIZE];
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return fw_error(diagnostics, FW_ERROR_INPUT, fw_json_place(value, path), "%s", message);
}

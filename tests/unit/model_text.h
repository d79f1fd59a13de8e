/* Helpers for tests of parameter files: snippets of JSON, files with one part replaced, and a search in diagnostics. */
#ifndef FW_TESTS_MODEL_TEXT_H
#define FW_TESTS_MODEL_TEXT_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/json.h"
#include "sim/base/record.h"

/* Decodes `json` by `record`; the test fails where that does. */
static inline void decode_text(const fw_record *record, const char *json, void *out) {
  fw_json *document = NULL;
  cr_assert_eq(fw_json_parse(json, strlen(json), "snippet", &document, NULL), FW_OK);
  cr_assert_eq(fw_record_decode(record, fw_json_root(document), out, NULL), FW_OK, "%s", json);
  fw_json_free(document);
}

/* Decodes one of `cases` from the object `json`. Free with fw_variant_clear. */
static inline fw_variant decode_law(const fw_variant_case *cases, const char *json) {
  const fw_field field = {.name = "law", .kind = FW_FIELD_VARIANT, .required = true, .cases = cases};
  const fw_record record = {.name = "law", .size = sizeof(fw_variant), .fields = &field, .field_count = 1};
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, "{\"law\": %s}", json);
  cr_assert_not(text.failed);
  fw_variant law;
  decode_text(&record, text.data, &law);
  fw_text_clear(&text);
  return law;
}

/* The text of a file of the source tree. Free with fw_text_clear. */
static inline fw_text source_text(const char *name) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s/%s", FW_SOURCE_DIR, name);
  fw_text text = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(path, FW_JSON_SIZE_LIMIT, &text, NULL), FW_OK, "%s", path);
  return text;
}

/* A copy of `text` in which the one place that says `from` says `to`. Free with fw_text_clear. */
static inline fw_text replaced(const fw_text *text, const char *from, const char *to) {
  const char *place = strstr(text->data, from);
  cr_assert_not_null(place, "the file does not hold: %s", from);
  cr_assert_null(strstr(place + 1, from), "the file holds more than once: %s", from);
  fw_text out = FW_TEXT_INIT;
  fw_text_add_bytes(&out, text->data, (size_t)(place - text->data));
  fw_text_add(&out, to);
  fw_text_add(&out, place + strlen(from));
  cr_assert_not(out.failed);
  return out;
}

/* True where an entry of this severity has this path and holds these words. */
static inline bool reported(const fw_diagnostics *list, fw_severity severity, const char *path, const char *words) {
  for (size_t i = 0; i < list->count; i++) {
    const fw_diagnostic *entry = &list->entries[i];
    if (entry->severity == severity && entry->path != NULL && strcmp(entry->path, path) == 0 && entry->line > 0 &&
        strstr(entry->message, words) != NULL) {
      return true;
    }
  }
  return false;
}

/* All entries in one text, for the message of a failed assertion. */
static inline const char *all_entries(const fw_diagnostics *list, char buffer[2000]) {
  size_t used = 0;
  buffer[0] = '\0';
  for (size_t i = 0; i < list->count && used < 1500; i++) {
    used += fw_diagnostic_format(&list->entries[i], buffer + used, 2000 - used);
    used += (size_t)snprintf(buffer + used, 2000 - used, "\n");
  }
  return buffer;
}

#endif

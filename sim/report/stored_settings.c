/* Settings of points, parsed once. */
#include "sim/report/stored_settings.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

static bool has_key(const fwi_settings *settings, const char *key) {
  for (size_t i = 0; i < settings->key_count; i++) {
    if (strcmp(settings->keys[i], key) == 0) {
      return true;
    }
  }
  return false;
}

static void add_keys(fwi_settings *settings, const fw_json *document, size_t *capacity) {
  for (const fw_json_value *m = fw_json_first(fw_json_root(document)); m != NULL; m = fw_json_next(m)) {
    if (has_key(settings, fw_json_key(m))) {
      continue;
    }
    if (!fw_grow(&settings->keys, capacity, settings->key_count + 1, sizeof *settings->keys)) {
      settings->failed = true;
      return;
    }
    settings->keys[settings->key_count++] = fw_json_key(m);
  }
}

fwi_settings fwi_settings_read(const fw_stored_study *study) {
  fwi_settings settings = {.documents = fw_allocate(study->point_count, sizeof(fw_json *)),
                           .count = study->point_count};
  size_t capacity = 0;
  settings.failed = settings.documents == NULL;
  for (size_t i = 0; !settings.failed && i < study->point_count; i++) {
    const char *text = study->points[i].settings;
    if (fw_json_parse(text, strlen(text), NULL, &settings.documents[i], NULL) == FW_OK) {
      add_keys(&settings, settings.documents[i], &capacity);
    }
  }
  return settings;
}

void fwi_settings_free(fwi_settings *settings) {
  for (size_t i = 0; settings->documents != NULL && i < settings->count; i++) {
    fw_json_free(settings->documents[i]);
  }
  free(settings->documents);
  free(settings->keys);
  *settings = (fwi_settings){0};
}

void fwi_settings_value(const fwi_settings *settings, size_t point, size_t key, fw_text *out) {
  const fw_json *document = settings->documents[point];
  const fw_json_value *value = document != NULL ? fw_json_get(fw_json_root(document), settings->keys[key]) : NULL;
  if (value != NULL && fw_json_type_of(value) == FW_JSON_STRING) {
    fw_text_add(out, fw_json_string(value));
  } else if (value != NULL) {
    fw_json_write(value, out);
  } else {
    fw_text_add(out, "");
  }
}

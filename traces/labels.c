/* Labels by the grammar of the Prometheus text format: names without, values within quotes; \\, \" and \n escaped. */
#include "traces/labels.h"

#include <string.h>

static bool is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool is_any(const char *text, size_t length, const char *const *words) {
  for (; *words != NULL; words++) {
    if (is_word(text, length, *words)) return true;
  }
  return false;
}

static const char *const uuid_names[] = {"UUID", "uuid", "gpu_uuid", NULL};
static const char *const gpu_names[] = {"gpu", "index", "minor_number", "gpu_id", "device_index", NULL};
static const char *const host_names[] = {"Hostname", "hostname", "host", "node", NULL};
static const char *const fallback_host_names[] = {"instance", NULL};
static const char *const model_names[] = {"modelName", "name", "product_name", NULL};
static const char *const instance_names[] = {"GPU_I_ID", "GPU_I_PROFILE", "gpu_instance_id", NULL};

static void set(fw_text *text, const char *value, size_t length) {
  text->length = 0;
  fw_text_add_bytes(text, value, length);
}

void fwi_identity_add(fwi_identity *identity, const char *name, size_t name_length, const char *value,
                      size_t value_length) {
  if (value_length == 0) return;
  if (is_any(name, name_length, uuid_names)) {
    set(&identity->uuid, value, value_length);
  } else if (is_any(name, name_length, gpu_names)) {
    set(&identity->gpu, value, value_length);
  } else if (is_any(name, name_length, host_names) ||
             (identity->host.length == 0 && is_any(name, name_length, fallback_host_names))) {
    set(&identity->host, value, value_length);
  } else if (is_any(name, name_length, model_names)) {
    set(&identity->model, value, value_length);
  } else if (is_any(name, name_length, instance_names)) {
    identity->instance = true;
  }
}

bool fwi_identity_write(const fwi_identity *identity, fw_text *out) {
  if (identity->uuid.length > 0) {
    fw_text_add_bytes(out, identity->uuid.data, identity->uuid.length);
    return true;
  }
  if (identity->host.length > 0) fw_text_add_bytes(out, identity->host.data, identity->host.length);
  if (identity->gpu.length == 0) return identity->host.length > 0;
  if (identity->host.length > 0) fw_text_add(out, "/");
  fw_text_add_bytes(out, identity->gpu.data, identity->gpu.length);
  return true;
}

void fwi_identity_reset(fwi_identity *identity) {
  identity->uuid.length = identity->gpu.length = identity->host.length = identity->model.length = 0;
  identity->instance = false;
}

void fwi_identity_clear(fwi_identity *identity) {
  fw_text_clear(&identity->uuid);
  fw_text_clear(&identity->gpu);
  fw_text_clear(&identity->host);
  fw_text_clear(&identity->model);
}

static bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The value whose opening quote is text[*at]; leaves *at behind the closing one. Escapes stay as they are written:
 * they differ between series just as what they stand for. */
static bool read_value(const char *text, size_t length, size_t *at, const char **value, size_t *value_length) {
  if (*at >= length || text[*at] != '"') return false;
  size_t start = ++*at;
  while (*at < length && text[*at] != '"')
    *at += text[*at] == '\\' ? 2 : 1;
  if (*at >= length) return false;
  *value = text + start;
  *value_length = *at - start;
  ++*at;
  return true;
}

size_t fwi_labels_read(const char *text, size_t length, fwi_identity *identity) {
  size_t at = 1;
  if (length < 2 || text[0] != '{') return 0;
  for (;;) {
    while (at < length && (text[at] == ' ' || text[at] == ','))
      at++;
    if (at < length && text[at] == '}') return at + 1;
    size_t name = at;
    while (at < length && is_name_character(text[at]))
      at++;
    size_t name_length = at - name;
    if (name_length == 0 || at >= length || text[at] != '=') return 0;
    at++;
    const char *value;
    size_t value_length;
    if (!read_value(text, length, &at, &value, &value_length)) return 0;
    fwi_identity_add(identity, text + name, name_length, value, value_length);
  }
}

bool fwi_labels_identity(const char *text, size_t length, fw_text *out, fwi_identity *identity) {
  fwi_identity own = {0};
  fwi_identity *used = identity == NULL ? &own : identity;
  bool found = fwi_labels_read(text, length, used) > 0 && fwi_identity_write(used, out);
  fwi_identity_clear(&own);
  return found;
}

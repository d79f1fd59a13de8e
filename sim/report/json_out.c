/* JSON by hand: the shape is fixed, so a tree in memory would only be a detour. */
#include "sim/report/json_out.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/report/report.h"

#define DIGITS 12

const char fw_report_version[] = FW_VERSION;

static void begin(fwi_json_out *out, const char *key) {
  if (!out->first) {
    fw_text_add(out->text, ",");
  }
  out->first = false;
  if (key != NULL) {
    fw_text_add_json_string(out->text, key);
    fw_text_add(out->text, ":");
  }
}

fwi_json_out fwi_json_open(fwi_json_out *parent, const char *key, char bracket) {
  begin(parent, key);
  fw_text_add_bytes(parent->text, &bracket, 1);
  return (fwi_json_out){parent->text, true};
}

void fwi_json_close(fwi_json_out *container, char bracket) {
  fw_text_add_bytes(container->text, &bracket, 1);
}

void fwi_json_number(fwi_json_out *out, const char *key, double value) {
  begin(out, key);
  fw_text_add_number(out->text, value, DIGITS);
}

void fwi_json_unsigned(fwi_json_out *out, const char *key, uint64_t value) {
  begin(out, key);
  fw_text_add_format(out->text, "%" PRIu64, value);
}

void fwi_json_integer(fwi_json_out *out, const char *key, int64_t value) {
  begin(out, key);
  fw_text_add_format(out->text, "%" PRId64, value);
}

void fwi_json_string(fwi_json_out *out, const char *key, const char *value) {
  begin(out, key);
  fw_text_add_json_string(out->text, value);
}

void fwi_json_bool(fwi_json_out *out, const char *key, bool value) {
  begin(out, key);
  fw_text_add(out->text, value ? "true" : "false");
}

void fwi_json_verbatim(fwi_json_out *out, const char *key, const char *json) {
  begin(out, key);
  fw_text_add(out->text, json);
}

void fwi_json_estimate(fwi_json_out *out, const char *key, fw_estimate value) {
  fwi_json_out object = fwi_json_open(out, key, '{');
  fwi_json_number(&object, "mean", value.mean);
  fwi_json_number(&object, "lo", value.lo);
  fwi_json_number(&object, "hi", value.hi);
  fwi_json_close(&object, '}');
}

void fwi_json_warnings(fwi_json_out *out, const fw_diagnostics *diagnostics) {
  fwi_json_out list = fwi_json_open(out, "warnings", '[');
  for (size_t i = 0; i < diagnostics->count; i++) {
    if (diagnostics->entries[i].severity == FW_SEVERITY_WARNING && !fw_diagnostics_repeated(diagnostics, i)) {
      fwi_json_string(&list, NULL, diagnostics->entries[i].message);
    }
  }
  fwi_json_close(&list, ']');
}

void fwi_json_head(fwi_json_out *out, const char *command) {
  fwi_json_integer(out, "fleetwatt", 1);
  fwi_json_string(out, "command", command);
  fwi_json_string(out, "version", fw_report_version);
}

const char *fwi_hash_text(uint64_t hash, char *buffer) {
  (void)snprintf(buffer, 17, "%016" PRIx64, hash);
  return buffer;
}

const char *fwi_json_window_key(fw_time_ns window, char *buffer) {
  return fw_time_format(window, buffer);
}

/* Writing JSON: members with commas where they belong. Numbers carry 12 significant digits; what is not finite becomes
 * null. */
#ifndef FW_REPORT_JSON_OUT_H
#define FW_REPORT_JSON_OUT_H

#include "sim/base/diagnostics.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/study/estimate.h"

/* `first` is shared by the members of one container: it is true until the first was written. */
typedef struct fwi_json_out {
  fw_text *text;
  bool first;
} fwi_json_out;

fwi_json_out fwi_json_open(fwi_json_out *parent, const char *key, char bracket); /* key NULL: an element */
void fwi_json_close(fwi_json_out *container, char bracket);

void fwi_json_number(fwi_json_out *out, const char *key, double value);
void fwi_json_unsigned(fwi_json_out *out, const char *key, uint64_t value);
void fwi_json_integer(fwi_json_out *out, const char *key, int64_t value);
void fwi_json_string(fwi_json_out *out, const char *key, const char *value);
void fwi_json_bool(fwi_json_out *out, const char *key, bool value);
void fwi_json_verbatim(fwi_json_out *out, const char *key, const char *json); /* `json` is JSON */
void fwi_json_estimate(fwi_json_out *out, const char *key, fw_estimate value);

/* "warnings": [...] from the diagnostics, each once. */
void fwi_json_warnings(fwi_json_out *out, const fw_diagnostics *diagnostics);

/* The head that all results share. */
void fwi_json_head(fwi_json_out *out, const char *command);

/* A hash as 16 hexadecimal digits; `buffer` holds 17 bytes. Returns it. */
const char *fwi_hash_text(uint64_t hash, char *buffer);

/* A window's length as a key: seconds. */
const char *fwi_json_window_key(fw_time_ns window, char *buffer);

#endif

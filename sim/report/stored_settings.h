/* The settings of stored points as columns: those of all points, in the order in which they first occur. */
#ifndef FW_REPORT_STORED_SETTINGS_H
#define FW_REPORT_STORED_SETTINGS_H

#include "sim/base/json.h"
#include "sim/study/sweep/stored.h"

typedef struct fwi_settings {
  fw_json **documents; /* of each point; NULL where its text is none */
  size_t count;
  const char **keys;
  size_t key_count;
  bool failed; /* memory was short */
} fwi_settings;

fwi_settings fwi_settings_read(const fw_stored_study *study);
void fwi_settings_free(fwi_settings *settings);

/* The value of key `key` at a point: words without quotes, all else as JSON; nothing where the point does not have it.
 */
void fwi_settings_value(const fwi_settings *settings, size_t point, size_t key, fw_text *out);

#endif

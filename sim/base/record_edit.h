/* Changing one value of a JSON text that a record describes, before the record is read from it: what a sweep does to a
 * scenario. The rest of the text stays byte for byte, and so do its lines, so that later messages point where they
 * should. The value itself is not checked here: whoever reads the new text does.
 *
 * A path is written with the keys of the text, joined by dots, and list elements in brackets, by their index or by
 * their "name" or "class": "oversubscription", "jobs[0].count", "jobs[72b].concurrency",
 * "policies[hysteresis].job.lower_above". */
#ifndef FW_BASE_RECORD_EDIT_H
#define FW_BASE_RECORD_EDIT_H

#include "sim/base/record.h"

/* What is edited. */
typedef struct fw_record_text {
  const fw_record *record;
  const char *text; /* terminated */
  size_t length;
  const char *file; /* for messages */
} fw_record_text;

/* Adds the text with `value` at `path` to `out`. The key is added where it is not there yet, and a quantity replaces
 * the same one in another unit. `value` is JSON, or else stands for the string of its characters; null takes the key
 * away; a single value for a list stands for the list of it. FW_ERROR_INPUT where the text is no JSON or has no such
 * place. */
fw_status fw_record_edit(const fw_record_text *source, const char *path, const char *value, fw_text *out,
                         fw_diagnostics *diagnostics);

/* Adds `value` as JSON: as it is, or as the string of its characters. */
void fw_record_value(const char *value, fw_text *out);

/* The kind of value that belongs at `path`: of one element where it is a list. */
fw_status fw_record_kind_at(const fw_record_text *source, const char *path, fw_field_kind *kind,
                            fw_diagnostics *diagnostics);

#endif

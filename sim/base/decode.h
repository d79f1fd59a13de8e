/* Inside sim/base: one pass of the record decoder, and the values that hold no others. */
#ifndef FW_BASE_DECODE_H
#define FW_BASE_DECODE_H

#include "sim/base/field.h"

typedef struct fwi_decoder {
  fw_diagnostics *diagnostics;
  fw_status status; /* of the first fault; FW_ERROR_MEMORY once memory was short */
  size_t faults;
} fwi_decoder;

/* True once it makes no sense to go on: too many faults, or no memory. */
bool fwi_decoder_gave_up(const fwi_decoder *d);

/* Reports a fault at `value`; the last one allowed says that the check ends. */
void fwi_refuse(fwi_decoder *d, const fw_json_value *value, const char *format, ...) FW_PRINTF(3, 4);
void fwi_note_memory(fwi_decoder *d);

/* Whether `value` has `type`; if not, it is reported with `what` was expected (NULL: the type's name). */
bool fwi_expect(fwi_decoder *d, const fw_json_value *value, fw_json_type type, const char *what);

/* "did you mean" the choice nearest to `word`, or all of them where none is near. Returns `buffer`. */
#define FWI_CHOICES_SIZE ((size_t)512)
const char *fwi_describe_choices(const char *word, const char *const *choices, size_t count, char *buffer);

/* The index of the string `value` among `choices`, or `count` after a report that calls it a `what`. */
size_t fwi_find_choice(fwi_decoder *d, const fw_json_value *value, const char *what, const char *const *choices,
                       size_t count);

/* Decodes a boolean, number, string, name or quantity, or one element of an array of them. `unit` is the one in the
 * key, or NULL. `out` keeps what it holds when the value is refused. */
void fwi_decode_scalar(fwi_decoder *d, const fw_field *field, const fwi_unit *unit, const fw_json_value *value,
                       void *out);

#endif

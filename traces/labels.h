/* Prometheus labels: which GPU a series is of, and what else tells series of one GPU apart. */
#ifndef FWI_TRACES_LABELS_H
#define FWI_TRACES_LABELS_H

#include "sim/base/text.h"

/* One label as it goes by. */
typedef struct fwi_identity {
  fw_text uuid;
  fw_text gpu;
  fw_text host;
  fw_text model;
  bool instance; /* of a GPU that is cut into MIG instances */
} fwi_identity;

/* Takes a label's name and value. */
void fwi_identity_add(fwi_identity *identity, const char *name, size_t name_length, const char *value,
                      size_t value_length);

/* Writes the identity: the UUID, else "host/gpu", else what there is. False: the labels name no GPU. */
bool fwi_identity_write(const fwi_identity *identity, fw_text *out);
void fwi_identity_reset(fwi_identity *identity); /* keeps the memory */
void fwi_identity_clear(fwi_identity *identity);

/* Reads {name="value",...} at the start of `text` into `identity`; the length of it, or 0 where it is not well formed.
 */
size_t fwi_labels_read(const char *text, size_t length, fwi_identity *identity);

/* Reads the labels and appends the identity to `out`; `identity` may be NULL. False: none. */
bool fwi_labels_identity(const char *text, size_t length, fw_text *out, fwi_identity *identity);

#endif

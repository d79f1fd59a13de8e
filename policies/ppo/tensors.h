/* Inside policies/ppo: files of named arrays, in the format safetensors (https://github.com/huggingface/safetensors):
 * 8 bytes with the length of a header, little-endian; the header, a JSON object that gives each array's type, shape and
 * place, and a "__metadata__" of strings; then the arrays, little-endian, one after the other without a gap. */
#ifndef FW_POLICIES_PPO_TENSORS_H
#define FW_POLICIES_PPO_TENSORS_H

#include <stdint.h>

#include "sim/base/diagnostics.h"
#include "sim/base/json.h"
#include "sim/base/text.h"

typedef enum fwi_tensor_type {
  FWI_TENSOR_U8,
  FWI_TENSOR_U32,
  FWI_TENSOR_U64,
  FWI_TENSOR_F32,
  FWI_TENSOR_F64,
  FWI_TENSOR_TYPES
} fwi_tensor_type;

/* A matrix, or a vector where `columns` is 0. */
typedef struct fwi_shape {
  size_t rows, columns;
} fwi_shape;

/* --- writing --- */

typedef struct fwi_tensor_writer {
  fw_text metadata;
  fw_text entries;
  fw_text data;
} fwi_tensor_writer;

#define FWI_TENSOR_WRITER_INIT                                                                                         \
  { FW_TEXT_INIT, FW_TEXT_INIT, FW_TEXT_INIT }

void fwi_tensors_note(fwi_tensor_writer *writer, const char *key, const char *value);

/* Adds an array of the C type that belongs to `type`; its rows are `stride` elements apart (of a vector: its elements).
 */
void fwi_tensors_add(fwi_tensor_writer *writer, const char *name, fwi_tensor_type type, fwi_shape shape,
                     const void *data, size_t stride);

/* Adds the bytes of the file to `file`, and clears the writer. */
fw_status fwi_tensors_bytes(fwi_tensor_writer *writer, fw_text *file, fw_diagnostics *diagnostics);

/* Writes the file, whole or not at all, and clears the writer. */
fw_status fwi_tensors_write(fwi_tensor_writer *writer, const char *path, fw_diagnostics *diagnostics);

/* --- reading --- */

typedef struct fwi_tensor_file fwi_tensor_file;

/* Reads what `length` bytes hold; they must stay as long as the file is used. Anything but such a file, to the last
 * byte, is FW_ERROR_INPUT. `name` is that of messages. */
fw_status fwi_tensors_parse(const void *bytes, size_t length, const char *name, fwi_tensor_file **out,
                            fw_diagnostics *diagnostics);
void fwi_tensors_free(fwi_tensor_file *file);
const char *fwi_tensors_name(const fwi_tensor_file *file);

/* A string of the metadata; NULL with an error where it is missing. */
const char *fwi_tensors_noted(const fwi_tensor_file *file, const char *key, fw_diagnostics *diagnostics);

/* Whether an array is there, and its shape. */
bool fwi_tensors_find(const fwi_tensor_file *file, const char *name, fwi_shape *shape);

/* Copies an array that must be there with this type and shape into `out`, rows `stride` elements apart. A number that
 * is not finite is FW_ERROR_INPUT too. Marks it as used. */
fw_status fwi_tensors_get(fwi_tensor_file *file, const char *name, fwi_tensor_type type, fwi_shape shape, void *out,
                          size_t stride, fw_diagnostics *diagnostics);

/* FW_ERROR_INPUT for the first array that was never used, but for those whose name begins with one of `prefixes` (ended
 * by NULL). */
fw_status fwi_tensors_check_used(const fwi_tensor_file *file, const char *const *prefixes, fw_diagnostics *diagnostics);

#endif

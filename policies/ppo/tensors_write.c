#include <string.h>

#include "policies/ppo/tensor_types.h"
#include "policies/ppo/tensors.h"
#include "sim/base/file.h"

void fwi_tensors_note(fwi_tensor_writer *writer, const char *key, const char *value) {
  if (writer->metadata.length > 0) fw_text_add(&writer->metadata, ",");
  fw_text_add_json_string(&writer->metadata, key);
  fw_text_add(&writer->metadata, ":");
  fw_text_add_json_string(&writer->metadata, value);
}

/* The low `size` bytes of `bits`, the lowest first. */
static void add_little_endian(fw_text *data, uint64_t bits, size_t size) {
  char bytes[8];
  for (size_t i = 0; i < size; i++)
    bytes[i] = (char)(unsigned char)(bits >> (8 * i));
  fw_text_add_bytes(data, bytes, size);
}

static void add_entry(fwi_tensor_writer *writer, const char *name, fwi_tensor_type type, fwi_shape shape,
                      size_t begin) {
  fw_text *entries = &writer->entries;
  if (entries->length > 0) fw_text_add(entries, ",");
  fw_text_add_json_string(entries, name);
  fw_text_add_format(entries, ":{\"dtype\":\"%s\",\"shape\":[%zu", fwi_tensor_types[type].name, shape.rows);
  if (shape.columns > 0) fw_text_add_format(entries, ",%zu", shape.columns);
  fw_text_add_format(entries, "],\"data_offsets\":[%zu,%zu]}", begin, writer->data.length);
}

void fwi_tensors_add(fwi_tensor_writer *writer, const char *name, fwi_tensor_type type, fwi_shape shape,
                     const void *data, size_t stride) {
  const size_t begin = writer->data.length, columns = shape.columns > 0 ? shape.columns : 1;
  for (size_t row = 0; row < shape.rows; row++) {
    for (size_t column = 0; column < columns; column++) {
      const uint64_t bits = fwi_tensor_types[type].load(data, row * stride + column);
      add_little_endian(&writer->data, bits, fwi_tensor_types[type].size);
    }
  }
  add_entry(writer, name, type, shape, begin);
}

/* The header is filled up with blanks, so that the arrays begin at a multiple of 8. */
static void assemble(const fwi_tensor_writer *writer, fw_text *file) {
  fw_text header = FW_TEXT_INIT;
  fw_text_add(&header, "{\"__metadata__\":{");
  fw_text_add_bytes(&header, writer->metadata.data, writer->metadata.length);
  fw_text_add(&header, "},");
  fw_text_add_bytes(&header, writer->entries.data, writer->entries.length);
  fw_text_add(&header, "}");
  while (header.length % 8 != 0 && !header.failed)
    fw_text_add(&header, " ");
  add_little_endian(file, header.length, 8);
  fw_text_add_bytes(file, header.data, header.length);
  fw_text_add_bytes(file, writer->data.data, writer->data.length);
  file->failed = file->failed || header.failed;
  fw_text_clear(&header);
}

fw_status fwi_tensors_bytes(fwi_tensor_writer *writer, fw_text *file, fw_diagnostics *diagnostics) {
  assemble(writer, file);
  const bool failed = writer->metadata.failed || writer->entries.failed || writer->data.failed || file->failed;
  fw_text_clear(&writer->metadata);
  fw_text_clear(&writer->entries);
  fw_text_clear(&writer->data);
  return failed ? fw_error_memory(diagnostics, "a weight file") : FW_OK;
}

fw_status fwi_tensors_write(fwi_tensor_writer *writer, const char *path, fw_diagnostics *diagnostics) {
  fw_text file = FW_TEXT_INIT;
  fw_status status = fwi_tensors_bytes(writer, &file, diagnostics);
  if (status == FW_OK) status = fw_file_write(path, file.data, file.length, diagnostics);
  fw_text_clear(&file);
  return status;
}

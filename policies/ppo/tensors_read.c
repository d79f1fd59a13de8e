#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/tensor_types.h"
#include "policies/ppo/tensors.h"
#include "sim/base/memory.h"

enum { LENGTH_BYTES = 8 };

typedef struct entry {
  const char *name; /* of the document */
  fwi_tensor_type type;
  size_t rank;
  fwi_shape shape;
  size_t begin, end;
  bool used;
} entry;

struct fwi_tensor_file {
  char *name;
  fw_json *header;
  const fw_json_value *metadata;
  const unsigned char *data;
  size_t length; /* of the data */
  entry *entries;
  size_t count;
};

/* --- messages --- */

static fw_status bad_file(const char *name, fw_diagnostics *diagnostics, const char *what) {
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = name},
                  "%s; give a weight file or checkpoint that 'fleetwatt train' wrote", what);
}

static fw_status bad_tensor(const fwi_tensor_file *file, const char *name, fw_diagnostics *diagnostics,
                            const char *what) {
  char shown[FW_SHOWN_SIZE];
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = file->name},
                  "array \"%s\" %s; give a weight file or checkpoint that 'fleetwatt train' wrote",
                  fw_shown(name, strlen(name), shown), what);
}

/* --- header --- */

static uint64_t little_endian(const unsigned char *bytes, size_t size) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; i++)
    bits |= (uint64_t)bytes[i] << (8 * i);
  return bits;
}

static bool read_size(const fw_json_value *value, size_t *out) {
  uint64_t number;
  if (value == NULL || fw_json_type_of(value) != FW_JSON_NUMBER) return false;
  const char *text = fw_json_number_text(value);
  if (!fw_uint64_parse(text, strlen(text), &number) || number > SIZE_MAX / 2) return false;
  *out = (size_t)number;
  return true;
}

static bool read_type(const fw_json_value *value, fwi_tensor_type *out) {
  if (value == NULL || fw_json_type_of(value) != FW_JSON_STRING) return false;
  for (int type = 0; type < FWI_TENSOR_TYPES; type++) {
    if (strcmp(fw_json_string(value), fwi_tensor_types[type].name) != 0) continue;
    *out = (fwi_tensor_type)type;
    return true;
  }
  return false;
}

static bool is_list(const fw_json_value *value, size_t least, size_t most) {
  return value != NULL && fw_json_type_of(value) == FW_JSON_ARRAY && fw_json_count(value) >= least &&
         fw_json_count(value) <= most;
}

/* The bytes that type and shape ask for. */
static bool bytes_of(const entry *e, size_t *bytes) {
  return fw_size_multiply(e->shape.rows, e->rank == 2 ? e->shape.columns : 1, bytes) &&
         fw_size_multiply(*bytes, fwi_tensor_types[e->type].size, bytes);
}

static fw_status read_entry(const fwi_tensor_file *file, const fw_json_value *value, entry *e,
                            fw_diagnostics *diagnostics) {
  *e = (entry){.name = fw_json_key(value)};
  if (fw_json_type_of(value) != FW_JSON_OBJECT || fw_json_count(value) != 3) {
    return bad_tensor(file, e->name, diagnostics, "is not described by \"dtype\", \"shape\" and \"data_offsets\"");
  }
  if (!read_type(fw_json_get(value, "dtype"), &e->type)) {
    return bad_tensor(file, e->name, diagnostics, "is of a type other than U8, U32, U64, F32 and F64");
  }
  const fw_json_value *shape = fw_json_get(value, "shape"), *place = fw_json_get(value, "data_offsets");
  if (!is_list(shape, 1, 2) || !read_size(fw_json_first(shape), &e->shape.rows)) {
    return bad_tensor(file, e->name, diagnostics, "has a shape other than one or two sizes");
  }
  e->rank = fw_json_count(shape);
  const fw_json_value *columns = fw_json_next(fw_json_first(shape));
  if (e->rank == 2 && (!read_size(columns, &e->shape.columns) || e->shape.columns == 0)) {
    return bad_tensor(file, e->name, diagnostics, "has a shape other than one or two sizes");
  }
  size_t bytes;
  if (!is_list(place, 2, 2) || !read_size(fw_json_first(place), &e->begin) ||
      !read_size(fw_json_next(fw_json_first(place)), &e->end) || !bytes_of(e, &bytes) || e->begin > e->end ||
      e->end - e->begin != bytes) {
    return bad_tensor(file, e->name, diagnostics, "has offsets that do not hold its shape");
  }
  return FW_OK;
}

static int by_begin(const void *left, const void *right) {
  const entry *a = left, *b = right;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

/* The arrays must fill the data, one after the other. */
static fw_status check_cover(fwi_tensor_file *file, fw_diagnostics *diagnostics) {
  size_t filled = 0;
  qsort(file->entries, file->count, sizeof *file->entries, by_begin);
  for (size_t i = 0; i < file->count; i++) {
    if (file->entries[i].begin != filled) {
      return bad_tensor(file, file->entries[i].name, diagnostics, "does not begin where the one before it ends");
    }
    filled = file->entries[i].end;
  }
  if (filled != file->length) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = file->name},
                    "%zu bytes of arrays are announced and %zu are there: the file was cut or changed; copy it again",
                    filled, file->length);
  }
  return FW_OK;
}

static fw_status read_metadata(fwi_tensor_file *file, const fw_json_value *value, fw_diagnostics *diagnostics) {
  if (fw_json_type_of(value) != FW_JSON_OBJECT) {
    return bad_file(file->name, diagnostics, "\"__metadata__\" is not an object");
  }
  for (const fw_json_value *item = fw_json_first(value); item != NULL; item = fw_json_next(item)) {
    if (fw_json_type_of(item) != FW_JSON_STRING) {
      return bad_file(file->name, diagnostics, "\"__metadata__\" holds something other than strings");
    }
  }
  file->metadata = value;
  return FW_OK;
}

static fw_status read_header(fwi_tensor_file *file, fw_diagnostics *diagnostics) {
  const fw_json_value *root = fw_json_root(file->header);
  if (fw_json_type_of(root) != FW_JSON_OBJECT) {
    return bad_file(file->name, diagnostics, "the header is not a JSON object");
  }
  file->entries = fw_allocate(fw_json_count(root), sizeof *file->entries);
  if (file->entries == NULL) return fw_error_memory(diagnostics, "a weight file");
  for (const fw_json_value *item = fw_json_first(root); item != NULL; item = fw_json_next(item)) {
    const bool notes = strcmp(fw_json_key(item), "__metadata__") == 0;
    fw_status status = notes ? read_metadata(file, item, diagnostics)
                             : read_entry(file, item, &file->entries[file->count], diagnostics);
    if (status != FW_OK) return status;
    file->count += !notes;
  }
  return check_cover(file, diagnostics);
}

fw_status fwi_tensors_parse(const void *bytes, size_t length, const char *name, fwi_tensor_file **out,
                            fw_diagnostics *diagnostics) {
  *out = NULL;
  const uint64_t header = length < LENGTH_BYTES ? 0 : little_endian(bytes, LENGTH_BYTES);
  if (header < 2 || header > length - LENGTH_BYTES || header > FW_JSON_SIZE_LIMIT) {
    return bad_file(name, diagnostics, "this is not a file in the format safetensors, or it was cut");
  }
  fwi_tensor_file *file = fw_allocate(1, sizeof *file);
  if (file == NULL) return fw_error_memory(diagnostics, "a weight file");
  const char *text = (const char *)bytes + LENGTH_BYTES;
  file->name = fw_copy_text(name);
  file->data = (const unsigned char *)text + header;
  file->length = length - LENGTH_BYTES - (size_t)header;
  fw_status status = file->name == NULL ? fw_error_memory(diagnostics, "a weight file") : FW_OK;
  if (status == FW_OK) status = fw_json_parse(text, (size_t)header, name, &file->header, diagnostics);
  if (status == FW_OK) status = read_header(file, diagnostics);
  if (status == FW_OK) {
    *out = file;
  } else {
    fwi_tensors_free(file);
  }
  return status;
}

void fwi_tensors_free(fwi_tensor_file *file) {
  if (file == NULL) return;
  fw_json_free(file->header);
  free(file->entries);
  free(file->name);
  free(file);
}

const char *fwi_tensors_name(const fwi_tensor_file *file) {
  return file->name;
}

/* --- contents --- */

const char *fwi_tensors_noted(const fwi_tensor_file *file, const char *key, fw_diagnostics *diagnostics) {
  const fw_json_value *value = file->metadata == NULL ? NULL : fw_json_get(file->metadata, key);
  if (value != NULL) return fw_json_string(value);
  fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = file->name},
           "the metadata has no \"%s\"; give a weight file or checkpoint that 'fleetwatt train' wrote", key);
  return NULL;
}

static entry *find(const fwi_tensor_file *file, const char *name) {
  for (size_t i = 0; i < file->count; i++) {
    if (strcmp(file->entries[i].name, name) == 0) return &file->entries[i];
  }
  return NULL;
}

bool fwi_tensors_find(const fwi_tensor_file *file, const char *name, fwi_shape *shape) {
  const entry *e = find(file, name);
  if (e == NULL) return false;
  *shape = e->shape;
  return true;
}

static bool is_finite(fwi_tensor_type type, uint64_t bits) {
  if (type == FWI_TENSOR_F32) return (bits & 0x7f800000u) != 0x7f800000u;
  return type != FWI_TENSOR_F64 || (bits & UINT64_C(0x7ff0000000000000)) != UINT64_C(0x7ff0000000000000);
}

fw_status fwi_tensors_get(fwi_tensor_file *file, const char *name, fwi_tensor_type type, fwi_shape shape, void *out,
                          size_t stride, fw_diagnostics *diagnostics) {
  entry *e = find(file, name);
  if (e == NULL) return bad_tensor(file, name, diagnostics, "is missing");
  if (e->type != type || e->shape.rows != shape.rows || e->shape.columns != shape.columns) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = file->name},
                    "array \"%s\" is %s of %zu x %zu and should be %s of %zu x %zu (0 columns: a vector), as the rest "
                    "of the file says; give a weight file or checkpoint that 'fleetwatt train' wrote",
                    e->name, fwi_tensor_types[e->type].name, e->shape.rows, e->shape.columns,
                    fwi_tensor_types[type].name, shape.rows, shape.columns);
  }
  e->used = true;
  const unsigned char *from = file->data + e->begin;
  const size_t columns = shape.columns > 0 ? shape.columns : 1, size = fwi_tensor_types[type].size;
  for (size_t row = 0; row < shape.rows; row++) {
    for (size_t column = 0; column < columns; column++, from += size) {
      const uint64_t bits = little_endian(from, size);
      if (!is_finite(type, bits)) return bad_tensor(file, name, diagnostics, "holds a number that is not finite");
      fwi_tensor_types[type].store(out, row * stride + column, bits);
    }
  }
  return FW_OK;
}

fw_status fwi_tensors_check_used(const fwi_tensor_file *file, const char *const *prefixes,
                                 fw_diagnostics *diagnostics) {
  for (size_t i = 0; i < file->count; i++) {
    bool known = file->entries[i].used;
    for (size_t p = 0; prefixes[p] != NULL && !known; p++)
      known = strncmp(file->entries[i].name, prefixes[p], strlen(prefixes[p])) == 0;
    if (!known) return bad_tensor(file, file->entries[i].name, diagnostics, "is not one that is known");
  }
  return FW_OK;
}

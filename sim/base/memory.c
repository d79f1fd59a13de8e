/* Checked sizes and allocation, by the compilers' overflow builtins (gcc and clang share them). */
#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST_CAPACITY = 8 };

bool fw_size_add(size_t a, size_t b, size_t *out) {
  size_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return false;
  *out = sum;
  return true;
}

bool fw_size_multiply(size_t a, size_t b, size_t *out) {
  size_t product;
  if (__builtin_mul_overflow(a, b, &product)) return false;
  *out = product;
  return true;
}

void *fw_allocate(size_t count, size_t size) {
  size_t bytes;
  if (!fw_size_multiply(count, size, &bytes)) return NULL;
  return calloc(bytes > 0 ? bytes : 1, 1); /* calloc(0) may give NULL, which would read as a failure */
}

bool fw_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return true;
  size_t grown = *capacity;
  if (!fw_size_multiply(grown, 2, &grown) || grown < needed) grown = needed;
  if (grown < SMALLEST_CAPACITY) grown = SMALLEST_CAPACITY;
  size_t bytes;
  if (!fw_size_multiply(grown, size, &bytes)) return false;

  /* The caller's variable is a pointer to some other type, so it is read and written as bytes. */
  void *array;
  memcpy(&array, array_pointer, sizeof array);
  array = realloc(array, bytes > 0 ? bytes : 1);
  if (array == NULL) return false;
  memcpy(array_pointer, &array, sizeof array);
  *capacity = grown;
  return true;
}

char *fw_copy_text(const char *text) {
  return fw_copy_bytes(text, strlen(text));
}

char *fw_copy_bytes(const char *bytes, size_t length) {
  size_t size;
  if (!fw_size_add(length, 1, &size)) return NULL;
  char *copy = malloc(size);
  if (copy == NULL) return NULL;
  if (length > 0) memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

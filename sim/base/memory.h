/* Checked sizes and allocation. A size that overflows is an allocation that fails, never a small buffer. */
#ifndef FW_BASE_MEMORY_H
#define FW_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* False on overflow; `out` is then untouched. */
bool fw_size_add(size_t a, size_t b, size_t *out);
bool fw_size_multiply(size_t a, size_t b, size_t *out);

/* `count` zeroed elements of `size` bytes; NULL when memory is short or the size overflows. Zero
 * elements give a pointer that may be freed. Free with free(). */
void *fw_allocate(size_t count, size_t size);

/* Grows `*array` so that it holds at least `needed` elements of `size` bytes, doubling `*capacity`.
 * False when memory is short; the old array then stays valid. New elements are not initialised. */
bool fw_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size);

/* A copy of a string, or NULL when memory is short. */
char *fw_copy_text(const char *text);
char *fw_copy_bytes(const char *bytes, size_t length); /* adds the terminating zero */

#endif

/* The text of a file as UTF-8, whatever it is packed in: gzip (one member or several) and UTF-16 are undone on the way,
 * byte order marks are taken off. Memory is constant. */
#ifndef FWI_TRACES_BYTES_H
#define FWI_TRACES_BYTES_H

#include <stdint.h>
#include <stdio.h>

#include "sim/base/diagnostics.h"

typedef enum fwi_encoding { FWI_UTF8, FWI_UTF16LE, FWI_UTF16BE } fwi_encoding;

typedef struct fwi_inflater fwi_inflater;

typedef struct fwi_bytes {
  const char *file; /* for messages; the caller's */
  FILE *stream;     /* NULL: all raw bytes lie in [raw, raw + raw_left) */
  unsigned char *buffer;
  const unsigned char *raw; /* unread raw bytes */
  size_t raw_left;
  fwi_inflater *inflater; /* NULL: the raw bytes are plain */
  fwi_encoding encoding;
  unsigned char head[4]; /* plain bytes read ahead to find the encoding */
  size_t head_at;
  size_t head_end;
  uint32_t high_surrogate; /* waiting for its other half; 0: none */
  bool cut;                /* the gzip stream, or a UTF-16 unit, ends in its middle */
} fwi_bytes;

/* Opens a file ("-" is standard input), or bytes that stay the caller's. After either, even a failed one, close. */
fw_status fwi_bytes_open(fwi_bytes *bytes, const char *path, fw_diagnostics *diagnostics);
fw_status fwi_bytes_open_memory(fwi_bytes *bytes, const void *memory, size_t length, const char *file,
                                fw_diagnostics *diagnostics);
void fwi_bytes_close(fwi_bytes *bytes);

/* Stores up to `size` >= 64 bytes of text; 0 at the end. */
fw_status fwi_bytes_read(fwi_bytes *bytes, char *out, size_t size, size_t *count, fw_diagnostics *diagnostics);

#endif

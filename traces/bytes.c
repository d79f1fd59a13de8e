/* Files to UTF-8 text: zlib's inflate for gzip (RFC 1952), then UTF-16 to UTF-8 (RFC 2781, RFC 3629). Only what stands
 * at the start of a file decides: gzip's magic number, a byte order mark, or zeros in every other byte. */
#include "traces/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/base/memory.h"

#define RAW_SIZE ((size_t)64 * 1024)
#define UNIT_CHUNK ((size_t)16 * 1024)
#define REPLACEMENT UINT32_C(0xFFFD)

struct fwi_inflater {
  z_stream stream;
  bool finished; /* between members, or at the end */
};

static fw_place place_of(const fwi_bytes *bytes) {
  return (fw_place){.file = bytes->file};
}

static fw_status refill(fwi_bytes *bytes, fw_diagnostics *diagnostics) {
  if (bytes->raw_left > 0 || bytes->stream == NULL) return FW_OK;
  bytes->raw_left = fread(bytes->buffer, 1, RAW_SIZE, bytes->stream);
  bytes->raw = bytes->buffer;
  if (bytes->raw_left > 0 || !ferror(bytes->stream)) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, place_of(bytes), "cannot read the file: %s", strerror(errno));
}

/* --- gzip --- */

static fw_status start_inflater(fwi_bytes *bytes, fw_diagnostics *diagnostics) {
  bytes->inflater = fw_allocate(1, sizeof *bytes->inflater);
  if (bytes->inflater == NULL) return fw_error_memory(diagnostics, "the gzip reader");
  if (inflateInit2(&bytes->inflater->stream, 15 + 16) == Z_OK) return FW_OK; /* 16: gzip's header, not zlib's */
  free(bytes->inflater);
  bytes->inflater = NULL;
  return fw_error_memory(diagnostics, "the gzip reader");
}

/* After a member: another one may follow; anything else is padding, which gzip passes over too. */
static void begin_next_member(fwi_bytes *bytes) {
  if (bytes->raw[0] == 0x1F) {
    (void)inflateReset(&bytes->inflater->stream);
    bytes->inflater->finished = false;
  } else {
    bytes->raw_left = 0;
  }
}

static fw_status inflate_some(fwi_bytes *bytes, size_t size, fw_diagnostics *diagnostics) {
  z_stream *stream = &bytes->inflater->stream;
  size_t offered = bytes->raw_left < RAW_SIZE ? bytes->raw_left : RAW_SIZE;
  stream->next_in = (z_const Bytef *)bytes->raw;
  stream->avail_in = (uInt)offered;
  stream->avail_out = (uInt)size;
  int result = inflate(stream, Z_NO_FLUSH);
  size_t used = offered - stream->avail_in;
  bytes->raw += used;
  bytes->raw_left -= used;
  bytes->inflater->finished = result == Z_STREAM_END;
  if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return FW_OK;
  if (result == Z_MEM_ERROR) return fw_error_memory(diagnostics, "the gzip reader");
  return fw_error(diagnostics, FW_ERROR_INPUT, place_of(bytes),
                  "the gzip data is damaged (%s): fetch the file again, or unpack what is left of it with gunzip",
                  stream->msg == NULL ? "unknown error" : stream->msg);
}

static fw_status read_inflated(fwi_bytes *bytes, unsigned char *out, size_t size, size_t *count,
                               fw_diagnostics *diagnostics) {
  size_t room = size < RAW_SIZE ? size : RAW_SIZE;
  bytes->inflater->stream.next_out = out;
  for (;;) {
    fw_status status = refill(bytes, diagnostics);
    if (status != FW_OK) return status;
    if (bytes->raw_left == 0) {
      bytes->cut = bytes->cut || !bytes->inflater->finished;
      return FW_OK;
    }
    if (bytes->inflater->finished) {
      begin_next_member(bytes);
      continue;
    }
    status = inflate_some(bytes, room, diagnostics);
    *count = room - bytes->inflater->stream.avail_out;
    if (status != FW_OK || *count > 0) return status;
  }
}

/* --- plain bytes --- */

static fw_status read_raw(fwi_bytes *bytes, unsigned char *out, size_t size, size_t *count,
                          fw_diagnostics *diagnostics) {
  if (bytes->raw_left == 0 && bytes->stream != NULL && size >= RAW_SIZE) { /* straight to where it is wanted */
    *count = fread(out, 1, size, bytes->stream);
    if (*count > 0 || !ferror(bytes->stream)) return FW_OK;
  }
  fw_status status = refill(bytes, diagnostics);
  if (status != FW_OK) return status;
  *count = bytes->raw_left < size ? bytes->raw_left : size;
  if (*count > 0) memcpy(out, bytes->raw, *count);
  bytes->raw += *count;
  bytes->raw_left -= *count;
  return FW_OK;
}

static fw_status read_plain(fwi_bytes *bytes, unsigned char *out, size_t size, size_t *count,
                            fw_diagnostics *diagnostics) {
  *count = 0;
  if (bytes->head_at < bytes->head_end) {
    *count = bytes->head_end - bytes->head_at;
    memcpy(out, bytes->head + bytes->head_at, *count);
    bytes->head_at = bytes->head_end;
    return FW_OK;
  }
  if (bytes->inflater != NULL) return read_inflated(bytes, out, size, count, diagnostics);
  return read_raw(bytes, out, size, count, diagnostics);
}

/* --- encodings --- */

static void find_encoding(fwi_bytes *bytes) {
  const unsigned char *head = bytes->head;
  size_t length = bytes->head_end;
  if (length >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0) {
    bytes->head_at = 3;
  } else if (length >= 2 && head[0] == 0xFF && head[1] == 0xFE) {
    bytes->encoding = FWI_UTF16LE;
    bytes->head_at = 2;
  } else if (length >= 2 && head[0] == 0xFE && head[1] == 0xFF) {
    bytes->encoding = FWI_UTF16BE;
    bytes->head_at = 2;
  } else if (length == 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0) {
    bytes->encoding = FWI_UTF16LE;
  } else if (length == 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0) {
    bytes->encoding = FWI_UTF16BE;
  }
}

static fw_status read_head(fwi_bytes *bytes, fw_diagnostics *diagnostics) {
  size_t end = 0, count = 1;
  while (end < sizeof bytes->head && count > 0) {
    fw_status status = read_plain(bytes, bytes->head + end, sizeof bytes->head - end, &count, diagnostics);
    if (status != FW_OK) return status;
    end += count;
  }
  bytes->head_end = end;
  find_encoding(bytes);
  return FW_OK;
}

static size_t put_utf8(uint32_t code, char *out) {
  unsigned char *at = (unsigned char *)out;
  if (code < 0x80) {
    at[0] = (unsigned char)code;
    return 1;
  }
  if (code < 0x800) {
    at[0] = (unsigned char)(0xC0 | code >> 6);
    at[1] = (unsigned char)(0x80 | (code & 0x3F));
    return 2;
  }
  size_t length = code < 0x10000 ? 3 : 4;
  at[0] = (unsigned char)(length == 3 ? 0xE0 | code >> 12 : 0xF0 | code >> 18);
  for (size_t i = 1; i < length; i++)
    at[i] = (unsigned char)(0x80 | (code >> (6 * (length - 1 - i)) & 0x3F));
  return length;
}

/* One unit: at most 7 bytes of text, when a lone high surrogate stands before it. */
static size_t put_unit(fwi_bytes *bytes, uint32_t unit, char *out) {
  size_t length = 0;
  bool low = unit >= 0xDC00 && unit <= 0xDFFF;
  if (bytes->high_surrogate != 0 && low) {
    length = put_utf8(0x10000 + ((bytes->high_surrogate - 0xD800) << 10) + (unit - 0xDC00), out);
    bytes->high_surrogate = 0;
    return length;
  }
  if (bytes->high_surrogate != 0) length = put_utf8(REPLACEMENT, out);
  bytes->high_surrogate = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
  if (bytes->high_surrogate != 0) return length;
  return length + put_utf8(low ? REPLACEMENT : unit, out + length);
}

/* Reads whole units; an odd byte waits in `head`. */
static fw_status read_units(fwi_bytes *bytes, unsigned char *units, size_t size, size_t *count,
                            fw_diagnostics *diagnostics) {
  *count = 0;
  size_t got = 1;
  while (got > 0 && (*count == 0 || *count % 2 == 1)) {
    fw_status status = read_plain(bytes, units + *count, size - *count, &got, diagnostics);
    if (status != FW_OK) return status;
    *count += got;
  }
  if (*count % 2 == 1) {
    bytes->cut = true;
    --*count;
  }
  return FW_OK;
}

static fw_status read_utf16(fwi_bytes *bytes, char *out, size_t size, size_t *count, fw_diagnostics *diagnostics) {
  unsigned char units[UNIT_CHUNK];
  size_t wanted = size / 4 * 2; /* 3 bytes for a unit, and 4 for the surrogate that waited */
  wanted = wanted - 2 < sizeof units ? wanted - 2 : sizeof units;
  while (*count == 0) {
    size_t length;
    fw_status status = read_units(bytes, units, wanted, &length, diagnostics);
    if (status != FW_OK || length == 0) return status;
    size_t first = bytes->encoding == FWI_UTF16LE ? 0 : 1;
    for (size_t i = 0; i < length; i += 2) {
      uint32_t unit = (uint32_t)units[i + first] | (uint32_t)units[i + 1 - first] << 8;
      *count += put_unit(bytes, unit, out + *count);
    }
  }
  return FW_OK;
}

fw_status fwi_bytes_read(fwi_bytes *bytes, char *out, size_t size, size_t *count, fw_diagnostics *diagnostics) {
  *count = 0;
  if (bytes->encoding != FWI_UTF8) return read_utf16(bytes, out, size, count, diagnostics);
  return read_plain(bytes, (unsigned char *)out, size, count, diagnostics);
}

/* --- opening --- */

static fw_status start(fwi_bytes *bytes, fw_diagnostics *diagnostics) {
  fw_status status = refill(bytes, diagnostics);
  bool gzip = status == FW_OK && bytes->raw_left >= 2 && bytes->raw[0] == 0x1F && bytes->raw[1] == 0x8B;
  if (gzip) status = start_inflater(bytes, diagnostics);
  return status == FW_OK ? read_head(bytes, diagnostics) : status;
}

fw_status fwi_bytes_open(fwi_bytes *bytes, const char *path, fw_diagnostics *diagnostics) {
  *bytes = (fwi_bytes){.file = path};
  bytes->buffer = fw_allocate(RAW_SIZE, 1);
  if (bytes->buffer == NULL) return fw_error_memory(diagnostics, "the read buffer");
  bytes->stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (bytes->stream == NULL) {
    return fw_error(diagnostics, FW_ERROR_INPUT, place_of(bytes), "cannot open the file: %s", strerror(errno));
  }
  return start(bytes, diagnostics);
}

fw_status fwi_bytes_open_memory(fwi_bytes *bytes, const void *memory, size_t length, const char *file,
                                fw_diagnostics *diagnostics) {
  *bytes = (fwi_bytes){.file = file, .raw = memory, .raw_left = length};
  return start(bytes, diagnostics);
}

void fwi_bytes_close(fwi_bytes *bytes) {
  if (bytes->stream != NULL && bytes->stream != stdin) (void)fclose(bytes->stream);
  if (bytes->inflater != NULL) (void)inflateEnd(&bytes->inflater->stream);
  free(bytes->inflater);
  free(bytes->buffer);
  *bytes = (fwi_bytes){0};
}

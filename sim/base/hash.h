/* FNV-1a, 64 bits: names the content of scenarios, parameter files and results. Not for security.
 * (Fowler, Noll, Vo; the constants are those of the IETF draft draft-eastlake-fnv.) */
#ifndef FW_BASE_HASH_H
#define FW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define FW_HASH_START UINT64_C(0xcbf29ce484222325)

/* Continues `hash` over `length` bytes. */
static inline uint64_t fw_hash_bytes(uint64_t hash, const void *data, size_t length) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < length; i++) {
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

#endif

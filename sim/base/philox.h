/* The rounds of Philox4x32-10 (citation in random.h), for one block or for many side by side. */
#ifndef FW_BASE_PHILOX_H
#define FW_BASE_PHILOX_H

#include <stdint.h>

#include "sim/base/random.h"

enum { FWI_PHILOX_ROUNDS = 10 };

typedef struct fwi_philox_key {
  uint32_t low, high;
} fwi_philox_key;

static inline __attribute__((always_inline)) fwi_philox_key fwi_philox_first_key(fw_stream stream) {
  fwi_philox_key key = {(uint32_t)stream.seed, (uint32_t)(stream.seed >> 32)};
  return key;
}

/* Weyl sequences of the golden ratio and sqrt(3) - 1. */
static inline __attribute__((always_inline)) fwi_philox_key fwi_philox_next_key(fwi_philox_key key) {
  fwi_philox_key next = {key.low + UINT32_C(0x9E3779B9), key.high + UINT32_C(0xBB67AE85)};
  return next;
}

static inline __attribute__((always_inline)) void fwi_philox_round(uint32_t *x0, uint32_t *x1, uint32_t *x2,
                                                                   uint32_t *x3, fwi_philox_key key) {
  uint64_t product0 = UINT64_C(0xD2511F53) * *x0;
  uint64_t product2 = UINT64_C(0xCD9E8D57) * *x2;
  *x0 = (uint32_t)(product2 >> 32) ^ *x1 ^ key.low;
  *x1 = (uint32_t)product2;
  *x2 = (uint32_t)(product0 >> 32) ^ *x3 ^ key.high;
  *x3 = (uint32_t)product0;
}

static inline __attribute__((always_inline)) uint32_t fwi_philox_last_word(fw_stream stream, uint32_t sub) {
  return stream.purpose << 24 | sub;
}

#endif

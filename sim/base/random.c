/* One block of the keyed generator, and the variates that need few of them. Citation in random.h. */
#include "sim/base/random.h"

#include "sim/base/elementary.h"
#include "sim/base/philox.h"

void fw_random_block(fw_stream stream, uint64_t index, uint32_t sub, uint32_t out[4]) {
  uint32_t x0 = (uint32_t)index, x1 = (uint32_t)(index >> 32);
  uint32_t x2 = stream.entity, x3 = fwi_philox_last_word(stream, sub);
  fwi_philox_key key = fwi_philox_first_key(stream);
  for (int round = 0; round < FWI_PHILOX_ROUNDS; round++) {
    fwi_philox_round(&x0, &x1, &x2, &x3, key);
    key = fwi_philox_next_key(key);
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

static uint64_t first_64_bits(fw_stream stream, uint64_t index, uint32_t sub) {
  uint32_t words[4];
  fw_random_block(stream, index, sub, words);
  return (uint64_t)words[0] << 32 | words[1];
}

/* The middles of 2^52 equal cells: odd multiples of 2^-53, all exact, so neither 0 nor 1 can come out. */
double fw_random_uniform(fw_stream stream, uint64_t index, uint32_t sub) {
  return ((double)(first_64_bits(stream, index, sub) >> 12) + 0.5) * 0x1p-52;
}

/* D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019): the high half of
 * word x bound, drawn again where the low half shows one of the 2^64 mod bound surplus words. */
uint64_t fw_random_below(fw_stream stream, uint64_t index, uint64_t bound) {
  __extension__ typedef unsigned __int128 wide;
  uint64_t surplus = (0 - bound) % bound;
  for (uint32_t sub = 0;; sub++) {
    wide product = (wide)first_64_bits(stream, index, sub) * bound;
    if ((uint64_t)product >= surplus) return (uint64_t)(product >> 64);
  }
}

double fw_random_exponential(fw_stream stream, uint64_t index) {
  return -fw_log(fw_random_uniform(stream, index, 0));
}

/* Standard normal numbers in bulk: the hot path of a simulation.
 *
 * Each number is the quantile of one 32-bit word. The word's distance v + 1/2 from the nearer end of its range
 * (so p = (v + 1/2) / 2^32 < 1/2) selects a row of a table by the leading bits of its floating-point form, as in
 * the hierarchical segmentation of D. Lee, W. Luk, J. Villasenor and P. Cheung, "A Gaussian noise generator for
 * hardware-based simulations", IEEE Trans. Computers 53 (2004); the row holds a polynomial. The 0.05 % of words
 * in the outermost tails take the exact quantile instead. The error is below 2e-10, a third of the smallest
 * distance between neighbouring numbers, so the map from words to numbers is still strictly increasing.
 *
 * The work is cut into passes over short arrays, each a plain loop that compilers turn into SIMD code. Bulk draws are
 * compiled a second time for AVX2, which halves their cost where the processor has it; every step is an integer
 * operation or one IEEE rounding, so the bits are the same. */
#include <stdbool.h>
#include <string.h>

#include "sim/base/elementary.h"
#include "sim/base/normal_table.h"
#include "sim/base/philox.h"
#include "sim/base/polynomial.h"
#include "sim/base/random.h"

enum { CHUNK_BLOCKS = 64, CHUNK_WORDS = 4 * CHUNK_BLOCKS };
enum { FLOAT_BIAS = 127, FLOAT_MANTISSA_BITS = 23 };
#define SIGN_BIT UINT32_C(0x80000000)
#define TAIL_WORDS (UINT32_C(1) << FWI_NORMAL_FIRST_OCTAVE) /* in each tail */

/* Every pass is part of its caller, so that it is compiled for the caller's processor. */
#define INLINED inline __attribute__((always_inline))

/* The words of `blocks` <= CHUNK_BLOCKS blocks from `index` on, all blocks going through a round together. */
static INLINED void make_words(fw_stream stream, uint64_t index, size_t blocks, uint32_t *restrict words) {
  uint32_t x0[CHUNK_BLOCKS], x1[CHUNK_BLOCKS], x2[CHUNK_BLOCKS], x3[CHUNK_BLOCKS];
  for (size_t i = 0; i < blocks; i++) {
    x0[i] = (uint32_t)(index + i);
    x1[i] = (uint32_t)((index + i) >> 32);
    x2[i] = stream.entity;
    x3[i] = fwi_philox_last_word(stream, 0);
  }
  fwi_philox_key key = fwi_philox_first_key(stream);
  for (int round = 0; round < FWI_PHILOX_ROUNDS; round++) {
    for (size_t i = 0; i < blocks; i++)
      fwi_philox_round(&x0[i], &x1[i], &x2[i], &x3[i], key);
    key = fwi_philox_next_key(key);
  }
  for (size_t i = 0; i < blocks; i++) {
    words[4 * i] = x0[i];
    words[4 * i + 1] = x1[i];
    words[4 * i + 2] = x2[i];
    words[4 * i + 3] = x3[i];
  }
}

/* Finds each word's row and its offset from the row's start. In single precision, to have four lanes; the low
 * bits of v are cut first so that the conversion is exact and cannot round up into the next row. Returns whether
 * any word is a tail; those get row 0 for now, and their numbers are mended later. */
static INLINED bool locate(const uint32_t *restrict words, size_t count, int32_t *restrict rows,
                           double *restrict offsets) {
  const int row_shift = FLOAT_MANTISSA_BITS - FWI_NORMAL_ROW_BITS;
  const int32_t first_row = (FLOAT_BIAS + FWI_NORMAL_FIRST_OCTAVE) << FWI_NORMAL_ROW_BITS;
  int32_t signs = 0;
  for (size_t i = 0; i < count; i++) {
    int32_t v = (int32_t)(words[i] ^ (0 - (words[i] >> 31)));
    float leading = (float)(v & 0x7fffff80);
    uint32_t bits;
    memcpy(&bits, &leading, sizeof bits);
    int32_t row = (int32_t)(bits >> row_shift) - first_row;
    rows[i] = row < 0 ? 0 : row;
    signs |= row;
    bits = bits >> row_shift << row_shift;
    float start;
    memcpy(&start, &bits, sizeof start);
    offsets[i] = ((double)v + 0.5) - (double)start;
  }
  return signs < 0;
}

/* Replaces offsets by sizes of normal numbers. */
static INLINED void evaluate(const int32_t *restrict rows, size_t count, double *restrict values) {
  for (size_t i = 0; i < count; i++)
    values[i] = FWI_POLYNOMIAL(FWI_NORMAL_TABLE[rows[i]], values[i]);
}

/* The lower half of the words is negative. */
static INLINED void set_signs(const uint32_t *restrict words, size_t count, double *restrict values) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    bits ^= (uint64_t)(~words[i] & SIGN_BIT) << 32;
    memcpy(&values[i], &bits, sizeof bits);
  }
}

static void mend_tails(const uint32_t *restrict words, size_t count, double *restrict values) {
  for (size_t i = 0; i < count; i++) {
    bool tail = words[i] + TAIL_WORDS < 2 * TAIL_WORDS; /* wraps: both ends of the range at once */
    if (tail) values[i] = fw_normal_quantile(((double)words[i] + 0.5) * 0x1p-32);
  }
}

static INLINED void invert_words(const uint32_t *restrict words, size_t count, double *restrict out) {
  int32_t rows[CHUNK_WORDS];
  bool tails = locate(words, count, rows, out);
  evaluate(rows, count, out);
  set_signs(words, count, out);
  if (tails) mend_tails(words, count, out);
}

double fw_random_normal(fw_stream stream, uint64_t index) {
  uint32_t words[4];
  fw_random_block(stream, index / 4, 0, words);
  double value;
  invert_words(&words[index % 4], 1, &value); /* the bulk code, so that the bits are the same */
  return value;
}

static INLINED void draw(fw_stream stream, uint64_t first, size_t count, double *out) {
  uint64_t block = first / 4;
  size_t skipped = (size_t)(first % 4);
  while (count > 0) {
    uint32_t words[CHUNK_WORDS];
    size_t taken = count < CHUNK_WORDS - skipped ? count : CHUNK_WORDS - skipped;
    size_t blocks = (skipped + taken + 3) / 4;
    make_words(stream, block, blocks, words);
    invert_words(words + skipped, taken, out);
    block += blocks;
    skipped = 0;
    out += taken;
    count -= taken;
  }
}

static void draw_plain(fw_stream stream, uint64_t first, size_t count, double *out) {
  draw(stream, first, count, out);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void draw_wide(fw_stream stream, uint64_t first, size_t count, double *out) {
  draw(stream, first, count, out);
}
#endif

void fw_random_normals(fw_stream stream, uint64_t first, size_t count, double *out) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) {
    draw_wide(stream, first, count, out);
    return;
  }
#endif
  draw_plain(stream, first, count, out);
}

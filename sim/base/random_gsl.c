/* The keyed generator behind GSL's interface. */
#include "sim/base/random_gsl.h"

typedef struct position {
  fw_stream stream;
  uint64_t next_block;
  uint32_t words[4];
  unsigned int used; /* of `words`; 4 when the next block is due */
} position;

static void seek_start(position *at, fw_stream stream) {
  position start = {.stream = stream, .used = 4};
  *at = start;
}

static void set_seed(void *state, unsigned long seed) {
  seek_start(state, fw_stream_make(seed, FW_DRAW_TEST, 0));
}

static unsigned long next_word(void *state) {
  position *at = state;
  if (at->used == 4) {
    fw_random_block(at->stream, at->next_block++, 0, at->words);
    at->used = 0;
  }
  return at->words[at->used++];
}

/* On [0, 1), as GSL asks. */
static double next_double(void *state) {
  return (double)next_word(state) * 0x1p-32;
}

const gsl_rng_type *fw_gsl_rng_philox(void) {
  static const gsl_rng_type type = {.name = "philox4x32-10",
                                    .max = UINT32_MAX,
                                    .min = 0,
                                    .size = sizeof(position),
                                    .set = set_seed,
                                    .get = next_word,
                                    .get_double = next_double};
  return &type;
}

void fw_gsl_rng_select(gsl_rng *rng, fw_stream stream) {
  seek_start(rng->state, stream);
}

/* The keyed random generator: every variate is a pure function of what it is.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011) maps a
 * key and a counter to four 32-bit words. The key is the seed; the counter names the variate: its purpose,
 * the entity it belongs to, its index (a tick, a prompt, a decision) and a sub-counter for what may need
 * more than one draw (rejection). So a draw does not depend on who drew before, on threads or on policy,
 * and runs that are compared see the same luck. */
#ifndef FW_BASE_RANDOM_H
#define FW_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* What a variate is for. Values are part of every stored result: append, never renumber. */
typedef enum fw_draw {
  FW_DRAW_TEST = 0,
  FW_DRAW_RESIDUAL_TOTAL = 1,    /* entity: job; index: tick */
  FW_DRAW_RESIDUAL_CONTRAST = 2, /* entity: GPU; index: tick */
  FW_DRAW_SPIKE = 3,             /* entity: GPU; index: n-th spike */
  FW_DRAW_SENSOR = 4,            /* entity: job; index: tick */
  FW_DRAW_COMPLETION = 5,        /* entity: job; index: prompt << 20 | sample */
  FW_DRAW_PROMPT = 6,            /* entity: job; index: prompt */
  FW_DRAW_START = 7,             /* entity: job; index: 0 */
  FW_DRAW_POLICY = 8,            /* entity: job; index: decision */
  FW_DRAW_ARRIVAL = 9,           /* entity: source; index: n-th arrival */
  FW_DRAW_FAILURE = 10,          /* entity: GPU; index: n-th failure (time to it, and its repair) */
  FW_DRAW_BOOTSTRAP = 11,        /* entity: statistic; index: resample */
  FW_DRAW_PHASE = 12,            /* entity: job; index: step (durations that are drawn) */
  FW_DRAW_GAIN = 13,             /* entity: GPU; index: 0 */
  FW_DRAW_CAP_COMMAND = 14,      /* entity: job; index: n-th cap command (whether it is late or lost) */
  FW_DRAW_REQUEST = 15,          /* entity: job; index: n-th request (context and output lengths) */
  FW_DRAW_SUBMISSION = 16,       /* entity: job; index: n-th job of a queue (its size and length) */
  FW_DRAW_TENANT = 17,           /* entity: job; index: n-th job of a queue (the seed of its residual) */
  FW_DRAW_DESIGN = 24,           /* entity: axis of a sweep; index: stratum */
  FW_DRAW_PPO_EPISODE = 32,      /* entity: environment; index: episode */
  FW_DRAW_PPO_ACTION = 33,       /* entity: environment; index: n-th answer x heads */
  FW_DRAW_PPO_SHUFFLE = 34,      /* entity: pass; index: iteration x rows */
  FW_DRAW_PPO_WEIGHT = 35        /* entity: network x layer; index: weight */
} fw_draw;

/* All variates of one purpose and entity under one seed. A value; copy freely. */
typedef struct fw_stream {
  uint64_t seed;
  uint32_t entity;
  uint32_t purpose; /* an fw_draw, at most 255 */
} fw_stream;

static inline fw_stream fw_stream_make(uint64_t seed, fw_draw purpose, uint32_t entity) {
  fw_stream stream = {seed, entity, (uint32_t)purpose};
  return stream;
}

/* Block `index`, sub-counter `sub` (< 2^24) of the stream: four words, uniform and independent. */
void fw_random_block(fw_stream stream, uint64_t index, uint32_t sub, uint32_t out[4]);

/* Uniform on the open interval (0, 1): the middles of 2^52 equal cells; uses block (index, sub). */
double fw_random_uniform(fw_stream stream, uint64_t index, uint32_t sub);

/* Uniform on {0, ..., bound - 1}, bound >= 1, without bias (rejection on its own sub-counters). */
uint64_t fw_random_below(fw_stream stream, uint64_t index, uint64_t bound);

/* Standard normal number `index`, by inversion of one 32-bit word: word index % 4 of block index / 4,
 * taken as (word + 0.5) / 2^32, so |z| < 6.34. The quantile is right to 2e-10, less than half the smallest step
 * between two numbers, so variates are strictly monotone in their words. */
double fw_random_normal(fw_stream stream, uint64_t index);

/* The same numbers first .. first + count - 1, to the bit, several times faster. */
void fw_random_normals(fw_stream stream, uint64_t first, size_t count, double *out);

/* Exponential with mean 1. */
double fw_random_exponential(fw_stream stream, uint64_t index);

#endif

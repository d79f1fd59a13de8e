/* The keyed generator: published vectors, the meaning of a key, and statistical tests.
 *
 * The statistical tests have fixed seeds, so they pass or fail for good. Each threshold is where a correct
 * generator would fail with the probability FALSE_ALARM (two-sided where the statistic is), so of the fewer than
 * 500 thresholds here about one in two thousand choices of seeds would trip any. */
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/elementary.h"
#include "sim/base/normal_table.h"
#include "sim/base/random.h"
#include "sim/base/random_gsl.h"

#define FALSE_ALARM 1e-6

static void assert_words(const uint32_t got[4], const uint32_t expected[4]) {
  for (size_t i = 0; i < 4; i++)
    cr_assert_eq(got[i], expected[i], "word %zu is %08x, not %08x", i, got[i], expected[i]);
}

/* A statistic that is standard normal for a correct generator. */
static void assert_normal_statistic(double z, const char *what) {
  cr_assert_lt(fabs(z), gsl_cdf_ugaussian_Qinv(FALSE_ALARM / 2), "%s: z = %.2f", what, z);
}

/* Both ends: counts that fit too well are as suspicious as counts that do not fit. */
static void assert_uniform_counts(const uint32_t *counts, size_t cells, double total, const char *what) {
  double expected = total / (double)cells, chi2 = 0;
  for (size_t i = 0; i < cells; i++)
    chi2 += (counts[i] - expected) * (counts[i] - expected) / expected;
  double degrees = (double)cells - 1;
  cr_assert_lt(chi2, gsl_cdf_chisq_Qinv(FALSE_ALARM / 2, degrees), "%s: chi2 = %.1f", what, chi2);
  cr_assert_gt(chi2, gsl_cdf_chisq_Pinv(FALSE_ALARM / 2, degrees), "%s: chi2 = %.1f", what, chi2);
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov: P(sqrt(n) D > x) = 2 exp(-2 x^2) for large n. Sorts the sample. */
static void assert_distribution(double *sample, size_t count, double (*cdf)(double)) {
  qsort(sample, count, sizeof *sample, compare_doubles);
  double distance = 0;
  for (size_t i = 0; i < count; i++) {
    double p = cdf(sample[i]);
    distance = fmax(distance, fmax(p - (double)i / (double)count, (double)(i + 1) / (double)count - p));
  }
  cr_assert_lt(sqrt((double)count) * distance, sqrt(-0.5 * log(FALSE_ALARM / 2)));
}

/* The vectors published with the Random123 library (kat_vectors, philox4x32-10), through our layout of key and
 * counter: key = seed (low, high), counter = index (low, high), entity, purpose << 24 | sub. */
Test(random, philox_known_answers) {
  static const struct {
    fw_stream stream;
    uint64_t index;
    uint32_t sub;
    uint32_t words[4];
  } cases[] = {{{0, 0, 0}, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
               {{UINT64_MAX, UINT32_MAX, 255}, UINT64_MAX, 0xffffff, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
               {{UINT64_C(0x299f31d0a4093822), 0x13198a2e, 0x03},
                UINT64_C(0x85a308d3243f6a88),
                0x707344,
                {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t words[4];
    fw_random_block(cases[i].stream, cases[i].index, cases[i].sub, words);
    assert_words(words, cases[i].words);
  }
}

Test(random, a_stream_is_named_by_its_parts) {
  fw_stream stream = fw_stream_make(UINT64_C(0x0123456789abcdef), FW_DRAW_SENSOR, 77);
  cr_assert_eq(stream.seed, UINT64_C(0x0123456789abcdef));
  cr_assert_eq(stream.purpose, FW_DRAW_SENSOR);
  cr_assert_eq(stream.entity, 77);
}

Test(random, uniforms_come_from_the_first_words_of_their_block) {
  fw_stream stream = fw_stream_make(3, FW_DRAW_TEST, 1);
  for (uint32_t i = 0; i < 1000; i++) {
    uint32_t words[4];
    fw_random_block(stream, i, i % 7, words);
    double expected = ldexp((double)words[0], -32) + ldexp((double)(words[1] >> 12), -52) + 0x1p-53;
    cr_assert_eq(fw_random_uniform(stream, i, i % 7), expected);
  }
}

Test(random, exponentials_are_logarithms_of_uniforms) {
  fw_stream stream = fw_stream_make(4, FW_DRAW_ARRIVAL, 1);
  for (uint64_t i = 0; i < 1000; i++)
    cr_assert_eq(fw_random_exponential(stream, i), -fw_log(fw_random_uniform(stream, i, 0)));
}

enum { SAMPLE = 500000 };
static double sample[SAMPLE];

static double uniform_cdf(double x) {
  return x;
}

static double exponential_cdf(double x) {
  return -expm1(-x);
}

Test(random, uniforms_are_uniform) {
  fw_stream stream = fw_stream_make(5, FW_DRAW_TEST, 0);
  for (size_t i = 0; i < SAMPLE; i++) {
    sample[i] = fw_random_uniform(stream, i, 0);
    cr_assert(sample[i] > 0 && sample[i] < 1);
  }
  assert_distribution(sample, SAMPLE, uniform_cdf);
}

Test(random, exponentials_are_exponential) {
  fw_stream stream = fw_stream_make(6, FW_DRAW_TEST, 0);
  for (size_t i = 0; i < SAMPLE; i++)
    sample[i] = fw_random_exponential(stream, i);
  assert_distribution(sample, SAMPLE, exponential_cdf);
}

Test(random, every_byte_of_a_block_is_uniform) {
  static uint32_t counts[16][256];
  fw_stream stream = fw_stream_make(7, FW_DRAW_TEST, 0);
  enum { BLOCKS = 400000 };
  for (uint64_t i = 0; i < BLOCKS; i++) {
    unsigned char bytes[16];
    uint32_t words[4];
    fw_random_block(stream, i, 0, words);
    memcpy(bytes, words, sizeof bytes);
    for (size_t k = 0; k < 16; k++)
      counts[k][bytes[k]]++;
  }
  for (size_t k = 0; k < 16; k++)
    assert_uniform_counts(counts[k], 256, BLOCKS, "byte");
}

/* Correlation of x[i] with x[i + lag]; for n independent pairs its sqrt(n) multiple is standard normal. */
static double lagged_correlation(const double *x, size_t count, size_t lag) {
  double products = 0, squares = 0;
  for (size_t i = 0; i + lag < count; i++)
    products += x[i] * x[i + lag];
  for (size_t i = 0; i < count; i++)
    squares += x[i] * x[i];
  return products / squares * sqrt((double)count);
}

Test(random, successive_normals_are_uncorrelated) {
  fw_random_normals(fw_stream_make(8, FW_DRAW_RESIDUAL_TOTAL, 3), 0, SAMPLE, sample);
  for (size_t lag = 1; lag <= 16; lag++)
    assert_normal_statistic(lagged_correlation(sample, SAMPLE, lag), "correlation of successive numbers");
  for (size_t i = 0; i < SAMPLE; i++)
    sample[i] = sample[i] * sample[i] - 1; /* dependence that leaves the sign free */
  for (size_t lag = 1; lag <= 16; lag++)
    assert_normal_statistic(lagged_correlation(sample, SAMPLE, lag), "correlation of successive squares");
}

/* Neighbouring names, one step apart in one part. */
typedef struct name {
  fw_stream stream;
  uint64_t index;
  uint32_t sub;
} name;

enum { NEIGHBOURS = 5 };

static name neighbour(name of, int part) {
  if (part == 0) of.stream.seed++;
  if (part == 1) of.stream.entity++;
  if (part == 2) of.stream.purpose++;
  if (part == 3) of.index++;
  if (part == 4) of.sub++;
  return of;
}

Test(random, neighbours_are_independent) {
  enum { PAIRS = 200000 };
  for (int part = 0; part < NEIGHBOURS; part++) {
    static uint32_t counts[4][256];
    memset(counts, 0, sizeof counts);
    for (uint64_t i = 0; i < PAIRS; i++) {
      name one = {fw_stream_make(1000, FW_DRAW_RESIDUAL_CONTRAST, 50), 3 * i, 0}; /* steps of 3: no block twice */
      name other = neighbour(one, part);
      uint32_t a[4], b[4];
      fw_random_block(one.stream, one.index, one.sub, a);
      fw_random_block(other.stream, other.index, other.sub, b);
      for (size_t word = 0; word < 4; word++)
        counts[word][(a[word] >> 28) << 4 | b[word] >> 28]++;
    }
    for (size_t word = 0; word < 4; word++)
      assert_uniform_counts(counts[word], 256, PAIRS, "leading bits of neighbours");
  }
}

Test(random, neighbouring_streams_are_uncorrelated) {
  enum { COUNT = 200000 };
  name one = {fw_stream_make(1, FW_DRAW_RESIDUAL_CONTRAST, 1), 0, 0};
  fw_random_normals(one.stream, 0, COUNT, sample);
  for (int part = 0; part < 3; part++) {
    double *other = sample + COUNT, sum = 0;
    fw_random_normals(neighbour(one, part).stream, 0, COUNT, other);
    for (size_t i = 0; i < COUNT; i++)
      sum += sample[i] * other[i];
    assert_normal_statistic(sum / sqrt(COUNT), "correlation of streams");
  }
}

/* Avalanche: flipping any one bit of the name flips each bit of the block with probability 1/2. */
Test(random, every_bit_of_a_name_matters) {
  enum { TRIALS = 400 };
  for (uint32_t bit = 0; bit < 64 + 32 + 8 + 64 + 24; bit++) {
    int flips = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
      name one = {fw_stream_make(trial * UINT64_C(0x9e3779b97f4a7c15), FW_DRAW_FAILURE, (uint32_t)trial), trial * 977,
                  5};
      name other = one;
      if (bit < 64)
        other.stream.seed ^= UINT64_C(1) << bit;
      else if (bit < 96)
        other.stream.entity ^= UINT32_C(1) << (bit - 64);
      else if (bit < 104)
        other.stream.purpose ^= UINT32_C(1) << (bit - 96);
      else if (bit < 168)
        other.index ^= UINT64_C(1) << (bit - 104);
      else
        other.sub ^= UINT32_C(1) << (bit - 168);
      uint32_t a[4], b[4];
      fw_random_block(one.stream, one.index, one.sub, a);
      fw_random_block(other.stream, other.index, other.sub, b);
      for (size_t word = 0; word < 4; word++)
        flips += __builtin_popcount(a[word] ^ b[word]);
    }
    double bits = 128.0 * TRIALS;
    assert_normal_statistic((flips - bits / 2) / sqrt(bits / 4), "flipped bits");
  }
}

Test(random, below_is_uniform) {
  static const uint64_t bounds[] = {2, 3, 6, 10, 256, 1000};
  static uint32_t counts[1000];
  for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
    enum { COUNT = 200000 };
    memset(counts, 0, sizeof counts);
    fw_stream stream = fw_stream_make(9, FW_DRAW_BOOTSTRAP, (uint32_t)k);
    for (uint64_t i = 0; i < COUNT; i++) {
      uint64_t value = fw_random_below(stream, i, bounds[k]);
      cr_assert_lt(value, bounds[k]);
      counts[value]++;
    }
    assert_uniform_counts(counts, bounds[k], COUNT, "fw_random_below");
  }
}

/* For the bound 3 x 2^62 a plain high product gives multiples of 3 half the time, and a plain remainder gives
 * values below 2^62 half the time; without bias both shares are a third. */
Test(random, below_rejects_what_would_be_biased) {
  enum { COUNT = 100000 };
  fw_stream stream = fw_stream_make(10, FW_DRAW_BOOTSTRAP, 0);
  uint32_t residues[3] = {0}, ranges[3] = {0};
  for (uint64_t i = 0; i < COUNT; i++) {
    uint64_t value = fw_random_below(stream, i, UINT64_C(3) << 62);
    residues[value % 3]++;
    ranges[value >> 62]++;
  }
  assert_uniform_counts(residues, 3, COUNT, "residues");
  assert_uniform_counts(ranges, 3, COUNT, "ranges");
}

Test(random, below_one_is_zero_and_the_largest_bound_works) {
  fw_stream stream = fw_stream_make(11, FW_DRAW_TEST, 0);
  double sum = 0;
  for (uint64_t i = 0; i < 10000; i++) {
    cr_assert_eq(fw_random_below(stream, i, 1), 0);
    sum += ldexp((double)fw_random_below(stream, i, UINT64_MAX), -64) - 0.5;
  }
  assert_normal_statistic(sum / sqrt(10000.0 / 12), "mean below the largest bound");
}

/* The number that `word` should become, by the accurate quantile. */
static double quantile_of_word(uint32_t word) {
  return fw_normal_quantile(((double)word + 0.5) / 0x1p32);
}

Test(random, normals_are_quantiles_of_their_words) {
  fw_stream stream = fw_stream_make(12, FW_DRAW_RESIDUAL_TOTAL, 9);
  fw_random_normals(stream, 0, SAMPLE, sample);
  for (size_t i = 0; i < SAMPLE; i++) {
    uint32_t words[4];
    fw_random_block(stream, i / 4, 0, words);
    /* 2e-10: stated in random_normal.c; the smallest step between numbers is sqrt(2 pi) / 2^32 = 5.8e-10. */
    cr_assert_float_eq(sample[i], quantile_of_word(words[i % 4]), 2e-10, "number %zu", i);
  }
}

static double row_value(size_t row, double x) {
  double value = 0;
  for (size_t k = 0; k < sizeof FWI_NORMAL_TABLE[0] / sizeof(double); k++)
    value = value * x + FWI_NORMAL_TABLE[row][k];
  return value;
}

Test(random, the_table_is_close_and_decreasing_across_its_seams) {
  size_t rows = sizeof FWI_NORMAL_TABLE / sizeof FWI_NORMAL_TABLE[0], row = 0;
  double last = -quantile_of_word((UINT32_C(1) << FWI_NORMAL_FIRST_OCTAVE) - 1); /* the last of the tail */
  for (int octave = FWI_NORMAL_FIRST_OCTAVE; octave < 31; octave++)
    for (uint32_t part = 0; part < UINT32_C(1) << FWI_NORMAL_ROW_BITS; part++, row++) {
      uint32_t width = UINT32_C(1) << (octave - FWI_NORMAL_ROW_BITS), start = (UINT32_C(1) << octave) + part * width;
      double first = row_value(row, 0.5);
      cr_assert_lt(first, last, "row %zu", row);
      last = row_value(row, width - 0.5);
      for (uint32_t offset = 0; offset < width; offset += width / 64) {
        double value = row_value(row, offset + 0.5);
        cr_assert_float_eq(value, -quantile_of_word(start + offset), 2e-10, "row %zu", row);
        cr_assert_gt(value, row_value(row, offset + 1.5), "row %zu", row);
      }
    }
  cr_assert_eq(row, rows);
  cr_assert_gt(last, 0);
}

typedef struct drawn {
  uint32_t word;
  double number;
} drawn;

static int compare_words(const void *a, const void *b) {
  uint32_t x = ((const drawn *)a)->word, y = ((const drawn *)b)->word;
  return (x > y) - (x < y);
}

Test(random, normals_rise_with_their_words) {
  enum { COUNT = 400000 };
  static drawn draws[COUNT];
  fw_stream stream = fw_stream_make(13, FW_DRAW_TEST, 0);
  fw_random_normals(stream, 0, COUNT, sample);
  for (size_t i = 0; i < COUNT; i++) {
    uint32_t words[4];
    fw_random_block(stream, i / 4, 0, words);
    draws[i] = (drawn){words[i % 4], sample[i]};
  }
  qsort(draws, COUNT, sizeof *draws, compare_words);
  for (size_t i = 1; i < COUNT; i++)
    cr_assert(draws[i].word == draws[i - 1].word ? draws[i].number == draws[i - 1].number
                                                 : draws[i].number > draws[i - 1].number);
}

Test(random, one_by_one_and_in_bulk_give_the_same_bits) {
  static const uint64_t firsts[] = {0, 1, 2, 3, 4, 255, 1021, (UINT64_C(1) << 34) - 3, UINT64_MAX - 2000};
  static const size_t counts[] = {0, 1, 2, 3, 4, 5, 7, 255, 256, 257, 259, 1100};
  fw_stream stream = fw_stream_make(UINT64_C(0xfeedfacecafebeef), FW_DRAW_SENSOR, 123456);
  for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++)
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
      double *numbers = malloc((counts[c] + 1) * sizeof *numbers); /* on the heap, where a sanitizer sees the end */
      numbers[counts[c]] = -77;
      fw_random_normals(stream, firsts[f], counts[c], numbers);
      cr_assert_eq(numbers[counts[c]], -77, "written past %zu numbers", counts[c]);
      for (size_t i = 0; i < counts[c]; i++) {
        double single = fw_random_normal(stream, firsts[f] + i);
        cr_assert_eq(memcmp(&numbers[i], &single, sizeof single), 0, "number %zu of %zu", i, counts[c]);
      }
      free(numbers);
    }
}

Test(random, tails_are_exact_quantiles) {
  fw_stream stream = fw_stream_make(14, FW_DRAW_TEST, 0);
  size_t tails = 0;
  fw_random_normals(stream, 0, SAMPLE, sample);
  for (size_t i = 0; i < SAMPLE; i++) {
    uint32_t words[4];
    fw_random_block(stream, i / 4, 0, words);
    uint32_t word = words[i % 4], edge = UINT32_C(1) << FWI_NORMAL_FIRST_OCTAVE;
    if (word >= edge && word < UINT32_MAX - edge + 1) continue;
    cr_assert_eq(sample[i], quantile_of_word(word));
    cr_assert_eq(fw_random_normal(stream, i), sample[i]);
    tails++;
  }
  double expected = SAMPLE * 0x1p-11;
  assert_normal_statistic(((double)tails - expected) / sqrt(expected), "number of tails");
}

static void assert_poisson(unsigned count, double mean) {
  cr_assert_gt(gsl_cdf_poisson_P(count, mean), FALSE_ALARM / 2, "%u, expected %.1f", count, mean);
  cr_assert_gt(gsl_cdf_poisson_Q(count, mean) + gsl_ran_poisson_pdf(count, mean), FALSE_ALARM / 2, "%u, expected %.1f",
               count, mean);
}

Test(random, normals_have_normal_moments_and_tails) {
  enum { CHUNKS = 16 };
  double sums[5] = {0};
  unsigned beyond[6] = {0};
  fw_stream stream = fw_stream_make(15, FW_DRAW_TEST, 0);
  for (uint64_t chunk = 0; chunk < CHUNKS; chunk++) {
    fw_random_normals(stream, chunk * SAMPLE, SAMPLE, sample);
    for (size_t i = 0; i < SAMPLE; i++) {
      double z = sample[i], square = z * z;
      sums[1] += z;
      sums[2] += square - 1;
      sums[3] += square * z;
      sums[4] += square * square - 3;
      for (int k = 3; k < 6; k++)
        beyond[k] += fabs(z) > k;
    }
  }
  double count = (double)CHUNKS * SAMPLE;
  static const double variances[5] = {0, 1, 2, 15, 96}; /* of z, z^2, z^3 and z^4 */
  for (int k = 1; k <= 4; k++)
    assert_normal_statistic(sums[k] / sqrt(count * variances[k]), "moment");
  for (int k = 3; k < 6; k++)
    assert_poisson(beyond[k], count * 2 * gsl_cdf_ugaussian_Q(k));
}

Test(random, normals_follow_the_normal_distribution) {
  fw_random_normals(fw_stream_make(16, FW_DRAW_TEST, 0), 0, SAMPLE, sample);
  assert_distribution(sample, SAMPLE, gsl_cdf_ugaussian_P);
}

/* One constant for every build, as in test_elementary.c. */
Test(random, every_build_gives_the_same_bits) {
  fw_stream stream = fw_stream_make(17, FW_DRAW_TEST, 0);
  fw_random_normals(stream, 0, SAMPLE, sample);
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < SAMPLE; i++) {
    uint64_t bits;
    memcpy(&bits, &sample[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x100000001b3);
  }
  cr_assert_eq(hash, UINT64_C(0x26bdf0e6987a787e), "the hash is 0x%llx", (unsigned long long)hash);
}

static gsl_rng *make_gsl(void) {
  gsl_rng *rng = gsl_rng_alloc(fw_gsl_rng_philox());
  cr_assert_not_null(rng);
  return rng;
}

Test(random, gsl_sees_the_words_in_order) {
  gsl_rng *rng = make_gsl();
  fw_stream stream = fw_stream_make(18, FW_DRAW_PROMPT, 4);
  fw_gsl_rng_select(rng, stream);
  for (uint64_t block = 0; block < 100; block++) {
    uint32_t words[4];
    fw_random_block(stream, block, 0, words);
    for (size_t i = 0; i < 4; i++)
      cr_assert_eq(gsl_rng_get(rng), words[i]);
  }
  gsl_rng_free(rng);
}

Test(random, gsl_seeds_select_the_test_stream) {
  gsl_rng *rng = make_gsl();
  gsl_rng_set(rng, 12345678901UL);
  uint32_t words[4];
  fw_random_block(fw_stream_make(12345678901UL, FW_DRAW_TEST, 0), 0, 0, words);
  cr_assert_eq(gsl_rng_get(rng), words[0]);
  cr_assert_eq(gsl_rng_uniform(rng), words[1] / 0x1p32);
  gsl_rng *copy = gsl_rng_clone(rng);
  cr_assert_eq(gsl_rng_get(copy), words[2]);
  cr_assert_eq(gsl_rng_get(rng), words[2]);
  gsl_rng_free(copy);
  gsl_rng_free(rng);
}

Test(random, gsl_knows_the_range) {
  gsl_rng *rng = make_gsl();
  cr_assert_eq(gsl_rng_min(rng), 0);
  cr_assert_eq(gsl_rng_max(rng), 0xffffffffUL);
  cr_assert_str_eq(gsl_rng_name(rng), "philox4x32-10");
  gsl_rng_free(rng);
}

Test(random, gsl_distributions_work_on_it) {
  gsl_rng *rng = make_gsl();
  gsl_rng_set(rng, 19);
  for (size_t i = 0; i < SAMPLE / 4; i++)
    sample[i] = gsl_ran_gaussian_ziggurat(rng, 1);
  assert_distribution(sample, SAMPLE / 4, gsl_cdf_ugaussian_P);
  gsl_rng_free(rng);
}

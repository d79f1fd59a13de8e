/* The power histogram: percentiles that can be counted by hand, and its bins against integer division. */
#include <criterion/criterion.h>

#include "sim/engine/histogram.h"

#define WATT FW_MW_PER_W

static fw_histogram histogram_of(fw_power_mw max, size_t bins) {
  fw_histogram histogram;
  cr_assert(fw_histogram_create(max, bins, &histogram, NULL) == FW_OK);
  return histogram;
}

Test(histogram, percentiles_of_one_to_a_hundred) {
  fw_histogram histogram = histogram_of(100 * WATT, 100);
  for (fw_power_mw p = 1; p <= 100; p++) {
    fw_histogram_add(&histogram, p * WATT, 1);
  }
  for (int k = 1; k <= 100; k++) { /* among them 0.07, 0.14, 0.28 .. whose product with 100 rounds up */
    cr_assert_eq(fw_histogram_percentile(&histogram, k / 100.0), k * WATT, "p%d", k);
  }
  cr_assert_eq(fw_histogram_percentile(&histogram, 0.951), 96 * WATT);
  fw_histogram_reset(&histogram);
  cr_assert_eq(fw_histogram_percentile(&histogram, 0.5), 0);
  fw_histogram_free(&histogram);
}

Test(histogram, beyond_the_range_the_largest_is_exact) {
  fw_histogram histogram = histogram_of(10, 5);
  fw_histogram_add(&histogram, 3, 50);
  fw_histogram_add(&histogram, INT64_MAX, 50);
  cr_assert_eq(fw_histogram_percentile(&histogram, 0.5), 4);
  cr_assert_eq(fw_histogram_percentile(&histogram, 0.51), INT64_MAX);
  fw_histogram_free(&histogram);
}

Test(histogram, an_only_value_is_its_own_percentile) {
  fw_histogram histogram = histogram_of(1000, 3);
  fw_histogram_add(&histogram, 0, 7);
  cr_assert_eq(fw_histogram_percentile(&histogram, 0.5), 0);
  fw_histogram_reset(&histogram);
  fw_histogram_add(&histogram, 335, 7);
  cr_assert_eq(fw_histogram_percentile(&histogram, 1e-9), 335);
  cr_assert_eq(fw_histogram_percentile(&histogram, 1.0), 335);
  fw_histogram_free(&histogram);
}

/* Powers at and around the edges of bins, where an estimate in floating point could go astray. */
Test(histogram, the_bin_is_that_of_an_integer_division) {
  static const fw_power_mw maxima[] = {1, 10, 999, 4000000, INT64_C(1) << 40, (INT64_C(1) << 53) + 7, INT64_MAX};
  static const size_t counts[] = {1, 3, 1000, 4001};
  for (size_t m = 0; m < sizeof maxima / sizeof *maxima; m++) {
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
      fw_histogram histogram = histogram_of(maxima[m], counts[c]);
      fw_power_mw width = maxima[m] / (fw_power_mw)counts[c] + (maxima[m] % (fw_power_mw)counts[c] > 0);
      cr_assert_eq(histogram.width, width);
      for (size_t edge = 1; edge < counts[c] && (fw_power_mw)edge < maxima[m] / width; edge++) {
        for (fw_power_mw off = 0; off <= 1; off++) { /* on the edge: the bin below; past it: the bin above */
          size_t bin = edge - 1 + (size_t)off;
          fw_time_ns before = histogram.weight[bin];
          fw_histogram_add(&histogram, (fw_power_mw)edge * width + off, 5);
          cr_assert_eq(histogram.weight[bin], before + 5, "max %zu, bins %zu, edge %zu", m, c, edge);
        }
      }
      fw_histogram_free(&histogram);
    }
  }
}

Test(histogram, refuses_ranges_that_cannot_be) {
  fw_histogram histogram;
  cr_assert_eq(fw_histogram_create(0, 1, &histogram, NULL), FW_ERROR_INPUT);
  cr_assert_eq(fw_histogram_create(-1, 1, &histogram, NULL), FW_ERROR_INPUT);
  cr_assert_eq(fw_histogram_create(10, 0, &histogram, NULL), FW_ERROR_INPUT);
  cr_assert_eq(fw_histogram_create(10, SIZE_MAX, &histogram, NULL), FW_ERROR_INPUT);
  fw_histogram_free(&histogram);
}

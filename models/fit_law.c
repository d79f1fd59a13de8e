/* Marginal laws from samples, and what a Gaussian AR(1) loses on its way through one: the model maps z through the law,
 * which shrinks its lag-one correlation; the map's Hermite series gives the correlation before it (Cario and Nelson,
 * "Autoregressive to anything", Operations Research Letters 19, 1996; Mehler's formula: cov = sum_k c_k^2 rho^k). */
#include <math.h>

#include "models/fit.h"
#include "sim/base/elementary.h"
#include "sim/base/sort.h"

const double fw_law_probabilities[FW_LAW_POINTS] = {0.001, 0.01, 0.05, 0.1,  0.25, 0.4,  0.5,
                                                    0.6,   0.75, 0.9,  0.95, 0.99, 0.999};

double fw_law_at(const fw_law *law, double z) {
  double z_at[FW_LAW_POINTS];
  for (size_t i = 0; i < FW_LAW_POINTS; i++)
    z_at[i] = fw_normal_quantile(fw_law_probabilities[i]);
  size_t cell = 0;
  while (cell + 2 < FW_LAW_POINTS && z > z_at[cell + 1])
    cell++;
  const double share = (z - z_at[cell]) / (z_at[cell + 1] - z_at[cell]);
  return law->value_w[cell] + share * (law->value_w[cell + 1] - law->value_w[cell]);
}

/* Midpoints of a grid over [-6.5, 6.5] with normal weights that add up to 1. */
enum { GRID_POINTS = 1040 };
typedef struct grid {
  double z[GRID_POINTS];
  double weight[GRID_POINTS];
  double value_w[GRID_POINTS];
} grid;

static void grid_make(const fw_law *law, grid *out) {
  double sum = 0.0;
  for (size_t i = 0; i < GRID_POINTS; i++) {
    const double z = ((double)i + 0.5 - GRID_POINTS / 2.0) / 80.0;
    out->z[i] = z;
    out->weight[i] = fw_exp(-0.5 * z * z);
    out->value_w[i] = fw_law_at(law, z);
    sum += out->weight[i];
  }
  for (size_t i = 0; i < GRID_POINTS; i++)
    out->weight[i] /= sum;
}

static double grid_mean(const grid *grid_of_law) {
  double sum = 0.0;
  for (size_t i = 0; i < GRID_POINTS; i++)
    sum += grid_of_law->weight[i] * grid_of_law->value_w[i];
  return sum;
}

static double grid_sigma(const grid *grid_of_law) {
  const double mean = grid_mean(grid_of_law);
  double sum = 0.0;
  for (size_t i = 0; i < GRID_POINTS; i++) {
    const double distance = grid_of_law->value_w[i] - mean;
    sum += grid_of_law->weight[i] * distance * distance;
  }
  return sqrt(sum);
}

double fw_law_sigma_w(const fw_law *law) {
  grid points;
  grid_make(law, &points);
  return grid_sigma(&points);
}

double fw_law_exceedance(const fw_law *law, double error_sigma_w, double threshold_w) {
  grid points;
  grid_make(law, &points);
  double sum = 0.0;
  for (size_t i = 0; i < GRID_POINTS; i++) {
    const double distance = points.value_w[i] - threshold_w;
    const double above = distance > 0.0 ? 1.0 : 0.0;
    sum += points.weight[i] * (error_sigma_w > 0.0 ? fw_normal_cdf(distance / error_sigma_w) : above);
  }
  return sum;
}

/* What lies below is the dust of sums, which differs from compiler to compiler. */
static double whole_microwatts(double value_w) {
  return floor(value_w * 1e6 + 0.5) / 1e6;
}

fw_law fw_fit_law(double *values, size_t count) {
  const double sigma_w = fw_fit_sigma(values, count);
  fw_sort_numbers(values, count);
  fw_law law;
  for (size_t i = 0; i < FW_LAW_POINTS; i++)
    law.value_w[i] = fw_fit_quantile(values, count, fw_law_probabilities[i]);
  grid points;
  grid_make(&law, &points);
  const double mean = grid_mean(&points);
  const double sigma = grid_sigma(&points);
  const double scale = sigma > 0.0 ? sigma_w / sigma : 0.0;
  for (size_t i = 0; i < FW_LAW_POINTS; i++)
    law.value_w[i] = whole_microwatts(scale * (law.value_w[i] - mean));
  return law;
}

/* Squares of the Hermite coefficients 1, 2, ... of the law, normalised to sum 1: the correlation after the map is
 * sum_k share[k] rho^(k+1). What lies beyond the last is counted with it. */
enum { HERMITE_TERMS = 24 };

static void hermite_shares(const fw_law *law, double share[HERMITE_TERMS]) {
  grid points;
  grid_make(law, &points);
  double coefficient[HERMITE_TERMS] = {0.0};
  for (size_t i = 0; i < GRID_POINTS; i++) {
    double before = 1.0;
    double here = points.z[i];
    for (size_t k = 0; k < HERMITE_TERMS; k++) {
      coefficient[k] += points.weight[i] * points.value_w[i] * here;
      const double degree = (double)(k + 1);
      const double next = (points.z[i] * here - sqrt(degree) * before) / sqrt(degree + 1.0);
      before = here;
      here = next;
    }
  }
  const double sigma = grid_sigma(&points);
  double rest = 1.0;
  for (size_t k = 0; k < HERMITE_TERMS; k++) {
    share[k] = sigma > 0.0 ? coefficient[k] * coefficient[k] / (sigma * sigma) : 0.0;
    rest -= share[k];
  }
  share[HERMITE_TERMS - 1] += fmax(rest, 0.0);
}

typedef struct lag_search {
  double share[HERMITE_TERMS];
  double lag1;
} lag_search;

static double lag_excess(double rho, const void *context) {
  const lag_search *search = context;
  double sum = 0.0;
  for (size_t k = HERMITE_TERMS; k > 0; k--)
    sum = (sum + search->share[k - 1]) * rho;
  return sum - search->lag1;
}

double fw_fit_copula_lag1(const fw_law *law, double lag1) {
  static const double BOUND = 0.99;
  lag_search search = {.lag1 = lag1};
  hermite_shares(law, search.share);
  if (lag_excess(BOUND, &search) <= 0.0) return BOUND;
  if (lag_excess(-BOUND, &search) >= 0.0) return -BOUND;
  double rho = 0.0;
  return fw_fit_root(lag_excess, &search, -BOUND, BOUND, "a lag-one coefficient", &rho, NULL) == FW_OK ? rho : lag1;
}

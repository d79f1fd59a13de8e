/* Marginal laws of the residual, and their tables over the standard normal: F^-1(Phi(z)), the transformation of a
 * Gaussian copula (Li and Hammond, "Generation of pseudorandom numbers with specified univariate distributions and
 * correlation coefficients", IEEE Trans. SMC 5, 1975). */
#include <math.h>

#include "models/ceilings.h"
#include "models/check.h"
#include "models/residual.h"
#include "sim/base/elementary.h"
#include "sim/base/fields.h"

typedef struct marginal_none {
  bool unused; /* C knows no empty struct */
} marginal_none;

typedef struct marginal_gaussian {
  double sigma_w;
} marginal_gaussian;

typedef struct marginal_quantiles {
  fw_array probabilities;
  fw_array values_w;
} marginal_quantiles;

static const fw_field gaussian_fields[] = {
    FW_FIELD(marginal_gaussian, sigma_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W, "standard deviation"),
};

static const fw_field quantiles_fields[] = {
    FW_NUMBERS(marginal_quantiles, probabilities, 2, 0.0, 1.0, "rising, each above 0 and below 1"),
    FW_NUMBERS(marginal_quantiles, values_w, 2, -FWI_MOST_W, FWI_MOST_W, "value at each probability, never falling"),
};

static const fw_record none_record = {
    .name = "marginal_none",
    .doc = "no residual",
    .size = sizeof(marginal_none),
};

static const fw_record gaussian_record = {
    .name = "marginal_gaussian",
    .doc = "a normal law of mean zero",
    .size = sizeof(marginal_gaussian),
    .fields = gaussian_fields,
    .field_count = FW_COUNT_OF(gaussian_fields),
};

static const fw_record quantiles_record = {
    .name = "marginal_quantiles",
    .doc = "a law given by quantiles, shifted to mean zero",
    .size = sizeof(marginal_quantiles),
    .fields = quantiles_fields,
    .field_count = FW_COUNT_OF(quantiles_fields),
};

const fw_variant_case fw_marginal_cases[] = {
    {"none", &none_record},
    {"gaussian", &gaussian_record},
    {"quantiles", &quantiles_record},
    {NULL, NULL},
};

/* Smallest distance in z between two quantiles, so that the slope between them is finite. */
static const double SPACING_MIN = 1e-9;

static double grid_z(size_t point) {
  return ((double)point - FW_MARGINAL_CENTRE) / FW_MARGINAL_PER_UNIT;
}

static void tabulate_gaussian(const marginal_gaussian *law, double *value_mw) {
  for (size_t i = 0; i < FW_MARGINAL_POINTS; i++) {
    value_mw[i] = law->sigma_w * (double)FW_MW_PER_W * grid_z(i);
  }
}

/* Grid and quantiles both rise, so one walk along both finds every cell. The outermost cells serve what lies beyond. */
static void tabulate_quantiles(const marginal_quantiles *law, double *value_mw) {
  const double *probability = law->probabilities.data;
  const double *value_w = law->values_w.data;
  size_t cell = 0;
  double left = fw_normal_quantile(probability[0]);
  double right = fw_normal_quantile(probability[1]);
  for (size_t i = 0; i < FW_MARGINAL_POINTS; i++) {
    const double z = grid_z(i);
    while (z > right && cell + 2 < law->values_w.count) {
      cell++;
      left = right;
      right = fw_normal_quantile(probability[cell + 1]);
    }
    const double share = (z - left) / (right - left);
    value_mw[i] = (value_w[cell] + share * (value_w[cell + 1] - value_w[cell])) * (double)FW_MW_PER_W;
  }
}

static double normal_density(double z) {
  return fw_exp(-0.5 * z * z) / sqrt(2.0 * 3.14159265358979323846);
}

/* Mean of the piecewise linear table under the standard normal, cell by cell without error: of a line v + s (z - l),
 * the integral over [l, r] is (v - s l) (Phi(r) - Phi(l)) + s (phi(l) - phi(r)). */
static double table_mean_mw(const double *value_mw) {
  double sum = 0.0;
  double left_cdf = fw_normal_cdf(grid_z(0));
  double left_density = normal_density(grid_z(0));
  for (size_t i = 0; i + 1 < FW_MARGINAL_POINTS; i++) {
    const double right_cdf = fw_normal_cdf(grid_z(i + 1));
    const double right_density = normal_density(grid_z(i + 1));
    const double slope = (value_mw[i + 1] - value_mw[i]) * FW_MARGINAL_PER_UNIT;
    sum += (value_mw[i] - slope * grid_z(i)) * (right_cdf - left_cdf) + slope * (left_density - right_density);
    left_cdf = right_cdf;
    left_density = right_density;
  }
  return sum;
}

static bool is_law(const fw_variant *marginal, const fw_record *record) {
  return marginal->which != NULL && marginal->which->record == record;
}

double fw_marginal_mean_w(const fw_variant *marginal) {
  if (!is_law(marginal, &quantiles_record)) return 0.0;
  double value_mw[FW_MARGINAL_POINTS];
  tabulate_quantiles(marginal->value, value_mw);
  return table_mean_mw(value_mw) / (double)FW_MW_PER_W;
}

void fw_marginal_prepare(const fw_variant *marginal, fw_marginal_table *out) {
  *out = (fw_marginal_table){.zero = true};
  if (is_law(marginal, &gaussian_record)) {
    out->zero = false;
    tabulate_gaussian(marginal->value, out->value_mw);
  } else if (is_law(marginal, &quantiles_record)) {
    out->zero = false;
    tabulate_quantiles(marginal->value, out->value_mw);
    const double mean_mw = table_mean_mw(out->value_mw);
    for (size_t i = 0; i < FW_MARGINAL_POINTS; i++)
      out->value_mw[i] -= mean_mw;
  }
}

static fw_status check_probabilities(const fw_array *probabilities, const fw_json_value *place,
                                     fw_diagnostics *diagnostics) {
  const double *p = probabilities->data;
  for (size_t i = 0; i < probabilities->count; i++) {
    if (p[i] > 0.0 && p[i] < 1.0) continue;
    return fw_json_error(place, diagnostics, "must lie above 0 and below 1; entry %zu does not", i);
  }
  for (size_t i = 1; i < probabilities->count; i++) {
    if (fw_normal_quantile(p[i]) - fw_normal_quantile(p[i - 1]) >= SPACING_MIN) continue;
    return fw_json_error(place, diagnostics, "must rise from each entry to the next; entry %zu does not", i);
  }
  return FW_OK;
}

static fw_status check_values(const fw_array *values, size_t count, const fw_json_value *place,
                              fw_diagnostics *diagnostics) {
  if (values->count != count) {
    return fw_json_error(place, diagnostics, "has %zu entries, \"probabilities\" has %zu; give one for each",
                         values->count, count);
  }
  const double *value_w = values->data;
  for (size_t i = 1; i < count; i++) {
    if (value_w[i] >= value_w[i - 1]) continue;
    return fw_json_error(place, diagnostics, "must never fall; entry %zu is below the one before", i);
  }
  return FW_OK;
}

static void warn_of_mean(const fw_variant *marginal, const fw_json_value *value, fw_diagnostics *diagnostics) {
  const double mean_w = fw_marginal_mean_w(marginal);
  if (fabs(mean_w) <= 1.0) return;
  char path[FW_JSON_PATH_SIZE];
  char number[FW_NUMBER_TEXT_SIZE];
  fw_warning(diagnostics, fw_json_place(value, path),
             "the law has a mean of %s W and is shifted to 0; the level should hold this mean",
             fw_number_format(mean_w, 3, number));
}

fw_status fwi_marginal_check(const fw_variant *marginal, const fw_json_value *value, fw_diagnostics *diagnostics) {
  if (!is_law(marginal, &quantiles_record)) return FW_OK;
  const marginal_quantiles *law = marginal->value;
  const fw_status probabilities =
      check_probabilities(&law->probabilities, fw_record_member(value, "probabilities"), diagnostics);
  const fw_status values =
      check_values(&law->values_w, law->probabilities.count, fw_record_member(value, "values_w"), diagnostics);
  const fw_status status = fwi_worse(probabilities, values);
  if (status == FW_OK) warn_of_mean(marginal, value, diagnostics);
  return status;
}

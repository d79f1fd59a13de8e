/* Marginal tables against an interpolation of their own in the test and quadrature with GSL's normal law. */
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "models/residual.h"
#include "tests/unit/model_text.h"

enum { COUNT = 5 };
static const double probability[COUNT] = {0.01, 0.1, 0.5, 0.9, 0.99};
static const double value_w[COUNT] = {-60, -30, -2, 33, 66};
static const char heavy[] = "{\"kind\": \"quantiles\", \"probabilities\": [0.01, 0.1, 0.5, 0.9, 0.99],"
                            " \"values_w\": [-60, -30, -2, 33, 66]}";

static fw_marginal_table prepared(const char *json) {
  fw_variant law = decode_law(fw_marginal_cases, json);
  fw_marginal_table table;
  fw_marginal_prepare(&law, &table);
  fw_variant_clear(&law);
  return table;
}

static double law_w(double z) {
  size_t cell = 0;
  while (cell + 2 < COUNT && z > gsl_cdf_ugaussian_Pinv(probability[cell + 1]))
    cell++;
  const double left = gsl_cdf_ugaussian_Pinv(probability[cell]);
  const double right = gsl_cdf_ugaussian_Pinv(probability[cell + 1]);
  return value_w[cell] + (value_w[cell + 1] - value_w[cell]) * (z - left) / (right - left);
}

/* The trapezoid rule on (-6.4, 6.4); with this step its error on a piecewise linear law is below 1e-6 of its slope. */
static double normal_mean(double (*function)(double z, const void *context), const void *context) {
  enum { STEPS = 64000 };
  const double step = 12.8 / STEPS;
  double sum = 0.0;
  for (int i = 0; i <= STEPS; i++) {
    const double z = -6.4 + step * i;
    sum += function(z, context) * gsl_ran_ugaussian_pdf(z) * step;
  }
  return sum;
}

static double law_at(double z, const void *context) {
  (void)context;
  return law_w(z);
}

static double table_at(double z, const void *table) {
  return fw_marginal_mw(table, z);
}

static double table_square_at(double z, const void *table) {
  return fw_marginal_mw(table, z) * fw_marginal_mw(table, z);
}

Test(marginal, none_and_a_law_left_out_are_zero) {
  const fw_marginal_table none = prepared("{\"kind\": \"none\"}");
  const fw_variant left_out = {NULL, NULL};
  fw_marginal_table table;
  fw_marginal_prepare(&left_out, &table);
  cr_assert(none.zero && table.zero);
  cr_assert_eq(fw_marginal_mw(&none, 3.21), 0.0);
  cr_assert_eq(fw_marginal_mw(&table, -6.4), 0.0);
  cr_assert_eq(fw_marginal_mean_w(&left_out), 0.0);
}

Test(marginal, gaussian_is_linear) {
  const fw_marginal_table table = prepared("{\"kind\": \"gaussian\", \"sigma_w\": 42.5}");
  cr_assert_not(table.zero);
  for (int i = -6400; i <= 6400; i++) {
    const double z = i / 1000.0;
    /* The position on the grid is rounded once at up to 1041 points, 80 of them per unit of z. */
    const double tolerance = 42500.0 * (1041.0 / 80.0 + 6.4) * 4.0 * DBL_EPSILON;
    cr_assert_float_eq(fw_marginal_mw(&table, z), 42500.0 * z, tolerance, "at %g", z);
  }
}

Test(marginal, quantiles_are_interpolated_in_z) {
  const fw_marginal_table table = prepared(heavy);
  const double mean_w = normal_mean(law_at, NULL);
  for (int i = -6400; i <= 6400; i += 7) {
    const double z = i / 1000.0;
    /* Exact but in the cells of the grid that hold a corner, where it may be off by a quarter of the change of slope
     * over one cell: 7 W per unit of z at most here, so 7000 / 80 / 4 mW. */
    cr_assert_float_eq(fw_marginal_mw(&table, z), 1000.0 * (law_w(z) - mean_w), 22.0, "at %g", z);
  }
}

Test(marginal, outermost_slopes_go_on) {
  const fw_marginal_table table = prepared(heavy);
  const double slope = 33000.0 / (gsl_cdf_ugaussian_Pinv(0.99) - gsl_cdf_ugaussian_Pinv(0.9));
  cr_assert_float_eq(fw_marginal_mw(&table, 6.4) - fw_marginal_mw(&table, 3.0), slope * 3.4, 1e-6);
  const double low = 30000.0 / (gsl_cdf_ugaussian_Pinv(0.1) - gsl_cdf_ugaussian_Pinv(0.01));
  cr_assert_float_eq(fw_marginal_mw(&table, -3.0) - fw_marginal_mw(&table, -6.4), low * 3.4, 1e-6);
}

Test(marginal, the_mean_of_a_table_is_zero) {
  const fw_marginal_table table = prepared(heavy);
  /* The quadrature's own error, 1e-6 of a slope of 26 W per unit, and 2e-10 of tail that it leaves out. */
  cr_assert_float_eq(normal_mean(table_at, &table), 0.0, 0.05);
}

Test(marginal, the_mean_of_a_law_is_told) {
  fw_variant law = decode_law(fw_marginal_cases, heavy);
  cr_assert_float_eq(fw_marginal_mean_w(&law), normal_mean(law_at, NULL), 1e-3); /* corners inside cells of the grid */
  fw_variant_clear(&law);
}

/* Quantiles of a normal law give that law back. */
Test(marginal, quantiles_of_a_gaussian_are_a_gaussian) {
  fw_text json = FW_TEXT_INIT;
  fw_text_add(&json, "{\"kind\": \"quantiles\", \"probabilities\": [0.001, 0.2, 0.5, 0.75, 0.999], \"values_w\": [");
  const double p[] = {0.001, 0.2, 0.5, 0.75, 0.999};
  for (size_t i = 0; i < 5; i++) {
    fw_text_add(&json, i == 0 ? "" : ", ");
    fw_text_add_number(&json, 5.0 + 20.0 * gsl_cdf_ugaussian_Pinv(p[i]), 17);
  }
  fw_text_add(&json, "]}");
  const fw_marginal_table table = prepared(json.data);
  fw_text_clear(&json);
  for (int i = -64; i <= 64; i++) {
    const double z = i / 10.0;
    cr_assert_float_eq(fw_marginal_mw(&table, z), 20000.0 * z, 1e-6); /* 1e-10 of the law: GSL's own error in Pinv */
  }
  cr_assert_float_eq(sqrt(normal_mean(table_square_at, &table)), 20000.0, 0.01);
}

Test(marginal, tables_never_fall) {
  const fw_marginal_table table = prepared(heavy);
  for (size_t i = 1; i < FW_MARGINAL_POINTS; i++) {
    cr_assert_geq(table.value_mw[i], table.value_mw[i - 1]);
  }
}

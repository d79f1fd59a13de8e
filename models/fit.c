/* Least squares of a line, from centred sums; sample quantiles; roots by Brent's method ("Algorithms for Minimization
 * without Derivatives", 1973, ch. 4) as GSL has it. */
#include "models/fit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

double fw_fit_mean(const double *values, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += values[i];
  return sum / (double)count;
}

double fw_fit_sigma(const double *values, size_t count) {
  const double mean = fw_fit_mean(values, count);
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += (values[i] - mean) * (values[i] - mean);
  return sqrt(sum / (double)count);
}

double fw_fit_quantile(const double *sorted, size_t count, double probability) {
  const double position = probability * (double)(count + 1) - 1.0;
  if (position <= 0.0) return sorted[0];
  const size_t below = (size_t)position;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

fw_line fw_fit_line(const double *x, const double *y, size_t count) {
  const double mean_x = fw_fit_mean(x, count);
  const double mean_y = fw_fit_mean(y, count);
  double square = 0.0;
  double product = 0.0;
  for (size_t i = 0; i < count; i++) {
    square += (x[i] - mean_x) * (x[i] - mean_x);
    product += (x[i] - mean_x) * (y[i] - mean_y);
  }
  fw_line line = {.slope = square > 0.0 ? product / square : 0.0};
  line.intercept = mean_y - line.slope * mean_x;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    const double distance = y[i] - line.intercept - line.slope * x[i];
    sum += distance * distance;
  }
  line.rms = sqrt(sum / (double)count);
  return line;
}

/* GSL's solver takes a function of a mutable context. */
typedef struct root_call {
  fw_fit_function function;
  const void *context;
} root_call;

static double call(double x, void *parameters) {
  const root_call *root = parameters;
  return root->function(x, root->context);
}

/* Ends when the bracket has shrunk to 13 digits; Brent's method needs far fewer steps than it is given. */
static bool iterate(gsl_root_fsolver *solver) {
  enum { STEPS_MAX = 200 };
  for (int step = 0; step < STEPS_MAX; step++) {
    if (gsl_root_fsolver_iterate(solver) != GSL_SUCCESS) return false;
    const double low = gsl_root_fsolver_x_lower(solver);
    const double high = gsl_root_fsolver_x_upper(solver);
    if (gsl_root_test_interval(low, high, 0.0, 1e-13) == GSL_SUCCESS) return true;
  }
  return false;
}

static fw_status no_root(const char *what, double low, double high, fw_diagnostics *diagnostics) {
  char low_text[FW_NUMBER_TEXT_SIZE];
  char high_text[FW_NUMBER_TEXT_SIZE];
  return fw_error(diagnostics, FW_ERROR_FAULT, (fw_place){0},
                  "no value of %s between %s and %s gives the figures; check those it is fitted to", what,
                  fw_number_format(low, 6, low_text), fw_number_format(high, 6, high_text));
}

fw_status fw_fit_root(fw_fit_function function, const void *context, double low, double high, const char *what,
                      double *root, fw_diagnostics *diagnostics) {
  const double at_low = function(low, context);
  const double at_high = function(high, context);
  if (!((at_low <= 0.0 && at_high >= 0.0) || (at_low >= 0.0 && at_high <= 0.0))) {
    return no_root(what, low, high, diagnostics);
  }
  gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  if (solver == NULL) return fw_error_memory(diagnostics, "a root solver");
  root_call parameters = {function, context};
  gsl_function wrapped = {.function = call, .params = &parameters};
  const bool found = gsl_root_fsolver_set(solver, &wrapped, low, high) == GSL_SUCCESS && iterate(solver);
  *root = gsl_root_fsolver_root(solver);
  gsl_root_fsolver_free(solver);
  return found ? FW_OK : no_root(what, low, high, diagnostics);
}

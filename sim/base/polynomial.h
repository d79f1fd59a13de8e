/* Polynomials as rows of coefficients, highest power first. Shared by the files of this folder. */
#ifndef FW_BASE_POLYNOMIAL_H
#define FW_BASE_POLYNOMIAL_H

#include <stddef.h>

/* Horner's rule. Inlined with a constant `count`, it unrolls. */
static inline double fwi_polynomial(const double *coefficients, size_t count, double x) {
  double value = coefficients[0];
  for (size_t i = 1; i < count; i++)
    value = value * x + coefficients[i];
  return value;
}

#define FWI_POLYNOMIAL(row, x) fwi_polynomial(row, sizeof(row) / sizeof(row)[0], x)

#endif

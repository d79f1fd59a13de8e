#include "sim/base/sort.h"

#include <stdlib.h>

static int compare_numbers(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

void fw_sort_numbers(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare_numbers);
}

/* Inside policies/ppo: the one matrix product that networks are made of.
 *
 * C(m, n) = start(m, n) + sum over k of A(m, k) B(k, n), k rising, for each element one addition after the other, so
 * that neither the blocking nor the number of rows shows in the bits. A is read through two strides, so the same code
 * multiplies by a transposed matrix; n runs along SIMD rows. A tile of C stays in registers while k runs. */
#ifndef FW_POLICIES_PPO_PRODUCT_H
#define FW_POLICIES_PPO_PRODUCT_H

#include <stddef.h>

#include "policies/ppo/real.h"

typedef struct fwi_product {
  const fwi_real *a;
  size_t a_row, a_depth; /* strides of A along m and k */
  const fwi_real *b;
  size_t b_depth;        /* stride of B along k */
  const fwi_real *start; /* NULL: zero */
  size_t start_row;      /* its stride along m; 0: the same row for all */
  fwi_real *c;
  size_t c_row;
  size_t rows, depth, columns; /* of m, k and n; columns is a multiple of FWI_LANES */
} fwi_product;

/* `height` x `width` rows of C from (m, n) on. Both are constants where this is inlined. */
static FWI_INLINED void fwi_product_tile(const fwi_product *p, size_t m, size_t n, size_t height, size_t width) {
  fwi_row sum[8][2];
  for (size_t i = 0; i < height; i++) {
    for (size_t j = 0; j < width; j++) {
      const size_t at = (m + i) * p->start_row + n + j * FWI_LANES;
      sum[i][j] = p->start == NULL ? (fwi_row){0} : *(const fwi_row *)&p->start[at];
    }
  }
  const fwi_real *a = p->a + m * p->a_row, *b = p->b + n;
  for (size_t k = 0; k < p->depth; k++) {
    for (size_t i = 0; i < height; i++) {
      for (size_t j = 0; j < width; j++)
        sum[i][j] += a[i * p->a_row] * *(const fwi_row *)&b[j * FWI_LANES];
    }
    a += p->a_depth;
    b += p->b_depth;
  }
  for (size_t i = 0; i < height; i++) {
    for (size_t j = 0; j < width; j++)
      *(fwi_row *)&p->c[(m + i) * p->c_row + n + j * FWI_LANES] = sum[i][j];
  }
}

static FWI_INLINED void fwi_product_run(const fwi_product *p) {
  size_t n = 0;
  for (; n + 2 * FWI_LANES <= p->columns; n += 2 * FWI_LANES) {
    size_t m = 0;
    for (; m + 6 <= p->rows; m += 6)
      fwi_product_tile(p, m, n, 6, 2);
    for (; m + 4 <= p->rows; m += 4)
      fwi_product_tile(p, m, n, 4, 2);
    for (; m < p->rows; m++)
      fwi_product_tile(p, m, n, 1, 2);
  }
  for (; n < p->columns; n += FWI_LANES) {
    size_t m = 0;
    for (; m + 8 <= p->rows; m += 8)
      fwi_product_tile(p, m, n, 8, 1);
    for (; m < p->rows; m++)
      fwi_product_tile(p, m, n, 1, 1);
  }
}

#endif

/* Inside policies/ppo: a network of two hidden layers of equal width with tanh, on a block of rows at once.
 *
 *   h1 = tanh(x W1 + b1), h2 = tanh(h1 W2 + b2), y = h2 W3 + b3
 *
 * Its parameters lie in one array of numbers, W1 b1 W2 b2 W3 b3, each matrix input by output; the outputs are padded
 * with zeros to whole SIMD rows, which stay zero because their gradient is. */
#ifndef FW_POLICIES_PPO_NETWORK_H
#define FW_POLICIES_PPO_NETWORK_H

#include <stddef.h>

#include "policies/ppo/environment.h"
#include "policies/ppo/real.h"

enum {
  FWI_BLOCK = 64,      /* most rows of a block: activations of the usual width stay in the first cache */
  FWI_UNITS_MOST = 128 /* a multiple of FWI_LANES, like every width that is offered */
};

typedef struct fwi_network {
  size_t inputs, units, outputs;
  size_t padded; /* outputs in whole SIMD rows */
} fwi_network;

/* Where each matrix and bias begins among a network's parameters; `count` is behind the last. */
typedef struct fwi_network_places {
  size_t w1, b1, w2, b2, w3, b3, count;
} fwi_network_places;

/* What a forward pass leaves. */
typedef struct fwi_activations {
  fwi_real h1[FWI_BLOCK * FWI_UNITS_MOST];
  fwi_real h2[FWI_BLOCK * FWI_UNITS_MOST];
  fwi_real out[FWI_BLOCK * FW_PPO_HEADS * FW_PPO_CHOICES]; /* `padded` to a row */
} fwi_activations;

fwi_network fwi_network_make(size_t inputs, size_t units, size_t outputs);
fwi_network_places fwi_network_place(const fwi_network *network);

/* The outputs for `rows` (at most FWI_BLOCK) rows of `inputs` numbers each. */
void fwi_network_forward(const fwi_network *network, const fwi_real *parameters, const fwi_real *x, size_t rows,
                         fwi_activations *activations);

/* W2 and W3 transposed, as the backward pass wants them: fwi_network_transposed_count numbers. */
size_t fwi_network_transposed_count(const fwi_network *network);
void fwi_network_transpose(const fwi_network *network, const fwi_real *parameters, fwi_real *transposed);

/* Adds to `gradient` what the rows of a forward pass contribute, given the derivative by each output in `d_out`. The
 * hidden activations are used up. */
void fwi_network_backward(const fwi_network *network, const fwi_real *transposed, const fwi_real *x, size_t rows,
                          const fwi_real *d_out, fwi_activations *activations, fwi_real *gradient);

#endif

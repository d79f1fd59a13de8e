#include "policies/ppo/network.h"

#include "policies/ppo/product.h"

fwi_network fwi_network_make(size_t inputs, size_t units, size_t outputs) {
  return (fwi_network){.inputs = inputs, .units = units, .outputs = outputs, .padded = fwi_whole_rows(outputs)};
}

fwi_network_places fwi_network_place(const fwi_network *network) {
  fwi_network_places places = {0};
  places.b1 = places.w1 + network->inputs * network->units;
  places.w2 = places.b1 + network->units;
  places.b2 = places.w2 + network->units * network->units;
  places.w3 = places.b2 + network->units;
  places.b3 = places.w3 + network->units * network->padded;
  places.count = places.b3 + network->padded;
  return places;
}

/* --- forward --- */

/* c = bias + a W, `rows` x `outputs`. */
static FWI_INLINED void affine(const fwi_real *a, size_t inputs, const fwi_real *w, const fwi_real *bias,
                               size_t outputs, size_t rows, fwi_real *c) {
  fwi_product product = {.a = a,
                         .a_row = inputs,
                         .a_depth = 1,
                         .b = w,
                         .b_depth = outputs,
                         .start = bias,
                         .c = c,
                         .c_row = outputs,
                         .rows = rows,
                         .depth = inputs,
                         .columns = outputs};
  fwi_product_run(&product);
}

static FWI_INLINED void squash(fwi_real *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    values[i] = fwi_tanh(values[i]);
}

static FWI_INLINED void fwi_network_forward_body(const fwi_network *network, const fwi_real *parameters,
                                                 const fwi_real *x, size_t rows, fwi_activations *activations) {
  const fwi_network_places at = fwi_network_place(network);
  const size_t units = network->units;
  affine(x, network->inputs, parameters + at.w1, parameters + at.b1, units, rows, activations->h1);
  squash(activations->h1, rows * units);
  affine(activations->h1, units, parameters + at.w2, parameters + at.b2, units, rows, activations->h2);
  squash(activations->h2, rows * units);
  affine(activations->h2, units, parameters + at.w3, parameters + at.b3, network->padded, rows, activations->out);
}

FWI_BOTH_WAYS(fwi_network_forward,
              (const fwi_network *network, const fwi_real *parameters, const fwi_real *x, size_t rows,
               fwi_activations *activations),
              (network, parameters, x, rows, activations))

/* --- backward --- */

static size_t transposed_w3(const fwi_network *network) {
  return network->units * network->units;
}

size_t fwi_network_transposed_count(const fwi_network *network) {
  return transposed_w3(network) + network->outputs * network->units;
}

/* `rows` x `columns` of a matrix whose rows are `stride` numbers apart, turned. */
static void transpose(const fwi_real *from, size_t rows, size_t columns, size_t stride, fwi_real *to) {
  for (size_t column = 0; column < columns; column++) {
    for (size_t row = 0; row < rows; row++)
      to[column * rows + row] = from[row * stride + column];
  }
}

void fwi_network_transpose(const fwi_network *network, const fwi_real *parameters, fwi_real *transposed) {
  const fwi_network_places at = fwi_network_place(network);
  const size_t units = network->units;
  transpose(parameters + at.w2, units, units, units, transposed);
  transpose(parameters + at.w3, units, network->outputs, network->padded, transposed + transposed_w3(network));
}

/* What a layer y = a W + b adds to the gradients of W and b. */
static FWI_INLINED void add_layer_gradient(const fwi_real *a, size_t inputs, const fwi_real *d_y, size_t outputs,
                                           size_t rows, fwi_real *d_w, fwi_real *d_bias) {
  fwi_product product = {.a = a,
                         .a_row = 1,
                         .a_depth = inputs,
                         .b = d_y,
                         .b_depth = outputs,
                         .start = d_w,
                         .start_row = outputs,
                         .c = d_w,
                         .c_row = outputs,
                         .rows = inputs,
                         .depth = rows,
                         .columns = outputs};
  fwi_product_run(&product);
  for (size_t row = 0; row < rows; row++) {
    for (size_t n = 0; n < outputs; n += FWI_LANES)
      *(fwi_row *)&d_bias[n] += *(const fwi_row *)&d_y[row * outputs + n];
  }
}

/* d_z = d_y W^T (1 - h^2) for h = tanh(z). `outputs` of the `d_row` numbers in a row of d_y count. */
static FWI_INLINED void through_layer(const fwi_real *d_y, size_t outputs, size_t d_row, const fwi_real *w_transposed,
                                      const fwi_real *h, size_t units, size_t rows, fwi_real *d_z) {
  fwi_product product = {.a = d_y,
                         .a_row = d_row,
                         .a_depth = 1,
                         .b = w_transposed,
                         .b_depth = units,
                         .c = d_z,
                         .c_row = units,
                         .rows = rows,
                         .depth = outputs,
                         .columns = units};
  fwi_product_run(&product);
  for (size_t i = 0; i < rows * units; i += FWI_LANES) {
    fwi_row squashed = *(const fwi_row *)&h[i];
    *(fwi_row *)&d_z[i] *= (fwi_real)1 - squashed * squashed;
  }
}

static FWI_INLINED void fwi_network_backward_body(const fwi_network *network, const fwi_real *transposed,
                                                  const fwi_real *x, size_t rows, const fwi_real *d_out,
                                                  fwi_activations *activations, fwi_real *gradient) {
  const fwi_network_places at = fwi_network_place(network);
  const size_t units = network->units, padded = network->padded;
  fwi_real d_z[FWI_BLOCK * FWI_UNITS_MOST];
  add_layer_gradient(activations->h2, units, d_out, padded, rows, gradient + at.w3, gradient + at.b3);
  through_layer(d_out, network->outputs, padded, transposed + transposed_w3(network), activations->h2, units, rows,
                d_z);
  add_layer_gradient(activations->h1, units, d_z, units, rows, gradient + at.w2, gradient + at.b2);
  through_layer(d_z, units, units, transposed, activations->h1, units, rows, activations->h2);
  add_layer_gradient(x, network->inputs, activations->h2, units, rows, gradient + at.w1, gradient + at.b1);
}

FWI_BOTH_WAYS(fwi_network_backward,
              (const fwi_network *network, const fwi_real *transposed, const fwi_real *x, size_t rows,
               const fwi_real *d_out, fwi_activations *activations, fwi_real *gradient),
              (network, transposed, x, rows, d_out, activations, gradient))

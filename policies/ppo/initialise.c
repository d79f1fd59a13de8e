/* Orthogonal matrices for networks to start from. */
#include <math.h>

#include "policies/ppo/weights.h"
#include "sim/base/random.h"

enum { LAYERS = 3, LONGEST = FW_PPO_OBSERVATIONS };

/* One matrix: `count` vectors of `length` >= count numbers, number i of vector v at weights[v x along + i x across]. */
typedef struct vectors {
  float *weights;
  size_t count, length;
  size_t along, across;
} vectors;

static double dot(const double *a, const double *b, size_t length) {
  double sum = 0.0;
  for (size_t i = 0; i < length; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Modified Gram-Schmidt on normal numbers, whose directions favour none. */
static void orthogonalise(const vectors *matrix, fw_stream stream, double gain) {
  double current[LONGEST], earlier[LONGEST];
  for (size_t v = 0; v < matrix->count; v++) {
    fw_random_normals(stream, v * LONGEST, matrix->length, current);
    for (size_t u = 0; u < v; u++) {
      for (size_t i = 0; i < matrix->length; i++)
        earlier[i] = (double)matrix->weights[u * matrix->along + i * matrix->across] / gain;
      const double share = dot(current, earlier, matrix->length) / dot(earlier, earlier, matrix->length);
      for (size_t i = 0; i < matrix->length; i++)
        current[i] -= share * earlier[i];
    }
    const double scale = gain / sqrt(dot(current, current, matrix->length));
    for (size_t i = 0; i < matrix->length; i++)
      matrix->weights[v * matrix->along + i * matrix->across] = (float)(current[i] * scale);
  }
}

/* A matrix of `rows` x `columns`, its rows `stride` apart: its rows are orthogonal or, where they are too many, its
 * columns. */
static void fill(float *weights, size_t rows, size_t columns, size_t stride, fw_stream stream, double gain) {
  const vectors by_row = {.weights = weights, .count = rows, .length = columns, .along = stride, .across = 1};
  const vectors by_column = {.weights = weights, .count = columns, .length = rows, .along = 1, .across = stride};
  orthogonalise(rows <= columns ? &by_row : &by_column, stream, gain);
}

void fwi_weights_initialise(fwi_weights *weights, uint64_t seed) {
  const fwi_model *model = &weights->model;
  for (uint32_t n = 0; n < model->network_count; n++) {
    const fwi_network *network = &model->network[n];
    const fwi_network_places at = fwi_network_place(network);
    float *parameters = weights->parameters + model->at[n];
    const size_t units = network->units;
    const double last = n == 0 ? 0.01 : 1.0;
    const fw_stream stream[LAYERS] = {fw_stream_make(seed, FW_DRAW_PPO_WEIGHT, n * LAYERS),
                                      fw_stream_make(seed, FW_DRAW_PPO_WEIGHT, n * LAYERS + 1),
                                      fw_stream_make(seed, FW_DRAW_PPO_WEIGHT, n * LAYERS + 2)};
    fill(parameters + at.w1, network->inputs, units, units, stream[0], sqrt(2.0));
    fill(parameters + at.w2, units, units, units, stream[1], sqrt(2.0));
    fill(parameters + at.w3, units, network->outputs, network->padded, stream[2], last);
  }
}

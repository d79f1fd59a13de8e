#include "policies/ppo/gradient.h"

#include <string.h>

void fwi_step_transpose(const fwi_model *model, const fwi_real *parameters, fwi_real *transposed) {
  for (size_t n = 0; n < model->network_count; n++)
    fwi_network_transpose(&model->network[n], parameters + model->at[n], transposed + model->transposed_at[n]);
}

static void gather(const fwi_step *step, const fwi_batch *batch, const uint32_t *index, size_t rows,
                   fwi_gradient_space *space) {
  const fwi_heads *heads = &step->model->heads;
  const size_t inputs = step->model->network[0].inputs;
  fwi_decisions *to = &space->decisions;
  for (size_t row = 0; row < rows; row++) {
    const size_t from = index[row];
    memcpy(space->x + row * inputs, batch->x + from * inputs, inputs * sizeof *batch->x);
    memcpy(to->mask[row], batch->mask + from * heads->logits, heads->logits);
    memcpy(to->choices[row], batch->choices + from * heads->count, heads->count * sizeof *batch->choices);
    to->log_probability[row] = batch->log_probability[from];
    to->advantage[row] = (batch->advantage[from] - step->advantage_mean) * step->advantage_scale;
    for (size_t c = 0; c < step->model->critic_count; c++) {
      to->value[c][row] = batch->value[c][from];
      to->target[c][row] = batch->target[c][from];
    }
  }
}

static void add_block(const fwi_step *step, size_t rows, fwi_gradient_space *space, fwi_real *gradient,
                      fwi_losses *sums) {
  const fwi_model *model = step->model;
  for (size_t n = 0; n < model->network_count; n++) {
    const fwi_network *network = &model->network[n];
    fwi_real *out = space->activations.out;
    fwi_network_forward(network, step->parameters + model->at[n], space->x, rows, &space->activations);
    if (n == 0) {
      fwi_policy_loss(&model->heads, &step->objective, &space->decisions, rows, network->padded, step->weight, out,
                      sums);
    } else {
      fwi_value_loss(&step->objective, &space->decisions, n - 1, rows, network->padded, step->weight, out, sums);
    }
    fwi_network_backward(network, step->transposed + model->transposed_at[n], space->x, rows, out, &space->activations,
                         gradient + model->at[n]);
  }
}

void fwi_step_gradient(const fwi_step *step, const fwi_batch *batch, const uint32_t *index, size_t count,
                       fwi_gradient_space *space, fwi_real *gradient, fwi_losses *sums) {
  for (size_t done = 0; done < count; done += FWI_BLOCK) {
    const size_t rows = count - done < FWI_BLOCK ? count - done : FWI_BLOCK;
    gather(step, batch, index + done, rows, space);
    add_block(step, rows, space, gradient, sums);
  }
}

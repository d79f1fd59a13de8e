/* The gradient of the trainer's objective against central differences of the objective itself, in double precision: the
 * very sources that train in single precision, compiled once more here. Every parameter of every network is checked, so
 * every head, mask and critic. */
#define FWI_PPO_DOUBLE
#include "policies/ppo/gradient.c"
#include "policies/ppo/loss.c"
#include "policies/ppo/network.c"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/random.h"

enum { ROWS = 67, INPUTS = 7, CRITICS = 2 }; /* neither whole blocks nor whole tiles */

static const fw_ppo_space space = {.observation_size = INPUTS, .head_count = 3, .head_size = {4, 1, 9}};

typedef struct problem {
  fwi_model model;
  fwi_batch batch;
  fwi_step step;
  uint32_t index[ROWS];
  size_t count;
  double *parameters, *transposed, *gradient;
  fwi_gradient_space *space;
  double logits[ROWS][16]; /* the networks' outputs at the present parameters */
  double values[ROWS][CRITICS];
} problem;

static double uniform(uint32_t what, size_t i, double low, double high) {
  return low + (high - low) * fw_random_uniform(fw_stream_make(7, FW_DRAW_TEST, what), i, 0);
}

/* Brings a network's outputs up to date. */
static void look(problem *p, size_t n) {
  for (size_t row = 0; row < ROWS; row++) {
    fwi_network_forward(&p->model.network[n], p->parameters + p->model.at[n], p->batch.x + row * INPUTS, 1,
                        &p->space->activations);
    if (n == 0) {
      memcpy(p->logits[row], p->space->activations.out, p->model.heads.logits * sizeof(double));
    } else {
      p->values[row][n - 1] = p->space->activations.out[0];
    }
  }
}

static double log_probability(const problem *p, size_t row) {
  const double *logits = p->logits[row];
  double sum = 0.0;
  size_t at = 0;
  for (size_t h = 0; h < space.head_count; h++) {
    double total = 0.0;
    for (size_t k = 0; k < space.head_size[h]; k++) {
      if (p->batch.mask[row * p->model.heads.logits + at + k]) total += exp(logits[at + k]);
    }
    sum += logits[at + p->batch.choices[row * space.head_count + h]] - log(total);
    at += space.head_size[h];
  }
  return sum;
}

static void make_mask_and_choices(problem *p, size_t row) {
  uint8_t *mask = p->batch.mask + row * p->model.heads.logits;
  size_t at = 0;
  for (size_t h = 0; h < space.head_count; h++) {
    const uint32_t size = space.head_size[h];
    const uint32_t choice = (uint32_t)uniform(1, row * 8 + h, 0.0, size);
    for (uint32_t k = 0; k < size; k++)
      mask[at + k] = k == choice || uniform(2, row * 64 + at + k, 0.0, 1.0) < 0.7;
    p->batch.choices[row * space.head_count + h] = choice;
    at += size;
  }
}

/* Old probabilities and values some way off the present ones, so that every case of both clips occurs. A row closer
 * than 1e-3 to where a clip begins is left out: the objective has a kink there, and differences straddle it. */
static void make_row(problem *p, size_t row, const fwi_objective *objective) {
  const double change = uniform(4, row, -0.6, 0.6);
  p->batch.log_probability[row] = log_probability(p, row) - change;
  p->batch.advantage[row] = uniform(5, row, -2.0, 2.0);
  bool near = fabs(fabs(exp(change) - 1.0) - objective->clip) < 1e-3;
  for (size_t c = 0; c < CRITICS; c++) {
    const double moved = uniform(6, row * CRITICS + c, -0.5, 0.5);
    const double target = p->values[row][c] + uniform(8, row * CRITICS + c, -1.0, 1.0);
    const double old = p->values[row][c] - moved;
    const double held = old + copysign(objective->value_clip, moved);
    p->batch.value[c][row] = old;
    p->batch.target[c][row] = target;
    near = near || fabs(fabs(moved) - objective->value_clip) < 1e-3;
    near = near || fabs(fabs(held - target) - fabs(p->values[row][c] - target)) < 1e-3;
  }
  if (!near) p->index[p->count++] = (uint32_t)row;
}

/* Any weights; the padding is zero, as it is from the start in training. */
static void fill(const fwi_network *network, size_t n, double *parameters) {
  const fwi_network_places at = fwi_network_place(network);
  for (size_t i = 0; i < at.count; i++) {
    const bool padding = i >= at.w3 && (i - at.w3) % network->padded >= network->outputs;
    parameters[i] = padding ? 0.0 : uniform(9, n << 32 | i, -0.3, 0.3);
  }
}

static void make(problem *p, fwi_objective objective) {
  *p = (problem){.model = fwi_model_make(&space, 32, CRITICS)};
  const size_t logits = p->model.heads.logits;
  p->parameters = fw_allocate(p->model.parameter_count, sizeof(double));
  p->gradient = fw_allocate(p->model.parameter_count, sizeof(double));
  p->transposed = fw_allocate(p->model.transposed_count, sizeof(double));
  p->space = fw_allocate(1, sizeof *p->space);
  p->batch = (fwi_batch){.x = fw_allocate(ROWS * INPUTS, sizeof(double)),
                         .mask = fw_allocate(ROWS, logits),
                         .choices = fw_allocate(ROWS * space.head_count, sizeof(uint32_t)),
                         .log_probability = fw_allocate(ROWS, sizeof(double)),
                         .advantage = fw_allocate(ROWS, sizeof(double))};
  for (size_t c = 0; c < CRITICS; c++) {
    p->batch.value[c] = fw_allocate(ROWS, sizeof(double));
    p->batch.target[c] = fw_allocate(ROWS, sizeof(double));
  }
  for (size_t n = 0; n < p->model.network_count; n++)
    fill(&p->model.network[n], n, p->parameters + p->model.at[n]);
  for (size_t i = 0; i < ROWS * INPUTS; i++)
    p->batch.x[i] = uniform(3, i, -2.0, 2.0);
  for (size_t n = 0; n < p->model.network_count; n++)
    look(p, n);
  for (size_t row = 0; row < ROWS; row++) {
    make_mask_and_choices(p, row);
    make_row(p, row, &objective);
  }
  p->step = (fwi_step){.model = &p->model,
                       .parameters = p->parameters,
                       .transposed = p->transposed,
                       .objective = objective,
                       .weight = 1.0 / (double)p->count,
                       .advantage_mean = 0.1,
                       .advantage_scale = 0.8};
}

static void discard(problem *p) {
  for (size_t c = 0; c < CRITICS; c++) {
    free(p->batch.value[c]);
    free(p->batch.target[c]);
  }
  free(p->batch.x);
  free(p->batch.mask);
  free(p->batch.choices);
  free(p->batch.log_probability);
  free(p->batch.advantage);
  free(p->parameters);
  free(p->transposed);
  free(p->gradient);
  free(p->space);
}

/* The objective, written out from its definition rather than read from the losses that the code keeps. */
static double objective_of(const problem *p) {
  const fwi_objective *o = &p->step.objective;
  double sum = 0.0;
  for (size_t i = 0; i < p->count; i++) {
    const size_t row = p->index[i];
    const double *logits = p->logits[row], *values = p->values[row];
    const double ratio = exp(log_probability(p, row) - p->batch.log_probability[row]);
    const double advantage = (p->batch.advantage[row] - p->step.advantage_mean) * p->step.advantage_scale;
    sum -= fmin(ratio * advantage, fmin(fmax(ratio, 1.0 - o->clip), 1.0 + o->clip) * advantage);
    size_t at = 0;
    for (size_t h = 0; h < space.head_count; at += space.head_size[h++]) {
      const uint8_t *mask = p->batch.mask + row * p->model.heads.logits + at;
      double total = 0.0;
      for (size_t k = 0; k < space.head_size[h]; k++)
        total += mask[k] ? exp(logits[at + k]) : 0.0;
      for (size_t k = 0; k < space.head_size[h]; k++) {
        const double probability = exp(logits[at + k]) / total;
        if (mask[k]) sum += o->entropy_weight * probability * log(probability);
      }
    }
    for (size_t c = 0; c < CRITICS; c++) {
      const double old = p->batch.value[c][row], target = p->batch.target[c][row];
      const double held = old + fmin(fmax(values[c] - old, -o->value_clip), o->value_clip);
      const double plain = (values[c] - target) * (values[c] - target);
      const double clipped = o->value_clip > 0.0 ? (held - target) * (held - target) : plain;
      sum += o->value_weight * 0.5 * fmax(plain, clipped);
    }
  }
  return sum / (double)p->count;
}

/* The objective's derivative by parameter i of network n: differences over one and two steps, combined so that the
 * error is of fourth order. With a step of 1e-5 it is below 1e-15; what is left is the rounding of an objective of size
 * 1, some 2e-11. */
static double difference_of(problem *p, size_t n, size_t i) {
  double *parameter = p->parameters + p->model.at[n] + i;
  const double h = 1e-5, kept = *parameter;
  double at[5];
  for (int step = -2; step <= 2; step++) {
    *parameter = kept + step * h;
    if (step != 0) look(p, n);
    at[step + 2] = step == 0 ? 0.0 : objective_of(p);
  }
  *parameter = kept;
  look(p, n);
  return (8.0 * (at[3] - at[1]) - (at[4] - at[0])) / (12.0 * h);
}

/* Relative error 1e-4 where a derivative is above 1e-6; the same absolute error below, which is five times what
 * rounding leaves of the differences. Returns whether it is above. */
static bool check_parameter(problem *p, size_t n, size_t i) {
  const double difference = difference_of(p, n, i), derivative = p->gradient[p->model.at[n] + i];
  const bool large = fabs(difference) > 1e-6;
  cr_assert_float_eq(derivative, difference, 1e-4 * (large ? fabs(difference) : 1e-6),
                     "network %zu, parameter %zu: %g by hand, %g by differences", n, i, derivative, difference);
  return large;
}

static void check(fwi_objective objective) {
  problem p;
  make(&p, objective);
  cr_assert_gt(p.count, ROWS * 9 / 10);
  fwi_losses sums = {0};
  fwi_step_transpose(&p.model, p.parameters, p.transposed);
  fwi_step_gradient(&p.step, &p.batch, p.index, p.count, p.space, p.gradient, &sums);
  double losses = sums.policy - objective.entropy_weight * sums.entropy;
  for (size_t c = 0; c < CRITICS; c++)
    losses += objective.value_weight * sums.value[c];
  cr_assert_float_eq(losses / (double)p.count, objective_of(&p), 1e-12); /* rounding of a hundred terms of size 1 */

  size_t large = 0;
  for (size_t n = 0; n < p.model.network_count; n++) {
    const size_t count = fwi_network_place(&p.model.network[n]).count;
    for (size_t i = 0; i < count; i++)
      large += check_parameter(&p, n, i);
  }
  cr_assert_gt(large, p.model.parameter_count / 2); /* the check is not about zeros */
  discard(&p);
}

Test(ppo_gradient, equals_differences) {
  check((fwi_objective){.clip = 0.2, .value_weight = 0.5, .entropy_weight = 0.01});
}

Test(ppo_gradient, equals_differences_with_clipped_values) {
  check((fwi_objective){.clip = 0.1, .value_clip = 0.2, .value_weight = 0.7, .entropy_weight = 0.5});
}

/* The trap of a clipped value loss: within its range the two candidates are equal but for rounding, and the derivative
 * must not depend on which of them rounding made larger. */
Test(ppo_gradient, value_within_the_clip_always_learns) {
  for (size_t i = 0; i < 10000; i++) {
    const double old = uniform(20, i, -1e3, 1e3), value = old + uniform(21, i, -0.2, 0.2);
    const double target = uniform(22, i, -1e3, 1e3);
    double loss;
    cr_assert_eq(value_slope(0.2, value, old, target, &loss), value - target);
  }
}

Test(ppo_gradient, forbidden_choices_and_padding_stay_put) {
  problem p;
  make(&p, (fwi_objective){.clip = 0.2, .value_weight = 0.5, .entropy_weight = 0.1});
  const size_t logits = p.model.heads.logits;
  for (size_t row = 0; row < ROWS; row++) /* the last choice of the last head, but for those who took it */
    p.batch.mask[row * logits + logits - 1] = p.batch.choices[row * 3 + 2] == 8;
  for (size_t i = 0; i < p.count;) { /* who are left out */
    if (p.batch.choices[p.index[i] * 3 + 2] == 8) {
      p.index[i] = p.index[--p.count];
    } else {
      i++;
    }
  }
  fwi_losses sums = {0};
  fwi_step_transpose(&p.model, p.parameters, p.transposed);
  fwi_step_gradient(&p.step, &p.batch, p.index, p.count, p.space, p.gradient, &sums);
  const fwi_network *actor = &p.model.network[0];
  const fwi_network_places at = fwi_network_place(actor);
  for (size_t i = 0; i < actor->units; i++) {
    for (size_t k = logits - 1; k < actor->padded; k++)
      cr_assert_eq(p.gradient[at.w3 + i * actor->padded + k], 0.0);
  }
  discard(&p);
}

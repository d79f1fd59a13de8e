#include "policies/ppo/update.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/random.h"

/* Never derived from the number of threads. Chunks are long, because each costs a gradient to be added up; a wave
 * bounds how many gradients there are at a time. */
enum { CHUNK = 256, WAVE = 16 };

fw_status fwi_updater_create(fwi_updater *updater, const fwi_model *model, size_t rows, size_t threads,
                             fw_diagnostics *diagnostics) {
  *updater = (fwi_updater){.model = model, .threads = threads};
  updater->transposed = fw_allocate(model->transposed_count, sizeof *updater->transposed);
  updater->gradient = fw_allocate(model->parameter_count, sizeof *updater->gradient);
  updater->chunk_gradients = fw_allocate(WAVE * model->parameter_count, sizeof *updater->chunk_gradients);
  updater->chunk_losses = fw_allocate(WAVE, sizeof *updater->chunk_losses);
  updater->order = fw_allocate(rows, sizeof *updater->order);
  updater->spaces = fw_allocate(threads, sizeof *updater->spaces);
  bool failed = updater->transposed == NULL || updater->gradient == NULL || updater->chunk_gradients == NULL ||
                updater->chunk_losses == NULL || updater->order == NULL || updater->spaces == NULL;
  for (size_t t = 0; t < threads && !failed; t++) {
    updater->spaces[t] = fw_allocate(1, sizeof *updater->spaces[t]);
    failed = updater->spaces[t] == NULL;
  }
  return failed ? fw_error_memory(diagnostics, "gradients") : FW_OK;
}

void fwi_updater_clear(fwi_updater *updater) {
  for (size_t t = 0; updater->spaces != NULL && t < updater->threads; t++)
    free(updater->spaces[t]);
  free(updater->spaces);
  free(updater->transposed);
  free(updater->gradient);
  free(updater->chunk_gradients);
  free(updater->chunk_losses);
  free(updater->order);
  *updater = (fwi_updater){0};
}

/* R. Fisher, F. Yates, in the form of R. Durstenfeld (Algorithm 235, CACM 7, 1964). */
static void shuffle(uint32_t *order, size_t rows, uint64_t seed, uint64_t iteration, uint64_t pass) {
  const fw_stream stream = fw_stream_make(seed, FW_DRAW_PPO_SHUFFLE, (uint32_t)pass);
  for (size_t i = 0; i < rows; i++)
    order[i] = (uint32_t)i;
  for (size_t i = rows; i > 1; i--) {
    const size_t other = (size_t)fw_random_below(stream, iteration * rows + i - 1, i);
    const uint32_t moved = order[i - 1];
    order[i - 1] = order[other];
    order[other] = moved;
  }
}

static void add_losses(fwi_losses *sum, const fwi_losses *more, double weight) {
  sum->policy += weight * more->policy;
  sum->entropy += weight * more->entropy;
  sum->kl += weight * more->kl;
  sum->clipped += weight * more->clipped;
  for (size_t c = 0; c < FWI_CRITICS; c++)
    sum->value[c] += weight * more->value[c];
}

/* Mean and deviation of a minibatch's advantages, so that they count as numbers of mean 0 and deviation 1. */
static void standardise(const fwi_rollout *rollout, const uint32_t *index, size_t count, fwi_step *step) {
  double sum = 0.0, squares = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += (double)rollout->batch.advantage[index[i]];
  const double mean = sum / (double)count;
  for (size_t i = 0; i < count; i++) {
    const double off = (double)rollout->batch.advantage[index[i]] - mean;
    squares += off * off;
  }
  const double deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
  step->advantage_mean = (float)mean;
  step->advantage_scale = (float)(1.0 / (deviation + 1e-8));
}

/* The chunks from `first` on, up to a wave of them, in parallel; then their sum. */
static void run_wave(fwi_updater *updater, const fwi_step *step, const fwi_rollout *rollout, const uint32_t *index,
                     size_t count, fwi_losses *losses) {
  const size_t parameters = updater->model->parameter_count, chunks = (count + CHUNK - 1) / CHUNK;
#pragma omp parallel for schedule(dynamic) num_threads((int)updater->threads) if (updater->threads > 1 && chunks > 1)
  for (size_t chunk = 0; chunk < chunks; chunk++) {
    const size_t from = chunk * CHUNK, rows = count - from < CHUNK ? count - from : CHUNK;
    float *gradient = updater->chunk_gradients + chunk * parameters;
    memset(gradient, 0, parameters * sizeof *gradient);
    updater->chunk_losses[chunk] = (fwi_losses){0};
    fwi_step_gradient(step, &rollout->batch, index + from, rows, updater->spaces[omp_get_thread_num()], gradient,
                      &updater->chunk_losses[chunk]);
  }
  for (size_t chunk = 0; chunk < chunks; chunk++) {
    const float *gradient = updater->chunk_gradients + chunk * parameters;
    for (size_t i = 0; i < parameters; i++)
      updater->gradient[i] += gradient[i];
    add_losses(losses, &updater->chunk_losses[chunk], 1.0);
  }
}

/* The gradient and the mean losses of one minibatch. */
static fwi_losses run_minibatch(fwi_updater *updater, fwi_step *step, const fwi_rollout *rollout, const uint32_t *index,
                                size_t count) {
  fwi_losses sums = {0}, means = {0};
  step->weight = 1.0f / (float)count;
  standardise(rollout, index, count, step);
  fwi_step_transpose(updater->model, step->parameters, updater->transposed);
  memset(updater->gradient, 0, updater->model->parameter_count * sizeof *updater->gradient);
  for (size_t done = 0; done < count; done += (size_t)WAVE * CHUNK) {
    const size_t rows = count - done < (size_t)WAVE * CHUNK ? count - done : (size_t)WAVE * CHUNK;
    run_wave(updater, step, rollout, index + done, rows, &sums);
  }
  add_losses(&means, &sums, 1.0 / (double)count);
  return means;
}

static bool is_finite(const fwi_losses *losses, double gradient_length) {
  double sum = losses->policy + losses->entropy + losses->kl + gradient_length;
  for (size_t c = 0; c < FWI_CRITICS; c++)
    sum += losses->value[c];
  return isfinite(sum);
}

fwi_outcome fwi_update(fwi_updater *updater, const fw_ppo_config *config, const fwi_rollout *rollout, uint64_t seed,
                       uint64_t iteration, double learning_rate, fwi_adam *adam, float *parameters) {
  fwi_step step = {.model = updater->model,
                   .parameters = parameters,
                   .transposed = updater->transposed,
                   .objective = {.clip = (float)config->clip,
                                 .value_clip = (float)config->value_clip,
                                 .value_weight = (float)config->value_weight,
                                 .entropy_weight = (float)config->entropy_weight}};
  const size_t rows = rollout->rows;
  const size_t minibatches = config->minibatches < rows ? (size_t)config->minibatches : rows;
  fwi_outcome outcome = {.finite = true};
  fwi_losses sums = {0};
  double steps = 0.0;
  while (outcome.passes < config->epochs && outcome.finite) {
    fwi_losses pass = {0};
    shuffle(updater->order, rows, seed, iteration, outcome.passes);
    for (size_t m = 0; m < minibatches && outcome.finite; m++) {
      const size_t from = m * rows / minibatches, to = (m + 1) * rows / minibatches;
      const fwi_losses losses = run_minibatch(updater, &step, rollout, updater->order + from, to - from);
      const double length = fwi_adam_step(adam, learning_rate, config->gradient_norm, updater->gradient,
                                          updater->model->parameter_count, parameters);
      outcome.finite = is_finite(&losses, length);
      add_losses(&pass, &losses, 1.0);
      steps += 1.0;
    }
    add_losses(&sums, &pass, 1.0);
    outcome.passes++;
    outcome.kl = pass.kl / (double)minibatches;
    if (config->kl_stop > 0.0 && outcome.kl > config->kl_stop) break;
  }
  add_losses(&outcome.mean, &sums, 1.0 / steps);
  return outcome;
}

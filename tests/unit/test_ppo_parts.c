/* The small parts of the trainer, each against its definition. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "policies/ppo/adam.h"
#include "policies/ppo/heads.h"
#include "policies/ppo/multiplier.h"
#include "policies/ppo/network.h"
#include "policies/ppo/normaliser.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"

static double uniform(uint32_t what, size_t i, double low, double high) {
  return low + (high - low) * fw_random_uniform(fw_stream_make(13, FW_DRAW_TEST, what), i, 0);
}

/* --- running statistics --- */

Test(ppo_parts, running_statistics_are_those_of_all_samples) {
  enum { SAMPLES = 1000 };
  double mean[2] = {0.0}, variance[2] = {0.0};
  fwi_normaliser normaliser = {.size = 2, .mean = mean, .variance = variance};
  static float samples[SAMPLES][2];
  double sum[2] = {0.0}, squares[2] = {0.0};
  for (size_t i = 0; i < SAMPLES; i++) {
    samples[i][0] = (float)uniform(1, i, -1.0, 1.0);
    samples[i][1] = 1e6f + samples[i][0]; /* a large offset, which naive sums of squares do not survive */
    fwi_normaliser_add(&normaliser, samples[i]);
    for (size_t k = 0; k < 2; k++)
      sum[k] += (double)samples[i][k] / SAMPLES;
  }
  for (size_t i = 0; i < SAMPLES; i++) {
    for (size_t k = 0; k < 2; k++)
      squares[k] += ((double)samples[i][k] - sum[k]) * ((double)samples[i][k] - sum[k]) / SAMPLES;
  }
  for (size_t k = 0; k < 2; k++) {
    cr_expect_float_eq(mean[k], sum[k], 1e-13 * (fabs(sum[k]) + 1.0)); /* rounding of a thousand steps */
    cr_expect_float_eq(variance[k], squares[k], 1e-9 * squares[k]);    /* 1e-16 of the offset's size, squared terms */
  }
  float out[2];
  fwi_normaliser_apply(&normaliser, samples[7], 1, out);
  cr_expect_float_eq(out[0], ((double)samples[7][0] - sum[0]) / sqrt(squares[0] + 1e-8), 1e-6); /* a float */
  const float far[2] = {1e9f, -1e9f};
  fwi_normaliser_apply(&normaliser, far, 1, out);
  cr_expect_eq(out[0], 10.0f);
  cr_expect_eq(out[1], -10.0f);
}

Test(ppo_parts, without_statistics_numbers_pass) {
  double mean = 3.0, variance = 4.0;
  const fwi_normaliser normaliser = {.size = 1, .mean = &mean, .variance = &variance};
  const float sample = 250.0f;
  float out;
  fwi_normaliser_apply(&normaliser, &sample, 1, &out);
  cr_expect_eq(out, sample);
  cr_expect_eq(fwi_normaliser_scale(&normaliser), 1.0);
}

/* --- multipliers --- */

static fw_ppo_config gains(double p, double i, double d, double most, double smoothing) {
  return (fw_ppo_config){.multiplier_p = p,
                         .multiplier_i = i,
                         .multiplier_d = d,
                         .multiplier_max = most,
                         .multiplier_smoothing = smoothing};
}

Test(ppo_parts, a_multiplier_is_a_pid_controller) {
  const fw_ppo_config config = gains(2.0, 0.5, 3.0, 10.0, 0.0);
  fwi_multiplier m = {0};
  fwi_multiplier_update(&m, &config, 0.3, 0.1); /* error 0.2, no rise yet */
  cr_expect_float_eq(m.value, 2.0 * 0.2 + 0.5 * 0.2, 1e-15);
  fwi_multiplier_update(&m, &config, 0.4, 0.1); /* error 0.3, rise 0.1 */
  cr_expect_float_eq(m.value, 2.0 * 0.3 + 0.5 * 0.5 + 3.0 * 0.1, 1e-15);
  fwi_multiplier_update(&m, &config, 0.1, 0.1); /* a fall is not held against it */
  cr_expect_float_eq(m.value, 0.5 * 0.5, 1e-15);
}

Test(ppo_parts, a_multiplier_keeps_its_bounds_and_does_not_wind_up) {
  const fw_ppo_config config = gains(0.0, 1.0, 0.0, 2.0, 0.0);
  fwi_multiplier m = {0};
  for (int i = 0; i < 1000; i++)
    fwi_multiplier_update(&m, &config, 1.0, 0.0);
  cr_expect_eq(m.value, 2.0);
  for (int i = 0; i < 4; i++) /* below the limit at last: it comes down at once */
    fwi_multiplier_update(&m, &config, 0.0, 0.5);
  cr_expect_eq(m.value, 0.0);
  for (int i = 0; i < 1000; i++)
    fwi_multiplier_update(&m, &config, 0.0, 0.5);
  cr_expect_eq(m.value, 0.0);
  fwi_multiplier_update(&m, &config, 1.0, 0.5);
  cr_expect_eq(m.value, 0.5);
}

/* A limit of 0: the rate cannot be below, so the multiplier never falls, and stays finite. */
Test(ppo_parts, a_limit_of_zero_is_a_limit) {
  const fw_ppo_config config = gains(1.0, 1.0, 1.0, 50.0, 0.9);
  fwi_multiplier m = {0};
  double before = 0.0;
  for (size_t i = 0; i < 200; i++) {
    fwi_multiplier_update(&m, &config, i < 100 ? uniform(2, i, 0.0, 0.5) : 0.0, 0.0);
    cr_assert(isfinite(m.value) && m.value >= 0.0 && m.value <= 50.0);
    cr_assert_geq(m.integral, before);
    before = m.integral;
  }
  cr_expect_gt(m.value, 10.0);
}

/* --- Adam --- */

/* Algorithm 1 of the paper in double precision. 1e-7 for each step: the rounding of a parameter of size 1. */
Test(ppo_parts, adam_takes_the_papers_steps) {
  enum { COUNT = 40, STEPS = 25 };
  float parameters[COUNT], first[COUNT] = {0.0f}, second[COUNT] = {0.0f}, gradient[COUNT];
  double expected[COUNT], m[COUNT] = {0.0}, v[COUNT] = {0.0};
  fwi_adam adam = {first, second, 0};
  for (size_t i = 0; i < COUNT; i++)
    expected[i] = parameters[i] = (float)uniform(3, i, -1.0, 1.0);
  for (size_t t = 1; t <= STEPS; t++) {
    double squares = 0.0;
    for (size_t i = 0; i < COUNT; i++) {
      gradient[i] = (float)uniform(4, t * COUNT + i, -0.2, 0.2);
      squares += (double)gradient[i] * (double)gradient[i];
    }
    const double length = sqrt(squares), scale = fmin(1.0, 0.5 / length);
    for (size_t i = 0; i < COUNT; i++) {
      const double g = (double)gradient[i] * scale;
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      expected[i] -= 0.01 * (m[i] / (1.0 - pow(0.9, (double)t))) / (sqrt(v[i] / (1.0 - pow(0.999, (double)t))) + 1e-5);
    }
    const double got = fwi_adam_step(&adam, 0.01, 0.5, gradient, COUNT, parameters);
    cr_expect_float_eq(got, length, 1e-12);
  }
  for (size_t i = 0; i < COUNT; i++)
    cr_expect_float_eq(parameters[i], expected[i], STEPS * 1e-7);
}

Test(ppo_parts, a_gradient_that_is_not_finite_changes_nothing) {
  float parameter = 1.0f, first = 0.0f, second = 0.0f, gradient = NAN;
  fwi_adam adam = {&first, &second, 0};
  cr_expect_not(isfinite(fwi_adam_step(&adam, 0.1, 0.5, &gradient, 1, &parameter)));
  cr_expect_eq(parameter, 1.0f);
  cr_expect_eq(adam.steps, 0);
}

/* --- choices --- */

Test(ppo_parts, choices_are_drawn_by_their_probabilities) {
  enum { DRAWS = 20000 };
  const float logits[4] = {0.5f, -1.0f, 2.0f, 0.0f};
  const uint8_t mask[4] = {1, 1, 0, 1};
  fwi_distribution head;
  size_t drawn[4] = {0};
  double total = 0.0;
  fwi_head_distribute(logits, mask, 4, &head);
  for (size_t i = 0; i < DRAWS; i++)
    drawn[fwi_head_draw(&head, 4, uniform(5, i, 0.0, 1.0))]++;
  for (size_t k = 0; k < 4; k++)
    total += mask[k] ? exp((double)logits[k]) : 0.0;
  for (size_t k = 0; k < 4; k++) {
    const double p = mask[k] ? exp((double)logits[k]) / total : 0.0;
    cr_expect_float_eq(head.p[k], p, 1e-6); /* single precision */
    /* five standard deviations of a count: falsely alarmed once in a million, and the draws are fixed */
    cr_expect_float_eq((double)drawn[k], DRAWS * p, 5.0 * sqrt(DRAWS * p * (1.0 - p)) + 1e-9);
  }
  cr_expect_eq(fwi_head_best(logits, mask, 4), 0);
  cr_expect_eq(fwi_head_draw(&head, 4, 1.0), 3, "rounding may leave the sum below u; the last allowed one is taken");
}

/* --- networks --- */

/* The bits of a row do not depend on the rows beside it: what was chosen alone can be learned from in a batch. */
Test(ppo_parts, a_row_alone_and_in_a_block_has_the_same_bits) {
  const fwi_network network = fwi_network_make(11, 64, 13);
  const size_t count = fwi_network_place(&network).count;
  float *parameters = fw_allocate(count, sizeof *parameters), *x = fw_allocate(FWI_BLOCK * 11, sizeof *x);
  fwi_activations *block = fw_allocate(1, sizeof *block), *alone = fw_allocate(1, sizeof *alone);
  for (size_t i = 0; i < count; i++)
    parameters[i] = (float)uniform(6, i, -0.5, 0.5);
  for (size_t i = 0; i < FWI_BLOCK * 11; i++)
    x[i] = (float)uniform(7, i, -3.0, 3.0);
  for (size_t rows = FWI_BLOCK - 9; rows <= FWI_BLOCK; rows += 3) {
    fwi_network_forward(&network, parameters, x, rows, block);
    for (size_t row = 0; row < rows; row++) {
      fwi_network_forward(&network, parameters, x + row * 11, 1, alone);
      cr_assert_eq(memcmp(alone->out, block->out + row * network.padded, 13 * sizeof(float)), 0);
    }
  }
  free(parameters);
  free(x);
  free(block);
  free(alone);
}

/* Bits fixed by IEEE arithmetic in the order that is written: the same on every processor and with every compiler. A
 * plain loop in the same order is the reference. */
Test(ppo_parts, a_product_is_a_plain_sum_in_order) {
  const fwi_network network = fwi_network_make(5, 32, 3);
  const fwi_network_places at = fwi_network_place(&network);
  float *p = fw_allocate(at.count, sizeof *p), x[5], h1[32], h2[32];
  fwi_activations *got = fw_allocate(1, sizeof *got);
  for (size_t i = 0; i < at.count; i++)
    p[i] = (float)uniform(8, i, -0.5, 0.5);
  for (size_t i = 0; i < 5; i++)
    x[i] = (float)uniform(9, i, -3.0, 3.0);
  for (size_t j = 0; j < 32; j++) {
    h1[j] = p[at.b1 + j];
    for (size_t i = 0; i < 5; i++)
      h1[j] += x[i] * p[at.w1 + i * 32 + j];
  }
  for (size_t j = 0; j < 32; j++) {
    h2[j] = p[at.b2 + j];
    for (size_t i = 0; i < 32; i++)
      h2[j] += fw_tanh_float(h1[i]) * p[at.w2 + i * 32 + j];
  }
  fwi_network_forward(&network, p, x, 1, got);
  for (size_t k = 0; k < 3; k++) {
    float sum = p[at.b3 + k];
    for (size_t i = 0; i < 32; i++)
      sum += fw_tanh_float(h2[i]) * p[at.w3 + i * network.padded + k];
    cr_expect_eq(sum, got->out[k]);
  }
  free(p);
  free(got);
}

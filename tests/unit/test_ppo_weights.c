/* Weight files: readable by anybody who follows the format, and refused when anything about them is wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/actor.h"
#include "policies/ppo/weights.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"

#define TEMPORARY FW_BINARY_DIR "/test_ppo_weights.safetensors"

static const fw_ppo_space space = {.observation_size = 3, .head_count = 2, .head_size = {4, 2}, .cost_count = 2};
static const double limits[FW_PPO_COSTS] = {NAN, 0.02};

static void make(fwi_weights *weights) {
  fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  config.width = FW_PPO_WIDTH_32;
  cr_assert_eq(fwi_weights_create(weights, &space, "three numbers", limits, &config, NULL), FW_OK);
  weights->seed = UINT64_MAX;
  weights->decisions = 12345;
  fwi_weights_initialise(weights, 9);
  for (size_t i = 0; i < weights->model.parameter_count;
       i++) /* so that the actor's small last layer tells choices apart */
    weights->parameters[i] *= 3.0f;
  for (size_t i = 0; i < 100; i++) {
    float sample[3], reward = (float)i;
    for (size_t k = 0; k < 3; k++)
      sample[k] = (float)fw_random_uniform(fw_stream_make(1, FW_DRAW_TEST, 0), 3 * i + k, 0) * (float)(k + 1);
    fwi_normaliser_add(&weights->observations, sample);
    fwi_normaliser_add(&weights->returns, &reward);
  }
}

static fw_text file_of(const fwi_weights *weights) {
  fwi_tensor_writer writer = FWI_TENSOR_WRITER_INIT;
  fw_text bytes = FW_TEXT_INIT;
  fwi_weights_add(weights, &writer);
  cr_assert_eq(fwi_tensors_write(&writer, TEMPORARY, NULL), FW_OK);
  cr_assert_eq(fw_file_read(TEMPORARY, FW_PPO_FILE_LIMIT, &bytes, NULL), FW_OK);
  remove(TEMPORARY);
  return bytes;
}

/* --- another reader: the format's ten lines, and the policy's --- */

/* The array `name`: finds its entry as text, so that it shares no code with the reader. */
static const char *array_in(fw_text file, const char *name, size_t *begin, size_t *end) {
  uint64_t header;
  char entry[128];
  memcpy(&header, file.data, 8); /* of a little-endian machine */
  (void)snprintf(entry, sizeof entry, "\"%s\":", name);
  const char *at = strstr(file.data + 8, entry);
  cr_assert_not_null(at, "no %s", name);
  at = strstr(at, "\"data_offsets\":[");
  cr_assert_eq(sscanf(at, "\"data_offsets\":[%zu,%zu]", begin, end), 2);
  return file.data + 8 + header;
}

static void copy_array(fw_text file, const char *name, void *out, size_t size) {
  size_t begin, end;
  const char *data = array_in(file, name, &begin, &end);
  cr_assert_eq(end - begin, size, "%s", name);
  memcpy(out, data + begin, size);
}

static void layer(fw_text file, const char *name, const double *in, size_t inputs, size_t outputs, double *out) {
  float weight[32 * 32], bias[32];
  char part[64];
  (void)snprintf(part, sizeof part, "%s.weight", name);
  copy_array(file, part, weight, inputs * outputs * sizeof *weight);
  (void)snprintf(part, sizeof part, "%s.bias", name);
  copy_array(file, part, bias, outputs * sizeof *bias);
  for (size_t j = 0; j < outputs; j++) {
    out[j] = (double)bias[j];
    for (size_t i = 0; i < inputs; i++)
      out[j] += in[i] * (double)weight[i * outputs + j];
  }
}

static void logits_by_the_book(fw_text file, const float *observation, double logits[6]) {
  double mean[3], variance[3], x[3], h1[32], h2[32];
  copy_array(file, "observation.mean", mean, sizeof mean);
  copy_array(file, "observation.variance", variance, sizeof variance);
  for (size_t i = 0; i < 3; i++)
    x[i] = fmax(-10.0, fmin(10.0, ((double)observation[i] - mean[i]) / sqrt(variance[i] + 1e-8)));
  layer(file, "actor.0", x, 3, 32, h1);
  for (size_t i = 0; i < 32; i++)
    h1[i] = tanh(h1[i]);
  layer(file, "actor.1", h1, 32, 32, h2);
  for (size_t i = 0; i < 32; i++)
    h2[i] = tanh(h2[i]);
  layer(file, "actor.2", h2, 32, 6, logits);
}

Test(ppo_weights, another_reader_comes_to_the_same_choices) {
  fwi_weights weights;
  make(&weights);
  fw_text file = file_of(&weights);
  fw_ppo_actor *actor;
  cr_assert_eq(fw_ppo_actor_parse(file.data, file.length, "memory", &actor, NULL), FW_OK);
  const uint8_t mask[6] = {1, 1, 1, 1, 1, 1};
  size_t seen[4] = {0};
  for (size_t n = 0; n < 200; n++) {
    float observation[3];
    double logits[6];
    uint32_t choices[2];
    for (size_t k = 0; k < 3; k++)
      observation[k] = (float)(6.0 * fw_random_uniform(fw_stream_make(2, FW_DRAW_TEST, 0), 3 * n + k, 0) - 2.0);
    cr_assert_eq(fw_ppo_actor_greedy(actor, observation, mask, choices, NULL), FW_OK);
    logits_by_the_book(file, observation, logits);
    for (size_t k = 0; k < 4; k++) /* 1e-5: single precision against double; ties closer than that may go either way */
      cr_expect_geq(logits[choices[0]], logits[k] - 1e-5);
    for (size_t k = 0; k < 2; k++)
      cr_expect_geq(logits[4 + choices[1]], logits[4 + k] - 1e-5);
    seen[choices[0]]++;
  }
  cr_expect_lt(seen[0], 200, "the policy is not constant, so the comparison says something");
  cr_expect_eq(fw_ppo_actor_seed(actor), UINT64_MAX);
  cr_expect_str_eq(fw_ppo_actor_schema(actor), "three numbers");
  fw_ppo_actor_destroy(actor);
  fw_text_clear(&file);
  fwi_weights_clear(&weights);
}

Test(ppo_weights, matrices_start_orthogonal) {
  fwi_weights weights;
  fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  cr_assert_eq(fwi_weights_create(&weights, &space, "", limits, &config, NULL), FW_OK);
  fwi_weights_initialise(&weights, 1);
  const fwi_network *network = &weights.model.network[1];
  const fwi_network_places at = fwi_network_place(network);
  const float *w = weights.parameters + weights.model.at[1];
  for (size_t i = 0; i < 64; i++) {
    for (size_t j = 0; j <= i; j++) {
      double hidden = 0.0, input = 0.0;
      for (size_t k = 0; k < 64; k++) {
        hidden += (double)w[at.w2 + i * 64 + k] * (double)w[at.w2 + j * 64 + k];
        if (i < 3) input += (double)w[at.w1 + i * 64 + k] * (double)w[at.w1 + j * 64 + k];
      }
      cr_assert_float_eq(hidden, i == j ? 2.0 : 0.0, 1e-5); /* single precision of 64 terms */
      if (i < 3) cr_assert_float_eq(input, i == j ? 2.0 : 0.0, 1e-5);
    }
  }
  double length = 0.0;
  for (size_t k = 0; k < 64; k++)
    length += (double)w[at.w3 + k * network->padded] * (double)w[at.w3 + k * network->padded];
  cr_expect_float_eq(length, 1.0, 1e-5);
  fwi_weights_clear(&weights);
}

/* --- what is refused --- */

static void expect_refusal(const char *bytes, size_t length, const char *words) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_ppo_actor *actor;
  cr_assert_eq(fw_ppo_actor_parse(bytes, length, "weights", &actor, &diagnostics), FW_ERROR_INPUT);
  cr_assert_geq(diagnostics.count, 1);
  const fw_diagnostic *entry = &diagnostics.entries[0];
  cr_expect_str_eq(entry->file, "weights");
  cr_expect_not_null(strstr(entry->message, words), "\"%s\" lacks \"%s\"", entry->message, words);
  fw_diagnostics_clear(&diagnostics);
}

/* The file with the first `from` replaced by `to`, the length of the header kept right. */
static fw_text with(fw_text file, const char *from, const char *to) {
  fw_text changed = FW_TEXT_INIT;
  uint64_t header;
  memcpy(&header, file.data, 8);
  const char *at = strstr(file.data + 8, from);
  cr_assert_not_null(at, "no %s", from);
  header = header + strlen(to) - strlen(from);
  fw_text_add_bytes(&changed, (const char *)&header, 8);
  fw_text_add_bytes(&changed, file.data + 8, (size_t)(at - file.data) - 8);
  fw_text_add(&changed, to);
  at += strlen(from);
  fw_text_add_bytes(&changed, at, file.length - (size_t)(at - file.data));
  return changed;
}

Test(ppo_weights, a_changed_header_is_refused) {
  static const struct {
    const char *from, *to, *words;
  } changes[] = {
      {"fleetwatt-ppo", "somebody-else", "this is \"somebody-else\""},
      {"\"version\":\"1\"", "\"version\":\"2\"", "version \"2\""},
      {"\"schema\":", "\"scheme\":", "no \"schema\""},
      {"\\\"epochs\\\":4", "\\\"epochz\\\":4", "epochz"},
      {"\\\"epochs\\\":4", "\\\"epochs\\\":0", "0"},
      {"\\\"heads\\\":[4,2]", "\\\"heads\\\":[4,3]", "\"actor.2.weight\" is F32 of 32 x 6"},
      {"\\\"heads\\\":[4,2]", "\\\"heads\\\":[4,2.5]", "not whole"},
      {"\\\"heads\\\":[4,2]", "\\\"heads\\\":[4,33]", "33"},
      {"\\\"observations\\\":3", "\\\"observations\\\":4", "\"actor.0.weight\" is F32 of 3 x 32"},
      {"\\\"limits\\\":[-1,0.02]", "\\\"limits\\\":[-0.5,0.02]", "\"policy\""},
      {"\"actor.0.weight\"", "\"actor.9.weight\"", "\"actor.0.weight\" is missing"},
      {"\"return.count\"", "\"return.counter\"", "\"return.count\" is missing"},
      {"\"F32\"", "\"F16\"", "of a type other than"},
      {"\"shape\":[3,32]", "\"shape\":[3,33]", "offsets that do not hold its shape"},
      {"\"shape\":[3,32]", "\"shape\":[3,32,1]", "a shape other than"},
      {"\"shape\":[3,32]", "\"shape\":[3,18446744073709551615]", "a shape other than"},
      {"\"data_offsets\":[0,384]", "\"data_offsets\":[4,388]", "does not begin where"},
      {"\"__metadata__\":{", "\"__metadata__\":{\"x\":1,", "other than strings"},
      {"{\"__metadata__\"", "[\"__metadata__\"", ""},
  };
  fwi_weights weights;
  make(&weights);
  fw_text file = file_of(&weights);
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    fw_text changed = with(file, changes[i].from, changes[i].to);
    expect_refusal(changed.data, changed.length, changes[i].words);
    fw_text_clear(&changed);
  }
  fw_text_clear(&file);
  fwi_weights_clear(&weights);
}

Test(ppo_weights, a_cut_or_longer_file_is_refused) {
  fwi_weights weights;
  make(&weights);
  fw_text file = file_of(&weights);
  for (size_t length = 0; length < file.length; length += length < 3000 ? 1 : 97)
    expect_refusal(file.data, length, "");
  fw_text_add(&file, "x");
  expect_refusal(file.data, file.length, "the file was cut or changed");
  fw_text_clear(&file);
  fwi_weights_clear(&weights);
}

/* A policy that "runs" with NaN weights takes choice 0 for ever. */
Test(ppo_weights, numbers_that_are_not_finite_are_refused) {
  static const char *const names[] = {"actor.1.weight", "cost_critic.1.2.bias", "observation.variance"};
  fwi_weights weights;
  make(&weights);
  fw_text file = file_of(&weights);
  for (size_t i = 0; i < 3; i++) {
    size_t begin, end;
    char *at = (char *)array_in(file, names[i], &begin, &end) + begin, kept[8];
    memcpy(kept, at, sizeof kept);
    memset(at, 0xff, i == 2 ? 8 : 4);
    expect_refusal(file.data, file.length, "not finite");
    memcpy(at, kept, sizeof kept);
  }
  size_t begin, end;
  char *variance = (char *)array_in(file, "observation.variance", &begin, &end) + begin;
  variance[7] = (char)(variance[7] | 0x80);
  expect_refusal(file.data, file.length, "is negative");
  fw_text_clear(&file);
  fwi_weights_clear(&weights);
}

Test(ppo_weights, a_problem_beyond_the_limits_is_refused) {
  const fw_ppo_config config = *(const fw_ppo_config *)fw_ppo_config_record.defaults;
  const fw_ppo_space wrong[] = {
      {.observation_size = 0, .head_count = 1, .head_size = {2}},
      {.observation_size = FW_PPO_OBSERVATIONS + 1, .head_count = 1, .head_size = {2}},
      {.observation_size = 1, .head_count = 0},
      {.observation_size = 1, .head_count = FW_PPO_HEADS + 1},
      {.observation_size = 1, .head_count = 1, .head_size = {FW_PPO_CHOICES + 1}},
      {.observation_size = 1, .head_count = 1, .head_size = {2}, .cost_count = FW_PPO_COSTS + 1},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    fwi_weights weights;
    cr_expect_eq(fwi_weights_create(&weights, &wrong[i], "", limits, &config, NULL), FW_ERROR_INPUT);
    fwi_weights_clear(&weights);
  }
}

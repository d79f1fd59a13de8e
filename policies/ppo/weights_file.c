/* Weights to and from the arrays and notes of a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/ppo/weights.h"
#include "sim/base/fields.h"
#include "sim/base/hash.h"

#define FORMAT "fleetwatt-ppo"
#define VERSION "1"
#define NO_LIMIT (-1.0) /* of a cost, in the file */

/* --- what it is for and how it was made: JSON in the metadata --- */

typedef struct origin {
  uint64_t observations;
  fw_array heads;  /* of double */
  fw_array limits; /* of double */
  uint64_t seed;
  uint64_t decisions;
} origin;

static const fw_field origin_fields[] = {
    FW_FIELD(origin, observations, FW_FIELD_UNSIGNED, FW_REQUIRED, 1.0, FW_PPO_OBSERVATIONS, "numbers seen"),
    FW_NUMBERS(origin, heads, 1, 1.0, FW_PPO_CHOICES, "settings of each choice"),
    FW_NUMBERS(origin, limits, 0, NO_LIMIT, -NO_LIMIT * 1e12, "of each cost's mean rate; -1: none"),
    FW_FIELD(origin, seed, FW_FIELD_UNSIGNED, FW_REQUIRED, 0.0, 0.0, "of the training"),
    FW_FIELD(origin, decisions, FW_FIELD_UNSIGNED, FW_REQUIRED, 0.0, 0.0, "that it was trained for"),
};

static const fw_record origin_record = {
    .name = "origin", .size = sizeof(origin), .fields = origin_fields, .field_count = FW_COUNT_OF(origin_fields)};

/* A note of what was put together in `text`, which is used up. */
static void note_text(fwi_tensor_writer *writer, const char *key, fw_text *text) {
  writer->metadata.failed = writer->metadata.failed || text->failed;
  if (!text->failed) fwi_tensors_note(writer, key, text->data);
  fw_text_clear(text);
}

static void note_origin(const fwi_weights *weights, fwi_tensor_writer *writer) {
  const fw_ppo_space *space = &weights->space;
  fw_text text = FW_TEXT_INIT;
  fw_text_add_format(&text, "{\"observations\":%zu,\"heads\":[", space->observation_size);
  for (size_t h = 0; h < space->head_count; h++)
    fw_text_add_format(&text, "%s%u", h == 0 ? "" : ",", (unsigned)space->head_size[h]);
  fw_text_add(&text, "],\"limits\":[");
  for (size_t c = 0; c < space->cost_count; c++) {
    if (c > 0) fw_text_add(&text, ",");
    fw_text_add_number(&text, isnan(weights->cost_limit[c]) ? NO_LIMIT : weights->cost_limit[c], 17);
  }
  fw_text_add_format(&text, "],\"seed\":%llu,\"decisions\":%llu}", (unsigned long long)weights->seed,
                     (unsigned long long)weights->decisions);
  note_text(writer, "policy", &text);
}

static void note_config(const fwi_weights *weights, fwi_tensor_writer *writer) {
  fw_text text = FW_TEXT_INIT;
  fw_ppo_config_write(&weights->config, &text);
  note_text(writer, "training", &text);
}

static void note_schema(const fwi_weights *weights, fwi_tensor_writer *writer) {
  fw_text hash = FW_TEXT_INIT;
  fw_text_add_format(&hash, "%016llx",
                     (unsigned long long)fw_hash_bytes(FW_HASH_START, weights->schema, strlen(weights->schema)));
  fwi_tensors_note(writer, "schema", weights->schema);
  note_text(writer, "schema_hash", &hash);
}

/* Reads a note that holds JSON. */
static fw_status read_note(const fwi_tensor_file *file, const char *key, const fw_record *record, void *out,
                           fw_diagnostics *diagnostics) {
  const char *text = fwi_tensors_noted(file, key, diagnostics);
  if (text == NULL) return FW_ERROR_INPUT;
  fw_json *document;
  fw_status status = fw_json_parse(text, strlen(text), fwi_tensors_name(file), &document, diagnostics);
  if (status != FW_OK) return status;
  status = fw_record_decode(record, fw_json_root(document), out, diagnostics);
  if (status != FW_OK) fw_record_clear(record, out);
  fw_json_free(document);
  return status;
}

static fw_status check_format(const fwi_tensor_file *file, fw_diagnostics *diagnostics) {
  const char *format = fwi_tensors_noted(file, "format", diagnostics);
  const char *version = format == NULL ? NULL : fwi_tensors_noted(file, "version", diagnostics);
  if (version == NULL) return FW_ERROR_INPUT;
  if (strcmp(format, FORMAT) == 0 && strcmp(version, VERSION) == 0) return FW_OK;
  char shown_format[FW_SHOWN_SIZE], shown_version[FW_SHOWN_SIZE];
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = fwi_tensors_name(file)},
                  "this is \"%s\", version \"%s\", and not " FORMAT ", version " VERSION
                  "; give a file that this version of 'fleetwatt train' wrote",
                  fw_shown(format, strlen(format), shown_format), fw_shown(version, strlen(version), shown_version));
}

/* The shapes that an origin gives; false where they do not fit. */
static bool space_of(const origin *from, fw_ppo_space *space, double cost_limit[FW_PPO_COSTS]) {
  if (from->heads.count > FW_PPO_HEADS || from->limits.count > FW_PPO_COSTS) return false;
  *space = (fw_ppo_space){.observation_size = (size_t)from->observations,
                          .head_count = from->heads.count,
                          .cost_count = from->limits.count};
  for (size_t h = 0; h < from->heads.count; h++) {
    const double size = ((const double *)from->heads.data)[h];
    if (size != floor(size)) return false;
    space->head_size[h] = (uint32_t)size;
  }
  for (size_t c = 0; c < from->limits.count; c++) {
    const double limit = ((const double *)from->limits.data)[c];
    if (limit < 0.0 && limit != NO_LIMIT) return false;
    cost_limit[c] = limit == NO_LIMIT ? NAN : limit;
  }
  return true;
}

static fw_status create_from(fwi_weights *weights, const fwi_tensor_file *file, const origin *from, const char *schema,
                             const fw_ppo_config *config, fw_diagnostics *diagnostics) {
  fw_ppo_space space;
  double cost_limit[FW_PPO_COSTS];
  if (!space_of(from, &space, cost_limit)) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = fwi_tensors_name(file)},
                    "\"policy\" has too many choices or costs, or a size that is not whole; give a file that "
                    "'fleetwatt train' wrote");
  }
  fw_status status = fwi_weights_create(weights, &space, schema, cost_limit, config, diagnostics);
  weights->seed = from->seed;
  weights->decisions = from->decisions;
  return status;
}

static fw_status read_notes(fwi_weights *weights, const fwi_tensor_file *file, fw_diagnostics *diagnostics) {
  origin from;
  fw_ppo_config config;
  fw_status status = check_format(file, diagnostics);
  const char *schema = status == FW_OK ? fwi_tensors_noted(file, "schema", diagnostics) : NULL;
  if (schema == NULL) return FW_ERROR_INPUT;
  status = read_note(file, "training", &fw_ppo_config_record, &config, diagnostics); /* owns nothing */
  if (status == FW_OK) status = read_note(file, "policy", &origin_record, &from, diagnostics);
  if (status != FW_OK) return status;
  status = create_from(weights, file, &from, schema, &config, diagnostics);
  fw_record_clear(&origin_record, &from);
  return status;
}

/* --- arrays --- */

/* One matrix or bias of a network: its name in the file, and where its numbers are. */
typedef struct array_place {
  char name[48];
  fwi_shape shape;
  float *numbers;
  size_t stride;
} array_place;

enum { ARRAYS = 6 };

static void name_array(array_place *array, const fwi_weights *weights, size_t network, size_t layer, const char *part) {
  fw_text text = FW_TEXT_INIT;
  if (network == 0) {
    fw_text_add(&text, "actor");
  } else if (network == 1) {
    fw_text_add(&text, "reward_critic");
  } else {
    fw_text_add_format(&text, "cost_critic.%zu", weights->channel[network - 1]);
  }
  fw_text_add_format(&text, ".%zu.%s", layer, part);
  if (!text.failed) memcpy(array->name, text.data, text.length + 1);
  fw_text_clear(&text);
}

static void places_of(const fwi_weights *weights, size_t n, array_place arrays[ARRAYS]) {
  const fwi_network *network = &weights->model.network[n];
  const fwi_network_places at = fwi_network_place(network);
  float *numbers = weights->parameters + weights->model.at[n];
  const size_t units = network->units, outputs = network->outputs;
  arrays[0] = (array_place){.shape = {network->inputs, units}, .numbers = numbers + at.w1, .stride = units};
  arrays[1] = (array_place){.shape = {units, 0}, .numbers = numbers + at.b1, .stride = 1};
  arrays[2] = (array_place){.shape = {units, units}, .numbers = numbers + at.w2, .stride = units};
  arrays[3] = (array_place){.shape = {units, 0}, .numbers = numbers + at.b2, .stride = 1};
  arrays[4] = (array_place){.shape = {units, outputs}, .numbers = numbers + at.w3, .stride = network->padded};
  arrays[5] = (array_place){.shape = {outputs, 0}, .numbers = numbers + at.b3, .stride = 1};
  for (size_t i = 0; i < ARRAYS; i++)
    name_array(&arrays[i], weights, n, i / 2, i % 2 == 0 ? "weight" : "bias");
}

static void add_normaliser(const fwi_normaliser *normaliser, const char *const names[3], fwi_tensor_writer *writer) {
  fwi_tensors_add(writer, names[0], FWI_TENSOR_F64, (fwi_shape){1, 0}, &normaliser->count, 1);
  fwi_tensors_add(writer, names[1], FWI_TENSOR_F64, (fwi_shape){normaliser->size, 0}, normaliser->mean, 1);
  fwi_tensors_add(writer, names[2], FWI_TENSOR_F64, (fwi_shape){normaliser->size, 0}, normaliser->variance, 1);
}

static fw_status read_normaliser(fwi_normaliser *normaliser, const char *const names[3], fwi_tensor_file *file,
                                 fw_diagnostics *diagnostics) {
  const fwi_shape one = {1, 0}, all = {normaliser->size, 0};
  fw_status status = fwi_tensors_get(file, names[0], FWI_TENSOR_F64, one, &normaliser->count, 1, diagnostics);
  if (status == FW_OK) status = fwi_tensors_get(file, names[1], FWI_TENSOR_F64, all, normaliser->mean, 1, diagnostics);
  if (status == FW_OK) {
    status = fwi_tensors_get(file, names[2], FWI_TENSOR_F64, all, normaliser->variance, 1, diagnostics);
  }
  bool fits = normaliser->count >= 0.0;
  for (size_t i = 0; i < normaliser->size; i++)
    fits = fits && normaliser->variance[i] >= 0.0;
  if (status != FW_OK || fits) return status;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = fwi_tensors_name(file)},
                  "\"%s\" or \"%s\" is negative; give a file that 'fleetwatt train' wrote", names[0], names[2]);
}

static const char *const observation_names[3] = {"observation.count", "observation.mean", "observation.variance"};
static const char *const return_names[3] = {"return.count", "return.mean", "return.variance"};

void fwi_weights_add(const fwi_weights *weights, fwi_tensor_writer *writer) {
  fwi_tensors_note(writer, "format", FORMAT);
  fwi_tensors_note(writer, "version", VERSION);
  note_origin(weights, writer);
  note_config(weights, writer);
  note_schema(weights, writer);
  for (size_t n = 0; n < weights->model.network_count; n++) {
    array_place arrays[ARRAYS];
    places_of(weights, n, arrays);
    for (size_t i = 0; i < ARRAYS; i++)
      fwi_tensors_add(writer, arrays[i].name, FWI_TENSOR_F32, arrays[i].shape, arrays[i].numbers, arrays[i].stride);
  }
  add_normaliser(&weights->observations, observation_names, writer);
  add_normaliser(&weights->returns, return_names, writer);
}

fw_status fwi_weights_read(fwi_weights *weights, fwi_tensor_file *file, fw_diagnostics *diagnostics) {
  *weights = (fwi_weights){0};
  fw_status status = read_notes(weights, file, diagnostics);
  for (size_t n = 0; n < weights->model.network_count && status == FW_OK; n++) {
    array_place arrays[ARRAYS];
    places_of(weights, n, arrays);
    for (size_t i = 0; i < ARRAYS && status == FW_OK; i++) {
      status = fwi_tensors_get(file, arrays[i].name, FWI_TENSOR_F32, arrays[i].shape, arrays[i].numbers,
                               arrays[i].stride, diagnostics);
    }
  }
  if (status == FW_OK) status = read_normaliser(&weights->observations, observation_names, file, diagnostics);
  if (status == FW_OK) status = read_normaliser(&weights->returns, return_names, file, diagnostics);
  return status;
}

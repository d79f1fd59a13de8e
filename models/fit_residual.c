/* The residual of a recording: the marginal laws of the job's sum and of the GPUs' contrasts, and their memory, by
 * moments and empirical quantiles. The split is that of models/residual.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/fit.h"
#include "sim/base/memory.h"

/* The recording taken apart, all less their levels. */
typedef struct parts {
  double *total;    /* [tick] */
  double *contrast; /* [tick * gpus + gpu] */
  double *gpu;      /* [tick * gpus + gpu] */
  double *scratch;  /* [tick * gpus]: sorted copies, levels */
} parts;

static void parts_free(parts *apart) {
  free(apart->total);
  free(apart->contrast);
  free(apart->gpu);
  free(apart->scratch);
}

static bool parts_allocate(const fw_recording *recording, parts *out) {
  size_t cells = 0;
  if (!fw_size_multiply(recording->ticks, recording->gpus, &cells)) return false;
  *out = (parts){
      .total = fw_allocate(recording->ticks, sizeof(double)),
      .contrast = fw_allocate(cells, sizeof(double)),
      .gpu = fw_allocate(cells, sizeof(double)),
      .scratch = fw_allocate(cells, sizeof(double)),
  };
  return out->total != NULL && out->contrast != NULL && out->gpu != NULL && out->scratch != NULL;
}

static double tick_mean(const fw_recording *recording, size_t tick) {
  return fw_fit_mean(recording->power_w + tick * recording->gpus, recording->gpus);
}

/* Levels of one GPU into `level`: as given, or each segment's mean. */
static void find_levels(const fw_recording *recording, double *level) {
  size_t first = 0;
  while (first < recording->ticks) {
    size_t end = first;
    double sum = 0.0;
    for (; end < recording->ticks && recording->segment[end] == recording->segment[first]; end++)
      sum += tick_mean(recording, end);
    for (size_t i = first; i < end; i++)
      level[i] = recording->level_w != NULL ? recording->level_w[i] : sum / (double)(end - first);
    first = end;
  }
}

/* A GPU's mean distance from the others belongs to the board, not to the process. */
static void take_off_offset(const fw_recording *recording, size_t gpu, double *contrast) {
  double sum = 0.0;
  for (size_t i = 0; i < recording->ticks; i++)
    sum += contrast[i * recording->gpus + gpu];
  for (size_t i = 0; i < recording->ticks; i++)
    contrast[i * recording->gpus + gpu] -= sum / (double)recording->ticks;
}

static void take_apart(const fw_recording *recording, parts *out) {
  double *level = out->scratch;
  find_levels(recording, level);
  const size_t gpus = recording->gpus;
  for (size_t i = 0; i < recording->ticks; i++) {
    const double mean = tick_mean(recording, i);
    out->total[i] = (double)gpus * (mean - level[i]);
    for (size_t g = 0; g < gpus; g++)
      out->contrast[i * gpus + g] = recording->power_w[i * gpus + g] - mean;
  }
  for (size_t g = 0; g < gpus; g++)
    take_off_offset(recording, g, out->contrast);
  const double mean_total = fw_fit_mean(out->total, recording->ticks);
  for (size_t i = 0; i < recording->ticks; i++) {
    out->total[i] -= mean_total;
    for (size_t g = 0; g < gpus; g++)
      out->gpu[i * gpus + g] = out->total[i] / (double)gpus + out->contrast[i * gpus + g];
  }
}

/* Lag-one correlation of `series` columns of mean 0 together, over neighbours in one segment. */
static double lag1_of(const fw_recording *recording, const double *values, size_t series) {
  double product = 0.0;
  double square = 0.0;
  size_t pairs = 0;
  const size_t cells = recording->ticks * series;
  for (size_t i = 0; i < cells; i++)
    square += values[i] * values[i];
  for (size_t i = 0; i + 1 < recording->ticks; i++) {
    if (recording->segment[i] != recording->segment[i + 1]) continue;
    pairs += series;
    for (size_t s = 0; s < series; s++)
      product += values[i * series + s] * values[(i + 1) * series + s];
  }
  if (pairs == 0 || !(square > 0.0)) return 0.0;
  return product / (double)pairs / (square / (double)cells);
}

/* GPU i is T/n + d_i with the d_i adding up to 0, so the covariances of the d_i average -var(d) / (n - 1). */
double fw_gpu_correlation(double total_sigma_w, double contrast_sigma_w, size_t gpus) {
  if (gpus < 2) return 1.0;
  const double n = (double)gpus;
  const double shared = total_sigma_w * total_sigma_w / (n * n);
  const double own = contrast_sigma_w * contrast_sigma_w;
  return shared + own > 0.0 ? (shared - own / (n - 1.0)) / (shared + own) : 0.0;
}

/* C(z_i) less its mean over n GPUs has (1 - 1/n) of the variance, so the measured contrasts are widened to give C. The
 * shape is kept, which is exact for a Gaussian law and nearly so for others. */
static void fit_contrast(const fw_recording *recording, const parts *apart, fw_residual_fit *out) {
  if (recording->gpus < 2) return;
  const size_t cells = recording->ticks * recording->gpus;
  const double widen = sqrt((double)recording->gpus / (double)(recording->gpus - 1));
  out->contrast_sigma_w = fw_fit_sigma(apart->contrast, cells);
  out->contrast_watt_lag1 = lag1_of(recording, apart->contrast, recording->gpus);
  for (size_t i = 0; i < cells; i++)
    apart->scratch[i] = widen * apart->contrast[i];
  out->contrast = fw_fit_law(apart->scratch, cells);
  out->contrast_lag1 = fw_fit_copula_lag1(&out->contrast, out->contrast_watt_lag1);
}

static void fit_parts(const fw_recording *recording, const parts *apart, fw_residual_fit *out) {
  out->total_sigma_w = fw_fit_sigma(apart->total, recording->ticks);
  out->total_watt_lag1 = lag1_of(recording, apart->total, 1);
  out->gpu_lag1 = lag1_of(recording, apart->gpu, recording->gpus);
  memcpy(apart->scratch, apart->total, recording->ticks * sizeof(double));
  out->total = fw_fit_law(apart->scratch, recording->ticks);
  out->total_lag1 = fw_fit_copula_lag1(&out->total, out->total_watt_lag1);
  fit_contrast(recording, apart, out);
  out->correlation = fw_gpu_correlation(out->total_sigma_w, out->contrast_sigma_w, recording->gpus);
}

fw_status fw_fit_residual(const fw_recording *recording, fw_residual_fit *out, fw_diagnostics *diagnostics) {
  *out = (fw_residual_fit){0};
  if (recording->ticks < 2 || recording->gpus < 1) {
    return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                    "a residual needs a recording of two ticks or more; choose a longer stretch");
  }
  parts apart = {0};
  const bool allocated = parts_allocate(recording, &apart);
  if (allocated) {
    take_apart(recording, &apart);
    fit_parts(recording, &apart, out);
  }
  parts_free(&apart);
  return allocated ? FW_OK : fw_error_memory(diagnostics, "the parts of a recording");
}

static void add_law(fw_text *text, const char *key, const fw_law *law) {
  fw_text_add_format(text, "\"%s\":{\"kind\":\"quantiles\",\"probabilities\":[", key);
  for (size_t i = 0; i < FW_LAW_POINTS; i++) {
    if (i > 0) fw_text_add(text, ",");
    fw_text_add_number(text, fw_law_probabilities[i], 9);
  }
  fw_text_add(text, "],\"values_w\":[");
  for (size_t i = 0; i < FW_LAW_POINTS; i++) {
    if (i > 0) fw_text_add(text, ",");
    fw_text_add_number(text, law->value_w[i], 9);
  }
  fw_text_add(text, "]}");
}

/* By way of the file format: only its reader knows how a law is held in memory. */
fw_status fw_fit_residual_model(const fw_residual_fit *fit, fw_phase phase, fw_residual_model *out,
                                fw_diagnostics *diagnostics) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "{\"total_lag1\":");
  fw_text_add_number(&text, fit->total_lag1, 9);
  fw_text_add(&text, ",\"contrast_lag1\":");
  fw_text_add_number(&text, fit->contrast_lag1, 9);
  fw_text_add_format(&text, ",\"%s\":{", fw_phase_names[phase]);
  add_law(&text, "total", &fit->total);
  if (fit->contrast_sigma_w > 0.0) {
    fw_text_add(&text, ",");
    add_law(&text, "contrast", &fit->contrast);
  }
  fw_text_add(&text, "}}");
  if (text.failed) {
    fw_text_clear(&text);
    return fw_error_memory(diagnostics, "a residual model");
  }
  fw_json *document = NULL;
  fw_status status = fw_json_parse(text.data, text.length, "fitted residual", &document, diagnostics);
  if (status == FW_OK) status = fw_record_decode(&fw_residual_record, fw_json_root(document), out, diagnostics);
  fw_json_free(document);
  fw_text_clear(&text);
  return status;
}

/* Laws by phase and the memory behind them. */
#include "models/fit_phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/elementary.h"
#include "sim/base/memory.h"

/* The residuals taken apart, and room to sort in. */
typedef struct parts {
  double *total;    /* [tick] */
  double *contrast; /* [tick * gpus + gpu] */
  double *score;    /* normal scores, as large as the contrasts */
  double *values;   /* of one phase */
} parts;

static void parts_free(parts *apart) {
  free(apart->total);
  free(apart->contrast);
  free(apart->score);
  free(apart->values);
}

static bool parts_allocate(const fw_residual_ticks *ticks, parts *out) {
  size_t cells = 0;
  *out = (parts){0};
  if (!fw_size_multiply(ticks->count, ticks->gpus, &cells)) return false;
  out->total = fw_allocate(ticks->count, sizeof(double));
  out->contrast = fw_allocate(cells, sizeof(double));
  out->score = fw_allocate(cells, sizeof(double));
  out->values = fw_allocate(cells, sizeof(double));
  return out->total != NULL && out->contrast != NULL && out->score != NULL && out->values != NULL;
}

/* Means over the ticks of a phase: of the total, and of each GPU's contrast in `gpu`. */
static double phase_means(const fw_residual_ticks *ticks, fw_phase phase, const parts *apart, double *gpu) {
  double total = 0.0;
  size_t count = 0;
  for (size_t g = 0; g < ticks->gpus; g++)
    gpu[g] = 0.0;
  for (size_t i = 0; i < ticks->count; i++) {
    if (ticks->phase[i] != phase) continue;
    total += apart->total[i];
    count++;
    for (size_t g = 0; g < ticks->gpus; g++)
      gpu[g] += apart->contrast[i * ticks->gpus + g];
  }
  for (size_t g = 0; g < ticks->gpus && count > 0; g++)
    gpu[g] /= (double)count;
  return count > 0 ? total / (double)count : 0.0;
}

static void centre_phase(const fw_residual_ticks *ticks, fw_phase phase, parts *apart) {
  const size_t gpus = ticks->gpus;
  double *gpu = apart->values; /* has room for one of each GPU */
  const double total = phase_means(ticks, phase, apart, gpu);
  for (size_t i = 0; i < ticks->count; i++) {
    if (ticks->phase[i] != phase) continue;
    apart->total[i] -= total;
    for (size_t g = 0; g < gpus; g++)
      apart->contrast[i * gpus + g] -= gpu[g];
  }
}

static void take_apart(const fw_residual_ticks *ticks, parts *apart) {
  const size_t gpus = ticks->gpus;
  for (size_t i = 0; i < ticks->count; i++) {
    const double mean = fw_fit_mean(ticks->residual_w + i * gpus, gpus);
    apart->total[i] = mean * (double)gpus;
    for (size_t g = 0; g < gpus; g++)
      apart->contrast[i * gpus + g] = ticks->residual_w[i * gpus + g] - mean;
  }
  for (fw_phase phase = FW_PHASE_IDLE; phase < FW_PHASE_COUNT; phase++)
    centre_phase(ticks, phase, apart);
}

/* The values of `series` columns in the ticks of a phase, scaled, into `values`. Returns how many. */
static size_t collect(const fw_residual_ticks *ticks, fw_phase phase, const double *from, size_t series, double scale,
                      double *values) {
  size_t count = 0;
  for (size_t i = 0; i < ticks->count; i++) {
    if (ticks->phase[i] != phase) continue;
    for (size_t s = 0; s < series; s++)
      values[count++] = scale * from[i * series + s];
  }
  return count;
}

static void fit_laws(const fw_residual_ticks *ticks, fw_phase phase, parts *apart, fw_phase_law *out) {
  const size_t gpus = ticks->gpus;
  out->ticks = collect(ticks, phase, apart->total, 1, 1.0, apart->values);
  if (out->ticks == 0) return;
  out->total_sigma_w = fw_fit_sigma(apart->values, out->ticks);
  out->total = fw_fit_law(apart->values, out->ticks);
  if (gpus < 2) return;
  /* C(z_i) less its mean over n GPUs has (1 - 1/n) of its variance. */
  const double widen = sqrt((double)gpus / (double)(gpus - 1));
  const size_t count = collect(ticks, phase, apart->contrast, gpus, widen, apart->values);
  out->contrast_sigma_w = fw_fit_sigma(apart->values, count) / widen;
  out->contrast = fw_fit_law(apart->values, count);
}

/* --- memory --- */

typedef struct ranked {
  double value;
  size_t index;
} ranked;

static int compare_ranked(const void *left, const void *right) {
  const ranked *a = left;
  const ranked *b = right;
  if (a->value != b->value) return (a->value > b->value) - (a->value < b->value);
  return (a->index > b->index) - (a->index < b->index);
}

/* Normal scores of `series` columns within a phase, into `score` at the same places, times the phase's deviation: the
 * memory that matters is that of the watts. */
static bool score_phase(const fw_residual_ticks *ticks, fw_phase phase, const double *from, size_t series,
                        double *score) {
  ranked *list = fw_allocate(ticks->count * series, sizeof *list);
  if (list == NULL) return false;
  size_t count = 0;
  for (size_t i = 0; i < ticks->count; i++) {
    if (ticks->phase[i] != phase) continue;
    for (size_t s = 0; s < series; s++)
      list[count++] = (ranked){from[i * series + s], i * series + s};
  }
  qsort(list, count, sizeof *list, compare_ranked);
  double squares = 0.0;
  for (size_t i = 0; i < count; i++)
    squares += list[i].value * list[i].value; /* of mean 0 */
  const double sigma = count > 0 ? sqrt(squares / (double)count) : 0.0;
  for (size_t i = 0; i < count; i++)
    score[list[i].index] = sigma * fw_normal_quantile(((double)i + 0.5) / (double)count);
  free(list);
  return true;
}

static bool score_all(const fw_residual_ticks *ticks, const double *from, size_t series, double *score) {
  for (fw_phase phase = FW_PHASE_IDLE; phase < FW_PHASE_COUNT; phase++) {
    if (!score_phase(ticks, phase, from, series, score)) return false;
  }
  return true;
}

static bool are_neighbours(const fw_residual_ticks *ticks, size_t first, size_t lag) {
  const size_t second = first + lag;
  return ticks->phase[first] != FW_PHASE_COUNT && ticks->phase[second] != FW_PHASE_COUNT &&
         ticks->segment[first] == ticks->segment[second];
}

/* Correlation of scores at one lag; `pairs` says over how many. */
static double score_correlation(const fw_residual_ticks *ticks, const double *score, size_t series, size_t lag,
                                double *pairs) {
  double products = 0.0;
  double squares = 0.0;
  *pairs = 0.0;
  for (size_t i = 0; i + lag < ticks->count; i++) {
    if (!are_neighbours(ticks, i, lag)) continue;
    *pairs += (double)series;
    for (size_t s = 0; s < series; s++) {
      const double a = score[i * series + s];
      const double b = score[(i + lag) * series + s];
      products += a * b;
      squares += 0.5 * (a * a + b * b);
    }
  }
  return squares > 0.0 ? products / squares : 0.0;
}

static double memory_cost(const double *rho, const double *weight, size_t count, double a) {
  double power = 1.0;
  double cost = 0.0;
  for (size_t k = 0; k < count; k++) {
    power *= a;
    cost += weight[k] * (power - rho[k]) * (power - rho[k]);
  }
  return cost;
}

/* The cost has several minima for negative a, so a grid finds the lowest, and finer grids around it its place. */
double fw_fit_memory(const double *rho, const double *weight, size_t count) {
  static const double BOUND = 0.99;
  double centre = 0.0;
  double step = 0.01;
  int half = 99;
  for (int level = 0; level < 4; level++) {
    double best = centre;
    double least = INFINITY;
    for (int i = -half; i <= half; i++) {
      const double a = fmax(-BOUND, fmin(centre + (double)i * step, BOUND));
      const double cost = memory_cost(rho, weight, count, a);
      if (!(cost < least)) continue;
      least = cost;
      best = a;
    }
    centre = best;
    half = 10;
    step /= 10.0;
  }
  return centre;
}

static bool fit_memory_of(const fw_residual_ticks *ticks, const double *from, size_t series, double *score,
                          double *lag1) {
  double rho[FW_MEMORY_LAGS];
  double weight[FW_MEMORY_LAGS];
  if (!score_all(ticks, from, series, score)) return false;
  for (size_t k = 0; k < FW_MEMORY_LAGS; k++)
    rho[k] = score_correlation(ticks, score, series, k + 1, &weight[k]);
  *lag1 = fw_fit_memory(rho, weight, FW_MEMORY_LAGS);
  return true;
}

static double correlation_of(const fw_residual_ticks *ticks, const parts *apart) {
  double total = 0.0;
  double own = 0.0;
  size_t count = 0;
  for (size_t i = 0; i < ticks->count; i++) {
    if (ticks->phase[i] == FW_PHASE_COUNT) continue;
    count++;
    total += apart->total[i] * apart->total[i];
    for (size_t g = 0; g < ticks->gpus; g++)
      own += apart->contrast[i * ticks->gpus + g] * apart->contrast[i * ticks->gpus + g];
  }
  if (count == 0) return 0.0;
  return fw_gpu_correlation(sqrt(total / (double)count), sqrt(own / (double)(count * ticks->gpus)), ticks->gpus);
}

fw_status fw_fit_phases(const fw_residual_ticks *ticks, fw_phases_fit *out, fw_diagnostics *diagnostics) {
  *out = (fw_phases_fit){0};
  parts apart;
  bool good = parts_allocate(ticks, &apart);
  if (good) {
    take_apart(ticks, &apart);
    for (fw_phase phase = FW_PHASE_IDLE; phase < FW_PHASE_COUNT; phase++)
      fit_laws(ticks, phase, &apart, &out->phase[phase]);
    good = fit_memory_of(ticks, apart.total, 1, apart.score, &out->total_lag1);
    if (good && ticks->gpus > 1) {
      good = fit_memory_of(ticks, apart.contrast, ticks->gpus, apart.score, &out->contrast_lag1);
    }
    out->correlation = correlation_of(ticks, &apart);
  }
  parts_free(&apart);
  return good ? FW_OK : fw_error_memory(diagnostics, "the residual of a recording");
}

/* --- as a file has it --- */

static const int DIGITS = 9;

static void add_numbers(const double *values, size_t count, fw_text *out) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fw_text_add(out, ", ");
    fw_text_add_number(out, values[i], DIGITS);
  }
}

static void add_law(const char *key, const fw_law *law, double sigma_w, size_t ticks, fw_text *out) {
  if (ticks < FW_LAW_LEAST_TICKS) {
    fw_text_add_format(out, "\"%s\": {\"kind\": \"gaussian\", \"sigma_w\": ", key);
    fw_text_add_number(out, sigma_w, DIGITS);
    fw_text_add(out, "}");
    return;
  }
  fw_text_add_format(out, "\"%s\": {\"kind\": \"quantiles\", \"probabilities\": [", key);
  add_numbers(fw_law_probabilities, FW_LAW_POINTS, out);
  fw_text_add(out, "], \"values_w\": [");
  add_numbers(law->value_w, FW_LAW_POINTS, out);
  fw_text_add(out, "]}");
}

void fw_phases_fit_json(const fw_phases_fit *fit, size_t gpus, fw_text *out) {
  fw_text_add(out, "\"total_lag1\": ");
  fw_text_add_number(out, fit->total_lag1, DIGITS);
  if (gpus > 1) {
    fw_text_add(out, ", \"contrast_lag1\": ");
    fw_text_add_number(out, fit->contrast_lag1, DIGITS);
  }
  for (fw_phase phase = FW_PHASE_LOAD; phase < FW_PHASE_COUNT; phase++) {
    const fw_phase_law *law = &fit->phase[phase];
    if (law->ticks < FW_GAUSSIAN_LEAST_TICKS) continue;
    fw_text_add_format(out, ",\n    \"%s\": {", fw_phase_names[phase]);
    add_law("total", &law->total, law->total_sigma_w, law->ticks, out);
    if (gpus > 1) {
      fw_text_add(out, ", ");
      const double widened = law->contrast_sigma_w * sqrt((double)gpus / (double)(gpus - 1));
      add_law("contrast", &law->contrast, widened, law->ticks, out);
    }
    fw_text_add(out, "}");
  }
}

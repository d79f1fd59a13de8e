/* First-order autoregressive processes by exact recursion, the variance of their means (Box, Jenkins, Reinsel, "Time
 * Series Analysis", ch. 2), and spikes as a Bernoulli process over ticks. */
#include "models/residual.h"

#include <math.h>

#include "models/ceilings.h"
#include "models/check.h"
#include "sim/base/elementary.h"
#include "sim/base/fields.h"

static const fw_field phase_fields[] = {
    FW_VARIANT(fw_residual_phase, total, fw_marginal_cases, FW_OPTIONAL, "law of the job's sum, W"),
    FW_VARIANT(fw_residual_phase, contrast, fw_marginal_cases, FW_OPTIONAL,
               "law of one GPU before the mean over the job is taken off, W"),
};

static const fw_record phase_record = {
    .name = "residual_phase",
    .doc = "laws of the residual in one phase; a law left out is none",
    .size = sizeof(fw_residual_phase),
    .fields = phase_fields,
    .field_count = FW_COUNT_OF(phase_fields),
};

static const fw_field spike_fields[] = {
    FW_FIELD(fw_spikes, rate_per_h, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, 1e6, "spikes per hour and GPU; 0: none"),
    FW_FIELD(fw_spikes, height_w, FW_FIELD_NUMBER, FW_REQUIRED, 0.0, FWI_MOST_W, "mean height in a tick's mean"),
};

static const fw_record spike_record = {
    .name = "spikes",
    .doc = "marks on single ticks of single GPUs, exponential in height",
    .size = sizeof(fw_spikes),
    .fields = spike_fields,
    .field_count = FW_COUNT_OF(spike_fields),
};

#define MEMORY(member, text)                                                                                           \
  FW_FIELD_ABOVE(fw_residual_model, member, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, FWI_MOST_S, text)
#define LAG1(member, text) FW_FIELD_ABOVE(fw_residual_model, member, FW_FIELD_NUMBER, FW_OPTIONAL, -1.0, 1.0, text)
#define PHASE(phase_name, index)                                                                                       \
  {                                                                                                                    \
    .name = (phase_name), .kind = FW_FIELD_RECORD, .record = &phase_record,                                            \
    .offset = offsetof(fw_residual_model, phase) + (index) * sizeof(fw_residual_phase),                                \
    .doc = "laws of the residual in this phase"                                                                        \
  }

static const fw_field residual_fields[] = {
    MEMORY(total_memory_s, "memory of the job's sum"),
    LAG1(total_lag1, "lag-one coefficient of the job's sum at one tick, instead of a memory"),
    MEMORY(contrast_memory_s, "memory of the contrasts"),
    LAG1(contrast_lag1, "lag-one coefficient of the contrasts at one tick, instead of a memory"),
    FW_FIELD(fw_residual_model, contrast_span_w, FW_FIELD_NUMBER, FW_OPTIONAL, 0.0, FWI_MOST_W,
             "watts above idle at which the contrasts are given; they grow with them; 0: they do not"),
    PHASE("idle", FW_PHASE_IDLE),
    PHASE("load", FW_PHASE_LOAD),
    PHASE("prefill", FW_PHASE_PREFILL),
    PHASE("rollout", FW_PHASE_ROLLOUT),
    PHASE("gap", FW_PHASE_GAP),
    PHASE("update", FW_PHASE_UPDATE),
    FW_RECORD(fw_residual_model, spikes, &spike_record, FW_OPTIONAL, "marks on top"),
};

const fw_record fw_residual_record = {
    .name = "residual",
    .doc = "what power does around its level",
    .size = sizeof(fw_residual_model),
    .fields = residual_fields,
    .field_count = FW_COUNT_OF(residual_fields),
};

static bool is_none(const fw_variant *law) {
  return law->which == NULL || law->which == &fw_marginal_cases[0];
}

bool fw_residual_is_none(const fw_residual_model *model, fw_phase phase) {
  return is_none(&model->phase[phase].total) && is_none(&model->phase[phase].contrast);
}

/* Bound of the values that a process gives out: inside the grid of fw_marginal_table. A normal variate exceeds it once
 * in 6e9 draws, and the generator's own |e| < 6.34 hardly ever. */
static const double Z_BOUND = 6.4;

static double lag1_of(double memory_s, double lag1, double tick_s) {
  return memory_s > 0.0 ? fw_exp(-tick_s / memory_s) : lag1;
}

double fw_residual_total_lag1(const fw_residual_model *model, double tick_s) {
  return lag1_of(model->total_memory_s, model->total_lag1, tick_s);
}

double fw_residual_contrast_lag1(const fw_residual_model *model, double tick_s) {
  return lag1_of(model->contrast_memory_s, model->contrast_lag1, tick_s);
}

fw_ar1 fw_ar1_start(fw_stream stream, double lag1, uint64_t first_tick) {
  return (fw_ar1){
      .stream = stream,
      .a = lag1,
      .b = sqrt((1.0 - lag1) * (1.0 + lag1)),
      .next_tick = first_tick,
  };
}

static double bounded(double z) {
  const double below = z > Z_BOUND ? Z_BOUND : z;
  return below < -Z_BOUND ? -Z_BOUND : below;
}

/* The innovations are drawn in place. The state itself is not clamped: that keeps the clamp off the recursion's chain
 * of dependent operations. */
void fw_ar1_next(fw_ar1 *process, size_t count, double *out) {
  if (count == 0) return;
  fw_random_normals(process->stream, process->next_tick, count, out);
  const double a = process->a;
  const double b = process->b;
  double z = process->started ? a * process->z + b * out[0] : out[0];
  out[0] = bounded(z);
  for (size_t i = 1; i < count; i++) {
    z = a * z + b * out[i];
    out[i] = bounded(z);
  }
  process->z = z;
  process->next_tick += count;
  process->started = true;
}

/* By repeated squaring: fw_pow takes no negative base. */
static double whole_power(double base, size_t exponent) {
  double result = 1.0;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

double fw_ar1_mean_variance(double lag1, size_t n) {
  const double count = (double)n;
  const double rest = 1.0 - lag1;
  if (rest <= 0.0) return 1.0; /* a memory so long that the coefficient rounds to 1: all values are one */
  const double tail = 2.0 * lag1 * (1.0 - whole_power(lag1, n)) / (count * rest);
  return (1.0 + lag1 - tail) / (count * rest);
}

/* -log(1 - chance), from its series where the difference would lose digits: off by less than chance^2 / 3. */
static double hazard_of(double chance) {
  return chance < 1e-6 ? chance * (1.0 + 0.5 * chance) : -fw_log(1.0 - chance);
}

/* Ticks until the next spike: geometric with success probability `chance` by inversion, so at most one spike falls on
 * a tick and the mean rate is exact. */
static uint64_t ticks_to_spike(double chance, double uniform) {
  if (chance >= 1.0) return 1;
  const double ticks = ceil(-fw_log(uniform) / hazard_of(chance));
  return ticks < 9e18 ? (uint64_t)fmax(ticks, 1.0) : UINT64_MAX;
}

bool fw_spike_next(const fw_spikes *spikes, double tick_s, uint64_t seed, uint32_t gpu, uint64_t n,
                   uint64_t previous_tick, uint64_t *tick, fw_power_mw *height) {
  const double chance = spikes->rate_per_h * tick_s / 3600.0;
  if (!(chance > 0.0)) return false;
  const fw_stream stream = fw_stream_make(seed, FW_DRAW_SPIKE, gpu);
  const uint64_t wait = ticks_to_spike(chance, fw_random_uniform(stream, n, 0));
  *tick = wait > UINT64_MAX - previous_tick ? UINT64_MAX : previous_tick + wait;
  const double mean_mw = spikes->height_w * (double)FW_MW_PER_W;
  *height = (fw_power_mw)floor(-fw_log(fw_random_uniform(stream, n, 1)) * mean_mw + 0.5);
  return true;
}

static fw_status check_memory(double lag1, const char *memory_key, const char *lag1_key, const fw_json_value *value,
                              fw_diagnostics *diagnostics) {
  const fw_json_value *lag1_value = fw_json_get(value, lag1_key);
  if (lag1_value == NULL) return FW_OK;
  if (fw_json_get(value, memory_key) != NULL) {
    return fw_json_error(lag1_value, diagnostics, "is given together with \"%s\"; give one of the two", memory_key);
  }
  if (lag1 >= 1.0) return fw_json_error(lag1_value, diagnostics, "must be below 1");
  return FW_OK;
}

static fw_status check_phase(const fw_residual_phase *phase, int64_t gpus, const fw_json_value *value,
                             fw_diagnostics *diagnostics) {
  const fw_json_value *contrast = fw_record_member(value, "contrast");
  if (gpus == 1 && contrast != value) {
    char path[FW_JSON_PATH_SIZE];
    fw_warning(diagnostics, fw_json_place(contrast, path), "has no effect: a job of one GPU has no contrasts");
  }
  const fw_status total_status = fwi_marginal_check(&phase->total, fw_record_member(value, "total"), diagnostics);
  return fwi_worse(total_status, fwi_marginal_check(&phase->contrast, contrast, diagnostics));
}

fw_status fwi_residual_check(const fw_residual_model *model, int64_t gpus, const fw_json_value *value,
                             fw_diagnostics *diagnostics) {
  const fw_status total = check_memory(model->total_lag1, "total_memory_s", "total_lag1", value, diagnostics);
  const fw_status contrast =
      check_memory(model->contrast_lag1, "contrast_memory_s", "contrast_lag1", value, diagnostics);
  fw_status status = fwi_worse(total, contrast);
  for (size_t i = 0; i < FW_PHASE_COUNT; i++) {
    const fw_json_value *phase = fw_json_get(value, fw_phase_names[i]);
    if (phase != NULL) status = fwi_worse(status, check_phase(&model->phase[i], gpus, phase, diagnostics));
  }
  return status;
}

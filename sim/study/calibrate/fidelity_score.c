/* Scores of one run: signal by signal, window by window, seed by seed. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "sim/study/calibrate/fidelity_room.h"
#include "sim/study/calibrate/rolling.h"

static const double budget_shares[FW_FIDELITY_BUDGETS] = {0.80, 0.90, 0.95, 0.99};
static const double tail_shares[] = {0.50, 0.90, 0.95, 0.99, 0.999};
#define TAILS (sizeof tail_shares / sizeof tail_shares[0])

/* The sum over the GPUs (SIZE_MAX), or one GPU, at a tick. */
static int64_t power_at(const fw_fidelity_run *run, const fw_power_mw *power, size_t tick, size_t gpu) {
  const fw_power_mw *row = &power[tick * run->gpu_count];
  if (gpu != SIZE_MAX) return row[gpu];
  int64_t sum = 0;
  for (size_t g = 0; g < run->gpu_count; g++) {
    if (row[g] == FW_FIDELITY_BREAK) return FW_FIDELITY_BREAK;
    sum = sum < 0 || row[g] < 0 ? FW_FIDELITY_UNKNOWN : sum + row[g];
  }
  return sum;
}

static void take_recorded(const fw_fidelity_run *run, size_t gpu, int64_t *out) {
  for (size_t t = 0; t < run->tick_count; t++) {
    out[t] = power_at(run, run->recorded, t, gpu);
  }
}

/* Where the recording is not known, neither is the simulation. */
static void take_simulated(const fw_fidelity_run *run, size_t seed, size_t gpu, const int64_t *recorded, int64_t *out) {
  for (size_t t = 0; t < run->tick_count; t++) {
    out[t] = recorded[t] < 0 ? recorded[t] : power_at(run, run->simulated[seed], t, gpu);
  }
}

static fwi_lags lags_of(fw_time_ns tick, size_t n) {
  size_t stride = tick < FW_NS_PER_S ? (size_t)(FW_NS_PER_S / tick) : 1;
  size_t last = (size_t)(FWI_LAG_SECONDS * FW_NS_PER_S / tick);
  if (last > FWI_LAG_SECONDS * stride) last = FWI_LAG_SECONDS * stride;
  size_t first = (n + stride - 1) / stride * stride;
  return (fwi_lags){first, stride, first > last ? 0 : (last - first) / stride + 1};
}

/* Energy error, bias and NRMSE. */
static void score_path(const fwi_fidelity_room *room, size_t ticks, const fwi_window_facts *facts, double *scores) {
  double recorded = 0.0, difference = 0.0, squares = 0.0;
  for (size_t t = 0; t < ticks; t++) {
    if (room->sums[t] < 0) continue;
    double d = (double)(room->simulated_sums[t] - room->sums[t]);
    recorded += (double)room->sums[t];
    difference += d;
    squares += d * d;
  }
  double range = (double)(room->sorted[facts->full - 1] - room->sorted[0]);
  scores[FW_FIDELITY_BIAS] = recorded > 0.0 ? difference / recorded : (double)NAN;
  scores[FW_FIDELITY_ENERGY] = fabs(scores[FW_FIDELITY_BIAS]);
  scores[FW_FIDELITY_NRMSE] = range > 0.0 ? sqrt(squares / (double)facts->full) / range : (double)NAN;
}

static void score_distribution(const fwi_fidelity_room *room, const fwi_window_facts *facts, double *scores) {
  scores[FW_FIDELITY_KS] = fwi_rolling_ks(room->sorted, facts->full, room->simulated_sorted, facts->full);
  for (size_t i = 0; i < TAILS; i++) {
    double recorded = (double)fwi_rolling_percentile(room->sorted, facts->full, tail_shares[i]);
    double predicted = (double)fwi_rolling_percentile(room->simulated_sorted, facts->full, tail_shares[i]);
    scores[FW_FIDELITY_P50 + i] = recorded > 0.0 ? (predicted - recorded) / recorded : (double)NAN;
  }
}

static double acf_r2(const double *predicted, const double *recorded, size_t count) {
  double mean = 0.0, missed = 0.0, all = 0.0;
  for (size_t i = 0; i < count; i++) {
    mean += recorded[i] / (double)count;
  }
  for (size_t i = 0; i < count; i++) {
    missed += (predicted[i] - recorded[i]) * (predicted[i] - recorded[i]);
    all += (recorded[i] - mean) * (recorded[i] - mean);
  }
  return all > 0.0 ? 1.0 - missed / all : (double)NAN;
}

static void score_memory(const fwi_fidelity_room *room, size_t ticks, const fwi_window_facts *facts, double *scores) {
  double predicted[FWI_LAG_SECONDS] = {0.0}; /* remains where the simulation does not vary */
  scores[FW_FIDELITY_ACF_R2] = scores[FW_FIDELITY_ACF_MAE] = (double)NAN;
  if (!facts->has_acf) return;
  fwi_fidelity_acf(room->simulated_sums, ticks, facts->at, predicted);
  scores[FW_FIDELITY_ACF_R2] = acf_r2(predicted, facts->acf, facts->at.count);
  scores[FW_FIDELITY_ACF_MAE] = fwi_fidelity_acf_mae(predicted, facts->acf, facts->at.count);
}

/* The scores of one seed, and what it adds to the predicted rates. */
static void score_seed(const fw_fidelity_run *run, size_t seed, size_t gpu, fwi_fidelity_room *room,
                       const fwi_window_facts *facts, fw_fidelity_window *out) {
  double scores[FW_FIDELITY_METRICS] = {0.0};
  take_simulated(run, seed, gpu, room->recorded, room->simulated);
  fwi_rolling_sums(room->simulated, run->tick_count, facts->n, room->simulated_sums);
  fwi_rolling_known(room->simulated_sums, run->tick_count, room->simulated_sorted);
  fwi_rolling_sort(room->simulated_sorted, facts->full);
  score_path(room, run->tick_count, facts, scores);
  score_distribution(room, facts, scores);
  score_memory(room, run->tick_count, facts, scores);
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    double rate = fwi_rolling_rate(room->simulated_sorted, facts->full, facts->budget[b]);
    out->predicted_rate[b] += rate / (double)run->seed_count;
  }
  for (size_t m = 0; m < FW_FIDELITY_METRICS; m++) {
    room->seed_scores[m * run->seed_count + seed] = scores[m];
  }
}

static void score_seeds(const fw_fidelity_run *run, size_t gpu, fwi_fidelity_room *room, const fwi_window_facts *facts,
                        fw_fidelity_window *out) {
  for (size_t seed = 0; seed < run->seed_count; seed++) {
    score_seed(run, seed, gpu, room, facts, out);
  }
  for (size_t m = 0; m < FW_FIDELITY_VIOLATION_P80; m++) {
    out->scores[m] = fwi_median(&room->seed_scores[m * run->seed_count], run->seed_count);
  }
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    out->scores[FW_FIDELITY_VIOLATION_P80 + b] = fabs(out->predicted_rate[b] - out->recorded_rate[b]);
  }
}

static void describe_window(const fw_fidelity_run *run, const fw_fidelity_signal *signal, fwi_fidelity_room *room,
                            fwi_window_facts *facts, fw_fidelity_window *out) {
  fwi_rolling_known(room->sums, run->tick_count, room->sorted);
  fwi_rolling_sort(room->sorted, facts->full);
  facts->at = lags_of(run->tick, facts->n);
  size_t lags = fwi_fidelity_acf(room->sums, run->tick_count, facts->at, facts->acf);
  facts->has_acf = lags > 0 && lags == facts->at.count;
  double independent =
      (double)signal->known * fw_time_to_seconds(run->tick) / fw_time_to_seconds(signal->correlation_time);
  out->full = facts->full;
  out->blocks = fwi_rolling_blocks(room->recorded, run->tick_count, facts->n);
  out->effective = independent < (double)out->blocks ? independent : (double)out->blocks;
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    facts->budget[b] = fwi_rolling_percentile(room->sorted, facts->full, budget_shares[b]);
    out->budget[b] = facts->budget[b] / (int64_t)facts->n;
    out->recorded_rate[b] = fwi_rolling_rate(room->sorted, facts->full, facts->budget[b]);
  }
}

/* Why a window has no scores. NULL: memory is short. */
static char *reason_text(const fw_fidelity_run *run, fw_time_ns window) {
  char length[FW_UNITS_TEXT_SIZE], tick[FW_UNITS_TEXT_SIZE];
  fw_text text = FW_TEXT_INIT;
  fw_time_format(window, length);
  if (window % run->tick != 0) {
    fw_text_add_format(&text, "the window of %s s is no multiple of the tick of %s s", length,
                       fw_time_format(run->tick, tick));
  } else {
    fw_text_add_format(&text, "no stretch of the recording without a gap is as long as the window of %s s", length);
  }
  if (text.failed) fw_text_clear(&text);
  return text.data;
}

static void clear_figures(fw_fidelity_window *out) {
  for (size_t m = 0; m < FW_FIDELITY_METRICS; m++) {
    out->scores[m] = (double)NAN;
  }
  for (size_t b = 0; b < FW_FIDELITY_BUDGETS; b++) {
    out->recorded_rate[b] = out->predicted_rate[b] = out->own.rate_lo[b] = out->own.rate_hi[b] = (double)NAN;
  }
  out->own.halves_ks = out->own.alternate_ks = out->own.halves_acf_mae = (double)NAN;
}

static fw_status score_window(const fw_fidelity_run *run, const fw_fidelity_signal *signal, fw_time_ns window,
                              fwi_fidelity_room *room, fw_fidelity_window *out, fw_diagnostics *diagnostics) {
  fwi_window_facts facts = {.n = (size_t)(window / run->tick)};
  *out = (fw_fidelity_window){.window = window};
  if (window % run->tick == 0) {
    facts.full = fwi_rolling_sums(room->recorded, run->tick_count, facts.n, room->sums);
  }
  if (facts.full == 0) {
    clear_figures(out);
    out->reason = reason_text(run, window);
    return out->reason == NULL ? fw_error_memory(diagnostics, "a window of a validation") : FW_OK;
  }
  describe_window(run, signal, room, &facts, out);
  score_seeds(run, signal->gpu, room, &facts, out);
  fwi_fidelity_measure_own(run, signal, room, &facts, out);
  return FW_OK;
}

fw_status fwi_fidelity_score_signal(const fw_fidelity_run *run, const fw_time_ns *windows, size_t window_count,
                                    fwi_fidelity_room *room, fw_fidelity_signal *out, fw_diagnostics *diagnostics) {
  out->windows = fw_allocate(window_count, sizeof *out->windows);
  if (out->windows == NULL) return fw_error_memory(diagnostics, "the windows of a validation");
  take_recorded(run, out->gpu, room->recorded);
  out->known = fwi_rolling_sums(room->recorded, run->tick_count, 1, room->sums);
  double ticks = fwi_rolling_correlation(room->recorded, run->tick_count);
  out->correlation_time = (fw_time_ns)(ticks * (double)run->tick);
  for (size_t w = 0; w < window_count; w++) {
    fw_status status = score_window(run, out, windows[w], room, &out->windows[w], diagnostics);
    if (status != FW_OK) return status;
  }
  return FW_OK;
}

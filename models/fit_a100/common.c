/* What the jobs share: measured numbers, the prior's token time, the update's arithmetic. */
#include <stdlib.h>

#include "models/fit_a100/jobs.h"

/* Recordings of S6 on 80 GB boards with clearly idle stretches. */
static const struct {
  const char *name;
  size_t gpus;
} ready_recordings[] = {
    {"vllm_qwen3-8b_tp1_rate2.5", 1},  {"vllm_qwen3-8b_tp1_rate2.5_bursty", 1}, {"vllm_qwen3-8b_tp1_rate2.5_smooth", 1},
    {"vllm_qwen3-8b_tp1_burstgpt", 1}, {"vllm_gemma4-26b-a4b_tp2_rate4", 2},
};
enum { READY_COUNT = sizeof ready_recordings / sizeof ready_recordings[0] };

static fw_status measure_ready(const fwi_inputs *inputs, fwi_common *out, fw_diagnostics *diagnostics) {
  double level_w[READY_COUNT];
  for (size_t i = 0; i < READY_COUNT; i++) {
    fwi_serving serving;
    const fw_status status =
        fwi_serving_read(inputs->data, ready_recordings[i].name, ready_recordings[i].gpus, &serving, diagnostics);
    if (status != FW_OK) return status;
    level_w[i] = fwi_serving_ready_w(&serving);
    fwi_serving_free(&serving);
  }
  out->ready_w = fw_fit_mean(level_w, READY_COUNT);
  out->ready_spread_w = fw_fit_sigma(level_w, READY_COUNT);
  return FW_OK;
}

/* Prompts from which one GPU is bound by compute, as an update is. */
static const double COMPUTE_TOKENS = 900.0;

static double ticks_of_a_segment(const fwi_sample *sample) {
  size_t segments = 0;
  for (size_t i = 0; i < sample->ticks; i++)
    segments += i == 0 || sample->segment[i] != sample->segment[i - 1] ? 1 : 0;
  return segments > 0 ? (double)sample->ticks / (double)segments : 0.0;
}

static fw_status measure_compute(const fwi_inputs *inputs, fwi_common *out, fw_diagnostics *diagnostics) {
  fwi_node node;
  fw_status status = fwi_node_read(inputs->data, "swing_llama2-7b_1gpu", 1, &node, diagnostics);
  if (status != FW_OK) return status;
  out->loading_w = fw_power_to_watts(inputs->gpu->idle) + fwi_node_loading_w(&node) - fwi_node_idle_w(&node);
  fwi_sample sample;
  status = fwi_node_sample(&node, COMPUTE_TOKENS, &sample, diagnostics);
  if (status == FW_OK) {
    const fw_recording recording = fwi_sample_recording(&sample, NULL);
    out->compute_ticks = sample.ticks;
    out->compute_run = ticks_of_a_segment(&sample);
    status = fw_fit_residual(&recording, &out->compute, diagnostics);
    fwi_sample_free(&sample);
  }
  fwi_node_free(&node);
  return status;
}

static fw_status measure_lengths(const fwi_inputs *inputs, fwi_common *out, fw_diagnostics *diagnostics) {
  static const char *const columns[] = {"generated_tokens"};
  const fwi_filter all = {NULL, NULL};
  fw_text path = FW_TEXT_INIT;
  fwi_table table = {0};
  fw_text_add_format(&path, "%s/azure_llm_2023_conv.csv", inputs->data);
  const fw_status status = path.failed ? fw_error_memory(diagnostics, "a path")
                                       : fwi_table_read(path.data, columns, 1, all, &table, diagnostics);
  if (status == FW_OK) out->completion_cv = fw_fit_sigma(table.cell, table.rows) / fw_fit_mean(table.cell, table.rows);
  fwi_table_free(&table);
  fw_text_clear(&path);
  return status;
}

fw_status fwi_measure_common(const fwi_inputs *inputs, fwi_common *out, fw_diagnostics *diagnostics) {
  *out = (fwi_common){0};
  fw_status status = measure_ready(inputs, out, diagnostics);
  if (status == FW_OK) status = measure_compute(inputs, out, diagnostics);
  if (status == FW_OK) status = measure_lengths(inputs, out, diagnostics);
  return status;
}

void fwi_add_identity(fwi_sheet *sheet, const fwi_inputs *inputs, const fwi_identity *identity) {
  const char *study = inputs->published->source;
  sheet->id = identity->id;
  fwi_sheet_number(sheet, "fleetwatt_job", 1.0, FWI_NAME, "", "");
  fwi_sheet_name(sheet, "id", identity->id, FWI_NAME, "", "");
  fwi_sheet_name(sheet, "gpu", inputs->gpu->id, FWI_NAME, "", "");
  fwi_sheet_number(sheet, "gpus", identity->gpus, FWI_PUBLISHED, study, "the study's setting");
  fwi_sheet_name(sheet, "sharding", identity->sharding, FWI_PUBLISHED, study, "the study's setting");
  fwi_sheet_name(sheet, "batching", identity->batching, FWI_ASSUMED, "", identity->batching_basis);
  fwi_sheet_name(sheet, "decision", identity->decision, FWI_PUBLISHED, study, "the study's decision instants");
  fwi_sheet_number(sheet, "tick_s", FWI_TICK_S, FWI_PUBLISHED, study, "the study's sampling period");
}

void fwi_add_law(fwi_sheet *sheet, fwi_law_keys keys, const fw_law *law, fwi_kind kind, const char *source,
                 const char *basis) {
  fwi_sheet_name(sheet, keys.kind, "quantiles", FWI_NAME, "", "");
  fwi_sheet_numbers(sheet, keys.probabilities, fw_law_probabilities, FW_LAW_POINTS, FWI_NAME, "", "");
  fwi_sheet_numbers(sheet, keys.values, law->value_w, FW_LAW_POINTS, kind, source, basis);
}

fw_law fwi_law_scaled(const fw_law *law, double factor) {
  fw_law scaled;
  for (size_t i = 0; i < FW_LAW_POINTS; i++)
    scaled.value_w[i] = factor * law->value_w[i];
  return scaled;
}

double fwi_update_per_token_s(double parameters, double gpus) {
  static const double FLOPS_PER_PARAMETER = 6.0 * 4.0 / 3.0 + 2.0;
  static const double EFFICIENCY = 0.4;
  static const double PEAK_FLOPS = 312e12;
  return FLOPS_PER_PARAMETER * parameters / (EFFICIENCY * PEAK_FLOPS * gpus);
}

fw_line fwi_prior_token_time(const fwi_prior *prior, const fw_array *tokens_per_s) {
  enum { POINTS = 4 };
  double batch[POINTS];
  double token_s[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    batch[i] = fwi_number_at(&prior->batch, i);
    token_s[i] = batch[i] / fwi_number_at(tokens_per_s, i);
  }
  return fw_fit_line(batch, token_s, POINTS);
}

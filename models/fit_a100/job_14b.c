/* 14B on two tensor-parallel GPUs. The study publishes nothing of it alone. Level and residual come from a measured
 * tensor-parallel pair under another model of that size, token time from a prior for a dense 14B model, the update's
 * length from the 7B job and its level from a peak of the fleet. */
#include <math.h>
#include <stdlib.h>

#include "models/fit_a100/jobs.h"
#include "sim/base/elementary.h"
#include "sim/base/memory.h"

static const double PARAMETERS = 14.77e9; /* of Qwen2.5-14B */

enum { GPUS = 2, PASSES = 32 };

static const double PROMPTS = 8.0;
static const double CONCURRENCY = 16.0;

typedef struct job_14b {
  fw_line level; /* S6: watts of one GPU over log2 of requests in flight */
  double held_out_rms_w;
  double held_out_bias_w;
  double most_running;
  size_t ticks;
  fw_residual_fit raw;      /* busy ticks as they are */
  fw_residual_fit residual; /* less the level */
  fw_line prior_token;
  double prefill_per_token_s; /* S2, halved */
  double pause_s;             /* S2 */
  double prior_update_w;
  double update_w;
  double update_per_token_s;
} job_14b;

/* --- level and residual --- */

/* Octaves and mean watts of each tick. */
typedef struct curve {
  double *octaves;
  double *mean_w;
  double *level_w;
} curve;

static void curve_free(curve *points) {
  free(points->octaves);
  free(points->mean_w);
  free(points->level_w);
}

static bool curve_make(const fwi_sample *sample, curve *out) {
  *out = (curve){
      .octaves = fw_allocate(sample->ticks, sizeof(double)),
      .mean_w = fw_allocate(sample->ticks, sizeof(double)),
      .level_w = fw_allocate(sample->ticks, sizeof(double)),
  };
  if (out->octaves == NULL || out->mean_w == NULL || out->level_w == NULL) return false;
  for (size_t i = 0; i < sample->ticks; i++) {
    out->octaves[i] = fw_log2(sample->running[i]);
    out->mean_w[i] = fw_fit_mean(sample->power_w + i * sample->gpus, sample->gpus);
  }
  return true;
}

/* Fitted to the first half of the recording, held against the second. */
static void hold_out(const curve *points, size_t ticks, job_14b *job) {
  const size_t half = ticks / 2;
  const fw_line line = fw_fit_line(points->octaves, points->mean_w, half);
  double square = 0.0;
  double sum = 0.0;
  for (size_t i = half; i < ticks; i++) {
    const double distance_w = points->mean_w[i] - line.intercept - line.slope * points->octaves[i];
    square += distance_w * distance_w;
    sum += distance_w;
  }
  job->held_out_rms_w = sqrt(square / (double)(ticks - half));
  job->held_out_bias_w = sum / (double)(ticks - half);
}

/* As it is: against one level for the whole recording. */
static fw_status fit_raw(const fwi_sample *sample, curve *points, job_14b *job, fw_diagnostics *diagnostics) {
  const double mean_w = fw_fit_mean(points->mean_w, sample->ticks);
  for (size_t i = 0; i < sample->ticks; i++)
    points->level_w[i] = mean_w;
  const fw_recording recording = fwi_sample_recording(sample, points->level_w);
  return fw_fit_residual(&recording, &job->raw, diagnostics);
}

static fw_status fit_curve(const fwi_sample *sample, curve *points, job_14b *job, fw_diagnostics *diagnostics) {
  job->ticks = sample->ticks;
  job->level = fw_fit_line(points->octaves, points->mean_w, sample->ticks);
  hold_out(points, sample->ticks, job);
  fw_status status = fit_raw(sample, points, job, diagnostics);
  for (size_t i = 0; i < sample->ticks; i++) {
    points->level_w[i] = job->level.intercept + job->level.slope * points->octaves[i];
    job->most_running = fmax(job->most_running, sample->running[i]);
  }
  const fw_recording recording = fwi_sample_recording(sample, points->level_w);
  if (status == FW_OK) status = fw_fit_residual(&recording, &job->residual, diagnostics);
  return status;
}

static fw_status fit_pair(const fwi_inputs *inputs, job_14b *job, fw_diagnostics *diagnostics) {
  fwi_serving serving;
  fwi_sample sample = {0};
  curve points = {0};
  fw_status status = fwi_serving_read(inputs->data, "vllm_gemma4-26b-a4b_tp2_rate4", GPUS, &serving, diagnostics);
  if (status != FW_OK) return status;
  status = fwi_serving_sample(&serving, false, &sample, diagnostics);
  if (status == FW_OK && !curve_make(&sample, &points)) status = fw_error_memory(diagnostics, "a level curve");
  if (status == FW_OK) status = fit_curve(&sample, &points, job, diagnostics);
  curve_free(&points);
  fwi_sample_free(&sample);
  fwi_serving_free(&serving);
  return status;
}

/* --- time and update --- */

/* One GPU measured, two assumed to share the work evenly. */
static fw_status measure_prefill(const fwi_inputs *inputs, job_14b *job, fw_diagnostics *diagnostics) {
  fwi_node node;
  fw_line pass = {0};
  fw_status status = fwi_node_read(inputs->data, "swing_llama2-13b_1gpu", 1, &node, diagnostics);
  if (status != FW_OK) return status;
  status = fwi_node_pass_line(&node, PASSES, &pass, diagnostics);
  if (status == FW_OK) status = fwi_node_pause_s(&node, &job->pause_s, diagnostics);
  job->prefill_per_token_s = pass.slope / GPUS;
  fwi_node_free(&node);
  return status;
}

/* The level is solved from a peak of the study's fleet, by simulation. What it would be without: both updates are bound
 * by compute, so that of 14B stands to that of 7B as its prefill does, above idle. */
static void carry_update(const fwi_inputs *inputs, const fwi_common *common, job_14b *job) {
  const fwi_prior *prior = &inputs->published->prior;
  const double idle_w = fw_power_to_watts(inputs->gpu->idle);
  const double ratio = (prior->prefill_14b_w - idle_w) / (prior->prefill_7b_w - idle_w);
  job->prior_update_w = idle_w + ratio * (common->update_w - idle_w);
  job->update_w = inputs->update_14b_w;
  job->update_per_token_s = fwi_update_per_token_s(PARAMETERS, GPUS);
}

/* --- written --- */

static void add_timing(fwi_sheet *sheet, const fwi_inputs *inputs, const fwi_common *common, const job_14b *job) {
  static const char token[] = "line through the prior's token times of a dense 14B model on two GPUs, batches 1 to 128";
  const char *source = inputs->published->prior.source;
  fwi_sheet_number(sheet, "timing.token_base_s", job->prior_token.intercept, FWI_ASSUMED, source, token);
  fwi_sheet_quality(sheet, "rms", job->prior_token.rms * 1000.0, "ms");
  fwi_sheet_number(sheet, "timing.token_per_sequence_s", job->prior_token.slope, FWI_ASSUMED, source, token);
  fwi_sheet_number(sheet, "timing.prefill_per_token_s", job->prefill_per_token_s, FWI_ASSUMED, "S2",
                   "llama2-13b on one GPU (swing): slope of pass time over tokens, halved for two GPUs");
  fwi_sheet_number(sheet, "timing.batch_gap_s", job->pause_s, FWI_MEASURED, "S2",
                   "llama2-13b on one GPU: median pause between generate phases of a bare loop");
  fwi_sheet_number(sheet, "timing.step_gap_s", FWI_STEP_GAP_S, FWI_ASSUMED, "", "as for 7B");
  fwi_sheet_number(sheet, "timing.update_base_s", common->update_base_s, FWI_ASSUMED, "arXiv:2608.11226",
                   "that of the 7B job: parameters of a GPU are about as many");
  fwi_sheet_number(sheet, "timing.update_per_token_s", job->update_per_token_s, FWI_ASSUMED, "",
                   "floating-point work of a 14.77e9 model on two GPUs at 0.4 of the peak");
}

static void add_levels(fwi_sheet *sheet, const fwi_inputs *inputs, const fwi_common *common, const job_14b *job) {
  static const char pair[] = "gemma4-26b-a4b on two tensor-parallel 80 GB GPUs, busy ticks, least squares";
  const char *prior = inputs->published->prior.source;
  fwi_sheet_name(sheet, "levels.rollout.kind", "log2", FWI_ASSUMED, "",
                 "no bend can be told apart in the range measured");
  fwi_sheet_number(sheet, "levels.rollout.p1_w", job->level.intercept, FWI_FITTED, "S6", pair);
  fwi_sheet_quality(sheet, "ticks", (double)job->ticks, "");
  fwi_sheet_quality(sheet, "rms of a tick", job->level.rms, "W");
  fwi_sheet_quality(sheet, "first half fitted, second half rms", job->held_out_rms_w, "W");
  fwi_sheet_quality(sheet, "bias", job->held_out_bias_w, "W");
  fwi_sheet_number(sheet, "levels.rollout.k_w", job->level.slope, FWI_FITTED, "S6", pair);
  fwi_sheet_number(sheet, "levels.rollout.saturation", job->most_running, FWI_ASSUMED, "S6",
                   "flat beyond the most requests seen running");
  fwi_sheet_number(sheet, "levels.prefill_w", inputs->published->prior.prefill_14b_w, FWI_ASSUMED, prior,
                   "the prior's prefill of a 14B model on two GPUs");
  fwi_sheet_number(sheet, "levels.gap_w", common->ready_w, FWI_MEASURED, "S6",
                   "80 GB boards, engine loaded, clocks up, nothing running: mean over 5 recordings");
  fwi_sheet_number(sheet, "levels.update_w", job->update_w, FWI_FITTED, inputs->published->source,
                   "peak of the 30 s mean of the controlled fleet, 3.17 kW, by simulation: fleet.json");
  fwi_sheet_number(sheet, "levels.load_w", common->loading_w, FWI_MEASURED, "S2",
                   "idle power of the GPU file plus what loading a 7B model added to one GPU");
}

/* The update: two GPUs of a synchronous job, each with the residual of one, correlated by r as in the rollout. Their
 * sum then has sqrt(2 (1 + r)) of its sigma, and C(z), of which a contrast is half a difference, sqrt(1 - r). */
static void add_residual(fwi_sheet *sheet, const fwi_common *common, const job_14b *job) {
  static const char pair[] = "gemma4-26b-a4b on two tensor-parallel GPUs, busy ticks less the fitted level";
  static const char update[] = "one GPU's of the 7B job for each of two, correlated as in the rollout";
  const fw_residual_fit *fit = &job->residual;
  const fw_law together = fwi_law_scaled(&common->compute.total, sqrt(GPUS * (1.0 + fit->correlation)));
  const fw_law apart = fwi_law_scaled(&common->compute.total, sqrt(1.0 - fit->correlation));
  fwi_sheet_number(sheet, "residual.total_lag1", fit->total_lag1, FWI_MEASURED, "S6", pair);
  fwi_sheet_quality(sheet, "in watts", fit->total_watt_lag1, "");
  fwi_sheet_quality(sheet, "with the level left in", job->raw.total_watt_lag1, "");
  fwi_sheet_number(sheet, "residual.contrast_lag1", fit->contrast_lag1, FWI_MEASURED, "S6", pair);
  fwi_sheet_quality(sheet, "in watts", fit->contrast_watt_lag1, "");
  fwi_add_law(sheet, FWI_LAW_KEYS("rollout", "total"), &fit->total, FWI_MEASURED, "S6", pair);
  fwi_sheet_quality(sheet, "sd", fit->total_sigma_w, "W");
  fwi_add_law(sheet, FWI_LAW_KEYS("rollout", "contrast"), &fit->contrast, FWI_MEASURED, "S6", pair);
  fwi_sheet_quality(sheet, "sd of a GPU less the mean of both", fit->contrast_sigma_w, "W");
  fwi_add_law(sheet, FWI_LAW_KEYS("update", "total"), &together, FWI_ASSUMED, "S2", update);
  fwi_add_law(sheet, FWI_LAW_KEYS("update", "contrast"), &apart, FWI_ASSUMED, "S2", update);
}

static void add_workload(fwi_sheet *sheet, const fwi_common *common, const job_14b *job) {
  fwi_sheet_number(sheet, "workload.prompts", PROMPTS, FWI_ASSUMED, "", "with the update, steps of one to two minutes");
  fwi_sheet_number(sheet, "workload.group_size", FWI_GROUP_SIZE, FWI_ASSUMED, "", "a usual GRPO group");
  fwi_sheet_number(sheet, "workload.concurrency", CONCURRENCY, FWI_ASSUMED, "",
                   "inside the range that the level was measured in");
  fwi_sheet_number(sheet, "workload.completion_limit", FWI_COMPLETION_LIMIT, FWI_ASSUMED, "", "as for 7B");
  fwi_sheet_number(sheet, "workload.completion_mean", common->completion_mean, FWI_ASSUMED, "arXiv:2608.11226",
                   "as fitted for 7B: the same questions");
  fwi_sheet_number(sheet, "workload.completion_cv", common->completion_cv, FWI_ASSUMED, "S4",
                   "that of conversation answers");
  fwi_sheet_number(sheet, "workload.prompt_tokens", FWI_PROMPT_TOKENS, FWI_ASSUMED, "", "short questions");
  fwi_sheet_number(sheet, "support.concurrency_min", 1.0, FWI_MEASURED, "S6", "fewest requests running");
  fwi_sheet_number(sheet, "support.concurrency_max", job->most_running, FWI_MEASURED, "S6", "most requests running");
}

static void add_beside(fwi_sheet *sheet, const fwi_inputs *inputs, const job_14b *job) {
  fwi_sheet_number(sheet, "prior_update_w", job->prior_update_w, FWI_DERIVED, inputs->published->prior.source,
                   "the 7B job's update, above idle, times the prior's ratio of prefill levels");
  fwi_sheet_number(sheet, "gpu_correlation", job->residual.correlation, FWI_DERIVED, "S6",
                   "between the GPUs at a tick, level taken off");
  fwi_sheet_quality(sheet, "with the level left in", job->raw.correlation, "");
}

fw_status fwi_fit_14b(const fwi_inputs *inputs, const fwi_common *common, fwi_sheet *sheet,
                      fw_diagnostics *diagnostics) {
  job_14b job = {.prior_token =
                     fwi_prior_token_time(&inputs->published->prior, &inputs->published->prior.tokens_per_s_14b)};
  fw_status status = fit_pair(inputs, &job, diagnostics);
  if (status == FW_OK) status = measure_prefill(inputs, &job, diagnostics);
  if (status != FW_OK) return status;
  carry_update(inputs, common, &job);
  fwi_add_identity(sheet, inputs,
                   &(fwi_identity){"qwen2.5-14b", GPUS, "tensor", "continuous",
                                   "the engine of the recording refills its batch", "batch"});
  add_timing(sheet, inputs, common, &job);
  add_levels(sheet, inputs, common, &job);
  add_residual(sheet, common, &job);
  add_workload(sheet, common, &job);
  add_beside(sheet, inputs, &job);
  return FW_OK;
}

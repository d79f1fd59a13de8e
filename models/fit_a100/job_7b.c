/* 7B on one GPU. The study gives energy, tokens and violations of 500 steps. Our reading of a violation: one reading a
 * step, at the decision that ends it, above the budget; that fixes the update's level. The rollout's level is that of a
 * host-bound engine; token time and update time then follow from the step's length and energy, which are linear in
 * both. */
#include <math.h>

#include "models/fit_a100/jobs.h"
#include "models/fit_a100/quiet.h"
#include "sim/base/elementary.h"

static const char STUDY[] = "arXiv:2608.11226";

static const double PARAMETERS = 7.62e9; /* of Qwen2.5-7B */

enum { PASSES = 32, SEQUENCES_MAX = 64 };

/* Prompts from which a pass of the recording is all prefill. */
static const double PREFILL_TOKENS = 2000.0;

typedef struct job_7b {
  double budget_w;
  double violation_rate;
  double tokens;   /* of a step */
  double energy_j; /* of a step */
  double step_s;
  double gap_w;
  double update_w;
  double error_w; /* of a reading */
  double prefill_w;
  fw_line pass;        /* S2 */
  double pause_s;      /* S2 */
  fw_line prior_token; /* t(c) of the prior */
  double engine_w;     /* S8: at engine_concurrency */
  double engine_concurrency;
  fwi_quiet serving;    /* S6 */
  double rollout_scale; /* S6 to S8: ratio of levels above idle */
  double p1_w;
  double k_w;
  fw_workload workload;
  double token_base_s;
  double token_per_sequence_s;
  double update_s;
  double update_per_token_s;
  double update_tokens;
} job_7b;

/* --- the update's level --- */

static double violation_excess(double update_w, const void *context) {
  const struct {
    const job_7b *job;
    const fw_law *law;
  } *search = context;
  return fw_law_exceedance(search->law, search->job->error_w, search->job->budget_w - update_w) -
         search->job->violation_rate;
}

static fw_status fit_update_level(const fwi_common *common, job_7b *job, fw_diagnostics *diagnostics) {
  const struct {
    const job_7b *job;
    const fw_law *law;
  } search = {job, &common->compute.total};
  return fw_fit_root(violation_excess, &search, job->budget_w - 100.0, job->budget_w + 100.0, "the update's level",
                     &job->update_w, diagnostics);
}

/* --- the rollout's level and residual --- */

/* The row of S8 with the smallest batch: nearest to this job's. */
static fw_status measure_engine(const fwi_inputs *inputs, job_7b *job, fw_diagnostics *diagnostics) {
  static const char *const columns[] = {"concurrency_mean", "mean_power_w_per_gpu"};
  const fwi_filter model = {"model", "meta-llama/Meta-Llama-3.1-8B-Instruct"};
  fw_text path = FW_TEXT_INIT;
  fwi_table table = {0};
  fw_text_add_format(&path, "%s/a100_summary_points.csv", inputs->data);
  const fw_status status = path.failed ? fw_error_memory(diagnostics, "a path")
                                       : fwi_table_read(path.data, columns, 2, model, &table, diagnostics);
  job->engine_concurrency = INFINITY;
  for (size_t i = 0; i < table.rows; i++) {
    if (!(fwi_cell(&table, i, 0) < job->engine_concurrency)) continue;
    job->engine_concurrency = fwi_cell(&table, i, 0);
    job->engine_w = fwi_cell(&table, i, 1);
  }
  fwi_table_free(&table);
  fw_text_clear(&path);
  return status;
}

static fw_status measure_serving(const fwi_inputs *inputs, job_7b *job, fw_diagnostics *diagnostics) {
  static const char *const names[] = {"vllm_qwen3-8b_tp1_rate2.5", "vllm_qwen3-8b_tp1_rate2.5_bursty",
                                      "vllm_qwen3-8b_tp1_rate2.5_smooth"};
  return fwi_fit_quiet(inputs->data, names, sizeof names / sizeof names[0], &job->serving, diagnostics);
}

static void fit_rollout_level(const fwi_inputs *inputs, job_7b *job) {
  const double idle_w = fw_power_to_watts(inputs->gpu->idle);
  job->rollout_scale = (job->engine_w - idle_w) / (job->serving.level_w - idle_w);
  job->k_w = fmax(job->rollout_scale * job->serving.k_w, 0.0);
  job->p1_w = job->engine_w - job->k_w * fw_log2(job->engine_concurrency);
}

/* --- token time and update time --- */

static fw_status fit_lengths(const fwi_common *common, job_7b *job, fw_diagnostics *diagnostics) {
  job->workload = (fw_workload){
      .prompts = 1,
      .group_size = (int64_t)FWI_GROUP_SIZE,
      .concurrency = SEQUENCES_MAX,
      .completion_limit = (int64_t)FWI_COMPLETION_LIMIT,
      .completion_cv = common->completion_cv,
      .prompt_tokens = (int64_t)FWI_PROMPT_TOKENS,
  };
  return fw_fit_completion_mean(&job->workload, job->tokens / FWI_GROUP_SIZE, &job->workload.completion_mean,
                                diagnostics);
}

/* The step's length is t0 a + update + fixed, its energy t0 b + update_w update + fixed: two linear equations. */
static fw_status fit_times(job_7b *job, fw_diagnostics *diagnostics) {
  double passes[SEQUENCES_MAX];
  const size_t sequences = (size_t)FWI_GROUP_SIZE;
  const fw_status status = fw_expected_passes(&job->workload, sequences, passes, diagnostics);
  if (status != FW_OK) return status;
  const double ratio = job->prior_token.slope / job->prior_token.intercept;
  double time = 0.0;
  double energy = 0.0;
  for (size_t b = 1; b <= sequences; b++) {
    const double share = passes[b - 1] * (1.0 + ratio * (double)b);
    time += share;
    energy += share * (job->p1_w + job->k_w * fw_log2((double)b));
  }
  const double prefill_s = job->pass.slope * FWI_GROUP_SIZE * FWI_PROMPT_TOKENS;
  const double gap_s = job->pause_s + FWI_STEP_GAP_S;
  const double free_s = job->step_s - prefill_s - gap_s;
  const double free_j = job->energy_j - job->prefill_w * prefill_s - job->gap_w * gap_s;
  job->token_base_s = (job->update_w * free_s - free_j) / (job->update_w * time - energy);
  job->token_per_sequence_s = ratio * job->token_base_s;
  job->update_s = free_s - job->token_base_s * time;
  job->update_tokens = job->tokens + FWI_GROUP_SIZE * FWI_PROMPT_TOKENS;
  job->update_per_token_s = fwi_update_per_token_s(PARAMETERS, 1.0);
  if (job->token_base_s > 0.0 && job->update_s > job->update_per_token_s * job->update_tokens) return FW_OK;
  return fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){0},
                  "no positive token time and update time give the 7B step its length and energy; check the figures");
}

static fw_status measure_prefill(const fwi_inputs *inputs, job_7b *job, fw_diagnostics *diagnostics) {
  fwi_node node;
  fw_status status = fwi_node_read(inputs->data, "swing_llama2-7b_1gpu", 1, &node, diagnostics);
  if (status != FW_OK) return status;
  status = fwi_node_pass_line(&node, PASSES, &job->pass, diagnostics);
  if (status == FW_OK) status = fwi_node_pause_s(&node, &job->pause_s, diagnostics);
  job->prefill_w = fwi_node_level_w(&node, PREFILL_TOKENS);
  fwi_node_free(&node);
  return status;
}

static fw_status fit_job(const fwi_inputs *inputs, const fwi_common *common, job_7b *job, fw_diagnostics *diagnostics) {
  const fwi_published_7b *published = &inputs->published->job_7b;
  *job = (job_7b){
      .budget_w = published->budget_w,
      .violation_rate = published->violations / published->steps,
      .tokens = published->tokens / published->steps,
      .energy_j = published->energy_kwh * 3.6e6 / published->steps,
      .step_s = published->step_s,
      .gap_w = common->ready_w,
      .error_w = fw_sensor_error_mw(&inputs->gpu->sensor, FWI_TICK_S) / (double)FW_MW_PER_W,
      .prior_token = fwi_prior_token_time(&inputs->published->prior, &inputs->published->prior.tokens_per_s_7b),
  };
  fw_status status = fit_update_level(common, job, diagnostics);
  if (status == FW_OK) status = measure_engine(inputs, job, diagnostics);
  if (status == FW_OK) status = measure_serving(inputs, job, diagnostics);
  if (status == FW_OK) status = measure_prefill(inputs, job, diagnostics);
  fit_rollout_level(inputs, job);
  if (status == FW_OK) status = fit_lengths(common, job, diagnostics);
  if (status == FW_OK) status = fit_times(job, diagnostics);
  return status;
}

/* --- written --- */

static void add_timing(fwi_sheet *sheet, const fwi_inputs *inputs, const job_7b *job) {
  fwi_sheet_number(sheet, "timing.token_base_s", job->token_base_s, FWI_FITTED, STUDY,
                   "length and energy of a step, given the levels and the drawn lengths; exact");
  fwi_sheet_number(sheet, "timing.token_per_sequence_s", job->token_per_sequence_s, FWI_ASSUMED,
                   inputs->published->prior.source, "the prior's ratio of slope to base, at the fitted base");
  fwi_sheet_quality(sheet, "prior's line, rms", job->prior_token.rms * 1000.0, "ms");
  fwi_sheet_number(sheet, "timing.prefill_per_token_s", job->pass.slope, FWI_MEASURED, "S2",
                   "llama2-7b on one GPU (swing): slope of pass time over tokens in a pass");
  fwi_sheet_quality(sheet, "rms", job->pass.rms * 1000.0, "ms a pass");
  fwi_sheet_number(sheet, "timing.batch_gap_s", job->pause_s, FWI_MEASURED, "S2",
                   "llama2-7b on one GPU: median pause between generate phases of a bare loop");
  fwi_sheet_number(sheet, "timing.step_gap_s", FWI_STEP_GAP_S, FWI_ASSUMED, "", "rewards and weight sync");
  fwi_sheet_number(sheet, "timing.update_base_s", job->update_s - job->update_per_token_s * job->update_tokens,
                   FWI_FITTED, STUDY, "length and energy of a step, less the part that grows with tokens");
  fwi_sheet_quality(sheet, "whole update", job->update_s, "s");
  fwi_sheet_number(sheet, "timing.update_per_token_s", job->update_per_token_s, FWI_ASSUMED, "",
                   "floating-point work of a 7.62e9 model at 0.4 of the peak");
}

static void add_levels(fwi_sheet *sheet, const fwi_common *common, const job_7b *job) {
  fwi_sheet_name(sheet, "levels.rollout.kind", "log2", FWI_ASSUMED, "", "nearly flat, so the form hardly matters");
  fwi_sheet_number(sheet, "levels.rollout.p1_w", job->p1_w, FWI_MEASURED, "S8, S6",
                   "Llama-3.1-8B on a 40 GB A100, host-bound engine, smallest batch, taken down to 1 by k");
  fwi_sheet_quality(sheet, "measured level", job->engine_w, "W");
  fwi_sheet_quality(sheet, "at a batch of", job->engine_concurrency, "");
  fwi_sheet_number(sheet, "levels.rollout.k_w", job->k_w, FWI_MEASURED, "S6",
                   "qwen3-8b, three arrival patterns, ticks without prefill, scaled by level above idle");
  fwi_sheet_quality(sheet, "unscaled", job->serving.k_w, "W a doubling");
  fwi_sheet_quality(sheet, "at a level of", job->serving.level_w, "W");
  fwi_sheet_number(sheet, "levels.prefill_w", job->prefill_w, FWI_MEASURED, "S2",
                   "llama2-7b on one 40 GB GPU: mean over passes of 2,000 tokens or more");
  fwi_sheet_number(sheet, "levels.gap_w", job->gap_w, FWI_MEASURED, "S6",
                   "80 GB boards, engine loaded, clocks up, nothing running: mean over 5 recordings");
  fwi_sheet_quality(sheet, "spread between recordings", common->ready_spread_w, "W");
  fwi_sheet_number(sheet, "levels.update_w", job->update_w, FWI_FITTED, STUDY,
                   "216 of 500 readings that end an update lie above 314.6 W, given the update's residual; exact");
  fwi_sheet_quality(sheet, "error of a reading", job->error_w, "W");
  fwi_sheet_number(sheet, "levels.load_w", common->loading_w, FWI_MEASURED, "S2",
                   "idle power of the GPU file plus what loading a 7B model added to one GPU");
}

static void add_residual(fwi_sheet *sheet, const fwi_common *common, const job_7b *job) {
  static const char compute[] = "llama2-7b on one GPU (swing), phases with prompts of 900 tokens or more";
  const fw_law rollout = fwi_law_scaled(&job->serving.residual.total, job->rollout_scale);
  fwi_sheet_number(sheet, "residual.total_lag1", common->compute.total_lag1, FWI_MEASURED, "S2", compute);
  fwi_sheet_quality(sheet, "ticks", (double)common->compute_ticks, "");
  fwi_sheet_quality(sheet, "low by about 1/n, as means of n =", common->compute_run, "ticks are taken off");
  fwi_sheet_quality(sheet, "rollout's in S6", job->serving.residual.total_watt_lag1, "");
  fwi_add_law(sheet, FWI_LAW_KEYS("prefill", "total"), &common->compute.total, FWI_MEASURED, "S2", compute);
  fwi_add_law(sheet, FWI_LAW_KEYS("rollout", "total"), &rollout, FWI_MEASURED, "S6",
              "qwen3-8b, ticks without prefill, less the level, scaled by level above idle");
  fwi_sheet_quality(sheet, "ticks", (double)job->serving.ticks, "");
  fwi_sheet_quality(sheet, "sd unscaled", job->serving.residual.total_sigma_w, "W");
  fwi_add_law(sheet, FWI_LAW_KEYS("update", "total"), &common->compute.total, FWI_MEASURED, "S2", compute);
  fwi_sheet_quality(sheet, "ticks", (double)common->compute_ticks, "");
  fwi_sheet_quality(sheet, "sd", common->compute.total_sigma_w, "W");
}

static void add_workload(fwi_sheet *sheet, const job_7b *job) {
  fwi_sheet_number(sheet, "workload.prompts", (double)job->workload.prompts, FWI_ASSUMED, "",
                   "one group a step: with the published tokens a completion then has a usual length");
  fwi_sheet_number(sheet, "workload.group_size", (double)job->workload.group_size, FWI_ASSUMED, "",
                   "a usual GRPO group");
  fwi_sheet_number(sheet, "workload.concurrency", (double)job->workload.concurrency, FWI_ASSUMED, "",
                   "above prompts x group size, so that no limit binds and group size moves occupancy");
  fwi_sheet_number(sheet, "workload.completion_limit", (double)job->workload.completion_limit, FWI_ASSUMED, "",
                   "a usual limit");
  fwi_sheet_number(sheet, "workload.completion_mean", job->workload.completion_mean, FWI_FITTED, STUDY,
                   "published tokens of a step over 8 completions, before the cut; exact");
  fwi_sheet_quality(sheet, "after the cut", job->tokens / FWI_GROUP_SIZE, "tokens");
  fwi_sheet_number(sheet, "workload.completion_cv", job->workload.completion_cv, FWI_ASSUMED, "S4",
                   "that of conversation answers; the study does not state its own");
  fwi_sheet_number(sheet, "workload.prompt_tokens", (double)job->workload.prompt_tokens, FWI_ASSUMED, "",
                   "short questions");
  fwi_sheet_number(sheet, "support.concurrency_min", 1.0, FWI_ASSUMED, "S6", "requests running in S6 begin at 1");
  fwi_sheet_number(sheet, "support.concurrency_max", floor(job->engine_concurrency + 0.5), FWI_MEASURED, "S8",
                   "batch that the level was measured at");
}

static void add_beside(fwi_sheet *sheet, const fwi_common *common, const job_7b *job) {
  fwi_sheet_number(sheet, "mean_w", job->energy_j / job->step_s, FWI_DERIVED, STUDY, "energy over length of a step");
  fwi_sheet_number(sheet, "tokens_per_s", job->tokens / job->step_s, FWI_DERIVED, STUDY,
                   "tokens over length of a step");
  fwi_sheet_number(sheet, "update_share", job->update_s / job->step_s, FWI_DERIVED, STUDY,
                   "of the step's time, from its energy");
  fwi_sheet_number(sheet, "true_violation_rate",
                   fw_law_exceedance(&common->compute.total, 0.0, job->budget_w - job->update_w), FWI_DERIVED, STUDY,
                   "ticks of the update truly above the budget; readings: the published share");
}

fw_status fwi_fit_7b(const fwi_inputs *inputs, fwi_common *common, fwi_sheet *sheet, fw_diagnostics *diagnostics) {
  job_7b job;
  const fw_status status = fit_job(inputs, common, &job, diagnostics);
  if (status != FW_OK) return status;
  common->update_w = job.update_w;
  common->update_base_s = job.update_s - job.update_per_token_s * job.update_tokens;
  common->completion_mean = job.workload.completion_mean;
  fwi_add_identity(sheet, inputs,
                   &(fwi_identity){"qwen2.5-7b", inputs->published->job_7b.gpus, "single", "static",
                                   "all sequences of the step start together and drain", "step"});
  add_timing(sheet, inputs, &job);
  add_levels(sheet, common, &job);
  add_residual(sheet, common, &job);
  add_workload(sheet, &job);
  add_beside(sheet, common, &job);
  return FW_OK;
}

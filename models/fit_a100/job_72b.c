/* 72B on four layer-sharded GPUs, generation only. Token time and level come from the two static arms, the budget and
 * the residual from violation rates; what is left of the published tables is predicted, not fitted. */
#include <math.h>

#include "models/fit_a100/jobs.h"
#include "sim/base/elementary.h"

static const char STUDY[] = "arXiv:2608.11226";

enum { PASSES = 32 }; /* tokens of each generate phase of S2 */

/* Prompts from which the layer-sharded recording draws the same whatever their length. */
static const double SATURATED_TOKENS = 500.0;

static const double MOST_CONCURRENCY = 8.0;

typedef struct job_72b {
  fw_batch_facts facts;
  fw_static_arm arm[2]; /* uncontrolled, safe */
  fw_static_fit fit;
  fw_rate_fit rates;
  double trained_concurrency; /* constant one with the mean power of the trained arm */
  fw_line pass;               /* S2: seconds of a pass over tokens in it */
  double pause_s;             /* S2: between generate phases */
  fw_residual_fit recorded;   /* S2 as it is */
  fw_residual_fit contrast;   /* S2 scaled to the level at one sequence */
  double contrast_span_w;     /* that level less idle power */
  size_t contrast_ticks;
} job_72b;

/* --- measured --- */

/* Every tick's distance from the mean of its phase, in units of (level - idle), times `span_w`: contrasts grow with
 * what a GPU draws above idle, so this is what they are where that is `span_w`. */
static void rescale(fwi_sample *sample, double idle_w, double span_w) {
  size_t first = 0;
  while (first < sample->ticks) {
    size_t end = first;
    while (end < sample->ticks && sample->segment[end] == sample->segment[first])
      end++;
    double *power_w = sample->power_w + first * sample->gpus;
    const size_t cells = (end - first) * sample->gpus;
    const double level_w = fw_fit_mean(power_w, cells);
    for (size_t i = 0; i < cells; i++)
      power_w[i] = (power_w[i] - level_w) / (level_w - idle_w) * span_w;
    first = end;
  }
}

static fw_status fit_contrasts(const fwi_inputs *inputs, const fwi_node *node, job_72b *job,
                               fw_diagnostics *diagnostics) {
  fwi_sample sample;
  fw_status status = fwi_node_sample(node, 0.0, &sample, diagnostics);
  if (status != FW_OK) return status;
  const fw_recording recording = fwi_sample_recording(&sample, NULL);
  status = fw_fit_residual(&recording, &job->recorded, diagnostics);
  job->contrast_ticks = sample.ticks;
  job->contrast_span_w = job->fit.p1_w - fw_power_to_watts(inputs->gpu->idle);
  rescale(&sample, fwi_node_idle_w(node), job->contrast_span_w);
  if (status == FW_OK) status = fw_fit_residual(&recording, &job->contrast, diagnostics);
  fwi_sample_free(&sample);
  return status;
}

/* --- fitted --- */

typedef struct length_search {
  const fwi_published_72b *published;
  const job_72b *job;
} length_search;

static double log_interval(const job_72b *job, double concurrency) {
  const fw_cycle cycle = fw_static_cycle(&job->facts, &job->fit, concurrency, 0.0);
  return fw_log(fw_cycle_duration_s(&cycle));
}

/* Batches of 1 and of 8 lie as far inside the ends of the published range, as a ratio. */
static double length_excess(double tokens, const void *context) {
  const length_search *search = context;
  job_72b job = *search->job;
  job.facts.completion_tokens = tokens;
  if (fw_fit_static_arms(&job.facts, &job.arm[0], &job.arm[1], &job.fit, NULL) != FW_OK) return -1.0;
  const fw_array *range = &search->published->batch_interval_s;
  return log_interval(&job, 1.0) + log_interval(&job, MOST_CONCURRENCY) - fw_log(fwi_number_at(range, 0)) -
         fw_log(fwi_number_at(range, 1));
}

static fw_status fit_level_and_time(const fwi_published_72b *published, job_72b *job, fw_diagnostics *diagnostics) {
  const fwi_published_arm *arm = published->static_arms.data;
  for (size_t i = 0; i < 2; i++) {
    job->arm[i] = (fw_static_arm){arm[i].concurrency, arm[i].tokens / published->run_s, arm[i].wh_per_1k};
  }
  const length_search search = {published, job};
  double tokens = 0.0;
  const fw_status status =
      fw_fit_root(length_excess, &search, 100.0, 2000.0, "the completion length", &tokens, diagnostics);
  job->facts.completion_tokens = floor(tokens + 0.5);
  if (status != FW_OK) return status;
  return fw_fit_static_arms(&job->facts, &job->arm[0], &job->arm[1], &job->fit, diagnostics);
}

static double trained_mean_w(const fwi_published_72b *published) {
  return published->trained_arm.tokens / 1000.0 * published->trained_arm.wh_per_1k * 3600.0 / published->run_s;
}

/* The 30 s rates of the static arms and the 0.5 s rate of the window table, which the trained arm explains. */
static fw_status fit_rates(const fwi_published_72b *published, job_72b *job, fw_diagnostics *diagnostics) {
  const fwi_published_arm *arm = published->static_arms.data;
  fw_status status = fw_fit_concurrency(&job->facts, &job->fit, trained_mean_w(published), MOST_CONCURRENCY,
                                        &job->trained_concurrency, diagnostics);
  if (status != FW_OK) return status;
  const size_t long_ticks = (size_t)(30.0 / FWI_TICK_S);
  const fw_rate_figure figure[3] = {
      {fw_static_cycle(&job->facts, &job->fit, arm[0].concurrency, 1.0), long_ticks, arm[0].rate_30s},
      {fw_static_cycle(&job->facts, &job->fit, arm[1].concurrency, 1.0), long_ticks, arm[1].rate_30s},
      {fw_static_cycle(&job->facts, &job->fit, job->trained_concurrency, 1.0), 1,
       fwi_number_at(&published->window_rate, 0)},
  };
  return fw_fit_rates(figure, FWI_TICK_S, &job->rates, diagnostics);
}

static fw_status fit_job(const fwi_inputs *inputs, const fwi_common *common, const fwi_node *node, job_72b *job,
                         fw_diagnostics *diagnostics) {
  const fwi_published_72b *published = &inputs->published->job_72b;
  fw_status status = fwi_node_pass_line(node, PASSES, &job->pass, diagnostics);
  if (status == FW_OK) status = fwi_node_pause_s(node, &job->pause_s, diagnostics);
  job->facts = (fw_batch_facts){
      .gpus = published->gpus,
      .prompt_tokens = FWI_PROMPT_TOKENS,
      .prefill_per_token_s = job->pass.slope,
      .batch_gap_s = job->pause_s,
      .prefill_w = fwi_node_level_w(node, SATURATED_TOKENS),
      .gap_w = common->ready_w,
  };
  if (status == FW_OK) status = fit_level_and_time(published, job, diagnostics);
  if (status == FW_OK) status = fit_rates(published, job, diagnostics);
  if (status == FW_OK) status = fit_contrasts(inputs, node, job, diagnostics);
  return status;
}

/* --- written --- */

static void add_timing(fwi_sheet *sheet, const job_72b *job) {
  static const char exact[] = "tokens of the static arms of 8 and 4, whole cycles, gap and prefill taken off; exact";
  fwi_sheet_number(sheet, "timing.token_base_s", job->fit.token_base_s, FWI_FITTED, STUDY, exact);
  fwi_sheet_number(sheet, "timing.token_per_sequence_s", job->fit.token_per_sequence_s, FWI_FITTED, STUDY, exact);
  fwi_sheet_number(sheet, "timing.prefill_per_token_s", job->facts.prefill_per_token_s, FWI_MEASURED, "S2",
                   "llama2-70b layer-sharded on 4 GPUs (swing): slope of pass time over tokens in a pass");
  fwi_sheet_quality(sheet, "rms", job->pass.rms * 1000.0, "ms a pass");
  fwi_sheet_number(sheet, "timing.batch_gap_s", job->facts.batch_gap_s, FWI_MEASURED, "S2",
                   "llama2-70b layer-sharded on 4 GPUs: median pause between generate phases of a bare loop");
  fwi_sheet_number(sheet, "timing.step_gap_s", 0.0, FWI_PUBLISHED, STUDY, "generation only: no update follows");
  fwi_sheet_number(sheet, "timing.update_base_s", 0.0, FWI_PUBLISHED, STUDY, "generation only");
  fwi_sheet_number(sheet, "timing.update_per_token_s", 0.0, FWI_PUBLISHED, STUDY, "generation only");
}

static void add_levels(fwi_sheet *sheet, const fwi_common *common, const job_72b *job) {
  static const char exact[] = "energy of the static arms of 8 and 4, gap and prefill taken off; exact";
  fwi_sheet_name(sheet, "levels.rollout.kind", "log2", FWI_ASSUMED, "",
                 "two points fix two numbers; the form is checked by the predicted swings");
  fwi_sheet_number(sheet, "levels.rollout.p1_w", job->fit.p1_w, FWI_FITTED, STUDY, exact);
  fwi_sheet_number(sheet, "levels.rollout.k_w", job->fit.k_w, FWI_FITTED, STUDY, exact);
  fwi_sheet_number(sheet, "levels.prefill_w", job->facts.prefill_w, FWI_MEASURED, "S2",
                   "llama2-70b layer-sharded on 4 GPUs: mean over passes of 500 tokens or more");
  fwi_sheet_number(sheet, "levels.gap_w", job->facts.gap_w, FWI_MEASURED, "S6",
                   "80 GB boards, engine loaded, clocks up, nothing running: mean over 5 recordings");
  fwi_sheet_quality(sheet, "spread between recordings", common->ready_spread_w, "W");
  fwi_sheet_number(sheet, "levels.update_w", job->facts.prefill_w, FWI_ASSUMED, "",
                   "never used: the job has no update; set to the prefill level");
  fwi_sheet_number(sheet, "levels.load_w", common->loading_w, FWI_MEASURED, "S2",
                   "idle power of the GPU file plus what loading a 7B model added to one GPU");
}

static void add_residual(fwi_sheet *sheet, const job_72b *job) {
  static const char rates[] = "30 s rates of static 8 and 4, 0.5 s rate of the window table; exact";
  static const char contrasts[] =
      "generate phases of llama2-70b on 4 GPUs, scaled by (level - idle) to the level at one sequence";
  fwi_sheet_number(sheet, "residual.total_memory_s", job->rates.memory_s, FWI_FITTED, STUDY,
                   "30 s rates of static 8 and 4, 0.5 s rate of the window table taken to be the trained arm; exact");
  fwi_sheet_quality(sheet, "lag-1 at a tick", fw_exp(-FWI_TICK_S / job->rates.memory_s), "");
  fwi_sheet_quality(sheet, "lag-1 of the sum in S2", job->recorded.total_watt_lag1, "");
  fwi_sheet_number(sheet, "residual.contrast_lag1", job->contrast.contrast_lag1, FWI_MEASURED, "S2", contrasts);
  fwi_sheet_quality(sheet, "in watts", job->contrast.contrast_watt_lag1, "");
  fwi_sheet_number(sheet, "residual.contrast_span_w", job->contrast_span_w, FWI_FITTED, STUDY,
                   "level at one sequence less idle power: where the contrasts below stand; they grow with the level");
  fwi_sheet_name(sheet, "residual.prefill.total.kind", "gaussian", FWI_NAME, "", "");
  fwi_sheet_number(sheet, "residual.prefill.total.sigma_w", job->rates.sigma_w, FWI_FITTED, STUDY, rates);
  fwi_sheet_name(sheet, "residual.rollout.total.kind", "gaussian", FWI_NAME, "", "");
  fwi_sheet_number(sheet, "residual.rollout.total.sigma_w", job->rates.sigma_w, FWI_FITTED, STUDY, rates);
  fwi_add_law(sheet, FWI_LAW_KEYS("rollout", "contrast"), &job->contrast.contrast, FWI_MEASURED, "S2", contrasts);
  fwi_sheet_quality(sheet, "ticks", (double)job->contrast_ticks, "");
  fwi_sheet_quality(sheet, "sd of a GPU less the mean of all", job->contrast.contrast_sigma_w, "W");
}

static void add_workload(fwi_sheet *sheet, const job_72b *job) {
  fwi_sheet_number(sheet, "workload.prompts", MOST_CONCURRENCY, FWI_ASSUMED, "",
                   "with group size 8: 64 sequences a step, so a concurrency limit always binds");
  fwi_sheet_number(sheet, "workload.group_size", FWI_GROUP_SIZE, FWI_ASSUMED, "", "a usual GRPO group");
  fwi_sheet_number(sheet, "workload.concurrency", MOST_CONCURRENCY, FWI_PUBLISHED, STUDY, "the uncontrolled arm");
  fwi_sheet_number(sheet, "workload.completion_limit", job->facts.completion_tokens, FWI_FITTED, STUDY,
                   "batches of 1 and 8 lie evenly inside the published 12 to 21 s");
  fwi_sheet_number(sheet, "workload.completion_mean", job->facts.completion_tokens, FWI_ASSUMED, "",
                   "every completion reaches the limit: spread of lengths is not identifiable");
  fwi_sheet_number(sheet, "workload.completion_cv", 0.0, FWI_ASSUMED, "",
                   "every completion reaches the limit: spread of lengths is not identifiable");
  fwi_sheet_number(sheet, "workload.prompt_tokens", FWI_PROMPT_TOKENS, FWI_ASSUMED, "", "short questions");
  fwi_sheet_number(sheet, "support.concurrency_min", 1.0, FWI_PUBLISHED, STUDY,
                   "the study's actuator range; 1 and 2 follow from the form, not from the fit");
  fwi_sheet_number(sheet, "support.concurrency_max", MOST_CONCURRENCY, FWI_PUBLISHED, STUDY,
                   "the study's actuator range");
}

static void add_prediction(fwi_sheet *sheet, const char *key, double value, double published, const char *basis) {
  fwi_sheet_number(sheet, key, value, FWI_PREDICTED, STUDY, basis);
  fwi_sheet_quality(sheet, "published", published, "");
}

static void predict_actuators(fwi_sheet *sheet, const fwi_published_72b *published, const job_72b *job) {
  const fw_cycle one = fw_static_cycle(&job->facts, &job->fit, 1.0, 0.0);
  const fw_cycle four = fw_static_cycle(&job->facts, &job->fit, 4.0, 0.0);
  const fw_cycle eight = fw_static_cycle(&job->facts, &job->fit, 8.0, 0.0);
  const double one_rate = one.tokens / fw_cycle_duration_s(&one);
  const char *basis = "concurrency 1 against the top of the range";
  add_prediction(sheet, "throughput_ratio_1_to_8", eight.tokens / fw_cycle_duration_s(&eight) / one_rate,
                 published->throughput_ratio_1_to_8, basis);
  add_prediction(sheet, "throughput_ratio_1_to_4", four.tokens / fw_cycle_duration_s(&four) / one_rate,
                 published->throughput_ratio_1_to_4, basis);
  add_prediction(sheet, "mean_swing_1_to_8", 1.0 - fw_cycle_mean_w(&one) / fw_cycle_mean_w(&eight),
                 published->mean_swing_1_to_8, basis);
  add_prediction(sheet, "mean_swing_1_to_4", 1.0 - fw_cycle_mean_w(&one) / fw_cycle_mean_w(&four),
                 published->mean_swing_1_to_4, basis);
  /* A pause at the gap's level lowers the mean by its share of the time, 1 - 1/ratio, times the drop. */
  const double pause_share = 1.0 - 1.0 / published->pause_throughput_ratio;
  const double drop = 1.0 - job->facts.gpus * job->facts.gap_w / fw_cycle_mean_w(&eight);
  add_prediction(sheet, "pause_mean_swing", pause_share * drop, published->pause_mean_swing,
                 "a pause at the gap level that costs the published throughput, at concurrency 8");
}

static double rate_of(const job_72b *job, double concurrency, double window_s) {
  const fw_cycle cycle = fw_static_cycle(&job->facts, &job->fit, concurrency, job->rates.sigma_w);
  const fw_window window = {FWI_TICK_S, (size_t)(window_s / FWI_TICK_S), fw_exp(-FWI_TICK_S / job->rates.memory_s)};
  return fw_cycle_violation(&cycle, &window, job->rates.budget_w);
}

static void predict_rates(fwi_sheet *sheet, const fwi_published_72b *published, const job_72b *job) {
  static const char *const keys[] = {"rate_10s", "rate_30s", "rate_300s"};
  static const char basis[] = "a constant concurrency with the trained arm's mean power, against the window table";
  for (size_t i = 0; i < 3; i++) {
    const double window_s = fwi_number_at(&published->window_s, i + 1);
    add_prediction(sheet, keys[i], rate_of(job, job->trained_concurrency, window_s),
                   fwi_number_at(&published->window_rate, i + 1), basis);
    if (window_s == 30.0) fwi_sheet_quality(sheet, "of the trained arm itself", published->trained_arm.rate_30s, "");
  }
}

static void add_beside(fwi_sheet *sheet, const fwi_published_72b *published, const job_72b *job) {
  fwi_sheet_number(sheet, "budget_w", job->rates.budget_w, FWI_DERIVED, STUDY,
                   "the study does not state it: found with the residual from the violation rates");
  fwi_sheet_number(sheet, "trained_concurrency", job->trained_concurrency, FWI_DERIVED, STUDY,
                   "constant concurrency with the mean power of the trained arm");
  predict_actuators(sheet, published, job);
  predict_rates(sheet, published, job);
  fwi_sheet_number(sheet, "gpu_correlation",
                   fw_gpu_correlation(job->rates.sigma_w, job->contrast.contrast_sigma_w, (size_t)job->facts.gpus),
                   FWI_PREDICTED, "S2", "between GPUs at a tick of the rollout, sum from the study, contrasts from S2");
  fwi_sheet_quality(sheet, "recording", job->recorded.correlation, "");
}

/* --- how much the pause after a batch matters --- */

static void add_cell(fw_text *out, double value, int digits) {
  fw_text_add(out, " ");
  fw_text_add_number(out, value, digits);
  fw_text_add(out, " |");
}

/* The same fit with another pause; prefill stays as measured. */
static void add_gap(fwi_sheet *sheet, const fwi_published_72b *published, const job_72b *fitted, double gap_s) {
  fw_text *out = &sheet->appendix;
  job_72b job = *fitted;
  job.facts.batch_gap_s = gap_s;
  fw_text_add(out, "|");
  add_cell(out, gap_s, 3);
  if (fit_level_and_time(published, &job, NULL) != FW_OK || fit_rates(published, &job, NULL) != FW_OK) {
    fw_text_add(out, " no solution | | | |\n");
    return;
  }
  add_cell(out, job.rates.budget_w, 4);
  add_cell(out, job.rates.sigma_w, 3);
  add_cell(out, job.rates.memory_s, 2);
  add_cell(out, 100.0 * rate_of(&job, job.trained_concurrency, 10.0), 3);
  fw_text_add(out, "\n");
}

static void add_gaps(fwi_sheet *sheet, const fwi_published_72b *published, const job_72b *job) {
  static const double others_s[] = {0.3, 0.5, 1.0, 2.0};
  fw_text_add(
      &sheet->appendix,
      "With another pause after a batch than the measured one, which comes first:\n\n"
      "| pause, s | budget, W | sigma at a tick, W | memory, s | predicted 10 s rate, % |\n|---|---|---|---|---|\n");
  add_gap(sheet, published, job, job->facts.batch_gap_s);
  for (size_t i = 0; i < sizeof others_s / sizeof others_s[0]; i++)
    add_gap(sheet, published, job, others_s[i]);
  fw_text_add(&sheet->appendix, "\n");
  sheet->failed = sheet->failed || sheet->appendix.failed;
}

fw_status fwi_fit_72b(const fwi_inputs *inputs, const fwi_common *common, fwi_sheet *sheet,
                      fw_diagnostics *diagnostics) {
  fwi_node node;
  job_72b job = {0};
  fw_status status = fwi_node_read(inputs->data, "swing_llama2-70b_4gpu", 4, &node, diagnostics);
  if (status != FW_OK) return status;
  status = fit_job(inputs, common, &node, &job, diagnostics);
  fwi_node_free(&node);
  if (status != FW_OK) return status;
  fwi_add_identity(sheet, inputs,
                   &(fwi_identity){"qwen2.5-72b-awq", job.facts.gpus, "layer", "static",
                                   "a batch ends with its longest; with equal lengths padding would be the same",
                                   "batch"});
  add_timing(sheet, &job);
  add_levels(sheet, common, &job);
  add_residual(sheet, &job);
  add_workload(sheet, &job);
  add_beside(sheet, &inputs->published->job_72b, &job);
  add_gaps(sheet, &inputs->published->job_72b, &job);
  return FW_OK;
}

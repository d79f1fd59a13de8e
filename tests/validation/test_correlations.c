/* GPUs of one job against each other, in recordings and as the fleet samples them: the correlation between GPUs, the
 * lag-one correlation of a GPU and that of their sum, per tick of 0.5 s.
 *
 * Two recordings: llama2-70b layer-sharded on four GPUs, which take turns, and gemma4-26b tensor-parallel on two, which
 * move together. A residual is fitted to each, the fleet's own sample kernel runs it at a constant level, and what the
 * samples show is held against what the recording shows, both computed here. Needs FLEETWATT_DATA. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "models/fit_a100/recordings.h"
#include "sim/fleet/job.h"
#include "tests/scenario_fixture.h"

enum { GPUS_MOST = 4, TICKS = 40000 };

typedef struct statistics {
  double correlation; /* mean over pairs of GPUs */
  double gpu_lag1;    /* mean over GPUs */
  double sum_lag1;
} statistics;

/* power[tick * gpus + gpu]; segments hold neighbours in time, and each loses its own mean, sum and GPU alike. */
static double lag1_of(const double *series, const size_t *segment, size_t ticks) {
  double square = 0.0;
  double product = 0.0;
  size_t pairs = 0;
  for (size_t t = 0; t < ticks; t++) {
    square += series[t] * series[t];
    if (t > 0 && segment[t] == segment[t - 1]) {
      product += series[t] * series[t - 1];
      pairs++;
    }
  }
  return product / (double)pairs / (square / (double)ticks);
}

static void centre(double *series, const size_t *segment, size_t ticks) {
  for (size_t first = 0, end = 0; first < ticks; first = end) {
    double sum = 0.0;
    for (end = first; end < ticks && segment[end] == segment[first]; end++)
      sum += series[end];
    for (size_t t = first; t < end; t++)
      series[t] -= sum / (double)(end - first);
  }
}

static double correlation_of(const double *a, const double *b, size_t ticks) {
  double aa = 0.0, bb = 0.0, ab = 0.0;
  for (size_t t = 0; t < ticks; t++) {
    aa += a[t] * a[t];
    bb += b[t] * b[t];
    ab += a[t] * b[t];
  }
  return ab / sqrt(aa * bb);
}

static statistics describe(const double *power, const size_t *segment, size_t gpus, size_t ticks) {
  double *series[GPUS_MOST + 1]; /* the last is the sum */
  for (size_t g = 0; g <= gpus; g++) {
    series[g] = calloc(ticks, sizeof(double));
    for (size_t t = 0; t < ticks; t++)
      for (size_t one = 0; one < gpus; one++)
        series[g][t] += g == one || g == gpus ? power[t * gpus + one] : 0.0;
    centre(series[g], segment, ticks);
  }
  statistics found = {.sum_lag1 = lag1_of(series[gpus], segment, ticks)};
  size_t pairs = 0;
  for (size_t g = 0; g < gpus; g++) {
    found.gpu_lag1 += lag1_of(series[g], segment, ticks) / (double)gpus;
    for (size_t h = 0; h < g; h++, pairs++)
      found.correlation += correlation_of(series[g], series[h], ticks);
  }
  found.correlation /= (double)pairs;
  for (size_t g = 0; g <= gpus; g++)
    free(series[g]);
  return found;
}

/* A job of one endless generation batch at `level_w`, whose residual is the fitted one. */
static fw_job_model *model_with(const fw_residual_fit *fit, size_t gpus, double level_w, fw_job_model *out) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char text[900];
  (void)snprintf(text, sizeof text,
                 "{\"fleetwatt_job\":1,\"id\":\"fitted\",\"gpu\":\"plain-gpu\",\"gpus\":%zu,\"sharding\":\"layer\","
                 "\"batching\":\"static\",\"tick_s\":0.5,\"timing\":{\"token_base_s\":1,\"token_per_sequence_s\":0,"
                 "\"prefill_per_token_s\":0,\"batch_gap_s\":0,\"step_gap_s\":0,\"update_base_s\":0,"
                 "\"update_per_token_s\":0},\"levels\":{\"rollout\":{\"kind\":\"constant\",\"p_w\":%.3f},"
                 "\"prefill_w\":100,\"gap_w\":100,\"update_w\":100,\"load_w\":100},\"residual\":{},\"workload\":{"
                 "\"prompts\":1,\"group_size\":1,\"concurrency\":1,\"completion_limit\":1000000,"
                 "\"completion_mean\":1000000,\"completion_cv\":0,\"prompt_tokens\":0},"
                 "\"support\":{\"concurrency_min\":1,\"concurrency_max\":1}}",
                 gpus, level_w);
  fw_json *document = NULL;
  cr_assert_eq(fw_json_parse(text, strlen(text), "fitted.json", &document, &diagnostics), FW_OK);
  cr_assert_eq(fw_job_model_decode(document, out, &diagnostics), FW_OK, "%s",
               diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  fw_json_free(document);
  fw_record_clear(&fw_residual_record, &out->residual);
  cr_assert_eq(fw_fit_residual_model(fit, FW_PHASE_ROLLOUT, &out->residual, &diagnostics), FW_OK);
  fw_diagnostics_clear(&diagnostics);
  return out;
}

/* Per-GPU power of TICKS ticks out of the fleet's sample kernel; `idle_w` is the floor that contrasts are shared at. */
static double *sample_fleet(const fw_job_model *model, size_t gpus, double idle_w) {
  static fwi_noise_tables tables;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_gpu_model gpu = {.tdp = 400000, .board_max = 2000000, .cap_min = 100000, .cap_max = 400000};
  cr_assert(fw_power_from_watts(idle_w, &gpu.idle));
  gpu.sensor = (fw_sensor){.path_sigma_w = 1.0, .path_memory_s = 0.1, .observed_s = 0.025};
  const fwi_job_setting setting = {.gpu = &gpu, .tick = FW_NS_PER_S / 2, .window_ticks = TICKS, .telemetry_ticks = 10};
  fw_scenario_job spec = {.job_class = "fitted",
                          .class_size = 1,
                          .kind = FW_JOB_GRPO,
                          .gpus = gpus,
                          .model = model,
                          .workload = model->workload};
  fw_job_setup setup = {.gpus = gpus, .window_count = 1, .windows_s = {0.5}};
  setup.initial[FW_ACTUATOR_CONCURRENCY] = (double)model->workload.concurrency;
  setup.initial[FW_ACTUATOR_GROUP_SIZE] = 1.0;
  setup.initial[FW_ACTUATOR_COMPLETION_TOKENS] = 1e6;
  setup.initial[FW_ACTUATOR_POWER_CAP_W] = 400.0;
  setup.actuators[FW_ACTUATOR_POWER_CAP_W] = (fw_actuator_range){.min = 100.0, .max = 400.0};
  fwi_noise_tables_prepare(model, &tables);
  fwi_job job;
  cr_assert_eq(fwi_job_create(&spec, &setting, 0, 20261130, &tables, 0, &setup, &job, &diagnostics), FW_OK);
  const fw_time_ns end = (fw_time_ns)TICKS * setting.tick;
  while (fwi_job_advance(&job, end, &diagnostics) == FW_PROCESS_WAITING) {
    const fw_job_action nothing = {.set = 0};
    cr_assert_eq(fwi_job_act(&job, &nothing, &diagnostics), FW_OK);
  }
  cr_assert_eq(job.collected_ticks, TICKS);
  double *power = calloc(TICKS * gpus, sizeof *power);
  for (size_t i = 0; i < TICKS * gpus; i++)
    power[i] = (double)job.energy_pj[i] / (double)setting.tick / 1000.0;
  fwi_job_free(&job);
  return power;
}

static double mean_w(const fwi_sample *sample) {
  return fw_fit_mean(sample->power_w, sample->ticks * sample->gpus);
}

/* Three standard errors of a correlation and of a lag-one coefficient estimated from n ticks, by their large-sample
 * variances (1 - r^2)^2 / n and (1 - r^2) / n (Box, Jenkins, Reinsel, ch. 2). The simulated series is so much longer
 * that its own error does not count. 0.03 is added for what a Gaussian copula with one memory cannot follow. */
static void expect_near(const char *what, double simulated, double recorded, double variance, size_t ticks) {
  const double allowed = 3.0 * sqrt(variance / (double)ticks) + 0.03;
  printf("  %-12s recorded %6.3f  simulated %6.3f  allowed +-%.3f\n", what, recorded, simulated, allowed);
  cr_assert_lt(fabs(simulated - recorded), allowed, "%s: simulated %.3f, recorded %.3f +- %.3f", what, simulated,
               recorded, allowed);
}

static statistics compare_with(const fwi_sample *sample, double idle_w) {
  static size_t one_segment[TICKS];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_recording recording = fwi_sample_recording(sample, NULL);
  fw_residual_fit fit;
  cr_assert_eq(fw_fit_residual(&recording, &fit, &diagnostics), FW_OK);
  fw_job_model model;
  double *power = sample_fleet(model_with(&fit, sample->gpus, mean_w(sample), &model), sample->gpus, idle_w);
  const statistics recorded = describe(sample->power_w, sample->segment, sample->gpus, sample->ticks);
  const statistics simulated = describe(power, one_segment, sample->gpus, TICKS);
  const double r = recorded.correlation;
  expect_near("correlation", simulated.correlation, r, (1.0 - r * r) * (1.0 - r * r), sample->ticks);
  expect_near("lag-1 of GPU", simulated.gpu_lag1, recorded.gpu_lag1, 1.0 - recorded.gpu_lag1 * recorded.gpu_lag1,
              sample->ticks);
  expect_near("lag-1 of sum", simulated.sum_lag1, recorded.sum_lag1, 1.0 - recorded.sum_lag1 * recorded.sum_lag1,
              sample->ticks);
  free(power);
  fw_job_model_clear(&model);
  fw_diagnostics_clear(&diagnostics);
  return simulated;
}

static const char *data_folder(void) {
  const char *data = getenv("FLEETWATT_DATA");
  if (data == NULL) {
    (void)fprintf(stderr, "skipped: set FLEETWATT_DATA to the folder with the measured data\n");
    cr_skip_test("FLEETWATT_DATA is not set");
  }
  return data;
}

Test(correlations, layer_sharded_gpus_take_turns) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fwi_node node;
  fwi_sample sample;
  cr_assert_eq(fwi_node_read(data_folder(), "swing_llama2-70b_4gpu", 4, &node, &diagnostics), FW_OK);
  cr_assert_eq(fwi_node_sample(&node, 0.0, &sample, &diagnostics), FW_OK);
  printf("layer-sharded, 4 GPUs, %zu ticks:\n", sample.ticks);
  const statistics simulated = compare_with(&sample, fwi_node_idle_w(&node));
  cr_assert_lt(simulated.correlation, -0.2); /* the bound for four GPUs alike is -1/3 */
  cr_assert_gt(simulated.correlation, -1.0 / 3.0);
  fwi_sample_free(&sample);
  fwi_node_free(&node);
}

Test(correlations, tensor_parallel_gpus_move_together) {
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fwi_serving serving;
  fwi_sample sample;
  cr_assert_eq(fwi_serving_read(data_folder(), "vllm_gemma4-26b-a4b_tp2_rate4", 2, &serving, &diagnostics), FW_OK);
  cr_assert_eq(fwi_serving_sample(&serving, false, &sample, &diagnostics), FW_OK);
  for (size_t t = 0; t < sample.ticks; t++)
    sample.segment[t] = 0; /* one busy stretch: its changes of level count */
  printf("tensor-parallel, 2 GPUs, %zu ticks:\n", sample.ticks);
  const statistics simulated = compare_with(&sample, 0.0);
  cr_assert_gt(simulated.correlation, 0.7);
  fwi_sample_free(&sample);
  fwi_serving_free(&serving);
}

/* The shipped 72B job, uncontrolled (8 sequences in flight): contrasts from the recording, grown to the study's level,
 * and a sum from the study. Its memory is the study's, not the recording's: docs/parameters.md tells of the conflict.
 */
Test(correlations, the_shipped_72b_job_takes_turns) {
  static size_t one_segment[TICKS];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_job_model model;
  cr_assert_eq(fw_job_model_read(FW_SOURCE_DIR "/models/a100/qwen2.5-72b-awq.json", &model, &diagnostics), FW_OK);
  model.workload = (fw_workload){
      .prompts = 8, .group_size = 1, .concurrency = 8, .completion_limit = 1000000, .completion_mean = 1e6};
  model.timing.token_base_s = 1.0;
  model.timing.prefill_per_token_s = 0.0;
  double *power = sample_fleet(&model, 4, 62.0);
  const statistics simulated = describe(power, one_segment, 4, TICKS);
  printf("qwen2.5-72b-awq: correlation %.3f, lag-1 of a GPU %.3f, of the sum %.3f\n", simulated.correlation,
         simulated.gpu_lag1, simulated.sum_lag1);
  cr_assert_lt(simulated.correlation, -0.2);
  cr_assert_gt(simulated.correlation, -1.0 / 3.0);
  cr_assert_float_eq(simulated.sum_lag1, fw_residual_total_lag1(&model.residual, 0.5), 0.02); /* 3 / sqrt(TICKS) */
  free(power);
  fw_job_model_clear(&model);
  fw_diagnostics_clear(&diagnostics);
}

/* Validation: a model held against recordings that it made itself does well, a wrong one shows what is wrong with it.
 */
#include "sim/study/calibrate/validate.h"

#include "tests/recording_fixture.h"

static char folder[] = "/tmp/fleetwatt_validate_XXXXXX";
static char trace_path[256], model_path[256];

static void set_up(void) {
  cr_assert_not_null(mkdtemp(folder));
  (void)snprintf(trace_path, sizeof trace_path, "%s/trace.csv", folder);
  (void)snprintf(model_path, sizeof model_path, "%s/model.json", folder);
}

static void tear_down(void) {
  (void)unlink(trace_path);
  (void)unlink(model_path);
  (void)rmdir(folder);
}

TestSuite(validate, .init = set_up, .fini = tear_down);

/* The model of an engine, as a file. */
static void put_model(const made_engine *engine) {
  fw_text text = FW_TEXT_INIT;
  const struct {
    const char *before;
    double value;
  } parts[] = {
      {"{\"fleetwatt_job\": 1, \"id\": \"model\", \"gpu\": \"a100-sxm4-80gb\", \"gpus\": 1, \"sharding\": \"single\", "
       "\"batching\": \"continuous\", \"tick_s\": 0.5, \"timing\": {\"token_base_s\": 0.012, "
       "\"token_per_sequence_s\": 0, \"batch_gap_s\": 0, \"step_gap_s\": 0, \"update_base_s\": 0, "
       "\"update_per_token_s\": 0, \"prefill_per_token_s\": ",
       engine->prefill_per_token_s},
      {"}, \"levels\": {\"rollout\": {\"kind\": \"log2\", \"p1_w\": ", engine->p1_w},
      {", \"k_w\": ", engine->k_w},
      {"}, \"prefill_w\": ", engine->prefill_w},
      {", \"gap_w\": ", engine->ready_w},
      {", \"update_w\": 300, \"load_w\": 90}, \"residual\": {\"total_lag1\": ", engine->lag1},
      {", \"rollout\": {\"total\": {\"kind\": \"gaussian\", \"sigma_w\": ", engine->sigma_w},
      {"}}}, \"workload\": {\"prompts\": 1, \"group_size\": 1, \"concurrency\": 32, \"completion_limit\": 100, "
       "\"completion_mean\": 50, \"completion_cv\": 0, \"prompt_tokens\": 10}, \"support\": {\"concurrency_min\": 1, "
       "\"concurrency_max\": ",
       64.0},
  };
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    fw_text_add(&text, parts[i].before);
    fw_text_add_number(&text, parts[i].value, 9);
  }
  fw_text_add(&text, "}}\n");
  cr_assert_eq(fw_file_write(model_path, text.data, text.length, NULL), FW_OK);
  fw_text_clear(&text);
}

static const fw_time_ns windows[] = {FW_NS_PER_S / 2, 10 * FW_NS_PER_S};

static fw_validate_options options_for(fw_occupancy_options *run, size_t seeds) {
  *run = (fw_occupancy_options){.trace = trace_path, .tick = FW_NS_PER_S / 2, .skipped_phases = 1};
  return (fw_validate_options){.model = model_path,
                               .runs = run,
                               .run_count = 1,
                               .seeds = seeds,
                               .windows = windows,
                               .window_count = 2,
                               .share = FW_SOURCE_DIR};
}

static fw_validation validate(const fw_validate_options *options, unsigned threads) {
  fw_validation out;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_study_options study = {.threads = threads};
  cr_assert_eq(fw_validate(options, &study, &out, &diagnostics), FW_OK, "%s",
               diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  fw_diagnostics_clear(&diagnostics);
  return out;
}

static double score(const fw_validation *of, fw_fidelity_metric metric) {
  return of->runs[0].signals[0].windows[0].scores[metric];
}

/* 1,000 ticks of work with 6 W of noise and memory 0.5: the recording's own mean is off by 6 x sqrt(3 / 1000) = 0.33 W
 * of some 280 W, 0.12 %; four of these. The distance of two such samples is below 1.63 sqrt(2 x 3 / 1000) = 0.13 in 99
 * of 100, and much less here, because the levels that both share spread far more than the noise. */
Test(validate, the_model_that_made_the_recording) {
  make_recording(&usual_engine, 1, 1200, trace_path);
  put_model(&usual_engine);
  fw_occupancy_options run;
  const fw_validate_options options = options_for(&run, 10);
  fw_validation out = validate(&options, 0);
  cr_expect_lt(score(&out, FW_FIDELITY_ENERGY), 0.005, "%g", score(&out, FW_FIDELITY_ENERGY));
  cr_expect_lt(score(&out, FW_FIDELITY_KS), 0.13, "%g", score(&out, FW_FIDELITY_KS));
  cr_expect_lt(fabs(score(&out, FW_FIDELITY_P95)), 0.02);
  cr_expect_gt(score(&out, FW_FIDELITY_ACF_R2), 0.95);
  cr_expect_not(out.about[0].extrapolated);
  cr_expect_lt(fabs(out.about[0].clamp_bias_w), 0.1);
  fw_validation_clear(&out);
}

/* Without noise the simulated power is the recorded one, to the milliwatt that it is rounded to. */
Test(validate, is_exact_without_noise) {
  made_engine quiet = usual_engine;
  quiet.sigma_w = 0.0;
  make_recording(&quiet, 2, 300, trace_path);
  put_model(&quiet);
  fw_occupancy_options run;
  const fw_validate_options options = options_for(&run, 1);
  fw_validation out = validate(&options, 1);
  cr_expect_lt(score(&out, FW_FIDELITY_ENERGY), 1e-5, "%g", score(&out, FW_FIDELITY_ENERGY));
  cr_expect_lt(score(&out, FW_FIDELITY_NRMSE), 1e-5, "%g", score(&out, FW_FIDELITY_NRMSE));
  cr_expect_lt(score(&out, FW_FIDELITY_ACF_MAE), 1e-5);
  fw_validation_clear(&out);
}

/* 20 W more on some 280 W of work in five sixths of the time. */
Test(validate, a_level_that_is_off_shows_as_bias) {
  made_engine quiet = usual_engine;
  quiet.sigma_w = 0.0;
  make_recording(&quiet, 3, 300, trace_path);
  made_engine higher = quiet;
  higher.p1_w += 20.0;
  higher.prefill_w += 20.0;
  put_model(&higher);
  fw_occupancy_options run;
  const fw_validate_options options = options_for(&run, 1);
  fw_validation out = validate(&options, 1);
  double mean_w = 0.0;
  fw_occupancy occupancy;
  cr_assert_eq(fw_occupancy_read(&run, &occupancy, NULL), FW_OK);
  double work = 0.0;
  for (size_t i = 0; i < occupancy.count; i++) {
    mean_w += fw_occupancy_mean_w(&occupancy, i);
    work += occupancy.data[i].share[FW_ACTIVITY_WORK];
  }
  cr_expect_float_eq(score(&out, FW_FIDELITY_BIAS), 20.0 * work / mean_w, 1e-5, "%g", score(&out, FW_FIDELITY_BIAS));
  fw_occupancy_clear(&occupancy);
  fw_validation_clear(&out);
}

static bool even_hundreds(const void *context, size_t run, const fw_occupancy *occupancy, size_t tick) {
  (void)context;
  (void)run;
  (void)occupancy;
  return tick / 100 % 2 == 0;
}

Test(validate, compares_only_what_the_filter_lets_through_and_threads_do_not_show) {
  make_recording(&usual_engine, 4, 600, trace_path);
  put_model(&usual_engine);
  fw_occupancy_options run;
  fw_validate_options options = options_for(&run, 6);
  options.filter = even_hundreds;
  fw_validation one = validate(&options, 1);
  fw_validation two = validate(&options, 2);
  cr_expect_eq(one.runs[0].signals[0].known, 300);
  for (size_t m = 0; m < FW_FIDELITY_METRICS; m++) {
    const double a = score(&one, (fw_fidelity_metric)m);
    const double b = score(&two, (fw_fidelity_metric)m);
    cr_expect(a == b || (isnan(a) && isnan(b)), "%s", fw_fidelity_metric_names[m]);
  }
  fw_validation_clear(&one);
  fw_validation_clear(&two);
}

static void refuse(const fw_validate_options *options, const char *words) {
  fw_validation out;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_study_options study = {.threads = 1};
  cr_expect_eq(fw_validate(options, &study, &out, &diagnostics), FW_ERROR_INPUT, "%s", words);
  cr_assert_gt(diagnostics.count, 0);
  const char *message = diagnostics.entries[diagnostics.count - 1].message;
  cr_expect_not_null(strstr(message, words), "\"%s\" is not in \"%s\"", words, message);
  fw_diagnostics_clear(&diagnostics);
}

Test(validate, what_does_not_belong_together) {
  make_recording(&usual_engine, 5, 60, trace_path);
  put_model(&usual_engine);
  fw_occupancy_options run;
  fw_validate_options options = options_for(&run, 1);
  run.tick = FW_NS_PER_S;
  refuse(&options, "is defined on a tick of 0.5 s");
  options = options_for(&run, 1);
  options.model = "model.txt";
  refuse(&options, "ends in .json");
  options.model = model_path;
  options.share = folder;
  refuse(&options, "a100-sxm4-80gb.json");
}

/* Calibration: recordings made by a known model give it back, the same bytes whatever the threads, and a file that a
 * scenario takes; what cannot be calibrated is refused. */
#include "sim/study/calibrate/calibrate.h"

#include <gsl/gsl_errno.h>

#include "tests/recording_fixture.h"
#include "tests/unit/model_text.h"

enum { RUNS = 3 };
static char folder[] = "/tmp/fleetwatt_calibrate_XXXXXX";
static char paths[RUNS][256];

static void set_up(void) {
  (void)gsl_set_error_handler_off();
  cr_assert_not_null(mkdtemp(folder));
  for (size_t i = 0; i < RUNS; i++)
    (void)snprintf(paths[i], sizeof paths[i], "%s/run%zu.csv", folder, i);
}

static void tear_down(void) {
  for (size_t i = 0; i < RUNS; i++)
    (void)unlink(paths[i]);
  (void)rmdir(folder);
}

TestSuite(calibrate, .init = set_up, .fini = tear_down);

static fw_calibrate_options options_for(fw_occupancy_options *runs, size_t count) {
  for (size_t i = 0; i < count; i++)
    runs[i] = (fw_occupancy_options){.trace = paths[i], .tick = FW_NS_PER_S / 2, .skipped_phases = 1};
  return (fw_calibrate_options){
      .runs = runs, .run_count = count, .id = "made", .gpu = "plain-gpu", .source = "a test", .resamples = 40};
}

static fw_calibration calibrate(const fw_calibrate_options *options, unsigned threads) {
  fw_calibration out;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_study_options study = {.threads = threads};
  cr_assert_eq(fw_calibrate(options, &study, &out, &diagnostics), FW_OK, "%s",
               diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  fw_diagnostics_clear(&diagnostics);
  return out;
}

static fw_text model_of(const fw_calibration *calibration) {
  fw_text text = FW_TEXT_INIT;
  fw_calibration_model(calibration, &text);
  cr_assert_not(text.failed);
  return text;
}

static void put(const char *path, const char *text) {
  cr_assert_eq(fw_file_write(path, text, strlen(text), NULL), FW_OK);
}

static void make_runs(size_t count, size_t ticks) {
  for (size_t i = 0; i < count; i++)
    make_recording(&usual_engine, (uint32_t)i, ticks, paths[i]);
}

/* 600 ticks of work with noise of 6 W and memory 0.5 hold as much as 200 independent ones, so a mean is known to 0.4 W;
 * the slope over five doublings (deviation 1.5) to 0.3 W. Prompts fill 60 ticks and a part of 140 others: their watts
 * are known to 6 / sqrt(60 / 3) = 1.3 W, their seconds, from a rise of some 170 W over half a share, to 2 %. Tolerances
 * are four of these. */
Test(calibrate, recordings_give_their_model_back) {
  make_runs(RUNS, 240);
  fw_occupancy_options runs[RUNS];
  const fw_calibrate_options options = options_for(runs, RUNS);
  fw_calibration out = calibrate(&options, 0);
  cr_expect_eq(out.level.form, FW_LEVEL_LOG2, "%s", fw_level_form_names[out.level.form]);
  cr_expect(out.level.has_prefill);
  cr_expect_str_eq(out.split, "leave one run out");
  cr_expect_float_eq(out.level.value[0], 250.0, 4.0, "%g W", out.level.value[0]);
  cr_expect_float_eq(out.level.value[1], 12.0, 1.2, "%g W", out.level.value[1]);
  cr_expect_float_eq(out.level.prefill_w, 450.0, 5.2, "%g W", out.level.prefill_w);
  cr_expect_float_eq(out.level.prefill_per_token_s, 5e-5, 0.08 * 5e-5, "%g s", out.level.prefill_per_token_s);
  cr_expect_float_eq(out.ready_w, 85.0, 1e-9);
  cr_expect_float_eq(out.residual.total_lag1, 0.5, 4.0 * 0.04, "%g", out.residual.total_lag1);
  cr_expect_float_eq(out.residual.phase[FW_PHASE_ROLLOUT].total_sigma_w, 6.0, 4.0 * 0.3);
  cr_expect_float_eq(out.timing.token_base_s, 0.012, 1e-6, "%g s", out.timing.token_base_s);
  cr_expect_float_eq(out.timing.token_per_sequence_s, 0.0, 1e-7);
  cr_expect_eq(out.in_flight_min, 1.0);
  cr_expect_leq(out.in_flight_max, 31.0);
  for (size_t i = 0; i < out.interval_count; i++)
    cr_expect(out.intervals[i].lo <= out.intervals[i].hi, "%s", out.intervals[i].name);
  fw_calibration_clear(&out);
}

/* Without prompts in the recordings the covariate is not tried; a flat level is found flat. */
Test(calibrate, a_flat_level_is_constant) {
  made_engine flat = usual_engine;
  flat.k_w = 0.0;
  flat.prefill_w = flat.p1_w;
  make_recording(&flat, 5, 400, paths[0]);
  fw_occupancy_options runs[1];
  const fw_calibrate_options options = options_for(runs, 1);
  fw_calibration out = calibrate(&options, 0);
  cr_expect_str_eq(out.split, "leave out one of five stretches");
  cr_expect_eq(out.level.form, FW_LEVEL_CONSTANT, "%s", fw_level_form_names[out.level.form]);
  cr_expect_not(out.level.has_prefill);
  cr_expect_float_eq(out.level.value[0], 250.0, 2.5);
  fw_calibration_clear(&out);
}

Test(calibrate, the_same_bytes_for_any_number_of_threads) {
  make_runs(2, 150);
  fw_occupancy_options runs[2];
  const fw_calibrate_options options = options_for(runs, 2);
  fw_calibration one = calibrate(&options, 1);
  const fw_text first = model_of(&one);
  for (unsigned threads = 2; threads <= 4; threads += 2) {
    fw_calibration other = calibrate(&options, threads);
    const fw_text second = model_of(&other);
    cr_expect_str_eq(first.data, second.data, "%u threads", threads);
    fw_text_clear((fw_text *)&second);
    fw_calibration_clear(&other);
  }
  fw_text_clear((fw_text *)&first);
  fw_calibration_clear(&one);
}

/* A GPU that is busy for 0.1 to 0.3 s at a time, at readings 0.25 s apart; its power is that of the share of full work
 * that the readings of utilisation around it say, so with them the level is known but for the rounding of the file. The
 * count says 1 at every other reading only. */
static void make_bursts(uint32_t run, const char *path) {
  enum { READINGS = 400 };
  int per_cent[READINGS + 1];
  for (size_t i = 0; i <= READINGS; i++) {
    const double drawn = made_uniform(run, 3, i);
    per_cent[i] = i < 60 || drawn < 0.3 ? 0 : drawn > 0.8 ? 100 : (int)(100.0 * made_uniform(run, 4, i));
  }
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "t_s,power_w,utilization_pct,requests_running\n");
  for (size_t i = 0; i < READINGS; i++) {
    const double share = 0.005 * (double)(per_cent[i] + per_cent[i + 1]);
    fw_text_add_number(&text, 0.25 * (double)i, 9);
    fw_text_add_format(&text, ",%.6f,%d,%d\n", 80.0 + 220.0 * share, per_cent[i], per_cent[i] > 0 && i % 2 == 0);
  }
  put(path, text.data);
  fw_text_clear(&text);
}

Test(calibrate, measured_utilisation_gives_the_level_of_work_that_counters_alias) {
  make_bursts(1, paths[0]);
  make_bursts(2, paths[1]);
  fw_occupancy_options runs[2];
  fw_calibrate_options options = options_for(runs, 2);
  options.resamples = 0;
  fw_calibration counted = calibrate(&options, 0);
  runs[0].utilization = runs[1].utilization = true;
  fw_calibration measured = calibrate(&options, 0);
  cr_assert_eq(measured.level.form, FW_LEVEL_CONSTANT);
  cr_expect_float_eq(measured.level.value[0], 300.0, 1e-3, "%g W", measured.level.value[0]);
  cr_expect_float_eq(measured.ready_w, 80.0, 1e-3);
  cr_expect_lt(measured.level.rms_w, 1e-3);
  cr_expect_gt(counted.level.rms_w, 20.0);
  const fw_text model = model_of(&measured);
  cr_expect_not_null(strstr(model.data, "\"by_utilization\": true"));
  fw_text_clear((fw_text *)&model);
  fw_calibration_clear(&counted);
  fw_calibration_clear(&measured);
  runs[1].utilization = false;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_study_options study = {0};
  cr_expect_eq(fw_calibrate(&options, &study, &counted, &diagnostics), FW_ERROR_INPUT);
  cr_expect_not_null(strstr(diagnostics.entries[0].message, "the utilisation counts here or in"));
  fw_diagnostics_clear(&diagnostics);
}

/* An engine that waits: the median, so that a burst which no reading counted does not lift it; and none where what was
 * counted as waiting drew as much as work. */
Test(calibrate, waiting_is_what_most_of_the_waiting_drew) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "t_s,power_w,requests_running\n");
  for (int i = 0; i < 80; i++)
    fw_text_add_format(&text, "%d.%d,%d,%d\n", i / 2, 5 * (i % 2), i >= 40 ? 300 : i % 8 == 5 ? 500 : 85, i >= 40);
  put(paths[0], text.data);
  fw_text_clear(&text);
  fw_occupancy_options runs[1];
  fw_calibrate_options options = options_for(runs, 1);
  options.resamples = 0;
  fw_calibration out = calibrate(&options, 0);
  cr_expect_eq(out.ready_w, 85.0, "%g W", out.ready_w);
  cr_expect_not(out.ready_assumed);
  fw_calibration_clear(&out);
  fw_text_add(&text, "t_s,power_w,requests_running\n");
  for (int i = 0; i < 80; i++)
    fw_text_add_format(&text, "%d.%d,%d,%d\n", i / 2, 5 * (i % 2), i < 3 ? 500 : 300 + i, i >= 3);
  put(paths[0], text.data);
  fw_text_clear(&text);
  out = calibrate(&options, 0);
  cr_expect(out.ready_assumed);
  cr_expect(isnan(out.ready_w));
  const fw_text model = model_of(&out);
  cr_expect_not_null(strstr(model.data, "\"gap_w\": 303"), "the least power seen");
  fw_text_clear((fw_text *)&model);
  fw_calibration_clear(&out);
}

/* Readings 0.25 s apart, seven of work and two of waiting in turn, so that every other block of work has an edge inside
 * a tick. At the edge power is anything; the law of work is that of the ticks that were all work. */
Test(calibrate, the_law_of_work_is_that_of_ticks_that_were_all_work) {
  enum { READINGS = 400, TURN = 9, WORK = 7 };
  fw_text text = FW_TEXT_INIT;
  fw_text_add(&text, "t_s,power_w,requests_running\n");
  for (int i = 0; i < READINGS; i++) {
    const int power_w = i % TURN == WORK - 1 ? 200 + i % 7 * 30 : i % TURN < WORK ? 300 : 80;
    fw_text_add_number(&text, 0.25 * i, 9);
    fw_text_add_format(&text, ",%d,%d\n", power_w, i % TURN < WORK);
  }
  put(paths[0], text.data);
  fw_text_clear(&text);
  fw_occupancy_options runs[1];
  fw_calibrate_options options = options_for(runs, 1);
  options.resamples = 0;
  fw_calibration out = calibrate(&options, 0);
  size_t all_work = 0;
  for (size_t i = 0; i < out.ticks; i++)
    all_work += (2 * i) % TURN < WORK && (2 * i + 1) % TURN < WORK;
  cr_expect_eq(out.residual.phase[FW_PHASE_ROLLOUT].ticks, all_work);
  fw_calibration_clear(&out);
}

/* The file says what was calibrated, and nothing is to be warned of. */
Test(calibrate, writes_a_job_model) {
  make_runs(2, 150);
  fw_occupancy_options runs[2];
  const fw_calibrate_options options = options_for(runs, 2);
  fw_calibration out = calibrate(&options, 0);
  fw_text text = model_of(&out);
  fw_json *document = NULL;
  fw_job_model model;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_json_parse(text.data, text.length, "model", &document, &diagnostics), FW_OK);
  cr_assert_eq(fw_job_model_decode(document, &model, &diagnostics), FW_OK);
  cr_expect_eq(diagnostics.count, 0);
  /* Nine significant digits of each. */
  const double written = fw_job_level_w(&model, FW_PHASE_ROLLOUT, 7.0, 0.0);
  cr_expect_float_eq(written, fw_level_fit_rollout_w(&out.level, 7.0, &out.timing), 1e-6);
  cr_expect_float_eq(model.timing.prefill_per_token_s, out.timing.prefill_per_token_s, 1e-12);
  cr_expect_float_eq(model.levels.gap_w, 85.0, 1e-6);
  const fw_json_value *provenance = fw_json_get(fw_json_root(document), "provenance");
  cr_assert_not_null(provenance);
  cr_expect_eq(fw_json_count(fw_json_get(provenance, "runs")), 2);
  cr_expect_eq(fw_json_count(fw_json_get(fw_json_get(provenance, "level"), "forms")), out.score_count);
  cr_expect_eq(fw_json_count(fw_json_get(provenance, "intervals_95")), out.interval_count + 1);
  fw_job_model_clear(&model);
  fw_json_free(document);
  fw_text_clear(&text);
  fw_calibration_clear(&out);
}

static bool first_half(const void *context, size_t run, const fw_occupancy *occupancy, size_t tick) {
  (void)context;
  return run == 0 && tick < occupancy->count / 2;
}

Test(calibrate, sees_only_what_the_filter_lets_through) {
  make_runs(2, 200);
  fw_occupancy_options runs[2];
  fw_calibrate_options options = options_for(runs, 2);
  options.filter = first_half;
  fw_calibration out = calibrate(&options, 0);
  cr_expect_eq(out.ticks, 100);
  cr_expect_eq(out.runs[1].ticks, 0);
  fw_calibration_clear(&out);
}

/* 200 W + 20 W x log2(c), a seventh of the time for prompts of 350 W, at 1 ms a token of 4 ms. */
Test(calibrate, a_table_of_points) {
  fw_text table = FW_TEXT_INIT;
  fw_text_add(&table, "concurrency,power_w,token_s,prompt_tokens,prefill_s,output_tokens,peak_w\n");
  for (int i = 0; i < 12; i++) {
    const double c = (double)(1 << (i % 6));
    const double prompt = 100.0 * (1 + i);
    const double token_s = 0.02 + 0.001 * c;
    const double prefill_s = 1e-4 * c * prompt;
    const double share = prefill_s / (prefill_s + token_s * 100.0);
    const double cells[] = {
        c, (1.0 - share) * (200.0 + 20.0 * log2(c)) + share * 350.0, token_s, prompt, prefill_s, 100.0, 400.0};
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
      if (k > 0) fw_text_add(&table, ",");
      fw_text_add_number(&table, cells[k], 15);
    }
    fw_text_add(&table, "\n");
  }
  fw_text_add(&table, "64,,0.084,100,0.64,100,\n4,20,0.024,100,0.04,100,\n"); /* times only; less than a ready GPU */
  put(paths[0], table.data);
  fw_text_clear(&table);
  const fw_calibrate_options options = {.points = paths[0],
                                        .point_gpus = 4,
                                        .id = "made",
                                        .gpu = "plain-gpu",
                                        .sharding = FW_SHARDING_TENSOR,
                                        .ready_w = 80.0};
  fw_calibration out = calibrate(&options, 0);
  cr_expect_eq(out.ticks, 12);
  cr_expect_eq(out.level.form, FW_LEVEL_LOG2, "%s", fw_level_form_names[out.level.form]);
  cr_expect(out.level.has_prefill);
  /* No noise: what the solver leaves, and whole milliwatts. */
  cr_expect_float_eq(out.level.value[0], 200.0, 0.01, "%g", out.level.value[0]);
  cr_expect_float_eq(out.level.value[1], 20.0, 0.01, "%g", out.level.value[1]);
  cr_expect_float_eq(out.level.prefill_w, 350.0, 0.05, "%g", out.level.prefill_w);
  cr_expect_float_eq(out.timing.prefill_per_token_s, 1e-4, 1e-10);
  cr_expect_float_eq(out.timing.token_base_s, 0.02, 1e-9);
  cr_expect_float_eq(out.timing.token_per_sequence_s, 0.001, 1e-9);
  fw_text text = model_of(&out);
  fw_json *document = NULL;
  fw_job_model model;
  cr_assert_eq(fw_json_parse(text.data, text.length, "model", &document, NULL), FW_OK);
  cr_assert_eq(fw_job_model_decode(document, &model, NULL), FW_OK);
  cr_expect_eq(model.gpus, 4);
  fw_job_model_clear(&model);
  fw_json_free(document);
  fw_text_clear(&text);
  fw_calibration_clear(&out);
}

static void refuse(const fw_calibrate_options *options, const char *words) {
  fw_calibration out;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  const fw_study_options study = {.threads = 1};
  cr_expect_eq(fw_calibrate(options, &study, &out, &diagnostics), FW_ERROR_INPUT, "%s", words);
  cr_assert_gt(diagnostics.count, 0);
  const char *message = diagnostics.entries[diagnostics.count - 1].message;
  cr_expect_not_null(strstr(message, words), "\"%s\" is not in \"%s\"", words, message);
  fw_diagnostics_clear(&diagnostics);
}

Test(calibrate, what_cannot_be_calibrated) {
  fw_occupancy_options runs[2];
  fw_calibrate_options options = options_for(runs, 2);
  make_recording(&usual_engine, 1, 60, paths[0]);
  put(paths[1],
      "t_s,gpu,power_w,requests_running\n0,0,100,1\n0,1,100,1\n0.5,0,100,1\n0.5,1,100,1\n1,0,100,1\n1,1,100,1\n");
  refuse(&options, "calibrate one at a time");
  put(paths[1], "t_s,power_w\n0,100\n0.5,100\n1,100\n");
  refuse(&options, "does not compare");
  options.run_count = 1;
  put(paths[0],
      "t_s,gpu,power_w,requests_running\n0,0,100,1\n0,1,100,1\n0.5,0,100,1\n0.5,1,100,1\n1,0,100,1\n1,1,100,1\n");
  refuse(&options, "layer (they take turns)");
  put(paths[0], "t_s,power_w,requests_running\n0,100,0\n0.5,100,0\n1,100,0\n");
  refuse(&options, "no tick in which the job worked");
  options.points = paths[0];
  refuse(&options, "no column concurrency");
  put(paths[0], "concurrency,power_w\n1,200\n0.5,200\n");
  refuse(&options, "a concurrency of at least 1");
  put(paths[0], "concurrency,power_w\n1,\n");
  refuse(&options, "no point with a power");
}

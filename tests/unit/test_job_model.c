/* Job files: a good one, every fault by its words and its place, and the levels of the phases. */
#include <criterion/criterion.h>

#include "models/job.h"
#include "tests/unit/model_text.h"

#define EXAMPLE "tests/unit/data/job.json"

static fw_status decode_job(const fw_text *text, fw_job_model *out, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  fw_status status = fw_json_parse(text->data, text->length, "job.json", &document, diagnostics);
  cr_assert_eq(status, FW_OK);
  status = fw_job_model_decode(document, out, diagnostics);
  fw_json_free(document);
  return status;
}

static fw_job_model example(void) {
  fw_job_model job;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  char all[2000];
  cr_assert_eq(fw_job_model_read(FW_SOURCE_DIR "/" EXAMPLE, &job, &diagnostics), FW_OK);
  cr_assert_eq(diagnostics.count, 0, "%s", all_entries(&diagnostics, all));
  return job;
}

Test(job_model, example_is_read) {
  fw_job_model job = example();
  cr_assert_str_eq(job.id, "example-72b");
  cr_assert_str_eq(job.gpu, "example-gpu");
  cr_assert_eq(job.gpus, 4);
  cr_assert_eq(job.sharding, FW_SHARDING_LAYER);
  cr_assert_eq(job.batching, FW_BATCHING_STATIC);
  cr_assert_eq(job.tick, FW_NS_PER_S / 2);
  cr_assert_eq(job.timing.step_gap_s, 3.0);
  cr_assert_eq(job.residual.total_memory_s, 2.2);
  cr_assert_eq(job.residual.contrast_lag1, -0.36);
  cr_assert_str_eq(job.residual.phase[FW_PHASE_ROLLOUT].contrast.which->tag, "quantiles");
  cr_assert_str_eq(job.residual.phase[FW_PHASE_UPDATE].contrast.which->tag, "none");
  cr_assert_null(job.residual.phase[FW_PHASE_GAP].total.which);
  cr_assert_eq(job.residual.spikes.rate_per_h, 6.0);
  cr_assert_eq(job.workload.group_size, 4);
  cr_assert_eq(job.support.concurrency_max, 8.0);
  fw_job_model_clear(&job);
}

Test(job_model, levels_of_the_phases) {
  fw_job_model job = example();
  cr_assert_eq(fw_job_level_w(&job, FW_PHASE_IDLE, 8, 55), 55.0);
  cr_assert_eq(fw_job_level_w(&job, FW_PHASE_LOAD, 8, 55), 80.0);
  cr_assert_eq(fw_job_level_w(&job, FW_PHASE_PREFILL, 8, 55), 180.0);
  cr_assert_eq(fw_job_level_w(&job, FW_PHASE_ROLLOUT, 8, 55), 102.0 + 3 * 10.5);
  cr_assert_eq(fw_job_level_w(&job, FW_PHASE_GAP, 8, 55), 95.0);
  cr_assert_eq(fw_job_level_w(&job, FW_PHASE_UPDATE, 8, 55), 210.0);
  fw_job_model_clear(&job);
}

static const struct fault {
  const char *from;
  const char *to;
  const char *path;
  const char *words;
} faults[] = {
    {"\"fleetwatt_job\": 1", "\"fleetwatt_job\": 0", "fleetwatt_job", "must be 1, is 0"},
    {"\"fleetwatt_job\": 1", "\"fleetwatt_job\": 2", "fleetwatt_job", "format 2 is newer"},
    {"\"id\": \"example-72b\"", "\"id\": \"\"", "id", "must not be empty"},
    {"\"gpu\": \"example-gpu\"", "\"gpu\": \"\"", "gpu", "must not be empty"},
    {"\"gpus\": 4", "\"gpus\": 0", "gpus", "at least 1"},
    {"\"gpus\": 4", "\"gpus\": 1", "sharding", "\"layer\" needs two or more \"gpus\""},
    {"\"sharding\": \"layer\"", "\"sharding\": \"single\"", "sharding", "\"single\" needs \"gpus\": 1"},
    {"\"sharding\": \"layer\"", "\"sharding\": \"tensr\"", "sharding", "did you mean \"tensor\""},
    {"\"batching\": \"static\"", "\"batching\": \"dynamic\"", "batching", "unknown value \"dynamic\""},
    {"\"tick_s\": 0.5", "\"tick_s\": 0", "tick_s", "above 0"},
    {"\"tick_s\": 0.5", "\"tick_s\": -0.5", "tick_s", "above 0"},
    {"\"token_base_s\": 0.028", "\"token_base_s\": 0", "timing.token_base_s", "above 0"},
    {"\"batch_gap_s\": 0.4", "\"batch_gap_s\": -0.4", "timing.batch_gap_s", "at least 0"},
    {"\"batch_gap_s\": 0.4,", "", "timing", "missing key \"batch_gap_s\""},
    {"\"saturation\": 64", "\"saturation\": -64", "levels.rollout.saturation", "at least 1"},
    {"\"kind\": \"log2\"", "\"kind\": \"log10\"", "levels.rollout.kind", "did you mean \"log2\""},
    {"\"update_w\": 210", "\"update_w\": -210", "levels.update_w", "at least 0"},
    {"\"total_memory_s\": 2.2", "\"total_memory_s\": 0", "residual.total_memory_s", "above 0"},
    {"\"total_memory_s\": 2.2", "\"total_memory_s\": 2.2, \"total_lag1\": 0.8", "residual.total_lag1",
     "given together with \"total_memory_s\""},
    {"\"contrast_lag1\": -0.36", "\"contrast_lag1\": -0.36, \"contrast_memory_s\": 1", "residual.contrast_lag1",
     "given together with \"contrast_memory_s\""},
    {"\"contrast_lag1\": -0.36", "\"contrast_lag1\": 1", "residual.contrast_lag1", "must be below 1"},
    {"\"contrast_lag1\": -0.36", "\"contrast_lag1\": -1", "residual.contrast_lag1", "above -1"},
    {"\"contrast_lag1\": -0.36", "\"contrast_lag1\": 1.5", "residual.contrast_lag1", "at most 1"},
    {"\"sigma_w\": 42", "\"sigma_w\": -42", "residual.rollout.total.sigma_w", "at least 0"},
    {"[0.01, 0.1, 0.5, 0.9, 0.99]", "[0.01, 0.1, 0.1, 0.9, 0.99]", "residual.rollout.contrast.probabilities",
     "must rise from each entry to the next; entry 2 does not"},
    {"[0.01, 0.1, 0.5, 0.9, 0.99]", "[0, 0.1, 0.5, 0.9, 0.99]", "residual.rollout.contrast.probabilities",
     "above 0 and below 1; entry 0 does not"},
    {"[0.01, 0.1, 0.5, 0.9, 0.99]", "[0.01, 0.1, 0.5, 0.9, 1]", "residual.rollout.contrast.probabilities",
     "entry 4 does not"},
    {"[0.01, 0.1, 0.5, 0.9, 0.99]", "[0.5]", "residual.rollout.contrast.probabilities", "at least 2"},
    {"[-60, -30, -2, 33, 66]", "[-60, -30, 33, 66]", "residual.rollout.contrast.values_w",
     "has 4 entries, \"probabilities\" has 5"},
    {"[-60, -30, -2, 33, 66]", "[-60, -30, -2, -3, 66]", "residual.rollout.contrast.values_w",
     "entry 3 is below the one before"},
    {"\"rate_per_h\": 6", "\"rate_per_h\": -6", "residual.spikes.rate_per_h", "at least 0"},
    {"\"prompts\": 8", "\"prompts\": 0", "workload.prompts", "at least 1"},
    {"\"group_size\": 4", "\"group_size\": 1048577", "workload.group_size", "at most 1048576"},
    {"\"completion_mean\": 200", "\"completion_mean\": 0.5", "workload.completion_mean", "at least 1"},
    {"\"completion_cv\": 0.5", "\"completion_cv\": -0.5", "workload.completion_cv", "at least 0"},
    {"\"concurrency_min\": 1", "\"concurrency_min\": 9", "support.concurrency_max",
     "must not be below \"concurrency_min\""},
    {"\"gap_w\": 95", "\"gap_kw\": 0.095", "levels.gap_kw", "did you mean \"gap_w\""},
};

Test(job_model, every_fault_is_told_with_its_place) {
  fw_text good = source_text(EXAMPLE);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    fw_text bad = replaced(&good, faults[i].from, faults[i].to);
    fw_job_model job;
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    char all[2000];
    cr_assert_eq(decode_job(&bad, &job, &diagnostics), FW_ERROR_INPUT, "accepted: %s", faults[i].to);
    cr_assert(reported(&diagnostics, FW_SEVERITY_ERROR, faults[i].path, faults[i].words), "%s gave: %s", faults[i].to,
              all_entries(&diagnostics, all));
    fw_job_model_clear(&job);
    fw_diagnostics_clear(&diagnostics);
    fw_text_clear(&bad);
  }
  fw_text_clear(&good);
}

static const struct fault warnings[] = {
    {"[-60, -30, -2, 33, 66]", "[-60, -30, 5, 33, 66]", "residual.rollout.contrast", "is shifted to 0"},
    {"\"completion_mean\": 200", "\"completion_mean\": 600", "workload.completion_mean", "most completions are cut"},
    {"\"gpus\": 4,\n  \"sharding\": \"layer\"", "\"gpus\": 1,\n  \"sharding\": \"single\"", "residual.rollout.contrast",
     "a job of one GPU has no contrasts"},
};

Test(job_model, doubts_are_warnings) {
  fw_text good = source_text(EXAMPLE);
  for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++) {
    fw_text doubtful = replaced(&good, warnings[i].from, warnings[i].to);
    fw_job_model job;
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    char all[2000];
    cr_assert_eq(decode_job(&doubtful, &job, &diagnostics), FW_OK);
    cr_assert(reported(&diagnostics, FW_SEVERITY_WARNING, warnings[i].path, warnings[i].words), "%s gave: %s",
              warnings[i].to, all_entries(&diagnostics, all));
    fw_job_model_clear(&job);
    fw_diagnostics_clear(&diagnostics);
    fw_text_clear(&doubtful);
  }
  fw_text_clear(&good);
}

Test(job_model, a_job_is_held_against_its_gpu) {
  fw_job_model job = example();
  char id[] = "example-gpu";
  const fw_gpu_model gpu = {.id = id, .idle = 62000, .tdp = 400000, .board_max = 500000};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_job_model_check_gpu(&job, &gpu, "job.json", &diagnostics), FW_OK);
  cr_assert_eq(diagnostics.count, 0);

  const fw_gpu_model warm = {.id = id, .idle = 90000, .tdp = 400000, .board_max = 200000};
  cr_assert_eq(fw_job_model_check_gpu(&job, &warm, "job.json", &diagnostics), FW_OK);
  cr_assert_eq(diagnostics.count, 2);
  cr_assert_str_eq(diagnostics.entries[0].path, "levels");
  cr_assert_not_null(strstr(diagnostics.entries[0].message, "\"load\", 80 W, lies below the idle power"));
  cr_assert_not_null(strstr(diagnostics.entries[1].message, "\"update\", 210 W, lies above the most"));
  fw_diagnostics_clear(&diagnostics);

  char other[] = "other-gpu";
  const fw_gpu_model wrong = {.id = other, .idle = 62000, .tdp = 400000, .board_max = 500000};
  cr_assert_eq(fw_job_model_check_gpu(&job, &wrong, "job.json", &diagnostics), FW_ERROR_INPUT);
  cr_assert_not_null(strstr(diagnostics.entries[0].message, "hold for \"example-gpu\", not for \"other-gpu\""));
  fw_diagnostics_clear(&diagnostics);
  fw_job_model_clear(&job);
}

Test(job_model, a_missing_file_is_an_error_and_leaves_nothing_to_free) {
  fw_job_model job;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_job_model_read(FW_SOURCE_DIR "/tests/unit/data/no-such-file.json", &job, &diagnostics),
               FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.error_count, 1);
  fw_job_model_clear(&job);
  fw_diagnostics_clear(&diagnostics);
}

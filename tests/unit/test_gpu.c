/* GPU files: a good one, and every fault by its words and its place. */
#include <criterion/criterion.h>

#include "models/gpu.h"
#include "tests/unit/model_text.h"

#define EXAMPLE "tests/unit/data/gpu.json"

static fw_status decode_gpu(const fw_text *text, fw_gpu_model *out, fw_diagnostics *diagnostics) {
  fw_json *document = NULL;
  fw_status status = fw_json_parse(text->data, text->length, "gpu.json", &document, diagnostics);
  cr_assert_eq(status, FW_OK);
  status = fw_gpu_model_decode(document, out, diagnostics);
  fw_json_free(document);
  return status;
}

Test(gpu, example_is_read) {
  fw_gpu_model gpu;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_gpu_model_read(FW_SOURCE_DIR "/" EXAMPLE, &gpu, &diagnostics), FW_OK);
  cr_assert_eq(diagnostics.count, 0);
  cr_assert_str_eq(gpu.id, "example-gpu");
  cr_assert_eq(gpu.tdp, 400000);
  cr_assert_eq(gpu.idle, 62000);
  cr_assert_eq(gpu.sensor.quantum, 1);
  cr_assert_eq(gpu.cap.latency, 50 * FW_NS_PER_MS);
  cr_assert_eq(gpu.cap.ratio.count, 4);
  fw_gpu_model_clear(&gpu);
}

Test(gpu, a_missing_file_is_an_error_and_leaves_nothing_to_free) {
  fw_gpu_model gpu;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(fw_gpu_model_read(FW_SOURCE_DIR "/tests/unit/data/no-such-file.json", &gpu, &diagnostics),
               FW_ERROR_INPUT);
  cr_assert_eq(diagnostics.error_count, 1);
  fw_gpu_model_clear(&gpu);
  fw_diagnostics_clear(&diagnostics);
}

static const struct fault {
  const char *from;
  const char *to;
  const char *path;
  const char *words;
} faults[] = {
    {"\"fleetwatt_gpu\": 1", "\"fleetwatt_gpu\": 2", "fleetwatt_gpu", "format 2 is newer"},
    {"\"id\": \"example-gpu\"", "\"id\": \"\"", "id", "must not be empty"},
    {"\"idle_w\": 62", "\"idle_w\": 400", "idle_w", "must be below \"tdp\""},
    {"\"idle_w\": 62", "\"idle_w\": -1", "idle_w", "at least 0"},
    {"\"board_max_w\": 500", "\"board_max_w\": 399", "board_max_w", "must not be below \"tdp\""},
    {"\"cap_min_w\": 100", "\"cap_min_w\": 62", "cap_min_w", "must be above \"idle\""},
    {"\"cap_max_w\": 400", "\"cap_max_w\": 99", "cap_max_w", "must not be below \"cap_min\""},
    {"\"cap_max_w\": 400", "\"cap_max_w\": 501", "cap_max_w", "must not be above \"board_max\""},
    {"\"settled_share\": 0.97", "\"settled_share\": 1.01", "cap.settled_share", "at most 1"},
    {"\"settled_share\": 0.97", "\"settled_share\": 0", "cap.settled_share", "above 0"},
    {"\"latency_ms\": 50", "\"latency_ms\": -1", "cap.latency_ms", "at least 0"},
    {"[1, 0.8, 0.6, 0.4]", "[0.9, 0.8, 0.6, 0.4]", "cap.ratio", "must begin with 1"},
    {"[1, 0.8, 0.6, 0.4]", "[1, 0.8, 0.8, 0.4]", "cap.ratio", "entry 2 does not"},
    {"[1, 0.8, 0.6, 0.4]", "[1, 0.8, 0.6, 0]", "cap.ratio", "must stay above 0"},
    {"[1, 0.8, 0.6, 0.4]", "[1]", "cap.ratio", "at least 2"},
    {"[1, 1.06, 1.3, 2.3]", "[1, 1.06, 1.3]", "cap.update_slowdown", "has 3 entries, \"ratio\" has 4"},
    {"[1, 1.06, 1.3, 2.3]", "[1.01, 1.06, 1.3, 2.3]", "cap.update_slowdown", "must begin with 1"},
    {"[1, 1, 1.05, 1.5]", "[1, 1.2, 1.05, 1.5]", "cap.rollout_slowdown", "entry 2 is below the one before"},
    {"[1, 1, 1.05, 1.5]", "[1, 0.9, 1.05, 1.5]", "cap.rollout_slowdown[1]", "at least 1"},
    {"\"path_memory_s\": 0.05", "\"path_memory_s\": 0", "sensor.path_memory_s", "above 0"},
    {"\"observed_s\": 0.025", "\"observed_s\": 0", "sensor.observed_s", "above 0"},
    {"\"gain_sigma\": 0.02", "\"gain_sigma\": 0.5", "sensor.gain_sigma", "at most 0.3"},
    {"\"gain_sigma\": 0.02", "\"gain_sgima\": 0.02", "sensor.gain_sgima", "did you mean \"gain_sigma\""},
};

Test(gpu, every_fault_is_told_with_its_place) {
  fw_text good = source_text(EXAMPLE);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    fw_text bad = replaced(&good, faults[i].from, faults[i].to);
    fw_gpu_model gpu;
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    char all[2000];
    cr_assert_eq(decode_gpu(&bad, &gpu, &diagnostics), FW_ERROR_INPUT, "accepted: %s", faults[i].to);
    cr_assert(reported(&diagnostics, FW_SEVERITY_ERROR, faults[i].path, faults[i].words), "%s gave: %s", faults[i].to,
              all_entries(&diagnostics, all));
    fw_gpu_model_clear(&gpu);
    fw_diagnostics_clear(&diagnostics);
    fw_text_clear(&bad);
  }
  fw_text_clear(&good);
}

Test(gpu, all_faults_are_told_at_once) {
  fw_text good = source_text(EXAMPLE);
  fw_text one = replaced(&good, "\"idle_w\": 62", "\"idle_w\": 450");
  fw_text two = replaced(&one, "[1, 0.8, 0.6, 0.4]", "[1, 0.6, 0.8, 0.4]");
  fw_text three = replaced(&two, "[1, 1, 1.05, 1.5]", "[1, 1]");
  fw_gpu_model gpu;
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  cr_assert_eq(decode_gpu(&three, &gpu, &diagnostics), FW_ERROR_INPUT);
  cr_assert(reported(&diagnostics, FW_SEVERITY_ERROR, "idle_w", "below \"tdp\""));
  cr_assert(reported(&diagnostics, FW_SEVERITY_ERROR, "cap.ratio", "entry 2"));
  cr_assert(reported(&diagnostics, FW_SEVERITY_ERROR, "cap.rollout_slowdown", "has 2 entries"));
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&three);
  fw_text_clear(&two);
  fw_text_clear(&one);
  fw_text_clear(&good);
}

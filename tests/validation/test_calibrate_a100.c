/* The calibrated A100 models as committed: each reads without a warning, and where the measured data is at hand the
 * script that wrote them writes the same bytes again, for any number of threads. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/job.h"
#include "sim/base/file.h"

#define FOLDER FW_SOURCE_DIR "/models/a100/"
#define FILE_LIMIT ((size_t)1024 * 1024)

static const char *const names[] = {
    "qwen3-8b-chat",
    "qwen3-8b-bursts",
    "qwen3-8b-agents",
    "qwen3-8b-agents-cached",
    "gemma4-26b-tp2-chat",
    "gpt-oss-20b-prefill",
    "gpt-oss-20b-decode",
    "llama2-7b-nocache",
    "llama2-13b-nocache",
    "falcon-7b-nocache",
    "falcon-40b-nocache-layer3",
    "llama2-70b-nocache-layer4",
    "llama2-7b-nocache-250w",
    "falcon-7b-nocache-250w",
    "llama2-70b-tp2",
    "llama2-70b-tp4",
    "llama2-70b-tp8",
    "bloom-176b-tp8",
};
enum { NAMES = sizeof names / sizeof names[0] };

static void read_model(const char *name, fw_job_model *out) {
  char path[512];
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  (void)snprintf(path, sizeof path, FOLDER "%s.json", name);
  cr_assert_eq(fw_job_model_read(path, out, &diagnostics), FW_OK, "%s: %s", name,
               diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  cr_expect_eq(diagnostics.count, 0, "%s: %s", name, diagnostics.count > 0 ? diagnostics.entries[0].message : "");
  cr_expect_str_eq(out->id, name);
  fw_diagnostics_clear(&diagnostics);
}

Test(calibrate_a100, the_files_read_without_a_warning_and_suit_their_gpus) {
  for (size_t i = 0; i < NAMES; i++) {
    fw_job_model job;
    fw_gpu_model gpu;
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    char path[512];
    read_model(names[i], &job);
    (void)snprintf(path, sizeof path, FW_SOURCE_DIR "/models/gpu/%s.json", job.gpu);
    cr_assert_eq(fw_gpu_model_read(path, &gpu, &diagnostics), FW_OK, "%s", path);
    cr_expect_eq(fw_job_model_check_gpu(&job, &gpu, names[i], &diagnostics), FW_OK);
    cr_expect_eq(diagnostics.count, 0, "%s: %s", names[i], diagnostics.count > 0 ? diagnostics.entries[0].message : "");
    fw_diagnostics_clear(&diagnostics);
    fw_gpu_model_clear(&gpu);
    fw_job_model_clear(&job);
  }
}

/* No prompt, name of a person or path came along: a file names its recordings without their folders. */
Test(calibrate_a100, recordings_are_named_without_folders) {
  for (size_t i = 0; i < NAMES; i++) {
    char path[512];
    fw_json *document = NULL;
    (void)snprintf(path, sizeof path, FOLDER "%s.json", names[i]);
    cr_assert_eq(fw_json_read(path, &document, NULL), FW_OK);
    const fw_json_value *runs = fw_json_get(fw_json_get(fw_json_root(document), "provenance"), "runs");
    cr_expect_gt(fw_json_count(runs), 0);
    for (const fw_json_value *run = fw_json_first(runs); run != NULL; run = fw_json_next(run))
      cr_expect_null(strchr(fw_json_string(fw_json_get(run, "file")), '/'));
    fw_json_free(document);
  }
}

static fw_text read_file(const char *folder, const char *name) {
  char path[512];
  fw_text text = FW_TEXT_INIT;
  (void)snprintf(path, sizeof path, "%s/%s.json", folder, name);
  cr_assert_eq(fw_file_read(path, FILE_LIMIT, &text, NULL), FW_OK, "%s", path);
  return text;
}

static void expect_same(const char *folder, const char *name) {
  fw_text written = read_file(folder, name);
  fw_text committed = read_file(FOLDER, name);
  cr_expect(written.length == committed.length && memcmp(written.data, committed.data, written.length) == 0,
            "%s differs from what models/calibrate_a100.sh writes; run ./fw fit and look at what moved", name);
  fw_text_clear(&written);
  fw_text_clear(&committed);
  char path[512];
  (void)snprintf(path, sizeof path, "%s/%s.json", folder, name);
  cr_expect_eq(unlink(path), 0);
}

static void expect_same_bytes(const char *threads) {
  const char *data = getenv("FLEETWATT_DATA");
  if (data == NULL || data[0] == '\0') {
    (void)fprintf(stderr, "skipped: FLEETWATT_DATA does not name the folder of the measured data\n");
    cr_skip_test();
  }
  char folder[] = "/tmp/fleetwatt-calibrate-XXXXXX";
  char command[2048];
  cr_assert_not_null(mkdtemp(folder));
  const int length = snprintf(command, sizeof command,
                              "'" FW_SOURCE_DIR "/models/calibrate_a100.sh' '" FW_BINARY_DIR
                              "/sim/cli/fleetwatt' '%s' '%s' --threads %s 2>/dev/null",
                              data, folder, threads);
  cr_assert(length > 0 && (size_t)length < sizeof command);
  const int status = system(command);
  cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", command);
  for (size_t i = 0; i < NAMES; i++)
    expect_same(folder, names[i]);
  cr_expect_eq(rmdir(folder), 0, "the script writes a model that this test does not know");
}

/* The document holds what the program prints. */
Test(calibrate_a100, the_document_holds_the_scores) {
  const char *data = getenv("FLEETWATT_DATA");
  if (data == NULL || data[0] == '\0') {
    (void)fprintf(stderr, "skipped: FLEETWATT_DATA does not name the folder of the measured data\n");
    cr_skip_test();
  }
  char path[] = "/tmp/fleetwatt-heldout-table-XXXXXX";
  char command[2048];
  const int descriptor = mkstemp(path);
  cr_assert_geq(descriptor, 0);
  (void)close(descriptor);
  (void)snprintf(command, sizeof command, "'" FW_BINARY_DIR "/tests/heldout' '%s' > '%s'", data, path);
  const int status = system(command);
  cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", command);
  fw_text tables = FW_TEXT_INIT;
  fw_text document = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(path, FILE_LIMIT, &tables, NULL), FW_OK);
  cr_assert_eq(fw_file_read(FW_SOURCE_DIR "/docs/calibration.md", FILE_LIMIT, &document, NULL), FW_OK);
  cr_expect_gt(tables.length, 1000);
  cr_expect_not_null(strstr(document.data, tables.data),
                     "docs/calibration.md does not hold what heldout prints; ./fw fit puts it there");
  fw_text_clear(&tables);
  fw_text_clear(&document);
  (void)unlink(path);
}

Test(calibrate_a100, calibrating_again_writes_the_same_bytes) {
  expect_same_bytes("1");
}

Test(calibrate_a100, calibrating_with_four_threads_writes_the_same_bytes) {
  expect_same_bytes("4");
}

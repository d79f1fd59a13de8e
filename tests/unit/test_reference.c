/* The reference: of the sample record line by line, and of the real tables as the documents show it.
 *
 * A document holds its reference between two markers. Where it is not what the tables print today, the test says how to
 * bring it up to date. */
#include "sim/base/reference.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/gpu.h"
#include "models/job.h"
#include "policies/ppo/config.h"
#include "sim/base/file.h"
#include "sim/scenario/scenario.h"
#include "sim/study/train/train.h"
#include "tests/sample_record.h"
#include "tests/unit/model_text.h"

#define DOCUMENT_LIMIT ((size_t)1024 * 1024)

static fw_text reference_of(const fw_record *record) {
  fw_text text = FW_TEXT_INIT;
  fw_record_reference(record, &text);
  cr_assert_not(text.failed);
  return text;
}

/* The part from the heading `name` to the next one, in `buffer`. */
static const char *section(const fw_text *text, const char *name, char buffer[4096]) {
  char heading[80];
  (void)snprintf(heading, sizeof heading, "\n### %s\n", name);
  const char *start = strstr(text->data, heading);
  cr_assert_not_null(start, "no section %s in:\n%s", name, text->data);
  start += strlen(heading);
  const char *end = strstr(start, "\n### ");
  const size_t length = end != NULL ? (size_t)(end - start) : strlen(start);
  cr_assert_lt(length, 4096);
  memcpy(buffer, start, length);
  buffer[length] = '\0';
  return buffer;
}

static size_t count_of(const char *text, const char *word) {
  size_t count = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
    count++;
  return count;
}

/* ---- The sample record ---- */

static const char *const top_rows[] = {
    "| `on` | `true` or `false` | | `false` | |",
    "| `signed_count` | whole number | -10 to 1e18 | `0` | |",
    "| `seed` | whole number | 0 to 2^64 - 1 | `0` | |",
    "| `share` | number | above 0 to 1 | `0.5` | |",
    "| `name` | text | | | |",
    "| `shape` | `\"flat\"`, `\"log2\"` or `\"logistic\"` | | `\"log2\"` | |",
    "| `version` | whole number | 1 | | |",
    "| `budget_w`, `_kw`, `_mw` | power | above 0 W | required | power that the feed carries |",
    "| `period_s`, `_ms`, `_min`, `_h`, `_d` | time | above 0 to 1e9 s | 5 s | |",
    "| `gains` | list of numbers, at least 2 | 0 to 2 | | |",
    "| `levels_w`, `_kw`, `_mw` | list of powers | | | |",
    "| `windows_s`, `_ms`, `_min`, `_h`, `_d` | list of times | above 0 s | | |",
    "| `tags` | list of texts | | | |",
    "| `leaf` | [leaf](#leaf) | | | |",
    "| `leaves` | list of [leaf](#leaf) | | | |",
    "| `policy` | [leaf](#leaf_2) or [node](#node) | | | |",
    "| `policies` | list of [leaf](#leaf_2) or [node](#node) | | | |",
    "| `tree` | list of [node_2](#node_2) | | | |",
    "| `provenance` | anything | | | |",
};

Test(reference, every_kind_has_its_row) {
  fw_text text = reference_of(&top_record);
  char buffer[4096];
  const char *top_section = section(&text, "top", buffer);
  cr_expect_eq(strncmp(top_section, "\nThe whole.\n\n| key | type | range | default | meaning |\n|---", 58), 0, "%s",
               top_section);
  const char *at = top_section;
  for (size_t i = 0; i < sizeof top_rows / sizeof top_rows[0]; i++) {
    char row[200];
    (void)snprintf(row, sizeof row, "\n%s\n", top_rows[i]);
    const char *found = strstr(at, row);
    cr_expect_not_null(found, "no row %s, in order, in:\n%s", top_rows[i], top_section);
    at = found != NULL ? found : at;
  }
  cr_expect_eq(count_of(top_section, "\n| "), sizeof top_rows / sizeof top_rows[0] + 1, "the head and one row each");
  fw_text_clear(&text);
}

/* A record that is also the case of a variant has one more key there, so it is described as both, as in the schema. */
Test(reference, each_record_has_one_section) {
  static const char *const names[] = {"top", "leaf", "leaf_2", "node", "node_2"};
  fw_text text = reference_of(&top_record);
  char buffer[4096];
  cr_expect_eq(count_of(text.data, "\n### "), 5);
  for (size_t i = 0; i < 5; i++)
    (void)section(&text, names[i], buffer);
  cr_expect_str_eq(section(&text, "leaf_2", buffer), "\n| key | type | range | default | meaning |\n"
                                                     "|---|---|---|---|---|\n"
                                                     "| `kind` | `\"leaf\"` | | required | selects this form |\n"
                                                     "| `gain` | number | | required | |\n"
                                                     "| `level_w`, `_kw`, `_mw` | power | | 7 W | |\n");
  cr_expect_not_null(strstr(section(&text, "node_2", buffer), "| `children` | list of [node_2](#node_2) | | | |\n"));
  fw_text_clear(&text);
}

static const fw_field barred_fields[] = {
    {.name = "share", .kind = FW_FIELD_NUMBER, .min = 0.25, .max = 0.125, .required = true, .doc = "a | b"}};
static const fw_record barred_record = {"barred", "has a bar", sizeof(double), NULL, barred_fields, 1};
static const fw_record empty_record = {"empty", "has nothing", sizeof(double), NULL, NULL, 0};

Test(reference, a_bar_does_not_end_its_cell) {
  fw_text text = reference_of(&barred_record);
  cr_expect_not_null(strstr(text.data, "| `share` | number | at least 0.25 | required | a \\| b |\n"), "%s", text.data);
  fw_text_clear(&text);
}

Test(reference, a_record_without_keys_says_so) {
  fw_text text = reference_of(&empty_record);
  char buffer[4096];
  cr_expect_str_eq(section(&text, "empty", buffer), "\nHas nothing.\n\nIt has no keys.\n");
  fw_text_clear(&text);
}

/* ---- The documents ---- */

static fw_text document(const char *path) {
  fw_text text = FW_TEXT_INIT;
  cr_assert_eq(fw_file_read(path, DOCUMENT_LIMIT, &text, NULL), FW_OK, "%s cannot be read", path);
  return text;
}

static void update(const char *path, const fw_text *old, size_t from, size_t to, const fw_text *wanted) {
  fw_text text = FW_TEXT_INIT;
  fw_text_add_bytes(&text, old->data, from);
  fw_text_add_bytes(&text, wanted->data, wanted->length);
  fw_text_add_bytes(&text, old->data + to, old->length - to);
  cr_assert_not(text.failed);
  cr_assert_eq(fw_file_write(path, text.data, text.length, NULL), FW_OK);
  fw_text_clear(&text);
}

/* What stands between the lines of the markers must be `wanted`, with an empty line before and after it. */
static void expect_between(const char *name, const char *path, const fw_text *reference) {
  char begin[64], end[64];
  (void)snprintf(begin, sizeof begin, "<!-- begin %s: ", name);
  (void)snprintf(end, sizeof end, "<!-- end %s -->", name);
  fw_text text = document(path);
  const char *start = strstr(text.data, begin);
  const char *stop = strstr(text.data, end);
  cr_assert(start != NULL && stop != NULL && start < stop, "%s has no markers of %s", path, name);
  const size_t from = (size_t)(strchr(start, '\n') + 1 - text.data);
  const size_t to = (size_t)(stop - text.data);
  fw_text wanted = FW_TEXT_INIT;
  fw_text_add_format(&wanted, "\n%s\n", reference->data);
  cr_assert_not(wanted.failed);
  const bool same = to - from == wanted.length && memcmp(text.data + from, wanted.data, wanted.length) == 0;
  const char *asked = getenv("FW_GOLDEN_UPDATE");
  if (!same && asked != NULL && strcmp(asked, "1") == 0) {
    update(path, &text, from, to, &wanted);
  } else {
    cr_expect(same, "%s does not show what the tables say; bring it up to date with\n  FW_GOLDEN_UPDATE=1 %s", path,
              FW_BINARY_DIR "/tests/unit_reference");
  }
  fw_text_clear(&wanted);
  fw_text_clear(&text);
}

/* One test for all, because two of them share a file that an update writes. */
Test(reference, documents_show_what_the_tables_say) {
  fw_text scenario = FW_TEXT_INIT;
  fw_scenario_reference(&scenario);
  cr_assert_not(scenario.failed);
  fw_text gpu = reference_of(&fw_gpu_model_record);
  fw_text job = reference_of(&fw_job_model_record);
  fw_text ppo = reference_of(&fw_ppo_config_record);
  expect_between("scenario", FW_SOURCE_DIR "/docs/scenario.md", &scenario);
  expect_between("gpu", FW_SOURCE_DIR "/docs/parameter-files.md", &gpu);
  expect_between("job", FW_SOURCE_DIR "/docs/parameter-files.md", &job);
  expect_between("ppo", FW_SOURCE_DIR "/docs/ppo.md", &ppo);
  fw_text_clear(&scenario);
  fw_text_clear(&gpu);
  fw_text_clear(&job);
  fw_text_clear(&ppo);
  fw_text training = reference_of(&fw_train_plan_record);
  expect_between("training", FW_SOURCE_DIR "/docs/training.md", &training);
  fw_text_clear(&training);
}

/* The JSON block number `index` of a document. */
static fw_text example(const char *path, size_t index) {
  static const char fence[] = "```json\n";
  fw_text text = document(path);
  const char *start = text.data;
  for (size_t i = 0; i <= index; i++) {
    start = strstr(start, fence);
    cr_assert_not_null(start);
    start += strlen(fence);
  }
  fw_text block = FW_TEXT_INIT;
  fw_text_add_bytes(&block, start, (size_t)(strstr(start, "```") - start));
  fw_text_clear(&text);
  return block;
}

Test(reference, the_example_of_a_scenario_can_be_read) {
  fw_text text = example(FW_SOURCE_DIR "/docs/scenario.md", 0);
  const fw_scenario_overrides installed = {.share = FW_SOURCE_DIR};
  fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
  fw_scenario *scenario = NULL;
  char buffer[2000];
  cr_assert_eq(fw_scenario_parse(text.data, text.length, "example.json", &installed, &scenario, &diagnostics), FW_OK,
               "%s", all_entries(&diagnostics, buffer));
  cr_expect_eq(diagnostics.count, 0, "%s", all_entries(&diagnostics, buffer));
  fw_scenario_free(scenario);
  fw_diagnostics_clear(&diagnostics);
  fw_text_clear(&text);
}

Test(reference, the_examples_of_parameter_files_can_be_read) {
  fw_text texts[] = {example(FW_SOURCE_DIR "/docs/parameter-files.md", 0),
                     example(FW_SOURCE_DIR "/docs/parameter-files.md", 1)};
  fw_gpu_model gpu;
  fw_job_model job;
  for (size_t i = 0; i < 2; i++) {
    fw_diagnostics diagnostics = FW_DIAGNOSTICS_INIT;
    fw_json *read = NULL;
    char buffer[2000];
    cr_assert_eq(fw_json_parse(texts[i].data, texts[i].length, "example.json", &read, &diagnostics), FW_OK);
    const fw_status status =
        i == 0 ? fw_gpu_model_decode(read, &gpu, &diagnostics) : fw_job_model_decode(read, &job, &diagnostics);
    cr_assert(status == FW_OK && diagnostics.count == 0, "%s", all_entries(&diagnostics, buffer));
    fw_json_free(read);
    fw_text_clear(&texts[i]);
  }
  fw_diagnostics fit = FW_DIAGNOSTICS_INIT;
  cr_expect_eq(fw_job_model_check_gpu(&job, &gpu, "example.json", &fit), FW_OK);
  cr_expect_eq(fit.count, 0);
  fw_gpu_model_clear(&gpu);
  fw_job_model_clear(&job);
  fw_diagnostics_clear(&fit);
}

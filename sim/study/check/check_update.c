/* Recorded values rewritten in the text itself, found by the places that the JSON reader kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/json.h"
#include "sim/base/memory.h"
#include "sim/study/check/check.h"
#include "sim/study/check/check_judge.h"

#define WRITTEN_DIGITS 9 /* as fitted numbers are written */

static bool can_change(const fw_check_outcome *outcome) {
  return !outcome->holds && (outcome->check->kind == FW_EXPECT_DIGEST ||
                             (outcome->check->kind == FW_EXPECT_RECORDED && !isnan(outcome->got.mean)));
}

static void write_value(const fw_check_outcome *outcome, char value[FW_NUMBER_TEXT_SIZE]) {
  const fw_expectation *check = outcome->check;
  double written = 0.0;
  if (check->kind == FW_EXPECT_DIGEST) {
    value[0] = '"';
    memcpy(value + 1, outcome->digest, FW_DIGEST_TEXT_SIZE);
    memcpy(value + FW_DIGEST_TEXT_SIZE, "\"", 2);
    return;
  }
  (void)fw_number_format(outcome->got.mean, WRITTEN_DIGITS, value);
  if (!fw_number_parse(value, strlen(value), &written) || !fwi_check_agrees(check, written, outcome->got.mean)) {
    (void)fw_number_format_exact(outcome->got.mean, value);
  }
}

/* Where the value of an outcome stands in the document. */
static const fw_json_value *value_of(const fw_json_value *root, const fw_check_file *file, size_t outcome) {
  const fw_check_outcome *wanted = &file->outcomes[outcome];
  const fw_json_value *block = fw_json_first(fw_json_get(root, "expect"));
  for (const fw_expect_block *b = file->scenario->expect; b != wanted->block; b++) {
    block = fw_json_next(block);
  }
  const fw_json_value *check = fw_json_first(fw_json_get(block, "checks"));
  for (const fw_expectation *c = wanted->block->checks; c != wanted->check; c++) {
    check = fw_json_next(check);
  }
  return fw_json_get(check, wanted->check->kind == FW_EXPECT_DIGEST ? "digest" : "value");
}

fw_status fw_check_propose(const fw_check_file *file, fw_check_changes *out, fw_diagnostics *diagnostics) {
  *out = (fw_check_changes){0};
  fw_json *document = NULL;
  fw_status status = fw_json_parse(file->text.data, file->text.length, file->path, &document, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  out->list = fw_allocate(file->count, sizeof *out->list);
  if (out->list == NULL) {
    fw_json_free(document);
    return fw_error_memory(diagnostics, "the changes of a file");
  }
  for (size_t i = 0; i < file->count; i++) {
    if (can_change(&file->outcomes[i])) {
      fw_check_change *change = &out->list[out->count++];
      change->outcome = i;
      write_value(&file->outcomes[i], change->value);
      fw_json_extent(value_of(fw_json_root(document), file, i), &change->offset, &change->length);
    }
  }
  fw_json_free(document);
  return FW_OK;
}

static fw_status refuse_if_changed(const fw_check_file *file, fw_diagnostics *diagnostics) {
  fw_text now = FW_TEXT_INIT;
  fw_status status = fw_file_read(file->path, FW_JSON_SIZE_LIMIT, &now, diagnostics);
  if (status == FW_OK && (now.length != file->text.length || memcmp(now.data, file->text.data, now.length) != 0)) {
    status = fw_error(diagnostics, FW_ERROR_INPUT, (fw_place){.file = file->path},
                      "the file changed while it was checked; nothing is written, check it again");
  }
  fw_text_clear(&now);
  return status;
}

static int by_offset(const void *left, const void *right) {
  const fw_check_change *a = left;
  const fw_check_change *b = right;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

fw_status fw_check_rewrite(const fw_check_file *file, const fw_check_changes *changes, fw_diagnostics *diagnostics) {
  if (changes->count == 0) {
    return FW_OK;
  }
  fw_status status = refuse_if_changed(file, diagnostics);
  if (status != FW_OK) {
    return status;
  }
  fw_text text = FW_TEXT_INIT;
  size_t at = 0;
  qsort(changes->list, changes->count, sizeof *changes->list, by_offset); /* keys may stand in any order */
  for (size_t i = 0; i < changes->count; i++) {
    const fw_check_change *change = &changes->list[i];
    fw_text_add_bytes(&text, file->text.data + at, change->offset - at);
    fw_text_add(&text, change->value);
    at = change->offset + change->length;
  }
  fw_text_add_bytes(&text, file->text.data + at, file->text.length - at);
  status = text.failed ? fw_error_memory(diagnostics, "the new text of a file")
                       : fw_file_write(file->path, text.data, text.length, diagnostics);
  fw_text_clear(&text);
  return status;
}
